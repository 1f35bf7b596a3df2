"""`citewhy train sets`: trains the set model on finished drafts and citing sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar
from citewhy_lab.cli import options as lab_options

__all__ = ["command"]

EPILOG = """\b
Examples:
  citewhy train sets documents.jsonl --documents drafts --out sets
  citewhy train sets a.jsonl --documents a --out s --sentences lib q.jsonl

MANIFEST has one JSON object per line: name (a folder in DOCUMENTS), root (the draft in it), bibs (its
bibliographies). The drafts of four authors in five are used; the others measure. docs/sets.md describes what
is learned. Libraries and what was asked are kept in OUT.training, which can be removed afterwards.
"""

_PATH = click.Path(path_type=Path)


@click.command("sets", epilog=EPILOG)
@lab_options.manifest
@click.option(
    "--sentences",
    type=(_PATH, _PATH),
    multiple=True,
    metavar="LIBRARY FILE",
    help="Also learn from citing sentences in FILE; repeatable.",
)
@click.option(
    "--since",
    type=int,
    default=0,
    metavar="YEAR",
    help="Learn only from citing sentences published in YEAR or later.",
)
@options.follow_outside
@options.encoder
@options.new_folder
@options.seed("Random seed for the sampled places and the trees.")
@options.quiet
def command(
    manifest: Path,
    documents: Path,
    sentences: Sequence[tuple[Path, Path]],
    since: int,
    follow_outside: bool,
    encoder: Path | None,
    out: Path,
    seed: int,
    quiet: bool,
) -> None:
    """Train the model that completes citations: which papers belong together, and how many.

    Needs the extra `lab`.
    """
    from citewhy.models import check_new
    from citewhy.ranking.sets.model import write_set_trees
    from citewhy.search.encode import open_encoder
    from citewhy_lab.train.scratch import checkpoints
    from citewhy_lab.train.systems.sets.recipe import Sources, train_sets

    check_new(out)
    sources = Sources(manifest, documents, sentences, since, follow_outside)
    scratch = checkpoints(out)
    with progress_bar(quiet) as progress:
        made = train_sets(sources, scratch, open_encoder(encoder), seed, progress)
    making = made["making"]
    write_set_trees(
        out, f"citewhy sets ({making['places']} places)", made["trees"], made["thresholds"], making
    )
    for name, found in making["cross_fitted"].items():
        click.echo(f"{name:8}  " + "  ".join(f"{measure} {value}" for measure, value in found.items()))
    click.echo(f"written: {out}")
