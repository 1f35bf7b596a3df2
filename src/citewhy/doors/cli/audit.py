"""`citewhy audit`: tells which entries of reference lists are known, differ, or cannot be."""

from __future__ import annotations

from pathlib import Path

import click

from citewhy.base.artifact import replace_file
from citewhy.base.errors import QueryError
from citewhy.base.printable import printable
from citewhy.doors.cli import correcting, options
from citewhy.doors.cli.configuration import configured
from citewhy.doors.cli.terminal import echo_styled, look, remark
from citewhy.doors.present import as_json as json_form
from citewhy.doors.present import audit_html, audit_text
from citewhy.doors.present.audit_json import audit_document, sarif
from citewhy.session.session import Session

EPILOG = """\b
Examples:
  citewhy audit refs.bib
  citewhy audit draft.tex --library mine
  citewhy audit refs.bib --against group.bib --against anthology.bib
  citewhy audit refs.bib --retractions retraction_watch.csv
  citewhy audit refs.bib --html audit.html
  citewhy audit refs.bib --write
  citewhy audit refs.bib --undo
  citewhy audit refs.bib --strict

Each entry has one verdict: known (the library has the paper, and all that the entry states agrees), differs
(it is this paper, but a field says something else), mixed (parts of two papers), impossible (no paper can be
so), or unknown: the library does not have it, and nothing more can be said. Initials, accents, abbreviated
venues, missing subtitles and a year that is one off are no differences. What is certain is marked.

FILE is a bibliography (BibTeX, RIS, CSL-JSON, …), a draft with its own, or a text file with a list of
references. With --strict the exit code is 1 if anything is certain.

--write corrects what is certain in .bib files, after a preview: it adds a DOI that the library has, mends a
wrong year, and puts what was published in place of a preprint, under the same key. Notes and other fields
stay as they are. --choose asks for each correction, --undo takes the last edit back. Without them, nothing
is changed.
"""


@click.command("audit", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@options.libraries
@click.option(
    "--against",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Compare with the papers of this file instead of a library; may be repeated.",
)
@click.option(
    "--retractions",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Tell what was retracted, by Retraction Watch's CSV, or works of Crossref, PubMed or OpenAlex; may "
    "be repeated. What `citewhy add` has read of them is told in any case.",
)
@click.option(
    "--claims",
    is_flag=True,
    help="Compare the sentences of a draft with the papers that they cite, the weakest first.",
)
@click.option("--strict", is_flag=True, help="Exit with code 1 if anything is certain.")
@click.option("--write", is_flag=True, help="Show the edit that corrects what is certain, and apply it.")
@click.option("--choose", is_flag=True, help="Ask for each correction whether to write it, then as --write.")
@click.option("--yes", is_flag=True, help="With --write and --choose: do not ask for confirmation.")
@click.option("--undo", is_flag=True, help="Undo the last --write or --choose.")
@click.option(
    "--outside",
    is_flag=True,
    help="With --write, --choose and --undo: also change files outside of the draft's folder.",
)
@options.as_json
@click.option("--sarif", "as_sarif", is_flag=True, help="Print SARIF, which editors and CI services read.")
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write a page for reading and printing to FILE.",
)
@click.option("-v", "--verbose", is_flag=True, help="List all entries and all remarks, those of style, too.")
@configured
def command(
    files: tuple[Path, ...],
    library: tuple[Path, ...],
    against: tuple[Path, ...],
    retractions: tuple[Path, ...],
    claims: bool,
    strict: bool,
    write: bool,
    choose: bool,
    yes: bool,
    undo: bool,
    outside: bool,
    as_json: bool,
    as_sarif: bool,
    html: Path | None,
    verbose: bool,
) -> None:
    """Tell which entries of reference lists are known, differ, are mixed, impossible, or unknown."""
    if undo:
        correcting.undo(files, outside=outside)
        return
    if choose and (as_json or as_sarif):
        raise QueryError("--choose asks a person", hint="omit --json and --sarif")
    with Session(library, create=bool(against)) as session:
        audit = session.audit(files, against=against, retractions=retractions, claims=claims)
    if as_sarif:
        click.echo(json_form.dumps(sarif(audit)))
    elif as_json:
        click.echo(json_form.dumps(audit_document(audit)))
    else:
        for problem in audit.problems:
            remark(problem)
        echo_styled(audit_text.audit(audit, look(verbose)))
    if html is not None:
        replace_file(html, printable(audit_html.page(audit)).encode())
    if write or choose:
        correcting.write(audit, choose=choose, yes=yes, outside=outside, diff_aside=as_json or as_sarif)
    if strict and audit.certain:
        raise click.exceptions.Exit(1)
