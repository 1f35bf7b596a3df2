"""The command line: one module per command, imported only when the command is called."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import sys
import time
from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from pathlib import Path

import click

from citewhy.base.config import FEW_COLLECTIONS, VERSION
from citewhy.base.errors import CiteWhyError, StorageError
from citewhy.base.log import event, keeping_log, most_memory
from citewhy.base.trace import tracing
from citewhy.doors.cli.lazy import Entry, LazyGroup
from citewhy.doors.cli.terminal import occupy_standard_streams, terminal

__all__ = ["main"]

_LOAD_HINT = "is there enough memory (about 1 GB of address space)? otherwise install CiteWhy again"

COMMANDS = {
    "demo": "Answer an example draft, and name three commands to try next.",
    "add": "Add papers, citing sentences, citations and full texts to a library.",
    "sync": "Read again what has changed of the files that were added.",
    "remove": "Remove papers, or your own drafts, from a library.",
    "split": "Take a record out of a paper with which it was merged by mistake.",
    "enrich": "Ask a public service for missing abstracts, DOIs and references.",
    "encode": "Encode a share of a library on a machine of its own.",
    "embeddings": "Make an encoder of vectors that others have published.",
    "info": "Show what is in the library, and check that it is intact.",
    "find": "Find papers by words, author, title, DOI, id, or citation key.",
    "suggest": "Suggest papers for the open citations of a draft, or for one sentence.",
    "review": "List sentences without a citation that probably need one.",
    "audit": "Tell which entries of reference lists are known, differ, or cannot be.",
    "classify": "Label the sentences of a draft, or one sentence, with a trained classifier.",
    "lsp": "Complete citations in an editor, as its language server.",
    "mcp": "Give an assistant real papers, by the model context protocol.",
    "passages": "Show the sentences of a paper that a citing sentence refers to.",
    "serve": "Show a page beside a draft, which follows it; and answer tools over HTTP.",
}
"""The commands of this package, with one line of help each; the command `x` is `command` in the module
`x`."""

GROUP = "citewhy.commands"
"""Group of the entry points by which other packages add commands. An entry point names a mapping from the
name of a command to its help and its place (`Entry`), in a module that is quick to import."""


_MEANT = {
    "search": "find",
    "cite": "suggest",
    "import": "add",
    "delete": "remove",
    "undo": "suggest DRAFT --undo",
    "version": "--version",
}


class _Commands(LazyGroup):
    meant = _MEANT

    @functools.cached_property
    def entries(self) -> Mapping[str, Entry]:  # type: ignore[override]
        """The commands of this package, and then those of others, which cannot replace the former."""
        return {**_OWN, **{name: entry for name, entry in _added().items() if name not in _OWN}}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads `citewhy help`, which people type, as `citewhy --help`, and `citewhy help find` as the help
        of `find`."""
        return super().parse_args(ctx, [*args[1:], "--help"] if args[:1] == ["help"] else args)

    def entry(self, name: str) -> Entry | None:
        """A command of this package is found without loading anything of others."""
        return _OWN.get(name) or self.entries.get(name)


_OWN = {name: Entry(help_, f"{__name__}.{name}:command") for name, help_ in COMMANDS.items()}


def _added() -> Mapping[str, Entry]:
    """The commands of other packages. One that cannot be loaded is reported, and leaves the others usable."""
    added: dict[str, Entry] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            added.update({name: Entry(*entry) for name, entry in point.load().items()})
        except Exception as error:  # whatever a stranger's module raises
            print(f"citewhy: the commands of {point.value} cannot be loaded ({error})", file=sys.stderr)
    return added


