// Writes until it is stopped.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
__global__ void k(int *p) { *p = 0; }
int main() {
  static char block[1 << 20];
  int *p;
  cudaMalloc(&p, 4);
  k<<<5, 1>>>(p);
  memset(block, 1, sizeof block);
  for (int i = 0; i < 60000; i++) {
    char name[32];
    snprintf(name, sizeof name, "fill.%d", i % 50);
    int fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd < 0 || write(fd, block, sizeof block) != sizeof block) return 1;
    close(fd);
    usleep(1000);
  }
  return 0;
}
