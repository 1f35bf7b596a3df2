"""What pictures of a library and of a draft show: numbers by year and venue, and papers in a plane."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Paper
from citewhy.search.index import Index
from citewhy.search.rules import Scope
from citewhy.session.draft_places import DraftPlace
from citewhy.session.open_draft import DraftState, OpenDraft, references_of
from citewhy.session.session import Session

_VENUES = 30
"""Venues that are named, those with the most papers."""

MOST_ON_MAP = 400
"""Papers on a map; of more, those that are cited most often are kept."""

_OF_MEANING, _OF_CITATIONS, _OF_SECTIONS = 0.55, 0.35, 0.1
"""How much nearness in meaning, being cited together, and standing in the same section draw papers
together."""

_ROUNDS = 60
"""Rounds in which papers that lie on each other are moved apart."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How a library is made up."""

    papers: int
    years: dict[int, int]
    """Papers by year, ascending; papers without a year are in none."""
    venues: list[tuple[str, int]]
    """The venues with the most papers."""
    with_abstract: int
    with_contexts: int
    """Papers of which a citing sentence is known."""
    with_vectors: int


@dataclass(frozen=True, slots=True)
class DatedPaper:
    """A paper on the picture of years: one that the draft cites, or one that is suggested for a place."""

    paper: Paper
    key: str
    cited: int
    """How often the draft cites it."""
    place: str
    """The place that it is suggested for; empty for one of the bibliography."""
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class MappedPaper:
    """A paper on the map, at [0, 1] by [0, 1]."""

    paper: Paper
    key: str
    x: float
    y: float
    sections: tuple[str, ...]
    """The headings under which the draft cites it, the most frequent first; those of the places that it is
    suggested for."""
    cited: int
    """How often the draft cites it; 0 for a suggested paper."""
    places: tuple[str, ...]
    """The places that it is suggested for."""
    lines: tuple[tuple[str, int], ...]
    """Where it is cited: files and lines."""


def shape_of(session: Session) -> Shape:
    """How the library of a session is made up."""
    opened = session._current()
    index = opened.index()
    years: Counter[int] = Counter()
    venues: Counter[str] = Counter()
    papers = abstracts = 0
    with opened.reading():
        for _, paper in opened.library.numbered_papers():
            papers += 1
            abstracts += bool(paper.abstract)
            venues[paper.venue] += bool(paper.venue)
            if paper.year is not None:
                years[paper.year] += 1
    tables = index.tables
    cited = np.unique(tables.pair_cited)
    vectors = session.recommender().index
    return Shape(
        papers=papers,
        years=dict(sorted(years.items())),
        venues=sorted(
            ((name, number) for name, number in venues.items() if number),
            key=lambda one: (-one[1], one[0]),
        )[:_VENUES],
        with_abstract=abstracts,
        with_contexts=int(np.count_nonzero(tables.alive[cited])),
        with_vectors=papers if vectors.paper_vectors is not None and not vectors.unencoded else 0,
    )


# A draft --------------------------------------------------------------------------------------------------


def years_of(draft: OpenDraft) -> list[DatedPaper]:
    """The papers of a draft's bibliography, and those that were suggested for its places."""
    state = draft.state()
    own = [
        DatedPaper(reference.paper, reference.key, len(cited), "")
        for reference, cited in references_of(state)
    ]
    return own + [
        DatedPaper(one.paper, one.key, 0, place.id, one.probability)
        for place, one in draft.suggested()
        if not one.in_bibliography
    ]


def map_of(draft: OpenDraft) -> list[MappedPaper]:
    """The papers that a draft cites, and those that were suggested for its places, near each other if they
    are cited together, alike in meaning, or stand in the same section."""
    state = draft.state()
    opened, answering = draft.draft.answering()
    known = answering.papers
    papers: dict[str, _Mapped] = {}
    for reference, places in references_of(state):
        if places:
            identifier = known.get(reference.key, reference.key)
            papers.setdefault(identifier, _Mapped(reference.paper, reference.key)).lines.extend(
                (draft.name_of(place.file), place.line) for place in places
            )
    _add_sections(papers, state, known)
    for place, one in draft.suggested():
        if one.paper.id not in papers or not papers[one.paper.id].lines:
            suggested = papers.setdefault(one.paper.id, _Mapped(one.paper, one.key))
            suggested.places.append(place.id)
            suggested.sections[_section(place)] += 1
    most = sorted(papers.items(), key=lambda one: (-len(one[1].lines), one[0]))[:MOST_ON_MAP]
    with opened.reading():
        index = answering.index
        rows = index.rows([identifier for identifier, _ in most])
        plane = layout(_nearness(index, rows, [one.sections for _, one in most]))
    return [one.at(*plane[number].tolist()) for number, (_, one) in enumerate(most)]