# color: escape sequences are shown (`terminal`), also in a pipe, from which click would remove them.
@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "color": True})
@click.version_option(VERSION, prog_name="citewhy")
@click.option(
    "--trace",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write where the time of the command went to FILE, for Chrome or Perfetto, and a table.",
)
@click.option(
    "--log-json",
    "log",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Append what the command does to FILE, one JSON object a line: stages, messages, requests.",
)
@click.pass_context
def cli(context: click.Context, trace: Path | None, log: Path | None) -> None:
    """What to cite, where, and why: from your own library, offline.

    Start with `citewhy demo`, or with `citewhy suggest DRAFT.tex` on a draft of yours: until you add papers,
    its own bibliography is used.
    """
    if log is not None:
        context.with_resource(keeping_log(log))
        context.with_resource(_logged(str(context.invoked_subcommand)))
    if trace is not None:
        context.with_resource(tracing(trace, lambda table: print(table, file=sys.stderr)))


@contextlib.contextmanager
def _logged(command: str) -> Iterator[None]:
    """Says in the log that a command begins and ends, and how."""
    event("command started", command=command, version=VERSION)
    begun, failure = time.perf_counter(), None
    try:
        yield
    except click.exceptions.Exit:
        raise  # it has said all that it had to say
    except BaseException as error:
        failure = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise
    finally:
        seconds = round(time.perf_counter() - begun, 6)
        event("command ended", command=command, seconds=seconds, failure=failure, most_memory=most_memory())


def main() -> None:
    """Runs the `citewhy` command. Errors are printed as one line on standard error, with exit code 2; Ctrl-C
    exits with 130, as is usual in a shell."""
    # Modules and records are many objects and hardly any circular ones: with its usual thresholds, Python's
    # collector of circular ones takes a twentieth of the time of the imports.
    gc.set_threshold(*FEW_COLLECTIONS)
    occupy_standard_streams()
    sys.exit(_run())


def _run() -> int:
    """The exit code. Nothing is printed but through `terminal`."""
    try:
        with terminal():
            return _called()
    except StorageError as error:  # the rest of the output cannot be written
        return _print_error(str(error), 2)


def _called() -> int:
    try:
        code = cli.main(prog_name="citewhy", standalone_mode=False)
    except (
        click.exceptions.NoArgsIsHelpError
    ) as error:  # `citewhy` without arguments: the message is the help
        error.show()
        return error.exit_code
    except click.ClickException as error:
        return _print_error(_usage(error), error.exit_code)
    except click.Abort as error:
        interruption = _interruption(error)
        if interruption is None:
            return _print_error("no confirmation was given; nothing was changed", 1)
        return _stopped(interruption)
    except CiteWhyError as error:
        interruption = _interruption(error)
        return _print_error(str(error), 2) if interruption is None else _stopped(interruption)
    except OSError as error:
        where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        return _print_error(f"{where}the system refused to go on: {error.strerror or error}", 2)
    except MemoryError:
        return _print_error("there is not enough memory; what was said to be done is done", 2)
    except ImportError as error:
        return _print_error(f"a part of the program cannot be loaded ({error}); {_LOAD_HINT}", 2)
    return code if isinstance(code, int) else 0


def _interruption(error: BaseException) -> KeyboardInterrupt | None:
    """Returns what caused `error`, if the user did: a compiled module that is interrupted while it is
    imported raises an error of its own."""
    cause = error.__cause__
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__
    return cause


def _stopped(interruption: KeyboardInterrupt) -> int:
    """Its text, if it has one, says what was done before."""
    return _print_error("; ".join(["stopped", *map(str, interruption.args)]), 130)


def _usage(error: click.ClickException) -> str:
    """The message of click, followed by the command that shows the help."""
    message = " ".join(error.format_message().split()).removesuffix(".")
    context = error.ctx if isinstance(error, click.UsageError) else None
    return message if context is None else f"{message}; see: {context.command_path} --help"


def _print_error(message: str, code: int) -> int:
    if sys.stderr is not None:  # closed before the start
        with contextlib.suppress(OSError, ValueError):
            print(f"citewhy: {message}", file=sys.stderr)
    return code
