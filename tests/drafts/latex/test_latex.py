"""The text of LaTeX drafts: what it says and where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from latex_drafts import cut, make, markers, sentences, texts

from citewhy.drafts import read_files


def test_text_is_plain_unicode(tmp_path: Path) -> None:
    """Accents, quotes, dashes, ties and escaped signs are what a reader sees; commands are gone."""
    body = (
        r"Daum\'e, \v{S}najder, M{\"u}ller and Stra\ss e~say ``50\,\% \& more'' -- or --- \emph{less}: "
        r"\textbf{it's {\it so}} \dots"
    )
    assert texts(make(tmp_path, body)) == [
        "Daumé, Šnajder, Müller and Straße say “50 % & more” – or — less: it’s so …"
    ]


def test_mathematics_is_one_word(tmp_path: Path) -> None:
    """Formulas read MATH, displayed ones keep the stop that ends their sentence."""
    body = (
        "Let $x_{\\text{a b}}$ and \\(y\\) be\n\\begin{align*}x &= y,\\\\ z &= 1.\\end{align*}\n"
        "Then \\[a\\] holds."
    )
    assert texts(make(tmp_path, body)) == ["Let MATH and MATH be MATH.", "Then MATH holds."]


def test_formulas_join_no_words(tmp_path: Path) -> None:
    """Words around a formula stay words."""
    assert texts(make(tmp_path, "Japanese$\\to$English, $n$-grams, the $i$th, ($x$).")) == [
        "Japanese MATH English, MATH-grams, the MATH th, (MATH)."
    ]


def test_sentence_has_the_place_of_its_text(tmp_path: Path) -> None:
    """A sentence's place begins at its first character and ends behind its last, markers included."""
    manuscript = make(tmp_path, "One thing. \\citet{bleu} show\nanother \\emph{one}~\\cite{rouge}. Last.")
    places = [s.place for s in sentences(manuscript)]
    assert [cut(p.file, p.start, p.end) for p in places] == [
        "One thing.",
        "\\citet{bleu} show\nanother \\emph{one}~\\cite{rouge}.",
        "Last.",
    ]
    assert [p.line for p in places] == [4, 4, 5]


def test_paragraphs_end_at_blank_lines_and_lists(tmp_path: Path) -> None:
    """A comment's line is no blank line; an item is a paragraph; a formula ends nothing."""
    body = "A a\n% c\nb.\n\nC.\\par D.\n\\begin{itemize}\\item E.\n\\item[x] F.\\end{itemize}G $x$\n$$y$$ h."
    manuscript = make(tmp_path, body)
    joined = [" ".join(s.text for s in p.sentences) for p in manuscript.paragraphs]
    assert joined == ["A a b.", "C.", "D.", "E.", "x F.", "G MATH MATH h."]


def test_a_heading_that_begins_with_a_reference(tmp_path: Path) -> None:
    """What separated the number from the title is no part of the section's name."""
    body = r"\section*{\autoref{ch:one}: Contact of Bodies, and More.} Text."
    sections = [p.section for p in make(tmp_path, body).paragraphs]
    assert sections == ["Contact of Bodies, and More."] * 2


def test_headings_are_sentences_and_sections(tmp_path: Path) -> None:
    """A heading is text, and the section of what follows it, its footnotes and captions included."""
    body = (
        "\\section*{On \\textsc{bleu}}\nText.\\footnote{Note.}\n"
        "\\begin{figure}[t]\\caption{Cap.}\\end{figure}"
    )
    manuscript = make(tmp_path, body)
    placed_sentences = [(p.section, s.text) for p in manuscript.paragraphs for s in p.sentences]
    assert placed_sentences == [("On bleu", t) for t in ("On bleu", "Text.", "Note.", "Cap.")]


def test_notes_do_not_interrupt_sentences(tmp_path: Path) -> None:
    """A footnote or a float in the middle of a sentence is a paragraph of its own, after it."""
    body = "We use\\footnote{See \\cite{bleu}.} this\n\\begin{table}\\caption{C.}\\end{table} often."
    manuscript = make(tmp_path, body)
    assert texts(manuscript) == ["We use this often.", "See.", "C."]
    assert [m.keys for m in markers(manuscript)] == [("bleu",)]


