"""Open markers filled with keys, entries added to the bibliography."""

from __future__ import annotations

from pathlib import Path

import pytest
from latex_drafts import make, markers

from citewhy.base.errors import EditConflictError, InputError, QueryError
from citewhy.base.records import Manuscript, Paper
from citewhy.drafts import read
from citewhy.drafts.edit.citations import add_entries, fill, rename
from citewhy.drafts.edit.journal import undo
from citewhy.drafts.edit.patch import Patch

_NEW = {"new2020key": Paper("new", "New")}


def _entry(key: str, title: str) -> str:
    return f"@misc{{{key},\n  title     = {{{title}}}\n}}\n"


def _filled(manuscript: Manuscript, *keys: str) -> str:
    """The draft's root after every open marker got `keys`."""
    edits = [fill(manuscript, marker, keys) for marker in markers(manuscript) if marker.open]
    Patch(edits, manuscript.path).apply()
    return Path(manuscript.path).read_bytes().decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (r"\cite{}", r"\cite{k1}"),
        (r"\citep[see][]{ }", r"\citep[see][]{k1}"),
        (r"\cite{?}", r"\cite{k1}"),
        (r"\cite{bleu,TODO}", r"\cite{bleu,k1}"),
        (r"\cite{TODO, bleu}", r"\cite{k1, bleu}"),
        (r"\cite{?,?}", r"\cite{k1,?}"),
        (r"\cite{nobody1999, TODO,bleu}", r"\cite{nobody1999, k1,bleu}"),
        (r"\cite{bleu, nobody1999}", r"\cite{bleu, k1}"),
        ("\\cite{bleu,%c\n TODO%d\n}", "\\cite{bleu,%c\n k1%d\n}"),
        (r"\citet{}", r"\citet{k1}"),
        (r"\cites[1]{bleu}{?}", r"\cites[1]{bleu}{k1}"),
        (r"\citeneeded", r"\cite{k1}"),
        (r"\citationneeded{}", r"\cite{k1}"),
        (r"\citeneeded[p.~3]", r"\cite[p.~3]{k1}"),
        (r"\citeneeded[see][p.~3]", r"see \cite[p.~3]{k1}"),
        (r"\citep{bleu} c \citeneeded[see][p.~3]", r"\citep{bleu} c \citep[see][p.~3]{k1}"),
        (r"\citep{bleu} c \citeneeded[e.g.][]", r"\citep{bleu} c \citep[e.g.][]{k1}"),
        ("(CITE, p. 3)", r"\cite[p. 3]{k1}"),
        ("[CITE, pp.~3--5]", r"\cite[pp.~3--5]{k1}"),
        (r"\cite{,}", r"\cite{k1}"),
        (r"\cite{ , , }", r"\cite{k1}"),
        (r"\cite{bleu,,}", r"\cite{bleu,k1}"),
        (r"\cite{bleu,,,}", r"\cite{bleu,k1}"),
        (r"\cite{,bleu}", r"\cite{k1,bleu}"),
        (r"\cite{bleu, , rouge}", r"\cite{bleu, k1, rouge}"),
        (r"\cites{}{bleu}", r"\cites{k1}{bleu}"),
        (r"\todocite{Smith}", r"\cite{k1} \todocite{Smith}"),
        ("[CITE]", r"\cite{k1}"),
        ("[?]", r"\cite{k1}"),
        (r"\mine{}", r"\mine{k1}"),
    ],
)
def test_filling_in_latex(tmp_path: Path, before: str, after: str) -> None:
    """Keys go where they belong, placeholders and undefined keys leave, all else stays."""
    preamble = "\\newcommand{\\mine}[1]{\\cite{#1}}"
    manuscript = make(tmp_path, f"A {before} b.", preamble=preamble)
    original = Path(manuscript.path).read_bytes()
    assert f"A {after} b." in _filled(manuscript, "k1")
    undo(manuscript.path)
    assert Path(manuscript.path).read_bytes() == original


