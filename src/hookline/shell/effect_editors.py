"""The effects of programs that edit files by a script: sed, editors, awk, patch, databases in a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from hookline.lazy import re
from hookline.shell.editors import parse_ed, parse_sed
from hookline.shell.effect_table import Operands, option_effects, part_of, table_effects
from hookline.shell.options import parse_options, word_set
from hookline.shell.result import Action, Effect, SimpleCommand, Word

Effects: TypeAlias = Iterator[Effect]


_PATCHED_FILE = re.compile(
    r"^\s*(?:\*\*\* (?:Add File|Update File|Delete File|Move to):|\+\+\+ (?:b/)?)\s*(\S[^\t\n]*)",
    re.MULTILINE,
)


def patched_files(command: SimpleCommand, folder: str = "") -> Effects:
    """Yield the files below *folder* that the headers of a patch name."""
    text = "\n".join((command.stdin, *(word.text for word in command.words[1:])))
    for match in _PATCHED_FILE.finditer(text):
        path = f"{folder}/{match.group(1)}" if folder else match.group(1)
        yield Effect(action="edit", path=Word(text=path, span=command.span))


def _patch(command: SimpleCommand) -> Effects:
    """Yield the files that the headers of a patch name, and those in the arguments."""
    yield from patched_files(command)
    if command.name != "patch":
        return
    options = parse_options(
        command.words[1:], word_set("-d --directory -o --output -i --input -p"), mixed=True
    )
    yield from option_effects(options, {"write": word_set("-o --output"), "read": word_set("-i --input")})
    yield from (Effect(action="edit", path=word) for word in options.operands)
    folder = options.value("-d", "--directory")
    yield from (
        [Effect(action="write", path=folder, recursive=True, certain=False)] if folder is not None else []
    )


_SED = Operands(
    values="-e -l --expression --line-length", reads="-f --file", skip=1, unless="-e -f --expression --file"
)
_SCRIPTED = Operands(values="-e -E -I -M -m -F -l -0 -r -x -C", skip=1, unless="-e -E")
_IN_PLACE = re.compile(r"-(?![MIm-])[a-zA-Z0-9]{0,6}?i")
_CLEARS_LINES = re.compile(
    r"\s*(?:(?:1\s*,\s*\$\s*|/\.?\*?/\s*)?\{?\s*d\s*;?\s*\}?|1?Q|s(.)\^?\.\*\$?\1\1g?)\s*"
)
"""A sed script that deletes or clears all lines."""
_PRINTS = re.compile(r"\b(?:print|printf|say|puts|p)\b")
_CLEARS_TEXT = re.compile(r"""\$_\s*=\s*(?:""|''|undef|nil)|\bundef\s*\(?\$_""")
_LINE_RANGE = re.compile(r"\d+(?:,\+?\d+)?p(?:;\s*\d+q)?;?|\d+q|\$p")


def _sed(command: SimpleCommand) -> Effects:
    """Yield the files that `sed`, `perl` and `ruby` read or edit, and those that a sed script writes."""
    is_sed = command.name in ("sed", "gsed")
    in_place = any(
        _IN_PLACE.match(word.text) or word.text.startswith("--in-place") for word in command.words[1:]
    )
    effects = list(table_effects(command, _SED if is_sed else _SCRIPTED))
    options = parse_options(command.words[1:], _SED.valued_options(), mixed=True)
    values = [value for name, value in options.options if value and name in ("-e", "--expression")]
    scripts = values or list(options.operands[:1])
    clears = in_place and (_clears_lines if is_sed else _clears_text)(command, [one.text for one in scripts])
    prints_range = options.has("-n") and all(_LINE_RANGE.fullmatch(script.text) for script in scripts)
    changed: Action = "truncate" if clears else "edit"
    for effect in effects:
        action = changed if in_place and effect.action == "read" else effect.action
        yield Effect(action=action, path=effect.path, bounded=is_sed and prints_range)
    for script in scripts if is_sed else ():
        for path in parse_sed(script.text).writes:
            yield Effect(action="write", path=Word(text=path, span=script.span))


def _clears_lines(command: SimpleCommand, scripts: Sequence[str]) -> bool:
    """Return whether a sed script that edits in place leaves nothing of a file."""
    quiet = any(re.match(r"-[a-zA-Z]*n|--(?:quiet|silent)", word.text) for word in command.words[1:])
    return any(map(_CLEARS_LINES.fullmatch, scripts)) or (quiet and not "".join(scripts).strip())


def _clears_text(command: SimpleCommand, scripts: Sequence[str]) -> bool:
    """Return whether a script of perl or ruby that edits in place prints nothing, or clears the line."""
    quiet = any(re.match(r"-[a-zA-Z0]*n", word.text) for word in command.words[1:])
    code = "\n".join(scripts)
    return _PRINTS.search(code) is None if quiet else _CLEARS_TEXT.search(code) is not None


_SCRIPTED_EDIT = re.compile(r"-[eEs]*[cs]|\+")
_EDITOR = Operands(values="-c --cmd -T", reads="-S -s -l --load")
_LINE_EDITOR = Operands(values="-c --cmd -p", reads="-S")
_CLEARS_ALL = re.compile(
    r"(?m)(?:^|[\s|:+])(?:(?:%|[01]?,\$|,)\s*d(?:el(?:ete)?)?!?\s*(?:$|\|)|norm\w*!?\s+gg(?:dG|VGd))"
)
_SAVES = re.compile(r"(?m)(?:^|[\s|:+])(?:w|wq|wr|write|x|xit|wqa?|xa|up|update)!?\s*(?:$|\|)")
_INSERTS = re.compile(r"(?m)(?:^|[\s|:+])(?:\d*r(?:ead)?!?\s|[aic]$|pu(?:t)?\b|norm\w*!?\s+[iao])")
"""Commands of an editor that delete all lines, save the file, and insert other text."""
_SAVED_FILE = re.compile(r"(?:^|[|:+\s])(?:w|wq|wr|write|x|sav|saveas|up|update)!?\s+(?:>>\s*)?([^\s|!]+)")


def _editor(command: SimpleCommand) -> Effects:
    """Yield the files that an editor opens, and those that its commands write: `-c 'w FILE'`."""
    row = _LINE_EDITOR if command.name in ("ed", "red", "ex") else _EDITOR
    yield from table_effects(command, row)
    scripted = command.stdin or any(_SCRIPTED_EDIT.match(word.text) for word in command.words)
    if scripted:
        operands = parse_options(command.words[1:], row.valued_options(), mixed=True).operands
        words = (one.text for one in command.words[1:] if one not in operands[-1:])
        script = "\n".join((command.stdin, *words))
        clears = _CLEARS_ALL.search(script) and _SAVES.search(script) and not _INSERTS.search(script)
        action: Action = "truncate" if clears else "edit"
        yield from (Effect(action=action, path=word, certain=bool(clears)) for word in operands)
    for word in command.words[1:]:
        for match in _SAVED_FILE.finditer(word.text):
            yield Effect(action="write", path=Word(text=match.group(1), span=word.span))
    for path in parse_ed(command.stdin).writes:
        yield Effect(action="write", path=Word(text=path, span=command.span))


_SETTING = re.compile(r"[A-Za-z_]\w*=")
_AWK = ("-F", "-v", "-f", "--file", "--assign", "--field-separator", "-i", "--include")


def _awk(command: SimpleCommand) -> Effects:
    options = parse_options(command.words[1:], _AWK)
    scripts = [value for name, value in options.options if name in ("-f", "--file") and value is not None]
    yield from (Effect(action="read", path=word) for word in scripts)
    in_place = any(value is not None and value.text == "inplace" for _, value in options.options)
    selects = not scripts and any(map(_SELECTION.match, (word.text for word in options.operands[:1])))
    prints = scripts or not any(_SILENT.fullmatch(word.text) for word in options.operands[:1])
    for word in options.operands[0 if scripts else 1 :]:
        if not _SETTING.match(word.text):
            action: Action = "read" if not in_place else "edit" if prints else "truncate"
            yield Effect(action=action, path=word, bounded=selects)


_SILENT = re.compile(r"\s*(?:\{\s*(?:next)?\s*\}|0)?\s*")
_SELECTION = re.compile(r"\s*(?:/[^/]|\$\d+\s*[~=<>!]|NR\s*[=<]|.*\bEND\s*\{)", re.DOTALL)
"""Start of an awk script that prints selected lines or a summary."""
_QUERY = re.compile(
    r"\s*(?:select|explain|pragma\s+\w+\s*(?:\(|;|$)|\.(?:tables|schema|mode|headers|dump)\b)[^;]*;?\s*",
    re.IGNORECASE,
)


def _sqlite(command: SimpleCommand) -> Effects:
    """Yield the database, which is only read by `-readonly` and by queries."""
    values = word_set("-cmd -separator -newline -init -nullvalue -vfs")
    words = [
        part_of(word, "-" + word.text) if word.text.startswith("-") else word for word in command.words[1:]
    ]
    options = parse_options(words, [f"-{name}" for name in values], mixed=True)
    queries = [word.text for word in options.operands[1:]]
    reads = options.has("--readonly") or (bool(queries) and all(map(_QUERY.fullmatch, queries)))
    for word in options.operands[:1]:
        path = word.text.removeprefix("file:").partition("?")[0]
        reads = reads or "mode=ro" in word.text
        yield Effect(action="use" if reads else "edit", path=part_of(word, path), certain=reads)


PROGRAMS: Mapping[str, Callable[[SimpleCommand], Effects]] = {
    **dict.fromkeys(("apply_patch", "applypatch", "patch"), _patch),
    **dict.fromkeys(("sed", "gsed", "perl", "ruby"), _sed),
    **dict.fromkeys(word_set("vi vim nvim ex ed red gvim mvim vimx"), _editor),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
    **dict.fromkeys(("sqlite3", "sqlite"), _sqlite),
}
