"""The generator of corpora, on a few papers made up here."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from citewhy.papers.library.store import Library
from citewhy.session.importing import add_files
from corpus import FILES, Corpus, Heaps, Options, Words, ordered_by_topic, read_papers, variant, write

PAPERS: list[dict[str, Any]] = [
    {
        "title": f"On {one} and {other}",
        "abstract": f"We study {one} with {other}. The {other} of {place} are known." if place % 2 else "",
        "year": 1990 + place // 8,
        "authors": [f"Ann Author{place % 7}", f"Bo Writer{place % 5}"],
        "venue": f"Proceedings {place // 8}",
        "doi": f"10.1/{place}" if place % 3 else "",
    }
    for place, (one, other) in enumerate(
        (one, other)
        for one in ("trees", "grammars", "parsers", "corpora", "words", "alignments", "phrases", "decoders")
        for other in ("metrics", "tasks", "models", "features", "judges", "layers", "graphs", "sums")
    )
]
CONTEXTS = [{"text": f"The method of (TARGETCIT) has {n} parts and is known (OTHERCIT)."} for n in range(9)]


def made(folder: Path, papers: int = 300, **options: float) -> Path:
    given = Options(papers, **{"contexts": 0.5, **options})  # type: ignore[arg-type]
    write(Corpus(PAPERS, CONTEXTS, given), given, folder)
    return folder


def lines(path: Path) -> list[Any]:
    return [orjson.loads(line) for line in gzip.open(path)]


def test_a_seed_makes_the_same_corpus_again(tmp_path: Path) -> None:
    """And another seed makes another one."""
    one, same, other = made(tmp_path / "a"), made(tmp_path / "b"), made(tmp_path / "c", seed=1)
    for name in FILES:
        assert gzip.decompress((one / name).read_bytes()) == gzip.decompress((same / name).read_bytes())
    assert gzip.decompress((one / FILES[0]).read_bytes()) != gzip.decompress((other / FILES[0]).read_bytes())


def test_a_corpus_is_a_library(tmp_path: Path) -> None:
    """Every record is added, and no id is unknown."""
    folder = made(tmp_path / "corpus")
    report = add_files(tmp_path / "library", [str(folder / name) for name in FILES], vectors=False)
    assert report.new["papers"] == 300
    assert not report.refused
    assert not report.warnings
    with Library.open(tmp_path / "library") as library:
        assert library.counts()["citations_waiting"] == 0
        assert library.counts()["contexts"] == sum(len(lines(folder / name)) for name in FILES[2:])


def test_citations_go_to_earlier_papers(tmp_path: Path) -> None:
    """No paper cites one of a later year, and some are cited much more than others."""
    folder = made(tmp_path / "corpus", papers=2000)
    years = {one["id"]: one["year"] for one in lines(folder / FILES[0])}
    rows = [
        row.split("\t") for row in gzip.decompress((folder / FILES[1]).read_bytes()).decode().splitlines()[1:]
    ]
    assert all(years[citing] >= years[cited] for citing, cited, *_ in rows)
    cited = np.unique([cited for _, cited, *_ in rows], return_counts=True)[1]
    assert cited.max() > 8 * cited.mean()
    assert 4 < len(rows) / 2000 < 8


def test_half_of_the_abstracts_may_be_missing(tmp_path: Path) -> None:
    folder = made(tmp_path / "corpus", papers=1000, abstracts=0.5)
    share = np.mean([bool(one["abstract"]) for one in lines(folder / FILES[0])])
    assert 0.4 < share < 0.6


def test_texts_of_one_topic_are_neighbours() -> None:
    """Two kinds of texts are divided by the first cut."""
    texts = ["syntax tree parser", "acoustic speech signal"] * 64
    order, topics = ordered_by_topic(texts, 0)
    kinds = order % 2
    assert len(set(topics.tolist())) == 4
    assert {len(set(kinds[topics == topic].tolist())) for topic in range(4)} == {1}


def test_heaps_law_is_fitted() -> None:
    """To a stream of which the n-th new value comes at place n²."""
    values, new = [], 0
    for place in range(1, 40_000):
        new += int((new + 1) ** 2 <= place)
        values.append(new)
    assert Heaps.fitted(np.array(values)).power == pytest.approx(0.5, abs=0.02)


def test_variants_of_a_rare_word_are_different_words() -> None:
    """Punctuation around it stays where it is."""
    found = {variant("(glossfinder),", number) for number in range(500)}
    assert len(found) == 500
    assert all(one.startswith("(glossfind") and one.endswith("),") for one in found)
    assert variant("17", 3) == "17"


def test_rare_words_stand_for_more_as_a_corpus_grows() -> None:
    """One, as long as it is no larger than the real one."""
    words = Words()
    text = [words.numbered(f"common rare{chr(97 + n % 26)}{chr(97 + n // 26)}x") for n in range(600)]
    words.finish([np.array([word for one in text for word in (*one, 0)])], 0)
    assert words.variants(100) == 1.0
    assert words.variants(1e6) > 5


@pytest.mark.data
def test_statistics_of_real_papers(tmp_path: Path) -> None:
    """The vocabulary of two thousand papers and the length of their texts are near those of as many real
    ones."""
    from common import DATA
    from corpus import statistics

    if not (DATA / FILES[0]).is_file():
        pytest.skip("needs the shared data")
    papers = read_papers(DATA / FILES[0])[::30]
    contexts = read_papers(DATA / FILES[2])[::30]
    real = tmp_path / "real"
    real.mkdir()
    for name, records in zip((FILES[0], FILES[2]), (papers, contexts), strict=True):
        (real / name).write_bytes(gzip.compress(b"".join(orjson.dumps(one) + b"\n" for one in records)))
    (real / FILES[1]).write_bytes(gzip.compress(b"citing_id\tcited_id\tsource\tn_contexts\n"))
    share = sum(bool(one["abstract"]) for one in papers) / len(papers)
    options = Options(len(papers), abstracts=share)
    write(Corpus(papers, contexts, options), options, tmp_path / "made")
    before, after = statistics(real), statistics(tmp_path / "made")
    for name in (
        "with an abstract",
        "words of a title",
        "words of an abstract",
        "share of the first 100 words",
    ):
        assert after[name] == pytest.approx(before[name], rel=0.15)
    assert after["vocabulary"] == pytest.approx(before["vocabulary"], rel=0.35)
