"""`citewhy evaluate`: measures the pipeline on questions with known answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from citewhy.base.errors import QueryError
from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar
from citewhy_lab.cli import options as lab_options
from citewhy_lab.evaluate.parameters import Parameter, parameters
from citewhy_lab.evaluate.tasks import find_task, measure
from citewhy_lab.evaluate.tasks import options as supported
from citewhy_lab.evaluate.tasks.declared import DECLARED

EPILOG = """\b
Examples:
  citewhy evaluate local contexts.val.jsonl.gz
  citewhy evaluate local contexts.val.jsonl.gz --pool abstract --baseline bm25
  citewhy evaluate local contexts.val.jsonl.gz --unseen 100 --seed 7 --json
  citewhy evaluate global global.val.jsonl.gz --known 0.5 --baseline bm25
  citewhy evaluate local contexts.val.jsonl.gz --run full.run --out local
  citewhy evaluate local contexts.val.jsonl.gz --plot reliability.svg
  citewhy evaluate linkage linkage.dev.citances.jsonl.gz --baseline bdot
  citewhy evaluate documents scidocs --encoder specter-cl
  citewhy evaluate aspects csfcube --pipeline bm25
  citewhy evaluate needs fulltext.citing.jsonl.gz --held-out
  citewhy evaluate sets contexts.val.jsonl.gz
  citewhy evaluate intent intents.val.jsonl.gz --papers papers.jsonl.gz
  citewhy evaluate audit hallmark --made-on hallmark/dev_public.jsonl

FILE holds citing sentences (local, aspects, sets), topic sentences of paragraphs (paragraph), whole papers as
queries (global), citing sentences linked to sentences of the cited paper (linkage), paragraphs with discourse
tags (discourse), full texts or a draft with their citations (needs), or valid and invented entries of
reference lists (audit); it is the folder of CSFCube (aspects), or of SciDocs, MDCR or SciRepEval (documents).
docs/evaluation.md describes the files and the measures, and explains every decision behind the numbers.
"""


def _options() -> list[Parameter]:
    """Lists the options that any of the tasks has, each once."""
    by_name: dict[str, Parameter] = {}
    for task in DECLARED:
        for parameter in parameters(task):
            by_name.setdefault(parameter.name, parameter)
    return list(by_name.values())


def _with_options(command: lab_options.Command) -> lab_options.Command:
    for parameter in reversed(_options()):
        command = lab_options.option_of(parameter, parameter.default)(command)
    return command


@click.command("evaluate", epilog=EPILOG)
@click.argument("task", metavar="TASK")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@_with_options
@lab_options.outputs
@options.quiet
@click.pass_context
def command(
    context: click.Context, /, task: str, file: Path, outputs: lab_options.Outputs, quiet: bool, **given: Any
) -> None:
    """Measure the pipeline on TASK with the questions in FILE.

    TASK is local, sets, paragraph, global, linkage, intent, discourse, needs, aspects, documents
    or audit.

    Every question is answered as of its year: newer papers are not candidates, later citations are ignored,
    and citations by the citing paper itself are never used as evidence.
    """
    outputs.check()
    for name in given.keys() - supported(find_task(task)):
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            raise QueryError(f"{_option(context, name)} does not apply to the task {task}")
    with progress_bar(quiet) as progress:
        outcome = measure(task, file, lab_options.with_defaults(_options(), given), progress)
    outputs.write(outcome)


def _option(context: click.Context, name: str) -> str:
    return next(param.opts[0] for param in context.command.params if param.name == name)
