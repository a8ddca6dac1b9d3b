"""The table of program effects: operands and options that are files, and the action on them.

Programs with a syntax of their own are in `effect_programs`. A program in neither may open each argument.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from hookline.lazy import re
from hookline.shell.options import Options, parse_options, word_set
from hookline.shell.program_table import NON_FILE_PROGRAMS
from hookline.shell.result import Action, Effect, SimpleCommand, Word


class Operands(NamedTuple):
    """A row of the table: the options of a program, and the action on its operands.

    Options are words separated by spaces; "always" stands for the program without any option.
    """

    action: Action = "read"
    last: Action | None = None
    """The action on the last of several operands, which is the target."""
    values: str = ""
    """Options that take a value other than a file."""
    names: str = ""
    """Long options, which may be abbreviated."""
    reads: str = ""
    """Options whose value is a file that is read."""
    writes: str = ""
    """Options whose value is a file that is written."""
    skip: int = 0
    """Number of operands before the files: a pattern, a script, a mode."""
    unless: str = ""
    """Options that replace these operands."""
    here: str = ""
    """Options with which the program reads the working directory if it has no operand."""
    recursive: str = ""
    """Options that include everything below a folder."""
    bounded: str = ""
    """Options that limit the output."""
    follows: str = ""
    """Options with which the output does not end."""
    inspects: str = ""
    """Options that restrict the action to `inspect`."""
    content: Literal["", "copied", "streamed"] = ""
    """The origin of the content that is written; see `Effect`."""
    edits: str = ""
    """Options with which the program changes the files in place."""

    def valued_options(self) -> tuple[str, ...]:
        """Return the options that take a value."""
        return _split(f"{self.values} {self.reads} {self.writes}")

    def is_bounded(self, options: Options) -> bool:
        """Return whether the output is limited; that of `tail -f` is not."""
        return _applies(self.bounded, options) and not _applies(self.follows, options)


@lru_cache(maxsize=1024)
def _split(words: str) -> tuple[str, ...]:
    return tuple(words.split())


def _applies(condition: str, options: Options) -> bool:
    return condition == "always" or (condition != "" and options.has(*_split(condition)))


def table_effects(command: SimpleCommand, row: Operands) -> Iterator[Effect]:
    """Yield the effects of *command* according to its *row*."""
    options = parse_options(command.words[1:], row.valued_options(), mixed=True, names=_split(row.names))
    if options.has("--help", "--version"):
        return
    reads, writes = _split(row.reads), _split(row.writes)
    for name, value in options.options:
        if value is not None and (name in reads or name in writes):
            yield Effect(action="read" if name in reads else "write", path=value)
    operands = options.operands[0 if _applies(row.unless, options) else row.skip :]
    if row.last is not None:
        yield from _transfer_effects(operands, options, row)
        return
    if not operands and _applies(row.here, options):
        operands = (Word(text=".", span=command.span),)
    action = "inspect" if _applies(row.inspects, options) else row.action
    action = "edit" if _applies(row.edits, options) else action
    yield from (
        Effect(
            action=action,
            path=word,
            recursive=_applies(row.recursive, options),
            forced=row.action == "delete" and options.has("-f", "--force"),
            bounded=row.is_bounded(options),
            content=row.content,
        )
        for word in operands
    )


def _transfer_effects(operands: tuple[Word, ...], options: Options, row: Operands) -> Iterator[Effect]:
    """Yield the effects of a copy, move or link: on the sources, the target and paths below it."""
    folder = options.value("-t", "--target-directory")
    sources = operands if folder is not None or len(operands) == 1 else operands[:-1]
    target = folder or (operands[-1] if len(operands) > 1 else None)
    recursive = _applies(row.recursive, options)
    action = "inspect" if _applies(row.inspects, options) else row.action
    yield from (Effect(action=action, path=word, recursive=recursive) for word in sources)
    if target is None or row.last is None:
        return
    replaces = recursive and options.has("-T", "--no-target-directory")
    yield Effect(action=row.last, path=target, recursive=replaces, content="copied")
    for source in sources:
        yield Effect(action=row.last, path=_below(target, source), recursive=recursive, derived=True)


def _below(folder: Word, source: Word) -> Word:
    """Return the path that *source* gets inside *folder*."""
    name = source.text.rstrip("/").rpartition("/")[2]
    merges = name in (".", "..")
    text = f"{folder.text.rstrip('/')}/{'*' if merges else name}"
    return Word(text=text, span=folder.span, glob=folder.glob or merges, origins=source.origins)


def part_of(word: Word, text: str) -> Word:
    """Return the part *text* of *word* as a word of its own."""
    if text == word.text and not word.unset:
        return word
    return Word(text=text, span=word.span, glob=word.glob, origins=word.origins)


def named_paths(words: Sequence[Word]) -> Iterator[Word]:
    """Yield the arguments that may be paths, also after `=` and `@`; for programs that no table knows."""
    for word in words[1:]:
        text = word.text.rpartition("=")[2] if "=" in word.text else word.text
        text = text.removeprefix("@")
        if text and not text.startswith("-") and not is_remote(text):
            yield part_of(word, text)


_REMOTE = re.compile(r"(?!file:)(?:(?:[^/\\:]{2,}|\[[^\]]+\]):|\w+://)", re.IGNORECASE)


def is_remote(text: str) -> bool:
    """Return whether an operand is on another machine: `host:path`, `rsync://…`."""
    return _REMOTE.match(text) is not None


def option_effects(options: Options, table: Mapping[Action, frozenset[str]]) -> Iterator[Effect]:
    """Yield the effects of options whose value is a file."""
    for name, value in options.options:
        if value is not None:
            yield from (Effect(action=action, path=value) for action, names in table.items() if name in names)


_GREP = "-A -B -C -D -d --include --exclude --exclude-dir --color --colour --label --context -e --regexp"
_RG = (
    "-g -t -T -A -B -C -M -j -E -r -e --regexp --glob --iglob --type --type-not --type-add --replace"
    " --max-depth --sort --sortr --color --colors --context --max-columns --pre --pre-glob --encoding"
)
_GREP_LIMITS = "-m -c -l -L -q --max-count --count --files-with-matches --files-without-match --quiet"
_DIFF = "-I -x -U -C -F -W -L --label --exclude --ignore-matching-lines --color --unified --context --width"
_LESS = (
    "-p -P -b -h -j -t -x -y -z -D --pattern --prompt --buffers --max-back-scroll --jump-target --tag --tabs"
    " --window --color --shift --max-forw-scroll"
)
_LS = (
    "-I -w -T --ignore --hide --width --tabsize --block-size --color --format --sort --time --indicator-style"
)
_TREE = "-I -P -L -H -T --filelimit --charset --sort --timefmt --gitfile --infofile --fromfile"
_COPY = "-t -S -m -o -g --target-directory --suffix --mode --owner --group --backup --sparse"
_RM = (
    "--force --interactive --one-file-system --no-preserve-root --preserve-root --recursive --dir --verbose"
    " --help --version"
)
_CHMOD = "--recursive --reference --changes --quiet --silent --verbose --from --no-preserve-root --help"

_ROWS: Mapping[str, Operands] = {
    "cat tac nl rev zcat gzcat bzcat xzcat zstdcat lz4cat view gview glow mdcat hexyl tsort"
    " uuencode fmt expand unexpand vimdiff lynx w3m links elinks csvlook csvcat rich mcat lolcat ccat"
    " pygmentize highlight enscript a2ps lpr lp xmlstarlet catdoc pdftotext nm objdump readelf": Operands(),
    "head tail ghead gtail": Operands(
        values="-n -c -s --lines --bytes --pid --sleep-interval", bounded="always", follows="-f -F --follow"
    ),
    "less zless most pg": Operands(values=_LESS, reads="-k -T --lesskey-file", writes="-o -O --log-file"),
    "more zmore": Operands(values="-n --lines"),
    "bat batcat": Operands(
        values="-l -H -r --language --theme --style --line-range --highlight-line --tabs --wrap --color"
        " --paging --terminal-width --file-name --map-syntax --decorations --italic-text --pager",
        bounded="-r --line-range",
    ),
    "emacs emacsclient nano pico micro helix hx kak joe ne jed mcedit": Operands(
        values="-c --cmd -T --eval -f --line", reads="-S -s -l --load", edits="--batch"
    ),
    "code code-insiders cursor codium windsurf zed": Operands(
        values="--user-data-dir --install-extension", reads="-g --goto"
    ),
    "wc": Operands("use", reads="--files0-from"),
    "open xdg-open start mousepad gedit kate mate atom subl qlmanage pbcopy xclip wl-copy": Operands("use"),
    "cmp": Operands("use", values="-i -n --ignore-initial --bytes"),
    "cut": Operands(values="-d -f -c -b --delimiter --fields --characters --bytes --output-delimiter"),
    "sort gsort": Operands(
        values="-k -t -S -T --key --field-separator --parallel", reads="--files0-from", writes="-o --output"
    ),
    "uniq": Operands(values="-f -s -w --skip-fields --skip-chars --check-chars", last="write"),
    "xxd": Operands(values="-c -g -l -o -s -n -R", last="write"),
    "paste join comm look ptx column fold pr": Operands(
        values="-d -t -j -1 -2 -o -e -a -v -w -s -c -N -l -h --delimiters --separator --table-columns"
    ),
    "split": Operands(values="-n -b -l -a -t -C --lines --bytes --number --line-bytes", last="write"),
    "csplit": Operands(values="-b -n --suffix-format --digits", writes="-f --prefix"),
    "shuf iconv": Operands(values="-n -f -t -i --from-code --to-code", writes="-o --output"),
    "dos2unix unix2dos": Operands("edit"),
    "json.tool tokenize ast dis tabnanny": Operands(values="--indent -m --mode", last="write"),
    "jsonlint ajv check-jsonschema jsonschema yamllint taplo markdownlint codespell cloc tokei scc": Operands(
        "use", values="-s -d -c --schema --schemafile --data --config"
    ),
    "diff sdiff colordiff diff3 wdiff difft delta git-diff": Operands(
        values=_DIFF,
        reads="-X -i --exclude-from --input --from-file --to-file",
        writes="-o --output",
        bounded="-q --brief",
    ),
    "od god": Operands(values="-A -j -N -t -w -S --address-radix --skip-bytes --read-bytes --format"),
    "hexdump hd strings": Operands(
        values="-l -o -s -n -e -t --bytes --radix --encoding --length", reads="-f"
    ),
    "base64 base32 basenc gbase64": Operands(values="-w --wrap", reads="-i", writes="-o"),
    "cksum sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum b3sum md5 shasum": Operands(
        "use", values="-a -s --algorithm"
    ),
    "yq tomlq xq mlr csvcut csvgrep csvsql xsv qsv gron fx pandoc": Operands(
        values="-o -p -t -f --output-format --input-format --xpath --format --from --to --arg -I --indent",
        skip=1,
        unless="--from-file",
        edits="-i --inplace --in-place",
    ),
    "xmllint": Operands(values="--encode --schema", writes="-o --output", bounded="--xpath"),
    "grep egrep fgrep zgrep zegrep zfgrep ggrep bzgrep xzgrep pcregrep pcre2grep ugrep ug": Operands(
        values=_GREP + " -m --max-count",
        reads="-f --file",
        skip=1,
        unless="-e -f --regexp --file",
        here="-r -R --recursive --dereference-recursive -d",
        recursive="-r -R --recursive --dereference-recursive",
        bounded="always",
    ),
    "rg ripgrep rga ag ack sift pt": Operands(
        values=_RG + " -m --max-count",
        reads="-f --file --ignore-file",
        skip=1,
        unless="-e -f --regexp --file --files",
        here="always",
        recursive="always",
        bounded=_GREP_LIMITS,
    ),
    "ls gls dir vdir exa eza lsd ll la l": Operands(
        "list", values=_LS, here="always", recursive="-R --recursive -T --tree", inspects="-d --directory"
    ),
    "tree": Operands("list", values=_TREE, writes="-o", here="always", recursive="always"),
    "ncdu broot ranger nnn mc": Operands("list", here="always", recursive="always"),
    "tee": Operands("write", edits="-a --append", content="streamed"),
    "sponge": Operands("write", edits="-a", content="copied"),
    "script": Operands("write", values="-c -o -t -T -I -O -B -E -m --command --log-out"),
    "truncate": Operands("truncate", values="-s -o --size", reads="-r --reference"),
    "shred srm wipe": Operands("truncate", values="-n -s --iterations --size", reads="--random-source"),
    "rm grm unlink trash trash-put gio": Operands("delete", recursive="-r -R --recursive", names=_RM),
    "rimraf del-cli": Operands("delete", recursive="always"),
    "rmdir": Operands("delete"),
    "touch mkdir mkfifo mknod": Operands("create", values="-m -r -d -t --mode --date --reference"),
    "cp gcp install ditto": Operands(
        "copy",
        last="write",
        values=_COPY,
        recursive="-r -R -a --recursive --archive",
        inspects="--attributes-only",
    ),
    "mv gmv": Operands("move", last="write", values=_COPY, recursive="always"),
    "rename": Operands("move", skip=1),
    "ln gln link symlink": Operands("link", last="write", values=_COPY),
    "chown gchown chgrp chflags": Operands(
        "mode", skip=1, values="--from", unless="--reference", recursive="-R --recursive", names=_CHMOD
    ),
    "setfacl": Operands("mode", values="-m -x -M -X", recursive="-R --recursive"),
    "chattr xattr": Operands("mode", skip=1, recursive="-R"),
    "ssh-add": Operands(values="-t -E -s -e -h -H -S -d"),
    "ssh-copy-id": Operands(values="-p -o -F", reads="-i", skip=1),
    "zipinfo unrar": Operands(values="-d -x -P"),
    "gpg gpg2 age sops ansible-vault": Operands(
        "use", values="-r -u -p --recipient --local-user", writes="-o --output"
    ),
    "strace ltrace": Operands("inspect", values="-e -p -s -u -E -P -a -I", writes="-o --output"),
    "gcc cc g++ clang": Operands("use", values="-I -L -l -D -x -std -MF", writes="-o"),
    "lsattr getfacl stat file test [ realpath readlink basename dirname du df which whereis type"
    " inotifywait fuser lsof namei sync": Operands("inspect"),
}
PROGRAMS: Mapping[str, Operands] = {name: row for names, row in _ROWS.items() for name in names.split()}

DATA_PROGRAMS = NON_FILE_PROGRAMS | word_set(
    """echo printf print cd pushd popd dirs pwd export declare typeset local readonly alias unalias unset set
    shift trap kill sleep date true false : exit return hash read mapfile readarray history jobs wait bg
    fg getopts umask ulimit let expr seq yes whoami id uname hostname ps top man info help apropos tldr
    logger notify-send say tput clear reset stty test-path make gmake ninja just npm yarn pnpm bun pip
    pip3 cargo go rustc cmake mvn gradle terraform tofu helm npx uv uvx poetry tox nox pytest ping dig
    nslookup brew apt apt-get dnf yum apk systemctl service launchctl journalctl printenv env commit tr
    hookline shellcheck"""
)
"""Programs whose arguments are text, targets or settings."""
UNREAD_STDIN = word_set(
    """chmod chown chgrp chattr lsattr setfacl getfacl xattr stat file touch test [ realpath readlink
    basename dirname du df mkdir rmdir mkfifo which whereis type mount umount inotifywait fuser lsof namei
    sync rm cp mv ln echo printf cd export kill sleep ls true false :"""
)
"""Programs that never read their standard input."""
LANGUAGES = word_set("python pypy node nodejs deno bun perl ruby php lua awk gawk mawk nawk")
"""Interpreters of other languages."""
