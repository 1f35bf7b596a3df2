"""Folders of local citation recommendation, in both layouts."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from citewhy.base.errors import InputError
from citewhy.base.records import Context
from citewhy_lab.evaluate.datasets.splits import is_split, split_contexts
from citewhy_lab.train.data_set import open_data_set, windowed

PAPERS = {
    name: {"title": f"Title of {name}", "abstract": "x"} for name in ("A00-1001", "B01-1002", "C02-1003")
}


def context(citing: str, cited: str, text: str = "seen in TARGETCIT before") -> dict[str, Any]:
    return {"masked_text": text, "citing_id": citing, "refid": cited}


CONTEXTS = {
    "one": context("B01-1002", "A00-1001"),
    "two": context("C02-1003", "A00-1001"),
    "three": context("C02-1003", "B01-1002", "no mark"),
    "four": context("Z99-9999", "Y98-8888"),
}
SPLITS = {"train": ["one"], "val": ["two"], "test": ["three"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The layout of the field, without damage but a text that has no mark."""
    return write(tmp_path / "acl")


def write(folder: Path, splits: dict[str, Any] = SPLITS, **more: dict[str, Any]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "papers.json").write_text(json.dumps(PAPERS))
    contexts = {**CONTEXTS, **more}
    (folder / "contexts.json").write_text(json.dumps(contexts))
    for split, names in splits.items():
        rows = [
            name
            if isinstance(name, dict)
            else {"context_id": name, "positive_ids": [contexts[name]["refid"]]}
            for name in names
        ]
        (folder / f"{split}.json").write_text(json.dumps(rows))
    return folder


def test_the_layout_of_the_field(folder: Path) -> None:
    """Splits name contexts by id; years of Anthology papers come from their ids."""
    found = open_data_set(folder)
    assert (found.name, [paper.year for paper in found.papers]) == ("acl", [2000, 2001, 2002])
    assert found.train == [Context("one", "B01-1002", ("A00-1001",), "seen in TARGETCIT before")]
    assert ([each.id for each in found.val], [each.id for each in found.test]) == (["two"], ["three"])
    assert found.damage == {"contexts without TARGETCIT, kept": 1}
    assert [path.name for path in found.files] == [
        *("papers.json", "contexts.json", "train.json", "val.json", "test.json")
    ]


def test_damage_is_counted_by_name(tmp_path: Path) -> None:
    """What does not fit together: strangers, other answers, asked contexts in training, absent papers."""
    other = {"context_id": "one", "positive_ids": ["C02-1003"]}
    stranger = {"context_id": "nobody", "positive_ids": ["A00-1001"]}
    splits = {"train": [other, "two", stranger, "four"], "val": ["two"], "test": ["three"]}
    found = open_data_set(write(tmp_path / "acl", splits, bad={"citing_id": "a", "refid": "b"}))
    assert [(each.id, each.cited_ids) for each in found.train] == [
        ("one", ("C02-1003",)),
        ("four", ("Y98-8888",)),
    ]
    assert {what.split(",")[0]: count for what, count in found.damage.items()} == {
        "records of contexts.json that cannot be read": 1,
        "split rows whose context contexts.json does not have": 1,
        "split rows with other papers than the context's refid; those of the split are used": 1,
        "training contexts that are asked in another split too": 1,
        "cited papers that the papers do not have": 1,
        "contexts whose citing paper the papers do not have": 1,
        "contexts without TARGETCIT": 1,
    }


def test_a_split_a_line(folder: Path) -> None:
    """Splits are also passed on as JSON lines, and compressed."""
    row = {"context_id": "three", "positive_ids": ["B01-1002"], "prefetched_ids": ["A00-1001"]}
    (folder / "test.json").write_text(json.dumps(row) + "\n")
    with gzip.open(folder / "papers.json.gz", "wt") as packed:
        packed.write((folder / "papers.json").read_text())
    (folder / "papers.json").unlink()
    assert [each.id for each in open_data_set(folder).test] == ["three"]


def test_a_split_as_a_benchmark(folder: Path, tmp_path: Path) -> None:
    """For `evaluate`, a split is read whole or not at all."""
    assert is_split(folder / "test.json")
    assert not is_split(folder / "contexts.json")
    assert not is_split(tmp_path / "test.json")
    assert [each.id for each in split_contexts(folder / "test.json")] == ["three"]
    wrong = write(tmp_path / "wrong", {"test": [{"context_id": "nobody", "positive_ids": ["x"]}]})
    with pytest.raises(InputError, match=r"context contexts\.json does not have, left out: 1"):
        split_contexts(wrong / "test.json")


