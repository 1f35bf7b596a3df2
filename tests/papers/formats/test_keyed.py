"""Papers and contexts as one JSON object keyed by id."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewhy.base.errors import InputError, TooLargeError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Context, Paper
from citewhy.papers.formats import detect, jsonlines
from citewhy.text import json_files

Take = Callable[..., tuple[list[Any], ImportReport]]

PAPERS = {
    "N04-1019": {"title": "Evaluating Content\nSelection", "abstract": "The pyramid method."},
    "2020.acl-main.207": {"title": "SPECTER", "authors": ["Arman Cohan"], "year": None},
    "771": {"title": "Of a database", "abstract": "", "year": "NULL", "authors": ["A B"]},
    "772": {"title": "With a year", "year": "1998.0"},
    "1904.00962": {"title": "On arXiv"},
}
CONTEXTS = {
    "P15-2138_N04-1019_0": {
        "masked_text": " with the Pyramid ( TARGETCIT ; OTHERCIT) and",
        "context_id": "P15-2138_N04-1019_0",
        "citing_id": "P15-2138",
        "refid": "N04-1019",
    },
    "P15-2138_P91-1022_0": {"masked_text": "no mark", "citing_id": "P15-2138", "ref_id": "P91-1022"},
}


def test_papers(take: Take) -> None:
    """The key is the id; a year that is missing comes from an Anthology id, and from no other id."""
    found, report = take(json.dumps(PAPERS))
    assert found[0] == Paper("N04-1019", "Evaluating Content Selection", "The pyramid method.", year=2004)
    assert [paper.year for paper in found] == [2004, 2020, None, 1998, None]
    assert found[1].authors == ("Arman Cohan",)
    assert (report.read["papers"], report.skipped, report.warned) == (5, 0, 0)


def test_contexts(take: Take) -> None:
    """The cited paper is named by one of two fields; a text without a mark is kept and warned of."""
    found, report = take(json.dumps(CONTEXTS, indent=1))
    assert found == [
        Context(
            "P15-2138_N04-1019_0", "P15-2138", ("N04-1019",), "with the Pyramid ( TARGETCIT ; OTHERCIT) and"
        ),
        Context("P15-2138_P91-1022_0", "P15-2138", ("P91-1022",), "no mark"),
    ]
    assert [str(each).split(": ", 1)[1] for each in report.warnings] == [
        "'P15-2138_P91-1022_0': no TARGETCIT in its text"
    ]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ([], "expected an object, found '[]'"),
        ({"citing_id": "a", "citation_context": "(Brown, 1991)", "refid": "b"}, "mask the marker"),
        ({"citing_id": "a", "masked_text": "TARGETCIT"}, "no cited paper, expected it as refid"),
        ({"masked_text": "TARGETCIT", "refid": "b"}, "no citing_id"),
        ({"citing_id": "a", "masked_text": "TARGETCIT \ud800", "refid": "b"}, "not text"),
    ],
)
def test_damage_is_named(take: Take, row: object, why: str) -> None:
    """A context that cannot be one is skipped, and named by its key; the rest is read."""
    found, report = take(json.dumps({**CONTEXTS, "bad": row}))
    assert len(found) == 2
    assert report.skipped == 1
    assert report.skips[0].why.startswith("'bad': ")
    assert why in report.skips[0].why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": {"title": "A"}, "b": {"title": ', "not JSON"),
        ('{"a": {"title": "A"} "b": 1}', "expected '}', found '\"'"),
        ('{"a": {"title": "A"}} {}', "unexpected text after the value"),
        ('{"a": {"title": "A"}, 1: {}}', "expected a key, found '1'"),
        ('{"a": {"title": "A"}, "b": ' + "[" * 100_000, "nested too deeply"),
    ],
)
def test_broken_files(take: Take, text: str, why: str) -> None:
    """A file that breaks off, or is something else further on, is refused with the place."""
    with pytest.raises(InputError, match=r"file:1: ") as caught:
        take(text)
    assert why in str(caught.value)


def test_invalid_utf8(take: Take) -> None:
    """Bytes that are no UTF-8 are refused, wherever they stand."""
    with pytest.raises(InputError, match="invalid UTF-8"):
        take(b'{"a": {"title": "A"}, "b": {"title": "\xff"}}')


def test_large_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry that has no end in sight is refused before it fills the memory."""
    monkeypatch.setattr(json_files, "MAX_LINE", 1000)
    path = tmp_path / "papers.json"
    path.write_text('{"a": {"title": "' + "x" * 2000)
    with pytest.raises(TooLargeError, match="an entry of more than 1,000 characters"):
        list(jsonlines.entries(path))


def test_other_objects_are_not_taken_for_it(take: Take, toy: Path) -> None:
    """CSL-JSON whose first field is an object, and lines of papers, stay what they are."""
    item = '{"issued": {"date-parts": [[2002]]},\n "id": "a", "title": "T"}'
    assert take(item)[0] == [Paper("a", "T", year=2002)]
    assert detect(toy / "papers.jsonl").name == "papers as JSON lines"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=5), values, max_size=4), st.integers(1, 7)
)
def test_pieces_do_not_matter(entries: dict[str, Any], size: int) -> None:
    """However the bytes are cut, the entries are those of the whole."""
    data = json.dumps(entries, ensure_ascii=False).encode()

    def blocks(_path: object) -> Iterator[bytes]:
        return (data[start : start + size] for start in range(0, len(data), size))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonlines, "open_blocks", blocks)
        assert dict(jsonlines.entries("x")) == entries