def test_comments_and_what_is_left_out_are_no_text(tmp_path: Path) -> None:
    """%, iffalse, comments, verbatim text and all behind the document's end are not read."""
    body = (
        "Ants run. % \\cite{bleu} }\n\\iffalse { B \\ifx\\a\\b \\cite{rouge} \\fi \\else Cats run. \\fi\n"
        "\\begin{comment} \\cite{x} } \\end{comment}Dogs go.\n\\begin{verbatim}\\cite{y} { %\\end{verbatim}\n"
        "\\verb|\\cite{z}| E.\\end{document} F. \\cite{w}"
    )
    manuscript = make(tmp_path, body)
    assert texts(manuscript) == ["Ants run.", "Cats run.", "Dogs go.", "E."]
    assert markers(manuscript) == []
    assert manuscript.problems == ()


@pytest.mark.parametrize(
    "shown",
    [
        *("\\verb|\\cite{}|", "\\verb*+\\cite{?}+", "\\Verb[fontsize=\\small]|\\cite{TODO}|"),
        *("\\lstinline|\\cite{}|", "\\lstinline{\\cite{}}", "\\lstinline[language=TeX]{\\cite{?}}"),
        *("\\mintinline{tex}|\\cite{}|", "\\mintinline[breaklines]{tex}{\\cite{}}"),
    ],
)
def test_commands_that_are_shown(tmp_path: Path, shown: str) -> None:
    """A command that a sentence is about is no word of it, and no citation; other verbatim text is read."""
    body = f"We write {shown} for it, and \\verb|numpy.dot| for that \\cite{{}}.\\footnote{{A {shown} B.}}"
    manuscript = make(tmp_path, body)
    assert texts(manuscript) == ["We write for it, and numpy.dot for that.", "A B."]
    (marker,) = markers(manuscript)
    assert marker.place.start == (tmp_path / "draft.tex").read_text(encoding="utf-8").index(" \\cite{}.") + 1
    assert manuscript.problems == ()


def test_switches_decide(tmp_path: Path) -> None:
    """newif, let to iftrue, etoolbox's toggles and ifthen's booleans choose what is read."""
    preamble = (
        "\\newif\\ifdraft\\drafttrue\\newif\\iffinal\\let\\ifother\\iftrue"
        "\\usepackage{etoolbox}\\newtoggle{long}\\toggletrue{long}\\newboolean{shown}"
    )
    body = (
        "\\ifdraft A\\else B\\fi \\iffinal C\\else D\\fi \\draftfalse\\ifdraft E\\fi \\ifother F\\fi "
        "\\iftoggle{long}{G}{H} \\ifthenelse{\\boolean{shown}}{I}{J} \\ifbool{long}{K}{L}."
    )
    assert texts(make(tmp_path, body, preamble=preamble)) == ["ADFG J K."]


def test_undecided_conditionals_lose_nothing(tmp_path: Path) -> None:
    """Where TeX would have to be run to know, both texts are read."""
    assert texts(make(tmp_path, "\\ifx\\a\\b Yes\\else No\\fi, \\ifnum\\value{page}>1 x\\fi.")) == [
        "YesNo, x."
    ]


def test_citations_in_tables_and_algorithms_are_found(tmp_path: Path) -> None:
    """A table's rows are no sentences, except that a row which cites is kept with its text."""
    body = (
        "Text.\n\\begin{table}\\begin{tabular}{ll}\\hline A & 1 \\\\ \\hline BLEU \\cite{bleu} & 2 \\\\\n"
        "C & 3\\end{tabular}\\end{table}\n"
        "\\begin{algorithm}\\begin{algorithmic}[1]\\State $x$ \\Comment{as \\citet{rouge}}\n"
        "\\end{algorithmic}\\end{algorithm}\n\\begin{equation}a \\text{ by \\cite{bleu}}\\end{equation}"
    )
    manuscript = make(tmp_path, body)
    assert texts(manuscript) == ["Text.", "MATH", "BLEU 2", "as"]
    assert [m.keys for m in markers(manuscript)] == [("bleu",), ("bleu",), ("rouge",)]