class _Mapped:
    def __init__(self, paper: Paper, key: str) -> None:
        self.paper, self.key = paper, key
        self.sections: Counter[str] = Counter()
        self.places: list[str] = []
        self.lines: list[tuple[str, int]] = []

    def at(self, x: float, y: float) -> MappedPaper:
        sections = tuple(name for name, _ in self.sections.most_common())
        places, lines = tuple(dict.fromkeys(self.places)), tuple(self.lines)
        return MappedPaper(
            self.paper, self.key, round(x, 4), round(y, 4), sections, len(lines), places, lines
        )


def _add_sections(papers: dict[str, _Mapped], state: DraftState, known: Mapping[str, str]) -> None:
    for paragraph in state.manuscript.paragraphs:
        for sentence in paragraph.sentences:
            for marker in sentence.markers:
                for key in marker.keys:
                    if (one := papers.get(known.get(key, key))) is not None:
                        one.sections[paragraph.section] += 1


def _section(place: DraftPlace) -> str:
    return "" if place.unit.paragraph is None else place.unit.paragraph.section


def _nearness(index: Index, rows: NDArray[np.int64], sections: Sequence[Counter[str]]) -> NDArray[np.float64]:
    """[n, n] in [0, 1]; a paper that the library does not have is near others by its sections alone."""
    n, found = len(rows), np.flatnonzero(rows >= 0)
    near = np.zeros((n, n))
    view = index.view(Scope())
    if len(found):
        here = np.ix_(found, found)
        if index.paper_vectors is not None and not index.unencoded:
            near[here] += _OF_MEANING * np.clip(view.paper_cosines(rows[found], rows[found]), 0, 1)
        near[here] += _OF_CITATIONS * _together(index, rows[found])
    names = dict.fromkeys(name for one in sections for name in one)
    of_section = {name: number for number, name in enumerate(names)}
    shares = np.zeros((n, max(len(of_section), 1)))
    for number, one in enumerate(sections):
        for name, times in one.items():
            shares[number, of_section[name]] = times
    near += _OF_SECTIONS * _cosines(shares)
    np.fill_diagonal(near, 1.0)
    return near


def _together(index: Index, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """[n, n] cosines of the sets of papers that cite each of `rows`."""
    citing = index.view(Scope()).citing(rows)
    columns, positions = np.unique(citing.rows, return_inverse=True)
    table = np.zeros((len(rows), max(len(columns), 1)))
    table[citing.positions, positions] = 1
    return _cosines(table)


def _cosines(table: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.sqrt(np.einsum("nd,nd->n", table, table))
    scaled = table / np.maximum(lengths, 1e-12)[:, None]
    products: NDArray[np.float64] = scaled @ scaled.T
    return products


def layout(near: NDArray[np.float64]) -> NDArray[np.float64]:
    """[n, 2] places in [0, 1], from how near things are to each other [n, n]: classical scaling of the
    distances, and then as much room for each as there is."""
    n = len(near)
    if n < 2:
        return np.full((n, 2), 0.5)
    squares = (1 - np.clip(near, 0, 1)) ** 2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    plane = vectors[:, ::-1][:, :2] * np.sqrt(np.maximum(values[::-1][:2], 1e-9))
    if plane.shape[1] < 2:
        plane = np.column_stack([plane, np.zeros(n)])
    for axis in range(2):  # an eigenvector has no sign of its own
        if plane[np.argmax(np.abs(plane[:, axis]).round(6)), axis] < 0:
            plane[:, axis] *= -1
    return _spread(_within(plane), 0.7 / np.sqrt(n))


def _within(plane: NDArray[np.float64]) -> NDArray[np.float64]:
    """The places in [0, 1], by ranks for the half of them: a few that are far away do not press the others
    together."""
    low, high = plane.min(axis=0), plane.max(axis=0)
    scaled = (plane - low) / np.maximum(high - low, 1e-9)
    ranks = np.argsort(np.argsort(plane, axis=0, kind="stable"), axis=0) / max(len(plane) - 1, 1)
    mixed: NDArray[np.float64] = (scaled + ranks) / 2
    return mixed


def _spread(plane: NDArray[np.float64], room: float) -> NDArray[np.float64]:
    """Moves what is nearer to each other than `room` apart."""
    n = len(plane)
    angles = np.arange(n) * 2.399963  # the golden angle: what lies in one place goes in all directions
    plane = plane + 1e-4 * np.column_stack([np.cos(angles), np.sin(angles)])
    one, other = np.triu_indices(n, 1)
    for _ in range(_ROUNDS):
        across, down = (plane[one, axis] - plane[other, axis] for axis in range(2))
        near = np.flatnonzero(across * across + down * down < room * room)
        if not len(near):
            break
        apart = np.column_stack([across[near], down[near]])
        distance = np.maximum(np.hypot(apart[:, 0], apart[:, 1]), 1e-9)[:, None]
        push = apart / distance * np.maximum(0, room - distance) / 2
        for axis in range(2):
            plane[:, axis] += np.bincount(one[near], push[:, axis], n)
            plane[:, axis] -= np.bincount(other[near], push[:, axis], n)
    low, high = plane.min(axis=0), plane.max(axis=0)
    within: NDArray[np.float64] = (plane - low) / np.maximum(high - low, 1e-9)
    return within
