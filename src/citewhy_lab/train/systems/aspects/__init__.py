"""Paper embeddings that know why papers cite each other: SPECTER, SPECTERCL, SciAspect and its variants."""
