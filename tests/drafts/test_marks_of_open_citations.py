"""The marks that people write where a citation is missing, in every format; and what only looks like one."""

from __future__ import annotations

import pytest

from citewhy.base.records import Manuscript, Marker
from citewhy.drafts import read_files
from citewhy.drafts.edit.citations import fill
from citewhy.drafts.edit.patch import Patch
from citewhy.drafts.files import MemoryFiles

BIBLIOGRAPHY = "@book{kripkekaplan, title = {Naming and Necessity}, author = {Kripke, Saul}, year = {1980}}\n"
FRAMES = {
    "a.tex": "\\documentclass{article}%s\\begin{document}\nOne two. Names are rigid %s. Three.\n"
    "\\bibliography{refs}\n\\end{document}\n",
    "a.md": "---\nbibliography: refs.bib\n---\n%s\nOne two. Names are rigid %s. Three.\n",
    "a.typ": '%s\nOne two. Names are rigid %s. Three.\n\n#bibliography("refs.bib")\n',
    "a.org": "#+title: A\n#+bibliography: refs.bib\n%s\nOne two. Names are rigid %s. Three.\n",
    "a.txt": "Title\n%s\nOne two. Names are rigid %s. Three.\n",
}
CITED = {
    "a.tex": "\\cite{kripkekaplan}",
    "a.md": "[@kripkekaplan]",
    "a.typ": "@kripkekaplan",
    "a.org": "[cite:@kripkekaplan]",
    "a.txt": "[kripkekaplan]",
}


def texts(name: str, mark: str, before: str = "") -> dict[str, str]:
    """The files of a draft with a mark."""
    return {name: FRAMES[name] % (before, mark), "refs.bib": BIBLIOGRAPHY}


def opened(draft: Manuscript) -> list[Marker]:
    return [marker for marker in draft.markers if marker.open]


def written(files: dict[str, str], name: str) -> str:
    """The words between "rigid" and the next sentence once the first open citation is filled."""
    draft, held = read_files(files, name), MemoryFiles(files)
    edit = fill(draft, opened(draft)[0], ["kripkekaplan"], held)
    text = Patch([edit], draft.path, held).texts()[name]
    return text.partition("rigid ")[2].partition(". Three")[0]


ANYWHERE = """
(ref)|(REF)|(Ref?)|(refs)|(refs needed)|(citation)|(cite)|(cite Kripke)|(source?)|(source needed)|(?)|(??)
(Kripke 1980?)|[Kripke 1980?]|(Kripke and Kaplan, 1980?)|[Kripke et al., 1980?]|(Kripke, 19??)|(Kripke, 20XX)
[Kripke, year?]|[XX]|[XXX]|[source?]|(Quelle?)|(add ref)
[kripke 1980?]|(kripke and kaplan 1980?)|[kripke et al. 1980?]
(réf. ?)|(ref. ?)|[réf. nécessaire]|[référence manquante]|(réf. à compléter)|[source nécessaire]
[Quelle?]|[Anm.: Quelle?]|[Anm.: Beleg fehlt]|(Beleg fehlt)|(Lit.?)|[cita requerida]|[senza fonte]
"""


@pytest.mark.parametrize("mark", [mark for line in ANYWHERE.split("\n") if line for mark in line.split("|")])
@pytest.mark.parametrize("name", FRAMES)
def test_marks_of_every_format(name: str, mark: str) -> None:
    """They are open, part of their sentence, and give way to the citation."""
    draft = read_files(texts(name, mark), name)
    assert [marker.note for marker in opened(draft)] == [mark]
    sentence = draft.paragraphs[-1].sentences[1]
    assert (sentence.text, len(sentence.markers)) == ("Names are rigid.", 1)
    assert written(texts(name, mark), name) == CITED[name]


@pytest.mark.parametrize(
    ("name", "mark"),
    [
        ("a.tex", "\\hl{(ref)}"),
        ("a.tex", "\\hl{CITE}"),
        ("a.tex", "\\textcolor{red}{cite Kripke}"),
        ("a.tex", "\\textcolor{red}{[Kripke 1980?]}"),
        ("a.tex", "\\todo[inline]{cite \\emph{Kripke}}"),
        ("a.tex", "\\note{citation needed}"),
        ("a.tex", "% cite Kripke\n"),
        ("a.tex", "%% TODO: cite Kripke\n"),
        ("a.md", "(Kripke and Putnam 1980?)"),
        ("a.md", "<!-- cite Kripke -->"),
        ("a.md", "<!-- TODO: cite -->"),
        ("a.typ", "/* cite Kripke */"),
        ("a.typ", "/* ref? */"),
        ("a.typ", "#todo[cite Kripke]"),
        ("a.typ", "#text(red)[citation needed]"),
        ("a.typ", "#highlight[(ref?)]"),
    ],
)
def test_marks_of_one_format(name: str, mark: str) -> None:
    """Remarks, highlighted marks and comments give way as a whole."""
    assert len(opened(read_files(texts(name, mark), name))) == 1
    assert written(texts(name, mark), name).rstrip("\n") == CITED[name]


