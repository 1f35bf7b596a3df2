"""From a query to candidates: named first stages, each with its best papers, and their union.

What is asked of the index is asked through `index.engine` alone, as of the query's scope (`rules.py`); after
the first stages nothing is computed for papers that are no candidates.
"""
