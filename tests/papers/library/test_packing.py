"""Records are packed: they need less room, and say the same."""

import sqlite3
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from citewhy.base.errors import VersionError
from citewhy.base.records import Name, Paper, Publication, SourceEntry
from citewhy.papers.library import opening
from citewhy.papers.library.store import Library
from citewhy.text.codec import paper_data, read_paper, same_paper_data
from citewhy.text.packing import pack, unpack

ENTRY = (
    "@article{lee2001,\n  author = {Lee, Ann},\n  title = {A Title of Some Words},\n"
    "  journal = {Journal of Examples},\n  year = {2001}\n}"
)
PAPER = Paper(
    "lee2001",
    "A Title of Some Words",
    authors=(Name("Ann", "Lee"),),
    year=2001,
    venue="Journal of Examples",
    publication=Publication("article-journal", container="Journal of Examples", date="2001"),
    source=SourceEntry("BibTeX", ENTRY, "lee2001", "refs.bib"),
)
OF_VERSION_1 = b'["A Title of Some Words","",["Ann Lee"],2001,"Journal of Examples","",""]'


def test_what_was_packed_once_can_be_unpacked() -> None:
    """Libraries hold what was packed with the words that are common to records: these may not change."""
    packed = bytes.fromhex(
        "28b52ffd20806d0200d4026c6565323030312c0a20204c65652c20416e6e7d412054536f6d6520576f72647345"
        "78616d706c6530317d0a7d0a00a4c506460d665c2830eab08f30d04cd8912d0ae80cc7b5d86eba1041"
    )
    assert unpack(packed) == ENTRY.encode()


def test_an_entry_is_packed_together_with_its_record() -> None:
    """The two have mostly the same words, and what all entries have in common is not stored."""
    assert 4 * len(paper_data(PAPER)) < 3 * (len(ENTRY) + len(OF_VERSION_1))


def test_every_thread_packs_and_unpacks() -> None:
    """Threads do not share what packs, which only one may use at a time."""
    failed: list[BaseException] = []

    def many() -> None:
        try:
            for number in range(300):
                text = f"{number} {ENTRY}".encode()
                assert unpack(pack(text)) == text
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_records_of_version_1_say_the_same() -> None:
    """A record that is not packed is compared by its content with one that is."""
    plain = Paper("lee2001", PAPER.title, "", ("Ann Lee",), 2001, PAPER.venue)
    assert read_paper("lee2001", OF_VERSION_1) == plain
    assert same_paper_data(OF_VERSION_1, paper_data(plain))
    assert not same_paper_data(OF_VERSION_1, paper_data(PAPER))


def test_a_library_of_version_1_becomes_one_of_this_when_it_changes(tmp_path: Path) -> None:
    """Until then it stays as it is, and a program of that version can read it; later it refuses to."""
    with Library.open(tmp_path, create=True) as library:
        library.add([Paper("a", "Some title")])
    set_version(tmp_path, 1)
    with Library.open(tmp_path) as library:
        assert library.paper("a").title == "Some title"
        assert not library.add([Paper("a", "Some title")]).changed
    assert version_of(tmp_path) == 1
    with Library.open(tmp_path) as library:
        library.add([PAPER])
    assert version_of(tmp_path) == opening.SCHEMA_VERSION


def test_papers_of_an_earlier_version_are_recognised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to version 2, a surname was one only in the same spelling."""
    paper = replace(PAPER, authors=(Name("Ann", "O'Mueller"),))
    with monkeypatch.context() as earlier, Library.open(tmp_path, create=True) as library:
        earlier.setattr("citewhy.papers.library.staging.work_key", lambda _: 2001)
        library.add([paper])
    set_version(tmp_path, 2)
    with Library.open(tmp_path) as library:
        assert library.add([replace(paper, id="again", authors=(Name("Ann", "O’Müller"),))]).merged == 1
        library.verify()
    assert version_of(tmp_path) == opening.SCHEMA_VERSION


def test_a_later_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of version 1 does not read a library of version 2."""
    Library.open(tmp_path, create=True).close()
    monkeypatch.setattr(opening, "SCHEMA_VERSION", 1)
    with pytest.raises(VersionError):
        Library.open(tmp_path)


def version_of(folder: Path) -> int:
    connection = sqlite3.connect(folder / opening.FILE_NAME)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    connection.close()
    return int(version)


def set_version(folder: Path, version: int) -> None:
    connection = sqlite3.connect(folder / opening.FILE_NAME)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.commit()
    connection.close()
