"""The author's entries in bibliographies beside a draft, which it does not name.

What they say of a paper, their keys included, comes before what the library says of it: it is the author's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from citewhy.answers.questions import identify
from citewhy.base.records import Manuscript, Paper, Reason, Reference, Resolution, Suggestion
from citewhy.drafts.edit.bibliography_file import source_key
from citewhy.papers.library.store import Library

KIND = "own-entry"
"""The kind of the first reason of an entry that is suggested, though the library has no such paper."""


@dataclass(frozen=True, slots=True)
class EntriesBeside:
    """Holds the entries with a title beside one draft."""

    entries: Mapping[str, Reference]
    """Each entry stands under its key."""
    papers: Mapping[str, str]
    """The library's paper by key, where it has one."""
    written: Mapping[str, Paper]
    """Maps a paper's id in the library to what is written of it; the id of the value is the key."""

    @classmethod
    def of(
        cls,
        library: Library,
        manuscript: Manuscript,
        references: Sequence[Reference],
        known: Mapping[str, str],
    ) -> EntriesBeside:
        """Takes `references`. Of papers that the bibliography has (`known`, by key), nothing is written, and
        of those that the library read under the same key, what it read."""
        entries = {reference.key: reference for reference in references if reference.paper.title}
        papers = identify(library, replace(manuscript, references=tuple(entries.values()), unread=()))
        there = library.papers(set(papers.values()).difference(known.values()))
        written = {
            paper_id: replace(entries[key].paper, id=key)
            for key, paper_id in reversed(list(papers.items()))
            if paper_id in there and source_key(there[paper_id]) != key
        }
        return cls(entries, papers, written)

    def resolution(self, key: str) -> Resolution | None:
        """Which paper of the library an undefined key of the draft names, if there is an entry of this key:
        the entry's, or none."""
        if key not in self.entries:
            return None
        paper_id = self.papers.get(key)
        return Resolution(key) if paper_id is None else Resolution(key, "key", (paper_id,), certain=True)

    def lacking(self, keys: Sequence[str]) -> dict[str, Suggestion]:
        """The entries of undefined keys whose papers the library does not have, as suggestions by key."""
        suggestions = {}
        for key in keys:
            if key in self.entries and key not in self.papers:
                entry = self.entries[key]
                file = PurePath(entry.place.file).name if entry.place else ""
                reason = Reason(
                    KIND, f"in {file}, which the draft does not name; your library does not have it"
                )
                suggestions[key] = Suggestion(
                    replace(entry.paper, id=key), 0.0, (reason,), key=key, for_key=key
                )
        return suggestions
