"""Citations in LaTeX drafts: commands, open markers, user macros that cite."""

from __future__ import annotations

from pathlib import Path

import pytest
from latex_drafts import cut, make, markers, placed, sentences, slotted, texts

# Citations ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "keys", "slot", "in_text"),
    [
        (r"\cite{bleu}", ("bleu",), "bleu", False),
        (r"\citep[see][p.~3]{bleu, rouge}", ("bleu", "rouge"), "bleu, rouge", False),
        (r"\citet*{bleu}", ("bleu",), "bleu", True),
        (r"\Citet{bleu}", ("bleu",), "bleu", True),
        (r"\newcite{bleu}", ("bleu",), "bleu", True),
        (r"\textcite[3]{bleu}", ("bleu",), "bleu", True),
        (r"\citeauthor{bleu}", ("bleu",), "bleu", True),
        (r"\citealp{bleu}", ("bleu",), "bleu", False),
        (r"\citeyear{bleu}", ("bleu",), "bleu", False),
        (r"\shortcite{bleu}", ("bleu",), "bleu", False),
        (r"\parencite{bleu}", ("bleu",), "bleu", False),
        (r"\autocite*[a][b]{bleu}", ("bleu",), "bleu", False),
        (r"\footcite{bleu}", ("bleu",), "bleu", False),
        (r"\cites(see)(end)[1]{bleu}[2][3]{rouge}", ("bleu", "rouge"), "rouge", False),
        (r"\textcites{bleu}{rouge}", ("bleu", "rouge"), "rouge", True),
        ("\\cite{bleu,% first\n  rouge}", ("bleu", "rouge"), "bleu,% first\n  rouge", False),
        ("\\cite {bleu}", ("bleu",), "bleu", False),
        (r"\cite<e.g.>[p.~1]{bleu}", ("bleu",), "bleu", False),
        (r"\citeA<see also, \emph{e.g.},>{bleu}", ("bleu",), "bleu", True),
        (r"\volcite[see]{2}[p.~1]{bleu}", ("bleu",), "bleu", False),
        (r"\pvolcite{2}{bleu}", ("bleu",), "bleu", False),
        (r"\avolcites(see){1}[2]{bleu}{3}{rouge}", ("bleu", "rouge"), "rouge", False),
        (r"\notecite[see][3]{bleu}", ("bleu",), "bleu", False),
        (r"\bibentry{bleu}", ("bleu",), "bleu", True),
    ],
)
def test_citation_commands(
    tmp_path: Path, written: str, keys: tuple[str, ...], slot: str, in_text: bool
) -> None:
    """natbib's, biblatex's and the conferences' commands with notes and stars, each with its place."""
    manuscript = make(tmp_path, f"Before {written} after.")
    (marker,) = markers(manuscript)
    assert (marker.keys, marker.in_text, marker.open) == (keys, in_text, False)
    assert placed(marker) == written
    assert slotted(marker) == slot
    assert written.startswith("\\" + marker.command)
    assert texts(manuscript) == ["Before after."]
    assert marker.offset == len("Before")


@pytest.mark.parametrize(
    ("written", "keys", "slot"),
    [
        (r"\cite{}", (), ""),
        (r"\citep[see][]{}", (), ""),
        (r"\cite{?}", (), "?"),
        (r"\cite{TODO}", (), "TODO"),
        (r"\cite{todo: the parser}", (), "todo: the parser"),
        (r"\cite{bleu,TODO-smith}", ("bleu",), "bleu,TODO-smith"),
        (r"\cite{bleu,}", ("bleu",), "bleu,"),
        (r"\cite{nobody1999}", ("nobody1999",), "nobody1999"),
        (r"\cite{bleu,nobody1999}", ("bleu", "nobody1999"), "bleu,nobody1999"),
        (r"\cites{bleu}{?}{rouge}", ("bleu", "rouge"), "?"),
        (r"\citeneeded", (), r"\citeneeded"),
        (r"\citationneeded{}", (), r"\citationneeded{}"),
        (r"\todocite{Smith's parser}", (), r"\todocite{Smith's parser}"),
        ("[CITE]", (), "[CITE]"),
        ("[?]", (), "[?]"),
        ("[citation needed]", (), "[citation needed]"),
        ("[add citation]", (), "[add citation]"),
        ("(CITE)", (), "(CITE)"),
        ("(citation needed)", (), "(citation needed)"),
        (r"\todo{cite Papineni}", (), r"\todo{cite Papineni}"),
        (r"\todo[inline]{add a citation: BLEU}", (), r"\todo[inline]{add a citation: BLEU}"),
    ],
)
def test_open_markers(tmp_path: Path, written: str, keys: tuple[str, ...], slot: str) -> None:
    """Empty markers, placeholders, commands that ask for a citation and undefined keys are open."""
    manuscript = make(tmp_path, f"It works {written}. More.")
    (marker,) = markers(manuscript)
    is_open = written != r"\cite{bleu,}"
    assert (marker.open, marker.keys) == (is_open, keys)
    assert placed(marker) == written
    assert slotted(marker) == slot
    assert texts(manuscript) == ["It works.", "More."]


