"""MP-BERT4CR: several citations for one place (Zhang and Ma 2021)."""
