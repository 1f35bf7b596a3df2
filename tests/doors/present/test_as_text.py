"""Answers for a terminal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citewhy.answers.answer import Answer
from citewhy.base.records import (
    DraftSentence,
    Manuscript,
    Marker,
    Paper,
    Passage,
    Place,
    Reason,
    Suggestion,
    TextSource,
    Unit,
    UnitAnswer,
)
from citewhy.base.reports import PaperPassages
from citewhy.doors.present import as_text, draft_text
from citewhy.doors.present.lines import STYLES, Look

PAPER = Paper(
    "P02-1040",
    "BLEU: a Method for Automatic Evaluation of Machine Translation",
    authors=("Kishore Papineni", "Salim Roukos", "Todd Ward", "Wei-Jing Zhu"),
    year=2002,
    venue="Proceedings of the 40th Annual Meeting of the Association for Computational Linguistics",
)
MATCHES = Reason("words", "matches: automatic, evaluation", 0.7)


def suggestion(paper: Paper = PAPER, **fields: object) -> Suggestion:
    facts: dict[str, object] = {"paper": paper, "score": 3.14159, "reasons": (MATCHES,), **fields}
    return Suggestion(**facts)  # type: ignore[arg-type]


def test_a_suggestion() -> None:
    """Title; people, year, venue in one line; key, id, probability; a reason; the sentence that is meant. The
    verbose look has the whole venue."""
    passage = Passage("P02-1040", "We propose a method.", 1.0, sid=3, section="Introduction")
    shown = as_text.suggestions([suggestion(key="papineni2002bleu", passages=(passage,), probability=0.87)])
    assert shown == (
        "    1  BLEU: a Method for Automatic Evaluation of Machine Translation\n"
        "       Kishore Papineni, Salim Roukos and 2 others. 2002. Proceedings of the…\n"
        "       key papineni2002bleu, id P02-1040, 87% sure\n"
        "       – matches: automatic, evaluation\n"
        "       – its section Introduction: “We propose a method.”\n"
    )
    one = suggestion(key="papineni2002bleu", passages=(passage,), probability=0.87)
    assert as_text.suggestions([one], Look(verbose=True)) == (
        "    1  BLEU: a Method for Automatic Evaluation of Machine Translation\n"
        "       Kishore Papineni, Salim Roukos and 2 others. 2002. Proceedings of the\n"
        "       40th Annual Meeting of the Association for Computational Linguistics\n"
        "       key papineni2002bleu, id P02-1040, 87% sure\n"
        "       – matches: automatic, evaluation\n"
        "       – its section Introduction: “We propose a method.”\n"
    )


def test_a_key_that_is_the_id() -> None:
    """As in a library of the author's own entries: it is shown once."""
    shown = as_text.suggestions([suggestion(key="P02-1040", probability=0.5, in_bibliography=True)])
    assert "       key and id P02-1040, in your bibliography, 50% sure\n" in shown
    assert "       id P02-1040, 50% sure\n" in as_text.suggestions([suggestion(probability=0.5)])


def test_only_two_reasons() -> None:
    """The first two and the passage; all with the verbose look."""
    reasons = tuple(Reason("meaning", f"reason {number}") for number in range(3))
    passage = Passage("P02-1040", "We propose a method.", 1.0)

    def lines(one: Suggestion, verbose: bool) -> list[str]:
        shown = as_text.suggestions([one], Look(verbose=verbose)).splitlines()
        return [line.strip("– ") for line in shown if line.startswith("       – ")]

    quoted = "its abstract: “We propose a method.”"
    assert lines(suggestion(reasons=reasons, passages=(passage,)), False) == ["reason 0", "reason 1", quoted]
    all_lines = ["reason 0", "reason 1", "reason 2", quoted]
    assert lines(suggestion(reasons=reasons, passages=(passage,)), True) == all_lines


