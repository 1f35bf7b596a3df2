"""What every format of drafts does: CiteWhy's own, one of a package of several texts, and one that is read
only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from toy_drafts import BUNDLE, READ_ONLY, bundle

from citewhy.answers.edits import first_choices
from citewhy.base.entry_points import Added
from citewhy.base.errors import CiteWhyError, InputError, QueryError
from citewhy.base.records import Manuscript, Marker, Paper
from citewhy.doors.present import draft_text
from citewhy.drafts import read, read_files
from citewhy.drafts.edit.citations import add_entries, fill, rename, rename_key
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.edit.journal import undo
from citewhy.drafts.edit.patch import Patch
from citewhy.drafts.files import DISK, MemoryFiles, text_to_edit
from citewhy.drafts.format import DraftFormat, Likeness
from citewhy.drafts.formats import added_formats, format_named, format_of, formats, is_of_drafts

BIB = "@misc{bleu,\n  title = {Bleu},\n}\n"
PAPER = Paper("new", "New", authors=("Ann Lee",), year=2020)


@dataclass(frozen=True)
class Sample:
    """A draft of a format, which cites `bleu`, has one open citation, and cites `bleu` again."""

    format: str
    files: dict[str, str | bytes]
    """The root first."""
    marks: tuple[str, str, str]
    """The texts of the three citations."""
    keys: bool = True
    """Whether citations have keys that can be renamed and whose entries are in a bibliography."""


SAMPLES = [
    Sample(
        "latex",
        {
            "draft.tex": "\\documentclass{article}\n\\begin{document}\nEs läuft \\citep[see][]{bleu}. We go "
            "on \\citep{?}. All agree \\citep{bleu}.\n\\bibliography{refs}\n\\end{document}\n",
            "refs.bib": BIB,
        },
        ("\\citep[see][]{bleu}", "\\citep{?}", "\\citep{bleu}"),
    ),
    Sample(
        "markdown",
        {
            "draft.md": "---\nbibliography: refs.bib\n---\n\nEs läuft [see @bleu]. We go on [@?]. "
            "All agree [@bleu].\n",
            "refs.bib": BIB,
        },
        ("[see @bleu]", "[@?]", "[@bleu]"),
    ),
    Sample(
        "typst",
        {
            "draft.typ": "Es läuft @bleu[p. 3]. We go on @TODO. All agree @bleu.\n"
            '#bibliography("refs.bib")\n',
            "refs.bib": BIB,
        },
        ("@bleu[p. 3]", "@TODO", "@bleu"),
    ),
    Sample(
        "org",
        {
            "draft.org": "#+bibliography: refs.bib\n\nEs läuft [cite:see @bleu]. We go on [cite:@?]. "
            "All agree [cite:@bleu].\n",
            "refs.bib": BIB,
        },
        ("[cite:see @bleu]", "[cite:@?]", "[cite:@bleu]"),
    ),
    Sample(
        "plain",
        {"draft.txt": "A Title\n\nEs läuft (Lee, 2002). We go on [CITE]. All agree (Lee, 2002).\n"},
        ("(Lee, 2002)", "[CITE]", "(Lee, 2002)"),
        keys=False,
    ),
    Sample(
        "bundle",
        {"draft.bundle": bundle("Es läuft <bleu>. We go on <?>. All agree <bleu>.\n", "bleu\n")},
        ("<bleu>", "<?>", "<bleu>"),
    ),
]


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The small formats are known as if another package had registered them."""
    added = Added({BUNDLE.name: BUNDLE, READ_ONLY.name: READ_ONLY}, {})
    monkeypatch.setattr("citewhy.drafts.formats.added_formats", lambda: added)


@pytest.fixture(params=SAMPLES, ids=lambda sample: sample.format)
def sample(request: pytest.FixtureRequest) -> Sample:
    found: Sample = request.param
    return found


@pytest.fixture
def draft(sample: Sample, tmp_path: Path) -> Path:
    """The root of the sample on disk."""
    for name, content in sample.files.items():
        data = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(data)
    return tmp_path / next(iter(sample.files))


def markers(manuscript: Manuscript) -> list[Marker]:
    return list(_markers(manuscript))


def _markers(manuscript: Manuscript) -> Iterator[Marker]:
    for paragraph in manuscript.paragraphs:
        for sentence in paragraph.sentences:
            yield from sentence.markers