def test_several_keys_once_each(tmp_path: Path) -> None:
    """Keys that the marker has already, or that are given twice, are not repeated."""
    manuscript = make(tmp_path, "A \\cite{bleu,?} [CITE].")
    text = _filled(manuscript, "rouge", "bleu", "rouge")
    assert "A \\cite{bleu,rouge} \\cite{rouge,bleu}." in text


def test_adding_to_a_marker_that_is_not_open(tmp_path: Path) -> None:
    """A finished marker takes more keys; comments between its keys stay."""
    manuscript = make(tmp_path, "A \\cite{bleu} \\cite{bleu%x\n} b.")
    Patch([fill(manuscript, m, ["rouge"]) for m in markers(manuscript)], manuscript.path).apply()
    text = Path(manuscript.path).read_text(encoding="utf-8")
    assert "A \\cite{bleu,rouge} \\cite{bleu,rouge%x\n} b." in text


def test_the_draft_s_own_command(tmp_path: Path) -> None:
    """A new citation is written as the draft writes most of those in brackets."""
    manuscript = make(
        tmp_path, "\\citet{bleu} \\citep{rouge} \\citep{bleu} \\cite{rouge} [CITE] \\citeneeded."
    )
    assert "\\cite{rouge} \\citep{k1} \\citep{k1}." in _filled(manuscript, "k1")


def test_keys_stay_where_no_bibliography_is_known(tmp_path: Path) -> None:
    """Without any known key, an undefined one is left in place."""
    path = tmp_path / "draft.tex"
    path.write_text("\\begin{document}A \\cite{mine,TODO}.\\end{document}", encoding="utf-8")
    assert "\\cite{mine,k1}" in _filled(read(path), "k1")


def test_filling_in_markdown(tmp_path: Path) -> None:
    """[@], [?], [CITE] and open keys become pandoc's citations; known keys stay."""
    (tmp_path / "refs.bib").write_text("@misc{bleu, title={B}}", encoding="utf-8")
    path = tmp_path / "draft.md"
    path.write_text(
        "---\nbibliography: refs.bib\n---\n\nA [@], b [?], c [CITE], d [@bleu; @?].\n", encoding="utf-8"
    )
    assert "A [@k1], b [@k1], c [@k1], d [@bleu; @k1]." in _filled(read(path), "k1")


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("draft.md", "[CITE, p. 3]", "[@k1; @k2, p. 3]"),
        ("draft.md", "(CITE, p. 3)", "[@k1; @k2, p. 3]"),
        ("draft.org", "[CITE, p. 3]", "[cite:@k1;@k2 p. 3]"),
        ("draft.typ", "[CITE, p. 3]", "@k1 @k2[p. 3]"),
        ("draft.txt", "[CITE, p. 3]", "[k1; k2, p. 3]"),
    ],
)
def test_the_page_of_a_placeholder(tmp_path: Path, name: str, before: str, after: str) -> None:
    """It becomes the page of the citation, as each format writes it."""
    path = tmp_path / name
    path.write_text(f"Trees are tall {before}.\n", encoding="utf-8")
    assert f"Trees are tall {after}." in _filled(read(path), "k1", "k2")


_GROUPS = [
    ("[@mikolov; @devlin; @TODO]", "[@mikolov; @devlin; @new; @more]"),
    ("[@TODO; @mikolov; @devlin]", "[@new; @more; @mikolov; @devlin]"),
    ("[@mikolov; @?; @devlin]", "[@mikolov; @new; @more; @devlin]"),
    ("[@devlin; @mikolov; @]", "[@devlin; @mikolov; @new; @more]"),
    ("[-@mikolov; @devlin; @TODO]", "[-@mikolov; @devlin; @new; @more]"),
    ("[see @mikolov, p. 3; @devlin; @]", "[see @mikolov, p. 3; @devlin; @new; @more]"),
    ("[see @devlin, p. 3; @?, ch. 2; @mikolov]", "[see @devlin, p. 3; @new; @more, ch. 2; @mikolov]"),
]
"""Groups of pandoc, and what becomes of them with the keys new, mikolov, more."""


