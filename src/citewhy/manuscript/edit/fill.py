"""Edits that fill an open citation: keys in its marker, entries in the bibliography."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from citewhy.errors import EditConflictError, InputError, QueryError
from citewhy.manuscript.edit.edited_file import Edit
from citewhy.manuscript.files import DISK, DraftFiles, read_content
from citewhy.manuscript.placeholders import is_placeholder
from citewhy.records import Manuscript, Marker, Place
from citewhy.text.source import decode

__all__ = ["add_entries", "bibliography_for", "fill", "is_key", "rename"]

_KEY = re.compile(r"[^\s,;{}()\[\]%#~\\\"'@]+")
_COMMENT = re.compile(r"(?<!\\)%[^\n\r]*")
_BRACKET_COMMANDS = ("citep", "cite", "parencite", "autocite")
"""Commands that may replace a placeholder without one; the draft's most frequent one is used."""

_TEXT_COMMANDS = ("citet", "textcite", "citeasnoun", "citeA", "newcite")
_PAIRS = (("citet", "citep"), ("textcite", "parencite"), ("textcite", "autocite"))
"""Commands for a citation in the sentence, by those in brackets that a draft uses."""

_PANDOC_KEY = re.compile(r"(?<![\w\\])@(?P<key>\{[^{}]*\}|\w(?:\w|[:.#$%&+?<>~/-](?=\w))*|\?*)")
_NEW_BIBLIOGRAPHY = "references.bib"


# Keys in a marker -----------------------------------------------------------------------------------------


def is_key(key: str) -> bool:
    """Whether an edit can write it as the key of an entry and of a citation."""
    return _KEY.fullmatch(key) is not None


def fill(manuscript: Manuscript, marker: Marker, keys: Sequence[str], files: DraftFiles = DISK) -> Edit:
    """The edit that makes `marker` cite `keys` in addition to those that it already cites.

    Placeholders are replaced where they stand, with their notes kept: ``\\cite{TODO,known}`` becomes
    ``\\cite{key,known}``, ``[@?, p. 3]`` becomes ``[@key, p. 3]``. Without a placeholder, the first undefined
    key gives way if the draft has a bibliography. ``\\citeneeded`` and ``[CITE]`` become the citation command
    that the draft uses most, in brackets or as a part of the sentence; in Markdown ``[@]``, ``[?]`` and
    ``[CITE]`` become ``[@key]``, or ``@key``.

    `files` are the draft's files. Raises QueryError if the marker cannot be edited (it comes from a macro) or
    a key contains invalid characters; EditConflictError if the marker is no longer in the file.
    """
    for key in keys:
        if not is_key(key):
            raise QueryError(f"{key!r} is not a valid citation key")
    if not keys:
        raise QueryError("no citation keys given")
    if marker.slot is None:
        raise QueryError(
            f"the citation in {marker.place.file}, line {marker.place.line}, cannot be edited",
            hint="it comes from a macro or has notes between its keys; edit it by hand",
        )
    new = list(dict.fromkeys(keys))
    written = _written(files, manuscript, marker, marker.slot)
    slot = marker.slot
    if manuscript.format == "latex":
        text = _latex(manuscript, marker, written, new, files)
    elif (
        manuscript.format == "markdown" and "@" not in written and _is_in_sentence(manuscript, marker, files)
    ):
        slot, text = marker.place, _one_after_another([f"@{_braced(key)}" for key in new])
    elif manuscript.format == "markdown":
        text = _pandoc(manuscript, marker, written, new)
    else:
        text = f"[{'; '.join(new)}]" if marker.slot == marker.place else "; ".join(new)
    return Edit(slot.file, slot.start, slot.end, text)


def rename(manuscript: Manuscript, marker: Marker, old: str, new: str, files: DraftFiles = DISK) -> Edit:
    """The edit that writes the key `new` where `marker` has `old`, and nothing else. Raises as `fill`."""
    place = marker.place
    written = _written(files, manuscript, marker, place)
    name = re.escape(old)
    if manuscript.format == "latex":
        pattern, text = rf"(?<=[{{,\s]){name}(?=\s*[}},%])", new
    else:
        pattern, text = rf"@(?:\{{{name}\}}|{name}(?!\w))", f"@{_braced(new)}"
    found = re.search(pattern, written)
    if found is None or manuscript.format == "plain":
        raise QueryError(
            f"the key {old!r} in {place.file}, line {place.line}, cannot be edited",
            hint="it comes from a macro; edit it by hand",
        )
    return Edit(place.file, place.start + found.start(), place.start + found.end(), text)


