"""Benchmarks of paper embeddings, in the layouts in which they are published: SciDocs, MDCR, SciRepEval."""
