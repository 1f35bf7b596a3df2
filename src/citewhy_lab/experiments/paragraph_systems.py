"""The trained systems of the experiments on paragraph-level recommendation.

Their weights are kept in a folder, so that all experiments use the same trainings.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from citewhy.base.progress import Progress
from citewhy_lab.experiments.engine import Arrays, digest, kept
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.kept import code_digest
from citewhy_lab.train.systems.encoder.network import TextModel
from citewhy_lab.train.systems.qpcr.network import LastLayers
from citewhy_lab.train.systems.qpcr.recipe import fit, marked_tokenizer, validated
from citewhy_lab.train.systems.qpcr.settings import TRAINED, QpcrSettings

if TYPE_CHECKING:
    from citewhy_lab.train.systems.qpcr.data import Example


@dataclass(frozen=True)
class Systems:
    """Trained on `taught`, validated on `held`, from the weights in `start`."""

    collection: Collection
    taught: Sequence[Example]
    held: Sequence[Example]
    start: Path
    layers: int
    """Number of the last layers that are trained."""
    facts: object
    """What all of this is made of."""
    folder: Path
    """Where weights are kept."""
    progress: Progress

    def digest(self, settings: QpcrSettings) -> str:
        """Hashes all that a system depends on."""
        return digest(asdict(settings), self.facts, code_digest("citewhy_lab/train"))

    def network(self, settings: QpcrSettings) -> tuple[TextModel, LastLayers]:
        """Returns a network with the weights of a system; there is one network for all. What its frozen
        layers give for a text is computed once for all systems."""
        model, network, start = self._network
        network.put(start)
        if settings.variant in TRAINED:
            path = self.folder / f"weights-{settings.name}-{self.digest(settings)}.npz"
            network.put(kept(path, lambda: self._trained(settings)))
        return model, network

    def _trained(self, settings: QpcrSettings) -> Arrays:
        _, network, _ = self._network
        taught = self.taught
        if settings.variant == "aclrw":
            taught = [example.as_whole() for example in taught if example.query.title]
        name = settings.name
        fit(
            network,
            self.collection,
            taught,
            validated(self.collection, self.held, settings),
            settings,
            lambda what, share: self.progress(f"{name}: {what}", share),
        )
        return network.weights()

    @cached_property
    def _network(self) -> tuple[TextModel, LastLayers, Arrays]:
        """The network, its layers that are trained, and their weights before training."""
        with tempfile.TemporaryDirectory(prefix="citewhy-") as scratch:
            tokenizer = Path(scratch) / "tokenizer.json"
            marked_tokenizer(self.start / "tokenizer.json", tokenizer)
            model = TextModel(self.start, tokenizer)
        network = LastLayers(model, self.layers)
        return model, network, network.weights()
