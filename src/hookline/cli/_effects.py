"""What could not be done after answers, lately: webhooks that nobody took, commands that told nothing."""

import time
from collections.abc import Iterator

from hookline import enrichment
from hookline.store import Query, Store
from hookline.system import webhook

LATELY = 86_400.0
"""Seconds: what failed before that, and not again, is over."""
RULES = {webhook.RULE: "see whether its receiver is there", enrichment.RULE: "try it by hand"}
"""By the rule under which such failures are kept: what a person can do."""


def failed(store: Store) -> Iterator[str]:
    """One sentence for each kind of failure, the last of it."""
    now = time.time()
    for rule, advice in RULES.items():
        for _, last in store.records(Query(rule=rule, since=now - LATELY, last=1)):
            when = time.strftime("%H:%M", time.localtime(last.at))
            yield f"{last.summary} (last at {when}); {advice}, and `hookline log --rule {rule}` shows all"
