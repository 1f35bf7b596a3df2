"""One session behind all doors: what it answers, on disk and in memory, and how it follows its library."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from hash_encoder import HashEncoder
from small_library import make_toy, unsynced

from citewhy.answers.questions import UNITS
from citewhy.base.assets import example_draft
from citewhy.base.config import CACHE_VARIABLE, LIBRARY_VARIABLE
from citewhy.base.errors import LibraryError, QueryError
from citewhy.base.records import Query
from citewhy.doors.present import as_json
from citewhy.drafts.edit.patch import Patch
from citewhy.drafts.files import DISK
from citewhy.session.draft_session import DraftSession
from citewhy.session.session import Session

TUNING = "Weights are tuned on a development set."


@pytest.fixture
def toy_folder(toy: Path, tmp_path: Path) -> Path:
    """A library of the toy corpus that a test may change."""
    with unsynced(), make_toy(tmp_path / "library", toy) as made:
        return made.folder


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """Of a person who asks for the starter library."""
    folder = tmp_path_factory.mktemp("user")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CACHE_VARIABLE, str(folder / "cache"))
        patch.setenv(LIBRARY_VARIABLE, "starter")
        with Session() as session:
            yield session


def command_line(*arguments: object) -> dict[str, object]:
    """The JSON document that a verb prints."""
    command = [sys.executable, "-m", "citewhy", *map(str, arguments), "--json"]
    done = subprocess.run(command, check=True, capture_output=True, timeout=300)
    found: dict[str, object] = orjson.loads(done.stdout)
    return found


# The same answers behind every door -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        r"We tune the weights \citep{och2003} on a development set.",
        "We tune the weights [@och2003] on a development set.",
        "We tune the weights (Och, 2003) on a development set [CITE].",
    ],
)
def test_python_answers_as_the_command_line(starter: Session, text: str) -> None:
    """A sentence, as a text or as a query, has the answer that --text has."""
    shown = command_line("suggest", "--text", text)
    for question in (text, Query("local", text=text)):
        document = as_json.text_document(starter.suggest(question))
        assert orjson.loads(as_json.dumps(document)) == shown


def test_a_draft_has_the_command_lines_answer(starter: Session, tmp_path: Path) -> None:
    """All of its places, with all of their fields."""
    folder = shutil.copytree(example_draft("markdown").parent, tmp_path / "drafts")
    document = as_json.draft_document(starter.advise(folder / "example.md", 2))
    assert orjson.loads(as_json.dumps(document)) == command_line("suggest", folder / "example.md", "-k", 2)


# Drafts in memory -----------------------------------------------------------------------------------------

TOY_DRAFTS = {
    "paper.tex": {
        "paper.tex": "\\documentclass{article}\n\\title{Scores}\n\\date{2015}\n\\begin{document}\n"
        "\\input{sections/one}\nPhrases are translated \\cite{och2003, gone2001}.\n\\input{missing}\n"
        "\\bibliography{refs}\n\\end{document}\n",
        "sections/one.tex": "Scores are automatic \\citep[see][]{?}, and \\textbf{summaries} are scored "
        "\\citeneeded.\n\n% \\cite{}\nWeights are tuned.\n",
        "refs.bib": "@misc{bleu, title = {{BLEU}}, doi = {10.3115/1073083.1073135}}\n",
    },
    "notes.md": {
        "notes.md": "---\ntitle: Notes\nbibliography: refs.bib\n---\n# Past\n\n"
        "Trees were tagged [@ptb; @?].\n",
        "refs.bib": "@misc{ptb, title = {Building a Large Annotated Corpus of English: The Penn Treebank},\n"
        "  author = {Marcus, Mitchell P.}, year = 1993}\n",
    },
    "notes.txt": {"notes.txt": "Notes\n\nFrames are semantic [CITE]. Weights are tuned (Och, 2003) [?].\n"},
}


def files_of(root: Path) -> dict[str, str | bytes]:
    """Every file in the folder of a draft, by its name there."""
    return {
        str(file.relative_to(root.parent)): file.read_bytes()
        for file in sorted(root.parent.rglob("*"))
        if file.is_file()
    }


def shown(session: Session, root: Path) -> tuple[str, str]:
    """The JSON documents of one draft: from disk, with names as in its folder, and from memory."""
    on_disk = session.read(root)
    in_memory = session.read(files_of(root), root.name)
    texts = [
        as_json.dumps(as_json.draft_document(session.advise(manuscript, 3, units=UNITS)))
        for manuscript in (on_disk, in_memory)
    ]
    return texts[0].replace(orjson.dumps(f"{root.parent}/").decode().strip('"'), ""), texts[1]


@pytest.mark.parametrize(
    "root", [example_draft("latex"), example_draft("markdown")], ids=lambda path: path.name
)
def test_an_example_draft_in_memory(starter: Session, root: Path) -> None:
    """The same document, byte for byte, whether the draft is on disk or in memory."""
    on_disk, in_memory = shown(starter, root)
    assert on_disk == in_memory
    assert on_disk.count('"unit": "place"') > 10


@pytest.mark.parametrize("name", TOY_DRAFTS)
def test_a_toy_draft_in_memory(starter: Session, tmp_path: Path, name: str) -> None:
    """The same with several files, a missing one, undefined keys, and every unit."""
    for file, text in TOY_DRAFTS[name].items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text, encoding="utf-8")
    on_disk, in_memory = shown(starter, tmp_path / name)
    assert on_disk == in_memory
    assert starter.read(TOY_DRAFTS[name]).path == name


@pytest.mark.data
@pytest.mark.full
def test_real_drafts_in_memory(starter: Session, shared_drafts: Path) -> None:
    """The same for the drafts of the shared folder, whose bibliographies lie beside them."""
    for root in sorted(shared_drafts.glob("*.tex")):
        on_disk, in_memory = shown(starter, root)
        assert on_disk == in_memory, root.name


def test_an_edit_in_memory(starter: Session, tmp_path: Path) -> None:
    """The new contents are those that the edit writes on disk, which can be undone."""
    folder = shutil.copytree(example_draft("latex").parent, tmp_path / "drafts")
    root, files = folder / "example.tex", files_of(folder / "example.tex")

    def edited(draft: DraftSession) -> Patch:
        return draft.edit(draft.first_choices(draft.advise(1, pipeline="bm25")).chosen)

    texts = edited(starter.open_draft(files, root.name)).texts()
    edit = edited(starter.open_draft(root))
    assert edit.texts() == {str(DISK.resolve(folder / name)): text for name, text in texts.items()}
    edit.apply()
    assert {name: (folder / name).read_text(encoding="utf-8") for name in texts} == texts
    assert len(starter.undo(root)) == len(texts)
    assert files_of(root).keys() - files.keys() == {".citewhy/.gitignore", ".citewhy/lock"}
    assert {name: (folder / name).read_bytes() for name in files} == files


# Other questions ------------------------------------------------------------------------------------------


def test_every_kind_of_question(toy_folder: Path) -> None:
    """A set does not suggest its members, a whole paper not what it knows; fields may stand beside a text."""
    with Session(toy_folder, pipeline="bm25") as session:
        sentence = session.suggest("Translations are scored by n-grams.", 13)
        assert sentence[0].paper.id == "P02-1040"
        members = session.suggest("Translations are scored by n-grams.", 13, member_ids=("P02-1040",))
        assert [each.paper.id for each in members] == [each.paper.id for each in sentence[1:]]
        whole = session.suggest(title="Scores of translations by n-grams", known_ids=("P02-1040",), k=13)
        assert "P02-1040" not in [each.paper.id for each in whole]
        assert whole
        assert list(session.suggest("Translations are scored.", year=1992)) == []
        assert session.suggest(Query("paragraph", "Translations are scored by n-grams."), 1)


def test_what_a_sentence_names_comes_first(toy_folder: Path) -> None:
    """As in a draft: a printed citation is what is asked for, unless a placeholder says where; also if its
    sentence is about something else, and the paper is not published later."""
    with Session(toy_folder, pipeline="bm25") as session:
        text = "Translations are scored by n-grams (Och, 2003)."
        first = session.suggest(text, 2)[0]
        assert (first.paper.id, first.reasons[0].kind) == ("P03-1021", "key")
        told = "“Och 2003” in your text fits it and no other paper in your library"
        assert first.reasons[0].text == told
        assert session.suggest(Query("local", text), 1)[0] == first
        assert session.suggest(f"{text} [CITE]", 1)[0].paper.id == "P02-1040"
        assert session.suggest(text, 1, year=2002)[0].paper.id == "P02-1040"
        assert session.suggest("Och [CITE] scores translations by n-grams.", 1)[0].paper.id == "P02-1040"
        before = session.suggest("Papineni et al. [CITE] tune weights by error rate.", 1)[0]
        assert before.reasons[0].text.startswith("“Papineni et al.” at the citation fits it")


def test_units_of_a_draft(toy_folder: Path) -> None:
    """Each unit is answered with what it is and where; a progress bar can count them first."""
    files = {
        "draft.md": "---\ntitle: Scores of translations\nbibliography: refs.bib\n---\n"
        "Translations are scored by n-grams [@bleu]. Skip-bigrams are shared by summaries of people [@].\n\n"
        "Phrases are translated next.\n",
        "refs.bib": "@misc{bleu, title = {{BLEU}}, doi = {10.3115/1073083.1073135}}\n",
    }
    with Session(toy_folder, pipeline="bm25") as session:
        found = list(session.advise(files, 3, units=UNITS))
        assert [each.unit.kind for each in found] == ["set", "place", "paragraph", "draft"]
        assert [each.kind for each in session.units(files, UNITS)] == ["set", "place", "paragraph", "draft"]
        assert all(each.suggestions for each in found)
        members, place, _, whole = ([each.paper.id for each in one.suggestions] for one in found)
        assert "P02-1040" not in members
        assert "P02-1040" not in whole
        assert place[0] == "W04-1013"


def test_passages(toy_folder: Path) -> None:
    """Sentences of a paper, and the papers that they credit; a citation in the claim does no harm."""
    with Session(toy_folder) as session:
        found = session.passages("P02-1040", r"BLEU compares n-grams \cite{bleu} with a reference.", 2)
        assert (found.paper.id, found.source, len(found.passages)) == ("P02-1040", "full text", 2)
        assert {each for one in found.passages for each in one.credits} == {one.id for one in found.credited}
        with pytest.raises(QueryError, match="the text is empty"):
            session.passages("P02-1040", " ")


def test_a_paper_by_its_id(toy_folder: Path) -> None:
    """An alias leads to it; an id that is almost right is met with those that it may be."""
    with Session(toy_folder) as session:
        assert session.paper("P02-1040").year == 2002
        with pytest.raises(QueryError, match=r"did you mean: P02-1040"):
            session.paper("P02-104")
        with pytest.raises(QueryError, match="look for it with: citewhy find"):
            session.paper("no such paper at all")


def test_a_paper_has_the_same_answer_with_another_pipeline_open(toy_folder: Path) -> None:
    """Recommenders of one session do not disturb each other, and are made once for each setting."""
    with Session(toy_folder, pipeline="bm25", encoder=HashEncoder()) as session:
        before = session.suggest(TUNING)
        assert session.suggest(TUNING, pipeline="dense") != before
        assert session.suggest(TUNING) == before
        assert session.recommender() is session.recommender("bm25")
        assert session.recommender(hidden_ids=["P02-1040"]) is not session.recommender()


def test_defaults_of_a_session(toy_folder: Path) -> None:
    """Year and threshold hold where a question gives none."""
    with Session(toy_folder, year=1992, pipeline="bm25") as session:
        assert list(session.suggest(TUNING)) == []
        assert session.suggest(TUNING, year=2020)
    with Session(toy_folder, threshold=1.0) as session:
        assert list(session.suggest(TUNING)) == []
        assert session.suggest(TUNING, threshold=0.0)


# The library ----------------------------------------------------------------------------------------------


def test_no_library(tmp_path: Path) -> None:
    """A folder without one is refused at once, unless `add` is to make it."""
    with pytest.raises(LibraryError, match="there is no library in this folder"):
        Session(tmp_path)
    with Session(tmp_path / "new", create=True) as session:
        with pytest.raises(LibraryError, match="there is no library in this folder"):
            session.suggest("Words.")
        assert not (tmp_path / "new").exists()


def test_adding_files(toy: Path, tmp_path: Path) -> None:
    """They are there at the next question; the report counts them."""
    with Session(tmp_path / "new", create=True, encoder=HashEncoder()) as session:
        report = session.add([toy / "papers.jsonl"])
        assert (report.changed, report.generation, report.read["papers"], report.skipped) == (True, 1, 14, 0)
        assert session.suggest(TUNING)[0].paper.id == "P03-1021"
        assert not session.add([toy / "papers.jsonl"]).changed
        assert session.info().papers == 13  # two of the records are one paper


def test_info(toy_folder: Path) -> None:
    """What there is; the index is not made by looking at it."""
    with Session(toy_folder) as session:
        found = session.info()
        assert (found.library, found.starter, found.papers) == (str(toy_folder), False, 13)
        assert (found.index, found.first_year, found.last_year) == ("missing", 1993, 2020)
        session.suggest(TUNING, pipeline="bm25")
        assert session.info().index == "current"


def test_a_closed_session(toy_folder: Path) -> None:
    """It answers no more, and says so."""
    with Session(toy_folder, pipeline="bm25") as session:
        session.suggest(TUNING)
    with pytest.raises(ValueError, match="the session is closed"):
        session.suggest(TUNING)
    assert not [each for each in toy_folder.iterdir() if each.name.endswith(("-wal", "-shm"))]


def test_a_text_in_another_language_is_remarked_on(starter: Session) -> None:
    """Once, of a sentence and of a draft; of English ones nothing is said."""
    other = "Die Gewichte werden auf den Daten der Entwicklung eingestellt und nicht auf denen der Prüfung."
    said = [remark for remark in starter.suggest(other).remarks if "not in English" in remark]
    assert len(said) == 1
    assert said[0].startswith("the text is in German, not in English")
    assert not [remark for remark in starter.suggest(TUNING).remarks if "English" in remark]
    draft = starter.open_draft({"x.md": f"{other} [@?]\n"})
    assert said == [remark for remark in draft.advise().remarks if "not in English" in remark]
