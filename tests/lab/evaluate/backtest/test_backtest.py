"""HiddenDraft citations: what is asked, what may not be known then, and what is measured. On five papers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from small_library import cites, make, paper

from citewhy.answers.questions import DraftQuestions, units_of
from citewhy.base.errors import QueryError
from citewhy.base.import_report import ImportReport
from citewhy.base.progress import silent
from citewhy.base.records import Manuscript, Query
from citewhy.drafts import read
from citewhy.papers.formats import read as read_records
from citewhy.papers.library.store import Library
from citewhy.ranking.recommender import Recommender
from citewhy.session.session import Session
from citewhy_lab.evaluate.backtest import Backtest, backtest
from citewhy_lab.evaluate.backtest.hiding import HiddenDraft, SoFar, hide_citations

TITLE = "Learning Grammars by Compression of Strings"

PAPERS = [
    paper("tree", "Kernels over trees for parsing sentences", year=2001, authors=("Ada Birch",)),
    paper("speech", "Synthesis of speech from phonemes", year=2003, authors=("Bo Cole",)),
    paper("align", "Alignment of words in parallel corpora", year=2005, authors=("Cy Dane",)),
    paper("acts", "Dialogue acts in meetings of people", year=2010, authors=("Di Elm",)),
    paper("itself", TITLE, year=2008, authors=("Eve Fox",)),
]

BIBLIOGRAPHY = """\
@article{birch01, title = {Kernels over trees for parsing sentences}, author = {Birch, Ada}, year = 2001}
@article{again, title = {Kernels over Trees for Parsing Sentences}, author = {Birch, A.}, year = 2001}
@article{cole03, title = {Synthesis of speech from phonemes}, author = {Cole, Bo}, year = 2003}
@article{dane05, title = {Alignment of words in parallel corpora}, author = {Dane, Cy}, year = 2005}
@article{elm10, title = {Dialogue acts in meetings of people}, author = {Elm, Di}, year = 2010}
@article{fox08, title = {Learning Grammars by Compression of Strings}, author = {Fox, Eve}, year = 2008}
@book{aho, title = {Compilers and how they are made}, author = {Aho, Alfred}, year = 1986}
"""

Draft = Callable[..., Manuscript]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    """Four papers, and the published form of the draft, which cites them and is cited beside one."""
    edges = cites("itself tree", "itself speech", "itself align", "acts itself", "acts tree")
    with make(tmp_path / "library", [*PAPERS, *edges]) as opened:
        yield opened


@pytest.fixture
def draft(tmp_path: Path) -> Draft:
    """Writes a LaTeX draft of 2008 with the given body, and reads it."""

    def write(
        body: str, title: str = TITLE, date: str = "2008", name: str = "draft", entries: str = BIBLIOGRAPHY
    ) -> Manuscript:
        (tmp_path / f"{name}.bib").write_text(entries, encoding="utf-8")
        path = tmp_path / f"{name}.tex"
        path.write_text(
            f"\\documentclass{{article}}\n\\title{{{title}}}\n\\author{{Eve Fox}}\n\\date{{{date}}}\n"
            f"\\begin{{document}}\n\\maketitle\n{body}\n\\bibliography{{{name}}}\n\\end{{document}}\n",
            encoding="utf-8",
        )
        return read(path)

    return write


def hidden(library: Library, manuscript: Manuscript, year: int | None = None) -> HiddenDraft:
    (found,) = hide_citations(library, [manuscript], year)
    return found


def queries(library: Library, manuscript: Manuscript, year: int | None = None) -> list[Query]:
    return [topic.query for topic in hidden(library, manuscript, year).topics]


def so_far(library: Library, manuscript: Manuscript, what: SoFar) -> list[Query]:
    (found,) = hide_citations(library, [manuscript], None, what)
    return [topic.query for topic in found.topics]


def measured(library: Library, *manuscripts: Manuscript, baseline: str | None = None) -> Backtest:
    """Plain BM25, whose answers one can tell by hand."""
    with Session(library.folder, pipeline="bm25") as session:
        return backtest(session, manuscripts, None, baseline, 7, silent)


# What is asked --------------------------------------------------------------------------------------------


def test_places_and_answers(library: Library, draft: Draft) -> None:
    """A place is a closed citation of a paper that the library has; each of its papers is an answer, once."""
    found = hidden(
        library,
        draft(
            "Trees \\cite{birch01,again}. Speech \\cite{cole03,dane05,aho}. Compilers \\cite{aho}. "
            "An open one \\cite{?}. One that is half open \\cite{cole03,nobody}."
        ),
    )
    assert [topic.relevant for topic in found.topics] == [("tree",), ("speech", "align")]
    assert (found.cited, found.not_in_library, found.newer, found.open) == (5, ("aho",), (), 2)
    assert found.year == 2008


def test_the_question_is_that_of_suggest(library: Library, draft: Draft) -> None:
    """It is what `suggest` asks for the same draft while its author looks for this citation."""
    body = (
        "Words of corpora \\cite{dane05} meet trees of sentences %s and speech \\cite{cole03}. More text%s."
    )
    asked = queries(library, draft(body % ("\\cite{birch01}", " on trees \\cite{again}")))[1]
    before = draft(body % ("\\cite{}", " on trees \\cite{again}"))
    (place,) = units_of(before)
    expected = DraftQuestions.of(library, before).query(place)
    assert expected.known_ids == ("align", "speech", "tree")
    assert expected.excluded_ids == ("align", "speech")
    assert asked == replace(expected, id=asked.id)


def test_a_draft_that_has_only_begun(library: Library, draft: Draft) -> None:
    """What stands behind the place changes nothing: its sentence and all before it are known."""
    before = "Speech \\cite{cole03}. More text. Words %s meet trees \\cite{dane05}."
    bodies = [before % "\\cite{birch01}" + behind for behind in ("", " Trees again \\cite{again}. And more.")]
    short, long = (so_far(library, draft(body), "text")[1] for body in bodies)
    assert replace(short, id="", draft=None) == replace(long, id="", draft=None)
    assert long.paragraph == "Speech. More text. Words meet trees."
    assert (long.known_ids, long.excluded_ids) == (("speech",), ())
    assert long.draft is not None
    assert [each.paper_ids for each in long.draft.citations] == [("speech",)]
    (whole,) = (each for each in queries(library, draft(bodies[1])) if each.id == long.id)
    assert long.text == "Words TARGETCIT  meet trees. "  # no clause ends at a citation that is not there yet
    assert (whole.title, whole.preceding) == (long.title, long.preceding)
    assert whole.known_ids == ("align", "speech")


def test_entries_that_are_not_yet_cited(library: Library, draft: Draft) -> None:
    """They are hidden only if that is asked for; all that is before the place is known in both cases."""
    body = "Speech \\cite{cole03}. Trees \\cite{birch01}. Words \\cite{dane05}."
    listed = [query.draft.bibliography for query in so_far(library, draft(body), "text") if query.draft]
    assert [set(each) for each in listed] == [{"tree", "speech", "align", "itself", "acts"}] * 3
    cited = [query.draft.bibliography for query in so_far(library, draft(body), "entries") if query.draft]
    assert cited == [(), ("speech",), ("tree", "speech")]


def test_a_backtest_of_what_is_written_so_far(library: Library, draft: Draft) -> None:
    """The outcome has both: with the whole bibliography, and with what is cited before."""
    manuscript = draft("Speech \\cite{cole03}. Trees \\cite{birch01}.")
    with Session(library.folder, pipeline="bm25") as session:
        outcome = backtest(session, [manuscript], None, None, 7, silent, so_far=True).outcome
    # Words alone do not know of a bibliography.
    assert outcome.document()["without_entries"] == outcome.document()["measures"]
    assert any("cited before it" in fact for fact in outcome.facts)


def test_lists_of_own_publications_are_not_asked(library: Library, draft: Draft) -> None:
    """Nobody looks for a paper in them."""
    lists = "\\section{List of Publications} One \\cite{cole03}. \\section*{Publications} Two \\cite{dane05}."
    found = hidden(library, draft(f"{lists} \\section{{Related Work}} Trees \\cite{{birch01}}."))
    assert [topic.relevant for topic in found.topics] == [("tree",)]


def test_a_shared_bibliography(library: Library, draft: Draft) -> None:
    """Entries that the text does not cite are no evidence: with or without them, the same questions."""
    body = "Trees \\cite{birch01}. Speech \\cite{cole03}."
    cited = "".join(
        line + "\n" for line in BIBLIOGRAPHY.splitlines() if line.startswith(("@article{birch", "@article{c"))
    )
    shared, own = queries(library, draft(body)), queries(library, draft(body, entries=cited))
    assert [replace(query, draft=None) for query in shared] == [replace(query, draft=None) for query in own]
    assert [query.draft and query.draft.citations for query in shared] == [
        query.draft and query.draft.citations for query in own
    ]
    assert [query.known_ids for query in shared] == [("speech",), ("tree",)]


def test_newer_papers_are_no_answers(library: Library, draft: Draft) -> None:
    """As of the draft's year, or the year that is asked for."""
    manuscript = draft("Dialogue acts of people \\cite{elm10}. Speech from phonemes \\cite{cole03}.")
    found = hidden(library, manuscript)
    assert ([topic.relevant for topic in found.topics], found.newer) == ([("speech",)], ("elm10",))
    later = hidden(library, manuscript, 2012)
    assert ([topic.relevant for topic in later.topics], later.newer) == ([("acts",), ("speech",)], ())
    assert {topic.query.year for topic in later.topics} == {2012}


