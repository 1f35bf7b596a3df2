"""Typst drafts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from any_draft import check_places, texts_of
from hypothesis import HealthCheck, given, settings

from citewhy.answers.edits import patch as edited
from citewhy.base.records import Manuscript, Marker, Paper, Reason, Suggestion
from citewhy.drafts import read_files
from citewhy.drafts.edit.citations import add_entries, fill, rename
from citewhy.drafts.edit.patch import Patch
from citewhy.drafts.files import MemoryFiles

BIB = """@inproceedings{bleu, title = {BLEU}, author = {Papineni, Kishore}, year = 2002}
@inproceedings{rouge, title = {ROUGE}, author = {Lin, Chin-Yew}, year = 2004}
"""
END = '\n\n#bibliography("refs.bib")\n'

PIECES = [
    *(
        "#",
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        '"',
        "$",
        "`",
        "```",
        "\\",
        "//",
        "/*",
        "@bleu",
        "<a>",
        "\n\n",
        "- ",
    ),
    *("= H", "#cite(<bleu>)", "#cite(", "#f(", "#f[", "#let x = ", "#if a ", "[CITE]", " word ", "ß"),
]


def draft(body: str, **more: str) -> Manuscript:
    return read_files({"draft.typ": body + END, "refs.bib": BIB, **more}, root="draft.typ")


def markers(manuscript: Manuscript) -> list[Marker]:
    return [marker for p in manuscript.paragraphs for sentence in p.sentences for marker in sentence.markers]


def sentences(manuscript: Manuscript) -> list[str]:
    return [sentence.text for p in manuscript.paragraphs for sentence in p.sentences]


@pytest.mark.parametrize(
    ("body", "written", "keys", "is_open"),
    [
        ("It works @bleu.", "@bleu", ("bleu",), False),
        ("It works @bleu[p. 3].", "@bleu[p. 3]", ("bleu",), False),
        (
            "It works #cite(<bleu>, supplement: [p. 3]).",
            "#cite(<bleu>, supplement: [p. 3])",
            ("bleu",),
            False,
        ),
        ('It works #cite(label("bleu")).', '#cite(label("bleu"))', ("bleu",), False),
        ("It works @unknown.", "@unknown", ("unknown",), True),
        ("It works @TODO[p. 3].", "@TODO[p. 3]", (), True),
        ("It works [CITE].", "[CITE]", (), True),
    ],
)
def test_citations(body: str, written: str, keys: tuple[str, ...], is_open: bool) -> None:
    """References and calls of `cite` are citations; those without an entry are open."""
    [marker] = markers(draft(body))
    assert ((body + END)[marker.place.start : marker.place.end], marker.keys, marker.open) == (
        written,
        keys,
        is_open,
    )


@pytest.mark.parametrize(
    "body",
    [
        "See @method and @fig:one. \n\n= Method <method>",
        "It works. // @bleu",
        "It /* @bleu */ works `@bleu` and $@bleu$.",
        "#let f = [@bleu]\nIt works.",
        "#set text(font: [@bleu])\nIt works.",
        "Write to ada\\@bleu or ada@rouge.org.",
    ],
)
def test_what_is_no_citation(body: str) -> None:
    """Labels, comments, raw text, formulas, definitions and addresses."""
    assert markers(draft(body)) == []


def test_text_and_metadata() -> None:
    """Title and authors are in the settings; text is without markup, headings are sections, footnotes and
    captions follow their paragraph, and files are included."""
    manuscript = draft(
        '#set document(title: "On *Weights*", author: ("Ada Lovelace",), date: datetime(year: 2021))\n'
        "= One\nA _short_ text#footnote[A note @bleu.] costs $x$.\n\n"
        "#figure(rect(), caption: [A caption @rouge.])\n\n"
        '#include "part.typ"',
        **{"part.typ": "== Two\n#text(fill: red)[Red words] here."},
    )
    assert (manuscript.title, manuscript.authors, manuscript.year) == ("On Weights", ("Ada Lovelace",), 2021)
    assert [(p.section, [s.text for s in p.sentences]) for p in manuscript.paragraphs] == [
        ("One", ["A short text costs MATH."]),
        ("One", ["A note."]),
        ("One", ["A caption."]),
        ("Two", ["Red words here."]),
    ]
    assert manuscript.files == ("draft.typ", "part.typ")


def test_without_a_bibliography_nothing_is_undefined() -> None:
    """A part of a draft names none; nor is anything beside one that cannot be read."""
    assert [marker.open for marker in markers(read_files({"a.typ": "It works @bleu."}))] == [False]
    broken = read_files(
        {"a.typ": 'It works @bleu.\n#bibliography("b.yml")', "b.yml": "bleu: [\n"}, root="a.typ"
    )
    assert [marker.open for marker in markers(broken)] == [False]
    assert broken.unread == ("b.yml",)


YAML = """bleu:
    type: article
    title: "{BLEU}: a Method"
    author: ["Papineni, Kishore", "Roukos, Salim"]
    date: 2002-07
    parent: { type: Proceedings, title: Proceedings of ACL }
bare:
    type: web
