"""The one way out to the terminal: whatever a command prints passes here, on standard output or error.

Titles, file names, drafts and diffs come from anywhere. A terminal obeys control characters in them: an
escape sequence can hide the change that is to be confirmed, or the end of a path. They are shown as JSON
writes them (``\\u001b``), so that JSON documents stay what they are.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import sys
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

from citewhy.base.errors import StorageError
from citewhy.base.log import event

# Every command imports this module, `citewhy --help` too: what only answers need is imported late.
if TYPE_CHECKING:
    from citewhy.doors.present.lines import Look

_GO_ON = "check where it goes to; what was changed before is changed"
_NARROWEST, _WIDEST = 40, 120
_CODES = {"strong": "\x1b[1m", "key": "\x1b[36m", "end": "\x1b[0m"}
"""These codes switch a terminal to each of `STYLES`."""

_HARMFUL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]|\r(?!\n)"
)
"""Control characters but tab and line end; those that reverse the order of what follows; invisible tags; and
halves of characters, which stand for bytes of file names that are not UTF-8."""


def shown(text: str) -> str:
    """The text with harmful characters as ``\\uXXXX``."""
    return _HARMFUL.sub(_escaped, text) if _HARMFUL.search(text) else text


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD7C0 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


class _OutputError(Exception):
    """Standard output cannot be written. No command may catch it, and go on."""


class _Shown:
    """A text stream that shows what it writes. Everything else is that of the stream inside.

    Raises _OutputError where the stream cannot be written, so that an OSError of something else is not taken
    for one of the output; what goes to standard error, which is `optional`, is lost then.
    """

    def __init__(self, inside: TextIO, *, optional: bool) -> None:
        self.inside = inside
        self._optional = optional

    def write(self, text: str) -> int:
        if self._optional and text.strip():
            event("message", text=text.strip())
        self.write_as_it_is(shown(text))
        return len(text)

    def write_as_it_is(self, text: str) -> None:
        """Writes a text in which nothing is harmful."""
        with self._passing():
            self.inside.write(text)

    def flush(self) -> None:
        with self._passing():
            self.inside.flush()

    @contextlib.contextmanager
    def _passing(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            if not self._optional:
                raise _OutputError(error.strerror or str(error)) from error
            _discard(self.inside)

    def writelines(self, lines: list[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inside, name)


class _Closed(io.TextIOBase):
    """Standard output that was closed before the start: what is written to it fails, as in other programs."""

    def write(self, _text: str) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


@contextlib.contextmanager
def terminal() -> Iterator[None]:
    """Within the block, everything that is printed is shown harmlessly, and warnings are lines on standard
    error. Raises StorageError if the output cannot be written; a closed pipe ends the process quietly."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _guarded(before[0], optional=False), _guarded(before[1], optional=True)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn  # type: ignore[assignment]
            yield
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        _discard(before[0])
        raise SystemExit(1) from None
    except _OutputError as error:
        _discard(before[0])
        raise StorageError(f"cannot write the output: {error}", hint=_GO_ON) from error
    finally:
        sys.stdout, sys.stderr = before


def occupy_standard_streams() -> None:
    """Gives what was closed before the start to the system's sink, so that no file of a library or draft gets
    a number to which compiled modules print. Nothing can be read from it: no answer is there, and no file."""
    while (handle := os.open(os.devnull, os.O_WRONLY)) <= 2:
        pass
    os.close(handle)
    if sys.stdin is None:
        sys.stdin = io.StringIO()


def raw_error_stream() -> TextIO:
    """Standard error for control sequences of our own, such as those of a progress bar."""
    return sys.stderr.inside if isinstance(sys.stderr, _Shown) else sys.stderr


def look(verbose: bool = False) -> Look:
    """How answers are shown on standard output: as wide as the terminal, within reason; with styles on a
    terminal that has them, unless ``NO_COLOR`` is set (https://no-color.org)."""
    import shutil  # imports all compression, a twentieth of the start

    from citewhy.doors.present.lines import WIDTH, Look

    width = min(max(shutil.get_terminal_size((WIDTH, 24)).columns, _NARROWEST), _WIDEST)
    stream: Any = sys.stdout
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not (stream and stream.isatty())
    return Look(width, styles=not plain, verbose=verbose)


def remark(text: str) -> None:
    """Prints a remark of the command on standard error: one line, which a terminal gets in lines that fit."""
    from citewhy.doors.present.lines import folded

    stream: Any = sys.stderr
    if stream is None:
        return
    line = f"citewhy: {text}"
    print("\n".join(folded(line, width=look().width)) if stream.isatty() else line, file=stream)


def echo_styled(text: str) -> None:
    """Prints a text with `STYLES` and a line end. What else is harmful in it is shown."""
    from citewhy.doors.present.lines import STYLES

    stream: Any = sys.stdout
    if stream is None:
        return
    text = shown(text)
    for style, code in _CODES.items():
        text = text.replace(STYLES[style], code)
    if isinstance(stream, _Shown):
        stream.write_as_it_is(f"{text}\n")
    else:
        stream.write(f"{text}\n")
    stream.flush()


def _guarded(stream: TextIO | None, *, optional: bool) -> Any:
    if stream is None:  # closed before the start; nothing is printed on standard error then
        return None if optional else _Shown(_Closed(), optional=False)  # type: ignore[arg-type]
    with contextlib.suppress(AttributeError, ValueError):
        # A character that the terminal's encoding lacks must not end the command after it has done its work.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[attr-defined]
    return _Shown(stream, optional=optional)


def _discard(stream: TextIO | None) -> None:
    """Sends what is still buffered nowhere, so that Python does not fail on it once more when it ends."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if stream is not None:
            os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _warn(message: Warning | str, *_about: object) -> None:
    print(f"citewhy: {message}", file=sys.stderr)
