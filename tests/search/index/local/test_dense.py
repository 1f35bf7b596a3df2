"""The dense index: exact, true to the library, and no text encoded twice."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from damaged_files import cut, empty, one_bit
from hash_encoder import HashEncoder
from local_vectors import open_dense
from small_library import context, make, paper, unsynced

from citewhy.base.records import Alias, Paper
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library
from citewhy.search.encode import Vectors, paper_text
from citewhy.search.index import open_index
from citewhy.search.index.local import vectors
from citewhy.search.index.local.vector_cache import vector_key
from citewhy.search.index.local.vectors import SENTENCES
from citewhy.search.index.vectors import DenseIndex

WORDS = [f"word{number}" for number in range(60)]


def papers(count: int, seed: int = 7) -> list[Record]:
    """Papers of a few words each, half of them with an abstract."""
    chance = random.Random(seed)

    def words() -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(2, 9)))

    return [paper(f"p{place}", f"{words()} {place}", words() * (place % 2)) for place in range(count)]


def opened(library: Library, encoder: HashEncoder) -> DenseIndex:
    index = open_index(library)
    return open_dense(library, encoder, index)


def by_id(library: Library, index: DenseIndex) -> dict[str, bytes]:
    """The vector of every paper."""
    found = {each.id: number for number, each in library.numbered_papers()}
    return {name: index.vectors(np.array([number]))[0].tobytes() for name, number in found.items()}


def encoded_after(library: Library, *records: Record) -> list[str]:
    """Texts that are encoded because of `records`."""
    library.add(records)
    encoder = HashEncoder()
    opened(library, encoder)
    return encoder.encoded


def true_vectors(library: Library, rows: int) -> Vectors:
    """[rows, d] in full precision, made here."""
    found = dict(library.numbered_papers())
    texts = [paper_text(found[row]) if row in found else "" for row in range(rows)]
    return HashEncoder().encode(texts, "query")


# Search -----------------------------------------------------------------------------------------------------


def test_search_is_exact(tmp_path: Path) -> None:
    """Of what full precision finds, among all papers and among any part of them, nothing but near ties is
    missed; scores differ in the fourth decimal."""
    chance, encoder = np.random.default_rng(7), HashEncoder()
    with unsynced(), make(tmp_path, papers(700)) as library:
        index = opened(library, encoder)
        exact = true_vectors(library, index.rows)
        queries = encoder.encode([" ".join(chance.choice(WORDS, 5)) for _ in range(20)], "query")
    found, wanted = 0, 0
    for query in queries:
        for share in (1.0, 0.5, 0.2, 0.01):
            allowed = chance.random(index.rows) < share
            scores = exact @ query
            best = [row for row in np.argsort(-scores).tolist() if allowed[row]][:100]
            rows, cosines = index.nearest(query, 100, allowed)
            assert len(set(rows.tolist())) == len(rows) == len(best)
            assert allowed[rows].all()
            assert cosines.tolist() == sorted(cosines.tolist(), reverse=True)
            assert cosines == pytest.approx(scores[rows], abs=1e-3)
            assert index.scores(query, rows) == pytest.approx(cosines, abs=1e-5)
            found += len({*rows.tolist()} & {*best})
            wanted += len(best)
    assert found / wanted >= 0.99


def test_nothing_is_allowed(tmp_path: Path) -> None:
    """Nothing is found, and nothing has scores."""
    with unsynced(), make(tmp_path, papers(5)) as library:
        index = opened(library, HashEncoder())
        query = HashEncoder().encode(["word1"], "query")[0]
        rows, scores = index.nearest(query, 3, np.zeros(index.rows, dtype=np.bool_))
        assert (len(rows), len(scores)) == (0, 0)
        assert index.scores(query, rows).shape == (0,)


def test_a_score_does_not_depend_on_company(tmp_path: Path) -> None:
    """To the last bit, however many others are asked about."""
    with unsynced(), make(tmp_path, papers(50)) as library:
        index = opened(library, HashEncoder())
        query = HashEncoder().encode(["word1 word2 word3"], "query")[0]
        together = index.scores(query, np.arange(index.rows))
        alone = [float(index.scores(query, np.array([row]))[0]) for row in range(index.rows)]
        assert together.tolist() == alone


def test_no_words_no_direction(tmp_path: Path) -> None:
    """A paper without words, and a number without a paper, has a vector of zeros."""
    with (
        unsynced(),
        make(tmp_path, [paper("a", "…"), paper("b", "word1"), paper("gone", "word2")]) as library,
    ):
        library.remove(["gone"])
        index = opened(library, HashEncoder())
        lengths = np.linalg.norm(index.vectors(np.arange(index.rows)), axis=1)
        mine = library.numbers(["a", "b"])
        assert lengths[mine["a"]] == 0
        assert lengths[mine["b"]] == pytest.approx(1, abs=1e-3)
        assert np.count_nonzero(lengths) == 1


def test_an_empty_library(tmp_path: Path) -> None:
    """It has an index without rows, which grows."""
    with unsynced(), make(tmp_path, []) as library:
        assert opened(library, HashEncoder()).rows == 0
        assert opened(library, HashEncoder()).rows == 0
        assert encoded_after(library, paper("a", "word1")) == ["word1"]


# Only what changed ------------------------------------------------------------------------------------------


def test_only_what_changed_is_encoded(tmp_path: Path) -> None:
    """New and changed texts are; what stays, goes, comes back or changes in other fields is not."""
    with unsynced(), make(tmp_path, papers(30)) as library:
        encoder = HashEncoder()
        opened(library, encoder)
        assert len(encoder.encoded) == 30
        assert encoded_after(library) == []
        assert encoded_after(library, paper("new", "word1 and")) == ["word1 and"]
        assert encoded_after(library, paper("new", "word1 and", "word2 too")) == ["word1 and. word2 too"]
        assert encoded_after(library, paper("new", "word1 and", "word2 too", year=1999)) == []
        assert encoded_after(library, paper("new", "word1 and", "word3 too")) == ["word1 and. word3 too"]
        assert encoded_after(library, paper("new", "word1 and", "word2 too")) == []
        library.remove(["p3", "new"])
        assert encoded_after(library) == []
        assert encoded_after(library, paper("new", "word1 and", "word2 too")) == []


def test_equal_texts_are_encoded_once(tmp_path: Path) -> None:
    """Two papers of one title, years apart, share a vector."""
    twice = [Paper("a", "Word1 Word2", year=1990), Paper("b", "Word1 Word2", year=2010)]
    with unsynced(), make(tmp_path, twice) as library:
        encoder = HashEncoder()
        found = by_id(library, opened(library, encoder))
        assert encoder.encoded == ["Word1 Word2"]
        assert found["a"] == found["b"]


def test_citing_sentences(tmp_path: Path) -> None:
    """Each has the vector of its words without markers, in an index of its own; one whose cited paper is gone
    has none any more."""
    said = [context("s1", "x", "a", "Word1 TARGETCIT word2."), context("s2", "x", "b", "word3 OTHERCIT")]
    with unsynced(), make(tmp_path, [paper("a", "Word1"), paper("b", "Word2"), *said]) as library:

        def sentences() -> DenseIndex:
            return open_dense(library, HashEncoder(), open_index(library), SENTENCES)

        numbers = {each.id: number for number, each in library.numbered_contexts()}
        wanted = HashEncoder().encode(["Word1 word2.", "word3"], "query")
        found = sentences().vectors(np.array([numbers["s1"], numbers["s2"]]))
        assert found == pytest.approx(wanted, abs=1e-3)
        assert opened(library, HashEncoder()).rows == library.numbers(["b"])["b"] + 1
        library.remove(["a"])
        found = sentences().vectors(np.array([numbers["s1"], numbers["s2"]]))
        assert found == pytest.approx(wanted * [[0], [1]], abs=1e-3)


def test_a_text_of_another_kind_is_another_text() -> None:
    """An encoder may read less of a query than of a paper."""
    assert vector_key("word", "f", "query") != vector_key("word", "f") == vector_key("word", "f", "paper")


def test_merged(tmp_path: Path) -> None:
    """A paper that turns out to be another one loses its vector; the one that stays is encoded only where
    its text gains something."""
    with unsynced(), make(tmp_path, [paper("a", "word1"), paper("b", "word1 word2", "word3")]) as library:
        opened(library, HashEncoder())
        gone = library.numbers(["b"])["b"]
        assert encoded_after(library, Alias("b", "a")) == ["word1. word3"]
        index = opened(library, HashEncoder())
        assert not index.vectors(np.array([gone])).any()
        assert by_id(library, index).keys() == {"a"}


def test_step_by_step_as_at_once(tmp_path: Path) -> None:
    """Whatever was added, changed, removed and merged in between: every row is that of an index from
    nothing."""
    chance = random.Random(11)
    folder = tmp_path / "vectors" / f"papers-{HashEncoder().fingerprint}"
    with unsynced(), make(tmp_path, papers(20)) as library:
        for step in range(15):
            names = [each.id for _, each in library.numbered_papers()]
            what = chance.choice(["add", "change", "remove", "merge"])
            if what == "remove":
                library.remove(chance.sample(names, 2))
            elif what == "merge":
                library.add([Alias(*chance.sample(names, 2))])
            else:
                name = f"new{step}" if what == "add" else chance.choice(names)
                library.add([paper(name, " ".join(chance.choices(WORDS, k=4)), f"step {step}")])
            index = opened(library, HashEncoder())
            followed = index.vectors(np.arange(index.rows))
            assert followed == pytest.approx(true_vectors(library, index.rows), abs=1e-3)
            shutil.rmtree(folder)
            encoder = HashEncoder()
            assert np.array_equal(opened(library, encoder).vectors(np.arange(index.rows)), followed)
            assert encoder.encoded == []


def test_the_order_of_adding(tmp_path: Path) -> None:
    """Papers have the same vectors, to the last bit, whatever came before them."""
    records = papers(40)
    found = []
    for place, order in enumerate((records, records[::-1])):
        with unsynced(), make(tmp_path / str(place), order[:25]) as library:
            opened(library, HashEncoder())
            library.add(order[25:])
            found.append(by_id(library, opened(library, HashEncoder())))
    assert found[0] == found[1]


def test_what_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Papers that have a vector, of those that need one: never fewer, and all in the end."""
    monkeypatch.setattr(vectors, "_COMMITTED", 10)
    told: list[tuple[int, int]] = []
    with unsynced(), make(tmp_path, papers(25)) as library:
        index = open_index(library)
        open_dense(library, HashEncoder(), index, progress=lambda done, all_: told.append((done, all_)))
    assert told == [(0, 25), (10, 25), (20, 25), (25, 25)]


