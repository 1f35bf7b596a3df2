"""Experiment `lcr-prefilter`: recall of first stages by depth.

Tables 5.1 to 5.3 and figure 5.1 of Medić (2023, section 5.1). Parameters and query inputs are chosen by
R@1000 on validation contexts, and those chosen are measured on test contexts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from citewhy.base.progress import Progress
from citewhy.search.encode import Encoder, default_encoder, open_encoder
from citewhy.search.index.fields import BM25
from citewhy_lab.evaluate.making import library_facts, made
from citewhy_lab.evaluate.plots import curves, svg
from citewhy_lab.experiments.bench import (
    CHOSEN_AT,
    FORMS,
    K1,
    B,
    Bench,
    ContextQuestion,
    Form,
    Meaning,
    Ranks,
    Stage,
    Words,
    grid,
    open_bench,
    ranks_of_answers,
    recall,
    sample,
)
from citewhy_lab.experiments.engine import Cell, Result, Setup, Table, compared, comparisons, shown, signed
from citewhy_lab.experiments.significance import Difference

DEPTH = 2000
"""Depth of the figure."""

USUAL = BM25(k1=1.2, b=0.75)
"""The usual default of libraries."""

WORD_FORMS: tuple[Form, ...] = ("context", "context + abstract")
"""The inputs for BM25, for which order does not matter."""

SAMPLED = 200
"""Contexts of each split at the scale ``small``."""


def run(files: Sequence[Path], setup: Setup, progress: Progress) -> Result:
    """Chooses the best form and parameters on validation contexts, and measures them on test contexts."""
    encoder = open_encoder(setup.encoder)
    with open_bench(files, progress) as bench:
        bench.encode(encoder, progress)
        most = SAMPLED if setup.scale == "small" else None
        val = bench.questions(sample(bench.data.val, most, setup.seed))
        test = bench.questions(sample(bench.data.test, most, setup.seed))
        settings = grid(bench, val, WORD_FORMS, progress)
        best_form, best_bm25 = max(settings, key=lambda key: settings[key])
        asked_with = _inputs(bench, encoder, val, progress)
        inputs = {form: recall(ranks, CHOSEN_AT) for form, ranks in asked_with.items()}
        best_input = max(inputs, key=lambda form: inputs[form])
        stages: dict[str, Stage] = {
            f"BM25 {_setting(USUAL)}": Words(bench, USUAL, best_form),
            f"BM25 {_setting(best_bm25)}": Words(bench, best_bm25, best_form),
            f"dense, {best_input}": Meaning(bench, encoder, best_input),
        }
        by_stage = _ask(stages, test, progress)
        if setup.encoder is not None:  # CiteWhy's own beside it
            bench.encode(default_encoder(), progress)
            own = Meaning(bench, default_encoder(), best_input)
            by_stage |= _ask({f"dense, {best_input}, built-in encoder": own}, test, progress)
        asked = _Asked(bench, val, test, encoder.name)
        return Result(
            title=f"First stages for citing sentences: {bench.data.name}",
            summary=_summary(asked, settings, asked_with, by_stage),
            tables=[
                _words_table(settings, asked),
                _inputs_table(inputs, asked),
                _test_table(by_stage, asked),
                _tests(by_stage),
            ],
            plots={
                "recall": svg(
                    curves(
                        {name: curve(ranks) for name, ranks in by_stage.items()},
                        f"{bench.data.name}: what is among the first k, test",
                        "k",
                        "R@k",
                    )
                )
            },
            facts={"curves": {name: curve(ranks) for name, ranks in by_stage.items()}},
            made=made(
                bench.data.files,
                None,
                library_facts(bench.library),
                {"scale": setup.scale, "encoder": encoder.fingerprint, "asked": len(asked.test)},
                setup.seed,
            ),
        )


@dataclass(frozen=True, slots=True)
class _Asked:
    bench: Bench
    val: Sequence[ContextQuestion]
    test: Sequence[ContextQuestion]
    encoder: str

    def description(self, questions: Sequence[ContextQuestion]) -> str:
        papers = sum(len(question.answers) for question in questions)
        with_abstract = sum(bool(question.query.abstract) for question in questions)
        return (
            f"{len(questions):,} contexts, {with_abstract:,} of them in papers with an abstract; "
            f"{papers:,} cited papers; a pool of {self.bench.pool:,} papers."
        )


def _inputs(
    bench: Bench, encoder: Encoder, questions: Sequence[ContextQuestion], progress: Progress
) -> dict[Form, list[Ranks]]:
    """Returns what dense retrieval finds with every input, up to a depth of 1000."""
    by_form: dict[Form, list[Ranks]] = {}
    for done, form in enumerate(FORMS):
        progress(f"dense, {form}", done / len(FORMS))
        by_form[form] = ranks_of_answers(Meaning(bench, encoder, form), questions, CHOSEN_AT)
    return by_form


def _ask(
    stages: dict[str, Stage], questions: Sequence[ContextQuestion], progress: Progress
) -> dict[str, list[Ranks]]:
    by_stage: dict[str, list[Ranks]] = {}
    for name, stage in stages.items():
        progress(f"test: {name}", len(by_stage) / len(stages))
        by_stage[name] = ranks_of_answers(stage, questions, DEPTH)
    return by_stage


# Measures --------------------------------------------------------------------------------------------------


def reciprocal(ranks_of_questions: Iterable[Ranks], depth: int) -> float:
    """Computes the mean reciprocal rank of the relevant papers, 0 for those below `depth`."""
    ranks = [rank for of_question in ranks_of_questions for rank in of_question]
    return sum(1 / rank for rank in ranks if rank <= depth) / len(ranks)


def curve(ranks_of_questions: Sequence[Ranks]) -> list[tuple[float, float]]:
    """Returns (k, R@k) for k from 1 to `DEPTH`: each of the first ten, then of every tenth."""
    depths = [*range(1, 10), *range(10, DEPTH + 1, 10)]
    return [(float(depth), recall(ranks_of_questions, depth)) for depth in depths]


MEASURES: Mapping[str, Callable[[float], float]] = {
    "R@10": lambda rank: float(rank <= 10),
    f"R@{CHOSEN_AT}": lambda rank: float(rank <= CHOSEN_AT),
    "RR": lambda rank: 1 / rank if rank <= CHOSEN_AT else 0.0,
}
"""Computes the value of one relevant paper from its rank."""


def _differs(first: Sequence[Ranks], second: Sequence[Ranks], measure: str) -> Difference:
    """Tests first minus second, paired by relevant paper."""
    value = MEASURES[measure]
    one, other = (
        np.array([value(rank) for of_question in ranks for rank in of_question]) for ranks in (first, second)
    )
    return compared([one], [other])


# Pages -----------------------------------------------------------------------------------------------------


def _words_table(settings: dict[tuple[Form, BM25], float], asked: _Asked) -> Table:
    rows: list[list[Cell]] = [
        [f"{form}, b = {b:g}", *(settings[form, BM25(k1, b)] for k1 in K1)] for form in WORD_FORMS for b in B
    ]
    return Table(
        "Table 5.1: R@1000 of BM25 on validation contexts",
        ["input, with the title", *(f"k1 = {k1:g}" for k1 in K1)],
        rows,
        [asked.description(asked.val)],
    )


def _inputs_table(inputs: dict[Form, float], asked: _Asked) -> Table:
    return Table(
        "Table 5.2: R@1000 of dense retrieval on validation contexts",
        ["input, after the title", "R@1000"],
        [[form, value] for form, value in inputs.items()],
        [f"Encoder: {asked.encoder}. {asked.description(asked.val)}"],
    )


def _test_table(by_stage: dict[str, list[Ranks]], asked: _Asked) -> Table:
    return Table(
        "Table 5.3: first stages on test contexts",
        ["first stage", "R@10", "R@100", "R@1000", "R@2000", "RR"],
        [
            [name, *(recall(ranks, depth) for depth in (10, 100, 1000, 2000)), reciprocal(ranks, CHOSEN_AT)]
            for name, ranks in by_stage.items()
        ],
        [
            f"{asked.description(asked.test)} RR sees {CHOSEN_AT:,} candidates. "
            "What is missed counts as missed."
        ],
    )


def _tests(by_stage: dict[str, list[Ranks]]) -> Table:
    usual, best, dense, *own = by_stage
    pairs = ((best, usual), (dense, best), *((dense, other) for other in own))
    differences = {
        f"{first} against {second}, {measure}": _differs(by_stage[first], by_stage[second], measure)
        for first, second in pairs
        for measure in MEASURES
    }
    note = "On test contexts; 95 % intervals and two-sided p-values of paired t-tests over cited papers."
    return comparisons(differences, note, "Is it by chance?", head="")


def _summary(
    asked: _Asked,
    settings: dict[tuple[Form, BM25], float],
    inputs: dict[Form, list[Ranks]],
    by_stage: dict[str, list[Ranks]],
) -> list[str]:
    (form, bm25), best = max(settings.items(), key=lambda item: item[1])
    usual = settings[form, USUAL]
    worst = min(value for (other, _), value in settings.items() if other == form)
    recalls = {input_form: recall(ranks, CHOSEN_AT) for input_form, ranks in inputs.items()}
    near = max(recalls, key=lambda form: recalls[form])
    others = ", ".join(
        f"{signed(_differs(inputs[near], inputs[input_form], f'R@{CHOSEN_AT}'))} against {input_form}"
        for input_form in inputs
        if input_form != near
    )
    before, words, meaning, *_ = by_stage.values()
    gains = " and ".join(signed(_gain(ranks)) for ranks in (words, meaning))
    at = f"R@{CHOSEN_AT}"
    return [
        *asked.bench.data.notes,
        f"BM25 is asked best with {form}, {_setting(bm25)}: {at} {shown(best)} on validation contexts,"
        f" against {shown(usual)} with the usual {_setting(USUAL)}, and {shown(worst)} with the worst setting"
        f" of the same input. On test contexts it differs from the usual one by"
        f" {signed(_differs(words, before, at))} in {at}.",
        f"Dense retrieval is asked best with {near}: {at} {shown(recalls[near])} on validation contexts,"
        f" {others}.",
        f"On test contexts dense retrieval differs from BM25 by {signed(_differs(meaning, words, 'R@10'))} in"
        f" R@10 and {signed(_differs(meaning, words, at))} in {at}; a second thousand adds {gains} to the"
        " recall of BM25 and of dense retrieval. In brackets 95 % intervals over cited papers.",
        *(f"In the data: {what}: {count:,}." for what, count in asked.bench.data.damage.items()),
    ]


def _gain(ranks_of_questions: Sequence[Ranks]) -> Difference:
    """Returns what the second thousand adds to the recall, for each relevant paper 0 or 1."""
    added = np.array([float(CHOSEN_AT < rank <= DEPTH) for ranks in ranks_of_questions for rank in ranks])
    return compared([added], [np.zeros(len(added))])


def _setting(setting: BM25) -> str:
    return f"k1 = {setting.k1:g}, b = {setting.b:g}"
