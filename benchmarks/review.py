"""How well a review finds the sentences that need a citation, and the papers for them.

    python benchmarks/review.py papers                     the held-out papers of fulltext.citing
    python benchmarks/review.py fields --documents DIR     the held-out drafts of other fields
    python benchmarks/review.py chain --library DIR        detected, and the right paper in the first ten
    python benchmarks/review.py remarks --documents DIR    which of the surest remarks should cite

*papers*: all measures, and the precision of what a review would remark on: without a limit, and with its
budget for each paper, of all remarks and of the surest fifth of them; intervals by bootstrap over papers.
--model: another classifier than the built-in one. --alone: as if nothing were known of the document around.

*fields*: of each draft by an author who measures (`train.drafts.use_of`), the base rate, average precision
and their quotient, with 95 % intervals by bootstrap over sentences; drafts with fewer than ten citing
sentences are left out. Then the same as of papers, over the sentences of all drafts.

*chain*: citing sentences of the held-out papers of fulltext.citing whose citation is resolved to papers of
the library (`resolve.in_text`, names and year alone: nearly all that such papers cite are of the field). A
sentence counts as *detected* if its probability is at least `DETECTED`, as *answered* if a right paper
is among the first ten of the default pipeline, asked as of the year of the citing paper. Intervals are by
bootstrap over papers.

*remarks*: the surest remarks, at most fifteen a draft, of drafts by authors who measure, beside what a reader
has judged in ``review.judged.jsonl``: whether the sentence should ``cite``, needs ``none`` and why, or is
``doubtful``. What a review leaves out was chosen on the drafts whose part is ``learned``; those of the part
``judged`` measure it. A sentence is found by a hash of its text; one that nobody has judged is counted apart.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from citewhy.answers.resolve.in_text import InTextResolver
from citewhy.answers.review import AT_LEAST, budget_for, uncited_claims
from citewhy.base.assets import needs_folder
from citewhy.drafts import read
from citewhy.ranking.classify import open_classifier
from citewhy.session.session import Session
from citewhy.text.markers import find
from citewhy_lab.evaluate.bootstrap import interval
from citewhy_lab.evaluate.datasets.held_out import held_out
from citewhy_lab.evaluate.datasets.needs import JudgedSentence, of_draft, of_full_texts
from citewhy_lab.evaluate.needs import Scores, chances, intervals, measures
from citewhy_lab.train.drafts import read_manifest, use_of
from common import parser as shared_parser

FEWEST = 10
RESAMPLES = 1000
SUREST = 15
DETECTED = 0.25


def papers(data: Path, model: Path, alone: bool, seed: int) -> None:
    judged = [each for each in of_full_texts(data / "fulltext.citing.jsonl.gz") if held_out(each.group)]
    told(chances(open_classifier(model), bare(judged) if alone else judged), seed)


def fields(data: Path, documents: Path, model: Path, alone: bool, seed: int) -> None:
    classifier = open_classifier(model)
    every: list[Scores] = []
    rows = map(orjson.loads, (data / "external" / "documents.manifest.jsonl").read_bytes().splitlines())
    field = {row["name"]: row["field"] for row in rows}
    print("| field | sentences | base rate | AP | AP / base rate |\n| --- | ---: | ---: | ---: | ---: |")
    for draft in read_manifest(data / "external" / "documents.manifest.jsonl", documents):
        if use_of(draft.author) != "measuring":
            continue
        judged = list(of_draft(read(draft.root), draft.author))
        if sum(each.cites for each in judged) < FEWEST:
            continue
        scores = chances(classifier, bare(judged) if alone else judged)
        found, around = measures(scores), intervals(scores, seed, 200)
        low, high = around["AP-ratio"]
        print(
            f"| {field[draft.name]} | {len(judged)} | {found['base-rate']:.3f} | {found['AP']:.3f} "
            f"| {found['AP-ratio']:.2f} ({low:.2f} to {high:.2f}) |",
            flush=True,
        )
        every.append(replace(scores, groups=[draft.name] * len(judged)))
    print("\nAll drafts:")
    together = Scores(
        np.concatenate([each.chances for each in every]),
        np.concatenate([each.cites for each in every]),
        [name for each in every for name in each.groups],
    )
    told(together, seed)


def bare(judged: Sequence[JudgedSentence]) -> list[JudgedSentence]:
    """Returns the sentences as in a draft that has no citations yet."""
    nothing: dict[str, Any] = {"previous": "", "next": "", "surroundings": None}
    return [replace(each, sentence=replace(each.sentence, **nothing)) for each in judged]


def told(scores: Scores, seed: int) -> None:
    """Prints all measures, and the precision of what a review would remark on."""
    around = intervals(scores, seed, 200)
    for name, value in measures(scores).items():
        print(f"{name:24} {value:.3f} ({around[name][0]:.3f} to {around[name][1]:.3f})")
    names = sorted(set(scores.groups))
    of_each = np.array([names.index(each) for each in scores.groups])
    remarks = surest_first(scores, np.flatnonzero(scores.chances >= AT_LEAST))
    shown = [
        place
        for group in range(len(names))
        for place in [each for each in remarks if of_each[each] == group][
            : budget_for(int((of_each == group).sum()))
        ]
    ]
    for name, places in {"remarks": remarks, "remarks of the budgets": surest_first(scores, shown)}.items():
        for part, some in {name: places, "  surest fifth of them": places[: len(places) // 5]}.items():
            low, high = _interval(scores.cites[some], of_each[some], len(names), seed)
            share = scores.cites[some].mean()
            print(f"{part:24} {len(some)}, {share:.3f} of them cite ({low:.3f} to {high:.3f})")


def surest_first(scores: Scores, places: Sequence[int] | NDArray[np.int64]) -> list[int]:
    return sorted((int(place) for place in places), key=lambda place: (-scores.chances[place], place))


def chain(data: Path, library: Path, questions: int, seed: int) -> None:
    with Session(library) as session:
        resolver = InTextResolver.of(session.library)
        asked = [
            (each, gold)
            for each in of_full_texts(data / "fulltext.citing.jsonl.gz")
            if each.cites and held_out(each.group) and (gold := _gold(session, resolver, each))
        ]
        asked = random.Random(seed).sample(asked, min(questions, len(asked)))
        table = chances(open_classifier(needs_folder()), [each for each, _ in asked]).chances
        detected = table >= DETECTED
        answered = np.array([_answered(session, each, gold) for each, gold in asked])
    papers = sorted({each.group for each, _ in asked})
    of_paper = np.array([papers.index(each.group) for each, _ in asked])
    print(f"{len(asked)} citing sentences of {len(papers)} papers")
    for name, hits in {
        "detected": detected,
        "answered": answered,
        "detected and answered": detected & answered,
    }.items():
        low, high = _interval(hits, of_paper, len(papers), seed)
        print(f"{name:24} {hits.mean():.3f} ({low:.3f} to {high:.3f})")
    print(f"{'answered, if detected':24} {answered[detected].mean():.3f}")


def _gold(session: Session, resolver: InTextResolver, each: JudgedSentence) -> frozenset[str]:
    paper = session.library.papers([each.group]).get(each.group)
    year = None if paper is None else paper.year
    groups = [group for marker in find(each.original) for group in marker.groups]
    found = (resolver.cited(group, "", year, agreement=0.0) for group in groups)
    return frozenset(paper_id for paper_id in found if paper_id)


def _answered(session: Session, each: JudgedSentence, gold: frozenset[str]) -> bool:
    paper = session.library.paper(each.group)
    text = f"{each.sentence.text.rstrip(' .')} TARGETCIT."
    found = session.suggest(
        text,
        10,
        threshold=0.0,
        title=paper.title,
        abstract=paper.abstract,
        section=each.sentence.section,
        year=paper.year,
        citing_id=paper.id,
    )
    return not gold.isdisjoint(suggestion.paper.id for suggestion in found)


def remarks(documents: Path, manifest: Path, model: Path, seed: int) -> None:
    rows = list(map(orjson.loads, (Path(__file__).parent / "review.judged.jsonl").read_bytes().splitlines()))
    judged = {(row["document"], row["sentence"]): row["judged"] for row in rows}
    parts = {row["document"]: row["part"] for row in rows}
    classifier = open_classifier(model)
    found: dict[str, list[tuple[str, str]]] = {part: [] for part in sorted({*parts.values()})}
    for draft in read_manifest(manifest, documents):
        if draft.name in parts:
            for advice in uncited_claims(classifier, read(draft.root), SUREST):
                key = hashlib.blake2b(advice.sentence.text.encode(), digest_size=8).hexdigest()
                found[parts[draft.name]].append((draft.name, judged.get((draft.name, key), "unknown")))
    for part, each in found.items():
        drafts = sorted({name for name, _ in each})
        of_draft = np.array([drafts.index(name) for name, _ in each])
        print(f"{part}: {len(each)} remarks in {len(drafts)} drafts")
        for verdict in ("cite", "none", "doubtful", "unknown"):
            hits = np.array([told == verdict for _, told in each])
            low, high = _interval(hits, of_draft, len(drafts), seed)
            print(f"  {verdict:10} {int(hits.sum()):4}  {hits.mean():.3f} ({low:.3f} to {high:.3f})")


def _interval(
    hits: NDArray[np.bool_], of_paper: NDArray[np.int64], papers: int, seed: int
) -> tuple[float, float]:
    drawn = np.random.default_rng(seed).multinomial(papers, [1 / papers] * papers, size=RESAMPLES)
    weights = drawn[:, of_paper]
    return interval((weights * hits).sum(axis=1) / np.maximum(weights.sum(axis=1), 1))


def main() -> None:
    parser = shared_parser(__doc__, "data", "documents", "manifest", "library")
    parser.add_argument("what", choices=["papers", "fields", "chain", "remarks"])
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument(
        "--model", type=Path, default=needs_folder(), help="classifier, for papers and fields"
    )
    parser.add_argument("--alone", action="store_true", help="as if nothing were known of the documents")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    if given.what == "papers":
        papers(given.data, given.model, given.alone, given.seed)
    elif given.what == "fields":
        fields(given.data, given.documents, given.model, given.alone, given.seed)
    elif given.what == "remarks":
        remarks(given.documents, given.manifest, given.model, given.seed)
    else:
        chain(given.data, given.library, given.questions, given.seed)


if __name__ == "__main__":
    main()
