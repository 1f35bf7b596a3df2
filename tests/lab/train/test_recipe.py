"""Recipes and their runner: declared once, carried out from Python as from the command line."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Literal

import pytest

from citewhy.base.errors import InputError, MissingExtraError, QueryError
from citewhy.base.progress import Progress
from citewhy_lab.evaluate.parameters import Option, parameters
from citewhy_lab.train import train
from citewhy_lab.train.recipe import DOCUMENTS, RECIPES, Recipe, Trained, checkpoints, find_recipe, run


@dataclass(frozen=True)
class Shape:
    width: Annotated[int, Option("Width.", least=1)] = 3
    height: int = 4


@dataclass(frozen=True)
class Settings:
    shape: Shape = field(default_factory=Shape)
    rate: Annotated[float, Option("Rate.", above=0, most=1)] = 0.5
    way: Annotated[Literal["one", "two"], Option("Way.")] = "one"
    steps: int = 7


@dataclass(frozen=True)
class Inputs:
    data: Annotated[Path, Option("Data.")]
    more: Annotated[tuple[Path, ...], Option("More.")] = ()
    pairs: Annotated[tuple[tuple[Path, Path], ...], Option("Pairs.")] = ()
    parts: Annotated[tuple[Literal["one", "two"], ...], Option("Parts.")] = ()

    def check(self) -> None:
        if self.data.name == "wrong":
            raise QueryError("the data are wrong")


def write(inputs: Inputs, settings: Settings, out: Path, progress: Progress, device: str) -> Trained:
    out.mkdir()
    checkpoints(out).mkdir()
    progress(f"on {device}", None)
    return Trained({"data": str(inputs.data)}, ["learned    a lot"])


TOY = Recipe("toy", "Train a toy.", "", Inputs, Settings, f"{__name__}:write", modules=())


def test_ncn_from_python(toy: Path, tmp_path: Path) -> None:
    """One call trains a reranker that opens as any other; what the command prints comes back with it."""
    for needed in ("torch", "safetensors"):
        pytest.importorskip(needed, reason="needs the extra lab")
    from citewhy.models import open_model

    out = tmp_path / "ncn"
    trained = train("ncn", data=toy, out=out, until=2005, epochs=1, held_out=False)
    assert trained.facts["data"]["pairs"] == 8
    assert trained.summary[0] == "learned    8 pairs of 8 sentences up to 2005"
    assert f"written    {out}" in trained.summary
    assert open_model(out, "reranker").name == "NCN"


def test_what_is_filled_in() -> None:
    """Texts become paths, one value several, and a value goes to the part that has it; the rest is as
    declared, whether it is an option or not."""
    given = {"data": "here", "more": "there", "pairs": [("a", "b")], "width": 9, "steps": 1}
    inputs, settings = TOY.fill(given)
    assert inputs == Inputs(Path("here"), (Path("there"),), ((Path("a"), Path("b")),))
    assert settings == Settings(Shape(9, 4), 0.5, "one", 1)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({}, "the recipe toy needs data"),
        ({"data": "d", "depth": 3}, "the recipe toy has no parameter depth; choose from: data, more, "),
        ({"data": "d", "width": 0}, "the width is 0; give at least 1"),
        ({"data": "d", "rate": 0.0}, "the rate is 0.0; give more than 0"),
        ({"data": "d", "rate": 2.0}, "the rate is 2.0; give at most 1"),
        ({"data": "d", "way": "three"}, "there is no way three; choose from: one, two"),
        ({"data": "wrong"}, "the data are wrong"),
        ({"data": "d", "more": ["a", 3]}, "one of more is 3; give values of the type Path"),
        ({"data": "d", "pairs": [("a",)]}, "one of pairs is ('a',); give 2 paths for each"),
        ({"data": "d", "parts": ("one", "three")}, "there is no parts three; choose from: one, two"),
    ],
)
def test_what_is_refused(tmp_path: Path, given: dict[str, object], problem: str) -> None:
    """Before any work is done, in a sentence with what is legal."""
    with pytest.raises(QueryError) as raised:
        run(TOY, *TOY.fill(given), tmp_path / "out")
    assert str(raised.value).startswith(problem)
    assert not (tmp_path / "out").exists()


def test_what_the_runner_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says where the model is, and that its checkpoints can go; nothing is overwritten. Of several
    processes, only the first one has something to say."""
    told: list[str] = []

    def progress(what: str, _share: float | None) -> None:
        told.append(what)

    out = tmp_path / "out"
    trained = run(TOY, *TOY.fill({"data": "d"}), out, progress, "cpu")
    removal = "           out.training beside it can be removed"
    assert list(trained.summary) == ["learned    a lot", f"written    {out}", removal]
    assert told == ["on cpu"]
    with pytest.raises(InputError, match="it already exists"):
        run(TOY, *TOY.fill({"data": "d"}), out)
    monkeypatch.setenv("RANK", "1")
    assert run(TOY, *TOY.fill({"data": "d"}), tmp_path / "other", progress).summary == ()
    assert told == ["on cpu"]


def test_a_package_that_is_missing(tmp_path: Path) -> None:
    """It is named before the recipe's own modules are imported."""
    recipe = Recipe("toy", "", "", Inputs, Settings, "no.such.module:train", modules=("no_such_package",))
    with pytest.raises(MissingExtraError, match=r"no_such_package is not installed.*citewhy\[lab\]"):
        run(recipe, *recipe.fill({"data": "d"}), tmp_path / "out")


def test_an_unknown_recipe() -> None:
    """The others are named."""
    with pytest.raises(QueryError, match=r"there is no recipe bert; choose from: classifier, "):
        train("bert", "out")


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_is_declared(name: str) -> None:
    """Under its own name; no field is both an input and a setting, and each option is explained."""
    recipe = find_recipe(name)
    assert recipe.name == name
    names = [each.name for part in (recipe.inputs, recipe.settings) for each in fields(part)]
    assert len(names) == len(set(names))
    options = [*parameters(recipe.inputs), *parameters(recipe.settings)]
    assert len({each.name for each in options}) == len(options)
    assert [each.name for each in options if not each.option.help] == []


def test_presets_are_recipes() -> None:
    """Those of paper embeddings can be called by their own names."""
    recipe = find_recipe("documents")
    assert tuple(recipe.presets) == DOCUMENTS
    inputs, settings = recipe.fill({"preset": "specter", "data": "d", "hard": 3})
    assert (inputs.preset, settings.loss, settings.hard) == ("specter", "triplet", 3)
    with pytest.raises(QueryError, match="there is no preset bert"):
        recipe.fill({"preset": "bert", "data": "d"})


def test_several_values_of_which_one_must_be_given() -> None:
    """None at all is refused, as on the command line."""
    recipe = find_recipe("linkage")
    with pytest.raises(QueryError, match="there are no citances; give one or more"):
        run(recipe, *recipe.fill({"citances": ()}), Path("out"))
