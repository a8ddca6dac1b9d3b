"""Which tests of a `find` say what it is about, and which nearly everything passes."""

import re
from collections.abc import Mapping

from hookline.bash.options import spelled

NOT = spelled("! -not")
WEAK = spelled(
    "-type -mount -xdev -depth -maxdepth -mindepth -follow -print -print0 -noleaf -size -user -ls -a -and"
)
"""Tests that nearly everything passes, and no tests at all."""
VALUED = spelled(
    """-type -maxdepth -mindepth -size -user -name -iname -path -ipath -regex -iregex -mtime -mmin -atime
    -amin -ctime -cmin -newer -perm -group -gid -uid -inum -samefile -links -fstype -wholename -iwholename
    -lname -ilname -anewer -cnewer -used -xtype -printf -fprint -fprintf -fls -context -regextype"""
)
_NAMING = spelled("-name -iname -path -ipath -wholename -iwholename -regex -iregex")
_EVERYTHING = re.compile(r"(?:\./)?[*?]*\*[*?]*|\*\.\*|(?:\./)?\^?(?:\.[*+])+\$?")
"""Patterns that every name or path fits."""
_FEW: Mapping[str, re.Pattern[str]] = {
    "-type": re.compile("[lspbcD]"),
    "-size": re.compile(r"\d+[a-zA-Z]?|\+[1-9]\d*[MGT]"),
}
"""Values with which a weak test says which all the same: links only, empty or large files only."""


def tells(test: str, value: str, *, negated: bool) -> bool:
    """Whether a test says which: all but one name is nearly everything, and so is a pattern of stars."""
    if test in _NAMING:
        return not negated and _EVERYTHING.fullmatch(value) is None
    few = _FEW.get(test)
    return test not in WEAK or (few is not None and not negated and few.fullmatch(value) is not None)
