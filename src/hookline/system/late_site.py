"""Where libraries lie, found out when the first is wanted.

Python looks for that each time it starts, and runs what it finds in `.pth` files. A call needs no library as
a rule, so clients start us without (`-S`), and tell where hookline itself lies.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _frozen_importlib import ModuleSpec


def use() -> None:
    """Have them found where Python was started without."""
    if sys.flags.no_site:
        sys.meta_path.append(LateSite())


class LateSite:
    """Stands behind all who find modules: whatever comes here is found nowhere else."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if path is not None:  # a part of a package that was found
            return None
        sys.meta_path.remove(self)
        import site  # noqa: PLC0415 -- that is the point

        site.main()
        # Not only on the paths that were added: what is installed to be edited brings its own who find it.
        found = (finder.find_spec(name, None) for finder in sys.meta_path)
        return next(filter(None, found), None)
