"""The classifier that tells which sentences need a citation."""
