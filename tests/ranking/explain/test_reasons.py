"""Reasons: each claim is looked up in a library that one knows by heart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from hash_encoder import HashEncoder
from small_library import cites, context, make, make_toy, paper, unsynced
from small_ranker import small_model

from citewhy.base.records import Paper, Query, Suggestion
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library
from citewhy.ranking.explain.reasons import CONTRIBUTIONS, shorten
from citewhy.ranking.explain.words import UNTELLING, matched_words, words_reason
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.rank.features import FEATURES
from citewhy.ranking.rank.ranker import PIPELINES, Pipeline
from citewhy.ranking.recommender import Recommender
from citewhy.search.encode import TextKind, Vectors, paper_text
from citewhy.text.system_names import introduced_names
from citewhy.text.tokens import stems


@pytest.fixture(scope="module")
def toy_library(tmp_path_factory: pytest.TempPathFactory, toy: Path) -> Iterator[Library]:
    with unsynced(), make_toy(tmp_path_factory.mktemp("toy"), toy) as library:
        yield library


def asking(library: Library, pipeline: Pipeline = "full") -> Recommender:
    """Reasons are true whatever the order: vectors and ranker are small ones."""
    return Recommender(library, pipeline, models=ModelSet(encoder=HashEncoder(), ranker=small_model()))


def ask(recommender: Recommender, text: str) -> list[Suggestion]:
    return recommender.suggest(Query("local", text), 3)


def reasons(suggestions: Iterable[Suggestion]) -> dict[str, dict[str, str]]:
    """Paper → kind → text."""
    return {each.paper.id: {reason.kind: reason.text for reason in each.reasons} for each in suggestions}


# By hand on the toy corpus ----------------------------------------------------------------------------------

PHRASES = "“Statistical Phrase-Based Translation”"


def test_cocitation_is_counted(toy_library: Library) -> None:
    """Of the papers that cite phrase-based translation (N03-1017), Moses alone is in the library, and cites
    P03-1021 beside it. Those that it cites itself, or that cite it, say so."""
    query = Query("local", "phrase-based models and their training", known_ids=("N03-1017",))
    told = reasons(asking(toy_library).suggest(query, 20))
    assert told["P03-1021"]["cocited"] == f"1 paper in your library cites it together with {PHRASES}"
    for name in ("P02-1040", "J93-2003"):
        assert told[name]["cocited"] == f"{PHRASES}, which your draft cites, cites it"
    assert told["P07-2045"]["cocited"] == f"it cites {PHRASES}, which your draft cites"
    assert "cocited" not in told.get("N19-1423", {})


def test_citations_are_counted(toy_library: Library) -> None:
    """BLEU is cited by Koehn, by Och and by Lin, who came last; P05-1033 is not in the library."""
    query = Query("local", "BLEU score of machine translation")
    told = reasons(asking(toy_library).suggest(query, 20))
    assert told["P02-1040"]["often-cited"] == "3 papers in your library cite it"
    assert told["P03-1021"]["often-cited"] == "1 paper in your library cites it"
    assert "often-cited" not in told["P07-2045"]
    for asked in (replace(query, year=2004), replace(query, citing_id="W04-1013")):
        without_lin = reasons(asking(toy_library).suggest(asked, 20))
        assert without_lin["P02-1040"]["often-cited"] == "2 papers in your library cite it"


def test_a_sentence_is_quoted(toy_library: Library) -> None:
    """The nearest sentence that cites the paper, its markers as dots; as of a year, the nearest before it."""
    query = Query("local", "case-insensitive BLEU, four references")
    told = reasons(asking(toy_library).suggest(query, 3))
    quoted = "We report case-insensitive BLEU ([…]) with four references."
    assert told["P02-1040"]["cited-as"] == f"cited in a similar context: “{quoted}”"
    told = reasons(asking(toy_library).suggest(replace(query, year=2004), 3))
    quoted = "Throughout this work we judge the output by its BLEU score ([…]) on unseen sentences."
    assert told["P02-1040"]["cited-as"] == f"cited in a similar context: “{quoted}”"


def test_matched_words(toy_library: Library) -> None:
    """The rarest words first, as the query writes them, five at most, each once."""
    bleu = toy_library.paper("P02-1040")
    query = Query("local", "Translations, evaluated automatically by N-grams: machine translation scores")
    rarity = dict.fromkeys(stems(query.text), 3.0) | {"gram": 9.0, "machin": 5.0}
    five = ["grams", "machine", "translations", "evaluated", "automatically"]
    assert matched_words(query, bleu, rarity) == five
    assert matched_words(Query("local", "zebra"), bleu, {}) == []
    assert matched_words(Query("global", title="Zebra", abstract="A method"), bleu, {}) == ["method"]
    assert matched_words(Query("local", "zebra", abstract="A method"), bleu, {}) == []


def test_function_words_are_no_reason() -> None:
    """Those of the query's language are listed only for want of others, and then say nothing."""
    paper = Paper("a", "Die Verwandlung der Welt und das Problem des Wandels")
    asked = Query("local", "Der Historiker zeigt die Verwandlung der Welt und des Reiches.")
    assert words_reason(asked, paper, {}) == "matches: verwandlung, welt"
    assert words_reason(Query("local", "Das ist nicht der Fall und die Sache."), paper, {}) == UNTELLING
    assert words_reason(Query("local", "Zebras."), paper, {}) == ""


