"""`citewhy evaluate`: the pipeline that is served, on questions with known answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from citewhy.cli.progress import Tell, encoding, progress_bar
from citewhy.config import DEFAULT_SEED, default_library
from citewhy.errors import QueryError

if TYPE_CHECKING:
    from citewhy.corpus.store import Library
    from citewhy.datasets.topics import Task, Topic
    from citewhy.evaluation.report import Report
    from citewhy.rerank.ranker import Pipeline
    from citewhy.retrieve.rules import Pool

__all__ = ["command"]

EPILOG = """\b
Examples:
  citewhy evaluate local contexts.val.jsonl.gz
  citewhy evaluate local contexts.val.jsonl.gz --pool abstract --baseline bm25
  citewhy evaluate local contexts.val.jsonl.gz --unseen 100 --seed 7 --json
  citewhy evaluate global global.val.jsonl.gz --known 0.5 --baseline bm25
  citewhy evaluate local contexts.val.jsonl.gz --run full.run --out local
  citewhy evaluate local contexts.val.jsonl.gz --plot reliability.svg

FILE holds citing sentences (local) or whole papers as queries (global); docs/evaluation.md describes the
files, the measures and every decision behind the numbers.
"""


@dataclass(frozen=True, slots=True)
class _Settings:
    """The command line, checked where it is used."""

    task: str
    file: Path
    library: Path
    pipeline: str
    baseline: str | None
    pool: str
    known: float
    unseen: int | None
    held_out: bool
    seed: int
    depth: int
    limit: int | None
    measures: tuple[str, ...]

    def options(self) -> dict[str, Any]:
        """What a result depends on beside its data, by the names of the command line."""
        named = ("pipeline", "baseline", "pool", "known", "unseen", "held_out", "limit")
        return {name: getattr(self, name) for name in named} | {"k": self.depth}


@click.command("evaluate", epilog=EPILOG)
@click.argument("task", metavar="TASK")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--library", type=click.Path(path_type=Path), help="Library folder; default: the user's own.")
@click.option("--pipeline", default="full", show_default=True, help="bm25, dense, hybrid or full.")
@click.option("--baseline", metavar="NAME|RUN", help="A pipeline, or a TREC run file, to compare with.")
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
@click.option(
    "--seed", type=int, default=DEFAULT_SEED, show_default=True, help="For --known, --unseen, intervals."
)
@click.option(
    "-k", "depth", type=click.IntRange(1), default=1000, show_default=True, help="Candidates a query."
)
@click.option(
    "--limit", type=click.IntRange(1), metavar="N", help="The first N queries only, for a quick look."
)
@click.option("--measure", "measures", multiple=True, help="Instead of the task's measures; may be repeated.")
@click.option(
    "--run", "run_file", type=click.Path(path_type=Path), help="Write the rankings here, as a TREC run."
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write the table here: Markdown, with JSON beside it."
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE.svg",
    help="Draw here how often probabilities are right.",
)
@click.option(
    "--json", "as_document", is_flag=True, help="One JSON document on standard output, nothing else."
)
@click.option("--quiet", is_flag=True, help="No progress bar.")
def command(
    library: Path | None,
    run_file: Path | None,
    out: Path | None,
    plot: Path | None,
    as_document: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Measure the pipeline on TASK (local, global) with the questions in FILE.

    Numbers are as of each question's year: nothing newer is a candidate, no later citation is known; and
    what the citing paper itself wrote about others never helps.
    """
    from citewhy.evaluation.asking import refuse_early
    from citewhy.evaluation.report import as_json, as_text, save, save_plot
    from citewhy.evaluation.runs import write_trec
    from citewhy.pipeline import PIPELINES

    refuse_early(given["baseline"], (run_file, out, plot), PIPELINES)
    with progress_bar(quiet) as tell:
        report = evaluate(_Settings(library=library or default_library(), **given), tell)
    click.echo(as_json(report) if as_document else as_text(report))  # first: a full disk must not cost it
    if run_file is not None:
        write_trec(run_file, report.system.answers.run, tag=report.system.name)
    if out is not None:
        save(report, out)
    if plot is not None:
        save_plot(report, plot)


