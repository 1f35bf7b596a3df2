"""What a library keeps, recognises and tells."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from library_world import batch, everything, paper

from citewhy.base.errors import QueryError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Alias, Citation, Context, FullText, Header, Paper, Publication, Sentence
from citewhy.base.reports import Merge
from citewhy.papers.formats import Record, read
from citewhy.papers.library.store import Library

BLEU = Paper("P02-1040", "Bleu: a Method for Evaluation", authors=("Kishore Papineni",), year=2002)
BIB = Paper(
    "papineni02", "BLEU: A method for evaluation", "A summary.", ("Papineni, K.",), 2002, "ACL", "10.3115/1"
)
ROUGE = Paper("W04-1013", "Rouge: a Package for Summaries", authors=("Chin-Yew Lin",), year=2004)
LATER = replace(ROUGE, id="J09-1", title="Summaries with Rouge", year=2009)
"""The same work under another title, which only an alias tells."""


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library", create=True) as opened:
        yield opened


def context(identifier: str, citing: str, *cited: str, year: int | None = None) -> Context:
    return Context(identifier, citing, cited, f"{identifier} says that TARGETCIT is right.", year)


def told_of(library: Library, cited_id: str) -> list[Context]:
    return [found for _, found in library.numbered_contexts() if cited_id in found.cited_ids]


def ids(library: Library) -> list[str]:
    return [found.id for _, found in library.numbered_papers()]


# Adding ---------------------------------------------------------------------------------------------------


def test_what_went_in_comes_out(library: Library, toy: Path) -> None:
    """Every paper of a file is there with every field, under its id."""
    found = (record for record in read(toy / "papers.jsonl", ImportReport()) if isinstance(record, Paper))
    papers = {paper.id: paper for paper in found if paper.id != "C98-1013"}  # one paper with P98-1013
    result = library.add(papers.values())
    assert result.new == {"papers": len(papers)}
    assert library.papers(papers) == papers
    assert dict(library.numbered_papers()) == {library.numbers(papers)[key]: papers[key] for key in papers}


def test_the_same_again_changes_nothing(library: Library) -> None:
    """Adding what is there leaves generation, numbers and answers as they were."""
    records = [*batch(0), *batch(1), BLEU, BIB, Alias("P0001", "other")]
    first = library.add(records)
    before = everything(library)
    again = library.add(records)
    assert first.changed
    assert not again.changed
    assert again.generation == first.generation == 1
    assert again.unchanged.total() == len(records)
    assert everything(library) == before


def test_an_import_of_nothing_is_no_commit(library: Library) -> None:
    """A generation is only spent on a change."""
    assert not library.add([]).changed
    assert library.generation == 0


def test_an_import_is_one_commit_or_none(library: Library) -> None:
    """An error in the middle of the records leaves the library as it was."""
    library.add(batch(0))
    before = everything(library)

    def broken() -> Iterator[Record]:
        yield from batch(1)
        raise RuntimeError("the file breaks off")

    with pytest.raises(RuntimeError, match="breaks off"):
        library.add(broken())
    assert everything(library) == before


@settings(max_examples=15, deadline=None)
@given(order=st.permutations(range(6)))
def test_the_order_of_records_does_not_matter(
    order: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Contexts, citations, aliases and full texts may come before the papers that they are about."""
    parts: list[list[Record]] = [
        [BLEU, ROUGE],
        [BIB],
        [Alias("rouge", "W04-1013"), Alias("x", "rouge")],
        [context("c1", "x", "papineni02"), context("c2", "P02-1040", "rouge", "W04-1013")],
        [Citation("P02-1040", "x", "a"), Citation("papineni02", "W04-1013", "b")],
        [FullText("rouge", (Sentence(1, "", "A sentence."),))],
    ]
    states = []
    for some in (range(6), order):
        with Library.open(tmp_path_factory.mktemp("library"), create=True) as library:
            library.add_all((str(number), parts[number]) for number in some)
            states.append(everything(library))
    assert states[0] == states[1]


