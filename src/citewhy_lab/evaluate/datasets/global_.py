"""Task `global`: a whole paper is the query, by its title and abstract (if it has one); its references are
the answers.

With a share `known`, a random part of the references is given as the draft's own and not asked for.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from citewhy.base.records import Paper, Query
from citewhy_lab.evaluate.datasets.lines import Line, objects
from citewhy_lab.evaluate.datasets.topics import Benchmark, Options, Papers, Topic, canonical_ids


def topics(path: Path, papers: Papers, options: Options) -> list[Topic]:
    """Returns one topic for each line. A paper that occurs again is asked again, under ``id#2``, ``id#3``, ….

    Raises InputError for a file of another kind, an invalid line, and a query paper that is not in the
    library (nothing could be asked without its title).
    """
    lines = list(objects(path, "global", "query_id"))
    citing = papers.papers(
        {paper_id for line in lines if (paper_id := papers.canonical(line.text("query_id")))}
    )
    times: Counter[str] = Counter()
    found_topics = []
    for line in lines:
        times[line.text("query_id")] += 1
        found_topics.append(_topic(line, times[line.text("query_id")], papers, citing, options))
    return found_topics


def _topic(line: Line, time: int, papers: Papers, citing: Mapping[str, Paper], options: Options) -> Topic:
    query_id = line.text("query_id")
    paper = citing.get(papers.canonical(query_id) or "")
    if paper is None:
        raise line.error(
            f"query paper {query_id} is not in the library", hint="add the papers first: citewhy add PATH"
        )
    cited = canonical_ids(line.texts("cited_ids"), papers)
    known, asked = split(query_id, cited, options)
    query = Query(
        kind="global",
        id=query_id if time == 1 else f"{query_id}#{time}",
        title=paper.title,
        abstract=paper.abstract,
        authors=paper.authors,
        known_ids=tuple(paper_id for paper_id in known if papers.canonical(paper_id)),
        year=paper.year if line.year("year") is None else line.year("year"),
        citing_id=paper.id,
    )
    return Topic(query, asked)


def split(query_id: str, cited: tuple[str, ...], options: Options) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the known and the requested references of a query, both sorted. At least one is requested.

    The choice depends on the seed, the query's id and its references, not on their order or on other queries.
    """
    references = sorted(cited)
    number = math.floor(options.known * len(references))
    known = set(random.Random(f"{options.seed} {query_id}").sample(references, number))
    return tuple(sorted(known)), tuple(r for r in references if r not in known)


TASK = Benchmark(
    name="global",
    measures=("R@10", "R@100", "nDCG@10", "AP"),
    average="queries",
    read=topics,
    takes_known=True,
)
