"""The recipe of sentence classifiers."""