def test_an_update_changes_what_it_says(library: Library) -> None:
    """The same id again with other metadata counts; what it no longer says is kept; its number stays."""
    library.add([replace(BLEU, abstract="Old.", venue="ACL")])
    number = library.numbers(["P02-1040"])["P02-1040"]
    report = ImportReport()
    result = library.add([replace(BLEU, abstract="New.", year=2003)], report)
    assert result.updated == {"papers": 1}
    assert library.paper("P02-1040") == replace(BLEU, abstract="New.", year=2003, venue="ACL")
    assert library.numbers(["P02-1040"]) == {"P02-1040": number}
    assert report.warned == 0


def test_another_title_under_an_id_is_warned_about(library: Library) -> None:
    """An update that changes the title names file, id and both titles."""
    library.add([BLEU])
    report = ImportReport()
    library.add([replace(BLEU, title="A Method for Evaluation")], report, source="refs.bib")
    assert library.paper("P02-1040").title == "A Method for Evaluation"
    (warning,) = map(str, report.warnings)
    assert "refs.bib" in warning
    assert "'P02-1040'" in warning
    assert BLEU.title in warning


def test_an_id_of_two_papers_keeps_both(library: Library) -> None:
    """A key that two people gave to different papers loses neither, and the second is found again."""
    one = Paper("smith2020", "On Parsing Well", authors=("Ann Smith",), year=2020)
    other = Paper("smith2020", "Tagging for Beginners", authors=("Bob Smith", "C D"), year=2020)
    report = ImportReport()
    library.add_all([("a.bib", [one]), ("b.bib", [other])], report)
    assert library.papers(["smith2020", "smith2020#2"]) == {
        "smith2020": one,
        "smith2020#2": replace(other, id="smith2020#2"),
    }
    assert "'smith2020' already belongs to another paper" in str(report.warnings[0])
    assert "b.bib" in str(report.warnings[0])
    quiet = ImportReport()
    assert not library.add([other], quiet).changed
    assert not library.add_all([("a.bib", [one]), ("b.bib", [other])], quiet).changed
    assert quiet.warned == 0


def test_an_id_that_looks_like_one_of_ours(library: Library) -> None:
    """A file may itself hold an id such as ``smith2020#2``; nothing is lost then either."""
    papers = [
        Paper("smith2020", "On Parsing Well", authors=("Ann Smith",)),
        Paper("smith2020", "Tagging for Beginners", authors=("Bob Jones",)),
        Paper("smith2020#2", "Summaries of Summaries", authors=("Cy Doe",)),
    ]
    library.add(papers)
    assert {found.title for _, found in library.numbered_papers()} == {paper.title for paper in papers}
    assert not library.add(papers).changed


def test_what_cannot_be_stored_is_skipped(library: Library) -> None:
    """Half a surrogate pair or a number beyond 64 bits costs one record, and is named."""
    report = ImportReport()
    library.add(
        [
            Paper("bad", "\ud800"),
            Paper("worse", "Title", year=10**30),
            Paper("\udc00", "T"),
            Paper("", "T"),
            BLEU,
        ],
        report,
        source="records.jsonl",
    )
    assert ids(library) == ["P02-1040"]
    assert report.skipped == 4
    assert all("records.jsonl" in str(skip) for skip in report.skips)


# Being one paper ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("together", [True, False], ids=["in one commit", "one after the other"])
def test_two_records_of_a_paper_are_one_entry(library: Library, together: bool) -> None:
    """The entry has the first one's id and fields, and the second one's where those were empty."""
    merged = 0
    for records in [[BLEU, BIB]] if together else [[BLEU], [BIB]]:
        merged += library.add(records).merged
    assert merged == 1
    assert ids(library) == ["P02-1040"]
    expected = replace(BLEU, abstract="A summary.", venue="ACL", doi="10.3115/1")
    assert library.papers(["P02-1040", "papineni02"]) == dict.fromkeys(["P02-1040", "papineni02"], expected)
    assert library.canonical("papineni02") == "P02-1040"


