"""A note that says more than that a citation is missing stays behind the citation; a bare one gives way."""

import pytest

from citewhy.base.records import Manuscript, Marker
from citewhy.drafts import read_files
from citewhy.drafts.edit.citations import fill
from citewhy.drafts.edit.patch import Patch
from citewhy.drafts.files import MemoryFiles

BIB = "@article{foot1967, title = {The Problem}}\n"
NOTE = "[TODO: cite Foot 1967; check page; ask Maria for her copy]"

WRAPPED = {
    "a.tex": "\\documentclass{article}\\begin{document}\n%s\n\\bibliography{r}\\end{document}\n",
    "a.md": "---\nbibliography: r.bib\n---\n\n%s\n",
    "a.typ": '%s\n\n#bibliography("r.bib")\n',
    "a.org": "#+bibliography: r.bib\n\n%s\n",
    "a.txt": "%s\n",
}
CITED = {
    "a.tex": "\\cite{foot1967}",
    "a.md": "[@foot1967]",
    "a.typ": "@foot1967",
    "a.org": "[cite:@foot1967]",
    "a.txt": "[foot1967]",
}


def opened(draft: Manuscript) -> list[Marker]:
    all_markers = [marker for p in draft.paragraphs for s in p.sentences for marker in s.markers]
    return [marker for marker in all_markers if marker.open]


def filled(name: str, sentence: str) -> tuple[str, list[Marker]]:
    """The sentence after its placeholder was filled, and what is open in the draft then."""
    before, after = WRAPPED[name].split("%s")
    texts = {name: f"{before}{sentence}{after}", "r.bib": BIB}
    files = MemoryFiles(texts)
    draft = read_files(texts, root=name)
    (marker,) = opened(draft)
    new = Patch([fill(draft, marker, ["foot1967"], files)], name, files).texts()[name]
    assert new.startswith(before)
    assert new.endswith(after)
    return new[len(before) : -len(after)], opened(read_files({**texts, name: new}, root=name))


@pytest.mark.parametrize("name", WRAPPED)
def test_a_note_that_says_more_stays_behind_the_citation(name: str) -> None:
    """Whatever a note says beside what the citation says is kept, in every format; and it is answered: the
    draft has no open citation there any more."""
    new, left = filled(name, f"A tram is a problem {NOTE}.")
    assert new == f"A tram is a problem {CITED[name]} {NOTE}."
    assert left == [] or name == "a.txt"  # plain text has no keys: what is written there is no citation


@pytest.mark.parametrize("name", WRAPPED)
@pytest.mark.parametrize("note", ["[CITE]", "[citation needed]", "[TODO: cite Foot]", "[add a citation]"])
def test_a_note_that_says_no_more_than_the_citation_gives_way(name: str, note: str) -> None:
    """A bare placeholder, and one that only names the work that is cited now, is replaced."""
    new, left = filled(name, f"A tram is a problem {note}.")
    assert new == f"A tram is a problem {CITED[name]}."
    assert left == []


@pytest.mark.parametrize(
    ("note", "kept"),
    [
        ("\\todo{cite}", False),
        ("\\todo{cite Foot}", False),
        ("\\todo[inline]{cite Foot 1967; and ask Maria}", True),
        ("\\todo{find a reference for the tram}", True),
        ("\\todo{find a source}", False),
        ("\\todo{need the source for two trams}", True),
        ("\\todo[color=red]{cite Foot 1967, p. 5}", True),
        ("\\todo{cite Foot and Thomson}", True),
        ("[CITE: Foot 1967]", False),
        ("[citation needed -- Ann says Foot 1967]", True),
        ("\\citeneeded[Foot 1967, ask Maria]", True),
        ("\\citeneeded", False),
        ("\\citeneeded{perhaps in her second paper}", True),
    ],
)
def test_remarks_in_latex_stay_or_give_way_like_notes(note: str, kept: bool) -> None:
    """``\\todo`` and ``\\citeneeded`` are kept with their text if that says more."""
    new, left = filled("a.tex", f"A tram is a problem {note}.")
    assert new == f"A tram is a problem \\cite{{foot1967}}{' ' + note if kept else ''}."
    assert left == []


@pytest.mark.parametrize("note", ["\\todo{find the source of the error}", "\\todo{add source code}"])
def test_other_sources_are_no_citations(note: str) -> None:
    """Of programs, errors and the like."""
    text = WRAPPED["a.tex"].replace("%s", f"Trams run {note}.")
    assert opened(read_files({"a.tex": text, "r.bib": BIB}, root="a.tex")) == []


def test_a_note_that_asks_for_a_further_citation_is_open() -> None:
    """Behind a citation, a note that asks for another one is still a question."""
    text = WRAPPED["a.tex"].replace("%s", "Trams run \\cite{foot1967} \\todo{cite Smith too}.")
    assert len(opened(read_files({"a.tex": text, "r.bib": BIB}, root="a.tex"))) == 1
