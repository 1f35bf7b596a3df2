"""The rules of honest ranking, each on a library that one can know by heart.

Where a rule says that something changes nothing, rankings, scores and every feature are compared to the last
bit, for all kinds of queries and both pipelines.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_library import cites, context, make, paper, unsynced

from citewhy.base.records import Alias, Citation, Context, Paper, Query, QueryKind
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library
from citewhy.ranking.rank.ranker import PIPELINES
from citewhy.ranking.recommender import Recommender
from citewhy.search.index import open_index
from citewhy.search.rules import Pool, QueryRows, Rules

KINDS: tuple[QueryKind, ...] = get_args(QueryKind)

PAPERS: list[Paper] = [
    paper(
        "chart",
        "Chart Parsing of Trees",
        "Trees are built bottom up.",
        1995,
        authors=("Ann Lee",),
        venue="Trees",
    ),
    paper("bank", "A Bank of Trees", "Sentences with their trees.", 1996, authors=("Bo Li",), venue="Banks"),
    paper("stat", "Statistical Parsing of Trees", "", 2000, authors=("Ann Lee", "Bo Li"), venue="Trees"),
    paper("lex", "Lexical Parsing with Trees", "Words choose.", 2001, authors=("Cy Ma",), venue="Trees"),
    paper("asks", "Parsing Trees Again", "We parse trees.", 2003, authors=("Dee Ray",), venue="Banks"),
    paper("twin", "Parsing Trees Likewise", "Trees, parsed.", 2003, authors=("Cy Ma",), venue="Banks"),
    paper("late", "Neural Parsing of Trees", "Trees by networks.", 2005, authors=("Ann Lee",), venue="Trees"),
    paper("undated", "Parsing of Trees, a Report", "Trees.", None, authors=("Bo Li",)),
]
EARLY: list[Record] = [
    context("e1", "stat", "chart bank", "Trees were parsed with a chart TARGETCIT over a bank TARGETCIT."),
    context("e2", "lex", "stat", "Statistical parsing TARGETCIT of trees came first."),
    context("e3", "elsewhere", "chart", "The chart of all trees TARGETCIT.", 1999),
    *cites("stat chart", "lex chart", "lex stat", "lex bank"),
]
NOW_AND_LATER: list[Record] = [
    context("l1", "twin", "stat", "Parsing of trees is statistical TARGETCIT these days."),
    context("l2", "late", "lex bank twin", "Chart parsing needs a bank of trees TARGETCIT and TARGETCIT."),
    context("l3", "elsewhere", "bank", "A bank of trees TARGETCIT, a bank.", 2003),
    context("l4", "elsewhere", "lex", "Words TARGETCIT and statistical trees.", 2010),
    context("l5", "undated", "bank", "When was the bank of trees TARGETCIT parsed?"),
    context("l6", "nowhere", "bank", "Nobody knows when the bank TARGETCIT was parsed."),
    *cites("twin bank", "late chart", "late asks", "late twin", "undated lex", "twin stat"),
]


def query(kind: QueryKind = "local", **more: Any) -> Query:
    """Of paper `asks`, in its year."""
    asked = Query(
        kind,
        text="" if kind == "global" else "Statistical parsing of trees with a chart and a bank of words",
        title="Parsing Trees Again",
        abstract="We parse statistical trees.",
        authors=("Dee Ray", "Ann Lee"),
        year=2003,
        citing_id="asks",
    )
    return replace(asked, **more)


def all_queries(**more: Any) -> list[Query]:
    """Of each kind, with and without known papers."""
    return [query(kind, known_ids=known, **more) for kind in KINDS for known in ((), ("chart", "lex"))]


def everything(
    library: Library, queries: Iterable[Query], pool: Pool = "all", hidden: Collection[str] = ()
) -> list[Any]:
    """For each pipeline and query: ids, scores and features, in order, every bit of them."""
    answers = []
    for pipeline in PIPELINES:
        recommender = Recommender(library, pipeline, pool, hidden)
        for asked in queries:
            ranked = recommender.rank(asked, 100)
            assert ranked, "a test that compares nothing proves nothing"
            answers.append([(each.paper_id, each.score, dict(each.features)) for each in ranked])
    return answers


def compare(
    with_it: Sequence[Record],
    without: Sequence[Record],
    queries: Sequence[Query],
    hidden: Collection[str] = (),
) -> bool:
    """Are all answers equal? `hidden` are hidden from the first library."""
    with tempfile.TemporaryDirectory() as folder, unsynced():
        with make(Path(folder) / "with", with_it) as library:
            one = everything(library, queries, hidden=hidden)
        with make(Path(folder) / "without", without) as library:
            other = everything(library, queries)
    return one == other


def ids(library: Library, asked: Query, pipeline: Any = "full", pool: Pool = "all") -> list[str]:
    return [candidate.paper_id for candidate in Recommender(library, pipeline, pool).rank(asked, 100)]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterable[Library]:
    records = [*PAPERS, *EARLY, *NOW_AND_LATER, Alias("bank-again", "bank"), Alias("asks-again", "asks")]
    with make(tmp_path_factory.mktemp("library"), records) as made:
        yield made


# Candidates -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_newer(library: Library, kind: QueryKind, pipeline: str) -> None:
    """As of a year, papers of later years are no candidates; those of that year and undated ones are."""
    for year in range(1990, 2010):
        found = set(ids(library, query(kind, year=year), pipeline))
        old_enough = {each.id for each in PAPERS if each.year is None or each.year <= year} - {"asks"}
        assert found <= old_enough
        if pipeline == "full":
            assert found == old_enough
        assert Recommender(library, pipeline).pool_size(query(kind, year=year)) == len(old_enough)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS)
def test_no_year(library: Library, kind: QueryKind) -> None:
    """Without a year, everything is a candidate but the paper that asks."""
    everyone = {each.id for each in PAPERS}
    assert set(ids(library, query(kind, year=None))) == everyone - {"asks"}
    assert set(ids(library, query(kind, year=None, citing_id=""))) == everyone
    assert set(ids(library, query(kind, year=None, citing_id="unheard-of"))) == everyone


@pytest.mark.parametrize("kind", KINDS)
def test_excluded(library: Library, kind: QueryKind) -> None:
    """What is excluded never comes, by whichever of its ids; ids that nobody knows exclude nothing."""
    found = set(ids(library, query(kind, excluded_ids=("bank-again", "lex", "unheard-of"))))
    assert found == {"chart", "stat", "twin", "undated"}
    everyone = {"chart", "bank", "stat", "lex", "twin", "undated"}
    assert set(ids(library, query(kind, excluded_ids=("unheard-of",)))) == everyone


def test_the_paper_itself_by_an_alias(library: Library) -> None:
    """The paper that asks is no candidate under any of its names, and all answers are the same."""
    asked, again = query(), query(citing_id="asks-again")
    assert everything(library, [asked]) == everything(library, [again])
    assert "asks" not in ids(library, again)


@pytest.mark.parametrize("kind", KINDS)
def test_copies(library: Library, kind: QueryKind) -> None:
    """Another paper that is the same document as the one that asks is no candidate of it, either."""
    found = set(ids(library, query(kind, copy_ids=("twin", "bank-again", "unheard-of"))))
    assert found == {"chart", "stat", "lex", "undated"}


@pytest.mark.parametrize("kind", KINDS)
def test_known_papers(library: Library, kind: QueryKind) -> None:
    """What a reference list has is not suggested for it again; a sentence may cite what another one cites."""
    found = set(ids(library, query(kind, known_ids=("bank-again", "stat"))))
    everyone = {"chart", "bank", "stat", "lex", "twin", "undated"}
    assert found == (everyone - {"bank", "stat"} if kind == "global" else everyone)


def test_members_of_a_set(library: Library) -> None:
    """What stands in a bracket is not suggested for it again, by whichever id. It is known like what stands
    elsewhere in the draft, but to the default pipeline, where the model of sets weighs it."""
    asked = query("set", member_ids=("bank-again", "stat"))
    assert set(ids(library, asked)) == {"chart", "lex", "twin", "undated"}
    assert set(ids(library, replace(asked, kind="local"))) == {
        "chart",
        "bank",
        "stat",
        "lex",
        "twin",
        "undated",
    }
    known = query("set", known_ids=("bank", "stat"), excluded_ids=("bank", "stat"))
    found, expected = everything(library, [asked]), everything(library, [known])
    equal = [one == other for one, other in zip(found, expected, strict=True)]
    assert dict(zip(PIPELINES, equal, strict=True)) == {name: name != "full" for name in PIPELINES}


def test_known_by_an_alias(library: Library) -> None:
    """A known paper helps the same under each of its names, and once under several."""
    for kind in KINDS:
        once = everything(library, [query(kind, known_ids=("bank", "chart"))])
        assert everything(library, [query(kind, known_ids=("bank-again", "chart", "bank"))]) == once
        assert everything(library, [query(kind, known_ids=("bank", "no-such-paper", "chart"))]) == once


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_pool_abstract(library: Library, pipeline: str) -> None:
    """In this pool, candidates have an abstract; the others still bear witness."""
    have = {each.id for each in PAPERS if each.abstract and each.year != 2005} - {"asks"}
    assert set(ids(library, query(), pipeline, "abstract")) == have
    recommender = Recommender(library, pipeline, "abstract")  # type: ignore[arg-type]
    assert recommender.pool_size(query()) == len(have)
    chart = {each.paper_id: each.features for each in Recommender(library, pool="abstract").rank(query(), 9)}[
        "chart"
    ]
    assert chart["citations"] == pytest.approx(1.0986, abs=1e-4), "stat and lex cite it; stat has no abstract"


# Evidence ---------------------------------------------------------------------------------------------------


def test_the_present_and_the_future_say_nothing() -> None:
    """Sentences and citations of papers of the query's year or later, and undated ones, change no bit."""
    assert compare([*PAPERS, *EARLY, *NOW_AND_LATER], [*PAPERS, *EARLY], all_queries())