def test_the_entry_that_came_first_keeps_id_and_number(library: Library) -> None:
    """Where two entries turn out to be one, the older one stays; the other's number is told to indexes."""
    library.add([ROUGE])
    library.add([LATER])
    numbers = library.numbers(["W04-1013", "J09-1"])
    result = library.add([Alias("J09-1", "W04-1013")])
    assert result.merged == 1
    assert ids(library) == ["W04-1013"]
    assert library.numbers(["J09-1"]) == {"J09-1": numbers["W04-1013"]}
    assert library.removed_numbers(since=result.generation - 1) == [numbers["J09-1"]]


def test_contexts_citations_and_full_texts_follow_a_merge(library: Library) -> None:
    """What was said under either id is said about the one entry."""
    other = replace(ROUGE, id="rouge", title="A Package for Summaries", doi="10.1/r")
    library.add([BLEU, replace(ROUGE, doi="10.1/s"), other])
    library.add(
        [
            context("c1", "P02-1040", "W04-1013"),
            context("c2", "P02-1040", "rouge"),
            Citation("P02-1040", "rouge"),
        ]
    )
    library.add([Citation("P02-1040", "W04-1013"), FullText("rouge", (Sentence(0, "title", "Rouge"),))])
    assert len(list(library.edges())) == 2
    assert library.full_text("W04-1013") is None
    library.add([Alias("rouge", "W04-1013")])
    assert [found.id for _, found in library.numbered_contexts()] == ["c1", "c2"]
    assert {found.cited_ids for _, found in library.numbered_contexts()} == {("W04-1013",)}
    assert list(library.edges()) == [("P02-1040", "W04-1013")]
    assert library.full_text("W04-1013") == FullText("W04-1013", (Sentence(0, "title", "Rouge"),))


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_aliases_and_papers_in_any_order(library: Library, order: tuple[int, ...]) -> None:
    """Aliases are transitive, through ids under which no paper ever comes, and wait for papers."""
    parts: list[list[Record]] = [
        [LATER],
        [ROUGE],
        [Alias("J09-1", "x"), Alias("y", "x"), Alias("y", "W04-1013")],
    ]
    for number in order:
        library.add(parts[number])
    (entry,) = ids(library)
    assert {library.canonical(name) for name in ("J09-1", "W04-1013", "x", "y")} == {entry}
    assert library.counts()["papers"] == 1


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_an_alias_makes_no_paper_of_two(library: Library, order: tuple[int, ...]) -> None:
    """Titles without a common half are two papers, whoever says that they are one, at once or through ids
    without a record; every id leads to one of them."""
    parts: list[list[Record]] = [[BLEU], [ROUGE], [Alias("P02-1040", "x"), Alias("x", "W04-1013")]]
    for number in order:
        library.add(parts[number])
    assert sorted(ids(library)) == ["P02-1040", "W04-1013"]
    assert library.canonical("x") in ("P02-1040", "W04-1013")
    assert [library.paper(paper.id) for paper in (BLEU, ROUGE)] == [BLEU, ROUGE]
    library.verify()


def test_a_wrong_alias_is_left_out_and_reported(library: Library) -> None:
    """It is counted as refused, with both titles in a warning, and is not kept: again, it is the same."""
    library.add([BLEU, ROUGE])
    for _ in range(2):
        report = ImportReport()
        result = library.add([Alias("P02-1040", "W04-1013")], report, "aliases.tsv")
        assert (result.changed, result.merged, result.refused) == (False, 0, {"aliases": 1})
        (warning,) = map(str, report.warnings)
        assert warning.startswith(
            "aliases.tsv: 'P02-1040' and 'W04-1013' are said to be the same, but 'Bleu: "
        )
    assert library.counts()["aliases"] == 0


def test_an_alias_of_nothing_known_waits(library: Library) -> None:
    """An alias between unknown ids is kept and leads nowhere."""
    library.add([Alias("a", "b")])
    assert library.canonical("a") is None
    assert library.counts()["aliases"] == 1
    assert library.counts()["papers"] == 0


