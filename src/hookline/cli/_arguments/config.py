"""Arguments of `hookline config`."""

from argparse import ArgumentParser

from hookline.cli._command import EXITS, Command, add_action
from hookline.core.person_commands import PERSON_ONLY


def arguments(parser: ArgumentParser) -> None:
    subparsers = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    add_action(subparsers, "show", "Show every setting with its value and source.", "show").add_argument(
        "--json", action="store_true", help="print JSON"
    )
    setter = add_action(subparsers, "set", "Change one setting; comments are kept.", "set_value")
    setter.add_argument("key", metavar="KEY", help="option, hooks.NAME.SETTING or sinks.NAME.SETTING")
    setter.add_argument("value", metavar="VALUE", help="TOML value; other text is a string")
    editor = add_action(subparsers, "edit", "Open a settings file in your editor, and check it.", "edit")
    for subparser in (setter, editor):
        group = subparser.add_mutually_exclusive_group()
        group.add_argument("--user", action="store_true", help="in your settings for all projects")
        group.add_argument("--local", action="store_true", help="in hookline.local.toml of this project")


COMMAND = Command(
    about="Show or change the settings.",
    examples="""
hookline config show --json | jq '.values[] | select(.from != "default")'
hookline config set hooks.budget-countdown.wrap_up 600
hookline config set --user store_address '"/data/hookline.db"'
hookline config edit --user          open it with $VISUAL or $EDITOR

`set` and `edit` change .hookline/hookline.toml of this project, unless --user or --local is given.
They require an interactive terminal outside an agent.
""",
    person_only=PERSON_ONLY["config"],
    arguments=arguments,
    exits={**EXITS, 0: "success, and for `show` even with problems", 2: "invalid arguments or values"},
)
