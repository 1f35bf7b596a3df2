"""Training pairs of other fields than that of the collection.

    draft     a citing sentence of a finished draft → the entry of its bibliography, mostly a title alone
    field     citing sentences and abstracts of further collections, of any year

A draft's pairs stay together (`Pair.library`): wrong answers to a sentence are then other entries of the same
bibliography, which is what an author chooses among.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citewhy.base.progress import Progress
from citewhy.base.records import Query
from citewhy_lab.evaluate.making import file_facts
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.drafts import Draft, open_library, read_manifest, topics_of, use_of
from citewhy_lab.train.systems.encoder.data import Pair, pairs
from citewhy_lab.train.systems.encoder.settings import Source

__all__ = ["Fields", "pairs_of_fields"]

_ANY_YEAR = 9999


@dataclass(frozen=True, slots=True)
class Fields:
    """What is learned from beside the collection."""

    manifest: Path | None = None
    """Of finished drafts (`train.drafts`)."""
    documents: Path | None = None
    """Folder of the drafts that the manifest lists; by default the manifest's own."""
    collections: Sequence[Path] = ()
    """Folders of further collections."""

    def drafts(self) -> list[Draft]:
        """Those that an encoder may learn from."""
        if self.manifest is None:
            return []
        listed = read_manifest(self.manifest, self.documents or self.manifest.parent)
        return [each for each in listed if use_of(each.author) == "encoder"]

    def facts(self) -> dict[str, Any]:
        """Checksums of the files."""
        facts = {} if self.manifest is None else {"drafts": file_facts(self.manifest)}
        for folder in self.collections:
            for kind, path in Collection(folder).files.items():
                facts[f"{folder.name} {kind}"] = file_facts(path)
        return facts


def pairs_of_fields(fields: Fields, progress: Progress) -> dict[Source, list[Pair]]:
    """All pairs by source; sources without pairs are left out."""
    drafts = fields.drafts()
    made: dict[Source, list[Pair]] = {"draft": [], "field": []}
    for number, draft in enumerate(drafts):
        progress(f"reading {draft.name}", number / len(drafts))
        made["draft"] += _of_draft(draft)
    for folder in fields.collections:
        found = pairs(Collection(folder), _ANY_YEAR)
        made["field"] += [*found.get("context", ()), *found.get("self", ())]
    return {source: found for source, found in made.items() if found}


def _of_draft(draft: Draft) -> Iterator[Pair]:
    with (
        tempfile.TemporaryDirectory(prefix="citewhy-") as scratch,
        open_library(draft, Path(scratch) / "library") as library,
    ):
        topics = topics_of(draft, library)
        papers = library.papers({each for topic in topics for each in topic.relevant})
    for topic in topics:
        query = Query("local", text=topic.query.text, title=topic.query.title)
        together = frozenset(f"{draft.name}:{each}" for each in topic.relevant)
        for paper_id in topic.relevant:
            name = f"{draft.name}:{paper_id}"
            yield Pair("draft", query, papers[paper_id], name, together, library=draft.name)
