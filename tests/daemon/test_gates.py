"""Test that the daemon counts the strikes of gates as separate processes do."""

import json

GATE = '[hooks.turn-gate]\ncommands = ["echo MEND >&2; exit 2"]\n'


def test_strikes_are_counted_and_the_capped_end_says_so(asked):
    asked.user.write("~/.config/hookline/hookline.toml", GATE)
    stop = asked.user.payload("Stop")
    replies = [json.loads(asked.ask(stop).stdout) for _ in range(3)]

    assert [reply.get("decision") for reply in replies] == ["block", "block", None]
    assert "capped: turn-gate.user-1 blocked TurnEnd 3 times in a row" in replies[2]["systemMessage"]
