"""Retrieves the candidates of a query: the union of the best papers of several named first stages.

The index is accessed only through the protocol in `index.engine`, within the scope of the query
(`search/rules.py`). After the first stages, nothing is computed for papers that are not candidates.
"""
