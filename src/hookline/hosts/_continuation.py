"""Words that make a turn go on, and come back as if a person had written them: known again as our own."""

from hashlib import blake2b

GOING_ON = "A hook keeps this turn going ("


def going_on(session: str) -> str:
    """How such words begin in one *session*; nobody types that by chance, so no prompt goes unjudged."""
    mark = blake2b(session.encode(errors="surrogatepass"), digest_size=3, person=b"hookline").hexdigest()
    return f"{GOING_ON}{mark}): "
