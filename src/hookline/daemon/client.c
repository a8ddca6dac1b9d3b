/* hookline-client: pass one hook call to the daemon over its Unix socket and print the reply.
 *
 * client.py is the same program for platforms without a compiler, and messages.py documents the protocol.
 * Nothing but RELEASE is compiled in: the interpreter is found from the path of this executable. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client_platform.h"

#ifndef RELEASE
#error "compile with -DRELEASE=\"...\""
#endif

enum {
  LARGEST = 64 << 20,  /* bytes of a payload or of a reply */
  SILENCE = 1000,      /* milliseconds without a byte after which the client checks whether the daemon uses CPU */
  LONGEST_WAIT = 60,   /* number of such intervals to wait for a daemon that uses CPU */
  CONNECTS_WITHIN = 2000, /* milliseconds until a connection must be established */
  START_WITHIN = 2000, /* milliseconds to wait for a daemon that is being started */
  RETRY_START = 10,    /* seconds until a failed start of the daemon is tried again */
  POLL_EVERY = 2,      /* milliseconds between two attempts to connect */
  ATTEMPTS = 3,        /* exchanges with a daemon before the call is answered without it */
  LONGEST_SOCKET = 100, /* bytes of a socket's path that every platform accepts */
};

enum outcome { ANSWERED, LOST, HUNG, REPLACED, REFUSED };

struct buffer {
  char *data;
  size_t size, capacity;
};

struct reply {
  struct buffer text;
  int code, unwritten_code;
  size_t out, err, terminal;
};

extern char **environ;

static char programs[PATH_MAX];    /* folder of this executable */
static char interpreter[PATH_MAX]; /* empty: run the script `hookline` beside us instead */
static int in_venv;
static char call_id[33];
static struct buffer payload;

/* Runs a module of a package installed beside `programs`, as in a user's site-packages. */
static char bootstrap[] =
    "import runpy, site, sys; where = sys.argv.pop(1); "
    "site.addsitedir('%s/../lib/python%d.%d/site-packages' % (where, *sys.version_info[:2])); "
    "runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)";

/* ---------------------------------------------------------------- bytes */

static int append(struct buffer *buffer, const void *data, size_t size) {
  if (buffer->size + size + 1 > buffer->capacity) {
    size_t capacity = (buffer->size + size + 1) * 2;
    char *grown = realloc(buffer->data, capacity);
    if (!grown) return -1;
    buffer->data = grown;
    buffer->capacity = capacity;
  }
  memcpy(buffer->data + buffer->size, data, size);
  buffer->size += size;
  buffer->data[buffer->size] = 0;
  return 0;
}

static int append_string(struct buffer *buffer, const char *text) {
  return append(buffer, text, strlen(text) + 1);
}

/* Wait for a stream that its owner has made non-blocking; return whether it is ready. */
static int ready(int stream, short events) {
  struct pollfd one = {.fd = stream, .events = events};
  return errno == EINTR || (errno == EAGAIN && poll(&one, 1, -1) >= 0);
}

static int read_all(int from, struct buffer *buffer) {
  char chunk[1 << 16];
  ssize_t size;
  while ((size = read(from, chunk, sizeof chunk)) != 0) {
    if (size < 0 && ready(from, POLLIN)) continue;
    if (size < 0) return 0; /* an unreadable payload counts as empty */
    if (append(buffer, chunk, (size_t)size)) return -1;
  }
  return 0;
}

static int write_all(int to, const char *data, size_t size) {
  while (size) {
    ssize_t written = write(to, data, size);
    if (written < 0 && ready(to, POLLOUT)) continue;
    if (written < 0) return -1;
    data += written;
    size -= (size_t)written;
  }
  return 0;
}

static int format(char *into, size_t size, const char *pattern, ...) {
  va_list values;
  va_start(values, pattern);
  int length = vsnprintf(into, size, pattern, values);
  va_end(values);
  return length < 0 || (size_t)length >= size ? -1 : 0;
}

static long long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* ---------------------------------------------------------------- this installation */

