"""Runs and judgements in, measures with intervals and tests out. Nothing here touches a library."""
