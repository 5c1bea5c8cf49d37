// No network, no other process: refused, and the program goes on.
#include <cerrno>
#include <csignal>
#include <netinet/in.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
__global__ void k(int *p) { *p = 0; }
int main() {
  int *p;
  if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || errno != EPERM) return 1;
  if (socket(AF_UNIX, SOCK_STREAM, 0) >= 0 || errno != EPERM) return 2;
  if (ptrace(PTRACE_TRACEME, 0, 0, 0) >= 0) return 3;
  if (!syscall(SYS_tkill, getppid(), SIGKILL) || errno != EPERM) return 4;
  cudaMalloc(&p, 4);
  k<<<3, 1>>>(p);
  return 0;
}
