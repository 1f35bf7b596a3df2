"""The words of an index as a dictionary, and documents that begin with given words, in several segments."""

from __future__ import annotations

from pathlib import Path

from small_library import make, paper

from citewhy.search.index import open_index


def test_vocabulary(tmp_path: Path) -> None:
    """The words of papers that are there, each with its papers; not those of a paper that was removed."""
    with make(tmp_path, [paper("a", "Large rivers"), paper("b", "Large dams")]) as library:
        open_index(library)
        library.add([paper("c", "Large rivers and dams"), paper("d", "Canals")])
        open_index(library)
        library.remove(["b", "d"])
        index = open_index(library)
    terms, having = index.title.vocabulary
    assert dict(zip(terms, having.tolist(), strict=True)) == {"dam": 1, "larg": 2, "river": 2}


def test_beginnings(tmp_path: Path) -> None:
    """Of titles, in all segments, without papers that were removed."""
    with make(tmp_path, [paper("a", "Large rivers"), paper("b", "Large rivers of old")]) as library:
        open_index(library)
        library.add([paper("c", "Large rivers and dams"), paper("d", "Rivers, large")])
        open_index(library)
        library.remove(["b"])
        index = open_index(library)
    for terms, ids in ((["larg"], ["a", "c"]), (["larg", "river"], ["a", "c"]), (["river"], ["d"])):
        assert index.ids(index.title.beginning_with(terms)) == ids
    assert not len(index.title.beginning_with(["dam"]))
    assert not len(index.title.beginning_with(["canal"]))


def test_known_names(tmp_path: Path) -> None:
    """Those of many that an author has."""
    with make(tmp_path, [paper("a", "Rivers", authors=("Ida Ørsted", "Lee O'Neill"))]) as library:
        index = open_index(library)
    assert index.known_names("author", ["ørsted", "orsted", "o'neill", "ida"]) == ["ørsted", "o'neill"]
