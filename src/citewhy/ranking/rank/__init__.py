"""Ranks the candidates: features, a linear model, trees, calibrated probabilities, and rerankers."""
