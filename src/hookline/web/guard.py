"""Checks of every request before a page sees it, and headers of every response."""

from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hookline.web.keys import COOKIE, Keys

MAX_BODY_BYTES = 65_536
HEADERS: Mapping[str, str] = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with `no-referrer`, the Origin of a form would be `null`
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """ASGI middleware: only this address, only its own origin for changes, and only viewers with a cookie."""

    def __init__(self, app: ASGIApp, *, address: str, keys: Keys, open_paths: tuple[str, ...]) -> None:
        self._app, self._address, self._keys, self._open_paths = app, address, keys, open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        answer = self._app if scope["type"] == "http" else PlainTextResponse("not supported", 400)
        if refusal := scope["type"] == "http" and self._find_refusal(scope):
            answer = PlainTextResponse(refusal, 403)
        await answer(scope, receive, _with_headers(send))

    def _find_refusal(self, scope: Scope) -> str:
        headers = Headers(scope=scope)
        if headers.getlist("host") != [self._address]:
            return "wrong Host header; open the link that `hookline ui` printed"
        is_change = scope["method"] not in ("GET", "HEAD")
        if is_change and headers.getlist("origin") != [f"http://{self._address}"]:
            return "this change comes from another page"
        if is_change and not _is_short(headers):
            return f"a form has at most {MAX_BODY_BYTES:,} bytes"
        cookie = read_cookie(headers)
        scope["state"] = {**scope.get("state", {}), "viewer": cookie if self._keys.is_valid(cookie) else ""}
        is_open = scope["path"].startswith(self._open_paths)
        if is_change and not is_open and not scope["state"]["viewer"]:
            return "open the link that `hookline ui` printed"
        return ""


def _is_short(headers: Headers) -> bool:
    length = headers.get("content-length", "")
    return length.isdecimal() and int(length) <= MAX_BODY_BYTES


def read_cookie(headers: Headers) -> str:
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return morsel.value if morsel else ""


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(HEADERS)
        await send(message)

    return send_with_headers
