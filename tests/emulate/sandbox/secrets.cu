// The environment and the user's files are not there.
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
__global__ void k(int *p) { *p = 0; }
extern char **environ;
int main() {
  int *p;
  char text[4096];
  for (char **v = environ; *v; v++)
    if (strstr(*v, "hush")) return 1;
  if (open(SECRET, O_RDONLY) >= 0 || open(LINK, O_RDONLY) >= 0) return 2;
  if (opendir(HOME)) return 3;
  for (int i = 0; i < 100000; i += i < 100 ? 1 : 997) { // nobody else's either
    snprintf(text, sizeof text, "/proc/%d/environ", i);
    int fd = open(text, O_RDONLY);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text);
    if (n > 0 && memmem(text, (size_t)n, "hush", 4)) return 4;
    if (fd >= 0) close(fd);
  }
  snprintf(text, sizeof text, "/proc/%d/environ", getppid());
  int fd = open(text, O_RDONLY);
  if (fd >= 0 && read(fd, text, sizeof text) > 0) return 5;
  if (open("/etc/shadow", O_RDONLY) >= 0 || open("/etc/passwd", O_RDONLY) >= 0) return 6;
  if (open("/dev/tty", O_RDONLY) >= 0) return 7;
  cudaMalloc(&p, 4);
  k<<<5, 1>>>(p);
  return 0;
}
