// Namespaces, mounts, System V IPC, other ways into the kernel: refused.
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>
__global__ void k(int *p) { *p = 0; }
int main() {
  int *p;
  char buffer[256] = {};
  for (int flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS})
    if (!unshare(flag) || syscall(SYS_clone, flag | 17, 0, 0, 0, 0) >= 0) return 1;
  if (syscall(SYS_clone3, buffer, 88) >= 0) return 2;
  if (!mount("none", "/tmp", "tmpfs", 0, "") || !umount("/tmp")) return 3;
  if (syscall(430 /* fsopen */, "tmpfs", 0) >= 0 || syscall(428 /* open_tree */, -100, "/", 1) >= 0) return 4;
  if (!syscall(429 /* move_mount */, -100, "/", -100, "/tmp", 0)) return 5;
  if (!syscall(442 /* mount_setattr */, -100, "/tmp", 0, buffer, 32)) return 6;
  if (shmget(IPC_PRIVATE, 4096, 0600 | IPC_CREAT) >= 0 || semget(IPC_PRIVATE, 1, 0600 | IPC_CREAT) >= 0) return 7;
  if (msgget(IPC_PRIVATE, 0600 | IPC_CREAT) >= 0 || mq_open("/warpwise", O_CREAT | O_RDWR, 0600, nullptr) >= 0) return 8;
  if (syscall(SYS_io_uring_setup, 1, buffer) >= 0 || syscall(SYS_bpf, 0, buffer, 64) >= 0) return 9;
  if (syscall(SYS_keyctl, 0, 0) >= 0 || syscall(SYS_userfaultfd, 0) >= 0) return 10;
  if (syscall(SYS_process_vm_readv, getppid(), buffer, 1, buffer, 1, 0) >= 0 || !chroot("/tmp")) return 11;
  if (syscall(SYS_perf_event_open, buffer, 0, -1, -1, 0) >= 0 || syscall(SYS_personality, 0) >= 0) return 12;
  if (syscall(SYS_name_to_handle_at, -100, "/", buffer, buffer, 0) >= 0) return 13;
  cudaMalloc(&p, 4);
  k<<<5, 1>>>(p);
  return 0;
}
