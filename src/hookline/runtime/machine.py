"""The machine for configured hooks: processes, environment, MCP servers and trusted hashes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from hookline import hosts, kinds
from hookline.core.frozen import Frozen
from hookline.core.hook import Explainer
from hookline.core.kind import Declaration, Kind, Machine, Resources
from hookline.core.values import replace
from hookline.kinds import python
from hookline.policy.layers import needs_trust
from hookline.policy.model import Layer
from hookline.system.paths import Places
from hookline.system.process import run_command

PYCACHE_VARIABLE = "PYTHONPYCACHEPREFIX"


def load_kinds() -> dict[str, Kind]:
    return {name: kinds.load(name) for name in kinds.names()}


class LazyMachine:
    """The machine for kinds, created only if there is a configured hook."""

    def __init__(
        self,
        env: Mapping[str, str],
        places: Places,
        layers: Sequence[Layer],
        *,
        trusted: Mapping[str, str] | None,
    ) -> None:
        self.env, self.places, self.resources = env, places, Resources()
        self.trusted = trusted or Frozen()
        """SHA-256 of the project's trusted files, by path."""
        self._servers = {
            name: server
            for layer in layers
            if not needs_trust(layer.source, trusted=trusted is not None)
            for name, server in layer.servers.items()
        }
        self._machine: Machine | None = None

    def get(self) -> Machine:
        if self._machine is None:
            self._machine = Machine(
                run=run_command.run,
                start=run_command.start,
                env=self._environment(),
                clock=time.monotonic,
                resources=self.resources,
                dialects=tuple(host.dialect for host in map(hosts.load, hosts.names()) if host.dialect),
                servers=Frozen(self._servers),
                scratch=self.places.scratch,
            )
        return self._machine

    def _environment(self) -> Mapping[str, str]:
        """Return the environment, in which Python ignores compiled files beside a project's trusted files."""
        own = {PYCACHE_VARIABLE: f"{self.places.scratch}/compiled"} if self.trusted else {}
        return {**own, **self.env}

    def bind(self, declaration: Declaration) -> Any:
        return load_kinds()[declaration.kind].bind(self._with_hashes(declaration), self.get())

    def why(self, declaration: Declaration) -> Explainer | None:
        if declaration.kind != "python":
            return None
        return python.make_explainer(self._with_hashes(declaration), self.get())

    def _with_hashes(self, declaration: Declaration) -> Declaration:
        if declaration.kind != "python" or declaration.source == "user":
            return declaration
        return replace(declaration, spec=Frozen({**declaration.spec, "trusted": self.trusted}))