def _written(files: DraftFiles, manuscript: Manuscript, marker: Marker, part: Place) -> str:
    """The text of a part of the marker. Raises EditConflictError if the marker is not where it was."""
    text = _text(files, marker.place.file)
    whole = text[marker.place.start : marker.place.end]
    command = "" if marker.command == "open" else f"\\{marker.command}"
    if (manuscript.format == "latex" and not whole.startswith(command)) or any(
        key not in whole for key in marker.keys
    ):
        raise EditConflictError(
            "the citation is no longer where it was",
            path=marker.place.file,
            line=marker.place.line,
            hint="read the draft again",
        )
    return text[part.start : part.end]


def _text(files: DraftFiles, name: str) -> str:
    return decode(read_content(files, files.path(name)))[0]


class _Keys:
    """Which keys of a citation give way, and to what: each placeholder takes the next new key, the last one
    all that are left. Without a placeholder, the first undefined key is one, if there is a bibliography."""

    def __init__(self, manuscript: Manuscript, written: Sequence[str], new: Sequence[str]) -> None:
        defined = {reference.key for reference in manuscript.references}
        undefined = [place for place, key in enumerate(written) if key not in defined]
        leaving = [place for place in undefined if is_placeholder(written[place])]
        if not leaving and defined and not manuscript.unread:
            leaving = undefined[:1]
        kept = {key for place, key in enumerate(written) if place not in leaving}
        waiting = [key for key in new if key not in kept]
        self.replaced: dict[int, list[str]] = {}
        """By place; empty: the key goes."""
        for number, place in enumerate(leaving):
            last = number == len(leaving) - 1
            if waiting or not number:
                self.replaced[place] = waiting if last else waiting[:1]
                waiting = [] if last else waiting[1:]
        self.added = waiting
        """Those that come after the last."""


def _latex(manuscript: Manuscript, marker: Marker, written: str, keys: list[str], files: DraftFiles) -> str:
    if marker.slot == marker.place:  # \citeneeded, [CITE]: all of it is replaced
        return f"\\{_usual_command(manuscript, marker, files)}{{{','.join(keys)}}}"
    shown = _COMMENT.sub(lambda comment: " " * len(comment[0]), written)
    pieces = [(piece.start(), piece.end()) for piece in re.finditer(r"[^,\s](?:[^,]*[^,\s])?", shown)]
    found = _Keys(manuscript, [shown[slice(*piece)] for piece in pieces], keys)
    comma = ", " if re.search(r",[ \t]", shown) else ","
    if not pieces:
        return comma.join(keys) + (written if written.strip() else "")
    return _replaced(written, pieces, found, comma, "")


def _replaced(
    written: str, pieces: Sequence[tuple[int, int]], found: _Keys, separator: str, sign: str
) -> str:
    """`written` with some of its keys at `pieces` replaced; what stands between them stays, but the comma of
    a key that goes."""
    out: list[str] = []
    done = 0
    for place, (start, end) in enumerate(pieces):
        new = found.replaced.get(place)
        if new is not None and not new and len(pieces) > 1 and "%" not in written:
            done = end if place else pieces[1][0]  # with the separator before it, or after it
            continue
        out += [
            written[done:start],
            written[start:end] if not new else separator.join(sign + key for key in new),
        ]
        done = end
        if place == len(pieces) - 1 and found.added:
            out.append(separator + separator.join(sign + key for key in found.added))
    return "".join([*out, written[done:]])


_LEADING_WORDS = frozenset("by of in from to with following than per using".split())  # noqa: SIM905
"""Words after which a citation is a part of the sentence ("as shown by [CITE]")."""


