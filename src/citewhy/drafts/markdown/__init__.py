"""Markdown drafts with Pandoc's citations and YAML metadata."""
