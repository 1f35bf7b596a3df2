"""Smaller vocabularies: the tokens that texts of a field do not have lose their embeddings.

Other words are then read as the pieces that are left, down to single letters.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import orjson
import torch

__all__ = ["keep_tokens"]

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


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
    places = {name: place for place, name in enumerate(kept)}
    added = [each for each in document.get("added_tokens", []) if each["content"] in places]
    document["added_tokens"] = [{**each, "id": places[each["content"]]} for each in added]
    processor = document.get("post_processor") or {}
    for special in processor.get("special_tokens", {}).values():
        special["ids"] = [places[name] for name in special["tokens"]]
    for side in ("sep", "cls"):
        if side in processor:
            name, _ = processor[side]
            processor[side] = [name, places[name]]
    document["model"]["vocab"] = places
    document["padding"], document["truncation"] = None, None
    table = encoder.embeddings.word_embeddings
    with torch.no_grad():
        rows = table.weight[[vocabulary[name] for name in kept]].clone()
    encoder.embeddings.word_embeddings = torch.nn.Embedding.from_pretrained(rows)
    return orjson.dumps(document)
