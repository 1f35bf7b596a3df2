"""Indexes: derived from the library for fast queries, and rebuilt if missing or damaged.

`engine` defines what an index is; `local` is the implementation in local files, which `open_index` opens.
"""

from citewhy.search.index.local.checking import index_state, vectors_state
from citewhy.search.index.local.encoding import Encoded
from citewhy.search.index.local.loss import described, recorded_loss, warn_of_loss
from citewhy.search.index.local.refresh import Steps, open_index, refresh

__all__ = [
    "Encoded",
    "Steps",
    "described",
    "index_state",
    "open_index",
    "recorded_loss",
    "refresh",
    "vectors_state",
    "warn_of_loss",
]
