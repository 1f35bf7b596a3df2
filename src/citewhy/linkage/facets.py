"""What a passage is cited for: aim, method, results, implication or hypothesis (the facets of CL-SciSumm).

A multinomial logistic model over the words of the citing sentence, those of the passage, and where it stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.linkage.sections import section_kind
from citewhy.linkage.view import CUES, cues
from citewhy.text.markers import mask
from citewhy.text.tokens import words

__all__ = ["FACETS", "FacetModel", "facet_signs"]

FACETS = ("aim", "method", "results", "implication", "hypothesis")


@dataclass(frozen=True, slots=True)
class FacetModel:
    """`weights` [signs, len(FACETS)] and `bias` [len(FACETS)]."""

    signs: Mapping[str, int]
    """Row of each sign."""
    weights: NDArray[np.float64]
    bias: NDArray[np.float64]

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> FacetModel:
        """Raises KeyError, TypeError or ValueError for a document that is no such model."""
        if tuple(document["facets"]) != FACETS:
            raise ValueError("the facets are others")
        rows: Mapping[str, list[float]] = document["weights"]
        weights = np.array(list(rows.values()), dtype=np.float64).reshape(len(rows), len(FACETS))
        bias = np.array(document["bias"], dtype=np.float64)
        if bias.shape != (len(FACETS),) or not (np.isfinite(weights).all() and np.isfinite(bias).all()):
            raise ValueError("the weights of the facets are not finite numbers, one for each facet")
        return cls({sign: row for row, sign in enumerate(rows)}, weights, bias)

    def facet(self, citance: str, passage: str, section: str, position: float) -> str:
        """The most likely of `FACETS`."""
        score = self.bias.copy()
        for sign, value in facet_signs(citance, passage, section, position).items():
            if sign in self.signs:
                score += value * self.weights[self.signs[sign]]
        return FACETS[int(np.argmax(score))]


def facet_signs(citance: str, passage: str, section: str, position: float) -> dict[str, float]:
    """Named signs of a citing sentence and of the sentence that it means, which stands in `section` at
    `position` in [0, 1] of its paper. Function words are signs too: "we", "by", "than" tell facets apart."""
    found = {f"citing:{word}": 1.0 for word in words(mask(citance))}
    found |= {f"cited:{word}": 1.0 for word in words(passage)}
    found |= {
        f"cited says:{cue}": min(count, 1.0) for cue, count in zip(CUES, cues(passage), strict=True) if count
    }
    found[f"in:{section_kind(section, 1)}"] = 1.0
    found["position"] = position
    return found