AFTER_CLAIMS = """
It holds. |the mean (MSE) |the TMDC |IPv6 and NEMO |It holds. Recently, |by Kripke et al. |n-doped |at 5 eV
"""
AT_THE_END = """
after the French Revolution |of the English Working Class |die Disziplinierung des Körpers |in his book
"""


@pytest.mark.parametrize("name", ["a.tex", "a.md", "a.txt"])
@pytest.mark.parametrize(
    "text",
    [
        *(f"{text} (?) and more" for text in AFTER_CLAIMS.strip("\n").split("|")),
        *(f"{text}(?)" for text in AT_THE_END.strip("\n").split("|")),
    ],
)
def test_a_question_mark_after_a_claim(name: str, text: str) -> None:
    """In brackets it is a mark after words, acronyms and whole sentences, and at the end of a sentence also
    after a name of no person, or without a space."""
    assert [marker.note for marker in opened(read_files(texts(name, text), name))] == ["(?)"]


@pytest.mark.parametrize("before", ["\\cite{kripkekaplan}~", "as said by \\citeauthor{kripkekaplan}"])
def test_a_question_mark_behind_a_citation(before: str) -> None:
    """It asks for a further one."""
    assert [marker.note for marker in opened(read_files(texts("a.tex", f"{before}(?)"), "a.tex"))] == ["(?)"]


@pytest.mark.parametrize(
    ("definition", "mark"),
    [
        ("\\newcommand{\\todo}[1]{\\textcolor{red}{#1}}", "\\todo{cite Kripke}"),
        ("\\newcommand{\\todo}[1]{}", "\\todo{add a citation}"),
        ("\\newcommand{\\todo}[2][]{\\textcolor{red}{#2}}", "\\todo[x]{cite Kripke}"),
        ("\\newcommand{\\anna}[1]{{\\color{blue}Anna: #1}}", "\\anna{cite Kripke}"),
        ("\\newcommand\\needref{\\textbf{[REF]}\\xspace}", "\\needref{}"),
        ("\\def\\tk{{\\color{red}[ref needed]}}", "\\tk"),
        ("\\newcommand{\\CITE}[1]{\\textbf{CITE #1}}", "\\CITE{Kripke}"),
    ],
)
def test_own_commands(definition: str, mark: str) -> None:
    """A macro of the draft that shows a mark, or has a request as its argument, is one, and gives way."""
    assert len(opened(read_files(texts("a.tex", mark, definition), "a.tex"))) == 1
    assert written(texts("a.tex", mark, definition), "a.tex") == "\\cite{kripkekaplan}"


@pytest.mark.parametrize(
    ("definition", "mark"),
    [
        ("\\newcommand{\\term}[1]{\\emph{#1}}", "\\term{reference frames}"),
        ("\\newcommand{\\term}[1]{\\emph{#1}}", "\\term{citation}"),
        ("\\newcommand{\\sys}{Ref}", "in \\sys{} and others"),
        ("\\newcommand{\\page}[1]{p. #1}", "\\page{(?)}"),
    ],
)
def test_own_commands_that_are_none(definition: str, mark: str) -> None:
    """Words about citations that a macro prints are no marks."""
    assert not opened(read_files(texts("a.tex", mark, definition), "a.tex"))


NO_MARKS = """
the reference (ref)|the reference allele (reference) here|the Research Excellence Framework (REF)|in 1823 (?)
of Jan van Eyck (?)|of Brueghel the Elder (?)|of Louis XIV (?)|see Fig. (?)|item frumentum(?) et|in Ghent, (?)
[circa 1640?]|[um 1520?]|(born 1902?)|[spring 1850?]|x[XX]|females (XX)|(Figure XX)|[May 1922?]|f(ref)
(see Kripke)|(reference)|(Kripke 1980)
"""


