"""The linkage networks of Nomoto (2018)."""
