"""Install the browser of the tests from the system's packages: `python3 -m tests.web.install`."""

from tests.clients.install import need

if __name__ == "__main__":
    need("chromium", "chromium")
    need("chromedriver", "chromium-driver")