@pytest.mark.parametrize("bibliography", [True, False])
@pytest.mark.parametrize(("written", "expected"), _GROUPS)
def test_order_of_a_group(tmp_path: Path, written: str, expected: str, bibliography: bool) -> None:
    """Keys that are there keep their order and their notes, new ones stand where the placeholder was, none
    comes twice; whether a bibliography defines them or none is there."""
    if bibliography:
        defined = "@misc{mikolov, title={M}}\n@misc{devlin, title={D}}\n"
        (tmp_path / "refs.bib").write_text(defined, encoding="utf-8")
    path = tmp_path / "draft.md"
    path.write_text(f"See {written} here.\n", encoding="utf-8")
    assert _filled(read(path), "new", "mikolov", "more") == f"See {expected} here.\n"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("As [@?, p. 3] says.", "As [@new, p. 3] says."),
        ("As [see also @TODO, pp. 3-4; @devlin] says.", "As [see also @new, pp. 3-4; @devlin] says."),
        ("As shown by [CITE], it is.", "As shown by @new, it is."),
        ("[?] introduced it.", "@new introduced it."),
        ("Lin et al. [?] introduced it.", "Lin et al. [@new] introduced it."),
        ("It is so [CITE].", "It is so [@new]."),
        ("It is so (CITE).", "It is so [@new]."),
    ],
)
def test_locators_and_sentences_in_markdown(tmp_path: Path, written: str, expected: str) -> None:
    """Prefixes, locators and suffixes stay; a citation that is a part of the sentence becomes one in text."""
    (tmp_path / "refs.bib").write_text("@misc{devlin, title={D}}\n", encoding="utf-8")
    path = tmp_path / "draft.md"
    path.write_text(f"First. {written}\n", encoding="utf-8")
    assert _filled(read(path), "new") == f"First. {expected}\n"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("\\citep[see][p.~3]{?} \\citet{bleu}", "\\citep[see][p.~3]{new} \\citet{bleu}"),
        ("\\citep{bleu}. As shown by \\citeneeded", "\\citep{bleu}. As shown by \\citet{new}"),
        ("\\parencite{bleu}. [CITE] introduced it", "\\parencite{bleu}. \\textcite{new} introduced it"),
        ("\\citep{bleu}. Lin et al. [CITE] found it", "\\citep{bleu}. Lin et al. \\citep{new} found it"),
        ("\\cite{bleu}. [CITE] introduced it", "\\cite{bleu}. \\cite{new} introduced it"),
    ],
)
def test_notes_and_sentences_in_latex(tmp_path: Path, written: str, expected: str) -> None:
    """Notes stay; a citation that is a part of the sentence gets such a command of the draft's style."""
    assert f"{expected}.\n" in _filled(make(tmp_path, f"{written}."), "new")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("\\citep[see][]{bleu,och03,rouge}", "\\citep[see][]{bleu,new,rouge}"),
        ("\\cites{och03}{bleu}", "\\cites{new}{bleu}"),
        ("\\cite{och03x, och03 ,bleu}", "\\cite{och03x, new ,bleu}"),
    ],
)
def test_one_key_becomes_another(tmp_path: Path, written: str, expected: str) -> None:
    """Only the key that is meant changes, in whichever argument it stands."""
    manuscript = make(tmp_path, f"A {written}.")
    (marker,) = markers(manuscript)
    Patch([rename(manuscript, marker, "och03", "new")], manuscript.path).apply()
    assert f"A {expected}.\n" in Path(manuscript.path).read_text(encoding="utf-8")


def test_one_key_becomes_another_in_markdown(tmp_path: Path) -> None:
    """With its notes and its neighbours as they are."""
    path = tmp_path / "draft.md"
    path.write_text("A [see @och03b; @och03, p. 3; @{och03}].\n", encoding="utf-8")
    (marker,) = markers(read(path))
    Patch([rename(read(path), marker, "och03", "new")], path).apply()
    assert path.read_text(encoding="utf-8") == "A [see @och03b; @new, p. 3; @{och03}].\n"