def test_the_past_says_something() -> None:
    """The same comparison finds a difference where there is one: two years on, what they said counts."""
    assert not compare([*PAPERS, *EARLY, *NOW_AND_LATER], [*PAPERS, *EARLY], all_queries(year=2005))
    assert not compare([*PAPERS, *EARLY], PAPERS, all_queries())
    assert not compare([*PAPERS, *EARLY, *NOW_AND_LATER], [*PAPERS, *EARLY], all_queries(year=None))


def test_a_sentence_that_is_dated_before_its_paper() -> None:
    """A sentence cannot be older than the paper that it stands in: the later of the two years counts."""
    false = context("f1", "late", "bank", "A bank of trees TARGETCIT, parsed.", 1990)
    assert compare([*PAPERS, *EARLY, false], [*PAPERS, *EARLY, *cites("late bank")], all_queries())


OWN: list[Record] = [
    context("o1", "asks", "lex twin", "Lexical parsing TARGETCIT of trees with words TARGETCIT."),
    context("o2", "asks", "bank", "A bank of statistical trees TARGETCIT with a chart.", 1999),
    *cites("asks chart", "asks lex", "asks bank", "asks undated"),
]


@pytest.mark.parametrize("year", [2003, 2004, 2010, None])
@pytest.mark.parametrize("citing", ["asks", "asks-again"])
def test_what_the_paper_itself_wrote(year: int | None, citing: str) -> None:
    """What the paper that asks wrote about others changes no bit for it: in any year, without one, and under
    another of its names."""
    others: list[Record] = [*PAPERS, *EARLY, *NOW_AND_LATER, Alias("asks-again", "asks")]
    assert compare([*others, *OWN], others, all_queries(year=year, citing_id=citing))


