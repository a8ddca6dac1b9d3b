"""Table of programs: the arguments that are files, and the kind of access to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from hookline.shell import Word
from hookline.shell.options import word_set

How: TypeAlias = """Literal[
    "read", "list", "copy", "move", "link", "write", "empty", "change", "delete", "force", "run", "use",
    "note",
]"""
"""Kinds of access to a file.

"force" is a forced deletion, "use" an access that only the program knows, and "note" a look at the mode,
the date or the existence.
"""


class Access(NamedTuple):
    """A file that a command opens, and the kind of access."""

    word: Word
    how: How


class Program(NamedTuple):
    """Rules that split a program's arguments into options, data and files."""

    how: How = "read"
    values: str = ""
    """Options that take a value other than a file."""
    files: str = ""
    """Options whose value is a file that is read."""
    writes: str = ""
    """Options whose value is a file that is written."""
    skip: int = 0
    """Operands that come before the files: a pattern, a script."""
    unless: str = ""
    """Options that replace those operands."""
    here: str = ""
    """Options that make it read the working folder if it has no operand; "always" if none is needed."""
    noting: str = ""
    """Options that restrict the access to "note"."""


_GREP = "-m -A -B -C -D -d --include --exclude --exclude-dir --color --colour --label --max-count --context"
_RG = (
    "-g -t -T -A -B -C -m -M -j -E -r --glob --iglob --type --type-not --type-add --replace --max-count"
    " --max-depth --sort --sortr --color --colors --context --max-columns --pre --pre-glob --encoding"
)
_DIFF = "-I -x -U -C -F -W -L --label --exclude --ignore-matching-lines --color --unified --context --width"
_LESS = (
    "-p -P -b -h -j -t -x -y -z -D --pattern --prompt --buffers --max-back-scroll --jump-target --tag --tabs"
    " --window --color --shift --max-forw-scroll"
)
_LS = (
    "-I -w -T --ignore --hide --width --tabsize --block-size --color --format --sort --time --indicator-style"
)
_TREE = "-I -P -L -o -H -T --filelimit --charset --sort --timefmt --gitfile --infofile --fromfile"
_RECURSIVE = "-r -R --recursive --dereference-recursive -d"

_FAMILIES: Mapping[str, Program] = {
    "cat tac nl rev zcat gzcat bzcat xzcat zstdcat lz4cat view gview glow mdcat hexyl cksum sum tsort"
    " uuencode fmt expand unexpand dos2unix unix2dos vimdiff mousepad gedit kate mate atom subl open"
    " xdg-open start pbcopy xclip wl-copy qlmanage lynx w3m links elinks csvlook csvcat rich mcat lolcat ccat"
    " pygmentize highlight enscript a2ps lpr lp xmlstarlet catdoc pdftotext nm objdump readelf": Program(),
    "head tail ghead gtail": Program(values="-n -c -s --lines --bytes --pid --sleep-interval"),
    "less zless most pg": Program(values=_LESS, files="-k -T --lesskey-file", writes="-o -O --log-file"),
    "more zmore": Program(values="-n --lines"),
    "bat batcat": Program(
        values="-l -H -r --language --theme --style --line-range --highlight-line --tabs --wrap --color"
        " --paging --terminal-width --file-name --map-syntax --decorations --italic-text --pager",
    ),
    "vi vim nvim ex ed gvim vimx emacs emacsclient nano pico micro helix hx kak joe ne jed mcedit": Program(
        values="-c --cmd -T --eval -f --line", files="-S -s -l --load"
    ),
    "code code-insiders cursor codium windsurf zed": Program(
        values="--user-data-dir --install-extension", files="-g --goto"
    ),
    "wc": Program(files="--files0-from"),
    "cut": Program(values="-d -f -c -b --delimiter --fields --characters --bytes --output-delimiter"),
    "sort gsort": Program(
        values="-k -t -S -T --key --field-separator --parallel", files="--files0-from", writes="-o --output"
    ),
    "uniq": Program(values="-f -s -w --skip-fields --skip-chars --check-chars"),
    "paste join comm look ptx column fold pr": Program(
        values="-d -t -j -1 -2 -o -e -a -v -w -s -c -N -l -h --delimiters --separator --table-columns"
    ),
    "split csplit shuf iconv": Program(
        values="-n -b -l -a -f -t -i --lines --bytes --number --prefix --from-code --to-code", writes="-o"
    ),
    "diff sdiff colordiff diff3 cmp wdiff difft delta patch git-diff": Program(
        values=_DIFF, files="-X -i --exclude-from --input --from-file --to-file", writes="-o --output"
    ),
    "od god": Program(values="-A -j -N -t -w -S --address-radix --skip-bytes --read-bytes --format"),
    "xxd hexdump hd strings": Program(
        values="-g -l -o -s -n -e -t -R --bytes --radix --encoding --length", files="-f"
    ),
    "base64 base32 basenc gbase64": Program(values="-w --wrap", files="-i", writes="-o"),
    "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum b3sum md5 shasum": Program(
        values="-a -s --algorithm"
    ),
    "yq tomlq xq dasel mlr csvcut csvgrep csvsql xsv qsv gron fx xmllint pandoc": Program(
        values="-o -p -t -f --output-format --input-format --xpath --format --from --to --arg -I --indent",
        skip=1,
        unless="--from-file --xpath --format",
    ),
    "grep egrep fgrep zgrep zegrep zfgrep ggrep bzgrep xzgrep pcregrep pcre2grep ugrep ug": Program(
        values=_GREP + " -e --regexp",
        files="-f --file",
        skip=1,
        unless="-e -f --regexp --file",
        here=_RECURSIVE,
    ),
    "rg ripgrep rga ag ack sift pt": Program(
        values=_RG + " -e --regexp",
        files="-f --file --ignore-file",
        skip=1,
        unless="-e -f --regexp --file --files",
        here="always",
    ),
    "sed gsed": Program(
        values="-e -l --expression --line-length",
        files="-f --file",
        skip=1,
        unless="-e -f --expression --file",
    ),
    "perl ruby": Program(values="-e -E -I -M -m -F -l -0 -r -x -C", skip=1, unless="-e -E"),
    "ls gls dir vdir exa eza lsd ll la l": Program(
        "list", values=_LS, here="always", noting="-d --directory"
    ),
    "tree": Program("list", values=_TREE, here="always", noting=""),
    "ncdu broot ranger nnn mc": Program("list", here="always"),
    "tee sponge": Program("write"),
    "truncate": Program("change", values="-s -o --size", files="-r --reference"),
    "shred srm wipe": Program("change", values="-n -s --iterations --size", files="--random-source"),
    "rm grm unlink rimraf del-cli trash gio": Program("delete"),
    "cp gcp install ditto": Program(
        "copy", values="-t -S -m -o -g --target-directory --suffix --mode --owner --group --backup --sparse"
    ),
    "mv gmv": Program("move", values="-t -S --target-directory --suffix --backup"),
    "ln gln link symlink": Program("link", values="-t -S --target-directory --suffix --backup"),
    "ssh-add": Program(values="-t -E -s -e -h -H -S -d"),
    "ssh-copy-id": Program(values="-p -o -F", files="-i", skip=1),
    "gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress pigz brotli": Program(
        values="-S -T --suffix"
    ),
    "unzip zipinfo unrar": Program(values="-d -x -P", skip=0),
    "gpg gpg2 age sops ansible-vault": Program(
        "use", values="-r -u -p --recipient --local-user", writes="-o --output"
    ),
}
READERS: Mapping[str, Program] = {
    name: program for names, program in _FAMILIES.items() for name in names.split()
}

