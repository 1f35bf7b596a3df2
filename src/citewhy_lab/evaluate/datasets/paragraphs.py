"""Task `paragraph`: the topic sentence of a paragraph is the query, the papers that the rest of it cites are
the answers (Medić and Šnajder 2023).

The query also has title, abstract and year of the citing paper: those of the line, or else those that the
library has. A line of which neither is known is asked by its topic sentence alone, and without a limit of
time.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from citewhy.base.records import Paper, Query
from citewhy_lab.evaluate.datasets.lines import Line, objects
from citewhy_lab.evaluate.datasets.topics import Benchmark, Options, Papers, Topic, canonical_ids


def topics(path: Path, papers: Papers, options: Options) -> list[Topic]:
    """Returns one topic for each line. Raises InputError for a file of another kind, and for an invalid
    line."""
    lines = list(objects(path, "paragraph", "topic_sentence"))
    citing = papers.papers({paper_id for line in lines if (paper_id := papers.canonical(line.text("paper")))})
    return [_topic(line, papers, citing) for line in lines]


def _topic(line: Line, papers: Papers, citing: Mapping[str, Paper]) -> Topic:
    known = citing.get(papers.canonical(line.text("paper")) or "", Paper(line.text("paper"), ""))
    year = line.year("year")
    query = Query(
        kind="paragraph",
        id=line.text("query_id"),
        text=line.text("topic_sentence"),
        title=line.text("title") if line.fields.get("title") else known.title,
        abstract=line.text("abstract") if line.fields.get("abstract") else known.abstract,
        authors=known.authors,
        year=known.year if year is None else year,
        citing_id=known.id,
    )
    return Topic(query, canonical_ids(line.texts("cited_ids"), papers))


TASK = Benchmark(name="paragraph", measures=("Rprec", "R@5", "R@10", "RR"), average="queries", read=topics)
