"""A library whose file is not as it was written: it says so, or it says what it said before."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from library_world import batch, everything, paper

from citewhy.base.errors import DamagedError, LibraryError, QueryError
from citewhy.base.records import Alias
from citewhy.papers.library.store import Library

BATCHES = 40
PAGE = 4096
IDS = [f"P{number:04}" for number in range(BATCHES * 4 + 10)] + [
    f"X{number:04}" for number in range(0, 60, 3)
]


def damaged(content: bytes, kind: str, chance: random.Random) -> bytes:
    """The file's bytes after one accident."""
    data = bytearray(content)
    if kind == "bits":
        for _ in range(32):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif kind == "bit":
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif kind == "cut":
        del data[chance.randrange(len(data)) :]
    elif kind == "zeroed page":
        page = chance.randrange(len(data) // PAGE) * PAGE
        data[page : page + PAGE] = bytes(PAGE)
    else:  # two pages in each other's place
        one, other = (chance.randrange(len(data) // PAGE) * PAGE for _ in range(2))
        data[one : one + PAGE], data[other : other + PAGE] = (
            data[other : other + PAGE],
            data[one : one + PAGE],
        )
    return bytes(data)


KINDS = ["bits", "bit", "cut", "zeroed page", "swapped pages"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[str, Any]]:
    """The bytes of a good library, and its answers."""
    folder = tmp_path_factory.mktemp("library")
    with Library.open(folder, create=True) as library:
        library.add([record for number in range(BATCHES) for record in batch(number)])
        library.add([Alias(f"P{number:04}", f"X{number:04}") for number in range(0, 60, 3)])
        library.add([Alias("P0020", "P0021"), paper(500)])
        library.remove(["P0007", "P0013"])
        answers = {name: ask() for name, ask in questions(library)}
    return (folder / "library.db").read_bytes(), answers


def questions(library: Library) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Everything that can be asked; answers that name an unknown id count as answers."""

    def unless_unknown(ask: Callable[[str], Any], identifier: str) -> Any:
        try:
            return ask(identifier)
        except QueryError:
            return "unknown"

    for identifier in IDS:
        for ask in (library.paper, library.canonical, library.full_text):
            yield f"{ask.__name__} {identifier}", partial(unless_unknown, ask, identifier)
    for number in range(0, BATCHES * 4, 3):
        yield f"find {number}", partial(library.find, paper(number))
    yield "everything", lambda: everything(library)
    yield "since", lambda: list(library.numbered_papers(since=1))
    yield "links", lambda: list(library.context_links())


def judge(folder: Path, answers: dict[str, Any]) -> str:
    """``refused``, ``found`` (by `verify`) or ``unharmed``; a wrong answer or another exception fails."""
    try:
        library = Library.open(folder)
    except LibraryError:
        return "refused"
    with library:
        for name, ask in questions(library):
            with contextlib.suppress(DamagedError):
                assert ask() == answers[name], name
        try:
            library.verify()
        except DamagedError:
            return "found"
        return "unharmed"


def assert_mostly_found(kind: str, outcomes: list[str]) -> None:
    """One bit often falls where nothing is stored, and a page may be swapped with itself."""
    most = {"bit": 0.75, "swapped pages": 0.2}.get(kind, 0.0)
    assert outcomes.count("unharmed") <= most * len(outcomes), outcomes


def damage_often(whole: tuple[bytes, dict[str, Any]], folder: Path, kind: str, cases: range) -> list[str]:
    content, answers = whole
    outcomes = []
    for case in cases:
        place = folder / str(case)
        place.mkdir()
        (place / "library.db").write_bytes(damaged(content, kind, random.Random(f"{kind} {case}")))
        outcomes.append(judge(place, answers))
    return outcomes


@pytest.mark.parametrize("kind", KINDS)
def test_damage(whole: tuple[bytes, dict[str, Any]], tmp_path: Path, kind: str) -> None:
    """Every answer of a damaged library is right, or is a DamagedError; most damage is found at all."""
    outcomes = damage_often(whole, tmp_path, kind, range(6))
    assert_mostly_found(kind, outcomes)


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_damage_in_full(whole: tuple[bytes, dict[str, Any]], tmp_path: Path, kind: str) -> None:
    """As above, a hundred times each."""
    outcomes = damage_often(whole, tmp_path, kind, range(1000, 1100))
    assert_mostly_found(kind, outcomes)


def test_damage_is_not_built_upon(whole: tuple[bytes, dict[str, Any]], tmp_path: Path) -> None:
    """Where the index of ids lost an id, its paper is not taken for a new one and stored again."""
    broken = bytearray(whole[0])
    place = in_an_index(whole[0], b"P0044")
    broken[place : place + 5] = b"P9944"
    (tmp_path / "library.db").write_bytes(broken)
    with Library.open(tmp_path) as library:
        with pytest.raises(DamagedError, match="missing from an index"):
            library.paper("P0044")
        with pytest.raises(DamagedError):
            library.add([paper(44)])
    with Library.open(tmp_path) as library, pytest.raises(DamagedError):
        library.add([paper(44)])
    with Library.open(tmp_path) as library, pytest.raises(DamagedError):
        library.canonical("P9944")
    assert (tmp_path / "library.db").read_bytes() == broken


def in_an_index(content: bytes, identifier: bytes) -> int:
    """The place of an id in a leaf page of an index."""
    place = content.find(identifier)
    while content[place // PAGE * PAGE] != 10:
        place = content.index(identifier, place + 1)
    return place
