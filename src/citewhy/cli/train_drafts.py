"""`citewhy train drafts`: trains the last step of a ranker on finished drafts from many fields."""

from __future__ import annotations

from pathlib import Path

import click

from citewhy.cli import options
from citewhy.cli.progress import progress_bar

__all__ = ["command"]

EPILOG = """\b
Examples:
  citewhy train drafts documents.jsonl --documents drafts --out ranker

MANIFEST has one JSON object per line: name (a folder in DOCUMENTS), root (the draft in it), bibs (its
bibliographies). The drafts of one author in five are not used for training, but for measurement.
docs/training.md describes what is learned. Libraries are kept in OUT.training, which can be removed
afterwards.
"""

_PATH = click.Path(path_type=Path)


@click.command("drafts", epilog=EPILOG)
@click.argument("manifest", type=_PATH, metavar="MANIFEST")
@click.option(
    "--documents", type=_PATH, required=True, metavar="DIR", help="Folder with one subfolder per draft."
)
@click.option("--ranker", type=_PATH, metavar="DIR", help="Ranker to start from; default: the built-in one.")
@options.encoder
@click.option(
    "--out", type=_PATH, required=True, metavar="DIR", help="Folder to create; it must not exist yet."
)
@options.seed("Random seed for the sampled places and the trees.")
@click.option("--quiet", is_flag=True, help="Show no progress bar.")
def command(
    manifest: Path,
    documents: Path,
    ranker: Path | None,
    encoder: Path | None,
    out: Path,
    seed: int,
    quiet: bool,
) -> None:
    """Train the last step of the ranker on finished drafts with their own bibliographies.

    All other parts of the ranker are kept. Needs the extra `train`.
    """
    from citewhy.assets import ranker_folder
    from citewhy.encode import open_encoder
    from citewhy.models import check_new
    from citewhy.rank.folder import read_document, write_ranker
    from citewhy.rank.linear_trees import LinearTrees
    from citewhy.systems.ranker.drafts import read_manifest
    from citewhy.systems.ranker.last_step import train_last_step

    check_new(out)
    base = read_document(ranker or ranker_folder())
    drafts = read_manifest(manifest, documents)
    libraries = out.with_name(f"{out.name}.training")
    with progress_bar(quiet) as tell:
        model = LinearTrees.of(base)
        made = train_last_step(drafts, libraries, manifest, open_encoder(encoder), model, seed, tell)
    calibration = base["calibration"] | made["calibration"]
    making = base["making"] | {"last_step": made["making"]}
    write_ranker(
        out, base["name"], base | {"draft": made["draft"], "calibration": calibration, "making": making}
    )
    found = made["making"]["cross_fitted"]
    click.echo(f"drafts of other authors: R@10 {found['R@10']:.3f}  RR {found['RR']:.3f}")
    click.echo(f"written: {out}")