def test_as_wide_as_the_terminal() -> None:
    """No line is longer, however narrow it is, and a wide one is used."""
    long = suggestion(
        replace(PAPER, title="Word " * 40), reasons=(Reason("cited-as", "cited: “" + "word " * 80 + "”"),)
    )
    widths = {width: as_text.suggestions([long], Look(width)).splitlines() for width in (40, 80, 120)}
    assert all(max(map(len, lines)) <= width for width, lines in widths.items())
    assert max(map(len, widths[120])) > 80
    assert all(line.count("“") == line.count("”") for line in [" ".join(widths[80])])


def test_what_is_by_key_has_no_probability() -> None:
    """The probability is that of the sentence, and says nothing of a key that matches."""
    by_key = suggestion(reasons=(Reason("key", "your undefined key “a” is its id"),), probability=0.004)
    assert "sure" not in as_text.suggestions([by_key])
    assert as_text.suggestions([suggestion(probability=0.4), by_key]).count("id P02-1040") == 2


def test_what_is_hardly_probable() -> None:
    """Only the first paper may be; with the verbose look all are shown."""
    suggestions = [suggestion(probability=probability) for probability in (0.008, 0.01, 0.009)]
    assert [
        as_text.suggestions(suggestions, Look(verbose=verbose)).count("id P02-1040")
        for verbose in (False, True)
    ] == [
        2,
        3,
    ]


def test_what_the_draft_has_is_marked() -> None:
    """A paper of the draft's own bibliography."""
    mine = suggestion(key="bleu", in_bibliography=True, probability=0.4)
    assert (
        "       key bleu, id P02-1040, in your bibliography, 40% sure"
        in as_text.suggestions([mine]).splitlines()
    )


def test_styles() -> None:
    """Marked where asked for; without them not one character differs."""
    suggestions = [suggestion(key="bleu", probability=0.4)]
    marked = as_text.suggestions(suggestions, Look(styles=True))
    assert marked != as_text.suggestions(suggestions)
    for sign in STYLES.values():
        marked = marked.replace(sign, "")
    assert marked == as_text.suggestions(suggestions)


def test_what_is_unknown_is_left_out() -> None:
    """No author, no year, no venue, no key: no empty places and no stray full stops."""
    shown = as_text.suggestions([suggestion(Paper("a", "A Title"))])
    assert shown.splitlines() == [
        "    1  A Title",
        "       id a, score 3.14",
        "       – matches: automatic, evaluation",
    ]


def test_no_suggestion() -> None:
    """An empty list is a sentence."""
    assert as_text.suggestions([]) == "   Nothing in the library fits well."


def test_an_abstract_is_called_so_and_cut() -> None:
    """A passage without a place in a full text is of the abstract; a long one is shortened."""
    passage = Passage("P02-1040", "word " * 100, 1.0)
    lines = as_text.suggestions([suggestion(passages=(passage,))]).splitlines()
    assert any(line.startswith("       – its abstract: “word word") for line in lines)
    assert lines[-1].endswith("…”")
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ((), ""),
        (("A B",), "A B"),
        (("A B", "C D", "E F"), "A B, C D, E F"),
        (("A B", "C D", "E F", "G H"), "A B, C D and 2 others"),
    ],
)
def test_authors(names: tuple[str, ...], shown: str) -> None:
    """Up to three names; of more, two and a count."""
    assert as_text.authors(Paper("a", "T", authors=names)) == shown


def advice(text: str, offset: int, *suggestions: Suggestion, undefined: tuple[str, ...] = ()) -> UnitAnswer:
    keys = ("bleu", *undefined)
    marker = Marker(Place("sub/draft.tex", 10, 17, 3), keys, open=True, offset=offset, command="cite")
    sentence = DraftSentence(text, Place("sub/draft.tex", 0, 20, 3), (marker,))
    return UnitAnswer(Unit("place", marker.place, marker, sentence, undefined=undefined), suggestions)


