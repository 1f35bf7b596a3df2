"""Published systems and our own models: one folder each, with network, data and training recipe."""
