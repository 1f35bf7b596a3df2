"""`citewhy suggest`: which papers fit the open citations of a draft, or one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citewhy.cli import options
from citewhy.cli.progress import progress_bar
from citewhy.config import DEFAULT_K, YEARS
from citewhy.errors import QueryError
from citewhy.progress import encoding

if TYPE_CHECKING:
    from citewhy.pipeline import Recommender
    from citewhy.records import Advice, Manuscript

__all__ = ["command"]

_PROBLEMS_SHOWN = 5

EPILOG = """\b
Examples:
  citewhy suggest draft.tex
  citewhy suggest --text "Attention replaced recurrence in translation."
  citewhy suggest draft.md -k 3 --as-of 2019
  citewhy suggest draft.tex --write
  citewhy suggest draft.tex --undo

Open citations are \\cite{}, \\cite{?}, \\cite{TODO}, \\citeneeded, [CITE], [?], [@], and keys that no
bibliography defines. Drafts are LaTeX (with all files that they include), Markdown, or plain text.
--write cites the first paper of each list; it shows the edit and asks before it changes a file.
"""


@click.command("suggest", epilog=EPILOG)
@click.argument("draft", required=False, type=click.Path(path_type=Path), metavar="DRAFT")
@click.option("--text", help="One sentence in place of a draft.")
@options.library
@click.option("-k", "count", type=click.IntRange(min=1), default=DEFAULT_K, show_default=True, help="Papers.")
@click.option(
    "--as-of", "year", type=click.IntRange(*YEARS), metavar="YEAR", help="Know nothing that is newer."
)
@options.pipeline
@options.encoder
@options.reranker
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    metavar="P",
    help="Show nothing where even the best paper fits with a lower probability; default: the ranker's own.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--write", is_flag=True, help="Show the edit that cites the first paper, and apply it.")
@click.option("--yes", is_flag=True, help="With --write: do not ask.")
@click.option("--undo", is_flag=True, help="Take the last --write back.")
@options.quiet
def command(
    draft: Path | None,
    text: str | None,
    library: Path | None,
    count: int,
    year: int | None,
    pipeline: str,
    encoder: Path | None,
    reranker: Path | None,
    first_stage_weight: float | None,
    threshold: float | None,
    as_json: bool,
    write: bool,
    yes: bool,
    undo: bool,
    quiet: bool,
) -> None:
    """Suggest papers for the open citations of DRAFT, or for one sentence.

    Without a library of your own, well-known papers that come with CiteWhy are suggested.
    """
    if (draft is None) == (text is None):
        raise QueryError("nothing to answer, or two things", hint="give a DRAFT, or one sentence with --text")
    if draft is None and (write or undo):
        raise QueryError("--write and --undo change a draft", hint="give a DRAFT")
    if undo and draft is not None:
        _undo(draft)
        return
    from citewhy.encode import open_encoder
    from citewhy.pipeline import Recommender
    from citewhy.rank.opening import open_reranker
    from citewhy.starter import open_library

    with open_library(library) as opened:
        with progress_bar(quiet or as_json) as tell:
            again = open_reranker(reranker, first_stage_weight)
            recommender = Recommender(
                opened,
                pipeline,  # type: ignore[arg-type] # it checks the name
                encoder=None if encoder is None else open_encoder(encoder),
                rerankers=[] if again is None else [again],
                tell=encoding(tell),
            )
        if text is not None:
            _answer_text(recommender, text, count, year, threshold, as_json)
            return
        assert draft is not None
        from citewhy.manuscript import read

        manuscript = read(draft)
        found = _advise(recommender, manuscript, count, year, threshold, quiet or as_json)
        _print_draft(manuscript, found, recommender, as_json)
    if write:
        _write(manuscript, found, ask=not yes, quiet=as_json)


def _answer_text(
    recommender: Recommender,
    text: str,
    count: int,
    year: int | None,
    threshold: float | None,
    as_json: bool,
) -> None:
    from citewhy.advice import sentence_query
    from citewhy.present import as_json as json_form
    from citewhy.present import as_text

    if not text.strip():
        raise QueryError("the text is empty", hint='give a sentence: --text "…"')
    found = recommender.suggest(sentence_query(text, year), count, threshold=threshold)
    if as_json:
        _print_json({"text": text, "suggestions": json_form.suggestions(found)}, recommender)
    else:
        click.echo(as_text.suggestions(found))


def _advise(
    recommender: Recommender,
    manuscript: Manuscript,
    count: int,
    year: int | None,
    threshold: float | None,
    quiet: bool,
) -> list[Advice]:
    from citewhy.advice import advise, open_places

    places = sum(1 for _ in open_places(manuscript))
    found = []
    with progress_bar(quiet) as tell:
        for each in advise(recommender, manuscript, count, year, threshold):
            found.append(each)
            tell(f"{len(found)} of {places} open citations", len(found) / places)
    return found


def _print_draft(
    manuscript: Manuscript, found: Sequence[Advice], recommender: Recommender, as_json: bool
) -> None:
    from citewhy.present import as_json as json_form
    from citewhy.present import as_text

    if as_json:
        body = {
            "draft": manuscript.path,
            "places": [json_form.advice(each) for each in found],
            "problems": list(manuscript.problems),
        }
        _print_json(body, recommender)
        return
    for problem in manuscript.problems[:_PROBLEMS_SHOWN]:
        click.echo(f"citewhy: {problem}", err=True)
    if len(manuscript.problems) > _PROBLEMS_SHOWN:
        more = len(manuscript.problems) - _PROBLEMS_SHOWN
        click.echo(f"citewhy: {more} more remarks on the draft; --json has them all", err=True)
    for number, each in enumerate(found, 1):
        click.echo(as_text.advice(each, number))
    if not found:
        click.echo(f"{manuscript.path}: no open citation.")


def _print_json(body: dict[str, Any], recommender: Recommender) -> None:
    import orjson

    document = {"library": str(recommender.library.folder), "pipeline": recommender.pipeline, **body}
    click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())


def _write(manuscript: Manuscript, found: Sequence[Advice], ask: bool, quiet: bool) -> None:
    """Cites the first suggestion at each place that can be edited, after a yes.

    With `quiet` the diff goes to standard error, so that standard output holds one JSON document.
    """
    from citewhy.advice import first_choices, patch

    chosen = first_choices(found)
    if not chosen:
        click.echo("Nothing to write.", err=quiet)
        return
    edit = patch(manuscript, chosen)
    click.echo(edit.diff(), nl=False, err=quiet)
    if ask and not click.confirm("Apply this edit?", default=False, err=True):
        click.echo("Nothing was changed.", err=True)
        return
    edit.apply()
    count = len(edit.files)
    files = f"{count} file{'' if count == 1 else 's'}"
    click.echo(f"Changed {files}; `citewhy suggest {manuscript.path} --undo` takes it back.", err=True)


def _undo(draft: Path) -> None:
    from citewhy.manuscript.edit.journal import undo

    for file in undo(draft):
        click.echo(f"restored {file}")
