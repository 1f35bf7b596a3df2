"""NCN: a citing sentence is translated into the title of the paper that it cites (Ebesu and Fang 2017)."""
