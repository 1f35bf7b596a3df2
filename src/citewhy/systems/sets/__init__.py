"""The set model: which papers belong together in a citation, and when nothing is missing (`citewhy.sets`)."""
