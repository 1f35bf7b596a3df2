"""A draft that is kept open: unsaved changes, files that change on disk, positions, and cancelling."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_library import make_toy, unsynced

from citewhy.answers.options import TextOptions
from citewhy.base.errors import EditConflictError, QueryError
from citewhy.base.records import Query, Unit, UnitAnswer
from citewhy.session.draft_session import At
from citewhy.session.session import Session

TEXT = "---\nbibliography: refs.bib\n---\n\nWeights are tuned [@]. Frames are semantic.\n"
ADDED = "\nSummaries share skip-bigrams [@].\n"


@pytest.fixture(scope="module")
def session(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with unsynced(), make_toy(tmp_path_factory.mktemp("toy"), toy) as made:
        folder = made.folder
    with Session(folder, pipeline="bm25") as opened:
        yield opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "draft.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_unsaved_changes(session: Session, root: Path) -> None:
    """They are answered as if they were saved, and forgotten when they are taken back."""
    draft = session.open_draft(root)
    assert len(draft.units()) == 1
    draft.update({str(root): TEXT + ADDED})
    unsaved = [answer.suggestions for answer in draft.advise(3)]
    assert len(unsaved) == 2
    assert root.read_text(encoding="utf-8") == TEXT
    draft.update({str(root): None})
    assert len(draft.units()) == 1
    root.write_text(TEXT + ADDED, encoding="utf-8")
    assert [answer.suggestions for answer in session.advise(root, 3)] == unsaved


def test_changes_on_disk(session: Session, root: Path) -> None:
    """The draft is read again when a file changes, or when one appears that it names; otherwise it is not."""
    draft = session.open_draft(root)
    first = draft.manuscript
    assert draft.manuscript is first
    assert first.unread
    (root.parent / "refs.bib").write_text("@misc{bleu, title = {BLEU}}\n", encoding="utf-8")
    second = draft.manuscript
    assert [reference.key for reference in second.references] == ["bleu"]
    root.write_text(TEXT + ADDED, encoding="utf-8")
    assert len(draft.units()) == 2


def test_a_draft_in_memory(session: Session) -> None:
    """It takes unsaved contents, too, and its edit holds the new texts."""
    draft = session.open_draft({"draft.md": TEXT, "refs.bib": ""})
    draft.update({"draft.md": TEXT + ADDED})
    answer = draft.advise(1, threshold=0.0)
    texts = draft.edit(draft.first_choices(answer, at_least=None).chosen).texts()
    assert "Summaries share skip-bigrams [@lin2004rouge" in texts["draft.md"]


def test_at_a_position(session: Session, root: Path) -> None:
    """A character or a line selects the citations there; elsewhere there is nothing to suggest."""
    root.write_text(TEXT + ADDED, encoding="utf-8")
    draft = session.open_draft(root)
    first, second = draft.units()
    name = first.place.file
    assert draft.units(at=At(name, offset=second.place.start)) == [second]
    assert draft.units(at=At(name, line=first.place.line)) == [first]
    assert draft.units(at=At(name, line=1)) == []
    answer = draft.suggest_at(At(name, offset=second.place.start), 1)
    assert answer is not None
    assert answer.suggestions[0].paper.id == "W04-1013"
    assert draft.suggest_at(At("elsewhere.md", line=1)) is None


def test_cancelling(session: Session, root: Path) -> None:
    """It is asked before each unit; what is ready stays."""
    root.write_text(TEXT + ADDED, encoding="utf-8")
    cancelled = threading.Event()
    answer = session.open_draft(root).advise(1, cancelled=cancelled.is_set)
    for _ in answer:
        cancelled.set()
    assert len(list(answer)) == 1
    assert len(answer) == 2


def test_wishes_that_exclude_each_other(session: Session, root: Path) -> None:
    """They are refused behind every door."""
    with pytest.raises(QueryError, match="--unit selects other parts, --only needed"):
        session.advise(root, needed=True, units=("set",))


def test_an_edit_is_of_the_draft_that_was_answered(session: Session, root: Path) -> None:
    """What was chosen for one state of the draft is not written into another: that is a conflict."""
    (root.parent / "refs.bib").write_text("@misc{other, title = {Another}}\n", encoding="utf-8")
    draft = session.open_draft(root)
    (answer,) = draft.advise(1)
    assert answer.unit.marker is not None
    root.write_text(TEXT.replace("Weights", "All weights"), encoding="utf-8")
    with pytest.raises(EditConflictError):
        draft.edit([(answer.unit.marker, answer.suggestions)]).diff()


def test_an_error_is_not_the_end_of_the_answers(session: Session, root: Path) -> None:
    """An answer that failed fails again when it is asked for again, instead of looking like the last one."""
    answer = session.open_draft(root).advise(1)

    def failed(unit: Unit) -> UnitAnswer:
        raise QueryError(f"no answer for the {unit.kind}")

    answer.coming = map(failed, answer.units)
    for _ in range(2):
        with pytest.raises(QueryError, match="no answer"):
            list(answer)


def test_an_empty_buffer_has_no_units(session: Session) -> None:
    """An editor's empty buffer is a draft without sentences; an empty file on disk was perhaps not saved."""
    assert list(session.advise({"a.tex": ""})) == []


def test_options_keep_the_query(session: Session) -> None:
    """Options that wish for no kind leave that of the query as it is."""
    query = Query("global", title="BLEU: a method for automatic evaluation of machine translation")
    assert len(session.suggest(query, options=TextOptions(k=3))) == 3
