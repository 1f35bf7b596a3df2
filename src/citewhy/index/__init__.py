"""The index: a cache of the library that answers in milliseconds, made again when missing or wrong.

`engine` says what an index is; `local` is the one on this machine, and the one that `open_index` opens.
"""

from citewhy.index.local.checking import index_state
from citewhy.index.local.dense import Encoded
from citewhy.index.local.refresh import Progress, open_index, refresh

__all__ = ["Encoded", "Progress", "index_state", "open_index", "refresh"]
