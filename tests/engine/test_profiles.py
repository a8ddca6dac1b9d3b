"""Test agent profiles, both built-in and from the project."""

import pytest

from hookline.engine import profiles
from hookline.engine.profiles import BadProfile, load, names
from hookline.hooks import _tool_policy


def folder(root, name, **files):
    place = root / ".hookline" / "agents" / name
    place.mkdir(parents=True)
    for file, text in files.items():
        (place / file.replace("__", ".")).write_text(text)
    return place


def test_the_shipped_profile_needs_no_project(tmp_path):
    found = load("default", str(tmp_path))

    assert found.name == "default"
    assert "unattended" in found.instructions
    assert (found.permission, found.args, dict(found.env), found.rules, found.hooks) == ("", (), {}, (), ())


def test_a_profile_of_the_project_says_what_it_wants(tmp_path):
    place = folder(
        tmp_path,
        "careful",
        profile__toml='permission = "edit"\nargs = ["--x"]\n[env]\nA = "b"\n[[rules]]\naction = "deny"\n',
        INSTRUCTIONS__md="Be careful.\n",
    )
    (place / "hooks").mkdir()
    (tmp_path / "real.py").write_text("")
    (place / "hooks" / "one.py").symlink_to(tmp_path / "real.py")

    found = load("careful", str(tmp_path))

    assert (found.instructions, found.permission, found.args) == ("Be careful.", "edit", ("--x",))
    assert (dict(found.env), [dict(rule) for rule in found.rules]) == ({"A": "b"}, [{"action": "deny"}])
    assert found.hooks == (str((tmp_path / "real.py").resolve()),)
    assert names(str(tmp_path)) == ["careful", "default"]


def test_the_project_may_have_its_own_default(tmp_path):
    folder(tmp_path, "default", INSTRUCTIONS__md="ours")

    assert load("default", str(tmp_path)).instructions == "ours"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("permission = 'all'", "profile 'p': invalid permission 'all': expected edit, full or empty"),
        ("colour = 1", "profile 'p': no key named 'colour'; available: permission, args, env, rules"),
        ("args = 'x'", "profile 'p': args must be a list of strings"),
        ("env = 1", "profile 'p': env must be a table of strings"),
        ("[env]\nA = 1", "profile 'p': env must be a table of strings"),
        ("rules = 1", "profile 'p': rules must be tables"),
        ("[[rules]]\naction = 'no'", "profile 'p': the action of rule 1 must be deny or ask or allow"),
        (
            "[[rules]]\naction = 'deny'\nkinds = 'fetch'",
            "profile 'p': rule 1: unknown key 'kinds'; expected action",
        ),
        (
            "[[rules]]\naction = 'deny'\nkind = 3",
            "profile 'p': rule 1: invalid kind 3: expected a string or a list",
        ),
        ("= 1", "profile 'p': cannot read profile.toml"),
    ],
)
def test_what_is_wrong_with_a_profile_is_said(tmp_path, text, said):
    folder(tmp_path, "p", profile__toml=text)

    with pytest.raises(BadProfile) as error:
        load("p", str(tmp_path))

    assert str(error.value).startswith(said)


@pytest.mark.parametrize("name", ["nowhere", "../default", "", ".."])
def test_a_name_that_is_none_is_refused_with_those_that_are(tmp_path, name):
    with pytest.raises(BadProfile) as error:
        load(name, str(tmp_path))

    assert "available: default" in str(error.value)


def test_a_rule_is_for_what_the_hook_knows():
    assert set(profiles.RULE_KEYS) == set(_tool_policy.CONDITIONS)
