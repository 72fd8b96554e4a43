"""Settings: one frozen table of names, defaults and help, read by entry points only.

Each is an environment variable with the prefix ``ASSAY_`` (``ASSAY_HOME=/var/lib/assay``), or a line of a ``.env``
file in the working directory. ``assay settings`` prints this table with the values in force.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import socket
from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, ValidationError, ValidationInfo, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from catalog.addresses import networks, without_password
from catalog.errors import SettingError
from catalog.roles import ROLES


class Secret(Enum):
    """What of a setting nobody is shown: all of it, the values that an object names, or the secrets in an address."""

    WHOLE = "****"
    VALUES = "values"
    ADDRESS = "address"

    def hide(self, value: Any) -> Any:
        """The value as it may be shown.

        >>> Secret.VALUES.hide({"fs.s3a.secret.key": "k"}), Secret.ADDRESS.hide("redis://:pw@db"), Secret.WHOLE.hide("")
        ({'fs.s3a.secret.key': '****'}, 'redis://:****@db', '')
        """
        if not value:
            return value
        if self is Secret.VALUES:
            return dict.fromkeys(value, Secret.WHOLE.value)
        return without_password(value) if self is Secret.ADDRESS else Secret.WHOLE.value


def _only(right: Callable[[Any], Any], remedy: str) -> AfterValidator:
    """What a setting has to be beyond its type: a wrong one is refused at the start of every process, not where it is
    needed. `right` may raise `ValueError`; nothing is always right. Errors: `SettingError`."""

    def check(value: Any, info: ValidationInfo) -> Any:
        try:
            good = not value or right(value)
        except ValueError:
            good = False
        if not good:
            name = info.field_name or ""
            told = "used" if Settings.secret_of(name) else repr(value)
            raise SettingError(f"ASSAY_{name.upper()} cannot be {told}", remedy=remedy)
        return value

    return AfterValidator(check)


def _is_page(address: str) -> bool:
    told = urlsplit(address)
    return told.scheme in ("http", "https") and bool(told.hostname)


def _is_queue(address: str) -> bool:
    told = urlsplit(address)
    return told.scheme in ("redis", "rediss", "unix", "redis+socket") and (told.port is None or told.port > 0)


def _are_proxies(text: str) -> bool:
    """As the server takes them: names of machines and networks with a host in them mean nothing to it."""
    return text.strip() == "*" or all(ipaddress.ip_network(part.strip()) for part in text.split(","))


_ONE_ROLE = f"use one of {', '.join(ROLES)}"
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")

Hidden = Annotated[str, Secret.WHOLE]
Address = Annotated[str, Secret.ADDRESS]
HiddenValues = Annotated[dict[str, str], Secret.VALUES]


class Settings(BaseSettings):
    """The values in force. Frozen: an entry point reads them once and hands them on."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_", env_file=".env", extra="ignore", frozen=True)

    home: Path = Field(
        default_factory=lambda: Path.home() / ".assay",
        description="Folder of the embedded defaults: the SQLite catalog, the bundled broker's socket, the pattern "
        "index, Delta's jars and logs.",
    )
    database_url: Address = Field("", description="SQLAlchemy address of the catalog; empty: SQLite in ASSAY_HOME.")
    redis_url: Annotated[
        Address,
        _only(_is_queue, "write redis://:PASSWORD@HOST:6379/0; / and @ in a password are %2F and %40"),
    ] = Field("", description="Redis or Valkey of the task queue; empty: the bundled one in ASSAY_HOME.")
    host: str = Field("127.0.0.1", description="Address the web page listens on.")
    port: int = Field(8420, ge=0, le=65535, description="Port the web page listens on; 0 takes a free one.")
    access_token: Hidden = Field(
        "", description="Token the page and the API ask for; without one they listen on localhost only."
    )
    token: Hidden = Field("", description="Whose commands these are, where people have accounts: a token of theirs.")
    oidc_issuer: str = Field(
        "", description="Address of the OpenID Connect provider that people log in at; empty: with passwords only."
    )
    oidc_client_id: str = Field("", description="What the provider calls this catalog.")
    oidc_client_secret: Hidden = Field("", description="The secret that the provider gave this catalog.")
    oidc_scopes: str = Field("openid profile email", description="What the provider is asked for, space-separated.")
    oidc_name_claim: str = Field("preferred_username", description="The claim that names a person.")
    oidc_roles_claim: str = Field("groups", description="The claim that lists a person's groups.")
    oidc_roles: Annotated[dict[str, str], _only(lambda roles: set(roles.values()) <= {*ROLES}, _ONE_ROLE)] = Field(
        default_factory=dict,
        description='Role of each group, as JSON ({"data-stewards": "approver"}); of several the one with most rights.',
    )
    oidc_role: Annotated[str, _only(ROLES.__contains__, _ONE_ROLE)] = Field(
        "", description="Role of who is in none of these groups; empty: may not come in."
    )
    oidc_hours: float = Field(
        8.0, gt=0, le=336, description="Hours after which the provider is asked again whether a person may be in."
    )
    oidc_token_days: float = Field(
        30.0,
        gt=0,
        le=366,
        description="Days after a login at the provider during which a person's tokens work; then they rest until the "
        "next one.",
    )
    trusted_proxies: Annotated[
        str, _only(_are_proxies, "give addresses or networks such as 10.1.2.0/24, comma-separated, or * for all")
    ] = Field(
        "",
        description="Addresses of proxies before the page, comma-separated: only what they say of a client's address "
        "is believed.",
    )
    open_probes: bool = Field(
        False,
        description="Answer /metrics and health to everyone; without, to who has the token, or to all where the page "
        "listens on localhost only.",
    )
    spark_remote: Address = Field("", description="Spark Connect address (sc://host:port); empty: a local session.")
    spark_master: str = Field("local[*]", description="Spark master when no Connect address is given.")
    spark_memory: str = Field("4g", description="Memory of the local Spark driver.")
    spark_conf: HiddenValues = Field(default_factory=dict, description="More Spark settings, as JSON.")
    delta_jars: str = Field(
        "", description="Comma-separated local jar files of Delta; empty: those `assay setup` put into ASSAY_HOME/jars."
    )
    starter_index: str = Field(
        "", description="Folder of the starter pattern index; empty: the one `assay setup` made in ASSAY_HOME/starter."
    )
    domains: str = Field("", description="YAML file, or folder of them, with domains of this lake's own.")
    personal_by_default: bool = Field(
        True, description="Whether telephones, addresses, positions count as a person's where nothing tells whose."
    )
    mask_identifiers: bool = Field(
        False,
        description="Whether numbers that stand for persons (customer number, patient id) are masked as personal data; "
        "the inventory of personal data lists them in any case.",
    )
    storage_options: HiddenValues = Field(
        default_factory=dict, description="Options of the object store (S3, ABFS, GCS ...), as JSON."
    )
    watch_seconds: float = Field(2.0, gt=0, description="Seconds between two looks at the transaction logs.")
    crawl_seconds: float = Field(3600.0, gt=0, description="Seconds between two looks for new tables in each source.")
    fpr_budget: float = Field(
        0.001,
        gt=0,
        lt=1,
        description="False-alarm rate per version that the rule on a column's past is made for (in a table of more "
        "than ten columns less). The rules on texts are made for a mean of as much over all columns, but of 1% at the "
        "least and 3% at the most over the versions until as many rows came again: one from few versions may state "
        "more. Each rule's page says its own rate.",
    )
    false_alarm_budget: float = Field(
        1.0,
        ge=0,
        description="False alarms that each table may raise in 30 days; the rules behind more are demoted to warnings.",
    )
    weekly_budget: float = Field(
        1.0,
        gt=0,
        description="False alarms that the whole lake may raise in a week, until people set another number (`assay "
        "incident budget`); what is beyond it is shown and only warns.",
    )
    history_limit: int = Field(90, ge=7, description="How many of the latest batches are learned from.")
    offending_rows: int = Field(10, ge=0, le=1000, description="How many offending rows a violation keeps.")
    task_timeout: int = Field(
        30,
        gt=3,
        description="Seconds without a sign of life from a worker after which its task is given to another one.",
    )
    public_url: Annotated[str, _only(_is_page, "write it as https://assay.example.com")] = Field(
        "",
        description="Address under which people open the page, for links in alerts; empty: this "
        "machine's, as it calls itself.",
    )
    alert_networks: Annotated[
        str, _only(networks, "give addresses or networks such as 10.1.2.0/24, comma-separated")
    ] = Field(
        "",
        description="Addresses or networks of one's own that alerts may go to (a mail server: 10.1.2.3), "
        "comma-separated; without, none of a private network.",
    )
    secret_key: Hidden = Field(
        "", description="What seals webhooks' addresses in the catalog; empty: a file that is made in ASSAY_HOME."
    )
    log_level: Annotated[str, _only(lambda level: level.upper() in _LEVELS, f"use one of {', '.join(_LEVELS)}")] = (
        Field("INFO", description="DEBUG, INFO, WARNING or ERROR.")
    )

    @model_validator(mode="after")
    def _provider_knows_this_catalog(self) -> Self:
        if self.oidc_issuer and not self.oidc_client_id:
            raise SettingError("ASSAY_OIDC_ISSUER needs ASSAY_OIDC_CLIENT_ID", remedy="register this catalog there")
        return self

    @property
    def database(self) -> str:
        """The catalog's address with the embedded default filled in."""
        return self.database_url or f"sqlite:///{self.home / 'assay.db'}"

    @property
    def page_url(self) -> str:
        """Address of the page without a slash at its end. A page that listens on all addresses of this machine is not
        reached under the name for all of them.

        >>> Settings(host="10.1.2.3").page_url, "0.0.0.0" in Settings(host="0.0.0.0").page_url
        ('http://10.1.2.3:8420', False)
        """
        host = socket.gethostname() if self.host in ("0.0.0.0", "::", "") else self.host  # noqa: S104
        return self.public_url.rstrip("/") or f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    def make_home(self) -> Path:
        """The home, made where there is none: for its owner alone, since what is kept in it holds values of the lake.
        Of a home that others may enter what holds values is closed to all but its owner and group."""
        self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        for one in (self.index_path, self.home / "groups", self.home / "logs", *self.home.glob("assay.db*")):
            shut(one)
        return self.home

    @property
    def index_path(self) -> Path:
        """Folder of the pattern index."""
        return self.home / "index"

    @property
    def starter_path(self) -> Path:
        """Folder of the starter index."""
        return Path(self.starter_index) if self.starter_index else self.home / "starter"

    @classmethod
    def secret_of(cls, name: str) -> Secret | None:
        """What of a setting nobody is shown; None where all of it may be."""
        return next((one for one in cls.model_fields[name].metadata if isinstance(one, Secret)), None)

    def shown(self) -> dict[str, Any]:
        """Every setting as JSON data that anybody may read."""
        values = self.model_dump(mode="json")
        return {
            name: secret.hide(value) if (secret := self.secret_of(name)) else value for name, value in values.items()
        }

    def as_environment(self) -> dict[str, str]:
        """The settings as environment variables, for child processes.

        >>> Settings(port=0, spark_conf={"a": "b"}).as_environment()["ASSAY_SPARK_CONF"]
        '{"a": "b"}'
        """
        values = self.model_dump(mode="json")
        return {
            f"ASSAY_{name.upper()}": value if isinstance(value, str) else json.dumps(value)
            for name, value in values.items()
        }


@lru_cache(maxsize=1)
def get_settings() -> Settings:
    """The settings of this process. Only entry points (CLI, worker, web app) call it. Errors: `SettingError`."""
    try:
        return Settings()
    except SettingsError as error:  # of a setting that is JSON: its message names the field as Python does
        name = "ASSAY_" + str(error).split('"')[1].upper()
        raise SettingError(f"{name} is no JSON", remedy='write it as {"name": "value"}') from None
    except ValidationError as error:
        raise SettingError(_wrong(error), remedy="correct it") from None


def shut(place: Path) -> None:
    """Take from others, who are neither owner nor in the group, what they may do with a file or folder of ours."""
    with contextlib.suppress(OSError):  # not there, or somebody else's
        mode = place.stat().st_mode
        if mode & 0o007:
            place.chmod(mode & 0o7770)


def _wrong(error: ValidationError) -> str:
    """What is wrong with the first setting that cannot be used; a secret is not quoted."""
    first = error.errors()[0]
    field, *within = map(str, first["loc"])
    told = f" {within[0]!r}" if within else ""
    given = "" if Settings.secret_of(field) else f" cannot be {first['input']!r}"
    return f"ASSAY_{field.upper()}{told}{given}: {first['msg']}"
