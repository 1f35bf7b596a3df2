"""The words shared by a query and a paper that are shown as evidence."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping

from citewhy.base.records import Paper, Query
from citewhy.text.languages import is_function_word, language_of
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
    no rarer ones; words of papers in general, and function words of the query's language, only if there are
    no others.
    """
    there = set(stems(f"{paper.title} {paper.abstract}"))
    whole = f"{query.text} {query.title} {query.abstract if query.kind == 'global' else ''}"
    for text in (query.text, whole):
        spelled = _spelled(text)
        matched = sorted((stem for stem in spelled if stem in there), key=lambda stem: -idf.get(stem, 0.0))
        if matched:
            of_a_subject = [stem for stem in matched if not _is_general(spelled[stem], text)]
            telling = [stem for stem in of_a_subject if idf.get(stem, 0.0) >= _FLOOR]
            return [spelled[stem] for stem in (telling or of_a_subject or matched)[:_WORDS_SHOWN]]
    return []


def words_reason(query: Query, paper: Paper, idf: Mapping[str, float]) -> str:
    """The `matched_words` as a reason; `UNTELLING` if they say nothing of a subject, and empty for none."""
    matched = matched_words(query, paper, idf)
    if matched and all(_is_general(word, query.text) for word in matched):
        return UNTELLING
    return f"matches: {', '.join(matched)}" if matched else ""


@functools.lru_cache(maxsize=64)
def _spelled(text: str) -> Mapping[str, str]:
    """The stems of a text, each with its first word."""
    spelled: dict[str, str] = {}
    for word in words(text):
        for stem in stems(word):
            spelled.setdefault(stem, word)
    return spelled


def _is_general(word: str, text: str) -> bool:
    """Whether a word of a text may be in papers of any subject, such as "based", or "für" in German."""
    return _generic_stems().issuperset(stems(word)) or is_function_word(word, _language_of(text))


@functools.lru_cache(maxsize=64)
def _language_of(text: str) -> str:
    return language_of(text)


@functools.cache
def _generic_stems() -> frozenset[str]:
    return frozenset(stems(_OF_ALL_PAPERS))
