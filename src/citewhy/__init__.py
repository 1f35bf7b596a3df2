"""CiteWhy: what to cite, where, and why.

    from citewhy import Session

    with Session() as session:
        for suggestion in session.suggest("Attention replaced recurrence in translation.", k=3):
            print(suggestion.paper.title, suggestion.reasons)

`Session` answers everything; the other names are the records that it takes and returns, a library to fill
record by record, and the error that all others derive from. Each is imported when it is first used. Modules
of the package import from one another, never from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewhy.base.config import VERSION

__version__ = VERSION

if TYPE_CHECKING:
    from citewhy.answers.answer import Answer, DraftAnswer
    from citewhy.base.errors import CiteWhyError
    from citewhy.base.records import (
        Advice,
        Manuscript,
        Paper,
        Passage,
        Query,
        Reason,
        Suggestion,
        Unit,
        UnitAnswer,
    )
    from citewhy.papers.library.store import Library
    from citewhy.session.draft_session import DraftSession
    from citewhy.session.session import Session

__all__ = [
    "Advice",
    "Answer",
    "CiteWhyError",
    "DraftAnswer",
    "DraftSession",
    "Library",
    "Manuscript",
    "Paper",
    "Passage",
    "Query",
    "Reason",
    "Session",
    "Suggestion",
    "Unit",
    "UnitAnswer",
    "__version__",
]

if not TYPE_CHECKING:  # a type checker would take every name for one that __getattr__ finds
    _HOMES = {
        "Answer": "citewhy.answers.answer",
        "CiteWhyError": "citewhy.base.errors",
        "DraftAnswer": "citewhy.answers.answer",
        "DraftSession": "citewhy.session.draft_session",
        "Library": "citewhy.papers.library.store",
        "Session": "citewhy.session.session",
    }
    _RECORDS = "citewhy.base.records"

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib

        member = globals()[name] = getattr(importlib.import_module(_HOMES.get(name, _RECORDS)), name)
        return member

    def __dir__() -> list[str]:
        return list(__all__)
