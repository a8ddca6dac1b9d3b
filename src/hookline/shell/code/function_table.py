"""The table of library functions without effects: a function, its parameters, and names in each language."""

from __future__ import annotations

from collections.abc import Mapping

from hookline.shell.code.functions import FUNCTION_FAMILIES, FUNCTIONS, Function

_ALL_LANGUAGES = """
first: str bytes bytearray String String.raw os.fspath os.fsdecode os.fsencode memoryview iter next sorted
    repr
    Promise.resolve Promise.all await unicode textwrap.dedent inspect.cleandoc shlex.quote zx.quote copy.copy
    copy.deepcopy asyncio.run asyncio.gather compile Shellwords.escape escapeshellarg escapeshellcmd
    os.path.realpath os.path.normcase fs.realpath Object.freeze util.promisify promisify typing.cast
    ast.literal_eval contextlib.suppress contextlib.closing scalar url.fileURLToPath fileURLToPath URL
    io.StringIO io.BytesIO StringIO array_values array_filter array_unique os.readlink
new_list: list tuple set frozenset Array.from Set Array
integer: int parseInt Number intval Integer
length: len strlen count length
character: chr unichr String.fromCharCode String.fromCodePoint
text ord 0: ord
reverse: reversed array_reverse
items map 1: map
items filter 1: filter
reduce: functools.reduce
range: range xrange
pairs: enumerate
zip: zip
new_mapping: dict
format: format
find_member: getattr
partial: functools.partial
chain: itertools.chain array_merge
choose: random.choice random.sample min max
run_code: exec eval vm.runInThisContext vm.runInNewContext
import_module: __import__ importlib.import_module require import
encoded base64: base64.b64decode base64.urlsafe_b64decode base64.standard_b64decode base64.decodebytes atob
    Base64.decode64 Base64.strict_decode64 Base64.urlsafe_decode64 base64_decode decode_base64
    MIME::Base64.decode binascii.a2b_base64
encoded base32: base64.b32decode
encoded base85: base64.b85decode
encoded hex: bytes.fromhex bytearray.fromhex binascii.unhexlify base64.b16decode hex2bin binascii.a2b_hex
encoded zlib: zlib.decompress gzip.decompress gzuncompress gzinflate gzdecode zlib.gunzip zlib.inflate
encoded rot13: str_rot13
encoded url: decodeURIComponent unescape decodeURI urllib.parse.unquote urllib.parse.unquote_plus urldecode
    rawurldecode URI.decode_www_form_component
decode: codecs.decode codecs.encode Buffer.from
load_json: json.loads JSON.parse json_decode
dump_json: json.dumps JSON.stringify json_encode
split_words: shlex.split Shellwords.split shellwords
join_words: shlex.join Shellwords.join
substitute: re.sub
folder: os.getcwd os.getcwdb process.cwd Dir.pwd Dir.getwd getcwd cwd Cwd.getcwd Cwd.cwd Deno.cwd __dir__
folder_path: pathlib.Path.cwd Path.cwd Pathname.pwd
home: os.homedir Dir.home
home_path: pathlib.Path.home Path.home
change_folder: os.chdir process.chdir Dir.chdir FileUtils.cd chdir contextlib.chdir Deno.chdir
find_variable: os.getenv os.environ.get getenv Deno.env.get
set_variable: os.putenv putenv Deno.env.set
join: os.path.join Pathname.join
join_relative: path.join File.join File::Spec.catfile File::Spec.catdir catfile
resolve: path.resolve realpath File.realpath abs_path File::Spec.rel2abs path.normalize os.path.normpath
absolute: os.path.abspath Path.resolve Path.absolute Path.realpath Path.expand_path Path.readlink
expand_path: File.expand_path File.absolute_path
expand_home: os.path.expanduser Path.expanduser
expand_variables: os.path.expandvars
parent: os.path.dirname path.dirname File.dirname dirname File::Basename.dirname Path.dirname
base: os.path.basename path.basename File.basename basename File::Basename.basename Path.basename
split_extension: os.path.splitext
extension: path.extname File.extname
new_path: pathlib.Path pathlib.PurePath pathlib.PosixPath pathlib.PurePosixPath Path Pathname.new Pathname
    SplFileInfo
glob: glob.glob glob.iglob Dir.glob Dir.[] glob glob.sync fast-glob fast-glob.sync globby globby.sync fs.glob
    bsd_glob
glob_path: Path.glob
glob_tree: Path.rglob
temporary: tempfile.mkdtemp tempfile.mktemp tempfile.TemporaryDirectory fs.mkdtemp Dir.mktmpdir tempdir
    File::Temp.tempdir tempnam Deno.makeTempDir
temporary_root: tempfile.gettempdir os.tmpdir Dir.tmpdir sys_get_temp_dir File::Spec.tmpdir
stdin: input raw_input gets
format_percent: sprintf util.format
keys: Object.keys
values: Object.values
entries: Object.entries
new_mapping: Object.fromEntries
"""
_JAVASCRIPT = """
compile: Function
"""
_RUBY = """
format_percent: format
first: Array
"""
_PERL = """
join_list: join
reverse: reverse
text lower 0: lc
text upper 0: uc
text capitalize 0: ucfirst
text split 1: split
text substr 0: substr
first: chomp sort
pack: pack
container: container
choose: readdir
text unpack 1: unpack
items map 1: map
items filter 1: grep
items push 0: push
items shift 0: shift
keys: keys
values: values
new_path: path Path::Tiny.path
"""
_PHP = """
join_list: implode join
text split 1: explode
text reverse 0: strrev
text lower 0: strtolower
text upper 0: strtoupper
text strip 0: trim
text rstrip 0: rtrim
text lstrip 0: ltrim
text capitalize 0: ucfirst
text substr 0: substr
text repeat 0: str_repeat
text replace 2: str_replace
text chars 0: str_split
items map 1: array_map
items map 0: array_walk
items push 0: array_push
call_by_name: call_user_func
first: iterator_to_array
"""


def _parse_functions(text: str) -> dict[str, Function]:
    table: dict[str, Function] = {}
    function: Function = FUNCTIONS["first"]
    for line in text.strip().splitlines():
        head, colon, names = line.partition(": ")
        if line.startswith(" ") or not colon:
            names = line
        else:
            kind, *parameters = head.split()
            function = FUNCTION_FAMILIES[kind](*parameters) if parameters else FUNCTIONS[kind]
        table |= dict.fromkeys(names.split(), function)
    return table


LIBRARY_FUNCTIONS: Mapping[str, Function] = _parse_functions(_ALL_LANGUAGES)
LANGUAGE_FUNCTIONS: Mapping[str, Mapping[str, Function]] = {
    "python": {},
    "javascript": _parse_functions(_JAVASCRIPT),
    "ruby": _parse_functions(_RUBY),
    "perl": _parse_functions(_PERL),
    "php": _parse_functions(_PHP),
}
"""Functions whose names have another meaning in other languages."""