def test_a_draft_without_a_year(library: Library, draft: Draft) -> None:
    """It is as new as the newest paper that it cites; where their years are unknown, one is told how to give
    it."""
    body = "Speech from phonemes \\cite{cole03}. Words are aligned \\cite{dane05}."
    assert hidden(library, draft(body, date="")).year == 2005
    undated = BIBLIOGRAPHY.replace(", year = 2003", "")
    manuscript = draft("Speech from phonemes \\cite{cole03}.", date="", entries=undated)
    with pytest.raises(QueryError, match=r"no year is found in .*draft\.tex; .*--as-of YEAR") as error:
        hidden(library, manuscript)
    assert error.value.hint is not None
    assert len(queries(library, manuscript, 2008)) == 1


def test_questions_have_ids_of_their_own(library: Library, tmp_path: Path, draft: Draft) -> None:
    """Two drafts that share a file, and a macro that cites twice: four questions."""
    (tmp_path / "shared.tex").write_text("Speech from phonemes \\cite{cole03}.\n", encoding="utf-8")
    macro = "\\newcommand{\\trees}{trees \\cite{birch01}}Some \\trees. Other \\trees. \\input{shared}"
    drafts = [draft(macro, name="one"), draft(macro, name="two")]
    ids = [topic.query.id for each in hide_citations(library, drafts, None) for topic in each.topics]
    assert len(set(ids)) == len(ids) == 6


