"""Keys that are being typed; ``|`` is the cursor."""

from __future__ import annotations

import pytest

from citewhy.drafts.typed import TypedKey, typed_key, written_key


def typed(format_name: str, marked: str) -> tuple[str, str, tuple[str, ...], str] | None:
    """What is typed at the cursor: letters, the whole key, the others, and the whole citation."""
    offset = marked.index("|")
    text = marked.replace("|", "", 1)
    key = typed_key(format_name, text, offset)
    if key is None:
        return None
    assert key.start <= offset <= key.end
    return key.letters, text[key.start : key.end], key.beside, text[slice(*key.citation)]


@pytest.mark.parametrize(
    ("format_name", "marked", "expected"),
    [
        ("latex", r"as shown \cite{|} by", ("", "", (), r"\cite{}")),
        ("latex", r"as shown \cite{fou|", ("fou", "fou", (), r"\cite{fou")),
        (
            "latex",
            r"as \citep[see][p.~3]{fou|cault75} by",
            ("fou", "foucault75", (), r"\citep[see][p.~3]{foucault75}"),
        ),
        ("latex", r"\citet*{a, b|,c}", ("b", "b", ("a", "c"), r"\citet*{a, b,c}")),
        ("latex", r"\autocites[1]{one}[2]{tw|o}[3]{three}", ("tw", "two", (), r"\autocites[1]{one}[2]{two}")),
        ("latex", r"\volcite{2}[p. 1]{ke|y}", ("ke", "key", (), r"\volcite{2}[p. 1]{key}")),
        ("latex", r"\textcquote[12]{ke|y}{words}", ("ke", "key", (), r"\textcquote[12]{key}")),
        ("latex", r"\nocite{a|}", ("a", "a", (), r"\nocite{a}")),
        ("latex", "\\cite{a,\n  b|}", ("b", "b", ("a",), "\\cite{a,\n  b}")),
        ("latex", r"\footnote{See \cite{|}.}", ("", "", (), r"\cite{}")),
        (
            "markdown",
            "as shown [see @fou|; @other, p. 3] by",
            ("fou", "fou", ("other",), "[see @fou; @other, p. 3]"),
        ),
        ("markdown", "as @fou|cault says", ("fou", "foucault", (), "@foucault")),
        ("markdown", "as [@| says", ("", "", (), "[@")),
        ("markdown", "as [-@fou|] says", ("fou", "fou", (), "[-@fou]")),
        ("markdown", "as {cite:p}`a,b|` says", ("b", "b", ("a",), "{cite:p}`a,b`")),
        ("markdown", r"as \citep{fou|} says", ("fou", "fou", (), r"\citep{fou}")),
        ("typst", 'as #cite(<fou|>, form: "prose") says', ("fou", "fou", (), '#cite(<fou>, form: "prose")')),
        ("typst", "as @fou|cault says", ("fou", "foucault", (), "@foucault")),
        ("org", "as [cite:@fou|;@other] says", ("fou", "fou", ("other",), "[cite:@fou;@other]")),
        ("org", "as [cite/t:see @| says", ("", "", (), "[cite/t:see @")),
        ("org", "as cite:a,fou| says", ("fou", "fou", ("a",), "cite:a,fou")),
        ("plain", r"as [@fou|] says", ("fou", "fou", (), "[@fou]")),
    ],
)
def test_a_key_is_seen_while_it_is_typed(
    format_name: str, marked: str, expected: tuple[str, str, tuple[str, ...], str]
) -> None:
    assert typed(format_name, marked) == expected


@pytest.mark.parametrize(
    ("format_name", "marked"),
    [
        ("latex", r"as shown \emph{fou|}"),
        ("latex", r"as shown \cite{foucault}| by"),
        ("latex", r"\cite{a} and {b|}"),
        ("latex", r"% \cite{fou|}"),
        ("latex", r"\citestyle{fou|}"),
        ("latex", r"\volcite{2|}{key}"),
        ("latex", "\\cite{a\n\nfou|"),
        ("markdown", "write to someone@example|.org"),
        ("markdown", "see @fig-one|"),
        ("markdown", "plain words|"),
        ("typst", "#link(<a>|)"),
        ("org", "[[file:a|]]"),
    ],
)
def test_elsewhere_no_key_is_typed(format_name: str, marked: str) -> None:
    assert typed(format_name, marked) is None


def test_a_bare_key_is_told_from_one_in_brackets() -> None:
    bare, bracketed = typed_key("markdown", "as @a", 5), typed_key("markdown", "as [@a]", 6)
    assert isinstance(bare, TypedKey)
    assert bare.bare
    assert isinstance(bracketed, TypedKey)
    assert not bracketed.bare


def test_an_unusual_key_is_written_in_braces_in_markdown() -> None:
    assert written_key("markdown", "a//b") == "{a//b}"
    assert written_key("markdown", "a-b") == written_key("latex", "a-b") == "a-b"
