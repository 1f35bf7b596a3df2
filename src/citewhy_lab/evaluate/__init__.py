"""Evaluation: measures of runs against judgements, with intervals and significance tests."""
