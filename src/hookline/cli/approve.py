"""Grant an agent one access to a guarded path."""

import os
import time
from argparse import Namespace

from hookline.cli import _require_person
from hookline.cli._grant import issue_grant, revoke_grants
from hookline.cli._output import sanitize
from hookline.daemon import request_grants
from hookline.policy import grants
from hookline.system import paths
from hookline.system.paths import Places

MAX_MINUTES = grants.MAX_SECONDS // 60


def run(args: Namespace) -> int:
    places = paths.find_places(os.environ, os.getcwd())
    if args.list:
        return _list_approvals(places)
    if not args.path:
        raise ValueError("missing PATH: give the path as the agent wrote it, such as .env")
    path = _resolve_path(args.path, places)
    if args.revoke:
        return _revoke(path, places)
    _require_person.require_person("approving a path", os.environ)
    return _approve(path, places, args.minutes)


def _resolve_path(path: str, places: Places) -> str:
    plain = path.removeprefix("APPROVED:")
    return os.path.normpath(
        os.path.join(os.getcwd(), plain.replace("~", places.home, plain.startswith("~/")))
    )


def _approve(path: str, places: Places, minutes: int) -> int:
    if not 0 < minutes <= MAX_MINUTES:
        raise ValueError(f"invalid --minutes {minutes}: expected 1 to {MAX_MINUTES}")
    grant = issue_grant(places, "path", path, 60 * minutes)
    print(
        f"approved until {_format_time(grant.until)}: an agent in {sanitize(places.root)} "
        f"may open {sanitize(path)} once"
    )
    print(f"revoke it with: hookline approve --revoke {sanitize(path)}")
    return 0


def _revoke(path: str, places: Places) -> int:
    """Revoke an approval; this needs no person, because it only tightens the guards."""
    count = revoke_grants(places, lambda grant: (grant.kind, grant.subject) == ("path", path))
    print(f"{sanitize(path)}: {'approval revoked' if count else 'was not approved'}")
    return 0


def _list_approvals(places: Places) -> int:
    active = grants.find_active(places.grants, places.root, time.time())
    approved = [grant for grant in active if grant.kind == "path"]
    for grant in approved:
        reason = request_grants.check_grant(grant)
        state = f"ignored: {reason}" if reason else f"until {_format_time(grant.until)}"
        print(f"{sanitize(grant.subject)}  {state}")
    if not approved:
        print(f"no approved paths in {sanitize(places.root)}")
    return 0


def _format_time(at: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(at))
