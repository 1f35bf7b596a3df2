"""The recipe of the ranker: what its questions may know, and that its product is a ranker."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from click.testing import CliRunner
from hash_encoder import HashEncoder
from small_collection import HIDDEN, SHOWN
from small_library import cites, context, make, paper, unsynced
from small_ranker import SETS

from citewhy.base.errors import CiteWhyError, InputError, MissingExtraError, QueryError
from citewhy.base.progress import silent
from citewhy.base.records import Citation, Context, Query
from citewhy.doors.cli import cli
from citewhy.models import read_model
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.rank.features import FEATURES
from citewhy.ranking.rank.linear import NO_CONTEXTS, OF_CONTEXTS, OLD_EVIDENCE
from citewhy.ranking.rank.linear_trees import SEEN_BY_TREES, LinearTrees, forest_name
from citewhy.ranking.recommender import Recommender
from citewhy.search.encode import Encoder
from citewhy_lab.evaluate.datasets.held_out import held_out
from citewhy_lab.train.systems.ranker import fit as ranker_fit
from citewhy_lab.train.systems.ranker import recipe as ranker
from citewhy_lab.train.systems.ranker.data import Group, Indexed, groups, questions
from citewhy_lab.train.systems.ranker.settings import RankerSettings

YEAR, NEW_WEIGHT, SEED = 2011, 0.5, 7

CITED = [*SHOWN[:14], *HIDDEN[:6]]
"""Papers of 2000."""

CITING = {f"q{year}-{place}": year for year in (2009, 2010, 2011) for place in range(12)}
"""Papers that cite → year. Those of 2011 ask."""


def world_of_papers(until: int = 9999) -> list[Record]:
    """A field in which every citing paper cites four papers and says so; of those after `until` there is
    nothing but title and year."""
    chance = random.Random(3)
    records: list[Record] = [
        paper(name, f"Word{place} word{place % 5} word{place % 3}", "Trees of words.", year=2000)
        for place, name in enumerate(CITED)
    ]
    for name, year in CITING.items():
        chosen = chance.sample(range(len(CITED)), 4)
        records.append(paper(name, f"Word{chosen[0]} {name}", year=year))
        if year <= until:
            records += cites(*(f"{name} {CITED[place]}" for place in chosen))
            for place in chosen[:2]:
                text = f"As word{place} TARGETCIT of trees {name}."
                records.append(context(f"{name}:{place}", name, CITED[place], text, year))
    return records


def write_questions(folder: Path) -> tuple[Path, Path]:
    """A file of the task ``local`` and one of the task ``global``, of all years."""
    records = world_of_papers()
    local, whole = folder / "contexts.jsonl", folder / "global.jsonl"
    local.write_bytes(
        b"".join(
            orjson.dumps(
                {
                    "context_id": each.id,
                    "citing_id": each.citing_id,
                    "cited_ids": each.cited_ids,
                    "text": each.text,
                    "citing_year": each.year,
                }
            )
            + b"\n"
            for each in records
            if isinstance(each, Context)
        )
    )
    cited: dict[str, list[str]] = {name: [] for name in CITING}
    for each in cited_pairs(records):
        cited[each[0]].append(each[1])
    whole.write_bytes(
        b"".join(
            orjson.dumps({"query_id": name, "year": CITING[name], "cited_ids": found}) + b"\n"
            for name, found in cited.items()
        )
    )
    return local, whole


def cited_pairs(records: Sequence[Record]) -> Iterator[tuple[str, str]]:
    for each in records:
        if isinstance(each, Citation):
            yield each.citing_id, each.cited_id


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_questions(tmp_path_factory.mktemp("questions"))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with unsynced(), make(tmp_path_factory.mktemp("field"), world_of_papers()) as made:
        yield made


def asked(library: Library, file: Path, kind: str) -> list[Group]:
    topics = questions(library, [file], kind, [YEAR])
    assert {topic.query.year for topic in topics} == {YEAR}
    return list(groups(Indexed.of(library, HashEncoder()), topics, kind, NEW_WEIGHT, SEED))


@pytest.fixture(scope="module")
def local(library: Library, files: tuple[Path, Path]) -> list[Group]:
    return asked(library, files[0], "local")


@pytest.fixture(scope="module")
def whole(library: Library, files: tuple[Path, Path]) -> list[Group]:
    return asked(library, files[1], "global")


def column(group: Group, name: str) -> Any:
    return group.table[:, FEATURES.index(name)]


def named(library: Library, group: Group) -> list[str]:
    """Ids of the candidates."""
    ids = ["", *sorted(each.id for _, each in library.numbered_papers())]  # there is no paper 0
    return [ids[place] for place in group.ids.tolist()]


def about_new(found: Sequence[Group]) -> list[Group]:
    return [group for group in found if group.weight == NEW_WEIGHT]


# Worlds -----------------------------------------------------------------------------------------------------


def test_every_world_is_asked(local: list[Group], whole: list[Group]) -> None:
    """With and without known papers, with and without citing sentences; every set of weights has its
    questions, and those about uncited papers count as told."""
    assert {group.name for group in [*local, *whole]} == set(SETS)
    for kind, found in (("local", local), ("global", whole)):
        assert {group.name for group in about_new(found)} == {kind, f"{kind}+known"}
        assert {group.weight for group in found} == {1.0, NEW_WEIGHT}
    assert sum(group.name == "local" and group.weight == 1 for group in local) == 24
    assert {group.key for group in local} == {name for name, year in CITING.items() if year == YEAR}


def test_tables(library: Library, local: list[Group], whole: list[Group]) -> None:
    """Each has a row for each candidate, a right one among them; nobody is newer than the question, nor the
    asking paper itself."""
    for group in [*local, *whole]:
        names = named(library, group)
        assert group.table.shape == (len(names), len(FEATURES))
        assert np.isfinite(group.table).all()
        assert group.right.any()
        assert group.key not in names
        assert len(set(names)) == len(names)


def test_new_papers(library: Library, local: list[Group], whole: list[Group]) -> None:
    """In the world of uncited papers, right are held-out ones alone, and nothing is known of their citations;
    in the other one they have some."""
    for found in (local, whole):
        about = about_new(found)
        assert about
        for group in about:
            names = np.array(named(library, group))
            right = names[group.right]
            assert all(held_out(name) for name in right)
            for name in ("cited", "citations", "mentions", "nearest_context"):
                assert not column(group, name)[group.right].any()
            assert column(group, "cited")[~np.isin(names, HIDDEN)].any()
        plain = [
            group
            for group in found
            if group.weight == 1 and not group.name.endswith((NO_CONTEXTS, OLD_EVIDENCE))
        ]
        assert any(
            column(group, "cited")[place] and held_out(name)
            for group in plain
            for place, name in enumerate(named(library, group))
            if group.right[place]
        )


def test_silent(local: list[Group], whole: list[Group]) -> None:
    """Without citing sentences, there is nothing in the columns that such a library does without; citations
    still say what is cited together."""
    for found in (local, whole):
        silent = [group for group in found if group.name.endswith(NO_CONTEXTS)]
        assert silent
        for group in silent:
            assert not group.table[:, [FEATURES.index(name) for name in OF_CONTEXTS]].any()
        assert any(column(group, "cocited").any() for group in silent)
        assert any(column(group, "nearest_context").any() for group in found)


def test_known(library: Library, local: list[Group], whole: list[Group]) -> None:
    """Known papers tell by their neighbours. Of a whole paper's four references two are known, and are
    neither right nor candidates; of a sentence's paper, none of the right ones is known."""
    for found in (local, whole):
        known = [group for group in found if "+known" in group.name]
        assert any(column(group, "cocited").any() for group in known)
        for group in found:
            if "+known" not in group.name:
                assert not column(group, "cocited").any()
    cited: dict[str, set[str]] = {name: set() for name in CITING}
    for citing, each in cited_pairs(world_of_papers()):
        cited[citing].add(each)
    for group in whole:
        names = np.array(named(library, group))
        if group.weight == 1:
            right = set(names[group.right])
            assert len(right) + group.missed == (2 if "+known" in group.name else 4)
            assert right <= cited[group.key]
            if "+known" in group.name:
                assert len(cited[group.key] & set(names.tolist())) <= 2
    for group in local:
        assert set(np.array(named(library, group))[group.right]) <= cited[group.key]


