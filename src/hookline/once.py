"""Something that is found out once for an object, when it is first asked.

As `functools.cached_property`, which in Python before 3.12 waits for a lock at the first question.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from functools import cached_property as once
    from typing import Any
else:

    class once:  # noqa: N801 -- it is used as a decorator
        def __init__(self, find: Any) -> None:
            self.find, self.name, self.__doc__ = find, find.__name__, find.__doc__

        def __get__(self, one: Any, of: Any) -> Any:
            if one is None:
                return self
            found = one.__dict__[self.name] = self.find(one)
            return found


__all__ = ["once"]
