"""The command line: one file per verb, imported only when its verb is called."""

from __future__ import annotations

import sys

import click

from citewhy.cli.lazy import LazyGroup
from citewhy.config import VERSION
from citewhy.errors import CiteWhyError

__all__ = ["main"]

VERBS = {
    "add": "Add papers, citing sentences, citations and full texts to a library.",
    "remove": "Take papers, or your own writings, out of a library.",
    "info": "Show what is in the library, and check that it is intact.",
    "suggest": "Suggest papers for the open citations of a draft, or for one sentence.",
    "classify": "Label the sentences of a draft, or one sentence, with a trained classifier.",
    "passages": "Show the sentences of a paper that a citing sentence refers to.",
    "backtest": "Measure suggestions on finished papers by hiding their citations.",
    "evaluate": "Measure the pipeline on a task with known answers.",
    "experiment": "Reproduce a table from the literature on your data.",
    "train": "Train a model on your own data.",
}
"""One help line per verb, so that `citewhy --help` imports none of them."""


class _Verbs(LazyGroup):
    helps = VERBS


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="citewhy")
def cli() -> None:
    """What to cite, where, and why: from your own library, offline.

    Start with `citewhy suggest DRAFT.tex`: until you add papers, a built-in starter library is used.
    """


def main() -> None:
    """The `citewhy` command. An error becomes one line on standard error and exit code 2.

    Ctrl-C ends with 130, as it does for every command of a shell.
    """
    sys.exit(_run())


def _run() -> int:
    try:
        code = cli.main(prog_name="citewhy", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:  # `citewhy` alone: its message is the help
        error.show()
        return error.exit_code
    except click.ClickException as error:
        return _say(_usage(error), error.exit_code)
    except click.Abort as error:
        interrupted = isinstance(error.__cause__, KeyboardInterrupt)
        return _say("stopped", 130) if interrupted else _say("no answer was given; nothing was changed", 1)
    except CiteWhyError as error:
        return _say(str(error), 2)
    return code if isinstance(code, int) else 0


def _usage(error: click.ClickException) -> str:
    """click's message, with the command whose help says more."""
    message = " ".join(error.format_message().split()).removesuffix(".")
    context = error.ctx if isinstance(error, click.UsageError) else None
    return message if context is None else f"{message}; see: {context.command_path} --help"


def _say(message: str, code: int) -> int:
    print(f"citewhy: {message}", file=sys.stderr)
    return code
