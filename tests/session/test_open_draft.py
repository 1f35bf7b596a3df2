"""A draft in front of its author: places that last, decisions that are kept, edits in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from toy_session import toy_session

from citewhy.base.errors import EditConflictError, QueryError
from citewhy.drafts.edit.decisions import MOST_PLACES, Decision, Decisions
from citewhy.session.draft_session import At
from citewhy.session.open_draft import OpenDraft
from citewhy.session.session import Session

TEXT = "# One\n\nWeights are tuned [@]. Weights are tuned [@].\n\n# Two\n\nFrames are semantic [@].\n"


@pytest.fixture(scope="module")
def session(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with toy_session(tmp_path_factory.mktemp("toy"), toy) as opened:
        yield opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "draft.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


def ids(draft: OpenDraft) -> list[str]:
    return [place.id for place in draft.state().places]


def test_places_keep_their_ids(session: Session, root: Path) -> None:
    """While other text changes, and from one process to the next; equal sentences are told apart by their
    order."""
    draft = OpenDraft(session, root)
    before = ids(draft)
    assert len(set(before)) == 3
    root.write_text("A new beginning [@].\n\n" + TEXT.replace("# Two", "# Deux\n\nMore."), encoding="utf-8")
    after = ids(draft)
    assert after[1:] == before
    assert ids(OpenDraft(session, root)) == after
    moved = root.parent / "elsewhere" / "draft.md"
    moved.parent.mkdir()
    moved.write_bytes(root.read_bytes())
    assert ids(OpenDraft(session, moved)) == after


def test_revisions(session: Session, root: Path) -> None:
    """A state has a new number when the draft says something else, not when a file was only saved."""
    draft = OpenDraft(session, root)
    assert draft.state().revision == 1
    root.write_text(TEXT, encoding="utf-8")
    assert draft.state().revision == 1
    root.write_text(TEXT + "\nMore.\n", encoding="utf-8")
    assert draft.has_changed()
    assert draft.state().revision == 2
    assert not draft.has_changed()


def test_rejected_papers_do_not_come_back(session: Session, root: Path) -> None:
    """Not for this place, not after a restart, however many; for other places they do, and after taking it
    back."""
    draft = OpenDraft(session, root)
    first, second, _ = ids(draft)
    shown = [one.paper.id for one in draft.ask(first, 3).answer.suggestions]
    for _ in range(3):
        draft.reject(first, draft.ask(first, 1).answer.suggestions[0].paper.id)
    again = OpenDraft(session, root)
    now = [one.paper.id for one in again.ask(first, 3).answer.suggestions]
    assert not set(now) & set(shown)
    assert now
    assert [one.paper.id for one in again.ask(second, 3).answer.suggestions] == shown
    again.reject(first, shown[0], back=True)
    assert again.ask(first, 1).answer.suggestions[0].paper.id == shown[0]


def test_what_is_chosen_asks_for_the_next(session: Session, root: Path) -> None:
    """Beside a chosen paper, those that go with it are suggested, and it is not suggested again; taken back,
    the answer is what it was. Other places are asked as before."""
    draft = OpenDraft(session, root)
    first, second, _ = ids(draft)
    before = draft.ask(first, 5).answer
    chosen = before.suggestions[1]
    draft.choose(first, [chosen.paper.id])
    beside = draft.ask(first, 5).answer
    assert beside.suggestions
    assert chosen.paper.id not in [one.paper.id for one in beside.suggestions]
    assert beside.unit.chosen == (chosen.paper.id,)
    assert draft.suggestion(draft.place(first), chosen.paper.id) == chosen
    assert not draft.ask(second, 5).answer.unit.chosen
    draft.choose(first, [])
    assert draft.ask(first, 5).answer == before


def test_decisions_follow_a_sentence(session: Session, root: Path) -> None:
    """A sentence that is reworded while the draft is open keeps what was decided for it; another one has
    none."""
    draft = OpenDraft(session, root)
    *_, third = ids(draft)
    paper = draft.ask(third, 1).answer.suggestions[0].paper.id
    draft.choose(third, [paper])
    text = TEXT.replace("Frames are semantic", "Frames of verbs are semantic")
    root.write_text(text, encoding="utf-8")
    *_, reworded = ids(draft)
    assert reworded != third
    assert draft.decisions[reworded].chosen == (paper,)
    assert not draft.decisions[third]
    root.write_text(text.replace("Frames of verbs are semantic", "Something else is said"), encoding="utf-8")
    *_, other = ids(draft)
    assert not draft.decisions[other]
    assert OpenDraft(session, root).decisions[reworded].chosen == (paper,)


def test_decisions_follow_a_sentence_that_was_edited_meanwhile(session: Session, root: Path) -> None:
    """Also while the draft was not open: an open citation in the same file, or a claim; not into another
    file, and not to a sentence that has decisions of its own."""
    root.write_text(f"{TEXT}\n{CLAIM}\n", encoding="utf-8")
    draft = OpenDraft(session, root)
    first, _, third = ids(draft)
    (claim,) = draft.state(claims=True).claims or ()
    papers = [one.paper.id for one in draft.ask(third, 2).answer.suggestions]
    draft.choose(third, papers[:1])
    draft.reject(third, papers[1])
    draft.choose(claim.id, papers[:1])
    draft.choose(first, [], settled=True)
    text = TEXT.replace("Frames are semantic", "Frames of verbs are semantic")
    root.write_text(f"New.\n\n{text}\n{CLAIM.replace('many', 'most')}\n", encoding="utf-8")
    later = OpenDraft(session, root)
    *_, reworded = ids(later)
    assert reworded != third
    assert later.decisions[reworded] == Decision((papers[0],), (papers[1],))
    (again,) = later.state(claims=True).claims or ()
    assert later.decisions[again.id].chosen == (papers[0],)
    assert later.decisions[first].settled
    assert not later.decisions[third]
    assert set(later.decisions.made) == {reworded, again.id, first}
    assert OpenDraft(session, root).decisions.made == later.decisions.made


def test_decisions_are_kept_beside_the_draft(session: Session, root: Path) -> None:
    """With the user's seal: those of somebody else, or damaged ones, are none."""
    draft = OpenDraft(session, root)
    first, second, third = ids(draft)
    paper = draft.ask(first, 1).answer.suggestions[0].paper.id
    draft.choose(first, [paper])
    draft.choose(second, [], settled=True)
    kept = OpenDraft(session, root).decisions
    assert (kept[first].chosen, kept[second].settled, kept[third]) == ((paper,), True, Decision())
    file = root.parent / ".citewhy" / "decisions" / "draft.md.json"
    file.write_text(file.read_text(encoding="ascii").replace(paper, "other"), encoding="ascii")
    assert not OpenDraft(session, root).decisions.made
    file.unlink()
    (root.parent / "elsewhere").write_text("{}", encoding="ascii")
    file.symlink_to(root.parent / "elsewhere")
    assert not OpenDraft(session, root).decisions.made


