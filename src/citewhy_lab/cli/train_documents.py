"""`citewhy train documents`: trains paper embeddings on citations and their intents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar
from citewhy_lab.cli import options as lab_options

if TYPE_CHECKING:
    from citewhy_lab.train.devices import DeviceName

__all__ = ["NAMES", "command"]

NAMES = (
    "specter",
    "specter-undirected",
    "specter-cl",
    "scincl",
    "sciaspect",
    "sciaspect-l2",
    "sciaspect-hybrid",
    "sciaspect-weighted",
)
"""The recipes; `citewhy train NAME` works as well."""

EPILOG = """\b
Examples:
  citewhy train documents specter-cl --data collection --out specter-cl
  citewhy train documents sciaspect --data coll --out a --embedding method
  citewhy train documents specter --data coll --out b --steps 99 --tokens 64

\b
RECIPE                positives             loss
  specter             cited papers          triplet
  specter-undirected  cited or citing       triplet
  specter-cl          cited or citing       contrastive
  scincl              near in the graph     triplet
  sciaspect           linked by an intent   contrastive, by intent
  sciaspect-l2        linked by an intent   the same, L2 negatives
  sciaspect-hybrid    linked by an intent   both contrastive losses
  sciaspect-weighted  linked by an intent   as sciaspect, weighted

DATA is the same folder as for `citewhy train encoder`. docs/training.md describes data, recipes and options.
After Ctrl-C, the same command continues from the last checkpoint in the folder OUT.training.
"""

_FILE = click.Path(path_type=Path)


def _ablation(name: str, kind: Any, help_text: str) -> Callable[[options.Command], options.Command]:
    """An option whose default is the recipe's."""
    return click.option(name, type=kind, help=help_text)


@click.command("documents", epilog=EPILOG)
@click.argument("recipe", type=click.Choice(NAMES), metavar="RECIPE")
@click.option("--data", type=_FILE, required=True, metavar="DIR", help="Folder with papers and citations.")
@click.option("--start", metavar="DIR|NAME", help="Model to start from; default: all-MiniLM-L6-v2.")
@click.option(
    "--out", type=_FILE, required=True, metavar="DIR", help="Folder to create; it must not exist yet."
)
@click.option(
    "--classifier",
    type=_FILE,
    metavar="DIR",
    help="Sentence classifier of intents, instead of the built-in one.",
)
@click.option(
    "--embedding",
    "embeddings",
    multiple=True,
    metavar="NAME",
    default=("encoder",),
    show_default=True,
    help="encoder, concat or an aspect; further ones are written to OUT-NAME.",
)
@click.option(
    "--exclude",
    type=_FILE,
    multiple=True,
    metavar="FILE",
    help="Do not train on the papers of this evaluation set, by id and title; may be repeated.",
)
@click.option(
    "--instances",
    type=_FILE,
    metavar="FILE",
    help="Train on these instances instead of mining them, without those whose papers are not trained on.",
)
@click.option(
    "--write-instances", type=_FILE, metavar="FILE", help="Only mine, and write the instances to FILE."
)
@lab_options.until("Learn only from papers published up to YEAR.")
@_ablation("--loss", click.Choice(["triplet", "n-pairs", "contrastive", "hybrid"]), "Loss function.")
@_ablation("--positives", click.IntRange(1), "Positives of an instance; not for sciaspect-hybrid.")
@_ablation("--hard", click.IntRange(0), "Hard negatives of an instance.")
@_ablation("--easy", click.IntRange(0), "Easy negatives of an instance; not for sciaspect-hybrid.")
@_ablation("--distant", click.IntRange(1), "Negatives of the global loss of sciaspect-hybrid.")
@_ablation("--temperature", options.Number(0, min_open=True), "Temperature of the contrastive losses.")
@_ablation("--margin", options.Number(0, min_open=True), "Margin of the triplet loss.")
@_ablation("--alpha", options.Number(0, 1), "Weight of the global loss in the hybrid one.")
@click.option(
    "--other",
    is_flag=True,
    default=None,
    help="Also an aspect for citations of unknown intent; not for sciaspect-hybrid.",
)
@click.option(
    "--any-aspect",
    is_flag=True,
    default=None,
    help="Also use papers that are not linked by every intent.",
)
@_ablation("--pooling", click.Choice(["mean", "cls"]), "How a text's tokens become one vector.")
@_ablation("--projection", click.Choice(["identity", "random"]), "What the projections start from.")
@_ablation("--steps", click.IntRange(1), "Number of training steps; default: two epochs.")
@_ablation("--batch", click.IntRange(1), "Instances per batch.")
@_ablation("--tokens", click.IntRange(3, 512), "Tokens that are read of a paper.")
@_ablation("--learning-rate", options.Number(0, min_open=True), "Highest learning rate.")
@_ablation("--warm-up", click.IntRange(0), "Steps over which the learning rate rises.")
@options.seed("Random seed for instances and batches.")
@lab_options.device
@options.quiet
def command(
    recipe: str,
    data: Path,
    start: str | None,
    out: Path,
    classifier: Path | None,
    embeddings: tuple[str, ...],
    exclude: tuple[Path, ...],
    instances: Path | None,
    write_instances: Path | None,
    any_aspect: bool | None,
    device: DeviceName,
    quiet: bool,
    **changes: Any,
) -> None:
    """Train paper embeddings on citations: SPECTER, SciNCL, SPECTERCL, SciAspect.

    The result is an encoder, for --encoder. Needs the extra `lab`.
    """
    from citewhy_lab.train.requirements import check_extra, default_start

    check_extra()
    from citewhy_lab.train import processes
    from citewhy_lab.train.systems.aspects.recipe import Sources, mine_to, train_aspects
    from citewhy_lab.train.systems.aspects.settings import recipe as settings_of

    settings = settings_of(recipe, in_all=False if any_aspect else None, **changes)
    sources = Sources(data, classifier, exclude, instances)
    with progress_bar(quiet or not processes.is_first()) as progress:
        if write_instances is not None:
            count = mine_to(write_instances, sources, settings, progress)
        else:
            made = train_aspects(
                sources,
                start or default_start(),
                out.absolute(),
                settings,
                progress,
                recipe,
                embeddings,
                device,
            )
    if not processes.is_first():
        return
    if write_instances is not None:
        click.echo(f"instances  {count:,}, written to {write_instances}")
        return
    known = ", ".join(f"{number:,} {aspect}" for aspect, number in made["citations"].items())
    click.echo(f"citations  {known}")
    click.echo(f"instances  {made['instances']:,} an epoch")
    click.echo(f"loss       {made['loss']:.3f} in the last steps")
    for embedding, agreed in made["agreement"].items():
        target = out if embedding == embeddings[0] else out.with_name(f"{out.name}-{embedding}")
        click.echo(f"written    {target}: {embedding}, mean cosine {agreed:.4f} with the trained network")
    click.echo(f"           {out.name}.training beside it can be removed")