def _is_in_sentence(manuscript: Manuscript, marker: Marker, files: DraftFiles) -> bool:
    """Whether a citation that is still open reads as a part of its sentence: "[CITE] introduced …", "as shown
    by [CITE]"."""
    for paragraph in manuscript.paragraphs:
        for sentence in paragraph.sentences:
            if any(each.place == marker.place for each in sentence.markers):
                before = sentence.text[: marker.offset].split()
                if before and before[-1].lower() in _LEADING_WORDS:
                    return True
                # One that stands between two sentences belongs to the first, though it may begin the second.
                begins = not before or before[-1].endswith((".", "?", "!"))
                following = _text(files, marker.place.file)[marker.place.end :]
                return begins and following.lstrip()[:1].islower()
    return False


def _usual_command(manuscript: Manuscript, marker: Marker, files: DraftFiles) -> str:
    """The draft's most frequent citation command that fits; without a model, ``\\cite``."""
    counts = Counter(
        marker.command
        for paragraph in manuscript.paragraphs
        for sentence in paragraph.sentences
        for marker in sentence.markers
        if marker.command in (*_BRACKET_COMMANDS, *_TEXT_COMMANDS)
    )
    wanted: tuple[str, ...] = _BRACKET_COMMANDS
    if _is_in_sentence(manuscript, marker, files):
        wanted = _TEXT_COMMANDS
        if not any(counts[command] for command in wanted):
            return next((text for text, bracket in _PAIRS if counts[bracket]), "cite")
    fitting = [command for command in counts if command in wanted]
    return max(fitting, key=lambda command: counts[command], default="cite")


def _pandoc(manuscript: Manuscript, marker: Marker, written: str, keys: list[str]) -> str:
    """The slot with placeholders replaced; notes stay with their keys."""
    items = list(_PANDOC_KEY.finditer(written))
    if not items:
        return "; ".join(f"@{_braced(key)}" for key in keys)  # [?], [CITE]
    names = [item["key"].strip("{}") for item in items]
    elsewhere = {key for key in marker.keys if key not in names}  # outside of the slot
    new = [_braced(key) for key in keys if key not in elsewhere]
    if not new and len(items) == 1:
        new = [_braced(key) for key in keys]  # all are cited outside the slot, which must not become empty
    found = _Keys(manuscript, names, new)
    return _with_notes(written, items, found)


def _with_notes(written: str, items: Sequence[re.Match[str]], found: _Keys) -> str:
    out: list[str] = []
    done = 0
    for place, item in enumerate(items):
        new = found.replaced.get(place)
        if (
            new is not None
            and not new
            and len(items) > 1
            and written[done : item.start()].strip() in {"", ";"}
        ):
            following = written[item.end() : items[place + 1].start() if place + 1 < len(items) else None]
            if following.strip() in {"", ";"}:  # a bare placeholder goes with its semicolon
                done = items[place + 1].start() if place == 0 else item.end()
                continue
        out += [
            written[done : item.start()],
            _one_after_another([f"@{key}" for key in new]) if new else item[0],
        ]
        done = item.end()
    rest = "".join([*out, written[done:]])
    return rest + "".join(f"; @{key}" for key in found.added)


def _one_after_another(items: Sequence[str]) -> str:
    return "; ".join(items)


def _braced(key: str) -> str:
    """A key in Markdown: one that starts or ends with punctuation needs braces."""
    return key if re.fullmatch(r"\w(?:\w|[:.#$%&+?<>~/-](?=\w))*", key) else f"{{{key}}}"


# Entries in the bibliography ------------------------------------------------------------------------------


def add_entries(manuscript: Manuscript, entries: Sequence[str], files: DraftFiles = DISK) -> list[Edit]:
    """The edits that append BibTeX `entries` to the first bibliography of the draft that has entries.

    If the draft names no bibliography, ``references.bib`` is created beside its root and named in it: by
    ``\\bibliography{references}`` before ``\\end{document}`` (``\\addbibresource`` if the draft loads
    biblatex), or in the metadata of a Markdown draft. Raises InputError for a LaTeX draft that contains its
    reference list (``thebibliography``).
    """
    if not entries:
        return []
    bibliography = bibliography_for(manuscript, files)
    if bibliography is not None:
        return [_append(files, files.path(bibliography), entries)]
    new = _append(files, files.path(manuscript.path).parent / _NEW_BIBLIOGRAPHY, entries)
    text = _text(files, manuscript.path)
    if manuscript.format == "latex":
        return [
            new,
            *_name_in_latex(files, manuscript, _COMMENT.sub(lambda found: " " * len(found[0]), text)),
        ]
    return [new, _name_in_markdown(manuscript, text)] if manuscript.format == "markdown" else [new]


