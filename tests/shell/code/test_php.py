"""Test the commands, effects and output of short PHP programs."""

import pytest
from tests.shell.code.programs import commands, effects, evaluate, show

PROGRAMS = [
    (
        "exec('a b');",
        ["a b"],
        [],
        "",
    ),
    (
        'shell_exec("rm -rf $x");',
        ["rm -rf ?unset"],
        [],
        "",
    ),
    (
        "$c='ls'; system($c . ' -l');",
        ["ls -l"],
        [],
        "",
    ),
    (
        "unlink('/etc/passwd');",
        [],
        ["delete /etc/passwd"],
        "",
    ),
    (
        ("<?php\nforeach (glob('/home/me/*') as $f) { unlink($f); }"),
        [],
        ["delete /home/me/*"],
        "",
    ),
    (
        "file_put_contents(getenv('HOME').'/.x', 'a', FILE_APPEND);",
        [],
        ["edit /home/me/.x"],
        "",
    ),
    (
        "`ls`;",
        ["ls"],
        [],
        "",
    ),
    (
        "echo 'a', \"b\\n\";",
        [],
        [],
        "ab\n",
    ),
    (
        (
            "$it = new RecursiveIteratorIterator(new RecursiveDirectoryIterator('/home/me')); "
            "foreach ($it as $f) { @unlink($f->getPathname()); }"
        ),
        [],
        ["list /home/me/**", "delete /home/me/**"],
        "",
    ),
    (
        (
            "function r($d) { foreach (scandir($d) as $f) { if ($f == '.') continue; "
            "unlink(\"$d/$f\"); } rmdir($d); } r('/home/me');"
        ),
        [],
        ["list /home/me", "delete /home/me/*", "delete /home/me"],
        "",
    ),
    (
        "class A { private $c = 'ls'; function go() { system($this->c); } } (new A())->go();",
        ["ls"],
        [],
        "",
    ),
    (
        "eval(base64_decode('c3lzdGVtKCJscyIpOw=='));",
        ["ls"],
        [],
        "",
    ),
    (
        "$a = ['x' => 'ls']; exec($a['x']); passthru(\"{$a['x']} -l\");",
        ["ls", "ls -l"],
        [],
        "",
    ),
    (
        "if ($argc > 1) { exec('a'); } else { exec('b'); }",
        ["a", "b"],
        [],
        "",
    ),
    (
        "$f = fn($x) => exec($x); $f('ls');",
        ["ls"],
        [],
        "",
    ),
    (
        "rename('a','b'); copy('c','d'); chmod('e', 0777);",
        ["chmod|777|e"],
        ["move a", "write b", "read c", "write d"],
        "",
    ),
    (
        "$p = popen('ls', 'r'); proc_open(['ls','-l'], [], $pipes);",
        ["ls", "ls|-l"],
        [],
        "",
    ),
    (
        "array_map('unlink', glob('/home/me/*.log'));",
        [],
        ["delete /home/me/?.log"],
        "",
    ),
    (
        "print file_get_contents('.env');",
        [],
        ["read .env"],
        "?",
    ),
    (
        "exec(implode(' ', ['git', 'push']));",
        ["git push"],
        [],
        "",
    ),
]
"""Source, commands, effects and output."""


@pytest.mark.parametrize(("source", "runs", "touches", "prints"), PROGRAMS)
def test_program(source, runs, touches, prints):
    result = evaluate("php", source)

    assert commands(result) == runs
    assert effects(result) == touches
    assert show(result.output) == prints
    assert result.problems == ()
