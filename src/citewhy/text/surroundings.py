"""What the rest of a document tells about each of its sentences: where it cites, and what it has named and
cited before. A claim about something that was cited a page ago needs no citation; the first mention of a name
may."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from citewhy.base.records import Surroundings
from citewhy.text.markers import CITED
from citewhy.text.tokens import STOP_WORDS, words

__all__ = ["FARTHEST", "FEWEST", "Stated", "surroundings"]

FARTHEST = 30
"""Sentences from which on it makes no difference how far the nearest citation is."""

FEWEST = 5
"""Sentences with citations that a document needs to tell anything."""

_NEAR = 3
"""Sentences before and after whose words are compared."""

_TOKEN = re.compile(r"\w+(?:[-'’]\w+)*")


@dataclass(frozen=True, slots=True)
class Stated:
    """A sentence of a document."""

    text: str
    """Its citations are `text.markers.CITED`, or left out."""
    cites: bool
    part: Hashable
    """Its paragraph or section."""
    body: bool
    """Whether it is read as text: no abstract, caption or table."""


def surroundings(
    sentences: Sequence[Stated], asked: Collection[int], least: int = FEWEST
) -> Mapping[int, Surroundings]:
    """Those of the sentences at the places `asked`, by place. None for a sentence besides which fewer than
    `least` sentences cite: the document may have been written before its citations were added."""
    citing = [each.cites for each in sentences]
    texts = [each.text.replace(CITED, " ") for each in sentences]
    terms = [frozenset(words(text)) - STOP_WORDS for text in texts]
    weights = _inverse_frequencies(terms)
    parts = _parts(sentences)
    since, until = _distances(citing), _distances(citing[::-1])[::-1]
    total, met = sum(citing), _Met()
    found: dict[int, Surroundings] = {}
    for place, each in enumerate(sentences):
        own, names, others = terms[place], _names(texts[place]), total - each.cites
        if place in asked and others >= least:
            part, weight = parts[each.part], sum(weights[term] for term in own) or 1.0
            near = {
                other: sum(weights[term] for term in own & terms[other]) / weight
                for other in _near(place, citing)
            }
            found[place] = Surroundings(
                since=since[place],
                until=until[place],
                part_share=(part.citing - each.cites) / max(1, part.length - 1),
                part_length=part.length,
                part_place=part.passed / part.length,
                document_share=others / max(1, len(sentences) - 1),
                names=len(names),
                new_names=len(names - met.names),
                cited_names=len(names & met.cited_names),
                known_names=len((names & met.names) - met.cited_names),
                words=len(own),
                new_words=len(own - met.terms) / max(1, len(own)),
                cited_words=sum(weights[term] for term in own & met.cited_terms) / weight,
                before_overlap=max((share for other, share in near.items() if other < place), default=0.0),
                after_overlap=max((share for other, share in near.items() if other > place), default=0.0),
            )
        parts[each.part].passed += 1
        if each.body:
            met.add(names, own, each.cites)
    return found


@dataclass(slots=True)
class _Part:
    length: int = 0
    citing: int = 0
    passed: int = 0
    """Sentences of it that stand before the one that is looked at."""


@dataclass(slots=True)
class _Met:
    """What the sentences so far had, and those of them that cite."""

    names: set[str] = field(default_factory=set)
    cited_names: set[str] = field(default_factory=set)
    terms: set[str] = field(default_factory=set)
    cited_terms: set[str] = field(default_factory=set)

    def add(self, names: Collection[str], terms: Collection[str], cites: bool) -> None:
        self.names.update(names)
        self.terms.update(terms)
        if cites:
            self.cited_names.update(names)
            self.cited_terms.update(terms)


def _parts(sentences: Sequence[Stated]) -> Mapping[Hashable, _Part]:
    found: defaultdict[Hashable, _Part] = defaultdict(_Part)
    for each in sentences:
        found[each.part].length += 1
        found[each.part].citing += each.cites
    return found


def _names(text: str) -> frozenset[str]:
    """Words with a capital letter but for the first of the sentence, in lower case."""
    tokens = _TOKEN.finditer(text)
    return frozenset(
        each[0].lower()
        for each in tokens
        if each.start() and len(each[0]) > 1 and any(map(str.isupper, each[0]))
    )


def _inverse_frequencies(terms: Sequence[frozenset[str]]) -> Mapping[str, float]:
    """ln(sentences / sentences with the term) + .1, so that a term of all sentences counts a little."""
    counts = Counter(term for each in terms for term in each)
    return {term: math.log(len(terms) / count) + 0.1 for term, count in counts.items()}


def _distances(citing: Sequence[bool]) -> list[int]:
    """[n] how many sentences each is after the last one before it that cites, at most `FARTHEST`."""
    found, last = list[int](), -FARTHEST
    for place, cites in enumerate(citing):
        found.append(min(place - last, FARTHEST))
        if cites:
            last = place
    return found


def _near(place: int, citing: Sequence[bool]) -> Iterator[int]:
    """The sentences close to `place` that cite, without itself."""
    for other in range(max(0, place - _NEAR), min(len(citing), place + _NEAR + 1)):
        if citing[other] and other != place:
            yield other
