"""Questions from finished drafts of many fields, for the last step of the ranker (`rank.last_step`).

A manifest lists the drafts, one JSON object a line: ``name``, ``root`` (the file to read) and ``bibs`` (its
bibliographies), in the folder ``name`` beside the manifest or elsewhere. Each draft gets a library of its
own bibliography, and its citations are hidden in turn, as `citewhy backtest` does it. Every place is asked
twice: as it is, and with less: without the draft's other citations, or some of them, its paragraph, its
title, the order of its bibliography. So the model learns what each kind of evidence is worth where others
are missing.

One author's drafts in five (`held_out_author`) teach nothing: they are there to measure.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from citewhy.encode import Encoder
from citewhy.errors import InputError
from citewhy.evaluate.backtest.hiding import hide_citations
from citewhy.evaluate.datasets.lines import objects
from citewhy.formats import read as read_records
from citewhy.formats.report import ImportReport
from citewhy.index import open_index
from citewhy.library.store import Library
from citewhy.manuscript import read
from citewhy.pipeline import Recommender
from citewhy.rank.model import RankerModel
from citewhy.records import Query
from citewhy.systems.ranker.questions import Question, question

__all__ = ["PLACES", "YEAR", "Draft", "draft_questions", "held_out_author", "read_manifest"]

PLACES = 50
"""Places of one draft that are asked, so that a thesis does not outvote ten papers."""

YEAR = 2100
"""As of which drafts are asked: everything in their own libraries is known."""

_HELD_OUT = 5


@dataclass(frozen=True, slots=True)
class Draft:
    """A finished draft with its own bibliography."""

    name: str
    root: Path
    bibliographies: tuple[Path, ...]

    @property
    def author(self) -> str:
        """What comes before the first ``+`` of the name: drafts of one author belong together."""
        return self.name.partition("+")[0]


def held_out_author(author: str) -> bool:
    """Whether an author's drafts are kept from training; true of one in five, by a hash of the name."""
    return zlib.crc32(author.encode()) % _HELD_OUT == 0


def read_manifest(manifest: Path, documents: Path) -> list[Draft]:
    """The drafts of a manifest, whose folders lie in `documents`. Raises InputError with file and line."""
    drafts = []
    for line in objects(manifest, "drafts", "bibs"):
        name, root = line.text("name"), line.text("root")
        folder = documents / name
        if not (folder / root).is_file():
            raise InputError(
                f"the draft {name} is not there", path=folder / root, hint="unpack the documents first"
            )
        drafts.append(Draft(name, folder / root, tuple(folder / each for each in line.texts("bibs"))))
    return drafts


def draft_questions(
    draft: Draft, folder: Path, encoder: Encoder, model: RankerModel, seed: int
) -> Iterator[Question]:
    """At most `PLACES` places of a draft, each asked twice. Its library is made in `folder`, or found
    there."""
    rng = random.Random(f"{seed} {draft.name}")
    with Library.open(folder, create=True) as library:
        report = ImportReport()
        library.add_all([(str(each), read_records(each, report)) for each in draft.bibliographies], report)
        recommender = Recommender(library, encoder=encoder, model=model, index=open_index(library, encoder))
        topics = list(hide_citations(library, [read(draft.root)], YEAR)[0].topics)
        if len(topics) > PLACES:
            topics = [topics[each] for each in sorted(rng.sample(range(len(topics)), PLACES))]
        for topic in topics:
            less = replace(topic, query=_with_less(topic.query, rng))
            yield question(recommender, topic, draft.author, "drafts")
            yield question(recommender, less, draft.author, "drafts, less evidence")


def _with_less(query: Query, rng: random.Random) -> Query:
    """The same question, some of the evidence left out."""
    chance = rng.random()
    if 0.5 <= chance < 0.7:
        query = replace(query, draft=None, paragraph="", preceding="", section="", known_ids=())
    elif 0.7 <= chance < 0.8:
        query = replace(query, draft=None)
    elif chance >= 0.8 and query.draft is not None:
        share = 0.7 * rng.random()
        kept = tuple(each for each in query.draft.citations if rng.random() < share)
        query = replace(query, draft=replace(query.draft, citations=kept))
    if query.draft is not None and rng.random() < 0.35:
        query = replace(query, draft=replace(query.draft, bibliography=()))
    if rng.random() < 0.2:
        query = replace(query, paragraph="", preceding="")
    return replace(query, title="") if rng.random() < 0.2 else query
