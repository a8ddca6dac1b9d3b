"""The table of models: the one that comes with hookline, with the user's own entries instead of ours."""

from __future__ import annotations

import os
from functools import cache

from hookline.models import BadModels, Models, parse
from hookline.system import files
from hookline.system.places import Places

NAME = "models.json"


def table(places: Places) -> tuple[Models, str]:
    """The models that are known, and what is wrong with the user's own file of them."""
    path = os.path.join(places.config, NAME)
    text, wrong = files.read(path)
    if not text:
        return shipped(), f"{path} {wrong}" if wrong else ""
    try:
        return {**shipped(), **parse(text)}, ""
    except BadModels as error:
        return shipped(), f"{path}: {error}; it does not count until that is put right"


@cache
def shipped() -> Models:
    folder = os.path.dirname(os.path.dirname(__file__))
    with open(os.path.join(folder, NAME), encoding="utf-8") as file:
        return parse(file.read())