def evaluate(settings: _Settings, tell: Tell) -> Report:
    """Reads the questions, asks the pipeline (and the baseline), scores, and says what it was made of."""
    from citewhy.corpus.store import Library
    from citewhy.datasets import task
    from citewhy.evaluation.asking import Asker
    from citewhy.evaluation.compare import compare
    from citewhy.evaluation.making import library_facts, peak_rss_mb, software
    from citewhy.evaluation.ranking import measurable
    from citewhy.evaluation.report import Report
    from citewhy.pipeline import Recommender

    the_task = task(settings.task)
    measures, too_deep = measurable(settings.measures or the_task.measures, settings.depth)
    with Library.open(settings.library) as library:
        topics, hidden, notes = _questions(settings, the_task, library)
        if too_deep:
            notes.append(f"not told by {settings.depth} candidates: {', '.join(too_deep)}")
        ask = Asker(
            topics,
            settings.depth,
            measures,
            the_task.average,
            settings.seed,
            lambda name: Recommender(
                library,
                cast("Pipeline", name),
                cast("Pool", settings.pool),
                hidden_ids=hidden,
                tell=encoding(tell),
            ),
            library.canonical,
            tell,
        )
        system = ask.pipeline(settings.pipeline)
        memory = peak_rss_mb()  # of the measured pipeline, before a baseline adds its own
        baseline = None if settings.baseline is None else ask.baseline(settings.baseline)
        data = [*_files(settings), {"library": library_facts(library)}]
        missing = sum(library.canonical(paper_id) is None for topic in topics for paper_id in topic.relevant)
    return Report(
        task=the_task.name,
        file=settings.file.name,
        queries=len(topics),
        judgements=sum(len(topic.relevant) for topic in topics),
        average=the_task.average,
        not_in_library=missing,
        pool_kind=settings.pool,
        depth=settings.depth,
        system=system,
        baseline=baseline,
        difference={} if baseline is None else compare(system.scores, baseline.scores, settings.seed),
        peak_rss_mb=memory,
        notes=notes,
        made={"data": data, "options": settings.options(), "seed": settings.seed, "software": software()},
    )


def _questions(
    settings: _Settings, task: Task, library: Library
) -> tuple[list[Topic], frozenset[str], list[str]]:
    """The topics to score, the ids to hide, and what has to be said about both."""
    from citewhy.datasets.topics import Options, hide, hide_held_out

    topics = task.topics(settings.file, library, Options(settings.known, settings.seed))
    hidden: frozenset[str] = frozenset()
    notes = []
    if settings.known:
        notes.append(f"{settings.known:.0%} of each query's references are known to it and not asked for")
    if settings.held_out:
        if settings.unseen is not None:
            raise QueryError("--unseen and --held-out hide different papers", hint="give one of them")
        topics, hidden = hide_held_out(topics)
        notes.append(f"{len(hidden)} held-out cited papers were hidden; only they are judged")
    if settings.unseen is not None:
        topics, hidden = hide(topics, settings.unseen, settings.seed, library)
        notes.append(f"{len(hidden)} cited papers were hidden (seed {settings.seed}); only they are judged")
    if settings.limit is not None and settings.limit < len(topics):
        notes.append(f"the first {settings.limit:,} of {len(topics):,} queries only")
        topics = topics[: settings.limit]
    return topics, hidden, notes


def _files(settings: _Settings) -> list[dict[str, Any]]:
    from citewhy.evaluation.making import file_facts

    paths = [settings.file]
    if settings.baseline is not None and Path(settings.baseline).is_file():
        paths.append(Path(settings.baseline))
    return [file_facts(path) for path in paths]
