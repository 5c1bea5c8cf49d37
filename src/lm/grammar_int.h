/* grammar_int.h - a grammar as a flat array of elements: rules are runs of
 * alternatives. */
#ifndef WW_LM_GRAMMAR_INT_H
#define WW_LM_GRAMMAR_INT_H

#include <stdlib.h>

#include "../base/map.h"
#include "grammar.h"
#include "order.h"

typedef enum {
  WW_G_SET,  /* one byte of a set */
  WW_G_RULE, /* another rule */
  WW_G_ALT,  /* ends an alternative, another follows */
  WW_G_END   /* ends the last one */
} ww_g_kind;

typedef struct {
  uint8_t kind;
  uint32_t of; /* SET: index into sets; RULE: index into rules */
} ww_g_element;

typedef struct {
  uint64_t bits[4];
} ww_g_set;

struct ww_grammar {
  ww_arena *arena;
  WW_VEC(ww_g_element) elements;
  WW_VEC(ww_g_set) sets; /* the first 256: of one byte each */
  /* first element of each; UINT32_MAX: named, not yet written */
  WW_VEC(uint32_t) rules;
  /* [elements]: the fewest bytes from here to the end of its alternative */
  uint32_t *left;
  uint32_t *best; /* [rules]: first element of the shortest alternative */
  /* [rules]: a rule has a higher number than those that it may begin with */
  uint32_t *order;
  uint32_t root;
};

#define WW_G_NEVER (UINT32_MAX / 4) /* bytes: it has no end */

static inline bool ww_g_has(const ww_g_set *s, uint8_t c) {
  return s->bits[c >> 6] >> (c & 63) & 1;
}
static inline void ww_g_add(ww_g_set *s, uint8_t c) {
  s->bits[c >> 6] |= (uint64_t)1 << (c & 63);
}
static inline uint32_t ww_g_sum(uint32_t a, uint32_t b) {
  return a + b < WW_G_NEVER ? a + b : WW_G_NEVER;
}

/* After parsing: every rule is written, and none begins with itself (following it would
 * never end); fills `left`, `best` and `order`. `name` of a rule for messages. */
ww_status ww_grammar_check(ww_grammar *g,
                           const char *(*name)(void *ctx, uint32_t rule),
                           void *ctx,
                           ww_err *e);

#endif
