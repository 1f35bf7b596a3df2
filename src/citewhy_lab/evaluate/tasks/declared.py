"""The options of each task of `citewhy evaluate`: its fields beside ``task`` and ``file``.

They are declared here, apart from the tasks, so that the command can show them without loading what measures.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from citewhy.base.config import DEFAULT_SEED
from citewhy_lab.evaluate.parameters import (
    Baseline,
    EncoderFolder,
    LibraryFolder,
    Option,
    PipelineName,
    RankerFolder,
)

PoolName = Annotated[
    str, Option("Candidates: all papers, or only those with an abstract (abstract).", metavar="NAME")
]

HeldOut = Annotated[bool, Option("Like --unseen, for the papers that no built-in model was trained on.")]

Seed = Annotated[int, Option("Random seed for --known, --unseen and the confidence intervals.")]

Limit = Annotated[int | None, Option("Use only the first N queries.", metavar="N", least=1)]

Model = Annotated[
    Path | None,
    Option(
        "Measure this trained model instead of the built-in one; for linkage, discourse, needs and sets.",
        metavar="DIR",
    ),
]


@dataclass(frozen=True, slots=True)
class _Asked:
    """Says what is measured."""

    task: str
    """The task's name: a class may measure several."""
    file: Path
    """The file or folder with the questions."""


@dataclass(frozen=True, slots=True)
class RankingOptions(_Asked):
    """The options of tasks that ask for papers."""

    library: LibraryFolder = None
    pipeline: PipelineName = "full"
    encoder: EncoderFolder = None
    ranker: RankerFolder = None
    first_stages: Annotated[
        tuple[Path, ...],
        Option(
            "Also take candidates from this trained model; may be repeated.", "--first-stage", metavar="DIR"
        ),
    ] = ()
    """Not used for the baseline, like `rerankers`."""
    rerankers: Annotated[
        tuple[Path, ...],
        Option(
            "Rerank the top candidates with this trained model; may be repeated.", "--reranker", metavar="DIR"
        ),
    ] = ()
    first_stage_weight: Annotated[
        float | None,
        Option(
            "Weight of the order before --reranker in the final score; default: as chosen in training.",
            metavar="W",
            least=0,
        ),
    ] = None
    baseline: Baseline = None
    pool: PoolName = "all"
    known: Annotated[
        float,
        Option(
            "Share of each query's references that count as known papers; for global.",
            metavar="SHARE",
            least=0,
            below=1,
            shown="",
        ),
    ] = 0.0
    unseen: Annotated[
        int | None, Option("Hide all evidence for N cited papers, and score only these.", metavar="N")
    ] = None
    held_out: HeldOut = False
    seed: Seed = DEFAULT_SEED
    depth: Annotated[int, Option("Number of candidates per query.", "-k", least=1)] = 1000
    limit: Limit = None
    measures: Annotated[
        tuple[str, ...],
        Option(
            "Use this measure instead of those of the task; may be repeated.", "--measure", metavar="NAME"
        ),
    ] = ()


@dataclass(frozen=True, slots=True)
class DiscourseOptions(_Asked):
    """The options of the task `discourse`."""

    model: Model = None
    seed: Seed = DEFAULT_SEED


@dataclass(frozen=True, slots=True)
class LinkageOptions(_Asked):
    """The options of the task `linkage`."""

    baseline: Baseline = None
    """A linker of words (`BASELINES`), or ``encoder``."""
    model: Model = None
    seed: Seed = DEFAULT_SEED


@dataclass(frozen=True, slots=True)
class IntentOptions(_Asked):
    """The options of the task `intent`."""

    model: Model = None
    papers: Annotated[
        Path | None,
        Option(
            "Records of the citing papers, whose authors tell which cited works are their own; for intent.",
            metavar="FILE",
        ),
    ] = None
    seed: Seed = DEFAULT_SEED


@dataclass(frozen=True, slots=True)
class AspectsOptions(_Asked):
    """The options of the task `aspects`."""

    library: LibraryFolder = None
    pipeline: PipelineName = "full"
    encoder: EncoderFolder = None
    model: Model = None
    """The classifier that judges the citing sentences of `file`; the ranking uses the built-in one."""
    baseline: Baseline = None
    seed: Seed = DEFAULT_SEED
    limit: Limit = None
    write_questions: Annotated[
        Path | None,
        Option("Write the questions to FILE, to be asked again; for aspects.", metavar="FILE"),
    ] = None


@dataclass(frozen=True, slots=True)
class DocumentsOptions(_Asked):
    """The options of the task `documents`."""

    encoder: EncoderFolder = None
    embeddings: Annotated[
        tuple[Path, ...],
        Option(
            "Vectors of papers, as JSON lines, instead of an encoder; for documents; may be repeated.",
            metavar="FILE",
        ),
    ] = ()
    write_embeddings: Annotated[
        Path | None, Option("Write the vectors of the papers to FILE; for documents.", metavar="FILE")
    ] = None
    seed: Seed = DEFAULT_SEED


@dataclass(frozen=True, slots=True)
class NeedsOptions(_Asked):
    """The options of the task `needs`; the file has full texts with citations as printed, or is a finished
    draft."""

    model: Model = None
    held_out: HeldOut = False
    """Only papers that no built-in model was trained on (`datasets.held_out`)."""
    limit: Limit = None
    """Maximum number of papers."""
    seed: Seed = DEFAULT_SEED


@dataclass(frozen=True, slots=True)
class SetsOptions(_Asked):
    """The options of the task `sets`; the file has citing sentences, as for the task `local`."""

    library: LibraryFolder = None
    encoder: EncoderFolder = None
    ranker: RankerFolder = None
    pool: PoolName = "all"
    model: Model = None
    seed: Seed = DEFAULT_SEED
    limit: Limit = None


@dataclass(frozen=True, slots=True)
class AuditOptions(_Asked):
    """The options of the task `audit`; the file has rows of HALLMARK, or is the folder of its files."""

    made_on: Annotated[
        Path | None,
        Option(
            "Rows that the rules were made on: their valid ones are in the library, too, and all are reported"
            " apart; for audit.",
            metavar="FILE",
        ),
    ] = None
    seed: Seed = DEFAULT_SEED


DECLARED = (
    RankingOptions,
    DiscourseOptions,
    LinkageOptions,
    IntentOptions,
    AspectsOptions,
    DocumentsOptions,
    NeedsOptions,
    SetsOptions,
    AuditOptions,
)
"""The options of all tasks, in the order in which the help shows them."""
