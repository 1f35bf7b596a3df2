"""Plain-text drafts with numeric or author-year citations and a printed reference list."""
