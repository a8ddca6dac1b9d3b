"""The process that sends a webhook: a few short attempts."""

import json
import os
import signal
import sys
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException
from types import FrameType
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener, getproxies

from hookline.system.webhook import record_failure

TIMEOUT_SECONDS = 2.0
"""Seconds for one attempt."""
PAUSES_SECONDS = (0.5, 1.5)
"""Seconds before the second and the third attempt."""
RETRY_STATUSES = (408, 425, 429)
"""Statuses below 500 that are retried; all from 500 are."""


class _PermanentError(Exception):
    """A failure that another attempt will not change."""


def main() -> None:
    """Send the webhook described on stdin."""
    job: dict[str, Any] = json.load(sys.stdin)
    error_message = send(job["to"], json.dumps(job["says"]).encode())
    if error_message:
        record_failure(job["spool"], job["about"], error_message)
    os._exit(0)


def send(
    url: str, body: bytes, seconds: float = TIMEOUT_SECONDS, sleep: Callable[[float], None] = time.sleep
) -> str:
    """Try a few times; return an error message, empty on success. Call only from a process's main thread."""
    failure = ""
    for pause in (0.0, *PAUSES_SECONDS):
        sleep(pause)
        try:
            with _time_limit(seconds):
                failure = _try_once(url, body)
        except TimeoutError:
            failure = f"timed out after {seconds:g} s"
        except _PermanentError as error:
            return f"{error}"
        if not failure:
            return ""
    return f"{failure}, the last of {len(PAUSES_SECONDS) + 1} attempts"


def _try_once(url: str, body: bytes) -> str:
    """Make one attempt; only the status line of the response is read."""
    try:
        with build_opener(ProxyHandler(_proxies()), _NoRedirect).open(_request(url, body)) as response:
            status = response.status
    except HTTPError as error:
        status = error.code
        error.close()
    except URLError as error:  # it wraps the original exception
        if isinstance(error.reason, TimeoutError):
            raise error.reason from None
        return f"could not connect ({type(error.reason).__name__})"
    except TimeoutError:
        raise
    except (HTTPException, ValueError, OSError) as error:
        return f"could not connect ({type(error).__name__})"
    if 300 <= status < 400:  # noqa: PLR2004 -- HTTP's classes of statuses
        raise _PermanentError(f"redirected with status {status}, which is not followed")
    if 400 <= status < 500 and status not in RETRY_STATUSES:  # noqa: PLR2004 -- ditto
        raise _PermanentError(f"refused with status {status}")
    return "" if 200 <= status < 300 else f"status {status}"  # noqa: PLR2004 -- ditto


def _request(url: str, body: bytes) -> Request:
    """Return a request to a URL as users write it; `urllib` needs ASCII, and credentials in a header."""
    parts = urlsplit(url)
    host = (parts.hostname or "").encode("idna").decode()
    authority = (f"[{host}]" if ":" in host else host) + (f":{parts.port}" if parts.port else "")
    path, query = quote(parts.path, safe=_UNQUOTED), quote(parts.query, safe=_UNQUOTED)
    headers = {"Content-Type": "application/json", "User-Agent": "hookline"}
    if parts.username is not None:
        credentials = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = f"Basic {b64encode(credentials.encode()).decode()}"
    target = urlunsplit((parts.scheme, authority, path, query, ""))
    return Request(target, data=body, headers=headers, method="POST")  # noqa: S310 -- `check_url` checked it


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **options: Any) -> None:
        """Follow no redirects: the data is only for the configured receiver."""


def _proxies() -> dict[str, str]:
    """Return the environment's proxies; ALL_PROXY applies to schemes without one."""
    proxies = getproxies()
    return {**dict.fromkeys(("http", "https"), proxies["all"]), **proxies} if "all" in proxies else proxies


_UNQUOTED = "%/:?&=;,@+$!*'()~"
"""Characters of a path or a query that are not quoted."""


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeoutError` after so many seconds, also in a slow response or a name lookup."""

    def expire(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    previous = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, previous)
