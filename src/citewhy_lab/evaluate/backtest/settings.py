"""Says what a backtest and a tuning are told, from the command line or from Python."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from citewhy.base.config import DEFAULT_SEED
from citewhy_lab.evaluate.parameters import (
    Baseline,
    DraftsYear,
    EncoderFolder,
    FollowOutside,
    LibraryFolder,
    Option,
    PipelineName,
    RankerFolder,
)


@dataclass(frozen=True, slots=True)
class BacktestSettings:
    """Says what is measured, on which finished drafts."""

    drafts: Annotated[tuple[Path, ...], Option("", metavar="DRAFT…", argument=True)]
    library: LibraryFolder = None
    year: DraftsYear = None
    pipeline: PipelineName = "full"
    encoder: EncoderFolder = None
    ranker: RankerFolder = None
    baseline: Baseline = None
    so_far: Annotated[
        bool,
        Option(
            "Hide what is written after each citation, too, as in a draft that has only begun; and once more "
            "with the entries that are not cited before it."
        ),
    ] = False
    seed: Annotated[int, Option("Random seed for the confidence intervals.")] = DEFAULT_SEED
    follow_outside: FollowOutside = False


@dataclass(frozen=True, slots=True)
class TuneSettings:
    """Says which finished drafts the ranking is fitted to."""

    drafts: Annotated[tuple[Path, ...], Option("", metavar="[DRAFT…]", argument=True)] = ()
    library: LibraryFolder = None
    year: DraftsYear = None
    encoder: EncoderFolder = None
    ranker: RankerFolder = None
    follow_outside: FollowOutside = False
    forget: Annotated[bool, Option("Remove what was fitted before.")] = False
