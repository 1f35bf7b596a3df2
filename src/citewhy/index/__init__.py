"""The index: a cache of the library that answers in milliseconds, made again when missing or wrong."""

from citewhy.index.local.refresh import Progress, open_index, refresh
from citewhy.index.local.snapshot import Index

__all__ = ["Index", "Progress", "open_index", "refresh"]
