"""Citations and names that other programs write in a draft: what is a key, and what only looks like one."""

from pathlib import Path

import pytest

from citewhy.base.records import Manuscript
from citewhy.drafts import read, read_files
from citewhy.drafts.edit.citations import fill, rename
from citewhy.drafts.edit.patch import Patch
from citewhy.drafts.files import MemoryFiles

BIB = "@article{stone1990, title = {Stones}}\n@book{marsh2011, title = {Marshes}}\n"


def cited(manuscript: Manuscript) -> list[str]:
    """The keys of a draft in the order in which they are written."""
    places = [
        (marker.place.start, marker.offset, key)
        for paragraph in manuscript.paragraphs
        for sentence in paragraph.sentences
        for marker in sentence.markers
        for key in marker.keys
    ]
    return [key for *_, key in sorted(places, key=lambda one: one[:2])]


def keys(name: str, text: str) -> list[str]:
    return cited(read_files({name: text}))


def latex(body: str) -> list[str]:
    return keys("a.tex", f"\\documentclass{{article}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"Old \citetext{see \citealp{stone1990}; \citeauthor{marsh2011}, in press}.", "stone1990 marsh2011"),
        (r"Seen in \citelist{\cite{stone1990}*{Thm 2}\cite{marsh2011}}.", "stone1990 marsh2011"),
        (r"He says \textcquote[12]{stone1990}[.]{it is \emph{old}}", "stone1990"),
        (r"He says \textcquote*[see][12]{stone1990}{old \cite{marsh2011}}.", "stone1990 marsh2011"),
        (r"He says \foreigntextcquote{german}[12]{stone1990}{alt}.", "stone1990"),
        (r"\blockcquote{stone1990}{It is old.}", "stone1990"),
        ("\\begin{displaycquote}[12]{stone1990}\nIt is old.\n\\end{displaycquote}", "stone1990"),
        (r"\begin{foreigndisplaycquote}{german}{marsh2011}Alt.\end{foreigndisplaycquote}", "marsh2011"),
    ],
)
def test_commands_with_citations_in_their_text_or_text_behind_the_key_cite_their_keys(
    body: str, expected: str
) -> None:
    """natbib's ``\\citetext``, amsrefs' ``\\citelist`` and csquotes' quotations with citations cite what
    they name, and no text is a key."""
    assert latex(body) == expected.split()


@pytest.mark.parametrize("definition", [r"\def\autocite##1{\emph{\Cite{##1}}}", r"\let\x\y"])
def test_a_redefinition_in_an_environment_takes_no_note_for_a_key(definition: str) -> None:
    """Where an environment redefines a citation command, calls with a note still cite their key."""
    text = rf"\newenvironment{{sheet}}{{{definition}}}{{}}\begin{{sheet}}A\autocite[3]{{stone1990}}."
    assert latex(f"{text}\\end{{sheet}} B\\autocite[4]{{marsh2011}}.") == ["stone1990", "marsh2011"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("By [@quarry](https://example.org/quarry) and [@stone1990].", "stone1990"),
        ('By <a href="https://example.org">@quarry</a> and [@stone1990].', "stone1990"),
        ("See [[@stone1990#Part two|there]], ![[@marsh2011^b1]].", "stone1990 marsh2011"),
        ("See @nte-flood, @wrn-ice and [@stone1990; @tip-boots].", "stone1990"),
        (
            "(@wet) Marshes are wet.\n\n(@dry) Stones are.\n\nAs (@wet) and @dry say [@stone1990].",
            "stone1990",
        ),
        ("# Part {#own-part}\n\nSee @own-part and @stone1990.", "stone1990"),
        ("(later-part)=\n## Later\n\nSee @later-part and @stone1990.", "stone1990"),
        ("As [@https://example.org/stones?page=2] says.", "https://example.org/stones?page=2"),
        ("<!-- mine -->  Stones are old [@stone1990].\n\nMore.", "stone1990"),
        ("<!-- of\ntwo lines --> <!-- twice --> Old [@stone1990].", "stone1990"),
        ("- <!-- mine --> Old [@stone1990].\n- New [@marsh2011].", "stone1990 marsh2011"),
        (r"Old \citep[see][p.~3]{stone1990, marsh2011}, `\cite{code}`.", "stone1990 marsh2011"),
        (
            "Old {cite:p}`stone1990,marsh2011` as {cite:t}`{see}marsh2011` says.",
            "stone1990 marsh2011 marsh2011",
        ),
    ],
)
def test_markdown_cites_by_keys_and_not_by_names_of_people_or_parts(text: str, expected: str) -> None:
    """Links to people, ids of figures and callouts, and numbered examples are no citations; wiki links,
    addresses, LaTeX's commands and MyST's roles are."""
    assert keys("a.md", text) == expected.split()


def test_a_defined_key_is_a_citation_wherever_it_stands() -> None:
    """A key of the bibliography is a citation in a link's text, and if it looks like an id."""
    text = "---\nbibliography: r.bib\n---\n\n[@stone1990](https://example.org), @nte-one. (@marsh2011) too.\n"
    bib = BIB + "@misc{nte-one, title = {Note}}\n"
    assert cited(read_files({"a.md": text, "r.bib": bib}, root="a.md")) == [
        "stone1990",
        "nte-one",
        "marsh2011",
    ]


