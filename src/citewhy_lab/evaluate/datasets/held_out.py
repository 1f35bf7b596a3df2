"""Papers held out from all training, to measure how models perform on uncited papers."""

from __future__ import annotations

import hashlib

SHARE = 5
"""One paper in this many is held out."""


def held_out(paper_id: str) -> bool:
    """Tells whether what others cite this paper for is kept from training; true of one paper in `SHARE`.

    A model that has seen a paper as an answer knows when to suggest it, whatever its text says: a set of
    questions about such papers measures memory. A library is full of papers that no training set cites, and
    nothing tells how they fare but papers whose citations were held back. So contexts and citations of a
    held-out paper train no model, neither as a right answer nor as a wrong one. The rule is a hash of the
    id: it needs no list, is the same for every recipe, and does not depend on what else is in the data.
    A paper of several ids is held out where one of them is.
    """
    return hashlib.blake2b(paper_id.encode(), digest_size=8).digest()[0] % SHARE == 0
