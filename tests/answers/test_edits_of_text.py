"""A plain text whose references are printed is not edited."""

from __future__ import annotations

import pytest

from citewhy.answers.edits import asked_choices, first_choices
from citewhy.answers.questions import units_of
from citewhy.base.records import Paper, Reason, Suggestion, UnitAnswer
from citewhy.drafts import read_files
from citewhy.drafts.files import MemoryFiles

FIRST = Suggestion(Paper("a", "A"), 1.0, (Reason("words", "why"),), probability=0.9, key="a")

NUMBERS = (
    "the draft numbers its references; write the number and its entry by hand; the next free number is 2"
)
NAMES = "the draft prints its references; add the citation and its entry by hand"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "It works [1]. So does that [CITE].\n\nReferences\n\n[1] Ada Author. 2003. A long title. In ACL.",
            NUMBERS,
        ),
        ("So does that [CITE].\n\nReferences\n\n[1] Ada Author. 2003. A long title. In ACL.", NUMBERS),
        ("It works (Author, 2003) [CITE].\n\nReferences\n\nAda Author. 2003. A long title. In ACL.", NAMES),
        (
            "It works, as Author (2003) says [CITE].",
            "the draft prints its citations; write this one by hand, too",
        ),
        ("So does that [CITE].", None),
    ],
)
def test_printed_references(text: str, why: str | None) -> None:
    """Neither keys nor a .bib file belong in it: the citation stays open, and it is said why, whether or not
    the author is asked."""
    files = {"draft.txt": f"A Title\n\nIntroduction\n\n{text}\n"}
    manuscript, held = read_files(files), MemoryFiles(files)
    (unit,) = units_of(manuscript)
    answers = [UnitAnswer(unit, (FIRST,))]

    def ask(_answer: UnitAnswer, _key: str) -> list[Suggestion]:
        assert why is None
        return [FIRST]

    for choices in (
        first_choices(answers, manuscript, files=held),
        asked_choices(answers, manuscript, ask, held),
    ):
        assert [left.why for left in choices.left_open] == ([why] if why else [])
        assert bool(choices.chosen) == (why is None)
