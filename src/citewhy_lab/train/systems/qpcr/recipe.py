"""The recipe of QPCR and of the systems that the source compares it with: from paragraphs to an encoder.

A paragraph is a training example, with positives and three pools of negatives (section 4 of the source).
"""

from __future__ import annotations

import functools
import json
import math
import random
import tempfile
from collections import defaultdict
from collections.abc import Collection as Ids
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from citewhy.base.errors import InputError, QueryError
from citewhy.base.progress import Progress
from citewhy.base.records import Paper, Query
from citewhy.search.encode.texts import paper_text
from citewhy_lab.evaluate.datasets.lines import Line, objects
from citewhy_lab.evaluate.making import file_facts, software
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.devices import choose_device
from citewhy_lab.train.loop import Learner, Plan, linear, linear_in_turn, train_network
from citewhy_lab.train.losses import quadruplet, triplet_margin
from citewhy_lab.train.recipe import DeviceName, Trained, checkpoints
from citewhy_lab.train.requirements import default_start, start_sha256
from citewhy_lab.train.systems.encoder.export import export, sentence_encoder
from citewhy_lab.train.systems.encoder.network import TextModel
from citewhy_lab.train.systems.qpcr.encoder import READER, paragraph_text, whole_text
from citewhy_lab.train.systems.qpcr.network import LastLayers, readable
from citewhy_lab.train.systems.qpcr.settings import (
    DROPOUT,
    INSTANCES,
    NEAREST,
    POOLS,
    PUBLISHED_POOLS,
    TOKENS,
    TOPIC_MARK,
    TRAINED,
    QpcrInputs,
    QpcrSettings,
    Variant,
)

_COMPARED = 100
"""Papers on which the exported model is compared with the trained network."""

_UNUSED = "[unused1]"


def train_qpcr(
    inputs: QpcrInputs, settings: QpcrSettings, out: Path, progress: Progress, device: DeviceName = "auto"
) -> Trained:
    """Trains from the start weights, and writes the encoder `out`; the variants that are not in `TRAINED` are
    written without training.

    A training that was begun for the same `out`, with the same data, weights and settings, is resumed. Raises
    InputError for data or weights that cannot be used, StorageError.
    """
    start = start_folder(inputs.start, settings)
    progress("reading the data", None)
    collection = Collection(inputs.data)
    taught = examples(inputs.train, collection, collection.held_out)
    held = examples(inputs.val, collection)
    if settings.variant == "aclrw":
        taught = [
            example.as_whole(published=settings.as_published) for example in taught if example.query.title
        ]
    if not taught or not held:
        hint = "add papers.jsonl"
        raise InputError(
            "the files have no paragraph that cites a paper of the data", path=inputs.data, hint=hint
        )
    files = (*inputs.train, *inputs.val, *collection.files.values())
    task = {
        "settings": asdict(settings),
        "data": [file_facts(path) for path in files],
        "start": start_sha256(start),
        "tokens": TOKENS,
    }
    with tempfile.TemporaryDirectory(prefix="citewhy-") as scratch:
        tokenizer = Path(scratch) / "tokenizer.json"
        marked_tokenizer(start / "tokenizer.json", tokenizer)
        model = opened_model(start, tokenizer, settings, device)
        network = last_layers(model, settings)
        validation = validated(collection, held, settings)
        history = fit(network, collection, taught, validation, settings, progress, checkpoints(out), task)
        progress("writing the encoder", None)
        facts = {
            "paragraphs": "whole" if settings.variant == "base" else "topic",
            "cut": "tokens" if settings.tokens else "characters",
            **{name: value for name, value in task.items() if name != "tokens"},
            "start name": start.name,
            "examples": {"train": len(taught), "val": len(held)},
            **history,
            "software": {**software(), "torch": str(torch.__version__), "threads": torch.get_num_threads()},
        }
        rng, known = random.Random(settings.seed), sorted(collection.papers)
        compared = rng.sample(known, min(_COMPARED, len(known)))
        texts = [paper_text(collection.papers[paper_id]) for paper_id in compared]
        model.network.requires_grad_(False).cpu()
        exported = sentence_encoder(model, tokenizer, readable(model, settings.tokens), READER)
        agreement = export(exported, out, f"{settings.variant} encoder", facts, texts)
    return Trained(facts | {"agreement": agreement}, tuple(_summary(facts)))


