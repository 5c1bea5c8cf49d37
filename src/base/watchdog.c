/* watchdog.c - see watchdog.h.
 *
 * A timer's signal looks at the clock and at the memory in use many times a second: it
 * comes whatever code runs. The limit is of memory really used, not of address space,
 * of which the interpreter reserves far more than it touches. The handler calls what
 * may be called in one, and nothing else. */
#include "watchdog.h"

#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* between two looks: memory fills at some 100 MB in that time */
#define TURN_NS 20000000
#define TICK SIGRTMIN /* SIGALRM is alarm()'s */

static ww_watchdog limit; /* that counts now */
static double begun;
static uint64_t before; /* bytes of memory in use when it began */
static timer_t timer;
static volatile sig_atomic_t active;

/* The most that was in use at any time: what is gone again was too much all the same.
 */
static uint64_t used(void) {
  struct rusage u;
  return getrusage(RUSAGE_SELF, &u) ? 0 : u.ru_maxrss << 10;
}

static void end(const char *text, int code) {
  ssize_t ignored = text ? write(limit.fd, text, strlen(text)) : 0;
  (void)ignored;
  ww_cleanup_now();
  _exit(code);
}

static void on_tick(int sig) {
  (void)sig;
  if (!active)
    return;
  if (limit.seconds > 0 && ww_now() > begun + limit.seconds + limit.grace)
    end(limit.late, limit.late_code);
  if (limit.bytes && used() > before + limit.bytes)
    end(limit.large, limit.large_code);
}

void ww_watchdog_begin(const ww_watchdog *l) {
  struct sigaction act = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
  struct sigevent how = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = TICK};
  struct itimerspec turn = {{.tv_nsec = TURN_NS}, {.tv_nsec = TURN_NS}};
  limit = *l;
  begun = ww_now();
  before = used();
  if (limit.seconds <= 0 && !limit.bytes)
    return;
  sigaction(TICK, &act, NULL);
  active = timer_create(CLOCK_MONOTONIC, &how, &timer) == 0;
  if (active)
    timer_settime(timer, 0, &turn, NULL);
}

void ww_watchdog_end(void) {
  if (active)
    timer_delete(timer);
  active = 0;
  limit = (ww_watchdog){0};
}

bool ww_watchdog_over(void *unused) {
  (void)unused;
  return limit.seconds > 0 && ww_now() > begun + limit.seconds;
}
