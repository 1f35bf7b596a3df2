"""Papers as entries of a bibliography: BibTeX, Hayagriva, CSL-JSON, RIS."""
