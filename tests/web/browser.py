"""A real browser: Chromium of the system, headless, driven by Selenium."""

import shutil
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import uvicorn
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from hookline.web.application import build_app
from hookline.web.keys import Keys
from hookline.web.live_updates import Feed
from hookline.web.serve import open_socket

OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-proxy-server",
)


def programs():
    """Return the paths of Chromium and its driver; None for a missing one."""
    return shutil.which("chromium"), shutil.which("chromedriver")


@contextmanager
def served(site):
    """Serve *site* on a free loopback address; yield the address."""
    with open_socket(0) as listener:
        host, port = listener.getsockname()
        address = f"{host}:{port}"
        site.keys, site.feed = Keys(), Feed(site.reader)
        app = build_app(site.dashboard, site.feed, site.keys, address)
        config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1, ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield address
        finally:
            server.should_exit = True
            thread.join(20)


@contextmanager
def another_site():
    """Serve an empty page of another origin; yield its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>another</title><body>another</body>")

        def log_message(self, *_):
            """Suppress the request log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def opened(*options):
    """Yield a browser without a profile."""
    chromium, driver = programs()
    settings = Options()
    settings.binary_location = chromium
    for option in (*OPTIONS, *options):
        settings.add_argument(option)
    browser = webdriver.Chrome(options=settings, service=Service(driver))
    try:
        yield browser
    finally:
        browser.quit()


def enter(browser, site, address):
    """Open the dashboard by its link, as a person does."""
    browser.get(f"http://{address}/#{site.keys.token}")
    wait(lambda: browser.find_elements(By.CSS_SELECTOR, "nav a"))


def wait(found, seconds=20.0):
    """Return the first true result of *found*."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if result := found():
            return result
        time.sleep(0.02)
    raise AssertionError("the page did not change in time")
