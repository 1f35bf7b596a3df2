"""The files of a LaTeX draft, what it says about itself, and what goes wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from latex_drafts import cut, make, markers, placed, sentences, texts, write

from citewhy.base.errors import InputError, TooLargeError
from citewhy.drafts import read, read_files
from citewhy.drafts.latex import reader as latex
from citewhy.drafts.latex.files import MAX_CHARACTERS

# Files ----------------------------------------------------------------------------------------------------


def test_files_are_followed(tmp_path: Path) -> None:
    """input, include, import and a user's macro for them; places are those of the file itself."""
    manuscript = make(
        tmp_path,
        "\\latexfile{intro}\\include{part}\\import{sub/}{chapter}\\input sub/bare \\subfile{doc}\n"
        "% \\input{no}\n",
        preamble="\\newcommand{\\latexfile}[1]{\\input{sections/#1}}",
        sections__intro_tex="\nIntro \\cite{bleu}.",
        part_tex="Part. \\input{sub/inner.tex}\n",
        sub__inner_tex="Inner.\n\n",
        sub__chapter_tex="Chapter. \\input{beside}\n\n",
        sub__beside_tex=" Beside.",
        sub__bare_tex="Bare.\n\n",
        doc_tex="\\documentclass[draft]{subfiles}\\begin{document}Doc.\\end{document}Not read.",
        no_tex="\\cite{wrong}",
    )
    assert texts(manuscript) == [
        "Intro.",
        "Part.",
        "Inner.",
        "Chapter.",
        "Beside.",
        "Bare.",
        "Doc.",
    ]
    assert [Path(s.place.file).name for s in sentences(manuscript)] == [
        *("intro.tex", "part.tex", "inner.tex", "chapter.tex", "beside.tex", "bare.tex", "doc.tex")
    ]
    assert markers(manuscript)[0].place.line == 2
    assert manuscript.problems == ()


def test_subfile_as_root(tmp_path: Path) -> None:
    """A subfile read by itself has the macros and the bibliography of its main file."""
    write(tmp_path, "Main.", preamble="\\newcommand{\\me}{us}")
    part = tmp_path / "part.tex"
    part.write_text(
        "\\documentclass[draft]{subfiles}\n\\begin{document}Part by \\me{} \\cite{bleu}.\\end{document}",
        encoding="utf-8",
    )
    manuscript = read(part)
    assert texts(manuscript) == ["Part by us."]
    assert not markers(manuscript)[0].open


def test_part_of_a_draft_as_root(tmp_path: Path) -> None:
    """A file without a document around it is read; keys that nobody can know are not called undefined."""
    part = tmp_path / "part.tex"
    part.write_text("\\section{S} A \\cite{unknown} and \\cite{}.", encoding="utf-8")
    manuscript = read(part)
    assert [m.open for m in markers(manuscript)] == [False, True]


def test_bibliographies(tmp_path: Path) -> None:
    """The .bib files in their order; a missing one is a problem; an entry has its place."""
    manuscript = make(
        tmp_path,
        "\\cite{bleu,new}\\bibliography{more,gone}",
        more_bib="\n\n@article{new, title={New}, author={Lee, Ann}, year=2020}\n",
    )
    assert [Path(path).name for path in manuscript.bibliographies] == ["more.bib", "gone.bib", "refs.bib"]
    first = manuscript.references[0]
    assert first.place is not None
    assert (first.key, first.paper.authors, first.place.line) == ("new", ("Ann Lee",), 3)
    assert cut(first.place.file, first.place.start, first.place.end).startswith("@article{new")
    assert any("gone" in problem and "draft.tex:4" in problem for problem in manuscript.problems)


@pytest.mark.parametrize(
    "written",
    [
        "\\AtEndDocument{\\bibliographystyle{plain}\\bibliography{refs}}",
        "\\RequirePackage{biblatex}\n\\addbibresource{refs.bib}",
        "\\newcommand{\\references}{\\bibliography{refs,missing}}",
        "\\LoadClass{base}",
    ],
)
def test_a_class_names_the_bibliography(written: str) -> None:
    """The classes in the draft's folder are searched for it; nothing is said of files that do not exist."""
    texts_of = {
        "main.tex": "\\documentclass{mine}\\begin{document}It works \\cite{bleu}.\\end{document}",
        "mine.cls": f"% \\bibliography{{other}}\n{written}\n",
        "base.cls": "\\addbibresource{refs.bib}",
        "refs.bib": "@article{bleu, title={BLEU}}",
        "other.bib": "@article{other, title={Other}}",
    }
    draft = read_files(texts_of, root="main.tex")
    assert [reference.key for reference in draft.references] == ["bleu"]
    assert draft.files == ("main.tex",)
    assert draft.problems == ()


