/* carry.c - what one launch of a program leaves in L2 for the next.
 *
 * L2 is a list of allocations with the bytes of each that are there, the last used
 * first. A launch touches its allocations by their shares of its footprint; what of
 * them is on the list it finds. Then they move to the front, and what does not fit any
 * more leaves at the end. The launch's time lies between that of a cold start and that
 * of the second of two launches in a row, by the part found of what a second launch
 * would find.
 *
 * Copies between host and device are not on the list. */
#include "program.h"

#include <math.h>

typedef struct {
  const char *id;
  double bytes;
} resident;

typedef struct {
  resident *v; /* last used first */
  uint32_t n;
  double room;
} l2;

static bool same(const char *a, const char *b) {
  return a == b || (a && b && !strcmp(a, b));
}

/* Takes it off the list: the bytes of it that were there. */
static double take_out(l2 *c, const char *id) {
  for (uint32_t k = 0; k < c->n; k++)
    if (same(c->v[k].id, id)) {
      double bytes = c->v[k].bytes;
      memmove(&c->v[k], &c->v[k + 1], (--c->n - k) * sizeof *c->v);
      return bytes;
    }
  return 0;
}

static void put_first(l2 *c, const char *id, double bytes) {
  memmove(&c->v[1], c->v, c->n++ * sizeof *c->v);
  c->v[0] = (resident){id, bytes};
}

static void evict(l2 *c) {
  double left = c->room;
  uint32_t n = 0;
  for (; n < c->n && left > 0; n++) {
    c->v[n].bytes = fmin(c->v[n].bytes, left);
    left -= c->v[n].bytes;
  }
  c->n = n;
}

/* The part found of what a second launch in a row would find. */
static double launch_through(l2 *c, const ww_program_launch *l, double footprint) {
  double fits = fmin(footprint, c->room);
  double found = 0;
  for (uint32_t k = 0; k < l->ntouched; k++) {
    double bytes = l->touched[k].share * footprint;
    double was = take_out(c, l->touched[k].id);
    found += fmin(was, bytes);
    /* the rest of it stays where the launch leaves room */
    put_first(c, l->touched[k].id, fmax(bytes * ww_ratio(fits, footprint), was));
  }
  evict(c);
  return fits > 0 ? fmin(1, found / fits) : 0;
}

static double between(double cold, double warm, double found) {
  return warm > 0 ? cold - found * (cold - fmin(cold, warm)) : cold;
}

typedef struct {
  double us, low, high;
} sum;

static void add(const ww_program_time *t, double found, double n, sum *s) {
  s->us += n * between(t->us, t->warm_us, found);
  s->low += n * between(t->low, t->warm_low, found);
  s->high += n * between(t->high, t->warm_high, found);
}

static void carry_on(
    ww_program *p, uint32_t g, double room, const ww_program_runs *runs, ww_arena *a) {
  uint32_t most = 0;
  for (uint32_t k = 0; k < p->n; k++)
    most += p->v[k].ntouched;
  l2 c = {WW_NEWN(a, resident, most + 1), 0, room};
  sum *sums = WW_NEWN(a, sum, p->n + 1);
  for (uint32_t k = 0; k < runs->n; k++) {
    ww_program_launch *l = &p->v[runs->v[k].launch];
    const ww_program_time *t = &l->time[g];
    double n = runs->v[k].n;
    if (!t->known)
      continue;
    add(t, launch_through(&c, l, t->footprint), 1, &sums[runs->v[k].launch]);
    if (n > 1)
      add(t, launch_through(&c, l, t->footprint), n - 1, &sums[runs->v[k].launch]);
  }
  for (uint32_t k = 0; k < p->n; k++) {
    ww_program_time *t = &p->v[k].time[g];
    double n = p->v[k].count;
    if (t->known) {
      t->us = sums[k].us / n;
      t->low = sums[k].low / n;
      t->high = sums[k].high / n;
    }
  }
}

void ww_program_carry(ww_program *p, const double *room) {
  ww_arena *a = ww_arena_new();
  ww_program_runs runs;
  ww_program_order(p, a, &runs);
  for (uint32_t g = 0; g < p->ngpus; g++)
    carry_on(p, g, room[g], &runs, a);
  ww_arena_free(a);
}
