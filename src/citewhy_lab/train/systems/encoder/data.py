"""The encoder's training pairs: a query and a relevant paper.

    context     a citing sentence → the paper that it cites
    citation    title and abstract of a paper → a paper that it cites
    self        a paper's title, or a sentence of its abstract → the rest of its abstract
    paragraph   the first sentence of a paragraph → a paper that the rest of it cites
    triple      a paper → a similar one, with a dissimilar one as the negative
    draft       a citing sentence of a finished draft → the entry of its bibliography, mostly a title alone
    field       citing sentences and abstracts of further collections, of any year

Time: citing and cited papers are of `until` or before; of an unknown year they are left out. Paragraphs and
triples have no year; the papers that paragraphs cite do. Held-out papers are neither positives nor negatives
(`citewhy_lab.evaluate.datasets.held_out`).

A draft's pairs stay together (`Pair.library`): wrong answers to a sentence are then other entries of the same
bibliography, which is what an author chooses among.

Each time a pair is used, it is shown in one of several forms: many papers in a library have no abstract, and
many drafts no title yet.

The batch of each step, and hard negatives: papers that the current model ranks high for a query, and that
its paper does not cite.

A batch is a function of the seed and the number of the step, so that training can be resumed at any step.
"""

from __future__ import annotations

import functools
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.progress import Progress
from citewhy.base.records import Paper, Query
from citewhy.search.encode.encoder import TextKind, Vectors
from citewhy.search.encode.texts import paper_text, query_text
from citewhy.text.sentences import split
from citewhy_lab.evaluate.making import file_facts
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.drafts import Draft, open_library, read_manifest, topics_of, use_of
from citewhy_lab.train.systems.encoder.settings import EncoderInputs, EncoderSettings, Source

_ANY_YEAR = 9999

TITLE_ALONE = 0.25
"""Probability that a paper is shown without its abstract."""

SENTENCE_ALONE = 0.25
"""Probability that a citing sentence is shown without the title of its paper."""

CITING_TITLE_ALONE = 0.3
"""Probability that a whole paper is the query by its title alone."""

SHORTEST_ABSTRACT = 200
"""Characters of an abstract that is long enough to be recognised by a part of it."""


@dataclass(frozen=True, slots=True)
class Pair:
    """`related` are canonical ids that must not count as negatives of this query."""

    source: Source
    query: Query
    paper: Paper
    paper_id: str
    """The canonical id."""
    related: frozenset[str]
    negative: Paper | None = None
    year: int | None = None
    """The year of the query's paper, where hard negatives are mined: none of them is newer."""
    library: str = ""
    """Pairs of one library come together in a batch (`TOGETHER`)."""

    def form(self, rng: random.Random) -> Form:
        """Returns the texts that the pair is shown as this time."""
        if self.source == "self":
            return _form_of_itself(self.paper, rng)
        query = self.query
        if self.source in ("context", "draft") and rng.random() < SENTENCE_ALONE:
            query = replace(query, title="")
        if self.source == "citation" and rng.random() < CITING_TITLE_ALONE:
            query = replace(query, abstract="")
        return Form(query_text(query), paper_form(self.paper, rng), _reads_like(query))


@dataclass(frozen=True, slots=True)
class Form:
    """Texts as the encoder reads them, and which of the limits in `settings.TOKENS` holds for the query."""

    query: str
    paper: str
    reads_like: TextKind


def paper_form(paper: Paper, rng: random.Random) -> str:
    """Returns a paper as a library may have it: with its abstract or without."""
    return paper_text(replace(paper, abstract="") if rng.random() < TITLE_ALONE else paper)


def pairs(collection: Collection, until: int) -> dict[Source, list[Pair]]:
    """Returns all pairs by source, in the order of the files; sources without pairs are left out."""
    made: dict[Source, list[Pair]] = {
        "context": list(_contexts(collection, until)),
        "citation": list(_citations(collection, until)),
        "self": list(_selves(collection, until)),
        "paragraph": list(_paragraphs(collection, until)),
        "triple": list(_triples(collection)),
    }
    return {source: pairs_of_source for source, pairs_of_source in made.items() if pairs_of_source}


