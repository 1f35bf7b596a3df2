"""The weighted terms of a query, for search by words."""

from __future__ import annotations

from collections import Counter

from citewhy.base.records import Query
from citewhy.text.tokens import stems

_TITLE_WEIGHT = {"local": 0.5, "paragraph": 0.5, "set": 0.5, "global": 1.0}
"""Weight of a word of the title by kind of query; a word of the text has weight 1."""


def query_terms(query: Query, title_weight: float | None = None) -> dict[str, float]:
    """Maps stems to weights; a word that occurs repeatedly counts each time.

    `title_weight` is the weight of a word of the title; None: 0.5, or 1 for a whole paper.
    """
    text = f"{query.text} {query.abstract}" if query.kind == "global" else query.text
    terms: Counter[str] = Counter(stems(text))
    weighted: dict[str, float] = dict(terms)
    title_weight = _TITLE_WEIGHT[query.kind] if title_weight is None else title_weight
    for term in stems(query.title):
        weighted[term] = weighted.get(term, 0.0) + title_weight
    return weighted
