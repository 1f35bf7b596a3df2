"""The commands of the laboratory, which `citewhy` finds by an entry point (`citewhy.doors.cli`)."""

from __future__ import annotations

from collections.abc import Mapping

_HELPS = {
    "tune": "Fit the ranking to your own finished drafts.",
    "backtest": "Measure suggestions on finished papers by hiding their citations.",
    "datasets": "Build data sets for training and evaluation from full texts.",
    "evaluate": "Measure the pipeline on a task with known answers.",
    "experiment": "Reproduce a table from the literature on your data.",
    "train": "Train a model on your own data.",
}

COMMANDS: Mapping[str, tuple[str, str]] = {
    name: (help_, f"citewhy_lab.cli.{name}:command") for name, help_ in _HELPS.items()
}
"""Name of a command → one line of help, and where the command is."""