@pytest.mark.parametrize(
    ("written", "filled", "renamed"),
    [
        (r"\citep{TODO,stone1990}", r"\citep{marsh2011,stone1990}", r"\citep{TODO,rock}"),
        ("{cite:p}`TODO,stone1990`", "{cite:p}`marsh2011,stone1990`", "{cite:p}`TODO,rock`"),
        ("[[@TODO#Part]] [@stone1990]", "[[@marsh2011#Part]] [@stone1990]", ""),
    ],
)
def test_other_citations_in_markdown_are_edited_in_their_own_language(
    written: str, filled: str, renamed: str
) -> None:
    """A placeholder in LaTeX's commands, MyST's roles and wiki links is filled where it stands."""
    texts = {"a.md": f"---\nbibliography: r.bib\n---\n\nOld {written}.\n", "r.bib": BIB}
    files = MemoryFiles(texts)
    draft = read_files(texts, root="a.md")
    marker = draft.paragraphs[0].sentences[0].markers[0]
    assert marker.open
    edit = fill(draft, marker, ["marsh2011"], files)
    assert f"Old {filled}." in Patch([edit], "a.md", files).texts()["a.md"]
    if renamed:
        edit = rename(draft, marker, "stone1990", "rock", files)
        assert f"Old {renamed}." in Patch([edit], "a.md", files).texts()["a.md"]


@pytest.mark.parametrize(
    "link",
    ["citenum supercite smartcite textcite citeyearpar Citep citetitle fullcite".split()],  # noqa: SIM905
)
def test_all_links_of_org_ref_cite(link: list[str]) -> None:
    """Each of org-ref's links to natbib's and biblatex's commands cites its keys."""
    for name in link:
        assert keys("a.org", f"Old [[{name}:&stone1990]] and {name}:marsh2011.\n") == [
            "stone1990",
            "marsh2011",
        ]


def test_functions_around_typsts_cite_cite_their_arguments() -> None:
    """A function of the draft that hands its arguments to ``cite`` cites them; one that cites a key of its
    own does not."""
    text = (
        '#let who(key) = cite(key, form: "prose")\n#let at = cite.with(supplement: [p. 3])\n'
        "#let all(..names) = { for n in names.pos() { cite(label(n)) } }\n#let box(x) = [#x #cite(<inner>)]\n"
        'By #who(<stone1990>), #at(<marsh2011>), #all("a1", "b2"), #box[text].\n'
    )
    assert keys("a.typ", text) == ["stone1990", "marsh2011", "a1", "b2"]


# The root that a part of a draft names, and folders of bibliographies --------------------------------------

CHAPTER = "\\chapter{One}\nStones \\cite{stone1990} sink \\cite{lost2020}.\n"
MAIN = "\\documentclass{book}\n\\begin{document}\nOther.\n\\include{c/one}\n%s\\end{document}\n"


@pytest.mark.parametrize(
    "chapter",
    [
        f"% !TEX root = ../main.tex\n{CHAPTER}",
        f"%!TeX encoding = UTF-8\n%!TeX root=../main\n{CHAPTER}",
        f'{CHAPTER}%%% Local Variables:\n%%% TeX-master: "../main"\n%%% End:\n',
    ],
)
def test_a_chapter_is_read_with_the_bibliography_of_the_root_that_it_names(chapter: str) -> None:
    """The magic comment of a chapter names its root, whose bibliography counts; no text of the root is
    read."""
    main = MAIN % "\\bibliography{refs}\n"
    draft = read_files({"c/one.tex": chapter, "main.tex": main, "refs.bib": BIB}, root="c/one.tex")
    markers = [marker for p in draft.paragraphs for s in p.sentences for marker in s.markers]
    assert [(marker.keys, marker.open) for marker in markers] == [
        (("stone1990",), False),
        (("lost2020",), True),
    ]
    assert draft.bibliographies == ("refs.bib",)
    assert not any("Other" in s.text for p in draft.paragraphs for s in p.sentences)


def test_a_chapter_without_a_root_is_said_to_have_no_bibliography() -> None:
    """A part of a draft that cites and names neither root nor bibliography is no finished draft: it is
    said why no key is open."""
    alone = read_files({"one.tex": CHAPTER})
    assert any("no key counts as undefined" in problem for problem in alone.problems)
    lost = read_files({"one.tex": f"% !TEX root = gone.tex\n{CHAPTER}"})
    assert any("gone.tex: no such file" in problem for problem in lost.problems)


@pytest.mark.parametrize("name", ["a.tex", "a.org"])
def test_bibliographies_are_found_in_the_folders_of_bibinputs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As BibTeX does, a bibliography is looked for in the folders of BIBINPUTS and, after ``//``, in those
    below; but outside of the project it is only read if that is allowed."""
    (tmp_path / "central" / "deep").mkdir(parents=True)
    (tmp_path / "central" / "deep" / "mine.bib").write_text(BIB)
    draft = tmp_path / "paper" / name
    draft.parent.mkdir()
    body = "Old \\cite{stone1990} and \\cite{lost2020}.\n"
    tex = f"\\documentclass{{article}}\\begin{{document}}{body}\\bibliography{{mine}}\\end{{document}}"
    draft.write_text(tex if name == "a.tex" else f"#+bibliography: mine.bib\n{body}")
    monkeypatch.setenv("BIBINPUTS", f"{tmp_path}/central//:")
    manuscript = read(draft, follow_outside=True)
    assert [reference.key for reference in manuscript.references][:1] == ["stone1990"]
    assert not manuscript.unread
