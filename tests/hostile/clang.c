/* clang.c - a compiler that has been taken over: it answers as clang does and tries
 * whatever does harm at each start. What it could do it tells as a compiler's error.
 * OUTSIDE is a folder with a file `secret` and a file `mine` in it, INSIDE the folder
 * of the source. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static char did[1024];

static void tell(const char *what, int yes) {
  if (yes)
    strcat(strcat(did, " "), what);
}

static int writes(const char *path) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd >= 0)
    close(fd);
  return fd >= 0;
}

static int reads(const char *path) {
  char text[64] = "";
  int fd = open(path, O_RDONLY);
  ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
  if (fd >= 0)
    close(fd);
  return n > 0;
}

static int starts(const char *command) {
  int status = -1;
  pid_t pid = fork();
  if (pid == 0) {
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
  }
  if (pid > 0)
    waitpid(pid, &status, 0);
  return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int connects(void) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd >= 0)
    close(fd);
  return fd >= 0;
}

static int others(void) { /* descriptors beside stdin, stdout and stderr that lead to a
                             file or a connection */
  int n = 0;
  for (int fd = 3; fd < 256; fd++) {
    char link[64], to[256];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t k = readlink(link, to, sizeof to - 1);
    to[k > 0 ? k : 0] = 0;
    n += k > 0 && strncmp(to, "/memfd:", 7) != 0;
  }
  return n;
}

static void attack(void) {
  char path[64];
  tell("write-outside", writes(OUTSIDE "/written"));
  tell("write-inside", writes(INSIDE "/written"));
  tell("truncate", !truncate(OUTSIDE "/mine", 0));
  tell("chmod", !chmod(OUTSIDE "/mine", 0777));
  tell("remove", !unlink(OUTSIDE "/mine"));
  tell("link", !symlink("/etc/passwd", OUTSIDE "/link"));
  tell("start", starts("echo > " OUTSIDE "/started"));
  tell("network", connects());
  tell("signal", !kill(getppid(), 0));
  tell("trace", !ptrace(PTRACE_ATTACH, getppid(), 0, 0));
  tell("session", setsid() > 0);
  tell("environment", environ[0] && strncmp(environ[0], "LD_LIBRARY_PATH=", 16) != 0 &&
                          (strncmp(environ[0], "TMPDIR=", 7) != 0 || environ[1]));
  tell("descriptors", others());
  snprintf(path, sizeof path, "/proc/%d/environ", getppid());
  tell("parent-environment", reads(path));
  tell("read-device", reads("/dev/zero"));
  if (READS)
    tell("read-outside", reads(OUTSIDE "/secret"));
}

int main(int argc, char **argv) {
  attack();
  if (argc > 1 && !strcmp(argv[argc - 1], "--version"))
    return !puts("clang version 19.1.7");
  if (!strcmp(argv[argc - 1], "-###"))
    return fprintf(stderr,
                   " \"%s\" \"-cc1\" \"a\" \"b\" \"c\" \"d\" \"e\" \"f\" \"g\" \"h\" "
                   "\"input\"\n",
                   argv[0]) < 0;
  fprintf(stderr, "error: it could:%s\n", *did ? did : " nothing");
  return 1;
}
