"""The commands of the laboratory, one module each, imported only when they are called."""
