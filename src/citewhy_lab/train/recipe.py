"""A recipe says what is special to a training; one function carries it out, for Python and the command line.

A recipe declares, without importing torch, the data that it learns from (`Recipe.inputs`) and its parameters
(`Recipe.settings`), two dataclasses. A field that is annotated with an `Option` is an option of `citewhy
train NAME`, too; type, default, legal range and choices are those of the field. `train` does what all recipes
do:

1. it fills both dataclasses, and checks their values;
2. it looks for the packages that the recipe needs, and for a folder that would be overwritten;
3. it calls the recipe's function, which trains and writes the model folder;
4. it adds where the model is to the numbers that the function reports.

    from citewhy_lab.train import train

    trained = train("ncn", data="collection", out="ncn", epochs=1)
    print(trained.facts["best"])
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress, silent
from citewhy_lab.evaluate.parameters import Option, Parameter, parameters, year
from citewhy_lab.train.requirements import check_modules

DeviceName = Literal["auto", "cpu", "cuda"]
"""Where a network is trained; ``auto``: on a GPU if torch finds one, else on the processor."""


RECIPES: Mapping[str, str] = MappingProxyType(
    {
        "classifier": "A sentence classifier, from labelled examples.",
        "crossencoder": "A cross-encoder, a reranker that reads a sentence and a candidate together.",
        "discourse": "The discourse tagger: finds topic sentences, and says what each sentence does.",
        "documents": "Paper embeddings: SPECTER, SciNCL, SPECTERCL, SciAspect and its variants.",
        "drafts": "The last step of the ranker, trained on finished drafts of many fields.",
        "encoder": "The encoder: turns texts into vectors.",
        "intent": "The classifier of intents: why a sentence cites a paper.",
        "linkage": "The linker: finds the sentences of a paper that a citing sentence refers to.",
        "linkage-network": "A linkage network of the literature, to compare the linker with.",
        "mpbert4cr": "MP-BERT4CR, a reranker that reads manuscripts and papers sentence by sentence.",
        "ncn": "NCN, a reranker that ranks papers by how probable their titles are after a citing sentence.",
        "needs": "The classifier that tells which sentences need a citation.",
        "qpcr": "QPCR, an encoder that finds the papers of a paragraph by its topic sentence.",
        "ranker": "The ranker: orders the candidates and estimates how likely they are to be right.",
        "sets": "The set model: which papers belong together in a citation.",
        "textbib": "TEXTBIB, a reranker for citing sentences that uses texts, authors and citation counts.",
    }
)
"""Name of a recipe → one line of help."""

_ELSEWHERE = {
    "classifier": "classifier.settings",
    "documents": "systems.aspects.settings",
    "drafts": "systems.ranker.settings:LAST_STEP",
    "linkage": "systems.linker.settings",
    "linkage-network": "systems.linkage_networks.settings",
}
"""Where recipes are that are not the attribute ``RECIPE`` of the module ``settings`` of the system of their
name."""

DOCUMENTS = (
    "specter",
    "specter-undirected",
    "specter-cl",
    "scincl",
    "sciaspect",
    "sciaspect-l2",
    "sciaspect-hybrid",
    "sciaspect-weighted",
)
"""Presets of the recipe ``documents``, which are names of recipes, too."""


# What a recipe declares ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Trained:
    """The result of a training, whose model folder is written."""

    facts: Mapping[str, Any]
    """Tells what was learned from and how good it is, as the model's manifest does."""
    summary: Sequence[str] = ()
    """The lines that the command prints."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Declares what is special to one training."""

    name: str
    help: str
    """Says in sentences what it trains, for the command's help."""
    epilog: str
    """Examples, and what the data are, for the end of the help."""
    inputs: type
    """The dataclass of what is learned from. It may have a method `check`, which raises QueryError."""
    settings: type
    """The dataclass of the parameters; likewise."""
    function: str
    """``module:function`` that trains. It is called with inputs, settings, the folder to create, a
    `Progress`, and the name of a device, and returns `Trained`."""
    modules: tuple[str, ...] = ("torch", "transformers", "onnx", "safetensors")
    """Packages that it needs, by the names of their modules."""
    on_devices: bool = False
    """Whether it can be trained on a GPU."""
    presets: Mapping[str, Any] = field(default_factory=dict)
    """Settings by name, of which ``preset`` chooses one; the first is the default. A field ``preset`` of the
    inputs is given the name."""
    preset: Option | None = None
    """The option that chooses."""

    def fill(self, values: Mapping[str, Any]) -> tuple[Any, Any]:
        """Inputs and settings with the given `values` by field, which are converted. What is not given is as
        declared, or as in the preset. Raises QueryError for an unknown name, and for a missing value."""
        given = dict(values)
        if self.presets:
            given.setdefault("preset", next(iter(self.presets)))
        options = {
            parameter.name: parameter for parameter in (*parameters(self.inputs), *parameters(self.settings))
        }
        names = {part: {field_.name for field_ in fields(part)} for part in (self.inputs, self.settings)}
        known = {*options, *names[self.inputs], *names[self.settings], *(["preset"] if self.presets else [])}
        if unknown := sorted(given.keys() - known):
            hint = f"choose from: {', '.join(sorted(known))}"
            raise QueryError(f"the recipe {self.name} has no parameter {unknown[0]}", hint=hint)
        if missing := [
            key for key, parameter in options.items() if parameter.default is MISSING and key not in given
        ]:
            raise QueryError(f"the recipe {self.name} needs {missing[0]}", hint=f"give {missing[0]}=…")
        converted = {key: _converted(options.get(key), value) for key, value in given.items()}
        inputs = self.inputs(**{key: value for key, value in converted.items() if key in names[self.inputs]})
        settings = self._preset(given["preset"]) if self.presets else self.settings()
        for key in converted.keys() & names[self.settings]:
            settings = replace(settings, **{key: converted[key]})
        for parameter in (option for option in options.values() if option.part and option.name in converted):
            part = replace(getattr(settings, parameter.part), **{parameter.name: converted[parameter.name]})
            settings = replace(settings, **{parameter.part: part})
        return inputs, settings

    def _preset(self, name: str) -> Any:
        if name not in self.presets:
            hint = f"choose from: {', '.join(self.presets)}"
            raise QueryError(f"there is no preset {name}", hint=hint)
        return self.presets[name]


