"""Sentences of a draft as people read them."""

from __future__ import annotations

import pytest

from citewhy.drafts import read_files
from citewhy.drafts.sentences import shown, with_marks

CITED, GAP = "[…]", "[?]"


@pytest.mark.parametrize(
    ("text", "marks", "expected"),
    [
        ("Scores are automatic.", [], "Scores are automatic."),
        ("the maps of,,, and.", [(11, CITED), (12, CITED), (18, GAP)], "the maps of […], […],, and [?]."),
        ("Parsers work (see ).", [(18, CITED)], "Parsers work (see […])."),
        ("Parsers () work.", [(9, GAP)], "Parsers ([?]) work."),
        ("  show this.", [(0, GAP)], "[?] show this."),
        ("Both work.", [(4, CITED), (4, CITED)], "Both […] work."),
        ("Both work.", [(4, CITED), (4, GAP)], "Both […] [?] work."),
        ("Both work.", [(4, GAP), (0, CITED)], "[…] Both [?] work."),
        ("", [(0, GAP)], "[?]"),
    ],
)
def test_marks_stand_where_citations_were(text: str, marks: list[tuple[int, str]], expected: str) -> None:
    """A space before each, unless a bracket opens there; equal ones at one place are one."""
    assert with_marks(text, marks) == expected


def test_a_sentence_that_names_its_sources() -> None:
    """Citations that are words of the sentence, in brackets, and with undefined keys are shown; of missing
    ones, only the one that is asked for."""
    text = r"\citet{a} used the maps of \citet{b}, \citet{gone}, \cite{?} and others \cite{}~\citep{b}."
    files = {"d.tex": rf"\begin{{document}}{text}\bibliography{{r}}\end{{document}}", "r.bib": BIBLIOGRAPHY}
    sentence = read_files(files, "d.tex").paragraphs[0].sentences[0]
    gap = next(marker for marker in sentence.markers if marker.note == "?")
    assert shown(sentence) == "[…] used the maps of […], […], and others […]."
    assert shown(sentence, gap) == "[…] used the maps of […], […], [?] and others […]."


BIBLIOGRAPHY = "@book{a, title = {One}, year = 2001}\n@book{b, title = {Another}, year = 2002}\n"
