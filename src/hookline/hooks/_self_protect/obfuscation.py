"""Code that puts a text together out of sight and then uses it as a path or as a command.

To decode, reverse or pack is ordinary work: only where the result names what is opened or run does it hide.
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
"""What takes a path or a command, up to where its arguments begin."""
_FILLS = re.compile(
    r"\b(?:(?:\w+\.)?(?:write|append)_?[fF]ile\w*|(?:File|IO)\.\w*write|createWriteStream|file_put_contents)[\s(]"
)
"""What takes a path first and then the content, which may be anything."""
_NAMED = re.compile(
    r"""(?: \b(?:def|function|sub)\s+(\w+) | [$@]?\b(\w+)\s*(?::=|[+.|]?=(?![=>])) ) ([^;\n]{0,300})""",
    re.VERBOSE,
)
_BODY = 300
"""Letters of arguments, and of a function, that are looked at."""
_MOST_USES = 2000
_HOPS = 3
"""Variables that are set from each other one after the other."""


def hiding(plain: str) -> bool:
    """Whether *plain* has anything that makes another text of a text."""
    return _HIDING.search(plain) is not None


def hides(plain: str) -> bool:
    """Whether what *plain* opens or runs is named by a text that it makes out of sight."""
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
    """What stands in the brackets that were just opened, or of it only what the *first* comma ends."""
    depth = 0
    for place, letter in enumerate(behind):
        depth += (letter in "([{") - (letter in ")]}")
        if depth < 0 or (depth == 0 and (letter == ";" or (first and letter == ","))):
            return behind[:place]
    return behind


def _hidden(plain: str) -> frozenset[str]:
    """Names of variables and functions that hold or return what was made out of sight."""
    given = [(one.group(1) or one.group(2), _meant(one, plain)) for one in _NAMED.finditer(plain)]
    names = {name for name, value in given if _HIDING.search(value)}
    for _ in range(_HOPS):
        words = ((name, set(re.findall(r"\w+", value))) for name, value in given)
        names |= {name for name, used in words if used & names}
    return frozenset(names)


def _meant(one: re.Match[str], plain: str) -> str:
    """The value that a name is given; of a function, how its body begins."""
    return plain[one.end(1) : one.end(1) + _BODY] if one.group(1) else one.group(3)