"""


def test_a_bibliography_in_yaml() -> None:
    """Its entries are the references, with their places; a key of an entry without a title is defined."""
    text = 'It works @bleu, @bare and @unknown.\n#bibliography(("refs.yml", "more.bib"))'
    manuscript = read_files({"a.typ": text, "refs.yml": YAML, "more.bib": BIB}, root="a.typ")
    assert [(marker.keys, marker.open) for marker in markers(manuscript)] == [
        (("bleu",), False),
        (("bare",), False),
        (("unknown",), True),
    ]
    assert [reference.key for reference in manuscript.references] == ["bleu", "bare", "rouge"]
    first = manuscript.references[0]
    assert first.paper == Paper(
        "bleu", "BLEU: a Method", "", ("Kishore Papineni", "Salim Roukos"), 2002, "Proceedings of ACL"
    )
    assert first.place is not None
    assert (first.place.file, first.place.line) == ("refs.yml", 1)
    assert YAML[first.place.start : first.place.end].endswith("title: Proceedings of ACL }\n")
    assert (manuscript.bibliographies, manuscript.problems) == (("refs.yml", "more.bib"), ())


def test_an_entry_is_written_in_yaml() -> None:
    """As the bibliography has it; read again, it is the paper."""
    paper = Paper("x", 'A "quoted": title', "", ("Jan van der Berg",), 2004, "Journal of Walls", "10.1000/x")
    files = {"a.typ": 'It works @TODO.\n#bibliography("refs.yml")', "refs.yml": YAML}
    held = MemoryFiles(files)
    manuscript = read_files(files, root="a.typ")
    suggestion = Suggestion(paper, 1.0, (Reason("words", "why"),), key="berg2004quoted")
    patch = edited(manuscript, [(markers(manuscript)[0], [suggestion])], held)
    assert patch.texts()["a.typ"].startswith("It works @berg2004quoted.")
    assert patch.texts()["refs.yml"].startswith(YAML)
    again = read_files({**files, **patch.texts()}, root="a.typ")
    assert again.references[-1].paper == replace(paper, id="berg2004quoted")
    assert not any(marker.open for marker in markers(again))


@pytest.mark.parametrize(
    ("body", "keys", "expected"),
    [
        ("It works [CITE].", ["bleu"], "It works @bleu."),
        ("It works [CITE]s.", ["bleu"], "It works #cite(<bleu>)s."),
        ("It works [CITE][x].", ["bleu"], "It works @bleu[x]."),
        ("[CITE] shows it.", ["bleu"], '#cite(<bleu>, form: "prose") shows it.'),
        ("It works @TODO[p. 3].", ["bleu"], "It works @bleu[p. 3]."),
        ("It works @TODO.", ["bleu", "rouge"], "It works @bleu @rouge."),
        ("It works @unknown[p. 3].", ["bleu"], "It works @bleu[p. 3]."),
        ('It works #cite(<TODO>, form: "prose").', ["bleu"], 'It works #cite(<bleu>, form: "prose").'),
        ("It works @TODO.", ["DBLP:a/b"], 'It works #cite(label("DBLP:a/b")).'),
        (
            "It works @TODO[p. 3].",
            ["DBLP:a/b"],
            'It works #cite(label("DBLP:a/b"), supplement: [p. 3]).',
        ),
    ],
)
def test_filling(body: str, keys: list[str], expected: str) -> None:
    """Supplements stay, and a key does not grow together with what follows it."""
    files = {"draft.typ": body + END, "refs.bib": BIB}
    manuscript = read_files(files, root="draft.typ")
    held = MemoryFiles(files)
    edit = fill(manuscript, markers(manuscript)[0], keys, held)
    assert Patch([edit], "draft.typ", held).texts()["draft.typ"] == expected + END


def test_one_key_becomes_another() -> None:
    """The supplement stays."""
    files = {"draft.typ": "It works @unknown[p. 3]." + END, "refs.bib": BIB}
    manuscript, held = read_files(files, root="draft.typ"), MemoryFiles(files)
    edit = rename(manuscript, markers(manuscript)[0], "unknown", "bleu", held)
    assert Patch([edit], "draft.typ", held).texts()["draft.typ"] == "It works @bleu[p. 3]." + END


def test_a_new_bibliography_is_named() -> None:
    """At the end of the draft."""
    files = {"draft.typ": "It works [CITE]."}
    edits = add_entries(read_files(files), {"a": Paper("a", "A")}, MemoryFiles(files))
    texts = Patch(edits, "draft.typ", MemoryFiles(files)).texts()
    assert texts == {
        "draft.typ": 'It works [CITE].\n\n#bibliography("references.bib")\n',
        "references.bib": "@misc{a,\n  title     = {A}\n}\n",
    }


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts_of(PIECES).filter(bool))
def test_any_text(tmp_path: Path, text: str) -> None:
    """Whatever a file contains, it is read, and the places of its citations are in it."""
    check_places(tmp_path / "draft.typ", text)


def test_deep_nesting() -> None:
    """Content in content in content does not exhaust the stack."""
    assert sentences(draft("#a[" * 3000 + "It works." + "]" * 3000)) is not None
