"""Libraries are found, though Python was started without looking for them."""

import os
import subprocess
import sys
from pathlib import Path

import hookline

SOURCES = Path(hookline.__file__).parent.parent
BEGIN = f"""
import sys
sys.path.append({str(SOURCES)!r})
from hookline.system import late_site
late_site.use()
"""


def said(*flags, program):
    ran = subprocess.run(
        [sys.executable, *flags, "-c", BEGIN + program],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": os.defpath},
    )
    return ran.stdout.split()


def test_a_library_is_found_when_it_is_wanted():
    program = "print('site' in sys.modules); import msgspec, site; print(msgspec.__name__)"

    assert said("-I", "-S", program=program) == ["False", "msgspec"]


def test_it_lies_where_it_always_does():
    program = "import msgspec; print(msgspec.__file__, sys.prefix)"

    assert said("-I", "-S", program=program) == said("-I", program=program)


def test_what_is_nowhere_is_missed_as_ever():
    program = """
for name in ("nothing_of_that_name", "msgspec.nothing", "nothing_else"):
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        print(error.name)
"""

    assert said("-I", "-S", program=program) == ["nothing_of_that_name", "msgspec.nothing", "nothing_else"]


def test_python_that_looked_already_is_left_alone():
    program = "print(any(type(one).__name__ == 'LateSite' for one in sys.meta_path))"

    assert said("-I", program=program) == ["False"]
    assert said("-I", "-S", program=program) == ["True"]


def test_what_is_installed_to_be_edited_is_found_at_once(tmp_path):
    """Such a library brings one who finds it, and whom Python gets to know only by a `.pth` file."""
    (tmp_path / "edited.py").write_text("VALUE = 7")
    program = f"""
import site
from importlib.machinery import PathFinder
class Brought:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return PathFinder.find_spec(name, [{str(tmp_path)!r}]) if name == "edited" else None
site.main = lambda: sys.meta_path.append(Brought)
import edited
print(edited.VALUE)
"""

    assert said("-I", "-S", program=program) == ["7"]
