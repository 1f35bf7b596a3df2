"""A draft in an editor: the key that is typed, in the sentence as it stands, between two readings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from citewhy.answers.answering import DraftAnswering
from citewhy.base.progress import Progress, silent
from citewhy.base.records import Suggestion, Unit
from citewhy.session.editor_draft import EditorDraft, Typing
from citewhy.session.session import Session

BIBLIOGRAPHY = """\
@article{papineni02, author = {Papineni, Kishore}, year = {2002}, title = {Evaluation of translations}}
@article{och03, author = {Och, Franz Josef}, year = {2003}, title = {Minimum error rate training}}
"""

TEXT = """---
bibliography: refs.bib
---

Translations are evaluated [@papineni02].

Weights are tuned by error rate training [@].
"""


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session() as opened:
        yield opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    path = tmp_path / "draft.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


def typed(draft: EditorDraft, root: Path, text: str, after: str) -> Typing:
    found = draft.typing(root, text, text.index(after) + len(after), "markdown")
    assert found is not None
    return found


def keys(draft: EditorDraft, typing: Typing) -> list[str]:
    return [one.key for one in draft.completions(typing)]


def test_before_it_is_read_the_place_is_known_and_no_paper(session: Session, root: Path) -> None:
    draft = EditorDraft(session, root)
    assert typed(draft, root, TEXT, "training [@").ranked == ()
    assert draft.name_of(root) is None


def test_words_answer_until_meaning_does(
    session: Session, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the draft's sentences are encoded, papers are already in the order of the words."""
    draft = EditorDraft(session, root)
    meanwhile: list[list[str]] = []
    prepare = DraftAnswering.prepare

    def slow(answering: DraftAnswering, progress: Progress = silent) -> None:
        meanwhile.append(keys(draft, typed(draft, root, TEXT, "training [@")))
        prepare(answering, progress)

    monkeypatch.setattr(DraftAnswering, "prepare", slow)
    draft.refresh()
    assert meanwhile == [["och03", "papineni02"]]
    found = typed(draft, root, TEXT, "training [@")
    assert keys(draft, found) == ["och03", "papineni02"]
    assert found.ranked[0].probability is not None


def test_letters_and_another_reading_ask_nothing_anew(
    session: Session, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = EditorDraft(session, root)
    draft.refresh()
    asked: list[Unit] = []
    order = DraftAnswering.order

    def counted(answering: DraftAnswering, unit: Unit, k: int) -> list[Suggestion]:
        asked.append(unit)
        return order(answering, unit, k)

    monkeypatch.setattr(DraftAnswering, "order", counted)
    first = typed(draft, root, TEXT, "training [@")
    text = TEXT.replace("training [@]", "training [@pa]")
    assert typed(draft, root, text, "training [@pa").ranked == first.ranked
    draft.change(root, text)
    draft.refresh()
    asked.clear()
    longer = TEXT.replace("training [@]", "training [@pap]")
    found = typed(draft, root, longer, "training [@pap")
    assert found.ranked == first.ranked
    assert keys(draft, found) == ["papineni02"]
    assert asked == []
    other = longer.replace("Weights", "All weights")
    assert typed(draft, root, other, "training [@pap").unit != first.unit


def test_of_two_entries_of_a_paper_the_cited_one_is_completed(session: Session, root: Path) -> None:
    twice = BIBLIOGRAPHY.split("\n")[1].replace("och03", "och03again")
    (root.parent / "refs.bib").write_text(f"{BIBLIOGRAPHY}{twice}\n", encoding="utf-8")
    text = TEXT.replace("evaluated [@papineni02]", "evaluated [@och03again]")
    root.write_text(text, encoding="utf-8")
    draft = EditorDraft(session, root)
    draft.refresh()
    assert keys(draft, typed(draft, root, text, "training [@"))[0] == "och03again"


def test_a_paper_that_appeared_after_the_year_of_the_draft(session: Session, root: Path) -> None:
    """Who writes now cites it."""
    text = TEXT.replace("---\n\n", "date: 2002\n---\n\n")
    root.write_text(text, encoding="utf-8")
    draft = EditorDraft(session, root)
    assert draft.refresh().year == 2002
    assert typed(draft, root, text, "training [@").ranked[0].key == "och03"


def test_a_changed_bibliography_asks_anew(session: Session, root: Path) -> None:
    draft = EditorDraft(session, root)
    draft.refresh()
    assert "tuning" not in keys(draft, typed(draft, root, TEXT, "training [@"))
    draft.change(
        root.parent / "refs.bib",
        BIBLIOGRAPHY
        + "@misc{tuning, author={Koehn, P.}, year={2004}, title={Error rate training of weights}}",
    )
    draft.refresh()
    assert "tuning" in keys(draft, typed(draft, root, TEXT, "training [@"))
