"""Works that a finished paper should consider: what speaks for each, and which of them make a set."""
