"""Programs that encode, decode, pack and unpack text, which a line may run afterwards: base64, xxd, gunzip.

Bytes that are not text are a value that starts with `OPAQUE`, followed by the bytes in base64.
"""

from __future__ import annotations

import base64
import binascii
import bz2
import lzma
import zlib
from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.lazy import re
from hookline.shell.options import Options, parse_options, word_set
from hookline.shell.result import UNKNOWN
from hookline.shell.shell_state import MAX_TEXT, OPAQUE, Call, Program, Result, ShellState, resolve, spend

Codec: TypeAlias = Callable[[bytes], bytes]

_HEX = re.compile(rb"(?:[0-9a-fA-F]{2})+")
_DUMP_LINE = re.compile(rb"^[0-9a-fA-F]+: ?((?:[0-9a-fA-F]{2,4} )+) .*$", re.MULTILINE)
_NOT_TEXT = re.compile("[\0\U000f0000-\U000ffffd]")
_DECODE_OPTIONS = ("-d", "-D", "--decode", "--decompress", "--uncompress")


def to_bytes(text: str) -> bytes:
    """Return the bytes of a known value."""
    if text.startswith(OPAQUE):
        return binascii.a2b_base64(text[len(OPAQUE) :].encode("ascii", "ignore"))
    return text.encode("utf-8", "replace")


def to_value(data: bytes) -> str:
    """Return *data* as text, or as an opaque value if it is not text."""
    if len(data) > MAX_TEXT:
        return OPAQUE
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = UNKNOWN
    return OPAQUE + base64.b64encode(data).decode("ascii") if _NOT_TEXT.search(text) else text


def _convert(state: ShellState, text: str, codec: Codec) -> Result:
    """Return the output of *codec* for a known text, which is opaque if the text is not valid for it."""
    if not is_known(text):
        return Result()
    data = to_bytes(text)
    if not data or not spend(state, len(data) >> 6):
        return Result(OPAQUE)
    try:
        return Result(to_value(codec(data)))
    except (ValueError, OSError, EOFError, zlib.error, lzma.LZMAError):
        return Result(OPAQUE)


def is_known(text: str) -> bool:
    """Return whether *text* is known, as text or as bytes."""
    return bool(text) and (UNKNOWN not in text or text.startswith(OPAQUE))


def _read_input(state: ShellState, call: Call, options: Options) -> str:
    path = options.operands[0].text if options.operands else "-"
    return call.stdin if path in ("-", "/dev/stdin") else state.files.get(resolve(state, path), UNKNOWN)


def _decode_base32(data: bytes) -> bytes:
    return base64.b32decode(re.sub(rb"\s+", b"", data))


def _decode_hex(data: bytes) -> bytes:
    digits = re.sub(rb"\s+", b"", data)
    if not _HEX.fullmatch(digits):
        raise ValueError
    return bytes.fromhex(digits.decode("ascii"))


def _decode_dump(data: bytes) -> bytes:
    return _decode_hex(b"".join(_DUMP_LINE.findall(data)))


def _encode_hex(data: bytes) -> bytes:
    return data.hex().encode() + b"\n"


def _coder(encode: Codec, decode: Codec) -> Program:
    def program(state: ShellState, call: Call) -> Result:
        options = parse_options(call.argv[1:], ("-w", "--wrap", "-i", "-o"), mixed=True)
        codec = decode if options.has(*_DECODE_OPTIONS) else encode
        return _convert(state, _read_input(state, call, options), codec)

    return program


def _xxd(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], ("-l", "-s", "-c", "-o"), mixed=True)
    if any(word.text in ("-rp", "-pr", "-ps") for word in call.argv) or options.has("-p", "--plain"):
        codec = _decode_hex if options.has("-r") else _encode_hex
    else:
        codec = _decode_dump if options.has("-r") else _reject
    return _convert(state, _read_input(state, call, options), codec)


