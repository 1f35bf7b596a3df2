r"""LaTeX: ``\citep[see][p. 3]{key}``, with everything that a draft inputs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from citewhy.base.errors import InputError
from citewhy.base.records import Manuscript, Marker
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.files import DraftFiles, text_to_edit
from citewhy.drafts.format import NEW_BIBLIOGRAPHY, CitationText, KeyPlan, Likeness, TextFormat, blanked
from citewhy.text.placeholders import Notes, notes_in, says_more

_SIGN = re.compile(rb"\\(?:documentclass|documentstyle|begin\{|(?:sub)*section\*?\{|cite[a-z]*\*?[\[{])")
_CLASS = re.compile(
    rb"^(?:[^%\r\n\\]|\\.)*?\\document(?:class|style)\s*(?:\[[^\]]*\]\s*)?\{(?!subfiles\})", re.MULTILINE
)
_BEGINNING = re.compile(rb"^(?:[^%\r\n\\]|\\.)*?\\begin\{document\}", re.MULTILINE)
_SUBFILE = re.compile(rb"^[^%\r\n]*\\documentclass\s*(?:\[[^\]]*\]\s*)?\{subfiles\}", re.MULTILINE)
_COMMENT = re.compile(r"(?<!\\)%[^\n\r]*")
_BIBLATEX = re.compile(r"\\(?:usepackage|RequirePackage)\s*(?:\[[^\]]*\]\s*)?\{biblatex\}")

_BRACKET_COMMANDS = ("citep", "cite", "parencite", "autocite")
"""Commands that may replace a placeholder without one; the draft's most frequent one is used."""

_TEXT_COMMANDS = ("citet", "textcite", "citeasnoun", "citeA", "newcite")
_PAIRS = (("citet", "citep"), ("textcite", "parencite"), ("textcite", "autocite"))
"""Commands for a citation in the sentence, by those in brackets that a draft uses."""


class LatexFormat(TextFormat):
    name = "latex"
    title = "LaTeX"
    suffixes = (".tex", ".ltx", ".latex", ".rnw", ".snw", ".rtex")
    companions = (".bib", ".bbl", ".sty", ".cls", ".clo", ".def", ".tikz", ".pgf")
    mark = "\\cite{?} or [CITE]"
    comment = "%"
    root_sign = "\\documentclass"

    def recognise(self, head: bytes, path: PurePath) -> Likeness:
        return Likeness.CERTAIN if _SIGN.search(head) else Likeness.NONE

    def roots(self, contents: Mapping[PurePath, bytes]) -> list[PurePath]:
        """The files with a document class; if there are none, those that begin a document whose class is in a
        file that they include. A subfile is none."""
        with_class = [path for path, content in contents.items() if _CLASS.search(content)]
        return with_class or [
            path
            for path, content in contents.items()
            if _BEGINNING.search(content) and not _SUBFILE.search(content)
        ]

    def read(self, files: DraftFiles, root: PurePath) -> Manuscript:
        from citewhy.drafts.latex import reader

        return reader.read(root, files)

    def is_there(self, citation: CitationText) -> bool:
        command = "" if citation.marker.command == "open" else f"\\{citation.marker.command}"
        return citation.whole.startswith(command) and super().is_there(citation)

    def fill(self, citation: CitationText, keys: Sequence[str]) -> Edit:
        return citation.replaced(filled(citation, keys))

    def rename(self, citation: CitationText, old: str, new: str) -> list[Edit]:
        return citation.edits(rf"(?<=[{{,\s]){re.escape(old)}(?=\s*[}},%])", new)

    def name_bibliography(self, manuscript: Manuscript, files: DraftFiles) -> list[Edit]:
        r"""``\bibliography{references}`` before ``\end{document}``, or ``\addbibresource`` if the draft loads
        biblatex. Raises InputError if the draft contains its reference list (``thebibliography``)."""
        if manuscript.references:
            raise InputError(
                "the draft contains its own reference list",
                path=manuscript.path,
                hint="move them to a .bib file, name it with \\bibliography{…} and try again",
            )
        root = blanked(_COMMENT, text_to_edit(files, manuscript.path))
        everything = root + "".join(text_to_edit(files, name) for name in manuscript.files[1:])
        if _BIBLATEX.search(everything):
            line = f"\\addbibresource{{{NEW_BIBLIOGRAPHY}}}\n"
            edits = [_line_before(manuscript, root, "\\begin{document}", line)]
            if "\\printbibliography" not in everything:
                edits.append(_line_before(manuscript, root, "\\end{document}", "\\printbibliography\n"))
            return edits
        line = f"\\bibliography{{{NEW_BIBLIOGRAPHY.removesuffix('.bib')}}}\n"
        if "\\bibliographystyle" not in everything:
            # BibTeX requires a style, and natbib's commands require one of its own styles.
            style = "plainnat" if re.search(r"\{natbib\}|\\cite[tp]\b", everything) else "plain"
            line = f"\\bibliographystyle{{{style}}}\n{line}"
        return [_line_before(manuscript, root, "\\end{document}", line)]


