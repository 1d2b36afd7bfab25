"""A `PlaneDouble` behind HTTPS with certificates, on this machine."""

import http.server
import ssl
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from hotswap.errors import PlaneMessageMalformed
from hotswap.wire.plane import (
    AUTHORITY_PATH,
    ENROL_PATH,
    REPORT_PATH,
    Enrolled,
    Enrolment,
    Report,
    decode_plane,
    encode_plane,
)
from tests.hotswap.node.agent.authority_double import Authority
from tests.hotswap.node.agent.plane_double import PlaneDouble

ONE_TIME = "one-time"
HELD_BACK_S = 1.0


class HttpsPlane:
    """Serves until the context ends; ``stop`` and ``start`` take it away for a while."""

    def __init__(self, folder: Path) -> None:
        self.authority = Authority()
        self.plane = PlaneDouble()
        self.enrolments: list[Enrolment] = []
        self.one_time = ONE_TIME
        self.authority_file = folder / "authority.pem"
        self.authority_file.write_text(self.authority.pem)
        # signs with another key than was asked for
        self.sign_for: str | None = None
        self._context = self.authority.server(folder)
        self._server: http.server.ThreadingHTTPServer | None = None
        self._thread: threading.Thread | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        self._server = _Server(self, self._context)
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def stop(self) -> None:
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()
            self._server = None


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, owner: HttpsPlane, context: ssl.SSLContext) -> None:
        super().__init__(("127.0.0.1", owner.port), _Handler)
        self.owner = owner
        self._context = context

    def finish_request(self, request: Any, client_address: Any) -> None:
        # the handshake is the client's business: not in the thread that accepts
        try:
            with self._context.wrap_socket(request, server_side=True) as secured:
                secured.settimeout(20.0)
                super().finish_request(secured, client_address)
        except (ssl.SSLError, ConnectionError, TimeoutError):
            return

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients go away."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        found = self.path == AUTHORITY_PATH
        self._answer(200 if found else 404, self.server.owner.authority.pem.encode())

    def do_POST(self) -> None:
        owner = self.server.owner
        body = self.rfile.read(int(self.headers["content-length"]))
        path = urlsplit(self.path)
        try:
            if path.path == ENROL_PATH:
                self._enrol(decode_plane(body, Enrolment))
            elif path.path == REPORT_PATH and self._certificate():
                wait_s = min(float(parse_qs(path.query).get("wait_s", ["0"])[0]), HELD_BACK_S)
                accepted = owner.plane.take(decode_plane(body, Report), wait_s=wait_s)
                self._answer(200, encode_plane(accepted))
            else:
                self._answer(403, b'{"title": "no certificate"}')
        except PlaneMessageMalformed as error:
            self._answer(422, str(error).encode())

    def _enrol(self, enrolment: Enrolment) -> None:
        owner = self.server.owner
        used = {each.token for each in owner.enrolments}
        if enrolment.token != owner.one_time or enrolment.token in used:
            self._answer(403, b'{"title": "Refused", "detail": "the token was used"}')
            return
        owner.enrolments.append(enrolment)
        enrolled = Enrolled(
            agent="agent-1",
            certificate_pem=owner.authority.sign(owner.sign_for or enrolment.csr_pem),
            authority_pem=owner.authority.pem,
            report_every_s=0.2,
        )
        self._answer(201, encode_plane(enrolled))

    def _certificate(self) -> bool:
        assert isinstance(self.connection, ssl.SSLSocket)
        return bool(self.connection.getpeercert())

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
