"""A cross-encoder: a network that reads a sentence and a candidate together."""
