"""Commands that print secrets without opening a file: the environment, variables, keychains, searches."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from hookline.shell import SimpleCommand
from hookline.shell.effect_table import PROGRAMS
from hookline.shell.options import parse_options, word_set

_NAMED = (
    r"(?:[A-Z0-9]+_)*(?:PASSWORD|PASSWD|PASSPHRASE|PASS|SECRETS?|TOKEN|CREDENTIALS?|APIKEY|DATABASE_URL"
    r"|SECRET_KEY_BASE|CONNECTION_STRING|(?:API|PRIVATE|SECRET|ACCESS|AUTH|ENCRYPTION|SIGNING|MASTER|SERVICE"
    r"|SESSION|DEPLOY)_KEY)(?:_\d+)?"
)
_VARIABLE = re.compile(rf"(?<!\\)\$(?:({_NAMED})(?!\w)|\{{({_NAMED})(?![\w+]|:\+))")
_WORDS = re.compile(
    r"\b(?:passw(?:or)?ds?|passwd|secrets?|api[-_]?keys?|tokens?|credentials?|private[-_]?keys?|access[-_]?keys?)\b",
    re.IGNORECASE,
)
_SHOWING = word_set(
    """cat tac tee head tail less more rev nl sort uniq base64 base32 xxd od hexdump sed awk gawk tr cut fold
    column paste strings jq bat grep"""
)
"""Programs that print their standard input."""
_VAULTS: Mapping[str, tuple[str, ...]] = {
    "security": ("dump-keychain", "find-generic-password", "find-internet-password", "export"),
    "gpg": ("--export-secret-keys", "--export-secret-subkeys"),
    "gpg2": ("--export-secret-keys", "--export-secret-subkeys"),
    "secret-tool": ("lookup", "search"),
    "pass": ("show",),
    "keyctl": ("print", "read"),
    "cmdkey": ("/list",),
}
"""Programs that print the content of a vault, with the arguments that do so."""


def told(
    commands: Sequence[SimpleCommand], place: int, line: str, roots: frozenset[str]
) -> tuple[str, str] | None:
    """Return the rule that the command at *place* breaks and the secret that it would print, or None."""
    command = commands[place]
    if command.name in ("echo", "printf", "print"):
        names = list(_variables(command, line))
        shown = names and _shown(commands[place], _readers(commands, place, line))
        return ("secret-variable", f"${names[0]}") if shown else None
    judge = JUDGES.get(command.name)
    found = judge(command, roots) if judge is not None else None
    quiet = found is not None and found[0] == "environment" and _narrowed(_readers(commands, place, line))
    return None if quiet else found


def _readers(commands: Sequence[SimpleCommand], place: int, line: str) -> list[SimpleCommand]:
    """Return the commands that read the output of the command at *place*."""
    after = line[commands[place].span[1] :].lstrip(" \t")
    piped = after.startswith("|") and not after.startswith("||")
    return [one for one in commands if place in one.stdin_origins] or list(
        commands[place + 1 : place + 2] if piped else ()
    )


def _variables(command: SimpleCommand, line: str) -> Iterator[str]:
    for word in command.words[1:]:
        if word.dynamic:
            written = line[word.span[0] : word.span[1]]
            yield from (found.group(1) or found.group(2) for found in _VARIABLE.finditer(written))


def _shown(command: SimpleCommand, readers: Sequence[SimpleCommand]) -> bool:
    """Return whether the output is visible: not written to a file, nor piped to a program that hides it."""
    if any(one.op.startswith((">", "&>")) and one.fd in ("", "1") for one in command.redirects):
        return False
    return not readers or any(one.name in _SHOWING for one in readers)


def _narrowed(readers: Sequence[SimpleCommand]) -> bool:
    """Return whether the readers restrict the output: `env | grep NODE`, `env | wc`."""
    for one in readers:
        if one.name in ("wc", "md5sum", "sha256sum", "diff"):
            return True
        if one.name in PROGRAMS and PROGRAMS[one.name].skip:
            words = [word.text for word in one.words[1:] if not word.text.startswith("-")]
            return bool(words) and len(words[0]) > 1 and not _WORDS.search(words[0].replace("_", " "))
    return False


def _environment(command: SimpleCommand, roots: frozenset[str]) -> tuple[str, str] | None:
    split = parse_options(command.words[1:], ("-u", "-C", "-S", "-P", "--unset", "--chdir", "--split-string"))
    program = [word for word in split.operands if "=" not in word.text and word.text != "-"]
    if program or split.has("-i", "--ignore-environment", "--help", "--version", "-S"):
        return None
    return "environment", command.name


def _declared(command: SimpleCommand, roots: frozenset[str]) -> tuple[str, str] | None:
    words = [word.text for word in command.words[1:]]
    dumps = words in (["-p"], ["-x"], ["-px"], ["-xp"]) if command.name != "set" else not words
    return ("environment", f"{command.name} {' '.join(words)}".strip()) if dumps else None


def _printenv(command: SimpleCommand, roots: frozenset[str]) -> tuple[str, str] | None:
    operands = [word.text for word in command.words[1:] if not word.text.startswith("-")]
    secret = next((name for name in operands if _VARIABLE.search(f"${name} ")), None)
    if operands and secret is None:
        return None
    return ("secret-variable", f"${secret}") if secret else _environment(command, roots)


def _vault(command: SimpleCommand, roots: frozenset[str]) -> tuple[str, str] | None:
    asked = next((word.text for word in command.words[1:] if word.text in _VAULTS[command.name]), None)
    return ("keychain", f"{command.name} {asked}") if asked else None


def _search(command: SimpleCommand, roots: frozenset[str]) -> tuple[str, str] | None:
    """Judge a search of a whole tree for secret words, which also reads files that hold secrets."""
    split = parse_options(command.words[1:], PROGRAMS["grep"].valued_options(), mixed=True)
    narrow = split.has(
        "--include", "--exclude", "--exclude-dir", "-l", "--files-with-matches", "-c", "--count", "-q"
    )
    if narrow or not split.has("-r", "-R", "--recursive", "--dereference-recursive"):
        return None
    given = split.value("-e", "--regexp")
    pattern = given or next(iter(split.operands), None)
    folders = split.operands[0 if given else 1 :]
    wide = not folders or any(
        word.text.rstrip("/") in roots or _elsewhere(word.text, roots) for word in folders
    )
    return ("secret-search", pattern.text) if pattern and wide and _WORDS.search(pattern.text) else None


def _elsewhere(text: str, roots: frozenset[str]) -> bool:
    return text.startswith(("/", "~")) and not any(
        text.startswith(root + "/") for root in roots if len(root) > 1
    )


JUDGES: Mapping[str, Callable[[SimpleCommand, frozenset[str]], tuple[str, str] | None]] = {
    "env": _environment,
    "printenv": _printenv,
    **dict.fromkeys(("export", "declare", "typeset", "set"), _declared),
    **dict.fromkeys(_VAULTS, _vault),
    **dict.fromkeys(("grep", "egrep", "fgrep", "ggrep"), _search),
}
PRINTERS = frozenset(JUDGES) | {"echo", "printf", "print"}
"""Programs that may print a secret without opening a file."""