def start_folder(given: Path | None, settings: QpcrSettings) -> Path:
    """Returns the folder of the start model. Raises QueryError where [CLS] is read and no folder is given:
    all-MiniLM-L6-v2 was trained by the mean over its tokens, and the state of its [CLS] means nothing."""
    if given is None and settings.pooling == "cls":
        raise QueryError(
            "all-MiniLM-L6-v2, which training starts from, has no meaning at [CLS]",
            hint="name the folder of a model that has, such as SciNCL, with --start (in experiments with"
            " --encoder), or train with the pooling mean",
        )
    return given or default_start()


def opened_model(
    start: Path, tokenizer: Path, settings: QpcrSettings, device: DeviceName = "cpu"
) -> TextModel:
    """Opens the start model as the settings want it."""
    dropout = DROPOUT if settings.as_published else 0.0
    chosen = choose_device(device)
    return TextModel(start, tokenizer, pooling=settings.pooling, dropout=dropout, device=chosen)


def last_layers(model: TextModel, settings: QpcrSettings) -> LastLayers:
    """Returns what is trained of the model."""
    return LastLayers(
        model,
        settings.layers,
        embedded=settings.as_published,
        scaled=not settings.unscaled,
        tokens=settings.tokens,
    )


def _summary(facts: Mapping[str, Any]) -> Iterator[str]:
    counts = facts["examples"]
    yield f"paragraphs {counts['train']:,} to learn from, {counts['val']:,} held out"
    if "pool" in facts:
        after = ", ".join(f"{score:.3f}" for score in facts["R-precision by epoch"])
        yield f"R-prec     {facts['R-precision before']:.3f} before training; after each epoch: {after}"
        yield f"           among {facts['pool']:,} papers"


def marked_tokenizer(given: Path, target: Path) -> None:
    """Writes a tokenizer in which an unused entry of the vocabulary is the special token `TOPIC_MARK`.

    Raises InputError for a tokenizer that has no unused entry.
    """
    content = json.loads(given.read_text(encoding="utf-8"))
    vocabulary = content.get("model", {}).get("vocab")
    if not isinstance(vocabulary, dict) or _UNUSED not in vocabulary:
        raise InputError(
            f"the vocabulary has no entry {_UNUSED} for {TOPIC_MARK}",
            path=given,
            hint="start from a BERT model with the vocabulary of BERT",
        )
    number = vocabulary.pop(_UNUSED)
    vocabulary[TOPIC_MARK] = number
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    content["added_tokens"].append({"id": number, "content": TOPIC_MARK, **flags})
    content["added_tokens"].sort(key=lambda token: token["id"])
    target.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def validated(collection: Collection, held: Sequence[Example], settings: QpcrSettings) -> Validation:
    """Returns the paragraphs `held`, among the papers that they and their papers cite, and others not
    newer."""
    everything = _drawn_from(collection, held)
    pool = {paper_id for question in held for paper_id in (*question.positives, *question.references)}
    pool &= collection.papers.keys()
    pool |= set(random.Random(settings.seed).sample(everything, min(settings.pool, len(everything))))
    return Validation(held, collection.papers, sorted(pool))


def _drawn_from(collection: Collection, held: Sequence[Example]) -> list[str]:
    """Returns papers with an abstract that are not held out, and not newer than the paragraphs."""
    latest = max((question.query.year or 0 for question in held), default=0) or None
    return [
        paper_id
        for paper_id, paper in sorted(collection.papers.items())
        if paper.abstract and paper_id not in collection.held_out
        if latest is None or (paper.year is not None and paper.year <= latest)
    ]


