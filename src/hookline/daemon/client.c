/* `hookline`, of which `hook` asks the daemon over its Unix socket: where none answers, a process of its own
 * does. In: a host's payload on stdin. Out: what `hookline hook` would print. `messages.py` tells what is said. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef RELEASE
#error "the release and installation that it asks for are told when it is compiled"
#endif
#ifndef OWN
#error "the interpreter that has the program is told when it is compiled"
#endif
#ifndef SOURCES
#error "the folder that has the package is told when it is compiled"
#endif
#define PATH_MAX_HERE 4096
#define LONGEST (64u << 20)
#define PATIENCE 1000 /* milliseconds without a sign of life */

extern char **environ;

struct text {
  char *data;
  size_t size, room;
};

static char **arguments;
static struct text payload;
static int payload_read;
static char name[96];

static int add(struct text *text, const char *data, size_t size) {
  if (text->size + size + 1 > text->room) {
    size_t room = (text->size + size + 1) * 2;
    char *more = realloc(text->data, room);
    if (!more) return -1;
    text->data = more;
    text->room = room;
  }
  memcpy(text->data + text->size, data, size);
  text->size += size;
  text->data[text->size] = 0;
  return 0;
}

static int add_all(int from, struct text *text) { /* to its end */
  char piece[1 << 16];
  ssize_t size;
  while ((size = read(from, piece, sizeof piece)) != 0) {
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 || add(text, piece, (size_t)size)) return -1;
  }
  return 0;
}

static int put(int to, const char *data, size_t size) {
  while (size) {
    ssize_t done = write(to, data, size);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return -1;
    data += done;
    size -= (size_t)done;
  }
  return 0;
}

/* Become `hookline` itself, by the interpreter that has it, on which the environment has no say. A host's call
 * does not wait until Python has found all libraries (`-S`): it finds those it needs (see `late_site.py`). */
static void whole(void) {
  int count = 0;
  while (arguments[count]) count++;
  char **words = calloc((size_t)count + 5, sizeof *words);
  if (words) {
    words[0] = OWN, words[1] = count > 1 && !strcmp(arguments[1], "hook") ? "-IS" : "-I", words[2] = "-c";
    words[3] = "import gc, sys; gc.disable(); sys.path.append(sys.argv.pop(1)); "
               "from hookline.cli import main; sys.exit(main())";
    words[4] = SOURCES;
    for (int at = 1; at < count; at++) words[at + 4] = arguments[at];
    execv(OWN, words);
  }
  execvp("hookline", arguments);
  dprintf(2, "hookline: %s cannot be started, so nothing was judged: %s\n", OWN, strerror(errno));
  exit(0);
}

/* Answer without the daemon; what was read already comes through a pipe. */
static void alone(void) {
  signal(SIGPIPE, SIG_DFL);
  if (payload_read) {
    int ends[2];
    if (pipe(ends) == 0) {
      pid_t feeder = fork();
      if (feeder == 0) {
        close(ends[0]);
        close(0), close(1), close(2); /* who reads them must not wait for us */
        _exit(put(ends[1], payload.data, payload.size) ? 1 : 0);
      }
      close(ends[1]);
      if (feeder > 0) dup2(ends[0], 0);
      payload_read = feeder < 0;
    }
    if (payload_read) {
      dprintf(2, "hookline: there is no process to answer with, so this is stopped: %s\n", strerror(errno));
      exit(2);
    }
  }
  setenv("HOOKLINE_CALL", name, 1);
  whole();
}

/* The folder that only this user can reach into, as `paths.py` finds it. */
static int place(char *folder, size_t size) {
  const char *given = getenv("XDG_RUNTIME_DIR");
  struct stat found;
  for (int at = given && *given == '/' ? 0 : 1; at < 2; at++) {
    int length = at ? snprintf(folder, size, "/tmp/hookline-%u", (unsigned)getuid())
                    : snprintf(folder, size, "%s/hookline", given);
    if (length < 0 || (size_t)length >= size || lstat(folder, &found)) continue;
    if (S_ISDIR(found.st_mode) && found.st_uid == getuid() && !(found.st_mode & 077)) return 0;
  }
  return -1;
}

