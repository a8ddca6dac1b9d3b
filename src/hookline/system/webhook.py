"""Send a webhook from a process of its own: a few short tries, and a word in the trail where all failed.

Whoever waits for our answer, and whoever answers, is gone or busy by then. The address itself is never told:
it is often a secret.
"""

import json
import os
import signal
import sys
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPException
from types import FrameType
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener, getproxies

from hookline.core.events import Event
from hookline.core.frozen import thawed
from hookline.core.response import Post
from hookline.core.store import Record
from hookline.redact import redact
from hookline.system import spool
from hookline.system.paths import Places
from hookline.system.process import detached

WITHIN = 2.0
"""Seconds for one try, whatever the receiver does."""
PAUSES = (0.5, 1.5)
"""Seconds before the second and the third try."""
AGAIN = (408, 425, 429)
"""Refusals that may be over soon; so may everything from 500 on."""
HOOK = "stop-notify"
RULE = f"{HOOK}:webhook"
"""Under which its failures are found in the trail."""
_MAIN = "from hookline.system.webhook import main; main()"


class _GivenUp(Exception):
    """What another try will not change."""


def post(effect: Post, event: Event, places: Places, env: Mapping[str, str]) -> str:
    """Have it sent; what could not even be tried, in a sentence."""
    about = {"session": event.session, "host": event.host, "event": event.name, "cwd": redact(event.cwd)}
    failed = wrong(effect.to)
    if not failed:
        what = {"to": effect.to, "says": thawed(effect.says), "spool": places.spool, "about": about}
        try:
            argv = [sys.executable, "-P", "-c", _MAIN]
            detached.start(argv, stdin=json.dumps(what).encode(), env=detached.environment(env))
        except OSError as error:
            failed = f"no process could be started: {error.strerror}"
    if failed:
        return _told(places.spool, about, failed)
    return ""


def wrong(url: str) -> str:
    """What is wrong with an address; it is not repeated."""
    try:
        parts = urlsplit(url)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    return "" if fits else "its address is no http:// or https:// address of a host"


def main() -> None:
    """What to send where is told on stdin."""
    what: dict[str, Any] = json.load(sys.stdin)
    failed = send(what["to"], json.dumps(what["says"]).encode())
    if failed:
        _told(what["spool"], what["about"], failed)
    os._exit(0)


def send(url: str, body: bytes, within: float = WITHIN, sleep: Callable[[float], None] = time.sleep) -> str:
    """Try a few times; why it failed, empty where it did not. For the main thread of a process."""
    why = ""
    for pause in (0.0, *PAUSES):
        sleep(pause)
        try:
            with _limited(within):
                why = _tried(url, body)
        except TimeoutError:
            why = f"no answer within {within:g} s"
        except _GivenUp as error:
            return f"{error}"
        if not why:
            return ""
    return f"{why}, the last of {len(PAUSES) + 1} tries"


def _tried(url: str, body: bytes) -> str:
    """One try; nothing of what comes back is read but its first line."""
    try:
        with build_opener(ProxyHandler(_proxies()), _NoRedirect).open(_request(url, body)) as answer:
            status = answer.status
    except HTTPError as error:
        status = error.code
        error.close()
    except URLError as error:  # which wraps what it met
        if isinstance(error.reason, TimeoutError):
            raise error.reason from None
        return f"it could not be reached ({type(error.reason).__name__})"
    except TimeoutError:
        raise
    except (HTTPException, ValueError, OSError) as error:
        return f"it could not be reached ({type(error).__name__})"
    if 300 <= status < 400:  # noqa: PLR2004 -- as HTTP numbers them
        raise _GivenUp(f"it was redirected (status {status}), which is not followed")
    if 400 <= status < 500 and status not in AGAIN:  # noqa: PLR2004 -- ditto
        raise _GivenUp(f"it was refused with status {status}")
    return "" if 200 <= status < 300 else f"it was answered with status {status}"  # noqa: PLR2004 -- ditto


def _request(url: str, body: bytes) -> Request:
    """A request to an address as people write it: `urllib` takes ASCII, and a password in a header only."""
    parts = urlsplit(url)
    host = (parts.hostname or "").encode("idna").decode()
    place = (f"[{host}]" if ":" in host else host) + (f":{parts.port}" if parts.port else "")
    path, query = quote(parts.path, safe=_AS_IT_IS), quote(parts.query, safe=_AS_IT_IS)
    headers = {"Content-Type": "application/json", "User-Agent": "hookline"}
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
    address = urlunsplit((parts.scheme, place, path, query, ""))
    return Request(address, data=body, headers=headers, method="POST")  # noqa: S310 -- `wrong` looked at it


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **given: Any) -> None:
        """Follow none: what is sent is for the receiver that was named."""


def _proxies() -> dict[str, str]:
    """Those of the environment; ALL_PROXY holds for what has none of its own."""
    found = getproxies()
    return {**dict.fromkeys(("http", "https"), found["all"]), **found} if "all" in found else found


_AS_IT_IS = "%/:?&=;,@+$!*'()~"
"""Characters of a path or a query that are not quoted."""


@contextmanager
def _limited(within: float) -> Iterator[None]:
    """An end to a try also for a receiver that says a little at a time, and for a name nobody resolves."""

    def over(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, within)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _told(folder: str, about: Mapping[str, Any], failed: str) -> str:
    """Put it into the trail; the sentence."""
    sentence = redact(f"the webhook was not told: {failed}")
    step = {"hook": HOOK, "said": "failed", "rule": RULE, "note": sentence}
    told = {**about, "summary": sentence, "rules": (RULE,), "warnings": (sentence,), "trail": (step,)}
    kept = Record(id=os.urandom(16).hex(), at=time.time(), **told)
    try:
        spool.append(folder, kept)
    except OSError as error:
        return f"{sentence}; nor could that be kept: {error.strerror}"
    return sentence
