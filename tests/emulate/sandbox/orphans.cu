// args: none. Children in sessions and groups of their own, twice removed, that would stay for minutes.
#include <sys/prctl.h>
#include <unistd.h>
__global__ void k(int *p) { *p = 0; }
int main() {
  int *p;
  for (int i = 0; i < 40; i++) {
    if (fork()) continue;
    if (i & 1) setsid();
    if (i & 2) setpgid(0, 0);
    if (i & 4) prctl(PR_SET_PDEATHSIG, 0);
    if ((i & 8) && fork()) _exit(0);
    for (int s = 0; s < 300; s++) sleep(1);
    _exit(0);
  }
  cudaMalloc(&p, 4);
  k<<<5, 1>>>(p);
#ifdef ENDLESS
  for (;;) sleep(1);
#endif
  return 0;
}
