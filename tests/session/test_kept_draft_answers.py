"""Answers to the places of a draft are kept, and asked again only where something of them has changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from toy_session import asked_sentences, toy_session

from citewhy.answers.options import DraftOptions
from citewhy.session.draft_session import DraftSession
from citewhy.session.session import Session

HEAD = "---\nbibliography: refs.bib\n---\n\n# One\n\n"
FIRST = "Weights are tuned on a development set [@]."
SECOND = "Summaries are compared by their skip-bigrams [@]."
BIB = """@inproceedings{och2003, title={Minimum Error Rate Training in Statistical Machine Translation},
 author={Franz Josef Och}, year={2003}}
"""


@pytest.fixture(scope="module")
def session(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with toy_session(tmp_path_factory.mktemp("toy"), toy) as opened:
        yield opened


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sentences that are asked, in their order."""
    return asked_sentences(monkeypatch)


@pytest.fixture
def draft(session: Session, tmp_path: Path) -> DraftSession:
    (tmp_path / "refs.bib").write_text(BIB, encoding="utf-8")
    write(tmp_path, FIRST, SECOND)
    return session.open_draft(tmp_path / "draft.md")


def write(folder: Path, *paragraphs: str) -> None:
    (folder / "draft.md").write_text(HEAD + "\n\n".join(paragraphs) + "\n", encoding="utf-8")


def answers(draft: DraftSession, options: DraftOptions = DraftOptions(3)) -> list[tuple[str, bool]]:  # noqa: B008
    """The sentences that were answered, and whether each answer is current."""
    return [
        (kept.answer.unit.sentence.text if kept.answer.unit.sentence else "", kept.current)
        for kept in draft.answers(draft.units(), options)
    ]


ONE = "Weights are tuned on a development set."
TWO = "Summaries are compared by their skip-bigrams."


def test_nothing_is_asked_twice(draft: DraftSession, asked: list[str]) -> None:
    """The same question has the same answer, with the places of now; another wish is another question."""
    assert answers(draft) == [(ONE, True), (TWO, True)]
    assert answers(draft) == [(ONE, True), (TWO, True)]
    assert asked == [ONE, TWO]
    answers(draft, DraftOptions(4))
    assert asked == [ONE, TWO] * 2


def test_kept_answers_are_those_of_a_new_draft(session: Session, draft: DraftSession, tmp_path: Path) -> None:
    """After changes elsewhere, what is kept is what a session that knows nothing says."""
    answers(draft)
    write(tmp_path, "A new paragraph, which moves all lines.", FIRST, SECOND, "End.")
    kept = {one.answer.unit.place: one.answer for one in draft.answers(draft.units(), DraftOptions(3))}
    assert kept == {one.unit.place: one for one in session.advise(tmp_path / "draft.md", 3)}


def test_lines_in_reasons(session: Session, draft: DraftSession, tmp_path: Path) -> None:
    """A reason that names the line of another citation names the line where it is now."""
    session = Session(session.folder)
    draft = session.open_draft(tmp_path / "draft.md")
    cites = "Feature weights are tuned on a development set of sentences [@och2003]."

    def reasons(text: str) -> list[str]:
        write(tmp_path, text, cites, "A paragraph of other words stands between both. " * 8, FIRST)
        answers = [one.answer for one in draft.answers(draft.units(), DraftOptions(3))]
        new = session.advise(tmp_path / "draft.md", 3)
        assert answers == list(new)
        return [
            reason.text
            for one in answers[0].suggestions
            for reason in one.reasons
            if "in line" in reason.text
        ]

    assert [text for text in reasons("Above.") if "in line 9" in text]
    assert [text for text in reasons("Above.\n\nAnd above.\n\nAnd more.") if "in line 13" in text]
    session.close()


def test_what_changed_is_asked_again(draft: DraftSession, asked: list[str], tmp_path: Path) -> None:
    """A changed sentence is asked, and its neighbour in the paragraph, which is read with it; no other."""
    answers(draft)
    asked.clear()
    write(tmp_path, FIRST, "Summaries are long. " + SECOND.replace("skip-bigrams", "words"))
    changed = TWO.replace("skip-bigrams", "words")
    assert answers(draft) == [(ONE, True), (changed, True)]
    assert asked == [changed]
    asked.clear()
    far = "Between the two stands a paragraph of many words. " * 10
    write(tmp_path, FIRST, far, SECOND)
    answers(draft)
    asked.clear()
    write(
        tmp_path,
        FIRST,
        "Nearer to the first: it is the 300 characters before a sentence that count.",
        far,
        SECOND,
    )
    assert answers(draft) == [(ONE, True), (TWO, True)]
    assert asked == []


def test_new_evidence(draft: DraftSession, asked: list[str], tmp_path: Path) -> None:
    """When the draft cites another paper, kept answers come first, and then those from the new evidence."""
    answers(draft)
    asked.clear()
    third = "Error rates are minimised [@och2003]."
    write(tmp_path, FIRST, SECOND, third)
    assert answers(draft) == [(ONE, False), (TWO, False), (ONE, True), (TWO, True)]
    assert asked == [ONE, TWO]
    write(tmp_path, FIRST, SECOND, "In other words: " + third)  # cited in the same section as before
    assert answers(draft) == [(ONE, True), (TWO, True)]
    (tmp_path / "refs.bib").write_text(BIB + "@misc{more, title={More}, author={A B}}\n", encoding="utf-8")
    assert [current for _, current in answers(draft)] == [False, False, True, True]


def test_keys_of_kept_answers_are_distinct(draft: DraftSession, tmp_path: Path) -> None:
    """A paper that is suggested in a kept answer and in a new one has one key, and no other paper has it."""
    answers(draft)
    write(tmp_path, FIRST, SECOND, "Training minimises the error rate of translation [@].")
    keys: dict[str, set[str]] = {}
    for kept in draft.answers(draft.units(), DraftOptions(3)):
        for one in kept.answer.suggestions:
            keys.setdefault(one.key, set()).add(one.paper.id)
    assert all(len(papers) == 1 for papers in keys.values())
