"""Who is answered, and with what; every hostile request that we could think of."""

from __future__ import annotations

import http.client
import io
import os
import socket
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from web_client import DRAFT, Client, serving

from citewhy.base.errors import StorageError
from citewhy.doors.web import guard
from citewhy.doors.web.access import leading_to, own_token
from citewhy.session.session import Session

pytest_plugins = ("web_server",)


def refused(reply: Any, status: int) -> str:
    """The sentence of a problem with this status."""
    assert (reply.status, reply.headers["content-type"]) == (status, "application/problem+json"), reply.body
    assert reply.json["status"] == status
    return str(reply.json["detail"])


# Who may ask ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1:1", "127.0.0.1", "", "[::1]:{port}"]
)
def test_other_hosts(client: Client, host: str) -> None:
    """A foreign name that resolves to this computer is refused, for the page as well."""
    named = {"Host": host.format(port=client.port)}
    for path in ("/", "/openapi.json", "/api/v1/health", "/api/v1/drafts"):
        refused(client.ask("GET", path, headers=named), 421)


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost:1", "https://127.0.0.1:{port}"]
)
def test_other_origins(client: Client, origin: str) -> None:
    """Another site may not call, though the browser of the user does it for it."""
    from_there = {"Origin": origin.format(port=client.port)}
    refused(client.ask("POST", "/api/v1/suggest", {"text": "A text."}, from_there), 403)
    refused(client.ask("GET", "/api/v1/health", headers={"Sec-Fetch-Site": "cross-site"}), 403)
    own = {"Origin": f"http://127.0.0.1:{client.port}", "Sec-Fetch-Site": "same-origin"}
    assert client.ask("GET", "/api/v1/drafts", headers=own).status == 200


@pytest.mark.parametrize(
    "sent", [None, "", "Bearer", "Bearer wrong", "Basic {token}", "Bearer {token}x", "Bearer ä"]
)
def test_no_token(client: Client, sent: str | None) -> None:
    """Without the token nothing but the page, its description and `health` is answered."""
    header = None if sent is None else sent.format(token=client.token)
    for method, path in (
        ("GET", "/drafts"),
        ("POST", "/suggest"),
        ("GET", "/metrics"),
        ("DELETE", "/drafts/x"),
    ):
        reply = client.api(method, path, Authorization=header)
        refused(reply, 401)
        assert reply.headers["www-authenticate"] == "Bearer"
    assert client.api("GET", "/health", Authorization=header).status == 200
    assert client.ask("GET", "/openapi.json", headers={"Authorization": header}).status == 200


def test_the_token_is_kept_to_its_user(tmp_path: Path) -> None:
    """It lies in a file that nobody else can read, and stays the same; one that others can read is not
    used."""
    file = tmp_path / "new" / "token"
    token = own_token(file)
    assert len(token) >= 32
    assert file.stat().st_mode & 0o077 == 0
    assert own_token(file) == token
    file.chmod(0o644)
    with pytest.raises(StorageError, match="read by others"):
        own_token(file)
    file.unlink()
    file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError):
        own_token(file)


def test_the_browser_is_led_by_a_private_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The address with the token is in no command line that others see."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    own_token()
    path = leading_to('http://127.0.0.1:1/#token="<x>')
    assert path.stat().st_mode & 0o077 == 0
    assert "&quot;&lt;x&gt;" in path.read_text(encoding="utf-8")


def test_headers_of_every_answer(client: Client) -> None:
    """Whatever is answered, it loads nothing from elsewhere, is in no frame, and is not kept."""
    for path in ("/", "/api", "/openapi.json", "/api/v1/drafts", "/api/v1/none", "/none"):
        headers = client.ask("GET", path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "connect-src 'self'" in policy
        assert "script-src 'self';" in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers
    assert client.ask("GET", "/api/v1/drafts").headers["cache-control"] == "no-store"


# Paths ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "../secret.md",
        "/etc/passwd",
        "sub/../../secret.md",
        "out.md",
        "way/secret.md",
        "~/x.md",
        "a\0b",
        "x" * 900,
    ],
)
def test_paths_stay_under_the_folder(client: Client, folder: Path, tmp_path: Path, path: str) -> None:
    """Neither names nor links lead out of the folder of the server, for reading, adding and asking."""
    (tmp_path / "secret.md").write_text("A secret [@].", encoding="utf-8")
    (folder / "out.md").symlink_to(tmp_path / "secret.md")
    (folder / "way").symlink_to(tmp_path)
    for address, asked in (
        ("/drafts", {"path": path}),
        ("/suggest", {"path": path}),
        ("/review", {"path": path}),
        ("/library/add", {"paths": [path]}),
    ):
        reply = client.api("POST", address, asked)
        if address == "/library/add" and reply.status == 200:  # below the folder, but not there
            assert b"event: problem" in reply.body
        else:
            assert reply.status in (403, 422), (address, reply.body)
        assert b"A secret" not in reply.body


