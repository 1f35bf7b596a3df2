"""Papers at rest: readers of foreign formats, the library in SQLite, writers of bibliographies."""
