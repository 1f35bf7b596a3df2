"""Asks public services for what the papers of a library lack. The only part of CiteWhy that uses the network,
and only when `citewhy enrich` is called."""
