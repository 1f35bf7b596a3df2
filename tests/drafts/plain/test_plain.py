"""Drafts in plain text, and the lists of references that they print."""

from __future__ import annotations

from pathlib import Path

import pytest
from growth import assert_linear
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citewhy.base.errors import CiteWhyError, InputError
from citewhy.base.records import Manuscript, Marker
from citewhy.drafts.plain.reader import read

DRAFT = """A Study of Things
Ann Lee, Bo van Dam and Cy Ng

Abstract

We study things (Brown et al., 1993). It is
good [CITE].

1 Introduction

Och and Ney (2003) show it (see also Brown et al., 1993; ?). A state-of-
the-art thing. It works. (Lin, 1998) More (?) is
needed; Collins (1999) is unknown.
2. Method
We use intervals [1, 2] here (Wang et al., 2015b).

Results and More

They are fine [citation needed].

References

Brown, P. F., Della Pietra, S. A., & Mercer, R. L. (1993). The mathematics of
  statistical machine translation. Computational Linguistics, 19(2), 263–311.
Lin, D. (1998). Automatic retrieval. In COLING.
Och, F. J., & Ney, H. (2003). A systematic comparison. CL, 29(1).
Wang, A., Li, B., & Wu, C. (2015a). First. ACL.
Wang, A., Li, B., & Wu, C. (2015b). Second. ACL.

Appendix

More text here (Lin, 1998).
"""


def draft(folder: Path, text: str) -> Manuscript:
    path = folder / "draft.txt"
    path.write_bytes(text.encode())
    return read(path)


def markers(manuscript: Manuscript) -> list[Marker]:
    return [marker for p in manuscript.paragraphs for sentence in p.sentences for marker in sentence.markers]


def sentences(manuscript: Manuscript) -> list[tuple[str, str]]:
    return [(p.section, sentence.text) for p in manuscript.paragraphs for sentence in p.sentences]


def test_a_whole_draft(tmp_path: Path) -> None:
    """Title, authors, abstract, sections and sentences; no citation is left in the text."""
    manuscript = draft(tmp_path, DRAFT)
    assert manuscript.title == "A Study of Things"
    assert manuscript.authors == ("Ann Lee", "Bo van Dam", "Cy Ng")
    assert manuscript.abstract == "We study things. It is good."
    assert sentences(manuscript) == [
        ("Abstract", "We study things."),
        ("Abstract", "It is good."),
        ("Introduction", "show it."),
        ("Introduction", "A state-of-the-art thing."),
        ("Introduction", "It works."),
        ("Introduction", "More is needed; is unknown."),
        ("Method", "We use intervals [1, 2] here."),
        ("Results and More", "They are fine."),
        ("Appendix", "More text here."),
    ]


def test_markers_of_a_whole_draft(tmp_path: Path) -> None:
    """Printed citations get the keys of the entries that they mean; open ones have a slot."""
    manuscript = draft(tmp_path, DRAFT)
    facts = [
        (DRAFT[m.place.start : m.place.end], m.keys, m.open, m.in_text, m.command)
        for m in markers(manuscript)
    ]
    assert facts == [
        ("(Brown et al., 1993)", ("brown1993",), False, False, "author-year"),
        ("[CITE]", (), True, False, "open"),
        ("Och and Ney (2003)", ("och2003",), False, True, "author-year"),
        ("Brown et al., 1993", ("brown1993",), False, False, "author-year"),
        ("?", (), True, False, "open"),
        ("(Lin, 1998)", ("lin1998",), False, False, "author-year"),
        ("(?)", (), True, False, "open"),
        ("Collins (1999)", (), False, True, "author-year"),
        ("(Wang et al., 2015b)", ("wang2015b",), False, False, "author-year"),
        ("[citation needed]", (), True, False, "open"),
        ("(Lin, 1998)", ("lin1998",), False, False, "author-year"),
    ]
    assert all((m.slot == m.place) if m.open else (m.slot is None) for m in markers(manuscript))
    assert [m.place.line for m in markers(manuscript)][:3] == [6, 7, 11]
    assert [r.key for r in manuscript.references] == [
        "brown1993",
        "lin1998",
        "och2003",
        "wang2015a",
        "wang2015b",
    ]