def test_words_that_tell_nothing(tmp_path: Path) -> None:
    """What a seventh of the library has, and what papers on anything say however rare it is here, is named
    only where a paper shares nothing better."""
    papers = [
        Paper("a", "Zebra stripes", "We use a new method. It provides good stripes of animals.", year=1999),
        Paper("b", "Animals", "Methods that others use.", year=1999),
        *(Paper(f"c{number}", f"Topic {number}", year=1999) for number in range(12)),
    ]
    with unsynced(), make(tmp_path, papers) as library:
        for pipeline in PIPELINES:
            recommender = asking(library, pipeline)

            def named(text: str, recommender: Recommender = recommender) -> dict[str, str]:
                told = reasons(ask(recommender, text))
                return {paper: why["words"] for paper, why in told.items() if "words" in why}

            assert named("A good new method shows that zebras are animals") == {
                "a": "matches: zebras",
                "b": "matches: animals",
            }
            assert named("Good new methods provide much")["a"] == "no single reason stands out"


# Every claim is true ----------------------------------------------------------------------------------------


class Records:
    """Looks claims up in the library's own records, for one query."""

    def __init__(self, library: Library, query: Query) -> None:
        self.library = library
        self.query = query
        self.edges = {(citing, cited) for citing, cited in library.edges() if citing != query.citing_id}
        self.titles = {name: library.paper(name).title for name in query.known_ids}

    def check(self, kind: str, claim: str, found: Paper) -> None:
        checks = {
            "words": self.words,
            "cited-as": self.cited_as,
            "cocited": self.cocited,
            "near-known": self.near_known,
            "authors": self.authors,
            "often-cited": self.often_cited,
            "feedback": self.feedback,
            "named": self.named,
        }
        checks[kind](claim, found)

    def citing(self, name: str) -> set[str]:
        return {citing for citing, cited in self.edges if cited == name}

    def named(self, claim: str, found: Paper) -> None:
        """The sentence has the name, and the paper introduces it; or it has its first author's surname."""
        told = re.search(r"introduces the name ([^,]+?)(?:, (too|which ([\d,]+) other papers? .+))?$", claim)
        if told:
            name = told[1]
            assert name in self.query.text
            if told[3]:
                users = [each for _, each in self.library.numbered_papers() if self.uses(each, name)]
                assert len(users) == int(told[3].replace(",", ""))
            assert name.casefold() in introduced_names(found.title, found.abstract)
        else:
            assert claim == f"the sentence names its first author, {found.authors[0]}"
            assert found.authors[0].split()[-1].casefold() in self.query.text.casefold()

    def uses(self, paper: Paper, name: str) -> bool:
        """Does an older paper have the name, and not introduce it?"""
        old = paper.year is None or self.query.year is None or paper.year <= self.query.year
        own = paper.id == self.query.citing_id or name.casefold() in introduced_names(
            paper.title, paper.abstract
        )
        return old and not own and set(stems(name)) <= set(stems(f"{paper.title} {paper.abstract}"))

    def words(self, claim: str, found: Paper) -> None:
        named = [stem for word in claim.removeprefix("matches: ").split(", ") for stem in stems(word)]
        assert named
        assert set(named) <= set(stems(f"{self.query.text} {self.query.title} {self.query.abstract}"))
        assert set(named) <= set(stems(f"{found.title} {found.abstract}"))

    def cited_as(self, claim: str, found: Paper) -> None:
        quoted = claim.removeprefix("cited in a similar context: “").removesuffix("”").removesuffix("…")
        contexts = (each for _, each in self.library.numbered_contexts() if found.id in each.cited_ids)
        said = [each for each in contexts if each.citing_id != self.query.citing_id]
        texts = [each.text.replace("TARGETCIT", "[…]").replace("OTHERCIT", "…") for each in said]
        assert any(text.startswith(quoted) for text in texts)

    def cocited(self, claim: str, found: Paper) -> None:
        title = claim[claim.index("“") + 1 : claim.index("”")].rstrip("…")
        (known,) = [name for name in self.titles if self.titles[name].startswith(title)]
        if counted := re.match(r"(\d+) papers? in your library cites? it together with “", claim):
            assert len(self.citing(found.id) & self.citing(known)) == int(counted[1]) > 0
        elif claim.startswith("it cites "):
            assert (found.id, known) in self.edges
        else:
            assert claim.endswith(", which your draft cites, cites it")
            assert (known, found.id) in self.edges

    def near_known(self, claim: str, found: Paper) -> None:
        title = claim[claim.index("“") + 1 : claim.index("”")].rstrip("…")
        (known,) = [name for name in self.titles if self.titles[name].startswith(title)]
        texts = [paper_text(found), paper_text(self.library.paper(known))]
        one, other = HashEncoder().encode(texts, "paper")
        assert known != found.id
        assert one @ other >= 0.7 - 1e-3

    def authors(self, claim: str, found: Paper) -> None:
        if claim == "an author of your draft wrote it":
            assert set(self.query.authors) & set(found.authors)
            return
        counted = re.fullmatch(r"authors of your draft have cited it before, in (\d+) papers?", claim)
        assert counted
        writers = self.library.papers(self.citing(found.id)).values()
        assert sum(bool(set(each.authors) & set(self.query.authors)) for each in writers) == int(counted[1])

    def often_cited(self, claim: str, found: Paper) -> None:
        counted = re.fullmatch(r"(\d+) papers? in your library cites? it", claim)
        assert counted
        assert len(self.citing(found.id)) == int(counted[1]) > 0

    def feedback(self, claim: str, found: Paper) -> None:
        assert claim == "it shares words with the papers that match best"
        assert stems(f"{found.title} {found.abstract}")


