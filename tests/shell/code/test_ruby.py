"""Test the commands, effects and output of short Ruby programs."""

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
        "%x(a b)",
        ["a b"],
        [],
        "",
    ),
    (
        'exec "a b"',
        ["a b"],
        [],
        "",
    ),
    (
        "require 'fileutils'; FileUtils.rm_rf(Dir.home)",
        [],
        ["delete /home/me/**"],
        "",
    ),
    (
        "`rm -rf /home/me`",
        ["rm -rf /home/me"],
        [],
        "",
    ),
    (
        'puts "rm -rf #{Dir.home}"',
        [],
        [],
        "rm -rf /home/me\n",
    ),
    (
        "Dir.glob('**/*.log').each { |f| File.delete(f) }",
        [],
        ["delete ./?/?.log"],
        "",
    ),
    (
        ("Dir.glob('/home/me/*').each do |f|\n  FileUtils.rm_rf f\nend"),
        [],
        ["delete /home/me/*/**"],
        "",
    ),
    (
        "Dir.children('/home/me').each { |f| FileUtils.rm_rf(File.join('/home/me', f)) }",
        [],
        ["list /home/me", "delete /home/me/*/**"],
        "",
    ),
    (
        ("def run(c)\n  system(c)\nend\nrun 'ls -l'"),
        ["ls -l"],
        [],
        "",
    ),
    (
        ("cmd = %w[git push -f]\nsystem(*cmd)"),
        ["git|push|-f"],
        [],
        "",
    ),
    (
        "File.write(File.join(Dir.home, '.x'), 'y')",
        [],
        ["write /home/me/.x"],
        "",
    ),
    (
        ("if ARGV.empty?\n system 'a'\nelsif x\n system 'b'\nelse\n system 'c'\nend"),
        ["a", "b", "c"],
        [],
        "",
    ),
    (
        "system 'ls' unless File.exist?('x')",
        ["ls"],
        [],
        "",
    ),
    (
        ("require 'open3'\nout, st = Open3.capture2('ls', '-l')"),
        ["ls|-l"],
        [],
        "",
    ),
    (
        (
            "class A\n"
            "  def initialize(c)\n"
            "    @c = c\n"
            "  end\n"
            "  def go\n"
            "    system(@c)\n"
            "  end\n"
            "end\n"
            "A.new('ls').go"
        ),
        ["ls"],
        [],
        "",
    ),
    (
        "IO.popen(['ls','-l']) { |io| puts io.read }",
        ["ls|-l"],
        [],
        "?\n",
    ),
    (
        ("File.open('x.sh','w') do |f|\n  f.puts 'ls'\nend"),
        [],
        ["write x.sh"],
        "",
    ),
    (
        '%w[a b].each { |x| system "echo #{x}" }',
        ["echo a", "echo b"],
        [],
        "",
    ),
    (
        ("require 'pathname'\n(Pathname.new(Dir.home) + '.ssh').rmtree"),
        [],
        ["delete /home/me/.ssh/**"],
        "",
    ),
    (
        "Dir['/home/me/*'].each(&File.method(:delete))",
        [],
        ["delete /home/me/*"],
        "",
    ),
    (
        ("begin\n  system 'a'\nrescue => e\n  system 'b'\nensure\n system 'c'\nend"),
        ["a", "b", "c"],
        [],
        "",
    ),
    (
        ("text = <<~E\n  ls #{1+1}\nE\nsystem(text)"),
        ["  ls 2\n"],
        [],
        "",
    ),
    (
        "require 'base64'; eval(Base64.decode64('c3lzdGVtKCJscyIp'))",
        ["ls"],
        [],
        "",
    ),
    (
        ("case x\nwhen 1 then system 'a'\nelse system 'b'\nend"),
        ["a", "b"],
        [],
        "",
    ),
    (
        ('[1,2].each_with_index do |a, i|\n system "x #{a}"\nend'),
        ["x 1", "x 2"],
        [],
        "",
    ),
    (
        ("FileUtils.mv 'a', 'b'\nFile.rename('c','d'); FileUtils.chmod_R(0777, '/x')"),
        ["chmod|-R|777|/x"],
        ["move a", "write b", "move c", "write d"],
        "",
    ),
    (
        "ENV['GIT_DIR']='x'; system('git status', chdir: '/q')",
        ["git status"],
        [],
        "",
    ),
    (
        "system({'A'=>'1'}, 'ls', '-l')",
        ["ls|-l"],
        [],
        "",
    ),
    (
        "puts [1,2].map { |x| x + 1 }.join(',')",
        [],
        [],
        "2,3\n",
    ),
    (
        "Find.find('/home/me') { |p| File.delete(p) }",
        [],
        ["list /home/me/**", "delete /home/me/**"],
        "",
    ),
    (
        "Dir.each_child('/home/me') { |f| puts f }",
        [],
        ["list /home/me"],
        "?\n",
    ),
    (
        "system 'ez -es ~'.tr('A-Za-z', 'N-ZA-Mn-za-m'); system 'ab'.tr('a', 'b')",
        ["rm -rf ~", "?"],
        [],
        "",
    ),
    (
        ("while true do\n system 'a'\nend"),
        ["a"],
        [],
        "",
    ),
]
"""Source, commands, effects and output."""


@pytest.mark.parametrize(("source", "runs", "touches", "prints"), PROGRAMS)
def test_program(source, runs, touches, prints):
    result = evaluate("ruby", source)

    assert commands(result) == runs
    assert effects(result) == touches
    assert show(result.output) == prints
    assert result.problems == ()
