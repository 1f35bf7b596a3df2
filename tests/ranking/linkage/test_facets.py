"""The facets: which classifier tells them, and what it is asked."""

from __future__ import annotations

from typing import Any

import pytest

from citewhy.ranking.linkage.facets import FACETS, FEATURES, facet_classifier, passage_in_context


def document(**changes: Any) -> dict[str, Any]:
    """Method for a passage with a zebra in it or under "Results", else aim."""
    found: dict[str, Any] = {
        "labels": list(FACETS),
        "features": FEATURES.document(),
        "vocabulary": ["text:zebra", "citing:zebra", "in:results"],
        "buckets": 0,
        "idf": None,
        "scaling": {"slope": 1.0, "shift": [0.0] * 5},
        "encoder": None,
        "weights": [[0, 2, 0, 0, 0], [0, 0, 0, 0, 0], [0, 1.5, 0, 0, 0]],
        "bias": [1.0, 0, 0, 0, 0],
    }
    return found | changes


def test_what_is_asked() -> None:
    """The passage is the sentence; words of the citing sentence have their own weights."""
    asked = [
        passage_in_context("A zebra", "A lion", "1 Introduction", 0.1),
        passage_in_context("A lion", "A zebra", "1 Introduction", 0.1),
        passage_in_context("A lion", "A lion", "5 Results", 0.9),
    ]
    assert facet_classifier(document()).predict(asked) == ["aim", "method", "method"]


def test_other_labels() -> None:
    """A classifier of something else is no classifier of facets."""
    with pytest.raises(ValueError, match="expected aim, method, results, implication, hypothesis"):
        facet_classifier(document(labels=["a", "b", "c", "d", "e"]))