def test_a_class_defines_what_a_chapter_is() -> None:
    """A command of a class that includes files is followed; what is layout in a class is not read."""
    draft = read_files(
        {
            "main.tex": "\\documentclass{style/mine}\\begin{document}\\mychapter{one}\\makefront"
            "\\end{document}",
            "style/mine.cls": "\\newcommand{\\mychapter}[1]{\\@open\\chapter{#1}\\input{chapters/#1}}\n"
            "\\newcommand{\\makefront}{A University\\@title}\n\\newif\\ifshort\n\\title{None}",
            "chapters/one.tex": "It works \\cite{bleu}.",
        },
        root="main.tex",
    )
    assert texts(draft) == ["one", "It works."]
    assert draft.title == ""
    assert draft.files == ("main.tex", "chapters/one.tex")


@pytest.mark.parametrize(
    "body",
    [
        "\\begin{bibunit}[plain]A \\cite{bleu}.\\putbib[refs]\\end{bibunit}",
        "\\defaultbibliography{refs}\\begin{bibunit}A \\cite{bleu}.\\putbib\\end{bibunit}",
        "\\begin{refsection}[refs.bib]A \\cite{bleu}.\\end{refsection}",
        "\\begin{refsection}[label]A \\cite{bleu}.\\end{refsection}\\bibliography{refs}",
    ],
)
def test_bibliographies_of_parts(body: str) -> None:
    """bibunits and biblatex's sections name them in other ways; labels of files are not taken for files."""
    draft = read_files(
        {
            "main.tex": f"\\documentclass{{book}}\\begin{{document}}{body}\\end{{document}}",
            "refs.bib": "@article{bleu, title={BLEU}}",
        },
        root="main.tex",
    )
    assert [reference.key for reference in draft.references] == ["bleu"]
    assert (texts(draft), draft.problems) == (["A."], ())


def test_names_relative_to_the_folder_above() -> None:
    """Some projects are compiled from the folder above the root."""
    draft = read_files(
        {
            "src/main.tex": "\\documentclass{book}\\begin{document}\\input{src/one}\\input{parts/two}"
            "\\bibliography{refs}\\end{document}",
            "src/one.tex": "One \\cite{bleu}.\n\n",
            "parts/two.tex": "Two.",
            "refs.bib": "@article{bleu, title={BLEU}}",
        },
        root="src/main.tex",
    )
    assert texts(draft) == ["One.", "Two."]
    assert (draft.unread, draft.problems) == ((), ())


def test_chunks_of_sweave() -> None:
    """Code is no text; its children are, and a caption in it cites. In a .tex file << is text."""
    head, tail = "\\documentclass{article}\\begin{document}", "\\bibliography{refs}\\end{document}"
    body = (
        "Before.\n\n<<a, child='one.Rnw'>>=\n@\n\n<<b>>=\n#| child: \"two.Rnw\"\nx <- '\\cite{no}'\n@ end\n"
        '<<c, fig.cap="As in \\\\cite{bleu}">>=\nplot(x) # $\n@\n\\SweaveInput{three}\n'
        "It is \\Sexpr{x$a} long.\n"
    )
    files = {
        "main.Rnw": head + body + tail,
        "one.Rnw": "One \\cite{bleu}.\n\n",
        "two.Rnw": "Two.",
        "three.tex": "Three.\n\n",
        "refs.bib": "@article{bleu, title={BLEU}}",
    }
    draft = read_files(files, root="main.Rnw")
    assert texts(draft) == ["Before.", "One.", "Two.", "Three.", "It is long."]
    assert [marker.keys for marker in markers(draft)] == [("bleu",)]
    assert (draft.nocite, draft.problems) == (("bleu",), ())
    plain = read_files({"main.tex": f"{head}<<a>>=\n1\n@{tail}", "refs.bib": ""}, root="main.tex")
    assert texts(plain) == ["<<a>>= 1 @"]