def state(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def test_a_format_has_a_name_and_suffixes(sample: Sample) -> None:
    """Its own name finds it; its suffixes begin with a dot; its files and what they read are files of
    drafts."""
    form = format_named(sample.format)
    assert form.name == sample.format
    assert form.title
    assert form.mark
    for suffix in (*form.suffixes, *form.companions):
        assert suffix.startswith(".")
        assert suffix == suffix.lower()
        assert is_of_drafts(Path(f"a{suffix}"))


@pytest.mark.parametrize(
    "head", [b"", b"\0", b"\xff\xfe", "Éa".encode()[:1], b"It works.", b"PK\x03\x04", b"\\x @a # [" * 99]
)
def test_recognising_never_fails(sample: Sample, head: bytes) -> None:
    """Any bytes look like a format or not; a suffix decides without them."""
    form = format_named(sample.format)
    assert form.recognise(head, Path("a")) in Likeness
    files = MemoryFiles({f"a{form.suffixes[0]}": b"It works."})
    assert format_of(files, files.paths[0]) is form


def test_reading(sample: Sample, draft: Path) -> None:
    """Three sentences with one citation each, in order; the one that is open is known as such."""
    manuscript = read(draft)
    assert manuscript.format == sample.format
    assert manuscript.files[0] == manuscript.path == str(draft)
    texts = [sentence.text for paragraph in manuscript.paragraphs for sentence in paragraph.sentences]
    assert texts == ["Es läuft.", "We go on.", "All agree."]
    assert [marker.open for marker in markers(manuscript)] == [False, True, False]
    if sample.keys:
        assert [marker.keys for marker in markers(manuscript)] == [("bleu",), (), ("bleu",)]


def test_places_point_at_the_text(sample: Sample, draft: Path) -> None:
    """The place of a citation holds its text, its slot is inside, its line counts from one."""
    found = markers(read(draft))
    for marker, mark in zip(found, sample.marks, strict=True):
        place = marker.place
        text = text_to_edit(DISK, place.file, place.part)
        assert text[place.start : place.end] == mark
        assert place.line == text.count("\n", 0, place.start) + 1
        if marker.slot is not None:
            assert (marker.slot.file, marker.slot.part) == (place.file, place.part)
            assert place.start <= marker.slot.start <= marker.slot.end <= place.end
    assert found[1].slot is not None


def test_memory_and_disk_agree(sample: Sample, draft: Path) -> None:
    """The same files in memory are the same draft."""
    root = next(iter(sample.files))
    held = read_files(sample.files, root)
    places = [(marker.keys, marker.place.start, marker.place.end) for marker in markers(held)]
    assert places == [(marker.keys, marker.place.start, marker.place.end) for marker in markers(read(draft))]


def test_filling(sample: Sample, draft: Path) -> None:
    """A filled citation has the key when it is read again, the others are as they were, and undo restores the
    files byte for byte."""
    before = state(draft.parent)
    manuscript = read(draft)
    first, opened, last = markers(manuscript)
    edits = [fill(manuscript, opened, ["lee2020new", "lee2020new"])]
    if sample.keys:
        edits += add_entries(manuscript, {"lee2020new": PAPER})
    patch = Patch(edits, draft)
    assert "+" in patch.diff()
    assert "lee2020new" in patch.diff()
    patch.apply()
    assert patch.contents() == {
        str(path): path.read_bytes() for path in draft.parent.iterdir() if str(path) in patch.contents()
    }
    if sample.keys:
        again = markers(read(draft))
        assert [marker.keys for marker in again] == [first.keys, ("lee2020new",), last.keys]
        assert not any(marker.open for marker in again)
    undo(draft)
    assert state(draft.parent) == before


def test_filling_beside_a_key(sample: Sample, draft: Path) -> None:
    """A citation that has a key keeps it."""
    if not sample.keys:
        pytest.skip("its citations have no keys")
    manuscript = read(draft)
    last = markers(manuscript)[-1]
    papers = {"lee2020new": PAPER, "lee2021": PAPER}
    Patch(
        [fill(manuscript, last, ["lee2020new", "lee2021"]), *add_entries(manuscript, papers)], draft
    ).apply()
    cited = [key for marker in markers(read(draft))[2:] for key in marker.keys]
    assert cited == ["bleu", "lee2020new", "lee2021"]


def test_renaming(sample: Sample, draft: Path) -> None:
    """Every occurrence of a key becomes another, and nothing else changes; a text that prints its citations
    has none."""
    manuscript = read(draft)
    if not sample.keys:
        with pytest.raises(QueryError):
            rename(manuscript, markers(manuscript)[0], "Lee", "new")
        return
    edits = rename_key(manuscript, "bleu", "rouge")
    assert edits[0] == rename(manuscript, markers(manuscript)[0], "bleu", "rouge")
    patch = Patch(edits, draft)
    patch.apply()
    assert [marker.keys for marker in markers(read(draft))] == [("rouge",), (), ("rouge",)]
    undo(draft)
    with pytest.raises(QueryError, match="does not cite"):
        rename_key(manuscript, "nobody", "rouge")
    with pytest.raises(QueryError, match="not a valid citation key"):
        rename_key(manuscript, "bleu", "a b")


def test_a_draft_that_changed_is_not_edited(sample: Sample, draft: Path) -> None:
    """A citation that is no longer where it was is refused, if its text tells."""
    if not sample.keys or sample.format == "bundle":
        pytest.skip("nothing but the place tells")
    manuscript = read(draft)
    draft.write_text("New first line.\n" + draft.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(CiteWhyError, match="no longer where it was"):
        fill(manuscript, markers(manuscript)[-1], ["new"])


def test_people_are_told_how_to_mark(sample: Sample, draft: Path) -> None:
    """The mark of the format is shown where a draft has nothing open."""
    assert format_named(sample.format).mark in draft_text.nothing_open(read(draft))


# What is special ------------------------------------------------------------------------------------------


def test_a_read_only_format_says_so(tmp_path: Path) -> None:
    """Its drafts are read; whoever wants to edit one gets the format's own sentence, and nothing changes."""
    path = tmp_path / "draft.ro"
    path.write_bytes(bundle("It works <bleu>. We go on <?>.", "bleu\n"))
    manuscript = read(path)
    _, opened = markers(manuscript)
    assert opened.open
    words = f"{path}: a draft in Read-Only is read, but not edited; export it as Bundle"
    for attempt in (
        lambda: fill(manuscript, opened, ["new"]),
        lambda: rename_key(manuscript, "bleu", "new"),
        lambda: add_entries(manuscript, {"new": PAPER}),
        lambda: first_choices([], manuscript),
    ):
        with pytest.raises(InputError) as caught:
            attempt()
        assert str(caught.value) == words


def test_the_parts_of_a_package(tmp_path: Path) -> None:
    """An edit of one part leaves the others, their order and their dates; it is no text as a whole; a part
    that it does not have is named."""
    path = tmp_path / "draft.bundle"
    path.write_bytes(bundle("It works <?>.", ""))
    manuscript = read(path)
    patch = Patch([fill(manuscript, markers(manuscript)[0], ["new"])], path)
    assert patch.texts() == {}
    assert patch.diff().startswith("--- a/draft.bundle/body/text.txt\n+++ b/draft.bundle/body/text.txt\n@@")
    patch.apply()
    old, new = (_members(data) for data in (bundle("It works <?>.", ""), path.read_bytes()))
    assert [name for name, _ in new] == [name for name, _ in old]
    assert [name for pair, name in zip(old, [n for n, _ in old], strict=True) if pair not in new] == [
        "body/text.txt"
    ]
    with pytest.raises(InputError, match="has no part 'other'"):
        Patch([Edit(str(path), 0, 0, "x", "other")], path)
    with pytest.raises(QueryError, match="edited in its parts"):
        Patch([Edit(str(path), 0, 0, "x"), Edit(str(path), 0, 0, "x", "body/text.txt")], path)


def _members(data: bytes) -> list[tuple[str, bytes]]:
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


def test_a_text_file_has_no_parts(tmp_path: Path) -> None:
    """Whoever asks for one is told."""
    path = tmp_path / "draft.md"
    path.write_text("It works.")
    with pytest.raises(InputError, match="cannot be opened as a package"):
        text_to_edit(DISK, str(path), "word/document.xml")


def test_formats_of_other_packages_come_before_plain_text() -> None:
    """CiteWhy's own first, plain text last, which takes what no other knows."""
    names = [form.name for form in formats()]
    assert names == ["latex", "markdown", "typst", "org", "bundle", "read-only", "plain"]


class _Point:
    """An entry point."""

    def __init__(self, name: str, found: object, value: str = "") -> None:
        self.name, self.value, self._found = name, value or f"{name}_package:FORMAT", found

    def load(self) -> object:
        if isinstance(self._found, Exception):
            raise self._found
        return self._found


def test_broken_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    """A format that cannot be imported, lacks something, has another name or comes twice is an error for its
    own files, with the package to look at; for other files it is as if it were not there."""

    class Half:
        name, title, suffixes = "half", "Half", (".half",)

    points = [
        _Point("gone", ImportError("no module named x")),
        _Point("half", Half()),
        _Point("other", BUNDLE),
        _Point("twice", READ_ONLY, "one:FORMAT"),
        _Point("twice", READ_ONLY, "two:FORMAT"),
        _Point("latex", BUNDLE),
        _Point("bundle", BUNDLE),
    ]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points)
    added_formats.cache_clear()
    added = added_formats()
    added_formats.cache_clear()
    assert list(added.formats) == ["bundle"]
    said = {name: str(error) for name, error in added.broken.items()}
    assert said["gone"].startswith(
        "the draft format 'gone' cannot be imported (ImportError: no module named x); check the installation"
    )
    assert said["gone"].endswith("gone_package:FORMAT")
    assert "'half' lacks add_entries, comment, companions, fill" in said["half"]
    assert "'other' calls itself 'bundle'" in said["other"]
    assert "'twice' is provided by several packages" in said["twice"]
    assert said["twice"].endswith("one:FORMAT and two:FORMAT")
    monkeypatch.setattr("citewhy.drafts.formats.added_formats", lambda: added)
    with pytest.raises(InputError, match="the draft format 'gone' cannot be imported"):
        read_files({"a.gone": "It works."})
    with pytest.raises(InputError, match="the draft format 'half' lacks"):
        format_named("half")
    with pytest.raises(InputError, match="there is no draft format 'unknown'"):
        format_named("unknown")
    assert read_files({"a.odd": "It works."}).format == "plain"


def _is_a_format(form: DraftFormat) -> DraftFormat:
    return form


def test_the_small_formats_keep_the_protocol() -> None:
    """By their types, too."""
    assert _is_a_format(BUNDLE).read_only == ""
    assert _is_a_format(READ_ONLY).read_only
