"""Kind http: the event is posted to a URL as JSON, and the reply is JSON.

Redirects are not followed. A header may contain an environment variable (`$TOKEN`; a dollar sign is `$$`)
only if the entry's `env` lists its name, so that one place shows all that leaves the machine.
"""

from collections.abc import Mapping
from string import Template
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hookline.core.events import Event
from hookline.core.install_commands import describe_missing
from hookline.core.kind import MAX_OUTPUT_BYTES, BoundHook, Declaration, HookFailed, Kind, Machine
from hookline.core.response import Response
from hookline.core.state import State
from hookline.kinds._payloads import make_encoder
from hookline.kinds._read_output import read_json

if TYPE_CHECKING:
    from hookline.kinds._post import Client

DEFAULT_HEADERS = {"content-type": "application/json", "accept": "application/json", "user-agent": "hookline"}
ENCODING_HEADER = {"accept-encoding": "identity"}
"""Header that forbids compression, because the size limit counts bytes on the wire."""


def bind(declaration: Declaration, machine: Machine) -> BoundHook:
    """Return a function that posts the event; raise `ValueError` if *declaration* is invalid."""
    url, templates, encode = (
        _check_url(declaration),
        _parse_headers(declaration),
        make_encoder(declaration, machine),
    )
    secure = urlsplit(url).scheme == "https"

    def run_hook(event: Event, state: State, limit: float) -> Response:
        began = machine.clock()
        headers = {**DEFAULT_HEADERS, **_fill_headers(templates, machine.env), **ENCODING_HEADER}
        client = machine.resources.obtain(("http", secure), lambda: _make_client(machine.env, secure=secure))
        reply = client.post(url, headers, encode(event, state), limit - (machine.clock() - began))
        _check_status(reply.status)
        return _read_body(event, reply.body, machine)

    return run_hook


def _make_client(env: Mapping[str, str], *, secure: bool) -> "Client":
    try:
        from hookline.kinds._post import Client  # noqa: PLC0415 -- the extra http
    except ImportError as error:
        raise HookFailed(describe_missing("http", "a hook with a url")) from error
    return Client(env, secure=secure)


def _check_url(declaration: Declaration) -> str:
    url: str = declaration.spec["url"]
    parts = urlsplit(url)
    if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
        return url
    raise ValueError(f"hook {declaration.name!r} requires a url with http:// or https:// and a host")


def _parse_headers(declaration: Declaration) -> Mapping[str, Template]:
    allowed = declaration.spec.get("env", ())
    templates = {}
    for key, value in declaration.spec.get("headers", {}).items():
        if not isinstance(value, str) or not Template(value).is_valid():
            raise ValueError(
                f"header {key!r} of hook {declaration.name!r} is not valid text; write a dollar sign as $$"
            )
        unknown = [name for name in Template(value).get_identifiers() if name not in allowed]
        if unknown:
            raise ValueError(
                f"header {key!r} of hook {declaration.name!r} uses ${unknown[0]}; list that name in its 'env'"
            )
        templates[key.lower()] = Template(value)
    return templates


def _fill_headers(templates: Mapping[str, Template], env: Mapping[str, str]) -> dict[str, str]:
    try:
        return {key: template.substitute(env) for key, template in templates.items()}
    except KeyError as error:
        raise HookFailed(
            f"requires the environment variable {error.args[0]!r} for a header; it is not set"
        ) from None


def _check_status(status: int) -> None:
    if 300 <= status < 400:  # noqa: PLR2004 -- as HTTP numbers them
        raise HookFailed(f"was redirected (status {status}), which is not followed; declare the final url")
    if not 200 <= status < 300:  # noqa: PLR2004 -- as HTTP numbers them
        raise HookFailed(f"was answered with status {status}")


def _read_body(event: Event, body: bytes, machine: Machine) -> Response:
    if len(body) > MAX_OUTPUT_BYTES:
        raise HookFailed(f"answered with more than {MAX_OUTPUT_BYTES // 1024} KiB; the answer was ignored")
    text = body.decode("utf-8", "replace").strip()
    if text and not text.startswith("{"):
        raise HookFailed("answered with text that is not a JSON object")
    return read_json(event, text, machine.dialects) if text else Response()


KIND = Kind(
    name="http",
    key="url",
    fields={"url": (str,), "headers": (dict,), "env": (list,), "payload": (str,)},
    bind=bind,
    about="Post the event to a URL as JSON, and read the answer from the reply.",
)
