"""Surroundings: the rest of a document tells about each of its sentences where it cites, and what it has
named and cited before. A claim about something that was cited a page ago needs no citation; the first mention
of a name may."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from citewhy.base.records import Surroundings
from citewhy.text.markers import CITED
from citewhy.text.tokens import STOP_WORDS, words

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
    """Returns the surroundings of the sentences at the positions `asked`, by position. A sentence besides
    which fewer than `least` sentences cite has none: the document may have been written before its citations
    were added."""
    citing = [sentence.cites for sentence in sentences]
    texts = [sentence.text.replace(CITED, " ") for sentence in sentences]
    terms = [frozenset(words(text)) - STOP_WORDS for text in texts]
    weights = _inverse_frequencies(terms)
    parts = _parts(sentences)
    since, until = _distances(citing), _distances(citing[::-1])[::-1]
    total, met = sum(citing), _Met()
    by_position: dict[int, Surroundings] = {}
    for position, sentence in enumerate(sentences):
        own, names, others = terms[position], _names(texts[position]), total - sentence.cites
        if position in asked and others >= least:
            part, weight = parts[sentence.part], sum(weights[term] for term in own) or 1.0
            near = {
                other: sum(weights[term] for term in own & terms[other]) / weight
                for other in _near(position, citing)
            }
            by_position[position] = Surroundings(
                since=since[position],
                until=until[position],
                part_share=(part.citing - sentence.cites) / max(1, part.length - 1),
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
                before_overlap=max((share for other, share in near.items() if other < position), default=0.0),
                after_overlap=max((share for other, share in near.items() if other > position), default=0.0),
            )
        parts[sentence.part].passed += 1
        if sentence.body:
            met.add(names, own, sentence.cites)
    return by_position


@dataclass(slots=True)
class _Part:
    length: int = 0
    citing: int = 0
    passed: int = 0
    """Sentences of it that stand before the one that is looked at."""


@dataclass(slots=True)
class _Met:
    """Names and terms of the sentences so far, and of those that cite."""

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
    parts: defaultdict[Hashable, _Part] = defaultdict(_Part)
    for sentence in sentences:
        parts[sentence.part].length += 1
        parts[sentence.part].citing += sentence.cites
    return parts


def _names(text: str) -> frozenset[str]:
    """Returns the words with a capital letter, in lower case, without the first word of the sentence."""
    tokens = _TOKEN.finditer(text)
    return frozenset(
        token[0].lower()
        for token in tokens
        if token.start() and len(token[0]) > 1 and any(map(str.isupper, token[0]))
    )


def _inverse_frequencies(terms: Sequence[frozenset[str]]) -> Mapping[str, float]:
    """ln(sentences / sentences with the term) + .1, so that a term of all sentences counts a little."""
    counts = Counter(term for sentence in terms for term in sentence)
    return {term: math.log(len(terms) / count) + 0.1 for term, count in counts.items()}


def _distances(citing: Sequence[bool]) -> list[int]:
    """Returns [n] how many sentences each one is after the last one before it that cites, at most
    `FARTHEST`."""
    distances, last = list[int](), -FARTHEST
    for position, cites in enumerate(citing):
        distances.append(min(position - last, FARTHEST))
        if cites:
            last = position
    return distances


def _near(position: int, citing: Sequence[bool]) -> Iterator[int]:
    """Yields the positions close to `position` at which a sentence cites, without itself."""
    for other in range(max(0, position - _NEAR), min(len(citing), position + _NEAR + 1)):
        if citing[other] and other != position:
            yield other
