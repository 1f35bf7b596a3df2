"""Finds what citations are for: the intent of every citing sentence in a library, and what it says of a
paper.

`labels` has the intents; `table` derives those of a library's citing sentences, with a sentence classifier
(`classify`); `counts` counts them for papers, as of a query; `ranking` puts papers first that are cited with
an intent."""
