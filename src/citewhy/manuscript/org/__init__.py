"""Org drafts."""
