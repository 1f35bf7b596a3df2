"""A draft is answered from its own bibliography where no library is named."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hash_encoder import HashEncoder

from citewhy.base.config import CACHE_VARIABLE, LIBRARY_VARIABLE
from citewhy.base.errors import QueryError
from citewhy.session.session import Session

ZEBRAS = """@article{stripes, title = {Stripes of zebras}, author = {Lee, Ann}, year = 2001}
@article{manes, title = {Manes of lions}, author = {Poe, Bo}, year = 2003}
"""
TEXT = r"\documentclass{article}\begin{document}Zebras have stripes \cite{}.\bibliography{refs}\end{document}"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No library of the user's, and a cache of the test's own."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setenv(LIBRARY_VARIABLE, str(tmp_path / "own"))
    return tmp_path / "cache"


def drafted(folder: Path, bibliography: str = ZEBRAS, text: str = TEXT) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "refs.bib").write_text(bibliography, encoding="utf-8")
    (folder / "draft.tex").write_text(text, encoding="utf-8")
    return folder / "draft.tex"


def folders(cache: Path) -> list[Path]:
    return sorted((cache / "drafts").iterdir())


def first(session: Session, draft: Path | Mapping[str, str]) -> str:
    """Key of the first suggestion at the first open citation; empty where there is none."""
    (answer,) = session.advise(draft, 1)
    return answer.suggestions[0].key if answer.suggestions else ""


def test_a_draft_is_answered_from_its_bibliography(tmp_path: Path, cache: Path) -> None:
    """With its keys, with the probabilities of any library, and without a remark."""
    with Session(encoder=HashEncoder()) as session:
        answer = session.advise(drafted(tmp_path / "a"), 2)
        assert answer[0].suggestions[0].key == "stripes"
        assert all(suggestion.in_bibliography for suggestion in answer[0].suggestions)
        assert (answer.library, len(folders(cache))) == ("refs.bib", 1)
        assert not any("built-in" in remark for remark in answer.remarks)


def test_it_is_made_once_for_each_content(tmp_path: Path, cache: Path) -> None:
    """By sessions that follow, and again when an entry changes; then only its texts are encoded."""
    draft, encoder = drafted(tmp_path / "a"), HashEncoder()
    with Session(encoder=encoder) as session:
        assert first(session, draft) == "stripes"
        (folder,) = folders(cache)
        made = (folder / "library.db").stat().st_ino
    encoder = HashEncoder()
    with Session(encoder=encoder) as session:
        assert first(session, draft) == "stripes"
        assert (folder / "library.db").stat().st_ino == made
        assert not any("Manes" in text for text in encoder.encoded)
        drafted(tmp_path / "a", ZEBRAS.replace("Manes", "Tails"))
        assert first(session, draft) == "stripes"
        assert len(folders(cache)) == 2
        assert any("Tails" in text for text in encoder.encoded)
        assert not any("Stripes of zebras" in text for text in encoder.encoded)


def test_what_is_damaged_is_made_again(tmp_path: Path, cache: Path) -> None:
    draft = drafted(tmp_path / "a")
    with Session(encoder=HashEncoder()) as session:
        assert first(session, draft) == "stripes"
    (folder,) = folders(cache)
    content = bytearray((folder / "library.db").read_bytes())
    content[-3000:] = b"\xff" * 3000
    (folder / "library.db").write_bytes(content)
    with Session(encoder=HashEncoder()) as session:
        assert first(session, draft) == "stripes"
    assert folders(cache) == [folder]


def test_where_the_cache_cannot_be_written_it_is_temporary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file" / "cache"))
    with Session(encoder=HashEncoder()) as session:
        assert first(session, drafted(tmp_path / "a")) == "stripes"


def test_drafts_in_memory_have_one_too() -> None:
    with Session(encoder=HashEncoder()) as session:
        assert first(session, {"draft.tex": TEXT, "refs.bib": ZEBRAS}) == "stripes"


def test_unused_ones_are_removed(tmp_path: Path, cache: Path) -> None:
    """Those that nobody opened for two months, and earlier contents of the same bibliography after a day;
    what was used lately stays."""
    made: list[Path] = []
    with Session(encoder=HashEncoder()) as session:
        for name, days in (("old", 61), ("new", 59), ("a", 2)):
            first(session, drafted(tmp_path / name, ZEBRAS.replace("zebras", f"{name} zebras")))
            (folder,) = set(folders(cache)).difference(made)
            os.utime(folder / "used", (time.time() - days * 86_400,) * 2)
            made.append(folder)
    old, new, replaced = made
    with Session(encoder=HashEncoder()) as session:
        first(session, drafted(tmp_path / "a", ZEBRAS.replace("2003", "1999")))
    assert old not in folders(cache)
    assert replaced not in folders(cache)
    assert new in folders(cache)


def test_two_processes_make_the_same(tmp_path: Path, cache: Path) -> None:
    draft = drafted(tmp_path / "a")
    code = (
        "import sys; from citewhy.session.session import Session\n"
        "with Session(pipeline='bm25') as session:\n"
        f"    print(session.advise({str(draft)!r}, 1)[0].suggestions[0].key)"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    assert [process.communicate(timeout=300)[0].strip() for process in processes] == ["stripes"] * 3
    assert [folder.name[0] != "." for folder in folders(cache)] == [True]


def test_several_drafts_share_a_library(tmp_path: Path) -> None:
    """Two entries of one key are two papers."""
    one = drafted(tmp_path / "a")
    other = drafted(tmp_path / "b", ZEBRAS.replace("Stripes of zebras", "Necks of giraffes"))
    with Session(pipeline="bm25") as session:
        library = session.recommender(drafts=[session.read(one), session.read(other)]).library
        papers = library.papers(["stripes", "stripes-2", "manes"])
        assert [paper.title for paper in papers.values()] == [
            "Stripes of zebras",
            "Necks of giraffes",
            "Manes of lions",
        ]


def test_the_starter_library_says_what_it_is(tmp_path: Path) -> None:
    """Where a draft has no bibliography, and for texts; not where it is asked for."""
    text = TEXT.replace("Zebras have stripes", "Attention replaced recurrence in machine translation")
    draft = drafted(tmp_path / "a", "", text)
    with Session(pipeline="bm25") as session:
        answer = session.advise(draft, 1)
        assert any("starter library" in remark for remark in answer.remarks)
        assert any("starter library" in remark for remark in session.suggest("Attention is used.", 1).remarks)
    with Session("starter", pipeline="bm25") as session:
        assert session.advise(drafted(tmp_path / "b"), 1).remarks == ()
        assert session.folder.name.startswith("starter-")


def test_the_starter_library_is_silent_where_nothing_fits() -> None:
    with Session() as session:
        assert not session.suggest("Medieval charters mention the abbey of Cluny.", 3)
    with Session("starter") as session:
        assert session.suggest("Medieval charters mention the abbey of Cluny.", 3)


def added(session: Session, folder: Path, bibliography: str) -> None:
    (folder / "more.bib").write_text(bibliography, encoding="utf-8")
    session.add([folder / "more.bib"])


def test_the_bibliography_lies_over_the_library(tmp_path: Path, cache: Path) -> None:
    """One ranking: what both have is one paper under the draft's key, and nothing is written below."""
    text = TEXT.replace("Zebras have stripes", "Zebras and horses have stripes and manes")
    draft = drafted(tmp_path / "a", text=text)
    with Session(encoder=HashEncoder(), create=True) as session:
        added(session, tmp_path, ZEBRAS.replace("stripes,", "zebras01,").replace("Manes of lions", "Horses"))
        before = session.library.generation
        answer = session.advise(draft, 5)
        shown = {one.key: (one.paper.id, one.in_bibliography) for one in answer[0].suggestions}
        assert shown["stripes"] == ("zebras01", True)
        assert shown["manes"][1]
        assert [key for key, (_, mine) in shown.items() if not mine] == ["poe2003horses"]
        assert answer.library == f"refs.bib, {tmp_path / 'own'}"
        mine, new = (session.advise(draft, 5, only=wish)[0].suggestions for wish in ("mine", "new"))
        assert {one.key for one in mine} == {"stripes", "manes"}
        assert {one.key for one in new} == {"poe2003horses"}
        assert session.library.generation == before
        assert len(folders(cache)) == 1


