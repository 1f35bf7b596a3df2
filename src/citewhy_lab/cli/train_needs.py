"""`citewhy train needs`: trains the classifier that tells which sentences need a citation."""

from __future__ import annotations

from pathlib import Path

import click

from citewhy.base.errors import QueryError
from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar

__all__ = ["command"]

EPILOG = """\b
Examples:
  citewhy train needs fulltext.citing.jsonl --out needs
  citewhy train needs a.jsonl --drafts drafts.jsonl --documents d --out n

TEXTS are full texts whose sentences show their citations. MANIFEST lists finished drafts as for `citewhy
train drafts`; those of one author in five are left out, and so is one paper in five: `citewhy evaluate needs
--held-out` measures on these. Sentences that do not read without their citations are left out. Use the folder
with --model of review.
"""

_PATH = click.Path(path_type=Path)


@click.command("needs", epilog=EPILOG)
@click.argument("texts", nargs=-1, type=_PATH, metavar="TEXTS…")
@click.option(
    "--drafts", "manifest", type=_PATH, metavar="MANIFEST", help="Also learn from these finished drafts."
)
@click.option(
    "--documents", type=_PATH, metavar="DIR", help="Folder with one subfolder per draft of MANIFEST."
)
@options.new_folder
@options.seed("Random seed for the sampled sentences and the folds.")
@options.quiet
def command(
    texts: tuple[Path, ...],
    manifest: Path | None,
    documents: Path | None,
    out: Path,
    seed: int,
    quiet: bool,
) -> None:
    """Train the classifier that tells which sentences need a citation.

    Takes about ten minutes for 400 papers and 80 drafts. Needs the extra `lab`.
    """
    if (manifest is None) != (documents is None):
        raise QueryError("--drafts and --documents belong together", hint="give both, or neither")
    if not texts and manifest is None:
        raise QueryError(
            "there is nothing to learn from", hint="name full texts, or --drafts and --documents"
        )
    from citewhy_lab.train.systems.needs.recipe import NeedsSources, train_needs

    sources = NeedsSources(texts, manifest, documents)
    with progress_bar(quiet) as progress:
        made = train_needs(sources, out, seed, progress)
    found = made["cross_validated"]
    counts = ", ".join(f"{label} {count:,}" for label, count in made["labels"].items())
    click.echo(f"examples   {made['examples']:,} in {made['groups']:,} groups: {counts}")
    chances = found["probabilities"]
    click.echo(f"accuracy   {chances['accuracy']:.3f}; calibration error {chances['calibration error']:.3f}")
    click.echo(f"written    {out}")