def test_printed_references(tmp_path: Path) -> None:
    """bibitems define keys: in the draft, or in the .bbl of a draft whose .bib is not there."""
    items = (
        "\\begin{thebibliography}{9}\n\\bibitem[Papineni et~al.(2002)]{p02} Kishore Papineni and Salim "
        "Roukos.\n"
        "\\newblock BLEU: a method.\n\\newblock In {\\em ACL}, 2002.\n\n"
        "\\bibitem{l04} C.-Y. Lin, ``ROUGE: a package,'' in WAS, 2004.\\end{thebibliography}\n"
    )
    inside = tmp_path / "inside.tex"
    inside.write_text(f"\\begin{{document}}A \\cite{{p02,l04}}.\n{items}\\end{{document}}", encoding="utf-8")
    manuscript = read(inside)
    assert not markers(manuscript)[0].open
    assert texts(manuscript) == ["A."]
    papers = {reference.key: reference.paper for reference in manuscript.references}
    assert papers["p02"].title == "BLEU: a method"
    assert papers["p02"].authors == ("Kishore Papineni", "Salim Roukos")
    assert (papers["l04"].title, papers["l04"].year) == ("ROUGE: a package", 2004)

    outside = tmp_path / "outside.tex"
    outside.write_text("\\begin{document}A \\cite{p02}.\\bibliography{gone}\\end{document}", encoding="utf-8")
    (tmp_path / "outside.bbl").write_text(items, encoding="utf-8")
    assert not markers(read(outside))[0].open


# What a draft says about itself ---------------------------------------------------------------------------


def test_front_matter(tmp_path: Path) -> None:
    """Title, authors without addresses, abstract, and the year of the date or of the style."""
    preamble = (
        "\\usepackage{style/acl2014}\\title{Deep $n$-grams \\\\ in ACL\\thanks{Grant \\cite{bleu}.}}\n"
        "\\author{Ann B. Lee$^1$, Bo van der Berg$^{1,2}$ \\and Hal Daum\\'e III\\thanks{x} \\\\"
        " University of X \\\\ {\\tt \\{a,b\\}@x.edu} \\And Jo {\\v S}najder \\\\ Zagreb}\\date{}"
    )
    manuscript = make(
        tmp_path, "\\maketitle\n\\begin{abstract}One. Two.\n\\end{abstract}\nText.", preamble=preamble
    )
    assert manuscript.title == "Deep n-grams in ACL"
    assert manuscript.authors == ("Ann B. Lee", "Bo van der Berg", "Hal Daumé III", "Jo Šnajder")
    assert manuscript.abstract == "One. Two."
    assert manuscript.year == 2014
    assert [p.section for p in manuscript.paragraphs][1:] == ["Abstract", ""]
    assert [m.keys for m in markers(manuscript)] == [("bleu",)]


@pytest.mark.parametrize(
    ("written", "names"),
    [
        (r"Ann Lee \and Bo Li", ("Ann Lee", "Bo Li")),
        (r"Ann Lee, Bo~Li and Cy O'Neil, Jr.\\ MIT Labs", ("Ann Lee", "Bo Li", "Cy O’Neil Jr.")),
        (r"Ann Lee, University of X \And Bo Li \\ Computer Science", ("Ann Lee", "Bo Li")),
        (r"Ann Lee$^1$ Bo Li$^2$\\{\bf Cy Ng$^1$}\\$^1$Oxford $^2$Yale", ("Ann Lee", "Bo Li", "Cy Ng")),
        (r"Ann Lee\textsuperscript{1,2} \quad Bo Li\footnotemark[1]", ("Ann Lee", "Bo Li")),
        (
            r"\name Ann Lee \email a@b.c \\ \addr Department of X \AND \name Bo Li \email x@y.z",
            ("Ann Lee", "Bo Li"),
        ),
        (r"\IEEEauthorblockN{Ann Lee}\IEEEauthorblockA{MIT}\IEEEauthorblockN{Bo Li}", ("Ann Lee", "Bo Li")),
        (r"Ann Lee\inst{1}\orcidID{0000} \and Bo Li\inst{2}", ("Ann Lee", "Bo Li")),
        (r"Anonymous ACL submission", ()),
    ],
)
def test_authors(tmp_path: Path, written: str, names: tuple[str, ...]) -> None:
    """The names in the author commands of the usual classes, without marks, addresses and electronic mail."""
    assert make(tmp_path, "Text.", preamble=f"\\author{{{written}}}").authors == names


