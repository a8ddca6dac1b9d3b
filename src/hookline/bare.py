"""What a runtime has that nothing is configured for: no hooks, no environment, and a store of its own."""

import os

from hookline.assembly import Setup
from hookline.kind import Kept
from hookline.layers import Settled
from hookline.store import Store
from hookline.stores import memory
from hookline.system.places import find


def in_memory() -> Store:
    return memory.open_store()


def bare_setup() -> Setup:
    return Setup(places=find({}, os.getcwd()), env={}, settled=Settled(hooks=()), kept=Kept())
