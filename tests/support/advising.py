"""Answers to the units of a draft, straight from a recommender."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from citewhy.answers.answering import DraftAnswering
from citewhy.answers.options import DraftOptions
from citewhy.answers.questions import units_of
from citewhy.base.records import Manuscript, UnitAnswer
from citewhy.ranking.recommender import Recommender

__all__ = ["advise"]


def advise(recommender: Recommender, manuscript: Manuscript, k: int, **wishes: Any) -> Iterator[UnitAnswer]:
    """The answers to the wished units, in reading order; `wishes` are fields of `DraftOptions`."""
    options = DraftOptions(k, **wishes)
    answering = DraftAnswering(recommender, manuscript, options.year)
    return answering.answers(units_of(manuscript, options.units), options)
