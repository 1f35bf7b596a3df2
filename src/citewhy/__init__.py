"""CiteWhy: what to cite, where, and why.

    from citewhy import Query, Recommender, open_library

    with open_library() as library:
        for suggestion in Recommender(library).suggest(Query("local", text="…"), k=3):
            print(suggestion.paper.title, suggestion.reasons)

These names are the front door; each is imported when it is first used. Modules of the package import from one
another, never from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewhy.config import VERSION

__version__ = VERSION

if TYPE_CHECKING:
    from citewhy.advice import advise
    from citewhy.errors import CiteWhyError
    from citewhy.library.store import Library
    from citewhy.manuscript import read as read_draft
    from citewhy.pipeline import Recommender
    from citewhy.records import Paper, Query, Suggestion
    from citewhy.starter import open_library

__all__ = [
    "CiteWhyError",
    "Library",
    "Paper",
    "Query",
    "Recommender",
    "Suggestion",
    "__version__",
    "advise",
    "open_library",
    "read_draft",
]

if not TYPE_CHECKING:  # a type checker would take every name for one that __getattr__ finds
    _HOMES = {
        "CiteWhyError": ("citewhy.errors", "CiteWhyError"),
        "Library": ("citewhy.library.store", "Library"),
        "Paper": ("citewhy.records", "Paper"),
        "Query": ("citewhy.records", "Query"),
        "Recommender": ("citewhy.pipeline", "Recommender"),
        "Suggestion": ("citewhy.records", "Suggestion"),
        "advise": ("citewhy.advice", "advise"),
        "open_library": ("citewhy.starter", "open_library"),
        "read_draft": ("citewhy.manuscript", "read"),
    }

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib

        module, attribute = _HOMES[name]
        found = globals()[name] = getattr(importlib.import_module(module), attribute)
        return found

    def __dir__() -> list[str]:
        return list(__all__)
