"""Who may ask: this computer's user, from this page.

Three things are checked, in this order:

- the *host* that a request names is the loopback address with the server's port: a foreign name that was made
  to resolve to 127.0.0.1 (DNS rebinding) names another host;
- its *origin*, if it has one, is the page itself: no other site calls from the user's browser;
- its *token* is the user's: the loopback address is open to every user of a computer, and a browser sends
  cookies to all ports of a host. So the token is in no cookie. It lies in a file that its user alone can
  read, the browser gets it in the fragment of the address, which is never sent, and requests carry it as
  ``Authorization: Bearer``.
"""

from __future__ import annotations

import contextlib
import hmac
import html
import os
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path

from citewhy.base.config import data_folder
from citewhy.base.errors import StorageError
from citewhy.doors.web.problems import ProblemError

_NAMES = ("127.0.0.1", "localhost")

_BYTES = 24


def token_file() -> Path:
    """The file with the user's token, which stays the same from one start to the next."""
    return data_folder() / "serve.token"


def own_token(path: Path | None = None) -> str:
    """The user's token, made when it is first needed. Raises StorageError if it cannot be kept to its
    user."""
    path = path or token_file()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "w") as file:
                file.write(secrets.token_urlsafe(_BYTES))
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_mode & 0o077 or status.st_uid != os.getuid():
                raise StorageError(
                    "the file with your token can be read by others",
                    path=path,
                    hint="remove it; it is made again",
                )
            token = file.read().strip()
    except OSError as error:
        raise StorageError(
            f"cannot keep the token of the page: {error.strerror or error}",
            path=path,
            hint="make the folder writable, or set XDG_DATA_HOME to one that is",
        ) from error
    if len(token) < _BYTES:  # cut while it was written
        path.unlink(missing_ok=True)
        return own_token(path)
    return token


def leading_to(address: str) -> Path:
    """A file that its user alone can read, and that leads a browser to an address with the token in it."""
    path = token_file().with_name("open.html")
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w") as file:
        link = html.escape(address, quote=True)
        file.write(
            f'<!doctype html><meta http-equiv="refresh" content="0;url={link}"><a href="{link}">CiteWhy</a>'
        )
    return path


class Access:
    """What requests are let in."""

    def __init__(self, port: int, token: str) -> None:
        self.port = port
        self.token = token
        self._hosts = {f"{name}:{port}" for name in _NAMES} | (set(_NAMES) if port == 80 else set())
        self._origins = {f"http://{host}" for host in self._hosts}

    def check(self, headers: Mapping[str, str], *, private: bool) -> None:
        """Raises ProblemError with 421, 403 or 401; a request that is not `private` needs no token."""
        if headers.get("host", "") not in self._hosts:
            raise ProblemError(421, "this server answers on the loopback address alone")
        origin = headers.get("origin")
        if (origin is not None and origin not in self._origins) or headers.get(
            "sec-fetch-site", "same-origin"
        ) in ("cross-site", "same-site"):
            raise ProblemError(403, "other sites may not call this server")
        if private and not self.knows(headers):
            raise ProblemError(
                401,
                "the token is missing or not yours",
                hint="open the address that citewhy serve prints, or send it as Authorization: Bearer TOKEN",
            )

    def knows(self, headers: Mapping[str, str]) -> bool:
        """Whether a request carries the token."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), self.token.encode())
