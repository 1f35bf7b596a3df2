"""Predicts what a passage is cited for: the facets of CL-SciSumm, by a linear classifier (`classify`).

It uses the words of the citing sentence and of the passage, cue words of the passage, and its position.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citewhy.base.records import SentenceInContext
from citewhy.ranking.classify.features import Features
from citewhy.ranking.classify.linear import LinearClassifier

FACETS = ("aim", "method", "results", "implication", "hypothesis")

FEATURES = Features(
    words={"text": 1, "citing": 1},
    cues=("text",),
    section=True,
    position=True,
    weighting="binary",
)


def facet_classifier(document: Mapping[str, Any]) -> LinearClassifier:
    """Raises KeyError, TypeError or ValueError for a document of another kind."""
    classifier = LinearClassifier.of(document, "facets")
    if classifier.labels != FACETS:
        raise ValueError(f"the labels are {', '.join(classifier.labels)}, expected {', '.join(FACETS)}")
    return classifier


def passage_in_context(citance: str, passage: str, section: str, position: float) -> SentenceInContext:
    """The input of the classifier: `passage` is in the section `section` at `position`, in [0, 1], of the
    cited paper, and `citance` cites it."""
    return SentenceInContext(passage, section=section, position=position, citing=citance)
