"""Edits of a draft: filling citations, patching files, and undoing it."""
