"""A hook that is a web address: the event is posted to it as JSON, and what it answers is JSON too.

Redirects are not followed. A header may hold a variable of the environment (`$TOKEN`; a dollar sign is `$$`)
if the entry's `env` lists its name, so that what leaves the machine can be seen in one place.
"""

from collections.abc import Mapping
from string import Template
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hookline.core.events import Event
from hookline.core.extras import missing
from hookline.core.kind import KEEP, Carry, Declaration, HookFailed, Kind, Machine
from hookline.core.response import Response
from hookline.core.state import State
from hookline.kinds._payloads import payload
from hookline.kinds._replies import answer

if TYPE_CHECKING:
    from hookline.kinds._post import Client

OURS = {"content-type": "application/json", "accept": "application/json", "user-agent": "hookline"}
PLAIN = {"accept-encoding": "identity"}
"""The size limit is one of bytes on the wire, so nothing may come packed."""


def bind(declaration: Declaration, machine: Machine) -> Carry:
    """How *declaration* is carried out; raises `ValueError` where it cannot be."""
    url, templates, send = _url(declaration), _templates(declaration), payload(declaration, machine)
    secure = urlsplit(url).scheme == "https"

    def carry(event: Event, state: State, limit: float) -> Response:
        began = machine.clock()
        headers = {**OURS, **_filled(templates, machine.env), **PLAIN}
        client = machine.kept.of(("http", secure), lambda: _client(secure=secure))
        answer = client.post(url, headers, send(event, state), limit - (machine.clock() - began))
        _check_status(answer.status)
        return _read(event, answer.body, machine)

    return carry


def _client(*, secure: bool) -> "Client":
    try:
        from hookline.kinds._post import Client  # noqa: PLC0415 -- the extra http
    except ImportError as error:
        raise HookFailed(missing("http", "a hook with a url")) from error
    return Client(secure=secure)


def _url(declaration: Declaration) -> str:
    url: str = declaration.spec["url"]
    parts = urlsplit(url)
    if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
        return url
    raise ValueError(
        f"hook {declaration.name!r} needs a url that begins with http:// or https:// and names a host"
    )


def _templates(declaration: Declaration) -> Mapping[str, Template]:
    allowed = declaration.spec.get("env", ())
    templates = {}
    for key, value in declaration.spec.get("headers", {}).items():
        if not isinstance(value, str) or not Template(value).is_valid():
            raise ValueError(
                f"header {key!r} of hook {declaration.name!r} is no text; a dollar sign is written $$"
            )
        strange = [name for name in Template(value).get_identifiers() if name not in allowed]
        if strange:
            raise ValueError(
                f"header {key!r} of hook {declaration.name!r} uses ${strange[0]}; list that name in its 'env'"
            )
        templates[key.lower()] = Template(value)
    return templates


def _filled(templates: Mapping[str, Template], env: Mapping[str, str]) -> dict[str, str]:
    try:
        return {key: template.substitute(env) for key, template in templates.items()}
    except KeyError as error:
        raise HookFailed(f"needs the variable {error.args[0]!r} for a header, and it is not set") from None


def _check_status(status: int) -> None:
    if 300 <= status < 400:  # noqa: PLR2004 -- as HTTP numbers them
        raise HookFailed(
            f"was redirected (status {status}), which is not followed; declare the address it leads to"
        )
    if not 200 <= status < 300:  # noqa: PLR2004 -- as HTTP numbers them
        raise HookFailed(f"was answered with status {status}")


def _read(event: Event, body: bytes, machine: Machine) -> Response:
    if len(body) > KEEP:
        raise HookFailed(f"answered with more than {KEEP // 1024} KiB, so the answer was not read")
    text = body.decode("utf-8", "replace").strip()
    if text and not text.startswith("{"):
        raise HookFailed("answered with something that is no JSON object")
    return answer(event, text, machine.dialects) if text else Response()


KIND = Kind(
    name="http",
    key="url",
    fields={"url": (str,), "headers": (dict,), "env": (list,), "payload": (str,)},
    bind=bind,
    about="Post the event to a web address as JSON, and read the answer from what comes back.",
)
