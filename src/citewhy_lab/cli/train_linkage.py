"""`citewhy train linkage`: trains a linker on citing sentences with annotated targets."""

from __future__ import annotations

from pathlib import Path

import click

from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar

__all__ = ["command"]

EPILOG = """\b
Examples:
  citewhy train linkage my.citances.jsonl --texts fulltext.jsonl --out linker
  citewhy train linkage CL-SciSumm/Training-Set-2018 --out linker

CITANCES are files NAME.citances.jsonl, each with NAME.clusters.jsonl beside it, or CL-SciSumm folders. Use
the trained linker with --linker of suggest and passages, and with `citewhy evaluate linkage --model`. The
printed figures are cross-validated: each paper is judged by a model that was trained without it.
"""


@click.command("linkage", epilog=EPILOG)
@click.argument("citances", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="CITANCES…")
@click.option(
    "--texts",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Full texts in which word frequencies are counted; may be repeated. Default: the cited papers.",
)
@options.new_folder
@options.seed("Random seed for sampling and trees.")
@options.quiet
def command(citances: tuple[Path, ...], texts: tuple[Path, ...], out: Path, seed: int, quiet: bool) -> None:
    """Train the linker on citing sentences linked to the sentences they refer to.

    Takes a few minutes. Needs the extra `lab`.
    """
    from citewhy.models import check_new
    from citewhy.ranking.linkage.folder import write_linker
    from citewhy_lab.train.systems.linker.recipe import train_linkage

    check_new(out)
    with progress_bar(quiet) as progress:
        document = train_linkage(citances, texts, seed, progress)
    write_linker(out, f"linker ({document['making']['clusters']} cited papers)", document)
    for over in ("citances", "clusters"):
        means = document["making"]["cross_fitted"][over]
        click.echo(f"over {over}: " + "  ".join(f"{name} {value:.3f}" for name, value in means.items()))
    click.echo(f"facet: macro-F1 {document['making']['cross_fitted']['facet_f1']['macro']:.3f}")
    click.echo(f"written: {out}")
