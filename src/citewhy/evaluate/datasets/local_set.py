"""A folder to train and measure local citation recommendation on: papers, citing texts, and their splits.

Two layouts. That of the field, for ACL-200, ACL-600, FullTextPeerRead, RefSeer and arXiv (`SOURCES`):

    papers.json  contexts.json      `corpus.formats.keyed`
    train.json  val.json  test.json     [{"context_id": …, "positive_ids": […]}, …]

and JSON lines, as `citewhy add` takes them, with ``.gz`` or ``.zst`` or plain:

    papers.jsonl  contexts.train.jsonl  contexts.val.jsonl
    contexts.test.jsonl  citations.tsv  paper_aliases.tsv     where they are there

What is damaged is counted by name in `LocalSet.damage`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import orjson

from citewhy.errors import InputError
from citewhy.evaluate.datasets.lines import Line
from citewhy.formats import Record, read
from citewhy.formats.keyed import TARGET
from citewhy.formats.report import ImportReport
from citewhy.records import Alias, Citation, Context, Paper
from citewhy.text.source import read_bytes

__all__ = ["SOURCES", "LocalSet", "is_split", "open_local_set", "split_contexts", "windowed"]

SOURCES = {
    "ACL-200, FullTextPeerRead, RefSeer, arXiv": "https://github.com/nianlonggu/Local-Citation-Recommendation",
    "ACL-ARC (ACL-600), RefSeer": "https://github.com/zoranmedic/DualLCR",
}
"""Names of data sets of the field, and the page that links to their archives."""

_SUFFIXES = ("", ".gz", ".zst")
_MOST = 4 << 30
"""Bytes of a split file: that of arXiv has three million lines."""

R = TypeVar("R", Paper, Alias, Citation, Context)


@dataclass(frozen=True, slots=True)
class LocalSet:
    """A data set in memory. Contexts have the right answers that their split names."""

    name: str
    papers: Sequence[Paper]
    train: Sequence[Context]
    val: Sequence[Context]
    """Dials are chosen on these."""
    test: Sequence[Context]
    aliases: Sequence[Alias]
    citations: Sequence[Citation]
    """Beside those that the contexts are evidence of."""
    damage: Mapping[str, int]
    """What is wrong with the data, in words, and how often."""
    notes: Sequence[str]
    """Sentences for people: what was made of the files."""
    files: Sequence[Path]


def open_local_set(folder: Path) -> LocalSet:
    """Reads a folder in either layout. Raises InputError where a file is missing or cannot be read as a
    whole; what is wrong with single records is counted."""
    if _found(folder, "papers.json"):
        return _of_the_field(folder)
    if _found(folder, "papers.jsonl"):
        return _of_lines(folder)
    where = "; ".join(f"{names}: {address}" for names, address in SOURCES.items())
    raise InputError(
        "the folder has neither papers.json nor papers.jsonl",
        path=folder,
        hint=f"the data sets of the field are linked from these pages: {where}",
    )


def windowed(contexts: Iterable[Context], characters: int) -> list[Context]:
    """The contexts with so many characters on both sides of the first mark of the cited paper, and the rest
    of the words that these cut into; one without a mark is cut at its end."""
    return [replace(each, text=_window(each.text, characters)) for each in contexts]


def _window(text: str, characters: int) -> str:
    at = max(text.find(TARGET), 0)
    start, end = max(at - characters, 0), at + len(TARGET) + characters
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return text[start:end].strip()


# The layout of the field -----------------------------------------------------------------------------------


def is_split(path: Path) -> bool:
    """Whether a file is called like a split, and lies beside contexts of the field's layout."""
    return (
        path.name.split(".")[0] != "contexts"
        and path.suffix == ".json"
        and _found(path.parent, "contexts.json") is not None
    )


def split_contexts(path: Path) -> list[Context]:
    """The contexts of one split, with its right answers, for a benchmark. Raises InputError where a context
    of `path`, or any of the file beside, cannot be read.
    """
    damage: Counter[str] = Counter()
    contexts = {each.id: each for each in _records(_need(path.parent, "contexts.json"), Context, damage)}
    found = list(_split(path, contexts, damage))
    for problem, count in damage.items():
        if problem != _DIFFERENT:
            raise InputError(f"{problem}: {count}", path=path, hint="a benchmark is read whole or not at all")
    return found


_STRANGERS = "split rows whose context contexts.json does not have, left out"
_DIFFERENT = "split rows that ask for other papers than the context's refid; theirs count"
_UNMARKED = f"contexts without {TARGET}, kept"
_TWICE = "training contexts that are asked in another split too, left out of training"
_NOT_THERE = "cited papers that the papers do not have, kept: they are missed"
_WITHOUT_PAPER = "contexts whose citing paper the papers do not have, kept: they have no title and no year"


def _of_the_field(folder: Path) -> LocalSet:
    damage: Counter[str] = Counter()
    files = {name: _need(folder, f"{name}.json") for name in ("papers", "contexts", "train", "val", "test")}
    papers = list(_records(files["papers"], Paper, damage))
    contexts = {each.id: each for each in _records(files["contexts"], Context, damage)}
    train, val, test = (list(_split(files[name], contexts, damage)) for name in ("train", "val", "test"))
    return _checked(
        LocalSet(folder.name, papers, train, val, test, (), (), damage, (), tuple(files.values()))
    )