/* Open missing standard streams, or a socket would get their number; writing to such a stream fails. */
static void open_standard_streams(void) {
  for (int number = 0; number < 3; number++)
    if (fcntl(number, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0) _exit(2);
}

static void read_interpreter(void) {
  char path[PATH_MAX + 16], line[PATH_MAX] = "";
  if (format(path, sizeof path, "%s/hookline", programs)) return;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  ssize_t size = read(file, line, sizeof line - 1);
  close(file);
  if (size < 4 || strncmp(line, "#!/", 3)) return;
  line[strcspn(line, "\n")] = 0;
  /* A launcher such as `#!/bin/sh` or one with options knows the interpreter better than we do. */
  if (!strchr(line, ' ') && strstr(line, "python")) strcpy(interpreter, line + 2);
}

static void locate(void) {
  char path[PATH_MAX + 32];
  if (find_executable(programs)) *programs = 0;
  char *end = strrchr(programs, '/');
  if (!end) return;
  *end = 0;
  in_venv = !format(path, sizeof path, "%s/../pyvenv.cfg", programs) && !access(path, F_OK);
  if (!in_venv)
    read_interpreter();
  else if (format(interpreter, sizeof interpreter, "%s/python", programs))
    *interpreter = 0;
}

/* Fill *words* with the command line that runs *module* with *count* further arguments. */
static void command_line(char **words, char *module, char **arguments, int count) {
  int at = 0;
  words[at++] = interpreter;
  words[at++] = "-I";
  words[at++] = in_venv ? "-m" : "-c";
  if (!in_venv) {
    words[at++] = bootstrap;
    words[at++] = programs;
  }
  words[at++] = module;
  for (int index = 0; index < count; index++) words[at++] = arguments[index];
  words[at] = NULL;
}

static void run_hookline(char **arguments, int count) {
  char **words = calloc((size_t)count + 8, sizeof *words), script[PATH_MAX + 16];
  if (words && *interpreter) {
    command_line(words, "hookline", arguments, count);
    execv(interpreter, words);
  } else if (words && !format(script, sizeof script, "%s/hookline", programs)) {
    words[0] = script;
    memcpy(words + 1, arguments, (size_t)count * sizeof *words);
    execv(script, words);
  }
  dprintf(2, "hookline: no Python beside %s can be started, so no hook ran: %s\n", programs, strerror(errno));
  exit(1); /* hosts show this error to their user and do not block */
}

/* Return a stream with the payload: a file in memory, or a pipe if a sandbox forbids that; -1 if neither works. */
static int payload_stream(void) {
  int ends[2], file = open_memory_file();
  if (file >= 0) return write_all(file, payload.data, payload.size) || lseek(file, 0, SEEK_SET) ? -1 : file;
  if (open_pipe(ends, payload.size)) return -1;
  if (write_all(ends[1], payload.data, payload.size)) return -1;
  close(ends[1]);
  return ends[0];
}

/* Answer the call in a process of its own, with the same code as the daemon. */
static void answer_alone(char **arguments, int count) {
  signal(SIGPIPE, SIG_DFL);
  int file = payload_stream();
  if (file < 0 || dup2(file, 0) < 0) {
    dprintf(2, "hookline: the call cannot be passed on, so it is blocked: %s\n", strerror(errno));
    exit(2);
  }
  char **more = calloc((size_t)count + 3, sizeof *more);
  if (!more) exit(2);
  more[0] = "hook";
  more[1] = "--call"; /* first: the host's own arguments may lack a value */
  more[2] = call_id;
  memcpy(more + 3, arguments, (size_t)count * sizeof *more);
  run_hookline(more, count + 3);
}

/* ---------------------------------------------------------------- the daemon's folder */

static int holds(const char *folder, const char *name) {
  char path[PATH_MAX + 16];
  struct stat found;
  return !format(path, sizeof path, "%s/%s", folder, name) && !lstat(path, &found);
}

/* Return whether all users share *folder*, as in client.py. */
static int is_shared(const char *folder) {
  static const char *shared[] = {"/tmp", "/private/tmp", "/var/tmp", "/dev/shm"};
  for (size_t at = 0; at < sizeof shared / sizeof *shared; at++)
    if (!strcmp(folder, shared[at])) return 1;
  return 0;
}

/* Return whether every component of *folder* is a real folder that no other user can replace, and the last one
 * is closed to others. `unusable` in client.py states the same rule. */
static int is_private(const char *folder, int outside_repositories) {
  char part[PATH_MAX];
  struct stat found;
  size_t length = strlen(folder);
  for (size_t end = 1; end <= length; end++) {
    if (end > 1 && end < length && folder[end] != '/') continue;
    memcpy(part, folder, end);
    part[end] = 0;
    if (lstat(part, &found) || !S_ISDIR(found.st_mode)) return 0;
    if (found.st_uid != 0 && found.st_uid != getuid()) return 0;
    if (found.st_mode & 022 && !(found.st_mode & S_ISVTX)) return 0;
    int checked = outside_repositories && !is_shared(part);
    if (checked && (holds(part, ".git") || holds(part, ".hookline"))) return 0;
  }
  if (found.st_uid != getuid() || found.st_mode & 077 || access(folder, W_OK | X_OK)) return 0;
  return length + strlen("/socket") <= LONGEST_SOCKET;
}

/* Find the first usable folder of `candidates` in client.py; create it if it is missing and that is allowed. */
static int find_folder(char *folder, size_t size) {
  if (in_venv) {
    strcpy(folder, programs);
    *strrchr(folder, '/') = 0;
    if (strlen(folder) + 5 < size && is_private(strcat(folder, "/run"), 1)) return 0;
  }
  static const char *patterns[] = {"/run/user/%u/hookline", "/tmp/hookline-%u"};
  for (int at = 0; at < 2; at++) {
    if (format(folder, size, patterns[at], (unsigned)getuid())) return -1;
    if (mkdir(folder, 0700) && errno != EEXIST) continue;
    if (is_private(folder, 0)) return 0;
  }
  return -1;
}

/* ---------------------------------------------------------------- connecting and starting */

static int connect_to(const char *folder) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  struct stat found;
  if (format(address.sun_path, sizeof address.sun_path, "%s/socket", folder)) return -1;
  if (lstat(address.sun_path, &found) || !S_ISSOCK(found.st_mode)) return -1;
  if (found.st_uid != getuid() || found.st_mode & 077) return -1;
  int made = open_socket();
  if (made < 0) return -1;
  struct timeval within = {CONNECTS_WITHIN / 1000, 0}; /* a suspended daemon accepts no connection */
  if (setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &within, sizeof within) ||
      connect(made, (struct sockaddr *)&address, sizeof address) ||
      find_peer(made) < 0) {
    close(made);
    return -1;
  }
  return made;
}

