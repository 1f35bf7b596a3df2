"""Markdown drafts."""

from __future__ import annotations

from pathlib import Path

import pytest
from growth import assert_linear
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citewhy.base.errors import CiteWhyError, InputError
from citewhy.base.records import Manuscript, Marker, Paragraph
from citewhy.drafts.edit.citations import fill
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


# Citations ------------------------------------------------------------------------------------------------

FORMS: list[tuple[str, str, tuple[str, ...], bool, str | None, bool]] = [
    # text, marker, keys, open, slot, in text
    ("It works [@bleu].", "[@bleu]", ("bleu",), False, "@bleu", False),
    ("It works [@bleu; @rouge].", "[@bleu; @rouge]", ("bleu", "rouge"), False, "@bleu; @rouge", False),
    ("It works [@bleu, p. 3].", "[@bleu, p. 3]", ("bleu",), False, None, False),
    ("It [@bleu, p. 3; @rouge].", "[@bleu, p. 3; @rouge]", ("bleu", "rouge"), False, "@rouge", False),
    (
        "It works [see @bleu, pp. 3-4; also @rouge].",
        "[see @bleu, pp. 3-4; also @rouge]",
        ("bleu", "rouge"),
        False,
        None,
        False,
    ),
    ("Papineni [-@bleu] says", "[-@bleu]", ("bleu",), False, None, False),
    ("@bleu says", "@bleu", ("bleu",), False, "@bleu", True),
    ("-@bleu says", "-@bleu", ("bleu",), False, "@bleu", True),
    ("@bleu [p. 3] says", "@bleu [p. 3]", ("bleu",), False, "@bleu", True),
    ("@bleu [p. 3; also @rouge] says", "@bleu [p. 3; also @rouge]", ("bleu", "rouge"), False, "@bleu", True),
    ("see @{foo:bar.baz}.", "@{foo:bar.baz}", ("foo:bar.baz",), False, "@{foo:bar.baz}", True),
    ("see @foo:bar.baz.", "@foo:bar.baz", ("foo:bar.baz",), False, "@foo:bar.baz", True),
    ("so [@nobody].", "[@nobody]", ("nobody",), True, "@nobody", False),
    ("so [@bleu; @nobody].", "[@bleu; @nobody]", ("bleu", "nobody"), True, "@bleu; @nobody", False),
    ("so [see @bleu; @?].", "[see @bleu; @?]", ("bleu",), True, "@?", False),
    ("so [see @nobody, p. 3].", "[see @nobody, p. 3]", ("nobody",), True, "@nobody", False),
    ("so [@bleu; @TODO find it].", "[@bleu; @TODO find it]", ("bleu",), True, "@bleu; @TODO find it", False),
    ("as @nobody says", "@nobody", ("nobody",), True, "@nobody", True),
    ("so [@].", "[@]", (), True, "@", False),
    ("so [@?].", "[@?]", (), True, "@?", False),
    ("so [@TODO a paper on x].", "[@TODO a paper on x]", (), True, "@TODO a paper on x", False),
    ("so [CITE].", "[CITE]", (), True, "CITE", False),
    ("so [?].", "[?]", (), True, "?", False),
    ("so [citation needed].", "[citation needed]", (), True, "citation needed", False),
    ("so [add citation].", "[add citation]", (), True, "add citation", False),
    ("so (CITE).", "(CITE)", (), True, "(CITE)", False),
    ("so (citation needed).", "(citation needed)", (), True, "(citation needed)", False),
]


@pytest.mark.parametrize(
    ("text", "marker", "keys", "opened", "slot", "in_text"), FORMS, ids=[f[0] for f in FORMS]
)
def test_forms(
    folder: Path, text: str, marker: str, keys: tuple[str, ...], opened: bool, slot: str | None, in_text: bool
) -> None:
    """Every form gives its place, keys, slot, and whether it is open."""
    manuscript = draft(folder, f"First line\nof *this*: {text}\n")
    (citation,) = markers(manuscript)
    assert at(manuscript, citation.place.start, citation.place.end) == marker
    assert (citation.keys, citation.open, citation.in_text) == (keys, opened, in_text)
    assert (citation.slot and at(manuscript, citation.slot.start, citation.slot.end)) == slot
    assert citation.place.line == 6
    assert citation.command == "@"


