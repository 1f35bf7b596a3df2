"""`citewhy train ncn`: trains the NCN reranker on papers and citing sentences."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citewhy.doors.cli import options
from citewhy_lab.cli import options as lab_options
from citewhy_lab.cli import reranker_training
from citewhy_lab.cli.reranker_training import one_of, train_and_say

if TYPE_CHECKING:
    from citewhy.base.progress import Progress
    from citewhy_lab.train.devices import DeviceName
    from citewhy_lab.train.reranking.data import RerankingData

__all__ = ["command"]

EPILOG = """\b
Examples:
  citewhy train ncn --data collection --out ncn
  citewhy train ncn --data collection --regime strict --out ncn-strict

DATA holds papers.jsonl and contexts.jsonl, preferably also citations.tsv, as for `citewhy train textbib`. The
first stage is BM25, queried as it is when suggesting; 200 of its candidates are reranked, because the network
reads every title word by word. After Ctrl-C, the same command continues from the last checkpoint in the
folder OUT.training, which can be removed at the end.
"""


@click.command("ncn", epilog=EPILOG)
@reranker_training.data
@options.new_folder
@click.option(
    "--regime",
    default="standard",
    show_default=True,
    metavar="NAME",
    help="standard: learn from all citations; strict: only from papers that the first stage found.",
)
@reranker_training.until
@reranker_training.epochs
@reranker_training.library
@reranker_training.with_held_out
@options.seed("Random seed.")
@lab_options.device
@options.quiet
def command(
    data: Path,
    out: Path,
    regime: str,
    until: int,
    epochs: int,
    library: Path | None,
    with_held_out: bool,
    seed: int,
    device: DeviceName,
    quiet: bool,
) -> None:
    """Train NCN, a reranker that ranks papers by how probable their titles are after a citing sentence.

    A baseline of the literature. Needs the extra `lab`.
    """
    from typing import get_args

    from citewhy_lab.train.requirements import check_modules
    from citewhy_lab.train.reranking.data import Regime
    from citewhy_lab.train.systems.ncn.recipe import train_ncn
    from citewhy_lab.train.systems.ncn.settings import NcnSettings

    settings = NcnSettings(
        regime=one_of(regime, get_args(Regime), "regime"),
        epochs=epochs,
        held_out=not with_held_out,
        seed=seed,
    )
    check_modules("torch", "safetensors")

    def train(given: RerankingData, out: Path, progress: Progress) -> dict[str, Any]:
        return train_ncn(given, settings, out, progress, device)

    train_and_say(data, until, settings.depth, out, library, quiet, train)
