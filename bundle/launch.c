/* launch.c - starts a program of the bundle by a loader that fits it: the system's
 * where its C library is as new as the bundle's, else the bundle's own, with its C
 * library.
 *
 * A program's loader is an absolute path in its file, so a folder that can be moved
 * needs something in front of it. To run `ld.so PROGRAM` would do, but then
 * /proc/self/exe is ld.so, and clang and warpwise find their own files by that name.
 * So the loader is mapped here and entered as if the kernel had started it with
 *
 *   ld.so --library-path LIB[:LD_LIBRARY_PATH] --argv0 NAME LIB/programs/NAME ARGUMENTS
 *
 * and /proc/self/exe stays this file. No C library: this one runs where none fits.
 * Invariant: no address is stored in the file, so nothing has to be relocated.
 *
 * LIB is the launcher's folder followed by BUNDLE_LIB; BUNDLE_MINOR is N of the glibc
 * 2.N that the bundle was made with. */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define PAGE 4095ul
#define PATH 4096
#define LONGEST (16 * PATH) /* of a list of folders */

#if defined(__x86_64__)
#define LOADER "ld-linux-x86-64.so.2"
#define SYSTEM_LOADER "/lib64/" LOADER
#define MACHINE EM_X86_64
__asm__(".globl _start\n_start:\n"
        "  xor %ebp, %ebp\n  mov %rsp, %rdi\n  and $-16, %rsp\n  call launch\n");

static long call(long number, long a, long b, long c, long d, long e, long f) {
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

static void __attribute__((noreturn)) enter(void *stack, uintptr_t entry) {
  __asm__ volatile("mov %0, %%rsp\n  xor %%edx, %%edx\n  jmp *%1"
                   :
                   : "r"(stack), "r"(entry)
                   : "memory");
  __builtin_unreachable();
}
#elif defined(__aarch64__)
#define LOADER "ld-linux-aarch64.so.1"
#define SYSTEM_LOADER "/lib/" LOADER
#define MACHINE EM_AARCH64
__asm__(".globl _start\n_start:\n"
        "  mov x29, #0\n  mov x30, #0\n  mov x0, sp\n  bl launch\n");

static long call(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc #0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory");
  return x0;
}

static void __attribute__((noreturn)) enter(void *stack, uintptr_t entry) {
  __asm__ volatile("mov sp, %0\n  mov x0, #0\n  br %1"
                   :
                   : "r"(stack), "r"(entry)
                   : "memory");
  __builtin_unreachable();
}
#endif

/* ---- what a C library would have; the compiler may call the first two ---- */

void *memcpy(void *to, const void *from, size_t n) {
  for (size_t i = 0; i < n; i++)
    ((volatile char *)to)[i] = ((const char *)from)[i];
  return to;
}

void *memset(void *to, int c, size_t n) {
  for (size_t i = 0; i < n; i++)
    ((volatile char *)to)[i] = c;
  return to;
}

static size_t length(const char *s) {
  size_t n = 0;
  while (s[n])
    n++;
  return n;
}

static bool begins(const char *s, const char *with) {
  while (*with && *s == *with)
    s++, with++;
  return !*with;
}

static bool failed(long result) {
  return result < 0 && result > -4096;
}

static void say(const char *s) {
  call(SYS_write, 2, (long)s, length(s), 0, 0, 0);
}

static void __attribute__((noreturn))
stop(const char *what, const char *path, const char *advice) {
  say("warpwise: ");
  say(what);
  say(path);
  say("\n  ");
  say(advice);
  say("\n");
  for (;;)
    call(SYS_exit_group, 127, 0, 0, 0, 0, 0);
}

static void __attribute__((noreturn)) give_up(const char *what, const char *path) {
  stop(what, path,
       "this folder is not complete, or is not for this machine: unpack the archive "
       "again");
}

/* A text of limited length. */
typedef struct {
  char *s;
  size_t n, most;
} text;

static void add(text *t, const char *s) {
  size_t n = length(s);
  if (t->n + n + 1 > t->most)
    give_up("the path is too long: ", s);
  memcpy(t->s + t->n, s, n + 1);
  t->n += n;
}

/* ---- the loader ---- */

typedef struct {
  int fd;
  const char *bytes; /* NULL: there is none */
  size_t size;
} file;

static file open_file(const char *path) {
  file f = {.fd =
                call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0)};
  long size = f.fd < 0 ? 0 : call(SYS_lseek, f.fd, 0, 2 /* SEEK_END */, 0, 0, 0);
  if (size < (long)sizeof(Elf64_Ehdr))
    return f;
  long at = call(SYS_mmap, 0, size, PROT_READ, MAP_PRIVATE, f.fd, 0);
  if (!failed(at)) {
    f.bytes = (const char *)at;
    f.size = size;
  }
  return f;
}

