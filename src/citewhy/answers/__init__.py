"""From texts and drafts to questions, and from suggestions to answers and edits."""
