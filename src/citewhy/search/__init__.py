"""From a query to candidates: the rules of honest ranking, encoders, indexes, first stages."""
