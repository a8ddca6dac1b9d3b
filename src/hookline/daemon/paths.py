"""Files of the user's daemon: one folder that only this user can open."""

import os

from msgspec import Struct

from hookline.daemon import client
from hookline.system.paths import daemon_folders, virtual_environment


class Place(Struct, frozen=True, kw_only=True):
    folder: str

    @property
    def socket(self) -> str:
        return os.path.join(self.folder, "socket")

    @property
    def lock(self) -> str:
        """Held by the daemon while it serves; names its process."""
        return os.path.join(self.folder, "lock")

    @property
    def start_lock(self) -> str:
        """Held by the client that starts a daemon; its times say whether the last start failed."""
        return os.path.join(self.folder, "start.lock")

    @property
    def log(self) -> str:
        return os.path.join(self.folder, "log")


def problem(folder: str) -> str:
    """Return why a daemon cannot use *folder*; empty if it can."""
    return client.unusable(folder, outside_repositories=folder not in daemon_folders()[-2:])


def find() -> Place:
    """Return the place that clients of this installation use; nothing is made."""
    folders = daemon_folders()
    return Place(folder=next((one for one in folders if not problem(one)), folders[-1]))


def make() -> Place:
    """Return the place, made if it is missing; raise `OSError` that says why there is none."""
    folder = client.find_folder(virtual_environment())
    if folder and not problem(folder):
        return Place(folder=folder)
    reasons = "; ".join(f"{one}: {problem(one)}" for one in daemon_folders())
    raise PermissionError(f"no folder for the daemon: {reasons}")