FORMAT = LatexFormat()


def _line_before(manuscript: Manuscript, text: str, before: str, line: str) -> Edit:
    """The edit that adds a line before the one that begins with `before`, or at the end of the root."""
    position = text.find(before)
    offset = len(text) if position < 0 else position
    new_line = "" if not offset or text[offset - 1] in "\r\n" else "\n"
    return Edit(manuscript.path, offset, offset, new_line + line)


def filled(citation: CitationText, keys: Sequence[str]) -> str:
    """The text of the slot with new keys."""
    manuscript, marker, written = citation.manuscript, citation.marker, citation.written
    if marker.slot == marker.place:  # \citeneeded, [CITE]: all of it is replaced
        command, listed = _usual_command(manuscript, marker), ",".join(keys)
        if notes := notes_in(written):
            return _with_notes(command, notes, listed, takes_two=bool(_TWO_NOTES.search(citation.text)))
        cited = f"\\{command}{{{listed}}}"
        return f"{cited} {written}" if says_more(marker.note or written, keys) else cited
    bare = blanked(_COMMENT, written)
    comma = ", " if re.search(r",[ \t]", bare) else ","
    pieces = list(_pieces(bare))
    if not any(start < end for start, end in pieces):
        return comma.join(keys) + (written.lstrip(", ") if written.strip(", \t\r\n") else "")
    plan = KeyPlan(manuscript, [bare[slice(*piece)] for piece in pieces], keys)
    return _replaced(written, pieces, plan, comma)


_TWO_NOTES = re.compile(r"natbib|biblatex|\\(?:cite[tpa]|parencite|textcite|autocite)")
"""Signs of packages whose commands take a note before the citation, too."""


def _with_notes(command: str, notes: Notes, listed: str, *, takes_two: bool) -> str:
    """The citation with its notes; LaTeX's own ``\\cite`` takes only the page."""
    if not notes.before:
        return f"\\{command}[{notes.page}]{{{listed}}}" if notes.page else f"\\{command}{{{listed}}}"
    if command != "cite" or takes_two:
        return f"\\{command}[{notes.before}][{notes.page}]{{{listed}}}"
    return f"{notes.before} {_with_notes(command, Notes('', notes.page), listed, takes_two=False)}"


def _pieces(bare: str) -> Iterator[tuple[int, int]]:
    """Where the keys are, between commas, without the space around them; what has none is between two commas
    or before the first: a comma behind the last key is not a place for one."""
    start = 0
    segments = bare.split(",")
    for number, segment in enumerate(segments):
        key = segment.strip()
        if key or number < len(segments) - 1 or not number:
            at = start + (len(segment) - len(segment.lstrip()))
            yield at, at + len(key)
        start += len(segment) + 1


def _replaced(written: str, pieces: Sequence[tuple[int, int]], plan: KeyPlan, separator: str) -> str:
    """`written` with some of its keys at `pieces` replaced; what stands between them stays, but the comma of
    a key that goes."""
    out: list[str] = []
    done = 0
    for position, (start, end) in enumerate(pieces):
        new = plan.replaced.get(position, None if start < end else [])
        if new is not None and not new and len(pieces) > 1 and "%" not in written:
            done = end if position else pieces[1][0]  # with the separator before it, or after it
            continue
        out += [written[done:start], written[start:end] if not new else separator.join(new)]
        done = end
        if position == len(pieces) - 1 and plan.added:
            out.append(separator + separator.join(plan.added))
    rest = written[done:]
    last_start, last_end = pieces[-1]
    is_comma = last_start == last_end and not rest.strip(", ")  # behind what was not there
    return "".join([*out, "" if is_comma else rest])


def _usual_command(manuscript: Manuscript, marker: Marker) -> str:
    r"""The draft's most frequent citation command that fits; without a model, ``\cite``."""
    counts = Counter(
        other.command
        for other in manuscript.markers
        if other.command in (*_BRACKET_COMMANDS, *_TEXT_COMMANDS)
    )
    wanted: tuple[str, ...] = _BRACKET_COMMANDS
    if marker.in_text:
        wanted = _TEXT_COMMANDS
        if not any(counts[command] for command in wanted):
            return next((text for text, bracket in _PAIRS if counts[bracket]), "cite")
    fitting = [command for command in counts if command in wanted]
    return max(fitting, key=lambda command: counts[command], default="cite")
