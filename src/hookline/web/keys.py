"""Keys of the dashboard, in memory only: a link that opens it once, the viewers' cookies, and form tokens."""

import hmac
import secrets
from collections.abc import Callable
from hashlib import sha256

COOKIE = "hookline_ui"


class Keys:
    """The keys of one server; a link that was used is replaced by a new one."""

    def __init__(self, announce: Callable[[str], None] = lambda token: None) -> None:
        self.token = secrets.token_urlsafe(24)
        self._announce = announce
        self._secret = secrets.token_bytes(32)
        self._cookies: set[str] = set()

    def redeem(self, token: str) -> str | None:
        """Exchange the token of the link for a new cookie; None if it is wrong or was used before."""
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            return None
        self.token = secrets.token_urlsafe(24)
        cookie = secrets.token_urlsafe(24)
        self._cookies.add(_digest(cookie))
        self._announce(self.token)
        return cookie

    def is_valid(self, cookie: str) -> bool:
        return _digest(cookie) in self._cookies

    def form_token(self, cookie: str) -> str:
        """Return the token that every form of this viewer contains."""
        return hmac.new(self._secret, cookie.encode(), sha256).hexdigest()

    def is_form_token(self, cookie: str, token: str) -> bool:
        return hmac.compare_digest(self.form_token(cookie).encode(), token.encode())


def _digest(cookie: str) -> str:
    # A lookup by digest takes the same time for every wrong cookie.
    return sha256(cookie.encode()).hexdigest()