def test_numbered_references(tmp_path: Path) -> None:
    """Numbers resolve to the entries that have them; ranges to all of theirs; unknown numbers to none."""
    text = (
        "Title\n\nIt works [1, 2], see [2-3] and Brown et al. [1]. Not [9].\n\nREFERENCES\n"
        "[1] P. Brown and R. Mercer, “First title,” Proc. ACL, 1993.\n"
        "[2] D. Lin, “Second title,”\n    in COLING, 1998.\n"
        "[3] F. Och. Third title. Computational Linguistics, 2003.\n"
    )
    manuscript = draft(tmp_path, text)
    assert [m.keys for m in markers(manuscript)] == [("1", "2"), ("2", "3"), ("1",), ()]
    assert [r.paper.title for r in manuscript.references] == ["First title", "Second title", "Third title"]
    assert not any(m.open for m in markers(manuscript))


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        ("T\n\n1. Intro\n\nText one.\n\n1.1 Sub part\n\nText two.\n", ["Intro", "Sub part"]),
        ("T\n\nINTRODUCTION\n\nText one.\n\nII. METHODS\nText two.\n", ["INTRODUCTION", "METHODS"]),
        (
            "T\n====\n\nIntroduction\n------------\nText one.\n\nOur Method\n~~~~\nText two.\n",
            ["Introduction", "Our Method"],
        ),
        ("T\n\nText one.\n\nA short line.\n\nText two.\n", ["", "", ""]),
        ("T\n\nText one\nof two lines.\n\na small line\n\nText two.\n", ["", "", ""]),
    ],
)
def test_headings(tmp_path: Path, text: str, sections: list[str]) -> None:
    """Numbered, known, underlined and short capitalised lines are headings; other lines are not."""
    assert [p.section for p in draft(tmp_path, text).paragraphs] == sections


@pytest.mark.parametrize(
    ("text", "title", "abstract"),
    [
        ("My title\n\nAbstract: We do it. And more.\n\nText.\n", "My title", "We do it. And more."),
        ("My title\n\nAbstract—We do it.\n\nText.\n", "My title", "We do it."),
        ("This is a paragraph with a\nfew lines and no title.\n", "", ""),
        ("We only have a sentence.\n\nAnd another.\n", "", ""),
        ("\n\n  Centred title\n\nText.\n", "Centred title", ""),
        ("Abstract\n\nWe do it.\n", "", "We do it."),
    ],
)
def test_title_and_abstract(tmp_path: Path, text: str, title: str, abstract: str) -> None:
    """An abstract may begin in its heading's line; a paragraph at the beginning is no title, and not lost."""
    manuscript = draft(tmp_path, text)
    assert (manuscript.title, manuscript.abstract) == (title, abstract)
    assert manuscript.paragraphs


@pytest.mark.parametrize(
    "form", ["[CITE]", "[?]", "(?)", "(CITE)", "[citation needed]", "[CITE: a paper on x]"]
)
def test_open_markers(tmp_path: Path, form: str) -> None:
    """Everything that asks for a citation is open, and is all slot."""
    text = f"T\n\nIt is known {form}. So.\n"
    (marker,) = markers(draft(tmp_path, text))
    assert marker.open
    assert marker.slot == marker.place
    assert text[marker.place.start : marker.place.end] == form


# Odd files ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_line_ends_keep_places(tmp_path: Path, newline: str) -> None:
    """CRLF and CR change no sentence, and places count characters as they are in the file."""
    text = DRAFT.replace("\n", newline)
    manuscript = draft(tmp_path, text)
    plain = draft(tmp_path, DRAFT)
    assert sentences(manuscript) == sentences(plain)
    assert [text[m.place.start : m.place.end] for m in markers(manuscript)] == [
        DRAFT[m.place.start : m.place.end] for m in markers(plain)
    ]
    assert [m.place.line for m in markers(manuscript)] == [m.place.line for m in markers(plain)]