@pytest.mark.parametrize(
    "text",
    [
        "mail me@example.com now",
        "escaped \\@bleu and \\[@bleu\\]"[:16],
        "code `@bleu` and `[@bleu]`",
        "math $@bleu$ and $$x_@bleu$$",
        "see <https://example.org/@bleu>",
        "see https://example.org/@bleu now",
        "a <!-- [@bleu] --> comment",
        "@fig:one and [@Sec:two; @tbl:three]",
        "@Fig:one, @Eq:two, @Tbl-three and [@Lst:four; @Thm-five]",
        "-@fig:one and [Figures @fig:a; @fig:b]",
        "a footnote[^bleu] here",
        "[a link](https://example.org) and [x]",
        "at @ home",
    ],
)
def test_what_is_no_citation(folder: Path, text: str) -> None:
    """Addresses, escapes, code, mathematics, comments and references to figures cite nothing."""
    assert markers(draft(folder, text + "\n")) == []


def test_blocks_that_are_no_text(folder: Path) -> None:
    """Code, comments, formulas, LaTeX environments and raw HTML give neither sentences nor markers."""
    body = (
        "```\n[@bleu]\n```\n\n    [@bleu]\n\n<!-- [@bleu]\n\n@bleu -->\n\n$$\n@bleu\n\n- x\n$$\n\n"
        "\\begin{align}\n[@bleu]\n\n# x\n\\end{align}\n\n<div class='@bleu'>\n"
    )
    manuscript = draft(folder, body)
    assert manuscript.paragraphs == ()


def test_citations_stand_where_text_stands(folder: Path) -> None:
    """Quotes, lists, tables, footnotes, captions, links, headings and divs are read, each with its places."""
    body = (
        "# Head [@bleu] {#sec:h}\n\n> quoted\n> text [@bleu;\n> @rouge]\nlazy\n\n"
        "- item [@bleu]\n    1. deep [@bleu]\n\n       more [@bleu]\n\n"
        "| a [@bleu] | b \\| [@rouge] |\n|---|---|\n| a [@bleu] | a [@bleu] |\n\n"
        "A note[^n] and an inline one^[like [@bleu] this].\n\n"
        "[^n]: Its text [@bleu].\n\n    Its second part [@bleu].\n\n"
        "![A caption [@bleu]](x.png){#fig:x}\n\n[A link to *@bleu*](https://example.org/@x)\n\n"
        "::: warning\nIn a div [@bleu].\n:::\n"
    )
    manuscript = draft(folder, body)
    written = [at(manuscript, m.place.start, m.place.end) for m in markers(manuscript)]
    odd = {"[@bleu;\n> @rouge]": 1, "[@rouge]": 1, "@bleu": 1}
    assert {text: written.count(text) for text in odd} == odd
    assert written.count("[@bleu]") == len(written) - 3 == 12
    assert all(
        m.slot and at(manuscript, m.slot.start, m.slot.end).startswith("@") for m in markers(manuscript)
    )


def test_text_around_citations(folder: Path) -> None:
    """Sentences are plain text without markers; offsets say where these stood; places are in the source."""
    body = (
        "We *follow* @bleu [p. 3] here; $x$ is `code` &amp; more [@rouge]. It **works**. [@bleu] "
        "Papineni [-@bleu] did it, e.g. on\nseveral [lines](https://x.org). The end (@rouge).\n"
    )
    manuscript = draft(folder, body)
    (paragraph,) = manuscript.paragraphs
    assert [(s.text, [m.offset for m in s.markers]) for s in paragraph.sentences] == [
        ("We follow here; MATH is & more.", [10, 30]),
        ("It works.", [9]),
        ("Papineni did it, e.g. on several lines.", [9]),
        ("The end.", [7]),
    ]
    first = paragraph.sentences[0]
    assert at(manuscript, first.place.start, first.place.end) == body[: body.index(" It **works**")]


