/* limits.c - SECONDS MB COMMAND... : runs it and says where it took longer or more
 * memory than that, itself and what it started.
 *
 * Its output passes through; its exit code is ours, 99 where a limit was missed. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  double begun = now(), most = atof(argv[1]);
  int status = 0;
  pid_t pid = fork(), got = 0;
  if (pid == 0) {
    setpgid(0, 0);
    execvp(argv[3], argv + 3);
    _exit(127);
  }
  while (!(got = waitpid(pid, &status, WNOHANG)) && now() - begun < most)
    usleep(5000);
  if (!got) {
    kill(pid, SIGTERM); /* so that it ends what it started */
    usleep(300000);
    kill(-pid, SIGKILL);
    waitpid(pid, &status, 0);
    printf("it ran longer than %g s\n", most);
    return 99;
  }
  struct rusage u;
  getrusage(RUSAGE_CHILDREN, &u);
  if (u.ru_maxrss >> 10 > atol(argv[2])) {
    printf("it took %ld MB\n", u.ru_maxrss >> 10);
    return 99;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