@pytest.mark.parametrize(
    ("written", "note"),
    [
        ("[TODO: cite Och 2003]", "[TODO: cite Och 2003]"),
        ("(CITE Och)", "(CITE Och)"),
        (r"\todo{cite Papineni}", "cite Papineni"),
        (r"\citeneeded{Och 2003}", "{Och 2003}"),
        (r"\cite{TODO: the parser}", "TODO: the parser"),
        (r"\cite{}", ""),
        (r"\cite{nobody1999}", ""),
    ],
)
def test_notes_at_missing_citations(tmp_path: Path, written: str, note: str) -> None:
    """What the author wrote in place of a citation is kept; an undefined key is a key."""
    (marker,) = markers(make(tmp_path, f"It works {written}. More."))
    assert marker.note == note


@pytest.mark.parametrize(
    "written", [r"\todo{rewrite this}", "(see above)", "f(x)", r"\todo{cite \cite{bleu} too}"]
)
def test_other_remarks_and_brackets(tmp_path: Path, written: str) -> None:
    """Only a request for nothing but a citation is a placeholder."""
    assert not any(marker.open for marker in markers(make(tmp_path, f"It works {written}. More.")))


def test_key_that_begins_like_a_placeholder(tmp_path: Path) -> None:
    """A defined key is a key, and a name such as todorov2002 is one even where nobody defines it."""
    manuscript = make(
        tmp_path,
        "\\cite{todorov2002} \\cite{todo-1}",
        more_bib="@article{todo-1, title={T}, year=2000}",
        preamble="\\addbibresource{more.bib}",
    )
    assert [(m.keys, m.open) for m in markers(manuscript)] == [(("todorov2002",), True), (("todo-1",), False)]


def test_fields_of_an_entry(tmp_path: Path) -> None:
    """A command that prints a field of an entry cites it; the name of the field is no text."""
    manuscript = make(tmp_path, "See \\citefield{bleu}[title]{year} or \\citename[a][b]{rouge}{author} here.")
    assert [(m.keys, m.command) for m in markers(manuscript)] == [
        (("bleu",), "citefield"),
        (("rouge",), "citename"),
    ]
    assert texts(manuscript) == ["See or here."]


def test_less_than_is_no_note(tmp_path: Path) -> None:
    """Only a closed note in angle brackets is taken."""
    manuscript = make(tmp_path, "\\citet{bleu} <3 and 5> 4.")
    assert texts(manuscript) == ["<3 and 5> 4."]


def test_macros_that_are_merely_called_like_citations(tmp_path: Path) -> None:
    """A macro of several arguments that cites nothing is what its definition says; one that makes a link to a
    key cites."""
    preamble = (
        "\\newcommand{\\citepublication}[2]{#2, by #1.}\n"
        "\\newcommand{\\citelinked}[2]{\\hyperlink{cite.#1}{#2}}\n"
    )
    manuscript = make(
        tmp_path, "\\citepublication{C. Lin}{ROUGE}\n\n\\citelinked{bleu}{1}", preamble=preamble
    )
    assert texts(manuscript)[0] == "ROUGE, by C. Lin."
    assert [m.keys for m in markers(manuscript)] == [("bleu",)]


def test_keys_in_other_case_with_biber(tmp_path: Path) -> None:
    """biber does not find meteor-05 as Meteor-05: it is read, and the draft is told."""
    manuscript = make(
        tmp_path,
        "\\cite{Other-1}",
        preamble="\\addbibresource{more.bib}",
        more_bib="@book{other-1, title={T}}",
    )
    assert [(m.keys, m.open) for m in markers(manuscript)] == [(("Other-1",), False)]
    assert [
        problem.endswith("biber distinguishes upper and lower case") for problem in manuscript.problems
    ] == [True]