def _converted(parameter: Parameter | None, value: Any) -> Any:
    """A text becomes a path, or what `Option.read` makes of it; one value becomes a tuple where several are
    possible."""
    if parameter is None:
        return value
    if not parameter.several:
        return _convert(parameter, value)
    values = [value] if isinstance(value, str) or not isinstance(value, Iterable) else value
    return tuple(_convert(parameter, item) for item in values)


def _convert(parameter: Parameter, value: Any) -> Any:
    """Raises QueryError for a value that is not of the parameter's type, as the command line does."""
    what, item = parameter.name.replace("_", " "), parameter.item
    if parameter.option.read is not None and isinstance(value, str):
        return parameter.option.read(value)
    if isinstance(item, tuple):
        if not isinstance(value, list | tuple) or len(value) != len(item):
            raise QueryError(f"one of {what} is {value!r}", hint=f"give {len(item)} paths for each")
        return tuple(map(Path, value))
    if item is Path and isinstance(value, str):
        return Path(value)
    if parameter.several and not isinstance(value, item):
        raise QueryError(f"one of {what} is {value!r}", hint=f"give values of the type {item.__name__}")
    return value


# How it is carried out -------------------------------------------------------------------------------------


def find_recipe(name: str) -> Recipe:
    """Returns the recipe of that name. Raises QueryError if there is none."""
    if name not in RECIPES:
        raise QueryError(f"there is no recipe {name}", hint=f"choose from: {', '.join(RECIPES)}")
    module, _, attribute = _ELSEWHERE.get(name, f"systems.{name}.settings").partition(":")
    recipe = getattr(importlib.import_module(f"citewhy_lab.train.{module}"), attribute or "RECIPE")
    assert isinstance(recipe, Recipe)
    return recipe


