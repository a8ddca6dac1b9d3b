"""Grant a one-time exception to a rule, for the next call that the rule would stop."""

import os
from argparse import Namespace

from hookline.cli import _require_person
from hookline.cli._grant import issue_grant
from hookline.core.hook import find_hook, rule_names
from hookline.core.registry import describe_unknown
from hookline.runtime.setup import load_setup
from hookline.system import paths

MINUTES = 10


def run(args: Namespace) -> int:
    _require_person.require_person("granting an exception to a rule", os.environ)
    places = paths.find_places(os.environ, os.getcwd())
    _check_rule(args.once)
    issue_grant(places, "rule", args.once, MINUTES * 60)
    print(f"granted for {MINUTES} minutes in {places.root}: one call that {args.once} would stop")
    return 0


def _check_rule(rule: str) -> None:
    """Raise `LookupError` if no hook has a rule with this id."""
    setup = load_setup(dict(os.environ), os.getcwd())
    setup.resources.close()
    hook_name, colon, name = rule.rpartition(":")
    hook = find_hook(setup.hooks, hook_name) if colon else None
    if colon and hook is None:
        raise LookupError(describe_unknown("hook", hook_name, sorted(hook.name for hook in setup.hooks)))
    known = {rule for hook in ([hook] if hook else setup.hooks) for rule in rule_names(hook)}
    if known and name not in known:
        raise LookupError(describe_unknown("rule", name, sorted(known)))
