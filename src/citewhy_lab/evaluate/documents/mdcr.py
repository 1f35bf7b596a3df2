"""MDCR (Medić and Šnajder 2022): citation recommendation in 19 fields, in the layout of its files.

    mdcr_test.json         field → query → kind of candidate (``true``, ``bm25``, ``graph``, …) → ids
    mdcr_test_data.jsonl   papers: an id, title, abstract

To be had at https://github.com/zoranmedic/mdcr. Candidates are ranked by Euclidean distance; measures are
means over the queries of a field, and the average is one of the fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from citewhy.base.errors import InputError
from citewhy_lab.evaluate.documents.embeddings import Embed, json_lines, paper_of, read_json
from citewhy_lab.evaluate.documents.scoring import Score, ranked

__all__ = ["is_mdcr", "mdcr"]

MEASURES = ("map", "ndcg", "recall_5")
TRUE = "true"


def is_mdcr(folder: Path) -> bool:
    return (folder / "mdcr_test.json").is_file()


def mdcr(folder: Path, embed: Embed) -> Iterator[Score]:
    """Figures of each field and of all. Raises InputError for files of another form."""
    path, data = folder / "mdcr_test.json", folder / "mdcr_test_data.jsonl"
    if not data.is_file():
        raise InputError("the papers of mdcr_test.json are missing", path=data, hint="see the page of MDCR")
    fields = read_json(path)
    vectors = embed(dict(map(paper_of, json_lines(data))), False)
    means: dict[str, list[float]] = {name: [] for name in MEASURES}
    for field, queries in fields.items():
        judgements: dict[str, dict[str, int]] = {}
        for query, kinds in queries.items():
            if not isinstance(kinds, dict) or TRUE not in kinds:
                raise InputError(f"query {query} of {field} has no candidates {TRUE!r}", path=path)
            grades = {str(each): 0 for kind, some in kinds.items() if kind != TRUE for each in some}
            judgements[query] = grades | {str(each): 1 for each in kinds[TRUE]}
        for score in ranked(field, MEASURES, judgements, vectors, vectors):
            means[score.measure].append(score.value)
            yield score
    for name, values in means.items():
        yield Score("mean of fields", name, float(np.mean(values)))