def test_bibtex_keys_in_other_case(tmp_path: Path) -> None:
    """BibTeX finds meteor-05 as Meteor-05; the reference then has the key that the draft writes."""
    manuscript = make(tmp_path, "\\cite{meteor-05}")
    assert not markers(manuscript)[0].open
    assert [reference.key for reference in manuscript.references] == ["bleu", "rouge", "meteor-05"]


def test_citations_between_sentences(tmp_path: Path) -> None:
    """A citation in brackets supports the sentence before it; one in the text begins the next."""
    manuscript = make(tmp_path, "It works. \\cite{bleu} We go. \\citet{rouge} disagree.")
    assert [(s.text, [m.keys[0] for m in s.markers]) for s in sentences(manuscript)] == [
        ("It works.", ["bleu"]),
        ("We go.", []),
        ("disagree.", ["rouge"]),
    ]


def test_a_sentence_that_begins_with_a_citation(tmp_path: Path) -> None:
    """With natbib, cite is a word of its sentence: a sentence without a capital lacks its beginning."""
    manuscript = make(tmp_path, "It works. \\cite{bleu}\nused data. They agree. \\cite{rouge} We go.")
    assert [(s.text, [m.keys[0] for m in s.markers]) for s in sentences(manuscript)] == [
        ("It works.", []),
        ("used data.", ["bleu"]),
        ("They agree.", ["rouge"]),
        ("We go.", []),
    ]
    place = sentences(manuscript)[1].place
    assert cut(place.file, place.start, place.end) == "\\cite{bleu}\nused data."


def test_notes_of_citations_may_cite(tmp_path: Path) -> None:
    """A citation in the note of another is found; the note's words are no text."""
    manuscript = make(tmp_path, "A \\citep[as in][and \\citealt{rouge}]{bleu} b.")
    assert [m.keys for m in markers(manuscript)] == [("bleu",), ("rouge",)]
    assert texts(manuscript) == ["A b."]


def test_nocite_has_no_place(tmp_path: Path) -> None:
    """nocite gives keys, but no marker."""
    manuscript = make(tmp_path, "\\nocite{bleu, rouge}\\nocite{*}A.")
    assert manuscript.nocite == ("bleu", "rouge", "*")
    assert markers(manuscript) == []


# Macros ---------------------------------------------------------------------------------------------------


def test_macros_that_cite(tmp_path: Path) -> None:
    """A marker out of a macro has the place of the call; one argument that holds its keys can be edited."""
    preamble = (
        "\\newcommand{\\etal}[2]{#1~et~al.~\\cite{#1-#2}}\n\\renewcommand{\\citet}[1]{\\newcite{#1}}\n"
        "\\def\\both{\\cite{bleu,rouge}}\\let\\oldcite\\cite"
    )
    body = "\\etal{Meteor}{05} and \\citet{bleu}, \\citet{}, \\both{} and \\oldcite{rouge}."
    manuscript = make(tmp_path, body, preamble=preamble)
    facts = [(placed(m), m.command, m.keys, m.open, slotted(m), m.in_text) for m in markers(manuscript)]
    assert facts == [
        ("\\etal{Meteor}{05}", "etal", ("Meteor-05",), False, None, False),
        ("\\citet{bleu}", "citet", ("bleu",), False, "bleu", True),
        ("\\citet{}", "citet", (), True, "", True),
        ("\\both", "both", ("bleu", "rouge"), False, None, False),
        ("\\oldcite{rouge}", "oldcite", ("rouge",), False, "rouge", False),
    ]
    assert texts(manuscript) == ["Meteor et al. and,, and."]


def test_other_names_of_commands(tmp_path: Path) -> None:
    """A package that makes cite another name of citep moves no place; one call is one marker."""
    style = (
        "\\ProvidesPackage{acl}\\renewcommand\\cite{\\citep}\\newcommand\\newcite{\\citet}\n"
        "\\newcommand{\\citeposs}[1]{\\citeauthor{#1}'s (\\citeyear{#1})}\n"
        "\\def\\And{\\end{tabular}\\begin{tabular}}\\def\\footnote#1{\\@footnote{#1}}\\def\\thanks#1{}\n"
        "\\def\\small{\\@setsize\\small{10pt}\\ixpt}\\DeclareOption{x}{\\x@true}\\ProcessOptions\\relax\n"
        "\\AtBeginDocument{\\def\\maketitle{\\par\\twocolumn[\\@maketitle]}\\def\\@maketitle{{\\bf\\@title}}}"
    )
    body = "A \\cite[see][]{bleu, ?} \\maketitle{\\small b} \\newcite{rouge} c \\citeposs{} d.\\footnote{N.}"
    preamble = "\\usepackage{acl}\\author{Ann Lee \\And Bo Li}"
    manuscript = make(tmp_path, body, preamble=preamble, acl_sty=style)
    facts = [(placed(m), m.command, slotted(m), m.in_text) for m in markers(manuscript)]
    assert facts == [
        ("\\cite[see][]{bleu, ?}", "cite", "bleu, ?", False),
        ("\\newcite{rouge}", "newcite", "rouge", True),
        ("\\citeposs{}", "citeposs", "", True),
    ]
    assert manuscript.authors == ("Ann Lee", "Bo Li")
    assert texts(manuscript) == ["A b c’s () d.", "N."]
    assert manuscript.problems == ()