def test_another_encoder(tmp_path: Path) -> None:
    """Its vectors are in another folder, and those of the first one stay."""
    one, other = HashEncoder(), HashEncoder("other", 16)
    with unsynced(), make(tmp_path, papers(10)) as library:
        opened(library, one)
        assert opened(library, other).vectors(np.arange(2)).shape == (2, 16)
        assert len(other.encoded) == 10
        again = HashEncoder()
        assert opened(library, again).vectors(np.arange(2)).shape == (2, 32)
        assert again.encoded == []
    folders = {each.name for each in (tmp_path / "vectors").iterdir() if each.is_dir()}
    assert folders == {f"papers-{one.fingerprint}", f"papers-{other.fingerprint}"}


# What goes wrong --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fail_at", [1, 3, 4])
def test_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fail_at: int) -> None:
    """Stopped in the middle, it loses the batch that it was at, and nothing else."""
    monkeypatch.setattr(vectors, "_COMMITTED", 10)
    with unsynced(), make(tmp_path, papers(35)) as library:
        stopped, again = HashEncoder(fail_at=fail_at), HashEncoder()
        with pytest.raises(KeyboardInterrupt):
            opened(library, stopped)
        found = opened(library, again)
        assert len(stopped.encoded) == 10 * (fail_at - 1)
        assert len(stopped.encoded) + len(again.encoded) == 35
        assert set(stopped.encoded).isdisjoint(again.encoded)
        assert found.vectors(np.arange(found.rows)) == pytest.approx(
            true_vectors(library, found.rows), abs=1e-3
        )
    assert [
        each.name for each in (tmp_path / "vectors").iterdir() if each.name.startswith(".") and each.is_dir()
    ] == []


