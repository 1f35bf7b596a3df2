"""The vectors of the parts of abstracts: true to the library, whatever happened to it, and no text encoded
twice."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from damaged_files import cut, one_bit
from hash_encoder import HashEncoder
from local_vectors import folders
from small_library import make, paper, unsynced

from citewhy.base.records import Alias, Paper
from citewhy.papers.library.store import Library
from citewhy.search.encode.texts import part_texts
from citewhy.search.index import find_engine, open_index
from citewhy.search.index.vectors import PartVectors

FOLDER = f"parts-{HashEncoder().fingerprint}"


def long(name: str, chance: random.Random, parts: int) -> Paper:
    """A paper with as many parts (0: a short abstract)."""
    sentences = [f"Word{chance.randrange(99)} {'word ' * 58}end{place}." for place in range(max(parts, 1))]
    return paper(name, f"Title {name} {chance.randrange(99)}", " ".join(sentences))


def opened(library: Library, encoder: HashEncoder | None = None) -> PartVectors:
    parts = folders(library, encoder or HashEncoder(), open_index(library)).parts()
    assert parts is not None
    return parts


def check(library: Library, parts: PartVectors) -> None:
    """Each paper has the vectors of its parts, in their order; no other number has any."""
    papers = dict(library.numbered_papers())
    for row in range(parts.rows):
        texts = part_texts(papers[row]) if row in papers else []
        places, vectors = parts.of(np.array([row]))
        assert places.tolist() == [0] * len(texts)
        wanted = HashEncoder().encode(texts, "query")
        assert vectors == pytest.approx(wanted.reshape(-1, 32), abs=1e-3)


def test_of_several_papers(tmp_path: Path) -> None:
    """In their order, each part with the place of its paper."""
    chance = random.Random(5)
    counts = (2, 0, 3, 1, 8)
    with unsynced(), make(tmp_path, [long(f"p{n}", chance, n) for n in counts]) as library:
        numbers = library.numbers([f"p{n}" for n in counts])
        rows = np.array([numbers[name] for name in ("p3", "p0", "p2", "p3")])
        places, vectors = opened(library).of(rows)
        assert places.tolist() == [0, 0, 0, 2, 2, 3, 3, 3]
        assert np.array_equal(vectors[:3], vectors[5:])
        check(library, opened(library))


def test_step_by_step_as_at_once(tmp_path: Path) -> None:
    """Whatever was added, changed, removed and merged in between, and only what is new is encoded."""
    chance = random.Random(3)
    with unsynced(), make(tmp_path, [long(f"p{n}", chance, n % 4) for n in range(12)]) as library:
        encoder, seen = HashEncoder(), set[str]()
        for step in range(12):
            names = [each.id for _, each in library.numbered_papers()]
            what = chance.choice(["add", "change", "shorten", "remove", "merge"])
            if what == "remove":
                library.remove(chance.sample(names, 2))
            elif what == "merge":
                library.add([Alias(*chance.sample(names, 2))])
            elif what == "shorten":
                library.add([long(chance.choice(names), chance, 0)])
            else:
                library.add([long(f"new{step}" if what == "add" else chance.choice(names), chance, step % 4)])
            parts = opened(library, encoder)
            check(library, parts)
            assert len(encoder.encoded) == len(set(encoder.encoded))
            seen |= {text for _, each in library.numbered_papers() for text in part_texts(each)}
        assert set(encoder.encoded) >= seen
        shutil.rmtree(tmp_path / "vectors" / FOLDER)
        again = HashEncoder()
        check(library, opened(library, again))
        assert again.encoded == []


def test_without_any(tmp_path: Path) -> None:
    """A library without long abstracts, and an empty one, have no parts, and may get some."""
    with unsynced(), make(tmp_path, []) as library:
        assert opened(library).rows == 0
        library.add([paper("a", "Word1")])
        places, vectors = opened(library).of(np.array([0, 1]))
        assert (places.shape, vectors.shape) == ((0,), (0, 32))
        library.add([long("b", random.Random(1), 3)])
        check(library, opened(library))


@pytest.mark.parametrize("damage", [Path.unlink, cut, one_bit])
@pytest.mark.parametrize("name", ["vectors.f16", "starts.npy", "manifest.json"])
def test_damage(tmp_path: Path, damage: Callable[[Path], None], name: str) -> None:
    """What is missing or not as it was written is told, and made again from the cache."""
    with unsynced(), make(tmp_path, [long(f"p{n}", random.Random(n), n) for n in range(5)]) as library:
        open_index(library, HashEncoder())
        assert find_engine().state(library)[1] == "current"
        damage(tmp_path / "vectors" / FOLDER / name)
        assert find_engine().state(library)[1] == "damaged"
        encoder = HashEncoder()
        check(library, opened(library, encoder))
        assert encoder.encoded == []
        assert find_engine().state(library)[1] == "current"


def test_vectors_of_before(tmp_path: Path) -> None:
    """Where papers have vectors and their parts have none, these are behind."""
    with unsynced(), make(tmp_path, [long("a", random.Random(1), 2)]) as library:
        open_index(library, HashEncoder())
        shutil.rmtree(tmp_path / "vectors" / FOLDER)
        assert find_engine().state(library)[1] == "behind"
