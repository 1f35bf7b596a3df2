"""Common parts of the experiments on paper embeddings: questions from a folder of data, trials, scores.

Questions are about the papers of one year, which nothing is trained on:

cite      up to five papers that a paper cites, among 25 others
near      the same, among 25 others that are near it: cited by, or together with, what it cites; where these
          are too few, any
aspects   the papers that a paper cites for one intent, among those that it cites for other intents only; the
          intents are those that a classifier predicts for its citing sentences

All others are papers that are cited by somebody: otherwise knowing what is often cited would be enough.
"""

from __future__ import annotations

import gc
import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from citewhy.base.artifact import replace_file
from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.base.records import Context
from citewhy.ranking.classify import Classifier
from citewhy.search.encode.texts import paper_text
from citewhy_lab.evaluate.datasets.reading import find, records
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.requirements import start_sha256
from citewhy_lab.train.systems.aspects.data import Corpus, intents_of, read_corpus
from citewhy_lab.train.systems.aspects.graph import ASPECTS
from citewhy_lab.train.systems.aspects.settings import CONCAT, ENCODER, Settings, recipe

__all__ = ["Lab", "Question", "Scored", "Trial", "average_precision", "questions"]

OTHERS, CITED = 25, 5

Scored = Mapping[str, Sequence[float]]
"""Name of a measure → its value for each question."""


@dataclass(frozen=True, slots=True)
class Question:
    query: str
    relevant: tuple[str, ...]
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """A recipe with changed settings, or no training at all."""

    recipe: str
    changes: tuple[tuple[str, Any], ...] = ()

    def settings(self, common: Mapping[str, Any], seed: int) -> Settings:
        return recipe(self.recipe, **{**dict(common), **dict(self.changes), "seed": seed})


def questions(
    collection: Collection, year: int, classifier: Classifier | None, most: int, seed: int
) -> dict[str, list[Question]]:
    """Questions about the papers of `year`, by ``cite``, ``near`` and aspect; at most `most` of the first
    two, and twice as many of an aspect."""
    rng = np.random.default_rng(seed)
    papers, canonical = collection.papers, collection.canonical
    years = {each: paper.year for each, paper in papers.items() if paper.year is not None}
    old = {each for each, found in years.items() if found <= year}
    references: dict[str, set[str]] = defaultdict(set)
    for each in collection.citations:
        references[canonical(each.citing_id)].add(canonical(each.cited_id))
    asked = [
        each
        for each in sorted(references)
        if each in papers and papers[each].year == year and (references[each] & old) - {each}
    ]
    earlier = {each: cited & old for each, cited in references.items() if years.get(each, year) < year}
    pool = sorted(set().union(*earlier.values()))
    if not asked or len(pool) <= OTHERS:
        raise InputError(f"there are too few citations by papers of {year}, and before, to ask questions")
    chosen = [asked[place] for place in rng.permutation(len(asked))[:most]]
    small = [pool[place] for place in rng.permutation(len(pool))[: 4 * most]]
    found: dict[str, list[Question]] = {"cite": [], "near": []}
    for query in chosen:
        cited = sorted((references[query] & old) - {query})
        cited = [cited[place] for place in rng.permutation(len(cited))[:CITED]]
        never = references[query] | {query}
        far = [each for each in small if each not in never]
        picked = rng.permutation(len(far))[:OTHERS]
        found["cite"].append(Question(query, tuple(cited), tuple(far[place] for place in picked)))
        near = _near(references[query], earlier, never)[:OTHERS]
        fill = [far[place] for place in picked if far[place] not in near][: OTHERS - len(near)]
        found["near"].append(Question(query, tuple(cited), (*near, *fill)))
    return found | _of_aspects(collection, year, classifier, most)


def _near(cited: set[str], earlier: Mapping[str, set[str]], never: set[str]) -> list[str]:
    """Papers by how often they are cited with what is cited here, or by it."""
    counts: Counter[str] = Counter()
    for citing, references in earlier.items():
        if shared := len(references & cited) + (citing in cited):
            counts.update(dict.fromkeys(references - never, shared))
    return [each for each, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))]


