"""Pack windows: deletions in PowerShell and cmd."""

import re
from collections.abc import Iterator, Mapping

from hookline.hooks._dangerous_command.remote_exec import REMOTE_EXEC
from hookline.hooks._dangerous_command.rule import Finding, Judge, Pack, Place
from hookline.shell import UNKNOWN, SimpleCommand, Word

WINDOWS = Pack(
    "windows",
    {
        "windows-delete": (
            "This deletes a whole folder without asking.",
            "Look with `Get-ChildItem DIR` first, and name a folder inside the project.",
        ),
        "windows-format": (
            "This deletes a disk, a volume, or what is needed to bring it back.",
            "Look with `Get-Volume`, and leave the change to the user.",
        ),
    },
)
_INSIDE = re.compile(r"(?:\./|\.\\)?[\w@-][\w .@/\\-]*")
"""A path below the working folder."""
_SWITCH = re.compile(r"/[a-z?]")
_FORMATS = """format-volume clear-disk initialize-disk remove-partition remove-computerrestorepoint diskpart
    vssadmin wbadmin bcdedit clear-recyclebin stop-computer restart-computer"""


def _remove_item(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge `Remove-Item`, whose parameters may be abbreviated and in any order, and `rd /s`."""
    yield from _switched(command, words, place)
    names = [word.text.lower().partition(":")[0] for word in words if word.text.startswith("-")]
    recursive = any(len(name) > 1 and "-recurse".startswith(name) for name in names)
    if recursive and not any(name.startswith("-wh") for name in names):
        yield from _targets(command, tuple(word for word in words if not word.text.startswith("-")))


def _targets(command: SimpleCommand, words: tuple[Word, ...]) -> Iterator[Finding]:
    piped = next((place for place, word in enumerate(words) if word.text == "|"), len(words))
    for word in words[:piped] or words[piped + 1 :]:
        if not _own(word.text):
            yield WINDOWS.find("windows-delete", command, word)
            return


def _own(text: str) -> bool:
    return _INSIDE.fullmatch(text) is not None and ".." not in text and UNKNOWN not in text and text != "."


def _switched(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge `rd /s` and `del /s`."""
    switches = {one for word in words if word.text[:1] == "/" for one in _SWITCH.findall(word.text.lower())}
    if "/s" in switches and "/?" not in switches:
        paths = tuple(word for word in words if not word.text.startswith("/"))
        yield from _targets(command, paths or words[:1])


def _format(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    texts = [word.text.lower() for word in words]
    alone = command.name.endswith(("computer", "bin", "part"))
    if (texts or alone) and {"/?", "-whatif", "list", "enum", "/enum"}.isdisjoint(texts):
        yield WINDOWS.find("windows-format", command)


def _drive(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge `format C:` outside of cmd; without a drive, other programs have that name."""
    if words and re.fullmatch(r"[A-Za-z]:\\?", words[0].text):
        yield from _format(command, words, place)


def _expression(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge `irm address | iex` and its long form."""
    text = " ".join(word.text.lower() for word in words)
    called = command.name != ".downloadstring" or any(
        one.name == "invoke-expression" for one in place.commands
    )
    if called and any(one in text + command.name for one in ("webrequest", "restmethod", "downloadstring")):
        yield REMOTE_EXEC.find("run-download", command)


JUDGES: Mapping[str, Judge] = {
    **dict.fromkeys(("remove-item", "clear-content"), _remove_item),
    **dict.fromkeys(("cmd rd", "cmd del"), _switched),
    "format": _drive,
    **dict.fromkeys(("invoke-expression", ".downloadstring"), _expression),
    **dict.fromkeys(("cmd format", *_FORMATS.split()), _format),
}