def bibliography_for(manuscript: Manuscript, files: DraftFiles = DISK) -> str | None:
    """The file that new entries go into: the first bibliography with entries, rather than one that only
    defines abbreviations (``@string``) or is missing; None if the draft names none.

    Raises InputError if all are missing though the draft cites from them: they are elsewhere, and a new file
    of the same name would hide them.
    """
    named = manuscript.bibliographies
    holding = {reference.place.file for reference in manuscript.references if reference.place}
    there = [path for path in named if files.is_file(files.path(path)) and path not in manuscript.unread]
    if named and not there and _cites(manuscript):
        raise InputError(
            "the bibliography is missing, and nothing is written while it is",
            path=named[0],
            hint="put the file there, or name the right one in the draft",
        )
    return next((path for path in there if path in holding), (*there, *named, None)[0])


def _cites(manuscript: Manuscript) -> bool:
    """Does the draft have any key?"""
    return any(
        marker.keys
        for paragraph in manuscript.paragraphs
        for sentence in paragraph.sentences
        for marker in sentence.markers
    )


def _append(files: DraftFiles, bibliography: PurePath, entries: Sequence[str]) -> Edit:
    text = _text(files, files.name(bibliography)) if files.is_file(bibliography) else ""
    blank = text[-4:].replace("\r\n", "\n")
    space = "" if not text or blank.endswith("\n\n") else "\n" if blank.endswith(("\n", "\r")) else "\n\n"
    added = space + "\n".join(entry.strip() + "\n" for entry in entries)
    return Edit(files.name(bibliography), len(text), len(text), added)


def _name_in_latex(files: DraftFiles, manuscript: Manuscript, shown: str) -> list[Edit]:
    """Edits that name the new file in the root; `shown` is its text with comments blanked."""
    if manuscript.references:
        raise InputError(
            "the draft contains its own reference list",
            path=manuscript.path,
            hint="move them to a .bib file, name it with \\bibliography{…} and try again",
        )
    all_files = shown + "".join(_text(files, name) for name in manuscript.files[1:])
    if re.search(r"\\(?:usepackage|RequirePackage)\s*(?:\[[^\]]*\]\s*)?\{biblatex\}", all_files):
        edits = [
            _insert(manuscript, shown, "\\begin{document}", f"\\addbibresource{{{_NEW_BIBLIOGRAPHY}}}\n")
        ]
        if "\\printbibliography" not in all_files:
            edits.append(_insert(manuscript, shown, "\\end{document}", "\\printbibliography\n"))
        return edits
    line = f"\\bibliography{{{_NEW_BIBLIOGRAPHY.removesuffix('.bib')}}}\n"
    if "\\bibliographystyle" not in all_files:
        # BibTeX requires a style, and natbib's commands require one of its own styles.
        style = "plainnat" if re.search(r"\{natbib\}|\\cite[tp]\b", all_files) else "plain"
        line = f"\\bibliographystyle{{{style}}}\n{line}"
    return [_insert(manuscript, shown, "\\end{document}", line)]


def _insert(manuscript: Manuscript, shown: str, before: str, line: str) -> Edit:
    found = shown.find(before)
    place = len(shown) if found < 0 else found
    new_line = "" if not place or shown[place - 1] in "\r\n" else "\n"
    return Edit(manuscript.path, place, place, new_line + line)


def _name_in_markdown(manuscript: Manuscript, text: str) -> Edit:
    line = f"bibliography: {_NEW_BIBLIOGRAPHY}\n"
    fence = re.match(r"---[ \t]*(?:\r\n|\r|\n)", text)
    if fence and re.search(r"^(?:---|\.\.\.)[ \t]*\r?$", text[fence.end() :], re.MULTILINE):
        return Edit(manuscript.path, fence.end(), fence.end(), line)
    return Edit(manuscript.path, 0, 0, f"---\n{line}---\n\n")
