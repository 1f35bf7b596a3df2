"""Defines what may be wished for in an answer, and which wishes exclude each other. Every door uses these
records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

from citewhy.answers.questions import QueryFields
from citewhy.base.config import DEFAULT_K
from citewhy.base.errors import QueryError
from citewhy.base.records import Intent, Only, UnitKind

ExportFormat = Literal["bibtex", "ris", "csl"]


@dataclass(frozen=True, slots=True)
class TextOptions:
    """The wishes for the answer to a text."""

    k: int = DEFAULT_K
    """Number of papers, at least 1."""
    threshold: float | None = None
    """Probability in [0, 1] of the best paper below which nothing is suggested; None: that of the ranker."""
    intent: Intent | None = None
    """Papers that are cited with this intent come first."""
    paragraph: bool = False
    """Whether the text is the first sentence of a paragraph, for the rest of which papers are wanted."""
    beside: tuple[str, ...] = ()
    """These texts name the papers that the citation has already."""

    def check(self) -> None:
        """Raises QueryError for wishes that exclude each other."""
        if self.beside and self.paragraph:
            raise QueryError("--beside is for one citation in --text", hint="for a DRAFT: --unit set")

    def query_fields(self, id_of: Callable[[str], str]) -> QueryFields:
        """The fields of the query that are wished for; `id_of` gives the id of the paper that is named."""
        fields: QueryFields = {}
        if self.paragraph:
            fields["kind"] = "paragraph"
        if self.beside:
            fields["kind"], fields["member_ids"] = "set", tuple(map(id_of, self.beside))
        if self.intent is not None:
            fields["intent"] = self.intent
        return fields


class DraftWishes(TypedDict, total=False):
    """The fields of `DraftOptions` that concern suggestions, as keyword arguments."""

    units: Sequence[UnitKind]
    only: Only | None
    needed: bool
    intent: Intent | None
    threshold: float | None
    year: int | None


@dataclass(frozen=True, slots=True)
class DraftOptions:
    """The wishes for the answer to a draft, and for the edit that is made of it."""

    k: int = DEFAULT_K
    """Number of papers for each unit, at least 1."""
    units: Sequence[UnitKind] = ("place",)
    """The parts of the draft that are answered."""
    only: Only | None = None
    """Only papers that the draft's bibliography has (``mine``), or only others (``new``)."""
    needed: bool = False
    """Whether the sentences that cite nothing but should are answered, as a review finds them."""
    intent: Intent | None = None
    """Papers that are cited with this intent come first."""
    threshold: float | None = None
    """Probability in [0, 1] of the best paper below which nothing is suggested; None: that of the ranker."""
    year: int | None = None
    """The as-of year. None stands for that of the draft, if it has one, otherwise no limit."""
    write: bool = False
    """Whether the first suggestions are written that are probable enough."""
    choose: bool = False
    """Whether the author is asked which suggestions are written."""
    at_least: float | None = None
    """Least probability in [0, 1] of a suggestion that is written; None: `edits.AT_LEAST`."""
    outside: bool = False
    """Whether files outside of the draft's folder may be changed."""
    export: ExportFormat | None = None
    """The format in which the suggested papers are exported, instead of an answer."""

    @property
    def changes(self) -> bool:
        """Whether the draft is to be edited."""
        return self.write or self.choose

    def check(self) -> None:
        """Raises QueryError for wishes that exclude each other."""
        other_units = tuple(self.units) != ("place",)
        if other_units and self.changes:
            raise QueryError("--write and --choose fill open citations only", hint="omit --unit")
        if self.needed and (self.changes or other_units):
            what = (
                "--write and --choose fill open citations" if self.changes else "--unit selects other parts"
            )
            raise QueryError(
                f"{what}, --only needed selects sentences that cite nothing", hint="omit one of them"
            )
        if self.choose and (self.write or self.at_least is not None):
            raise QueryError("--choose asks a person", hint="omit --json, --write and --at-least")
        if self.export is not None and self.changes:
            raise QueryError(f"--{self.export} prints nothing else", hint="omit --write and --choose")


def restrictions(names: Sequence[str]) -> tuple[Only | None, bool]:
    """Which papers may be suggested (``mine``, ``new``), and whether only for sentences that lack a citation
    (``needed``). Raises QueryError for ``mine`` and ``new`` together."""
    if {"mine", "new"} <= set(names):
        raise QueryError("no paper is both mine and new", hint="give --only mine or --only new")
    only: Only | None = "mine" if "mine" in names else "new" if "new" in names else None
    return only, "needed" in names
