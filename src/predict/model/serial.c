/* serial.c - what threads of a launch can only do one after the other: words that are
 * swapped until it succeeds, sections under a lock, blocks that wait for the one
 * before.
 *
 * Seen from blocks that run one after the other, each with a warp or some that are
 * followed (chain.c), whose clock is given with every access. A retried
 * compare-and-swap is won by every thread once: how often, by address. What a warp does
 * between winning a word and writing to it otherwise is a locked section. A word that a
 * block looks at in a loop, and another block has written after it had looked itself,
 * is a link of a chain through blocks. Where that block had written it before as well,
 * who looks need not wait: it goes on to the words before (a decoupled look-back). */
#include "chain_int.h"

#include "../../base/random.h"

enum {
  WORDS = 4096, /* a power of two; words beyond this many are not told apart */
  HELD = 32,    /* locks that a warp holds at once, as its lanes do */
  FEW = 4       /* times that words are taken, on average: it may be chance */
};

typedef struct {
  uint64_t key; /* address + 1; 0: free */
  double won;   /* by compare-and-swaps */
  double freed; /* by other writes: it is a lock */
  uint64_t block;
  double after; /* cycles after its block had looked that it was written; < 0: not */
  bool before;  /* its block had written it before that as well */
} word;

typedef struct {
  const ww_ins *ins;
  bool retries, looks;
} known;

typedef struct {
  uint64_t address;
  double since;
} lock;

struct ww_serial {
  ww_arena *a;
  word *words;
  WW_VEC(known) ins;
  bool retries;    /* anything does */
  lock held[HELD]; /* of the warp at hand */
  uint32_t nheld;
  ww_warp_id warp;
  double looked; /* when the block at hand last looked at a flag; < 0: not yet */
  double sections, locked, links, linked, apart;
  double backs, reach; /* looks back, the most words of one */
};

ww_serial *ww_serial_new(ww_arena *a) {
  ww_serial *s = WW_NEW(a, ww_serial);
  s->a = a;
  s->words = WW_NEWN(a, word, WORDS);
  s->looked = -1;
  return s;
}

void ww_serial_start(ww_serial *s) {
  s->looked = -1;
  s->nheld = 0;
}

/* What kind of instruction it is, found once. */
static const known *kind_of(ww_serial *s, const ww_access *a) {
  for (uint32_t k = 0; k < s->ins.n; k++)
    if (s->ins.v[k].ins == a->ins)
      return &s->ins.v[k];
  bool cas = a->ins->op == WW_OP_CAS;
  bool looks = a->ins->op == WW_OP_LD && a->ins->flags & WW_F_VOLATILE;
  ww_repeats again =
      cas || looks ? ww_repeats_how(a->fn, a->ins, s->a) : WW_REPEATS_NOT;
  ww_push(s->a, &s->ins,
          ((known){a->ins, cas && again == WW_REPEATS_HERE,
                   looks && again != WW_REPEATS_NOT}));
  return &s->ins.v[s->ins.n - 1];
}

static word *word_at(ww_serial *s, uint64_t address) {
  uint32_t at = (address + 1) * WW_GOLDEN >> 40 & (WORDS - 1);
  for (uint32_t k = 0; k < 16; k++) {
    word *w = &s->words[(at + k) & (WORDS - 1)];
    if (!w->key)
      *w = (word){.key = address + 1, .after = -1};
    if (w->key == address + 1)
      return w;
  }
  return NULL;
}

static void win(ww_serial *s, const ww_access *a, double now) {
  for (ww_mask m = a->swapped; m; m &= m - 1) {
    uint64_t address = a->addr[__builtin_ctzll(m)];
    word *w = word_at(s, address);
    if (w)
      w->won += a->weight;
    if (now >= 0 && s->nheld < HELD)
      s->held[s->nheld++] = (lock){address, now};
  }
}

