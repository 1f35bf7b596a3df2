"""What an author names comes first, the surest first, and is written without asking for a probability."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_library import make, paper, unsynced

from citewhy import Session
from citewhy.answers.edits import first_choices
from citewhy.answers.questions import units_of
from citewhy.base.records import Paper, Reason, Resolution, Suggestion, UnitAnswer
from citewhy.drafts import read_files

RECORDS = [
    paper("words", "Lanterns of words and lanterns", year=2000, authors=("Ann Poe",)),
    paper("one-lee", "Horses of the north", year=2001, authors=("Ann Lee",)),
    paper("other-lee", "Horses of the south", year=2001, authors=("Bo Lee",)),
    paper("ray", "Dogs", year=2002, authors=("Cy Ray",)),
    paper("certain-id", "Cats", year=2003, authors=("Dee Moe",)),
]


def test_the_surest_of_the_named_papers_come_first(tmp_path: Path) -> None:
    """First what is named for certain (by its id), then what alone fits (surname and year), then what several
    papers fit equally, then what the sentence speaks for."""
    body = "Lanterns of words \\cite{lee2001,ray2002,certain-id}."
    draft = {"a.tex": f"\\documentclass{{article}}\\begin{{document}}\n{body}\n\\end{{document}}\n"}
    with unsynced(), make(tmp_path, RECORDS) as library:
        folder = library.folder
    with Session(folder, pipeline="bm25") as session:
        (answer,) = session.advise(draft, 5)
    paper_ids = [suggestion.paper.id for suggestion in answer.suggestions]
    assert paper_ids[:2] == ["certain-id", "ray"]
    assert set(paper_ids[2:4]) == {"one-lee", "other-lee"}
    assert paper_ids[4:] == ["words"]


def test_of_papers_that_fit_equally_the_own_one_is_meant(tmp_path: Path) -> None:
    """An undefined key that fits several papers of the library means the one that the draft's bibliography
    has under another key; this is written, and the reason says so."""
    entry = "@misc{horses, title = {Horses of the south}, author = {Bo Lee}, year = {2001}}"
    body = "Horses are southern \\cite{lee2001}.\n\\bibliography{refs}"
    text = f"\\documentclass{{article}}\\begin{{document}}\n{body}\n\\end{{document}}\n"
    with unsynced(), make(tmp_path, RECORDS) as library:
        folder = library.folder
    with Session(folder, pipeline="bm25") as session:
        opened = session.open_draft({"a.tex": text, "refs.bib": entry})
        answer = opened.advise(5)
        first = answer[0].suggestions[0]
        assert (first.paper.title, first.key, first.for_key) == ("Horses of the south", "horses", "lee2001")
        why = "your undefined key “lee2001” fits it and no other paper of your bibliography"
        assert first.reasons[0].text == why
        assert "\\cite{horses}" in opened.edit(opened.first_choices(answer).chosen).diff()


@pytest.mark.parametrize(("certain", "chosen"), [(True, ["x"]), (False, [])])
def test_a_note_that_names_a_paper_for_certain_needs_no_probability(certain: bool, chosen: list[str]) -> None:
    """A paper that a note at an open citation names for certain is written, however improbable its sentence
    makes it; one that it may name is not."""
    text = "\\documentclass{article}\\begin{document}\nSo it is [TODO: cite Ray 2002].\n\\end{document}\n"
    manuscript = read_files({"a.tex": text})
    (unit,) = units_of(manuscript)
    suggestion = Suggestion(Paper("x", "Dogs"), 1.0, (Reason("key", "named"),), probability=0.1, key="x")
    named = Resolution("Ray 2002", "key", ("x",), certain)
    choices = first_choices([UnitAnswer(unit, (suggestion,), (named,))], manuscript, 0.5)
    assert [one.paper.id for _, papers in choices.chosen for one in papers] == chosen
