"""Code in other languages that writes to guarded files, or calls hookline's own modules."""

import re
from collections.abc import Iterator

from hookline.hooks._self_protect.commands import PERSONAL, SWITCH
from hookline.hooks._self_protect.guarded_paths import NAMES, Guard
from hookline.hooks._self_protect.obfuscation import hides, hiding
from hookline.shell.ansi import decode_ansi

_LONGEST = 100_000
_LONGEST_PATH = 300
_STRING = re.compile(
    r"""(?:\b[rbfuRBFU]{1,2})?("(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|`(?:[^`\\]|\\.)*+`)"""
)
_QUOTED = re.compile(r"\bq[qx]?\s*(?:\(([^)\n]*)|\{([^}\n]*)|\[([^\]\n]*)|<([^>\n]*)|([|!/#])([^\n]*?)\5)")
"""String literals of perl and ruby: q(...), qq{...}."""
_JOINED = re.compile(r"""(["'])\s*[+.]?\s*\1""")
_WRITES = re.compile(
    r"""\b(?: open\w*\s*\((?:[^)]{0,300}
    |(?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]{0,99}\)){0,99}+\)){0,99}+\)){0,300})
    ["'][rb]*[wax+][rbt+]*["'] | open\b[^;\n]{0,200}["']\s*\+?>
    | open\b[^;\n]{0,200}\bq\w?\W\s*\+?> | writeFile | write_?(?:text|bytes|file|lines) | append_?[fF]ile
    | fwrite\b | fputs\b | puts\b | (?:unlink|remove|rename|replace|rmtree|rmdir|copy\w*|move|symlink|link
    |chmod|chown|truncate|mkdir|makedirs|touch|rm|cp|delete|dump)(?:Sync)?\s*\( | FileUtils\b |
    IO\.\w*(?:write|copy_stream)\b
    | (?:unlink|rename|rmdir|mkdir|chmod|symlink|truncate)\s+[\w"'$@<]
    | shutil\b | File\.(?:\w*write|delete|unlink|rename|open|truncate|symlink)
    | sqlite3?\b | os\.open\b | syswrite\b
    | printf?\b[^;\n]{0,200}> | fileinput\b ) | createWriteStream | file_put_contents""",
    re.VERBOSE,
)
"""Calls that change files, in any language. The gaps are bounded to keep matching linear."""
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
_OURS = re.compile(r"\b(?:from|import)\s+hookline(?:\.(?:cli|system|assembly)\b|\s+import\s+(?:cli|system))")
_BY_NAME = re.compile(r"\b(?:run_module|import_module|__import__)\s*\(\s*hookline\b")
_LOADS = re.compile(r"\b(?:runpy|run_module|run_path|import_module|__import__|exec_module)\b")
"""Functions that load a module by name, found even where they are imported under an alias."""


def rules(code: str, guard: Guard, cwd: str | None) -> Iterator[tuple[str, bool]]:
    """Yield each rule that *code* breaks, and whether the violation is certain."""
    code = code[:_LONGEST]
    plain = _JOINED.sub("", code)
    texts = _texts(plain)
    if _OURS.search(plain) or _BY_NAME.search(plain.replace("'", "").replace('"', "")):
        yield "command", True
    elif _LOADS.search(plain) and any(map(_module_of_ours, texts)):
        yield "command", False
    if any(text in PERSONAL for text in texts) and any("hookline" in text for text in texts):
        yield "command", True
    if any(SWITCH.fullmatch(text.partition("=")[0]) for text in texts) and _SETS.search(plain):
        yield "switch", True
    writes = _WRITES.search(plain) is not None
    if writes:
        yield from _written(texts, guard, cwd)
    if hides(plain) or (hiding(plain) and _RUNS.search(plain) and _named(texts)):
        yield "hidden", False


def commands(code: str) -> Iterator[str]:
    """Yield the strings of more than one word in code that may run commands."""
    plain = _JOINED.sub("", code[:_LONGEST])
    if _RUNS.search(plain) is not None or "`" in plain:
        found = (*_texts(plain), *_texts(code[:_LONGEST]))
        yield from dict.fromkeys(decode_ansi(text) for text in found if " " in text)


def _module_of_ours(text: str) -> bool:
    return text.partition(".")[0] == "hookline" or text.endswith("hookline/__main__.py")


def _texts(plain: str) -> list[str]:
    found = [one.group(1)[1:-1] for one in _STRING.finditer(plain)]
    return found + [next(filter(None, one.groups()), "") for one in _QUOTED.finditer(plain)]


def _written(texts: list[str], guard: Guard, cwd: str | None) -> Iterator[tuple[str, bool]]:
    """Yield the rule of a guarded path among *texts*, or "hidden" if only names of guarded files occur."""
    for text in texts:
        plain = text.lstrip("<>+|& ")
        path = f"{guard.home}{plain[1:]}" if plain.startswith("~") else plain.replace("$HOME", guard.home)
        if path and len(path) < _LONGEST_PATH and " " not in path:
            found = next(filter(None, (guard.rule(one) for one in guard.places(path, cwd))), None)
            if found is not None or (("*" in path) and guard.matched(path, tree=False)):
                yield found or "write-user", True
                return
    if _named(texts):
        yield "hidden", False


def _named(texts: list[str]) -> bool:
    parts = {part for text in texts for part in text.lower().split("/")}
    return bool(parts & set(NAMES) - {"mcp.json", "hooks.json"})
