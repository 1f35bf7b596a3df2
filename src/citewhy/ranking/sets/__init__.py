"""Several papers for one place: which ones belong together, and how many are needed."""
