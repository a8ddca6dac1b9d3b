"""The packages of `src/hookline` and their layers; `tests/test_layout.py` enforces this table."""

import ast
from pathlib import Path

from cells import table

SOURCE = Path(__file__).parents[1] / "src" / "hookline"
LAYERS = (
    ("lazy",),
    ("shell", "redact", "language"),
    ("core",),
    ("hosts", "stores", "sinks"),
    ("system",),
    ("kinds",),
    ("policy",),
    ("budget", "memory", "install"),
    ("handoff",),
    ("hooks",),
    ("runtime",),
    ("daemon", "loop"),
    ("engine",),
    ("web",),
    ("cli", "testing"),
)
"""Lowest first: a package imports only packages of lower layers."""


def purpose(package: str) -> str:
    """Return the first line of the package's docstring."""
    text = (SOURCE / package / "__init__.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]


def packages() -> str:
    """Return the table of packages, lowest layer first."""
    rows = [
        (str(layer), f"`{name}/`", purpose(name)) for layer, names in enumerate(LAYERS, 1) for name in names
    ]
    return table(("layer", "package", "purpose"), rows)
