"""Experiment `lcr-prefilter`: recall of first stages by depth.

Tables 5.1 to 5.3 and figure 5.1 of Medić (2023, section 5.1). Parameters and query inputs are chosen by
R@1000 on validation contexts, and those chosen are measured on test contexts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from citewhy.encode import Encoder, open_encoder
from citewhy.evaluate.making import library_facts, made
from citewhy.evaluate.plots import check_plots, curves, svg
from citewhy.experiments import Experiment, Setup
from citewhy.experiments.bench import Bench, Question, open_bench, sample
from citewhy.experiments.first_stage import (
    CHOSEN_AT,
    FORMS,
    K1,
    B,
    Form,
    Meaning,
    Ranks,
    Stage,
    Words,
    grid,
    places,
    recall,
)
from citewhy.experiments.result import Cell, Result, Table
from citewhy.index.fields import BM25
from citewhy.progress import Tell

__all__ = ["EXPERIMENT", "curve", "reciprocal"]

DEPTH = 2000
"""Depth of the figure."""

USUAL = BM25(k1=1.2, b=0.75)
"""The usual default of libraries."""

WORD_FORMS: tuple[Form, ...] = ("context", "context + abstract")
"""The inputs for BM25, for which order does not matter."""

SAMPLED = 200
"""Contexts of each split at the scale ``small``."""


def run(files: Sequence[Path], setup: Setup, tell: Tell) -> Result:
    check_plots()
    encoder = open_encoder(setup.encoder)
    with open_bench(files, tell) as bench:
        bench.encode(encoder, tell)
        most = SAMPLED if setup.scale == "small" else None
        val = bench.questions(sample(bench.data.val, most, setup.seed))
        test = bench.questions(sample(bench.data.test, most, setup.seed))
        settings = grid(bench, val, WORD_FORMS, tell)
        best_form, best_bm25 = max(settings, key=lambda key: settings[key])
        inputs = _inputs(bench, encoder, val, tell)
        best_input = max(inputs, key=lambda form: inputs[form])
        stages: dict[str, Stage] = {
            f"BM25 {_setting(USUAL)}": Words(bench, USUAL, best_form),
            f"BM25 {_setting(best_bm25)}": Words(bench, best_bm25, best_form),
            f"dense, {best_input}": Meaning(bench, encoder, best_input),
        }
        found = _ask(stages, test, tell)
        asked = _Asked(bench, val, test, encoder.name)
        return Result(
            title=f"First stages for citing sentences: {bench.data.name}",
            summary=_summary(asked, settings, inputs, found),
            tables=[_words_table(settings, asked), _inputs_table(inputs, asked), _test_table(found, asked)],
            plots={
                "recall": svg(
                    curves(
                        {name: curve(ranks) for name, ranks in found.items()},
                        f"{bench.data.name}: what is among the first k, test",
                        "k",
                        "R@k",
                    )
                )
            },
            facts={"curves": {name: curve(ranks) for name, ranks in found.items()}},
            made=made(
                bench.data.files,
                None,
                library_facts(bench.library),
                {"scale": setup.scale, "encoder": encoder.fingerprint},
                setup.seed,
            ),
        )


EXPERIMENT = Experiment("the folder of a data set: docs/local.md", run)


@dataclass(frozen=True, slots=True)
class _Asked:
    bench: Bench
    val: Sequence[Question]
    test: Sequence[Question]
    encoder: str

    def description(self, questions: Sequence[Question]) -> str:
        papers = sum(len(each.answers) for each in questions)
        with_abstract = sum(bool(each.query.abstract) for each in questions)
        return (
            f"{len(questions):,} contexts, {with_abstract:,} of them in papers with an abstract; "
            f"{papers:,} cited papers; a pool of {self.bench.pool:,} papers."
        )


def _inputs(bench: Bench, encoder: Encoder, questions: Sequence[Question], tell: Tell) -> dict[Form, float]:
    """R@1000 of dense retrieval for every input."""
    found: dict[Form, float] = {}
    for done, form in enumerate(FORMS):
        tell(f"dense, {form}", done / len(FORMS))
        found[form] = recall(places(Meaning(bench, encoder, form), questions, CHOSEN_AT), CHOSEN_AT)
    return found


def _ask(stages: dict[str, Stage], questions: Sequence[Question], tell: Tell) -> dict[str, list[Ranks]]:
    found: dict[str, list[Ranks]] = {}
    for name, stage in stages.items():
        tell(f"test: {name}", len(found) / len(stages))
        found[name] = places(stage, questions, DEPTH)
    return found


# Measures --------------------------------------------------------------------------------------------------


def reciprocal(found: Iterable[Ranks], depth: int) -> float:
    """Mean reciprocal rank of the relevant papers, 0 for those below `depth`."""
    ranks = [rank for each in found for rank in each]
    return sum(1 / rank for rank in ranks if rank <= depth) / len(ranks)


def curve(found: Sequence[Ranks]) -> list[tuple[float, float]]:
    """(k, R@k) for k from 1 to `DEPTH`: each of the first ten, then of every tenth."""
    depths = [*range(1, 10), *range(10, DEPTH + 1, 10)]
    return [(float(depth), recall(found, depth)) for depth in depths]


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


def _test_table(found: dict[str, list[Ranks]], asked: _Asked) -> Table:
    return Table(
        "Table 5.3: first stages on test contexts",
        ["first stage", "R@10", "R@100", "R@1000", "R@2000", "RR"],
        [
            [name, *(recall(ranks, depth) for depth in (10, 100, 1000, 2000)), reciprocal(ranks, CHOSEN_AT)]
            for name, ranks in found.items()
        ],
        [
            f"{asked.description(asked.test)} RR sees {CHOSEN_AT:,} candidates. "
            "What is missed counts as missed."
        ],
    )


def _summary(
    asked: _Asked,
    settings: dict[tuple[Form, BM25], float],
    inputs: dict[Form, float],
    found: dict[str, list[Ranks]],
) -> list[str]:
    (form, bm25), best = max(settings.items(), key=lambda item: item[1])
    usual = settings[form, USUAL]
    worst = min(value for (other, _), value in settings.items() if other == form)
    near, far = max(inputs, key=lambda each: inputs[each]), min(inputs, key=lambda each: inputs[each])
    words, meaning = list(found.values())[-2:]
    return [
        *asked.bench.data.notes,
        f"BM25 is asked best with {form}, {_setting(bm25)}: R@1000 {best:.3f} on validation contexts,"
        f" against {usual:.3f} with the usual {_setting(USUAL)}, and {worst:.3f} with the worst setting of"
        " the same input.",
        f"Dense retrieval is asked best with {near} ({inputs[near]:.3f}), and worst with {far}"
        f" ({inputs[far]:.3f}).",
        f"On test contexts R@1000 is {recall(words, 1000):.3f} for BM25 and {recall(meaning, 1000):.3f} for"
        f" dense retrieval; a second thousand adds {_gain(words):.3f} and {_gain(meaning):.3f}.",
        *(f"In the data: {what}: {count:,}." for what, count in asked.bench.data.damage.items()),
    ]


def _gain(found: Sequence[Ranks]) -> float:
    return recall(found, DEPTH) - recall(found, CHOSEN_AT)


def _setting(setting: BM25) -> str:
    return f"k1 = {setting.k1:g}, b = {setting.b:g}"
