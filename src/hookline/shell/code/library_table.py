"""Library functions by their names in each language: those with effects, and those without.

An entry with positions is an action on the arguments at these positions; `Path.` stands before methods of
path objects, whose first argument is the path. Other entries are functions without effects, or families of
them with parameters.
"""

ALL_LANGUAGES = """
first: str bytes bytearray String String.raw os.fspath os.fsdecode os.fsencode memoryview iter next sorted
    Promise.resolve Promise.all await unicode textwrap.dedent inspect.cleandoc
    copy.copy copy.deepcopy asyncio.run asyncio.gather compile os.path.realpath os.path.normcase fs.realpath
    Object.freeze util.promisify promisify
    typing.cast vars ast.literal_eval contextlib.suppress contextlib.closing scalar url.fileURLToPath
    fileURLToPath URL io.StringIO io.BytesIO StringIO array_values array_unique array_diff array_slice
    os.readlink string.Template array_diff_key iterator_to_array array_flip sort
new_list: list tuple set frozenset Array.from Set Array
integer: int parseInt Number intval Integer
length: len strlen count length
character: chr unichr String.fromCharCode String.fromCodePoint
text ord 0: ord
reverse: reversed array_reverse
items map 1: map
items filter 1: filter
reduce: functools.reduce
operate /: operator.truediv
operate +: operator.add operator.concat
range: range xrange
pairs: enumerate
zip: zip
new_mapping: dict Object.fromEntries Map types.SimpleNamespace argparse.Namespace
field: dataclasses.field attrs.field attr.ib attr.Factory pydantic.Field
new_record: collections.namedtuple Struct.new
record: record()
format: format
find_member: getattr
partial: functools.partial
chain: itertools.chain array_merge
choose: random.choice random.sample min max
run_code: exec eval vm.runInThisContext vm.runInNewContext timeit.timeit timeit.repeat
    builtins.exec builtins.eval instance_eval class_eval
import_module: __import__ importlib.import_module require import constructor._load
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
dump_json: json.dumps JSON.stringify json_encode repr
quote: shlex.quote zx.quote Shellwords.escape escapeshellarg pipes.quote
split_words: shlex.split Shellwords.split shellwords
join_words: shlex.join Shellwords.join
substitute: re.sub
folder: os.getcwd os.getcwdb process.cwd Dir.pwd Dir.getwd getcwd cwd Cwd.getcwd Cwd.cwd Deno.cwd __dir__
folder_path: pathlib.Path.cwd Path.cwd Pathname.pwd
home: os.homedir Dir.home
package_folder: site.getusersitepackages sysconfig.get_path distutils.sysconfig.get_python_lib
package_folders: site.getsitepackages
named_package_folders: sysconfig.get_paths
home_path: pathlib.Path.home Path.home
change_folder: os.chdir process.chdir Dir.chdir FileUtils.cd chdir contextlib.chdir Deno.chdir shelljs.cd
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
    File::Temp.tempdir Deno.makeTempDir
temporary_file: tempfile.NamedTemporaryFile tempfile.TemporaryFile Tempfile.new Tempfile.create Tempfile.open
    File::Temp.new tmpfile
temporary_path: tempnam
temporary_pair: tempfile.mkstemp tempfile File::Temp.tempfile
temporary_root: tempfile.gettempdir os.tmpdir Dir.tmpdir sys_get_temp_dir File::Spec.tmpdir
stdin: input raw_input gets
format_percent: sprintf util.format
keys: Object.keys
values: Object.values
entries: Object.entries
"""
PYTHON = """
shell 0: os.system os.popen subprocess.getoutput subprocess.getstatusoutput commands.getoutput
    asyncio.create_subprocess_shell paramiko.exec_command os.popen2 os.popen3 commands.getstatusoutput
    pexpect.run pexpect.spawn
    invoke.run fabric.run
argv 0: subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen
    pty.spawn
program: sh.Command plumbum.local.get
program ssh: fabric.Connection fabric2.Connection paramiko.SSHClient asyncssh.connect
program docker: docker.from_env docker.DockerClient docker.client.from_env
program git: git.Repo git.Repo.init git.Repo.clone_from git.Git git.cmd.Git pygit2.Repository
    dulwich.repo.Repo
words 0: asyncio.create_subprocess_exec
exec 0: os.execv os.execvp os.execve os.execvpe os.posix_spawn os.posix_spawnp
exec 1: os.spawnv os.spawnvp os.spawnve os.spawnvpe
words 1: os.execl os.execlp os.execle os.execlpe
words 2: os.spawnl os.spawnlp
kill 0 1: os.kill os.killpg
open 0 1: open io.open codecs.open Path.open gzip.open bz2.open lzma.open aiofiles.open os.fdopen os.open
read 0: Path.read_text Path.read_bytes linecache.getlines fileinput.input pandas.read_csv zipfile.ZipFile
    tarfile.open numpy.load configparser.read dotenv.load_dotenv dotenv.dotenv_values
script 0: runpy.run_path
write 0: Path.write_text Path.write_bytes os.mknod
truncate 0: os.truncate
edit 0: Path.touch os.utime
delete 0: os.remove os.unlink os.rmdir Path.unlink Path.rmdir
tree 0: shutil.rmtree send2trash.send2trash send2trash os.removedirs distutils.dir_util.remove_tree
    Path.rmtree Path.remove_p
move 0 1: os.rename os.replace os.renames shutil.move Path.rename Path.replace Path.move
copy 0 1: shutil.copy shutil.copy2 shutil.copyfile Path.copy shutil.copyfileobj
copytree 0 1: shutil.copytree distutils.dir_util.copy_tree
chmod 0 1: os.chmod Path.chmod
chown 0: os.chown os.lchown shutil.chown
mode 0 1: os.symlink os.link Path.symlink_to Path.hardlink_to
names 0: os.listdir
items 0: os.scandir Path.iterdir
walk 0: os.walk os.fwalk Path.walk
send 0: requests.get requests.post requests.put requests.patch requests.delete requests.request httpx.get
    httpx.post httpx.put urllib.request.urlopen urllib.request.Request
    urllib2.urlopen http.client.HTTPSConnection http.client.HTTPConnection socket.create_connection
download 0 1: urllib.request.urlretrieve wget.download
print 0: print
output 0: sys.stdout.write os.write
exit 0: sys.exit exit quit os._exit
"""
JAVASCRIPT = """
shell 0: child_process.exec execaCommand execa.execaCommand execa.command shelljs.exec zx.$ $ Bun.$ execa.$
    sh.exec bun.$ dax.$
program 0: child_process.spawn child_process.execFile child_process.fork execa execa.execa cross-spawn
    cross-spawn.sync execa.sync node-pty.spawn Deno.Command execa.execaSync
argv 0: Bun.spawn Deno.run Bun.spawnSync
kill 0 1: process.kill
open 0 1: fs.open
read 0: fs.readFile fs.createReadStream fs.readJson fs.readJSON Deno.readTextFile Deno.readFile Bun.file
    fs.readlink Deno.open
write 0: fs.writeFile fs.createWriteStream fs.outputFile fs.writeJson fs.writeJSON fs.outputJson
    Deno.writeTextFile Deno.writeFile Bun.write fs.ensureFile
truncate 0: fs.truncate
edit 0: fs.appendFile fs.utimes
delete 0: fs.unlink
remove 0: fs.rm fs.rmdir Deno.remove
tree 0: rimraf rimraf.rimraf rimraf.sync rimraf.native fs.remove fs.emptyDir fs.emptydir del del.sync
    del.deleteAsync del.deleteSync trash deleteAsync deleteSync rimraf.default del.default
move 0 1: fs.rename fs.move Deno.rename
copy 0 1: fs.copyFile Deno.copyFile
copytree 0 1: fs.cp fs.copy
chmod 0 1: fs.chmod fs.lchmod Deno.chmod
chown 0: fs.chown fs.lchown Deno.chown
mode 0 1: fs.symlink fs.link
names 0: fs.readdir Deno.readDir
items 0: fs.opendir
send 0: fetch axios axios.get axios.post axios.put axios.delete axios.request http.request https.request
    http.get https.get got got.post undici.request undici.fetch
print 0: console.log console.info process.stdout.write console.debug
exit 0: process.exit Deno.exit
compile: Function
program ssh: node-ssh.NodeSSH ssh2.Client
program git: simple-git simple-git.simpleGit simple-git.gitP simpleGit nodegit.Repository.open
"""
PERL = """
words 3: open3
program git: Git::Repository.new Git::Wrapper.new Git.repository Git::Raw::Repository.open
words 2: open2
words 0: system exec CORE.system IPC::System::Simple.system IPC::Run.run run IPC::Run3.run3 run3
    IPC::Cmd.run systemx IPC::System::Simple.systemx runx
shell 0: qx readpipe capture IPC::System::Simple.capture `
words 0: capturex IPC::System::Simple.capturex
pipe 0: open
read 0: read_file File::Slurp.read_file Path.slurp Path.slurp_utf8 Path.lines
write 0: write_file File::Slurp.write_file Path.spew Path.spew_utf8
truncate 0: truncate
edit 0: append_file Path.append
deletes 0: unlink rmdir Path.remove
trees 0: rmtree remove_tree File::Path.rmtree File::Path.remove_tree Path.remove_tree
move 0 1: rename move File::Copy.move mv File::Copy.mv Path.move
copy 0 1: copy File::Copy.copy cp File::Copy.cp Path.copy
chmod 1 0: chmod
chown 2: chown
mode 0 1: symlink link
names 1: opendir
walk 1: find File::Find.find finddepth File::Find.finddepth
kill 1 0: kill
send 0: get LWP::Simple.get
download 0 1: getstore LWP::Simple.getstore mirror
print 0: print say printf
exit 0: exit die
join_list: join
reverse: reverse
text lower 0: lc
text upper 0: uc
text capitalize 0: ucfirst
text split 1: split
text substr 0: substr
first: chomp sort bless
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
RUBY = """
words 0: system exec spawn Kernel.system Kernel.exec Kernel.spawn Process.spawn Open3.capture2
    Open3.capture2e Open3.capture3 Open3.popen2 Open3.popen2e Open3.popen3 Open3.pipeline sh Process.exec
    PTY.spawn