# What must not be known -----------------------------------------------------------------------------------


def test_its_own_sentence_says_nothing_of_the_answer(library: Library, draft: Draft) -> None:
    """Nor does a near-duplicate of it ("Trees." here), under whatever key; what other sentences cite stays
    known, and what the bibliography has besides never is."""
    body = "Trees \\cite{birch01} and words \\cite{again,dane05}. Trees \\cite{again}. Speech \\cite{cole03}."
    first, second, third, fourth = queries(library, draft(body))
    assert (first.known_ids, first.excluded_ids) == (("align", "speech"), ("align",))
    assert (second.known_ids, second.excluded_ids) == (("speech",), ())
    assert (third.known_ids, third.excluded_ids) == (("speech",), ())
    assert (fourth.known_ids, fourth.excluded_ids) == (("align", "tree"), ())


def test_another_place_speaks_for_the_answer(library: Library, draft: Draft) -> None:
    """The other place stays, with its sentence; the place that asks is not among them."""
    body = "Trees of words \\cite{birch01}. Grammars were learned from banks of syntax \\cite{again}."
    first, second = queries(library, draft(body))
    for query, text in ((first, "Grammars were learned from banks of syntax."), (second, "Trees of words.")):
        assert query.draft is not None
        assert [(each.text, each.paper_ids) for each in query.draft.citations] == [(text, ("tree",))]
        assert query.known_ids == ("tree",)


