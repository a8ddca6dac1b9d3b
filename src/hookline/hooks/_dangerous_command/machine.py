"""Packs disk, permissions and windows: devices, processes, access rights, deletions in PowerShell and cmd."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hookline.hooks._dangerous_command.rule import Finding, Judge, Pack, Place
from hookline.hooks._dangerous_command.scratch import is_temporary
from hookline.hooks._dangerous_command.tables import table
from hookline.hooks._dangerous_command.targets import is_narrowed
from hookline.lazy import re
from hookline.shell import UNKNOWN, SimpleCommand, Word
from hookline.shell.options import parse_options, word_set

DISK = Pack(
    "disk",
    {
        "device-write": (
            "This overwrites a disk or another device; what is on it is gone.",
            "Write to an image file instead: `dd if=/dev/zero of=disk.img bs=1M count=10`.",
        ),
        "shred": ("This overwrites a file beyond recovery.", "Delete it plainly: `rm FILE`."),
        "volume-remove": (
            "This removes a volume, a pool or a partition table, with all that is on it.",
            "Look with `lsblk` or `zpool status`, and leave the change to the user.",
        ),
        "fork-bomb": (
            "This starts processes without end until the machine stands still.",
            "Start a fixed number, and wait for them: `for i in 1 2 3; do work & done; wait`.",
        ),
        "kill-all": (
            "This ends all processes of the user, the agent and the desktop included.",
            "End the process that you started: `kill PID`.",
        ),
        "machine-off": (
            "This stops or restarts the machine.",
            "Restart only what needs it, such as your own program.",
        ),
    },
)
_HARMLESS = re.compile(
    r"/dev/(?:null|zero|full|random|urandom|stdin|stdout|stderr|tty\w*|ptmx|fd/.*|pts/.*|shm/.*|tcp/.*|udp/.*)"
)


def is_device(text: str) -> bool:
    """Return whether *text* names a device, such as a disk, that is not harmless to write."""
    path = text.rpartition("=")[2]
    if path.startswith(("//./", "\\\\.\\")):
        return True
    return path.startswith("/dev/") and len(path) > len("/dev/") and not _HARMLESS.fullmatch(path)


def _is_output(text: str) -> bool:
    return text.startswith("of=") and is_device(text)


def _kill(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge `kill -9 -1`; a first argument `-1` is a signal."""
    sources = place.sources(at for word in words for at in word.origins)
    all_listed = any(source.name == "ps" for source in sources) and not any(map(is_narrowed, sources))
    if all_listed or any(word.text == "-1" for word in words[1:]):
        yield DISK.find("kill-all", command)