def test_lines(toy: Path, tmp_path: Path) -> None:
    """Without a file for testing, the validation contexts test, and the newest training year validates."""
    for name in ("papers.jsonl", "citations.tsv", "paper_aliases.tsv"):
        shutil.copy(toy / name, tmp_path)
    rows = (toy / "contexts.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "contexts.train.jsonl").write_text("".join(rows[:8]))  # of 2003, 2004 and 2005
    (tmp_path / "contexts.val.jsonl").write_text("".join(rows[8:11]))  # of 2007
    found = open_data_set(tmp_path)
    assert (len(found.train), len(found.val), len(found.test)) == (4, 4, 3)
    assert {each.year for each in found.val} == {2005}
    assert (len(found.papers), len(found.aliases), len(found.citations)) == (14, 1, 13)
    assert found.notes == (
        "There is no contexts.test: contexts.val is tested on, and the training contexts of 2005 validate.",
    )
    (tmp_path / "contexts.test.jsonl").write_text("".join(rows[11:]))
    again = open_data_set(tmp_path)
    assert (len(again.train), len(again.val), len(again.test), again.notes) == (8, 3, 3, ())


def test_missing_files(folder: Path, tmp_path: Path) -> None:
    """A folder without data says where the data sets of the field are to be had."""
    with pytest.raises(InputError, match=r"ACL-200.*https://github\.com/nianlonggu/Local-Citation-Rec"):
        open_data_set(tmp_path)
    (folder / "val.json").unlink()
    with pytest.raises(InputError, match=r"the folder has no val\.json"):
        open_data_set(folder)
    write(folder, {"val": []})
    with pytest.raises(InputError, match="there is no context to use as val"):
        open_data_set(folder)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ("[", "not JSON"),
        ("[1]", "row 1 is not a JSON object"),
        ('[{"context_id": "one"}]', "'positive_ids' is missing"),
    ],
)
def test_broken_splits(folder: Path, rows: str, why: str) -> None:
    """A split that is none is refused."""
    (folder / "train.json").write_text(rows)
    with pytest.raises(InputError, match=why):
        open_data_set(folder)


def test_swapped_files(folder: Path) -> None:
    """Papers where contexts should be are named as what they are."""
    shutil.copy(folder / "papers.json", folder / "contexts.json")
    with pytest.raises(InputError, match="expected contexts, found papers"):
        open_data_set(folder)


def test_windows() -> None:
    """So many characters on both sides, and the rest of the words that the ends cut into."""
    text = "aaaa bbbb cccc TARGETCIT dddd eeee TARGETCIT"
    cut = {size: windowed([Context("x", "p", ("q",), text)], size)[0].text for size in (0, 2, 6, 99)}
    assert cut == {
        0: "TARGETCIT",
        2: "cccc TARGETCIT dddd",
        6: "bbbb cccc TARGETCIT dddd eeee",
        99: text,
    }
    assert windowed([Context("x", "p", ("q",), "one two three four")], 0)[0].text == "one two three"


def archive(folder: Path, *contexts: str) -> Path:
    """A folder in the layout of the archives of Medić and Šnajder (2020), with the fields that their public
    code reads. Each file of contexts says in its texts which it is."""
    papers = {
        name: {
            "title": f"Paper {name}",
            "abstract": "We parse.",
            "authors_ids": authors,
            "citations_per_year": {"2005": 1},
            "preprocessed_title": [3, 4],
        }
        for name, authors in {"P91-1022": [7, 9], "P97-1035": [], "A00-1004": [7], "A01-1007": [9]}.items()
    }
    rows = {
        f"{citing}_{cited}_0": {
            "masked_text": f"Aligning as in TARGETCIT works for {citing}",
            "citing_paper_id" if citing == "A01-1007" else "citing_id": citing,
            "ref_id": cited,
            "preprocessed": [1, 2],
            "tc_index": 3,
        }
        for citing, cited in (("A00-1004", "P91-1022"), ("A01-1007", "P97-1035"), ("A01-1007", "P91-1022"))
    }
    first, second, third = rows
    splits: dict[str, list[dict[str, str]]] = {
        "train": [{"context_id": first, "paper_id": "P91-1022"}],
        "val": [
            {"context_id": second, "true_ref": "P97-1035", "neg_ref": each}
            for each in ("A00-1004", "P91-1022")
        ],
        "test": [{"context_id": third, "paper_id": each} for each in ("P97-1035", "P91-1022", "A00-1004")],
    }
    folder.mkdir()
    for name in contexts:
        texts = {key: {**row, "masked_text": f"{row['masked_text']} ({name})"} for key, row in rows.items()}
        (folder / name).write_text(json.dumps(texts))
    for name, content in {"papers": papers, **splits}.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return folder


@pytest.mark.parametrize("name", ["contexts_200.json", "contexts_600.json"])
def test_the_archives_of_medic(tmp_path: Path, name: str) -> None:
    """Training pairs, validation triplets and candidates for prediction are each one context with the paper
    that it cites; negatives and other candidates are not cited. Authors have numbers, years come from the
    ids."""
    data = open_data_set(archive(tmp_path / "acl", name))
    cited = [(each.citing_id, each.cited_ids) for part in (data.train, data.val, data.test) for each in part]
    assert cited == [
        ("A00-1004", ("P91-1022",)),
        ("A01-1007", ("P97-1035",)),
        ("A01-1007", ("P91-1022",)),
    ]
    paper = next(each for each in data.papers if each.id == "P91-1022")
    assert (paper.authors, paper.year) == (("author 7", "author 9"), 1991)
    assert not data.damage


def test_the_longer_contexts_of_an_archive(tmp_path: Path) -> None:
    """Of two files of contexts, those of 600 characters are read; 200 are cut from them (`windowed`)."""
    data = open_data_set(archive(tmp_path / "acl", "contexts_200.json", "contexts_600.json"))
    assert [each.name for each in data.files][1] == "contexts_600.json"
    for part in (data.train, data.val, data.test):
        assert [each.text.endswith("(contexts_600.json)") for each in part] == [True]