@pytest.mark.parametrize("kind", ["local", "global"])
def test_as_of_its_year(
    tmp_path: Path, files: tuple[Path, Path], local: list[Group], whole: list[Group], kind: str
) -> None:
    """A question's own sentence, and all that was written in its year, is no evidence: tables are those of a
    library in which nobody has said anything since the year before."""
    with unsynced(), make(tmp_path, world_of_papers(until=YEAR - 1)) as before:
        found = asked(before, files[kind == "global"], kind)
    # Which papers are known is chosen among the citations of the asking paper, which are not there.
    unlike = (
        {f"{kind}+known{ending}" for ending in ("", OLD_EVIDENCE, NO_CONTEXTS)}
        if kind == "local"
        else set[str]()
    )
    expected = [group for group in (local if kind == "local" else whole) if group.name not in unlike]
    assert len(found) == len(expected) > 20
    for group, other in zip(expected, found, strict=True):
        assert (group.name, group.key, group.weight) == (other.name, other.key, other.weight)
        assert np.array_equal(group.ids, other.ids)
        assert np.array_equal(group.right, other.right)
        assert np.array_equal(group.table, other.table)


def test_the_years_before_are_evidence(tmp_path: Path, files: tuple[Path, Path], local: list[Group]) -> None:
    """The same is not so of the year before: the comparison above can fail."""
    with unsynced(), make(tmp_path, world_of_papers(until=YEAR - 2)) as before:
        found = asked(before, files[0], "local")
    plain = [group for group in local if group.name == "local"]
    pairs = zip(plain, found, strict=False)
    assert any(not np.array_equal(group.table, other.table) for group, other in pairs)


