"""Papers as entries of a bibliography, in the formats in which they are exported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citewhy.answers.options import ExportFormat
    from citewhy.base.records import Paper


def exported(form: ExportFormat, papers: Sequence[tuple[str, Paper]]) -> str:
    """Papers, each with the key or id that it has in the export."""
    from citewhy.writers import bibtex, csl, ris  # for this alone

    write = {"bibtex": bibtex.entries, "ris": ris.entries, "csl": csl.entries}[form]
    return write(replace(paper, id=key) for key, paper in papers)
