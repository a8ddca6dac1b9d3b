"""Desktop notifications by the program of the desktop, for a process without a terminal."""

import os
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress

from hookline.core.terminal import clean_text

PROGRAMS = ("/usr/bin/notify-send", "/usr/local/bin/notify-send")
"""The program of freedesktop.org; not searched in PATH, which a repository may set."""
SESSION_VARIABLES = ("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR")
"""Variables by which the program finds the user's desktop."""
MAX_CHARS = 300


def show(title: str, text: str, env: Mapping[str, str]) -> None:
    """Show a notification if *env* belongs to a desktop session; do not wait for it."""
    program = next((path for path in PROGRAMS if os.access(path, os.X_OK)), "")
    session = {name: env[name] for name in SESSION_VARIABLES if env.get(name)}
    if not program or session.keys() <= {"XDG_RUNTIME_DIR"}:
        return
    words = [program, "--app-name=hookline", "--", clean_text(title), clean_text(text)[:MAX_CHARS]]
    with suppress(OSError):
        process = subprocess.Popen(
            words, env=session, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _reap(process)


def _reap(process: subprocess.Popen[bytes]) -> None:
    """Let a thread wait for the end of *process*, so that it does not stay as a zombie."""
    threading.Thread(target=process.wait, daemon=True).start()
