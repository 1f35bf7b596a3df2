"""A folder to train and measure local citation recommendation on: papers, citing sentences, and their splits.

Two layouts. That of the field, for ACL-200, ACL-600, FullTextPeerRead, RefSeer and arXiv (`SOURCES`):

    papers.json  contexts.json          `formats.jsonlines`; or contexts_600.json, contexts_200.json
    train.json  val.json  test.json     `evaluate.datasets.splits`

and JSON lines, as `citewhy add` takes them, with ``.gz`` or ``.zst`` or plain:

    papers.jsonl  contexts.train.jsonl  contexts.val.jsonl
    contexts.test.jsonl  citations.tsv  paper_aliases.tsv     where they are there

What is wrong with the data is counted by name in `DataSet.damage`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from citewhy.base.errors import InputError
from citewhy.base.records import Alias, Citation, Context, Paper
from citewhy.papers.formats.jsonlines import TARGET
from citewhy_lab.evaluate.datasets.reading import find, need, records
from citewhy_lab.evaluate.datasets.splits import CONTEXT_FILES, read_split

SOURCES = {
    "ACL-200, FullTextPeerRead, RefSeer, arXiv": "https://github.com/nianlonggu/Local-Citation-Recommendation",
    "ACL-ARC (ACL-600), RefSeer": "https://github.com/zoranmedic/DualLCR",
}
"""Names of data sets of the field, and the page that links to their archives."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set in memory. Contexts have the cited papers of their split."""

    name: str
    papers: Sequence[Paper]
    train: Sequence[Context]
    val: Sequence[Context]
    """For choosing parameters."""
    test: Sequence[Context]
    aliases: Sequence[Alias]
    citations: Sequence[Citation]
    """In addition to those of the contexts."""
    damage: Mapping[str, int]
    """Problems of the data, and how often they occur."""
    notes: Sequence[str]
    """Notes for people on how the files were used."""
    files: Sequence[Path]


def is_of_the_field(folder: Path) -> bool:
    """Tells whether a folder has the layout of the field."""
    return find(folder, "papers.json") is not None


def open_data_set(folder: Path) -> DataSet:
    """Reads a folder in either layout.

    Raises InputError if a file is missing or cannot be read; problems of single records are counted.
    """
    if is_of_the_field(folder):
        return _of_the_field(folder)
    if find(folder, "papers.jsonl"):
        return _of_lines(folder)
    where = "; ".join(f"{names}: {address}" for names, address in SOURCES.items())
    raise InputError(
        "the folder has neither papers.json nor papers.jsonl",
        path=folder,
        hint=f"the data sets of the field are linked from these pages: {where}",
    )


def windowed(contexts: Iterable[Context], characters: int) -> list[Context]:
    """Returns the contexts cut to the given number of characters on both sides of the first placeholder of
    the cited paper, completing words at the ends; one without a placeholder is truncated."""
    return [replace(context, text=_window(context.text, characters)) for context in contexts]


def _window(text: str, characters: int) -> str:
    at = max(text.find(TARGET), 0)
    start, end = max(at - characters, 0), at + len(TARGET) + characters
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return text[start:end].strip()


# The layout of the field -----------------------------------------------------------------------------------


_UNMARKED = f"contexts without {TARGET}, kept"
_TWICE = "training contexts that are asked in another split too, left out of training"
_NOT_THERE = "cited papers that the papers do not have, kept: they are missed"
_WITHOUT_PAPER = "contexts whose citing paper the papers do not have, kept: they have no title and no year"


def _of_the_field(folder: Path) -> DataSet:
    damage: Counter[str] = Counter()
    files = {"papers": need(folder, "papers.json"), "contexts": need(folder, *CONTEXT_FILES)}
    files |= {name: need(folder, f"{name}.json") for name in ("train", "val", "test")}
    papers = list(records(files["papers"], Paper, damage))
    contexts = {record.id: record for record in records(files["contexts"], Context, damage)}
    train, val, test = (list(read_split(files[name], contexts, damage)) for name in ("train", "val", "test"))
    return _checked(DataSet(folder.name, papers, train, val, test, (), (), damage, (), tuple(files.values())))


# JSON lines ------------------------------------------------------------------------------------------------


def _of_lines(folder: Path) -> DataSet:
    damage: Counter[str] = Counter()
    files = {"papers": need(folder, "papers.jsonl"), "train": need(folder, "contexts.train.jsonl")}
    files["val"] = need(folder, "contexts.val.jsonl")
    for name, file in (
        ("test", "contexts.test.jsonl"),
        ("aliases", "paper_aliases.tsv"),
        ("citations", "citations.tsv"),
    ):
        if (path := find(folder, file)) is not None:
            files[name] = path
    train, val = (list(records(files[name], Context, damage)) for name in ("train", "val"))
    notes: tuple[str, ...] = ()
    if "test" in files:
        test = list(records(files["test"], Context, damage))
    else:
        train, val, test = *_newest(train, files["train"]), val
        notes = (
            "There is no contexts.test: contexts.val is tested on, and the training contexts of"
            f" {val[0].year} validate.",
        )
    return _checked(
        DataSet(
            folder.name,
            list(records(files["papers"], Paper, damage)),
            train,
            val,
            test,
            list(records(files["aliases"], Alias, damage)) if "aliases" in files else (),
            list(records(files["citations"], Citation, damage)) if "citations" in files else (),
            damage,
            notes,
            tuple(files.values()),
        )
    )


def _newest(contexts: Sequence[Context], path: Path) -> tuple[list[Context], list[Context]]:
    """Returns the contexts before the newest year, and those of the newest year."""
    years = {context.year for context in contexts if context.year is not None}
    if len(years) < 2:
        raise InputError("the contexts are of one year, so that none can validate", path=path)
    newest = max(years)
    return [context for context in contexts if context.year != newest], [
        context for context in contexts if context.year == newest
    ]


# Both ------------------------------------------------------------------------------------------------------


def _checked(data: DataSet) -> DataSet:
    """Removes test contexts from training, and counts other problems."""
    damage = Counter(data.damage)
    asked = {(context.citing_id, context.id) for context in (*data.val, *data.test)}
    train = [context for context in data.train if (context.citing_id, context.id) not in asked]
    damage[_TWICE] += len(data.train) - len(train)
    known = {paper.id for paper in data.papers} | {alias.id for alias in data.aliases}
    known |= {alias.same_as for alias in data.aliases}
    for context in (*train, *data.val, *data.test):
        damage[_NOT_THERE] += sum(cited not in known for cited in context.cited_ids)
        damage[_WITHOUT_PAPER] += context.citing_id not in known
        damage[_UNMARKED] += TARGET not in context.text
    for split, contexts in (("train", train), ("val", data.val), ("test", data.test)):
        if not contexts:
            raise InputError(f"there is no context to use as {split}", path=data.files[0].parent)
    return replace(data, train=train, damage={what: count for what, count in damage.items() if count})
