/* inject.c - runs a command and lets one system call of our program in it fail.
 *
 *   inject PROGRAM CLASS N SECONDS COMMAND...     N = 0: only count; CLASS "none": only
 * run and watch
 *
 * Counted are calls of PROGRAM alone, in the command's processes and threads, from
 * main() on: its first act is to ask for SIGHUP's handler (ww_end_on_signals), which is
 * the mark. Compilers and other children are let go. After the failure all are let go,
 * so that LeakSanitizer, which traces too, can do its work at the end. The last line on
 * descriptor 3 says what happened:
 *
 *   calls=312 fired=openat:24 end=exit:3 left=0
 *
 * end=signal:N when it died, end=late when SECONDS passed; left: children that outlived
 * it by two seconds. */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef __x86_64__
int main(void) {
  fputs("inject: knows the registers of x86_64 alone\n", stderr);
  return 77;
}
#else

enum { SHORT = -1, PROCESSES = 512, ERRORS = 3 };

/* What may fail, and how; errors take turns. SHORT: the call does half of what was
 * asked. */
typedef struct {
  const char *class, *name;
  long call;
  int error[ERRORS];
} rule;
#define CALL(name) #name, SYS_##name
static const rule rules[] = {
    {"open", CALL(open), {EMFILE, EACCES, EIO}},
    {"open", CALL(openat), {EMFILE, EACCES, EIO}},
    {"open", CALL(memfd_create), {EMFILE, ENOMEM, ENFILE}},
    {"open", CALL(pipe2), {EMFILE, ENFILE, EMFILE}},
    {"open", CALL(pipe), {EMFILE, ENFILE, EMFILE}},
    {"open", CALL(socket), {EMFILE, ENOBUFS, EACCES}},
    {"open", CALL(socketpair), {EMFILE, ENOBUFS, ENOMEM}},
    {"open", CALL(eventfd2), {EMFILE, ENOMEM, EMFILE}},
    {"open", CALL(epoll_create1), {EMFILE, ENOMEM, EMFILE}},
    {"open", CALL(accept4), {EMFILE, ENOBUFS, ENOMEM}},
    {"open", CALL(bind), {EADDRINUSE, EACCES, EADDRINUSE}},
    {"open", CALL(listen), {EADDRINUSE, EADDRINUSE, EADDRINUSE}},
    {"open", CALL(dup), {EMFILE, EMFILE, EMFILE}},
    {"open", CALL(dup2), {EMFILE, EMFILE, EMFILE}},
    {"open", CALL(dup3), {EMFILE, EMFILE, EMFILE}},
    {"read", CALL(read), {EIO, EINTR, SHORT}},
    {"read", CALL(pread64), {EIO, EINTR, SHORT}},
    {"read", CALL(getdents64), {EIO, EIO, EIO}},
    {"read", CALL(recvfrom), {ECONNRESET, EINTR, SHORT}},
    {"write", CALL(write), {ENOSPC, EIO, SHORT}},
    {"write", CALL(pwrite64), {ENOSPC, EIO, SHORT}},
    {"write", CALL(writev), {ENOSPC, EIO, EINTR}},
    {"write", CALL(sendto), {EPIPE, ECONNRESET, SHORT}},
    {"write", CALL(sendmsg), {EPIPE, ECONNRESET, EINTR}},
    {"write", CALL(copy_file_range), {ENOSPC, EIO, SHORT}},
    {"write", CALL(sendfile), {ENOSPC, EIO, SHORT}},
    {"change", CALL(rename), {ENOSPC, EACCES, EIO}},
    {"change", CALL(renameat), {ENOSPC, EACCES, EIO}},
    {"change", CALL(renameat2), {ENOSPC, EACCES, EIO}},
    {"change", CALL(unlink), {EACCES, EIO, EBUSY}},
    {"change", CALL(unlinkat), {EACCES, EIO, EBUSY}},
    {"change", CALL(rmdir), {EACCES, EIO, EBUSY}},
    {"change", CALL(mkdir), {ENOSPC, EACCES, EROFS}},
    {"change", CALL(mkdirat), {ENOSPC, EACCES, EROFS}},
    {"change", CALL(symlink), {ENOSPC, EACCES, EROFS}},
    {"change", CALL(fsync), {EIO, ENOSPC, EIO}},
    {"change", CALL(fdatasync), {EIO, ENOSPC, EIO}},
    {"change", CALL(ftruncate), {EIO, ENOSPC, EACCES}},
    {"change", CALL(fallocate), {ENOSPC, EIO, EOPNOTSUPP}},
    {"change", CALL(fchmod), {EPERM, EIO, EROFS}},
    {"change", CALL(chmod), {EPERM, EIO, EROFS}},
    {"change", CALL(utimensat), {EACCES, EIO, EROFS}},
    {"change", CALL(flock), {ENOLCK, EINTR, EIO}},
    {"look", CALL(stat), {EIO, ENOMEM, EIO}},
    {"look", CALL(lstat), {EIO, ENOMEM, EIO}},
    {"look", CALL(fstat), {EIO, ENOMEM, EIO}},
    {"look", CALL(newfstatat), {EIO, ENOMEM, EIO}},
    {"look", CALL(statx), {EIO, ENOMEM, EIO}},
    {"look", CALL(access), {EIO, ENOMEM, EIO}},
    {"look", CALL(faccessat), {EIO, ENOMEM, EIO}},
    {"look", CALL(lseek), {EIO, ESPIPE, EINVAL}},
    {"look", CALL(fcntl), {EACCES, ENOLCK, EIO}},
    {"look", CALL(getcwd), {ENOENT, EACCES, ERANGE}},
    {"look", CALL(statfs), {EACCES, EIO, ENOSYS}},
    {"process", CALL(clone), {EAGAIN, ENOMEM, EAGAIN}},
    {"process", CALL(clone3), {EAGAIN, ENOMEM, EAGAIN}},
    {"process", CALL(fork), {EAGAIN, ENOMEM, EAGAIN}},
    {"process", CALL(vfork), {EAGAIN, ENOMEM, EAGAIN}},
    {"process", CALL(execve), {EAGAIN, ENOENT, EACCES}},
    {"process", CALL(wait4), {EINTR, EINTR, EINTR}},
    {"process", CALL(poll), {EINTR, ENOMEM, EINTR}},
    {"process", CALL(prlimit64), {EPERM, EINVAL, EPERM}},
    {"process", CALL(setpgid), {EACCES, EPERM, EACCES}},
    {"process", CALL(chdir), {EACCES, ENOENT, EIO}},
    {"map", CALL(mmap), {ENOMEM, ENOMEM, ENOMEM}},
    {"map", CALL(mprotect), {ENOMEM, ENOMEM, ENOMEM}},
    {"map", CALL(mremap), {ENOMEM, ENOMEM, ENOMEM}},
};

