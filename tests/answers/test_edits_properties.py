"""Whatever a draft looks like, writing takes nothing away from it: random drafts on the toy corpus."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from advising import advise
from hypothesis import given, settings
from hypothesis import strategies as st

from citewhy.answers.edits import first_choices, patch
from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Manuscript, Place
from citewhy.drafts import read
from citewhy.drafts.edit.journal import undo
from citewhy.papers.formats import read as read_records
from citewhy.papers.library.store import Library
from citewhy.ranking.recommender import Recommender
from citewhy.text.placeholders import is_placeholder

ENTRIES = {
    "bleu": "@inproceedings{bleu, title = {BLEU: A Method for Automatic Evaluation}, "
    "doi = {10.3115/1073083.1073135}}",
    "phrases": "@inproceedings{phrases, title = {Statistical phrase-based translation}, year = 2003, "
    "author = {Koehn, P. and Och, F. J. and Marcu, D.}}",
    "aho86": "@book{aho86, title = {Compilers}, author = {Aho, Alfred V.}, year = 1986}",
}
HAYAGRIVA = {
    "bleu": "bleu:\n  title: 'BLEU: A Method for Automatic Evaluation'\n"
    "  serial-number: { doi: 10.3115/1073083.1073135 }\n",
    "phrases": "phrases:\n  title: Statistical phrase-based translation\n  date: 2003\n"
    "  author: ['Koehn, P.', 'Och, F. J.', 'Marcu, D.']\n",
    "aho86": "aho86:\n  type: book\n  title: Compilers\n  author: Aho, Alfred V.\n  date: 1986\n",
}
SENTENCES = (
    "N-gram precision with a brevity penalty scores translations",
    "Summaries share the longest common subsequences and skip-bigrams",
    "Weights are tuned by minimum error rate training",
    "Masked words are predicted from both sides",
)
BIBLIOGRAPHIES = ("refs.bib", "refs.yml")
KEYS = (*ENTRIES, "och2003minimum", "lin04", "koehn2003", "smith2019", "unknownkey", "N19-1423", "?", "TODO")
NOTES_LATEX = ("", "[p.~3]", "[see][]", "[see also][ch.~2]")
NOTES_MARKDOWN = ("", ", p. 3", ", pp. 3-4 and passim")
PREFIXES = ("", "see ", "see also ")

keys = st.lists(st.sampled_from(KEYS), min_size=1, max_size=4, unique=True)


@st.composite
def latex(draw: st.DrawFn) -> str:
    """A citation in LaTeX."""
    if draw(st.integers(0, 6)) == 0:
        return draw(st.sampled_from(["[CITE]", "\\citeneeded", "\\cite{}", "\\citep[see][p.~3]{ }"]))
    comma = draw(st.sampled_from([",", ", ", ",%a note\n  "]))
    command = draw(st.sampled_from(["cite", "citep", "citet", "parencite"]))
    return f"\\{command}{draw(st.sampled_from(NOTES_LATEX))}{{{comma.join(draw(keys))}}}"


@st.composite
def markdown(draw: st.DrawFn) -> str:
    """A citation in Markdown."""
    if draw(st.integers(0, 6)) == 0:
        return draw(st.sampled_from(["[CITE]", "[?]", "[@]", "@och2003minimum [p. 3]"]))
    items = [
        draw(st.sampled_from(PREFIXES)) + f"@{key}" + draw(st.sampled_from(NOTES_MARKDOWN))
        for key in draw(keys)
    ]
    return f"[{'; '.join(items)}]"


@st.composite
def org(draw: st.DrawFn) -> str:
    """A citation in Org."""
    if draw(st.integers(0, 6)) == 0:
        return draw(st.sampled_from(["[CITE]", "[cite:]", "cite:och2003minimum", "\\citep[p.~3]{TODO}"]))
    items = [
        draw(st.sampled_from(PREFIXES)) + f"@{key}" + draw(st.sampled_from(["", " p. 3"]))
        for key in draw(keys)
    ]
    return f"[cite{draw(st.sampled_from(['', '/t']))}:{';'.join(items)}]"


@st.composite
def typst(draw: st.DrawFn) -> str:
    """Citations in Typst."""
    if draw(st.integers(0, 6)) == 0:
        return draw(
            st.sampled_from(["[CITE]", "#cite(<TODO>)", "#cite(<och2003minimum>, supplement: [p. 3])"])
        )
    return " ".join(f"@{key}{draw(st.sampled_from(['', '[p. 3]']))}" for key in draw(keys))


@st.composite
def drafts(draw: st.DrawFn) -> dict[str, str]:
    """The files of a draft: one or two parts, some entries of its bibliography gone, or all of the file."""
    form = draw(st.sampled_from(["latex", "markdown", "org", "typst"]))
    citation = {"latex": latex(), "markdown": markdown(), "org": org(), "typst": typst()}[form]
    texts = [f"{draw(st.sampled_from(SENTENCES))} {draw(citation)}." for _ in range(draw(st.integers(1, 4)))]
    kept = draw(st.lists(st.sampled_from(sorted(ENTRIES)), unique=True))
    files = {"refs.bib": "\n".join(ENTRIES[key] for key in kept) + "\n"}
    if form == "typst" and draw(st.booleans()):
        files = {"refs.yml": "\n".join(HAYAGRIVA[key] for key in kept)}
    bibliography = next(iter(files))
    if draw(st.integers(0, 5)) == 0:
        del files[bibliography]
    body = "\n\n".join(texts) + "\n"
    if form == "org":
        return {"draft.org": f"#+bibliography: refs.bib\n\n{body}", **files}
    if form == "typst":
        return {"draft.typ": f'{body}\n#bibliography("{bibliography}")\n', **files}
    part = texts.pop() if len(texts) > 1 else ""
    if draw(st.integers(0, 3)) > 0:  # else the part is missing
        files["part.md" if form == "markdown" else "part.tex"] = part + "\n"
    if form == "markdown":
        include = draw(st.sampled_from(["{{< include part.md >}}", "```{r, child='part.md'}\n```"]))
        body = "\n\n".join([*texts, include]) + "\n"
        return {"draft.md": f"---\nbibliography: refs.bib\n---\n\n{body}", **files}
    return {
        "draft.tex": "\\documentclass{article}\n\\usepackage{natbib}\n\\begin{document}\n"
        + "\n\n".join(texts)
        + "\n\\input{part}\n\\bibliography{refs}\n\\end{document}\n",
        **files,
    }


@pytest.fixture(scope="module")
def recommender(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recommender]:
    names = ("papers.jsonl", "paper_aliases.tsv", "contexts.jsonl", "citations.tsv")
    report = ImportReport()
    with Library.open(tmp_path_factory.mktemp("toy"), create=True) as opened:
        opened.add_all([(name, read_records(toy / name, report)) for name in names], report)
        yield Recommender(opened, "bm25")


def markers(manuscript: Manuscript) -> list[tuple[str, ...]]:
    return [
        marker.keys
        for paragraph in manuscript.paragraphs
        for sentence in paragraph.sentences
        for marker in sentence.markers
    ]


@settings(max_examples=100, deadline=None)
@given(files=drafts())
def test_writing_takes_nothing_away(recommender: Recommender, files: dict[str, str]) -> None:
    """Outside of the citations that are written, not one character of the text changes, and the bibliography
    only gains. A key stays where it was, or its paper is cited there under the key that is defined; what is
    written is defined; while the bibliography is missing, no key is undefined; undo restores all."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
        root = folder / next(iter(files))
        before = read(root)
        choices = first_choices(advise(recommender, before, 3), before)
        try:
            edit = patch(before, choices.chosen)
        except InputError:
            assert files.keys().isdisjoint(BIBLIOGRAPHIES)  # nothing was written
            return
        edit.apply()
        after = read(root)
        defined = {reference.key for reference in after.references}
        for old, new in zip(markers(before), markers(after), strict=True):
            for key in old:
                assert key in new or (key == "koehn2003" and "phrases" in new)
            assert all(key in defined for key in new if key not in old)
        for file, text in files.items():
            written = (folder / file).read_text(encoding="utf-8")
            if file in BIBLIOGRAPHIES:
                assert written.startswith(text)
            else:
                here = [marker.place for marker, _ in choices.chosen if Path(marker.place.file).name == file]
                check_slots(text, written, here)
        if files.keys().isdisjoint(BIBLIOGRAPHIES):
            assert all(not answer.unit.undefined for answer in advise(recommender, before, 1))
        if edit.files:
            undo(root)
        assert {file: (folder / file).read_text(encoding="utf-8") for file in files} == files


