// FILE is outside: its mode, owner, times, attributes and length cannot be changed.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>
__global__ void k(int *p) { *p = 0; }
int main() {
  int *p, fd = open(FILE_OUTSIDE, O_RDONLY);
  struct timespec t[2] = {};
  struct timeval old[2] = {};
  if (fd < 0) return 1; // in its project, so it can be read
  if (!chmod(FILE_OUTSIDE, 0777) || !fchmod(fd, 0777) || !fchmodat(AT_FDCWD, FILE_OUTSIDE, 0777, 0)) return 2;
  if (!syscall(452 /* fchmodat2 */, AT_FDCWD, FILE_OUTSIDE, 0777, 0)) return 3;
  if (!chown(FILE_OUTSIDE, getuid(), getgid()) || !fchown(fd, getuid(), getgid())) return 4;
  if (!lchown(FILE_OUTSIDE, getuid(), getgid())) return 5;
  if (!utimensat(AT_FDCWD, FILE_OUTSIDE, t, 0) || !futimens(fd, t) || !utimes(FILE_OUTSIDE, old)) return 6;
  if (!setxattr(FILE_OUTSIDE, "user.x", "1", 1, 0) || !fsetxattr(fd, "user.x", "1", 1, 0)) return 7;
  if (!truncate(FILE_OUTSIDE, 0) || open(FILE_OUTSIDE, O_RDONLY | O_TRUNC) >= 0) return 8;
  if (open(FILE_OUTSIDE, O_WRONLY) >= 0 || !unlink(FILE_OUTSIDE) || !rename(FILE_OUTSIDE, "mine")) return 9;
  if (!link(FILE_OUTSIDE, "mine") && open("mine", O_WRONLY) >= 0) return 10;
  cudaMalloc(&p, 4);
  k<<<5, 1>>>(p);
  return 0;
}
