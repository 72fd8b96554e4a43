"""What Slack and Teams get, byte by byte, by TLS: their own servers cannot be asked here, so a server of this machine
stands where they do. What is sent, and the process that sends it, are the real ones; of Slack only the host is another.
"""

from __future__ import annotations

import datetime
import http.server
import ipaddress
import json
import os
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from catalog.alerts import address, post
from catalog.alerts.message import Alert, compose

TOLD = compose(
    Alert(
        "opened", 3, "error", "shop/<!channel> orders", "amount is 100 times too large.", "60 of 80 rows", "7",
        "sales & co", "https://assay.example/incidents/3",
    )
)  # fmt: skip
SLACK = "https://hooks.slack.com/services/T0000AAAA/B0000BBBB/cccccccccccccccccccccccc"
#: Runs the sending process; its Slack lives on this machine.
MOVED = """
from apprise.plugins.slack import NotifySlack
NotifySlack.webhook_url = "https://localhost:{port}/services"
from catalog.alerts.outlet import main
main()
"""


@dataclass
class Secure:
    port: int
    authority: Path
    got: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[Secure]:
    """An HTTPS server with a certificate of an authority of its own."""
    made = Secure(0, tmp_path / "authority.pem")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    made.authority.write_bytes(signed.public_bytes(pem))
    secret = tmp_path / "key.pem"
    secret.write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            made.got.append((self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(body)))
            self.send_response(200)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(made.authority, secret)
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    made.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield made
    server.shutdown()


def message(to: str) -> dict[str, Any]:
    return {"id": 1, "address": address.usable(to), "title": TOLD.title, "body": TOLD.body, "kind": "failure"}


def test_teams_gets_an_adaptive_card(secure: Secure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(secure.authority))
    to = f"workflows://localhost:{secure.port}/643e69f83c8944438d68119179a10a64/aSignature"
    assert post.post([message(to)], "127.0.0.1") == {1: ""}
    ((path, headers, body),) = secure.got
    assert path.startswith("/workflows/643e69f83c8944438d68119179a10a64/triggers/manual/paths/invoke?")
    assert "sig=aSignature" in path
    assert headers["content-type"] == "application/json"
    assert body["type"] == "message"
    (card,) = body["attachments"]
    assert card["contentType"] == "application/vnd.microsoft.card.adaptive"
    assert card["content"]["type"] == "AdaptiveCard"
    texts = [block for block in card["content"]["body"] if block["type"] == "TextBlock"]
    assert [one["text"] for one in texts] == [TOLD.title, TOLD.body]
    assert texts[-1]["wrap"], texts


def test_slack_gets_an_attachment(secure: Secure) -> None:
    given = json.dumps({"allowed": "127.0.0.1", "messages": [message(SLACK)]})
    environment = {**os.environ, "REQUESTS_CA_BUNDLE": str(secure.authority), "NO_PROXY": "*"}
    command = [sys.executable, "-c", MOVED.format(port=secure.port)]
    done = subprocess.run(command, input=given, env=environment, capture_output=True, text=True)
    assert json.loads(done.stdout) == {"id": 1, "ok": True, "error": ""}, done.stderr
    ((path, headers, body),) = secure.got
    assert path == "/services/T0000AAAA/B0000BBBB/cccccccccccccccccccccccc"
    assert headers["content-type"].startswith("application/json")
    (attachment,) = body["attachments"]
    assert (attachment["title"], attachment["color"]) == (TOLD.title, "#A32037")
    assert attachment["text"].replace("&amp;", "&") == TOLD.body
    assert "<!channel>" not in json.dumps(body), "a name of the lake calls nobody"
    assert set(body) <= {"username", "mrkdwn", "attachments", "icon_url", "icon_emoji"}, "what incoming webhooks know"


def test_a_server_of_another_authority_gets_nothing(secure: Secure) -> None:
    to = f"workflows://localhost:{secure.port}/643e69f83c8944438d68119179a10a64/aSignature"
    assert post.post([message(to)], "127.0.0.1")[1] != ""
    assert secure.got == []
