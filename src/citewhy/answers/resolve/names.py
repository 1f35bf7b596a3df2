"""Names of systems and data sets as keys and notes write them: ``BERT``, ``glove2014``,
``europarl_corpus``."""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np

from citewhy.search.index import Index
from citewhy.search.index.arrays import Rows
from citewhy.search.retrieve.naming import Introducers
from citewhy.search.retrieve.parameters import Parameters
from citewhy.search.rules import Scope

_ADDED = re.compile(
    r"[\s_:.-]{0,20}(?:\b|_|(?<=\w)(?=[A-Z])|(?<=[^\W\d_]{2})(?=\d))"
    r"(?:corpus|corpora|data ?sets?|paper|toolkit|system|models?|original|(?:19|20)\d\d[a-h]?|\d\d)$",
    re.IGNORECASE,
)
"""These are added to a name in a key."""

_ORIGINAL = 0.9
"""Minimum share of the uses of a name that are not older than the paper that introduces it."""

_ESTABLISHED = 10
"""Minimum number of papers that use a name after its introduction. Names of few papers are often those of
several things, most of which are not in the library."""


def names_in_key(text: str) -> list[str]:
    """The names that a key or a note may consist of, folded: the whole text, and without what is added.

    >>> names_in_key("GloVe-2014"), names_in_key("europarl_corpus")
    (['glove-2014', 'glove'], ['europarl_corpus', 'europarl'])
    >>> names_in_key("word2vec"), names_in_key("glove2014")
    (['word2vec'], ['glove2014', 'glove'])
    """
    names = [text.casefold()]
    plain = text
    while (shorter := _ADDED.sub("", plain)) != plain and shorter:
        plain = shorter
        names.append(plain.casefold())
    return [] if any(" " in name for name in names[-1:]) else names


def original_introducers(index: Index, name: str, years: Collection[int]) -> tuple[Rows, bool]:
    """The papers that introduce a name first, and whether it is theirs: their title has it, many later papers
    use it, and hardly any earlier ones. Titles come before abstracts, earlier years before later ones;
    `years`: those that the paper may be of, give or take one (empty: any)."""
    rows, in_title = index.named("introduced", [name]), index.named("titled", [name])
    if not len(rows):
        return rows, False
    view = index.view(Scope())
    claims = in_title if len(in_title) else rows
    if years and len(claims):
        published = view.facts(claims).years
        near = np.array(sorted({nearby for year in years for nearby in (year - 1, year, year + 1)}))
        claims = claims[np.isin(published, near)]
    if not len(claims):
        return claims, False
    published = view.facts(claims).years
    known = published[published > 0]
    first = claims[published == known.min()] if len(known) else claims
    use = Introducers(rows, in_title, name, True, False).uses(view, Parameters().text)
    return first, bool(len(in_title)) and use.original >= _ORIGINAL and use.later >= _ESTABLISHED
