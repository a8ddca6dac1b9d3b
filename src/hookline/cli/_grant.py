"""Issue and revoke grants for a project: the daemon signs them, and a file of the user keeps them."""

import time
from collections.abc import Callable

from hookline.daemon import request_grants
from hookline.policy import grants
from hookline.policy.grants import Grant, Kind
from hookline.runtime.call_hook import Grants
from hookline.system.paths import Places


def issue_grant(places: Places, kind: Kind, subject: str, seconds: float) -> Grant:
    """Return a new signed grant; raise `OSError` if the daemon does not sign it."""
    now = time.time()
    grant = request_grants.sign_grant(grants.new_grant(places.root, kind, subject, now=now, seconds=seconds))
    grants.add_grant(places.grants, grant, now)
    return grant


def revoke_grants(places: Places, is_revoked: Callable[[Grant], bool] = lambda grant: True) -> int:
    """Revoke grants of the project; return their number."""
    revoked = [grant for grant in grants.list_grants(places.grants, places.root) if is_revoked(grant)]
    if revoked:
        grants.remove_grants(places.grants, revoked)
        request_grants.revoke_grants(revoked)
    return len(revoked)


def open_grants(places: Places) -> Grants:
    """Return the grants of the project, as the running daemon verifies them."""
    check = request_grants.check_grant
    return Grants(file=places.grants, root=places.root, now=time.time, check=check)
