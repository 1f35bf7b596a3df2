"""What the cross-encoder learns from: questions with the first candidates of the default ranking.

Questions are the citations of finished drafts, hidden in turn, and citing sentences of libraries. The wrong
papers among the candidates are the negatives: as hard as those that the network will have to tell apart.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from citewhy.base.records import Paper, Query
from citewhy.papers.library.store import Library
from citewhy.search.encode import Encoder
from citewhy_lab.evaluate.datasets.local import topics as local_topics
from citewhy_lab.evaluate.datasets.topics import Options, Topic
from citewhy_lab.evaluate.serving import recommender_of
from citewhy_lab.train.drafts import Draft, open_library, topics_of
from citewhy_lab.train.kept import Arrays, code_digest, kept
from citewhy_lab.train.systems.crossencoder.settings import CrossSettings

_VALIDATED = 8
"""One author, or citing paper, in so many chooses the weight of the order."""

Found = tuple[tuple[str, ...], tuple[float, ...]]
"""The ids of candidates, and their scores."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A question with its candidates."""

    query: Query
    papers: tuple[Paper, ...]
    """[n] the first candidates, best first."""
    right: tuple[int, ...]
    """Positions of the right ones."""
    scores: tuple[float, ...]
    """[n] those of the ranking, descending."""
    missed: int
    """Right papers that are not among them."""
    author: str
    """Author, or citing paper, whose questions are learned from together or chosen by together."""
    source: str

    @property
    def validates(self) -> bool:
        return zlib.crc32(f"validation {self.author}".encode()) % _VALIDATED == 0


def draft_lists(draft: Draft, folder: Path, encoder: Encoder, settings: CrossSettings) -> list[Listed]:
    """At most `of_draft` citations of a draft, whose library is made in `folder` or found there."""
    with open_library(draft, folder / draft.name) as library:
        topics = topics_of(draft, library)
        if len(topics) > settings.of_draft:
            topics = random.Random(f"{settings.seed} {draft.name}").sample(topics, settings.of_draft)
        found = _candidates(library, topics, folder / f"{draft.name}.npz", encoder, settings)
        return list(_listed(library, topics, found, "drafts", draft.author))


def sentence_lists(
    library_folder: Path, file: Path, folder: Path, encoder: Encoder, settings: CrossSettings
) -> list[Listed]:
    """At most `most` citing sentences of a file. Raises InputError for another file."""
    with Library.open(library_folder) as library:
        topics = local_topics(file, library, Options())
        if len(topics) > settings.most:
            topics = random.Random(f"{settings.seed} {file.name}").sample(topics, settings.most)
        found = _candidates(library, topics, folder / f"{file.name}.npz", encoder, settings)
        return list(_listed(library, topics, found, file.name))


def _candidates(
    library: Library, topics: Sequence[Topic], path: Path, encoder: Encoder, settings: CrossSettings
) -> list[Found]:
    """The first candidates of each question, which are kept in the file `path`."""
    made_of = [
        code_digest("citewhy/ranking", "citewhy/search"),
        encoder.fingerprint,
        str(settings.depth),
        str(library.generation),
        *(f"{topic.query.id} {topic.query.text}" for topic in topics),
    ]

    def ask() -> Iterator[Found]:
        recommender = recommender_of(library, encoder)
        for topic in topics:
            ranked = recommender.rank(topic.query, settings.depth)
            yield tuple(ranked.ids), tuple(each.score for each in ranked)

    return kept(path, made_of, ask, _packed, _unpacked)


def _listed(
    library: Library, topics: Sequence[Topic], found: Sequence[Found], source: str, author: str = ""
) -> Iterator[Listed]:
    for topic, (ids, scores) in zip(topics, found, strict=True):
        papers = library.papers(ids)
        there = tuple(papers[paper_id] for paper_id in ids if paper_id in papers)
        own = tuple(score for paper_id, score in zip(ids, scores, strict=True) if paper_id in papers)
        right = tuple(at for at, paper in enumerate(there) if paper.id in topic.relevant)
        missed = len(topic.relevant) - len(right)
        yield Listed(topic.query, there, right, own, missed, author or topic.query.citing_id, source)


def _packed(found: Sequence[Found]) -> Arrays:
    return {
        "sizes": np.array([len(ids) for ids, _ in found], dtype=np.int64),
        "ids": np.array([paper_id for ids, _ in found for paper_id in ids], dtype=np.str_),
        "scores": np.array([score for _, scores in found for score in scores], dtype=np.float32),
    }


def _unpacked(arrays: Arrays) -> list[Found]:
    ends = np.cumsum(arrays["sizes"])
    ids, scores = arrays["ids"].tolist(), arrays["scores"].tolist()
    return [
        (tuple(ids[end - size : end]), tuple(scores[end - size : end]))
        for size, end in zip(arrays["sizes"].tolist(), ends.tolist(), strict=True)
    ]
