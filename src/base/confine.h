/* confine.h - what a process may do from now on, enforced by the kernel: Landlock for
 * files, seccomp for system calls.
 *
 * Everything that works on somebody's input in native code runs confined: clang and the
 * linker, the lowering of bitcode, emulated programs. A process confines itself between
 * fork and exec, or at its start; nothing gives back what it gave up. No function here
 * allocates memory or takes a lock, so that a child of a threaded process may call it.
 */
#ifndef WW_BASE_CONFINE_H
#define WW_BASE_CONFINE_H

#include "base.h"

/* Lists are absolute paths of files and folders, ended by NULL; a path that does not
 * exist is left out. A folder stands for everything below it. Links are followed when
 * the rule is made: what counts is where a file really is. */
typedef struct ww_confine {
  const char *const *read; /* NULL: every file can be read */
  /* read, changed, made and removed; NULL: nothing but /dev/null */
  const char *const *write;
  const char *const
      *run; /* programs that may be started; NULL: none. Such files can be read, too */
  bool processes; /* may fork; else it may only start threads */
  bool own_pids;  /* it is in a PID namespace of its own, so signals cannot leave it */
} ww_confine;

/* The calling process may do no more than this. No network, no tracing, no namespaces,
 * no mounting, no changes of modes, owners, times or attributes of files, no signals to
 * others, no system call that is not listed in confine_calls.def. Returns NULL, or
 * which protection this system does not have ("files (Landlock)", "system calls
 * (seccomp)"). */
const char *ww_confine_self(const ww_confine *c);
/* No file beyond what is open or loaded, nothing of the environment either: for work on
 * bytes that the process has already. */
void ww_confine_wholly(void);

/* What ww_confine_self would return, without doing it. Asked of the kernel once. */
const char *ww_confine_missing(void);

#endif