def test_a_record_under_a_known_alias_joins(library: Library) -> None:
    """A paper that comes under what was only a name fills the gaps of the entry."""
    library.add([BLEU, Alias("P02-1040", "J99-9"), Alias("P02-1040", "J99-8")])
    result = library.add([Paper("J99-9", "A Method for Evaluation, at Length", "Longer.", year=2003)])
    assert result.merged == 1
    assert library.paper("P02-1040") == replace(BLEU, abstract="Longer.")
    assert library.canonical("J99-9") == library.canonical("J99-8") == "P02-1040"


def test_another_paper_under_a_known_alias_is_a_paper(library: Library) -> None:
    """What comes under a name that an alias gave to another paper takes the name, and nothing else."""
    library.add([BLEU, Alias("P02-1040", "J99-9"), context("c1", "P02-1040", "J99-9")])
    assert library.add([Paper("J99-9", "Birds of the North", "Longer.", year=2003)]).merged == 0
    assert sorted(ids(library)) == ["J99-9", "P02-1040"]
    assert library.paper("P02-1040") == BLEU
    assert [found.cited_ids for _, found in library.numbered_contexts()] == [("J99-9",)]
    library.verify()


@pytest.mark.parametrize("parts", [["0123"], ["3210"], "0123", "0321", "0312", ["03", "12"]], ids=str)
def test_sameness_ends_where_members_contradict(library: Library, parts: Sequence[str]) -> None:
    """Talks of one title, each a year from the next, are not one paper of four years, in any order."""
    talks = [
        Paper(f"H{year}", "Robust Speech Recognition", authors=("J. Makhoul",), year=year)
        for year in range(1990, 1994)
    ]
    for part in parts:
        library.add([talks[int(each)] for each in part])
    pairs = [library.canonical(f"H{year}") for year in range(1990, 1994)]
    assert pairs[0] == pairs[1] != pairs[2] == pairs[3]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_a_record_that_says_little_joins_one_of_two(library: Library, order: tuple[int, ...]) -> None:
    """Notes of two volumes stay apart, also where a third record could be either."""
    note = Paper("v1", "Notes on the banks", authors=("Ann Lee",), year=2001)
    volumes = [Publication(type="article-journal", volume=each) for each in "12"]
    notes = [replace(note, publication=volumes[0]), replace(note, id="v2", publication=volumes[1])]
    notes.append(replace(note, id="any"))
    for number in order:
        library.add([notes[number]])
    assert library.canonical("v1") != library.canonical("v2")
    assert library.canonical("any") in (library.canonical("v1"), library.canonical("v2"))
    assert library.counts()["papers"] == 2


def test_merges_are_told(library: Library) -> None:
    """Each with both ids and titles; those where titles, authors or years are not the same are doubtful."""
    result = library.add([BLEU, BIB, replace(BIB, id="papineni03", year=2003), ROUGE])
    assert [(one.id, one.into, one.certain) for one in result.merges] == [
        ("papineni02", "P02-1040", True),
        ("papineni03", "P02-1040", True),
    ]
    result = library.add([replace(ROUGE, id="rouge", year=2005)])
    assert result.merges == (Merge("rouge", ROUGE.title, "W04-1013", ROUGE.title, certain=False),)
    assert (result.papers_before, result.papers) == (2, 2)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (replace(BIB, id="", title="A method for evaluation of things"), "P02-1040"),
        (replace(BLEU, id="", year=2003), "P02-1040"),
        (replace(BLEU, id="", year=2010), None),
        (Paper("P02-1040", "Nothing of the Kind"), None),
    ],
    ids=["by doi", "by title, author, year", "too late", "the id does not count"],
)
def test_find(library: Library, asked: Paper, expected: str | None) -> None:
    """A draft's reference is recognised by what it says, in whichever record of an entry that stands."""
    library.add([BLEU, BIB, ROUGE])
    assert library.find(asked) == expected


# Contexts and citations -----------------------------------------------------------------------------------


