"""`citewhy train drafts`: trains the last step of a ranker on finished drafts from many fields."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import click

from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar
from citewhy_lab.cli import options as lab_options

__all__ = ["command"]

EPILOG = """\b
Examples:
  citewhy train drafts documents.jsonl --documents drafts --out ranker
  citewhy train drafts a.jsonl --documents a --out r --sentences lib q.jsonl

MANIFEST has one JSON object per line: name (a folder in DOCUMENTS), root (the draft in it), bibs (its
bibliographies). The drafts of two authors in five are used; the others train the encoder, or measure.
docs/training.md describes what is learned. Libraries are kept in OUT.training, which can be removed
afterwards.
"""

_PATH = click.Path(path_type=Path)


@click.command("drafts", epilog=EPILOG)
@lab_options.manifest
@click.option("--ranker", type=_PATH, metavar="DIR", help="Ranker to start from; default: the built-in one.")
@click.option(
    "--sentences",
    type=(_PATH, _PATH),
    multiple=True,
    metavar="LIBRARY FILE",
    help="Also learn from citing sentences in FILE, and from the abstracts of LIBRARY; repeatable.",
)
@click.option(
    "--paragraphs",
    type=(_PATH, _PATH),
    multiple=True,
    metavar="LIBRARY FILE",
    help="Also fit probabilities for paragraphs on those in FILE; repeatable.",
)
@click.option(
    "--after",
    type=int,
    default=0,
    metavar="YEAR",
    help="Learn only from citing sentences published after YEAR (which the encoder has not seen).",
)
@options.follow_outside
@options.encoder
@options.new_folder
@options.seed("Random seed for the sampled places and the trees.")
@options.quiet
def command(
    manifest: Path,
    documents: Path,
    ranker: Path | None,
    sentences: Sequence[tuple[Path, Path]],
    paragraphs: Sequence[tuple[Path, Path]],
    after: int,
    follow_outside: bool,
    encoder: Path | None,
    out: Path,
    seed: int,
    quiet: bool,
) -> None:
    """Train the last step of the ranker on finished drafts with their own bibliographies.

    All other parts of the ranker are kept. Needs the extra `lab`.
    """
    import orjson

    from citewhy.base.assets import ranker_folder
    from citewhy.models import check_new
    from citewhy.ranking.rank.folder import read_document, write_ranker
    from citewhy.ranking.rank.linear_trees import LinearTrees
    from citewhy.search.encode import open_encoder
    from citewhy_lab.train.scratch import checkpoints
    from citewhy_lab.train.systems.ranker.last_step import Sources, train_last_step

    check_new(out)
    base = read_document(ranker or ranker_folder())
    folders = list(dict.fromkeys(folder for folder, _ in sentences))
    libraries = [(folder, [file for of, file in sentences if of == folder]) for folder in folders]
    mark = f"{zlib.crc32(orjson.dumps([base['linear'], base['trees']], option=orjson.OPT_SORT_KEYS)):08x}"
    sources = Sources(
        manifest, documents, libraries, paragraphs, after, ranker=mark, follow_outside=follow_outside
    )
    scratch = checkpoints(out)
    with progress_bar(quiet) as progress:
        before = LinearTrees.of({name: part for name, part in base.items() if name != "last_step"})
        made = train_last_step(sources, scratch, open_encoder(encoder), before, seed, progress)
    making = base["making"] | {"last_step": made.pop("making")}
    calibration = base["calibration"] | made.pop("calibration")
    write_ranker(out, base["name"], base | made | {"calibration": calibration, "making": making})
    for world, found in making["last_step"]["cross_fitted"].items():
        click.echo(f"{world:40}  R@10 {found['R@10']:.3f}  RR {found['RR']:.3f}")
    click.echo(f"written: {out}")
