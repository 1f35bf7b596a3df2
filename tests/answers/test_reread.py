"""A draft of which one paragraph is read again is the draft that is read as a whole."""

from __future__ import annotations

import random

import pytest

from citewhy.answers.reread import change_of, read_paragraph_again
from citewhy.base.records import Manuscript
from citewhy.drafts import read_files

ROOT = r"""\documentclass{article}
\title{Weights}
\newcommand{\own}{our own system}
\begin{document}
\begin{abstract}
We measure translations \cite{bleu}.
\end{abstract}
\section{Introduction}
Translations are measured by BLEU \citep[see][]{bleu}. The measure has been criticised, as we
see below~\cite{och03}. Others use \own{} instead.

Weights are tuned \cite{och03,unknown}. An unfinished sentence

A paragraph\footnote{With a note, which says more \cite{bleu}.} has a note. It goes on here.
\input{chapter}
\section{The end}
All is said, 50\% of it twice. % but for this
\label{a}We thank $n$ people. \undefined[ Not closed
\bibliography{refs,more}
\end{document}
"""

CHAPTER = """\\subsection{Details}
Here, details of the measure are given \\cite{Bleu}. They are many.

\\begin{itemize}
\\item One is this.
\\item Another is that [CITE].
\\end{itemize}
"""

BIBLIOGRAPHY = """@misc{bleu, title = {BLEU}}
@misc{och03, title = {Minimum error rate training}}
"""

FILES = {"main.tex": ROOT, "chapter.tex": CHAPTER, "refs.bib": BIBLIOGRAPHY, "more.bib": ""}

WRITTEN = [
    *("word ", ". Then more", " (as said) ", "é", "\n", "~", "--", "``so''", ", e.g. "),
    *(r"\cite{och03}", r"\citep[see][3]{bleu,other}", r"\cite{}", "[CITE]", r"\cite{BLEU}", r"\cite{"),
    *("\n\n", "%", "$", "{", "}", r"\own", r"\section{A}", r"\emph{a}", r"\\", r"\input{x}", r"\footnote{a}"),
]


def read(files: dict[str, str]) -> Manuscript:
    return read_files(files, "main.tex")


@pytest.fixture(scope="module")
def draft() -> Manuscript:
    return read(FILES)


@pytest.mark.parametrize("seed", range(10))
def test_every_change(draft: Manuscript, seed: int) -> None:
    """Whatever is written wherever: what is read again is what would be read, or it is not read again."""
    chance = random.Random(seed)
    read_again = 0
    for _ in range(30):
        name = chance.choice(["main.tex", "main.tex", "chapter.tex"])
        text = FILES[name]
        at = chance.randrange(len(text))
        now = text[:at] + chance.choice(WRITTEN) + text[at + chance.choice([0, 0, 1, 4]) :]
        again = read_paragraph_again(draft, name, text, now)
        if again is not None:
            read_again += 1
            assert again == read({**FILES, name: now}), now
    assert read_again


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("Weights are tuned", "All weights are tuned"),
        ("tuned \\cite{och03,unknown}", "tuned \\cite{och03}"),
        ("unknown}. An unfinished sentence", "unknown}. An unfinished sentence is finished \\cite{new}."),
        ("unknown}. An", "unknown}.\nIn lines. An"),
        ("the measure are given", "the measure are often given"),
    ],
)
def test_a_sentence_is_read_alone(draft: Manuscript, before: str, now: str) -> None:
    """Text and citations within a paragraph, and at its end; everything behind it moves."""
    name = next(name for name, text in FILES.items() if before in text)
    text = FILES[name].replace(before, now)
    again = read_paragraph_again(draft, name, FILES[name], text)
    assert again is not None
    assert again == read({**FILES, name: text})
    assert again.references is draft.references


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("The end", "An end"),  # a heading, which names paragraphs
        ("We measure", "We have measured"),  # the abstract
        ("note. It goes", "note. Then it goes"),  # what a footnote hangs on
        ("With a note", "With some note"),
        ("instead.", "instead of \\own{}."),  # a macro that it did not have
        ("Weights are tuned", "Weights\n\nare tuned"),  # two paragraphs
        ("{och03,unknown}", "{och03,OCH03}"),  # a key of an entry, in other letters
        ("{och03,unknown}", "{och03,unknown"),
    ],
)
def test_what_reaches_beyond_its_paragraph_is_not_read_alone(
    draft: Manuscript, before: str, now: str
) -> None:
    assert read_paragraph_again(draft, "main.tex", ROOT, ROOT.replace(before, now)) is None


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("weights are", "weights were"),  # beside an acronym, which the paragraph alone does not know
        ("{Error Rate}", "{Error Ratio}"),  # in a definition
        ("Again. \\glsresetall", "Again."),
    ],
)
def test_what_acronyms_print_depends_on_the_rest(before: str, now: str) -> None:
    """Of a paragraph that uses, defines or resets one, the draft is read as a whole."""
    text = "The \\acrodef{er}[ER]{Error Rate}rate.\n\nAgain. \\glsresetall And again.\n\n"
    text += "The weights are \\gls{er}.\n"
    files = {"main.tex": f"\\begin{{document}}\n{text}\\bibliography{{refs}}\n", "refs.bib": BIBLIOGRAPHY}
    source = files["main.tex"]
    assert read_paragraph_again(read(files), "main.tex", source, source.replace(before, now)) is None


def test_other_formats_are_read_as_a_whole() -> None:
    text = "---\nbibliography: refs.bib\n---\n\nOne sentence [@bleu]. Another.\n"
    files = {"draft.md": text, "refs.bib": BIBLIOGRAPHY}
    now = text.replace("One", "A")
    assert read_paragraph_again(read_files(files, "draft.md"), "draft.md", text, now) is None


@pytest.mark.parametrize(
    ("before", "now", "change"),
    [("", "", (0, 0, 0)), ("aXb", "aYYb", (1, 2, 3)), ("aa", "a", (1, 2, 1)), ("ab", "cab", (0, 0, 1))],
)
def test_the_change_between_two_texts(before: str, now: str, change: tuple[int, int, int]) -> None:
    assert change_of(before, now) == change
