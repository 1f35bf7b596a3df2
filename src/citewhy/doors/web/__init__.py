"""The page beside a draft, and the HTTP API: everything is asked of a `Session`, and nothing of it is decided
here."""
