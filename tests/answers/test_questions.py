"""How text becomes a query: raw text, and the units of a draft."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from small_library import make_toy, unsynced

from citewhy.answers.questions import DraftQuestions, clean, identify, make_query, units_of
from citewhy.base.errors import QueryError
from citewhy.base.records import Manuscript, Paper, Query, QueryKind, UnitKind
from citewhy.drafts import read, read_files
from citewhy.papers.library.store import Library

BIBLIOGRAPHY = """\
@inproceedings{bleu, title = {BLEU: A Method for Automatic Evaluation}, doi = {10.3115/1073083.1073135}}
@inproceedings{phrases, title = {Statistical phrase-based translation}, year = 2003,
  author = {Koehn, P. and Och, F. J. and Marcu, D.}}
@book{unknown, title = {Compilers}, author = {Aho, Alfred V.}, year = 1986}
"""

DRAFT = """\
\\documentclass{article}
\\title{How Translations Are Scored}
\\date{2020}
\\begin{document}
\\begin{abstract}We score translations.\\end{abstract}
\\section{Introduction}
Scores have a history \\cite{bleu, unknown}. Phrases are longer \\cite{phrases} than words \\cite{}.

Summaries are scored in much the same way.

Both \\cite{bleu, ?} hold. Nobody doubts it \\cite{gone}. We do not either.
\\bibliography{refs}
\\end{document}
"""


@pytest.fixture(scope="module")
def library(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with unsynced(), make_toy(tmp_path_factory.mktemp("toy"), toy) as opened:
        yield opened


@pytest.fixture(scope="module")
def draft() -> Manuscript:
    return read_files({"draft.tex": DRAFT, "refs.bib": BIBLIOGRAPHY})


def queries(library: Library, draft: Manuscript, *units: UnitKind) -> list[Query]:
    questions = DraftQuestions.of(library, draft)
    return [questions.query(unit) for unit in units_of(draft, units)]


# Raw text -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "citation", ["[CITE]", r"\citep[see][]{collins1999}", "[@collins1999]", "(Collins, 1999)", "[?]"]
)
def test_every_way_to_cite_is_masked(citation: str) -> None:
    """The same question, however the citation in it is written: as a text, and as a query."""
    words = {"parsers", "daily"}
    text = f"parsers {citation} daily"
    paragraph = make_query(Query("paragraph", text, preceding=text))
    assert paragraph.text == paragraph.preceding
    for query in (make_query(text), make_query(Query("local", text)), paragraph):
        assert set(query.text.split()) & {"parsers", "daily"} == words
        assert not set(query.text.split()) - words - {"TARGETCIT", "OTHERCIT", "(OTHERCIT)"}
    assert clean(clean(text)) == clean(text)


@pytest.mark.parametrize(
    ("about", "kind"),
    [
        ({}, "local"),
        ({"title": "Scores"}, "local"),
        ({"member_ids": ("P02-1040",)}, "set"),
        ({"kind": "paragraph", "section": "2 Past"}, "paragraph"),
    ],
)
def test_the_kind_of_a_text(about: dict[str, object], kind: QueryKind) -> None:
    """A text with members is a set, any other a sentence, unless the kind is given."""
    query = make_query("Scores are automatic.", **about)  # type: ignore[arg-type]
    assert query == replace(Query(kind, "Scores are automatic."), **{**about, "kind": kind})  # type: ignore[arg-type]


def test_a_whole_paper() -> None:
    """A title without a text asks for the references of a paper."""
    assert make_query(title="Scores", year=2008) == Query("global", title="Scores", year=2008)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("", "the text is empty"),
        (" \n", "the text is empty"),
        ("?!", "the text has no words"),
        (Query("set", member_ids=("a",)), "the text is empty"),
        (Query("global", text="words"), "neither title nor abstract"),
        (Query("guess", text="words"), "no query kind 'guess'"),  # type: ignore[arg-type]
    ],
)
def test_nothing_to_ask(question: str | Query, words: str) -> None:
    """An error says what is missing."""
    with pytest.raises(QueryError, match=words):
        make_query(question)


# Units of a draft -----------------------------------------------------------------------------------------


def test_places_are_the_default(draft: Manuscript) -> None:
    """Every open citation: one that is empty, one that is half open, one whose key is not defined."""
    units = list(units_of(draft))
    assert [(unit.kind, unit.marker and unit.marker.keys, unit.undefined) for unit in units] == [
        ("place", (), ()),
        ("place", ("bleu",), ()),
        ("place", ("gone",), ("gone",)),
    ]


def test_units_come_in_reading_order(draft: Manuscript) -> None:
    """Citations with defined keys are sets, open or not; the short paragraph that cites nothing is to be
    written; the draft comes last."""
    units = list(units_of(draft, ("draft", "paragraph", "set", "place")))
    assert [(unit.kind, unit.place.line) for unit in units] == [
        ("set", 7),
        ("set", 7),
        ("place", 7),
        ("paragraph", 9),
        ("set", 11),
        ("place", 11),
        ("draft", 1),
    ]
    paragraph = units[3]
    assert paragraph.sentence is not None
    assert paragraph.paragraph is not None
    assert paragraph.sentence.text == "Summaries are scored in much the same way."
    assert paragraph.place == paragraph.sentence.place


@pytest.mark.parametrize(("section", "written"), [("Abstract", []), ("Abstract interpretation", [7])])
def test_an_abstract_is_no_paragraph_to_cite_in(section: str, written: list[int], tmp_path: Path) -> None:
    """One sentence without citations is to be written, unless it is the abstract."""
    path = tmp_path / "draft.md"
    path.write_text(
        f"---\ntitle: Parsing\n---\n\n# {section}\n\nWe present a parser that learns from few sentences.\n"
    )
    assert [unit.place.line for unit in units_of(read(path), ("paragraph",))] == written


def test_an_unknown_unit(draft: Manuscript) -> None:
    """The error lists those that there are."""
    with pytest.raises(QueryError, match=r"no unit 'page'; choose from: place, set, paragraph, draft"):
        list(units_of(draft, ("page",)))  # type: ignore[arg-type]


def test_the_question_of_a_place(library: Library, draft: Manuscript) -> None:
    """Its sentence with the words that lead to it once more, what the sentence cites as no answer, all that
    the draft cites as known, and the text before it."""
    query = queries(library, draft, "place")[0]
    assert query.kind == "local"
    assert query.text.split().count("TARGETCIT") == 1
    assert query.text.split().count("than") == 2
    assert query.text.split().count("Phrases") == 1
    assert query.known_ids == ("N03-1017", "P02-1040")
    assert query.excluded_ids == ("N03-1017",)
    assert query.preceding.endswith("Scores have a history.")
    assert (query.section, query.year, query.title) == ("Introduction", 2020, "How Translations Are Scored")


def test_the_question_of_a_set(library: Library, draft: Manuscript) -> None:
    """The papers that stand there are members; what else the sentence cites is no answer; what the draft
    cites is known."""
    first, second, third = queries(library, draft, "set")
    assert (first.kind, first.member_ids, first.known_ids) == ("set", ("P02-1040",), ("N03-1017", "P02-1040"))
    assert (second.member_ids, second.excluded_ids) == (("N03-1017",), ())
    assert (third.member_ids, third.text.split()[:3]) == (("P02-1040",), ["Both", "TARGETCIT", "hold."])


def test_the_question_of_a_paragraph(library: Library, draft: Manuscript) -> None:
    """Its topic sentence, with the text before it and its heading."""
    (query,) = queries(library, draft, "paragraph")
    assert (query.kind, query.text) == ("paragraph", "Summaries are scored in much the same way.")
    assert query.preceding.endswith("Phrases are longer than words.")
    assert (query.section, query.known_ids) == ("Introduction", ("N03-1017", "P02-1040"))


def test_the_question_of_a_draft(library: Library, draft: Manuscript) -> None:
    """Title and abstract, and all that it cites."""
    (query,) = queries(library, draft, "draft")
    assert (query.kind, query.text, query.abstract) == ("global", "", "We score translations.")
    assert query.known_ids == ("N03-1017", "P02-1040")


def test_as_of_another_year(library: Library, draft: Manuscript) -> None:
    """A year that is given replaces that of the draft."""
    (place, *_) = units_of(draft)
    assert DraftQuestions.of(library, draft, 2004).query(place).year == 2004


# What the draft cites -------------------------------------------------------------------------------------


def test_entries_without_an_author(tmp_path: Path) -> None:
    """A statute or a data set has neither DOI nor author: it is known by its key, unless this is another."""
    draft = read_files(
        {
            "draft.tex": "\\begin{document}A \\cite{act,data,same}.\\bibliography{refs}\\end{document}",
            "refs.bib": "@misc{act, title={The Clean Air Act}}\n@misc{data, title={Census of Whales}}\n"
            "@misc{same, title={On Trees}, author={Lee, Ann}, year=1999}",
        }
    )
    papers = [
        Paper("act", "Clean Air Act"),
        Paper("data", "Register of Harbours"),
        Paper("x", "On Trees and Other Plants", authors=("Ann Lee",), year=1999),
        Paper("same", "On Trees", authors=("Bo Li",), year=1999),
    ]
    with Library.open(tmp_path, create=True) as library:
        library.add(papers)
        assert identify(library, draft) == {"act": "act"}


def test_keys_while_the_bibliography_is_missing(tmp_path: Path) -> None:
    """A key that is an id of the library means its paper."""
    draft = read_files(
        {"draft.tex": "\\begin{document}A \\cite{act,other}.\\bibliography{gone}\\end{document}"}
    )
    with Library.open(tmp_path, create=True) as library:
        library.add([Paper("act", "Clean Air Act")])
        assert identify(library, draft) == {"act": "act"}


def test_a_note_that_names_a_topic_is_the_question(library: Library, tmp_path: Path) -> None:
    """Its words count beside those of the sentence; a name in a note, and words of other notes, do not."""
    path = tmp_path / "noted.tex"
    path.write_text(
        "\\begin{document}\nHarm is weighed. \\todo{find a reference for runaway trams}\n"
        "Views shift. \\todo{cite Berg 1962}\n\\end{document}\n",
        encoding="utf-8",
    )
    first, second = queries(library, read(path), "place")
    assert first.text.split()[-4:] == ["runaway", "trams", "runaway", "trams"]
    assert "Berg" not in first.text
    assert "trams" not in second.text
    assert "Berg" not in second.text


@pytest.mark.parametrize("note", ["[TODO: ask Och about it]", "[FIXME Koehn disagrees]", "[note: Brown?]"])
def test_other_notes_are_no_part_of_the_question(note: str, library: Library) -> None:
    """What an author writes to themselves beside a missing citation names no work."""
    text = f"\\begin{{document}}Phrases are longer than words \\cite{{}} {note}.\\end{{document}}"
    (query,) = queries(library, read_files({"draft.tex": text}), "place")
    assert not {"Och", "Koehn", "Brown"} & set(query.text.split())


def test_two_notes_side_by_side_are_two_questions(library: Library) -> None:
    """Each with its own words; a note may ask for a source, too."""
    notes = "\\todo{find a source for phrases}\\todo{cite Papineni}"
    text = f"\\begin{{document}}They are longer {notes}.\\end{{document}}"
    first, second = queries(library, read_files({"draft.tex": text}), "place")
    assert (first.text.count("phrases"), second.text.count("phrases")) == (2, 0)


# Footnotes ------------------------------------------------------------------------------------------------

NOTED = """\
---
bibliography: refs.bib
---
Trams are old.  Scores agree with people.[^a]  Parsers are fast.[^b]

