"""Serve the page on the loopback address: one file, one policy, nothing else."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from fltheory.core.errors import InvalidInput
from fltheory.teaching.page import page, page_policy

ADDRESS = "127.0.0.1"


def handler(content: bytes, policy: str) -> type[BaseHTTPRequestHandler]:
    """A request handler for one page; it answers only for local host names and logs nothing."""

    class OnePage(BaseHTTPRequestHandler):
        server_version, sys_version = "fltheory", ""
        protocol_version = "HTTP/1.1"
        timeout = 10

        def do_GET(self) -> None:
            port = str(self.server.server_port)  # type: ignore[attr-defined]
            known = self.headers.get("Host", "") in (f"{ADDRESS}:{port}", f"localhost:{port}")
            if known and self.path.split("?")[0] == "/":
                self._answer(200, "text/html; charset=utf-8", content)
            else:
                self._answer(
                    404 if known else 403,
                    "text/plain; charset=utf-8",
                    b"only the page itself is served here\n",
                )

        def do_HEAD(self) -> None:
            self.do_GET()

        def send_error(
            self, code: int, message: str | None = None, explain: str | None = None
        ) -> None:
            """Answer other methods and malformed requests like all other requests."""
            self.close_connection = True
            self._answer(
                code, "text/plain; charset=utf-8", b"only the page itself is served here\n"
            )

        def _answer(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            headers = {
                "Content-Type": kind,
                "Content-Length": str(len(body)),
                "Content-Security-Policy": policy,
                "Cache-Control": "no-store",
                "X-Content-Type-Options": "nosniff",
                "Referrer-Policy": "no-referrer",
                "Cross-Origin-Opener-Policy": "same-origin",
            }
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is logged."""

    return OnePage


class Quiet(ThreadingHTTPServer):
    """A server that ignores visitors who disconnect early."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing is printed."""


@contextmanager
def server(port: int = 0) -> Iterator[ThreadingHTTPServer]:
    """A server for the page, closed at the end; port 0 takes a free one.

    >>> with server() as running:
    ...     running.server_address[0]
    '127.0.0.1'
    """
    if not 0 <= port < 1 << 16:
        raise InvalidInput("port", "lie in [0, 65535]", port)
    running = Quiet((ADDRESS, port), handler(page().encode(), page_policy()))
    try:
        yield running
    finally:
        running.server_close()