@pytest.mark.parametrize("mark", [mark for line in NO_MARKS.split("\n") if line for mark in line.split("|")])
@pytest.mark.parametrize("name", FRAMES)
def test_no_marks(name: str, mark: str) -> None:
    """Abbreviations, doubts about names and years, figures, dates, indices and calls are no marks."""
    assert not opened(read_files(texts(name, mark), name))


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("a.tex", "\\begin{tabular}{ll} Men (ref) & 1.0 \\\\ Age (?) & 2 \\end{tabular}"),
        ("a.md", "x.\n\n| Group | Odds |\n| --- | --- |\n| Men (ref) | 1.0 (?) |\n\nSo it is"),
        ("a.typ", "#table(columns: 2, [Men (ref)], [1.0])"),
        ("a.org", "x.\n\n| Men (ref) | 1.0 |\n\nSo it is"),
    ],
)
def test_tables(name: str, table: str) -> None:
    """``(ref)`` in a table is the group that others are compared with."""
    assert not opened(read_files(texts(name, table), name))


def test_a_comment_below_a_paragraph() -> None:
    """It belongs to the sentence before it; below a blank line it may belong to anything, and is counted."""
    files = texts("a.md", "names.\n<!-- cite Kripke -->\nMore is said")
    draft = read_files(files, "a.md")
    sentence = next(paragraph for paragraph in draft.paragraphs if opened(draft)).sentences[-1]
    assert (sentence.text, len(sentence.markers)) == ("Names are rigid names.", 1)
    assert written(files, "a.md") == "names.\n[@kripkekaplan]\nMore is said"
    apart = read_files(texts("a.md", "names.\n\n<!-- cite Kripke -->\n\nMore is said"), "a.md")
    assert (opened(apart), len(apart.notes)) == ([], 1)


def test_what_else_a_remark_says_stays() -> None:
    """The mark of a remark that says more is kept behind the citation."""
    files = texts("a.tex", "\\todo{cite Kripke, ask Maria}", "\\newcommand{\\todo}[1]{#1}")
    assert written(files, "a.tex") == "\\cite{kripkekaplan} \\todo{cite Kripke, ask Maria}"


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("a.tex", "here % TODO: cite Kripke on rigid names\n"),
        ("a.tex", "here % cite something\n"),
        ("a.tex", "\\todo{Is this by Kripke? Find the reference}"),
        ("a.tex", "\\footnote{cite Kripke}"),
        ("a.tex", "TODO cite Kripke"),
        ("a.tex", "(who?)"),
        ("a.md", "x\n\n<!-- TODO: find a reference -->\n\nx"),
        ("a.md", "^[cite Kripke]"),
        ("a.md", "[TODO]"),
        ("a.typ", "#footnote[cite Kripke]"),
        ("a.org", "x\n# cite Kripke\nx"),
        ("a.txt", "XXX cite"),
    ],
)
def test_notes_that_may_be_citations(name: str, note: str) -> None:
    """They are not open, but counted, with their lines."""
    draft = read_files(texts(name, note), name)
    assert not opened(draft)
    (place,) = draft.notes
    assert FRAMES[name].partition("%s")[0].count("\n") < place.line <= texts(name, note)[name].count("\n")


def test_notes_of_one_place() -> None:
    """Comments on lines one below the other are one note; what an edit leaves behind its citation is none."""
    below = "Here. % TODO: cite Kripke on this\n% TODO: or cite Kaplan\n\nThere. % TODO: cite both of them\n"
    lines = [place.line for place in read_files(texts("a.tex", below), "a.tex").notes]
    assert (len(lines), lines[1] - lines[0]) == (2, 3)
    for mark, kept in {
        "a.tex": "here \\cite{kripkekaplan} [TODO: cite Kripke; ask Maria]",
        "a.md": "here [@kripkekaplan] <!-- TODO: cite Kripke -->\n<!-- TODO: cite Kaplan -->",
    }.items():
        assert read_files(texts(mark, kept), mark).notes == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tex", "\\todo{cite Kripke}"),
        ("a.tex", "\\cite{kripkekaplan} \\todo{cite Kripke, ask Maria}"),
        ("a.tex", "% Citations are below\n"),
        ("a.tex", "% \\cite{other}\n"),
        ("a.tex", "% \\todo{Is this by Kripke? Find the reference}\n"),
        ("a.md", "<!-- cite Kripke -->"),
        ("a.md", "x\n\n<!-- a comment about references -->\n\nx"),
        ("a.md", "[@kripkekaplan]"),
    ],
)
def test_what_is_no_such_note(name: str, text: str) -> None:
    """Open citations, answered remarks and other comments are not counted."""
    assert read_files(texts(name, text), name).notes == ()
