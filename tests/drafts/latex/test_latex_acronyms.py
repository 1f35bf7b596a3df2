"""Acronyms and glossary entries are read as what is printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from latex_drafts import make, markers, placed, sentences, texts

from citewhy.drafts import read_files

GLOSSARIES = r"\newacronym[type=x]{svm}{SVM}{support vector machine}"
ACRONYM = r"\acrodef{svm}[SVM]{support vector machine}"
ACRO = r"\DeclareAcronym{svm}{ short = {SVM}, long=support vector machine, tag = {a, b} }"


@pytest.mark.parametrize("preamble", [GLOSSARIES, ACRONYM, ACRO])
@pytest.mark.parametrize("use", ["gls", "ac", "Gls"])
def test_the_long_form_once(tmp_path: Path, preamble: str, use: str) -> None:
    """All three packages print the long form with the short one behind it at first, then the short one."""
    first = "Support" if use == "Gls" else "support"
    body = rf"An \{use}{{svm}} runs. The \{use}{{svm}} stops. \glsresetall Some \{use}[x=y]{{svm}} goes."
    assert texts(make(tmp_path, body, preamble=preamble)) == [
        f"An {first} vector machine (SVM) runs.",
        "The SVM stops.",
        f"Some {first} vector machine (SVM) goes.",
    ]


@pytest.mark.parametrize(
    ("use", "printed"),
    [
        *(
            (r"\acs{svm}", "SVM"),
            (r"\acrshort{svm}", "SVM"),
            (r"\acp{svm}", "support vector machines (SVMs)"),
        ),
        *((r"\acl{svm}", "support vector machine"), (r"\Aclp{svm}", "Support vector machines")),
        *((r"\acrfull{svm}", "support vector machine (SVM)"), (r"\gls*{svm}['s] A", None)),
        *(
            (r"\glspl{ice}", "ice cores"),
            (r"\Gls{ice}", "Ice core"),
            (r"\acrlongpl{svm}", "support vector machines"),
        ),
        *((r"\gls{nobody}", "nobody"), (r"\ac{OSI}", "Open Source Initiative (OSI)")),
    ],
)
def test_forms(tmp_path: Path, use: str, printed: str | None) -> None:
    """Plurals, capitals, each form alone; a label that nobody defines is its own text."""
    entry = r"\newglossaryentry{ice}{description={Old, and cold}, name={ice core}}"
    listed = r"\acro{OSI}{Open Source Initiative}"
    expected = "support vector machine (SVM)’s A" if printed is None else printed
    assert texts(make(tmp_path, f"{listed} See {use} run.", preamble=GLOSSARIES + entry)) == [
        f"See {expected} run."
    ]


def test_places_are_those_of_the_source(tmp_path: Path) -> None:
    """Sentences and citations behind an acronym keep their places in the file."""
    body = r"A \gls{svm} runs \cite{bleu}. It \gls{svm} stops (TODO: cite)."
    manuscript = make(tmp_path, body, preamble=GLOSSARIES)
    source = (tmp_path / "draft.tex").read_text(encoding="utf-8")
    first = sentences(manuscript)[0]
    assert source[first.place.start : first.place.end] == r"A \gls{svm} runs \cite{bleu}."
    assert placed(markers(manuscript)[0]) == r"\cite{bleu}"
    assert first.text[: first.markers[0].offset] == "A support vector machine (SVM) runs"


def test_a_citation_in_a_long_form_is_kept_where_it_is(tmp_path: Path) -> None:
    """The long form is printed without it, so that nothing is cited twice."""
    body = r"Go. \newacronym{b}{BLEU}{an evaluation \cite{bleu}} Use \gls{b} twice, \gls{b}."
    manuscript = make(tmp_path, body)
    assert [marker.keys for marker in markers(manuscript)] == [("bleu",)]
    assert texts(manuscript)[-1].endswith("Use an evaluation (BLEU) twice, BLEU.")


def test_a_draft_s_own_command_comes_first() -> None:
    """Its \\ac is no acronym; and what is half written does no harm."""
    text = r"\newcommand{\ac}[1]{AC/#1}\acrodef{dc}{direct}\begin{document}An \ac{dc} current."
    (paragraph,) = read_files({"a.tex": text + r" \gls{ \newacronym{a}"}, "a.tex").paragraphs
    assert paragraph.sentences[0].text == "An AC/dc current."


def test_definitions_in_a_file_of_their_own(tmp_path: Path) -> None:
    """``\\loadglsentries`` reads them."""
    manuscript = make(
        tmp_path, r"The \gls{svm}.", preamble=r"\loadglsentries[main]{terms}", terms_tex=GLOSSARIES
    )
    assert texts(manuscript) == ["The support vector machine (SVM)."]


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        (r"The \acro{SVM} of \cite{x} is.", "The SVM of is."),
        (r"See the \acro{TUG} and \acro{CTAN}.", "See the TUG and CTAN."),
        (r"See \acrodef{A} [b] it, \newacro{C}, it.", "See A [b] it, C, it."),
        (r"\acro{D} [E] {an F} See \ac{D}.", "See an F (E)."),
    ],
)
def test_a_command_without_a_long_form_prints_its_argument(written: str, printed: str) -> None:
    (paragraph,) = read_files({"a.tex": rf"\begin{{document}}{written}"}, "a.tex").paragraphs
    assert paragraph.sentences[0].text == printed


@pytest.mark.parametrize(
    "preamble",
    [
        r"\newglossaryentry{b}{name=B, description={A thing~\cite[see][2]{bleu}.}}",
        r"\newacronym[description={A thing, \cite{bleu}}]{b}{B}{beta}",
        r"\DeclareAcronym{b}{short=B, long=beta, extra={\citep*{bleu}}}",
        r"\acro{b}[B]{beta \cite{bleu}}",
        r"\newacronym{b}{B\cite{bleu}}{beta}",
    ],
)
def test_citations_in_fields_and_options(tmp_path: Path, preamble: str) -> None:
    manuscript = make(tmp_path, rf"{preamble} Use \acs{{b}} and \acl{{b}}.")
    assert [marker.keys for marker in markers(manuscript)] == [("bleu",)]
    long = "B" if "glossaryentry" in preamble else "beta"
    assert texts(manuscript)[-1].endswith(f"Use B and {long}.")


@pytest.mark.parametrize(
    ("preamble", "printed"),
    [
        (r"\newglossaryentry{a}{name=matrix, plural=matrices}", "matrices, matrices, matrices."),
        (
            r"\newacronym[longplural={matters of fact}]{a}{MF}{matter of fact}",
            "matters of fact (MFs), matters of fact (MFs), matters of fact.",
        ),
        (r"\acrodef{a}[ML]{ml}\acroplural{a}[MLz]{mls}", "mls (MLz), mls (MLz), mls."),
        (r"\DeclareAcronym{a}{short=A, long=an, long-plural-form=a--s}", "a–s (As), a–s (As), a–s."),
    ],
)
def test_plurals_of_their_own(tmp_path: Path, preamble: str, printed: str) -> None:
    body = r"Use \glsfirstplural{a}, \glspl{a}, \aclp{a}."
    assert texts(make(tmp_path, body, preamble=preamble)) == [f"Use {printed}"]