static void close_file(file *f) {
  if (f->bytes)
    call(SYS_munmap, (long)f->bytes, f->size, 0, 0, 0, 0);
  if (f->fd >= 0)
    call(SYS_close, f->fd, 0, 0, 0, 0, 0);
}

/* N of "release version 2.N", which every ld.so since 2.33 can print; 0: older. */
static int minor_version(const file *f) {
  static const char words[] = "release version 2.";
  int version = 0;
  for (size_t i = 0; f->bytes && i + sizeof words + 2 < f->size; i++) {
    if (f->bytes[i] != 'r' || !begins(f->bytes + i, words))
      continue;
    for (i += sizeof words - 1; f->bytes[i] >= '0' && f->bytes[i] <= '9'; i++)
      version = 10 * version + f->bytes[i] - '0';
    return version;
  }
  return version;
}

static int protection(const Elf64_Phdr *p) {
  return (p->p_flags & PF_R ? PROT_READ : 0) | (p->p_flags & PF_W ? PROT_WRITE : 0) |
         (p->p_flags & PF_X ? PROT_EXEC : 0);
}

/* One segment below `base`; what it is longer than in the file is zero. */
static bool map_segment(const file *f, uintptr_t base, const Elf64_Phdr *p) {
  uintptr_t from = base + (p->p_vaddr & ~PAGE);
  uintptr_t end = base + p->p_vaddr + p->p_filesz;
  uintptr_t mapped = (end + PAGE) & ~PAGE;
  uintptr_t last = (base + p->p_vaddr + p->p_memsz + PAGE) & ~PAGE;
  int how = protection(p);
  if (failed(call(SYS_mmap, from, mapped - from, how, MAP_PRIVATE | MAP_FIXED, f->fd,
                  p->p_offset & ~PAGE)))
    return false;
  if (p->p_memsz > p->p_filesz && (how & PROT_WRITE))
    memset((void *)end, 0, mapped - end);
  return last <= mapped ||
         !failed(call(SYS_mmap, mapped, last - mapped, how,
                      MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0));
}

/* Where it was mapped, 0: it cannot be. */
static uintptr_t map_loader(const file *f) {
  const Elf64_Ehdr *h = (const Elf64_Ehdr *)f->bytes;
  if (!h || !begins(f->bytes, ELFMAG) || h->e_machine != MACHINE ||
      h->e_type != ET_DYN || h->e_phoff + h->e_phnum * sizeof(Elf64_Phdr) > f->size)
    return 0;
  const Elf64_Phdr *p = (const Elf64_Phdr *)(f->bytes + h->e_phoff);
  uintptr_t end = 0;
  for (int i = 0; i < h->e_phnum; i++)
    if (p[i].p_type == PT_LOAD && p[i].p_vaddr + p[i].p_memsz > end)
      end = p[i].p_vaddr + p[i].p_memsz;
  long base = call(SYS_mmap, 0, (end + PAGE) & ~PAGE, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  bool ok = end && !failed(base);
  for (int i = 0; i < h->e_phnum && ok; i++)
    ok = p[i].p_type != PT_LOAD || map_segment(f, base, &p[i]);
  return ok ? base : 0;
}

/* The system's, if it is new enough, else ours; LIB grows by the folder of our C
 * library. */
static file choose_loader(const char *lib, text *folders) {
  char path[PATH];
  text own = {path, 0, sizeof path};
  file system = open_file(SYSTEM_LOADER);
  if (minor_version(&system) >= BUNDLE_MINOR)
    return system;
  close_file(&system);
  add(&own, lib);
  add(&own, "/glibc");
  add(folders, ":");
  add(folders, path);
  add(&own, "/" LOADER);
  file f = open_file(path);
  if (!f.bytes)
    give_up("cannot read ", path);
  return f;
}

/* ---- the new beginning ---- */

/* As the kernel would have told the loader about itself. */
static Elf64_auxv_t about(Elf64_auxv_t v, uintptr_t base, const Elf64_Ehdr *h) {
  switch (v.a_type) {
  case AT_PHDR:
    v.a_un.a_val = base + h->e_phoff;
    break;
  case AT_PHNUM:
    v.a_un.a_val = h->e_phnum;
    break;
  case AT_ENTRY:
    v.a_un.a_val = base + h->e_entry;
    break;
  case AT_BASE:
    v.a_un.a_val = 0;
  }
  return v;
}

/* Of this file: its folder, ended by a slash, and its name. */
static void split_self(text *folder, char *name) {
  long n = call(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)folder->s,
                folder->most - 1, 0, 0);
  if (n <= 0 || (size_t)n >= folder->most - 1)
    stop("cannot read ", "/proc/self/exe", "/proc has to be mounted");
  folder->s[n] = 0;
  while (n && folder->s[n - 1] != '/')
    n--;
  memcpy(name, folder->s + n, length(folder->s + n) + 1);
  folder->s[n] = 0;
  folder->n = n;
  for (const char *s = folder->s; *s; s++)
    if (*s == ':' || *s == ';') /* they part the folders of a list */
      stop("cannot run in ", folder->s, "move it to a folder without ':' and ';'");
}