# The product ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def quick() -> Iterator[None]:
    """Few small trees."""
    pytest.importorskip("lightgbm", reason="trees are grown where LightGBM is installed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranker, "ROUNDS", {"local": 4, "global": 3})
        patch.setitem(ranker_fit.TREES, "min_data_in_leaf", 5)
        patch.setitem(ranker_fit.TREES, "num_threads", 1)
        yield


def train(library: Library, files: tuple[Path, Path], year: int = YEAR) -> dict[str, Any]:
    local, whole = files
    settings = RankerSettings(year=year, threshold=0.1, seed=SEED)
    return ranker.ranker_document(library, HashEncoder(), [local], [whole], settings, silent)


@pytest.fixture(scope="module")
def document(library: Library, files: tuple[Path, Path], quick: None) -> dict[str, Any]:
    """As it is read from a file."""
    return dict(orjson.loads(orjson.dumps(train(library, files))))


def test_what_is_trained(library: Library, files: tuple[Path, Path], document: dict[str, Any]) -> None:
    """A document that is a ranker, which ranks; it says how it was made, and how well it does by trees that
    did not see the citing papers that are asked about."""
    model = LinearTrees.of(document)
    assert set(model.weights) == set(SETS)
    assert model.threshold == 0.1
    for name, weighing in model.weights.items():
        assert np.isfinite(list(weighing.values())).all()
        if name.endswith(NO_CONTEXTS):
            assert not any(weighing.get(each, 0.0) for each in OF_CONTEXTS)
    rounds = {name: 4 if name.startswith("local") else 3 for name in map(forest_name, SETS)}
    assert {name: len(trees) for name, trees in document["trees"].items()} == rounds
    grown = [tree for trees in document["trees"].values() for tree in trees]
    assert all(node[0] < len(SEEN_BY_TREES) for tree in grown for node in tree)
    assert any(len(tree) > 1 for tree in document["trees"]["local"])
    making = document["making"]
    assert (making["year"], making["seed"], making["encoder"]) == (YEAR, SEED, HashEncoder().fingerprint)
    assert set(making["data_crc32"]) == {path.name for path in files}
    assert set(making["cross_fitted"]) == {
        *SETS,
        *(f"{name}, uncited" for name in SETS if not name.endswith((NO_CONTEXTS, OLD_EVIDENCE))),
    }
    recommender = Recommender(library, models=ModelSet(encoder=HashEncoder(), ranker=model))
    for kind in ("local", "global"):
        ranked = recommender.rank(Query(kind, "As word3 of trees", title="Word3", year=YEAR), 20)
        chances = [each.probability for each in ranked]
        assert len(chances) == 20
        assert all(chance is not None and 0 <= chance <= 1 for chance in chances)


def test_no_question_of_the_year(library: Library, files: tuple[Path, Path]) -> None:
    """That is said, with the year."""
    with pytest.raises(QueryError, match="no question of the task local is of 1999"):
        train(library, files, year=1999)


# The command ------------------------------------------------------------------------------------------------


def command(*arguments: object) -> BaseException | None:
    return CliRunner().invoke(cli, ["train", "ranker", *map(str, arguments)]).exception


def test_without_the_extra(
    library: Library, files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command that installs what is missing is named, and nothing was written."""
    monkeypatch.setitem(__import__("sys").modules, "lightgbm", None)
    out = tmp_path / "ranker"
    error = command(*files, "--library", library.folder, "--year", YEAR, "--out", out, "--quiet")
    assert isinstance(error, MissingExtraError)
    assert str(error).endswith("install it with: pip install 'citewhy[lab]'")
    assert not out.exists()


@pytest.mark.parametrize(
    ("chosen", "kind", "said"),
    [
        ("c", QueryError, "the ranker learns from citing sentences and from whole papers"),
        ("g", QueryError, "the ranker learns from citing sentences and from whole papers"),
        ("cgp", InputError, r"papers\.jsonl:1: expected a citing sentence or a whole paper"),
        ("cgt", InputError, r"text\.txt:1: expected a citing sentence or a whole paper"),
        ("cge", InputError, r"empty\.jsonl: the file is empty"),
    ],
)
def test_files_that_are_refused(
    library: Library,
    files: tuple[Path, Path],
    tmp_path: Path,
    chosen: str,
    kind: type[CiteWhyError],
    said: str,
) -> None:
    """Before anything is asked: which file, and what was expected."""
    papers, text, nothing = (tmp_path / name for name in ("papers.jsonl", "text.txt", "empty.jsonl"))
    papers.write_text('{"id": "a", "title": "A"}\n')
    text.write_text("no questions at all\n")
    nothing.write_text("")
    named = dict(zip("cgpte", (*files, papers, text, nothing), strict=True))
    given = [named[letter] for letter in chosen]
    error = command(*given, "--library", library.folder, "--out", tmp_path / "ranker", "--quiet")
    assert isinstance(error, kind)
    with pytest.raises(kind, match=said):
        raise error


def test_nothing_is_overwritten(library: Library, files: tuple[Path, Path], tmp_path: Path) -> None:
    """That is found out before the work, not after."""
    error = command(*files, "--library", library.folder, "--out", tmp_path)
    assert isinstance(error, InputError)
    assert "it already exists" in str(error)


@pytest.mark.parametrize("wrong", [("--year", 99), ("--threshold", 1.5), ("--seed", "x")])
def test_options_out_of_range(
    library: Library, files: tuple[Path, Path], tmp_path: Path, wrong: tuple[str, object]
) -> None:
    """A value that cannot be meant is a usage error."""
    arguments = [*files, "--library", library.folder, "--out", tmp_path / "ranker", *wrong]
    result = CliRunner().invoke(cli, ["train", "ranker", *map(str, arguments)])
    assert result.exit_code == 2
    assert str(wrong[0]) in result.output


def test_the_command(
    library: Library,
    files: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    document: dict[str, Any],
) -> None:
    """It writes a model folder with the document that the same data and seed made before, to the last digit,
    and prints a line for each world."""

    def encoder(folder: Path | None) -> Encoder:
        assert folder is None
        return HashEncoder()

    monkeypatch.setattr(ranker, "open_encoder", encoder)
    out = tmp_path / "ranker"
    options = ["--year", YEAR, "--seed", SEED, "--threshold", 0.1, "--out", out, "--quiet"]
    arguments = [*files, "--library", library.folder, *options]
    result = CliRunner().invoke(cli, ["train", "ranker", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    model = read_model(out, "ranker")
    assert model.json("model.json") == {key: value for key, value in document.items() if key != "making"}
    assert model.facts == document["making"]
    assert len(result.output.splitlines()) == 16 + 1