def test_what_the_paper_itself_wrote_under_another_name() -> None:
    """Its sentences and citations may come under an alias."""
    renamed: list[Record] = [
        context("o1", "asks-again", "lex twin", "Lexical parsing TARGETCIT with words TARGETCIT.", 2003),
        *cites("asks-again chart", "asks-again lex"),
    ]
    others: list[Record] = [*PAPERS, *EARLY, Alias("asks-again", "asks")]
    assert compare([*others, *renamed], others, all_queries(year=None))


@pytest.mark.parametrize("year", [2003, 2004, None])
def test_what_a_paper_wrote_that_is_not_here(year: int | None) -> None:
    """The paper that asks need not be in the library: its sentences that are there change no bit, either."""
    own = [
        context("o1", "foreign", "lex twin", "Statistical parsing TARGETCIT of trees with words TARGETCIT."),
        context("o2", "foreign", "bank", "A bank of statistical trees TARGETCIT with a chart.", 1999),
    ]
    others: list[Record] = [*PAPERS, *EARLY, *NOW_AND_LATER]
    assert compare([*others, *own], others, all_queries(year=year, citing_id="foreign"))
    assert not compare([*others, *own], others, all_queries(year=year, citing_id="elsewhere"))


def test_what_another_paper_wrote_counts() -> None:
    """For another paper's query, the same sentences and citations do change the answer."""
    others: list[Record] = [*PAPERS, *EARLY, *NOW_AND_LATER]
    assert not compare([*others, *OWN], others, all_queries(year=2010, citing_id="late"))


