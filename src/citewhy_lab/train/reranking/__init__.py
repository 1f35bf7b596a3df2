"""Training rerankers of citing sentences: common to the systems that do."""
