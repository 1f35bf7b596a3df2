"""Plain text, whose citations and references are printed: "as Papineni et al. (2002) show", "[3]"."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from citewhy.base.records import Manuscript
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.files import DraftFiles
from citewhy.drafts.format import CitationText, Likeness, TextFormat
from citewhy.text.placeholders import notes_in, says_more


class PlainFormat(TextFormat):
    name = "plain"
    title = "plain text"
    suffixes = (".txt",)
    companions = ()

    def recognise(self, head: bytes, path: PurePath) -> Likeness:
        """Any text may be plain; a .txt file is, unless it certainly is something else (LaTeX)."""
        return Likeness.CERTAIN if path.suffix.lower() in self.suffixes else Likeness.POSSIBLE

    def read(self, files: DraftFiles, root: PurePath) -> Manuscript:
        from citewhy.drafts.plain import reader

        return reader.read(root, files)

    def unfilled(self, manuscript: Manuscript) -> str:
        """A draft that prints its citations has no keys to write."""
        forms = {marker.command for marker in manuscript.markers}
        numbers = [int(entry.key) for entry in manuscript.references if entry.key.isdecimal()]
        if "numeric" in forms or numbers:
            free = f"; the next free number is {max(numbers) + 1}" if numbers else ""
            return f"the draft numbers its references; write the number and its entry by hand{free}"
        if manuscript.references:
            return "the draft prints its references; add the citation and its entry by hand"
        if "author-year" in forms:
            return "the draft prints its citations; write this one by hand, too"
        return ""

    def fill(self, citation: CitationText, keys: Sequence[str]) -> Edit:
        whole = citation.marker.slot == citation.marker.place
        if whole and (notes := notes_in(citation.written)):
            return citation.replaced(f"[{'; '.join(keys)}, {notes.page}]")
        cited = f"[{'; '.join(keys)}]" if whole else "; ".join(keys)
        kept = whole and says_more(citation.written, keys)
        return citation.replaced(f"{cited} {citation.written}" if kept else cited)

    def rename(self, citation: CitationText, old: str, new: str) -> list[Edit]:
        """Nothing: what is printed is no key."""
        return []

    def name_bibliography(self, manuscript: Manuscript, files: DraftFiles) -> list[Edit]:
        """Nothing: a text names no files."""
        return []


FORMAT = PlainFormat()