def test_it_follows_the_library_below(tmp_path: Path, cache: Path) -> None:
    """In a draft that is open, and also where another process adds."""
    draft = drafted(tmp_path / "a", "@misc{other, title = {Something else}}")
    with Session(encoder=HashEncoder(), create=True) as session:
        added(session, tmp_path, "@misc{lions, title = {Lions}, year = 2000}")
        opened = session.open_draft(draft)
        assert "stripes" not in {one.paper.id for one in opened.advise(3)[0].suggestions}
        more = tmp_path / "zebras.bib"
        more.write_text(ZEBRAS, encoding="utf-8")
        code = (
            f"from citewhy import Session; Session().add([{str(tmp_path / 'zebras.bib')!r}], vectors=False)"
        )
        subprocess.run([sys.executable, "-c", code], check=True, timeout=300)
        assert opened.advise(3)[0].suggestions[0].paper.id == "stripes"
        assert len(folders(cache)) == 2


def test_an_answer_that_is_read_while_others_add(tmp_path: Path) -> None:
    """It is of the state in which it began."""
    text = TEXT.replace(r"Zebras have stripes \cite{}.", r"Zebras have stripes \cite{}. " * 5)
    draft = drafted(tmp_path / "a", text=text)
    with Session(encoder=HashEncoder(), create=True) as session:
        added(session, tmp_path, "@misc{lions, title = {Lions}, year = 2000}")
        answers = iter(session.advise(draft, 5))
        first_answer = next(answers)
        for number in range(3):
            added(session, tmp_path, f"@misc{{new{number}, title = {{Zebras have stripes {number}}}}}")
        for answer in answers:
            assert [one.key for one in answer.suggestions] == [one.key for one in first_answer.suggestions]
        assert "new1" in {one.paper.id for one in session.advise(draft, 5)[0].suggestions}


def test_nothing_is_added_to_the_starter_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LIBRARY_VARIABLE, "starter")
    with Session() as session, pytest.raises(QueryError, match="starter"):
        session.add([drafted(tmp_path / "a").parent / "refs.bib"])
