"""Reading the file with everybody's password hashes."""

from collections.abc import Iterator, Mapping

from hookline.bash import Simple, Word
from hookline.hooks._dangerous.exfil import EXFIL
from hookline.hooks._dangerous.finding import Finding, Judge, Place

READERS = """cat less more head tail grep egrep awk sed cp scp base64 xxd od strings tac nl sort cut vim
    vi nano view john hashcat rsync tar zip bat"""


def _hashes(command: Simple, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    inputs = [one.target for one in command.redirects if one.op == "<"]
    for word in (*words, *inputs):
        if word.text in ("/etc/shadow", "/etc/gshadow", "/etc/shadow-"):
            yield EXFIL.find("password-file", command, word)


JUDGES: Mapping[str, Judge] = dict.fromkeys(READERS.split(), _hashes)