def test_notes_stay_with_their_keys(tmp_path: Path) -> None:
    """Without a bibliography a key is kept, and a new one goes behind its note; with one it gives way."""
    path = tmp_path / "draft.md"
    draft = "See [see @mikolov, p. 3].\n"
    path.write_text(draft, encoding="utf-8")
    assert _filled(read(path), "new") == "See [see @mikolov, p. 3; @new].\n"
    path.write_text(draft, encoding="utf-8")
    (tmp_path / "refs.bib").write_text("@misc{devlin, title={D}}\n", encoding="utf-8")
    assert _filled(read(path), "new") == "See [see @new, p. 3].\n"


def test_markers_that_cannot_be_filled(tmp_path: Path) -> None:
    """A macro's marker, keys that are none, and no keys at all are refused in words."""
    manuscript = make(tmp_path, "\\both{} \\cite{}", preamble="\\newcommand{\\both}{\\cite{TODO}}")
    made, plain = markers(manuscript)
    with pytest.raises(QueryError, match="edit it by hand"):
        fill(manuscript, made, ["k1"])
    for key in ("", "a,b", "a b", "a}", "a%", "\\x"):
        with pytest.raises(QueryError, match="not a valid citation key"):
            fill(manuscript, plain, [key])
    with pytest.raises(QueryError, match="no citation keys"):
        fill(manuscript, plain, [])