def _pkill(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    options = parse_options(words, word_set("-u -U -s -t -g -P --signal --uid --euid --terminal"), mixed=True)
    patterns = [word.text for word in options.operands]
    if (options.has("-u", "-U", "--uid", "--euid") and not patterns) or set(patterns) & {".", ".*", ""}:
        yield DISK.find("kill-all", command)


_ENDLESS = re.compile(
    r"iter\(int|\.step\s*\{|itertools\.count|\b(?:while\s*\(?\s*(?:1|true|True)\b|loop\s*(?:do\b|\{)"
    r"|for\s*\(\s*;\s*;|redo\b|fork\s+while|setInterval\b)"
)
_RECURSION = re.compile(
    r"(?:function|def|sub)\s+(\w+).{0,200}?\b(?:fork|spawn|Process\()(?=.{0,100}?\b\1\b.{0,50}?\b\1\b)"
    r"|\b(\w+)\s*=\s*lambda.{0,100}?\bfork\b.{0,100}?\b\2\(",
    re.DOTALL,
)
_STARTS = re.compile(
    r"\b(?:(?:pcntl_)?fork|spawn\w*|Popen|multiprocessing\.Process|Process\(|child_process.{0,20}exec)"
)
_PACED = re.compile(r"\b(?:wait\w*|sleep|join|break|exit|accept|recv|read\w*|poll|communicate|last|return)\b")
"""Calls that make an iteration take time, or end the loop."""
_KILLS = re.compile(r"\b(?:os\.kill\(\s*-1\b|process\.kill\(\s*-1\b|kill\W+\w+\W*,\s*-1\b)")
_CODE_OPTION = re.compile(r"-\w*[ceEr]|--eval|--print|--execute|-p|runner|eval")
_LONGEST_CODE = 20_000
"""Maximum number of characters of code that are searched."""


def _code(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge the processes that code starts and ends."""
    text = find_code(command)
    endless = _ENDLESS.search(text) or _RECURSION.search(text)
    if _STARTS.search(text) and endless and not _PACED.search(text):
        yield DISK.find("fork-bomb", command)
    if "kill" in text and _KILLS.search(text):
        yield DISK.find("kill-all", command)


def find_code(command: SimpleCommand) -> str:
    """Return the code of an interpreter: an argument, its standard input, or a file that the line wrote."""
    pairs = zip(command.words, command.words[1:], strict=False)
    options = [value.text for option, value in pairs if _CODE_OPTION.fullmatch(option.text)]
    joined = (word.text.partition("=") for word in command.words if word.text.startswith("--"))
    options += [value for name, _, value in joined if value and _CODE_OPTION.fullmatch(name)]
    options += [command.words[-1].text] if command.words[1:2] and command.words[1].text == "runner" else []
    return "\n".join((*options, command.stdin, command.script))[:_LONGEST_CODE]


_DISK_JUDGES: Mapping[str, Judge] = table(
    DISK,
    """
    dcfldd|ddrescue =output                                                 device-write
    mkfs|mke2fs|mkswap|mkntfs|mkdosfs|newfs =device !-n           device-write
    wipefs =device -a|--all|-o|--offset !-n|--no-act                        device-write
    blkdiscard|blkzone =device                                              device-write
    badblocks =device -w                                                    device-write
    nvme format|sanitize|write*|security*                                   device-write
    hdparm --security-*|--trim-*|--make-bad-sector|--dco-*                  device-write
    shred|srm|sfill|wipe *                                          shred
    lvremove|vgremove|pvremove|vgreduce|lvreduce * !-t|--test|-h|--longhelp volume-remove
    lvm lvremove|vgremove|pvremove|vgreduce|lvreduce * !-t|--test           volume-remove
    cryptsetup luksFormat|erase|luksErase|luksKillSlot|luksRemoveKey|reencrypt volume-remove
    mdadm --zero-superblock|--stop|-S|--fail|--remove                       volume-remove
    parted|gparted ...mklabel|mktable|rm|mkpart|resizepart                  volume-remove
    sgdisk -Z|--zap*|-z|-o|--clear|-d|--delete|-l|--load-backup             volume-remove
    sfdisk --delete|--wipe|--wipe-partitions|--append|-a|-N !-n|--no-act    volume-remove
    sfdisk =device !-l|--list|-d|--dump|-J|--json|-s|-n|--no-act|-V|--verify volume-remove
    fdisk|cfdisk|gdisk|cgdisk =device !-l|--list|-x                         volume-remove
    zpool destroy|labelclear|remove|split|detach                            volume-remove
    zfs destroy|rollback !-n                                                volume-remove
    btrfs subvolume|sub|su|device|dev delete|remove|del|rm                  volume-remove
    diskutil erase*|partitionDisk|zeroDisk|secureErase|reformat|randomDisk  volume-remove
    diskutil apfs|cs|coreStorage delete*|erase*                             volume-remove
    killall5                                                                kill-all
    loginctl terminate-user|kill-user|terminate-session|kill-session        kill-all
    reboot|poweroff|halt !-w|--wtmp-only                                    machine-off?
    shutdown * !-c|-k                                                       machine-off?
    init|telinit 0|6                                                        machine-off?
    systemctl poweroff|reboot|halt|kexec|rescue|emergency|suspend|hibernate machine-off?
    """,
    values="--reportformat --config -s --size -t -L",
    sorts={"device": is_device, "output": _is_output},
)


PERMISSIONS = Pack(
    "permissions",
    {
        "mode-of-tree": (
            "This changes who may use a whole system folder or home; afterwards programs or logins fail.",
            "Change the one file or folder that is yours: `chmod -R u+w build`.",
        ),
        "mode-for-everybody": (
            "This lets everybody on the machine change the file.",
            "Give only what is needed: `chmod 755 FILE` to run it, `chmod 644 FILE` to read it.",
        ),
    },
)
_EVERYBODY = re.compile(r"0?[0-7]{2}[2367]|[ugo]*[ao][ugoa]*[+=][rx]*w[rwxX]*(?:,.*)?")


def _chmod(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge modes that let everybody write; the effects on whole trees are judged for all programs."""
    operands = parse_options(words, ("--reference",), mixed=True).operands
    made = [path + "/" for path in place.made]
    scratch = all(
        any(path.startswith(word.text + "/") for path in made) and is_temporary(word, command.cwd, place)
        for word in operands[1:]
    )
    for word in operands[:1] if len(operands) > 1 and not scratch else ():
        if _EVERYBODY.fullmatch(word.text):
            yield PERMISSIONS.find("mode-for-everybody", command, word)


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
_LISTS = word_set("get-childitem gci dir ls")
_SWITCH = re.compile(r"/[a-z?]")
_FORMATS = """format-volume clear-disk initialize-disk remove-partition remove-computerrestorepoint diskpart
    vssadmin wbadmin bcdedit clear-recyclebin stop-computer restart-computer"""


def _remove_item(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge `Remove-Item`, whose parameters may be abbreviated and in any order, and `rd /s`."""
    yield from _switched(command, words, place)
    names = [word.text.lower().partition(":")[0] for word in words if word.text.startswith("-")]
    listed = any(word.text.lower() in _LISTS for word in words)
    patterns = [word.text for word in words if "*" in word.text and not word.text.startswith("-")]
    narrowed = {"-filter", "-include", "-name"} & set(names) or any("*" in text for text in patterns)
    narrowed = narrowed and not {"*", "*.*"} & set(patterns)
    end = next((place for place, word in enumerate(words) if word.text == "|"), len(words))
    own = [word.text.lower() for word in words[:end] if word.text.startswith("-")]
    recursive = any(name in ("-rf", "-fr") or (name != "-" and "-recurse".startswith(name)) for name in own)
    recursive = recursive or (listed and not narrowed)
    if recursive and not any(name.startswith("-wh") for name in names):
        yield from _targets(command, tuple(word for word in words if not word.text.startswith("-")))


def _targets(command: SimpleCommand, words: tuple[Word, ...]) -> Iterator[Finding]:
    piped = next((place for place, word in enumerate(words) if word.text == "|"), len(words))
    source = words[piped + 2 :] or (Word(text=".", span=command.span),)
    items = words[:piped] and all(word.text.startswith(UNKNOWN) for word in words[:piped])
    for word in source if items and piped < len(words) else words[:piped] or source:
        if not _is_inside(word.text):
            yield WINDOWS.find("windows-delete", command, word)
            return


def _is_inside(text: str) -> bool:
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


def _stop_process(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge `Get-Process | Stop-Process`, without a name or a condition."""
    texts = [word.text.lower() for word in words]
    if "*" in texts or texts[-1:] == ["get-process"]:
        yield DISK.find("kill-all", command)


_SYSTEM_FILE = re.compile(rf"(?i){UNKNOWN}|[a-z]:\\(?:windows|program)|/(?:etc|boot|usr|bin|lib)/")


def _method(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge .NET methods that delete: `[IO.Directory]::Delete(PATH, $true)`."""
    single = command.name == ".net delete-file" and words and not _SYSTEM_FILE.match(words[0].text)
    if not single and (not words or not _is_inside(words[0].text)):
        yield WINDOWS.find("windows-delete", command, words[0] if words else None)


JUDGES: Mapping[str, Judge] = {
    **_DISK_JUDGES,
    "kill": _kill,
    **dict.fromkeys(("pkill", "killall"), _pkill),
    **dict.fromkeys(("chmod", "gchmod"), _chmod),
    **dict.fromkeys(("remove-item", "clear-content"), _remove_item),
    **dict.fromkeys(("cmd rd", "cmd del"), _switched),
    **dict.fromkeys((".net delete", ".net delete-file"), _method),
    "stop-process": _stop_process,
    "format": _drive,
    **dict.fromkeys(("cmd format", *_FORMATS.split()), _format),
}
CODE_JUDGES: Mapping[str, Judge] = dict.fromkeys(
    word_set("python pypy perl ruby node nodejs deno bun php lua irb rails"), _code
)
