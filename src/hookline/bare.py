"""What a runtime has that nothing is configured for: no hooks, no environment, and a store of its own."""

import os

from hookline.assembly import Setup
from hookline.store import Store
from hookline.system.places import find


def in_memory() -> Store:
    from hookline.stores import memory  # noqa: PLC0415 -- only where no store is given

    return memory.open_store()


def bare_setup() -> Setup:
    from hookline.kind import Kept  # noqa: PLC0415 -- only without configuration
    from hookline.layers import Settled  # noqa: PLC0415 -- ditto

    return Setup(places=find({}, os.getcwd()), env={}, settled=Settled(hooks=()), kept=Kept())