def test_every_claim_is_true(toy_library: Library, toy: Path) -> None:
    """For each citing sentence of the toy corpus, with other papers known: all that is said is so, and
    something is said about every suggestion."""
    contexts = [orjson.loads(line) for line in (toy / "contexts.jsonl").read_bytes().splitlines()]
    kinds: set[str] = set()
    recommender = asking(toy_library)
    for line in contexts:
        known = [name for name in ("N03-1017", "N19-1423", "P02-1040") if name not in line["cited_ids"]]
        sentence = Query(
            "local",
            text=line["text"],
            known_ids=tuple(known),
            authors=("Franz Josef Och", "Philipp Koehn"),
            citing_id=line["citing_id"],
        )
        paper_of_it = replace(sentence, kind="global", text="", title="Tuning", abstract=line["text"])
        for query in (sentence, paper_of_it):
            records = Records(toy_library, query)
            found = recommender.suggest(query, 13)
            assert found
            for each in found:
                assert each.reasons
                for reason in each.reasons:
                    records.check(reason.kind, reason.text, each.paper)
                    kinds.add(reason.kind)
    assert kinds >= {"words", "cited-as", "cocited", "authors", "often-cited"}


def test_near_known_papers(tmp_path: Path) -> None:
    """Of the papers that the draft cites, the one that is nearest in meaning is named, if it is near."""
    titles = {"a": "Pictures of cats", "b": "Cats on pictures", "c": "Kernels", "d": "Pictures of cats too"}
    with unsynced(), make(tmp_path, [paper(name, title) for name, title in titles.items()]) as library:
        query = Query("local", "pictures", known_ids=("b", "c"))
        told = reasons(asking(library).suggest(query, 4))
        assert told["a"]["near-known"] == "close in meaning to “Cats on pictures”, which your draft cites"
        assert told["d"]["near-known"] == told["a"]["near-known"]
        assert "near-known" not in told["b"], "a paper is not near itself"
        query = replace(query, known_ids=("c",))
        assert all("near-known" not in kinds for kinds in reasons(asking(library).suggest(query, 4)).values())


