"""`citewhy split`: undoes the merging of two records that are two papers."""

from __future__ import annotations

from pathlib import Path

import click

from citewhy.doors.cli import options
from citewhy.doors.present import as_json as json_form
from citewhy.session.session import Session

EPILOG = """\b
Examples:
  citewhy split smith2020
  citewhy split 10.1000/182 --library corpus

`citewhy add` and `enrich` show doubtful merges with their ids. The record with the ID becomes a paper of
its own, with its citing sentences and citations; other records that were merged stay together. The library
remembers that these are two papers: neither the same files nor a service joins them again.
"""


@click.command("split", epilog=EPILOG)
@click.argument("paper_id", metavar="ID")
@options.library
@options.as_json
def command(paper_id: str, library: Path | None, as_json: bool) -> None:
    """Take a record out of a paper with which it was merged by mistake."""
    with Session(library) as session:
        folder = str(session.own_folder())
        papers = session.split(paper_id)
    if as_json:
        click.echo(json_form.dumps(json_form.split_document(papers, folder)))
    else:
        click.echo("two papers now:")
        for paper in papers:
            click.echo(f"  {paper.id}: {paper.title}")
