"""`citewhy find`: finds papers in a library by what people know of them."""

from __future__ import annotations

from pathlib import Path

import click

from citewhy.base.errors import QueryError
from citewhy.base.records import Intent
from citewhy.doors.cli import options
from citewhy.doors.cli.configuration import configured
from citewhy.doors.cli.progress import progress_bar
from citewhy.doors.cli.terminal import echo_styled, look, remark
from citewhy.doors.present import as_json as json_form
from citewhy.doors.present import as_text
from citewhy.session.session import Session

EPILOG = """\b
Examples:
  citewhy find minimum error rate training
  citewhy find Papineni 2002
  citewhy find 10.3115/1073083.1073135 --bibtex
  citewhy find https://arxiv.org/abs/1706.03762
  citewhy find devlin-etal-2018-bert --ris
  citewhy find BERT -k 1 --json
  citewhy find Foucalt 1975
  citewhy find Foucalt --exact
  citewhy find isbn:978-0-262-03384-8
  citewhy find --like P07-2045
  citewhy find --like P07-2045 --aspect method

An id, a DOI, an arXiv number, or a URL with one of these names its paper, and so does a number after pmid:,
pmcid: or isbn:. A citation key names the papers that all of its parts fit: first author, year (or one beside
it), coauthors, words of the title, initials. The name of a system or data set names the paper that introduced
it. If several papers fit equally, all of them come first. Unless one paper is named for certain, papers
follow whose titles begin with the text, and then papers whose titles, abstracts and authors have the words.
After a key without digits or signs, which may be a surname or a topic, they follow, too, but are not
exported. For a surname and a year without a paper, those of the year before or after are listed.

Words that the library does not have are read as its words and surnames that are spelled nearly the same: in
four or five letters one may be wrong, missing, superfluous or exchanged with the next, in more letters two. A
sentence says what was looked for; with --exact, TEXT is looked for as it is written. If nothing is found, the
exit code is 1.
"""


@click.command("find", epilog=EPILOG)
@click.argument("words", nargs=-1, metavar="[TEXT…]")
@click.option("--like", metavar="PAPER", help="Find papers like this one, named as for TEXT.")
@click.option(
    "--aspect",
    type=click.Choice(["background", "method", "result"]),
    help="With --like: alike in their background, their method, or their results.",
)
@click.option("--exact", is_flag=True, help="Look for TEXT as it is written, whatever words the library has.")
@options.year("With --like: ignore papers published after YEAR, and what was cited since.")
@options.encoder
@options.libraries
@options.index
@options.count("Number of papers.")
@options.exports
@options.as_json
@configured
def command(
    words: tuple[str, ...],
    like: str | None,
    aspect: Intent | None,
    exact: bool,
    year: int | None,
    encoder: Path | None,
    library: tuple[Path, ...],
    engine: str | None,
    count: int,
    export: str | None,
    as_json: bool,
) -> None:
    """Find papers by words, author, title, DOI, arXiv number, id, or citation key, or papers like one."""
    if aspect is not None and like is None:
        raise QueryError("--aspect is for --like", hint=f"name the paper: --like PAPER --aspect {aspect}")
    if bool(words) == (like is not None):
        raise QueryError("give either a TEXT or --like")
    if like is None and (year is not None or encoder is not None):
        raise QueryError("--as-of and --encoder are for --like", hint="omit them")
    if like is not None and exact:
        raise QueryError("--exact is for a TEXT", hint="omit it")

    if like is not None:
        with Session(library, engine=engine, encoder=encoder, year=year) as session:
            _like(session, like, aspect, count, export, as_json)
        return

    text = " ".join(words)
    with Session(library, engine=engine) as session:
        finding = session.find(text, count, exact=exact)
        folder = str(session.folder)
    if as_json:
        click.echo(json_form.dumps(json_form.find_document(finding, folder)))
    elif not finding.papers:
        click.echo(as_text.finding(finding), err=True)
    elif export is not None:
        if spelled := as_text.spelled_otherwise(finding):
            click.echo(spelled, err=True)
        named = (
            finding.resolution.paper_ids
            if finding.resolution.certain
            else [paper.id for paper in finding.papers]
        )
        options.write_export(export, [(paper.id, paper) for paper in finding.papers if paper.id in named])
    else:
        echo_styled(as_text.finding(finding, look()))
        if finding.stands_in:
            remark(as_text.STANDS_IN)
    if not finding.papers:
        raise click.exceptions.Exit(1)


def _like(
    session: Session, like: str, aspect: Intent | None, count: int, export: str | None, as_json: bool
) -> None:
    """Prints the papers that are like one."""
    with progress_bar(as_json) as progress:
        session.prepare(progress, intents=aspect is not None)
    suggestions = session.like(like, aspect, count)
    if as_json:
        document = json_form.like_document(session.paper(like), aspect, suggestions, str(session.folder))
        click.echo(json_form.dumps(document))
    elif export is not None:
        options.write_export(export, [(suggestion.paper.id, suggestion.paper) for suggestion in suggestions])
    else:
        echo_styled(as_text.suggestions(suggestions, look(True)))
