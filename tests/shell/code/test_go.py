"""Test the commands, effects and output of short Go programs."""

import pytest
from tests.shell.code.programs import commands, effects, evaluate, show

PROGRAMS = [
    ('func main() {\n\tos.RemoveAll("/a")\n}', [], ["delete /a/**"], ""),
    (
        (
            'package main\n\nimport (\n\t"os"\n)\n\nfunc main() {\n'
            '\th, _ := os.UserHomeDir()\n\tos.Remove(filepath.Join(h, "x"))\n}'
        ),
        [],
        ["delete /home/me/x"],
        "",
    ),
    (
        (
            'func run(name string, args ...string) error {\n\treturn exec.Command(name, "-v").Run()\n}\n'
            'func main() {\n\tif err := run("git"); err != nil {\n\t\tpanic(err)\n\t}\n}'
        ),
        ["git|-v"],
        [],
        "",
    ),
    (
        (
            'func main() {\n\tfor _, d := range []string{"a", "b"} {\n'
            '\t\tdefer os.RemoveAll(d)\n\t}\n\tfmt.Print("x")\n}'
        ),
        [],
        ["delete a/**", "delete b/**"],
        "x",
    ),
]
"""Source, commands, effects and output."""


@pytest.mark.parametrize(("source", "runs", "touches", "prints"), PROGRAMS)
def test_program(source, runs, touches, prints):
    result = evaluate("go", source)

    assert commands(result) == runs
    assert effects(result) == touches
    assert show(result.output) == prints