def test_what_copies_of_the_paper_wrote() -> None:
    """What a copy of the paper that asks wrote about others changes no bit for it; without the copy's name,
    it does."""
    others: list[Record] = [*PAPERS, *EARLY[2:4]]
    assert compare([*others, *EARLY[:1]], others, [query(copy_ids=("stat",))])
    assert not compare([*others, *EARLY[:1]], others, [query()])


def test_the_last_years_may_be_left_out(library: Library) -> None:
    """With a lag of two years, an experiment asks as if the evidence of the last two years did not exist."""
    index, asked = open_index(library), query(citing_id="")
    chart = index.rows(["chart"])

    def times_cited(lag: int) -> float:
        return float(index.view(Rules(lag=lag).scope(asked, QueryRows())).facts(chart).times_cited[0])

    assert [times_cited(lag) for lag in (0, 1, 2, 3)] == [2, 2, 1, 0], "lex (2001) and stat (2000) cite it"


def test_who_cites_the_paper_that_asks() -> None:
    """Others may cite the paper that asks: that counts for nobody among the candidates, and fails nothing."""
    about: list[Record] = [
        context("a1", "lex", "asks", "It was asked TARGETCIT before."),
        *cites("lex asks", "chart asks"),
    ]
    with tempfile.TemporaryDirectory() as folder, make(Path(folder), [*PAPERS, *EARLY, *about]) as library:
        for asked in all_queries(year=None):
            assert "asks" not in ids(library, asked)


@pytest.mark.parametrize("hidden", [["bank"], ["bank-again"], ["chart", "stat", "unheard-of"]])
def test_hidden_papers_were_never_cited(hidden: list[str]) -> None:
    """Hidden papers are candidates, and all answers are those of a library where nobody ever cited them."""
    names = {"bank" if name == "bank-again" else name for name in hidden}
    alias: list[Record] = [Alias("bank-again", "bank")]
    records: list[Record] = [*PAPERS, *EARLY, *NOW_AND_LATER, *alias]
    never: list[Record] = [*PAPERS, *alias]
    for each in [*EARLY, *NOW_AND_LATER]:
        if isinstance(each, Context):
            cited = tuple(name for name in each.cited_ids if name not in names)
            never += [replace(each, cited_ids=cited)] if cited else []
        elif isinstance(each, Citation) and each.cited_id not in names:
            never.append(each)
    # A sentence that cites a hidden paper beside another one stays: it still speaks for the other.
    assert compare(records, never, all_queries(), hidden=hidden)
    assert compare(records, never, all_queries(year=None), hidden=hidden)
    with tempfile.TemporaryDirectory() as folder, make(Path(folder), records) as library:
        found = {each.paper_id: each for each in Recommender(library, hidden_ids=hidden).rank(query(), 100)}
        assert all(found[name].features["cited"] == 0 for name in names - {"unheard-of"})


