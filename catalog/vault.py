"""Secrets that the catalog has to use again, such as addresses of webhooks: kept sealed in its database.

The key is ASSAY_SECRET_KEY, or a file in ASSAY_HOME that only its owner reads: who has a copy of the database alone has
no secret.
"""

from __future__ import annotations

import base64
import contextlib
import os
import secrets
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from catalog.errors import SettingError
from catalog.settings import Settings

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

FILE = "secret.key"


class Vault:
    """Seals texts and opens them again.

    Parameters
    ----------
    settings : tell where the key is.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def seal(self, text: str) -> str:
        """The text as the database keeps it."""
        return self._fernet(make=True).encrypt(text.encode()).decode()

    def open(self, sealed: str) -> str:
        """The text again. Errors: `SettingError` where the key is another one."""
        from cryptography.fernet import InvalidToken

        try:
            return self._fernet(make=False).decrypt(sealed.encode()).decode()
        except InvalidToken as error:
            raise SettingError(
                "a secret of the catalog was sealed with another key",
                remedy=f"set ASSAY_SECRET_KEY or bring back ASSAY_HOME/{FILE}; else enter the secret again",
            ) from error

    def _fernet(self, *, make: bool) -> Fernet:
        from cryptography.fernet import Fernet

        given = self.settings.secret_key or _file(self.settings.home / FILE, make)
        return Fernet(base64.urlsafe_b64encode(sha256(b"assay vault " + given.encode()).digest()))


def _file(path: Path, make: bool) -> str:
    """The key in a file, made where there is none."""
    if make and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = path.with_name(f"{FILE}.{os.getpid()}")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(32))
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)  # whoever is first makes the key; it is whole when it is seen
        draft.unlink()
    try:
        return path.read_text()
    except OSError as error:
        raise SettingError(
            f"the key of the catalog's secrets cannot be read: {path}",
            remedy="set ASSAY_SECRET_KEY to the same text for every process",
        ) from error