def test_contexts_wait_for_papers(library: Library) -> None:
    """A sentence that cites an unknown paper is kept, is warned about, and counts when that comes."""
    report = ImportReport()
    first = library.add(
        [BLEU, context("c1", "P02-1040", "W04-1013"), Citation("W04-1013", "P02-1040")], report
    )
    assert list(library.numbered_contexts()) == []
    assert list(library.edges()) == []
    assert library.counts()["contexts_waiting"] == library.counts()["citations_waiting"] == 1
    (warning,) = map(str, report.warnings)
    assert (
        "1 citing sentences, 1 citations refer to papers that are not in the library, such as 'W04-1013'"
        in warning
    )
    library.add([ROUGE])
    assert [found.id for _, found in library.numbered_contexts(since=first.generation)] == ["c1"]
    assert told_of(library, "W04-1013") == [context("c1", "P02-1040", "W04-1013", year=2002)]
    assert list(library.edges()) == [("W04-1013", "P02-1040")]


def test_a_context_without_a_year_has_the_citing_papers(library: Library) -> None:
    """It follows the citing paper's year when that changes, and a year of its own counts more."""
    library.add(
        [BLEU, ROUGE, context("c1", "W04-1013", "P02-1040"), context("c2", "W04-1013", "P02-1040", year=1999)]
    )
    assert [found.year for found in told_of(library, "P02-1040")] == [2004, 1999]
    before = library.generation
    library.add([replace(ROUGE, year=2005)])
    assert [found.year for _, found in library.numbered_contexts(since=before)] == [2005, 1999]


def test_unknown_cited_papers_are_left_out_of_a_context(library: Library) -> None:
    """A context that cites a known and an unknown paper is about the known one."""
    library.add([BLEU, context("c1", "nobody", "stranger", "P02-1040")])
    assert [found for _, found in library.numbered_contexts()] == [
        replace(context("c1", "nobody", "stranger", "P02-1040"), cited_ids=("P02-1040",))
    ]


def test_a_changed_context_cites_only_what_it_now_says(library: Library) -> None:
    """The same id by the same paper is an update; the old mention is gone."""
    library.add([BLEU, ROUGE, context("c1", "P02-1040", "W04-1013")])
    result = library.add([context("c1", "P02-1040", "P02-1040")])
    assert result.updated == {"contexts": 1}
    assert told_of(library, "W04-1013") == []
    assert [found.id for found in told_of(library, "P02-1040")] == ["c1"]


def test_contexts_of_two_papers_may_share_an_id(library: Library) -> None:
    """Numbering sentences from 1 in every paper is no conflict."""
    library.add([BLEU, ROUGE, context("1", "P02-1040", "W04-1013"), context("1", "W04-1013", "P02-1040")])
    assert library.counts()["contexts"] == 2


def test_edges_are_told_once(library: Library) -> None:
    """The same pair from two sources, or under two ids, is one edge; a paper does not cite itself."""
    library.add([BLEU, BIB, ROUGE])
    library.add(
        [
            Citation(citing, cited, source)
            for citing in ("P02-1040", "papineni02")
            for cited in ("W04-1013", "P02-1040")
            for source in "ab"
        ]
    )
    assert list(library.edges()) == [("P02-1040", "W04-1013")]
    numbers = library.numbers(["P02-1040", "W04-1013"])
    assert list(library.numbered_citations()) == [(numbers["P02-1040"], numbers["W04-1013"])]
    assert library.counts()["citations"] == 8


def test_context_links_are_the_contexts_by_number(library: Library) -> None:
    """What the index reads agrees with what a person reads."""
    library.add([*batch(0), *batch(1), context("x", "stranger", "P0001", "P0002")])
    contexts = dict(library.numbered_contexts())
    links = list(library.context_links())
    assert [number for number, *_ in links] == list(contexts)
    for number, citing, year, cited in links:
        found = contexts[number]
        assert library.numbers([found.citing_id]).get(found.citing_id, -1) == citing
        assert (found.year or 0) == year
        assert tuple(library.numbers(found.cited_ids)[each] for each in found.cited_ids) == cited


