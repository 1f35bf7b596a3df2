"""Training: data, the training loop, and recipes that write model folders.

`torch`, `transformers`, `onnx` and `safetensors` are the extra ``train``. Modules that compute with them
import them at the top; `settings` and `collection` do not need them.
"""
