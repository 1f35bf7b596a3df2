"""What Markdown drafts say before their text, and the bibliographies that they name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewhy.base.records import Manuscript, Marker
from citewhy.drafts import read_files
from citewhy.drafts.markdown.reader import read

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
        ("title: No", {"title": "No"}),
        ("title: 1984", {"title": "1984"}),
        ("title: null", {"title": ""}),
        ("title: |\n  One\n  *two*", {"title": "One two"}),
        ("title:\n- type: subtitle\n  text: Sub\n- {type: main, text: Main}", {"title": "Main"}),
        ("Title: Upper case", {"title": "Upper case"}),
        ("title: First\ntitle: Last", {"title": "Last"}),
        ("date: !expr Sys.Date()\nyear: 2017", {"year": 2017}),
        ("date: {issued: 2016-05}", {"year": 2016}),
        ("abstract: [One., Two.]", {"abstract": "One. Two."}),
        ("author: {name: Ann Lee, email: a@b.org}", {"authors": ("Ann Lee",)}),
        ("author: [{name: Ann Lee}, {name: 'Li, Bo'}]", {"authors": ("Ann Lee", "Bo Li")}),
        ("author:\n- name: {given: Ann, family: Lee}", {"authors": ("Ann Lee",)}),
        ("author:\n- Ann Lee:\n    institute: x\n- Bo Li:\n    - y", {"authors": ("Ann Lee", "Bo Li")}),
        ("author:\n- Ann Lee^[University]\n- Bo Li$^1$", {"authors": ("Ann Lee", "Bo Li")}),
        ("author:\n- {first_name: Ann, last_name: Lee}", {"authors": ("Ann Lee",)}),
        ("editor: Ed Itor\nauthor: Ann Lee", {"authors": ("Ann Lee",)}),
        ("editor: [{family: Itor}]", {"authors": ()}),
        ("author: &ann {name: Ann Lee}\ncopy: *ann", {"authors": ("Ann Lee",)}),
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
    (marker,) = markers(manuscript)
    assert not marker.open
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
    assert [Path(path).name for path in manuscript.bibliographies] == ["refs.json", "more.yaml"]
    assert markers(manuscript)[0].open


REFERENCES = (
    "references: [{id: a, title: One, author: [{family: Lee, given: Ann}], issued: {year: 2001}}, {id: b}]",
    "references:\n- id: a\n  title: '*One*'\n  author: {family: Lee, given: Ann}\n"
    "  editor:\n  - family: Itor\n    given: Ed\n  issued:\n  - year: 2001\n    month: 3\n- id: b\n",
    '{references: [{"id": "a", "title": "One", "author": "Ann Lee", "issued": "2001-03"}, {"id": "b"}]}',
)


@pytest.mark.parametrize("header", REFERENCES)
def test_references_of_a_header(tmp_path: Path, header: str) -> None:
    """Flow and block style define the same keys; an editor is no author; an entry may lack a title."""
    manuscript = draft(tmp_path, "See [@a; @b].\n", header=header)
    one, two = manuscript.references
    assert (one.key, one.paper.title, one.paper.authors, one.paper.year) == ("a", "One", ("Ann Lee",), 2001)
    assert (two.key, two.paper.title) == ("b", "")
    assert not markers(manuscript)[0].open
    assert manuscript.problems == ()


def test_the_first_reference_of_a_key_counts(folder: Path) -> None:
    """The header's own references come before those of its files, in the order of the files."""
    (folder / "more.json").write_text(
        json.dumps([{"id": "bleu", "title": "Third"}, {"id": "x", "title": "X"}])
    )
    header = "references: [{id: rouge, title: First}]\nbibliography: [refs.bib, more.json]"
    titles = {one.key: one.paper.title for one in draft(folder, "Text.\n", header=header).references}
    assert titles == {"rouge": "First", "bleu": "BLEU", "foo:bar.baz": "Foo", "x": "X"}


