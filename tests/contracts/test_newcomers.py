"""The models of docs/extending.md, installed as another package, work in Python and on the command line
without any change in CiteWhy."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest
from click.testing import CliRunner
from small_library import make, paper, unsynced

from citewhy.doors.cli import cli
from citewhy.papers.formats import Record
from citewhy.session.session import Session

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"

MODULES = dict(
    re.findall(r"^`(\w+)\.py`:.*?^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
)
"""The code on the page, by name of the module."""

MOST_LINES = 40

PAPERS: list[Record] = [
    paper("chart", "Parsing With Charts", "Built bottom up.", 1995),
    paper("frames", "Frames and Roles", "A lexicon of words.", 1998),
    paper("gold", "The Gold Standard", "Agreement of annotators.", 2000),
    paper("phrases", "Translation by Phrases", "Longer than words.", 2003),
]

DRAFT = {
    "draft.md": "# Study\n\nOur lexicon has frames and roles [CITE]. It is large. So are others.\n\n"
    "Translation by phrases needs a lexicon.\n"
}


@pytest.fixture(scope="module")
def newcomers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, ModuleType]]:
    """The modules of the page, imported from an installed package."""
    site = tmp_path_factory.mktemp("site")
    for name, code in MODULES.items():
        (site / f"{name}.py").write_text(code, encoding="utf-8")
    (toml,) = re.findall(r"^```toml\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    named = tomllib.loads(toml)["project"]["entry-points"]["citewhy.models"]
    info = site / "newcomers-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: newcomers\nVersion: 1.0\n")
    lines = [f"{key} = {target}\n" for key, target in named.items()]
    (info / "entry_points.txt").write_text(f"[citewhy.models]\n{''.join(lines)}")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        for name in MODULES:
            patch.delitem(sys.modules, name, raising=False)
        yield {name: importlib.import_module(name) for name in MODULES}
        for name in MODULES:
            del sys.modules[name]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with unsynced(), make(tmp_path_factory.mktemp("library"), PAPERS) as made:
        return made.folder


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    path = tmp_path / "draft.md"
    path.write_text(DRAFT["draft.md"], encoding="utf-8")
    return path


def printed(*arguments: object) -> dict[str, Any]:
    """The JSON document that a command prints."""
    done = CliRunner().invoke(cli, [*map(str, arguments), "--json"], catch_exceptions=False)
    assert done.exit_code == 0
    document: dict[str, Any] = orjson.loads(done.stdout)
    return document


@pytest.mark.parametrize("name", MODULES)
def test_small(name: str) -> None:
    """Each model is one small module, including the function that writes its folder."""
    assert len(MODULES[name].splitlines()) < MOST_LINES


def test_an_encoder(newcomers: dict[str, ModuleType], library: Path, tmp_path: Path) -> None:
    """The encoder counts letters: a paper is found by its text in reverse, which shares no word with it."""
    newcomers["letters"].write(tmp_path / "model")
    backwards = "Translation by Phrases. Longer than words."[::-1]
    with Session(library, pipeline="dense", encoder=tmp_path / "model") as session:
        assert session.suggest(backwards)[0].paper.id == "phrases"
    command = ("suggest", "--text", backwards, "--library", library, "--pipeline", "dense")
    assert printed(*command, "--encoder", tmp_path / "model")["suggestions"][0]["id"] == "phrases"


@pytest.mark.parametrize("pipeline", ["bm25", "full"])
def test_a_first_stage(
    newcomers: dict[str, ModuleType], library: Path, tmp_path: Path, pipeline: Any
) -> None:
    """A paper that only the first stage finds is suggested; one that is not in the library is not."""
    newcomers["standards"].write(tmp_path / "model", {"zeugma": ["nowhere", "gold"]})
    with Session(library, pipeline="bm25") as session:
        assert session.suggest("zeugma") == []
    with Session(library, pipeline=pipeline, first_stages=[tmp_path / "model"]) as session:
        found = {
            each.paper.id: [reason.kind for reason in each.reasons]
            for each in session.suggest("zeugma", threshold=0)
        }
    assert "first-stage" in found["gold"]
    command = ("suggest", "--text", "zeugma", "--library", library, "--pipeline", pipeline, "--threshold", 0)
    shown = printed(*command, "--first-stage", tmp_path / "model")["suggestions"]
    assert [each["id"] for each in shown] == list(found)


def test_a_reranker_for_paragraphs(
    newcomers: dict[str, ModuleType], library: Path, tmp_path: Path, draft: Path
) -> None:
    """The reranker puts the paper that matches the preceding words first, for the paragraph only; the answer
    for the open citation is unchanged."""
    newcomers["continuity"].write(tmp_path / "model")
    units: Any = ["place", "paragraph"]
    with (
        Session(library, pipeline="bm25", rerankers=[tmp_path / "model"]) as session,
        Session(library, pipeline="bm25") as plain,
    ):
        place, paragraph = session.advise(DRAFT, units=units)
        before = list(plain.advise(DRAFT, units=units))
    assert place == before[0]
    assert [each.paper.id for each in before[1].suggestions] == ["phrases", "frames"]
    assert [each.paper.id for each in paragraph.suggestions] == ["frames", "phrases"]
    assert paragraph.suggestions[0].reasons[0].text == "goes on with: and, frames, lexicon"
    command = ("suggest", draft, "--library", library, "--pipeline", "bm25", "--reranker", tmp_path / "model")
    shown = printed(*command, "--unit", "place", "--unit", "paragraph")
    assert [each["id"] for each in shown["paragraphs"][0]["suggestions"]] == ["frames", "phrases"]
    assert [each["id"] for each in shown["places"][0]["suggestions"]] == [
        each.paper.id for each in place.suggestions
    ]


def test_a_classifier(newcomers: dict[str, ModuleType], tmp_path: Path, draft: Path) -> None:
    """Every sentence of a draft gets a label, in reading order; no library is needed."""
    newcomers["voice"].write(tmp_path / "model")
    with Session(create=True) as session:
        found = session.classify_draft(tmp_path / "model", DRAFT)
    labels = ["ours", "others", "others", "others"]
    assert [each.label for each in found] == labels
    assert found[0].probabilities == {"ours": 0.75, "others": 0.25}
    shown = printed("classify", draft, "--model", tmp_path / "model")
    assert [each["label"] for each in shown["sentences"]] == labels
    assert [each["line"] for each in shown["sentences"]] == [3, 3, 3, 5]
