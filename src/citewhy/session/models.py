"""`Models`: the models of a session, opened when they are first needed and released on demand."""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypedDict, cast

from citewhy.models import open_model
from citewhy.ranking.classify import Classifier, open_classifier
from citewhy.ranking.linkage import Linker, open_linker
from citewhy.ranking.model_set import ModelSet, release_package_models
from citewhy.ranking.rank.model import RankerModel, default_model
from citewhy.ranking.rank.opening import open_ranker, open_reranker, weighed
from citewhy.ranking.rank.ranker import Pipeline
from citewhy.ranking.rank.reranker import Reranker
from citewhy.ranking.recommender import forget_encoded
from citewhy.ranking.sets.model import SetModel
from citewhy.search.encode import Device, Encoder, open_encoder
from citewhy.search.retrieve.first_stage import FirstStage

FilePath = str | os.PathLike[str]


class ModelFields(TypedDict, total=False):
    """The models that a session may be given, each as an opened object or as its folder. For every other
    model, that of the package is used."""

    encoder: Encoder | FilePath | None
    device: Device
    """Where the encoder runs, unless it is an opened object; ``cuda`` needs onnxruntime's build for it."""
    rerankers: Sequence[Reranker | FilePath]
    first_stage_weight: float | None
    """The weight ≥ 0 of the order before reranking, for rerankers in folders; None: what training chose."""
    first_stages: Sequence[FirstStage | FilePath]
    """First stages in addition to those of the package."""
    ranker: RankerModel | FilePath | None
    linker: Linker | FilePath | None
    sets: SetModel | FilePath | None


class Models:
    """Opens the models of a session once for all threads. Thread-safe."""

    def __init__(self, given: ModelFields) -> None:
        self._given = given
        self._opened: ModelSet | None = None
        self._of_pipelines: dict[Pipeline, ModelSet] = {}
        self._classifiers: dict[Path, Classifier] = {}
        self._lock = threading.RLock()

    @property
    def opened(self) -> ModelSet:
        """The opened models, as they are in their folders. Raises as `models.open_model`, and QueryError for
        a first-stage weight without a reranker."""
        with self._lock:
            if self._opened is None:
                self._opened = _open(self._given)
            return self._opened

    def of(self, pipeline: Pipeline) -> ModelSet:
        """The models as they answer in a pipeline: rerankers have the weight that was chosen for its order,
        and remarks say what people should know of them there. Raises as `opened`."""
        with self._lock:
            if pipeline not in self._of_pipelines:
                self._of_pipelines[pipeline] = _judged(self._weighed(pipeline), pipeline)
            return self._of_pipelines[pipeline]

    def _weighed(self, pipeline: Pipeline) -> ModelSet:
        """The models with the weights that rerankers in folders have for `pipeline`, and remarks on them
        (`weighed`)."""
        pairs = [
            weighed(reranker, pipeline) if isinstance(given, str | os.PathLike) else (reranker, "")
            for given, reranker in zip(self._given.get("rerankers", ()), self.opened.rerankers, strict=True)
        ]
        return replace(
            self.opened,
            rerankers=tuple(reranker for reranker, _ in pairs),
            remarks=tuple(remark for _, remark in pairs if remark),
        )

    def classifier(self, given: Classifier | FilePath) -> Classifier:
        """The classifier in a folder, opened once, with the encoder of the session; an opened one is
        returned as it is. Raises as `open_classifier`."""
        if not isinstance(given, str | os.PathLike):
            return given
        folder = Path(given)
        with self._lock:
            if folder not in self._classifiers:
                self._classifiers[folder] = open_classifier(folder, self.opened.encoder)
            return self._classifiers[folder]

    def release(self) -> None:
        """Forgets all models that were opened from folders, those of the package included."""
        with self._lock:
            self._opened = None
            self._of_pipelines.clear()
            self._classifiers.clear()
            release_package_models()
            forget_encoded()


def remarks_on_models(models: ModelSet, pipeline: Pipeline, kinds: Collection[str]) -> tuple[str, ...]:
    """The remarks of the models, and one on each kind of query or unit of a draft among `kinds` whose order
    no given reranker changes. In the pipeline ``full`` the candidates of a set are those of its sentence,
    ordered by a reranker of sentences."""
    answered: set[str] = {kind for reranker in models.rerankers for kind in reranker.kinds}
    if "local" in answered:
        answered |= {"place", "set"} if pipeline == "full" else {"place"}
    if "global" in answered:
        answered.add("draft")
    names = ", ".join(reranker.name for reranker in models.rerankers)
    left = [_UNRANKED[kind] for kind in dict.fromkeys(kinds) if models.rerankers and kind not in answered]
    return (*models.remarks, *(f"{names} ranks no {what}: their order is that without it" for what in left))


_UNRANKED = {
    "local": "sentences",
    "place": "sentences",
    "set": "citations that have papers already",
    "paragraph": "paragraphs",
    "global": "whole papers",
    "draft": "whole papers",
}


def _open(given: ModelFields) -> ModelSet:
    weight, rerankers = given.get("first_stage_weight"), given.get("rerankers", ())
    if not rerankers:
        open_reranker(None, weight)  # raises an error for a weight without a reranker
    encoder, ranker = given.get("encoder"), given.get("ranker")
    linker, sets = given.get("linker"), given.get("sets")
    return ModelSet(
        encoder=_encoder(encoder, given.get("device", "cpu")),
        ranker=open_ranker(Path(ranker)) if isinstance(ranker, str | os.PathLike) else ranker,
        linker=open_linker(Path(linker)) if isinstance(linker, str | os.PathLike) else linker,
        sets=cast("SetModel", open_model(sets, "set")) if isinstance(sets, str | os.PathLike) else sets,
        rerankers=tuple(
            cast("Reranker", open_reranker(Path(reranker), weight))
            if isinstance(reranker, str | os.PathLike)
            else reranker
            for reranker in rerankers
        ),
        first_stages=tuple(
            cast("FirstStage", open_model(stage, "first-stage"))
            if isinstance(stage, str | os.PathLike)
            else stage
            for stage in given.get("first_stages", ())
        ),
    )


def _encoder(given: Encoder | FilePath | None, device: Device) -> Encoder | None:
    if isinstance(given, str | os.PathLike):
        return open_encoder(Path(given), device)
    return open_encoder(None, device) if given is None and device != "cpu" else given


def _judged(models: ModelSet, pipeline: Pipeline) -> ModelSet:
    """Returns the same models; if `pipeline` has probabilities and the ranker's were fitted to the vectors of
    another encoder, marked as not calibrated, with a remark that says so. A ranker that records no encoder is
    trusted."""
    if models.encoder is None or pipeline != "full":
        return models
    fitted = getattr(models.ranker or default_model(), "encoder", "")
    if fitted in ("", models.encoder.fingerprint):
        return models
    remark = (
        f"the probabilities of the ranker were fitted with another encoder than {models.encoder.name}, and "
        "are not shown"
    )
    return replace(models, calibrated=False, remarks=(*models.remarks, remark))
