// args: PID of a process outside. Signals by every call there is; whoever runs this looks whether the process lives.
#include <csignal>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
__global__ void k(int *p) { *p = 0; }
int main(int argc, char **argv) {
  int *p, pid = atoi(argv[1]), fd[2];
  union sigval v = {};
  kill(pid, SIGKILL);
  syscall(SYS_tkill, pid, SIGKILL);
  syscall(SYS_tgkill, pid, pid, SIGKILL);
  sigqueue(pid, SIGKILL, v);
  int handle = (int)syscall(SYS_pidfd_open, pid, 0);
  if (handle >= 0) syscall(SYS_pidfd_send_signal, handle, SIGKILL, nullptr, 0);
  if (!pipe(fd)) { // the kernel signals the owner of a descriptor
    fcntl(fd[0], F_SETOWN, pid);
    fcntl(fd[0], F_SETSIG, SIGKILL);
    fcntl(fd[0], F_SETFL, O_ASYNC);
    if (write(fd[1], "", 1) != 1) return 1;
  }
  cudaMalloc(&p, 4);
  k<<<5, 1>>>(p);
  return 0;
}