/* Wait until *connection* is ready. A daemon that is silent for two intervals and uses no CPU hangs: it may be
 * busy with a call that keeps its other threads from running. */
static enum outcome wait_until_ready(int connection, short events) {
  struct pollfd one = {.fd = connection, .events = events};
  long long before = -1;
  for (int interval = 0; interval < LONGEST_WAIT; interval++) {
    int found;
    while ((found = poll(&one, 1, SILENCE)) < 0 && errno == EINTR) continue;
    if (found) return found > 0 ? ANSWERED : LOST;
    long long now = cpu_time(find_peer(connection));
    if (interval && now - before < 100) return HUNG;
    before = now;
  }
  return HUNG;
}

static void become_daemon(const char *folder) {
  char log[PATH_MAX + 8], *words[9], *arguments[] = {programs}, *kept[4];
  int count = 0;
  setsid();
  if (format(log, sizeof log, "%s/log", folder)) _exit(1);
  int input = open("/dev/null", O_RDONLY), output = open(log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);
  if (input < 0 || output < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0) _exit(1);
  signal(SIGPIPE, SIG_DFL);
  /* Other variables may be set by a repository: the daemon inherits only language and time zone. */
  for (char **one = environ; *one && count < 3; one++)
    if (!strncmp(*one, "LANG=", 5) || !strncmp(*one, "LC_ALL=", 7) || !strncmp(*one, "TZ=", 3)) kept[count++] = *one;
  kept[count] = NULL;
  command_line(words, "hookline.daemon", arguments, 1);
  execve(interpreter, words, kept);
  _exit(1);
}