They translate daily. (See [CITE].)

[^a]: Vgl. auch [@?], S. 12.

[^b]: But see the chart parsers of Vienna [@?].
"""


def test_a_note_is_asked_with_its_sentence(library: Library) -> None:
    """With the note's own words, "Vgl." and pages aside; what comes before it comes before its sentence. A
    sentence that says nothing is asked with the one before it."""
    noted = read_files({"a.md": NOTED, "refs.bib": BIBLIOGRAPHY}, "a.md")
    asked = {query.text.split("TARGETCIT")[0].strip(): query for query in queries(library, noted, "place")}
    assert {text.strip(" (.") for text in asked} == {
        "They translate daily",
        "Scores agree with people",
        "Parsers are fast. the chart parsers of Vienna",
    }
    first = next(query for text, query in asked.items() if text.startswith("Scores"))
    assert not set(first.text.split()) & {"Vgl.", "auch", "S.", "12."}
    assert first.preceding == "Trams are old."
    assert first.paragraph.startswith("Trams are old. Scores agree")


def test_what_the_sentence_of_a_note_cites_is_no_candidate(library: Library) -> None:
    """Unless the note says which paper it means: it may well be the same."""
    text = """---
bibliography: refs.bib
---
Scores agree with people [@bleu].[^a] Again [@bleu].[^b] And again [@bleu].[^c]

[^a]: See [@?].

[^b]: See [TODO: cite Papineni].

[^c]: Ebd., S. 12 [@?].
"""
    noted = read_files({"a.md": text, "refs.bib": BIBLIOGRAPHY}, "a.md")
    bleu = identify(library, noted)["bleu"]
    excluded = [bleu in query.excluded_ids for query in queries(library, noted, "place")]
    assert excluded == [True, False, False]
