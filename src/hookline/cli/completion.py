"""Print the script that completes command lines of hookline in a shell."""

from argparse import Namespace

from argcomplete.shell_integration import shellcode


def run(args: Namespace) -> int:
    print(shellcode(["hookline"], shell=args.shell))
    return 0
