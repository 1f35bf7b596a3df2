"""Seventeen papers as their authors wrote them, checked against counts that use nothing of the reader.

The independent count puts a draft's files together by substituting ``\\input`` in its text, comments cut, and
looks for citations, keys and words by regular expressions. What it cannot know (a user's macro that cites) it
substitutes as well, as text.
"""

from __future__ import annotations

import re
import shutil
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from latex_drafts import markers, placed, sentences, slotted

from citewhy.base.records import Manuscript, Paper
from citewhy.drafts import read
from citewhy.drafts.edit.bibliography_file import new_key
from citewhy.drafts.edit.citations import add_entries, fill
from citewhy.drafts.edit.journal import undo
from citewhy.drafts.edit.patch import Patch

pytestmark = pytest.mark.data

_HOW_MANY = 17
_KEPT_WORDS, _KEPT_WORDS_OF_ALL = 0.996, 0.9995
"""What the independent count calls a word may be two of an address, or one glued by a macro unknown to it."""

# The independent count ------------------------------------------------------------------------------------

_INPUT_MACRO = re.compile(r"\\newcommand\{\\(\w+)\}\[1\]\{[^\n]*\\input\{([^#}\n]*)#1([^}\n]*)\}\}")
_CITING_MACRO = re.compile(r"\\newcommand\{\\(\w+)\}\[(\d)\]\{([^\n]*cite\{[^\n]*)\}\n")
_CITING_NOTE = re.compile(r"\\DeclareFixedFootnote\{\\(\w+)\}\{((?:[^{}]|\{[^{}]*\})*)\}")
_CITATION = re.compile(r"\\(?!no)[a-z]*cite[a-z]*\*?(?:\[[^\]]*\])*\{([^}]*)\}")
_ENTRY = re.compile(r"^\s*@\w+\s*[{(]\s*([^\s,{}()]+)\s*,", re.MULTILINE)


def _assembled(root: Path) -> str:
    """The draft as one text without comments."""
    macros: dict[str, tuple[str, str]] = {}

    def text_of(path: Path) -> str:
        text = re.sub(r"(?<!\\)%.*", "", path.read_bytes().decode(errors="replace"))
        macros.update({name: (before, behind) for name, before, behind in _INPUT_MACRO.findall(text)})
        text = _INPUT_MACRO.sub("", text)
        return re.sub(rf"\\({'|'.join(['input', *macros])})\{{([^#}}]*)\}}", included, text)

    def included(command: re.Match[str]) -> str:
        before, behind = macros.get(command[1], ("", ""))
        name = root.parent / f"{before}{command[2]}{behind}"
        path = name if name.suffix == ".tex" else name.with_name(name.name + ".tex")
        return text_of(path) if path.is_file() else ""

    return text_of(root)


@dataclass(frozen=True)
class _Count:
    """What a draft has, by the independent count."""

    citations: Counter[str]
    defined: frozenset[str]
    words: Counter[str]


def _count(root: Path) -> _Count:
    text = _assembled(root)
    preamble, _, rest = text.partition("\\begin{document}")
    body = rest.partition("\\end{document}")[0]
    for name, number, definition in _CITING_MACRO.findall(preamble):
        for arguments in re.findall(rf"\\{name}" + r"\{([^{}]*)\}" * int(number), body):
            text = definition
            for which, argument in enumerate(
                [arguments] if isinstance(arguments, str) else arguments, start=1
            ):
                text = text.replace(f"#{which}", argument)
            call = f"\\{name}" + "".join(
                f"{{{a}}}" for a in ([arguments] if isinstance(arguments, str) else arguments)
            )
            body = body.replace(call, text, 1)
    for name, note in _CITING_NOTE.findall(preamble):
        body = body.replace(f"\\{name}", note)
    cited = Counter(re.sub(r"\s", "", keys) for keys in _CITATION.findall(body))
    files = re.findall(r"\\bibliography\{([^}]*)\}", body)[0].split(",")
    keys = {
        key.lower()
        for file in files
        for key in _ENTRY.findall((root.parent / f"{file}.bib").read_bytes().decode(errors="replace"))
    }
    return _Count(cited, frozenset(keys), _words(_without_commands(preamble, body)))