/* What was given at the start: ends of lists included in the counts. */
typedef struct {
  long argc, nenv, naux;
  char **argv, **env;
  const Elf64_auxv_t *aux;
} given;

static given read_start(long *start) {
  given g = {.argc = start[0], .argv = (char **)(start + 1), .nenv = 1, .naux = 1};
  g.env = g.argv + g.argc + 1;
  while (g.env[g.nenv - 1])
    g.nenv++;
  g.aux = (const Elf64_auxv_t *)(g.env + g.nenv);
  while (g.aux[g.naux - 1].a_type != AT_NULL)
    g.naux++;
  return g;
}

static void add_users_folders(const given *g, text *folders) {
  static const char name[] = "LD_LIBRARY_PATH=";
  for (long i = 0; i + 1 < g->nenv; i++)
    if (begins(g->env[i], name) && g->env[i][sizeof name - 1]) {
      add(folders, ":");
      add(folders, g->env[i] + sizeof name - 1);
    }
}

enum { MORE = 6 }; /* words in front of the program's own arguments */

/* On the stack, from `at` on: where threads look for its end. */
static void write_start(long *at,
                        const given *g,
                        char *list,
                        char *program,
                        uintptr_t base,
                        const file *f) {
  long rest = g->argc ? g->argc - 1 : 0;
  *at++ = MORE + rest;
  *at++ = (long)LOADER;
  *at++ = (long)"--library-path";
  *at++ = (long)list;
  *at++ = (long)"--argv0";
  *at++ = (long)(g->argc ? g->argv[0] : program);
  *at++ = (long)program;
  for (long i = 0; i < rest; i++)
    *at++ = (long)g->argv[1 + i];
  *at++ = 0;
  for (long i = 0; i < g->nenv; i++)
    *at++ = (long)g->env[i];
  for (long i = 0; i < g->naux; i++)
    ((Elf64_auxv_t *)at)[i] = about(g->aux[i], base, (const Elf64_Ehdr *)f->bytes);
}

void __attribute__((noreturn, used, visibility("hidden"))) launch(long *start) {
  char lib[PATH];
  char name[PATH];
  char program[PATH];
  char list[LONGEST];
  text root = {lib, 0, sizeof lib};
  text real = {program, 0, sizeof program};
  text folders = {list, 0, sizeof list};
  given g = read_start(start);
  split_self(&root, name);
  add(&root, BUNDLE_LIB);
  add(&real, lib);
  add(&real, "/programs/");
  add(&real, name);
  add(&folders, lib);
  file f = choose_loader(lib, &folders);
  add_users_folders(&g, &folders);
  uintptr_t base = map_loader(&f);
  if (!base)
    give_up("cannot map the loader for ", program);
  uintptr_t entry = base + ((const Elf64_Ehdr *)f.bytes)->e_entry;
  size_t words = 1 + MORE + g.argc + 1 + g.nenv + 2 * g.naux;
  long *new = __builtin_alloca(8 * words + 16);
  new = (long *)(((uintptr_t) new + 15) & ~15ul);
  write_start(new, &g, list, program, base, &f);
  close_file(&f);
  enter(new, entry);
}
