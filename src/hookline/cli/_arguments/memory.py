"""Arguments of `hookline memory`."""

from argparse import ArgumentParser

from hookline.cli._command import Command, add_action, parse_positive_int
from hookline.core.memory_kinds import KINDS, RELATIONS
from hookline.core.person_commands import PERSON_ONLY

SCOPES = ("user", "repository", "branch", "issue")
DEFAULT_ROWS = 50


def arguments(parser: ArgumentParser) -> None:
    subparsers = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    _add_filter_options(add_action(subparsers, "list", "List memories, most certain first.", "show"))
    search_parser = add_action(subparsers, "search", "Search memories, best match first.", "show")
    search_parser.add_argument("words", nargs="+", metavar="WORD")
    _add_filter_options(search_parser)
    add_parser = add_action(subparsers, "add", "Add a memory.", "add")
    add_parser.add_argument("text", nargs="+", metavar="TEXT")
    edit_parser = add_action(subparsers, "edit", "Edit a memory.", "edit")
    edit_parser.add_argument("id", metavar="ID")
    edit_parser.add_argument("text", nargs="*", metavar="TEXT", help="new text")
    for subparser in (add_parser, edit_parser):
        _add_memory_options(subparser)
    pin_parser = add_action(subparsers, "pin", "Pin a memory, so that it never fades.", "pin")
    pin_parser.add_argument("id", metavar="ID")
    pin_parser.add_argument("--off", action="store_true", help="unpin it")
    forget_parser = add_action(
        subparsers, "forget", "Delete memories from the store, handoffs and exported files.", "forget"
    )
    forget_parser.add_argument("ids", nargs="+", metavar="ID")
    export_parser = add_action(subparsers, "export", "Export memories as JSON lines.", "export")
    export_parser.add_argument("--all", action="store_true", help="all projects")
    import_parser = add_action(subparsers, "import", "Import an exported file.", "import_memories")
    import_parser.add_argument("--here", action="store_true", help="assign the memories to this project")
    for subparser in (export_parser, import_parser):
        subparser.add_argument("file", metavar="FILE", help="`-` for stdin or stdout")
    add_action(subparsers, "consolidate", "Merge duplicates and delete faded memories now.", "consolidate")


def _add_filter_options(parser: ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="all projects")
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--scope", choices=SCOPES)
    parser.add_argument(
        "-n", dest="most", type=parse_positive_int, default=DEFAULT_ROWS, metavar="N", help="maximum number"
    )
    parser.add_argument("--json", action="store_true", help="print JSON lines")


def _add_memory_options(parser: ArgumentParser) -> None:
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--scope", choices=SCOPES, help="default: repository")
    parser.add_argument("--issue", default="", metavar="N", help="issue (default: from the branch name)")
    parser.add_argument("--confidence", type=float, metavar="0..1")
    parser.add_argument("--half-life", type=float, metavar="DAYS", help="0: never fades")
    parser.add_argument("--pin", action="store_true")
    parser.add_argument("--tag", action="append", default=[], metavar="WORD", help="extra search term")
    for what in RELATIONS:
        parser.add_argument(f"--{what}", action="append", default=[], metavar="ID")


COMMAND = Command(
    about="List, search, add, edit and delete memories.",
    examples="""
hookline memory search how to run the tests
hookline memory add --kind convention "Tests live beside the code"

Output columns: id, scope, kind, confidence, text.
""",
    person_only=PERSON_ONLY["memory"],
    arguments=arguments,
)
