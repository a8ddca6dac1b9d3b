"""Environment variables of hookline, and the older names that keep working.

Older names are translated once, where the environment of a call or a run is read; all other code knows only
the names with the prefix `HOOKLINE_`.
"""

from collections.abc import Mapping

RUN = "HOOKLINE_RUN"
"""Run, experiment and journal, separated by `:`; only sessions of the engine have it."""
PROFILE = "HOOKLINE_PROFILE"
"""An additional configuration folder."""
SCOPE_FILE = "scope.json"
"""Name of the file beside the journal with the globs that the agent may change."""
BUDGET_END = "HOOKLINE_BUDGET_END"
"""The end of the time budget, in Unix seconds."""
JOURNAL = "HOOKLINE_JOURNAL"
"""The path of the run's journal."""
INSTRUCTIONS = "HOOKLINE_INSTRUCTIONS"
"""The path of the instructions for the agent."""
IDEAS = "HOOKLINE_IDEAS"
"""The path of the file of ideas."""
TOKEN_TARGET = "HOOKLINE_TOKEN_TARGET"  # noqa: S105 -- the name of a variable
"""The token target of turns without one."""
WEBHOOK = "HOOKLINE_NOTIFY_WEBHOOK"
"""The web address that gets the end of a session."""
SWITCH_PREFIX = "HOOKLINE_DISABLE_"
"""Start of the variable that turns a built-in hook off; the hook's name follows."""
OLD_NAMES: Mapping[str, str] = {
    BUDGET_END: "AUTORESEARCH_BUDGET_END",
    JOURNAL: "AUTORESEARCH_JOURNAL",
    INSTRUCTIONS: "AUTORESEARCH_INSTRUCTIONS",
    IDEAS: "AUTORESEARCH_IDEAS",
    TOKEN_TARGET: "AUTORESEARCH_TOKEN_TARGET",
    WEBHOOK: "AR_NOTIFY_WEBHOOK",
    SWITCH_PREFIX: "AR_DISABLE_",
}
"""Variable or prefix to its older name."""

RUN_VARIABLES = (RUN, PROFILE, BUDGET_END, JOURNAL, INSTRUCTIONS, IDEAS, TOKEN_TARGET, "AUTORESEARCH_")
"""Variables, and a prefix of variables, that describe one run or session to its programs."""
SWITCH_PREFIXES = (SWITCH_PREFIX, OLD_NAMES[SWITCH_PREFIX])


def add_new_names(env: Mapping[str, str]) -> dict[str, str]:
    """Return *env* with the present name of each variable that has only its older name.

    Switches keep their name, because messages tell the user which variable to unset.
    """
    missing = {new: env[old] for new, old in OLD_NAMES.items() if old in env and new not in env}
    return {**env, **missing}


def add_old_names(env: Mapping[str, str]) -> dict[str, str]:
    """Return *env*, which hookline sets for a program, with the older names that the program may read."""
    return {**env, **{OLD_NAMES[name]: value for name, value in env.items() if name in OLD_NAMES}}
