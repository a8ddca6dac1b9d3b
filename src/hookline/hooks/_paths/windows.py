"""Files that a PowerShell or cmd line would open."""

from collections.abc import Iterator, Sequence

from hookline.shell import MAX_LINE, Word, cmd, powershell
from hookline.shell.cmdlets import split_parameters
from hookline.shell.options import word_set

READS = word_set(
    """get-content gc cat type more select-string sls findstr find copy-item cp copy xcopy robocopy
    import-csv ipcsv import-clixml get-filehash format-hex compare-object diff invoke-item ii notepad code
    certutil expand-archive compress-archive get-childitem gci ls dir tree import-powershelldatafile
    set-content sc add-content ac out-file"""
)
"""Programs that open, copy, list or write the files in their arguments."""
_DATA = word_set(
    "write-output write-host echo set-location sl cd push-location test-path tp remove-item new-item rem"
)


def opened(code: str, shell: str, *, known: bool = False) -> Iterator[Word]:
    """Yield the arguments that may be files: those of *known* programs, or of all except `_DATA`."""
    if len(code) > MAX_LINE:
        return
    reader = cmd.split_commands if shell == "cmd" else powershell.split_commands
    for argv in reader(code):
        name = argv[0].text.lower().removesuffix(".exe").rpartition("\\")[2]
        if name in READS if known else name not in _DATA:
            yield from _files(split_parameters(argv[1:])[0] if "-" in name else argv[1:])


def _files(words: Sequence[Word]) -> Iterator[Word]:
    for word in words:
        if word.text == "|":
            return
        yield from (
            Word(text=text, span=word.span) for text in word.text.split(",") if text[:1] not in ("-", "/", "")
        )