/* Record in the times of *lock*, which need no disk space, whether the last start failed. */
static void note_failed(int lock, int failed) {
  struct timespec times[2] = {{0, failed ? 0 : UTIME_NOW}, {0, UTIME_NOW}};
  futimens(lock, times);
}

static int failed_lately(int lock) {
  struct stat found;
  time_t age = fstat(lock, &found) ? -1 : time(NULL) - found.st_mtime;
  return age >= 0 && age < RETRY_START && !found.st_atime;
}

/* Return a connection to a daemon, or -1; one of the waiting clients starts the daemon if necessary. */
static int wait_for_daemon(const char *folder) {
  char path[PATH_MAX + 16];
  long long until = milliseconds() + START_WITHIN;
  struct timespec pause = {0, POLL_EVERY * 1000000L};
  pid_t child = 0;
  int connection = -1, failed = 0;
  if (!*interpreter || format(path, sizeof path, "%s/start.lock", folder)) return -1;
  int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock < 0) return -1;
  do {
    int status;
    if (!child && !flock(lock, LOCK_EX | LOCK_NB)) {
      if (failed_lately(lock)) break;
      if ((connection = connect_to(folder)) >= 0) break; /* another client has started it */
      child = fork();
      if (child == 0) become_daemon(folder);
      failed = child < 0;
    }
    if (child > 0 && waitpid(child, &status, WNOHANG) == child) {
      failed = WIFEXITED(status) && WEXITSTATUS(status) != 0; /* 0: another daemon has the folder */
      child = WIFEXITED(status) ? -1 : 0;                      /* a killed child is started again */
    }
    nanosleep(&pause, NULL);
  } while (!failed && (connection = connect_to(folder)) < 0 && milliseconds() < until);
  if (child) note_failed(lock, connection < 0);
  if (child && connection < 0 && (connection = connect_to(folder)) >= 0) note_failed(lock, 0); /* just in time */
  close(lock);
  return connection;
}

/* ---------------------------------------------------------------- the exchange */

static int encode_call(struct buffer *call, char **arguments, int count) {
  char head[160], here[PATH_MAX];
  int variables = 0;
  while (environ[variables]) variables++;
  if (format(head, sizeof head, "hookline/2 hook %s %s %d %d %zu\n", RELEASE, call_id, count, variables, payload.size))
    return -1;
  if (append(call, head, strlen(head)) || append_string(call, programs)) return -1;
  for (int at = 0; at < count; at++)
    if (append_string(call, arguments[at])) return -1;
  for (int at = 0; at < variables; at++)
    if (append_string(call, environ[at])) return -1;
  if (append_string(call, getcwd(here, sizeof here) ? here : "")) return -1;
  return payload.size ? append(call, payload.data, payload.size) : 0;
}

static enum outcome send_call(int to, const struct buffer *call) {
  size_t sent = 0;
  while (sent < call->size) {
    enum outcome got = wait_until_ready(to, POLLOUT);
    if (got != ANSWERED) return got;
    ssize_t size = send(to, call->data + sent, call->size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size < 0) return LOST;
    sent += (size_t)size;
  }
  return ANSWERED;
}

static enum outcome receive_more(int from, struct buffer *text) {
  char chunk[1 << 16];
  enum outcome got = wait_until_ready(from, POLLIN);
  if (got != ANSWERED) return got;
  ssize_t size = recv(from, chunk, sizeof chunk, 0);
  return size <= 0 || append(text, chunk, (size_t)size) ? LOST : ANSWERED;
}

