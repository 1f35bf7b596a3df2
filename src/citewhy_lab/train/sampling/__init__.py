"""Sampling of training examples: positives and negatives."""
