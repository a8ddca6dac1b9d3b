"""Code of other languages that changes guarded files, sets switches, or calls hookline's own modules.

The code is searched for string literals and calls; it is not evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.core.person_commands import PERSON_ONLY, is_listed
from hookline.hooks._self_protect.commands import SWITCH, judge_content
from hookline.hooks._self_protect.guarded_paths import OURSELVES, OWN_NAMES, SECRET, Guard
from hookline.hosts import AGENT_PROGRAMS
from hookline.shell.ansi import decode_ansi
from hookline.shell.options import word_set

_MAX_CODE = 100_000
_MAX_PATH = 300
_STRING = r"""(?:\b[rbfuRBFU]{1,2})?("(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|`(?:[^`\\]|\\.)*+`)"""
_STRINGS = re.compile(_STRING)
_PATH_JOINS = re.compile(rf"{_STRING}(?:\s*\)?\s*[,/]\s*{_STRING}){{1,9}}")
"""Literals that are joined to a path: `home / ".a" / "b"`, `join(home, ".a", "b")`."""
_QUOTED = re.compile(r"\bq[qx]?\s*(?:\(([^)\n]*)|\{([^}\n]*)|\[([^\]\n]*)|<([^>\n]*)|([|!/#])([^\n]*?)\5)")
"""String literals of perl and ruby: q(...), qq{...}."""
_ADJACENT = re.compile(r"""(["'])\s*[+.]?\s*\1""")
_WRITES = re.compile(
    r"""\b(?: open\w*\s*\((?:[^)]{0,300}
    |(?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]{0,99}\)){0,99}+\)){0,99}+\)){0,300})
    ["'][rb]*[wax+][rbt+]*["'] | open\b[^;\n]{0,200}["']\s*\+?> | open\s*\(\s*(?:mode\s*=\s*)?["'][wax]
    | open\b[^;\n]{0,200}\bq\w?\W\s*\+?> | writeFile | write_?(?:text|bytes|file|lines) | append_?[fF]ile
    | fwrite\b | fputs\b | puts\b | (?:unlink|remove|rename|replace|rmtree|rmdir|copy\w*|move|symlink|link
    |chmod|chown|truncate|mkdir|makedirs|touch|rm|cp|delete|dump|connect|symlink_to|hardlink_to)(?:Sync)?\s*\(
    | FileUtils\b | IO\.\w*(?:write|copy_stream)\b
    | (?:unlink|rename|rmdir|mkdir|chmod|symlink|truncate)\s+[\w"'$@<]
    | shutil\b | File\.(?:\w*write|delete|unlink|rename|open|truncate|symlink)
    | sqlite3?\b | os\.open\b | syswrite\b
    | printf?\b[^;\n]{0,200}> | fileinput\b ) | createWriteStream | file_put_contents""",
    re.VERBOSE,
)
"""Calls that change files, in any language. The gaps are bounded to keep matching linear."""
_READS = re.compile(r"read|\bload|\bopen\s*\(|slurp|file_get_contents|exists|\bstat|print|\blog\b")
_ASSIGNED = re.compile(r"[$@]?\b(\w+)\s*(?::\s*[\w.]+\s*)?(?::=|=(?![=>]))")
_SEPARATORS = re.compile(r"[()\[\];\n]")
_HOME = re.compile(
    r"\$\{?(?:ENV\{)?HOME\}?|\$\{(?:os\.)?(?:homedir\(\)|process\.env\.HOME)\}|#\{Dir\.home\}|\{Path\.home\(\)\}"
)
_RUNS = re.compile(
    r"\b(?:exec\w*|eval|system|[pP]open|run|call|check_\w+|get\w*output|spawn\w*|Function|compile)\s*\("
    r"|\bqx\b"
)
_SETS = re.compile(
    r"""environ\[[^\]]{0,99}\]\s*=[^=] | environ\.(?:update|setdefault|pop) | \b(?:put|unset)env\b
    | \benv\s*[=:] | process\.env[.\[][^=;]{0,99}=[^=] | ENV\[[^\]]{0,99}\]\s*=[^=]
    | \bENV\{[^}]{0,99}\}\s*=[^=] | execve | \bdict\s*\(""",
    re.VERBOSE,
)
_AGENT_VARIABLES = frozenset(("HOME", *(name for one in AGENT_PROGRAMS.values() for name in one.variables)))
_IMPORTS = re.compile(
    r"\bimport\s[^\n;]{0,200}?\bhookline\.(\w+)|\bfrom\s+hookline\.(\w+)"
    r"|\bfrom\s+hookline\s+import\s*(?:\(([^)]*)|([^\n;]*))"
)
_RENAMED = re.compile(r"\s+as\s+\w+")
_PURE = word_set(
    """core shell redact hosts loop frameworks testing sinks allow ask block effect hook inject modify passed
    remember warn"""
)
"""Packages and functions of hookline that change nothing on the machine."""
_LOADS = re.compile(
    r"\b(?:runpy|run_module|run_path|import_module|__import__|exec_module|resolve_name|entry_points"
    r"|spec_from_file_location|find_spec)\b"
)
"""Functions that load a module by name, found even where they are imported under an alias."""
_HIDES = re.compile(
    r"""\b(?: chr\b | \w*decode64\b | base64\b | \w*b64\w* | fromhex\b | rot_?13\b | atob\b | reversed?\b
    | unhexlify\b | (?:un)?pack\b | Buffer\.from\b
    | codecs\.decode\b | unescape\b | decompress\b | marshal\b
    | bytes\s*\(\s*\[ | bytearray\s*\(\s*\[ ) | \[::-1\] | fromCharCode""",
    re.VERBOSE,
)
"""Calls that transform a text. They count only if the result names a file to open or a command to run."""
_USES = re.compile(
    r"""\b(?: open\w* | exec\w* | eval | system | [pP]open | run | call | check_\w+ | get\w*output | spawn\w*
    | Function | (?<!re\.)compile | unlink\w* | (?:os\.|shutil\.|fs\.)\w+ | rename\w* | rmtree | rm\w*
    | copy\w* | symlink\w* | chmod\w* | truncate\w* | mkdir\w* | makedirs | touch | Path | \w*import\w* )\s*\(
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
    r"(?:\b(?:def|function|sub)\s+(\w+)|[$@]?\b(\w+)\s*(?::=|[+.|]?=(?![=>])))([^;\n]{0,300})", re.VERBOSE
)
_MAX_ARGUMENTS = 300
"""Characters of a call's arguments, or of a function's body, that are examined."""
_MAX_USES = 2000
_MAX_HOPS = 3
"""Maximum length of a chain of variables that are set from each other."""


def judge_code(code: str, guard: Guard, cwd: str | None) -> Iterator[tuple[str, bool]]:
    """Yield each rule that *code* breaks, and whether the violation is certain."""
    code = code[:_MAX_CODE]
    plain = _ADJACENT.sub("", code)
    texts = _find_texts(plain)
    yield from _judge_modules(plain, texts)
    if any(SWITCH.fullmatch(text.partition("=")[0]) for text in texts) and _SETS.search(plain):
        yield "switch", True
    words = {word.rpartition("/")[2] for text in texts for word in text.split()[:1]}
    if (
        any(text in _AGENT_VARIABLES for text in texts)
        and words & AGENT_PROGRAMS.keys()
        and _SETS.search(plain)
    ):
        yield "agent", False
    if any(text.endswith(SECRET) for text in texts):
        yield "secret", True
    if _WRITES.search(plain) is not None:
        yield from _judge_writes(plain, guard, cwd)
    if _hides_use(plain) or (_HIDES.search(plain) and _RUNS.search(plain) and _has_our_name(texts, plain)):
        yield "hidden", False


def find_commands(code: str) -> Iterator[str]:
    """Yield the strings of more than one word in code that may run commands."""
    plain = _ADJACENT.sub("", code[:_MAX_CODE])
    if _RUNS.search(plain) is not None or "`" in plain:
        found = (*_find_texts(plain), *_find_texts(code[:_MAX_CODE]))
        yield from dict.fromkeys(decode_ansi(text) for text in found if " " in text)


def _judge_modules(plain: str, texts: list[str]) -> Iterator[tuple[str, bool]]:
    imported = (" ".join(filter(None, match.groups())) for match in _IMPORTS.finditer(plain))
    names = {name for text in imported for name in re.findall(r"\b[a-z]\w*|\*", _RENAMED.sub("", text))}
    starts = (i for i, text in enumerate(texts) if text.rpartition("/")[2] in OURSELVES)
    if names - _PURE or any(is_listed(texts[i + 1 : i + 9], PERSON_ONLY) for i in starts):
        yield "command", True
    elif _LOADS.search(plain) and any(map(_is_our_module, texts)):
        yield "command", "__import__" in plain or "run_module(" in plain


def _is_our_module(text: str) -> bool:
    return re.split(r"[.:]", text)[0] == "hookline" or text.endswith("hookline/__main__.py")


def _find_texts(plain: str) -> list[str]:
    found = [match.group(1)[1:-1] for match in _STRINGS.finditer(plain)]
    return found + [next(filter(None, match.groups()), "") for match in _QUOTED.finditer(plain)]


def _judge_writes(plain: str, guard: Guard, cwd: str | None) -> Iterator[tuple[str, bool]]:
    """Yield the rule of a guarded path that a statement changes, itself or by a name set before."""
    names: dict[str, str] = {}
    unused: str | None = None
    for statement in _split_statements(plain):
        texts = _find_texts(statement)
        rule = _find_guarded(statement, texts, guard, cwd)
        rule = rule or next((names[name] for name in re.findall(r"\w+", statement) if name in names), None)
        if rule is not None and _WRITES.search(statement):
            yield rule, True
            return
        if rule is not None and _READS.search(statement) is None:
            names |= dict.fromkeys(_ASSIGNED.findall(statement), rule)
            unused = rule
        for text in (text for text in texts if "/" in text and " " not in text):
            found = judge_content(text, _find_texts(plain))
            yield from ((finding.rule, finding.action == "block") for finding in found)
    if unused is not None:
        yield unused, False
    elif _has_our_name(_find_texts(plain), plain):
        yield "hidden", False


def _split_statements(plain: str) -> Iterator[str]:
    """Yield the parts of *plain* between line breaks and semicolons outside of brackets."""
    depth = start = 0
    for match in _SEPARATORS.finditer(plain):
        depth += (match.group() in "([") - (match.group() in ")]")
        if match.group() in ";\n" and depth <= 0:
            yield plain[start : match.start()]
            start, depth = match.end(), 0
    yield plain[start:]


def _find_guarded(statement: str, texts: list[str], guard: Guard, cwd: str | None) -> str | None:
    """Return the rule of a guarded path among *texts*, or one that the statement joins from them."""
    joined = ("/".join(_find_texts(match.group())) for match in _PATH_JOINS.finditer(statement))
    for text in (*texts, *joined):
        bare = text.lstrip("<>+|& ")
        path = f"{guard.home}{bare[1:]}" if bare.startswith("~") else _HOME.sub(guard.home, bare)
        if path and len(path) < _MAX_PATH and " " not in path:
            bases = [cwd, None if path.startswith("/") else guard.home]
            places = [place for base in bases if base for place in guard.places(path, base)]
            places += [guard.home + path] if path.startswith("/.") else []  # home + "/.config"
            rule = next(filter(None, map(guard.rule, places)), None)
            if rule is not None or ("*" in path and guard.matched(path)):
                return rule or "write-user"
    return None


def _has_our_name(texts: list[str], plain: str) -> bool:
    parts = {part for text in texts for part in text.lower().split("/")}
    usual = {"hookline"} if ".config" not in plain and "XDG_" not in plain else set()
    return bool(parts & {*OWN_NAMES} - usual)


def _hides_use(plain: str) -> bool:
    """Return whether *plain* opens or runs something named by a transformed text."""
    if _HIDES.search(plain) is None:
        return False
    names = _find_hidden_names(plain)
    known = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b") if names else None
    for count, arguments in enumerate(_find_uses(plain)):
        if count > _MAX_USES or _HIDES.search(arguments) or (known is not None and known.search(arguments)):
            return True
    return False


def _find_uses(plain: str) -> Iterator[str]:
    for match in _FILLS.finditer(plain):
        yield _cut_arguments(plain[match.end() : match.end() + _MAX_ARGUMENTS], first=True)
    for match in _USES.finditer(plain):
        if not _FILLS.match(plain, match.start()):
            yield _cut_arguments(plain[match.end() : match.end() + _MAX_ARGUMENTS])


def _cut_arguments(text: str, *, first: bool = False) -> str:
    """Return the arguments up to the closing bracket, or only the *first* one."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth < 0 or (depth == 0 and (letter == ";" or (first and letter == ","))):
            return text[:place]
    return text


def _find_hidden_names(plain: str) -> frozenset[str]:
    """Return the names of variables and functions that hold or return a transformed text."""
    matches = list(_NAMED.finditer(plain))
    values = [
        (match.group(1), plain[match.end(1) : match.end(1) + _MAX_ARGUMENTS])
        if match.group(1)
        else (match.group(2), match.group(3))
        for match in matches
    ]
    names = {name for name, value in values if _HIDES.search(value)}
    for _ in range(_MAX_HOPS):
        words = ((name, {*re.findall(r"\w+", value)}) for name, value in values)
        names |= {name for name, used in words if used & names}
    return frozenset(names)