def fit(
    network: LastLayers,
    collection: Collection,
    taught: Sequence[Example],
    validation: Validation,
    settings: QpcrSettings,
    progress: Progress,
    folder: Path | None = None,
    task: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Trains `network` on the paragraphs `taught`, with early stopping by `validation`. Returns losses and
    validations; for a variant without training, nothing.

    Checkpoints are in `folder` (None: there are none); `task` says what is trained (`train_network`). Without
    checkpoints of another training, the result depends on the weights of `network` and the arguments alone.
    """
    if settings.variant not in TRAINED:
        return {}
    torch.manual_seed(settings.seed)
    everything = _drawn_from(collection, validation.held)
    kind = PublishedLearner if settings.as_published else QpcrLearner
    learner = kind(network, taught, validation, collection.papers, everything, settings)
    steps = settings.epochs * learner.batches
    schedule = linear_in_turn if settings.as_published else linear
    plan = Plan.of_epochs(
        settings.epochs,
        learner.batches,
        settings.seed,
        validate_every=1,
        patience=settings.patience,
        rate=schedule(settings.learning_rate, steps, settings.warm_up),
        clip=None if settings.as_published else settings.clip,
    )
    with torch.no_grad():
        before = learner.validate()
    progress(f"R-precision before training: {before:.4f}", None)
    history = train_network(learner, plan, progress, folder, task)
    return {
        "pool": len(validation.pool),
        "R-precision before": round(before, 4),
        "R-precision by epoch": [round(epoch.score, 4) for epoch in history.validations],
        "losses": [round(loss, 4) for loss in history.means(learner.batches)],
    }


# The training loop ------------------------------------------------------------------------------------------


class Validation:
    """The paragraphs `held`, whose papers are searched in `pool`; it has all of their positives."""

    def __init__(self, held: Sequence[Example], papers: Mapping[str, Paper], pool: Sequence[str]) -> None:
        self.held, self.pool = held, sorted(pool)
        self._texts = [paper_text(papers[paper_id]) for paper_id in self.pool]

    def r_precision(self, network: LastLayers) -> float:
        """Returns the mean R-precision over paragraphs; the paper that a paragraph is from is no
        candidate."""
        papers = network.encode(self._texts, "paper")
        texts = [paragraph_text(question.query, network.cut) for question in self.held]
        queries = network.encode(texts, "query")
        column = {paper_id: number for number, paper_id in enumerate(self.pool)}
        scores = network.scores(queries, papers)
        for row, question in enumerate(self.held):
            if question.query.citing_id in column:
                scores[row, column[question.query.citing_id]] = -torch.inf
        return r_precision(
            scores, [{column[paper] for paper in question.positives} for question in self.held]
        )


def r_precision(scores: Tensor, relevant: Sequence[set[int]]) -> float:
    """Returns the share of relevant papers among the first R, where R is their number; the mean over the
    queries.

    Shapes: scores [queries, papers]; `relevant` has the columns of each query's papers, at least one. Ties
    are broken by column.
    """
    precisions = []
    for row, columns in zip(scores, relevant, strict=True):
        first = torch.sort(row, descending=True, stable=True).indices[: len(columns)].tolist()
        precisions.append(len(columns.intersection(first)) / len(columns))
    return sum(precisions) / max(len(precisions), 1)


class _Batch(NamedTuple):
    """Quadruplets, as rows of `queries` and of `papers`."""

    queries: list[str]
    papers: list[str]
    query: list[int]
    first: list[int]
    second: list[int]
    negative: list[int]


class QpcrLearner(Learner):
    """Trained on `taught`; validated by R-precision.

    `taught` has quadruplets for each paragraph, drawn once with the seed of the settings.
    """

    unit = "paragraphs"

    def __init__(
        self,
        network: LastLayers,
        taught: Sequence[Example],
        validation: Validation,
        papers: Mapping[str, Paper],
        everything: Sequence[str],
        settings: QpcrSettings,
    ) -> None:
        optimizer = torch.optim.AdamW(
            [parameter for parameter in network.parameters() if parameter.requires_grad],
            settings.learning_rate,
            betas=(settings.first_moment, 0.999),
            weight_decay=settings.weight_decay,
        )
        super().__init__(network, [optimizer])
        self._last = network
        self._settings = settings
        self._texts = {paper_id: paper_text(paper) for paper_id, paper in papers.items()}
        self._taught, self._validation, self._everything = taught, validation, everything
        self._prepare(papers)

    def _prepare(self, papers: Mapping[str, Paper]) -> None:
        """Draws the quadruplets, and counts the batches of an epoch."""
        taught, everything, settings = self._taught, self._everything, self._settings
        near = self._nearest(everything, papers) if settings.nearest else [()] * len(taught)
        self._drawn = [
            quadruplets(
                question,
                everything,
                random.Random(f"{settings.seed} {question.query.id}"),
                nearest,
                settings.nearest,
            )
            for question, nearest in zip(taught, near, strict=True)
        ]
        self.batches = -(-len(taught) // settings.paragraphs)
        """Batches of an epoch."""
        self.units_a_step = min(settings.paragraphs, len(taught))

    def loss(self, batch: int) -> Tensor:
        """Each text is encoded once, however many quadruplets it is in."""
        rows = self._batch(batch)
        queries = self._last(rows.queries, "query")[rows.query]
        papers = self._last(rows.papers, "paper")
        first, second, negatives = papers[rows.first], papers[rows.second], papers[rows.negative]
        if self._settings.variant == "qpcr":
            return quadruplet(queries, first, second, negatives, self._settings.margin)
        return triplet_margin(queries, first, negatives, self._settings.margin)

    def validate(self) -> float:
        """Returns the R-precision on the validation paragraphs."""
        return self._validation.r_precision(self._last)

    def _nearest(self, everything: Sequence[str], papers: Mapping[str, Paper]) -> list[tuple[str, ...]]:
        """Finds for each paragraph the `NEAREST` of `everything` that the network ranks first, but those that
        its paper cites, and newer ones."""
        vectors = self._last.encode([self._texts[paper_id] for paper_id in everything], "paper")
        nearest = []
        for example, query in zip(
            self._taught,
            self._last.encode([self._form(question.query) for question in self._taught], "query"),
            strict=True,
        ):
            latest = example.query.year or math.inf
            scores = self._last.scores(query[None], vectors)[0]
            order = torch.sort(scores, descending=True, stable=True).indices.tolist()
            usable = (
                everything[row]
                for row in order
                if everything[row] not in example.references and everything[row] not in example.positives
                if (papers[everything[row]].year or 0) <= latest
            )
            nearest.append(tuple(islice(usable, NEAREST)))
        return nearest

    def _form(self, query: Query) -> str:
        """Returns the text of a query as it is read in training."""
        form = whole_text if self._settings.variant == "aclrw" else paragraph_text
        return form(query, self._last.cut)

    def _batch(self, batch: int) -> _Batch:
        epoch, number = divmod(batch, self.batches)
        order = list(range(len(self._taught)))
        random.Random(f"epoch {self._settings.seed} {epoch}").shuffle(order)
        size = self._settings.paragraphs
        rows, at = _Batch([], [], [], [], [], []), _Rows(self._texts)
        for chosen in order[number * size : (number + 1) * size]:
            rows.queries.append(self._form(self._taught[chosen].query))
            for drawn in self._drawn[chosen]:
                rows.query.append(len(rows.queries) - 1)
                at.add(rows, drawn)
        return rows


class PublishedLearner(QpcrLearner):
    """Trained as the published code of the authors does it: see `published`. The instances of a citing paper
    follow each other, and citing papers are in an order of their own in each epoch.

    A text is encoded once a step, so that its occurrences there share their dropout; in the code each
    has its own.
    """

    unit = "instances"

    def _prepare(self, papers: Mapping[str, Paper]) -> None:
        self._instances = functools.lru_cache(maxsize=2)(self._epoch)
        self.units_a_step = INSTANCES
        count = len(self._instances(0))
        if not count:
            raise InputError(
                "no paragraph cites two papers of the data, which quadruplets are made of",
                hint="add paragraphs, or train without --as-published",
            )
        self.batches = -(-count // INSTANCES)

    def _epoch(self, epoch: int) -> list[tuple[int, Quadruplet]]:
        """Returns the instances of an epoch, each with the number of its paragraph."""
        rng = random.Random(f"instances {self._settings.seed} {epoch}")
        by_paper: dict[str, list[tuple[int, Quadruplet]]] = defaultdict(list)
        variant = self._settings.variant
        for number, example in enumerate(self._taught):
            paper = example.query.citing_id or example.query.id
            if variant == "aclrw" and paper in by_paper:
                continue  # all of its paragraphs have become the same whole paper
            drawn = published(example, self._everything, rng, variant)
            by_paper[paper] += [(number, each) for each in drawn]
        order = sorted(by_paper)
        rng.shuffle(order)
        return [instance for paper in order for instance in by_paper[paper]]

    def _batch(self, batch: int) -> _Batch:
        epoch, number = divmod(batch, self.batches)
        rows, at = _Batch([], [], [], [], [], []), _Rows(self._texts)
        queries: dict[int, int] = {}
        for chosen, drawn in self._instances(epoch)[number * INSTANCES : (number + 1) * INSTANCES]:
            if chosen not in queries:
                queries[chosen] = len(queries)
                rows.queries.append(self._form(self._taught[chosen].query))
            rows.query.append(queries[chosen])
            at.add(rows, drawn)
        return rows


class _Rows:
    """Numbers the papers of a batch, whose `texts` are by id."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._at: dict[str, int] = {}

    def add(self, rows: _Batch, drawn: Quadruplet) -> None:
        """Adds the papers of a quadruplet to a batch."""
        rows.first.append(self._row(rows, drawn.first))
        rows.second.append(self._row(rows, drawn.second))
        rows.negative.append(self._row(rows, drawn.negative))

    def _row(self, rows: _Batch, paper: str) -> int:
        if paper not in self._at:
            self._at[paper] = len(rows.papers)
            rows.papers.append(self._texts[paper])
        return self._at[paper]


# Paragraphs as training examples -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Example:
    """A paragraph. Ids are canonical, of known papers, sorted; no paper is in two of `positives` and
    `pools`."""

    query: Query
    positives: tuple[str, ...]
    """At least one."""
    pools: tuple[tuple[str, ...], ...]
    """Negatives: cited by other paragraphs on related work; cited elsewhere in the paper; cited by papers
    that the related-work section cites, but not by the paper."""
    references: frozenset[str]
    """Everything that the paper is known to cite, the topic sentence included, and the paper itself."""

    def as_whole(self, *, published: bool = False) -> Example:
        """Returns the paper with all that its related-work section cites as positives, and only papers that
        it does not cite as negatives; `published`: also those that it cites elsewhere, as in the code of the
        authors."""
        related, others, beyond = self.pools
        pools = (others, (), beyond) if published else ((), (), beyond)
        return replace(self, positives=tuple(sorted({*self.positives, *related})), pools=pools)


@dataclass(frozen=True, slots=True)
class Quadruplet:
    """Ids of two positives (the same twice, if a paragraph has one only) and a negative."""

    first: str
    second: str
    negative: str


def examples(paths: Iterable[Path], collection: Collection, barred: Ids[str] = ()) -> list[Example]:
    """Returns the paragraphs of the files, those without a known positive left out.

    Papers in `barred` are neither positives nor negatives. The references of a paper are those of its
    paragraphs and of the collection; a reference that is newer than the paper that is asked for is none.
    Raises InputError for a file of another kind, and for an invalid line.
    """
    lines = [line for path in paths for line in objects(path, "qpcr", "topic_sentence")]
    by_paper: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        by_paper[line.text("paper")].update(map(collection.canonical, line.texts("cited_ids")))
    read = (_example(line, by_paper, collection, frozenset(barred)) for line in lines)
    return [question for question in read if question.positives]


def quadruplets(
    example: Example,
    everything: Sequence[str],
    rng: random.Random,
    nearest: Sequence[str] = (),
    from_nearest: int = 0,
) -> list[Quadruplet]:
    """`sum(POOLS)` quadruplets with distinct negatives, as many from each pool as `POOLS` says. What a pool
    lacks is drawn from the other pools, then from `everything` but what the paper cites. Then
    `from_nearest` of the negatives, or as many as there are, are replaced by some of `nearest`."""
    drawn: list[str] = []
    for pool, count in zip(example.pools, POOLS, strict=True):
        drawn += rng.sample(pool, min(count, len(pool)))
    left = [paper for pool in example.pools for paper in pool if paper not in drawn]
    missing = sum(POOLS) - len(drawn)
    drawn += rng.sample(left, min(missing, len(left)))
    tabu = {*example.positives, *example.references, *drawn}
    if (missing := sum(POOLS) - len(drawn)) > 0:
        others = [paper for paper in everything if paper not in tabu]
        drawn += rng.sample(others, min(missing, len(others)))
    if from_nearest:
        near = rng.sample(nearest, min(from_nearest, len(nearest)))
        others = [paper for paper in drawn if paper not in near]
        drawn = rng.sample(others, min(sum(POOLS) - len(near), len(others))) + near
    return [Quadruplet(*_positives(example.positives, rng), negative) for negative in drawn]


def published(
    example: Example, everything: Sequence[str], rng: random.Random, variant: Variant
) -> list[Quadruplet]:
    """The instances of a paragraph in the published code of the authors (`PCRDatasetDynamic`): for each cited
    paper ten, with four negatives of the related work, three of the rest of the paper, three of what the
    cited papers cite. Quadruplets (``qpcr``) have another cited paper, drawn for each negative; a paragraph
    that cites one paper has none. Of a whole paper (``aclrw``) four negatives are of its rest, three of what
    the cited papers cite; there all cited papers share their negatives.

    As there, all of a pool that has no more than its number, else so many draws from it that may repeat; what
    is missing is drawn from `everything` but the citing paper, be it cited or not; for ``aclrw``, not cited.
    """
    pairs, whole = variant == "qpcr", variant == "aclrw"
    usable = [
        paper
        for paper in everything
        if paper != example.query.citing_id and not (whole and paper in example.positives)
    ]

    def negatives() -> list[str]:
        drawn: list[str] = []
        for pool, count in zip(example.pools, PUBLISHED_POOLS, strict=True):
            drawn += pool if len(pool) <= count else [rng.choice(pool) for _ in range(count)]
        missing = sum(PUBLISHED_POOLS) - len(drawn)
        return drawn + [rng.choice(usable) for _ in range(missing if usable else 0)]

    shared = negatives() if whole else []
    made = []
    for cited in example.positives if not pairs or len(example.positives) > 1 else ():
        others = [paper for paper in example.positives if paper != cited] if pairs else [cited]
        made += [Quadruplet(cited, rng.choice(others), negative) for negative in shared or negatives()]
    return made


def _positives(positives: Sequence[str], rng: random.Random) -> tuple[str, str]:
    if len(positives) == 1:
        return positives[0], positives[0]
    first, second = rng.sample(positives, 2)
    return first, second


def _example(
    line: Line, by_paper: Mapping[str, set[str]], collection: Collection, barred: frozenset[str]
) -> Example:
    paper = line.text("paper")
    known = collection.papers.get(collection.canonical(paper))
    year = line.year("year") or (known.year if known else None)

    def usable(ids: Iterable[str], *before: Ids[str]) -> tuple[str, ...]:
        canonical = (
            {collection.canonical(paper_id) for paper_id in ids} - barred - {collection.canonical(paper)}
        )
        return tuple(
            sorted(
                paper_id
                for paper_id in canonical.difference(*before)
                if paper_id in collection.papers and not _is_newer(collection.papers[paper_id].year, year)
            )
        )

    positives = usable(line.texts("cited_ids"))
    # Without a list, the other paragraphs of the paper in the file are on related work.
    unlisted = line.fields.get("related_ids") is None
    topic = usable(_listed(line, "topic_ids"), positives)
    related = usable(by_paper[paper] if unlisted else _listed(line, "related_ids"), positives, topic)
    cited = (
        *_listed(line, "other_ids"),
        *by_paper[paper],
        *collection.references.get(collection.canonical(paper), ()),
    )
    others = usable(cited, positives, topic, related)
    beyond = {
        reference for cited in (*positives, *related) for reference in collection.references.get(cited, ())
    }
    title, abstract = (
        line.text(name) if line.fields.get(name) else (getattr(known, name) if known else "")
        for name in ("title", "abstract")
    )
    own = collection.canonical(paper)
    query = Query(
        "paragraph",
        line.text("topic_sentence"),
        title,
        abstract,
        year=year,
        id=line.text("query_id"),
        citing_id=own,
    )
    pools = (related, others, usable(beyond, positives, topic, related, others))
    references = frozenset((*positives, *topic, *related, *others, own))
    return Example(query, positives, pools, references)


def _listed(line: Line, name: str) -> tuple[str, ...]:
    return line.texts(name) if line.fields.get(name) else ()


def _is_newer(year: int | None, than: int | None) -> bool:
    return year is not None and than is not None and year > than
