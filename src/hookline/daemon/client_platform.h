/* System calls of client.c that differ between Linux and macOS, behind one interface. */

#ifdef __APPLE__
#include <libproc.h>
#include <mach-o/dyld.h>
#include <mach/mach_time.h>
#include <sys/random.h>
#include <sys/ucred.h>

/* Write the path of this executable to *path*, of PATH_MAX bytes; return -1 if it is unknown. */
static int find_executable(char *path) {
  char found[PATH_MAX];
  uint32_t size = sizeof found;
  return _NSGetExecutablePath(found, &size) || !realpath(found, path) ? -1 : 0;
}

/* Return an unnamed file without content, or -1. */
static int open_memory_file(void) {
  char path[] = "/tmp/hookline-XXXXXX";
  int file = mkostemp(path, O_CLOEXEC);
  if (file >= 0) unlink(path);
  return file;
}

/* Open a pipe that holds *size* bytes; return -1 if there is none. */
static int open_pipe(int *ends, size_t size) {
  return size > 16384 || pipe(ends) || fcntl(ends[0], F_SETFD, FD_CLOEXEC) || fcntl(ends[1], F_SETFD, FD_CLOEXEC) ? -1
                                                                                                                 : 0;
}

/* Return a socket that is closed by exec and raises no SIGPIPE, or -1. */
static int open_socket(void) {
  int made = socket(AF_UNIX, SOCK_STREAM, 0), on = 1;
  if (made < 0) return -1;
  if (!fcntl(made, F_SETFD, FD_CLOEXEC) && !setsockopt(made, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on)) return made;
  close(made);
  return -1;
}

#undef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0

/* Return the process at the other end, 0 if unknown, or -1 if it belongs to another user. */
static pid_t find_peer(int connection) {
  uid_t user;
  gid_t group;
  pid_t process = 0;
  socklen_t size = sizeof process;
  if (getpeereid(connection, &user, &group) || user != getuid()) return -1;
  return getsockopt(connection, SOL_LOCAL, LOCAL_PEERPID, &process, &size) ? 0 : process;
}

/* Return the milliseconds of CPU time that *process* has used; -1 if unknown. */
static long long cpu_time(pid_t process) {
  struct proc_taskinfo info;
  mach_timebase_info_data_t base;
  if (proc_pidinfo(process, PROC_PIDTASKINFO, 0, &info, sizeof info) != sizeof info || mach_timebase_info(&base)) return -1;
  return (long long)((info.pti_total_user + info.pti_total_system) / 1000000 * base.numer / base.denom);
}

#else
#include <sys/auxv.h>
#include <sys/mman.h>

static int find_executable(char *path) {
  ssize_t size = readlink("/proc/self/exe", path, PATH_MAX - 1);
  path[size > 0 ? size : 0] = 0;
  /* A sandbox may have no /proc. */
  return size <= 0 && !realpath((const char *)getauxval(AT_EXECFN), path) ? -1 : 0;
}

static int open_memory_file(void) { return memfd_create("hookline-payload", MFD_CLOEXEC); }

static int open_pipe(int *ends, size_t size) {
  return pipe2(ends, O_CLOEXEC) || (size > 65536 && fcntl(ends[1], F_SETPIPE_SZ, (int)size) < 0) ? -1 : 0;
}

static int open_socket(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

static pid_t find_peer(int connection) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.uid != getuid() ? -1 : peer.pid;
}

static long long cpu_time(pid_t process) {
  char path[64], text[1024] = "";
  unsigned long user, kernel;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  char *end = size > 0 ? strrchr(text, ')') : NULL;
  if (!end || sscanf(end, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &kernel) != 2) return -1;
  return (long long)(user + kernel) * 1000 / sysconf(_SC_CLK_TCK);
}
#endif