typedef struct {
  pid_t pid; /* 0: none */
  bool ours; /* PROGRAM runs in it */
  bool live; /* and has reached main() */
  bool in;   /* between entry and exit of a call */
  int fail;  /* errno to give at exit; 0: none */
} process;

static process table[PROCESSES];
static struct stat program;
static const char *class;
static long calls, wanted;
static char fired[64] = "no";
static bool done; /* failed once: everybody is let go */
static volatile sig_atomic_t late;

static process *find(pid_t pid) {
  for (int k = 0; k < PROCESSES; k++)
    if (table[k].pid == pid)
      return &table[k];
  return NULL;
}

static process *add(pid_t pid) {
  process *p = find(pid);
  if (!p && (p = find(0)))
    *p = (process){.pid = pid};
  return p;
}

static bool is_program(pid_t pid) {
  char path[64];
  struct stat s;
  snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
  return !stat(path, &s) && s.st_dev == program.st_dev && s.st_ino == program.st_ino;
}

/* A counter that the kernel keeps: writing to it cannot fail, and libmicrohttpd ends
 * the program when told so. */
static bool is_eventfd(pid_t pid, unsigned long long fd) {
  char path[64], to[64] = "";
  snprintf(path, sizeof path, "/proc/%d/fd/%llu", (int)pid, fd);
  return readlink(path, to, sizeof to - 1) > 0 && strstr(to, "eventfd");
}

static bool counted(pid_t pid, const rule *r, const struct user_regs_struct *u) {
  if (strcmp(r->class, class))
    return false;
  if ((r->call == SYS_write || r->call == SYS_read) && is_eventfd(pid, u->rdi))
    return false;
  if (!strcmp(class, "write") && u->rdi == 2)
    return false; /* the message itself */
  return true;
}

static const rule *rule_of(long call) {
  for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
    if (rules[k].call == call)
      return &rules[k];
  return NULL;
}

/* At a call's entry: the wanted one becomes no call at all, or half of one. */
static void enter(process *p) {
  struct user_regs_struct u;
  if (ptrace(PTRACE_GETREGS, p->pid, 0, &u))
    return;
  if (p->ours && !p->live && u.orig_rax == SYS_rt_sigaction && u.rdi == SIGHUP)
    p->live = true;
  const rule *r = p->live ? rule_of((long)u.orig_rax) : NULL;
  if (!r || !counted(p->pid, r, &u) || ++calls != wanted)
    return;
  int error = r->error[wanted % ERRORS];
  snprintf(fired, sizeof fired, "%s:%d", r->name, error);
  if (error == SHORT) {
    u.rdx = u.rdx > 1 ? u.rdx / 2 : u.rdx;
    done = true;
  } else {
    p->fail = error;
    u.orig_rax = (unsigned long long)-1;
  }
  ptrace(PTRACE_SETREGS, p->pid, 0, &u);
}