def test_encodings_and_empty_files(tmp_path: Path) -> None:
    """Windows-1252 is read; an empty file is an empty draft; a missing one is an InputError."""
    path = tmp_path / "draft.txt"
    path.write_bytes("Über Dinge\n\nEs geht (Müller, 2001).\n".encode("cp1252"))
    manuscript = read(path)
    assert manuscript.title == "Über Dinge"
    assert sentences(manuscript) == [("", "Es geht.")]
    assert [problem.partition(" (")[0] for problem in manuscript.problems] == [f"{path}:1: invalid UTF-8"]
    path.write_bytes(b"")
    assert read(path).paragraphs == ()
    with pytest.raises(InputError):
        read(tmp_path / "nowhere.txt")


# Properties -----------------------------------------------------------------------------------------------

PIECES = [
    "Title", "Abstract", "References", "Appendix", "1 Intro", "Text here.", "More of it",
    "(Brown et al., 1993)", "Och and Ney (2003)", "[1, 2]", "[1]", "[CITE]", "(?)", "; ?)",
    "Smith, J. (2001). T. V.", "[1] A. Lee. T. 2001.", "et al.", "e.g.", "\n", "\n", "\n\n", "\r\n",
    " ", "    ", "-\n", "====", "(", ")", "Abstract:", "\x0c", "\0", "é",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=40).map("".join)


def check_random_text(folder: Path, text: str) -> None:
    path = folder / "random.txt"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        manuscript = read(path)
    except CiteWhyError:
        return
    if any("\ud800" <= character <= "\udfff" for character in text):
        return
    text = text.removeprefix("\ufeff")
    known = {reference.key for reference in manuscript.references}
    for sentence in (sentence for p in manuscript.paragraphs for sentence in p.sentences):
        assert 0 <= sentence.place.start < sentence.place.end <= len(text)
        # Nothing is added: the sentence's characters are in its place in their order.
        letters = iter(text[sentence.place.start : sentence.place.end])
        assert all(letter in letters for letter in sentence.text if letter != " ")
        offset = 0
        for marker in sentence.markers:
            assert sentence.place.start <= marker.place.start < marker.place.end <= sentence.place.end
            assert offset <= marker.offset <= len(sentence.text)
            assert set(marker.keys) <= known
            offset = marker.offset


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS)
def test_random_text(tmp_path: Path, text: str) -> None:
    """Whatever is written: a draft whose places fit, or a CiteWhyError."""
    check_random_text(tmp_path, text)


@pytest.mark.full
@settings(max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS)
def test_random_text_full(tmp_path: Path, text: str) -> None:
    """The same, with the full number of examples."""
    check_random_text(tmp_path, text)


@pytest.mark.full
@settings(max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=300))
def test_random_bytes_full(tmp_path: Path, data: bytes) -> None:
    """Random bytes raise nothing but a CiteWhyError."""
    path = tmp_path / "random.txt"
    path.write_bytes(data)
    try:
        read(path)
    except CiteWhyError:
        return


HOSTILE = [
    "A et al. ", "[@", "1999 ", "Smith (1999) ", "a. ", "a\n", "a\n\n", "A\n\n", "References\n",
    "1 A\n", ") ", "((", "[CITE", "[CITE] ", "(?)", "; ? ", "A-\n",
    "References\n\n[1] A. B. C 1999.\n", "A, B., ", "Aa, ", "Aa Bb, ", "A. ", "Aa and ",
]  # fmt: skip


def assert_quick(folder: Path, unit: str, before: str = "", size: int = 80_000) -> None:
    path = folder / "hostile.txt"

    def work(text: str) -> None:
        path.write_text(before + text)
        read(path)

    assert_linear(work, unit, size)


@pytest.mark.parametrize("unit", ["(", "[@", "A et al. "])
def test_time_grows_with_length_only(tmp_path: Path, unit: str) -> None:
    """Eight times as much of one thing takes eight times as long, or little more."""
    assert_quick(tmp_path, unit)


@pytest.mark.full
@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.parametrize("before", ["", "Title\n\nReferences\n\n"])
def test_time_grows_with_length_only_full(tmp_path: Path, unit: str, before: str) -> None:
    """The same for more things, in the text and in the list of references."""
    assert_quick(tmp_path, unit, before, 200_000)
