"""`citewhy evaluate`: what is served, on questions with known answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from citewhy.cli import options
from citewhy.cli.progress import progress_bar
from citewhy.errors import QueryError

__all__ = ["command"]

EPILOG = """\b
Examples:
  citewhy evaluate local contexts.val.jsonl.gz
  citewhy evaluate local contexts.val.jsonl.gz --pool abstract --baseline bm25
  citewhy evaluate local contexts.val.jsonl.gz --unseen 100 --seed 7 --json
  citewhy evaluate global global.val.jsonl.gz --known 0.5 --baseline bm25
  citewhy evaluate local contexts.val.jsonl.gz --run full.run --out local
  citewhy evaluate local contexts.val.jsonl.gz --plot reliability.svg
  citewhy evaluate linkage linkage.dev.citances.jsonl.gz --baseline bdot

FILE holds citing sentences (local), whole papers as queries (global), or citing sentences linked to those of
the cited paper (linkage); docs/evaluation.md describes the files, the measures and every decision behind the
numbers.
"""


@click.command("evaluate", epilog=EPILOG)
@click.argument("task", metavar="TASK")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@options.library
@options.pipeline
@options.encoder
@options.ranker
@options.ranking
@options.baseline
@click.option("--pool", default="all", show_default=True, help="Candidates: all, or those with an abstract.")
@click.option(
    "--known", type=float, default=0.0, help="Share of the references that the query has already; global."
)
@click.option(
    "--unseen", type=int, metavar="N", help="Hide all that is known of N cited papers; score only these."
)
@click.option(
    "--held-out", is_flag=True, help="As --unseen, for the papers that no shipped model learned about."
)
@options.seed("For --known, --unseen, intervals.")
@click.option(
    "-k", "depth", type=click.IntRange(1), default=1000, show_default=True, help="Candidates a query."
)
@click.option(
    "--limit", type=click.IntRange(1), metavar="N", help="The first N queries only, for a quick look."
)
@click.option("--measure", "measures", multiple=True, help="Instead of the task's measures; may be repeated.")
@click.option(
    "--model",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Measure this trained model instead of the built-in one; linkage.",
)
@options.outputs
@options.quiet
@click.pass_context
def command(
    context: click.Context, /, task: str, file: Path, outputs: options.Outputs, quiet: bool, **given: Any
) -> None:
    """Measure what is served on TASK (local, global, linkage) with the questions in FILE.

    Numbers are as of each question's year: nothing newer is a candidate, no later citation is known; and
    what the citing paper itself wrote about others never helps.
    """
    from citewhy.evaluate.tasks import evaluator

    outputs.check()
    chosen = evaluator(task)
    for name in given.keys() - chosen.options:
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            raise QueryError(f"{_option(context, name)} is not for the task {task}")
    with progress_bar(quiet) as tell:
        outcome = chosen(task, file, given, tell)
    outputs.write(outcome)


def _option(context: click.Context, name: str) -> str:
    return next(each.opts[0] for each in context.command.params if each.name == name)
