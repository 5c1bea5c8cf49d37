/* defer.c - kernels that run by need: `--execute auto`.
 *
 * A launch is kept with its arguments instead of run. When the program reads a little
 * of device memory (a flag, a count, a residual: up to SMALL bytes, what decides what
 * it does next), the launches that this memory comes from are run, in their order;
 * those whose memory is written over or given back first are dropped, as nobody has
 * looked at what they did. Large results are read to be checked or stored: nothing is
 * run for them. What runs has a bound of seconds; a launch that would pass it is run
 * for some of its blocks.
 *
 * Which memory a launch uses is told by its pointers, those in structs and in variables
 * included; pointers that lie in device memory are not followed. */
#include "emu.h"

#include <stdlib.h>

#define SMALL 4096   /* bytes */
#define MOST 4096    /* launches that are kept */
#define MOST_USED 64 /* allocations of one launch */

typedef struct {
  ww_emu_launch launch;     /* with copies of its arguments */
  uint64_t used[MOST_USED]; /* begins of allocations */
  uint32_t nused;
  bool wanted;
} kept;

static WW_VEC(kept *) queue; /* in the program's order */
static double spent;         /* seconds */
static bool over;

static void use(kept *k, uint64_t address) {
  ww_emu_block b;
  if (k->nused < MOST_USED && address > 65536 && ww_emu_find(address, &b))
    k->used[k->nused++] = b.base;
}

static bool uses(const kept *k, uint64_t base) {
  for (uint32_t i = 0; i < k->nused; i++)
    if (k->used[i] == base)
      return true;
  return false;
}

static void find_used(kept *k) {
  const ww_emu_launch *l = &k->launch;
  for (uint32_t i = 0; i < l->nargs; i++)
    for (uint32_t at = 0; at + 8 <= l->sizes[i]; at += 8) {
      uint64_t word;
      memcpy(&word, (const char *)l->values[i] + at, 8);
      use(k, word);
    }
  for (uint32_t i = 0; i < l->kernel->nsymbols; i++) {
    const ww_emu_symbol *y = l->kernel->symbols[i];
    use(k, y->address);
    for (uint64_t at = 0; y->address && y->bytes <= SMALL && at + 8 <= y->bytes;
         at += 8) {
      uint64_t word;
      memcpy(&word, (const char *)y->address + at, 8);
      use(k, word);
    }
  }
}

static void forget(kept *k) {
  for (uint32_t i = 0; i < k->launch.nargs; i++)
    free((void *)k->launch.values[i]);
  free((void *)k->launch.values);
  free((void *)k->launch.sizes);
  free(k);
}

/* Takes those out for which `wanted` is as given. */
static void remove_all(bool wanted) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < queue.n; i++)
    if (queue.v[i]->wanted == wanted)
      forget(queue.v[i]);
    else
      queue.v[n++] = queue.v[i];
  queue.n = n;
}

static bool active(void) {
  return ww_emu_get()->execute == WW_EMU_AUTO && !over;
}

void ww_emu_defer(const ww_emu_launch *l) {
  if (!active())
    return;
  kept *k = ww_xcalloc(1, sizeof *k);
  ww_emu_launch_copy(l, &k->launch);
  find_used(k);
  if (queue.n == MOST) { /* a program that never looks */
    queue.v[0]->wanted = true;
    remove_all(true);
  }
  ww_push(ww_emu_get()->arena, &queue, k);
}

/* From the last to the first: who writes what is wanted, and what that is made of. */
static bool mark(uint64_t base) {
  uint64_t *wanted = ww_xcalloc(queue.n + 1, MOST_USED * sizeof *wanted);
  uint32_t n = 0;
  wanted[n++] = base;
  bool any = false;
  for (uint32_t i = queue.n; i-- > 0;) {
    kept *k = queue.v[i];
    for (uint32_t w = 0; w < n && !k->wanted; w++)
      k->wanted = uses(k, wanted[w]);
    for (uint32_t u = 0; k->wanted && u < k->nused; u++) {
      uint32_t w = 0;
      while (w < n && wanted[w] != k->used[u])
        w++;
      if (w == n)
        wanted[n++] = k->used[u];
    }
    any |= k->wanted;
  }
  free(wanted);
  return any;
}

static void run_wanted(void) {
  double most = ww_emu_get()->execute_s;
  for (uint32_t i = 0; i < queue.n && !over; i++) {
    if (!queue.v[i]->wanted)
      continue;
    double begin = ww_now();
    ww_emu_execute(&queue.v[i]->launch, begin + most - spent);
    spent += ww_now() - begin;
    over = spent >= most;
    ww_emu_doubt(&queue.v[i]->launch, over);
  }
  if (over)
    ww_emu_note("kernels were run for %.0f s to learn what the program does next; "
                "later ones are skipped (--execute all runs every one, --limit gives "
                "more time)",
                most);
}

static void run_for(uint64_t base) {
  if (!mark(base))
    return;
  run_wanted();
  remove_all(true);
  if (over)
    remove_all(false);
}

void ww_emu_read(const void *p, uint64_t bytes) {
  ww_emu_block b;
  if (!active() || bytes > SMALL || !queue.n)
    return;
  ww_emu_lock();
  if (ww_emu_find((uintptr_t)p, &b))
    run_for(b.base);
  ww_emu_unlock();
}

void ww_emu_written(const void *p) {
  ww_emu_block b;
  if (!queue.n)
    return;
  ww_emu_lock();
  if (ww_emu_find((uintptr_t)p, &b)) {
    for (uint32_t i = 0; i < queue.n; i++)
      queue.v[i]->wanted = uses(queue.v[i], b.base);
    remove_all(true);
  }
  ww_emu_unlock();
}

/* The host may look at memory that it shares, after it has waited. */
void ww_emu_waited(void) {
  const ww_emu_block *b;
  if (!active() || !queue.n)
    return;
  ww_emu_lock();
  uint32_t n = ww_emu_blocks(&b);
  for (uint32_t i = 0; i < n && queue.n; i++)
    if ((b[i].kind == EMU_MANAGED || b[i].kind == EMU_PINNED ||
         b[i].kind == EMU_REGISTERED) &&
        b[i].bytes <= SMALL)
      run_for(b[i].base);
  ww_emu_unlock();
}
