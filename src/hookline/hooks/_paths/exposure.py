"""Find the parts of a command line that would expose a secret.

These are the files that it opens, the variables that it prints, and commands that print secrets without
opening a file: the environment, keychains, searches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from hookline.core.values import replace
from hookline.hooks._paths.guarded import Exposure, Sort, kind, sort
from hookline.hooks._paths.secret import Secret, quiet, secret
from hookline.hooks._paths.spelling import Place, absolute
from hookline.hooks._paths.tool_fields import opened_files
from hookline.lazy import re
from hookline.shell import MAX_EFFECTS, MAX_LINE, Action, Effect, Problem, SimpleCommand, Word, read
from hookline.shell.effect_table import PROGRAMS
from hookline.shell.options import parse_options, word_set

_STRONG = frozenset[Secret]({"dotenv", "key", "keylike", "ssh", "store"})
_ALL = frozenset[Secret]({*_STRONG, "ssh-open"})
_NONE = frozenset[Secret]()
_EXPOSED: Mapping[Action, frozenset[Secret]] = {
    **dict.fromkeys(("read", "copy", "send", "link", "use", "run"), _STRONG),
    **dict.fromkeys(("edit", "delete", "truncate"), _ALL),
    **dict.fromkeys(("write", "append"), frozenset[Secret]({"key", "ssh", "ssh-open", "store"})),
}
"""Kinds of secrets that each kind of effect exposes.

Writing to a dotenv file exposes nothing, nor does moving a file or a forced deletion. The new name of a
moved file is tracked.
"""
_PASSED_ON = frozenset[Action]({"read", "copy", "send", "move", "link", "use", "run"})
_RELEVANT = _PASSED_ON | frozenset(_EXPOSED)
_SEARCHES = word_set("fd fdfind find gfind git locate ls mdfind plocate")
"""Programs that find files by name."""
_TESTS = word_set("-name -iname -path -ipath -wholename -iwholename -lname -ilname")
_TOKEN = re.compile(r"""[\s'"`;|&()<>=,{}$@]+""")


def lines(code: str, shell: str, place: Place) -> Iterator[Exposure]:
    """Yield the exposures in *code*, written for any *shell*."""
    if len(code) > MAX_LINE:
        yield Exposure("too-long", "", (0, len(code)))
        return
    if shell == "shell":
        yield from exposures(code, place)
        return
    for word in opened_files(code, shell):
        if kind(word.text, place, glob=True) in _STRONG:
            yield Exposure("sensitive-operand", word.text, word.span)


def named(code: str, shell: str, place: Place) -> Iterator[tuple[Word, str, Sort | None]]:
    """Yield every file that the line names, the action on it, and the kind of secret it may hold."""
    if shell != "shell":
        words = opened_files(code, shell)
        yield from ((word, "use", sort(word.text, place, glob=True)) for word in words)
        return
    for effect in read(code, cwd=place.cwd, home=place.home, facts=place.facts).effects:
        if not effect.derived:
            path = effect.path
            yield path, effect.action, sort(path.text, place, cwd=effect.cwd, glob=path.glob)


def exposures(line: str, place: Place) -> Iterator[Exposure]:
    """Yield an exposure for everything in *line* that breaks a rule."""
    reading = read(line, cwd=place.cwd, home=place.home, facts=place.facts)
    effects = [_traced(one, reading.commands) for one in reading.effects if not one.derived]
    kinds = [_kind(one, place, reading.commands) if one.action in _RELEVANT else None for one in effects]
    sources = _find_sources(reading.commands, effects, kinds)
    for effect, held in zip(effects, kinds, strict=True):
        if _exposes(effect, held, sources):
            yield Exposure("sensitive-operand", effect.path.text, effect.path.span)
    roots = frozenset({".", "..", "*", "~", "", place.cwd, place.root, place.home}) - {""} | {"./"}
    for position, command in enumerate(reading.commands):
        telling = told(reading.commands, position, line, roots) if command.name in PRINTERS else None
        if telling is not None:
            yield Exposure(*telling, command.span)
    unread = list(reading.problems)
    if len(reading.effects) >= MAX_EFFECTS:
        unread.append(Problem(reason="too many files", text=line, span=(0, len(line))))
    yield from _unread(unread)


def _sought(command: SimpleCommand) -> tuple[str, ...]:
    """Return the file names that a search asks for: `find -name X`, `fd X`, `git ls-files X`."""
    words = [word.text for word in command.words]
    if command.name in ("find", "gfind"):
        tests = zip(words, words[1:], words[2:], strict=False)
        return tuple(value for before, test, value in tests if test in _TESTS and before not in ("!", "-not"))
    return tuple(word for word in words[1:] if not word.startswith("-"))


def _traced(effect: Effect, commands: Sequence[SimpleCommand]) -> Effect:
    """Return *effect* with the preceding `find` as the origin of a path that `find -exec` fills in."""
    via = commands[effect.command].via[-1:]
    if not effect.path.dynamic or not any(label.startswith(("find -", "fd -")) for label in via):
        return effect
    finders = tuple(at for at in range(effect.command) if commands[at].name in ("find", "gfind", "fd"))[-1:]
    return replace(effect, path=replace(effect.path, origins=effect.path.origins + finders))


def _find_sources(
    commands: Sequence[SimpleCommand], effects: Sequence[Effect], kinds: Sequence[Secret | None]
) -> frozenset[int]:
    """Return the indices of the commands that pass on a secret: its content, another name, or file names."""
    searches = ((at, command) for at, command in enumerate(commands) if command.name in _SEARCHES)
    sources = {at for at, command in searches if any(map(_named, _sought(command)))}
    for effect, held in zip(effects, kinds, strict=True):
        passed = held in _STRONG or sources.intersection(effect.path.origins)
        if passed and effect.action in _PASSED_ON:
            sources.add(effect.command)
    return frozenset(sources)


def _named(name: str) -> bool:
    return secret(name, glob=True) in _STRONG


def _exposes(effect: Effect, held: Secret | None, sources: frozenset[int]) -> bool:
    if effect.action in ("read", "copy", "send", "use", "link") and (
        sources.intersection(effect.path.origins) - {effect.command}
    ):
        return True
    return held in _EXPOSED.get(effect.action, _NONE) and not effect.forced


def _kind(effect: Effect, place: Place, commands: Sequence[SimpleCommand]) -> Secret | None:
    path = effect.path
    found = kind(path.text, place, cwd=effect.cwd, glob=path.glob)
    if found == "dotenv" and commands[effect.command].in_script:
        return None  # existing scripts load the settings of their project
    inside = found == "key" and quiet(absolute(path.text, effect.cwd or place.cwd, place.home), place.root)
    return None if inside else found


def _unread(problems: Sequence[Problem]) -> Iterator[Exposure]:
    """Yield an exposure for the first unreadable part that names a secret."""
    for problem in problems:
        for token in set(_TOKEN.split(problem.text)):
            if not token.isalnum() and secret(token) in _STRONG:
                yield Exposure("unread", token, problem.span)
                return


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
