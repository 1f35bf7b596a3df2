"""Training: data, the training loop, and recipes that write model folders.

`train` carries out any recipe. `torch`, `transformers`, `onnx` and `safetensors` are the extra ``lab``:
modules that compute with them import them at the top, and modules that declare settings do not.
"""

from __future__ import annotations

from citewhy_lab.train.recipe import Trained, train

__all__ = ["Trained", "train"]
