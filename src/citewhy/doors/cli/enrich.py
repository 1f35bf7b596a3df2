"""`citewhy enrich`: asks a public service for missing abstracts, DOIs and references."""

from __future__ import annotations

from pathlib import Path

import click

from citewhy.base.config import default_library
from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar
from citewhy.doors.present import as_json as json_form
from citewhy.doors.present import enrich_text
from citewhy.session.enrich.enriching import FIELDS, Enrichment

EPILOG = """\b
Examples:
  citewhy enrich --dry-run
  citewhy enrich
  citewhy enrich --field abstract --from semantic-scholar --limit 100
  citewhy enrich --from crossref --email me@example.org --yes

Services: openalex, crossref, semantic-scholar, arxiv (abstracts and DOIs of its own papers). What is sent:
DOIs and arXiv numbers of papers in your library; of papers without them the title, to Crossref with the
surname of the first author; the address that `--email` gives. Nothing of your drafts is sent. Answers only
fill gaps: what the library has stays as it is.

OpenAlex and Semantic Scholar name references by ids of their own. They become citations between the papers
that the service was asked for, so these services are asked for all papers if references are wanted.
"""


@click.command("enrich", epilog=EPILOG)
@options.library
@click.option(
    "--from", "service", default="openalex", show_default=True, metavar="NAME", help="The service to ask."
)
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="NAME",
    help="Ask only for papers that lack this: abstract, doi or references. May be repeated; default: all.",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Ask for N papers at most.")
@click.option("--again", is_flag=True, help="Ask also for papers that the service was asked for before.")
@click.option("--email", default="", metavar="ADDRESS", help="Tell the service who asks.")
@click.option("--address", default="", metavar="URL", help="Ask a mirror of the service at this address.")
@click.option("--dry-run", is_flag=True, help="Show what would be sent, and send nothing.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--no-vectors", is_flag=True, help="Leave encoding to the next query, or `citewhy sync`.")
@options.as_json
@click.option("--quiet", is_flag=True, help="Print nothing but the question for confirmation.")
def command(
    library: Path | None,
    service: str,
    fields: tuple[str, ...],
    limit: int | None,
    again: bool,
    email: str,
    address: str,
    dry_run: bool,
    yes: bool,
    no_vectors: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Ask a public service for abstracts, DOIs and references that the papers of a library lack.

    This is the only command that uses the network. It shows first what it will send and where, and asks for
    confirmation. Each answer is stored before the next request; after an interruption, the same command
    continues.
    """
    folder = default_library() if library is None else library
    run = Enrichment(folder, service, fields or FIELDS, most=limit, again=again, email=email, address=address)
    if not quiet:
        click.echo(enrich_text.plan(run.plan), err=as_json)
    if dry_run or not run.plan.requests:
        if as_json:
            click.echo(json_form.dumps(json_form.enrich_document(run.plan, None)))
        return
    if not yes:
        click.confirm("Send this?", default=False, abort=True, err=True)
    with progress_bar(quiet or as_json) as progress:
        report = run.run(vectors=not no_vectors, progress=progress)
    if as_json:
        click.echo(json_form.dumps(json_form.enrich_document(run.plan, report)))
    elif not quiet:
        click.echo(enrich_text.report(report))
