"""Where the text of a word came from: back through the commands that printed it."""

from collections.abc import Iterator, Mapping

from hookline.bash import Simple
from hookline.bash.options import spelled
from hookline.hooks._dangerous.finding import Place

_SOURCES = spelled(
    """curl wget http https xh httpie aria2c axel lynx w3m links fetch nc ncat netcat socat websocat wscat
    grpcurl ssh telnet ftp tftp sftp lwp-request GET gh glab invoke-webrequest"""
)
_DECODERS: Mapping[str, frozenset[str]] = {
    "base64": spelled("-d -D --decode -di -id"),
    "base32": spelled("-d --decode"),
    "openssl": spelled("-d s_client"),
    "xxd": spelled("-r -rp -pr"),
    "uudecode": frozenset(),
    "gpg": spelled("-d --decrypt"),
}
_MOST = 200
"""Commands that are looked at on the way back to where something came from."""


def sources(origins: tuple[int, ...], place: Place) -> Iterator[Simple]:
    """The commands that *origins* point at, and those that fed them in turn."""
    return (place.commands[one] for one in reached(origins, place))


def reached(origins: tuple[int, ...], place: Place) -> Iterator[int]:
    """The same by their numbers."""
    waiting, seen = list(origins), set(origins)
    while waiting and len(seen) <= _MOST:
        place_of = waiting.pop()
        if place_of >= len(place.commands):
            continue
        command = place.commands[place_of]
        yield place_of
        behind = (*command.fed, *(one for word in command.words for one in word.origins))
        waiting += [one for one in behind if one not in seen]
        seen.update(behind)


def fetched(command: Simple) -> bool:
    """Whether *command* prints what it got from another machine, or made readable."""
    if command.name in _DECODERS:
        wanted = _DECODERS[command.name]
        return not wanted or any(word.text in wanted for word in command.words[1:])
    return command.name in _SOURCES