def test_weights_are_shares(toy_library: Library) -> None:
    """A reason's weight is its share of what speaks for the paper: the heaviest first, 1 in all at most."""
    query = Query("local", "BLEU score of machine translation", known_ids=("N03-1017",), authors=("C. Lin",))
    for each in asking(toy_library).suggest(query, 13):
        weights = [reason.weight for reason in each.reasons]
        assert weights == sorted(weights, reverse=True)
        assert all(0 <= weight <= 1 for weight in weights)
        assert sum(weights) <= 1.01


def test_contributions_are_features() -> None:
    """Every feature that a reason stands for exists, and stands for one reason."""
    named = [name for names in CONTRIBUTIONS.values() for name in names]
    assert set(named) <= set(FEATURES)
    assert len(set(named)) == len(named)


# People and nothing -----------------------------------------------------------------------------------------


def test_authors(tmp_path: Path) -> None:
    """Whoever wrote it, or cited it: in as many papers, not once for each of their authors."""
    records: list[Record] = [
        paper("mine", "Zebras", authors=("Ann Lee",)),
        paper("cited", "Horses"),
        paper("both", "Stripes", authors=("Ann Lee", "Bo Li")),
        paper("one", "Manes", authors=("Bo Li",)),
        paper("others", "Tails", authors=("Cy Ma",)),
        paper("foreign", "Hooves"),
        *cites("both cited", "one cited", "others cited", "others foreign"),
    ]
    with unsynced(), make(tmp_path, records) as library:
        query = Query("local", "zebras horses hooves", authors=("Ann Lee", "Bo Li"))
        told = reasons(asking(library).suggest(query, 9))
        assert told["mine"]["authors"] == "an author of your draft wrote it"
        assert told["cited"]["authors"] == "authors of your draft have cited it before, in 2 papers"
        assert "authors" not in told["foreign"]
        told = reasons(asking(library).suggest(replace(query, citing_id="one"), 9))
        assert told["cited"]["authors"] == "authors of your draft have cited it before, in 1 paper"


def test_nothing_speaks_for_it(tmp_path: Path) -> None:
    """Where nothing speaks for a paper it is not suggested, however few the others are."""
    with (
        unsynced(),
        make(tmp_path, [paper("a", "Zebras"), paper("b", "Horses"), paper("c", "Manes")]) as library,
    ):
        recommender = asking(library)
        assert list(reasons(recommender.suggest(Query("local", "a zebra"), 3))) == ["a"]
        assert recommender.suggest(Query("local", "a lion"), 3) == []
        assert recommender.suggest(Query("local", ""), 3) == []


def test_words_of_the_best(tmp_path: Path) -> None:
    """A paper that shares words with the best alone says so."""
    with (
        unsynced(),
        make(tmp_path, [paper("a", "Zebra stripes"), paper("b", "Stripes"), paper("c", "Manes")]) as library,
    ):
        told = reasons(asking(library).suggest(Query("local", "a zebra"), 3))
    assert told == {
        "a": {"words": "matches: zebra"},
        "b": {"feedback": "it shares words with the papers that match best"},
    }


def test_asked_for_by_name(tmp_path: Path) -> None:
    """A paper that is asked for by its id comes first, and stays where nothing else speaks for it."""
    papers = [paper("a", "Zebras"), paper("b", "Horses"), paper("c", "Zebra manes"), paper("late", year=2010)]
    with unsynced(), make(tmp_path, papers) as library:
        query = Query("local", "a zebra", year=2005)
        found = asking(library).suggest(query, 2, first=lambda _ids: ("b", "late", "unheard-of"))
        assert [each.paper.id for each in found] == ["b", "a"]
        assert reasons(found)["b"] == {"key": "requested by its id"}


def test_plain_words(tmp_path: Path) -> None:
    """The pipeline of words alone gives its words as the reason, however long they are."""
    long = "x" * 60
    with unsynced(), make(tmp_path, [paper("a", "Zebras"), paper("b", f"{long}y")]) as library:
        recommender = asking(library, "bm25")
        assert reasons(recommender.suggest(Query("local", "a zebra"), 3)) == {
            "a": {"words": "matches: zebra"}
        }
        query = Query("global", abstract="Zebras run")
        assert reasons(recommender.suggest(query, 3)) == {"a": {"words": "matches: zebras"}}
        # Forty letters are indexed: these two meet, and cannot be named.
        told = reasons(recommender.suggest(Query("local", f"{long}z"), 3))
        assert told == {"b": {"words": "shares words with the query"}}


def photographs(many: int) -> list[Record]:
    return [
        *(paper(f"p{number}", f"Pictures of {'word ' * number}{number}", year=1999) for number in range(4)),
        *(paper(f"other{number}", f"Topic {number}", year=1999) for number in range(many - 4)),
    ]


