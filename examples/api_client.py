"""A client of the HTTP API in thirty lines: it starts a server, asks it, and follows a draft.

    $ python examples/api_client.py
    1. Attention Is All You Need (2017)
    2. …
    place 1 in draft.md, line 1: …
    place 2 in draft.md, line 3: …
    {'title': 'Unprocessable Entity', 'detail': 'the text has no words'}

A server that runs already may be named by the second line that it prints: http://127.0.0.1:PORT/#token=…
"""

import contextlib
import json
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

DRAFT = "Attention replaced recurrence in translation [@].\n\nWord vectors are learned from text [@].\n"


class Client:
    """Asks the server that a link leads to."""

    def __init__(self, link: str) -> None:
        self.address, _, token = link.partition("#token=")
        self.headers = {
            "Authorization": f"Bearer {token.partition('&')[0]}",
            "Content-Type": "application/json",
        }

    def lines(self, path: str, body: Any = None, accept: str = "application/json") -> Iterator[Any]:
        """What is answered, line by line; an answer that is not streamed is one line."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.address}api/v1{path}", data, {**self.headers, "Accept": accept}
        )
        try:
            with urllib.request.urlopen(request) as response:
                yield from map(json.loads, response)
        except urllib.error.HTTPError as error:  # a problem says what is wrong
            yield json.load(error)

    def ask(self, path: str, body: Any = None) -> Any:
        """The answer to one request."""
        return next(self.lines(path, body))


@contextlib.contextmanager
def server() -> Iterator[str]:
    """Starts a server in a folder of its own, and gives the link that it prints."""
    command = [sys.executable, "-m", "citewhy", "serve", "--port", "0", "--no-browser"]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process,
    ):
        assert process.stdout is not None
        process.stdout.readline()  # the address; now it answers
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def main(link: str) -> None:
    client = Client(link)
    answer = client.ask("/suggest", {"text": "Attention replaced recurrence in translation.", "k": 2})
    for paper in answer["suggestions"]:
        print(f"{paper['rank']}. {paper['title']} ({paper['year']})")
    draft = client.ask("/drafts", {"files": {"draft.md": DRAFT}})
    answers = client.lines(f"/drafts/{draft['id']}/suggest", {"k": 1}, "application/x-ndjson")
    for number, place in enumerate(answers, 1):
        best = place["suggestions"][0]["title"] if place["suggestions"] else "nothing fits well"
        print(f"place {number} in {place['file']}, line {place['line']}: {best}")
    problem = client.ask("/suggest", {"text": "?"})
    print({field: problem[field] for field in ("title", "detail")})


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with server() as started:
            main(started)
