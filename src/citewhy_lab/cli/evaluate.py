"""`citewhy evaluate`: measures the pipeline on questions with known answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from citewhy.base.errors import QueryError
from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar
from citewhy_lab.cli import options as lab_options

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

FILE holds citing sentences (local, aspects, sets), topic sentences of paragraphs (paragraph), whole papers as
queries (global), citing sentences linked to sentences of the cited paper (linkage), paragraphs with discourse
tags (discourse), or full texts or a draft with their citations (needs); it is the folder of CSFCube
(aspects), or of SciDocs, MDCR or SciRepEval (documents). docs/evaluation.md describes the files and the
measures, and explains every decision behind the numbers.
"""


@click.command("evaluate", epilog=EPILOG)
@click.argument("task", metavar="TASK")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@options.library
@options.pipeline
@options.encoder
@options.ranker
@options.ranking
@lab_options.baseline
@click.option(
    "--pool",
    default="all",
    show_default=True,
    metavar="NAME",
    help="Candidates: all papers, or only those with an abstract (abstract).",
)
@click.option(
    "--known",
    type=options.Number(0, 1, max_open=True),
    default=0.0,
    metavar="SHARE",
    help="Share of each query's references that count as known papers; for global.",
)
@click.option(
    "--unseen",
    type=int,
    metavar="N",
    help="Hide all evidence for N cited papers, and score only these.",
)
@click.option(
    "--held-out", is_flag=True, help="Like --unseen, for the papers that no built-in model was trained on."
)
@options.seed("Random seed for --known, --unseen and the confidence intervals.")
@click.option(
    "-k",
    "depth",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Number of candidates per query.",
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Use only the first N queries.")
@click.option(
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME",
    help="Use this measure instead of those of the task; may be repeated.",
)
@click.option(
    "--model",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Measure this trained model instead of the built-in one; for linkage, discourse, needs and sets.",
)
@click.option(
    "--papers",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Records of the citing papers, whose authors tell which cited works are their own; for intent.",
)
@click.option(
    "--embeddings",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Vectors of papers, as JSON lines, instead of an encoder; for documents; may be repeated.",
)
@click.option(
    "--write-embeddings",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the vectors of the papers to FILE; for documents.",
)
@click.option(
    "--write-questions",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the questions to FILE, to be asked again; for aspects.",
)
@lab_options.outputs
@options.quiet
@click.pass_context
def command(
    context: click.Context, /, task: str, file: Path, outputs: lab_options.Outputs, quiet: bool, **given: Any
) -> None:
    """Measure the pipeline on TASK with the questions in FILE.

    TASK is local, sets, paragraph, global, linkage, intent, discourse, needs, aspects or documents.

    Every question is answered as of its year: newer papers are not candidates, later citations are ignored,
    and citations by the citing paper itself are never used as evidence.
    """
    from citewhy_lab.evaluate.tasks import find_task, measure
    from citewhy_lab.evaluate.tasks import options as supported

    outputs.check()
    for name in given.keys() - supported(find_task(task)):
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            raise QueryError(f"{_option(context, name)} does not apply to the task {task}")
    with progress_bar(quiet) as progress:
        outcome = measure(task, file, given, progress)
    outputs.write(outcome)


def _option(context: click.Context, name: str) -> str:
    return next(param.opts[0] for param in context.command.params if param.name == name)
