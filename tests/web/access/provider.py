"""A real OpenID Connect provider for tests: Glewlwyd, a server in C with nothing of ours in it, over a throw-away
database. Debian's package of that name has it."""

from __future__ import annotations

import contextlib
import shutil
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

SCHEMA = Path("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3")
PAGES = Path("/usr/share/glewlwyd/webapp")
PASSWORD = "correct horse battery"  # noqa: S105 - of people who live as long as a test
SECRET = "the secret of a client"  # noqa: S105
CONFIG = """
port={port}
bind_address="127.0.0.1"
external_url="{url}"
login_url="login.html"
api_prefix="api"
log_mode="file"
log_level="WARNING"
log_file="{folder}/provider.log"
cookie_secure=0
session_expiration=600
session_key="PROVIDER_SESSION"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="/usr/lib/glewlwyd/user"
user_middleware_module_path="/usr/lib/glewlwyd/user_middleware"
client_module_path="/usr/lib/glewlwyd/client"
user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"
plugin_module_path="/usr/lib/glewlwyd/plugin"
hash_algorithm="SHA256"
static_files_path="{pages}"
static_files_mime_types=(
  {{ extension=".html" mime_type="text/html" }}, {{ extension=".css" mime_type="text/css" }},
  {{ extension=".js" mime_type="application/javascript" }}, {{ extension=".json" mime_type="application/json" }})
database={{ type="sqlite3" path="{folder}/provider.db" }};
"""


@dataclass
class Provider:
    """The provider as its admin has it. `issuer` is what clients are told."""

    url: str
    admin: httpx.Client = field(repr=False)

    @property
    def issuer(self) -> str:
        return f"{self.url}/api/oidc"

    def put(self, path: str, method: str = "POST", **body: Any) -> None:
        answer = self.admin.request(method, f"{self.url}/api/{path}", json=body)
        assert answer.status_code == 200, (path, answer.status_code, answer.text)

    def add_client(self, client_id: str, back: str) -> None:
        self.put(
            "client/", client_id=client_id, name=client_id, enabled=True, confidential=True, client_secret=SECRET,
            password=SECRET, redirect_uri=[back], authorization_type=["code"], scope=["openid"],
            token_endpoint_auth_method=["client_secret_basic"],
        )  # fmt: skip

    def add_person(self, name: str, groups: Sequence[str]) -> None:
        self.put(
            "user/", username=name, name=name.title(), email=f"{name}@id.example", password=PASSWORD, enabled=True,
            scope=["openid", "g_profile"], groups=list(groups),
        )  # fmt: skip

    def set_groups(self, name: str, groups: Sequence[str]) -> None:
        kept = self.admin.get(f"{self.url}/api/user/{name}").json()
        self.put(f"user/{name}", "PUT", **{**kept, "groups": list(groups)})

    def log_in(self, name: str, where: str, client_id: str) -> str:
        """What a browser does at the provider: log in, allow the client, and be sent back; the address."""
        with httpx.Client() as browser:
            asked = browser.get(where)
            assert "login.html" in asked.headers["location"], asked.text
            given = {"username": name, "password": PASSWORD}
            assert browser.post(f"{self.url}/api/auth/", json=given).status_code == 200
            granted = browser.put(f"{self.url}/api/auth/grant/{client_id}/", json={"scope": "openid"})
            assert granted.status_code == 200, granted.text
            back = browser.get(f"{where}&g_continue")
            assert back.status_code == 302, back.text
            return back.headers["location"]


@contextlib.contextmanager
def provider(folder: Path) -> Iterator[Provider]:
    """The provider, with one OpenID Connect plugin that tells names and groups."""
    program = shutil.which("glewlwyd")
    if program is None or not SCHEMA.exists():
        pytest.skip("there is no identity provider: apt-get install glewlwyd")
    folder.mkdir()
    with contextlib.closing(sqlite3.connect(folder / "provider.db")) as base:
        base.executescript(SCHEMA.read_text())
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    url = f"http://localhost:{port}"
    config = folder / "provider.conf"
    config.write_text(CONFIG.format(port=port, url=url, folder=folder, pages=PAGES))
    with open(folder / "out", "wb") as out:
        process = subprocess.Popen([program, f"--config-file={config}"], stdout=out, stderr=out)
    try:
        with httpx.Client() as admin:
            made = Provider(url, admin)
            _wait(made, folder)
            _set_up(made)
            yield made
    finally:
        process.terminate()
        process.wait(20)


def _wait(one: Provider, folder: Path) -> None:
    until = time.monotonic() + 60
    while True:
        try:
            given = {"username": "admin", "password": "password"}
            answer = one.admin.post(f"{one.url}/api/auth/", json=given)
            assert answer.status_code == 200, answer.text
            return
        except httpx.TransportError:
            told = [path.read_text()[-2000:] for path in (folder / "out", folder / "provider.log") if path.exists()]
            assert time.monotonic() < until, told
            time.sleep(0.1)


def _set_up(one: Provider) -> None:
    kinds = {"groups": {"multiple": True, "read": True, "write": True, "profile-read": True, "profile-write": False}}
    people = one.admin.get(f"{one.url}/api/mod/user/database").json()
    people["parameters"] = {**(people.get("parameters") or {}), "use-glewlwyd-connection": True, "data-format": kinds}
    one.put("mod/user/database", "PUT", **people)
    one.put("mod/user/database/reset/", "PUT")
    scope = {"display_name": "login", "password_required": True, "password_max_age": 0, "scheme": {}}
    if one.admin.get(f"{one.url}/api/scope/openid").status_code != 200:
        one.put("scope/", name="openid", **scope)
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
    public = key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo).decode()
    told = {"type": "string", "on-demand": False, "scope": ["openid"]}
    claims = [
        {"name": "preferred_username", "user-property": "username", **told},
        {"name": "groups", "user-property": "groups", **told},
    ]
    settings = {
        "iss": one.issuer, "issuer": one.issuer, "jwt-type": "rsa", "jwt-key-size": "256", "key": secret,
        "cert": public, "access-token-duration": 600, "refresh-token-duration": 600, "code-duration": 60,
        "refresh-token-rolling": False, "auth-type-code-enabled": True, "auth-type-token-enabled": False,
        "auth-type-id-token-enabled": True, "auth-type-none-enabled": False, "auth-type-password-enabled": False,
        "auth-type-client-enabled": False, "auth-type-device-enabled": False, "auth-type-refresh-enabled": False,
        "jwks-show": True, "jwks-x5c": [], "claims": claims, "subject-type": "public", "allow-non-oidc": False,
        "request-parameter-allow": False, "pkce-allowed": True, "pkce-method-plain-allowed": False,
        "pkce-required": True, "scope": [], "additional-parameters": [],
    }  # fmt: skip
    one.put("mod/plugin/", module="oidc", name="oidc", display_name="login", parameters=settings)
