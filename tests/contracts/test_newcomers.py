"""The modules of docs/extending.md, installed as another package, work in Python and on the command line
without any change in CiteWhy."""

from __future__ import annotations

import importlib
import json
import re
import socket
import sys
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest
from click.testing import CliRunner
from entry_points import install
from hash_encoder import HashEncoder
from small_library import make, paper, unsynced

from citewhy.base.errors import QueryError
from citewhy.doors.cli import cli
from citewhy.drafts.formats import added_formats
from citewhy.papers.formats import Record, registry
from citewhy.session.session import Session

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"

MODULES = dict(
    re.findall(r"^`(\w+)\.py`:.*?^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
)
"""The code on the page, by name of the module."""

MOST_LINES = 40
MOST_LINES_OF_A_FORMAT = 55

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
    groups = tomllib.loads(toml)["project"]["entry-points"]
    install(site, "newcomers", groups)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        for name in MODULES:
            patch.delitem(sys.modules, name, raising=False)
        added_formats.cache_clear()
        registry.added_formats.cache_clear()
        cli.__dict__.pop("entries", None)
        yield {name: importlib.import_module(name) for name in MODULES}
        for name in MODULES:
            del sys.modules[name]
    added_formats.cache_clear()
    registry.added_formats.cache_clear()
    cli.__dict__.pop("entries", None)


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
    """Each model is one small module, including the function that writes its folder; so is a format."""
    lines = MODULES[name].splitlines()
    assert len(lines) < (MOST_LINES_OF_A_FORMAT if "FORMAT = " in MODULES[name] else MOST_LINES)


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
        assert list(session.suggest("zeugma")) == []
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


RST = """A Lexicon
=========

.. cite-paragraph
Our lexicon has frames and roles :cite:`?`. It grew from the first one :cite:`old2001`.

.. bibliography:: refs.bib
"""
OLD = "@misc{old2001,\n  title = {The First Lexicon of All},\n  year = {2001},\n}\n"


@pytest.fixture
def rst(newcomers: dict[str, ModuleType], tmp_path: Path) -> Path:
    (tmp_path / "refs.bib").write_text(OLD, encoding="utf-8")
    path = tmp_path / "draft.rst"
    path.write_text(RST, encoding="utf-8")
    return path


def test_a_draft_format_is_read(rst: Path, library: Path) -> None:
    """Drafts of a format of another package get suggestions for citations and paragraphs, and a review,
    through the same doors."""
    with Session(library, pipeline="bm25") as session:
        manuscript = session.read(rst)
        assert manuscript.format == "rst"
        assert [reference.key for reference in manuscript.references] == ["old2001"]
        paragraph, place = session.advise(manuscript, units=["place", "paragraph"])
        assert [paragraph.unit.kind, place.unit.kind] == ["paragraph", "place"]
        assert place.suggestions[0].paper.id == "frames"
        list(session.review(manuscript))
    shown = printed("suggest", rst, "--library", library, "--pipeline", "bm25")
    assert shown["places"][0]["suggestions"][0]["id"] == "frames"
    start, end = (shown["places"][0]["slot"][name] for name in ("start", "end"))
    assert RST[start:end] == "?"
    printed("review", rst, "--library", library, "--pipeline", "bm25")


def test_a_draft_format_is_written(rst: Path, library: Path) -> None:
    """The key is written in the style of the format, the entry into the bibliography; undo takes back
    both."""
    with Session(library, pipeline="bm25") as session:
        draft = session.open_draft(rst)
        choices = draft.first_choices(draft.advise())
        patch = draft.edit(choices.chosen)
    (key,) = (suggestion.key for _, chosen in choices.chosen for suggestion in chosen)
    assert patch.texts()[str(rst)] == RST.replace("?", key)
    options = ("--library", str(library), "--pipeline", "bm25", "--yes")
    done = CliRunner().invoke(cli, ["suggest", str(rst), "--write", *options], catch_exceptions=False)
    assert done.exit_code == 0
    assert rst.read_text(encoding="utf-8") == RST.replace("?", key)
    entries = (rst.parent / "refs.bib").read_text(encoding="utf-8")
    assert entries.startswith(OLD)
    assert f"{{{key}," in entries.removeprefix(OLD)
    CliRunner().invoke(cli, ["suggest", str(rst), "--undo"], catch_exceptions=False)
    assert rst.read_text(encoding="utf-8") == RST
    assert (rst.parent / "refs.bib").read_text(encoding="utf-8") == OLD


def test_a_draft_format_is_finished_work(rst: Path, tmp_path: Path) -> None:
    """A finished draft of another package's format is added to a library as the author's own."""
    with Session(tmp_path / "own", create=True) as session:
        session.add([rst])
    with Session(tmp_path / "own", pipeline="bm25") as session:
        assert session.find("The First Lexicon of All").papers


LIST = """READING LIST
[baker98] Charles Baker, Ana Lowe: A Lexicon of Frames (1998)
[carter03] Philip Carter: Phrases
"""


def test_a_format_of_papers(newcomers: dict[str, ModuleType], tmp_path: Path) -> None:
    """Its files become papers, and a line that it cannot read is reported like one of CiteWhy's formats."""
    (tmp_path / "list.txt").write_text(LIST, encoding="utf-8")
    added = CliRunner().invoke(
        cli, ["add", str(tmp_path / "list.txt"), "--library", str(tmp_path / "library"), "--no-vectors"]
    )
    assert added.exit_code == 0
    assert "list.txt:3: expected “[key] Authors: Title (year)”" in " ".join(added.output.split())
    with Session(tmp_path / "library") as session:
        (paper,) = session.find("frames").papers
    assert (paper.id, paper.authors, paper.year) == ("baker98", ("Charles Baker", "Ana Lowe"), 1998)


def test_a_command(newcomers: dict[str, ModuleType], library: Path) -> None:
    """The command stands in the list of all, and answers as the session does, in its own order."""
    listed = CliRunner().invoke(cli, ["--help"], catch_exceptions=False).output
    assert "timeline" in listed
    assert "Show the papers for a sentence, oldest first." in " ".join(listed.split())
    text = "a lexicon of words longer than charts"
    with Session(library) as session:
        papers = [each.paper for each in session.suggest(text)]
    assert len(papers) > 1
    done = CliRunner().invoke(cli, ["timeline", text, "--library", str(library)], catch_exceptions=False)
    shown = sorted(papers, key=lambda one: one.year or 0)
    assert done.output == "".join(f"{one.year}  {one.title}\n" for one in shown)


def test_a_command_of_ones_own_replaces_none(newcomers: dict[str, ModuleType], monkeypatch: Any) -> None:
    """An entry point that is called like a command of CiteWhy is not used."""
    taken = {"suggest": ("Not this one.", "timeline:command")}
    monkeypatch.setattr(newcomers["timeline"], "COMMANDS", taken)
    cli.__dict__.pop("entries", None)
    assert "Not this one." not in CliRunner().invoke(cli, ["--help"], catch_exceptions=False).output
    cli.__dict__.pop("entries", None)


def test_a_door(newcomers: dict[str, ModuleType], library: Path) -> None:
    """Each line is answered in turn as the session answers, and an error is a sentence, after which the door
    goes on."""
    text = "translation by phrases"
    with Session(library) as session, newcomers["socket_door"].Door(session) as door:
        thread = threading.Thread(target=door.serve_forever)
        thread.start()
        try:
            with (
                socket.create_connection(door.server_address) as connection,
                connection.makefile("rwb") as lines,
            ):

                def ask(line: str) -> dict[str, Any]:
                    lines.write(line.encode() + b"\n")
                    lines.flush()
                    answer: dict[str, Any] = json.loads(lines.readline())
                    return answer

                answered = ask(json.dumps({"text": text, "k": 2}))
                wrong = [ask('{"text": ""}'), ask("{}"), ask("nonsense")]
                again = ask(json.dumps({"text": text, "k": 2}))
        finally:
            door.shutdown()
            thread.join()
        expected = session.suggest(text, k=2)
    assert [each["id"] for each in answered["suggestions"]] == [each.paper.id for each in expected]
    assert answered["suggestions"][0]["why"] == [why.text for why in expected[0].reasons]
    assert all(set(each) == {"error"} and each["error"] for each in wrong)
    assert again == answered


def test_a_task(newcomers: dict[str, ModuleType], library: Path, tmp_path: Path) -> None:
    """The task is measured like one of CiteWhy's own; options that it does not support are refused."""
    questions = tmp_path / "questions.tsv"
    questions.write_text("phrases\ttranslation by phrases\nnowhere\tframes and roles\n", encoding="utf-8")
    outcome = printed("evaluate", "first", questions, "--library", library)
    assert outcome["task"] == "first"
    assert outcome["queries"] == 2
    assert outcome["measures"] == {"P@1": 0.5}
    refused = CliRunner().invoke(cli, ["evaluate", "first", str(questions), "--held-out"])
    assert "--held-out does not apply to the task first" in str(refused.exception)


def test_an_engine(newcomers: dict[str, ModuleType], library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session answers from the engine's vector store, which keeps its own files, and says in what state
    it is; a name that nobody registered is an error."""
    searched = []
    search = newcomers["bits"].Bits.search

    def counted(store: Any, query: Any, count: int, allowed: Any) -> Any:
        searched.append(count)
        return search(store, query, count, allowed)

    monkeypatch.setattr(newcomers["bits"].Bits, "search", counted)
    text = "Translation by phrases needs a lexicon of words."
    with Session(library, pipeline="dense", encoder=HashEncoder()) as session:
        expected = [each.paper.id for each in session.suggest(text, k=2, threshold=0)]
    assert not searched
    with Session(library, pipeline="dense", encoder=HashEncoder(), engine="bits") as session:
        assert [each.paper.id for each in session.suggest(text, k=2, threshold=0)] == expected
        assert session.info().vectors == "current"
    assert searched
    assert list((library / "vectors-bits").glob("papers-*/vectors.npy"))
    with pytest.raises(QueryError, match="no engine 'nobody' is installed"):
        Session(library, engine="nobody")
