"""Test the environment variables: their older names keep working, and one module knows them."""

import re
from pathlib import Path

import pytest

from hookline.core.variables import OLD_NAMES, SWITCH_PREFIX, add_new_names, add_old_names
from hookline.runtime.setup import load_setup

SOURCE = Path(__file__).parents[2] / "src" / "hookline"
OLD = re.compile(r"\b(?:AR|AUTORESEARCH)_[A-Z]*")
GUARDED = {"policy/repository_env.py", "hooks/_self_protect/commands.py", "hooks/_self_protect/line.py"}
"""Files that refuse these names in the settings of a repository or the commands of an agent."""
VARIABLES = {new: old for new, old in OLD_NAMES.items() if new != SWITCH_PREFIX}


def test_all_present_names_begin_with_the_name_of_the_program():
    assert {name for name in OLD_NAMES if not name.startswith("HOOKLINE_")} == set()


@pytest.mark.parametrize(("new", "old"), VARIABLES.items())
def test_an_older_name_sets_the_present_one_unless_that_is_set(new, old):
    assert add_new_names({old: "1"})[new] == "1"
    assert add_new_names({old: "1", new: "2"})[new] == "2"
    assert new not in add_new_names({"HOME": "/"})


@pytest.mark.parametrize(("new", "old"), VARIABLES.items())
def test_programs_of_the_engine_find_both_names(new, old):
    assert add_old_names({new: "1", "HOME": "/"}) == {new: "1", old: "1", "HOME": "/"}


def test_one_module_knows_the_older_names():
    found = {
        path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py") if OLD.search(path.read_text())
    }

    assert found - GUARDED == {"core/variables.py"}


@pytest.mark.parametrize("name", ["HOOKLINE_DISABLE_DANGEROUS_COMMAND", "AR_DISABLE_DANGEROUS_COMMAND"])
def test_a_hook_is_switched_off_by_both_names(user, name):
    user.env[name] = "1"

    assert f"{name} is set" in user.run("list", "hooks").stdout.decode()


@pytest.mark.parametrize(("new", "old"), VARIABLES.items())
def test_the_environment_of_a_call_has_the_present_names(user, new, old):
    setup = load_setup(user.environment(**{old: "1"}), str(user.project))
    setup.resources.close()

    assert setup.env[new] == "1"
