"""Finds the candidates of a query: the rules of honest ranking, encoders, indexes, first stages."""
