"""A small server for one page: only this machine reaches it, and only who knows its address."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from threading import Lock
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from texsamp.errors import MediaError, TexsampError

_HOST = "127.0.0.1"
_KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
_LONGEST_B = 1 << 16
"""Of a path with its question."""
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True)
class Answer:
    """What is sent: its kind, as MIME has it, and what is ``told`` beside it."""

    kind: str
    body: bytes
    told: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, value: Any) -> Answer:
        """A value as JSON."""
        return cls("application/json", json.dumps(value).encode())


@dataclass(frozen=True)
class Question:
    """The words of a request, by name; those that come several times in order."""

    words: Mapping[str, str]

    def integer(self, name: str, default: int = 0) -> int:
        """A number of a request. Raises MediaError for what is none."""
        text = self.words.get(name, str(default))
        if not text.removeprefix("-").isdecimal() or len(text) > len(str(_LONGEST_B)) + 5:
            raise MediaError(f"{name} must be an integer, found {text[:40]!r}")
        return int(text)

    def number(self, name: str, default: float) -> float:
        """The same of a number with a fraction."""
        text = self.words.get(name, str(default))
        try:
            return float(text)
        except ValueError:
            raise MediaError(f"{name} must be a number, found {text[:40]!r}") from None


Answers = Mapping[str, Callable[[Question], Answer]]
"""What is answered to which last part of an address."""


@cache
def _asset(name: str) -> Answer:
    found = files("texsamp.view").joinpath("assets", name)
    return Answer(f"{_KINDS[name.rpartition('.')[2]]}; charset=utf-8", found.read_bytes())


class ViewServer:
    """Serves ``page`` and the ``assets`` it names, and the answers to its questions, one at a time.

    Bound to 127.0.0.1; ``url`` holds a random word without which everything is "not found". Requests that name another
    host, as a page elsewhere could by a name of its own for this address, are refused. A context manager.
    MediaError for a port that is taken.
    """

    def __init__(self, page: str, assets: tuple[str, ...], answers: Answers, port: int = 0) -> None:
        self._token = secrets.token_urlsafe(16)
        try:
            self._server = ThreadingHTTPServer((_HOST, port), _handler(self._token, page, assets, answers))
        except OSError as error:
            raise MediaError(f"port {port} of {_HOST} cannot be served: {error.strerror or error}") from error
        self._server.daemon_threads = True

    @property
    def port(self) -> int:
        """The port that is served."""
        return self._server.server_port

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{_HOST}:{self.port}/{self._token}/"

    def serve(self) -> None:
        """Answer until `stop` is called from another thread, or this one is interrupted."""
        self._server.serve_forever()

    def stop(self) -> None:
        """End `serve`."""
        self._server.shutdown()

    def __enter__(self) -> ViewServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.server_close()


def _handler(token: str, page: str, assets: tuple[str, ...], answers: Answers) -> type[BaseHTTPRequestHandler]:
    lock = Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        server_version, sys_version = "texsamp", ""

        def do_GET(self) -> None:
            port = self.connection.getsockname()[1]
            if self.headers.get("Host") not in {f"{_HOST}:{port}", f"localhost:{port}"}:
                self._refuse(HTTPStatus.FORBIDDEN, f"only {_HOST}:{port} is served here")
                return
            address = urlsplit(self.path)
            first, _, name = address.path.removeprefix("/").partition("/")
            if not secrets.compare_digest(first.encode(), token.encode()):
                self._refuse(HTTPStatus.NOT_FOUND, "not found")
            elif name == "":
                self._send(HTTPStatus.OK, _asset(page))
            elif name in assets:
                self._send(HTTPStatus.OK, _asset(name))
            elif name in answers and len(self.path) <= _LONGEST_B:
                self._answer(name, Question(dict(parse_qsl(address.query, keep_blank_values=True))))
            else:
                self._refuse(HTTPStatus.NOT_FOUND, "not found")

        def _answer(self, name: str, question: Question) -> None:
            try:
                with lock:
                    answer = answers[name](question)
            except TexsampError as error:
                self._refuse(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
            else:
                self._send(HTTPStatus.OK, answer)

        def _refuse(self, status: HTTPStatus, why: str) -> None:
            self._send(status, Answer("text/plain; charset=utf-8", why.encode(errors="replace")))

        def _send(self, status: HTTPStatus, answer: Answer) -> None:
            self.send_response(status)
            headers = {**_HEADERS, "Content-Type": answer.kind, "Content-Length": str(len(answer.body))}
            if answer.told:
                headers["X-Texsamp"] = json.dumps(answer.told)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: the terminal is for people."""

        def handle(self) -> None:
            try:
                super().handle()
            except ConnectionError:
                self.close_connection = True  # the page no longer wants it

    return Handler
