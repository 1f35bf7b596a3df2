"""`citewhy datasets`: builds data for training and evaluation from collections."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar
from citewhy_lab.cli.options import settings_of
from citewhy_lab.evaluate.datasets.settings import ParagraphsSettings, Sections

if TYPE_CHECKING:
    from citewhy_lab.evaluate.datasets.building import Counts

GROUP_EPILOG = """\b
Examples:
  citewhy datasets build paragraphs fulltext.jsonl.gz --out paragraphs
"""

EPILOG = """\b
Examples:
  citewhy datasets build paragraphs fulltext.jsonl.gz --library corpus --out p
  citewhy datasets build paragraphs tei/*.xml --split 2017 --out p

FILE is a full text in any format that `citewhy add` reads: JSON lines, TEI of GROBID, XML of ParsCit, JSON of
S2ORC, JATS. A query is the first sentence of a paragraph on related work, or with --sections all of any
paragraph, if it introduces a topic; relevant are the papers of the library that the rest of it cites. DIR
gets paragraphs.jsonl, or with --split paragraphs.train.jsonl (papers before YEAR), paragraphs.val.jsonl (of
YEAR) and paragraphs.test.jsonl (after it). `citewhy train qpcr` and `citewhy evaluate paragraph` read these
files.
"""


@click.group("datasets", epilog=GROUP_EPILOG)
def command() -> None:
    """Build data for training and evaluation."""


@command.group("build", subcommand_metavar="DATASET …", epilog=GROUP_EPILOG)
def build() -> None:
    """Build a data set from full texts."""


@build.command(
    "paragraphs",
    epilog=EPILOG,
    short_help="Topic sentences of paragraphs on related work, and what the paragraphs cite.",
)
@settings_of(ParagraphsSettings)
@options.new_folder
@options.quiet
def paragraphs(settings: ParagraphsSettings, out: Path, quiet: bool) -> None:
    """Build queries for paragraph-level recommendation.

    Papers are looked up in the library, by what the text prints ("Zhang et al. (2008)") and by the entries of
    reference lists; what is ambiguous is left out.
    """
    from citewhy_lab.evaluate.datasets.building import build_files

    with progress_bar(quiet) as progress:
        parts, counts = build_files(settings, out, progress)
    _show(counts, settings.sections)
    for name, count in parts.items():
        click.echo(f"written     {out / name}: {count:,} queries")


def _show(counts: Counts, sections: Sections) -> None:
    what = "a section on related work" if sections == "related" else "sections"
    click.echo(f"full texts  {counts.papers:,}, of which {counts.sections:,} have {what}")
    if counts.unknown_year:
        click.echo(f"            {counts.unknown_year:,} of these left out: their year is unknown")
    click.echo(
        f"paragraphs  {counts.paragraphs:,}, of which {counts.topics:,} begin with a topic sentence and "
        f"{counts.queries:,} cite a paper of the library"
    )
    share = counts.resolved / max(counts.citations, 1)
    click.echo(f"citations   {counts.citations:,}, of which {share:.0%} are resolved")
    for skip in counts.report.skips:
        click.echo(str(skip), err=True)


DATASETS = build.commands
"""Name → command of each data set that can be built."""
