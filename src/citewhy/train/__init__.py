"""Recipes that make models: what they learn from, the loop, the folder that comes out.

`torch`, `transformers`, `onnx` and `safetensors` are the extra ``train``. Modules of this package import them
at the top where they compute with them; `settings`, `collection`, `encoder_data`, `batches` and
`hard_negatives` do without.
"""
