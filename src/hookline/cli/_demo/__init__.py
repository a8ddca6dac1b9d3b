"""The agents of `hookline demo`, each a module with a `CLIENT`, and the scene that they play."""

from hookline.core.registry import Registry

CLIENTS = Registry(package="hookline.cli._demo", noun="demo", constant="CLIENT")
