"""The text of a rule file that a setting names: relative to the project, or in the user's home with `~`."""

import os

from hookline.system import files
from hookline.system.places import Places


def rule_file(places: Places, name: str) -> tuple[str, str]:
    """The text, and what is wrong with the file, in words that follow its name."""
    home = os.path.join(places.home, name[2:]) if name.startswith("~/") else name
    path = os.path.join(places.root, home)
    return files.read(path) if os.path.lexists(path) else ("", "is not there")
