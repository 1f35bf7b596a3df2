"""A draft that is kept open: unsaved changes, files that change on disk, positions, and cancelling."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_library import make_toy, unsynced

from citewhy.answers.answering import DraftAnswering
from citewhy.answers.options import DraftOptions, TextOptions
from citewhy.base.errors import EditConflictError, QueryError
from citewhy.base.records import Manuscript, Query, SentenceInContext, Unit, UnitAnswer
from citewhy.ranking.classify import Probabilities
from citewhy.session import draft_session
from citewhy.session.draft_session import At, DraftSession
from citewhy.session.session import Session

TEXT = "---\nbibliography: refs.bib\n---\n\nWeights are tuned [@]. Frames are semantic.\n"
ADDED = "\nSummaries share skip-bigrams [@].\n"


@pytest.fixture(scope="module")
def toy_folder(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    with unsynced(), make_toy(tmp_path_factory.mktemp("toy"), toy) as made:
        return made.folder


@pytest.fixture(scope="module")
def session(toy_folder: Path) -> Iterator[Session]:
    with Session(toy_folder, pipeline="bm25") as opened:
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
    """It is asked before each unit; what is ready stays, and is the whole answer then."""
    root.write_text(TEXT + ADDED, encoding="utf-8")
    cancelled = threading.Event()
    answer = session.open_draft(root).advise(1, cancelled=cancelled.is_set)
    assert len(answer) == 2
    for _ in answer:
        cancelled.set()
    assert len(list(answer)) == 1
    assert len(answer.units) == 2
    cancelled.clear()
    assert len(answer) == len(list(answer)) == len(list(reversed(answer))) == 1
    assert answer[0] is answer[-1] is next(reversed(answer))


def test_cancelling_while_it_is_read_backwards(session: Session, root: Path) -> None:
    """The answers that are ready are given, and none is missed as if there were more."""
    root.write_text(TEXT + ADDED, encoding="utf-8")
    wanted = iter([False, True])
    answer = session.open_draft(root).advise(1, cancelled=lambda: next(wanted))
    assert [answer.unit.sentence for answer in reversed(answer)] == [answer.units[0].sentence]


def test_an_answer_keeps_no_thread(session: Session, root: Path) -> None:
    """The thread that encodes ahead ends, though the answer is kept: cancelled, or asked for no more."""
    root.write_text(TEXT + ADDED, encoding="utf-8")
    cancelled = threading.Event()
    answers = [session.open_draft(root).advise(1, cancelled=cancelled.is_set) for _ in range(2)]
    for answer in answers:
        assert next(iter(answer))
    cancelled.set()
    assert len(list(answers[0])) == 1
    for thread in threading.enumerate():
        if thread.name.startswith("encoding ahead"):
            thread.join(30)
            assert not thread.is_alive()


def test_what_is_released(session: Session, root: Path) -> None:
    """What an open draft keeps of the index and the models goes with those of the session; it answers the
    same afterwards."""
    draft = session.open_draft(root)
    before = list(draft.advise(1))
    recommender = weakref.ref(session.recommender())
    session.release()
    gc.collect()
    assert recommender() is None
    assert list(draft.advise(1)) == before


def test_wishes_that_exclude_each_other(session: Session, root: Path) -> None:
    """They are refused behind every door."""
    with pytest.raises(QueryError, match="--unit selects other parts, --only needed"):
        session.advise(root, needed=True, units=("set",))


# Sentences that need a citation ---------------------------------------------------------------------------


class Claims:
    """A classifier for which sentences without "hardly" should cite."""

    name, fingerprint, labels = "claims", "0", ("cites", "plain")

    def probabilities(self, sentences: Sequence[SentenceInContext]) -> Probabilities:
        sure = [0.0 if "hardly" in sentence.text.lower() else 0.9 for sentence in sentences]
        return np.array([[share, 1 - share] for share in sure], dtype=np.float32).reshape(-1, 2)

    def predict(self, sentences: Sequence[SentenceInContext]) -> list[str]:
        return ["cites"] * len(sentences)


UNCITED = """\
# On Scores

## Introduction

The weights of the models are tuned on a development set{}. Hardly anybody does it in this way.