def test_sections_and_title(folder: Path) -> None:
    """A first heading is the title where the front matter has none; the others are sections."""
    manuscript = draft(
        folder, "# My *Title*\n\nText.\n\n## Abstract\n\nWe do [@bleu] it.\n\nMethod {#m}\n------\n\nIt.\n"
    )
    assert manuscript.title == "My Title"
    assert [(p.section, p.sentences[0].text) for p in manuscript.paragraphs] == [
        ("", "Text."),
        ("Abstract", "We do it."),
        ("Method", "It."),
    ]
    assert manuscript.abstract == "We do it."


# Odd files ------------------------------------------------------------------------------------------------

ODD_BODY = (
    "# Ein Tïtel\n\nWïr *folgen* [@bleu]\nund ☃ @rouge [p. 3]. Ünd [@nobody].\n\n> Zitat [@]\n> Ende.\n"
)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_line_ends_and_byte_order_marks_keep_places(folder: Path, newline: str, encoding: str) -> None:
    """CRLF, CR and a BOM change no sentence, and every place is right in the text as decoded."""
    text = f"---\nbibliography: refs.bib\n---\n\n{ODD_BODY}".replace("\n", newline)
    path = folder / "draft.md"
    path.write_bytes(text.encode(encoding))
    manuscript = read(path)
    assert sentences(manuscript) == ["Wïr folgen und ☃.", "Ünd.", "Zitat Ende."]
    assert [text[m.place.start : m.place.end] for m in markers(manuscript)] == [
        "[@bleu]",
        "@rouge [p. 3]",
        "[@nobody]",
        "[@]",
    ]
    assert [m.place.line for m in markers(manuscript)] == [7, 8, 8, 10]


def test_latin_1(tmp_path: Path) -> None:
    """A file that is not UTF-8 is read as Windows-1252; places count its characters."""
    path = tmp_path / "draft.md"
    path.write_bytes("Für [@x] gut.".encode("cp1252"))
    manuscript = read(path)
    assert sentences(manuscript) == ["Für gut."]
    assert markers(manuscript)[0].place.start == 4
    assert manuscript.problems == (
        f"{path}:1: invalid UTF-8 (byte 2 of the line): the whole file is read as cp1252;"
        " save the file as UTF-8",
    )


def test_empty_missing_and_foreign_files(tmp_path: Path) -> None:
    """An empty file is an empty draft; a missing one and UTF-16 are errors that say so."""
    path = tmp_path / "draft.md"
    path.write_bytes(b"")
    assert read(path).paragraphs == ()
    with pytest.raises(InputError, match="nowhere"):
        read(tmp_path / "nowhere.md")
    path.write_bytes("Text".encode("utf-16"))
    with pytest.raises(InputError, match="UTF-16"):
        read(path)


# Properties -----------------------------------------------------------------------------------------------

MARKUP = [
    "[@bleu]", "[@", "@bleu", "[see @bleu, p. 3; -@rouge]", "@x [p. 3]", "[CITE]", "[?]", "[@?]",
    "^[note", "]", "[", "(", ")", "(http://x.y)", "![cap @bleu](x)", "`", "```", "$", "$$", "*", "**",
    "_", "\\", "\\@", "<!--", "-->", "<b>", "&amp;", "[^1]", "[^1]: ", "# ", "> ", "- ", "1. ",
    "| a | b |", "|---|---|", "    ", "\t", "---", "===", ":::", "{#id}", "\\begin{x}", "\\end{x}",
    "Text.", "More text", "e.g.", "\n", "\n", "\n\n", "\r\n", "\0", "\f", " ", " ", "[a]: b", "[a]",
    "@{x y}", "@{x:y}", "title: x", "bibliography: refs.bib", "\u2028", "\u00e9",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(MARKUP) | st.text(max_size=4), max_size=40).map("".join)


def assert_consistent(text: str, manuscript: Manuscript) -> None:
    assert all(assert_paragraph_consistent(text, paragraph) for paragraph in manuscript.paragraphs)


