"""The recipe of the set model (`citewhy.ranking.sets`)."""
