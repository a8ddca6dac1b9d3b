"""Generator of disguised command lines: each layer wraps a line so that bash still runs the same command.

The command is harmless; a test runs the line with bash in an empty folder, and compares the commands that ran
with those that the reader found.
"""

import base64
import bz2
import codecs
import gzip
import lzma
import shlex
from collections.abc import Callable

Layer = Callable[[str, int], str]
"""Returns a line that runs the given code; the number makes names unique."""


def quote(code: str) -> str:
    return shlex.quote(code)


def escape_bytes(code: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in code.encode())


def escape_octal(code: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in code.encode())


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


PRODUCERS: dict[str, Callable[[str], str]] = {
    "printf": lambda code: f"printf '%s\\n' {quote(code)}",
    "echo": lambda code: f"echo {quote(code)}" if "\\" not in code else f"printf '%s\\n' {quote(code)}",
    "base64": lambda code: f"echo {encoded(code.encode())} | base64 -d",
    "base64 here-string": lambda code: f"base64 --decode <<< {encoded(code.encode())}",
    "base64 twice": lambda code: f"echo {encoded(encoded(code.encode()).encode())} | base64 -d | base64 -d",
    "base32": lambda code: f"echo {base64.b32encode(code.encode()).decode()} | base32 -d",
    "gzip": lambda code: f"echo {encoded(gzip.compress(code.encode(), mtime=0))} | base64 -d | gunzip",
    "zcat": lambda code: f"echo {encoded(gzip.compress(code.encode(), mtime=0))} | base64 -d | zcat",
    "bzip2": lambda code: f"echo {encoded(bz2.compress(code.encode()))} | base64 -d | bzip2 -dc",
    "xz": lambda code: f"echo {encoded(lzma.compress(code.encode()))} | base64 -d | xz -d",
    "printf bytes": lambda code: f"printf '{escape_bytes(code)}\\n'",
    "printf octal": lambda code: f"printf '{escape_octal(code)}\\n'",
    "printf %b": lambda code: f"printf '%b\\n' '{escape_bytes(code)}'",
    "echo -e": lambda code: f"echo -e '{escape_bytes(code)}'",
    "ansi": lambda code: f"printf '%s\\n' $'{escape_bytes(code)}'",
    "rot13": lambda code: f"printf '%s\\n' {quote(codecs.encode(code, 'rot13'))} | tr A-Za-z N-ZA-Mn-za-m",
    "rev": lambda code: f"printf '%s\\n' {quote(reverse_lines(code))} | rev",
    "tr": lambda code: (
        f"printf '%s\\n' {quote(code.replace('o', '@'))} | tr @ o" if "@" not in code else code_of(code)
    ),
    "tr -d": lambda code: (
        f"printf '%s\\n' {quote('%'.join(code))} | tr -d %" if "%" not in code else code_of(code)
    ),
    "sed": lambda code: f"printf '%s\\n' {quote('XX' + code)} | sed '1s/^XX//'",
    "sed g": lambda code: (
        f"printf '%s\\n' {quote(code.replace('o', '@'))} | sed 's/@/o/g'"
        if "@" not in code
        else code_of(code)
    ),
    "sed lines": lambda code: f"printf '%s\\n' '(((' {quote(code)} | sed 1d",
    "cut -c": lambda code: f"printf '%s\\n' {quote(prefix_lines('xx', code))} | cut -c3-",
    "cut -d": lambda code: f"printf '%s\\n' {quote(prefix_lines('xx%', code))} | cut -d% -f2-",
    "head": lambda code: f"printf '%s\\n' {quote(code)} '(((' | head -n {code.count(chr(10)) + 1}",
    "tail": lambda code: f"printf '%s\\n' '(((' {quote(code)} | tail -n +2",
    "awk": lambda code: f"printf '%s\\n' {quote(code)} | awk 1",
    "awk $0": lambda code: f"printf '%s\\n' {quote(code)} | awk '{{print $0}}'",
    "awk -F": lambda code: (
        f"printf '%s\\n' {quote(prefix_lines('xx%', code))} | awk -F% '{{print $2}}'"
        if "%" not in code
        else code_of(code)
    ),
    "tac": lambda code: f"printf '%s\\n' {quote(chr(10).join(reversed(code.split(chr(10)))))} | tac",
    "cat": lambda code: f"cat <<'EOF_1'\n{code}\nEOF_1\n",
    "grep": lambda code: f"printf '%s\\n' {quote(code)} | grep -v ZZZ",
    "tee": lambda code: f"printf '%s\\n' {quote(code)} | tee copy",
    "parameter": lambda code: f"q={quote('XX' + code)}; printf '%s\\n' \"${{q#XX}}\"",
    "substring": lambda code: f"q={quote('XX' + code + 'YY')}; printf '%s\\n' \"${{q:2:{len(code)}}}\"",
    "replacement": lambda code: (
        f"q={quote(code.replace('o', '@'))}; printf '%s\\n' \"${{q//@/o}}\""
        if "@" not in code
        else code_of(code)
    ),
    "printf -v": lambda code: f"printf -v q %s {quote(code)}; printf '%s\\n' \"$q\"",
    "halves": lambda code: f"printf '%s%s\\n' {quote(code[:5])} {quote(code[5:])}",
    "appended": lambda code: f"q={quote(code[:5])}; q+={quote(code[5:])}; printf '%s\\n' \"$q\"",
    "paste": lambda code: f"printf '%s\\n' {quote(code)} | paste -sd '\\n'",
    "sort": lambda code: f"printf '%s\\n' {quote(code)} | {'sort -u' if chr(10) not in code else 'cat'}",
    "sed -n": lambda code: f"printf '%s\\n' {quote(code)} | sed -n p",
    "sed prefix": lambda code: f"printf '%s\\n' {quote(code[3:])} | sed {quote('1s|^|' + code[:3] + '|')}",
    "function output": lambda code: f"p() {{ printf '%s\\n' {quote(code)}; }}; p",
    "cat file": lambda code: f"printf '%s\\n' {quote(code)} > t1; cat t1",
    "appended file": lambda code: (
        f"printf %s {quote(code[:5])} > t2; printf '%s\\n' {quote(code[5:])} >> t2; cat t2"
    ),
    "gzip round trip": lambda code: (
        f"printf '%s\\n' {quote(code)} | gzip -c | base64 -w0 | base64 -d | gzip -d"
    ),
    "xxd round trip": lambda code: f"printf '%s\\n' {quote(code)} | xxd -p | xxd -r -p",
    "xxd": lambda code: f"echo {code.encode().hex()} | xxd -r -p",
    "openssl": lambda code: f"echo {encoded(code.encode())} | openssl base64 -d -A",
}
"""Commands that print the code."""
REQUIRED = {
    "xxd": "xxd",
    "xxd round trip": "xxd",
    "openssl": "openssl",
    "rev": "rev",
    "xz": "xz",
    "bzip2": "bzip2",
}
"""Programs that a producer needs, besides those of every system."""