def test_old_decisions_are_forgotten() -> None:
    """As many are kept as anybody makes; what says nothing is not kept."""
    decisions = Decisions(None)
    decisions.change({str(number): Decision(settled=True) for number in range(MOST_PLACES)})
    decisions.change({"new": Decision(settled=True), "1": Decision()})
    assert len(decisions.made) == MOST_PLACES
    assert "new" in decisions.made
    assert "1" not in decisions.made


def test_an_edit_in_memory(session: Session) -> None:
    """It is written into the files in memory, and undone there; the chosen papers are chosen again."""
    draft = OpenDraft(session, {"draft.md": TEXT})
    first = ids(draft)[0]
    paper = draft.ask(first, 1).answer.suggestions[0].paper.id
    with pytest.raises(QueryError, match="nothing is chosen"):
        draft.write()
    draft.choose(first, [paper])
    edition = draft.write(draft.state().revision)
    assert edition.places == (first,)
    assert set(draft.contents()) == {"draft.md", "references.bib"}
    assert not draft.decisions[first]
    assert set(draft.undo()) == {"draft.md", "references.bib"}
    assert draft.contents() == {"draft.md": TEXT.encode()}
    assert draft.decisions[first].chosen == (paper,)
    with pytest.raises(QueryError, match="nothing to undo"):
        draft.undo()


def test_a_stale_edit_is_refused(session: Session, root: Path) -> None:
    """One that was shown for another state; and undo, if what it wrote has changed since."""
    draft = OpenDraft(session, root)
    first = ids(draft)[0]
    draft.choose(first, [draft.ask(first, 1).answer.suggestions[0].paper.id])
    shown = draft.edition()
    root.write_text(TEXT + "\nMore.\n", encoding="utf-8")
    with pytest.raises(EditConflictError, match="has changed since the edit was shown"):
        draft.write(shown.revision)
    draft.write(draft.edition().revision)
    written = root.read_text(encoding="utf-8")
    root.write_text(written.replace("[@", "[@x"), encoding="utf-8")
    with pytest.raises(EditConflictError):
        draft.undo()


