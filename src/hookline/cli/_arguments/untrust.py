"""Arguments of `hookline untrust`."""

from hookline.cli._command import Command
from hookline.core.person_commands import PERSON_ONLY

COMMAND = Command(
    about="Withdraw trust in this project.",
    examples="""
hookline untrust
""",
    person_only=PERSON_ONLY["untrust"],
)
