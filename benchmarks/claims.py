"""Whether the agreement of a citing sentence with a paper tells the cited paper from another one.

    python benchmarks/claims.py --data DIR

For the validation contexts that cite one paper of which there is a full text, and for the hand-linked citing
sentences: the average precision of true pairs among as many pairs with another paper, drawn by chance, and
with the paper that shares most words of the sentence of 120 drawn ones. `--fit` prints the limits of
`answers/audit/claims.py` on the training contexts.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from citewhy.answers.audit import claims
from citewhy.answers.questions import clean
from citewhy.base.records import FullText, Paper, Sentence
from citewhy.search.encode import default_encoder
from citewhy.text.markers import OTHER, TARGET
from citewhy.text.tokens import stems

_DRAWN = 120
_RESAMPLED = 2000


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


class Shared:
    """The papers and full texts of the shared data, as `claims.Texts`."""

    def __init__(self, data: Path, without_texts: bool) -> None:
        self.papers = {
            row["id"]: Paper(row["id"], row["title"], row.get("abstract") or "")
            for row in rows(data / "papers.jsonl.gz")
        }
        self._having = Counter(
            word for paper in self.papers.values() for word in set(stems(f"{paper.title} {paper.abstract}"))
        )
        self.texts = {
            row["id"]: text_of(row["id"], row["sentences"]) for row in rows(data / "fulltext.jsonl.gz")
        }
        self.texts = {paper_id: text for paper_id, text in self.texts.items() if paper_id in self.papers}
        for row in rows(data / "linkage.dev.clusters.jsonl.gz"):
            if row["cluster"] in self.papers:
                self.texts.setdefault(row["cluster"], text_of(row["cluster"], row["reference_sentences"]))
        self._without_texts = without_texts

    def full_text(self, paper_id: str) -> FullText | None:
        return None if self._without_texts else self.texts.get(paper_id)

    def idf(self, terms: Iterable[str]) -> Mapping[str, float]:
        return {term: math.log((len(self.papers) + 1) / (self._having[term] + 1)) for term in terms}


def text_of(paper_id: str, sentences: Sequence[dict[str, Any]]) -> FullText:
    return FullText(
        paper_id, tuple(Sentence(row["sid"], row.get("section", ""), row["text"]) for row in sentences)
    )


def contexts(data: Path, part: str, shared: Shared, count: int, seed: int) -> list[tuple[str, str]]:
    """Sentences, each with the one paper that it cites."""
    found = [
        (clean(row["text"]).replace(TARGET, " ").replace(OTHER, " "), row["cited_ids"][0])
        for row in rows(data / f"contexts.{part}.jsonl.gz")
        if len(row["cited_ids"]) == 1 and row["cited_ids"][0] in shared.texts
    ]
    random.Random(seed).shuffle(found)
    return found[:count]


def linked(data: Path, shared: Shared) -> list[tuple[str, str]]:
    """The citing sentences that were linked by hand, of papers whose full texts are there."""
    return [
        (clean(row["citance_text"]), row["cluster"])
        for row in rows(data / "linkage.dev.citances.jsonl.gz")
        if row["cluster"] in shared.texts
    ]


def pairs_of(
    true: Sequence[tuple[str, str]], shared: Shared, seed: int
) -> dict[str, list[tuple[str, Paper]]]:
    """The true pairs, those with any other paper, and those with the likeliest of some others."""
    chance, ids = random.Random(seed), sorted(shared.texts)
    words = {
        paper_id: set(stems(f"{shared.papers[paper_id].title} {shared.papers[paper_id].abstract}"))
        for paper_id in ids
    }
    pairs: dict[str, list[tuple[str, Paper]]] = {"true": [], "drawn": [], "likely": []}
    for text, cited in true:
        weights = shared.idf(dict.fromkeys(stems(text)))
        others = [each for each in chance.sample(ids, _DRAWN) if each != cited]
        likely = max(others, key=lambda other: sum(weights[word] for word in weights if word in words[other]))
        for name, paper_id in (("true", cited), ("drawn", others[0]), ("likely", likely)):
            pairs[name].append((text, shared.papers[paper_id]))
    return pairs


def average_precision(true: np.ndarray, false: np.ndarray) -> float:
    labels = np.concatenate([np.ones(len(true)), np.zeros(len(false))])
    order = np.argsort(-np.concatenate([true, false]), kind="stable")
    hits = labels[order]
    return float((np.cumsum(hits) / np.arange(1, len(hits) + 1))[hits == 1].mean())


def interval(true: np.ndarray, false: np.ndarray, seed: int) -> str:
    """The average precision, with the interval of 95 % when sentences are drawn anew."""
    chance = np.random.default_rng(seed)
    drawn = [chance.integers(0, len(true), len(true)) for _ in range(_RESAMPLED)]
    low, high = np.quantile([average_precision(true[some], false[some]) for some in drawn], [0.025, 0.975])
    return f"{average_precision(true, false):.3f} ({low:.3f} to {high:.3f})"


def words_alone(pairs: Sequence[tuple[str, Paper]], texts: Shared) -> np.ndarray:
    """The share of words in the best passage, which is one of the three parts."""
    scores = []
    for text, paper in pairs:
        best = list(claims.ReadPaper(paper, texts).passages(texts.idf(dict.fromkeys(stems(text)))))
        scores.append(best[0][0] if best else 0.0)
    return np.array(scores)


def meaning_alone(pairs: Sequence[tuple[str, Paper]], texts: Shared) -> np.ndarray:
    """The cosine of the sentence with title and abstract."""
    encoder = default_encoder()
    asked = encoder.encode([text for text, _ in pairs], "query")
    return np.asarray(
        (asked * encoder.encode([f"{p.title}. {p.abstract}" for _, p in pairs], "paper")).sum(1)
    )


def agreement(pairs: Sequence[tuple[str, Paper]], texts: Shared) -> np.ndarray:
    return np.array([score for score, _, _ in claims.agreements(pairs, texts, default_encoder())])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the shared data")
    parser.add_argument("--count", type=int, default=400, help="contexts (default 400)")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--fit", action="store_true", help="print the limits, on the training contexts")
    given = parser.parse_args()
    for without_texts in (False, True):
        shared = Shared(given.data, without_texts)
        what = "abstracts" if without_texts else "full texts"
        if given.fit:
            pairs = pairs_of(
                contexts(given.data, "train", shared, given.count, given.seed), shared, given.seed
            )
            true, drawn = agreement(pairs["true"], shared), agreement(pairs["drawn"], shared)
            print(
                f"{what}: found from {np.quantile(drawn, 0.95):.3f}, weak from {np.quantile(true, 0.05):.3f}"
            )
            continue
        validation = contexts(given.data, "val", shared, given.count, given.seed)
        for name, sentences in (
            ("validation contexts", validation),
            ("linked by hand", linked(given.data, shared)),
        ):
            pairs = pairs_of(sentences, shared, given.seed)
            for other in ("drawn", "likely"):
                print(f"{what}, {name} ({len(sentences)}), other paper {other}:")
                for how in (words_alone, meaning_alone, agreement):
                    precision = interval(how(pairs["true"], shared), how(pairs[other], shared), given.seed)
                    print(f"  {how.__name__:13} AP {precision}")
            scores = {kind: agreement(pairs[kind], shared) for kind in pairs}
            for kind, found in scores.items():
                upper, lower = claims.LIMITS["abstract" if without_texts else "full text"]
                reached = (found >= upper).mean(), (found < lower).mean()
                print(f"  {kind:7} found {reached[0]:.2f}, absent {reached[1]:.2f}")


if __name__ == "__main__":
    main()
