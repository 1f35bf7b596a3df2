"""`ModelSet`: the models with which questions are answered, as one record."""

from __future__ import annotations

from dataclasses import dataclass

from citewhy.ranking.classify import Classifier
from citewhy.ranking.intents.classifier import default_intents
from citewhy.ranking.linkage.folder import default_linker
from citewhy.ranking.linkage.linker import Linker
from citewhy.ranking.rank.model import RankerModel, default_model
from citewhy.ranking.rank.reranker import Reranker
from citewhy.ranking.sets.model import SetModel, default_set_model
from citewhy.search.encode import Encoder, default_encoder
from citewhy.search.retrieve.first_stage import FirstStage


@dataclass(frozen=True, slots=True)
class ModelSet:
    """The opened models of a recommender. None stands for the model of the package, which is opened when it
    is first needed."""

    encoder: Encoder | None = None
    ranker: RankerModel | None = None
    first_stages: tuple[FirstStage, ...] = ()
    """First stages in addition to those of the package."""
    rerankers: tuple[Reranker, ...] = ()
    """Rerankers of the top candidates, each for its own kinds of queries."""
    linker: Linker | None = None
    """Finds the passages that support a claim."""
    sets: SetModel | None = None
    """Says which papers belong together in one citation."""
    intents: Classifier | None = None
    """Classifies the citing sentences of the library, once a query asks for an intent."""
    calibrated: bool = True
    """Whether probabilities were calibrated with this encoder."""
    remarks: tuple[str, ...] = ()
    """Tells people what they should know of these models, a sentence each."""


PACKAGE_MODELS = ModelSet()
"""The models of the package."""


def release_package_models() -> None:
    """Forgets the opened models of the package; they are opened again when they are next needed. Whatever
    still refers to one of them keeps it."""
    for opener in (default_encoder, default_model, default_linker, default_set_model, default_intents):
        opener.cache_clear()
