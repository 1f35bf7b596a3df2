"""BERT encoders of which some layers are trained, and that lose the tokens that texts of a field do not have.

Other words are then read as the pieces that are left, down to single letters.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import orjson
import torch
import transformers

from citewhy.papers.formats import read_papers

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def open_bert(start: Path, layers: int, trained: int, dropout: float, attention_dropout: float) -> Any:
    """Returns the first `layers` layers of the encoder in the folder `start`, in 32 bits and without a
    pooling layer. Only the last `trained` of them have gradients: the embeddings, and what is below, stay as
    they are."""
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    encoder: Any = transformers.BertModel.from_pretrained(
        start,
        add_pooling_layer=False,
        attn_implementation="eager",
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=attention_dropout,
        dtype=torch.float32,
        local_files_only=True,
        use_safetensors=True,
    )
    kept = encoder.encoder.layer[:layers]
    encoder.encoder.layer = kept
    encoder.config.num_hidden_layers = len(kept)
    for fixed in (encoder.embeddings, *kept[: len(kept) - trained]):
        for weights in fixed.parameters():
            weights.requires_grad = False
    return encoder


def keep_tokens(
    encoder: Any, tokenizer: Path, counts: Mapping[int, int], least: int, more: Collection[str] = ()
) -> bytes:
    """Drops the tokens that occur fewer than `least` times from a BERT `encoder` of transformers, which it
    changes, and returns its `tokenizer` (JSON of the `tokenizers` library) without them.

    `counts` are by token id, 0 where missing. Special tokens, single characters and the tokens `more` stay.
    """
    document = orjson.loads(tokenizer.read_bytes())
    vocabulary: dict[str, int] = document["model"]["vocab"]
    always = {*_SPECIAL, *more}
    kept = [
        name
        for name, number in sorted(vocabulary.items(), key=lambda item: item[1])
        if counts.get(number, 0) >= least or name in always or len(name.removeprefix("##")) == 1
    ]
    numbers = {name: number for number, name in enumerate(kept)}
    added = [token for token in document.get("added_tokens", []) if token["content"] in numbers]
    document["added_tokens"] = [{**token, "id": numbers[token["content"]]} for token in added]
    processor = document.get("post_processor") or {}
    for special in processor.get("special_tokens", {}).values():
        special["ids"] = [numbers[name] for name in special["tokens"]]
    for side in ("sep", "cls"):
        if side in processor:
            name, _ = processor[side]
            processor[side] = [name, numbers[name]]
    document["model"]["vocab"] = numbers
    document["padding"], document["truncation"] = None, None
    table = encoder.embeddings.word_embeddings
    with torch.no_grad():
        rows = table.weight[[vocabulary[name] for name in kept]].clone()
    encoder.embeddings.word_embeddings = torch.nn.Embedding.from_pretrained(rows)
    return orjson.dumps(document)


def texts_of(file: Path | None) -> list[str]:
    """Returns titles and abstracts of the papers in a file, in any format that `citewhy add` reads; none
    without one. Raises InputError."""
    papers = [] if file is None else read_papers(file)
    return [f"{paper.title}. {paper.abstract}" for paper in papers]