NOTING = word_set(
    """chmod chown chgrp chattr lsattr setfacl getfacl xattr stat file touch test [ realpath readlink
    basename dirname du df mkdir rmdir mkfifo which whereis type mount umount inotifywait fuser lsof namei
    sync"""
)
"""Programs that use a file's name, mode or date, but not its content."""
DATA = word_set(
    """echo printf print cd pushd popd dirs pwd export declare typeset local readonly alias unalias unset set
    shift trap kill sleep date true false : exit return hash read mapfile readarray history jobs wait bg
    fg getopts umask ulimit let expr seq yes whoami id uname hostname ps top man info help apropos tldr
    logger notify-send say tput clear reset stty test-path basename make gmake ninja just npm yarn pnpm
    bun pip pip3 cargo go rustc cmake mvn gradle terraform tofu helm npx uv uvx poetry tox nox pytest ping
    dig nslookup brew apt apt-get dnf yum apk systemctl service launchctl journalctl printenv env commit
    tr"""
)
"""Programs whose words are text, targets or settings."""
BUILDERS = word_set(
    """npm yarn pnpm bun pip pip3 cargo go rustc make gmake cmake mvn gradle docker kubectl terraform helm
    python node npx uv uvx poetry tox nox pytest git"""
)
"""Build tools: exempt from scout-block, each for its own simple command."""
DEAF = NOTING | word_set("rm cp mv ln mkdir echo printf cd export kill sleep ls true false :")
"""Programs that never read their standard input."""
LANGUAGES = word_set("python pypy node nodejs deno bun perl ruby php lua awk gawk mawk nawk")
"""Interpreters, whose code is searched for the files that it opens."""
SEARCHES = word_set("fd fdfind find gfind git locate ls mdfind plocate")
"""Programs that find files by name."""
SPECIAL = word_set(
    """. 7z 7za 7zz ansible apply_patch applypatch autossh bash bsdtar curl dash dd docker docker-compose
    fd fdfind find fish gfind git gojq gtar gxargs http https jq ksh kubectl mosh nerdctl oc openssl
    pdsh podman rar rsync scp sftp sh source ssh ssh-keygen sshfs tar tsh wget xargs xh xhs zip zsh"""
)
"""Programs whose arguments need a function of their own."""
TELLERS = word_set(
    """cmdkey declare echo egrep env export fgrep ggrep gpg gpg2 grep keyctl pass print printenv printf
    secret-tool security set typeset"""
)
"""Programs that may print a secret without opening a file."""
