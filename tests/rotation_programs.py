"""A scripted agent and a runner that kills itself, as separate programs for the tests of rotation.

The agent uses Claude Code's protocol with the installed command and writes a transcript in its format. The
context it received is in `received.jsonl`. Start with `python tests/rotation_programs.py agent|run …`.
"""

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

HOOKLINE = Path(sys.executable).parent / "hookline"
ROOT = Path(__file__).parent.parent
TASK = "Please round the amounts in invoices to whole cents."
LAST = (
    "I wrote it.\nBlockers: the schema is frozen until Friday.\nNext step: add a migration for old invoices."
)
PARTS = (TASK, "fix-412", "the schema is frozen until Friday", "add a migration for old invoices")
FULL = {"input_tokens": 16_500, "output_tokens": 1}


class Agent:
    """A session of the scripted agent."""

    def __init__(self, place: Path) -> None:
        self.place, self.session = place, str(uuid.uuid4())
        self.recording = place / f"{self.session}.jsonl"
        self.said = 0

    def hook(self, event: str, **more: object) -> str:
        """Send an event to hookline and return the additional context of the reply."""
        told = {"session_id": self.session, "transcript_path": str(self.recording), "cwd": os.getcwd()}
        payload = {**told, "hook_event_name": event, "prompt_id": "p", **more}
        ran = subprocess.run(
            [HOOKLINE, "hook", "claude-code"],
            input=json.dumps(payload).encode(),
            capture_output=True,
            check=True,
        )
        reply = json.loads(ran.stdout or b"{}")
        context = str(reply.get("hookSpecificOutput", {}).get("additionalContext", ""))
        with (self.place / "received.jsonl").open("a") as file:
            file.write(json.dumps({"session": self.session, "event": event, "context": context}) + "\n")
        return context

    def write(self, role: str, text: str, **more: object) -> None:
        self.said += 1
        told = {"role": role, "content": [{"type": "text", "text": text}], "id": f"m{self.said}", **more}
        model = {"model": "claude-test"} if role == "assistant" else {}
        line = {
            "type": role,
            "sessionId": self.session,
            "uuid": f"u{self.said}",
            "requestId": f"r{self.said}",
        }
        with self.recording.open("a") as file:
            file.write(json.dumps({**line, "message": {**told, **model}}) + "\n")


def agent(place: Path, mode: str) -> int:
    one, prompt = Agent(place), sys.stdin.read()
    again = mode == "resuming" and (place / "resumed.jsonl").exists()
    if mode == "resuming":
        one.session, one.recording = "resumed", place / "resumed.jsonl"
    (place / "pid").write_text(str(os.getpid()))
    (place / "pid").rename(place / f"{one.session}.pid")
    given = one.hook("SessionStart", source="resume" if again else "startup") + one.hook(
        "UserPromptSubmit", prompt=prompt
    )
    one.write("user", prompt)
    if "[Handoff]" in given:
        return ended(one, f"I go on with: {' / '.join(PARTS)}", usage={"input_tokens": 9, "output_tokens": 9})
    if mode == "stubborn":
        signal.signal(signal.SIGINT, lambda *_: sys.exit(ended(one, "", 130)))
        one.write("assistant", LAST)
    one.write("assistant", "I am writing the rounding.", usage=FULL)
    call = {
        "tool_name": "Bash",
        "tool_input": {"command": "true"},
        "tool_use_id": "t",
        "tool_response": {"stdout": ""},
    }
    one.hook("PostToolUse", **call)
    if mode == "stubborn":
        while True:
            time.sleep(0.1)
    time.sleep(0.6)
    return ended(one, LAST)


def ended(one: Agent, text: str, code: int = 0, usage: dict[str, int] = FULL) -> int:
    if text:
        one.write("assistant", text, usage=usage)
        one.hook("Stop", stop_hook_active=False, last_assistant_message=text)
    one.hook("SessionEnd", reason="other")
    return code


def run(place: Path, mode: str, dies: str) -> int:
    """Run the agent as `hookline rotate --run` does, and kill this process at the point *dies*."""
    from hookline.runtime import rotation
    from hookline.runtime.runtime import Runtime

    def reached(point: str, leg: rotation.Leg) -> None:
        with (place / "points").open("a") as file:
            file.write(f"{point}:{leg.number}\n")
        if f"{point}:{leg.number}" == dies:
            os.kill(os.getpid(), signal.SIGKILL)

    command = (sys.executable, str(ROOT / "tests" / "rotation_programs.py"), "agent", str(place), mode)
    how = rotation.RotationOptions(host="claude-code", grace=0.2 if mode == "stubborn" else 30.0)
    runtime = Runtime.load()
    ran = rotation.run(command, TASK, runtime=runtime, env=os.environ, options=how, notify=reached)
    runtime.close()
    return ran.code


if __name__ == "__main__":
    work = {"agent": agent, "run": run}[sys.argv[1]]
    sys.exit(work(Path(sys.argv[2]), *sys.argv[3:]))
