"""The daemon's own log: its standard error, which `hookline daemon logs` shows."""

import os
import time
from contextlib import suppress


def write(text: str) -> None:
    with suppress(OSError):  # the log may lie on a full disk
        os.write(2, f"{time.strftime('%Y-%m-%d %H:%M:%S')} {text}\n".encode("utf-8", "backslashreplace"))