@pytest.mark.parametrize(
    ("text", "offset", "shown"),
    [
        ("Scores are automatic .", 21, "Scores are automatic [?]."),
        ("Scores are automatic.", 20, "Scores are automatic [?]."),
        ("Scores are automatic, we say.", 20, "Scores are automatic [?], we say."),
        ("say that scores are automatic.", 0, "[?] say that scores are automatic."),
        ("Scores by are automatic.", 10, "Scores by [?] are automatic."),
        ("Scores.", 7, "Scores. [?]"),
    ],
)
def test_the_gap_in_its_sentence(text: str, offset: int, shown: str) -> None:
    """Where the citation is missing stands [?], with one space before it and none before punctuation."""
    assert draft_text.unit_answer(advice(text, offset), 1).splitlines()[1] == f"   {shown}"


def test_the_other_citations_of_the_sentence() -> None:
    """Without them, "the maps of, and" is what remains of a sentence that names its sources."""
    markers = tuple(
        Marker(Place("d.tex", number, number, 1), (), open=offset == 21, offset=offset)
        for number, offset in enumerate((0, 16, 21))
    )
    sentence = DraftSentence("used the maps of, and.", Place("d.tex", 0, 50, 1), markers)
    answer = UnitAnswer(Unit("place", markers[2].place, markers[2], sentence))
    shown = draft_text.unit_answer(answer, 1).splitlines()[1]
    assert shown == "   […] used the maps of […], and [?]."


def test_a_place() -> None:
    """Number, file and line; a key that nobody defines is named; then the sentence and the papers."""
    lines = draft_text.unit_answer(advice("Scores.", 6, suggestion(), undefined=("gone",)), 12).splitlines()
    assert lines[0] == "12. sub/draft.tex:3  (not in the bibliography: gone)"
    assert lines[2] == ""
    assert lines[3].startswith("    1  BLEU")


def test_many_keys_beside_a_place() -> None:
    """They go below the heading, within the width."""
    answer = advice("Scores.", 6, suggestion())
    assert answer.unit.marker is not None
    marker = replace(answer.unit.marker, keys=tuple(f"author{year}title" for year in range(1990, 2000)))
    lines = draft_text.unit_answer(
        UnitAnswer(replace(answer.unit, marker=marker)), 1, Look(verbose=True)
    ).splitlines()
    assert lines[0] == "1. sub/draft.tex:3"
    assert lines[1].startswith("   (beside: author1990title, author1991title")
    assert max(map(len, lines)) <= 80


def test_nothing_reaches_the_terminal_but_text() -> None:
    """Control characters and line breaks of foreign data are shown as spaces."""
    paper = Paper(
        "a\x1b]0;id\x07", "A \x1b[31mred\x1b[0m\nTitle\x9b2J", authors=("Ann\x07 Other",), venue="V\x00"
    )
    reasons = (Reason("cited-as", "cited as: “\x1b[2Jgone”"),)
    passages = (Passage("a", "A \x1b[1mbold\rword", 1.0),)
    place = advice(
        "Text \x1b[7m here.", 4, suggestion(paper, reasons=reasons, passages=passages, key="k\x1b[0m")
    )
    shown = draft_text.unit_answer(place, 1)
    assert [c for c in shown if not c.isprintable() and c != "\n"] == []
    assert "red" in shown


def test_long_words_stay_within_the_screen() -> None:
    """An address as long as two lines is broken rather than let out."""
    lines = as_text.suggestions([suggestion(Paper("a", "x" * 200, venue="y" * 100))]).splitlines()
    assert max(map(len, lines)) <= 80


def test_whom_a_passage_credits_stands_beside_it() -> None:
    """The primary source comes after the passage, however many reasons there are."""
    passage = Passage("P02-1040", "Told by others (Och, 2003).", 1.0)
    reasons = (*[MATCHES] * 5, Reason("credits", "this passage credits Och 2003"))
    suggestions = [suggestion(passages=(passage,), reasons=reasons)]
    lines = as_text.suggestions(suggestions, Look(verbose=True)).splitlines()
    assert [line.strip() for line in lines[-2:]] == [
        "– its abstract: “Told by others (Och, 2003).”",
        "– this passage credits Och 2003",
    ]
    assert lines.count("       – matches: automatic, evaluation") == 4