def test_a_draft_reads_nothing_outside_of_its_project(client: Client, folder: Path, tmp_path: Path) -> None:
    """What it includes from elsewhere is no part of its state."""
    secret = tmp_path / "hidden.txt"
    secret.write_text("root:x:0:0 \\cite{}", encoding="utf-8")
    (folder / ".git").mkdir()
    (folder / "paper.tex").write_text(
        f"\\input{{{secret}}} \\input{{../hidden.txt}} Text \\cite{{}}.", encoding="utf-8"
    )
    state = client.open("paper.tex")
    assert [file["name"] for file in state["files"]] == ["paper.tex"]
    assert "root:x" not in str(state)


@pytest.mark.parametrize(
    "path",
    ["/../app.py", "/..%2fapp.py", "/%2e%2e/app.py", "/....//app.py", "//etc/passwd", "/x/../../app.py"],
)
def test_the_page_is_its_folder(client: Client, path: str) -> None:
    """Static files are those of the page."""
    assert client.ask("GET", path).status in (400, 403, 404)


def test_an_upload_reaches_no_disk(client: Client, tmp_path: Path) -> None:
    """A draft that was dropped sees the files that came with it, and nothing else."""
    secret = tmp_path / "hidden.tex"
    secret.write_text("A hidden sentence \\cite{}.", encoding="utf-8")
    files = {"paper.tex": f"\\input{{{secret}}} \\input{{/etc/passwd}} Text \\cite{{}}."}
    state = client.api("POST", "/drafts", {"files": files}).json
    assert [file["name"] for file in state["files"]] == ["paper.tex"]
    assert len(state["places"]) == 1


# Uploads --------------------------------------------------------------------------------------------------


