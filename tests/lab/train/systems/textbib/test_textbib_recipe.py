"""TEXTBIB from end to end, on ten topics."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

for needed in ("torch", "scipy", "safetensors"):
    pytest.importorskip(needed, reason="needs the extra lab")

import torch  # noqa: E402
from safetensors.numpy import load_file  # noqa: E402
from small_field import DATA, PAPERS, TOPICS, context, everything, silent, tiny  # noqa: E402

from citewhy.base.artifact import read_manifest  # noqa: E402
from citewhy.base.errors import InputError, QueryError  # noqa: E402
from citewhy.base.records import Citation, Query  # noqa: E402
from citewhy.models import read_model  # noqa: E402
from citewhy.ranking.rank.opening import open_reranker, weighed  # noqa: E402
from citewhy.ranking.rank.reranker import RerankRequest  # noqa: E402
from citewhy.search.encode import TextKind, Vectors  # noqa: E402
from citewhy_lab.evaluate.datasets.held_out import held_out  # noqa: E402
from citewhy_lab.train.recipe import checkpoints, run  # noqa: E402
from citewhy_lab.train.systems.textbib import served  # noqa: E402
from citewhy_lab.train.systems.textbib.network import TextBib  # noqa: E402
from citewhy_lab.train.systems.textbib.recipe import TextBibLearner, _start, train_textbib  # noqa: E402
from citewhy_lab.train.systems.textbib.served import TextBibReranker, load  # noqa: E402
from citewhy_lab.train.systems.textbib.settings import (  # noqa: E402
    RECIPE,
    SOURCE,
    VARIANTS,
    TextBibSettings,
    TextBibShape,
    Variant,
)

NOBODY = np.zeros(0, dtype=np.int16)

TRAIN = """
import sys
from pathlib import Path
from small_field import DATA, tiny
from citewhy_lab.train.systems.textbib.recipe import train_textbib

def tell(what, share):
    if what.startswith("step"):
        print(what.split()[1], flush=True)
        if len(sys.argv) > 2 and what.split()[1] == sys.argv[2]:
            sys.stdin.read()  # here it is killed

train_textbib(DATA, tiny(), Path(sys.argv[1]), tell)
"""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that was trained without interruption."""
    out = tmp_path_factory.mktemp("whole") / "model"
    train_textbib(DATA, tiny(), out, silent)
    return out


def open_textbib(folder: Path) -> TextBibReranker:
    """The model in a folder."""
    return served.open_textbib(read_model(folder, "reranker"))


def query(topic: str) -> Query:
    asked = context(topic, 2)
    return Query("local", asked.text, f"Better {topic}", f"Our {topic} is better.", year=2005)


class OneOfAKind:
    """An encoder that tells one word from all others."""

    name = fingerprint = "one of a kind"
    dimensions = 2

    def __init__(self, word: str) -> None:
        self._word = word

    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        found = np.zeros((len(texts), 2), dtype=np.float32)
        for vector, text in zip(found, texts, strict=True):
            vector[int(text == self._word)] = 1.0 if text else 0.0
        return found


@pytest.mark.parametrize("variant", ["TEXTCON", "TEXTENH"])
def test_it_learns_ten_contexts(tmp_path: Path, variant: Variant) -> None:
    """By its text alone it puts the paper of each sentence it has learned first, among all twenty."""
    out = tmp_path / "model"
    settings = dataclasses.replace(tiny(variant, epochs=40), dropout=0.0, train_words=True, validate_every=40)
    report = train_textbib(DATA, settings, out, silent).facts
    assert report["losses"][-1] < report["losses"][0] / 2
    reranker = open_textbib(out)
    candidates = [paper for paper in PAPERS if paper.year != 2005]
    best = []
    for each in DATA.train:
        topic = each.citing_id.removeprefix("citing-")
        asked = Query("local", each.text, f"Better {topic}", f"Our {topic} is better.", year=2005)
        scores = reranker.scores(RerankRequest(asked, candidates, [NOBODY] * len(candidates)))
        best.append(candidates[int(scores.argmax())].id)
    assert best == [each.cited_ids[0] for each in DATA.train]


