"""The networks of MP-BERT4CR: what a document's vector depends on, and what is masked in pre-training."""

from __future__ import annotations

from dataclasses import replace

import pytest

for needed in ("torch", "safetensors"):
    pytest.importorskip(needed, reason="needs the extra lab")

import torch  # noqa: E402

from citewhy_lab.train.systems.mpbert4cr.network import (  # noqa: E402
    END,
    MASK,
    PADDING,
    Decoder,
    Encoder,
    MpBert,
    SentenceEncoder,
    Vocabulary,
)
from citewhy_lab.train.systems.mpbert4cr.recipe import PretrainingLearner, masks  # noqa: E402
from citewhy_lab.train.systems.mpbert4cr.settings import PRESETS, MpBertSettings, MpBertShape  # noqa: E402

SHAPE = MpBertShape(layers=1, size=8, heads=2, sentence=4, sentences=6)
READY = MpBertShape(layers=1, size=8, heads=2, inputs=3, sentence=4, sentences=6)


class _Same(torch.nn.Module):  # type: ignore[misc,unused-ignore]
    """In place of layers."""

    def forward(self, states: torch.Tensor, src_key_padding_mask: torch.Tensor) -> torch.Tensor:
        return states


def test_sizes_of_the_source() -> None:
    """Table 2: six layers of 768 with twelve heads; 27 + 3 sentences of a manuscript, 10 + 30 of a paper; ten
    and two iterations and a warm-up of 2,000 for DBLP, 50, five and 1,000 for ACL (5.2)."""
    source = PRESETS["source"]
    assert (source.shape.layers, source.shape.size, source.shape.heads) == (6, 768, 12)
    assert (source.sampled.manuscript, source.sampled.abstract, source.sampled.body) == (27, 10, 30)
    assert (source.positives, source.negatives, source.epochs, source.pretraining) == (3, 4, 2, 10)
    assert (source.pretraining_batch, source.batch, source.dropout, source.margin) == (28, 8, 0.1, 1)
    assert (source.masked, source.clip, source.shape.words, source.shape.inputs) == (0.15, 1, 30_000, 0)
    assert (source.warm_up, source.objective, source.sentence_first) == (2000, "mpt-src-tgt", False)
    acl = PRESETS["source-acl"]
    assert (acl.pretraining, acl.epochs, acl.warm_up) == (50, 5, 1000)
    assert replace(acl, pretraining=10, epochs=2, warm_up=2000) == source


def test_a_sentence_is_the_mean_of_its_words() -> None:
    """Without layers between, the mean over words and places of those that are there: padding counts
    nothing, and a sentence of padding alone is zero."""
    network = SentenceEncoder(6, SHAPE, 0.0).eval()
    network.layers = _Same()
    with torch.no_grad():
        network.words.weight.copy_(torch.arange(6.0)[:, None].expand(6, 8))
        network.places.weight.zero_()
        found = network(torch.tensor([[4, 5, PADDING], [5, PADDING, PADDING], [PADDING] * 3]))
    assert found[:, 0].tolist() == pytest.approx([4.5, 5.0, 0.0])


def test_what_a_sentence_depends_on() -> None:
    """Its words and their order, and not padding."""
    torch.manual_seed(0)
    network = SentenceEncoder(9, SHAPE, 0.0).eval()
    with torch.no_grad():
        alone, turned = (network(torch.tensor([words]))[0] for words in ([4, 5], [5, 4]))
        padded = network(torch.tensor([[4, 5, PADDING, PADDING], [6, 7, 8, 4]]))[0]
    assert padded.tolist() == pytest.approx(alone.tolist(), abs=1e-5)
    assert not torch.allclose(turned, alone, atol=1e-4)


@pytest.mark.parametrize("shape", [SHAPE, READY])
def test_what_a_document_depends_on(shape: MpBertShape) -> None:
    """Each sentence and its place; not padding, nor the other documents of the batch. Its vector is
    normalised: mean 0, variance 1."""
    torch.manual_seed(0)
    encoder = Encoder(9, shape).eval()
    ready = shape.inputs > 0
    one = torch.randn(1, 3, 3) if ready else torch.randint(4, 9, (1, 3, 4))
    other = torch.randn(1, 3, 3) if ready else torch.randint(4, 9, (1, 3, 4))
    all_there = torch.ones(1, 3, dtype=torch.bool)
    with torch.no_grad():
        alone = encoder(one[:, :2], all_there[:, :2])[0]
        padded = encoder(torch.cat([one, other]), torch.tensor([[True, True, False], [True] * 3]))[0]
        whole = encoder(one, all_there)[0]
        turned = encoder(one.flip(1), all_there)[0]
    assert padded.tolist() == pytest.approx(alone.tolist(), abs=1e-5)
    assert not torch.allclose(whole, alone, atol=1e-3)
    assert not torch.allclose(whole, turned, atol=1e-5)
    assert float(alone.mean()) == pytest.approx(0, abs=1e-5)
    assert float(alone.var(unbiased=False)) == pytest.approx(1, abs=1e-2)


