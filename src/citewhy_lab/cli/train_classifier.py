"""`citewhy train classifier`: trains a sentence classifier on labelled sentences."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citewhy.base.errors import QueryError
from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar

if TYPE_CHECKING:
    from citewhy.ranking.classify.features import Features

__all__ = ["command", "show_quality"]

EPILOG = """\b
Examples:
  citewhy train classifier --data a.jsonl --group-field paper --out intents
  citewhy train classifier --data a.jsonl --group-field id --only a=x --out b

DATA has one JSON object per line, plain or compressed (.gz, .zst). A label is a string, or a list of strings
if several apply. Sentences of one group, such as those of one paper, are in the same fold of the
cross-validation; a sentence without a group is a group of its own. FEATURES, comma-separated: words (n-grams
of one to three words), letters (character 4-grams), cues ("we", "propose", …), encoder (the sentence's
vector); section, position and neighbouring sentences are features if their fields are given. All printed
figures are cross-validated.
"""

FEATURES = ("words", "letters", "cues", "encoder")

_FILE = click.Path(path_type=Path)


Command = Callable[..., None]


def _field(name: str, what: str, default: str = "") -> Callable[[Command], Command]:
    return click.option(
        f"--{name}-field", metavar="NAME", default=default, show_default=bool(default), help=what
    )


@click.command("classifier", epilog=EPILOG)
@click.option("--data", type=_FILE, required=True, metavar="FILE", help="Labelled sentences, as JSON lines.")
@_field("text", "Field of the sentence.", default="text")
@_field("label", "Field of the label or labels.", default="label")
@click.option(
    "--group-field",
    metavar="NAME",
    required=True,
    help="Field of the group that a sentence belongs to, such as its paper.",
)
@_field("previous", "Field of the previous sentence.")
@_field("next", "Field of the next sentence.")
@_field("section", "Field of the section heading.")
@_field("position", "Field of the position in the document, from 0 to 1.")
@_field("citing", "Field of the citing sentence, if sentences of cited papers are classified.")
@_field("marker", "Field of the citation that the label is about: [start, end] in the sentence.")
@click.option(
    "--only", multiple=True, metavar="NAME=VALUE", help="Use only rows with this value; may be repeated."
)
@click.option("--features", default="words,cues", show_default=True, help="Comma-separated features.")
@click.option(
    "--encoder", type=_FILE, metavar="DIR", help="Use this trained encoder instead of the built-in one."
)
@click.option(
    "--model",
    type=click.Choice(["linear", "network"]),
    default="linear",
    show_default=True,
    help="linear: logistic regression; network: one hidden layer.",
)
@click.option(
    "--balance",
    type=options.Number(0, 1),
    default=1.0,
    show_default=True,
    help="1: all labels have the same weight; 0: all sentences have the same weight.",
)
@click.option(
    "--folds",
    type=click.IntRange(2),
    default=5,
    show_default=True,
    help="Number of folds of the cross-validation.",
)
@options.new_folder
@options.seed("Random seed for the folds and the network.")
@options.quiet
def command(
    data: Path,
    text_field: str,
    label_field: str,
    group_field: str,
    previous_field: str,
    next_field: str,
    section_field: str,
    position_field: str,
    citing_field: str,
    marker_field: str,
    only: tuple[str, ...],
    features: str,
    encoder: Path | None,
    model: Any,
    balance: float,
    folds: int,
    out: Path,
    seed: int,
    quiet: bool,
) -> None:
    """Train a sentence classifier on labelled examples.

    Takes a minute or two for a few thousand sentences. Needs the extra `lab`.
    """
    from citewhy.search.encode import open_encoder
    from citewhy_lab.train.classifier import ClassifierSettings, FieldNames, read_examples, train_classifier

    names = FieldNames(
        text=text_field,
        label=label_field,
        group=group_field,
        previous=previous_field,
        next=next_field,
        section=section_field,
        position=position_field,
        citing=citing_field,
        marker=marker_field,
    )
    settings = ClassifierSettings(
        _features(features, names), model=model, balance=balance, folds=folds, seed=seed
    )
    examples = read_examples(data, names, _values(only))
    chosen = open_encoder(encoder) if settings.features.encoder else None
    with progress_bar(quiet) as progress:
        made = train_classifier(
            examples, settings, out, f"classifier of {label_field}", progress, encoder=chosen, files=[data]
        )
    show_quality(made, out)


def show_quality(made: dict[str, Any], out: Path) -> None:
    """Prints the cross-validated quality of the classifier that was written to `out`."""
    found = made["cross_validated"]
    counts = ", ".join(f"{label} {count:,}" for label, count in made["labels"].items())
    click.echo(f"examples   {made['examples']:,} in {made['groups']:,} groups: {counts}")
    click.echo(
        f"macro-F1   {found['macro-F1']:.3f}, {found['folds']} folds; always the commonest label: "
        f"{found['commonest label']['macro-F1']:.3f}"
    )
    for label, f1 in found["F1"].items():
        click.echo(f"  {label:20} {f1:.3f}")
    chances = found["probabilities"]
    click.echo(f"accuracy   {found['accuracy']:.3f}; of the most probable label {chances['accuracy']:.3f}")
    click.echo(f"           its probability is off by {chances['calibration error']:.3f} on average (ECE)")
    click.echo(f"written    {out}")


def _features(given: str, names: Any) -> Features:
    """The features with the given names. Raises QueryError for an unknown name."""
    from citewhy.ranking.classify.features import FIELDS, Features, Field

    chosen = [name.strip() for name in given.split(",")]
    if unknown := [name for name in chosen if name not in FEATURES]:
        raise QueryError(f"there are no features {unknown[0]!r}", hint=f"choose from: {', '.join(FEATURES)}")
    counted: dict[Field, int] = {"text": 3}
    for field in FIELDS:
        if field != "text" and getattr(names, field):
            counted[field] = 1
    return Features(
        words=counted if "words" in chosen else {},
        letters={"text": 4} if "letters" in chosen else {},
        cues=("text",) if "cues" in chosen else (),
        encoder=("text",) if "encoder" in chosen else (),
        section=bool(names.section),
        position=bool(names.position),
        citations=True,
    )


def _values(given: tuple[str, ...]) -> dict[str, str]:
    """The values by field name. Raises QueryError for an argument without an equals sign."""
    for each in given:
        if "=" not in each:
            raise QueryError(f"--only {each} has no value", hint="write NAME=VALUE")
    return {name: value for name, _, value in (each.partition("=") for each in given)}
