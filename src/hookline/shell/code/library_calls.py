"""The table of library calls that run commands, or read, change or delete files, and their effects.

An entry of the table is an action, the positions of the arguments it applies to, and names of calls.
`Path.` stands before methods of path objects, whose first argument is the path.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hookline.shell.options import word_set

_PYTHON = """
shell 0: os.system os.popen subprocess.getoutput subprocess.getstatusoutput commands.getoutput
    asyncio.create_subprocess_shell os.popen2 os.popen3 commands.getstatusoutput pexpect.run pexpect.spawn
    invoke.run fabric.run
argv 0: subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen
    pty.spawn
    sh.Command plumbum.local
words 0: asyncio.create_subprocess_exec
exec 0: os.execv os.execvp os.execve os.execvpe os.posix_spawn os.posix_spawnp
exec 1: os.spawnv os.spawnvp os.spawnve os.spawnvpe
words 1: os.execl os.execlp os.execle os.execlpe
words 2: os.spawnl os.spawnlp
kill 0 1: os.kill os.killpg
open 0 1: open io.open codecs.open Path.open gzip.open bz2.open lzma.open aiofiles.open os.fdopen os.open
read 0: Path.read_text Path.read_bytes linecache.getlines fileinput.input pandas.read_csv zipfile.ZipFile
    tarfile.open numpy.load runpy.run_path configparser.read dotenv.load_dotenv dotenv.dotenv_values
write 0: Path.write_text Path.write_bytes os.truncate os.mknod
edit 0: Path.touch os.utime
delete 0: os.remove os.unlink os.rmdir Path.unlink Path.rmdir
tree 0: shutil.rmtree send2trash.send2trash send2trash os.removedirs distutils.dir_util.remove_tree
    Path.rmtree Path.remove_p
move 0 1: os.rename os.replace os.renames shutil.move Path.rename Path.replace Path.move
copy 0 1: shutil.copy shutil.copy2 shutil.copyfile Path.copy shutil.copyfileobj
copytree 0 1: shutil.copytree distutils.dir_util.copy_tree
mode 0: os.chmod os.chown os.lchown shutil.chown Path.chmod
mode 0 1: os.symlink os.link Path.symlink_to Path.hardlink_to
names 0: os.listdir
items 0: os.scandir Path.iterdir
walk 0: os.walk os.fwalk Path.walk
send 0: requests.get requests.post requests.put requests.patch requests.delete requests.request httpx.get
    httpx.post httpx.put urllib.request.urlopen urllib.request.urlretrieve urllib.request.Request
    urllib2.urlopen http.client.HTTPSConnection http.client.HTTPConnection socket.create_connection
print 0: print
output 0: sys.stdout.write os.write
exit 0: sys.exit exit quit os._exit
"""
_JAVASCRIPT = """
shell 0: child_process.exec execaCommand execa.execaCommand execa.command shelljs.exec zx.$ $ Bun.$ execa.$
    sh.exec
    bun.$ dax.$
program 0: child_process.spawn child_process.execFile child_process.fork execa execa.execa cross-spawn
    cross-spawn.sync execa.sync node-pty.spawn Deno.Command execa.execaSync
argv 0: Bun.spawn Deno.run Bun.spawnSync
kill 0 1: process.kill
open 0 1: fs.open
read 0: fs.readFile fs.createReadStream fs.readJson fs.readJSON Deno.readTextFile Deno.readFile Bun.file
    fs.readlink Deno.open
write 0: fs.writeFile fs.createWriteStream fs.outputFile fs.writeJson fs.writeJSON fs.outputJson
    Deno.writeTextFile
    Deno.writeFile Bun.write fs.truncate fs.ensureFile
edit 0: fs.appendFile fs.utimes
delete 0: fs.unlink
remove 0: fs.rm fs.rmdir Deno.remove
tree 0: rimraf rimraf.rimraf rimraf.sync rimraf.native fs.remove fs.emptyDir fs.emptydir del del.sync
    del.deleteAsync del.deleteSync del.deleteAsync trash shelljs.rm deleteAsync deleteSync rimraf.default
    del.default
move 0 1: fs.rename fs.move Deno.rename
copy 0 1: fs.copyFile Deno.copyFile
copytree 0 1: fs.cp fs.copy
mode 0: fs.chmod fs.chown fs.lchmod fs.lchown Deno.chmod
mode 0 1: fs.symlink fs.link
names 0: fs.readdir Deno.readDir fs.opendir
send 0: fetch axios axios.get axios.post axios.put axios.delete axios.request http.request https.request
    http.get
    https.get got got.post undici.request undici.fetch
print 0: console.log console.info process.stdout.write console.debug
exit 0: process.exit Deno.exit
"""
_PERL = """
words 0: system exec CORE.system IPC::System::Simple.system IPC::Run.run run IPC::Run3.run3 run3 open3 open2
    IPC::Cmd.run
