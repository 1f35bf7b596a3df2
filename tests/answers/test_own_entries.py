"""Entries of a draft's bibliography that the library does not have."""

from __future__ import annotations

import pytest

from citewhy.answers.own_entries import KIND, EntryFit, OwnEntries, among
from citewhy.answers.questions import units_of
from citewhy.base.records import Manuscript, Paper, Query, Reason, Suggestion, Unit
from citewhy.drafts import read_files

BIB = """@misc{ants, title = {Colony optimisation with pheromone trails}, year = 1992}
@misc{glove, title = {GloVe: Global Vectors}, year = 2014}
@misc{plans, title = {Plans of a factory}, author = {Plansky, Ada}, year = 1950}
@misc{bare, note = {no title}}
"""


def manuscript(text: str) -> Manuscript:
    draft = f"---\nbibliography: refs.bib\n---\n\n{text}\n"
    return read_files({"draft.md": draft, "refs.bib": BIB}, root="draft.md")


def unit_of(found: Manuscript) -> Unit:
    return next(units_of(found))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Pheromone trails guide a colony [CITE].", ["ants"]),
        ("Our colony follows pheromone trails [@ants], and more [CITE].", []),  # cited there
        ("We use GloVe here [CITE].", ["glove"]),
        ("The method of Plansky is used [CITE].", ["plans"]),
        ("Trails were long, hot and dusty in the dry summer of that year [CITE].", []),  # one word alone
        ("Nothing here fits [CITE].", []),
    ],
)
def test_what_fits(text: str, expected: list[str]) -> None:
    """An entry fits a sentence that has its name, or two telling words of it that are a good part of the
    sentence; one that the sentence cites does not."""
    found = manuscript(text)
    fitting = OwnEntries.of(found, ()).fitting(unit_of(found), Query("local"))
    entries = [each.suggestion for each in fitting]
    assert [each.paper.id for each in entries] == expected
    assert all(each.in_bibliography and each.key == each.paper.id for each in entries)
    assert all(each.reasons[0].kind == KIND and each.probability is None for each in entries)


def test_what_the_library_has_is_not_doubled() -> None:
    """Nor is anything newer than the query's year suggested."""
    found = manuscript("We use GloVe here [CITE].")
    assert OwnEntries.of(found, {"glove"}).fitting(unit_of(found), Query("local")) == []
    assert OwnEntries.of(found, ()).fitting(unit_of(found), Query("local", year=2013)) == []


def suggestion(name: str, probability: float | None, kind: str = "meaning") -> Suggestion:
    return Suggestion(Paper(name, name), 1.0, (Reason(kind, "why"),), probability=probability)


def test_where_they_stand() -> None:
    """Before papers with a lower probability than theirs: .1 for shared words, .4 for the first author; at
    most two. A paper by its key stays where it is."""
    words = EntryFit("", 0.3, suggestion("words", None))
    named = EntryFit("author", 0.0, suggestion("named", None))
    library = [suggestion("first", 0.6), suggestion("second", 0.3), suggestion("third", 0.04)]

    def merged(*own: EntryFit, k: int = 9) -> list[str]:
        return [each.paper.id for each in among(library, own, k)]

    assert merged() == ["first", "second", "third"]
    assert merged(words) == ["first", "second", "words", "third"]
    assert merged(named) == ["first", "named", "second", "third"]
    assert merged(named, words, words) == ["first", "named", "second", "words", "third"]
    assert merged(named, k=2) == ["first", "named"]
    by_key = among([suggestion("key", 0.01, "key")], [words], 2)
    assert [each.paper.id for each in by_key] == ["key", "words"]
    assert [each.score for each in among([], [words], 2)] == [0.0]