def test_no_text_is_said_once() -> None:
    """That titles alone are there stands at the end of the answer, not below each paper."""
    bare = suggestion(source="none"), suggestion(replace(PAPER, id="b"), source="none")
    assert "abstract" not in as_text.suggestions(bare)
    last = as_text.text_answer(bare).splitlines()[-3:]
    assert last[0].startswith("None of the 2 papers above has an abstract; with abstracts, ")
    one = as_text.text_answer([bare[0], suggestion(replace(PAPER, id="b"))])
    assert "\n1 of the 2 papers above has no abstract; " in one
    assert "papers above" not in as_text.text_answer([suggestion(source="abstract")])


def test_passages() -> None:
    """The paper, and each passage with its place, what it is cited for, and whom it credits; foreign line
    breaks do not matter."""
    passages = (
        Passage("a", "We\nalign words.", 2.0, 4, "2 Past", 5, "method", ("och",)),
        Passage("a", "So.", 1.0, 7, "", 7),
        Passage("a", "In short.", 0.5),
    )
    och = Paper("och", "Tuning", authors=("Franz Och",), year=2003)
    shown = as_text.passages(PaperPassages(Paper("a", "A Title"), "Why?", "full text", passages, (och,)))
    assert shown == (
        "       A Title\n"
        "       id a\n"
        "       from its full text:\n"
        "\n"
        "    1  We align words.\n"
        "       – section 2 Past, sentences 4 to 5; cited for: method\n"
        "       – it credits Franz Och 2003: “Tuning” (id och)\n"
        "\n"
        "    2  So.\n"
        "       – section ?, sentence 7\n"
        "\n"
        "    3  In short.\n"
        "       – abstract"
    )


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("full text", "No sentence of its full text shares a word with the text."),
        ("none", "The library has neither full text nor abstract of it."),
    ],
)
def test_no_passages(source: TextSource, shown: str) -> None:
    """Where nothing is found, a sentence says what was searched."""
    passages = PaperPassages(PAPER, "Why?", source, ())
    assert as_text.passages(passages).splitlines()[-1] == f"       {shown}"


def test_a_draft() -> None:
    """The answers are numbered; where nothing is open, a sentence says so."""
    manuscript = Manuscript("sub/draft.tex", "latex")
    shown = draft_text.draft(manuscript, [advice("Scores.", 6, suggestion()), advice("So.", 2, suggestion())])
    assert [line for line in shown.splitlines() if "draft.tex" in line] == [
        "1. sub/draft.tex:3  (beside: bleu)",
        "2. sub/draft.tex:3  (beside: bleu)",
    ]
    nothing = (
        "sub/draft.tex: no open citations. Mark one with \\cite{?} or [CITE].\n"
        "Sentences without a citation that probably need one: citewhy review sub/draft.tex"
    )
    assert draft_text.draft(manuscript, []) == nothing
    none = "sub/draft.tex: no citations and no paragraphs without citations."
    assert draft_text.draft(manuscript, [], ["set", "paragraph"]) == none


def test_notes_that_may_be_citations() -> None:
    """What may be a mark and is not understood is counted once, with the lines of some, below the answers."""
    places = tuple(Place("sub/draft.tex", line, line + 1, line) for line in range(3, 25))
    counts = draft_text.notes(Manuscript("sub/draft.tex", "latex", notes=places))
    assert counts.startswith("22 notes may be citations (sub/draft.tex:3, 4, 5, ")
    assert counts.endswith("21, 22, …); where one is missing, write \\cite{?} or [CITE].")
    one = Manuscript("sub/draft.tex", "latex", notes=places[:1])
    said = "1 note may be a citation (sub/draft.tex:3); where one is missing, write \\cite{?} or [CITE]."
    assert draft_text.notes(one) == said
    assert draft_text.draft(one, []).splitlines()[1] == said
    below = draft_text.draft(one, [advice("Scores.", 6, suggestion())])
    assert " ".join(below.split()).endswith(said)
    assert not draft_text.notes(Manuscript("sub/draft.tex", "latex"))


