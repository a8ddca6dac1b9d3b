"""Render every page from example data: `python -m tests.web.screenshots FOLDER`.

Each page is rendered light and dark, wide and at the width of a phone.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

from tests.web import browser as browsers
from tests.web import seed
from tests.web.conftest import Site, question

from hookline.runtime.setup import load_setup
from hookline.stores import sqlite

PAGES = {
    "now": "now",
    "decisions": "decisions",
    "decision": "decisions?position=1&reason=release+day",
    "spend": "spend",
    "runs": "runs",
    "run": "runs?run=sort-261115-1850",
    "experiment": "runs?run=sort-261115-1850&experiment=1",
    "comparison": "runs?compare-sort-261115-1850=on&compare-sort-261116-0900=on",
    "memory": "memory",
    "health": "health",
}
WIDTHS = {"wide": (1200, 800), "phone": (390, 844)}


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        site = build_site(Path(home))
        with browsers.served(site) as address, browsers.opened() as browser:
            browsers.enter(browser, site, address)
            for scheme in ("light", "dark"):
                for size, (width, height) in WIDTHS.items():
                    show(browser, scheme, width, height)
                    for name, path in PAGES.items():
                        browser.get(f"http://{address}/{path}")
                        browser.save_screenshot(str(folder / f"{name}-{scheme}-{size}.png"))
        site.store.close()


def build_site(home):
    project = home / "shop"
    project.mkdir()
    for name, best in (("sort-261115-1850", 5.0), ("sort-261116-0900", 8.0)):
        seed.add_run(project, name, best)
    os.environ["HOME"] = str(home)
    setup = load_setup({"HOME": str(home), "PATH": os.environ["PATH"]}, str(project))
    setup.resources.close()
    store = sqlite.open_store(str(home / "store.db"))
    seed.fill(store, project)
    site = Site(store, setup)
    site.questions.append(question(root=str(project), cwd=str(project), until=time.time() + 540))
    return site


def show(browser, scheme, width, height):
    media = [{"name": "prefers-color-scheme", "value": scheme}]
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
