"""What a text names: on a small library of well-known papers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from small_library import cites, make

from citewhy.answers.resolve import Resolver, one_paper
from citewhy.answers.resolve.at_gap import named_at_gap
from citewhy.answers.resolve.in_question import named_in_text
from citewhy.base.errors import QueryError
from citewhy.base.records import Name, Paper
from citewhy.papers.library.store import Library
from citewhy.search.index import open_index

USERS = [Paper(f"user{n}", f"A study of summaries {n}", "We use BERT.", year=2020) for n in range(12)]

PAPERS = [
    Paper(
        "P02-1040",
        "BLEU: a Method for Automatic Evaluation of Machine Translation",
        authors=("Kishore Papineni", "Salim Roukos", "Todd Ward", "Wei-Jing Zhu"),
        year=2002,
        doi="10.3115/1073083.1073135",
    ),
    Paper(
        "P03-1021",
        "Minimum Error Rate Training in Statistical Machine Translation",
        authors=("Franz Josef Och",),
        year=2003,
    ),
    Paper(
        "J03-1002",
        "A Systematic Comparison of Various Statistical Alignment Models",
        authors=("Franz Josef Och", "Hermann Ney"),
        year=2003,
    ),
    Paper(
        "N19-1423",
        "BERT: Pre-training of Deep Bidirectional Transformers",
        authors=("Jacob Devlin", "Ming-Wei Chang", "Kenton Lee", "Kristina Toutanova"),
        year=2019,
        url="https://arxiv.org/abs/1810.04805",
    ),
    Paper(
        "tsne",
        "Visualizing Data using t-SNE",
        authors=("Laurens van der Maaten", "Geoffrey Hinton"),
        year=2008,
    ),
    Paper(
        "heavy",
        "Search for a Heavy Particle",
        authors=(Name("Nora", "Woods"), Name.literal("XYZ Collaboration")),
        year=2019,
    ),
    Paper("umlaut", "Word Space", authors=("Hinrich Schütze",), year=1993),
    Paper("dots", "Dots in Typesetting", authors=("Ida Umlaut",), year=1901),
    Paper(
        "llda",
        "Labeled LDA: A Supervised Topic Model for Credit Attribution",
        authors=("Daniel Ramage", "David Hall"),
        year=2009,
    ),
    Paper("sembleu", "SemBleu: A Robust Metric for AMR Parsing", authors=("Linfeng Song",), year=2019),
    *USERS,
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with make(
        tmp_path_factory.mktemp("named"), [*PAPERS, *cites("user0 J03-1002", "user1 J03-1002")]
    ) as made:
        yield made


@pytest.fixture(scope="module")
def resolver(library: Library) -> Resolver:
    return Resolver(library, open_index(library))


@pytest.mark.parametrize(
    ("text", "kind", "paper_id"),
    [
        ("N19-1423", "id", "N19-1423"),
        ("https://aclanthology.org/P02-1040/", "id", "P02-1040"),
        ("10.3115/1073083.1073135", "doi", "P02-1040"),
        ("https://doi.org/10.3115/1073083.1073135", "doi", "P02-1040"),
        ("arXiv:1810.04805", "arxiv", "N19-1423"),
        ("https://arxiv.org/pdf/1810.04805v2", "arxiv", "N19-1423"),
        ("DBLP:journals/corr/abs-1810-04805", "arxiv", "N19-1423"),
        ("och2003minimum", "key", "P03-1021"),
        ("Och:03:minimum", "key", "P03-1021"),
        ("xyz2019search", "key", "heavy"),
        ("devlin-etal-2018-bert", "key", "N19-1423"),
        ("devlinBERTPretraining2019", "key", "N19-1423"),
        ("Papineni:Roukos-2002", "key", "P02-1040"),
        ("DBLP:conf/acl/PapineniRWZ02", "key", "P02-1040"),
        ("ochney2003", "key", "J03-1002"),
        ("vandermaaten2008visualizing", "key", "tsne"),
        ("schuetze93word", "key", "umlaut"),
        ("BERT", "name", "N19-1423"),
        ("A Systematic Comparison of Various Statistical Alignment Models", "key", "J03-1002"),
    ],
)
def test_certain(resolver: Resolver, text: str, kind: str, paper_id: str) -> None:
    """Identifiers, and keys with more than surname and year, name exactly one paper."""
    resolution = resolver.resolve(text)
    assert (resolution.kind, resolution.paper_ids, resolution.certain) == (kind, (paper_id,), True)


@pytest.mark.parametrize(
    ("text", "paper_id"),
    [
        ("devlin19", "N19-1423"),
        ("maaten08tsne", "tsne"),
        ("papineni-02", "P02-1040"),
        ("labeled-lda", "llda"),
        ("BLEU", "P02-1040"),
    ],
)
def test_the_only_one_that_fits(resolver: Resolver, text: str, paper_id: str) -> None:
    """Surname and year, some words of a title, a name that no other paper uses: other papers may have them,
    too."""
    resolution = resolver.resolve(text)
    assert (resolution.paper_ids, resolution.certain) == ((paper_id,), False)


def test_two_that_fit_equally(resolver: Resolver) -> None:
    """Both are named, the one that is cited more first, and neither for certain."""
    for text in ("och2003", "Och 2003", "och-03b"):
        resolution = resolver.resolve(text)
        assert (resolution.paper_ids, resolution.certain) == (("J03-1002", "P03-1021"), False)


@pytest.mark.parametrize(
    "text",
    [
        "och2003discriminative",  # a word of another title
        "och2005",
        "devlin18",  # a year beside it needs more than the surname
        "knight1999",
        "zebras",
        "10.1000/182",
        "arXiv:2001.00001",
        "P99-9999",
        "of-the-and",
        "???",
        "",
    ],
)
def test_a_paper_that_is_not_there(resolver: Resolver, text: str) -> None:
    """Nothing is named, and no paper that is like it; what it would be is told by its form."""
    resolution = resolver.resolve(text)
    kind = {"10.1000/182": "doi", "arXiv:2001.00001": "arxiv"}.get(text, "none")
    assert (resolution.kind, resolution.paper_ids, resolution.certain) == (kind, (), False)


def test_names_are_whole_words(resolver: Resolver) -> None:
    """SemBleu is no BLEU."""
    assert resolver.resolve("SemBleu").paper_ids == ("sembleu",)


@pytest.mark.parametrize(
    ("note", "before", "papers"),
    [
        ("[TODO: cite Och 2003]", "", ("J03-1002", "P03-1021")),
        ("cite Papineni", "", ("P02-1040",)),
        ("[CITE BERT]", "", ("N19-1423",)),
        ("todo: och2003minimum, on tuning", "", ("P03-1021",)),
        ("[CITE]", "As shown by Papineni et al.", ("P02-1040",)),
        ("[CITE]", "The models of Och and Ney", ("J03-1002",)),
        ("(citation needed)", "Everybody uses BERT", ()),
        ("[add citation]", "", ()),
        ("[TODO: cite something on parsing]", "", ()),
    ],
)
def test_notes(resolver: Resolver, note: str, before: str, papers: tuple[str, ...]) -> None:
    """A note at a missing citation, or surnames before it; a request alone says nothing."""
    assert resolver.note(note, before).paper_ids == papers


def test_surnames_are_quoted_as_written(resolver: Resolver) -> None:
    """ "et al." is no paper by a single author, and "Och and Ney" no key."""
    assert resolver.note("", "by Och and Ney").text == "Och and Ney"
    assert resolver.note("", "by Papineni et al.").text == "Papineni et al."
    assert resolver.note("", "by Song et al.").paper_ids == (), "the only author of SemBleu"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("We follow Och and Ney (2003).", {"Och and Ney 2003": ("J03-1002",)}),
        ("Weights are tuned (Och, 2003).", {"Och 2003": ("P03-1021",)}),
        (
            "It is tuned (Och, 2003; Papineni et al., 2002a).",
            {"Och 2003": ("P03-1021",), "Papineni et al. 2002a": ("P02-1040",)},
        ),
        ("We follow Och and Ney (2003) [CITE].", {"Och and Ney 2003": ("J03-1002",)}),
        ("Unlike Och and Ney (2003), we count [CITE].", {}),
        ("Papineni et al. (2002) say so. We count [CITE].", {}),
        ("We follow Och and Ney [CITE].", {"Och and Ney": ("J03-1002",)}),
        ("It is tuned [TODO: cite Och 2003].", {"[TODO: cite Och 2003]": ("J03-1002", "P03-1021")}),
        ("Smith (1776) and Och (1999) say so [3].", {}),
    ],
)
def test_what_a_question_names(resolver: Resolver, text: str, told: dict[str, tuple[str, ...]]) -> None:
    """At its placeholder, where printed citations of other statements are others; or else by its printed
    citations: the papers by exactly these authors, if the library has them. Surnames and a year are never
    certain."""
    resolutions = named_in_text(resolver, text).resolved
    assert {resolution.text: resolution.paper_ids for resolution in resolutions} == told
    assert not any(resolution.certain for resolution in resolutions)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "BERT",
            "BLEU",
            "GloVe",
            "t-SNE",
            "word2vec",
            "LLDA",
            "SemBleu",
            "ochney2003",
            "Och1999",
            "Schuetze",
        ),
        *("P02-1040", "W99-0001", "10.3115/1073083.1073135", "10.1000/none", "arXiv:1810.04805", "PMID:12"),
        *(
            "arXiv:9901.00001",
            "ISBN 978-3-16-148410-0",
            "the",
            "Labeled",
            "Och and Ney",
            "Smith",
            "{}",
            "Ida",
        ),
    ],
)
def test_whether_a_text_finds_a_paper(resolver: Resolver, text: str) -> None:
    """Without reading any, where the index tells: it is never another answer."""
    assert resolver.finds(text) == bool(resolver.as_written(text, 1).papers)


@pytest.mark.parametrize(
    ("note", "before", "after", "told"),
    [
        ("[CITE]", "Och (2003) shows that tuning pays", "", {"Och 2003": ("P03-1021",)}),
        ("[CITE]", "Tuning pays, as shown by Och (2003)", ".", {"Och 2003": ("P03-1021",)}),
        ("[CITE]", "Tuning pays", " (Och, 2003).", {"Och 2003": ("P03-1021",)}),
        (
            "[CITE]",
            "Och (2003) tunes for BLEU (Papineni et al., 2002)",
            "",
            {"Papineni et al. 2002": ("P02-1040",)},
        ),
        ("[CITE]", "Smith (2019) argues that growth is slow", "", {"Smith 2019": ()}),
        ("[CITE]", "Growth is slow, as shown by Smith (2019)", "", {"Smith 2019": ()}),
        ("[CITE]", "Smith et al.", " argue so.", {"Smith et al.": ()}),
        ("[TODO: cite Smith 2019]", "Growth is slow", "", {"Smith 2019": ()}),
        ("[TODO: cite Smith et al. (2019)]", "Growth is slow", "", {"Smith et al. 2019": ()}),
        ("[CITE]", "Papineni (2002) counts", "", {"Papineni 2002": ("P02-1040",)}),
        ("[CITE]", "Unlike Smith (2019), we count", "", {}),
        ("[CITE]", "Counting (Smith, 2019) is simple, and tuning pays", "", {}),
        ("[TODO: cite something of 2019]", "Growth is slow", "", {}),
    ],
)
def test_what_is_printed_at_an_open_citation(
    resolver: Resolver, note: str, before: str, after: str, told: dict[str, tuple[str, ...]]
) -> None:
    """A citation beside it, or else one that is the subject of its sentence, or else surnames before it: with
    the papers that fit, or with none if the library has none by these authors."""
    resolutions = named_at_gap(resolver, note, before, after)
    assert {resolution.text: resolution.paper_ids for resolution in resolutions} == told
    assert not any(resolution.certain for resolution in resolutions)


def test_find(resolver: Resolver) -> None:
    """One paper if it is named for certain; else those that are named, then those that have the words."""
    assert [paper.id for paper in resolver.find("och2003minimum", 5).papers] == ["P03-1021"]
    papers = resolver.find("Och 2003", 3).papers
    assert [paper.id for paper in papers[:2]] == ["J03-1002", "P03-1021"]
    assert [paper.id for paper in resolver.find("statistical translation", 1).papers] == ["P03-1021"]
    assert [paper.id for paper in resolver.find("hinton", 1).papers] == ["tsne"]
    assert [paper.id for paper in resolver.find("devlin18", 5).papers] == ["N19-1423"]  # of the year after
    assert resolver.find("devlin17", 5).papers == ()
    assert resolver.find("zebras", 5).papers == ()


def test_a_key_that_is_a_word(resolver: Resolver) -> None:
    """It names its paper, which comes first; other papers with the word are found, too."""
    named = resolver.find("umlaut", 5)
    assert named.resolution.certain
    assert [paper.id for paper in named.papers] == ["umlaut", "dots"]
    assert [paper.id for paper in resolver.find("P02-1040", 5).papers] == ["P02-1040"]


def test_one_paper(library: Library) -> None:
    """What names a single paper stands for it; of several, the ids are listed."""
    index = open_index(library)
    assert one_paper(library, index, "devlin-etal-2019-bert").id == "N19-1423"
    with pytest.raises(
        QueryError, match="fits 2 papers in the library; name one by its id: J03-1002, P03-1021"
    ):
        one_paper(library, index, "och2003")
    with pytest.raises(QueryError, match="did you mean: N19-1423"):
        one_paper(library, index, "N19-1432")
