"""Training instances: an anchor paper with the papers that it should be near to, and far from."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from citewhy_lab.train.systems.aspects.graph import Aspect, Rows

__all__ = ["NONE", "Instances"]

NONE = -1
"""Pads rows with fewer papers than others."""


@dataclass(frozen=True, slots=True)
class Instances:
    """A row an instance; papers are rows of the graph, padded with NONE."""

    aspects: tuple[Aspect, ...]
    """[n] the aspect that positives and negatives are of; empty strings where there is none."""
    anchors: Rows
    """[n]"""
    positives: Rows
    """[n, p], the first never NONE."""
    hard: Rows
    """[n, h]: of L1, linked in another aspect; of L2 and without aspects, references of references."""
    easy: Rows
    """[n, e]: not linked at all."""
    distant: Rows
    """[n, g]: the negatives of the global loss of a hybrid; otherwise without columns."""

    def __len__(self) -> int:
        return len(self.anchors)

    @property
    def papers(self) -> Rows:
        """[n, 1 + p + h + e + g] the anchor of each, and all others, padded with NONE."""
        parts = (self.anchors[:, None], self.positives, self.hard, self.easy, self.distant)
        return np.concatenate(parts, axis=1)

    def take(self, places: Rows) -> Instances:
        """Those at `places`."""
        arrays = {each.name: getattr(self, each.name)[places] for each in fields(self)[1:]}
        return Instances(tuple(self.aspects[place] for place in places.tolist()), **arrays)

    @staticmethod
    def joined(parts: list[Instances]) -> Instances:
        """All of them; columns are padded to the longest."""
        aspects = tuple(aspect for part in parts for aspect in part.aspects)
        names = ("positives", "hard", "easy", "distant")
        arrays = {name: _padded([getattr(part, name) for part in parts]) for name in names}
        return Instances(aspects, np.concatenate([part.anchors for part in parts]), **arrays)


def _padded(parts: list[Rows]) -> Rows:
    width = max(part.shape[1] for part in parts)
    return np.concatenate(
        [np.pad(part, ((0, 0), (0, width - part.shape[1])), constant_values=NONE) for part in parts]
    )
