"""Small formats of drafts: one whose files are packages of several texts, and one that is read only."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from citewhy.base.records import Manuscript, Marker, Paper, Paragraph, Place
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.files import DraftFiles, read_text
from citewhy.drafts.flow import Flow, FoundCitation, Source
from citewhy.drafts.format import CitationText, TextFormat

__all__ = ["BUNDLE", "READ_ONLY", "bundle"]

TEXT, ENTRIES = "body/text.txt", "entries.txt"
_CITATION = re.compile(r"<(?P<keys>[^<>]*)>")


def bundle(text: str, entries: str) -> bytes:
    """A draft of the format `BUNDLE`."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("picture.bin", bytes(range(256)))
        archive.writestr(TEXT, text)
        archive.writestr(ENTRIES, entries)
    return file.getvalue()


class Bundle(TextFormat):
    """A package with a text, whose citations are ``<key,other>``, and a list of keys, one a line."""

    name = "bundle"
    title = "Bundle"
    suffixes: Sequence[str] = (".bundle",)
    companions = ()
    mark = "<?>"

    def read(self, files: DraftFiles, root: PurePath) -> Manuscript:
        name = files.name(root)
        source = Source(name, read_text(files, root, part=TEXT))
        defined = read_text(files, root, part=ENTRIES).split()
        flow, done = Flow(source), 0
        for match in _CITATION.finditer(source.text):
            flow.add(source.text[done : match.start()], done)
            keys = [key for key in match["keys"].split(",") if key != "?"]
            is_open = not keys or not set(defined).issuperset(keys)
            slot = None if self.read_only else match.span("keys")
            flow.cite(FoundCitation(*match.span(), tuple(keys), is_open, "<", slot))
            done = match.end()
        flow.add(source.text[done:], done)
        paragraph = flow.paragraph()
        return Manuscript(
            name,
            self.name,
            paragraphs=() if paragraph is None else (_in_part(paragraph),),
            files=(name,),
        )

    def fill(self, citation: CitationText, keys: Sequence[str]) -> Edit:
        return citation.replaced(",".join(dict.fromkeys([*citation.marker.keys, *keys])))

    def add_entries(
        self, manuscript: Manuscript, papers: Mapping[str, Paper], files: DraftFiles
    ) -> list[Edit]:
        end = len(read_text(files, files.path(manuscript.path), part=ENTRIES))
        return [Edit(manuscript.path, end, end, "".join(f"{key}\n" for key in papers), ENTRIES)]


class ReadOnly(Bundle):
    name = "read-only"
    title = "Read-Only"
    suffixes = (".ro",)
    read_only = "a draft in Read-Only is read, but not edited; export it as Bundle"


BUNDLE, READ_ONLY = Bundle(), ReadOnly()


def _in_part(paragraph: Paragraph) -> Paragraph:
    """The paragraph with all its places in the text of the package."""

    def moved(place: Place) -> Place:
        return replace(place, part=TEXT)

    def marker(found: Marker) -> Marker:
        return replace(found, place=moved(found.place), slot=found.slot and moved(found.slot))

    sentences = tuple(
        replace(sentence, place=moved(sentence.place), markers=tuple(map(marker, sentence.markers)))
        for sentence in paragraph.sentences
    )
    return replace(paragraph, sentences=sentences)