shell 0: qx readpipe capture `
pipe 0: open
read 0: read_file File::Slurp.read_file Path.slurp Path.slurp_utf8 Path.lines
write 0: write_file File::Slurp.write_file Path.spew Path.spew_utf8 truncate
edit 0: append_file Path.append
deletes 0: unlink rmdir Path.remove
trees 0: rmtree remove_tree File::Path.rmtree File::Path.remove_tree Path.remove_tree
move 0 1: rename move File::Copy.move mv File::Copy.mv Path.move
copy 0 1: copy File::Copy.copy cp File::Copy.cp Path.copy
mode 1: chmod chown
mode 0 1: symlink link
names 1: opendir
walk 1: find File::Find.find finddepth File::Find.finddepth
kill 1 0: kill
print 0: print say printf
exit 0: exit die
"""
_RUBY = """
words 0: system exec spawn Kernel.system Kernel.exec Kernel.spawn Process.spawn Open3.capture2
    Open3.capture2e
    Open3.capture3 Open3.popen2 Open3.popen2e Open3.popen3 Open3.pipeline sh Process.exec PTY.spawn
shell 0: ` %x
argv 0: IO.popen
open 0 1: File.open open File.new IO.open Kernel.open Path.open
read 0: File.read File.readlines File.binread IO.read IO.readlines File.foreach IO.foreach Path.read
    Path.readlines Path.binread CSV.read YAML.load_file JSON.load_file
write 0: File.write IO.write File.binwrite IO.binwrite Path.write Path.binwrite File.truncate
edit 0: FileUtils.touch
deletes 0: File.delete File.unlink Dir.rmdir Dir.delete Dir.unlink FileUtils.rm FileUtils.rm_f
    FileUtils.remove
    FileUtils.rmdir FileUtils.safe_unlink Path.delete Path.unlink Path.rmdir
trees 0: FileUtils.rm_rf FileUtils.rm_r FileUtils.rmtree FileUtils.remove_dir FileUtils.remove_entry
    FileUtils.remove_entry_secure Path.rmtree rm_rf rm_r FileUtils.remove_file
move 0 1: File.rename FileUtils.mv FileUtils.move Path.rename
copy 0 1: FileUtils.cp FileUtils.copy FileUtils.copy_file FileUtils.install
copytree 0 1: FileUtils.cp_r FileUtils.copy_entry
mode 1: FileUtils.chmod FileUtils.chmod_R FileUtils.chown FileUtils.chown_R File.chmod File.chown
mode 0 1: FileUtils.ln_s FileUtils.ln_sf FileUtils.ln File.symlink File.link
mode 0: Path.chmod
names 0: Dir.entries Dir.children Dir.each_child Dir.foreach
items 0: Path.children Path.each_child Path.entries
find 0: Find.find Path.find
kill 1 0: Process.kill
send 0: Net.HTTP.get Net.HTTP.post URI.open Net.HTTP.post_form HTTParty.get HTTParty.post
print 0: puts print p pp $stdout.puts $stdout.print STDOUT.puts STDOUT.print STDOUT.write $stdout.write
    Kernel.puts printf
exit 0: exit abort raise exit!
"""
_PHP = """
shell 0: exec shell_exec system passthru proc_open popen `
words 0: pcntl_exec
open 0 1: fopen SplFileObject
read 0: file_get_contents file readfile parse_ini_file include require include_once require_once
write 0: file_put_contents ftruncate
edit 0: touch
delete 0: unlink rmdir
tree 0: File::deleteDirectory File.deleteDirectory
move 0 1: rename move_uploaded_file
copy 0 1: copy
mode 0: chmod chown chgrp
mode 0 1: symlink link
names 0: scandir opendir readdir
items 0: DirectoryIterator FilesystemIterator
find 0: RecursiveDirectoryIterator
same 0: RecursiveIteratorIterator IteratorIterator
send 0: curl_init fsockopen
kill 0 1: posix_kill
print 0: echo print printf var_dump print_r fwrite
exit 0: exit die
"""


class LibraryCall(NamedTuple):
    action: str
    positions: tuple[int, ...]


def _parse_table(text: str) -> dict[str, LibraryCall]:
    table: dict[str, LibraryCall] = {}
    entry = LibraryCall("", ())
    for line in text.strip().splitlines():
        head, colon, names = line.partition(": ")
        if colon and not line.startswith(" "):
            action, *positions = head.split()
            entry = LibraryCall(action, tuple(map(int, positions)))
        else:
            names = line
        table |= dict.fromkeys(names.split(), entry)
    return table


CALLS: Mapping[str, Mapping[str, LibraryCall]] = {
    "python": _parse_table(_PYTHON),
    "javascript": _parse_table(_JAVASCRIPT),
    "perl": _parse_table(_PERL),
    "ruby": _parse_table(_RUBY),
    "php": _parse_table(_PHP),
}
"""The library calls of each language, by full name."""
_DISTINCT_NAMES = word_set(
    """system popen Popen check_call check_output getoutput getstatusoutput rmtree remove_tree rm_rf rm_r
    remove_entry_secure rimraf emptyDir execv execvp execve shell_exec passthru proc_open execFile execa
    read_text read_bytes write_text write_bytes unlink readFile writeFile appendFile capture2 capture3"""
)
METHODS_OF_ANY: Mapping[str, Mapping[str, LibraryCall]] = {
    language: {
        name.rpartition(".")[2]: call
        for name, call in table.items()
        if name.rpartition(".")[2] in _DISTINCT_NAMES
    }
    for language, table in CALLS.items()
}
"""Calls with a name that has one meaning, so that they are found on objects of unknown origin."""