def test_several_papers_for_several_keys(session: Session, root: Path) -> None:
    """Each undefined key of a citation gets a paper of its own, that which fits it first."""
    root.write_text("Scores are compared [@papineni2002bleu; @lin2004rouge].\n", encoding="utf-8")
    draft = OpenDraft(session, root)
    (place,) = ids(draft)
    draft.choose(place, ["W04-1013", "P02-1040"])
    (file, bibliography) = draft.edition().patch.contents().items()  # type: ignore[union-attr]
    draft.write()
    text = (root.parent / "references.bib").read_text(encoding="utf-8")
    assert text.index("papineni2002bleu") < text.index("Bleu") or "papineni2002bleu" in text
    assert not draft.state().places
    assert file
    assert bibliography


CLAIM = "Earlier work has shown that neural systems translate many languages better than phrases do."


def test_claims(session: Session, root: Path) -> None:
    """A sentence that cites nothing is asked like an open citation, and gets one at its end for the papers
    that are chosen for it; the undo takes it back."""
    text = f"{TEXT}\n{CLAIM}\n"
    root.write_text(text, encoding="utf-8")
    draft = OpenDraft(session, root)
    assert draft.state().claims is None
    (place,) = draft.state(claims=True).claims or ()
    assert place.sentence == CLAIM
    answer = draft.ask(place.id, 2).answer
    assert answer.suggestions
    draft.choose(place.id, [one.paper.id for one in answer.suggestions])
    assert [paper for _, paper in draft.exported()] == [one.paper for one in answer.suggestions]
    edition = draft.edition()
    assert (edition.places, edition.left) == ((place.id,), ())
    draft.write(edition.revision)
    keys = "; ".join(f"@{one.key}" for one in answer.suggestions)
    written = root.read_text(encoding="utf-8")
    assert f"better than phrases do [{keys}].\n" in written
    assert not draft.decisions[place.id]
    assert not draft.state(claims=True).claims
    draft.undo()
    assert root.read_text(encoding="utf-8") == text
    assert draft.decisions[place.id].chosen == tuple(one.paper.id for one in answer.suggestions)


def test_any_sentence_is_written_to(session: Session) -> None:
    """Also one that nobody would claim to need a citation, and one of two that are equal; with an open
    citation, it is the same place."""
    text = "Trees grow.\n\nTrees grow.\n\nWe tune weights [@].\n"
    draft = OpenDraft(session, {"draft.md": text})
    first, second = (draft.places_at(At("draft.md", line=line))[0] for line in (1, 3))
    assert first.id != second.id
    paper = draft.ask(second, 1).answer.suggestions[0].paper.id
    draft.choose(second.id, [paper])
    draft.draft.update({"draft.md": text.replace("We tune", "Now we tune")})
    draft.write()
    assert draft.contents()["draft.md"].decode().count("Trees grow.\n\nTrees grow [@") == 1
    draft.undo()
    draft.draft.update({"draft.md": "Trees grow [@].\n"})
    assert ids(draft) == [first.id]


def test_a_sentence_without_an_end_stays_open(session: Session) -> None:
    """A citation that the format would not read there is not written, and the edit says why."""
    head = "\\documentclass{article}\\newcommand{\\growing}{Trees grow.}"
    text = f"{head}\\begin{{document}}\n\\growing\n\\end{{document}}"
    draft = OpenDraft(session, {"draft.tex": text})
    (place,) = draft.places_at(At("draft.tex", line=2))
    draft.choose(place.id, [draft.ask(place, 1).answer.suggestions[0].paper.id])
    edition = draft.edition()
    assert edition.patch is None
    assert [(one, left.why[:10]) for one, left in edition.left] == [(place.id, "a citation")]


def test_unknown_names(session: Session, root: Path) -> None:
    """Places and papers that are not there are told of."""
    draft = OpenDraft(session, root)
    with pytest.raises(QueryError, match="no place"):
        draft.ask("nothing", 1)
    with pytest.raises(QueryError, match="no paper"):
        draft.choose(ids(draft)[0], ["nothing"])