def test_marker_that_has_moved(tmp_path: Path) -> None:
    """A draft that was edited since it was read is not edited at the wrong place."""
    manuscript = make(tmp_path, "A \\cite{}.")
    path = Path(manuscript.path)
    path.write_text("New first line.\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(EditConflictError, match="no longer where it was"):
        fill(manuscript, markers(manuscript)[0], ["k1"])


# Bibliographies -------------------------------------------------------------------------------------------


def test_entries_are_appended(tmp_path: Path) -> None:
    """A blank line, the entry, a line end; files of @string only are passed over."""
    manuscript = make(
        tmp_path,
        "\\cite{bleu}\\bibliography{strings}",
        strings_bib="@string{acl = {ACL}}\n",
    )
    before = (tmp_path / "refs.bib").read_text(encoding="utf-8")
    Patch(add_entries(manuscript, _NEW | {"other": Paper("other", "Other")}), manuscript.path).apply()
    after = (tmp_path / "refs.bib").read_text(encoding="utf-8")
    assert after == f"{before}\n{_entry('new2020key', 'New')}\n{_entry('other', 'Other')}"
    assert (tmp_path / "strings.bib").read_text(encoding="utf-8") == "@string{acl = {ACL}}\n"
    assert add_entries(manuscript, {}) == []


@pytest.mark.parametrize(
    ("preamble", "added"),
    [
        ("", ["\\bibliographystyle{plain}\n\\bibliography{references}\n\\end{document}"]),
        (
            "\\usepackage{natbib}",
            ["\\bibliographystyle{plainnat}\n\\bibliography{references}\n\\end{document}"],
        ),
        ("\\bibliographystyle{acl}", ["A [?].\n\\bibliography{references}\n\\end{document}"]),
        (
            "\\usepackage[x]{biblatex}",
            ["\\addbibresource{references.bib}\n\\begin{document}", "\\printbibliography\n\\end{document}"],
        ),
    ],
)
def test_draft_without_bibliography(tmp_path: Path, preamble: str, added: list[str]) -> None:
    """references.bib is created and named so that LaTeX finds it; undo removes both."""
    path = tmp_path / "draft.tex"
    original = f"{preamble}\n\\begin{{document}}\nA [?].\n\\end{{document}}\n% \\end{{document}}\n"
    path.write_text(original, encoding="utf-8")
    manuscript = read(path)
    edits = [fill(manuscript, markers(manuscript)[0], ["new2020key"]), *add_entries(manuscript, _NEW)]
    Patch(edits, path).apply()
    text = path.read_text(encoding="utf-8")
    assert all(part.replace("[?]", "\\cite{new2020key}") in text for part in added)
    again = read(path)
    assert not markers(again)[0].open
    assert again.problems == ()
    undo(path)
    assert path.read_text(encoding="utf-8") == original
    assert not (tmp_path / "references.bib").exists()


@pytest.mark.parametrize("front", ["", "---\ntitle: T\n---\n"])
def test_markdown_without_bibliography(tmp_path: Path, front: str) -> None:
    """The new file is named in the front matter, which is made where there is none."""
    path = tmp_path / "draft.md"
    path.write_text(f"{front}A [@].\n", encoding="utf-8")
    manuscript = read(path)
    edits = [fill(manuscript, markers(manuscript)[0], ["new2020key"]), *add_entries(manuscript, _NEW)]
    Patch(edits, path).apply()
    again = read(path)
    assert [m.open for m in markers(again)] == [False]
    assert again.title == ("T" if front else "")
    undo(path)
    assert path.read_text(encoding="utf-8") == f"{front}A [@].\n"


def test_a_missing_bibliography_is_not_replaced(tmp_path: Path) -> None:
    """A draft that cites from a file which is not there gets no new file of its name, which would hide it."""
    manuscript = make(tmp_path, "\\cite{bleu} \\cite{?}")
    (tmp_path / "refs.bib").unlink()
    manuscript = read(manuscript.path)
    assert [marker.open for marker in markers(manuscript)] == [False, True]
    assert manuscript.unread == (str(tmp_path / "refs.bib"),)
    with pytest.raises(InputError, match=r"refs\.bib: the bibliography is missing, and nothing is written"):
        add_entries(manuscript, _NEW)


def test_a_missing_bibliography_beside_another(tmp_path: Path) -> None:
    """Keys count as defined in the one that is missing; entries go into the one that is there."""
    manuscript = make(tmp_path, "\\cite{bleu,elsewhere} \\cite{?}\\bibliography{gone}")
    assert [marker.open for marker in markers(manuscript)] == [False, True]
    assert [edit.file for edit in add_entries(manuscript, _NEW)] == [str(tmp_path / "refs.bib")]


@pytest.mark.parametrize("named", ["/home/ann/papers/lib", "..\\\\..\\\\shared\\\\lib.bib", "../other/lib"])
def test_a_bibliography_of_another_machine(tmp_path: Path, named: str) -> None:
    """A path that leads nowhere here means the file of this name beside the draft, and this is said."""
    manuscript = make(
        tmp_path, f"\\cite{{there}}\\bibliography{{{named}}}", lib_bib="@misc{there, title={T}}"
    )
    assert [marker.open for marker in markers(manuscript)] == [False]
    assert manuscript.unread == ()
    assert any("lib.bib in the draft's folder is used" in problem for problem in manuscript.problems)


def test_an_entry_that_cannot_be_read_defines_its_key(tmp_path: Path) -> None:
    """A comma that is missing in a .bib file does not make its key undefined."""
    manuscript = make(tmp_path, "\\cite{broken}", broken_bib="")
    with (tmp_path / "refs.bib").open("a", encoding="utf-8") as file:
        file.write("@article{broken, title = {Never closed, author = {A}\n")
    (marker,) = markers(read(manuscript.path))
    assert not marker.open


def test_handwritten_reference_list(tmp_path: Path) -> None:
    """A draft with thebibliography is told what to do instead of getting a second list."""
    path = tmp_path / "draft.tex"
    path.write_text(
        "\\begin{document}A \\cite{}.\\begin{thebibliography}{1}\\bibitem{x} X. Y. Z.\\end{thebibliography}"
        "\\end{document}",
        encoding="utf-8",
    )
    with pytest.raises(InputError, match="contains its own reference list"):
        add_entries(read(path), _NEW)


@pytest.mark.parametrize("named", ['"refs.json"', "refs", 'read("refs", encoding: none)'])
def test_typst_gets_no_second_bibliography(tmp_path: Path, named: str) -> None:
    """Typst compiles no document with two; a comment names none."""
    path = tmp_path / "draft.typ"
    path.write_text(f"A [CITE].\n// #bibliography(x)\n#bibliography({named})\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"draft\.typ:3: .* Typst allows no second one; name such a file"):
        add_entries(read(path), _NEW)
    path.write_text("A [CITE].\n// #bibliography(x)\n", encoding="utf-8")
    assert [Path(edit.file).name for edit in add_entries(read(path), _NEW)] == [
        "references.bib",
        "draft.typ",
    ]