def test_both_encoders_start_from_the_pretrained_one() -> None:
    """They have its weights, and are two: a step of one leaves the other as it is."""
    start, network = Encoder(9, SHAPE), MpBert(9, SHAPE)
    network.start_from(start)
    for encoder in (network.manuscript, network.citation):
        assert all(
            torch.equal(value, start.state_dict()[name]) for name, value in encoder.state_dict().items()
        )
    with torch.no_grad():
        network.manuscript.norm.weight.add_(1)
    assert torch.equal(network.citation.norm.weight, start.norm.weight)


def test_the_decoder_sees_only_earlier_words() -> None:
    """The prediction at a place does not change with the words after it, and does with those before it and
    with the state of the sentence."""
    torch.manual_seed(0)
    decoder = Decoder(9, SHAPE).eval()
    state = torch.randn(1, 8)
    with torch.no_grad():
        base = decoder(state, torch.tensor([[END, 4, 5]]))[0]
        later = decoder(state, torch.tensor([[END, 4, 6]]))[0]
        earlier = decoder(state, torch.tensor([[END, 7, 5]]))[0]
        elsewhere = decoder(state + 1, torch.tensor([[END, 4, 5]]))[0]
    assert torch.allclose(base[:2], later[:2], atol=1e-6)
    assert not torch.allclose(base[1:], earlier[1:], atol=1e-6)
    assert not torch.allclose(base, elsewhere, atol=1e-6)


def test_masks() -> None:
    """One sentence of a document at least, none that is not there; about the share of many."""
    torch.manual_seed(0)
    there = torch.zeros(400, 20, dtype=torch.bool)
    there[:, :10] = True
    masked, _ = masks(there, 0.15)
    assert bool(masked.any(dim=1).all())
    assert not bool((masked & ~there).any())
    assert 0.15 < float(masked.sum() / there.sum()) < 0.25  # 1.5 of ten, and one where there would be none
    assert bool((masks(there, 0.0)[0].sum(dim=1) == 1).all())


def test_words_of_masked_sentences() -> None:
    """Every word of a hidden sentence is the mask, also its end; a replaced one is another sentence of the
    batch; one that is left is as it was."""
    vocabulary = Vocabulary(["a", "b"], SHAPE)
    encoder, decoder = Encoder(len(vocabulary), SHAPE), Decoder(len(vocabulary), SHAPE)
    texts = [["a a", "b"], ["b b b"]]
    learner = PretrainingLearner(encoder, decoder, texts, vocabulary, vocabulary, MpBertSettings(shape=SHAPE))
    words, there = vocabulary.documents(texts)
    seen: list[torch.Tensor] = []
    encoder.sentence_vectors = seen.append  # type: ignore[method-assign,assignment]
    masked = torch.tensor([[True, True], [True, False]])
    for seed in range(20):
        torch.manual_seed(seed)
        learner._hidden(words, there, masked, torch.tensor([[0.5, 0.95], [0.85, 0.5]]))
        inputs = seen.pop()
        assert inputs[0, 0].tolist() == [MASK, MASK, MASK, PADDING]
        assert inputs[0, 1].tolist() == words[0, 1].tolist()
        assert inputs[1, 0].tolist() in words[there].tolist()
        assert inputs[1, 1].tolist() == [PADDING] * 4


def test_pretraining_learns() -> None:
    """Two documents with two sentences each: the loss of the masked sentences falls to less than half."""
    shape = MpBertShape(layers=1, size=16, heads=2, sentence=4, sentences=4)
    texts = [["one two", "three four"], ["five six", "seven eight"]]
    vocabulary = Vocabulary.of([each for text in texts for each in text], shape)
    torch.manual_seed(0)
    encoder, decoder = Encoder(len(vocabulary), shape), Decoder(len(vocabulary), shape)
    settings = MpBertSettings(shape=shape, pretraining_rate=0.01, dropout=0.0)
    learner = PretrainingLearner(encoder, decoder, texts, vocabulary, vocabulary, settings)
    losses = []
    for step in range(60):
        torch.manual_seed(step)
        learner.optimizers[0].zero_grad()
        loss = learner.loss(step)
        loss.backward()
        learner.optimizers[0].step()
        losses.append(loss.item())
    assert sum(losses[-5:]) < sum(losses[:5]) / 2
