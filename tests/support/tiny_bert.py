"""Makes the model folder of a small BERT with random weights."""

from __future__ import annotations

from pathlib import Path

WORDS = """
    the a of is was by in we and to that which . , translation machine bleu score statistical phrase word
    english foreign noisy channel model error rate training automatic evaluation language learning method
"""


def tiny_bert(folder: Path, layers: int = 2, more: tuple[str, ...] = ()) -> Path:
    """Writes the model; its vocabulary is `WORDS` and `more`."""
    import tokenizers
    import torch
    import transformers
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import TemplateProcessing

    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS.split(), *more]
    tokenizer = tokenizers.Tokenizer(WordLevel({name: place for place, name in enumerate(names)}, "[UNK]"))
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    folder.mkdir(exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    config = transformers.BertConfig(
        vocab_size=len(names),
        hidden_size=32,
        num_hidden_layers=layers,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
        initializer_range=0.2,
    )
    torch.manual_seed(0)
    transformers.utils.logging.disable_progress_bar()
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder
