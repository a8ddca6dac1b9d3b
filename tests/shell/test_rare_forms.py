"""Test that a command is found behind rare forms of the shell, of filters and of other languages."""

import pytest
from tests.shell.code.programs import commands, evaluate
from tests.shell.test_read import ran

LINES = [
    "mapfile -C 'drop it' -c 1 a <<< y",
    "hash -p drop a; a it",
    'set drop it; "$@"',
    "alias a='sudo '; alias b='drop it'; a b",
    "alias drop=a; unalias drop; drop it",
    "declare -l c=DROP; $c it",
    ": ${a:=drop}; $a it",
    'a=(drop it all); "${a[@]:0:2}"',
    "IFS=; a=drop; $a it",
    "trap - EXIT; drop it",
    "read -u 3 c 3<<< 'drop it'; $c",
    "for i in 1; { drop it; }",
    "echo $[$(drop it)]",
    "runuser -u me -- drop it",
    "hatch run 'drop it'",
    "docker run -v .:/w --entrypoint drop alpine it",
    "printf -- 'drop it' | sh",
    "echo 'ddrop it' | tr -s d | sh",
    "echo 'd1rop i1t' | tr -cd 'a-z \\n' | sh",
    "echo 'zdrop it' | tail -c +2 | sh",
    "echo 'drop itzz' | head -c 7 | sh",
    "echo drop > a; echo it > b; paste -d' ' a b | sh",
    "echo 'qrop it' | sed y/q/d/ | sh",
    "echo drop | sed 's/drop/& it/' | sh",
    "printf 'a\\ndrop it\\nb\\n' | sed -n 2,3p | sh",
    "printf 'drop it\\nb\\n' | sed '$d' | sh",
    "echo 'qrop it' > a; sed -i s/q/d/ a; sh a",
    "vim -c 'terminal drop it'",
    'awk \'BEGIN { printf "drop %s", "it" }\' | sh',
    "echo '00000000: 6472 6f70 2069 74  drop it' | xxd -r | sh",
    "jq -rn --arg c 'drop it' '$c' | sh",
    "make -n -f - <<< 'a := $(shell drop it)'",
]
PROGRAMS = [
    ("python", "c = {k: v for k, v in [['a', 'ls']]}\nimport os\nos.system(c['a'])"),
    ("python", "import os\nx = 'a'\ndef f():\n  global x\n  x = 'ls'\nf()\nos.system(x)"),
    ("python", "import os\nif 1 < 2 < 3: os.system('ls')"),
    ("python", "from os import *\nsystem('ls')"),
    ("python", "import os\na = ['a', 'b']\na[0] = 'ls'\nos.system(a[0] if 'b' in a else 'x')"),
    ("javascript", "const {exec: e} = require('child_process'); e('l'.padStart(1) + 's'.repeat(1))"),
    ("javascript", "require('child_process').exec('xls'.slice(1) || 'xls'.substr(1, 2))"),
    ("javascript", "interface A { b: string }; const f = (c = 'ls', ...r) => Bun.spawn(c as string); f()"),
    ("javascript", "class A { static { do { Bun.spawn('ls') } while (0) } }"),
    ("javascript", "for (let i = 9; i > 0; i--) { Bun.spawn('ls') }"),
    ("php", "<?php $c = 'ls'; $f = function () use ($c) { system($c); }; $f();"),
    ("php", "<?php for ($i = 0; $i < 2; $i++) { $o->$x; \\system('ls'); }"),
    ("ruby", "for c in ['ls']\n  system(c)\nend"),
    ("ruby", "def run c\n  system(c)\nend\nrun 'ls'"),
    ("ruby", "x = (raise rescue system('ls'))"),
    ("perl", "sub f($$) { for (my $i = 0; $i < 2; $i++) { system('ls') } } f(1, 2);"),
    ("perl", "my $s = 'xs'; $s =~ s{x}{l}; system($s);"),
    ("perl", "system(join('', pack('C*', 108, 115)));"),
    ("perl", "my @a = @{['ls']}; system(@a);"),
]


@pytest.mark.parametrize("line", LINES)
def test_the_command_of_a_line_is_found(line):
    assert "drop it" in ran(line)


@pytest.mark.parametrize(("language", "source"), PROGRAMS)
def test_the_command_of_a_program_is_found(language, source):
    assert commands(evaluate(language, source)) == ["ls"]
