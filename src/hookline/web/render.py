"""Templates: everything that a page shows is escaped, and invisible characters become visible."""

import os
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

FOLDER = os.path.dirname(os.path.abspath(__file__))


def build_templates() -> Environment:
    """Return the environment of the templates."""
    templates = Environment(
        loader=FileSystemLoader(os.path.join(FOLDER, "templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    templates.filters |= FILTERS
    return templates


def _finalize(value: Any) -> Any:
    return show_invisible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def show_invisible(text: str) -> str:
    """Replace control, format and other invisible characters, which could change what a reader sees."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in "\n\t" else _symbol(char) for char in text)


def _symbol(char: str) -> str:
    return chr(0x2400 + ord(char)) if char < " " else "\ufffd"


def format_age(at: float | None, now: float | None = None) -> str:
    if at is None:
        return "never"
    seconds = max(int((time.time() if now is None else now) - at), 0)
    return f"{format_span(seconds)} ago" if seconds else "now"


def format_span(seconds: float) -> str:
    """Return a duration with its two largest units at most."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "m"), (rest, "s")]
    first = next((index for index, (count, _) in enumerate(parts) if count), len(parts) - 1)
    return " ".join(f"{count}{unit}" for count, unit in parts[first : first + 2] if count) or "0s"


def format_time(at: float) -> str:
    return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def format_machine_time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def format_count(count: float | None) -> str:
    if count is None:
        return "–"
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(count) >= size:
            return f"{count / size:.3g}{unit}"
    return f"{count:g}"


def format_dollars(cost: float | None) -> str:
    return "–" if cost is None else f"${cost:,.2f}"


def shorten_path(path: str, home: str = "") -> str:
    home = home or os.environ.get("HOME", "").rstrip("/")
    return f"~{path[len(home) :]}" if home and f"{path}/".startswith(f"{home}/") else path


FILTERS: Mapping[str, Any] = {
    "age": format_age,
    "span": format_span,
    "when": format_time,
    "machine_time": format_machine_time,
    "count_short": format_count,
    "dollars": format_dollars,
    "folder": shorten_path,
}
