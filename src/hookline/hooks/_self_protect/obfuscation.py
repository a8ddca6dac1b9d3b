"""Code that builds a text in a hidden way and then uses it as a path or a command.

Decoding, reversing and packing are ordinary work. They count only if the result names a file to open or a
command to run.
"""

import re
from collections.abc import Iterator

_HIDING = re.compile(
    r"""\b(?: chr\b | \w*decode64\b | base64\b | \w*b64\w* | fromhex\b | rot_?13\b | atob\b | reversed?\b
    | unhexlify\b | (?:un)?pack\b | Buffer\.from\b
    | codecs\.decode\b | unescape\b | decompress\b | marshal\b
    | bytes\s*\(\s*\[ | bytearray\s*\(\s*\[ ) | \[::-1\] | fromCharCode""",
    re.VERBOSE,
)
_USES = re.compile(
    r"""\b(?: open\w* | exec\w* | eval | system | [pP]open | run | call | check_\w+ | get\w*output | spawn\w*
    | Function | (?<!re\.)compile | unlink\w* | (?:os\.|shutil\.|fs\.)\w+
    | rename\w* | rmtree | rm\w*
    | copy\w*
    | symlink\w* | chmod\w* | truncate\w* | mkdir\w* | makedirs | touch | Path | \w*import\w* )\s*\(

    | \b(?:system|exec|eval|unlink|rename|open|rmdir|mkdir|spawn)\s+(?=["'$@\[<\w])
    | \bqx\W | `(?=[^`\n]{0,99}(?:\#\{|\$\w+[`\s]))""",
    re.VERBOSE,
)
"""Calls that take a path or a command, up to the start of their arguments."""
_FILLS = re.compile(
    r"\b(?:(?:\w+\.)?(?:write|append)_?[fF]ile\w*|(?:File|IO)\.\w*write|createWriteStream|file_put_contents)[\s(]"
)
"""Calls that take a path and then the content, which may be any text."""
_NAMED = re.compile(
    r"""(?: \b(?:def|function|sub)\s+(\w+) | [$@]?\b(\w+)\s*(?::=|[+.|]?=(?![=>])) ) ([^;\n]{0,300})""",
    re.VERBOSE,
)
_BODY = 300
"""Characters of a call's arguments, or of a function's body, that are examined."""
_MOST_USES = 2000
_HOPS = 3
"""Maximum length of a chain of variables that are set from each other."""


def hiding(plain: str) -> bool:
    """Return whether *plain* contains a call that transforms a text, such as a decoder."""
    return _HIDING.search(plain) is not None


def hides(plain: str) -> bool:
    """Return whether *plain* opens or runs something named by a transformed text."""
    if not hiding(plain):
        return False
    names = _hidden(plain)
    known = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b") if names else None
    for number, used in enumerate(_used(plain)):
        if number > _MOST_USES or _HIDING.search(used) or (known is not None and known.search(used)):
            return True
    return False


def _used(plain: str) -> Iterator[str]:
    for one in _FILLS.finditer(plain):
        yield _arguments(plain[one.end() : one.end() + _BODY], first=True)
    for one in _USES.finditer(plain):
        if not _FILLS.match(plain, one.start()):
            yield _arguments(plain[one.end() : one.end() + _BODY])


def _arguments(behind: str, *, first: bool = False) -> str:
    """Return the arguments up to the closing bracket, or only the *first* one."""
    depth = 0
    for place, letter in enumerate(behind):
        depth += (letter in "([{") - (letter in ")]}")
        if depth < 0 or (depth == 0 and (letter == ";" or (first and letter == ","))):
            return behind[:place]
    return behind


def _hidden(plain: str) -> frozenset[str]:
    """Return the names of variables and functions that hold or return a transformed text."""
    given = [(one.group(1) or one.group(2), _meant(one, plain)) for one in _NAMED.finditer(plain)]
    names = {name for name, value in given if _HIDING.search(value)}
    for _ in range(_HOPS):
        words = ((name, set(re.findall(r"\w+", value))) for name, value in given)
        names |= {name for name, used in words if used & names}
    return frozenset(names)


def _meant(one: re.Match[str], plain: str) -> str:
    """Return the value assigned to a name, or the beginning of a function's body."""
    return plain[one.end(1) : one.end(1) + _BODY] if one.group(1) else one.group(3)
