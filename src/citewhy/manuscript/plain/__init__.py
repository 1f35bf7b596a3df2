"""Plain-text drafts, with numbered or author-year citations and a printed reference list."""
