"""Indexes: derived from the library for fast queries, and rebuilt if missing or damaged.

An `Engine` keeps the `Index` of a library; a `View` of it answers as of a scope. `local` is the engine in
local files.
"""

from citewhy.search.index.chosen import CHOICE, choose, chosen
from citewhy.search.index.engine import Encoded, Engine, Steps, Until, find_engine, open_index
from citewhy.search.index.hits import CitingContexts, CitingSentences, Edges, Hits, PaperFacts, best_first
from citewhy.search.index.local.layer import open_layer
from citewhy.search.index.opened import Index
from citewhy.search.index.stores import VectorStore
from citewhy.search.index.view import View

__all__ = [
    "CHOICE",
    "CitingContexts",
    "CitingSentences",
    "Edges",
    "Encoded",
    "Engine",
    "Hits",
    "Index",
    "PaperFacts",
    "Steps",
    "Until",
    "VectorStore",
    "View",
    "best_first",
    "choose",
    "chosen",
    "find_engine",
    "open_index",
    "open_layer",
]