class Synonyms(HashEncoder):
    """Knows that photographs are pictures."""

    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        return super().encode([text.lower().replace("photographs", "pictures") for text in texts], kind)


def test_meaning(tmp_path: Path) -> None:
    """A paper that shares no word with the query is there for its meaning, and says among how few it is the
    nearest; a query without words has nothing near."""
    with unsynced(), make(tmp_path, photographs(70)) as library:
        recommender = Recommender(
            library, models=ModelSet(encoder=Synonyms(dimensions=256), ranker=small_model())
        )
        told = reasons(recommender.suggest(Query("local", "photographs"), 70))
        for name in ("p0", "p1", "p2"):
            assert told[name] == {"meaning": "very close in meaning to your sentence"}
        assert told["p3"] == {"meaning": "close in meaning to your sentence"}
        assert len(told) == 10, "the others are no nearer than most"
        told = reasons(recommender.suggest(Query("local", "pictures"), 1))
        assert told["p0"].keys() == {"words", "meaning"}
        assert recommender.suggest(Query("local", ""), 70) == []


def test_meaning_among_few(tmp_path: Path) -> None:
    """That one of twenty papers is among the nearest three is not worth telling."""
    with unsynced(), make(tmp_path, photographs(20)) as library:
        recommender = Recommender(
            library, models=ModelSet(encoder=Synonyms(dimensions=256), ranker=small_model())
        )
        assert recommender.suggest(Query("local", "photographs"), 20) == []


def test_meaning_alone(tmp_path: Path) -> None:
    """The pipelines of one score do not claim words that are not shared."""
    with unsynced(), make(tmp_path, photographs(20)) as library:
        for pipeline in ("dense", "hybrid"):
            recommender = Recommender(library, pipeline, models=ModelSet(encoder=Synonyms(dimensions=256)))
            told = reasons(recommender.suggest(Query("local", "photographs"), 2))
            assert told == {name: {"meaning": "close in meaning"} for name in ("p0", "p1")}
            assert recommender.suggest(Query("local", ""), 2) == []


def test_a_sentence_is_quoted_for_its_meaning(tmp_path: Path) -> None:
    """Where it has no word of the query; the words of a paper that is cited in other words are no reason."""
    said = [
        context("near", "x", "a", "Pictures TARGETCIT.", 1999),
        context("far", "x", "b", "Kernels TARGETCIT.", 1999),
    ]
    with unsynced(), make(tmp_path, [paper("a"), paper("b"), *said]) as library:
        recommender = Recommender(
            library, models=ModelSet(encoder=Synonyms(dimensions=256), ranker=small_model())
        )
        told = reasons(recommender.suggest(Query("local", "photographs"), 2))
        assert told["a"]["cited-as"] == "cited in a similar context: “Pictures […].”"
        assert "cited-as" not in told.get("b", {})


def test_quotes_are_short(tmp_path: Path) -> None:
    """A long sentence is cut between words, after the first two hundred characters at most."""
    text = "Zebras " + "gallop over wide plains " * 30 + "TARGETCIT."
    with unsynced(), make(tmp_path, [paper("a"), paper("w"), context("s", "w", "a", text)]) as library:
        told = reasons(asking(library).suggest(Query("local", "zebras"), 1))
    quoted = told["a"]["cited-as"].removeprefix("cited in a similar context: “").removesuffix("”")
    assert len(quoted) <= 200
    assert quoted.endswith("…")
    assert text.startswith(quoted[:-1] + " ")


def test_shorten() -> None:
    """One line, cut between words where it has to be."""
    assert shorten("two\n  words") == "two words"
    assert shorten("twelve chars", 12) == "twelve chars"
    assert shorten("twelve charsx", 12) == "twelve…"
    assert len(shorten("x" * 500)) == 200


def test_titles_that_look_alike(tmp_path: Path) -> None:
    """A known paper's title is told as it is, quotes and markup and all, in one line."""
    odd = Paper("odd", "A “quoted”\ntitle <b>{x}</b> %s", year=1999)
    with (
        unsynced(),
        make(tmp_path, [odd, paper("a", "Zebras"), paper("w"), *cites("w odd", "w a")]) as library,
    ):
        told = reasons(asking(library).suggest(Query("local", "zebras", known_ids=("odd",)), 1))
    assert told["a"]["cocited"].endswith("together with “A “quoted” title <b>{x}</b> %s”")
