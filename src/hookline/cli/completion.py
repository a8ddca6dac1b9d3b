"""Print the script that completes command lines of hookline in a shell."""

from argparse import ArgumentParser, Namespace

from argcomplete.shell_integration import shellcode

from hookline.cli._command import Command

SHELLS = ("bash", "zsh", "fish")


def run(args: Namespace) -> int:
    print(shellcode(["hookline"], shell=args.shell))
    return 0


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell")


COMMAND = Command(
    about="Print the completion script for a shell.",
    examples="""
hookline completion bash > ~/.local/share/bash-completion/completions/hookline
hookline completion zsh > ~/.zfunc/_hookline          with ~/.zfunc in fpath
hookline completion fish > ~/.config/fish/completions/hookline.fish

Completes commands, options, hosts, hooks, rules, sessions and runs.
""",
    run=run,
    arguments=arguments,
)
