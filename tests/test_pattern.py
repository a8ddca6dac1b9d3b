"""A pattern that is compiled when it is first asked something answers as a compiled one does."""

import importlib
import pkgutil
import re
import subprocess
import sys

import pytest

import hookline
from hookline.pattern import _Lazy, lazy

COMPILED_ON_IMPORT = """
import re, sys
whole, seen = re.compile, []
def compile(pattern, flags=0):
    seen.append((sys._getframe(1).f_globals["__name__"], pattern))
    return whole(pattern, flags)
re.compile = compile
for name in sys.argv[1:]:
    __import__(name)
print([one for one in seen if one[0].startswith("hookline")])
"""


ASIDE = {"hookline.__main__", "hookline.daemon.serving"}
"""What runs when it is imported, and what only a process that stays imports."""


def ours():
    found = pkgutil.walk_packages(hookline.__path__, "hookline.")
    return [module.name for module in found if module.name not in ASIDE]


def test_it_answers_as_a_compiled_one():
    pattern, compiled = lazy(r"(?P<a>b+)|c", re.IGNORECASE), re.compile(r"(?P<a>b+)|c", re.IGNORECASE)

    assert pattern.sub("-", "aBBc") == compiled.sub("-", "aBBc") == "a--"
    assert pattern.findall("aBBc") == compiled.findall("aBBc")
    assert [one.span() for one in pattern.finditer("abbc", 1, 3)] == [(1, 3)]
    assert (pattern.pattern, pattern.flags, pattern.groups) == (r"(?P<a>b+)|c", compiled.flags, 1)
    assert pattern.groupindex == {"a": 1}
    assert pattern.fullmatch("bbd") is None
    assert pattern.match("bbd") is not None


def test_it_is_compiled_when_it_is_first_asked_and_not_before():
    pattern = lazy("(")

    assert pattern.pattern == "("
    assert "lazy('(')" in repr(pattern)
    with pytest.raises(re.error):
        pattern.search("x")


def test_once_asked_the_compiled_ones_methods_are_its_own():
    pattern = lazy("a")
    pattern.search("a")

    assert vars(pattern)["search"].__self__ is vars(pattern)["match"].__self__


def test_it_has_nothing_else():
    with pytest.raises(AttributeError, match="'fits'; it has: findall"):
        _ = lazy("a").fits  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ours())
def test_every_pattern_of_a_module_is_sound(name):
    for value in _inside(vars(importlib.import_module(name))):
        value.search("")


def _inside(value):
    if isinstance(value, _Lazy):
        yield value
    elif isinstance(value, dict):
        yield from (one for part in list(value.values()) for one in _inside(part))
    elif isinstance(value, tuple | list):
        yield from (one for part in value for one in _inside(part))


def test_importing_us_compiles_nothing():
    ran = subprocess.run(
        [sys.executable, "-c", COMPILED_ON_IMPORT, *ours()], capture_output=True, text=True, check=True
    )

    assert ran.stdout.strip() == "[]"