def test_the_draft_is_neither_answer_nor_evidence(library: Library, draft: Draft) -> None:
    """Even where it cites itself, and in later years, when others cite it."""
    manuscript = draft("Strings \\cite{fox08}. Grammars of trees \\cite{fox08,birch01}. Trees \\cite{again}.")
    for year in (2008, 2012):
        topics = hidden(library, manuscript, year).topics
        assert [topic.relevant for topic in topics] == [("tree",), ("tree",)]
        for topic in topics:
            assert topic.query.citing_id == "itself"
            assert "itself" not in topic.query.known_ids
            found = Recommender(library, "bm25").rank(topic.query, 10).ids
            assert "tree" in found
            assert "itself" not in found


def test_a_title_that_changed_in_print(library: Library, draft: Draft) -> None:
    """The draft is known by most of its title, whoever wrote it; a paper that it cites is another one."""
    title = "Learning a Grammar by Compressing Strings"
    (query,) = queries(library, draft("Trees \\cite{birch01}.", title=title))
    assert query.citing_id == "itself"
    assert "itself" not in query.known_ids
    (query, _) = queries(library, draft("Trees \\cite{birch01}. Before \\cite{fox08}.", title=title))
    assert query.citing_id == ""
    assert "itself" in query.known_ids


def test_what_the_draft_wrote_changes_nothing(library: Library, draft: Draft, tmp_path: Path) -> None:
    """With its citations in the library or without: the same answers with the same scores."""
    manuscript = draft("Words and phonemes \\cite{cole03}. Trees of sentences and corpora \\cite{birch01}.")
    runs = []
    with make(tmp_path / "other", PAPERS) as without:
        for opened in (library, without):
            with Session(opened.folder) as session:
                found = backtest(session, [manuscript], 2009, None, 7, silent)
            answers = (found.outcome.rankings or {}).values()
            runs.append([(answer.paper_ids, list(answer.scores)) for answer in answers])
    assert runs[0] == runs[1]
    assert all(papers for papers, _ in runs[0])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "draft.txt",
            "Some Title\n\nParsing uses kernels over trees (Birch, 2001). Birch (2001) did so too. Speech is"
            " made of phonemes (Cole, 2003).\n\nReferences\n\nAda Birch. 2001. Kernels over trees for parsing"
            " sentences. Journal of Trees.\n\nBo Cole. 2003. Synthesis of speech from phonemes. Journal of"
            " Sounds.\n",
        ),
        (
            "draft.md",
            "---\ntitle: Some Title\nbibliography: refs.bib\n---\nParsing uses kernels over trees [see"
            " @birch01, p. 3]. As @birch01 did. Speech is made of phonemes [@cole03].\n",
        ),
        (
            "draft.tex",
            "\\documentclass{article}\\title{Some Title}\\begin{document}Parsing uses kernels over trees"
            " \\citep[see][p. 3]{birch01}. As \\citet{birch01} did. Speech is made of phonemes"
            " \\citep{cole03}.\\bibliography{refs}\\end{document}",
        ),
    ],
)
def test_the_marker_tells_nothing(library: Library, tmp_path: Path, name: str, text: str) -> None:
    """Neither key nor names nor year of the hidden paper are in the question, however they are written."""
    (tmp_path / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = hidden(library, read(tmp_path / name), 2008)
    assert [topic.relevant for topic in found.topics] == [("tree",), ("tree",), ("speech",)]
    for topic in found.topics:
        assert "TARGETCIT" in topic.query.text
        for telling in ("birch", "cole", "2001", "2003", "01", "03", "@"):
            assert telling not in topic.query.text.casefold()


# What is measured -----------------------------------------------------------------------------------------


def test_right_papers_first(library: Library, draft: Draft) -> None:
    """Every paper that was cited stands first: all measures are one."""
    found = measured(
        library, draft("Phonemes are used for synthesis \\cite{cole03}. Kernels parse trees \\cite{birch01}.")
    )
    assert found.outcome.document()["measures"] == {"R@1": 1.0, "R@5": 1.0, "R@10": 1.0, "RR": 1.0}
    assert set(found.outcome.system.intervals.values()) == {(1.0, 1.0)}


def test_measures_by_hand(library: Library, draft: Draft) -> None:
    """Places count as often as they have papers; of two papers of one place, one is second at best.

    In the first draft, both papers of the place are found, first and second. In the second, the right paper
    shares one word with its sentence and another paper three, so that it is second; the last one shares none.
    """
    one = draft("Phonemes in synthesis of speech, and corpora \\cite{cole03,dane05}.", name="one")
    two = draft("Phonemes, synthesis, speech and trees \\cite{birch01}. Nothing \\cite{dane05}.", name="two")
    none = draft("No citation at all.", name="none")
    found = measured(library, one, none, two, baseline="full")
    first, nothing, second = found.by_draft()
    assert first == {"R@1": 0.5, "R@5": 1.0, "R@10": 1.0, "RR": 0.75}
    assert nothing == {}
    assert second == {"R@1": 0.0, "R@5": 0.5, "R@10": 0.5, "RR": 0.25}
    document = found.outcome.document()
    assert document["measures"] == {"R@1": 0.25, "R@5": 0.75, "R@10": 0.75, "RR": 0.5}
    assert (document["task"], document["average"], document["file"]) == ("backtest", "judgements", "3 drafts")
    assert (document["places"], document["queries"], document["judgements"]) == (3, 3, 4)
    assert [(row["places"], row["judgements"]) for row in document["drafts"]] == [(1, 2), (0, 0), (2, 2)]
    assert document["baseline"]["pipeline"] == "full"
    assert document["difference"].keys() == document["measures"].keys()


def test_the_table_fits_the_screen(library: Library, draft: Draft) -> None:
    """A row for each draft and one for all, and what could not be asked; 80 columns."""
    one = draft("Phonemes \\cite{cole03,aho}. Open \\cite{?}. Acts \\cite{elm10}.", name="one")
    other = draft("Trees \\cite{birch01}.", name="a-name-that-is-longer-than-any-screen-wants-to-show-it")
    lines = measured(library, one, other, baseline="full").outcome.text().splitlines()
    assert max(map(len, lines)) <= 80
    rows = [line.split() for line in lines]
    assert ["one.tex", "2008", "1", "1", "1.000", "1.000", "1.000", "1.000"] in rows
    assert ["together", "2", "2", "1.000", "1.000", "1.000", "1.000"] in rows
    assert "4 references are cited; 1 of them is not in the library, and not asked for" in lines
    assert "1 is newer than the year asked, and not asked for" in lines
    assert "1 open citation, whose answer nobody knows, is not asked for" in lines
    lines = measured(library, draft("Trees \\cite{birch01}.", name="two")).outcome.text().splitlines()
    assert "1 reference is cited, and the library has it" in lines


def test_nothing_to_ask(library: Library, draft: Draft) -> None:
    """A library of another field is named as such, instead of a table of zeros."""
    with pytest.raises(QueryError, match=r"none of the papers that draft\.tex could have cited"):
        measured(library, draft("Compilers \\cite{aho}. People \\cite{elm10}."))


# Real drafts ----------------------------------------------------------------------------------------------


@pytest.mark.data
def test_real_drafts(shared_data: Path, shared_drafts: Path, tmp_path: Path) -> None:
    """Seventeen papers: about 265 places and 305 papers by an independent count of titles; and words alone
    do as well as they do without a reader of drafts (R@10 .246, RR .123)."""
    roots = sorted(shared_drafts.glob("*.tex"))
    report = ImportReport()
    with Library.open(tmp_path / "library", create=True) as opened:
        opened.add(read_records(shared_data / "papers.jsonl.gz", report), report)
        found = measured(opened, *map(read, roots))
    document = found.outcome.document()
    assert len(document["drafts"]) == 17
    assert abs(document["places"] - 265) < 30
    assert abs(document["judgements"] - 305) < 30
    assert all(row["places"] for row in document["drafts"])
    assert document["measures"]["R@10"] > 0.25
    assert document["measures"]["RR"] > 0.15
    own = [{topic.query.citing_id for topic in draft.topics} for draft in found.drafts]
    assert all(len(ids) == 1 for ids in own)
    assert sum(ids != {""} for ids in own) == 15  # two appeared where the library does not look