def test_killed_and_continued(tmp_path: Path, trained: Path) -> None:
    """A process that is killed in the middle, and started again, ends with the weights of one that was not,
    to the bit."""
    out = tmp_path / "model"
    command = [sys.executable, "-c", TRAIN, str(out)]
    # As many threads as this process has: sums in another order would be other sums.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [*command, "13"],  # two epochs and more than half of the third
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as child:
        assert child.stdout is not None
        assert "13" in (line.strip() for line in child.stdout)
        child.kill()
    assert child.returncode == -signal.SIGKILL
    (left,) = checkpoints(out).iterdir()
    assert left.name == "step-000010"
    assert not out.exists()
    again = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    assert again.stdout.split()[0] == "11"
    whole, resumed = (load_file(folder / "model.safetensors") for folder in (trained, out))
    assert whole.keys() == resumed.keys()
    assert [name for name in whole if not np.array_equal(whole[name], resumed[name])] == []


def test_what_is_written(trained: Path) -> None:
    """The folder says what it learned from, and keeps the weights of the best validation."""
    manifest = read_manifest(trained)
    facts = manifest["facts"]
    assert [manifest[key] for key in ("kind", "reader", "name")] == ["reranker", "textbib", "TEXTBIBENH-WS"]
    assert facts["settings"]["negatives"] == "random=4"
    assert (facts["data"]["pairs"], facts["data"]["missed"], facts["data"]["newest"]) == (10, 1, 2005)
    assert [each["epoch"] for each in facts["validations"]] == [2, 4, 6]
    assert facts["best"]["mrr"] == max(each["mrr"] for each in facts["validations"]) <= 0.9  # one is missed
    assert set(manifest["files"]) == {"model.safetensors", "vocabulary.json"}


def test_the_regimes(tmp_path: Path) -> None:
    """Strict learns from nine of ten pairs: the first stage missed one. A paper of which one id is held out
    is not learned, whatever id it is cited under."""
    assert [topic for topic in TOPICS if held_out(f"cited-{topic}")] == []
    assert held_out(DATA.aliases[0].same_as)
    strict = train_textbib(DATA, tiny(regime="strict", epochs=1), tmp_path / "strict", silent).facts
    assert (strict["data"]["pairs"], strict["data"]["missed"]) == (9, 1)
    shown = dataclasses.replace(tiny(epochs=1), held_out=True)
    assert train_textbib(DATA, shown, tmp_path / "shown", silent).facts["data"]["pairs"] == 9


def test_other_settings_in_its_place(tmp_path: Path, trained: Path) -> None:
    """A model that is there is not overwritten, and a training of other settings not continued."""
    with pytest.raises(InputError, match="it already exists"):
        run(RECIPE, DATA, tiny(), trained, silent)
    out = tmp_path / "model"
    train_textbib(DATA, tiny(epochs=1), out, silent)
    out.rename(tmp_path / "first")
    with pytest.raises(InputError, match="a training with other settings was begun here"):
        train_textbib(DATA, tiny(epochs=2), out, silent)


def test_nothing_to_learn(tmp_path: Path) -> None:
    """Where no paper of a context was found, that is an error, not an empty model."""
    none = dataclasses.replace(DATA, first_stage=lambda _query: [])
    with pytest.raises(InputError, match="no context can be learned from"):
        train_textbib(none, tiny(regime="strict"), tmp_path / "model", silent)


def test_scores_are_its_own(trained: Path) -> None:
    """A candidate's score is the same alone, among others, in any order, and asked for again (the cache)."""
    reranker = open_textbib(trained)
    papers = PAPERS[:8]
    cited = [np.array([2003, 2004] * (place % 3), dtype=np.int16) for place in range(8)]
    together = reranker.scores(RerankRequest(query("parsing"), papers, cited))
    again = reranker.scores(RerankRequest(query("parsing"), papers[::-1], cited[::-1]))[::-1]
    alone = [
        float(reranker.scores(RerankRequest(query("parsing"), [paper], [years]))[0])
        for paper, years in zip(papers, cited, strict=True)
    ]
    assert together.tolist() == pytest.approx(again.tolist(), abs=1e-5)
    assert together.tolist() == pytest.approx(alone, abs=1e-5)
    assert reranker.scores(RerankRequest(query("parsing"), [], [])).shape == (0,)


