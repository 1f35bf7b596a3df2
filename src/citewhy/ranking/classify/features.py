"""Named features of a sentence in its context: words, character n-grams, cues, section, position.

The name tells the source: ``text:we show`` is a bigram of the sentence, ``citing:parser`` a word of the
citing sentence, ``text~pars`` a character n-gram, ``text says:propose`` a cue, ``text cites:several`` a form
of its citations, ``next for:future`` a purpose for which works are cited, ``own work:yes`` or ``own work:no``
whose work is cited, ``in:results`` the kind of section, ``around:until`` a number that its `Surroundings`
tell, and ``around:known`` is 1 if there are any. As words, printed citations are ignored, or with
``citations`` become ``targetcit`` and ``othercit``, so that "as in targetcit" is a trigram.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, get_args

from citewhy.base.records import SentenceInContext
from citewhy.text.cues import CUES, cues
from citewhy.text.markers import OTHER, TARGET, find, mask
from citewhy.text.purposes import purposes
from citewhy.text.sections import section_kind
from citewhy.text.tokens import fold, words

Field = Literal["text", "previous", "next", "citing"]

FIELDS: tuple[Field, ...] = get_args(Field)
"""Texts of a `SentenceInContext`."""

_LONGEST = 20
"""Largest n of n-grams."""

_MOST_MARKERS, _MOST_WORKS = 3, 6
"""Numbers of citations and of cited works from which on more make no difference."""


@dataclass(frozen=True, slots=True)
class Features:
    """The features of a classifier."""

    words: Mapping[Field, int] = field(default_factory=lambda: {"text": 2})
    """Holds for each text the maximum n of word n-grams, from 1 to 20."""
    letters: Mapping[Field, int] = field(default_factory=dict)
    """Holds for each text the n of character n-grams, from 1 to 20."""
    cues: Sequence[Field] = ()
    markers: Sequence[Field] = ()
    """Texts whose printed citations are counted, by their forms (`_forms`)."""
    purposes: Sequence[Field] = ()
    """Texts whose words for the purpose of a citation are features."""
    encoder: Sequence[Field] = ()
    """Texts whose vectors by an encoder are features."""
    section: bool = False
    position: bool = False
    surroundings: bool = False
    """Whether what the rest of the document tells is used (`records.Surroundings`)."""
    own_work: bool = False
    """Whether it is used that authors cite a work of their own (`SentenceInContext.own_work`)."""
    citations: bool = False
    """Whether citations become words."""
    weighting: Literal["tfidf", "binary"] = "tfidf"
    """Weights of n-grams. ``tfidf``: (1 + ln count) · idf, the n-grams of one text scaled to length 1.
    ``binary``: 1 for each."""

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Features:
        """Reads them from JSON. Raises TypeError or ValueError for an invalid document."""
        if unknown := document.keys() - {field.name for field in fields(cls)}:
            raise ValueError(f"there are no features {', '.join(sorted(unknown))}")
        features = cls(**document)
        texts = [
            *features.words,
            *features.letters,
            *features.cues,
            *features.markers,
            *features.purposes,
            *features.encoder,
        ]
        sizes = [*features.words.values(), *features.letters.values()]
        if not set(texts) <= set(FIELDS) or not all(type(n) is int and 0 < n <= _LONGEST for n in sizes):
            raise ValueError(f"features are of the texts {', '.join(FIELDS)}, n-grams of 1 to {_LONGEST}")
        if features.weighting not in ("tfidf", "binary"):
            raise ValueError(f"there is no weighting {features.weighting!r}")
        return features

    def document(self) -> dict[str, Any]:
        """Returns them as JSON."""
        return asdict(self)

    @property
    def fields(self) -> set[Field]:
        """The texts that are used."""
        return {*self.words, *self.letters, *self.cues, *self.markers, *self.purposes, *self.encoder}


@dataclass(frozen=True, slots=True)
class Named:
    """Features of one kind of a sentence."""

    values: Mapping[str, float]
    """Values by name; for n-grams their counts."""
    grams: bool
    """Whether they are n-grams of one text, which `Features.weighting` weights together."""


def named_features(features: Features, sentence: SentenceInContext) -> Iterator[Named]:
    """The features that do not need an encoder."""
    texts = {name: mask(getattr(sentence, name)) for name in features.fields}
    tokens = {name: _tokens(texts[name], features.citations) for name in features.words}
    for name, longest in features.words.items():
        yield Named(Counter(_ngrams(name, tokens[name], longest)), grams=True)
    for name, size in features.letters.items():
        yield Named(Counter(_runs(name, texts[name], size)), grams=True)
    for name in features.cues:
        counts = zip(CUES, cues(texts[name]), strict=True)
        yield Named({f"{name} says:{cue}": min(count, 1.0) for cue, count in counts if count}, grams=False)
    for name in features.markers:
        forms = _forms(getattr(sentence, name))
        yield Named({f"{name} cites:{form}": value for form, value in forms.items() if value}, grams=False)
    for name in features.purposes:
        yield Named({f"{name} for:{purpose}": 1.0 for purpose in purposes(texts[name])}, grams=False)
    if features.own_work and sentence.own_work is not None:
        yield Named({f"own work:{'yes' if sentence.own_work else 'no'}": 1.0}, grams=False)
    if features.section:
        yield Named({f"in:{section_kind(sentence.section, 1)}": 1.0}, grams=False)
    if features.position and sentence.position is not None:
        yield Named({"position": sentence.position}, grams=False)
    if features.surroundings and sentence.surroundings is not None:
        facts = asdict(sentence.surroundings)
        yield Named(
            {"around:known": 1.0, **{f"around:{name}": value for name, value in facts.items()}}, grams=False
        )


def _forms(text: str) -> dict[str, float]:
    """Returns what the printed citations of a text tell, each from 0 to 1: how many there are, of how many
    works; whether one is part of the sentence ("Och (2003) shows"), one begins it, one is in brackets, one
    names several works, one ends it."""
    markers = find(text)
    works = sum(len(marker.groups) for marker in markers)
    start, end = len(text) - len(text.lstrip()), len(text.rstrip(" .;:!?"))
    return {
        "any": float(bool(markers)),
        "markers": min(len(markers), _MOST_MARKERS) / _MOST_MARKERS,
        "works": min(works, _MOST_WORKS) / _MOST_WORKS,
        "in text": float(any(marker.in_text for marker in markers)),
        "begins": float(any(marker.in_text and marker.start <= start for marker in markers)),
        "brackets": float(any(not marker.in_text for marker in markers)),
        "several": float(any(len(marker.groups) > 1 for marker in markers)),
        "ends": float(any(marker.end >= end for marker in markers)),
    }


def _tokens(text: str, citations: bool) -> list[str]:
    """Folded words, including stop words: "we", "by" and "than" distinguish labels."""
    if not citations:
        return words(text)
    kept = []
    for piece in text.replace(TARGET, f"\n{TARGET}\n").replace(OTHER, f"\n{OTHER}\n").split("\n"):
        kept += [fold(piece)] if piece in (TARGET, OTHER) else words(piece)
    return kept


def _ngrams(name: str, tokens: Sequence[str], longest: int) -> Iterator[str]:
    for size in range(1, longest + 1):
        for first in range(len(tokens) - size + 1):
            yield f"{name}:{' '.join(tokens[first : first + size])}"


def _runs(name: str, text: str, size: int) -> Iterator[str]:
    """Character n-grams, across words, which are separated by single spaces."""
    plain = f" {' '.join(words(text))} "
    for first in range(len(plain) - size + 1):
        yield f"{name}~{plain[first : first + size]}"
