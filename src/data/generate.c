/* generate.c - from (version, seed, index) to a kernel: draws a family, lets it write
 * the tree, hashes the structure.
 *
 * Costs some 30 us, so that every rank of a campaign can walk through all kernels of a
 * seed. */
#include "generate_int.h"

#include <inttypes.h>
#include <stdlib.h>

#include "../base/map.h"
#include "../base/words.h"

/* The rows of a version are part of it: order, weights and names are frozen with it. */
const gen_family ww_gen_families[] = {
#define FAMILY(name, make, ...) {name, ww_gen_##make, __VA_ARGS__},
#include "generate_families.def"
#undef FAMILY
};
const uint32_t ww_gen_nfamilies = sizeof ww_gen_families / sizeof *ww_gen_families;

/* ---- structure ---- */

/* Names by the order in which they appear; a small open hash, as this is most of what a
 * kernel costs. */
typedef struct {
  struct name_slot {
    uint64_t key;
    uint32_t id;
  } slot[256];
  uint32_t n;
} names;

static uint64_t key_of(const char *s, size_t n) {
  uint64_t h = 1469598103934665603ull ^ n;
  for (size_t i = 0; i < n; i++)
    h = (h ^ (uint8_t)s[i]) * 1099511628211ull;
  return h | 1;
}

static uint32_t name_id(names *t, const char *s, size_t n) {
  uint64_t key = key_of(s, n);
  uint32_t at = (uint32_t)(key >> 40) & 255;
  while (t->slot[at].key && t->slot[at].key != key)
    at = (at + 1) & 255;
  struct name_slot *slot = &t->slot[at];
  if (!slot->key && t->n < 200)
    *slot = (struct name_slot){key, t->n++};
  return slot->id;
}

/* What is no name of the kernel's own; first in the table, so that their numbers are
 * always the same. */
static const char *const fixed_words[] = {
    "float",  "double", "int",    "short", "if",     "else",   "for",
    "while",  "const",  "return", "break", "float2", "float4", "int4",
    "pragma", "unroll", "x",      "y",     "z",      "w"};

static uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0x9fb21c651e98df25ull;
  return h ^ (h >> 29);
}

static uint64_t hash_text(names *t, uint64_t h, const char *s) {
  for (size_t n; (n = ww_gen_token(s)); s += n) {
    if (*s == ' ')
      continue;
    if (ww_is_digit(*s))
      h = mix(h, '0');
    else if (ww_is_word(*s))
      h = mix(h, 1000 + name_id(t, s, n));
    else if (*s == '$')
      h = mix(h, key_of(s, n));
    else if (*s == '[' && n > 1)
      h = mix(h, '[');
    else
      h = mix(h, (uint8_t)*s);
  }
  return h;
}

static uint64_t structure_of(const gen *g) {
  names t = {0};
  for (size_t i = 0; i < sizeof fixed_words / sizeof *fixed_words; i++)
    name_id(&t, fixed_words[i], strlen(fixed_words[i]));
  uint64_t h = mix(0x57415250, g->shape.dims);
  for (uint32_t i = 0; i < g->nparams; i++)
    h = mix(h, (uint64_t)g->params[i].type * 8 + g->params[i].role);
  for (uint32_t i = 0; i < g->outside.n; i++)
    h = hash_text(&t, mix(h, 1), g->outside.v[i].text);
  for (uint32_t i = 0; i < g->decls.n; i++)
    h = hash_text(&t, mix(h, 2), g->decls.v[i].text);
  for (uint32_t i = 0; i < g->lines.n; i++)
    h = hash_text(&t, mix(h, 3 + g->lines.v[i].kind), g->lines.v[i].text);
  return h;
}

/* ---- a kernel ---- */

static uint32_t weight_in(uint32_t version, uint32_t family) {
  return ww_gen_families[family].since <= version ? ww_gen_families[family].weight : 0;
}

static uint32_t draw_family(gen *g, uint32_t version) {
  uint32_t total = 0;
  uint32_t f = 0;
  for (uint32_t i = 0; i < ww_gen_nfamilies; i++)
    total += weight_in(version, i);
  uint32_t at = ww_gen_pick(g, total);
  while (at >= weight_in(version, f))
    at -= weight_in(version, f++);
  return f;
}

/* What makes kernels of one production differ in the large: taste for math and
 * division. */
static void draw_taste(gen *g) {
  static const uint8_t maths[] = {0, 0, 5, 10, 20, 30, 50};
  static const uint8_t divs[] = {0, 0, 0, 2, 5, 15};
  g->math = maths[ww_gen_pick(g, sizeof maths)];
  g->div = divs[ww_gen_pick(g, sizeof divs)];
  g->heavy = ww_gen_chance(g, 78);
}

static void tag_types(gen *g) {
  for (uint32_t i = 0; i < g->nparams; i++)
    if (g->params[i].role == GEN_BUFFER)
      ww_gen_tag(g, ww_gen_types[g->params[i].type].data);
  ww_gen_tag(g, g->shape.dims == 1 ? "1d" : g->shape.dims == 2 ? "2d" : "3d");
}

static void finish(gen *g) {
  gen_shape *s = &g->shape;
  if (!s->max_threads)
    s->max_threads = 1024;
  if (ww_gen_chance(g, 12)) {
    g->launch_bounds = s->fixed[0] ? s->fixed[0] * s->fixed[1] * s->fixed[2]
                                   : 256u << ww_gen_pick(g, 3);
    if (!s->fixed[0] && s->max_threads > g->launch_bounds)
      s->max_threads = g->launch_bounds;
  }
  tag_types(g);
}