/* Drop the progress messages and remove the head from the reply. */
static enum outcome receive_head(int from, struct reply *reply) {
  struct buffer *text = &reply->text;
  enum outcome got;
  for (;;) {
    char *end = text->size ? memchr(text->data, '\n', text->size) : NULL;
    if (!end) {
      if ((got = receive_more(from, text)) != ANSWERED) return got;
      continue;
    }
    char first = *text->data;
    int fields = first == '.' || first == '!' ? 5
                                              : sscanf(text->data, "%d %d %zu %zu %zu", &reply->code,
                                                       &reply->unwritten_code, &reply->out, &reply->err, &reply->terminal);
    int replaced = !strncmp(text->data, "!replaced\n", 10);
    size_t used = (size_t)(end - text->data) + 1;
    memmove(text->data, text->data + used, text->size -= used);
    if (first == '.') continue;
    if (first == '!') return replaced ? REPLACED : REFUSED;
    return fields == 5 ? ANSWERED : LOST;
  }
}

static enum outcome receive_reply(int from, struct reply *reply) {
  enum outcome got = receive_head(from, reply);
  if (got != ANSWERED) return got;
  if (reply->out > LARGEST || reply->err > LARGEST || reply->terminal > LARGEST) return LOST;
  while (reply->text.size < reply->out + reply->err + reply->terminal)
    if ((got = receive_more(from, &reply->text)) != ANSWERED) return got;
  return ANSWERED;
}

static enum outcome exchange(int connection, const struct buffer *call, struct reply *reply) {
  reply->text.size = 0;
  enum outcome got = send_call(connection, call);
  /* A daemon that refuses may reply and close before it has read everything. */
  if (got != HUNG) got = receive_reply(connection, reply);
  if (got == HUNG) {
    pid_t process = find_peer(connection);
    got = process > 1 && !kill(process, SIGKILL) ? LOST : REFUSED; /* it cannot be replaced, so it is not called again */
  }
  close(connection);
  return got;
}

/* Return whether the daemon answered; replace one that dies, hangs or belongs to another installation. */
static int ask_daemon(char **arguments, int count, struct reply *reply) {
  char folder[PATH_MAX];
  struct buffer call = {0};
  const char *wanted = getenv("HOOKLINE_DAEMON");
  if ((wanted && !strcmp(wanted, "off")) || payload.size > LARGEST) return 0;
  if (find_folder(folder, sizeof folder) || encode_call(&call, arguments, count)) return 0;
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    int connection = connect_to(folder);
    if (connection < 0) connection = wait_for_daemon(folder);
    if (connection < 0) return 0;
    enum outcome got = exchange(connection, &call, reply);
    if (got == ANSWERED || got == REFUSED) return got == ANSWERED;
  }
  return 0;
}

/* Write the reply and return the exit code for the host; a lost reply does not count as a pass. */
static int print_reply(const struct reply *reply) {
  const char *text = reply->text.data;
  int code = reply->code;
  if (write_all(1, text, reply->out)) {
    code = reply->unwritten_code;
    dprintf(2, "hookline: the reply cannot be written to standard output (%s)%s: %.*s\n", strerror(errno),
            code ? ", so the call is blocked" : "", (int)reply->out, text);
  }
  write_all(2, text + reply->out, reply->err);
  int terminal = reply->terminal ? open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC) : -1;
  if (terminal >= 0) write_all(terminal, text + reply->out + reply->err, reply->terminal);
  return code;
}

int main(int count, char **words) {
  struct reply reply = {0};
  unsigned char random[16];
  open_standard_streams();
  locate();
  int asks_for_help = count > 2 && (!strcmp(words[2], "-h") || !strcmp(words[2], "--help"));
  if (count < 3 || strcmp(words[1], "hook") || asks_for_help) run_hookline(words + 1, count - 1);
  if (read_all(0, &payload) || getentropy(random, sizeof random)) {
    dprintf(2, "hookline: the call cannot be read, so it is blocked: %s\n", strerror(errno));
    return 2;
  }
  for (int at = 0; at < 16; at++) snprintf(call_id + 2 * at, 3, "%02x", random[at]);
  signal(SIGPIPE, SIG_IGN);
  if (!ask_daemon(words + 2, count - 2, &reply)) answer_alone(words + 2, count - 2);
  return print_reply(&reply);
}
