"""How probable it is that a place wants several papers, by its sentence and by the author's other citations.

General claims and examples are cited with several papers ("many studies have shown …", "e.g."), what
somebody did, a figure or a package with one ("as described by …", "Smith et al. …"). And some authors cite
several papers more often than others, in some passages more often than elsewhere. A logistic regression joins
both; its weights are those of `benchmarks/several.py --fit`, on finished drafts of many fields.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from citewhy.base.records import Query
from citewhy.text.markers import OTHER, TARGET

WEIGHTS: Mapping[str, float] = {
    **{"example": 0.128, "many": 0.257, "works": 0.498, "before now": 0.397},
    **{"led to": -1.338, "source": -0.231, "name": -0.486, "quote": -0.775, "first": -1.649},
    **{"plural": 0.386, "share": 0.575, "near": 0.451, "none": 0.03},
}
"""The weight of each of `several_features`, and the constant under ``none``."""

_NEAR = 3
"""Number of citations before and after a place that count as near it."""

_SHARE, _DOUBT = 0.2, 5.0
"""The share of citations with several papers in drafts of many fields, and how many citations of a draft
weigh as much as it."""

_EXAMPLE = re.compile(
    r"(?:\be\.?\s?g\b|\bfor (?:example|instance)\b|\bsuch as\b|\bz\.\s?B\b|\bsee also\b|"
    r"\bamong others\b)[\W_]*\Z",
    re.IGNORECASE,
)
_MANY = re.compile(
    r"\b(?:several|many|various|numerous|variety|multiple|number|few|most|some|others?|range|"
    r"extensive(?:ly)?|wide(?:ly)?|common(?:ly)?|often|frequently|typically|usually|generally|literature)\b",
    re.IGNORECASE,
)
_WORKS = re.compile(
    r"\b(?:studies|works|approaches|authors|researchers|papers|reviews|reports|investigations|findings|"
    r"attempts|efforts|applications|experiments)\b",
    re.IGNORECASE,
)
_BEFORE_NOW = re.compile(
    r"\bha(?:s|ve) (?:also |recently |previously |long )?been\b|"
    r"\b(?:recent(?:ly)?|previous(?:ly)?|earlier|prior|past)\b",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"\b(?:ref|see|by|in|from|of|using|package|according to|adapted|presented|described|proposed|"
    r"given|taken|following|this (?:paper|study)|called|his|her|he|she|version|software|dataset|book|chapter|"
    r"section|theorem|figure|fig|table|equation)\W*\Z",
    re.IGNORECASE,
)
_SOURCE = re.compile(
    r"\b(?:figure|fig|table|adapted|package|software|version|chapter|theorem|lemma|equation|annex|"
    r"paper|book|proof|defined|definition|described|proposed|introduced|developed|presented|we|i)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?:\b[A-Z][\w'’.-]{0,40}|\bal\.?(?:'s)?|\b[A-Za-z]{0,20}\d\w{0,20})[\s,(\[~]{0,5}\Z")
_QUOTE = re.compile(r"[\"“”]|''|``")
_LAST = re.compile(r"(\w+)\W*\Z")
_ENDING = 80
"""Characters before the place that are looked at for what leads to it."""


def several_features(before: str, text: str, sizes: Sequence[int], near: Sequence[int]) -> dict[str, float]:
    """The features of a place: `before` it in its sentence, whose whole `text` is given, and the numbers of
    papers in the draft's other citations: in all (`sizes`), and in those `near` it."""
    ending = before[-_ENDING:]
    last = found[1] if (found := _LAST.search(ending)) else ""
    plural = last.islower() and len(last) > 3 and last.endswith("s") and not last.endswith("ss")
    several = sum(size > 1 for size in sizes)
    return {
        "example": float(_EXAMPLE.search(ending) is not None),
        "many": float(_MANY.search(text) is not None),
        "works": float(_WORKS.search(text) is not None),
        "before now": float(_BEFORE_NOW.search(text) is not None),
        "led to": float(_LEADING.search(ending) is not None),
        "source": float(_SOURCE.search(text) is not None),
        "name": float(_NAME.search(ending) is not None),
        "quote": float(_QUOTE.search(text) is not None),
        "first": float(not last),
        "plural": float(plural),
        "share": _log_odds(several, len(sizes), _DOUBT),
        "near": _log_odds(sum(size > 1 for size in near), len(near), _NEAR),
    }


def _log_odds(several: int, count: int, doubt: float) -> float:
    """The logarithm of the odds of several papers, where `several` of `count` citations have several, and
    `doubt` others are as usual."""
    return float(np.log(several + _SHARE * doubt) - np.log(count - several + (1 - _SHARE) * doubt))


def wants_several(query: Query) -> float | None:
    """Returns, in [0, 1], the probability that the place of a query wants several papers; None for anything
    but a sentence without papers. Without a draft, it is that in a draft of usual habits; a text that marks
    no place ends with it."""
    if query.kind != "local":
        return None
    before, _, _ = query.text.partition(TARGET)
    whole = query.text.replace(TARGET, " ").replace(OTHER, " ")
    sizes, near = [], []
    for citation in query.draft.citations if query.draft else ():
        if (size := len(citation.paper_ids)) > 0:
            sizes.append(size)
            if query.draft and abs(citation.order - query.draft.order) <= _NEAR:
                near.append(size)
    features = several_features(before.replace(OTHER, " "), whole, sizes, near)
    odds = WEIGHTS["none"] + sum(WEIGHTS[name] * value for name, value in features.items())
    return float(1 / (1 + np.exp(-odds)))
