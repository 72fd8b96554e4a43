"""Real receivers of alerts: an HTTP server in a process of its own, which writes down what it got; an SMTP server."""

from __future__ import annotations

import asyncio
import contextlib
import email
import email.policy
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import Any

SERVER = """
import http.server, json, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        host, _, given = self.path.partition("?")[0].partition("/to/")
        target = bytes.fromhex(given).decode()
        with open(sys.argv[1], "a") as file:
            told = {"path": host, "headers": dict(self.headers), "body": body, "at": self.server.server_address[0]}
            file.write(json.dumps(told) + "\\n")
        status = int(open(sys.argv[2]).read() or 200) if "flaky" in host else 307 if target else 200
        self.send_response(status)
        if target:
            self.send_header("location", target)
        self.send_header("content-length", "0")
        self.end_headers()
    def log_message(self, *args):
        pass
server = http.server.ThreadingHTTPServer((sys.argv[3], 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


class Receiver:
    """What an HTTP server got. `answer` sets the status of paths with ``flaky`` in them."""

    def __init__(self, folder: Path, host: str) -> None:
        folder.mkdir()
        self.log, self.status = folder / "got", folder / "status"
        self.log.touch()
        self.status.write_text("200")
        command = [sys.executable, "-c", SERVER, str(self.log), str(self.status), host]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.place = f"{host}:{self.process.stdout.readline().strip()}"

    def got(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def answer(self, status: int) -> None:
        self.status.write_text(str(status))


@contextlib.contextmanager
def receiver(folder: Path, host: str = "127.0.0.1") -> Iterator[Receiver]:
    one = Receiver(folder, host)
    try:
        yield one
    finally:
        one.process.terminate()
        one.process.wait()


class Mailbox:
    """An SMTP server as RFC 5321 has it, as far as a client asks: it takes mail and keeps it."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.refuse = False
        self.asks_who = False  # for a user and a password; no one is right
        self.port = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        def say(text: str) -> None:
            writer.write(f"{text}\r\n".encode())

        say("220 mailbox")
        while line := (await reader.readline()).decode().strip():
            verb = line[:4].upper()
            if verb == "DATA":
                say("354 go on")
                data = (await reader.readuntil(b"\r\n.\r\n"))[:-3]
                mail = email.message_from_bytes(data.replace(b"\r\n..", b"\r\n."), policy=email.policy.default)
                if not self.refuse:
                    self.mails.append(mail)  # type: ignore[arg-type]
                say("451 later" if self.refuse else "250 taken")
            elif verb == "EHLO" and self.asks_who:
                say("250-mailbox")
                say("250 AUTH PLAIN")
            elif verb == "AUTH":
                say("535 5.7.8 Authentication credentials invalid")
            elif verb == "QUIT":
                say("221 bye")
                break
            else:
                say("250 mailbox" if verb in ("EHLO", "HELO", "MAIL", "RCPT", "RSET", "NOOP") else "500 what?")
            await writer.drain()
        writer.close()


@contextlib.contextmanager
def mailbox() -> Iterator[Mailbox]:
    box, ready = Mailbox(), threading.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        server = await asyncio.start_server(box.talk, "127.0.0.1", 0)
        box.port = server.sockets[0].getsockname()[1]
        ready.set()
        async with server:
            await server.serve_forever()

    def run() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            loop.run_until_complete(serve())

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    ready.wait(10)
    try:
        yield box
    finally:
        loop.call_soon_threadsafe(lambda: [task.cancel() for task in asyncio.all_tasks(loop)])
        thread.join(10)
        loop.close()
