"""LaTeX drafts made of anything: reading gives a manuscript or one of our errors, soon, with true places."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from growth import assert_linear
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from latex_drafts import BIB, markers, placed, sentences

from citewhy.base.errors import CiteWhyError
from citewhy.base.records import Manuscript
from citewhy.drafts.latex import reader as latex

_PIECES = [
    *(
        "\\cite",
        "\\citep",
        "\\citet*",
        "\\cites",
        "\\citeneeded",
        "[CITE]",
        "[?]",
        "{bleu}",
        "{}",
        "{?}",
        "{bleu,x}",
    ),
    *(
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "$",
        "$$",
        "\\(",
        "\\)",
        "\\[",
        "\\]",
        "%",
        "#1",
        "#",
        "&",
        "~",
        "\\\\",
        "\\",
    ),
    *(
        "\n",
        "\n\n",
        "\r\n",
        " ",
        "\t",
        "word",
        "Word. ",
        "é",
        "'",
        "``",
        "''",
        "--",
        "_",
        "^",
        "*",
        "=",
        "|",
        "\0",
    ),
    *(
        "\\section",
        "\\footnote{",
        "\\caption{",
        "\\item",
        "\\emph{",
        "\\title{",
        "\\author{",
        "\\And",
        "\\date{",
    ),
    *("\\begin{itemize}", "\\end{itemize}", "\\begin{tabular}{l}", "\\end{tabular}", "\\begin{equation}"),
    *(
        "\\end{equation}",
        "\\begin{table}",
        "\\end{table}",
        "\\begin{verbatim}",
        "\\end{verbatim}",
        "\\begin{",
        "\\end{",
    ),
    *(
        "\\begin{abstract}",
        "\\end{abstract}",
        "\\begin{document}",
        "\\end{document}",
        "\\begin{thebibliography}{1}",
    ),
    *(
        "\\bibitem{a}",
        "\\end{thebibliography}",
        "\\newblock",
        "\\bibliography{refs}",
        "\\bibliography{",
        "\\nocite{*}",
    ),
    *(
        "\\newcommand{\\a}[1]{",
        "\\newcommand{\\a}",
        "\\def\\a#1{",
        "\\def\\a",
        "\\def\\b#1.#2{",
        "\\let\\a=",
        "\\a",
        "\\b",
    ),
    *("\\newenvironment{e}{", "\\begin{e}", "\\end{e}", "\\NewDocumentCommand{\\b}{s O{x} m}{", "\\xspace"),
    *(
        "\\newif\\ifx",
        "\\iffalse",
        "\\iftrue",
        "\\ifx",
        "\\else",
        "\\fi",
        "\\iftoggle{x}",
        "\\csname",
        "\\endcsname",
    ),
    *(
        "\\input{draft}",
        "\\input{part}",
        "\\input",
        "\\include{part}",
        "\\import{.}{part}",
        "\\usepackage{part}",
    ),
    *("\\verb|", "\\url{", "\\href{", "\\'", "\\c", "\\ss", "\\makeatletter", "\\@ifstar", "\\@ifnextchar["),
    *(
        "\\endinput",
        "\\twocolumn[",
        "\\hskip",
        "=1pt",
        "\\ensuremath{",
        "\\multicolumn",
        "\\includegraphics[x]{y}",
    ),
]


def _long_soup(seed: int) -> str:
    """Hypothesis likes short examples; long ones have more that goes wrong together."""
    chance = random.Random(seed)
    return "".join(chance.choices(_PIECES, k=chance.randint(50, 300)))


_soup = st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=6)), max_size=60).map("".join)
_in_document = _soup.map(lambda text: f"\\begin{{document}}{text}\\bibliography{{refs}}")
_drafts = st.one_of(
    _soup.map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.integers(0)
    .map(_long_soup)
    .map(lambda text: f"\\begin{{document}}{text}\\bibliography{{refs}}".encode()),
    _in_document.map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.binary(max_size=200),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "refs.bib").write_text(BIB, encoding="utf-8")
    (folder / "part.tex").write_text("Part \\cite{bleu} \\a{x}.\n\n\\def\\b{y}", encoding="utf-8")
    (folder / "part.sty").write_text("\\def\\c#1{z#1}", encoding="utf-8")
    return folder


def _read(folder: Path, data: bytes) -> Manuscript | None:
    """What reading gives, None for one of our errors; any other is the test's failure."""
    root = folder / "draft.tex"
    root.write_bytes(data)
    try:
        manuscript = latex.read(root)
    except CiteWhyError:
        manuscript = None
    return manuscript


