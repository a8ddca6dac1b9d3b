"""Test how values, conditions, folders and facts of the environment reach commands and effects."""

import pytest
from tests.shell.code.programs import commands, effects, evaluate


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("'a' + 'b'", "ab"),
        ("'{} {x}'.format('a', x='b')", "a b"),
        ("'%s-%02d' % ('a', 7)", "a-07"),
        ("f'{1 + 1:03d}'", "002"),
        ("' '.join(['a', 'b'])", "a b"),
        ("'axb'.replace('x', ' ')", "a b"),
        ("'ab' * 2", "abab"),
        ("'sl'[::-1]", "ls"),
        ("''.join(reversed('sl'))", "ls"),
        ("bytes.fromhex('6c73').decode()", "ls"),
        ("__import__('codecs').decode('yf', 'rot13')", "ls"),
        ("__import__('base64').b64decode('bHM=').decode()", "ls"),
        ("__import__('json').loads('{\"a\": [\"x\", \"ls\"]}')['a'][1]", "ls"),
        ("__import__('importlib').import_module('os').path.join('/a', 'b')", "/a/b"),
        ("os.environ['HOME']", "/home/me"),
        ("os.getcwd()", "/project"),
        ("str(pathlib.Path('a') / 'b')", "a/b"),
        ("str(pathlib.Path('/a/b').parent)", "/a"),
        ("(lambda x: x + '1')('a')", "a1"),
        ("{'a': 'ls'}['a']", "ls"),
        ("'ls' if True else 'x'", "ls"),
        ("unknown_function()", "?"),
        ("'a' + unknown_function() + 'b'", "a?b"),
    ],
)
def test_text_of_an_expression(expression, text):
    source = f"import os, pathlib\nos.system({expression})"

    assert commands(evaluate("python", source)) == [text]


@pytest.mark.parametrize(
    ("condition", "touched"),
    [
        ("f.endswith('.pyc')", "delete /q/?.pyc"),
        ("f.startswith('tmp')", "delete /q/tmp?"),
        ("f == 'x'", "delete /q/x"),
        ("os.path.splitext(f)[1] == '.log'", "delete /q/?.log"),
        ("fnmatch.fnmatch(f, '*.tmp')", "delete /q/?.tmp"),
        ("'cache' in f", "delete /q/?cache?"),
        ("re.search('x', f)", "delete /q/?"),
        ("f != 'x'", "delete /q/*"),
        ("os.path.isfile('/q/' + f)", "delete /q/*"),
        ("not f.endswith('.pyc')", "delete /q/*"),
    ],
)
def test_a_condition_restricts_the_deleted_names(condition, touched):
    source = (
        "import fnmatch, os, re\nfor f in os.listdir('/q'):\n"
        f"    if {condition}:\n        os.remove(os.path.join('/q', f))"
    )

    assert effects(evaluate("python", source))[-1] == touched


def test_names_in_a_list_are_deleted_one_by_one():
    source = "import os\nfor f in os.listdir('/q'):\n  if f in ('a', 'b'): os.remove('/q/' + f)"

    assert effects(evaluate("python", source)) == ["list /q", "delete /q/a", "delete /q/b"]


def test_both_branches_of_an_unknown_condition_are_followed():
    source = "import os\nc = 'a' if x() else 'b'\nif y():\n  d = '1'\nelse:\n  d = '2'\nos.system(c + d)"

    assert sorted(commands(evaluate("python", source))) == ["a1", "a2", "b1", "b2"]


def test_each_command_of_a_counted_loop_is_found():
    source = "import os\nc = ['a', 'b']\ni = 0\nwhile i < len(c):\n  os.system(c[i])\n  i += 1"

    assert {"a", "b"} <= set(commands(evaluate("python", source)))


def test_a_function_chosen_at_run_time_may_be_any_of_the_table():
    source = (
        "import os, sys\ndef a(): os.system('a')\ndef b(): os.system('b')\n"
        "{'a': a, 'b': b}[sys.stdin.read()]()"
    )

    assert commands(evaluate("python", source)) == ["a", "b"]


def test_facts_of_the_call_are_used():
    result = evaluate(
        "python",
        "import os, sys\nos.system(sys.argv[1])\nos.system(sys.stdin.read())\nos.system(open('x').read())",
        argv=("s.py", "first"),
        stdin="second",
        files={"/project/x": "third"},
    )

    assert commands(result) == ["first", "second", "third"]


def test_folder_and_variables_of_a_command():
    source = "import os, subprocess\nos.chdir('/a')\nos.environ['X'] = '1'\nsubprocess.run(['ls'], cwd='b')"
    (command,) = evaluate("python", source).commands

    assert (command.cwd, command.settings) == ("/a/b", (("X", "1"),))


def test_written_files_are_known_afterwards():
    result = evaluate("python", "with open('a.sh', 'w') as f:\n    f.write('ls')\nopen('b', 'a')")

    assert result.files == {"/project/a.sh": "ls"}
    assert effects(result) == ["write a.sh", "edit b"]


def test_work_is_limited():
    source = "def f(n):\n  for i in range(900):\n    for j in range(900): g(i, j)\nf(1)"
    assert [problem.reason for problem in evaluate("python", source).problems] == [
        "code is too complex to evaluate"
    ]


def test_code_that_is_not_python_is_a_problem():
    result = evaluate("python", "print 'x'")

    assert [problem.text for problem in result.problems] == ["print 'x'"]


@pytest.mark.parametrize("language", ["javascript", "ruby"])
def test_a_statement_that_cannot_be_parsed_does_not_hide_the_next(language):
    run = {"javascript": "require('child_process').execSync('ls')", "ruby": "system('ls')"}[language]
    result = evaluate(language, f"= ) =\n{run}")

    assert commands(result) == ["ls"]
    assert result.problems
