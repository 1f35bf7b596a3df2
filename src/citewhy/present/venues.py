"""The kind of a publication, by the name of its venue."""

from __future__ import annotations

import re

__all__ = ["is_proceedings"]

_PROCEEDINGS = re.compile(
    r"\b(?:proceedings|conference|workshop|symposium|meeting|findings|congress|colloquium)\b", re.IGNORECASE
)


def is_proceedings(venue: str) -> bool:
    """Whether papers of this venue are conference papers rather than articles of a journal."""
    return bool(_PROCEEDINGS.search(venue))