# Following ------------------------------------------------------------------------------------------------


def test_an_index_follows_by_what_changed(library: Library) -> None:
    """After each commit exactly the papers and contexts that it changed are told, and all of them."""
    library.add([*batch(0), *batch(1)])
    seen: list[dict[int, object]] = [dict(library.numbered_papers()), dict(library.numbered_contexts())]
    for records in ([paper(2, title="A Changed Inquiry")], batch(2), [Alias("P0000", "P0005")], [BLEU, BIB]):
        before = library.generation
        library.add(records)
        changed: list[dict[int, object]] = [
            dict(library.numbered_papers(since=before)),
            dict(library.numbered_contexts(since=before)),
        ]
        gone = library.removed_numbers(since=before), library.removed_contexts(since=before)
        for old, new, lost in zip(seen, changed, gone, strict=True):
            old.update(new)
            for number in lost:
                old.pop(number, None)
        assert seen == [dict(library.numbered_papers()), dict(library.numbered_contexts())]
    before = library.generation
    library.add([paper(3, title="Another Inquiry")])
    assert [found.id for _, found in library.numbered_papers(since=before)] == ["P0003"]
    assert list(library.numbered_contexts(since=before)) == []


def test_chosen_numbers(library: Library) -> None:
    """An index can ask again for papers and contexts by number; what is gone is left out."""
    library.add([*batch(0), *batch(1), Alias("P0000", "P0001")])
    numbers = library.numbers(["P0001", "P0003", "P0006"])
    wanted = [*numbers.values(), 10_000, *library.removed_numbers()]
    assert dict(library.numbered_papers(numbers=wanted)) == {
        numbers[key]: library.paper(key) for key in numbers
    }
    contexts = dict(library.numbered_contexts())
    some = list(contexts)[::3]
    assert dict(library.numbered_contexts(numbers=[*some, 10_000])) == {
        number: contexts[number] for number in some
    }


# Removing -------------------------------------------------------------------------------------------------


def test_a_removed_paper_is_gone_by_all_its_names(library: Library) -> None:
    """Its records and full text go; its number never comes back; what others said waits for its return."""
    library.add([BLEU, BIB, ROUGE, Alias("x", "P02-1040"), context("c1", "W04-1013", "papineni02")])
    library.add([FullText("papineni02", (Sentence(0, "title", "Bleu"),))])
    number = library.numbers(["x"])["x"]
    before = library.generation
    result = library.remove(["papineni02", "x"])
    assert result.removed == 1
    assert ids(library) == ["W04-1013"]
    assert library.papers(["P02-1040", "papineni02", "x"]) == {}
    assert library.find(BIB) is None
    assert library.removed_numbers(since=before) == [number]
    assert len(library.removed_contexts(since=before)) == 1
    library.add([BIB])
    assert library.canonical("x") is None
    library.add([BLEU])
    assert library.canonical("x") == "papineni02"
    assert [found.id for found in told_of(library, "papineni02")] == ["c1"]
    assert library.full_text("x") is None
    assert library.numbers(["x"])["x"] > number


def test_removing_an_unknown_id_removes_nothing(library: Library) -> None:
    """The id is named, and the known ones beside it stay."""
    library.add([BLEU])
    with pytest.raises(QueryError, match="'nobody'"):
        library.remove(["P02-1040", "nobody"])
    assert ids(library) == ["P02-1040"]
    assert library.generation == 1


# Asking ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ask", [Library.paper, Library.full_text])
def test_unknown_ids_are_named(library: Library, ask: object) -> None:
    """A request about one paper that is not there is an error, not an empty answer."""
    assert callable(ask)
    with pytest.raises(QueryError, match="'nobody'"):
        ask(library, "nobody")


