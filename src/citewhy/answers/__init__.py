"""Makes questions of texts and drafts, and answers and edits of suggestions."""