def test_unknown_commands_keep_their_arguments(tmp_path: Path) -> None:
    """A command that nobody knows is left out; its braces' text stays, its options go unless they cite."""
    body = "\\foo[a=b]{Some \\bar{text}} \\baz[\\cite{bleu}]{x}, \\qux[sic]."
    manuscript = make(tmp_path, body)
    assert texts(manuscript) == ["Some text x, [sic]."]
    assert [m.keys for m in markers(manuscript)] == [("bleu",)]


def test_arguments_that_are_no_text(tmp_path: Path) -> None:
    """Labels, lengths, colours, addresses and pictures leave nothing behind."""
    body = (
        "\\vspace*{-1em}\\label{a}See Section~\\ref{a}. \\textcolor[rgb]{0,1,0}{Green}, "
        "\\href{http://a.b/%20#x}{link} \\url{http://x_y%z}.\n\\parindent=0pt \\hskip 2pt plus 1fill x"
        "\\includegraphics[width=1cm]{f}\\multirow{2}{*}{M}"
    )
    assert texts(make(tmp_path, body)) == ["See Section.", "Green, link.", "xM"]


@pytest.mark.parametrize(
    "preamble",
    [
        "\\title{Roots of \\emph{rice}}",
        "\\thesistitle{Roots of rice}",
        "\\thesistitle{Roots of rice}\\title{\\ttitle}",
        "\\newcommand{\\thesistitle}{Roots of rice}\\title{\\thesistitle}",
        "\\newcommand{\\thesistitle}[1]{\\def\\ttitle{#1}}\\thesistitle{Roots of rice}\\title{\\ttitle}",
    ],
)
def test_titles(preamble: str) -> None:
    """Classes of universities have commands of their own for the title, which a draft may define itself."""
    draft = read_files(
        {"a.tex": f"\\documentclass{{book}}{preamble}\\begin{{document}}Text.\\end{{document}}"}
    )
    assert draft.title == "Roots of rice"


@pytest.mark.parametrize(
    "note",
    [
        *(r"\fxnote{Say more.}", r"\pdfcomment{Say more.}", r"\fixme[inline]{Say more.}"),
        r"\newcommand{\abcomment}[1]{\textcolor{red}{[AB: #1]}}\abcomment{Say more.}",
        r"\renewcommand{\comment}[1]{{\color{magenta}#1}}\comment{Say more.}",
        r"\newcommand{\Note}[2][]{\marginpar{#1: #2}}\Note[AB]{Say more.}",
        r"\newcommand{\abnote}[1]{\textcolor{red}{#1}}\abnote{Say more.}",
        r"\newcommand{\annsRemark}[1]{\textcolor{red}{#1}}\annsRemark{Say more.}",
    ],
)
def test_notes_of_authors_are_no_text(tmp_path: Path, note: str) -> None:
    """Whether a package has the command or the draft; citations in them are kept. Other colours are text."""
    body = rf"Ants {note} run. \newcommand{{\key}}[1]{{\textcolor{{red}}{{#1}}}}Cats \key{{go}}."
    assert texts(make(tmp_path, body)) == ["Ants run.", "Cats go."]
    assert [m.keys for m in markers(make(tmp_path, body.replace("more", r"\cite{bleu}")))] == [("bleu",)]


@pytest.mark.parametrize("command", [r"\keynote", r"\denote", r"\coremark", r"\firemarks", r"\remarkable"])
def test_commands_that_have_note_within_a_word(tmp_path: Path, command: str) -> None:
    """They, and a remark in a box, are text."""
    body = rf"\newcommand{{{command}}}[1]{{\textcolor{{red}}{{#1}}}}The {command}{{talk}} is long."
    boxed = r"\newcommand{\remark}[1]{\colorbox{gray}{#1}}\remark{It is.}"
    assert texts(make(tmp_path, f"{body} {boxed}")) == ["The talk is long.", "It is."]