def train(
    recipe: str,
    out: str | Path,
    progress: Progress = silent,
    device: DeviceName = "auto",
    **given: Any,
) -> Trained:
    """Trains the recipe `recipe` (one of `RECIPES` or `DOCUMENTS`), and writes the model folder `out`.

    `given` are inputs and settings by their names; `citewhy train NAME --help` lists the most important ones,
    and what they mean. An interrupted training is resumed by the same call, from the folder `checkpoints`.

    Raises QueryError for values that are not legal, MissingExtraError if the extra ``lab`` is not installed,
    InputError for data that cannot be learned from and if `out` exists, StorageError if it cannot be written.
    """
    if recipe in DOCUMENTS:
        recipe, given = "documents", {"preset": recipe, **given}
    chosen = find_recipe(recipe)
    return run(chosen, *chosen.fill(given), Path(out), progress, device)


def run(
    recipe: Recipe,
    inputs: Any,
    settings: Any,
    out: Path,
    progress: Progress = silent,
    device: DeviceName = "auto",
) -> Trained:
    """Does as `train`, with filled `inputs` and `settings`. Of several processes that train together
    (`train.processes`), the first one reports progress, and has a summary."""
    for part in (inputs, settings):
        if isinstance(part, recipe.inputs | recipe.settings):
            _check(part)
    from citewhy.models import check_new  # the help of commands needs no models

    check_modules(*recipe.modules)
    out, first = out.absolute(), os.environ.get("RANK", "0") == "0"
    check_new(out)
    module, _, name = recipe.function.partition(":")
    function: Callable[..., Trained] = getattr(importlib.import_module(module), name)
    trained = function(inputs, settings, out, progress if first else silent, device)
    if not first:
        return replace(trained, summary=())
    lines = [*trained.summary]
    if out.exists():
        lines.append(f"written    {out}")
    if checkpoints(out).exists():
        lines.append(f"           {checkpoints(out).name} beside it can be removed")
    return replace(trained, summary=lines)


def _check(part: Any) -> None:
    """Raises QueryError for values of inputs or settings that are not legal, or contradict each other."""
    declared: Any = type(part)
    for parameter in parameters(declared):
        parameter.check(parameter.value(part))
    if hasattr(part, "check"):
        part.check()


def checkpoints(out: Path) -> Path:
    """Returns the folder beside `out` from which an interrupted training is resumed, and that can be removed
    when `out` is there."""
    return out.with_name(f"{out.name}.training")


# Fields that several recipes have --------------------------------------------------------------------------

StartFolder = Annotated[
    Path | None, Option("BERT folder to start from; default: all-MiniLM-L6-v2.", metavar="DIR")
]

WordsFile = Annotated[
    Path | None,
    Option("Papers whose words the classifier should know, as for `citewhy add`.", metavar="FILE"),
]

Manifest = Annotated[
    Path, Option("File that lists finished drafts (`train.drafts`).", metavar="MANIFEST", argument=True)
]

DraftsFolder = Annotated[Path, Option("Folder with one subfolder per draft.", metavar="DIR")]


# What every reranker is trained on -----------------------------------------------------------------------


Regime = Literal["standard", "strict"]
"""Learn from all contexts, or only from those whose cited paper the first stage found."""


@dataclass(frozen=True, slots=True)
class RerankerInputs:
    """Says what a reranker is trained on from the command line. The first stage is BM25 over a library of
    the papers, which is made beside the model, or completed if it was begun."""

    data: Annotated[Path, Option("Folder with papers and citing sentences.", metavar="DIR")]
    until: Annotated[
        int, year("Train on sentences up to YEAR; those of the next year select the best epoch.")
    ] = 2010
    library: Annotated[
        Path | None,
        Option(
            "Library of the same papers: choose a weight for the default ranking's order in it, too.",
            metavar="DIR",
        ),
    ] = None