def test_unknown_ids_are_left_out_of_many(library: Library) -> None:
    """A request about several papers answers for those that are there."""
    library.add([BLEU])
    assert library.papers(["nobody", "P02-1040"]) == {"P02-1040": BLEU}
    assert list(library.numbers(["nobody", "P02-1040"])) == ["P02-1040"]
    assert library.canonical("nobody") is None


def test_full_texts_keep_their_sentences(library: Library, toy: Path) -> None:
    """Numbers, headings and text come back as they were, in order."""
    texts = [found for found in read(toy / "fulltext.jsonl", ImportReport()) if isinstance(found, FullText)]
    library.add([*read(toy / "papers.jsonl", ImportReport()), *texts])
    for text in texts:
        assert library.full_text(text.paper_id) == text
    changed = replace(texts[0], sentences=texts[0].sentences[:1])
    assert library.add([changed]).updated == {"full texts": 1}
    assert library.full_text(changed.paper_id) == changed


def test_counts(library: Library) -> None:
    """Entries, not records, are counted as papers."""
    library.add(
        [BLEU, BIB, ROUGE, Alias("a", "b"), context("c", "a", "W04-1013"), FullText("papineni02", ())]
    )
    assert library.counts() == {
        "papers": 2,
        "own_writings": 0,
        "with_abstract": 1,
        "with_full_text": 1,
        "contexts": 1,
        "contexts_waiting": 0,
        "citations": 0,
        "citations_waiting": 0,
        "aliases": 1,
        "languages": {"en": 2},
        "first_year": 2002,
        "last_year": 2004,
    }


def test_reading_sees_one_state(library: Library) -> None:
    """Inside `reading`, another process's commit is not seen; after it, it is."""
    library.add([BLEU])
    with library.reading(), Library.open(library.folder) as other:
        assert library.generation == 1
        other.add([ROUGE])
        assert library.generation == 1
        assert ids(library) == ["P02-1040"]
    assert ids(library) == ["P02-1040", "W04-1013"]


@pytest.mark.data
def test_the_shared_collection(library: Library, shared_data: Path) -> None:
    """Tens of thousands of papers: all there, known pairs recognised, and unchanged when added again."""
    names = ["papers.jsonl.gz", "paper_aliases.tsv.gz", "contexts.train.jsonl.gz", "citations.tsv.gz"]
    report = ImportReport()
    result = library.add_all([(name, read(shared_data / name, report)) for name in names], report)
    assert result.new == report.read
    assert report.skipped == 0
    aliases = [found for found in read(shared_data / names[1], report) if isinstance(found, Alias)]
    assert all(
        library.canonical(alias.id) == library.canonical(alias.same_as) is not None for alias in aliases
    )
    assert library.counts()["papers"] == result.new["papers"] - result.merged
    assert not library.add(read(shared_data / names[0], report)).changed
    library.verify()


def test_papers_come_in_the_order_in_which_they_were_asked_for(tmp_path: Path) -> None:
    """Each once, whatever the hashes of the ids are: what is sampled of them can be sampled again."""
    papers = [paper(number) for number in range(40)]
    ids = [each.id for each in papers]
    with Library.open(tmp_path / "library", create=True) as library:
        library.add(papers)
        asked = [*reversed(ids), "unknown", ids[7]]
        assert list(library.papers(asked)) == list(reversed(ids))
        assert list(library.numbers(asked)) == list(reversed(ids))


def test_a_paper_names_what_a_full_text_has_too(tmp_path: Path) -> None:
    """The id of an entry is that of a paper's own record, not that of the header of a full text, even if the
    header's id comes first; the header only fills gaps."""
    title = "Parsing Trees With Banks of Trees"
    printed = Paper("a-file", title, "Printed abstract.", ("Ann Lee",), 2001)
    own = Paper("z-paper", title, "", ("Ann Lee",), 2001, "Trees")
    with Library.open(tmp_path / "library", create=True) as library:
        library.add([Header(printed), own])
        assert library.ids() == ["z-paper"]
        (entry,) = library.papers(["z-paper"]).values()
        assert (entry.venue, entry.abstract) == ("Trees", "Printed abstract.")