def code_of(code: str) -> str:
    return PRODUCERS["printf"](code)


def reverse_lines(code: str) -> str:
    return "\n".join(line[::-1] for line in code.split("\n"))


def prefix_lines(prefix: str, code: str) -> str:
    return "\n".join(prefix + line for line in code.split("\n"))


def in_group(producer: str) -> str:
    return f"{{ {producer}\n}}" if producer.endswith("\n") else producer


RUNNERS: dict[str, Callable[[str, int], str]] = {
    "pipe": lambda producer, _: f"{in_group(producer)} | bash",
    "eval": lambda producer, _: f'eval "$({producer})"',
    "backticks": lambda producer, number: f'x{number}=$({producer}); eval "$x{number}"',
    "bash -c": lambda producer, _: f'bash -c "$({producer})"',
    "process substitution": lambda producer, _: f"bash <({producer})",
    "source": lambda producer, _: f"source <({producer})",
    "here-string": lambda producer, _: f'bash <<< "$({producer})"',
    "source stdin": lambda producer, _: f"{in_group(producer)} | source /dev/stdin",
    "bash -s": lambda producer, _: f"{in_group(producer)} | bash -s",
    "script": lambda producer, number: f"{{ {producer}\n}} > s{number}; bash s{number}",
    "executable": lambda producer, number: (
        f"{{ {producer}\n}} > s{number}; chmod +x s{number} && bash ./s{number}"
    ),
    "shebang": lambda producer, number: (
        f"{{ echo '#!/bin/bash'; {producer}\n}} > s{number}; chmod 755 s{number}; ./s{number}"
    ),
    "redirected script": lambda producer, number: f"{{ {producer}\n}} > s{number}; bash < s{number}",
    "moved script": lambda producer, number: (
        f"{{ {producer}\n}} > t{number}; mv t{number} s{number}; . ./s{number}"
    ),
    "temporary script": lambda producer, number: (
        f'f{number}=$(mktemp); {{ {producer}\n}} > "$f{number}"; bash "$f{number}"'
    ),
    "PATH": lambda producer, number: (
        f"mkdir -p b{number}; {{ echo '#!/bin/bash'; {producer}\n}} > b{number}/p{number}; "
        f"chmod +x b{number}/p{number}; PATH=$PWD/b{number}:$PATH; p{number}"
    ),
    "xargs -0": lambda producer, _: f"{in_group(producer)} | xargs -0 bash -c",
    "mapfile": lambda producer, number: (
        f'mapfile m{number} < <({producer}); eval "$(printf %s "${{m{number}[@]}}")"'
    ),
    "descriptor": lambda producer, _: f"exec 4< <({producer}); bash <&4",
}
"""Ways to run the output of a command."""
WRAPPERS: dict[str, Layer] = {
    "eval": lambda code, _: f"eval {quote(code)}",
    "bash -c": lambda code, _: f"bash -c {quote(code)}",
    "env": lambda code, _: f"env A=1 bash -c {quote(code)}",
    "env -S": lambda code, _: (
        f"env -S {quote('bash -c ' + quote(code))}"
        if "\n" not in code and "\\" not in code and "$" not in code and "#" not in code
        else f"eval {quote(code)}"
    ),
    "command -v": lambda code, _: f"$(command -v bash) -c {quote(code)}",
    "which": lambda code, number: f"b{number}=$(type -P bash); $b{number} -c {quote(code)}",
    "function": lambda code, number: f"f{number}() {{\n{code}\n}}; f{number}",
    "function argument": lambda code, number: f'f{number}() {{ "$@"; }}; f{number} eval {quote(code)}',
    "parameters": lambda code, _: f"bash -c 'eval \"$1\"' _ {quote(code)}",
    "variable": lambda code, number: f'v{number}={quote(code)}; eval "$v{number}"',
    "array": lambda code, number: f'a{number}=(bash -c {quote(code)}); "${{a{number}[@]}}"',
    "indirect": lambda code, number: f'v{number}={quote(code)}; w{number}=v{number}; eval "${{!w{number}}}"',
    "alias": lambda code, number: (
        f"shopt -s expand_aliases\nalias k{number}={quote('eval ' + quote(code))}\n"
        f"alias j{number}=k{number}\nj{number}"
    ),
    "for": lambda code, number: f'for c{number} in true {quote(code)}; do eval "$c{number}"; done',
    "while read": lambda code, number: (
        f'while read -r c{number}; do eval "$c{number}"; done '
        f"<<'EOF_{number}'\ntrue\n{code}\nEOF_{number}\n"
        if "\n" not in code
        else f"eval {quote(code)}"
    ),
    "read": lambda code, number: (
        f'read -r c{number} <<< {quote(code)}; eval "$c{number}"'
        if "\n" not in code
        else f"eval {quote(code)}"
    ),
    "piped while": lambda code, number: (
        f"printf '%s\\n' true {quote(code)} | while IFS= read -r c{number}; do eval \"$c{number}\"; done"
        if "\n" not in code
        else f"eval {quote(code)}"
    ),
    "xargs": lambda code, _: f"echo x | xargs -I@@ bash -c {quote(code)}",
    "xargs -n1": lambda code, _: f"printf '%s\\n' 1 2 | xargs -n1 bash -c {quote(code)}",
    "here-document": lambda code, number: f"bash <<'EOF_{number}'\n{code}\nEOF_{number}\n",
    "xargs -d": lambda code, _: (
        f"printf %s {quote('true%' + code)} | xargs -d% -n1 bash -c"
        if "%" not in code
        else f"eval {quote(code)}"
    ),
    "set": lambda code, _: f'set -- bash -c {quote(code)}; "$@"',
    "shift": lambda code, _: f'set -- x {quote(code)}; shift; eval "$1"',
    "exec": lambda code, _: f"(exec bash -c {quote(code)})",
    "builtin": lambda code, _: f"builtin eval {quote(code)}",
    "command": lambda code, _: f"command bash -c {quote(code)}",
    "until": lambda code, _: f"until\n{code}\ntrue; do :; done",
    "for parameters": lambda code, number: (
        f'f{number}() {{ for c; do eval "$c"; done; }}; f{number} true {quote(code)}'
    ),
    "nameref": lambda code, number: (
        f'v{number}={quote(code)}; declare -n n{number}=v{number}; eval "$n{number}"'
    ),
    "local": lambda code, number: f'f{number}() {{ local c=$1; eval "$c"; }}; f{number} {quote(code)}',
    "default": lambda code, number: f'eval "${{u{number}:-$(printf %s {quote(code)})}}"',
    "associative": lambda code, number: (
        f'declare -A h{number}; h{number}[k]={quote(code)}; eval "${{h{number}[k]}}"'
    ),
    "read array": lambda code, number: (
        f'read -ra r{number} <<< {quote(code)}; "${{r{number}[@]}}"'
        if code.startswith("touch ")
        else f"eval {quote(code)}"
    ),
    "two reads": lambda code, number: (
        f"{{ read -r x; read -r c{number}; }} <<< $'true\\n'{quote(code)}; eval \"$c{number}\""
        if "\n" not in code
        else f"eval {quote(code)}"
    ),
    "configured git alias": lambda code, _: (
        f"git init -q . && git config alias.zz {quote('!bash -c ' + quote(code))} && git zz"
        if "\n" not in code and "\\" not in code
        else f"eval {quote(code)}"
    ),
    "and": lambda code, _: f"true &&\n{code}",
    "or": lambda code, _: f"false ||\n{{\n{code}\n}}",
    "coprocess": lambda code, _: f"coproc bash -c {quote(code)}; wait",
    "heredoc pipe": lambda code, number: f"cat <<'EOF_{number}' | bash\n{code}\nEOF_{number}\n",
    "test": lambda code, _: f"[[ $(\n{code}\n) ]] || true",
    "case": lambda code, _: f"case a in\na)\n{code}\n;;\nesac",
    "if": lambda code, _: f"if true; then\n{code}\nfi",
    "subshell": lambda code, _: f"(\n{code}\n)",
    "substitution": lambda code, _: f': "$(\n{code}\n)"',
    "find": lambda code, _: f"find . -maxdepth 0 -exec bash -c {quote(code)} ';'",
    "timeout": lambda code, _: f"timeout 20 bash -c {quote(code)}",
    "trap": lambda code, _: f"bash -c {quote('trap ' + quote(code) + ' EXIT')}",
    "background": lambda code, _: f"{{\n{code}\n}} & wait",
    "makefile": lambda code, number: (
        f"printf 'all:\\n\\t@bash m{number}\\n' > M{number}; "
        f"printf '%s\\n' {quote(code)} > m{number}; make -s -f M{number}"
    ),
    "git alias": lambda code, _: (
        f"git -c {quote('alias.zz=!bash -c ' + quote(code))} zz"
        if "\n" not in code and "\\" not in code
        else f"eval {quote(code)}"
    ),
}
"""Ways to run code that is written in the line."""


def compose(command: str, layers: list[tuple[str, str]]) -> str:
    """Return *command* inside *layers*, innermost first; each is a wrapper, or a producer and a runner."""
    code = command
    for number, (first, second) in enumerate(layers):
        code = RUNNERS[second](PRODUCERS[first](code), number) if second else WRAPPERS[first](code, number)
    return code
