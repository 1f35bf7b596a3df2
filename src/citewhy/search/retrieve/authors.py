"""Papers that the authors of a draft wrote or cited before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from citewhy.search.index import View
from citewhy.search.index.arrays import Rows
from citewhy.search.retrieve.sparse import Sparse


@dataclass(frozen=True, slots=True)
class History:
    """The earlier papers and citations of all authors of a draft."""

    written: Sparse
    """For each paper, the number of the draft's authors who wrote it."""
    cited: Sparse
    """For each paper, the number of citations in the authors' other papers; a citing paper by two of the
    authors counts twice."""


def history(view: View, authors: Sequence[str]) -> History:
    written = [view.papers_by(author) for author in authors]
    cited = [view.cited(papers).rows for papers in written]
    return History(_counted(written), _counted(cited))


def _counted(papers: Sequence[Rows]) -> Sparse:
    rows, times = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *papers]), return_counts=True)
    return Sparse(rows, times.astype(np.float32))