/* A connection to a daemon of our release and installation, and its secret. */
static int line(char *secret) {
  char folder[PATH_MAX_HERE], path[PATH_MAX_HERE + 16], told[320] = "", release[96];
  struct sockaddr_un where = {.sun_family = AF_UNIX};
  if (place(folder, sizeof folder)) return -1;
  snprintf(path, sizeof path, "%s/address", folder);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  ssize_t size = read(file, told, sizeof told - 1);
  close(file);
  if (size <= 0 || sscanf(told, "%95s %*s %*s %*s %95s", release, secret) != 2) return -1;
  if (strcmp(release, RELEASE)) return -1;
  if ((size_t)snprintf(where.sun_path, sizeof where.sun_path, "%s/socket", folder) >= sizeof where.sun_path)
    return -1;
  int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made >= 0 && connect(made, (struct sockaddr *)&where, sizeof where)) {
    close(made);
    return -1;
  }
  return made;
}

static int said(struct text *call, const char *secret, char **words, int count) {
  char head[320], here[PATH_MAX_HERE];
  int variables = 0;
  while (environ[variables]) variables++;
  int size = snprintf(head, sizeof head, "hookline/1 %s %d %s %d %d\n", secret, getpid(), name, count, variables);
  if (size < 0 || (size_t)size >= sizeof head || add(call, head, (size_t)size)) return -1;
  for (int at = 0; at < count; at++)
    if (add(call, words[at], strlen(words[at]) + 1)) return -1;
  for (int at = 0; at < variables; at++)
    if (add(call, environ[at], strlen(environ[at]) + 1)) return -1;
  if (!getcwd(here, sizeof here)) *here = 0;
  if (add(call, here, strlen(here) + 1) || add(call, payload.data ? payload.data : "", payload.size)) return -1;
  return add(call, "", 1);
}

static int sent(int to, const struct text *call) { /* all of it, or it does not listen */
  size_t done = 0;
  while (done < call->size) {
    struct pollfd ready = {.fd = to, .events = POLLOUT};
    if (poll(&ready, 1, PATIENCE * 5) <= 0) return -1;
    ssize_t size = send(to, call->data + done, call->size - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size < 0) return -1;
    done += (size_t)size;
  }
  return 0;
}

static int more(int from, struct text *heard) {
  char piece[1 << 16];
  struct pollfd ready = {.fd = from, .events = POLLIN};
  if (poll(&ready, 1, PATIENCE) <= 0) return -1;
  ssize_t size = recv(from, piece, sizeof piece, 0);
  return size <= 0 ? -1 : add(heard, piece, (size_t)size);
}

/* The whole answer, past all signs of life: where it ends too soon, there is none. */
static int heard(int from, struct text *answer, int *code, size_t sizes[3]) {
  size_t begin = 0;
  for (;;) {
    char *end = answer->size > begin ? memchr(answer->data + begin, '\n', answer->size - begin) : NULL;
    if (!end) {
      if (more(from, answer)) return -1;
      continue;
    }
    size_t after = (size_t)(end - answer->data) + 1;
    if (after - begin == 2 && answer->data[begin] == '.') {
      begin = after;
      continue;
    }
    if (sscanf(answer->data + begin, "%d %zu %zu %zu", code, &sizes[0], &sizes[1], &sizes[2]) != 4) return -1;
    begin = after;
    break;
  }
  if (sizes[0] > LONGEST || sizes[1] > LONGEST || sizes[2] > LONGEST) return -1;
  while (answer->size < begin + sizes[0] + sizes[1] + sizes[2])
    if (more(from, answer)) return -1;
  memmove(answer->data, answer->data + begin, answer->size - begin);
  return 0;
}

static void show(const char *data, size_t size) {
  int terminal = size ? open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC) : -1;
  if (terminal >= 0) put(terminal, data, size);
}

int main(int count, char **words) {
  struct text call = {0}, answer = {0};
  const char *wanted = getenv("HOOKLINE_DAEMON");
  char secret[96];
  struct timespec now;
  size_t sizes[3];
  int code;
  arguments = words;
  if (count < 3 || strcmp(words[1], "hook")) whole();
  if (wanted && !strcmp(wanted, "off")) alone();
  int to = line(secret);
  if (to < 0) alone();
  signal(SIGPIPE, SIG_IGN);
  payload_read = 1;
  if (add_all(0, &payload)) alone();
  if (payload.size > LONGEST || (payload.size && memchr(payload.data, 0, payload.size))) alone();
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(name, sizeof name, "%d.%lx%lx", getpid(), (long)now.tv_sec, (long)now.tv_nsec);
  if (said(&call, secret, words + 2, count - 2) || sent(to, &call) || heard(to, &answer, &code, sizes)) alone();
  put(1, answer.data, sizes[0]);
  put(2, answer.data + sizes[0], sizes[1]);
  show(answer.data + sizes[0] + sizes[1], sizes[2]);
  return code;
}