def check_slots(before: str, after: str, places: list[Place]) -> None:
    """Outside of the citations at `places` all is the same; inside, notes and comments are still there."""
    spans = sorted((place.start, place.end) for place in places)
    ends = [0, *(end for _, end in spans)]
    outside = [before[end:start] for end, (start, _) in zip(ends, [*spans, (len(before), 0)], strict=True)]
    inside = re.fullmatch("(.*?)".join(map(re.escape, outside)), after, re.DOTALL)
    assert inside is not None
    for (start, end), new in zip(spans, inside.groups(), strict=True):
        for note in ("see", "see also", "p.~3", "ch.~2", ", p. 3", ", pp. 3-4 and passim", "%a note"):
            assert new.count(note) == before[start:end].count(note)


CLASSIC = "\\documentclass{article}\n\\begin{document}\n"
NATBIB = "\\documentclass{article}\n\\usepackage{natbib}\n\\begin{document}\n"
NAMED = "\n\\bibliographystyle{plainnat}\n\\bibliography{refs}\n\\end{document}\n"
PLAIN = "\n\\bibliographystyle{plain}\n\\bibliography{refs}\n\\end{document}\n"


@pytest.mark.skipif(not (shutil.which("pdflatex") and shutil.which("bibtex")), reason="there is no pdflatex")
@pytest.mark.parametrize(
    "text",
    [
        f"{CLASSIC}{SENTENCES[0]} \\cite{{}} and {SENTENCES[3]} \\cite[p.~3]{{?,phrases}}.{PLAIN}",
        f"{CLASSIC}[CITE] describe it. As shown by \\cite{{och2003minimum}}, 5\\% is much [CITE].{PLAIN}",
        f"{CLASSIC}{SENTENCES[1]} [CITE].\n\\end{{document}}\n",
        f"{NATBIB}{SENTENCES[1]} \\citep[see][ch.~2]{{TODO,%a note\n lin04}}. \\citet{{phrases}} do.{NAMED}",
        f"{NATBIB}\\begin{{itemize}}\\item {SENTENCES[2]}~\\citep{{och2003minimum,N19-1423}}"
        f"\\footnote{{{SENTENCES[3]} [CITE].}}\\end{{itemize}}{NAMED}",
        f"{NATBIB}\\section{{Past}}\\begin{{table}}\\caption{{{SENTENCES[0]} [CITE]}}\\end{{table}}"
        f" \\citep{{phrases}}{NAMED}",
    ],
)
def test_latex_that_compiled_compiles(recommender: Recommender, tmp_path: Path, text: str) -> None:
    """After writing, pdflatex and bibtex still run, and every key that was written is defined for them."""
    root = tmp_path / "draft.tex"
    root.write_text(text.replace("[CITE]", "CITE").replace("\\cite{}", ""), encoding="utf-8")
    (tmp_path / "refs.bib").write_text(ENTRIES["phrases"], encoding="utf-8")
    compile_draft(tmp_path, with_bibtex=False)
    root.write_text(text, encoding="utf-8")
    before = read(root)
    choices = first_choices(advise(recommender, before, 3), before)
    assert choices.chosen
    patch(before, choices.chosen).apply()
    written = {key for keys in markers(read(root)) for key in keys} - {
        key for keys in markers(before) for key in keys
    }
    written |= {
        suggestion.for_key
        for _, suggestions in choices.chosen
        for suggestion in suggestions
        if suggestion.for_key
    }
    log = compile_draft(tmp_path, with_bibtex=True)
    assert [key for key in written if f"`{key}'" in log] == []


def compile_draft(folder: Path, *, with_bibtex: bool) -> str:
    """The log of the last run. Fails if a program does."""
    latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "draft.tex"]
    for command in (latex, ["bibtex", "draft"], latex, latex) if with_bibtex else (latex,):
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    return (folder / "draft.log").read_text(encoding="utf-8", errors="replace")


def test_what_is_a_placeholder() -> None:
    """The tests above rely on it."""
    assert [key for key in KEYS if is_placeholder(key)] == ["?", "TODO"]