def test_candidates_in_blocks(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Computed in blocks of a few tokens, scores are those of all candidates at once; a query without a year
    counts as of the newest citation of all of them, not of those in the block."""
    papers = PAPERS[:8]
    cited = [np.array([1990 + place] * place, dtype=np.int16) for place in range(8)]
    request = RerankRequest(dataclasses.replace(query("parsing"), year=None), papers, cited)
    found = []
    for most in (1, 20, 10**6):
        monkeypatch.setattr(served, "_TOKENS_AT_ONCE", most)
        found.append(open_textbib(trained).scores(request).tolist())
    assert found[0] == pytest.approx(found[2], abs=1e-6)
    assert found[1] == pytest.approx(found[2], abs=1e-6)


@pytest.mark.parametrize(
    ("lengths", "wanted"),
    [
        ([3, 3, 3, 3], [(0, 1), (1, 2), (2, 4)]),  # ends at 3, 6, 9 and 12 of blocks that end at 4, 8 and 12
        ([10, 1], [(0, 2)]),
        ([1], [(0, 1)]),
    ],
)
def test_blocks(monkeypatch: pytest.MonkeyPatch, lengths: list[int], wanted: list[tuple[int, int]]) -> None:
    """Of four tokens; a text is never cut."""
    monkeypatch.setattr(served, "_TOKENS_AT_ONCE", 4)
    assert [(each.start, each.stop) for each in served._blocks(lengths)] == wanted


@pytest.mark.parametrize("variant", VARIANTS)
def test_reasons(tmp_path: Path, variant: Variant) -> None:
    """Words that the attention weighed, and, where authors and citations count, what they said; the shares
    add up to one."""
    out = tmp_path / "model"
    train_textbib(DATA, tiny(variant, epochs=1), out, silent)
    reranker = open_textbib(out)
    assert (reranker.name, reranker.depth, set(reranker.kinds)) == (variant, 1000, {"local"})
    reasons = reranker.reasons(
        RerankRequest(query("parsing"), PAPERS[:1], [np.array([2003], dtype=np.int16)]), 0
    )
    kinds = {reason.kind: reason for reason in reasons}
    assert kinds.keys() == ({"text", "bibliography"} if "BIB" in variant else {"text"})
    assert kinds["text"].text.startswith("the text module gave most weight to “")
    assert "“parsing”" in kinds["text"].text
    if "BIB" in variant:
        assert kinds["bibliography"].text.startswith("authors and 1 citation speak ")
    assert sum(reason.weight for reason in reasons) == pytest.approx(1.0, abs=0.002)
    assert [reason.weight for reason in reasons] == sorted(
        (reason.weight for reason in reasons), reverse=True
    )


def test_contexts_without_a_year(tmp_path: Path) -> None:
    """They are learned from as all others, and validate."""
    papers = [dataclasses.replace(each, year=None) for each in PAPERS]
    contexts = [dataclasses.replace(context(topic, 0), year=None) for topic in TOPICS]
    timeless = dataclasses.replace(DATA, papers=papers, train=contexts, val=contexts)
    made = train_textbib(timeless, tiny(), tmp_path / "timeless", silent).facts
    assert (made["data"]["contexts"], made["data"]["validated"]) == (10, 10)
    assert made["best"]["mrr"] > 0.5


def test_contexts_with_enough_neighbours(tmp_path: Path) -> None:
    """A topic's papers cite no paper that cites others, so that no context has a neighbour: nothing can be
    learned from them; with a citation between two cited papers, the contexts of the first can."""
    enough = dataclasses.replace(tiny(), enough=("neighbours", 1))
    with pytest.raises(InputError, match="no context can be learned from"):
        train_textbib(DATA, enough, tmp_path / "none", silent)
    cited = sorted({each.cited_ids[0] for each in DATA.train})
    linked = dataclasses.replace(DATA, citations=[*DATA.citations, Citation(cited[0], cited[1])])
    made = train_textbib(linked, enough, tmp_path / "some", silent).facts
    whole = train_textbib(linked, tiny(), tmp_path / "all", silent).facts
    assert 0 < made["data"]["contexts"] < whole["data"]["contexts"]


def test_the_preset_of_the_source(tmp_path: Path) -> None:
    """300 triplets a batch, ten a pair, a margin of .3, 200 words of a paper, word vectors that are trained,
    Adam's own learning rate, which stays; a model that reads function words is one after reopening, too."""
    assert (SOURCE.pairs, SOURCE.negatives.count, SOURCE.epochs, SOURCE.batches) == (30, 10, 100, 100)
    assert (SOURCE.margin, SOURCE.learning_rate, SOURCE.decay, SOURCE.train_words) == (0.3, 1e-3, False, True)
    assert (SOURCE.shape.paper_tokens, SOURCE.shape.state, SOURCE.validate_every) == (200, 100, 5)
    brief = dataclasses.replace(SOURCE, epochs=1, batches=2, pairs=2, shape=tiny().shape)
    brief = dataclasses.replace(brief, shape=dataclasses.replace(brief.shape, function_words=True))
    train_textbib(DATA, brief, tmp_path / "model", silent)
    assert load(tmp_path / "model").reader.shape.function_words is True


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_training_on_a_gpu(tmp_path: Path) -> None:
    """It learns there, and the model is read on the CPU."""
    train_textbib(DATA, tiny(), tmp_path / "model", silent, "cuda")
    assert load(tmp_path / "model").network.encoder.embedding.weight.device.type == "cpu"


def test_word_vectors_stay_or_are_learned(tmp_path: Path) -> None:
    """After one epoch, and after two, the table is the same where words are not trained, else it is not."""
    for learned in (False, True):
        tables = []
        for epochs in (1, 2):
            out = tmp_path / f"{learned}-{epochs}"
            settings = dataclasses.replace(tiny(epochs=epochs), train_words=learned, validate_every=epochs)
            train_textbib(DATA, settings, out, silent)
            tables.append(load(out).network.encoder.embedding.weight)
        assert torch.equal(*tables) is not learned


def test_words_begin_near_in_meaning(tmp_path: Path) -> None:
    """An encoder thinks all words but one alike: so do the vectors, beside what the papers' words say."""
    out = tmp_path / "model"
    settings = dataclasses.replace(tiny(epochs=1), train_words=False)
    data = dataclasses.replace(DATA, encoder=OneOfAKind("tagging"))
    report = train_textbib(data, settings, out, silent).facts
    assert report["data"]["vectors"] == "the papers, one of a kind"
    opened = load(out)
    rows = opened.reader.words(["tagging", "parsing", "alignment"])
    with torch.no_grad():
        one, two, three = torch.nn.functional.normalize(opened.network.encoder.embedding.weight[rows])
        assert two @ three > one @ three + 0.2


def test_what_the_first_stage_counts_is_chosen(tmp_path: Path) -> None:
    """A first stage that knows the answers is followed, an untrained network is not; the folder says by how
    much, and the caller may say otherwise."""

    def knowing(query: Query) -> list[str]:
        topic = query.citing_id.removeprefix("citing-")
        return [f"cited-{topic}", *(each for each in everything(query) if each != f"cited-{topic}")]

    chosen = {}
    for name, first_stage in {"knowing": knowing, "blind": everything}.items():
        out = tmp_path / name
        settings = dataclasses.replace(tiny(epochs=1), learning_rate=1e-9)
        report = train_textbib(
            dataclasses.replace(DATA, first_stage=first_stage), settings, out, silent
        ).facts
        (chosen[name],) = report["weights"]
        assert read_manifest(out)["facts"]["weights"] == report["weights"]
        assert chosen[name]["mrr"] >= report["best"]["mrr"]
    assert chosen["knowing"]["before"] == 1  # nothing is better, and it says so
    assert weighed(open_textbib(tmp_path / "knowing"), "bm25")[1].endswith("(MRR 1.000 against 1.000)")
    assert chosen["knowing"]["weight"] in TextBibLearner.first_stage_weights[1:]
    assert chosen["knowing"]["mrr"] == 1 > chosen["blind"]["mrr"]
    folder = tmp_path / "knowing"
    assert open_textbib(folder).first_stage_weight == chosen["knowing"]["weight"]
    other = open_reranker(folder, 0.3)
    assert other is not None
    assert (other.first_stage_weight, other.name) == (0.3, "TEXTBIBENH-WS")
    with pytest.raises(QueryError, match="--first-stage-weight needs a reranker"):
        open_reranker(None, 0.3)
    assert open_reranker(None, None) is None


def test_a_weight_for_each_pipeline(tmp_path: Path) -> None:
    """Validation chooses a weight for the order that it was trained on and for that of another pipeline; each
    is used over its own, and over a third one people are told that none was chosen."""

    def backwards(query: Query) -> list[str]:
        return everything(query)[::-1]

    data = dataclasses.replace(DATA, others={"full": backwards})
    report = train_textbib(data, tiny(), tmp_path / "model", silent).facts
    assert [each["pipeline"] for each in report["weights"]] == ["bm25", "full"]
    reranker = open_textbib(tmp_path / "model")
    for each in report["weights"]:
        found, remark = weighed(reranker, each["pipeline"])
        assert found.first_stage_weight == each["weight"]
        assert not remark
        assert each["mrr"] > each["before"]
    found, remark = weighed(reranker, "hybrid")
    assert found.first_stage_weight == report["weights"][0]["weight"]
    assert "was weighed against the order of bm25 and full, not of hybrid" in remark
    set_by_hand = open_reranker(tmp_path / "model", 0.7)
    assert set_by_hand is not None
    assert weighed(set_by_hand, "hybrid") == (set_by_hand, "")


def test_word_vectors_of_a_file_decide_their_size(tmp_path: Path) -> None:
    """Whatever size was asked for."""
    file = tmp_path / "vectors.txt"
    file.write_text("2 3\nparsing 1 0 0\ntagging 0 1 0\n")
    out = tmp_path / "model"
    settings = dataclasses.replace(tiny(epochs=1), train_words=False)
    report = train_textbib(dataclasses.replace(DATA, vectors=file), settings, out, silent).facts
    assert report["settings"]["shape"]["word"] == 3
    assert report["data"]["vectors"] == "vectors.txt"
    opened = load(out)
    vectors = opened.network.encoder.embedding.weight[opened.reader.words(["parsing", "tagging"])]
    assert torch.allclose(vectors, 3**0.5 * torch.eye(3)[:2])


@pytest.mark.parametrize("published", [False, True])
def test_the_start(published: bool) -> None:
    """Vectors of length 2 in four dimensions have mean length 2 = √4 as random ones have, and those of length
    1 are doubled, or left as they are given; a word without a vector is as long as they are in the mean. The
    attention vector of 4,000 numbers has the deviation 1 of the published code, or is near zero."""
    shape = TextBibShape(word=4, state=2, attention=4000)
    torch.manual_seed(1)
    network = TextBib(500, 3, shape)
    vectors = np.zeros((500, 4), dtype=np.float32)
    vectors[0], vectors[1] = [1, 0, 0, 0], [0, 1, 0, 0]
    _start(network, vectors, TextBibSettings(shape=shape, published_start=published))
    lengths = network.encoder.embedding.weight.detach().norm(dim=1)
    one = 1.0 if published else 2.0
    assert lengths[:2].tolist() == [one, one]
    assert float(lengths[2:].square().mean().sqrt()) == pytest.approx(one, rel=0.1)
    deviation = float(network.attention.v.weight.detach().std())
    assert deviation == pytest.approx(1, rel=0.1) if published else deviation < 0.02
