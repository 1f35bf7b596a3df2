"""The words shared by a query and a paper that are shown as evidence."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping

from citewhy.base.records import Paper, Query
from citewhy.text.tokens import stems, words

UNTELLING = "no single reason stands out"
"""What is said of a paper that shares only words of papers in general, for want of another reason."""

_WORDS_SHOWN = 5

_FLOOR = math.log(8)
"""idf of a word that one paper in eight contains; more frequent words only tell the subject of the
library."""

_OF_ALL_PAPERS = """
achieve allow apply approach around article author base better best case common compare consider
current demonstrate describe develop different discuss effective example exist experiment explore
find first general give good high idea important improve include introduce investigate large later
main make many method need new novel number obtain one outperform paper particular perform
performance possible present previous problem propose provide recent report require research result
several show significant simple state study take technique three time two use useful various way
well work
"""
"""Words that papers on any subject contain. Counting alone does not reveal them in a small library, or in one
of abstracts in another style."""


def matched_words(query: Query, paper: Paper, idf: Mapping[str, float]) -> list[str]:
    """Words of the query that occur in the paper's title or abstract, rarest first, spelled as in the query:
    words of its text, or if there are none, of the whole query.

    `idf`: that of each term in the library. Words with an idf below `_FLOOR` are included only if there are
    no rarer ones, and words of papers in general only if there are no others.
    """
    there = set(stems(f"{paper.title} {paper.abstract}"))
    whole = f"{query.text} {query.title} {query.abstract if query.kind == 'global' else ''}"
    for text in (query.text, whole):
        spelled: dict[str, str] = {}
        for word in words(text):
            for stem in stems(word):
                spelled.setdefault(stem, word)
        matched = sorted((stem for stem in spelled if stem in there), key=lambda stem: -idf.get(stem, 0.0))
        if matched:
            of_a_subject = [stem for stem in matched if stem not in _generic_stems()]
            telling = [stem for stem in of_a_subject if idf.get(stem, 0.0) >= _FLOOR]
            return [spelled[stem] for stem in (telling or of_a_subject or matched)[:_WORDS_SHOWN]]
    return []


def says_nothing(matched: list[str]) -> bool:
    """Whether words that match are only words of papers in general, such as "based"."""
    return all(_generic_stems().issuperset(stems(word)) for word in matched)


def matched_text(matched: list[str]) -> str:
    """The words that match, as a reason."""
    return UNTELLING if says_nothing(matched) else f"matches: {', '.join(matched)}"


@functools.cache
def _generic_stems() -> frozenset[str]:
    return frozenset(stems(_OF_ALL_PAPERS))