def assert_paragraph_consistent(text: str, paragraph: Paragraph) -> bool:
    for sentence in paragraph.sentences:
        place = sentence.place
        assert 0 <= place.start < place.end <= len(text)
        assert sentence.text == sentence.text.strip()
        offset = 0
        for marker in sentence.markers:
            assert place.start <= marker.place.start < marker.place.end <= place.end
            said = text[marker.place.start : marker.place.end]
            assert said[0] in "[@-"
            assert said[-1] == "]" or marker.in_text
            assert all(key.replace("\ufffd", "\0") in said for key in marker.keys)
            assert offset <= marker.offset <= len(sentence.text)
            offset = marker.offset
            if marker.slot is not None:
                assert marker.place.start <= marker.slot.start <= marker.slot.end <= marker.place.end
                assert (
                    marker.slot.line
                    == text.replace("\r\n", " \n").replace("\r", "\n")[: marker.slot.start].count("\n") + 1
                )
    return True


def check_random_text(folder: Path, text: str) -> None:
    path = folder / "random.md"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        manuscript = read(path)
    except CiteWhyError:
        return
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert_consistent(text.removeprefix("\ufeff"), manuscript)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS)
def test_random_text(folder: Path, text: str) -> None:
    """Whatever is written: a draft whose places fit, or a CiteWhyError."""
    check_random_text(folder, text)


@pytest.mark.full
@settings(max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS)
def test_random_text_full(folder: Path, text: str) -> None:
    """The same, with the full number of examples."""
    check_random_text(folder, text)


@pytest.mark.full
@settings(max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=300))
def test_random_bytes_full(tmp_path: Path, data: bytes) -> None:
    """Random bytes raise nothing but a CiteWhyError."""
    path = tmp_path / "random.md"
    path.write_bytes(data)
    try:
        read(path)
    except CiteWhyError:
        return


HOSTILE = [
    "(",
    "[",
    "[@",
    "![",
    "A et al. ",
    "[@a [",
    "@a ",
    "*a_",
    "`",
    "<!--",
    "> ",
    "- ",
    "|",
    "$a ",
    "^[",
    "[^1]: a\n",
]
HOSTILE_TOO = [
    "[@a;",
    "[@a]",
    "$$\n",
    "a\n",
    "- a\n",
    "a|b\n-|-\n",
    "\\",
    "&",
    "<a",
    "\\begin{a}\n",
    "---\n",
    "](",
]


def assert_quick(folder: Path, unit: str, size: int = 80_000) -> None:
    path = folder / "hostile.md"

    def work(text: str) -> None:
        path.write_text(text)
        read(path)

    assert_linear(work, unit, size)


@pytest.mark.parametrize("unit", ["(", "[@", "A et al. "])
def test_time_grows_with_length_only(tmp_path: Path, unit: str) -> None:
    """Eight times as much of one thing takes eight times as long, or little more."""
    assert_quick(tmp_path, unit)


@pytest.mark.full
@pytest.mark.parametrize("unit", HOSTILE + HOSTILE_TOO)
def test_time_grows_with_length_only_full(tmp_path: Path, unit: str) -> None:
    """The same, for everything that Markdown gives a meaning."""
    assert_quick(tmp_path, unit, 100_000)


# Filling --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form", [form for form in FORMS if form[3]], ids=[form[0] for form in FORMS if form[3]]
)
def test_a_filled_marker_is_no_longer_open(
    folder: Path, form: tuple[str, str, tuple[str, ...], bool, str | None, bool]
) -> None:
    """Find, fill the slot, find again: the marker cites the key, keeps what it cited, and is not open."""
    manuscript = draft(folder, f"Before. {form[0]} After.\n")
    (marker,) = markers(manuscript)
    edit = fill(manuscript, marker, ["rouge"])
    text = at(manuscript, 0, 10_000)
    Path(edit.file).write_text(text[: edit.start] + edit.text + text[edit.end :])
    filled = read(Path(manuscript.path))
    keys = [key for citation in markers(filled) for key in citation.keys]
    assert keys == [*(key for key in form[2] if key == "bleu"), "rouge"]
    assert not any(citation.open for citation in markers(filled))
    assert sentences(filled) == sentences(manuscript)