def _contexts(collection: Collection, until: int) -> Iterator[Pair]:
    for context in collection.contexts:
        citing_id = collection.canonical(context.citing_id)
        citing, year = collection.papers.get(citing_id), collection.year(context)
        if year is None or year > until:
            continue
        query = Query("local", text=context.text, title=citing.title if citing else "")
        for paper_id in dict.fromkeys(map(collection.canonical, context.cited_ids)):
            if paper := _answer(collection, paper_id, until):
                related = collection.references[citing_id]
                yield Pair("context", query, paper, paper_id, related, year=year)


def _citations(collection: Collection, until: int) -> Iterator[Pair]:
    edges = dict.fromkeys(
        (collection.canonical(citation.citing_id), collection.canonical(citation.cited_id))
        for citation in collection.citations
    )
    for citing_id, paper_id in edges:
        citing = collection.papers.get(citing_id)
        if citing is None or citing.year is None or citing.year > until:
            continue
        if paper := _answer(collection, paper_id, until):
            query = Query("global", title=citing.title, abstract=citing.abstract)
            yield Pair("citation", query, paper, paper_id, collection.references[citing_id])


def _selves(collection: Collection, until: int) -> Iterator[Pair]:
    for paper_id, known in collection.papers.items():
        paper = _answer(collection, paper_id, until)
        if paper and len(known.abstract) > SHORTEST_ABSTRACT:
            yield Pair("self", Query("global", title=known.title), paper, paper_id, frozenset({paper_id}))


def _paragraphs(collection: Collection, until: int) -> Iterator[Pair]:
    for paragraph in collection.paragraphs:
        related = frozenset(map(collection.canonical, paragraph.cited_ids))
        query = Query("paragraph", text=paragraph.text)
        for paper_id in sorted(related):
            if paper := _answer(collection, paper_id, until):
                yield Pair("paragraph", query, paper, paper_id, related)


def _triples(collection: Collection) -> Iterator[Pair]:
    for triple in collection.triples:
        query = Query("global", title=triple.query.title, abstract=triple.query.abstract)
        related = frozenset({triple.query.id})
        yield Pair("triple", query, triple.near, triple.near.id, related, negative=triple.far)


def _answer(collection: Collection, paper_id: str, until: int) -> Paper | None:
    """Returns the paper, if it may be a positive: known, old enough, and not held out."""
    paper = collection.papers.get(paper_id)
    if paper is None or paper.year is None or paper.year > until or paper_id in collection.held_out:
        return None
    return paper


def _form_of_itself(paper: Paper, rng: random.Random) -> Form:
    sentences = split(paper.abstract)
    if len(sentences) < 3 or rng.random() < 0.5:
        return Form(paper.title, paper_text(replace(paper, title=paper.abstract, abstract="")), "query")
    asked = rng.randrange(len(sentences))
    rest = " ".join(sentences[:asked] + sentences[asked + 1 :])
    query = query_text(Query("local", text=sentences[asked]))
    return Form(query, paper_text(replace(paper, abstract=rest)), "query")


def _reads_like(query: Query) -> TextKind:
    return "paper" if query.kind == "global" else "query"


# Other fields ----------------------------------------------------------------------------------------------


def _drafts(inputs: EncoderInputs) -> list[Draft]:
    """Lists the drafts that an encoder may learn from."""
    if inputs.drafts is None:
        return []
    listed = read_manifest(inputs.drafts, inputs.documents or inputs.drafts.parent)
    return [draft for draft in listed if use_of(draft.author) == "encoder"]


def facts_of_fields(inputs: EncoderInputs) -> dict[str, Any]:
    """Checksums of the files of drafts and further collections."""
    facts = {} if inputs.drafts is None else {"drafts": file_facts(inputs.drafts)}
    for folder in inputs.fields:
        for kind, path in Collection(folder).files.items():
            facts[f"{folder.name} {kind}"] = file_facts(path)
    return facts


