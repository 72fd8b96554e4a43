"""Logging in at an OpenID Connect provider: the authorization code flow with PKCE, state and nonce, by Authlib.

What must survive the way to the provider and back is sealed into a cookie of this browser that lasts ten minutes; the
ID token is believed when it is signed by a key of the provider, for this catalog, for this login
(OpenID Connect Core 1.0, section 3.1).
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from catalog.errors import AssayError, SettingError, UsageError
from catalog.roles import ROLES
from catalog.settings import Settings
from catalog.vault import Vault

if TYPE_CHECKING:
    from authlib.integrations.requests_client import OAuth2Session

COOKIE = "assay_oidc"
LASTS = 600  # seconds between leaving for the provider and coming back; a bound
WAIT = 10  # seconds for an answer of the provider; a bound
KEEP = 3600.0  # seconds for which what the provider says of itself is believed; chosen
LEEWAY = 60  # seconds by which two clocks may differ; a bound
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]


class Refused(UsageError):
    """The provider's answer lets nobody in; `subject` is who is known to it, and may not come in."""

    remedy = "start again at /login"
    subject = ""


class ProviderError(AssayError):
    """The identity provider does not answer as one does."""

    remedy = "try again in a moment; if it stays, an admin checks ASSAY_OIDC_ISSUER and that the provider runs"


@dataclass(frozen=True)
class Claimed:
    """Who the provider says somebody is: `subject` for ever, `name` and `role` at present."""

    subject: str
    name: str
    role: str


class Provider:
    """The provider that settings name.

    Parameters
    ----------
    settings : nothing is asked of the provider before the first login.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings, self.vault = settings, Vault(settings)
        self._metadata: dict[str, Any] = {}
        self._at = 0.0

    def __bool__(self) -> bool:
        return bool(self.settings.oidc_issuer)

    def leave(self, back: str, next_path: str) -> tuple[str, str]:
        """The provider's address to go to, and the cookie for coming back. Errors: `ProviderError`."""
        from authlib.common.security import generate_token

        told = {"nonce": generate_token(32), "verifier": generate_token(64), "next": next_path, "back": back}
        with self._session(back) as session:
            where, state = session.create_authorization_url(
                self._told("authorization_endpoint"), nonce=told["nonce"], code_verifier=told["verifier"]
            )
        return where, self.vault.seal(json.dumps({**told, "state": state, "at": time.time()}))

    def end(self) -> str:
        """Where people log out at the provider, as far as it has told (RP-Initiated Logout 1.0, section 2)."""
        from urllib.parse import urlencode

        address = str(self._metadata.get("end_session_endpoint") or "")
        told = urlencode({"client_id": self.settings.oidc_client_id})
        return f"{address}{'&' if '?' in address else '?'}{told}" if address.startswith(("https://", "http://")) else ""

    def come_back(self, cookie: str, query: Mapping[str, str]) -> tuple[Claimed, str]:
        """Who came back, and where to go on. Errors: `Refused`, `ProviderError`."""
        told = self._opened(cookie)
        if query.get("state") != told["state"]:
            raise Refused("this is not the login that was begun in this browser")
        if "code" not in query:
            said = query.get("error_description") or query.get("error") or "no code"
            raise Refused(f"the provider let nobody in ({said[:200]})")
        claims = self._claims(query["code"], told)
        return claimed(self.settings, claims), told["next"]

    def _opened(self, cookie: str) -> dict[str, Any]:
        try:
            told: dict[str, Any] = json.loads(self.vault.open(cookie))
        except SettingError as error:
            raise Refused("this login was not begun in this browser") from error
        if time.time() - told["at"] > LASTS:
            raise Refused("the login took too long")
        return told

    def _claims(self, code: str, told: Mapping[str, Any]) -> dict[str, Any]:
        """The claims of the ID token and of the provider's answer about the person."""
        from authlib.common.errors import AuthlibBaseError
        from authlib.oidc.core import CodeIDToken
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet
        from requests import RequestException

        try:
            with self._session(told["back"]) as session:
                token = session.fetch_token(
                    self._told("token_endpoint"), code=code, code_verifier=told["verifier"], timeout=WAIT
                )
                keys = session.request("GET", self._told("jwks_uri"), withhold_token=True, timeout=WAIT).json()
                decoded = jwt.decode(token["id_token"], KeySet.import_key_set(keys), algorithms=ALGORITHMS)
                options = {
                    "iss": {"essential": True, "value": self.issuer},
                    "aud": {"essential": True, "value": self.settings.oidc_client_id},
                    "nonce": {"essential": True, "value": told["nonce"]},
                }
                params = {"nonce": told["nonce"], "client_id": self.settings.oidc_client_id}
                checked = CodeIDToken(decoded.claims, decoded.header, options, params)
                checked.validate(leeway=LEEWAY)
                more = self._userinfo(session, checked["sub"])
        except (AuthlibBaseError, JoseError, KeyError) as error:
            raise Refused(f"the provider's answer cannot be believed ({type(error).__name__}: {error})") from error
        except (RequestException, ValueError) as error:
            raise ProviderError(f"the identity provider does not answer ({type(error).__name__})") from error
        return {**more, **decoded.claims}

    def _userinfo(self, session: OAuth2Session, subject: str) -> dict[str, Any]:
        """What the provider tells of the person beside the ID token; of another person it is not believed (5.3.2)."""
        where = self._metadata.get("userinfo_endpoint")
        if not where:
            return {}
        answer = session.get(where, timeout=WAIT)
        told = answer.json() if answer.ok and "json" in answer.headers.get("content-type", "") else {}
        return told if isinstance(told, dict) and told.get("sub") == subject else {}

    @property
    def issuer(self) -> str:
        return str(self._metadata.get("issuer", ""))

    def _session(self, back: str) -> OAuth2Session:
        from authlib.integrations.requests_client import OAuth2Session

        ours = self.settings
        return OAuth2Session(
            ours.oidc_client_id, ours.oidc_client_secret or None, scope=ours.oidc_scopes, redirect_uri=back,
            code_challenge_method="S256",
            token_endpoint_auth_method="client_secret_basic" if ours.oidc_client_secret else "none",
        )  # fmt: skip

    def _told(self, name: str) -> str:
        """An address that the provider tells of itself. Errors: `ProviderError`."""
        if time.monotonic() - self._at > KEEP or not self._metadata:
            self._metadata, self._at = self._discover(), time.monotonic()
        try:
            return str(self._metadata[name])
        except KeyError:
            raise ProviderError(f"the identity provider tells no {name}") from None

    def _discover(self) -> dict[str, Any]:
        import requests

        wanted = self.settings.oidc_issuer
        address = wanted.rstrip("/") + "/.well-known/openid-configuration"
        try:
            answer = requests.get(address, timeout=WAIT)
            answer.raise_for_status()
            told = dict(answer.json())
        except (requests.RequestException, ValueError, TypeError) as error:
            raise ProviderError(f"the identity provider does not answer ({type(error).__name__})") from error
        if str(told.get("issuer", "")).rstrip("/") != wanted.rstrip("/"):
            raise ProviderError(f"the identity provider calls itself {str(told.get('issuer'))[:200]!r}")
        return told


