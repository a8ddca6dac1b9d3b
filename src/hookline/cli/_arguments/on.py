"""Arguments of `hookline on`."""

from hookline.cli._command import Command

COMMAND = Command(
    about="Switch the built-in guards on again, and revoke all exceptions and approvals.",
    examples="""
hookline on
""",
)
