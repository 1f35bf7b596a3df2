"""Entries of a draft's bibliography that the library does not have, as candidates for its citations.

They are compared with the sentence by their words alone, without the library's evidence: they have no
probability, and only those that fit well are suggested.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Manuscript, Paper, Query, Reason, Suggestion, Unit
from citewhy.ranking.explain.first_author import first_author_in
from citewhy.ranking.explain.words import matched_words, says_nothing
from citewhy.search.retrieve.naming import capitalised
from citewhy.search.rules import Scope
from citewhy.text.names import surname
from citewhy.text.ordinary_words import ordinary_words
from citewhy.text.system_names import is_marked, spellings, title_names
from citewhy.text.tokens import stems

KIND = "own-entry"
"""The kind of the first reason of such a suggestion."""

_LEAST_SHARE = 0.3
"""Minimum share of the sentence's words, weighted by idf, that an entry has."""

_LEAST_WORDS = 2
_MOST_BESIDE_OTHERS = 2
"""Maximum number of entries in one list."""

_PROBABILITIES: Mapping[str, float] = {"author": 0.4, "name": 0.15, "": 0.1}
"""How often an entry is cited where it fits by its first author, by a name, or by words (shares from
`_LEAST_SHARE`), in documents of authors that are not for measuring (`benchmarks/own_entries.py`). It comes
before papers of the library with a lower probability."""


@dataclass(frozen=True, slots=True)
class EntryFit:
    """How an entry fits a sentence."""

    named: Literal["name", "author", ""]
    """Whether the sentence has a name from its title, or its first author."""
    share: float
    """Share of the sentence's words that it has, weighted by idf, in [0, 1]."""
    suggestion: Suggestion


@dataclass(frozen=True)
class OwnEntries:
    """The entries of one draft. `papers` have their keys as ids."""

    papers: tuple[Paper, ...]

    @classmethod
    def of(cls, manuscript: Manuscript, known: Collection[str]) -> OwnEntries:
        """Takes those with a title, and whose key is not among the `known` ones, whose papers the library
        has."""
        return cls(
            tuple(
                replace(reference.paper, id=reference.key)
                for reference in manuscript.references
                if reference.key not in known and reference.paper.title
            )
        )

    def fitting(self, unit: Unit, query: Query) -> list[EntryFit]:
        """The entries that fit the sentence of a unit, best first: those whose first author it names, then
        those with a name in it, then those that share the most telling words with it. Entries that it cites,
        and those after the query's year, do not."""
        if unit.sentence is None or not self.papers:
            return []
        cited = {key for marker in unit.sentence.markers for key in marker.keys}
        text = unit.sentence.text
        of_text = set(stems(text))
        idf = {stem: self._idf(stem) for stem in of_text}
        total = sum(idf.values())
        around = f"{query.preceding} {query.paragraph}"
        ordinary = ordinary_words(text, around)
        written = spellings(text).items()
        named = {name for name, spelling in written if is_marked(spelling) or name not in ordinary}
        people = set(capitalised(text)) - ordinary
        found: list[EntryFit] = []
        in_time = Scope(year=query.year).published(self._years)
        for paper, of_paper, is_in_time in zip(self.papers, self._stems, in_time.tolist(), strict=True):
            if paper.id in cited or not is_in_time:
                continue
            name = sorted(named.intersection(title_names(paper.title)))
            first = bool(paper.authors) and surname(paper.authors[0]) in people
            share = sum(idf[stem] for stem in of_text & of_paper) / total if total else 0.0
            if not (name or first or share >= _LEAST_SHARE):
                continue
            words = matched_words(replace(query, text=text), paper, idf)
            enough = len(words) >= _LEAST_WORDS and share >= _LEAST_SHARE and not says_nothing(words)
            if name or first or enough:
                why = f"its title has the name {', '.join(name)}" if name else ""
                why = why or (first_author_in(text, paper, around) if first else "")
                kind: Literal["name", "author", ""] = "author" if first else "name" if name else ""
                found.append(EntryFit(kind, share, _suggestion(paper, why, words)))
        found.sort(key=lambda entry: (-_PROBABILITIES[entry.named], -entry.share, entry.suggestion.paper.id))
        return found

    @cached_property
    def _stems(self) -> list[frozenset[str]]:
        return [frozenset(stems(f"{paper.title} {paper.abstract}")) for paper in self.papers]

    @cached_property
    def _years(self) -> NDArray[np.int64]:
        """[n] the years of the entries; 0: unknown."""
        return np.array([paper.year or 0 for paper in self.papers], dtype=np.int64)

    @cached_property
    def _frequencies(self) -> Counter[str]:
        return Counter(stem for stems in self._stems for stem in stems)

    def _idf(self, stem: str) -> float:
        """Inverse document frequency among the entries; a word of none counts as one of half an entry."""
        return math.log(1 + len(self.papers) / (self._frequencies[stem] or 0.5))


def _suggestion(paper: Paper, named: str, words: Sequence[str]) -> Suggestion:
    reasons = [Reason(KIND, "in your bibliography; your library does not have it")]
    if named:
        reasons.append(Reason("named", named))
    if words and not says_nothing(list(words)):
        reasons.append(Reason("words", f"matches: {', '.join(words)}"))
    return Suggestion(paper, 0.0, tuple(reasons), key=paper.id, in_bibliography=True)


def among(found: Sequence[Suggestion], own: Sequence[EntryFit], k: int) -> list[Suggestion]:
    """At most `k` suggestions: those of the library in their order, and the best two entries among them."""
    merged = list(found)
    for entry in own[:_MOST_BESIDE_OTHERS]:
        least = _PROBABILITIES[entry.named]
        less = (number for number, other in enumerate(merged) if _is_less(other, least))
        position = next(less, len(merged))
        # Scores compare suggestions of one list: an entry has that of the one behind it.
        score = merged[min(position, len(merged) - 1)].score if merged else 0.0
        merged.insert(position, replace(entry.suggestion, score=score))
    return merged[:k]


def _is_less(other: Suggestion, probability: float) -> bool:
    """Whether a suggestion of the library has a lower probability; one by its key has none to compare."""
    if other.reasons[0].kind in {KIND, "key"} or other.for_key:
        return False
    return other.probability is not None and other.probability < probability
