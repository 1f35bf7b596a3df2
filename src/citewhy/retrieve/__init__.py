"""From a query to ranked candidates: signals, evidence as of a year, fusion, rules."""