def _reject(data: bytes) -> bytes:
    raise ValueError


def _openssl(state: ShellState, call: Call) -> Result | None:
    """Decode or encode `openssl base64` and `openssl enc -base64`; other ciphers are opaque."""
    words = [word.text for word in call.argv[1:]]
    if not words or words[0] not in ("base64", "enc") or "-out" in words:
        return None
    codec: Codec = binascii.a2b_base64 if "-d" in words else base64.b64encode
    if words[0] == "enc" and not {"-base64", "-a", "-A"}.issuperset(words[1:2]):
        codec = codec if words[1:] in (["-d", "-base64"], ["-d", "-a"]) else _reject
    path = words[words.index("-in") + 1] if "-in" in words[:-1] else ""
    return _convert(state, state.files.get(resolve(state, path), UNKNOWN) if path else call.stdin, codec)


def _inflate(data: bytes) -> bytes:
    """Unpack at most one character more than a value may have."""
    return zlib.decompressobj(wbits=47).decompress(data, MAX_TEXT + 1)


def _unpack_bzip2(data: bytes) -> bytes:
    return bz2.BZ2Decompressor().decompress(data, MAX_TEXT + 1)


def _unpack_xz(data: bytes) -> bytes:
    return lzma.LZMADecompressor().decompress(data, MAX_TEXT + 1)


def _pack_gzip(data: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=31)
    return compressor.compress(data) + compressor.flush()


_PACKINGS: Mapping[str, tuple[Codec, Codec]] = {
    **dict.fromkeys(("gzip", "pigz", "zlib-flate"), (_pack_gzip, _inflate)),
    "bzip2": (bz2.compress, _unpack_bzip2),
    "xz": (lzma.compress, _unpack_xz),
    **dict.fromkeys(("zstd", "lz4", "brotli"), (_reject, _reject)),
}
"""The functions that pack and unpack each format."""
_UNPACKERS: Mapping[str, str] = {
    **dict.fromkeys(word_set("gunzip zcat gzcat unpigz"), "gzip"),
    **dict.fromkeys(word_set("bunzip2 bzcat"), "bzip2"),
    **dict.fromkeys(word_set("unxz xzcat"), "xz"),
    **dict.fromkeys(word_set("unzstd zstdcat"), "zstd"),
}


def run_packer(state: ShellState, call: Call) -> Result | None:
    """Return the output of a packer in a pipe, or None if it works on files."""
    name = call.argv[0].text.rpartition("/")[2]
    options = parse_options(call.argv[1:], ("-S", "--suffix", "-o", "--output"), mixed=True)
    prints = not options.operands or options.has("-c", "--stdout", "--to-stdout") or name.endswith("cat")
    if name == "openssl":
        return _openssl(state, call)
    if not prints or options.has("-o", "--output", "-t", "-l"):
        return None
    pack, unpack = _PACKINGS[_UNPACKERS.get(name, name)]
    unpacks = name in _UNPACKERS or options.has(*_DECODE_OPTIONS)
    return _convert(state, _read_input(state, call, options), unpack if unpacks else pack)


def _unpack(state: ShellState, call: Call) -> Result:
    return run_packer(state, call) or Result()


def _reject_input(state: ShellState, call: Call) -> Result:
    """Return an opaque output if the input is known: the format is not decoded here."""
    return Result(OPAQUE) if is_known(call.stdin) else Result()


PACKERS = frozenset(_PACKINGS)
PROGRAMS: Mapping[str, Program] = {
    **dict.fromkeys(("base64", "gbase64"), _coder(base64.b64encode, binascii.a2b_base64)),
    "base32": _coder(base64.b32encode, _decode_base32),
    "xxd": _xxd,
    **dict.fromkeys(_UNPACKERS, _unpack),
    **dict.fromkeys(
        word_set("uudecode basenc unzip funzip uncompress hexdump od iconv recode"), _reject_input
    ),
}
