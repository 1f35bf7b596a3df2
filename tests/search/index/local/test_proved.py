"""Large files of an index are verified block by block, when they are first read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hash_encoder import HashEncoder
from small_library import exact, make, paper, unsynced

from citewhy.base import artifact
from citewhy.base.artifact import BLOCK, MANIFEST, folder_aside, read_manifest, write_manifest
from citewhy.base.errors import DamagedError
from citewhy.base.records import Query
from citewhy.papers.library.store import Library
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.recommender import Recommender
from citewhy.search.index import Index, open_index, proved
from citewhy.search.index.arrays import save_array
from citewhy.search.index.local.engine import LocalEngine
from citewhy.search.index.local.faiss_store import FaissStore
from citewhy.search.index.proved import Damage, Proof, ProvedArray, proofs
from citewhy.session.session import Session

QUERY = Query("local", "trees of a bank")


@pytest.fixture
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file has the checksums of its blocks."""
    monkeypatch.setattr(artifact, "LARGE", 1)


def flip(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 4
    path.write_bytes(content)


def proof_of(path: Path, damage: Damage) -> Proof:
    of_file = proofs(path.parent, read_manifest(path.parent, later=[path.name]), damage)(path.name)
    assert of_file is not None
    return of_file


@pytest.mark.usefixtures("small_is_large")
def test_what_is_read_is_verified(tmp_path: Path) -> None:
    """A damaged block raises DamagedError when it is read, not before, and however it is read; others do
    not."""
    array = np.arange(5 * BLOCK // 4, dtype=np.int32)
    with folder_aside(tmp_path / "folder") as aside:
        save_array(aside / "array.npy", array)
        write_manifest(aside, {})
    path = tmp_path / "folder" / "array.npy"
    header = path.stat().st_size - array.nbytes
    damaged_at = 2 * (BLOCK // 4) + 7
    flip(path, header + 4 * damaged_at)
    with pytest.raises(DamagedError):
        read_manifest(path.parent)
    manifest = (path.parent / MANIFEST).read_bytes()
    for key in (slice(0, damaged_at + 1), slice(None), np.array([3, damaged_at]), slice(damaged_at, None)):
        damage = Damage()
        read = ProvedArray(path, proof_of(path, damage))
        assert len(read) == len(array)
        assert (read[10:30] == array[10:30]).all()
        assert (read[np.array([0, 5, len(array) - 1])] == array[[0, 5, -1]]).all()
        assert len(read[4:4]) == 0
        with pytest.raises(DamagedError, match="has changed since it was written"):
            read[key]
        assert damage.found
        assert not (path.parent / MANIFEST).exists(), "the next opening finds it damaged"
        (path.parent / MANIFEST).write_bytes(manifest)
    with pytest.raises(DamagedError):
        np.asarray(ProvedArray(path, proof_of(path, Damage())))


@pytest.mark.usefixtures("small_is_large")
def test_spans_are_verified(tmp_path: Path) -> None:
    """Of spans every block is looked after, within one that covers several, too, and no other."""
    array = np.arange(5 * BLOCK // 4, dtype=np.int32)
    with folder_aside(tmp_path / "folder") as aside:
        save_array(aside / "array.npy", array)
        write_manifest(aside, {})
    path = tmp_path / "folder" / "array.npy"
    damaged_at = 5 * BLOCK // 8
    flip(path, path.stat().st_size - array.nbytes + 4 * damaged_at)
    manifest = (path.parent / MANIFEST).read_bytes()
    starts = np.array([0, 7, len(array) - 2])
    for span in ([5, len(array)], [damaged_at - 3, damaged_at + 1], [damaged_at, damaged_at + 1]):
        read = ProvedArray(path, proof_of(path, Damage()))
        places = np.array([1, 0, len(array) - 1])
        assert read.spans(starts, starts + np.array([2, 0, 2]), places).tolist() == places.tolist()
        assert not len(read.spans(starts[:0], starts[:0], places[:0]))
        with pytest.raises(DamagedError):
            read.spans(np.array([0, span[0]]), np.array([2, span[1]]), np.array([span[0]]))
        (path.parent / MANIFEST).write_bytes(manifest)


def asked(library: Library, index: Index) -> list[tuple[str, str]]:
    """What is recommended, by words and by vectors."""
    encoder = HashEncoder()
    recommender = Recommender(library, index=index, models=ModelSet(encoder=encoder))
    return exact(recommender.rank(QUERY, 20))


@pytest.mark.usefixtures("small_is_large")
def test_damage_is_found_before_an_answer(tmp_path: Path) -> None:
    """A flipped bit in any file of index or vectors is found at opening, or by the question that would read
    it; then all is as it was. If nobody reads it, the answer is right; `info` finds it in any case."""
    papers = [paper(f"p{n}", f"Tree {n} of banks", "A tree is grown. " * 30) for n in range(20)]
    with unsynced(), make(tmp_path, papers) as library:
        expected = asked(library, open_index(library, HashEncoder()))
        files = sorted(
            path
            for folder in ("index", "vectors")
            for path in (tmp_path / folder).glob("*/*")
            if path.suffix in (".npy", ".f16", ".faiss")
        )
        assert len(files) > 40
        raised = 0
        for file in files:
            if not file.exists():  # made again under another name
                continue
            flip(file, file.stat().st_size - 1)
            if file.parent.parent.name == "index":
                assert LocalEngine().state(library)[0] == "damaged", file
            try:
                assert asked(library, open_index(library, HashEncoder())) == expected, file
            except DamagedError:
                raised += 1
                assert asked(library, open_index(library, HashEncoder())) == expected, file
        assert raised


@pytest.mark.usefixtures("small_is_large")
def test_a_session_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that meets damage is told so in a sentence, and the next one has the answer."""
    for module in (artifact, proved):
        monkeypatch.setattr(module, "BLOCK", 128)  # the header of an array, which is read when it is opened
    with unsynced(), make(tmp_path, [paper(f"p{n}", f"Tree {n} of banks") for n in range(20)]) as library:
        open_index(library)
    with Session(tmp_path) as session:
        expected = [each.id for each in session.find("tree", 5).papers]
    (words,) = (tmp_path / "index").glob("papers-*/text.documents.npy")
    flip(words, words.stat().st_size - 1)
    with Session(tmp_path) as session:
        with pytest.raises(DamagedError, match="ask again"):
            session.find("tree", 5)
        assert [each.id for each in session.find("tree", 5).papers] == expected


@pytest.mark.usefixtures("small_is_large")
def test_vectors_with_codes(tmp_path: Path) -> None:
    """Of vectors with codes, those that are compared or asked for are verified; codes are when it is
    opened."""
    vectors = np.random.default_rng(3).standard_normal((4000, 64))
    halved = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
    folder = tmp_path / "store"
    with folder_aside(folder) as aside:
        FaissStore.build(halved, most_exact=100).save(aside)
        write_manifest(aside, {})
    manifest, later = (folder / MANIFEST).read_bytes(), FaissStore.later()
    query, allowed = halved[0].astype(np.float32), np.ones(len(halved), dtype=np.bool_)

    def loaded() -> FaissStore:
        return FaissStore.load_proved(folder, proofs(folder, read_manifest(folder, later=later), Damage()))

    expected = FaissStore.load(folder).search(query, 50, allowed)[0]
    assert (loaded().search(query, 50, allowed)[0] == expected).all()
    assert (loaded().get(np.arange(4000)) == halved).all()
    flip(folder / "vectors.f16", 2 * 64 * 3500)
    assert (loaded().get(np.arange(500)) == halved[:500]).all(), "in another block"
    for read in (lambda: loaded().search(query, 600, allowed), lambda: loaded().get(np.array([3500]))):
        with pytest.raises(DamagedError):
            read()
        (folder / MANIFEST).write_bytes(manifest)
    flip(folder / "vectors.f16", 2 * 64 * 3500)
    flip(folder / "codes.faiss", 1000)
    with pytest.raises(DamagedError):
        loaded()
