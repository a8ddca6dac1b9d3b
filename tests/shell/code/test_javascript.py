"""Test the commands, effects and output of short JavaScript programs."""

import pytest
from tests.shell.code.programs import commands, effects, evaluate, show

PROGRAMS = [
    (
        "require('child_process').execSync('a b')",
        ["a b"],
        [],
        "",
    ),
    (
        "const {execSync: e} = require('child_process'); e(`git ${'x'} push`)",
        ["git x push"],
        [],
        "",
    ),
    (
        (
            "import fs from 'fs'; import {spawnSync as s} from 'node:child_process'\n"
            "s('a',['b','c'],{cwd:'/x', env:{...process.env, A:'1'}})\n"
            "fs.rmSync('/q',{recursive:true,force:true})"
        ),
        ["a|b|c"],
        ["delete /q/**"],
        "",
    ),
    (
        (
            "const fs=require('fs'),path=require('path'),os=require('os');\n"
            "fs.writeFileSync(path.join(os.homedir(),'.claude','settings.json'),'{}')"
        ),
        [],
        ["write /home/me/.claude/settings.json"],
        "",
    ),
    (
        (
            "const fs = require('fs')\n"
            "for (const f of fs.readdirSync('.')) { if (f.endsWith('.log')) fs.unlinkSync(f) }"
        ),
        [],
        ["list .", "delete ?.log"],
        "",
    ),
    (
        (
            "const fs = require('fs')\n"
            "fs.readdirSync('/home/me').forEach(f => fs.rmSync(`/home/me/${f}`, {recursive: true}))"
        ),
        [],
        ["list /home/me", "delete /home/me/*/**"],
        "",
    ),
    (
        (
            "fs.readdirSync('/home/me').filter(f => /\\.log$/.test(f)).forEach(f => "
            "fs.unlinkSync('/home/me/'+f))"
        ),
        [],
        ["list /home/me", "delete /home/me/?"],
        "",
    ),
    (
        "console.log(`a b`)",
        [],
        [],
        "a b\n",
    ),
    (
        "process.stdout.write('x'+1)",
        [],
        [],
        "x1",
    ),
    (
        (
            "(async () => { const {exec} = await import('child_process'); exec('a b', (e,o)=>{ "
            "console.log(o) }) })()"
        ),
        ["a b"],
        [],
        "?\n",
    ),
    (
        (
            "function run(c) { return require('child_process').execSync(c).toString() }\n"
            "const out = run('ls ' + ['a','b'].join(' '))"
        ),
        ["ls a b"],
        [],
        "",
    ),
    (
        "await $`rm -rf ${process.env.HOME}`",
        ["rm -rf /home/me"],
        [],
        "",
    ),
    (
        ("eval(Buffer.from('cmVxdWlyZSgiY2hpbGRfcHJvY2VzcyIpLmV4ZWNTeW5jKCJscyIp','base64').toString())"),
        ["ls"],
        [],
        "",
    ),
    (
        (
            "const x: string = 'a'; function f(a: string, b?: number): void { "
            "require('child_process').execSync(a) } f(x)"
        ),
        ["a"],
        [],
        "",
    ),
    (
        "fs.promises.readFile('.env','utf8').then(t => console.log(t))",
        [],
        ["read .env"],
        "?\n",
    ),
    (
        (
            "const data = JSON.parse(fs.readFileSync('package.json')); data.version = '1'; "
            "fs.writeFileSync('package.json', JSON.stringify(data, null, 2))"
        ),
        [],
        ["read package.json", "write package.json"],
        "",
    ),
    (
        (
            "class A { constructor(x) { this.x = x } go() { "
            "require('child_process').execSync(this.x) } }\n"
            "new A('ls').go()"
        ),
        ["ls"],
        [],
        "",
    ),
    (
        (
            "const cmds = {a: 'ls', b: 'pwd'}; for (const [k, v] of Object.entries(cmds)) "
            "require('child_process').exec(v)"
        ),
        ["ls", "pwd"],
        [],
        "",
    ),
    (
        (
            "if (a) { b() } else if (c) { require('child_process').execSync('x') }\n"
            "switch (q) { case 1: require('child_process').execSync('y'); break; default: z() }"
        ),
        ["x", "y"],
        [],
        "",
    ),
    (
        "for (let i = 0; i < 3; i++) { require('child_process').execSync('cmd ' + i) }",
        ["cmd 0", "cmd 1", "cmd 2"],
        [],
        "",
    ),
    (
        "const rimraf = require('rimraf'); rimraf.sync('/home/me')",
        [],
        ["delete /home/me/**"],
        "",
    ),
    (
        "import { rm } from 'fs/promises'; await rm('/home/me', { recursive: true })",
        [],
        ["delete /home/me/**"],
        "",
    ),
    (
        "process.chdir('/'); require('child_process').execSync('ls')",
        ["ls"],
        [],
        "",
    ),
    (
        "setTimeout(function () { require('child_process').execSync('ls') }, 5)",
        ["ls"],
        [],
        "",
    ),
    (
        "const s = String.fromCharCode(108,115); require('child_process')['exec'+'Sync'](s)",
        ["ls"],
        [],
        "",
    ),
    (
        "const a = x ? /b/ : c / d / e; console.log(a)",
        [],
        [],
        "?\n",
    ),
    (
        "Bun.spawnSync(['ls','-l']); Deno.removeSync('/home/me',{recursive:true})",
        ["ls|-l"],
        ["delete /home/me/**"],
        "",
    ),
    ("new Deno.Command('ls', {args: ['-l']}).outputSync()", ["ls|-l"], [], ""),
]
"""Source, commands, effects and output."""


@pytest.mark.parametrize(("source", "runs", "touches", "prints"), PROGRAMS)
def test_program(source, runs, touches, prints):
    result = evaluate("javascript", source)

    assert commands(result) == runs
    assert effects(result) == touches
    assert show(result.output) == prints
    assert result.problems == ()