def claimed(settings: Settings, claims: Mapping[str, Any]) -> Claimed:
    """Who claims speak of, and what the person may do here.

    >>> roles = {"stewards": "approver", "all": "viewer"}
    >>> known = Settings(oidc_issuer="https://id.example", oidc_client_id="assay", oidc_roles=roles)
    >>> told = {"iss": "https://id.example", "sub": "7", "preferred_username": "Ann Lee", "groups": ["all", "stewards"]}
    >>> claimed(known, told)
    Claimed(subject='https://id.example 7', name='ann.lee', role='approver')

    Errors: `Refused` for who is in no group that has a role.
    """
    named = [claims.get(one) for one in (settings.oidc_name_claim, "email", "sub")]
    text = next((one for one in named if isinstance(one, str) and one), "")
    name = re.sub(r"[^a-z0-9._@+-]+", ".", text.lower()).strip(".-_+@")[:100]
    listed = claims.get(settings.oidc_roles_claim) or []
    groups = [listed] if isinstance(listed, str) else [str(one) for one in listed] if isinstance(listed, list) else []
    roles = [settings.oidc_roles[one] for one in groups if one in settings.oidc_roles] or [settings.oidc_role]
    role = max(roles, key=lambda one: len(ROLES.get(one, ())))
    if not role:
        told = ", ".join(groups[:10])[:200] or f"none, in the claim {settings.oidc_roles_claim!r}"
        refused = Refused(
            f"{name} is in no group that may come in",
            remedy=f"ask an admin of this catalog or of the provider; groups that the provider tells of: {told}",
        )
        refused.subject = f"{claims['iss']} {claims['sub']}"
        raise refused
    return Claimed(f"{claims['iss']} {claims['sub']}", name, role)
