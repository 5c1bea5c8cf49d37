/* old_kernel.c - `old_kernel files|all PROGRAM ARGUMENTS...` : runs it as on a kernel
 * without Landlock (files), or without seccomp's filters too (all). */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(member) \
  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, what)
#define MISSING ANSWER(SECCOMP_RET_ERRNO | ENOSYS)

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  int all = !strcmp(argv[1], "all");
  struct sock_filter f[] = {
      LOAD(nr),
      UNLESS(444, 1), /* landlock_create_ruleset */
      MISSING,
      UNLESS(all ? SYS_seccomp : 444, 1),
      MISSING,
      UNLESS(all ? SYS_prctl : 444, 3),
      LOAD(args[0]),
      UNLESS(PR_SET_SECCOMP, 1),
      ANSWER(SECCOMP_RET_ERRNO | EINVAL),
      ANSWER(SECCOMP_RET_ALLOW),
  };
  struct sock_fprog p = {.len = sizeof f / sizeof *f, .filter = f};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p, 0, 0)) {
    perror("old_kernel");
    return 77;
  }
  execv(argv[2], argv + 2);
  perror(argv[2]);
  return 127;
}
