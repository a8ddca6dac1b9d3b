"""Test the commands, effects and output of short Python programs."""

import pytest
from tests.shell.code.programs import commands, effects, evaluate, show

PROGRAMS = [
    (
        "import os; os.system('a b')",
        ["a b"],
        [],
        "",
    ),
    (
        ("import subprocess as s\ns.run(['a','b'],cwd='/x',env={'A':'b'})"),
        ["a|b"],
        [],
        "",
    ),
    (
        ("from os import system as f\nf('x'+chr(65))"),
        ["xA"],
        [],
        "",
    ),
    (
        ("import shutil,os\nshutil.rmtree(os.path.expanduser('~'))"),
        [],
        ["delete /home/me/**"],
        "",
    ),
    (
        ("import os\nfor r,d,fs in os.walk('.'):\n  for f in fs:\n    os.remove(os.path.join(r,f))"),
        [],
        ["list ./**", "delete ./**"],
        "",
    ),
    (
        (
            "import os\n"
            "for r,d,fs in os.walk('.'):\n"
            "  for f in fs:\n"
            "    if f.endswith('.pyc'):\n"
            "      os.remove(os.path.join(r,f))"
        ),
        [],
        ["list ./**", "delete ./?/?.pyc"],
        "",
    ),
    (
        (
            "from pathlib import Path\n"
            "[p.unlink() for p in Path('.').rglob('*') if p.suffix=='.log']\n"
            "for p in Path.home().iterdir(): p.unlink()"
        ),
        [],
        ["delete ./?/?.log", "list /home/me", "delete /home/me/*"],
        "",
    ),
    (
        "import base64;exec(base64.b64decode('aW1wb3J0IG9zO29zLnN5c3RlbSgibHMiKQ=='))",
        ["ls"],
        [],
        "",
    ),
    (
        "print('rm -rf ~')",
        [],
        [],
        "rm -rf ~\n",
    ),
    (
        ("p=open('x','w'); p.write('hi')\nprint(open('x').read())"),
        [],
        ["write x", "read x"],
        "hi\n",
    ),
    (
        ("def f(x):\n  return g(x)\ndef g(x):\n  import os\n  os.system(f'rm {x}')\nf('y')"),
        ["rm y"],
        [],
        "",
    ),
    (
        (
            "class A:\n"
            "  def __init__(self,x): self.x=x\n"
            "  def go(self): __import__('os').system(self.x)\n"
            "A('ls').go()"
        ),
        ["ls"],
        [],
        "",
    ),
    (
        ("import os\ngetattr(os,'sys'+'tem')('q')"),
        ["q"],
        [],
        "",
    ),
    (
        ("cmd=''.join([chr(c) for c in [108,115]])\nimport subprocess\nsubprocess.call(cmd,shell=True)"),
        ["ls"],
        [],
        "",
    ),
    (
        ("import sys,subprocess\nsubprocess.run(sys.argv[1:])"),
        [],
        [],
        "",
    ),
    (
        ("import os\nDRY=True\nif DRY:\n  print('x')\nelse:\n  os.remove('/etc/passwd')"),
        [],
        [],
        "x\n",
    ),
    (
        ("import os,shutil\nfor d in os.listdir(os.path.expanduser('~')): shutil.rmtree(d)"),
        [],
        ["list /home/me", "delete ./*/**"],
        "",
    ),
    (
        (
            "import os\n"
            "for f in os.listdir('/q'):\n"
            "  if not f.startswith('tmp'): continue\n"
            "  os.remove('/q/'+f)"
        ),
        [],
        ["list /q", "delete /q/tmp?"],
        "",
    ),
    (
        ("from pathlib import Path\n(Path.home()/'.claude'/'settings.json').write_text('{}')"),
        [],
        ["write /home/me/.claude/settings.json"],
        "",
    ),
]
"""Source, commands, effects and output."""


@pytest.mark.parametrize(("source", "runs", "touches", "prints"), PROGRAMS)
def test_program(source, runs, touches, prints):
    result = evaluate("python", source)

    assert commands(result) == runs
    assert effects(result) == touches
    assert show(result.output) == prints
    assert result.problems == ()
