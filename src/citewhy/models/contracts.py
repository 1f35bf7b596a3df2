"""The kinds of models, and the version of the contract of each kind.

A contract is what callers rely on: the protocol, and what its docstring promises beyond types (shapes, units,
determinism). Its version increases when a folder written for the old contract would be misread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal["encoder", "reranker", "ranker", "linker", "classifier", "first-stage", "set", "missing"]

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Contract:
    """`noun` is the kind with its article, for messages; `protocol` names the class, ``module:name``, whose
    public members an opened model must have; empty: nothing is checked."""

    version: int
    noun: str
    protocol: str = ""


CONTRACTS: dict[Kind, Contract] = {
    "encoder": Contract(1, "an encoder", "citewhy.search.encode.encoder:Encoder"),
    "reranker": Contract(1, "a reranker", "citewhy.ranking.rank.reranker:Reranker"),
    "ranker": Contract(1, "a ranker", "citewhy.ranking.rank.model:RankerModel"),
    "linker": Contract(1, "a linker", "citewhy.ranking.linkage.linker:Linker"),
    "classifier": Contract(1, "a classifier", "citewhy.ranking.classify.classifier:Classifier"),
    "first-stage": Contract(1, "a first stage", "citewhy.search.retrieve.first_stage:FirstStage"),
    "missing": Contract(1, "a model of missing works", "citewhy.ranking.missing.model:MissingModel"),
    "set": Contract(1, "a set model", "citewhy.ranking.sets.model:SetModel"),
}