/* The choices that come before the production's own. */
static void draw_first(gen *g, uint32_t version, uint64_t seed, uint32_t index) {
  uint64_t from[2] = {seed, index};
  g->rng = ww_hash(from, sizeof from, version);
  draw_taste(g);
  g->family = draw_family(g, version);
}

ww_status ww_gen_make(uint32_t version,
                      uint64_t seed,
                      uint32_t index,
                      ww_arena *a,
                      ww_gen_kernel *out,
                      ww_err *e) {
  if (version < 1 || version > WW_GENERATOR_VERSION)
    return ww_fail(e, WW_EUNSUPPORTED,
                   "generator version %u is not known here (1 to %d are)", version,
                   WW_GENERATOR_VERSION);
  gen *g = WW_NEW(a, gen);
  g->a = a;
  g->name = ww_fmt(a, "g%u_%" PRIu64 "_%u", version, seed, index);
  g->shape.dims = 1;
  g->depth = 1;
  draw_first(g, version, seed, index);
  ww_gen_families[g->family].make(g);
  ww_gen_close_all(g, 1);
  finish(g);
  *out = (ww_gen_kernel){.version = version,
                         .seed = seed,
                         .index = index,
                         .name = g->name,
                         .family = ww_gen_families[g->family].name,
                         .productions = g->productions,
                         .structure = structure_of(g),
                         .tree = g};
  return WW_OK;
}

/* ---- some productions alone ---- */

/* A production by its name, "gen.tree" or "tree"; ww_gen_nfamilies: the version has
 * none of it. */
static uint32_t family_at(uint32_t version, const char *s, size_t n) {
  bool whole = n > 4 && !memcmp(s, "gen.", 4);
  for (uint32_t f = 0; f < ww_gen_nfamilies; f++) {
    const char *name = ww_gen_families[f].name + (whole ? 0 : 4);
    if (weight_in(version, f) && strlen(name) == n && !memcmp(name, s, n))
      return f;
  }
  return ww_gen_nfamilies;
}

static ww_status no_family(uint32_t version, const char *s, size_t n, ww_err *e) {
  ww_buf b = {0};
  for (uint32_t f = 0; f < ww_gen_nfamilies; f++)
    if (weight_in(version, f))
      ww_buf_fmt(&b, "%s%s", b.n ? " " : "", ww_gen_families[f].name + 4);
  ww_status st =
      ww_fail(e, WW_EUSAGE, "--only: grammar %u has no '%.*s'; it has gen. %s", version,
              n < 40 ? (int)n : 40, s, b.s);
  ww_buf_free(&b);
  return st;
}

ww_status ww_gen_grammar(const char *wanted,
                         const char *families,
                         uint32_t *version,
                         ww_gen_some *only,
                         ww_err *e) {
  *only = (ww_gen_some){0};
  *version = WW_GENERATOR_VERSION;
  if (wanted)
    *version = wanted[0] >= '1' && wanted[0] <= '9' && !wanted[1]
                   ? (uint32_t)(wanted[0] - '0')
                   : 0;
  if (*version < 1 || *version > WW_GENERATOR_VERSION)
    return ww_fail(e, WW_EUSAGE, "--grammar: there are versions 1 to %d, not '%.40s'",
                   WW_GENERATOR_VERSION, wanted);
  for (const char *s = families; s;) {
    size_t n = strcspn(s, ",");
    uint32_t f = family_at(*version, s, n);
    if (f == ww_gen_nfamilies)
      return no_family(*version, s, n, e);
    only->family[f] = true;
    only->any = true;
    s = s[n] ? s + n + 1 : NULL;
  }
  return WW_OK;
}

/* ---- kernels without near-duplicates ---- */

struct ww_gen_stream {
  uint32_t version, next;
  uint64_t seed;
  ww_gen_some only;
  ww_map seen; /* structures of kernels */
};

ww_gen_stream *
ww_gen_stream_new(uint32_t version, uint64_t seed, const ww_gen_some *only) {
  ww_gen_stream *s = ww_xcalloc(1, sizeof *s);
  if (only)
    s->only = *only;
  s->version = version;
  s->seed = seed;
  return s;
}

void ww_gen_stream_free(ww_gen_stream *s) {
  if (!s)
    return;
  ww_map_free(&s->seen);
  free(s);
}

/* Goes on to the next index of a production that is asked for: the draw of it costs
 * next to nothing. */
static void skip_others(ww_gen_stream *s) {
  for (; s->only.any && s->next < UINT32_MAX; s->next++) {
    gen g = {0};
    draw_first(&g, s->version, s->seed, s->next);
    if (s->only.family[g.family])
      return;
  }
}

ww_status
ww_gen_stream_next(ww_gen_stream *s, ww_arena *a, ww_gen_kernel *out, ww_err *e) {
  for (;;) {
    skip_others(s);
    ww_status st = ww_gen_make(s->version, s->seed, s->next, a, out, e);
    if (st)
      return st;
    s->next++;
    bool fresh;
    ww_map_at(&s->seen, NULL, out->structure ? out->structure : 1, &fresh);
    if (fresh)
      return WW_OK;
    if (s->next == UINT32_MAX)
      return ww_fail(e, WW_ELIMIT, "seed %" PRIu64 " has no more kernels", s->seed);
  }
}
