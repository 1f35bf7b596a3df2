"""A few numbers of the last step, fitted to one author's own finished drafts and kept in their library.

How much more or less the kinds of evidence (`rank.last_step.EVIDENCE`) count than the last step gives them,
and how its scores become probabilities. `citewhy tune` fits them (`evaluate.backtest.tuning`).
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any

import orjson

from citewhy.base.artifact import read_file, replace_file, unfinished_in
from citewhy.base.errors import DamagedError, StorageError
from citewhy.ranking.rank.calibration import Calibration

FILE_NAME = "tuning.json"
_KEPT = ".tuned"
"""Says that there is a tuning, so that nobody takes its loss for a library that was never tuned."""
"""In the folder of the library."""

_HINT = "fit it again with: citewhy tune DRAFT…, or remove it with: citewhy tune --forget"


@dataclass(frozen=True, slots=True)
class Tuning:
    """Holds for the ranker that it was fitted for."""

    ranker: int
    """`LastStep.fingerprint`."""
    weights: Mapping[str, float]
    """Kind of evidence → how many times what the last step gives it is added once more; above -1."""
    calibration: Calibration | None
    """It is fitted to places in drafts; None stands for that of the last step."""
    facts: Mapping[str, Any]
    """On what it was fitted, and how well it does in cross-validation."""

    def document(self, ranker: int | None) -> dict[str, Any]:
        """Says for people and programs whether it is ``used`` by the ranker whose last step has the
        fingerprint `ranker`, ``weights``, whether there is a ``calibration``, and the facts."""
        fitted = {"weights": dict(self.weights), "calibration": self.calibration is not None}
        return {"used": self.ranker == ranker, **fitted, **self.facts}


def write_tuning(folder: Path, tuning: Tuning) -> None:
    """Into the folder of a library, in place of what is there. Raises StorageError."""
    content = orjson.dumps(asdict(tuning), option=orjson.OPT_SORT_KEYS)
    document = {"crc32": zlib.crc32(content), "tuning": orjson.loads(content)}
    try:
        with unfinished_in(folder) as aside:
            content = orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n"
            replace_file(folder / FILE_NAME, content, aside / FILE_NAME)
            replace_file(folder / _KEPT, b"", aside / _KEPT)
    except OSError as error:
        raise StorageError(f"cannot write: {error.strerror or error}", path=folder) from error


def read_tuning(folder: Path) -> Tuning | None:
    """Reads the tuning of a library; None where there is none. Raises DamagedError for a file that is not as
    it was written."""
    path = folder / FILE_NAME
    try:
        content = read_file(path)
    except FileNotFoundError:
        if not (folder / _KEPT).exists():
            return None
        raise DamagedError(
            "the library was tuned to drafts, and the tuning is missing", path=path, hint=_HINT
        ) from None
    except OSError as error:
        raise DamagedError(
            f"the tuning of the library cannot be read ({error.strerror or error})", path=path, hint=_HINT
        ) from error
    try:
        document = orjson.loads(content)
        written = document["tuning"]
        if zlib.crc32(orjson.dumps(written, option=orjson.OPT_SORT_KEYS)) != document["crc32"]:
            raise ValueError("the checksum is another one")
        calibration = written["calibration"]
        tuning = Tuning(
            int(written["ranker"]),
            {str(kind): float(weight) for kind, weight in written["weights"].items()},
            None if calibration is None else Calibration(**calibration),
            written["facts"],
        )
        if not all(math.isfinite(weight) and weight > -1 for weight in tuning.weights.values()):
            raise ValueError("a weight is out of its range")
        fitted = tuning.calibration
        if fitted is not None and not all(map(math.isfinite, astuple(fitted))):
            raise ValueError("the calibration is not finite")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedError(
            f"the tuning of the library is damaged ({error})", path=path, hint=_HINT
        ) from error
    return tuning


def forget_tuning(folder: Path) -> bool:
    """Removes it; False where there was none."""
    paths = [folder / _KEPT, folder / FILE_NAME]
    there = any(path.exists() for path in paths)
    for path in paths:
        path.unlink(missing_ok=True)
    return there