@pytest.mark.parametrize("damage", [Path.unlink, cut, one_bit, empty])
@pytest.mark.parametrize("name", ["vectors.faiss", "manifest.json"])
def test_damage(tmp_path: Path, damage: Callable[[Path], None], name: str) -> None:
    """What is missing or not as it was written is made again from the cache: nothing is encoded."""
    with unsynced(), make(tmp_path, papers(20)) as library:
        before = by_id(library, opened(library, HashEncoder()))
        encoder = HashEncoder()
        damage(tmp_path / "vectors" / f"papers-{encoder.fingerprint}" / name)
        assert by_id(library, opened(library, encoder)) == before
        assert encoder.encoded == []


def test_a_damaged_cache(tmp_path: Path) -> None:
    """It is begun anew: what is indexed is not encoded again for it, what is new is; without an index,
    everything is."""
    with unsynced(), make(tmp_path, papers(20)) as library:
        opened(library, HashEncoder())
        (tmp_path / "vectors" / "cache.sqlite").write_bytes(b"no cache" * 1000)
        assert encoded_after(library) == []
        assert encoded_after(library, paper("new", "word1")) == ["word1"]
        (tmp_path / "vectors" / "cache.sqlite").write_bytes(b"no cache" * 1000)
        shutil.rmtree(tmp_path / "vectors" / f"papers-{HashEncoder().fingerprint}")
        assert len(encoded_after(library)) == 21


