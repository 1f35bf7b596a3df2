"""CORWA in its three layouts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citewhy.base.errors import InputError
from citewhy_lab.evaluate.datasets.corwa import TaggedParagraph, read_corwa

FIRST = TaggedParagraph(
    "12_0", "12", ("Parsing is old.", "Ann (2001) parses."), ("Transition", "Single_summ")
)
SECOND = TaggedParagraph("12_1", "12", ("We do it well.",), ("Reflection",))


def test_json_lines(tmp_path: Path) -> None:
    """One paragraph a line: id, paper, sentences, tags."""
    rows = [
        {"id": each.id, "paper": each.paper, "sentences": each.sentences, "tags": each.tags}
        for each in (FIRST, SECOND)
    ]
    path = tmp_path / "corwa.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert read_corwa(path) == [FIRST, SECOND]


def test_the_json_lines_of_the_corpus(tmp_path: Path) -> None:
    """A sentence begins at each [BOS]; the id names the paper."""
    row = {
        "id": "12_0",
        "paragraph": "[BOS] Parsing is old. [BOS] Ann (2001) parses.",
        "discourse_tags": ["Transition", "Single_summ"],
        "span_citation_mapping": [],
    }
    path = tmp_path / "CORWA_train.jsonl"
    path.write_text(json.dumps(row))
    assert read_corwa(path) == [FIRST]


def write_brat(folder: Path, annotations: str) -> None:
    text = "[BOS] Parsing is old.\n[BOS] Ann (2001) parses.\n\n[BOS] We do it well.\n\n"
    (folder / "12.txt").write_text(text)
    (folder / "12.ann").write_text(annotations)


def test_brat(tmp_path: Path) -> None:
    """The annotations of [BOS] are the tags; those of citations and spans are left out; an empty line ends a
    paragraph."""
    write_brat(
        tmp_path,
        "T1\tTransition 0 5\t[BOS]\nT2\tSingle_summ 22 27\t[BOS]\nT4\tDominant 28 38\tAnn (2001)\n"
        "T3\tReflection 48 53\t[BOS]\n#1\tAnnotatorNotes T3\twhy?\n",
    )
    assert read_corwa(tmp_path) == [FIRST, SECOND]


@pytest.mark.parametrize(
    ("annotations", "says"),
    [
        ("T1\tTransition 0 5\t[BOS]\n", "no tag"),
        ("T1\tVague 0 5\t[BOS]\n", "'Vague'"),
    ],
)
def test_brat_with_a_bad_annotation(tmp_path: Path, annotations: str, says: str) -> None:
    """A sentence without a tag, or with an unknown one, is an error."""
    write_brat(tmp_path, annotations)
    with pytest.raises(InputError, match=says):
        read_corwa(tmp_path)


def test_a_tag_too_few(tmp_path: Path) -> None:
    """It is an error with file and line."""
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps({"id": "1_0", "paper": "1", "sentences": ["A.", "B."], "tags": ["Other"]}))
    with pytest.raises(InputError, match="2 sentences, but 1 tags"):
        read_corwa(path)