shell 0: ` %x
argv 0: IO.popen
open 0 1: File.open open File.new IO.open Kernel.open Path.open
read 0: File.read File.readlines File.binread IO.read IO.readlines File.foreach IO.foreach Path.read
    Path.readlines Path.binread CSV.read YAML.load_file JSON.load_file
write 0: File.write IO.write File.binwrite IO.binwrite Path.write Path.binwrite
truncate 0: File.truncate Path.truncate
edit 0: FileUtils.touch
deletes 0: File.delete File.unlink Dir.rmdir Dir.delete Dir.unlink FileUtils.rm FileUtils.rm_f
    FileUtils.remove FileUtils.rmdir FileUtils.safe_unlink Path.delete Path.unlink Path.rmdir
trees 0: FileUtils.rm_rf FileUtils.rm_r FileUtils.rmtree FileUtils.remove_dir FileUtils.remove_entry
    FileUtils.remove_entry_secure Path.rmtree rm_rf rm_r FileUtils.remove_file
move 0 1: File.rename FileUtils.mv FileUtils.move Path.rename
copy 0 1: FileUtils.cp FileUtils.copy FileUtils.copy_file FileUtils.install
copytree 0 1: FileUtils.cp_r FileUtils.copy_entry
chmodtree 1 0: FileUtils.chmod_R
chowntree 2: FileUtils.chown_R
chmod 1 0: FileUtils.chmod File.chmod
chown 2: FileUtils.chown File.chown
mode 0 1: FileUtils.ln_s FileUtils.ln_sf FileUtils.ln File.symlink File.link
chmod 0 1: Path.chmod
names 0: Dir.entries Dir.children Dir.each_child Dir.foreach
items 0: Path.children Path.each_child Path.entries
find 0: Find.find Path.find
kill 1 0: Process.kill
send 0: Net.HTTP.get Net.HTTP.post URI.open Net.HTTP.post_form HTTParty.get HTTParty.post
print 0: puts print p pp $stdout.puts $stdout.print STDOUT.puts STDOUT.print STDOUT.write $stdout.write
    Kernel.puts printf
exit 0: exit abort raise exit!
format_percent: format
program ssh: Net.SSH.start Net::SSH.start
program git: Git.open Git.init Git.clone Rugged.Repository.new Rugged.Repository.discover
first: Array lambda proc Proc.new
"""
PHP = """
shell 0: exec shell_exec system passthru proc_open popen ` Process.fromShellCommandline
argv 0: Process Symfony\\Component\\Process\\Process
words 0: pcntl_exec
open 0 1: fopen SplFileObject
read 0: file_get_contents file readfile parse_ini_file
script 0: include require include_once require_once
write 0: file_put_contents
truncate 0: ftruncate
edit 0: touch
delete 0: unlink rmdir
tree 0: File::deleteDirectory File.deleteDirectory Filesystem.remove
object Filesystem: Filesystem Symfony\\Component\\Filesystem\\Filesystem
move 0 1: rename move_uploaded_file
copy 0 1: copy
chmod 0 1: chmod
chown 0: chown chgrp
mode 0 1: symlink link
names 0: scandir opendir readdir
items 0: DirectoryIterator FilesystemIterator
find 0: RecursiveDirectoryIterator
same 0: RecursiveIteratorIterator IteratorIterator
send 0: curl_init curl_setopt curl_setopt_array fsockopen
kill 0 1: posix_kill
print 0: echo print printf var_dump print_r
exit 0: exit die
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
items filter 0: array_filter
items map 0: array_walk
items push 0: array_push
handle 0 1: fwrite fputs
call_by_name: call_user_func call_user_func_array register_shutdown_function
first: iterator_to_array curl_exec
"""
GO = """
words 0: exec.Command syscall.Exec
words 1: exec.CommandContext
write 0: os.WriteFile ioutil.WriteFile os.Create
truncate 0: os.Truncate
open 0 1: os.OpenFile
delete 0: os.Remove
tree 0: os.RemoveAll
move 0 1: os.Rename
chmod 0 1: os.Chmod
chown 0: os.Chown
names 0: os.ReadDir ioutil.ReadDir
walk 0: filepath.Walk filepath.WalkDir
send 0: http.Get
print 0: fmt.Println fmt.Print fmt.Printf
exit 0: os.Exit log.Fatal log.Fatalf panic
join_relative: filepath.Join path.Join
home: os.UserHomeDir
folder: os.Getwd
find_variable: os.Getenv
change_folder: os.Chdir
glob: filepath.Glob
temporary: os.MkdirTemp ioutil.TempDir
temporary_root: os.TempDir
format_percent: fmt.Sprintf
text split 0: strings.Split strings.Fields
first: strings.TrimSpace
"""