def test_macros_are_text(tmp_path: Path) -> None:
    """Every way to define a command is followed, in packages and other files too, nested, with defaults."""
    preamble = (
        "\\usepackage{mine}\\input{defs}\n\\DeclareRobustCommand{\\three}[2][x]{#1#2}\n"
        "\\def\\four(#1)#2;{#2#1}\\providecommand{\\one}{wrong}\\let\\five=\\one\n"
        "\\NewDocumentCommand{\\six}{s O{d} m}{\\IfBooleanTF{#1}{}{}#2#3}\n"
        "\\newenvironment{seven}[1]{Begin #1.\\par}{\\par End.}\n\\newcommand{\\hide}[1]{}"
    )
    body = (
        "\\one, \\two{t}, \\three{b}\\three[y]{b}, \\four(p)q;, \\five, \\six[e]{m}\\hide{\\cite{bleu}}.\n"
        "\\begin{seven}{now}Inside.\\end{seven}"
    )
    manuscript = make(
        tmp_path,
        body,
        preamble=preamble,
        mine_sty="\\newcommand{\\one}{\\emph{first}\\xspace}",
        defs_tex="\\newcommand\\two[1]{2#1\\one}",
    )
    assert texts(manuscript) == ["first, 2tfirst, xbyb, qp, first, em.", "Begin now.", "Inside.", "End."]
    assert {Path(file).name for file in manuscript.files} == {"draft.tex", "mine.sty", "defs.tex"}


def test_xspace_and_swallowed_space(tmp_path: Path) -> None:
    """TeX swallows the space behind a command; xspace gives it back before a word."""
    preamble = "\\newcommand{\\a}{A}\\newcommand{\\b}{B\\xspace}"
    assert texts(make(tmp_path, "\\a x \\b x \\b, \\b\\cite{bleu}.", preamble=preamble)) == ["Ax B x B, B."]


def test_latex_keeps_its_own_commands(tmp_path: Path) -> None:
    """A class's redefinition of section or of cite's insides does not hide them."""
    preamble = (
        "\\makeatletter\\renewcommand\\section{\\@startsection{section}{1}{0pt}}\n"
        "\\def\\cite{\\@ifnextchar[{\\@tempswatrue\\@citex}{\\@citex[]}}\\makeatother\n"
        "\\newcommand{\\citeneeded}{\\textcolor{red}{[citation needed]}}"
    )
    manuscript = make(tmp_path, "\\section{One}\nA \\cite{bleu} b \\citeneeded.", preamble=preamble)
    assert [p.section for p in manuscript.paragraphs] == ["One", "One"]
    assert [(m.command, m.open) for m in markers(manuscript)] == [("cite", False), ("citeneeded", True)]


@pytest.mark.parametrize(
    "preamble",
    [
        "\\newcommand{\\a}{\\a}",
        "\\def\\a{x\\a}",
        "\\def\\a{\\b}\\def\\b{\\a\\a}",
        "\\def\\a#1{\\a{#1#1}}",
        "\\renewcommand{\\cite}[1]{\\Cite{#1}}\\renewcommand{\\Cite}[1]{\\cite{#1}}\\def\\a{\\cite{x}}",
        "".join(
            f"\\def\\{c}{{\\{d}\\{d}\\{d}\\{d}}}" for c, d in zip("abcdefghijkl", "bcdefghijklm", strict=True)
        )
        + "\\def\\m{lol}",
    ],
)
def test_macros_without_end(tmp_path: Path, preamble: str) -> None:
    """A macro that calls itself, or makes text without measure, stops; the rest is read."""
    manuscript = make(tmp_path, "First. \\a\n\nLast \\parencite{bleu}.", preamble=preamble)
    assert texts(manuscript)[-1] == "Last."
    assert any("draft.tex:" in problem for problem in manuscript.problems)