def _of_aspects(
    collection: Collection, year: int, classifier: Classifier | None, most: int
) -> dict[str, list[Question]]:
    files = [find(path.parent, "contexts.val.jsonl") for path in collection.files.values()]
    later = [each for path in dict.fromkeys(files) if path for each in records(path, Context, Counter())]
    contexts = [
        each
        for each in (*collection.contexts, *collection.validation, *later)
        if collection.year(each) == year
    ]
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for context, intent in zip(contexts, intents_of(contexts, classifier), strict=True):
        for cited in map(collection.canonical, context.cited_ids):
            if intent in ASPECTS and cited in collection.papers:
                found[collection.canonical(context.citing_id)][cited].add(intent)
    made: dict[str, list[Question]] = {aspect: [] for aspect in ASPECTS}
    for query, cited_for in sorted(found.items()):
        for aspect in ASPECTS:
            relevant = tuple(sorted(each for each, intents in cited_for.items() if aspect in intents))
            others = tuple(sorted(each for each, intents in cited_for.items() if aspect not in intents))
            if relevant and others and query in collection.papers and len(made[aspect]) < 2 * most:
                made[aspect].append(Question(query, relevant, others))
    return made


def average_precision(scores: Sequence[float], relevant: int) -> float:
    """Of a ranking by `scores`, the first `relevant` of which are those of the relevant papers. Among equal
    scores, relevant papers come last."""
    own, others = np.sort(scores[:relevant])[::-1], np.asarray(scores[relevant:])
    above = (others[None, :] >= own[:, None]).sum(axis=1)
    hits = np.arange(1, relevant + 1)
    return float((hits / (hits + above)).mean())


class Lab:
    """Data, questions, and the scores of trials, which are kept in `kept` if it is given."""

    def __init__(
        self,
        data: Path,
        classifier: Classifier | None,
        start: Path,
        common: Mapping[str, Any],
        most: int,
        seed: int,
        progress: Progress,
        kept: Path | None = None,
    ) -> None:
        self.collection = Collection(data)
        self.common, self.seed, self._tell, self._start, self._kept = common, seed, progress, start, kept
        until = int(common["until"])
        progress("classifying citing sentences", None)
        self.corpus: Corpus = read_corpus(self.collection, until, classifier)
        self.asked = questions(self.collection, until + 1, classifier, most, seed)
        ids = {
            each for some in self.asked.values() for q in some for each in (q.query, *q.relevant, *q.others)
        }
        self._ids = sorted(ids)
        graph = self.corpus.graph.references
        self._about = hashlib.blake2b(
            b"".join(
                (
                    repr(sorted(self.asked.items())).encode(),
                    graph.neighbours.tobytes(),
                    graph.intents.tobytes(),
                    start_sha256(start).encode(),
                )
            ),
            digest_size=12,
        ).hexdigest()
        """Of what the scores of all trials depend on: questions, citations and their intents, the start."""
        self._seen: dict[str, Scored] = {}

    def scored(self, trial: Trial | None, seed: int) -> Scored:
        """Average precision for each question, by ``KIND/EMBEDDING``. None: the model that training starts
        from."""
        settings = recipe("specter-cl", **self.common) if trial is None else trial.settings(self.common, seed)
        key = self._key(trial, settings)
        if key not in self._seen:
            file = None if self._kept is None else self._kept / f"{key}.json"
            if file is not None and file.is_file():
                self._seen[key] = orjson.loads(file.read_bytes())
            else:
                self._seen[key] = self._measure(trial, settings)
                if file is not None:
                    file.parent.mkdir(parents=True, exist_ok=True)
                    replace_file(file, orjson.dumps(self._seen[key]))
        return self._seen[key]

    def _measure(self, trial: Trial | None, settings: Settings) -> Scored:
        from citewhy_lab.train.systems.aspects.model import AspectModel  # needs the extra `lab`
        from citewhy_lab.train.systems.aspects.recipe import fit

        model = AspectModel(self._start, settings)
        if trial is not None:
            fit(model, self.corpus, settings, self._tell)
        texts = [paper_text(self.collection.papers[each]) for each in self._ids]
        encoded = model.encode(texts, lambda share: self._tell("encoding papers", share))
        place = {each: row for row, each in enumerate(self._ids)}
        names = (ENCODER, *settings.aspects, *([CONCAT] if settings.aspects else []))
        found: dict[str, list[float]] = {}
        for name in names:
            vectors = model.embeddings(encoded, name)

            def scores(question: Question, vectors: Any = vectors) -> Any:
                others = [place[each] for each in (*question.relevant, *question.others)]
                return vectors[others] @ vectors[place[question.query]]

            for kind, some in self.asked.items():
                values = [average_precision(scores(each), len(each.relevant)) for each in some]
                found[f"{kind}/{name}"] = values
        del model
        gc.collect()
        return found

    def _key(self, trial: Trial | None, settings: Settings) -> str:
        if trial is None:
            settings = replace(settings, seed=0, steps=0)
        told = orjson.dumps([trial and trial.recipe, asdict(settings), self._about], default=list)
        return (
            f"{'start' if trial is None else trial.recipe}-{hashlib.blake2b(told, digest_size=6).hexdigest()}"
        )