def _check(manuscript: Manuscript) -> None:
    """Places are inside their files, markers begin with their command and stand in their sentence."""
    for sentence in sentences(manuscript):
        assert 0 <= sentence.place.start <= sentence.place.end
        assert "\n" not in sentence.text
        for marker in sentence.markers:
            assert 0 <= marker.offset <= len(sentence.text)
    for marker in markers(manuscript):
        written = placed(marker)
        assert written.startswith(("[", "(") if marker.command == "open" else f"\\{marker.command}")
        if marker.slot is not None:
            assert marker.slot.file == marker.place.file
            assert marker.place.start <= marker.slot.start <= marker.slot.end <= marker.place.end


def _fuzz(folder: Path, data: bytes) -> None:
    manuscript = _read(folder, data)
    if manuscript is not None:
        _check(manuscript)


_settings = settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@settings(_settings, max_examples=300)
@given(data=_drafts)
@example(data=b"{" * 3000)
@example(data=b"\\begin{document}" + b"\\footnote{" * 3000)
@example(data=b"\\cite" * 1000)
def test_anything_is_read_or_refused(folder: Path, data: bytes) -> None:
    """Random text and bytes raise nothing but our own errors."""
    _fuzz(folder, data)


@pytest.mark.full
@settings(_settings, max_examples=7_000)
@given(data=_drafts)
def test_anything_is_read_or_refused_in_full(folder: Path, data: bytes) -> None:
    """As above, with more examples."""
    _fuzz(folder, data)


_DRAFT = r"""\documentclass{article}
\newcommand{\me}[2][x]{#1 and \citet{#2}} \newif\ifdraft \drafttrue
\title{A Title} \author{Ann Lee$^1$ \And Bo Li \\ X}
\begin{document}
\begin{abstract} Short. \end{abstract}
\section{One} We \emph{cite} \citep[see][p.~3]{bleu,rouge}. \me{bleu} \ifdraft yes \else no \fi.
\begin{table}\begin{tabular}{lr} a & \cite{bleu} \\ b & $x^{2}$ \end{tabular}\caption{C \cite{?}.}\end{table}
\input{part} \footnote{N \cite{TODO}.} \verb|x| \'e \url{http://a.b/%20} [CITE]
\begin{align} x &= y. \label{e} \end{align}
% comment \cite{no}
\begin{itemize} \item A. \item[b] B. \end{itemize}
\bibliography{refs}
\end{document}
"""


def _mutated(seed: int) -> bytes:
    """The draft with a few places cut, doubled, moved or overwritten."""
    chance = random.Random(seed)
    text = _DRAFT
    for _ in range(chance.randint(1, 8)):
        a, b = sorted(chance.randrange(len(text)) for _ in range(2))
        b = min(b, a + chance.choice((1, 3, 30, 300)))
        c = chance.randrange(len(text))
        text = chance.choice(
            [
                text[:a] + text[b:],
                text[:b] + text[a:],
                text[:c] + text[a:b] + text[c:],
                text[:a] + chance.choice(_PIECES) + text[a:],
            ]
        )
    return text.encode()


@pytest.mark.parametrize("start", range(0, 300, 100))
def test_broken_drafts(folder: Path, start: int) -> None:
    """A real draft with damage is read or refused."""
    for seed in range(start, start + 100):
        _fuzz(folder, _mutated(seed))


@pytest.mark.full
def test_broken_drafts_in_full(folder: Path) -> None:
    """As above, three thousand times."""
    for seed in range(1_000, 4_000):
        _fuzz(folder, _mutated(seed))


_HEAD = "\\newcommand{\\red}[1]{#1}\\def\\a#1;{#1}\\begin{document}"


@pytest.mark.parametrize(
    "unit",
    ["{", "}", "$", "\\iffalse", "\\red{", "\\cite{", "\\footnote{a", "[", "\\foo[", "\\begin{a}",
     "\\end{a}", "a. ", "\\citet{bleu} b. ", "\\input{part} ", "\\a x", "\\begin{comment}", "\\verb|",
     "\\csname ", "x"],
)  # fmt: skip
def test_much_of_the_same(folder: Path, unit: str) -> None:
    """Eight times as much takes eight times as long, or little more, whatever is never closed."""
    assert_linear(lambda text: _fuzz(folder, f"{_HEAD}{text}".encode()), unit, size=16_000)
