"""Task `intent`: labelled citations of SciCite (Cohan et al. 2019) and ACL-ARC (Jurgens et al. 2018).

A row has ``text``, ``label``, ``source`` (``scicite`` or ``acl-arc``) and, where known, ``marker``, the place
of the labelled citation in the text, ``section``, ``citing_id``, and the sentences before and after, ``prev``
and ``next``. Who wrote the citing papers is in another file, of papers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from citewhy.base.errors import InputError
from citewhy.base.records import SentenceInContext
from citewhy.papers.formats import read_papers
from citewhy.ranking.intents.labels import INTENTS
from citewhy.text.markers import TARGET
from citewhy.text.own_work import is_own_work
from citewhy_lab.evaluate.datasets.lines import objects

FUNCTIONS = ("Background", "Uses", "CompareOrContrast", "Extends", "Motivation", "Future")
"""The functions of ACL-ARC."""

HEADS: Mapping[str, str] = {"scicite": "intent", "acl-arc": "function"}
"""The head of the classifier (`classify.fine_tuned`) that answers for a source."""

LABELS: Mapping[str, tuple[str, ...]] = {"intent": INTENTS, "function": FUNCTIONS}
"""The labels of a head."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A labelled citation."""

    source: str
    sentence: SentenceInContext
    label: str
    group: str
    """The citing paper, or the line if it is not known."""


def read_intents(path: Path, papers: Path | None = None) -> list[Citation]:
    """Returns all rows; the authors of the citing papers in the file `papers`, in a form that `formats.read`
    reads, tell which cited works are their own. Raises InputError with file and line for a row without text,
    or with an unknown source or label."""
    authors = _authors(papers)
    citations = []
    for line in objects(path, "intent", "label"):
        source, label, text = line.text("source"), line.text("label"), line.text("text")
        if source not in HEADS or label not in LABELS[HEADS[source]]:
            raise line.error(
                f"the label {label!r} of {source!r} is unknown", hint=f"sources are {', '.join(HEADS)}"
            )
        group = str(line.fields.get("citing_id") or f"line {line.number}")
        own_work = None
        marker = line.numbers("marker") if line.fields.get("marker") else ()
        if marker:
            if len(marker) != 2 or not marker[0] <= marker[1] <= len(text):
                raise line.error("`marker` is no place in the text", hint="give [start, end], from 0")
            own_work = is_own_work(text[marker[0] : marker[1]], authors.get(group, ()))
            text = f"{text[: marker[0]]} {TARGET} {text[marker[1] :]}"
        before, after, section = (_known(line.fields.get(name)) for name in ("prev", "next", "section"))
        sentence = SentenceInContext(text, before, after, section, own_work=own_work)
        citations.append(Citation(source, sentence, label, group))
    if not citations:
        raise InputError("the file is empty", path=path)
    return citations


def _authors(papers: Path | None) -> Mapping[str, Sequence[str]]:
    """Returns the authors by id of the paper; empty without a file. Raises InputError."""
    return {} if papers is None else {paper.id: paper.authors for paper in read_papers(papers)}


def _known(value: object) -> str:
    return value if isinstance(value, str) else ""