static void leave(process *p) {
  struct user_regs_struct u;
  if (!p->fail || ptrace(PTRACE_GETREGS, p->pid, 0, &u))
    return;
  u.rax = (unsigned long long)-p->fail;
  ptrace(PTRACE_SETREGS, p->pid, 0, &u);
  p->fail = 0;
  done = true;
}

/* Goes on with it, or lets it go. */
static void resume(process *p, int sig) {
  if (done && !p->fail) {
    ptrace(PTRACE_DETACH, p->pid, 0, sig);
    p->pid = 0;
  } else if (ptrace(PTRACE_SYSCALL, p->pid, 0, sig))
    p->pid = 0;
}

static void stopped(pid_t pid, int status) {
  process *p = add(pid);
  int sig = WSTOPSIG(status), event = status >> 16;
  unsigned long message = 0;
  if (!p)
    return;
  if (sig == (SIGTRAP | 0x80)) {
    p->in = !p->in;
    p->in ? enter(p) : leave(p);
    sig = 0;
  } else if (event == PTRACE_EVENT_EXEC) {
    bool was = p->ours;
    p->ours = is_program(pid);
    p->live = false;
    sig = 0;
    if (was && !p->ours) {
      ptrace(PTRACE_DETACH, pid, 0, 0);
      p->pid = 0;
      return;
    }
  } else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
             event == PTRACE_EVENT_CLONE) {
    ptrace(PTRACE_GETEVENTMSG, pid, 0, &message);
    process *c = add((pid_t)message);
    if (c) {
      c->ours = p->ours;
      c->live = p->live;
    }
    sig = 0;
  } else if (event || sig == SIGSTOP) /* a new one begins with it */
    sig = 0;
  resume(p, sig);
}

static void on_alarm(int sig) {
  (void)sig;
  late = 1;
}

static void nap(long ms) {
  nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000},
            NULL);
}

/* Kills what is left of the command: we are the reaper of whom it has left. */
static int kill_left(void) {
  char path[64], line[4096];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  int n = 0;
  for (int again = 0; again < 20; again++) {
    FILE *f = fopen(path, "r");
    int found = 0, pid;
    if (f && fgets(line, sizeof line, f))
      for (char *s = line; sscanf(s, "%d", &pid) == 1; s = strchr(s, ' ') + 1) {
        kill(pid, SIGKILL);
        found++;
      }
    if (f)
      fclose(f);
    if (found > n)
      n = found;
    while (waitpid(-1, NULL, __WALL) > 0) {}
    if (!found)
      break;
  }
  return n;
}

/* Children that do not end by themselves within two seconds. */
static int wait_for_rest(void) {
  for (int k = 0; k < 200; k++) {
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0)
      if (WIFSTOPPED(status))
        stopped(pid, status);
    if (pid < 0)
      return 0;
    nap(10);
  }
  return kill_left();
}

static pid_t start(char **argv) {
  pid_t pid = fork();
  if (pid)
    return pid;
  ptrace(PTRACE_TRACEME, 0, 0, 0);
  raise(SIGSTOP);
  close(3);
  execvp(argv[0], argv);
  _exit(127);
}

int main(int argc, char **argv) {
  int status = 0, end = 0, left;
  if (argc < 6 || stat(argv[1], &program))
    return fputs("usage: inject PROGRAM CLASS N SECONDS COMMAND...\n", stderr), 2;
  class = argv[2];
  wanted = atol(argv[3]);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL);
  pid_t main_pid = start(argv + 5);
  waitpid(main_pid, &status, 0);
  add(main_pid);
  done = !strcmp(class, "none");
  ptrace(PTRACE_SETOPTIONS, main_pid, 0,
         PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
             PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC);
  alarm((unsigned)atoi(argv[4]));
  resume(find(main_pid), 0);
  while (!late) {
    pid_t pid = waitpid(-1, &status, __WALL);
    if (pid < 0 && errno == EINTR)
      continue;
    if (pid < 0)
      break;
    if (WIFSTOPPED(status)) {
      stopped(pid, status);
      continue;
    }
    process *p = find(pid);
    if (p)
      p->pid = 0;
    if (pid != main_pid)
      continue;
    end = status;
    break;
  }
  alarm(0);
  left = late ? (kill_left(), 0) : wait_for_rest();
  dprintf(3, "calls=%ld fired=%s end=", calls, fired);
  if (late)
    dprintf(3, "late");
  else
    dprintf(3, WIFSIGNALED(end) ? "signal:%d" : "exit:%d",
            WIFSIGNALED(end) ? WTERMSIG(end) : WEXITSTATUS(end));
  dprintf(3, " left=%d\n", left);
  return 0;
}
#endif