def pairs_of_fields(inputs: EncoderInputs, progress: Progress) -> dict[Source, list[Pair]]:
    """Returns all pairs of drafts and further collections by source; sources without pairs are left out."""
    drafts = _drafts(inputs)
    made: dict[Source, list[Pair]] = {"draft": [], "field": []}
    for number, draft in enumerate(drafts):
        progress(f"reading {draft.name}", number / len(drafts))
        made["draft"] += _of_draft(draft)
    for folder in inputs.fields:
        by_source = pairs(Collection(folder), _ANY_YEAR)
        made["field"] += [*by_source.get("context", ()), *by_source.get("self", ())]
    return {source: of_source for source, of_source in made.items() if of_source}


def _of_draft(draft: Draft) -> Iterator[Pair]:
    with (
        tempfile.TemporaryDirectory(prefix="citewhy-") as scratch,
        open_library(draft, Path(scratch) / "library") as library,
    ):
        topics = topics_of(draft, library)
        papers = library.papers({paper_id for topic in topics for paper_id in topic.relevant})
    for topic in topics:
        query = Query("local", text=topic.query.text, title=topic.query.title)
        together = frozenset(f"{draft.name}:{paper_id}" for paper_id in topic.relevant)
        for paper_id in topic.relevant:
            name = f"{draft.name}:{paper_id}"
            yield Pair("draft", query, papers[paper_id], name, together, library=draft.name)


# Batches -------------------------------------------------------------------------------------------------


TOGETHER = 24
"""Pairs of one library that follow each other, where it has as many."""

Mined = NDArray[np.int32]
"""[pairs, `KEPT`] hard negatives of each pair, as positions in a list of papers, padded with `NONE`."""

NONE = -1
"""Pads the rows of queries with fewer negatives."""

UNCITED = 0.08
"""Share of the papers with neither abstract nor citation that are candidates: titles alone are many."""

LOOKED_AT = 60
"""Nearest papers of a query among which negatives are looked for."""

SKIPPED = 3
"""The nearest of those that are left are skipped: they are often relevant, and merely not cited."""

KEPT = 37

_BLOCK = 512


@dataclass(frozen=True, slots=True)
class Batch:
    """`papers` are the positives, in the order of `queries`, then hard negatives."""

    source: Source
    queries: list[str]
    reads_like: TextKind
    papers: list[str]
    forbidden: NDArray[np.bool_]
    """[queries, papers]: papers that are another positive of the query, or may be one."""