The quality of automatic summaries is scored by counting skip-bigrams{}.
"""


def suggested(answers: Iterable[UnitAnswer]) -> list[list[tuple[str, float | None]]]:
    return [[(found.paper.id, found.probability) for found in answer.suggestions] for answer in answers]


@pytest.mark.parametrize(
    "wishes", [{}, {"threshold": 1.0}, {"pipeline": "bm25"}, {"intent": "result"}, {"only": "new"}]
)
def test_needed_citations_are_answered_as_open_ones(
    toy_folder: Path, monkeypatch: pytest.MonkeyPatch, wishes: dict[str, Any]
) -> None:
    """Every wish counts for sentences that lack a citation as for open citations at their ends."""
    monkeypatch.setattr(draft_session, "needs_folder", Claims)
    with Session(toy_folder, threshold=0.0) as session:
        needed = session.advise({"a.md": UNCITED.format("", "")}, 3, needed=True, **wishes)
        marked = session.advise({"a.md": UNCITED.format(" [@]", " [@]")}, 3, **wishes)
        assert len(needed) == len(marked) == 2
        assert suggested(needed) == suggested(marked)
        if wishes.get("only") is None and wishes:
            plain = session.advise({"a.md": UNCITED.format("", "")}, 3, needed=True)
            assert suggested(needed) != suggested(plain)


def test_needed_citations_at_a_position(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence there is answered alone, as among all; nothing is ranked before it is asked for."""
    monkeypatch.setattr(draft_session, "needs_folder", Claims)
    draft = session.open_draft({"a.md": UNCITED.format("", "")})
    every = list(draft.advise(1, needed=True))
    line = every[1].unit.place.line
    asked: list[Unit] = []
    answer = DraftAnswering._answer

    def counted(self: DraftAnswering, unit: Unit, query: Query, options: DraftOptions) -> UnitAnswer:
        asked.append(unit)
        return answer(self, unit, query, options)

    monkeypatch.setattr(DraftAnswering, "_answer", counted)
    at_line = draft.advise(1, at=At("a.md", line=line), needed=True)
    assert not asked
    assert list(at_line) == [every[1]]
    assert len(asked) == 1
    assert list(draft.advise(1, at=At("a.md", line=1), needed=True)) == []


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


def test_a_changed_paragraph_is_read_alone(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of a draft of LaTeX is not read again, and the result is as if it were."""
    text = (
        "\\documentclass{article}\n\\begin{document}\nWeights are tuned \\cite{och}. Frames are semantic.\n\n"
        "Summaries share skip-bigrams \\cite{}.\n\\bibliography{refs}\n\\end{document}\n"
    )
    (tmp_path / "draft.tex").write_text(text, encoding="utf-8")
    (tmp_path / "refs.bib").write_text("@misc{och, title = {Training}}\n", encoding="utf-8")
    draft = session.open_draft(tmp_path / "draft.tex")
    first = draft.manuscript
    read: list[bool] = []
    whole = DraftSession._read

    def counted(opened: DraftSession) -> Manuscript:
        read.append(True)
        return whole(opened)

    monkeypatch.setattr(DraftSession, "_read", counted)
    for number, (old, new) in enumerate([(" are tuned", ", all of them, are tuned"), ("semantic", "stable")]):
        text = text.replace(old, new)
        if number:
            (tmp_path / "draft.tex").write_text(text, encoding="utf-8")
            draft.update({str(tmp_path / "draft.tex"): None})
        else:
            draft.update({str(tmp_path / "draft.tex"): text})
        again = draft.manuscript
        assert again == session.read(tmp_path / "draft.tex") if number else again != first
        assert draft.manuscript is again
    assert read == []
    draft.update({str(tmp_path / "draft.tex"): text.replace("Frames", "\\section{Frames} Frames")})
    assert [paragraph.section for paragraph in draft.manuscript.paragraphs][1:2] == ["Frames"]
    (tmp_path / "refs.bib").write_text("@misc{och, title = {Tuning}}\n", encoding="utf-8")
    assert draft.manuscript.references[0].paper.title == "Tuning"
    assert len(read) == 2