_NO_TEXT = re.compile(
    r"\\(?:[a-z]*cite[a-z]*|label|(?:eq|page)?ref|includegraphics|url|href|bibliography\w*|[vh]space|cellcolor|"
    r"(?:text)?color(?:box)?|rowcolors?|multirow|setlength|addtolength|icml\w+|footnotetext|resizebox|renewcommand|"
    r"definecolor|setcounter|let|begin|end)\*?(?:\[[^\]]*\])*(?:\{(?:[^{}]|\{[^{}]*\})*\}(?:\[[^\]]*\])?)+|"
    r"\\(?:node|tikz|footnotemark|item|multirow)\[[^\]]*\]"
)


def _without_commands(preamble: str, body: str) -> str:
    """The words of a body that are neither formulas nor in tables, pictures or the arguments of commands."""
    hidden = set(re.findall(r"\\newcommand\{\\(\w+)\}\[\d\]\{\}", preamble))
    macros = re.findall(r"\\newcommand\*?\{?\\(\w+)\}?(?:\[0\])?\{(?!\})", preamble)
    for environment in (
        *(
            "equation",
            "align",
            "eqnarray",
            "tabular",
            "algorithmic",
            "tikzpicture",
            "axis",
            "comment",
            "dmath",
        ),
        *("array", "verbatim"),
    ):
        body = re.sub(rf"\\begin\{{{environment}\*?\}}[\s\S]*?\\end\{{{environment}\*?\}}", " ", body)
    body = re.sub(r"(?<!\\)\$\$?[^$]*(?<!\\)\$\$?|\\\[[\s\S]*?\\\]", " ", body)
    for name in hidden:
        body = re.sub(rf"\\{name}\{{(?:[^{{}}]|\{{(?:[^{{}}]|\{{[^{{}}]*\}})*\}})*\}}", " ", body)
    body = _NO_TEXT.sub(" ", body)
    body = re.sub(r"\\(?:['\"`^~=.]|c(?=\{))\{?\\?([a-zA-Z])\}?", r"\1", body)
    # A word that a user's macro is a part of ("\dan-based", "\name{}s") is none that can be looked for.
    body = (
        re.sub(rf"\S*\\(?:{'|'.join(map(re.escape, macros))})\b(?:\{{\}})?\S*", " ", body) if macros else body
    )
    return re.sub(r"[{}]", "", re.sub(r"\\[A-Za-z@]+\*?|\\\\(?:\[[^\]]*\])?", " ", body))


def _words(text: str) -> Counter[str]:
    plain = unicodedata.normalize("NFKD", re.sub("[’‘]", "'", re.sub("[–—“”…]", " ", text)))
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return Counter(word.lower() for word in re.findall(r"[A-Za-z]{3,}", plain))


# The drafts -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def roots(shared_drafts: Path) -> list[Path]:
    files = sorted(shared_drafts.glob("20*.tex"))
    assert len(files) == _HOW_MANY
    return files


@pytest.fixture(scope="module")
def manuscripts(roots: list[Path]) -> dict[Path, Manuscript]:
    return {root: read(root) for root in roots}


@pytest.fixture(scope="module")
def counts(roots: list[Path]) -> dict[Path, _Count]:
    return {root: _count(root) for root in roots}


def test_every_citation_is_found(manuscripts: dict[Path, Manuscript], counts: dict[Path, _Count]) -> None:
    """Exactly the citations that the independent count has, key for key, in all drafts."""
    for root, manuscript in manuscripts.items():
        cited = Counter(",".join(marker.keys) for marker in markers(manuscript))
        assert cited == counts[root].citations, root.name
    assert sum(counts[root].citations.total() for root in counts) > 650


def test_every_defined_key_is_resolved(
    manuscripts: dict[Path, Manuscript], counts: dict[Path, _Count]
) -> None:
    """A marker is open exactly where the draft's .bib files lack one of its keys (in any case of letters)."""
    for root, manuscript in manuscripts.items():
        defined = {reference.key for reference in manuscript.references}
        assert {key.lower() for key in defined} == counts[root].defined, root.name
        for marker in markers(manuscript):
            known = all(key.lower() in counts[root].defined for key in marker.keys)
            assert marker.open != known, (root.name, marker)
            assert (set(marker.keys) <= defined) == known


