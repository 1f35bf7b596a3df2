"""Several libraries answer as one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hash_encoder import HashEncoder
from small_library import cites, context, make, paper, unsynced

from citewhy.base.config import CACHE_VARIABLE
from citewhy.base.errors import LibraryError
from citewhy.doors.cli import main
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library
from citewhy.session.session import Session

MINE: list[Record] = [
    paper("stripes", "Stripes of zebras"),
    paper("both", "Manes of lions", "Lions have manes.", authors=("Ann Lee",)),
]
GROUP: list[Record] = [
    paper("necks", "Necks of giraffes"),
    paper("lions", "Manes of lions", authors=("Ann Lee",)),
    paper("more", "Hooves of horses"),
    context("1", "more", "lions necks", "Manes of lions and necks of giraffes are long TARGETCIT."),
    *cites("more necks"),
]


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    with unsynced():
        make(tmp_path / "mine", MINE).close()
        make(tmp_path / "group", GROUP).close()
    return [tmp_path / "mine", tmp_path / "group"]


def test_they_answer_as_one(folders: list[Path]) -> None:
    """Ids of each resolve, what both have is one paper, and each suggestion says where it is from."""
    with Session(folders, encoder=HashEncoder()) as session:
        assert session.paper("lions") == session.paper("both")
        assert session.paper("lions").abstract == "Lions have manes."
        found = session.suggest("Zebras have stripes, lions manes, giraffes necks.", 5)
        shown = {suggestion.paper.title: suggestion.library for suggestion in found}
        assert shown.keys() >= {"Stripes of zebras", "Necks of giraffes", "Manes of lions"}
        assert shown["Stripes of zebras"] == str(folders[0])
        assert shown["Necks of giraffes"] == str(folders[1])
        assert found.library.count(str(folders[0].parent)) == 2
        assert session.suggest("Manes of lions are long.", 1)[0].paper.title == "Manes of lions"


def test_the_answers_are_those_of_one_library(folders: list[Path], tmp_path: Path) -> None:
    """With the same probabilities, whichever comes first."""
    with unsynced():
        whole = make(tmp_path / "whole", GROUP)
        whole.add(MINE)
        whole.close()
    text = "The manes of lions and the necks of giraffes."
    with Session(tmp_path / "whole", encoder=HashEncoder()) as session:
        expected = {one.paper.title: one.probability for one in session.suggest(text, 5)}
    for given in (folders, folders[::-1]):
        with Session(given, encoder=HashEncoder()) as session:
            assert {one.paper.title: one.probability for one in session.suggest(text, 5)} == expected


def test_they_are_made_once_and_follow(folders: list[Path], tmp_path: Path) -> None:
    for _ in range(2):
        with Session(folders, encoder=HashEncoder()) as session:
            session.suggest("Zebras have stripes.", 1)
    assert len(list((tmp_path / "cache" / "layers").iterdir())) == 1
    with Session(folders, encoder=HashEncoder()) as session:
        assert not session.find("Tails of monkeys").resolution.certain
        for folder in folders:
            with Library.open(folder) as library:
                library.add([paper(f"tails-{folder.name}", f"Tails of monkeys in {folder.name}")])
        assert session.paper("tails-mine").title == "Tails of monkeys in mine"
        assert session.paper("tails-group").title == "Tails of monkeys in group"
    for folder, count in zip(folders, (3, 4), strict=True):
        with Library.open(folder) as library:
            assert len(library.ids()) == count


def test_nothing_is_encoded_again(folders: list[Path]) -> None:
    for folder in folders:
        with Session(folder, encoder=HashEncoder()) as session:
            session.prepare()
    encoder = HashEncoder()
    with Session(folders, encoder=encoder) as session:
        session.prepare()
    assert encoder.encoded == []


def test_what_changes_a_library_changes_the_first(folders: list[Path]) -> None:
    with Session(folders) as session:
        session.remove(["stripes"])
        assert session.own_folder() == folders[0]
    with Library.open(folders[1]) as group, Library.open(folders[0]) as mine:
        assert len(group.ids()) == 3
        assert len(mine.ids()) == 1


def test_one_that_is_missing(folders: list[Path], tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="no library"):
        Session([*folders, tmp_path / "none"])


def test_on_the_command_line(
    folders: list[Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    libraries = [f"--library={folder}" for folder in folders]
    monkeypatch.setattr(
        "sys.argv", ["citewhy", "suggest", "--text", "Zebras have stripes.", "--pipeline", "bm25", *libraries]
    )
    with pytest.raises(SystemExit) as left:
        main()
    assert not left.value.code
    printed = "".join(capsys.readouterr().out.split())
    assert f"in{folders[0]}" in printed
