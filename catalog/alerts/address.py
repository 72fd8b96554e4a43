"""Where alerts go: an address of Apprise, or a webhook. Addresses hold secrets: only what is shown of them is shown."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from urllib.parse import parse_qsl, unquote, urlsplit

from catalog.addresses import Network, hands_out_credentials
from catalog.alerts.networks import near
from catalog.errors import UsageError

#: Schemes of Apprise by what people call them: those that send over the network. Others act on the service's machine.
SCHEMES = {
    "mailto": "e-mail", "mailtos": "e-mail", "slack": "Slack", "workflow": "Teams", "workflows": "Teams",
    "json": "webhook", "jsons": "webhook", "form": "webhook", "forms": "webhook", "xml": "webhook", "xmls": "webhook",
    "discord": "Discord", "gchat": "Google Chat", "mmost": "Mattermost", "mmosts": "Mattermost",
    "rocket": "Rocket.Chat", "rockets": "Rocket.Chat", "matrix": "Matrix", "matrixs": "Matrix", "ntfy": "ntfy",
    "ntfys": "ntfy", "gotify": "Gotify", "gotifys": "Gotify", "pagerduty": "PagerDuty", "opsgenie": "Opsgenie",
    "squadcast": "Squadcast", "splunk": "Splunk On-Call", "victorops": "Splunk On-Call", "tgram": "Telegram",
    "webex": "Webex", "wxteams": "Webex", "zulip": "Zulip",
}  # fmt: skip
#: Their host is a machine that may be named; of the others it is a token.
HOSTS = ("e-mail", "webhook", "Teams", "Mattermost", "Rocket.Chat", "Matrix", "ntfy", "Gotify")
#: Parameters by which Apprise would read a file of the service's machine.
FILES = re.compile(r"(?i)template|attach.*|pgp.*|.*key_?file|.*cert(ificate)?|config|include")
MOST_ADDRESS = 2000  # characters; a bound
_EXAMPLE = "use mailtos://user:password@smtp.example.com?to=ann@example.com, a Slack or Teams webhook, or https://..."


def usable(address: str) -> str:
    """The address as Apprise takes it; a plain webhook gets JSON. Errors: `UsageError`, which quotes no secret.

    >>> usable("https://hooks.example.com/a/b"), usable("json://hooks.example.com")
    ('jsons://hooks.example.com/a/b', 'json://hooks.example.com')
    """
    import apprise  # takes a moment: only who makes a route waits for it

    logging.getLogger("apprise").setLevel(logging.CRITICAL + 1)  # it would log the address
    text = address.strip()
    if not text or len(text) > MOST_ADDRESS or not text.isprintable():
        raise UsageError("that is no address for alerts", remedy=_EXAMPLE)
    scheme, between, _ = text.lower().partition("://")
    if not between:
        raise UsageError("that is no address: it does not begin like https://", remedy=_EXAMPLE)
    made = apprise.Apprise.instantiate(text, suppress_exceptions=True)
    if made is None and scheme in ("http", "https") and kind(text) == "webhook":
        text = {"http": "json", "https": "jsons"}[scheme] + text[len(scheme) :]
        made = apprise.Apprise.instantiate(text, suppress_exceptions=True)
    way = str(made.url(privacy=True)).partition("://")[0] if made is not None else scheme
    if made is None and scheme in ("http", "https"):
        raise UsageError(f"the {kind(text)} address is not complete", remedy=f"copy it as {kind(text)} shows it")
    if way not in SCHEMES:
        raise UsageError(f"alerts cannot be sent to {scheme}:// addresses", remedy=_EXAMPLE)
    if made is None:
        raise UsageError(f"the {scheme}:// address is not complete", remedy=_EXAMPLE)
    if SCHEMES[way] == "e-mail" and not _says_whom(text):
        raise UsageError("the address does not say who gets the mail", remedy="add ?to=ann@example.com to it")
    wrong = next((name for name, _ in parse_qsl(_query(text)) if FILES.fullmatch(name)), None)
    if wrong:
        raise UsageError(f"an address may not ask for {wrong[:40]}: it would read a file here", remedy="leave it out")
    return text


def entered(address: str, allowed: Sequence[Network]) -> str:
    """`usable`, of an address that somebody enters: one in the service's own network is refused at once, rather than
    when the first incident should be told. It is refused when it is sent to as well (`catalog.alerts.outlet`): a name
    may come to mean another machine. Errors: `UsageError`.

    >>> entered("https://10.1.2.3/hook", [])
    Traceback (most recent call last):
        ...
    catalog.errors.UsageError: 10.1.2.3 is in the service's own network, where alerts may not go; give an address \
outside of it, or have an admin set ASSAY_ALERT_NETWORKS=10.1.2.3
    """
    import apprise

    text = usable(address)
    made = apprise.Apprise.instantiate(text)
    host = str(getattr(made, "smtp_host", "") or getattr(made, "host", "") or "") if kind(text) in HOSTS else ""
    found = near(host, allowed)
    if found:
        told = host if found == host.strip("[]") else f"{host} ({found})"
        allow = "" if hands_out_credentials(found) else f", or have an admin set ASSAY_ALERT_NETWORKS={found}"
        raise UsageError(
            f"{told} is in the service's own network, where alerts may not go",
            remedy=f"give an address outside of it{allow}",
        )
    return text


def _says_whom(mail: str) -> bool:
    """Whether an address of mail names who gets it; Apprise would send it to the sender."""
    told = urlsplit(mail)
    return bool(told.path.strip("/")) or any(name in ("to", "cc", "bcc") for name, _ in parse_qsl(told.query))


def _query(text: str) -> str:
    return text.partition("?")[2]


def kind(address: str) -> str:
    """What people call the way an alert goes.

    >>> kind("mailto://smtp.example.com"), kind("https://hooks.slack.com/services/T/B/x"), kind("jsons://a.io/x")
    ('e-mail', 'Slack', 'webhook')
    """
    scheme = address.partition("://")[0]
    if scheme in ("http", "https"):  # an address that a service gave itself; what none gave is `usable` as a webhook
        host = (urlsplit(address).hostname or "").lower()
        told = {"slack.com": "Slack", "discord.com": "Discord", "azure.com": "Teams", "powerplatform.com": "Teams"}
        return next((name for end, name in told.items() if host.endswith(end)), "webhook")
    return SCHEMES.get(scheme, scheme)


def shown(address: str) -> str:
    """What may be seen of an address: never a user, password, path or token.

    >>> shown("mailtos://ann:pw@smtp.example.com?to=ops@example.com"), shown("slack://T1/B2/c3/#general")
    ('e-mail by smtp.example.com', 'Slack')
    >>> shown("jsons://hooks.example.com:8443/secret")
    'webhook at hooks.example.com:8443'
    """
    name, parts = kind(address), urlsplit(address)
    if name not in HOSTS or address.startswith("http") or not parts.hostname:
        return name
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        port = ""
    return f"{name} {'by' if name == 'e-mail' else 'at'} {parts.hostname}{port}"


def without(text: str, address: str) -> str:
    """A text in which nothing of an address is told that must not be.

    >>> without("no answer at /hook/s3cret0 for bob", "jsons://bob:pw123@a.io/hook/s3cret0")
    'no answer at /…/… for bob'
    >>> without("535 no user ann@b.io, pw p@ss", "mailto://ann%40b.io:p%40ss@smtp.io")
    '535 no user …, pw …'
    """
    written = re.split(r"[:/?&=#@]+", address.partition("://")[2])
    secrets = [part for part in (*written, *map(unquote, written)) if len(part) > 3]
    host = urlsplit(address).hostname or ""
    for part in sorted(set(secrets), key=len, reverse=True):
        text = text if part == host else text.replace(part, "…")
    return text
