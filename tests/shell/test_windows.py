"""Test the commands and paths in lines of PowerShell and cmd."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.shell import UNKNOWN, read


def ran(line, shell):
    return [[word.text for word in command.words] for command in read(line, shell=shell).commands]


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("a b", [["a", "b"]]),
        ("a; b\nc", [["a"], ["b"], ["c"]]),
        ("a 'b c' \"d e\"", [["a", "b c", "d e"]]),
        ("a 'it''s' \"`$x\"", [["a", "it's", "$x"]]),
        ("a # b", [["a"]]),
        ("a <# b; #> c", [["a", "c"]]),
        ("a `\n b", [["a", "b"]]),
        ("$x = 'v'; a $x", [["a", "v"]]),
        ("$x = b c; a $x", [["b", "c"], ["a", UNKNOWN]]),
        ("a $y", [["a", UNKNOWN]]),
        ('a "$y/z"', [["a", f"{UNKNOWN}/z"]]),
        ("a $env:USERPROFILE", [["a", "~"]]),
        ("a | b", [["a"], ["b", "|", "a"]]),
        ("if (a) { b } else { c }", [["a"], ["b"], ["c"]]),
        ("& 'C:\\Tools\\Git.EXE' push", [["git", "push"]]),
        ("ri x", [["remove-item", "x"]]),
        ("bash -c 'a b'", [["bash", "-c", "a b"], ["a", "b"]]),
        ("cmd /c 'rd /s x'", [["cmd", "/c", "rd /s x"], ["cmd rd", "/s", "x"]]),
        ("", []),
        ("'", [[""]]),
    ],
)
def test_powershell(line, commands):
    assert ran(line, "powershell") == commands


@pytest.mark.parametrize(
    "value",
    [
        "'a' + ' b'",
        "'{1} {0}' -f 'b','a'",
        "'a','b' -join ' '",
        "-join ('a',' ','b')",
        "[string]::Join(' ', @('a','b'))",
        "'a x'.Replace('x', 'b')",
        "'ax b' -replace 'x',''",
        "'b a'[2..0] -join ''",
        "[Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('YSBi'))",
        "[char]97 + ' b'",
        "' a b '.Trim()",
    ],
)
def test_a_computed_text_is_executed(value):
    assert ran(f"iex ({value})", "powershell")[-1] == ["a", "b"]
    assert ran(f"$x = {value}; iex $x", "powershell")[-1] == ["a", "b"]
    assert ran(f"& ([scriptblock]::Create(({value})))", "powershell")[-1] == ["a", "b"]


def test_a_text_that_cannot_be_computed_is_a_problem():
    assert [one.reason for one in read("iex ('a' -bxor $k)", shell="powershell").problems] == [
        "runs text that is encoded or too long"
    ]


@pytest.mark.parametrize(
    ("line", "last"),
    [
        ("$p = @{ Path = 'x'; Force = $true; Quiet = $false }; a @p", ["a", "-Path", "x", "-Force"]),
        (
            "gci x | ? { $_.Length -gt 1 } | ri",
            ["remove-item", "|", "get-childitem", "x", "-filter", f"{UNKNOWN}.Length", "-gt", "1"],
        ),
        (
            "foreach ($f in gci x) { ri $f.FullName }",
            ["remove-item", f"{UNKNOWN}.FullName", "|", "get-childitem", "x"],
        ),
        ("Set-Alias zap Remove-Item; zap x", ["remove-item", "x"]),
        ("Start-Process git -ArgumentList 'push --force' -Wait", ["git", "push", "--force"]),
        ("[Diagnostics.Process]::Start('git', 'push --force').WaitForExit()", ["git", "push", "--force"]),
        ("$g = (Get-Command git).Source; & $g push", ["git", "push"]),
        ("[IO.File]::WriteAllText((Join-Path $HOME 'a'), 'b')", [".net writealltext", "~/a", "b"]),
    ],
)
def test_the_last_command_of_powershell(line, last):
    assert ran(line, "powershell")[-1] == last


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("a b", [["a", "b"]]),
        ("a & b && c | d", [["a"], ["b"], ["c"], ["d"]]),
        ('a "b & c"', [["a", "b & c"]]),
        ("a b^&c", [["a", "b&c"]]),
        ("rd/s/q x", [["cmd rd", "/s", "/q", "x"]]),
        ("@rmdir x", [["cmd rd", "x"]]),
        ("C:\\Windows\\System32\\format.com d:", [["cmd format", "d:"]]),
        ("a %USERPROFILE% %X%", [["a", "~", UNKNOWN]]),
        ("if exist x del x", [["cmd del", "x"]]),
        ("if not exist x (a) else (b)", [["a"], ["else"], ["b"]]),
        ("for %i in (1 2) do a %i", [["for", "%i", "in"], ["1", "2"], ["a", "%i"]]),
        ("call a", [["a"]]),
        ("", []),
    ],
)
def test_cmd(line, commands):
    assert ran(line, "cmd") == commands


@pytest.mark.parametrize("shell", ["powershell", "cmd"])
def test_points_into_the_line(shell):
    line = "a; b c" if shell == "powershell" else "a & b c"
    last = read(line, shell=shell).commands[-1]

    assert line[slice(*last.span)] == "b c"
    assert line[slice(*last.words[1].span)] == "c"


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab1 \t\n'\"`$(){}[]+;|&%^#/\\-=,@!.:*~"), max_size=60))
def test_any_text_is_read(line):
    for shell in ("powershell", "cmd"):
        reading = read(line, shell=shell)

        assert all(0 <= one.span[0] <= one.span[1] <= len(line) for one in reading.commands)


@pytest.mark.parametrize("shell", ["powershell", "cmd"])
@pytest.mark.parametrize(
    "piece",
    [
        "'",
        '"',
        "a;",
        "a|",
        "$x",
        "(",
        "{",
        "^",
        "%x",
        "`",
        "<#",
        "a b ",
        "$x+",
        "'a',",
        "@{a=",
        "[char]",
    ],
)
def test_repeated_without_end(shell, piece):
    assert read(piece * 20_000, shell=shell).problems == ()
