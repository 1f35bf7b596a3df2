"""Says what the building of a data set is told, from the command line or from Python."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from citewhy_lab.evaluate.parameters import LibraryFolder, Option, year

Sections = Literal["related", "all"]
"""``related``: paragraphs of the sections on related work; ``all``: of every section but the abstract and
what follows the text, if it cites a paper of the library."""


@dataclass(frozen=True, slots=True)
class ParagraphsSettings:
    """Says what the queries for paragraph-level recommendation are built from."""

    files: Annotated[tuple[Path, ...], Option("", metavar="FILE…", argument=True)]
    library: LibraryFolder = None
    sections: Annotated[
        Sections,
        Option("Paragraphs of the sections on related work, as in the source, or of all sections."),
    ] = "related"
    split: Annotated[int | None, year("Split by the papers' years.")] = None
    tagger: Annotated[
        Path | None, Option("Use this discourse tagger instead of the built-in one.", metavar="DIR")
    ] = None
