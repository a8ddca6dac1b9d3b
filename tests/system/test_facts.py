"""Facts are found by modules that are imported when somebody asks, by as many threads as there are calls."""

import subprocess
import sys

TWO_AT_ONCE = """
import sys, threading, time
from importlib.machinery import PathFinder
from hookline.system import facts

begun = threading.Event()

class Slowly:
    def find_spec(self, name, path, target=None):
        spec = PathFinder.find_spec(name, path, target)
        if name == "hookline.system.following":
            run = spec.loader.exec_module
            spec.loader.exec_module = lambda module: (begun.set(), time.sleep(0.3), run(module))
        return spec

sys.meta_path.insert(0, Slowly())
first = threading.Thread(target=facts.FACTS["realpath"], args=(None,))
first.start()
begun.wait()
print(facts.FACTS["realpath"](None)("/"))
first.join()
"""


def test_whoever_asks_while_another_imports_waits_for_the_whole_module():
    done = subprocess.run([sys.executable, "-c", TWO_AT_ONCE], capture_output=True, text=True, check=False)

    assert (done.stdout, done.stderr) == ("/\n", "")
