"""Marker of texts that make a turn continue, so that they are not mistaken for a user's prompt."""

from hashlib import blake2b

PREFIX = "A hook keeps this turn going ("


def continuation_prefix(session: str) -> str:
    """Return the prefix of such texts in *session*; nobody types it by chance, so no prompt is missed."""
    digest = blake2b(session.encode(errors="surrogatepass"), digest_size=3, person=b"hookline").hexdigest()
    return f"{PREFIX}{digest}): "