def test_other_units() -> None:
    """A set names the papers that stand there, a paragraph its topic sentence, a draft only its file."""
    place = advice("Scores.", 6).unit

    def first_lines(unit: Unit, number: int) -> list[str]:
        return draft_text.unit_answer(UnitAnswer(unit), number).splitlines()[:2]

    assert first_lines(replace(place, kind="set"), 1)[0] == "1. sub/draft.tex:3  (beside: bleu)"
    paragraph = Unit("paragraph", place.place, sentence=place.sentence)
    assert first_lines(paragraph, 2) == ["2. sub/draft.tex:3  (paragraph)", "   Scores […]."]
    assert first_lines(Unit("draft", place.place), 3)[0] == "3. sub/draft.tex:3  (whole draft)"


def test_problems() -> None:
    """One line a file, with the first problem and the number of others; missing files are all shown."""
    several = tuple(f"refs.bib:{number}: no title" for number in range(1, 8))
    manuscript = Manuscript(
        "draft.tex", "latex", problems=("draft.tex:1: odd", *several, "a.bib: no such file")
    )
    assert draft_text.problems(manuscript) == [
        "draft.tex:1: odd",
        "refs.bib:1: no title (and 6 more problems in this file; --verbose lists all)",
        "a.bib: no such file",
    ]
    assert draft_text.problems(manuscript, verbose=True) == list(manuscript.problems)
    assert draft_text.problems(replace(manuscript, problems=("one",))) == ["one"]
    files = replace(manuscript, problems=tuple(f"{number}.tex:1: odd" for number in range(7)))
    assert draft_text.problems(files)[5:] == ["problems in 2 more files; --verbose lists all"]


def test_what_is_proposed_together() -> None:
    """Several are named above the list, one alone is not; none of them is left out, however improbable."""
    one, other = suggestion(proposed=True, probability=0.4), suggestion(probability=0.2)
    rare = suggestion(proposed=True, probability=0.001)
    shown = as_text.suggestions([one, other, rare])
    assert shown.startswith("   This place probably needs two papers: 1 and 3.\n\n    1  BLEU")
    assert "needs" not in as_text.suggestions([one, other])


def test_where_several_are_often_cited() -> None:
    """It is said where that is probable, one paper alone is proposed, and there are others."""
    one, other = suggestion(proposed=True, probability=0.4), suggestion(probability=0.2)
    often = "Sentences like this often cite several papers."
    assert as_text.proposal([one, other], 0.4) == often
    assert as_text.text_answer(Answer("Trees.", (one, other), several=0.6)).startswith(f"   {often}\n\n")
    for shown, several in (([one, other], 0.3), ([one, other], None), ([one], 0.9)):
        assert not as_text.proposal(shown, several)
    assert "1 and 2" in as_text.proposal([one, replace(other, proposed=True)], 0.9)


@pytest.mark.parametrize(("proposed", "open_"), [(False, False), (True, False), (False, True)])
def test_a_citation_that_seems_complete(proposed: bool, open_: bool) -> None:
    """It is said of one that is not open, and for which nothing is proposed."""
    place = Place("draft.tex", 0, 1, 7)
    marker = Marker(place, ("known",), open=open_, offset=4)
    sentence = DraftSentence("Text.", place, (marker,))
    answer = UnitAnswer(
        Unit("set", place, marker, sentence), (suggestion(proposed=proposed, probability=0.2),)
    )
    shown = draft_text.unit_answer(answer, 1)
    assert "(beside: known)" in shown
    assert ("Nothing seems to be missing here." in shown) == (not proposed and not open_)
