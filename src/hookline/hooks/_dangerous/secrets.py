"""What is secret by its path, for rules about where it goes."""

import posixpath
import re

from hookline.hooks._dangerous.finding import Place

_NAMES = re.compile(
    r"\.env(?!\.(?:example|sample|template|test|dist)$)(?:\..*)?|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|ovpn)"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)(?:_\w+)?|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.vault-token"
    r"|\.(?:bash|zsh|psql|mysql)_history|credentials(?:\.\w+)?|secrets?(?:\.\w+)?|.*service-account.*\.json"
    r"|shadow|gshadow|\.htpasswd|certs|private"
)
_FOLDERS = frozenset(
    {".ssh", ".aws", ".gnupg", ".azure", ".kube", ".password-store", "certs", "gcloud", "secrets"}
)


def secret(text: str, place: Place) -> bool:
    """Whether the path *text* leads to keys, passwords or the like; a home as a whole holds all of them."""
    path = posixpath.normpath(text) if text else ""
    parts = path.split("/")
    if path in ("~", "/", "/etc", "/root", place.home or "~"):
        return True
    if parts[-1].endswith(".pub") or not path.strip("/."):
        return False
    return _NAMES.fullmatch(parts[-1]) is not None or not _FOLDERS.isdisjoint(parts)
