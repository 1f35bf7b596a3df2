"""The default encoder: sentence vectors trained on citations."""
