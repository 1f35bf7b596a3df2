"""Systems of the literature, one a file: each reads like the method section of its source."""
