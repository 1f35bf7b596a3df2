"""What Markdown drafts say before their text, and the bibliographies that they name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citewhy.manuscript.markdown.reader import read
from citewhy.records import Manuscript, Marker

BIB = """@inproceedings{bleu, title = {BLEU}, author = {Papineni, Kishore}, year = 2002}
@inproceedings{rouge, title = {ROUGE}, author = {Lin, Chin-Yew}, year = 2004}
@article{foo:bar.baz, title = {Foo}, author = {Foo, Ann}, year = 2001}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "refs.bib").write_text(BIB)
    return tmp_path


def draft(folder: Path, body: str, *, header: str = "bibliography: refs.bib") -> Manuscript:
    path = folder / "draft.md"
    path.write_bytes(f"---\n{header}\n---\n\n{body}".encode())
    return read(path)


def markers(manuscript: Manuscript) -> list[Marker]:
    return [marker for p in manuscript.paragraphs for sentence in p.sentences for marker in sentence.markers]


def at(manuscript: Manuscript, start: int, end: int) -> str:
    return Path(manuscript.path).read_bytes().decode()[start:end]


def sentences(manuscript: Manuscript) -> list[str]:
    return [sentence.text for p in manuscript.paragraphs for sentence in p.sentences]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("title: Plain title  # comment", {"title": "Plain title"}),
        ('title: "With: a colon"', {"title": "With: a colon"}),
        ("title: 'It''s *one*'", {"title": "It's one"}),
        ("title: >\n  Over two\n  lines", {"title": "Over two lines"}),
        ("title: Over two\n  plain lines", {"title": "Over two plain lines"}),
        ("author: Ann Lee", {"authors": ("Ann Lee",)}),
        ("author: [Ann Lee, 'Bo Li']", {"authors": ("Ann Lee", "Bo Li")}),
        ("authors:\n  - Ann Lee\n  - Li, Bo", {"authors": ("Ann Lee", "Bo Li")}),
        (
            "author:\n- name: Ann Lee\n  affiliation: X\n- given: Bo\n  family: Li",
            {"authors": ("Ann Lee", "Bo Li")},
        ),
        ("author: Ann Lee and Bo Li", {"authors": ("Ann Lee", "Bo Li")}),
        ("date: 2019-03-04", {"year": 2019}),
        ("date: March 4, 2021", {"year": 2021}),
        ("abstract: |\n  We do [@bleu].\n\n  And *this*.", {"abstract": "We do. And this."}),
        ("nocite: |\n  @bleu, @rouge", {"nocite": ("bleu", "rouge")}),
        ("nocite: '@*'", {"nocite": ("*",)}),
    ],
)
def test_front_matter(folder: Path, header: str, expected: dict[str, object]) -> None:
    """The YAML that people write for title, authors, date, abstract and nocite is understood."""
    manuscript = draft(folder, "Text.\n", header=header)
    assert {name: getattr(manuscript, name) for name in expected} == expected
    assert sentences(manuscript) == ["Text."]


@pytest.mark.parametrize(
    "header",
    [
        "bibliography: refs.bib",
        'bibliography: ["refs.bib"]',
        "bibliography:\n  - other.bib\n  - refs.bib",
        "bibliography: ./refs.bib",
    ],
)
def test_bibliographies_are_found_beside_the_draft(folder: Path, header: str) -> None:
    """Names are relative to the draft's folder; a list is read in its order, keys are defined by any."""
    (folder / "other.bib").write_text("@misc{bleu, title = {Another}}\n@misc{other, title = {Other}}\n")
    manuscript = draft(folder, "See [@bleu; @rouge].\n", header=header)
    (found,) = markers(manuscript)
    assert not found.open
    titles = {reference.key: reference.paper.title for reference in manuscript.references}
    assert titles["bleu"] == ("Another" if "other" in header else "BLEU")
    assert [Path(path).name for path in manuscript.bibliographies][-1] == "refs.bib"


def test_csl_bibliographies(folder: Path) -> None:
    """CSL-JSON beside the draft, CSL as YAML, and entries in the front matter define keys, too."""
    (folder / "refs.json").write_text(json.dumps([{"id": "one", "title": "First", "type": "book"}]))
    (folder / "more.yaml").write_text(
        "references:\n- id: two\n  title: Second\n  author:\n  - family: Lee\n    given: Ann\n"
    )
    third = "references:\n- id: three\n  title: Third\n  issued:\n    year: 2003\n"
    header = f"bibliography: [refs.json, more.yaml]\n{third}"
    manuscript = draft(folder, "See [@one; @two; @three; @four].\n", header=header)
    papers = {reference.key: reference.paper for reference in manuscript.references}
    assert {key: paper.title for key, paper in papers.items()} == {
        "one": "First",
        "two": "Second",
        "three": "Third",
    }
    assert papers["two"].authors == ("Ann Lee",)
    assert papers["three"].year == 2003
    assert manuscript.bibliographies == ()
    assert markers(manuscript)[0].open


def test_a_bibliography_that_is_missing_or_not_named(folder: Path) -> None:
    """A missing file is a problem, no error; without a name, the only .bib file beside the draft is used."""
    manuscript = draft(folder, "See [@bleu].\n", header="bibliography: nowhere.bib")
    assert "nowhere.bib" in " ".join(manuscript.problems)
    assert markers(manuscript)[0].open
    manuscript = draft(folder, "See [@bleu].\n", header="title: T")
    assert [Path(path).name for path in manuscript.bibliographies] == ["refs.bib"]
    assert not markers(manuscript)[0].open


def test_pandoc_title_block(tmp_path: Path) -> None:
    """Lines with a per cent sign at the beginning are title, authors and date."""
    path = tmp_path / "draft.md"
    path.write_text("% A Title\n  on two lines\n% Ann Lee; Bo Li\n% 4 May 2020\n\nText.\n")
    manuscript = read(path)
    assert manuscript.title == "A Title on two lines"
    assert (manuscript.authors, manuscript.year) == (("Ann Lee", "Bo Li"), 2020)
    assert sentences(manuscript) == ["Text."]
