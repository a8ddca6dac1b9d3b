"""Test the commands, effects and output of short Perl programs."""

import pytest
from tests.shell.code.programs import commands, effects, evaluate, show

PROGRAMS = [
    (
        'system("a b")',
        ["a b"],
        [],
        "",
    ),
    (
        'system("a", "b")',
        ["a|b"],
        [],
        "",
    ),
    (
        '`x`; exec "a b"',
        ["x", "a b"],
        [],
        "",
    ),
    (
        'unlink "x"',
        [],
        ["delete x"],
        "",
    ),
    (
        'use File::Path; rmtree("/");',
        [],
        ["delete //**"],
        "",
    ),
    (
        "use File::Path qw(remove_tree); remove_tree($ENV{HOME});",
        [],
        ["delete /home/me/**"],
        "",
    ),
    (
        'my $c = "git" . " push"; system($c);',
        ["git push"],
        [],
        "",
    ),
    (
        "my @a = qw(rm -rf /home/me); system @a;",
        ["rm|-rf|/home/me"],
        [],
        "",
    ),
    (
        'my $d = "/home/me"; system("rm -rf $d/x");',
        ["rm -rf /home/me/x"],
        [],
        "",
    ),
    (
        'foreach my $f (glob("*.log")) { unlink $f; }',
        [],
        ["delete ./?.log"],
        "",
    ),
    (
        'unlink $_ for glob("/home/me/*");',
        [],
        ["delete /home/me/*"],
        "",
    ),
    (
        'open(my $fh, ">", "/home/me/.bashrc") or die; print $fh "x"; close $fh;',
        [],
        ["write /home/me/.bashrc"],
        "",
    ),
    (
        'open(P, "| sh"); print P "ls";',
        [" sh", " sh"],
        [],
        "",
    ),
    (
        'open(F, "curl x |");',
        ["curl x "],
        [],
        "",
    ),
    (
        'print "a $x b\\n"; print join(",", 1, 2);',
        [],
        [],
        "a ?unset b\n1,2",
    ),
    (
        'my %h = (a => 1, b => "ls"); system($h{b});',
        ["ls"],
        [],
        "",
    ),
    (
        'my ($x, $y) = @ARGV; system("echo $x");',
        ["echo ?"],
        [],
        "",
    ),
    (
        'sub run { my $c = shift; system($c); } run("ls -l");',
        ["ls -l"],
        [],
        "",
    ),
    (
        'sub f { my ($c) = @_; return `$c`; } f("ls");',
        ["ls"],
        [],
        "",
    ),
    (
        'system(pack("H*", "6c73"));',
        ["ls"],
        [],
        "",
    ),
    (
        'eval "system(q(ls))";',
        ["ls"],
        [],
        "",
    ),
    (
        'use File::Find; find(sub { unlink $File::Find::name }, "/home/me");',
        [],
        ["list /home/me/**", "delete /home/me/**"],
        "",
    ),
    (
        'find(sub { unlink if /\\.log$/ }, "/home/me");',
        [],
        ["list /home/me/**", "delete /home/me/?"],
        "",
    ),
    (
        "s/a/b/g; print;",
        [],
        [],
        "?",
    ),
    (
        'if (-e "/x") { system "ls" } else { qx(pwd) }',
        ["ls", "pwd"],
        [],
        "",
    ),
    (
        'my $r = {cmd => "ls"}; system($r->{cmd}); my $a=["x","pwd"]; system($a->[1]);',
        ["ls", "pwd"],
        [],
        "",
    ),
    (
        'use File::Copy; move("a","b"); copy "c", "d"; rename "e", "f"; chmod 0755, "g";',
        ["chmod|755|g"],
        ["move a", "write b", "read c", "write d", "move e", "write f"],
        "",
    ),
    (
        '(my $c = "xls") =~ s/x//; system $c;',
        ["ls"],
        [],
        "",
    ),
    (
        "say 1",
        [],
        [],
        "1",
    ),
    (
        'print reverse("sl"), "\\n"; system(scalar reverse "sl")',
        ["ls"],
        [],
        "ls\n",
    ),
    (
        ('my $t = <<"E";\nls $ENV{HOME}\nE\nsystem($t);'),
        ["ls /home/me\n"],
        [],
        "",
    ),
    (
        'opendir(D,"/home/me"); while (my $f = readdir(D)) { unlink "/home/me/$f" }',
        [],
        ["list /home/me", "delete /home/me/*"],
        "",
    ),
    (
        "while (<STDIN>) { print $_ }",
        [],
        [],
        "?",
    ),
    (
        'system("ls") == 0 or die "x"; exit 1;',
        ["ls"],
        [],
        "",
    ),
    (
        "find(); my $x = 'ab'; $x =~ y/a/b/; system $x",
        ["?"],
        ["list ./**"],
        "",
    ),
]
"""Source, commands, effects and output."""


@pytest.mark.parametrize(("source", "runs", "touches", "prints"), PROGRAMS)
def test_program(source, runs, touches, prints):
    result = evaluate("perl", source)

    assert commands(result) == runs
    assert effects(result) == touches
    assert show(result.output) == prints
    assert result.problems == ()
