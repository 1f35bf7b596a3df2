"""`citewhy train mpbert4cr`: trains the MP-BERT4CR reranker on papers, full texts and citing sentences."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citewhy.doors.cli import options
from citewhy_lab.cli import options as lab_options
from citewhy_lab.cli import reranker_training
from citewhy_lab.cli.reranker_training import one_of, train_and_say

if TYPE_CHECKING:
    from citewhy.base.progress import Progress
    from citewhy_lab.train.devices import DeviceName
    from citewhy_lab.train.reranking.data import RerankingData

__all__ = ["command"]

EPILOG = """\b
Examples:
  citewhy train mpbert4cr --data collection --out mpbert4cr
  citewhy train mpbert4cr --data d --full-texts t.jsonl --preset small --out m

DATA holds papers.jsonl and contexts.jsonl, preferably also citations.tsv, as for `citewhy train textbib`.
Sentences of citing and cited papers are drawn from --full-texts; a paper without one is known by its
abstract. The preset source has the sizes of the paper, and needs a GPU. After Ctrl-C, the same command
continues from the last checkpoint in the folder OUT.training, which can be removed at the end.
"""


@click.command("mpbert4cr", epilog=EPILOG)
@reranker_training.data
@options.new_folder
@click.option(
    "--full-texts",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Full texts of citing and cited papers, in any format that `citewhy add` reads; repeatable.",
)
@click.option(
    "--preset",
    default="source",
    show_default=True,
    metavar="NAME",
    help="source: sizes and settings of the paper; small: for two cores.",
)
@click.option(
    "--sentence-encoder",
    default="trained",
    show_default=True,
    metavar="NAME",
    help="trained: the lower level is trained, too; built-in: the vectors of CiteWhy's encoder.",
)
@click.option(
    "--objective",
    default="mpt-src-tgt",
    show_default=True,
    metavar="NAME",
    help="triplet, mpt-tgt, mpt-src or mpt-src-tgt.",
)
@click.option("--no-dynamic", is_flag=True, help="Read the same sentences of a text in each epoch.")
@click.option(
    "--pretraining",
    type=click.IntRange(0),
    metavar="N",
    help="Epochs of pre-training; default: the preset's.",
)
@click.option(
    "--epochs", type=click.IntRange(1), metavar="N", help="Epochs of fine-tuning; default: the preset's."
)
@reranker_training.until
@reranker_training.library
@reranker_training.with_held_out
@options.seed("Random seed.")
@lab_options.device
@options.quiet
def command(
    data: Path,
    out: Path,
    full_texts: tuple[Path, ...],
    preset: str,
    sentence_encoder: str,
    objective: str,
    no_dynamic: bool,
    pretraining: int | None,
    epochs: int | None,
    until: int,
    library: Path | None,
    with_held_out: bool,
    seed: int,
    device: DeviceName,
    quiet: bool,
) -> None:
    """Train MP-BERT4CR, a reranker for sentences that cite several papers at once.

    Manuscripts and papers are read sentence by sentence, by two levels of transformers. Needs the extra
    `train`.
    """
    from citewhy_lab.train.requirements import check_modules
    from citewhy_lab.train.systems.mpbert4cr.recipe import train_mpbert4cr
    from citewhy_lab.train.systems.mpbert4cr.settings import OBJECTIVES, PRESETS
    from citewhy_lab.train.systems.mpbert4cr.texts import read_full_texts

    chosen = PRESETS[one_of(preset, list(PRESETS), "preset")]
    settings = dataclasses.replace(
        chosen,
        objective=one_of(objective, OBJECTIVES, "objective"),
        dynamic=not no_dynamic,
        pretraining=chosen.pretraining if pretraining is None else pretraining,
        epochs=epochs or chosen.epochs,
        held_out=not with_held_out,
        seed=seed,
    )
    ready = one_of(sentence_encoder, ("trained", "built-in"), "sentence encoder") == "built-in"
    check_modules("torch", "safetensors")
    from citewhy.search.encode import default_encoder

    texts = read_full_texts(full_texts)

    def train(given: RerankingData, out: Path, progress: Progress) -> dict[str, Any]:
        given = dataclasses.replace(given, encoder=default_encoder() if ready else None)
        return train_mpbert4cr(given, texts, settings, out, progress, device)

    train_and_say(data, until, settings.depth, out, library, quiet, train)
