"""Task `local`: a citing sentence is the query, the papers cited at its ``TARGETCIT`` are the answers.

The query also has what its author knows while writing: title, abstract and authors of the citing paper. Other
references of that paper are not given, and a ranker must not use what the library knows about them
(`Query.citing_id`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Context, Paper, Query
from citewhy.papers.formats import read
from citewhy_lab.evaluate.datasets.lines import expect_first
from citewhy_lab.evaluate.datasets.splits import is_split, split_contexts
from citewhy_lab.evaluate.datasets.topics import Benchmark, Options, Papers, Topic, canonical_ids


def topics(path: Path, papers: Papers, options: Options) -> list[Topic]:
    """Returns one topic for each context.

    Raises InputError for a file of another kind, and for any line that an import would skip or warn about:
    its query would be missing or different.
    """
    contexts = contexts_in(path)
    citing = papers.papers(
        {paper_id for context in contexts if (paper_id := papers.canonical(context.citing_id))}
    )
    return [topic(context, papers, citing) for context in contexts]


def contexts_in(path: Path) -> list[Context]:
    """Returns the citing sentences of a benchmark. Raises as `topics`."""
    if is_split(path):
        return split_contexts(path)
    expect_first(path, "local", "context_id")
    report = ImportReport()
    records = list(read(path, report))
    problems = [*report.skips, *report.warnings]
    for problem in sorted(problems, key=lambda problem: problem.line or 0):
        raise InputError(problem.why, path=path, line=problem.line, hint="benchmarks must be read completely")
    return [record for record in records if isinstance(record, Context)]


def topic(context: Context, papers: Papers, citing: Mapping[str, Paper]) -> Topic:
    """Returns the topic of one context; `citing` has the citing papers that the library knows, by canonical
    id."""
    paper = citing.get(papers.canonical(context.citing_id) or "", Paper(context.citing_id, title=""))
    query = Query(
        kind="local",
        id=context.id,
        text=context.text,
        title=paper.title,
        abstract=paper.abstract,
        authors=paper.authors,
        year=paper.year if context.year is None else context.year,
        citing_id=paper.id,
    )
    return Topic(query, canonical_ids(context.cited_ids, papers))


TASK = Benchmark(name="local", measures=("R@10", "R@100", "R@1000", "RR"), average="judgements", read=topics)
