"""Why an alert was not taken, in words: libraries log that there was trouble, and not what it was. Pure."""

from __future__ import annotations

import smtplib
import socket
import ssl
from collections.abc import Iterator

#: What each kind of error means; of several that fit, the first.
_WORDS: tuple[tuple[type[BaseException], str], ...] = (
    (smtplib.SMTPAuthenticationError, "the mail server refused the user or the password"),
    (smtplib.SMTPSenderRefused, "the mail server refused the sender"),
    (smtplib.SMTPRecipientsRefused, "the mail server refused whom it should go to"),
    (smtplib.SMTPResponseException, "the mail server did not take it"),
    (smtplib.SMTPNotSupportedError, "the mail server cannot do what the address asks for"),
    (smtplib.SMTPServerDisconnected, "the mail server broke off"),
    (ssl.SSLCertVerificationError, "the certificate is not trusted"),
    (ssl.SSLError, "no encrypted connection can be made"),
    (socket.gaierror, "no machine of this name is known"),
    (ConnectionRefusedError, "nobody listens at this address"),
    (TimeoutError, "no answer in time"),
)


def why(error: BaseException | None) -> str:
    """What an error means, or one of those that it came of; empty where nothing is known of it.

    >>> why(smtplib.SMTPAuthenticationError(535, b"5.7.8 Authentication credentials invalid"))
    'the mail server refused the user or the password: 535 5.7.8 Authentication credentials invalid'
    >>> why(smtplib.SMTPRecipientsRefused({"a@b.io": (550, b"no such user")})), why(ValueError("no JSON"))
    ('the mail server refused whom it should go to: 550 no such user', '')
    >>> outer = OSError("Connection error"); outer.__context__ = ConnectionRefusedError(111, "Connection refused")
    >>> why(outer)
    'nobody listens at this address'
    """
    for one in _chain(error):
        for kind, words in _WORDS:
            if isinstance(one, kind):
                said = _said(one)
                return f"{words}: {said}" if said else words
    return ""


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and those that it came of."""
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        yield error
        seen.append(error)
        error = error.__cause__ or error.__context__


def _said(error: BaseException) -> str:
    """What the other side said, where it said something."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return next((_answer(code, text) for code, text in error.recipients.values()), "")
    if isinstance(error, smtplib.SMTPResponseException):
        return _answer(error.smtp_code, error.smtp_error)
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return str(error)
    return error.verify_message if isinstance(error, ssl.SSLCertVerificationError) else ""


def _answer(code: int, text: bytes | str) -> str:
    return f"{code} {text.decode(errors='replace') if isinstance(text, bytes) else text}".strip()