@pytest.mark.parametrize(
    ("header", "line", "problem", "title"),
    [
        ("title: Good\nauthor: [Ann Lee", 4, "invalid YAML: did not find expected ',' or ']'", "Good"),
        (
            "author: Ann Lee\ntitle: Parsing: a survey",
            3,
            "a value with a colon in it needs quotes",
            "Parsing: a survey",
        ),
        ("title: Good\n\tsubtitle: x", 3, "invalid YAML: ", ""),
        ("title: Good\nother: *nobody", 3, "undefined alias *nobody", "Good"),
        ("title: Good\nother: &a [*a]", 3, "undefined alias *a", "Good"),
        ("title: Good\nother: " + "[" * 51, 3, "more than 50 levels of nesting", "Good"),
        ("title: Bad\nother: x\ntitle: Good", 4, "duplicate key 'title'; the last value counts", "Good"),
        ("title: Good\nother: a\x07b", 3, "invalid YAML: control character", "Good"),
        ("[", 3, "invalid YAML: ", ""),
        ('"title: x', 2, "invalid YAML: ", ""),
        ("- title: Bad", 2, "expected fields such as `title: …`", ""),
    ],
)
def test_a_header_that_is_not_yaml(folder: Path, header: str, line: int, problem: str, title: str) -> None:
    """The problem has file and line; the fields that are YAML count, and so does the bibliography."""
    header += "" if header[0] in '-["' else "\nbibliography: refs.bib"
    manuscript = draft(folder, "See [@bleu].\n", header=header)
    assert any(
        said.startswith(f"{folder / 'draft.md'}:{line}: ") and problem in said for said in manuscript.problems
    )
    assert manuscript.title == title
    assert not markers(manuscript)[0].open
    assert sentences(manuscript) == ["See."]


def test_aliases_are_bounded(folder: Path) -> None:
    """Ten lists, each ten times the one before, are a thousand million texts: refused, and soon."""
    bomb = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    bomb += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    header = "\n".join([*bomb, "title: *a9", "bibliography: refs.bib"])
    manuscript = draft(folder, "See [@bleu].\n", header=header)
    assert any("more than 1,000,000 values" in problem for problem in manuscript.problems)
    assert not markers(manuscript)[0].open


def test_text_between_rules_is_text(tmp_path: Path) -> None:
    """A rule in the first line with a blank line after it begins no header."""
    path = tmp_path / "draft.md"
    path.write_text("---\n\nThis is a sentence.\n\n---\n\nAnother one.\n")
    manuscript = read(path)
    assert sentences(manuscript) == ["This is a sentence.", "Another one."]
    assert manuscript.problems == ()


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#,? \n\t%@`~\x07é", max_size=80))
def test_any_header_is_read(header: str) -> None:
    """Whatever stands between the fences: the text behind it is read, and nothing is raised."""
    manuscript = read_files({"draft.md": f"---\nx: y\n{header}\n---\n\nThe end.\n"})
    assert manuscript.paragraphs[-1].sentences[-1].text.endswith("The end.")


def test_a_bibliography_that_is_missing_or_not_named(folder: Path) -> None:
    """A missing file is a problem, no error, and what it may define is not open; without a name, the only
    .bib file beside the draft is used."""
    manuscript = draft(folder, "See [@bleu].\n", header="bibliography: nowhere.bib")
    assert "nowhere.bib" in " ".join(manuscript.problems)
    assert not markers(manuscript)[0].open
    assert [Path(path).name for path in manuscript.unread] == ["nowhere.bib"]
    manuscript = draft(folder, "See [@bleu].\n", header="title: T")
    assert [Path(path).name for path in manuscript.bibliographies] == ["refs.bib"]
    assert not markers(manuscript)[0].open


def test_a_bibliography_of_another_machine(folder: Path) -> None:
    """A path that leads nowhere here means the file of this name beside the draft, and this is said."""
    manuscript = draft(folder, "See [@bleu].\n", header="bibliography: /home/ann/refs.bib")
    assert not markers(manuscript)[0].open
    assert "refs.bib in the draft's folder is used" in " ".join(manuscript.problems)


def test_pandoc_title_block(tmp_path: Path) -> None:
    """Lines with a per cent sign at the beginning are title, authors and date."""
    path = tmp_path / "draft.md"
    path.write_text("% A Title\n  on two lines\n% Ann Lee; Bo Li\n% 4 May 2020\n\nText.\n")
    manuscript = read(path)
    assert manuscript.title == "A Title on two lines"
    assert (manuscript.authors, manuscript.year) == (("Ann Lee", "Bo Li"), 2020)
    assert sentences(manuscript) == ["Text."]