/* A write to a word that the warp has won is the end of its section. */
static void release(ww_serial *s, uint64_t address, double now) {
  for (uint32_t k = 0; k < s->nheld; k++) {
    if (s->held[k].address != address)
      continue;
    s->sections++;
    s->locked += now - s->held[k].since;
    s->held[k] = s->held[--s->nheld];
    return;
  }
}

/* The lanes that free a lock, counted where it was not seen who took it as well. */
static ww_mask free_locks(ww_serial *s, const ww_access *a) {
  ww_mask freed = 0;
  for (ww_mask m = s->retries ? a->lanes : 0; m; m &= m - 1) {
    word *w = word_at(s, a->addr[__builtin_ctzll(m)]);
    if (!w || !(w->won > 0))
      continue;
    w->freed += a->weight;
    freed |= m & -m;
  }
  return freed;
}

static void publish(ww_serial *s, const ww_access *a, uint64_t address, double now) {
  word *w = word_at(s, address);
  if (!w)
    return;
  bool again = w->block == a->warp.block + 1;
  w->before = again && s->looked >= 0 && (w->after < 0 || w->before);
  w->block = a->warp.block + 1;
  w->after = s->looked >= 0 ? now - s->looked : -1;
}

/* A flag is one word; where each lane has its own, the first and the last stand for
 * them. */
static void publish_flags(ww_serial *s, const ww_access *a, double now) {
  bool one = a->lo + a->bytes >= a->hi;
  if (!one && !(a->ins->flags & WW_F_VOLATILE))
    return;
  publish(s, a, a->hi - a->bytes, now);
  if (!one)
    publish(s, a, a->lo, now);
}

static void look(ww_serial *s, const ww_access *a, double now) {
  const word *w = word_at(s, a->hi - a->bytes); /* the last word, of several */
  s->looked = now;
  if (!w || !w->block || w->block == a->warp.block + 1 || w->after < 0)
    return;
  if (w->before) {
    const word *first = word_at(s, a->lo);
    bool lanes = first && first->block == w->block; /* flags of one block */
    s->backs++;
    s->reach = fmax(s->reach, lanes ? 1 : (double)(a->hi - a->lo) / a->bytes);
    return;
  }
  s->links++;
  s->linked += w->after;
  s->apart += fabs((double)a->warp.block + 1 - w->block);
}

ww_turns ww_serial_access(ww_serial *s, const ww_access *a, double now) {
  const known *k = kind_of(s, a);
  if (s->warp.block != a->warp.block || s->warp.warp != a->warp.warp)
    s->nheld = 0;
  s->warp = a->warp;
  if (k->retries) {
    s->retries = true;
    win(s, a, now);
    return (ww_turns){.won = a->swapped};
  }
  if (a->kind == WW_ACCESS_LOAD) {
    if (k->looks && now >= 0)
      look(s, a, now);
    return (ww_turns){0};
  }
  for (ww_mask m = now >= 0 ? a->lanes : 0; m; m &= m - 1) {
    uint64_t address = a->addr[__builtin_ctzll(m)];
    release(s, address, now);
  }
  if (now >= 0)
    publish_flags(s, a, now);
  return (ww_turns){.freed = free_locks(s, a)};
}

ww_serial_sums ww_serial_result(const ww_serial *s) {
  ww_serial_sums out = {.held = ww_ratio(s->locked, s->sections),
                        .link = ww_ratio(s->linked, s->links),
                        .apart = ww_ratio(s->apart, s->links),
                        .links = s->links,
                        .backs = s->backs,
                        .reach = s->reach};
  double words = 0;
  double all = 0;
  for (uint32_t k = 0; k < WORDS; k++) {
    const word *w = &s->words[k];
    double turns = fmax(w->won, w->freed);
    words += w->won > 0;
    all += turns;
    out.locks |= w->freed > 0;
    if (turns > out.won) {
      out.won = turns;
      out.at = w->key - 1;
    }
  }
  /* of few, chance makes one the busiest */
  double mean = ww_ratio(all, words);
  out.won = fmax(out.won - 2 * sqrt(out.won), mean >= FEW ? mean : 0);
  return out;
}