@pytest.mark.parametrize(
    ("preamble", "name", "year"),
    [
        ("\\date{May 2019}", "2014_acl_x.tex", 2019),
        ("\\date{\\today}", "2014_acl_x.tex", 2014),
        ("\\documentclass{acl2016}", "x.tex", 2016),
        ("", "emnlp19.tex", None),
    ],
)
def test_year(tmp_path: Path, preamble: str, name: str, year: int | None) -> None:
    """The date, else a year in the name of the class or of the file, else none."""
    path = tmp_path / name
    path.write_text(f"{preamble}\\begin{{document}}A.\\end{{document}}", encoding="utf-8")
    assert read(path).year == year


# What goes wrong ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "problem", "kept"),
    [
        ("One {two. \\cite{bleu}\n\nThree.", "4: a brace is never closed", "Three."),
        ("One} two.\n\nThree.", "4: unmatched closing brace", "Three."),
        ("One \\red{two.\n\nThree.", "4: the brace of this argument is never closed", "Three."),
        ("One \\cite{two.\n\nThree.", "4: the brace of this argument is never closed", "Three."),
        ("\\input{gone}\n\nThree.", "4: \\input{gone}: no such file", "Three."),
        ("\\input{loop}\n\nThree.", "loop.tex:2: \\input{loop}: the file includes itself", "Three."),
        ("\\input{draft}\n\nThree.", "4: \\input{draft}: the file includes itself", "Three."),
        ("\\begin{quote}One.\n\nThree.", "4: \\begin{quote} is never closed", "Three."),
        ("One.\\end{quote}\n\nThree.", "4: \\end{quote} without \\begin{quote}", "Three."),
        ("One $x two.\n\nThree.", "4: a formula is not closed before the end of its paragraph", "Three."),
        ("\\iffalse One.\n\nThree.", "4: \\iffalse has no matching \\fi in its file", "Three."),
        ("\\begin{comment} One.\n\nThree.", "4: \\begin{comment} is never closed", "Three."),
        ("One \\cite two.\n\nThree.", "4: \\cite has no keys", "Three."),
        ("\\input{binary}\n\nThree.", "4: \\input{binary}: not a text file", "Three."),
    ],
)
def test_problems(tmp_path: Path, body: str, problem: str, kept: str) -> None:
    """What is wrong is said with file and line, and as much as possible is read."""
    manuscript = make(
        tmp_path,
        body,
        preamble="\\newcommand{\\red}[1]{#1}",
        loop_tex="Loop.\n\\input{loop}\n",
        binary_tex="a\0b",
    )
    assert any(problem in sentence for sentence in manuscript.problems), manuscript.problems
    assert kept in texts(manuscript)


def test_old_encodings_are_read(tmp_path: Path) -> None:
    """A file that is not UTF-8 is read as Windows-1252, and a problem names its first such line."""
    root = write(tmp_path, "A. \\input{old}")
    (tmp_path / "old.tex").write_bytes("Fine.\nDaumé \\cite{bleu}.".encode("cp1252"))
    manuscript = read(root)
    assert "Daumé." in texts(manuscript)
    told = "old.tex:2: invalid UTF-8 (byte 5 of the line): the whole file is read as cp1252; save the file"
    assert sum(told in problem for problem in manuscript.problems) == 1


def test_windows_files(tmp_path: Path) -> None:
    """Byte order mark and CRLF change no text, and places count the decoded characters."""
    root = tmp_path / "draft.tex"
    root.write_bytes("\ufeff\\begin{document}\r\nA \\cite{}.\r\n\r\nB.\r\n\\end{document}".encode())
    manuscript = read(root)
    assert texts(manuscript) == ["A.", "B."]
    assert placed(markers(manuscript)[0]) == "\\cite{}"
    assert [s.place.line for s in sentences(manuscript)] == [2, 4]


def test_hopeless_input(tmp_path: Path) -> None:
    """No file, a folder, bytes that are no text, and a file over the limit are errors of our own."""
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "gone.tex")
    with pytest.raises(InputError, match="a folder"):
        read(tmp_path)
    binary = tmp_path / "x.tex"
    binary.write_bytes(b"\x89PNG\0\0")
    with pytest.raises(InputError, match="not a text file"):
        read(binary)
    large = tmp_path / "large.tex"
    large.write_bytes(b"x" * (MAX_CHARACTERS + 1))
    with pytest.raises(TooLargeError, match="characters"):
        latex.read(large)


def test_format_by_content(tmp_path: Path) -> None:
    """A draft without a telling name is recognised by what it says."""
    path = tmp_path / "draft"
    path.write_text("\\section{A} B \\cite{c}.", encoding="utf-8")
    assert read(path).format == "latex"
