"""`citewhy passages`: the sentences of a paper that a citing sentence means."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from citewhy.cli import options
from citewhy.errors import QueryError

if TYPE_CHECKING:
    from citewhy.library.store import Library
    from citewhy.records import Paper

__all__ = ["command"]

DEFAULT_PASSAGES = 3

_NEAR_SHOWN = 3

_SOURCES = {
    "full text": "from its full text:",
    "abstract": "The library has no full text of it; from its abstract:",
    "none": "The library has no text of it, neither full text nor abstract.",
}
_NOTHING = {
    "full text": "No sentence of its full text shares a word with the text.",
    "abstract": "The library has no full text of it; its abstract shares no word with the text.",
}

EPILOG = """\b
Examples:
  citewhy passages P02-1040 --text "BLEU counts n-grams." --library mine
  citewhy passages arXiv:1706.03762 --text "Attention alone translates."

Passages are of the full text where the library has it, else of the abstract. Only sentences that share a
word with the text are shown. Markers such as (Och, 2003) in the text do no harm.
"""


@click.command("passages", epilog=EPILOG)
@click.argument("paper_id", metavar="ID")
@click.option("--text", required=True, help="The citing sentence, or the claim.")
@options.library
@click.option(
    "-k",
    "count",
    type=click.IntRange(min=1),
    default=DEFAULT_PASSAGES,
    show_default=True,
    help="Passages.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(paper_id: str, text: str, library: Path | None, count: int, as_json: bool) -> None:
    """Show the sentences of paper ID that a citing sentence means.

    Where a passage itself cites another paper of the library for the same claim,
    that paper is named: it may be the primary source.
    """
    from citewhy.advice import sentence_query
    from citewhy.explain.credits import Credits
    from citewhy.explain.passages import PassageFinder
    from citewhy.index import open_index
    from citewhy.starter import open_library

    if not text.strip():
        raise QueryError("the text is empty", hint='give a sentence: --text "…"')
    with open_library(library) as opened:
        paper = _paper(opened, paper_id)
        claim = sentence_query(text).text
        source, found = PassageFinder(opened).find(claim, [paper], count)[0]
        primary = Credits(opened, open_index(opened))
        credited = [primary.of(passage, claim) for passage in found]
        folder = opened.folder
    if as_json:
        import orjson

        from citewhy.present import as_json as json_form

        passages = [
            json_form.passage_values(passage) | {"credits": [each.id for each in papers]}
            for passage, papers in zip(found, credited, strict=True)
        ]
        document = {"library": str(folder), "id": paper.id, "title": paper.title, "text": text}
        click.echo(
            orjson.dumps(document | {"source": source, "passages": passages}, option=orjson.OPT_INDENT_2)
        )
        return
    from citewhy.present import as_text

    click.echo(as_text.heading(paper))
    click.echo(f"       {_SOURCES[source]}\n" if found or source == "none" else f"       {_NOTHING[source]}")
    if found:
        click.echo(as_text.passages(found, credited), nl=False)


def _paper(library: Library, paper_id: str) -> Paper:
    """Raises QueryError for an id that the library does not have, with those that are spelt nearly so."""
    papers = library.papers([paper_id])
    if paper_id in papers:
        return papers[paper_id]
    near = _near(library, paper_id)
    raise QueryError(
        f"the library has no paper with the id {paper_id!r}",
        hint=f"did you mean: {', '.join(near)}" if near else "ids are those of the files that were added",
    )


def _near(library: Library, paper_id: str) -> list[str]:
    import difflib

    from citewhy.index import open_index

    index = open_index(library)
    ids = {each.casefold(): each for each in index.ids(index.papers())}
    close = difflib.get_close_matches(paper_id.casefold(), ids, _NEAR_SHOWN)
    return [ids[each] for each in close]
