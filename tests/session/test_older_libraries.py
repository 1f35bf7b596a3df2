"""Libraries that earlier versions made are opened, answer, change, and keep what they had."""

from __future__ import annotations

import re
import tarfile
from pathlib import Path

import pytest
from hash_encoder import HashEncoder

from citewhy.base.records import Paper
from citewhy.papers.library.store import Library
from citewhy.session.session import Session

ROOT = Path(__file__).parents[2]
ARCHIVES = sorted((ROOT / "tests" / "data" / "libraries").glob("*.tar.gz"))
RELEASED = re.compile(r"^## ([\d.]+), \d", re.MULTILINE)


@pytest.fixture(params=ARCHIVES, ids=[path.name for path in ARCHIVES])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A library of another version, as `tests/data/make_library.py` made it."""
    with tarfile.open(request.param) as archive:
        archive.extractall(tmp_path / "library", filter="data")
    return tmp_path / "library"


def test_there_is_one_of_each_release() -> None:
    """`python tests/data/make_library.py` makes that of a version before it is released."""
    released = RELEASED.findall((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert released
    assert set(released) <= {path.name.removesuffix(".tar.gz") for path in ARCHIVES}


def test_it_is_opened(folder: Path) -> None:
    """It has its papers, citing sentences, citations and names, and answers."""
    with Session(folder, encoder=HashEncoder()) as session:
        contents = session.info()
        assert (contents.papers, contents.contexts, contents.citations, contents.aliases) == (3, 1, 1, 1)
        assert session.paper("lee2001").id == session.paper("10.1000/parsing").id == "P2"
        assert session.paper("ACL:X00-1001").title == "Tagging by Rules"
        (found,) = session.suggest("We parse sentences with trees", 1).suggestions
        assert found.paper.doi == "10.1000/parsing"
        source = session.paper("lee2001").source
        assert source is None or "title = {Parsing with {Trees}}" in source.text  # 0.1.0 kept no entries
    with Library.open(folder) as library:
        library.verify()


def test_it_is_changed(folder: Path, tmp_path: Path) -> None:
    """Papers are added, split and removed; what it had stays."""
    (tmp_path / "more.bib").write_text("@book{new, title={Grammars}, author={Di Roe}, year={2004}}\n")
    with Session(folder, encoder=HashEncoder()) as session:
        report = session.add([tmp_path / "more.bib"])
        assert (report.papers_before, report.papers_after) == (3, 4)
        assert {paper.id for paper in session.split("P2")} == {"lee2001", "P2"}
        assert [paper.id for paper in session.remove(["ek2000"])] == ["ek2000"]
        assert session.suggest("We parse sentences with trees", 1).suggestions[0].paper.abstract
    with Library.open(folder) as library:
        library.add([Paper("last", "A Last Title")])
        assert sorted(library.ids()) == ["P1", "P2", "last", "lee2001", "new"]
        library.verify()