def _split(path: Path, contexts: Mapping[str, Context], damage: Counter[str]) -> Iterator[Context]:
    for line in _rows(path):
        context = contexts.get(line.text("context_id"))
        positive = line.texts("positive_ids")
        if context is None:
            damage[_STRANGERS] += 1
            continue
        if positive != context.cited_ids:
            damage[_DIFFERENT] += 1
        yield replace(context, cited_ids=positive)


def _rows(path: Path) -> Iterator[Line]:
    """The rows of a split: a list, or a row a line."""
    data = read_bytes(path, _MOST).strip()
    try:
        rows = (
            orjson.loads(data) if data.startswith(b"[") else [orjson.loads(row) for row in data.splitlines()]
        )
    except orjson.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", path=path, hint="expected a list of contexts") from error
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise InputError(f"row {number} is no object", path=path)
        yield Line(path, number, row)


# JSON lines ------------------------------------------------------------------------------------------------


def _of_lines(folder: Path) -> LocalSet:
    damage: Counter[str] = Counter()
    files = {"papers": _need(folder, "papers.jsonl"), "train": _need(folder, "contexts.train.jsonl")}
    files["val"] = _need(folder, "contexts.val.jsonl")
    for name, file in (
        ("test", "contexts.test.jsonl"),
        ("aliases", "paper_aliases.tsv"),
        ("citations", "citations.tsv"),
    ):
        if (path := _found(folder, file)) is not None:
            files[name] = path
    train, val = (list(_records(files[name], Context, damage)) for name in ("train", "val"))
    notes: tuple[str, ...] = ()
    if "test" in files:
        test = list(_records(files["test"], Context, damage))
    else:
        train, val, test = *_newest(train, files["train"]), val
        notes = (
            "There is no contexts.test: contexts.val is tested on, and the training contexts of"
            f" {val[0].year} validate.",
        )
    return _checked(
        LocalSet(
            folder.name,
            list(_records(files["papers"], Paper, damage)),
            train,
            val,
            test,
            list(_records(files["aliases"], Alias, damage)) if "aliases" in files else (),
            list(_records(files["citations"], Citation, damage)) if "citations" in files else (),
            damage,
            notes,
            tuple(files.values()),
        )
    )


def _newest(contexts: Sequence[Context], path: Path) -> tuple[list[Context], list[Context]]:
    """Those before the newest year, and those of it."""
    years = {each.year for each in contexts if each.year is not None}
    if len(years) < 2:
        raise InputError("the contexts are of one year, so that none can validate", path=path)
    newest = max(years)
    return [each for each in contexts if each.year != newest], [
        each for each in contexts if each.year == newest
    ]


# Both ------------------------------------------------------------------------------------------------------


def _checked(data: LocalSet) -> LocalSet:
    """Leaves asked contexts out of training, and counts what else is wrong."""
    damage = Counter(data.damage)
    asked = {(each.citing_id, each.id) for each in (*data.val, *data.test)}
    train = [each for each in data.train if (each.citing_id, each.id) not in asked]
    damage[_TWICE] += len(data.train) - len(train)
    known = {paper.id for paper in data.papers} | {alias.id for alias in data.aliases}
    known |= {alias.same_as for alias in data.aliases}
    for each in (*train, *data.val, *data.test):
        damage[_NOT_THERE] += sum(cited not in known for cited in each.cited_ids)
        damage[_WITHOUT_PAPER] += each.citing_id not in known
        damage[_UNMARKED] += TARGET not in each.text
    for split, contexts in (("train", train), ("val", data.val), ("test", data.test)):
        if not contexts:
            raise InputError(f"there is no context to use as {split}", path=data.files[0].parent)
    return replace(data, train=train, damage={what: count for what, count in damage.items() if count})


def _records(path: Path, kind: type[R], damage: Counter[str]) -> Iterator[R]:
    """The records of a file, all of one kind; what is skipped is counted."""
    report = ImportReport()
    for record in read(path, report):
        yield _of_kind(record, kind, path)
    if report.skipped:
        damage[f"records of {re.sub('[.](gz|zst)$', '', path.name)} that cannot be read, left out"] += (
            report.skipped
        )


def _of_kind(record: Record, kind: type[R], path: Path) -> R:
    if not isinstance(record, kind):
        raise InputError(
            f"expected {kind.__name__.lower()}s, found a {type(record).__name__.lower()}", path=path
        )
    return record


def _need(folder: Path, name: str) -> Path:
    path = _found(folder, name)
    if path is None:
        raise InputError(
            f"the folder has no {name}", path=folder, hint="docs/local.md lists what belongs to it"
        )
    return path


def _found(folder: Path, name: str) -> Path | None:
    return next((path for suffix in _SUFFIXES if (path := folder / f"{name}{suffix}").is_file()), None)
