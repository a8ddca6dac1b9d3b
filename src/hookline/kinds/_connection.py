"""Proxy and certificates of a connection to a hook's server, by the environment of the call.

Libraries read the environment of this process, which may be a daemon's, or one that a repository has set.
"""

import os
import ssl
from collections.abc import Mapping
from urllib.parse import urlsplit
from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined]  # missing in typeshed


def find_proxy(url: str, env: Mapping[str, str]) -> str | None:
    """Return the proxy that *env* names for *url*; a lower-case variable precedes an upper-case one."""
    named = {name.lower(): env[name] for name in sorted(env) if name.lower().endswith("_proxy")}
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    proxy = named.get(f"{parts.scheme}_proxy") or named.get("all_proxy")
    if not proxy or proxy_bypass_environment(host, {"no": named.get("no_proxy", "")}):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def make_tls_context(env: Mapping[str, str]) -> ssl.SSLContext:
    """Return a context that verifies servers by the certificates that *env* names, else by the system's."""
    usual = ssl.get_default_verify_paths()
    file = env.get("SSL_CERT_FILE") or usual.openssl_cafile
    folder = env.get("SSL_CERT_DIR") or usual.openssl_capath
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if os.path.isfile(file):
        context.load_verify_locations(cafile=file)
    if os.path.isdir(folder):
        context.load_verify_locations(capath=folder)
    return context
