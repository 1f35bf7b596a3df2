"""`citewhy classify`: labels sentences with a trained classifier."""

from __future__ import annotations

from pathlib import Path

import click

from citewhy.base.assets import intent_folder
from citewhy.base.errors import QueryError
from citewhy.doors.cli import options
from citewhy.doors.present import as_json as json_form
from citewhy.doors.present import as_text
from citewhy.session.session import Session

EPILOG = """\b
Examples:
  citewhy classify --text "We use the toolkit of Koehn (2007)."
  citewhy classify draft.tex --model intents
  citewhy classify --text "We follow Och (2003)." --model intents --json

The built-in classifier has the labels background, method and result; another one those of its training data.
`citewhy train classifier` creates such a folder;
other packages may provide classifiers (docs/extending.md). No library is needed.
"""


@click.command("classify", epilog=EPILOG)
@click.argument("draft", required=False, type=click.Path(path_type=Path), metavar="DRAFT")
@click.option("--text", help="One sentence, instead of a draft.")
@click.option(
    "--model",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The trained classifier; default: the built-in one, which says why a sentence cites.",
)
@options.encoder
@options.as_json
def command(
    draft: Path | None, text: str | None, model: Path | None, encoder: Path | None, as_json: bool
) -> None:
    """Label the sentences of DRAFT, or one sentence, with a trained classifier."""
    if (draft is None) == (text is None):
        raise QueryError("give either a DRAFT or --text")
    if text is not None and not text.strip():
        raise QueryError("the text is empty", hint="give the sentence to classify")

    model = intent_folder() if model is None else model
    with Session(encoder=encoder, create=True) as session:  # no library is opened
        if draft is None:
            labelled = session.classify(model, [text or ""])
        else:
            labelled = session.classify_draft(model, draft)
        opened = session.classifier(model)
    if as_json:
        path = None if draft is None else str(draft)
        click.echo(json_form.dumps(json_form.classified_document(labelled, opened.name, opened.labels, path)))
    else:
        click.echo(as_text.classified(labelled))
