"""Arguments of `hookline completion`."""

from argparse import ArgumentParser

from hookline.cli._command import Command

SHELLS = ("bash", "zsh", "fish")


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
    arguments=arguments,
)
