"""Programs that hand on what they read, or a part of it: what comes out may be all that went in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.shell.options import options, spelled
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import MAX_TEXT, Call, Result, World, resolve

Program: TypeAlias = Callable[[World, Call], Result]

_MARKS = re.compile("[\0\U000f0000-\U000ffffd\\s]+")
_VALUES = spelled("-n -c -k -t -w -f -s -S -d --lines --bytes --key --field-separator --width")
_GREP_VALUES = spelled("-e -f -m -A -B -C --regexp --file --max-count --include --exclude")


def _filter(world: World, call: Call) -> Result:
    split = options(call.argv[1:], _VALUES, mixed=True)
    return kept(world, call, tuple(word for word in split.operands if not word.text.startswith("+")))


def _grep(world: World, call: Call) -> Result:
    split = options(call.argv[1:], _GREP_VALUES, mixed=True)
    if split.has("-c", "--count", "-q", "--quiet", "-l", "-L", "-r", "-R", "--files"):
        return Result()
    given = split.has("-e", "-f", "--regexp", "--file")
    return kept(world, call, split.operands if given else split.operands[1:])


def _envsubst(world: World, call: Call) -> Result:
    return kept(world, call, ())


def kept(world: World, call: Call, files: tuple[Word, ...]) -> Result:
    """What is read, if any of it is known; else the filter itself is where it comes from."""
    texts = [world.files.get(resolve(world, word.text), UNKNOWN) for word in files if word.text != "-"]
    whole = "".join(texts) if texts else call.stdin
    return Result(whole) if len(whole) <= MAX_TEXT and _MARKS.sub("", whole[:MAX_TEXT]) else Result()


def _realpath(world: World, call: Call) -> Result:
    """`realpath PATH…` and `readlink -f PATH…`, where links are out of sight anyway."""
    split = options(call.argv[1:], ("--relative-to", "--relative-base"), mixed=True)
    plain = split.has("-f", "-e", "-m") or call.argv[0].text.endswith("realpath")
    known = not any(UNKNOWN in word.text or word.glob for word in split.operands)
    if not plain or not known or split.has("--relative-to", "--relative-base"):
        return Result()
    return Result("".join(resolve(world, word.text) + "\n" for word in split.operands))


PROGRAMS: Mapping[str, Program] = {
    **dict.fromkeys(spelled("head tail sort uniq tac nl fold fmt column sponge pv"), _filter),
    **dict.fromkeys(spelled("grep egrep fgrep rg"), _grep),
    "envsubst": _envsubst,
    **dict.fromkeys(("realpath", "readlink", "grealpath", "greadlink"), _realpath),
}
