"""The answer to a draft in short."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from citewhy.answers.edits import LeftOpen
from citewhy.base.records import (
    DraftSentence,
    Manuscript,
    Marker,
    Paper,
    Place,
    Reason,
    Resolution,
    Suggestion,
    Unit,
    UnitAnswer,
)
from citewhy.doors.present import draft_text
from citewhy.doors.present.lines import Look, around, located

MANUSCRIPT = Manuscript("thesis.tex", "latex")
TEXT = f"{'Long ago, somebody said this. ' * 4}Scores are automatic, and people agree with them."


def paper(number: int, probability: float | None, **fields: object) -> Suggestion:
    title = f"Title {number} {'of many words ' * 9}"
    record = Paper(f"p{number}", title, authors=("Ann Lee", "Bo Wu"), year=2000 + number)
    reasons = (Reason("words", "matches: scores"),)
    facts: dict[str, object] = {"key": f"lee200{number}title", "reasons": reasons, **fields}
    return Suggestion(record, 2.5, probability=probability, **facts)  # type: ignore[arg-type]


def answer(*papers: Suggestion, undefined: tuple[str, ...] = (), line: int = 7) -> UnitAnswer:
    place = Place("chapters/results.tex", 10, 17, line)
    marker = Marker(place, undefined, open=True, offset=TEXT.index(", and"), command="cite")
    sentence = DraftSentence(TEXT, place, (marker,))
    resolutions = tuple(Resolution(key) for key in undefined)
    return UnitAnswer(
        Unit("place", place, marker, sentence, undefined=undefined), papers, resolutions=resolutions
    )


def test_a_likely_paper_takes_two_lines() -> None:
    """It stands alone below the words before the gap, with the first reason, cut to the width."""
    assert draft_text.in_short(answer(paper(1, 0.82), paper(2, 0.1)), 3).splitlines() == [
        "3. chapters/results.tex:7",
        "   …Long ago, somebody said this. Scores are automatic [?], and people agree…",
        "    1   82%  lee2001title  Title 1 of many words of many words of many words of…",
        "           matches: scores",
    ]


def test_candidates_take_a_line_each() -> None:
    """Up to five where no paper is likely, without reasons."""
    lines = draft_text.in_short(answer(*(paper(number, 0.2) for number in range(1, 9))), 1).splitlines()
    assert [line[:28] for line in lines[2:]] == [
        f"    {number}   20%  lee200{number}title  T" for number in range(1, 6)
    ]
    assert max(map(len, lines)) <= 80


def test_what_is_hardly_a_candidate() -> None:
    """Below two in a hundred only the first is shown, unless one is to choose."""
    improbable = answer(*(paper(number, 0.019) for number in range(1, 4)))
    assert draft_text.in_short(improbable, 1).count("    2%") == 1
    assert draft_text.in_short(improbable, 1, every=True).count("    2%") == 3


def test_what_is_proposed_together_is_shown() -> None:
    """Beside a likely paper, those that the place probably needs, too; a sentence says so."""
    shown = draft_text.in_short(
        answer(paper(1, 0.8, proposed=True), paper(2, 0.3, proposed=True), paper(3, 0.2)), 1
    )
    assert "chapters/results.tex:7  This place probably needs two papers: 1 and 2.\n" in shown
    assert "lee2002title" in shown
    assert "lee2003title" not in shown


def test_who_wrote_it_stands_where_the_key_does_not_say_so() -> None:
    """A key such as those of Zotero or a DOI names nobody."""
    (line,) = draft_text.candidates([paper(1, 0.2, key="NHJ4X2")])
    assert line.startswith("    1   20%  NHJ4X2  Lee et al. 2001: Title 1")


def test_summary() -> None:
    """How many places, for how many of them a paper is likely, and the keys that nothing defines."""
    answers = [
        answer(paper(1, 0.8)),
        answer(paper(1, 0.2), undefined=("gone",)),
        answer(undefined=("gone", "lost")),
    ]
    shown = draft_text.draft(MANUSCRIPT, answers)
    assert shown.startswith("3 open citations; 1 with a likely paper; 2 keys that no bibliography has\n-v ")
    assert "Title 1 of many words" in shown
    bare = draft_text.draft(MANUSCRIPT, [answer(paper(1, None))])
    assert bare.startswith("1 open citation; -v for reasons\n")


def test_the_verbose_look_has_all() -> None:
    """The whole sentence, all papers, all reasons."""
    verbose = draft_text.draft(MANUSCRIPT, [answer(paper(1, 0.8), paper(2, 0.001))], look=Look(verbose=True))
    assert " ".join(verbose.split()).count("Long ago") == 4
    assert verbose.count("– matches: scores") == 2
    assert verbose.startswith("1 open citation; 1 with a likely paper\n")


def test_eight_lines_a_place() -> None:
    """At most, in the mean, however many candidates there are."""
    answers = [answer(*(paper(number, 0.2, source="none") for number in range(1, 9))) for _ in range(20)]
    lines = draft_text.draft(MANUSCRIPT, answers).splitlines()
    assert len(lines) <= 8 * len(answers) + 5
    assert sum("abstract" in line for line in lines) == 1


def test_what_stays_open_is_grouped() -> None:
    """By reason, with the lines of each file; with the verbose look each place has its own."""
    place = Place("chapters/a.tex", 0, 1, 3)
    left = [
        LeftOpen(place, "the first paper is 17% sure, below 50%", "no paper is 50% sure"),
        LeftOpen(replace(place, line=9), "the first paper is 3% sure, below 50%", "no paper is 50% sure"),
        LeftOpen(replace(place, file="b.tex"), "none matches the key “x1”", "no paper fits the key", "x1"),
    ]
    assert draft_text.left_open(left) == [
        "Left open: 3",
        "  no paper is 50% sure: chapters/a.tex:3, 9",
        "  no paper fits the key: b.tex:3 (x1)",
    ]
    assert draft_text.left_open(left, Look(verbose=True))[1:] == [
        "  chapters/a.tex:3: the first paper is 17% sure, below 50%",
        "  chapters/a.tex:9: the first paper is 3% sure, below 50%",
        "  b.tex:3: none matches the key “x1”",
    ]
    assert draft_text.left_open([]) == []


def test_keys_that_give_way_are_told() -> None:
    """With the reason, below how many citations are written."""
    one = answer(
        paper(1, 0.1, for_key="lee01", reasons=(Reason("key", "your undefined key “lee01” fits it"),))
    )
    assert one.unit.marker is not None
    assert draft_text.to_write([(one.unit.marker, one.suggestions)]) == [
        "To write: 1: chapters/results.tex:7",
        "  the key fits it: chapters/results.tex:7 (lee01 → lee2001title)",
    ]
    by_author = replace(one.suggestions[0], reasons=(Reason("key", "you gave the key “lee2001title”"),))
    assert draft_text.to_write([(one.unit.marker, (by_author,))])[1:] == [
        "  you chose: chapters/results.tex:7 (lee01 → lee2001title)",
    ]


def test_long_keys_leave_room_for_titles() -> None:
    """A title has a line of its own where a key leaves it none; a longer key is cut in the middle."""
    for key in ("a" * 45, f"{'a' * 60}{'b' * 60}"):
        first, *rest = draft_text.candidates([paper(1, 0.3, key=key)])[0].split("\n")
        assert len(first) <= 80
        assert [line[:20] for line in rest] == [f"{' ' * 13}Lee et "]
    assert first.startswith("    1   30%  aaa")
    assert "a…b" in first
    (short,) = draft_text.candidates([paper(1, 0.3, key="a" * 24)])
    assert "\n" not in short


def test_paths_can_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are as seen from the working folder, so that files of one name differ; elsewhere the shorter
    form."""
    monkeypatch.chdir(tmp_path)
    inside = tmp_path / "chapters" / "results.tex"
    assert located(Place(str(inside), 0, 1, 101)) == "chapters/results.tex:101"
    assert located(Place("/a.tex", 0, 1, 2)) == "/a.tex:2"


@pytest.mark.parametrize("limit", [30, 40, 77, 200])
def test_the_gap_is_always_shown(limit: int) -> None:
    """Within the limit, with whole words on both sides."""
    text = TEXT.replace(", and", " [?], and")
    line = around(text, "[?]", limit)
    assert "automatic [?]" in line
    assert len(line) <= limit
    assert all(word in text.split() for word in line.replace("…", " ").split())
    assert around("No gap in this.", "[?]", 9) == "No gap…"


def test_a_paper_that_is_named_stands_alone() -> None:
    """Nothing is proposed beside what the author has named for the place."""
    key = Reason("key", "your undefined key “lee01” names it")
    first = paper(1, 0.1, for_key="lee01", reasons=(key,), in_bibliography=True)
    others = [paper(number, 0.2, proposed=True) for number in (2, 3)]
    one = replace(
        answer(first, *others, undefined=("lee01",)),
        resolutions=(Resolution("lee01", "key", (first.paper.id,), certain=True),),
    )
    shown = draft_text.in_short(one, 1)
    assert "This place probably needs" not in shown
    assert ("lee2001title" in shown, "lee2002title" in shown) == (True, False)