def test_no_sentence_is_lost(manuscripts: dict[Path, Manuscript], counts: dict[Path, _Count]) -> None:
    """Of the words that the independent count finds in running text, nearly all are in the paragraphs."""
    all_lost = 0
    for root, manuscript in manuscripts.items():
        read_words = _words(" ".join(sentence.text for sentence in sentences(manuscript)))
        lost = counts[root].words - read_words
        kept = 1 - lost.total() / counts[root].words.total()
        assert kept >= _KEPT_WORDS, (root.name, kept, lost.most_common(20))
        all_lost += lost.total()
    assert 1 - all_lost / sum(count.words.total() for count in counts.values()) >= _KEPT_WORDS_OF_ALL


def test_places_are_true(manuscripts: dict[Path, Manuscript]) -> None:
    """A marker's place begins with its command, its slot holds its keys; a sentence ends where it ends."""
    edited = 0
    for manuscript in manuscripts.values():
        for marker in markers(manuscript):
            assert placed(marker).startswith(f"\\{marker.command}")
            if marker.slot is not None:
                written = re.sub(r"%.*|\s", "", slotted(marker) or "")
                assert tuple(key for key in written.split(",") if key) == marker.keys
                edited += 1
        for sentence in sentences(manuscript):
            assert sentence.place.file in manuscript.files
            for marker in sentence.markers:
                assert 0 <= marker.offset <= len(sentence.text)
    assert edited > 640


def test_front_matter_is_read(manuscripts: dict[Path, Manuscript]) -> None:
    """Every draft has its title, authors, an abstract, and the year that its name tells."""
    for root, manuscript in manuscripts.items():
        assert len(manuscript.title.split()) > 3
        assert "Jordan Boyd-Graber" in manuscript.authors
        assert all(2 <= len(name.split()) <= 4 for name in manuscript.authors)
        assert 400 < len(manuscript.abstract) < 2000
        assert manuscript.year == int(root.name[:4])


def test_problems_are_true(manuscripts: dict[Path, Manuscript]) -> None:
    """Nothing is called broken in drafts that were printed, but for one file that is not there."""
    problems = [p for m in manuscripts.values() for p in m.problems if ".bib:" not in p]
    assert len(problems) == 1
    assert "tactic_examples}: no such file" in problems[0]


@pytest.fixture(scope="module")
def copies(roots: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Path]]:
    folder = tmp_path_factory.mktemp("drafts")
    for entry in roots[0].parent.iterdir():
        target = folder / entry.name
        if entry.is_dir():
            shutil.copytree(entry, target, copy_function=shutil.copyfile)
            for part in [target, *target.rglob("*")]:
                part.chmod(0o755 if part.is_dir() else 0o644)
        else:
            shutil.copyfile(entry, target)
    yield [folder / root.name for root in roots]
    shutil.rmtree(folder)


def _state(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and ".citewhy" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_edit_and_undo(copies: list[Path]) -> None:
    """In each draft every marker gets a new key and the bibliography its entry; what is open after that has
    other keys that are not defined. Then all is as it was."""
    before = _state(copies[0].parent)
    paper = Paper("x", "Étude", authors=("Zoë Ž",), year=2020)
    for root in copies:
        manuscript = read(root)
        key = new_key(paper, (reference.key for reference in manuscript.references))
        with_slots = [marker for marker in markers(manuscript) if marker.slot is not None]
        edits = [fill(manuscript, marker, [key]) for marker in with_slots]
        edits += add_entries(manuscript, {key: Paper(key, "New")})
        patch = Patch(edits, root)
        diff = patch.diff()
        added = [line for line in diff.splitlines() if line.startswith("+")]
        assert sum(line.count(key) for line in added) == len(with_slots) + 1
        patch.apply()
        assert _state(root.parent) != before
        edited = read(root)
        again = [marker for marker in markers(edited) if marker.slot is not None]
        assert all(key in marker.keys for marker in again)
        defined = {reference.key for reference in edited.references}
        assert not any(marker.open and defined.issuperset(marker.keys) for marker in again)
        undo(root)
        assert _state(root.parent) == before, root.name