def packed(files: dict[str, str]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return target.getvalue()


def form(*files: tuple[str, bytes]) -> tuple[bytes, dict[str, str | None]]:
    """A form with files, and its type."""
    parts = [
        b'--limit\r\nContent-Disposition: form-data; name="file"; filename="'
        + name.encode()
        + b'"\r\nContent-Type: application/octet-stream\r\n\r\n'
        + content
        + b"\r\n"
        for name, content in files
    ]
    return b"".join([*parts, b"--limit--\r\n"]), {"Content-Type": "multipart/form-data; boundary=limit"}


def test_dropped_files(client: Client) -> None:
    """Files, an archive as a file, and an archive alone are the same draft; it is written, undone and
    downloaded."""
    files = {"draft.md": DRAFT, "refs.bib": "@misc{known, title = {Known}}\n"}
    archive = packed({f"paper/{name}": text for name, text in files.items()})
    body, kind = form(*((name, text.encode()) for name, text in files.items()))
    zipped, _ = form(("paper.zip", archive))
    states = [
        client.ask("POST", "/api/v1/drafts", body, kind).json,
        client.ask("POST", "/api/v1/drafts", zipped, kind).json,
        client.ask("POST", "/api/v1/drafts", archive, {"Content-Type": "application/zip"}).json,
        client.api("POST", "/drafts", {"files": files, "root": "draft.md"}).json,
    ]
    assert len({state["id"] for state in states}) == 4
    assert [state["path"] for state in states] == [None] * 4
    assert len({str((state["files"], state["places"])) for state in states}) == 1
    draft, place = states[0]["id"], states[0]["places"][0]["id"]
    client.api("POST", f"/drafts/{draft}/choose", {"place": place, "papers": ["P03-1021"]})
    assert client.api("POST", f"/drafts/{draft}/edit").status == 200
    downloaded = zipfile.ZipFile(io.BytesIO(client.api("GET", f"/drafts/{draft}/download").body))
    assert set(downloaded.namelist()) == {"draft.md", "refs.bib"}
    assert "[@]" not in downloaded.read("draft.md").decode()
    assert "Och" in downloaded.read("refs.bib").decode()
    assert client.api("DELETE", f"/drafts/{draft}/edit").json["restored"] == ["draft.md", "refs.bib"]
    restored = zipfile.ZipFile(io.BytesIO(client.api("GET", f"/drafts/{draft}/download").body))
    assert {name: restored.read(name).decode() for name in restored.namelist()} == files
    refused(client.api("DELETE", f"/drafts/{draft}/edit"), 422)


@pytest.mark.parametrize("name", ["../evil.md", "/etc/evil.md", "..\\evil.md"])
def test_hostile_names(client: Client, name: str) -> None:
    """A name that leads out of a folder is refused, in an archive, as a file, and in memory it names
    nothing."""
    refused(
        client.ask("POST", "/api/v1/drafts", packed({name: "x"}), {"Content-Type": "application/zip"}), 422
    )
    body, kind = form((name.replace("\\", "\\\\"), b"x"))
    assert client.ask("POST", "/api/v1/drafts", body, kind).status in (201, 422)
    assert not Path("/etc/evil.md").exists()


def test_what_is_no_upload(client: Client) -> None:
    """Other types, empty forms, damaged archives and broken JSON are refused with a sentence."""
    address = "/api/v1/drafts"
    refused(client.ask("POST", address, b"x", {"Content-Type": "text/plain"}), 415)
    refused(client.ask("POST", address, b"x", {"Content-Type": None}), 415)
    refused(client.ask("POST", address, b"no archive", {"Content-Type": "application/zip"}), 422)
    refused(client.ask("POST", address, *form()), 422)
    refused(client.ask("POST", address, b"{", {"Content-Type": "application/json"}), 422)
    refused(client.ask("POST", address, b"junk", {"Content-Type": "multipart/form-data; boundary=x"}), 400)
    refused(client.ask("POST", address, b"junk", {"Content-Type": "multipart/form-data"}), 400)
    refused(client.api("POST", "/drafts", {}), 422)
    refused(client.api("POST", "/drafts", {"files": {"a.md": "x"}, "path": "draft.md"}), 422)
    refused(client.api("POST", "/drafts", {"files": {"a.md": "\ud800"}}), 422)
    refused(client.api("POST", "/drafts", {"files": {"a.pdf": "%PDF-1.4"}}), 422)


def test_titles_are_text(client: Client, folder: Path) -> None:
    """Markup in a draft or a bibliography comes as text in JSON, which no browser reads as HTML."""
    evil = "<script>alert(1)</script>"
    (folder / "evil.md").write_text(f"# {evil}\n\nText {evil} [@].\n", encoding="utf-8")
    reply = client.api("POST", "/drafts", {"path": "evil.md"})
    assert reply.headers["content-type"] == "application/json"
    assert evil in reply.json["files"][0]["text"]


# Limits ---------------------------------------------------------------------------------------------------


def test_large_requests(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is larger than allowed is refused: by what it states before it is sent, or while it is."""
    monkeypatch.setattr(guard, "MOST_BYTES", 1_000)
    refused(client.api("POST", "/suggest", {"text": "x" * 2_000}), 413)
    connection = http.client.HTTPConnection("127.0.0.1", client.port)
    connection.putrequest("POST", "/api/v1/suggest")
    connection.putheader("Authorization", f"Bearer {client.token}")
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()
    for _ in range(3):
        connection.send(b"200\r\n" + b"x" * 0x200 + b"\r\n")
    response = connection.getresponse()
    assert response.status == 413
    connection.close()


def test_slow_requests(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that does not arrive is given up."""
    monkeypatch.setattr(guard, "_SECONDS", 0.1)
    with socket.create_connection(("127.0.0.1", client.port)) as slow:
        head = f"POST /api/v1/suggest HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nContent-Length: 100\r\n"
        slow.sendall(f"{head}Authorization: Bearer {client.token}\r\n\r\nabc".encode())
        assert slow.recv(1_000).startswith(b"HTTP/1.1 408")


def slowly(session: Session, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    find = session.find

    def slow(*given: Any) -> Any:
        time.sleep(seconds)
        return find(*given)

    monkeypatch.setattr(session, "find", slow)


def test_too_many_requests(web_session: Session, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than may wait are told to come again; those that wait are answered."""
    slowly(web_session, monkeypatch, 0.5)
    with (
        serving(web_session, folder, most_waiting=2, at_a_time=1) as client,
        ThreadPoolExecutor(8) as threads,
    ):
        replies = list(threads.map(lambda _: client.api("GET", "/find?q=translation"), range(8)))
    statuses = {reply.status for reply in replies}
    assert statuses == {200, 429}
    assert all(reply.headers["retry-after"] for reply in replies if reply.status == 429)


def test_slow_answers(web_session: Session, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that takes too long, or gets no turn, is given up; the next is answered."""
    with monkeypatch.context() as patched:
        slowly(web_session, patched, 1.0)
        with serving(web_session, folder, seconds=0.2, at_a_time=1) as client:
            with ThreadPoolExecutor(2) as threads:
                replies = list(threads.map(lambda _: client.api("GET", "/find?q=translation"), range(2)))
            assert [refused(reply, 503) for reply in replies]
            assert client.api("GET", "/health").status == 200


def test_many_drafts(client: Client) -> None:
    """Of more open drafts than are kept, the one that was asked for longest ago is closed."""
    first = client.api("POST", "/drafts", {"files": {"a.md": "Text [@]."}}).json["id"]
    for number in range(32):
        client.api("POST", "/drafts", {"files": {"a.md": f"Text {number} [@]."}})
    refused(client.api("GET", f"/drafts/{first}"), 404)


def test_other_addresses(client: Client) -> None:
    """What is not there, or not done there, is a problem as well."""
    refused(client.api("GET", "/nothing"), 404)
    refused(client.api("PUT", "/drafts"), 405)
    refused(client.ask("POST", "/"), 405)
    refused(client.api("GET", "/find"), 422)
    refused(client.api("POST", "/suggest", {"text": "A text.", "k": 0}), 422)
    refused(client.api("POST", "/suggest", {"txt": "A text."}), 422)
    assert os.environ["XDG_DATA_HOME"]