def test_everything_is_gone(tmp_path: Path) -> None:
    """The library is the truth: vectors come back from it alone."""
    with unsynced(), make(tmp_path, papers(20)) as library:
        before = by_id(library, opened(library, HashEncoder()))
        shutil.rmtree(tmp_path / "vectors")
        assert by_id(library, opened(library, HashEncoder())) == before


@pytest.mark.filterwarnings("ignore::citewhy.base.errors.LossWarning")
@pytest.mark.parametrize("later", [0, 1, 2])
def test_put_back(tmp_path: Path, later: int) -> None:
    """A library that was put back to an older copy, and has gone on another way since, has no vectors of
    what came after the copy."""
    folder, backup = tmp_path / "library", tmp_path / "backup"
    with unsynced():
        make(folder, papers(10)).close()
        shutil.copytree(folder, backup)
        with Library.open(folder) as library:
            library.add([paper("p3", "word1"), paper("after", "word2")])
            opened(library, HashEncoder())
        shutil.copy(backup / "library.db", folder / "library.db")
        with Library.open(folder) as library:
            for step in range(later):
                library.add([paper(f"else{step}", f"word{step}")])
            index = opened(library, HashEncoder())
            assert index.rows == 11 + later  # there is no paper 0
            assert index.vectors(np.arange(index.rows)) == pytest.approx(
                true_vectors(library, index.rows), abs=1e-3
            )


def test_a_library_that_goes_on(tmp_path: Path) -> None:
    """Who asks for an earlier state, because the other index is behind, gets the rows of that state."""
    with unsynced(), make(tmp_path, papers(10)) as library:
        index = open_index(library)
        library.add([paper("new", "word1")])
        encoder = HashEncoder()
        behind = open_dense(library, encoder, index)
        assert (behind.generation, behind.rows) == (index.generation, 11)
        after = opened(library, encoder)
        assert (after.generation, after.rows) == (index.generation + 1, 12)
        assert len(encoder.encoded) == len(set(encoder.encoded)) == 11
        still = open_dense(library, encoder, index)
        assert (still.generation, still.rows) == (index.generation, 11)
        assert np.array_equal(still.vectors(np.arange(11)), after.vectors(np.arange(11)))


PROCESS = """
import sys, time
from pathlib import Path
from citewhy.papers.library.store import Library
from citewhy.search.index import open_index
from local_vectors import open_dense
from hash_encoder import HashEncoder
with Library.open(sys.argv[1]) as library:
    index = open_index(library)
    for turn in range(int(sys.argv[2])):
        print("ready", flush=True)
        encoder = HashEncoder(f"turn{sys.stdin.readline().strip()}")
        found = open_dense(library, encoder, index)
        assert found.rows == index.tables.rows
        print("done", flush=True)
"""


def test_processes_at_once(tmp_path: Path) -> None:
    """All that begin at the same moment answer; what they leave is whole."""
    turns = 8
    with unsynced(), make(tmp_path, papers(30)) as library:
        open_index(library)
        command = [sys.executable, "-c", PROCESS, str(tmp_path), str(turns)]
        path = {"PYTHONPATH": os.pathsep.join(sys.path)}
        running = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=path)
            for _ in range(3)
        ]
        for turn in range(turns):
            assert [_line(process) for process in running] == ["ready"] * 3
            for process in running:
                assert process.stdin is not None
                process.stdin.write(f"{turn}\n")
                process.stdin.flush()
            assert [_line(process) for process in running] == ["done"] * 3
        for process in running:
            process.communicate()
            assert process.returncode == 0
        left = HashEncoder("turn0")
        opened(library, left)
        assert left.encoded == []


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()
