"""Files of the user's daemon, in a folder that only this user can open."""

import os

from msgspec import Struct

from hookline.daemon import client
from hookline.system.paths import daemon_folders, virtual_environment


class DaemonFolder(Struct, frozen=True, kw_only=True):
    """The folder of a daemon, and its files."""

    path: str

    @property
    def socket(self) -> str:
        return os.path.join(self.path, "socket")

    @property
    def lock(self) -> str:
        """Path of the lock that the daemon holds while it serves; contains the name of its process."""
        return os.path.join(self.path, "lock")

    @property
    def start_lock(self) -> str:
        """Path of the lock of the client that starts a daemon; its times tell if the last start failed."""
        return os.path.join(self.path, "start.lock")

    @property
    def log(self) -> str:
        return os.path.join(self.path, "log")


def describe_problem(folder: str) -> str:
    """Return why a daemon cannot use *folder*; empty if it can."""
    return client.unusable(folder, outside_repositories=folder not in daemon_folders()[-2:])


def find_daemon_folder() -> DaemonFolder:
    """Return the place that clients of this installation use; create nothing."""
    folders = daemon_folders()
    return DaemonFolder(
        path=next((folder for folder in folders if not describe_problem(folder)), folders[-1])
    )


def create_daemon_folder() -> DaemonFolder:
    """Return the place, created if missing; raise `OSError` with the reasons if no folder is usable."""
    folder = client.find_folder(virtual_environment())
    if folder and not describe_problem(folder):
        return DaemonFolder(path=folder)
    reasons = "; ".join(f"{candidate}: {describe_problem(candidate)}" for candidate in daemon_folders())
    raise PermissionError(f"no folder for the daemon: {reasons}")