def test_an_alias_of_a_cited_paper() -> None:
    """What is said about a paper under another name is said about the paper."""
    text = "Trees were parsed with a chart TARGETCIT over a bank TARGETCIT."
    renamed = context("e1", "stat", "chart bank-again", text)
    alias = Alias("bank-again", "bank")
    rest = [each for each in EARLY if getattr(each, "id", "") != "e1"]
    assert compare([*PAPERS, *rest, renamed, alias], [*PAPERS, *EARLY, alias], all_queries())


def test_evidence_of_many_years(library: Library) -> None:
    """A recommender that has answered for more years than it remembers answers as a new one."""
    used = Recommender(library)
    years = [*range(1900, 2020), 2003]
    for year in years:
        used.rank(query(year=year, citing_id=""), 5)
    for year in (1996, 2001, 2003, 2010):
        asked = query(year=year, citing_id="")
        assert [(each.paper_id, each.score) for each in used.rank(asked, 100)] == [
            (each.paper_id, each.score) for each in Recommender(library).rank(asked, 100)
        ]


def test_order_of_questions(library: Library) -> None:
    """An answer does not depend on what was asked before it."""
    queries = [*all_queries(), *all_queries(year=None), *all_queries(year=2005, citing_id="late")]
    assert everything(library, queries) == [
        answer
        for half in zip(*[iter(everything(library, queries[::-1]))] * len(queries), strict=True)
        for answer in half[::-1]
    ]


Evidence = Context | Citation
YEARS = {each.id: each.year for each in PAPERS}
words = st.lists(st.sampled_from(["chart", "bank", "trees", "parsing", "words"]), max_size=6)
names = st.sampled_from([*YEARS, "elsewhere"])


def sentence(name: int, citing: str, cited: list[str], text: list[str], year: int) -> Evidence:
    """Not dated later than its paper: then the two would say different things about one citation."""
    return context(str(name), citing, " ".join(cited), " ".join(text), min(year, YEARS.get(citing) or year))


evidence = st.lists(
    st.builds(
        sentence,
        st.integers(0, 9),
        names,
        st.lists(names, min_size=1, max_size=3, unique=True),
        words,
        st.integers(1990, 2010),
    )
    | st.builds(lambda citing, cited: cites(f"{citing} {cited}")[0], names, names),
    max_size=12,
)


@settings(max_examples=12, deadline=None)
@given(evidence, evidence, st.sampled_from([2001, 2003, 2005]))
def test_only_the_past_counts(some: list[Evidence], more: list[Evidence], year: int) -> None:
    """Whatever is said: what is said in the query's year or later, or by the paper itself, changes no bit."""
    check_only_the_past_counts(some, more, year)


@pytest.mark.full
@settings(max_examples=300, deadline=None)
@given(evidence, evidence, st.sampled_from([2001, 2003, 2005]))
def test_only_the_past_counts_in_full(some: list[Evidence], more: list[Evidence], year: int) -> None:
    """As above, often."""
    check_only_the_past_counts(some, more, year)


def check_only_the_past_counts(some: list[Evidence], more: list[Evidence], year: int) -> None:
    def counts(record: Evidence) -> bool:
        dates = [YEARS.get(record.citing_id), record.year if isinstance(record, Context) else None]
        known = [date for date in dates if date is not None]
        return record.citing_id != "asks" and bool(known) and max(known) < year

    def key(record: Evidence) -> tuple[str, str]:
        return record.citing_id, record.id if isinstance(record, Context) else ""

    base = [each for each in some if counts(each)]
    taken = {key(each) for each in base if isinstance(each, Context)}
    late = [each for each in more if not counts(each) and key(each) not in taken]
    assert compare([*PAPERS, *base, *late], [*PAPERS, *base], all_queries(year=year))
