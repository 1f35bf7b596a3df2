"""Postings, worked out by hand."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewhy.search.index import postings as postings_module
from citewhy.search.index.arrays import spread
from citewhy.search.index.postings import Postings, PostingsBuilder, names_of

ARRAYS = [field.name for field in fields(Postings)]

Documents = dict[int, list[str]]


def build(documents: Documents) -> Postings:
    builder = PostingsBuilder()
    for number, terms in documents.items():
        builder.add(number, terms)
    return builder.build()


def told(postings: Postings, term: str) -> dict[int, int]:
    """Document number → frequency of a term."""
    _, documents, frequencies = postings.having(names_of([term]))
    return dict(zip(documents.tolist(), frequencies.astype(int).tolist(), strict=True))


THREE: Documents = {2: ["tree", "bank", "tree"], 5: [], 9: ["bank", "error"]}


def test_terms_lead_to_documents() -> None:
    """A term has its documents, by number, with the times that each of them has it."""
    postings = build(THREE)
    assert postings.terms.tolist() == [b"bank", b"error", b"tree"]
    assert told(postings, "bank") == {2: 1, 9: 1}
    assert told(postings, "tree") == {2: 2}
    assert told(postings, "error") == {9: 1}
    assert told(postings, "ban") == {}
    assert told(postings, "zebra") == {}, "a term after the last one"
    assert told(postings, "") == {}


def test_living_documents_of_terms() -> None:
    """Documents that have a term: all of them, or those that no later segment replaced."""
    postings = build(THREE)
    assert postings.living(None).tolist() == [2, 1, 1]
    alive = np.ones(10, dtype=np.bool_)
    alive[2] = False
    assert postings.living(alive).tolist() == [1, 1, 0]


def test_documents_lead_to_terms() -> None:
    """A document has its length, repetitions counted, and its terms, each once with its frequency."""
    postings = build(THREE)
    assert postings.numbers.tolist() == [2, 5, 9]
    assert postings.lengths.tolist() == [3, 0, 2]
    rows = postings.rows(np.array([9, 1, 2, 10, 5], dtype=np.int32))
    assert rows.tolist() == [2, -1, 0, -1, 1]
    owners, places, frequencies = postings.vectors(np.array([2, 1, 0]))
    assert owners.tolist() == [0, 0, 2, 2], "the second document has no terms"
    assert postings.terms[places].tolist() == [b"bank", b"error", b"bank", b"tree"]
    assert frequencies.tolist() == [1, 1, 1, 2]


def test_nothing_at_all() -> None:
    """Postings of no document, and of a document without a word, answer every question with nothing."""
    for postings in (build({}), build({4: []})):
        assert postings.find(names_of(["word", "other"])).tolist() == [-1, -1]
        assert postings.living(None).tolist() == []
        assert len(postings.terms) == len(postings.documents) == 0
    assert build({}).rows(np.array([0, 1], dtype=np.int32)).tolist() == [-1, -1]


def test_long_terms_are_one() -> None:
    """Of a term 40 bytes count: longer ones with the same beginning are the same term, with added counts."""
    same = "a" * 40
    postings = build({1: [same + "x", same + "y", same], 2: [same[:39]]})
    assert told(postings, same) == told(postings, same + "zzz") == {1: 3}
    assert told(postings, same[:39]) == {2: 1}


def test_terms_of_any_script() -> None:
    """Terms are found in every script, and one that is cut ends with a whole character."""
    greek, long_thai = "μορφολογία", "ภาษา" * 10
    postings = build({1: [greek, long_thai, "模型"], 2: [long_thai + "ไทย"]})
    assert told(postings, greek) == {1: 1}
    assert told(postings, "模型") == {1: 1}
    assert told(postings, long_thai) == {1: 1, 2: 1}
    for term in postings.terms.tolist():
        assert told(postings, term.decode())


def test_frequencies_stop_at_255() -> None:
    """A word that is repeated without end counts 255 times; the length tells all of them."""
    postings = build({1: ["buffalo"] * 300})
    assert told(postings, "buffalo") == {1: 255}
    assert postings.lengths.tolist() == [300]


def test_numbers_ascend() -> None:
    """A document out of order, or twice, is refused: every array relies on the order."""
    builder = PostingsBuilder()
    builder.add(3, ["word"])
    for number in (3, 2):
        with pytest.raises(ValueError, match=f"document {number} comes after 3"):
            builder.add(number, ["word"])


def test_a_shared_vocabulary_leaks_nothing() -> None:
    """Two builders may share a vocabulary; each has only the terms that it was given."""
    vocabulary: dict[str, int] = {}
    one, other = PostingsBuilder(vocabulary), PostingsBuilder(vocabulary)
    one.add(1, ["error", "tree"])
    other.add(1, ["bank"])
    assert one.build().terms.tolist() == [b"error", b"tree"]
    assert other.build().terms.tolist() == [b"bank"]


def test_spread() -> None:
    """Ranges become places, in order, with the range that each belongs to; empty ranges give none."""
    owners, places = spread(np.array([5, 2, 0]), np.array([7, 2, 3]))
    assert owners.tolist() == [0, 0, 2, 2, 2]
    assert places.tolist() == [5, 6, 0, 1, 2]
    assert [part.tolist() for part in spread(np.zeros(0, np.int64), np.zeros(0, np.int64))] == [[], []]


@given(
    st.dictionaries(
        st.integers(0, 40), st.lists(st.sampled_from("abcdef") | st.text(max_size=30), max_size=8), max_size=8
    )
)
def test_both_directions_agree(documents: Documents) -> None:
    """Whatever the documents are, terms lead to what documents hold, and documents to the same."""
    documents = {
        number: [term.replace("\0", "") for term in terms if term.isprintable()]
        for number, terms in sorted(documents.items())
    }
    postings = build(documents)
    expected = {
        (number, _cut(term)): [_cut(each) for each in terms].count(_cut(term))
        for number, terms in documents.items()
        for term in terms
    }
    by_term = {
        (number, name.decode()): count
        for name in postings.terms.tolist()
        for number, count in told(postings, name.decode()).items()
    }
    owners, places, frequencies = postings.vectors(np.arange(len(documents)))
    by_document = {
        (int(postings.numbers[owner]), postings.terms[place].decode()): int(count)
        for owner, place, count in zip(owners, places, frequencies, strict=True)
    }
    assert by_term == by_document == expected


def _cut(term: str) -> str:
    return term.encode()[:40].decode(errors="ignore")


@pytest.mark.parametrize("documents", [THREE, {}, {7: []}, {1: ["π" * 100]}])
def test_saved_and_loaded(tmp_path: Path, documents: Documents) -> None:
    """What is loaded equals what was saved, array by array, types included."""
    postings = build(documents)
    postings.save(tmp_path, "text")
    loaded = Postings.load(tmp_path, "text")
    for name in ARRAYS:
        before, after = getattr(postings, name), getattr(loaded, name)
        assert before.dtype == after.dtype, name
        assert np.array_equal(before, after), name


def test_files_hold_arrays_alone(tmp_path: Path) -> None:
    """No file needs pickle to be read: one array of plain numbers or bytes each."""
    build(THREE).save(tmp_path, "text")
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == sorted(f"text.{name}.npy" for name in ARRAYS)
    for file in files:
        assert not np.load(file, allow_pickle=False).dtype.hasobject


@given(st.sets(st.integers(0, 30), max_size=12), st.lists(st.integers(0, 35), max_size=8), st.integers(0, 6))
def test_rows_of_documents(documents: set[int], asked: list[int], most: int) -> None:
    """The row of a document is its place among all, whether few numbers are missing among them or many."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(postings_module, "_MOST_ABSENT", most)
        built = build({number: ["a"] for number in sorted(documents)})
        place = {number: row for row, number in enumerate(sorted(documents))}
        rows = built.rows(np.array(asked, dtype=np.int32))
        assert rows.tolist() == [place.get(number, -1) for number in asked]
