"""Models of CiteWhy are trained, measured and compared with published ones here."""
