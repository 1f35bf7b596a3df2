"""Vectors of words and papers learned from citing sentences: word2vec, doc2vec, HyperDoc2Vec and DACR, the
baselines of MP-BERT4CR (Zhang and Ma 2021)."""
