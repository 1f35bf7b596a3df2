"""The order of the candidates: features, a linear model, trees, and how sure they are."""