class Batches:
    """Batches of one source each, drawn by the settings' weights. The pairs of a source are shuffled anew
    whenever all of them have been used. Contexts have hard negatives once `set_negatives` was called.
    """

    def __init__(
        self, pairs: Mapping[Source, Sequence[Pair]], settings: EncoderSettings, processes: int = 1
    ) -> None:
        """There is a batch in each step for each of `processes` that train together."""
        self._pairs = pairs
        self._size = settings.batch
        self._seed = settings.seed
        sources = [source for source in settings.weights if pairs.get(source)]
        weights = [settings.weights[source] for source in sources]
        self._plan = random.Random(f"plan {settings.seed}").choices(
            sources, weights, k=settings.steps * processes
        )
        self._ids: Sequence[str] = ()
        self._papers: Sequence[Paper] = ()
        self._mined: Mined | None = None

    def set_negatives(self, ids: Sequence[str], papers: Sequence[Paper], mined: Mined) -> None:
        """Hard negatives of the contexts from now on: positions in `ids` and `papers`, a row a pair."""
        self._ids, self._papers, self._mined = ids, papers, mined

    def __getitem__(self, step: int) -> Batch:
        """Returns the batch with this number, from 0."""
        source = self._plan[step]
        rng = random.Random(f"step {self._seed} {step}")
        first = self._plan[:step].count(source) * self._size
        rows = [self._row(source, first + position) for position in range(self._size)]
        chosen = [self._pairs[source][row] for row in rows]
        forms = [pair.form(rng) for pair in chosen]
        wrong = [
            negative
            for position, row in enumerate(rows)
            if (negative := self._wrong(source, row, position, rng))
        ]
        return Batch(
            source,
            [form.query for form in forms],
            forms[0].reads_like,
            [form.paper for form in forms] + [paper_form(paper, rng) for _, paper in wrong],
            forbidden(chosen, [paper_id for paper_id, _ in wrong]),
        )

    def _row(self, source: Source, position: int) -> int:
        """Returns the pair at a position of a source's sequence, which is endless."""
        count = len(self._pairs[source])
        return self._order(source, position // count)[position % count]

    @functools.lru_cache(maxsize=16)  # noqa: B019 # one a training
    def _order(self, source: Source, time: int) -> list[int]:
        rng = random.Random(f"order {self._seed} {source} {time}")
        libraries: dict[str, list[int]] = defaultdict(list)
        for position, pair in enumerate(self._pairs[source]):
            libraries[pair.library].append(position)
        runs = []
        for positions in libraries.values():
            rng.shuffle(positions)
            runs += [positions[start : start + TOGETHER] for start in range(0, len(positions), TOGETHER)]
        rng.shuffle(runs)
        return [position for run in runs for position in run]

    def _wrong(self, source: Source, row: int, position: int, rng: random.Random) -> tuple[str, Paper] | None:
        """Returns the pair's own negative; for every second context one that was mined."""
        negative = self._pairs[source][row].negative
        if negative is not None:
            return negative.id, negative
        if source != "context" or self._mined is None or position % 2:
            return None
        mined = [int(mined_row) for mined_row in self._mined[row] if mined_row != NONE]
        if not mined:
            return None
        chosen = rng.choice(mined)
        return self._ids[chosen], self._papers[chosen]


def forbidden(pairs: Sequence[Pair], negatives: Sequence[str]) -> NDArray[np.bool_]:
    """[len(pairs), len(pairs) + len(negatives)]: what must not count as a negative of a query.

    These are further copies of its positive, and every paper that is related to the query.
    """
    ids = [pair.paper_id for pair in pairs] + list(negatives)
    mask = np.array(
        [[one == pair.paper_id or one in pair.related for one in ids] for pair in pairs], dtype=np.bool_
    )
    np.fill_diagonal(mask, False)
    return mask


# Hard negatives --------------------------------------------------------------------------------------------


def candidates(collection: Collection, until: int, seed: int) -> list[str]:
    """Returns canonical ids of papers that may be negatives: of `until` or before, none of them held out."""
    rng = random.Random(seed)
    cited = {paper_id for references in collection.references.values() for paper_id in references}
    return [
        paper_id
        for paper_id, paper in collection.papers.items()
        if paper.year is not None and paper.year <= until and paper_id not in collection.held_out
        if paper.abstract or paper_id in cited or rng.random() < UNCITED
    ]


def mine(
    pairs: Sequence[Pair], queries: Vectors, ids: Sequence[str], years: Sequence[int], papers: Vectors
) -> Mined:
    """Mined [len(pairs), KEPT] in `ids`, the nearest first, padded with `NONE`.

    queries [len(pairs), d], papers [len(ids), d]; ids are canonical, years those of their papers. A paper
    that is newer than the citing one is left out, and so is every reference of the citing paper.
    """
    mined = np.full((len(pairs), KEPT), NONE, dtype=np.int32)
    published = np.asarray(years)
    depth = min(LOOKED_AT, len(ids))
    for start in range(0, len(pairs), _BLOCK):
        block = pairs[start : start + _BLOCK]
        scores = queries[start : start + _BLOCK] @ papers.T
        latest = np.array([9999 if pair.year is None else pair.year for pair in block])
        scores[published[None, :] > latest[:, None]] = -np.inf
        for row, pair in enumerate(block):
            nearest = np.argpartition(-scores[row], depth - 1)[:depth]
            nearest = nearest[np.lexsort((nearest, -scores[row][nearest]))]
            wrong = [
                position
                for position in nearest
                if scores[row][position] > -np.inf and ids[position] not in pair.related
            ]
            kept = wrong[SKIPPED : SKIPPED + KEPT]
            mined[start + row, : len(kept)] = kept
    return mined
