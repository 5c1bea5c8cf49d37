/* test_warp.c - shuffles, votes, matches, reductions and AMD's lane moves, under random
 * masks, against their definitions. */
#include "rig.h"

enum { THREADS = 80 };

#define HEAD "module cuda warp 32\nfile \"k.cu\"\n"

/* Runs `code` (which makes %r of `type`, and %r2 i1 when pair) on %x, %y, %z of each
 * thread, for the threads whose %on is 1. */
typedef struct {
  uint32_t lanes;
  uint64_t in[3][THREADS], r[THREADS], r2[THREADS];
  bool on[THREADS];
} warp_run;

static void run_warp(warp_run *w,
                     const char *code,
                     const char *type,
                     const char *in_types[3],
                     bool pair) {
  uint64_t sizes[] = {THREADS,     8 * THREADS, 8 * THREADS,
                      8 * THREADS, 8 * THREADS, THREADS};
  const char *text =
      ww_fmt(arena,
             HEAD "fn $k kernel {\n  param %%on i64 pointer global\n  param %%a i64 "
                  "pointer global\n  param "
                  "%%b i64 pointer global\n  param %%c i64 pointer global\n"
                  "  param %%d i64 pointer global\n  param %%e i64 pointer "
                  "global\n@entry:\n  %%t = sreg i32 "
                  "tid.x\n  %%j = zext i64 from i32 %%t\n  %%po = add i64 %%on, %%j\n"
                  "  %%o = ld.global i1 [%%po]\n  %%pa = lea i64 %%a, %%j #8\n  %%pb = "
                  "lea i64 %%b, %%j #8\n  "
                  "%%pc = lea i64 %%c, %%j #8\n  %%pd = lea i64 %%d, %%j #8\n  %%pe = "
                  "add i64 %%e, %%j\n"
                  "  %%x = ld.global %s [%%pa]\n  %%y = ld.global %s [%%pb]\n  %%z = "
                  "ld.global %s [%%pc]\n  "
                  "cbr %%o, @yes, @no\n"
                  "@yes:\n%s  st.global %s [%%pd], %%r\n%s  br @no\n@no:\n  ret\n}\n",
             in_types[0], in_types[1], in_types[2], code, type,
             pair ? "  st.global i1 [%pe], %r2\n" : "");
  rig r = rig_open(text, 1, THREADS, sizes);
  r.spec.lanes = w->lanes;
  memcpy(rig_buffer(&r, 0), w->on, THREADS);
  for (uint32_t k = 0; k < 3; k++)
    memcpy(rig_buffer(&r, 1 + k), w->in[k], 8 * THREADS);
  memset(rig_buffer(&r, 4), 0, sizes[4]);
  rig_must(&r);
  memcpy(w->r, rig_buffer(&r, 4), sizes[4]);
  for (uint32_t t = 0; t < THREADS; t++)
    w->r2[t] = ((uint8_t *)rig_buffer(&r, 5))[t];
  rig_close(&r);
}

static void random_mask(warp_run *w, int round) {
  for (uint32_t t = 0; t < THREADS; t++)
    w->on[t] = round % 3 == 0 || rig_random() % 3 == 0;
}

static uint64_t mask_of(const warp_run *w, uint32_t t) { /* active lanes of t's warp */
  uint64_t m = 0;
  for (uint32_t l = 0, base = t / w->lanes * w->lanes;
       l < w->lanes && base + l < THREADS; l++)
    m |= (uint64_t)w->on[base + l] << l;
  return m;
}

#define WARP_CASES(...)                       \
  EVERYWHERE({                                \
    for (int round = 0; round < 6; round++) { \
      warp_run *w = WW_NEW(arena, warp_run);  \
      w->lanes = lanes;                       \
      random_mask(w, round);                  \
      __VA_ARGS__                             \
    }                                         \
  })
#define ON(t)                            \
  for (uint32_t t = 0; t < THREADS; t++) \
    if (w->on[t])
#define EQUAL(got, want)                                                             \
  do {                                                                               \
    uint64_t g_ = (got), w_ = (want);                                                \
    if (g_ != w_)                                                                    \
      fail_msg("%u lanes, %s, thread %u: 0x%llx, not 0x%llx", lanes, rig_isas[isa_], \
               t, (unsigned long long)g_, (unsigned long long)w_);                   \
  } while (0)

/* PTX ISA, shfl.sync: the same with six bits for a warp of 64. */
static uint32_t
ptx_shfl(int mode, uint32_t lanes, uint32_t lane, uint32_t b, uint32_t c, bool *valid) {
  uint32_t bits = lanes - 1, bval = b & bits, cval = c & bits, segmask = c >> 8 & bits;
  uint32_t max = (lane & segmask) | (cval & ~segmask), min = lane & segmask;
  int j = 0;
  switch (mode) {
  case WW_SHFL_UP:
    j = (int)lane - (int)bval;
    *valid = j >= (int)max;
    break;
  case WW_SHFL_DOWN:
    j = (int)lane + (int)bval;
    *valid = j <= (int)max;
    break;
  case WW_SHFL_BFLY:
    j = (int)(lane ^ bval);
    *valid = j <= (int)max;
    break;
  default:
    j = (int)(min | (bval & ~segmask));
    *valid = j <= (int)max;
    break;
  }
  return *valid ? (uint32_t)j : lane;
}

static void test_shuffles(void **state) {
  (void)state;
  static const char *const modes[] = {"idx", "up", "down", "bfly"}, *const types[] = {
                                                                        "i32", "f64",
                                                                        "i8", "f16"};
  static const uint32_t clamps[] = {0x1f,   0,      0x1c1f, 0x1800,
                                    0x181f, 0x1f1f, 0x0f,   0x1007};
  WARP_CASES({
    for (int mode = 0; mode < 4; mode++) {
      const char *type = types[(mode + round) % 4];
      for (uint32_t t = 0; t < THREADS; t++) {
        w->in[0][t] =
            rig_random() >> (64 - 8 * (uint32_t[]){4, 8, 1, 2}[(mode + round) % 4]);
        w->in[1][t] = round < 3 ? (uint32_t)round * 5 + 1 : rig_random() % 70;
        w->in[2][t] = clamps[rig_random() % 8];
      }
      run_warp(
          w,
          ww_fmt(arena, "  %%r, %%r2 = shfl.%s %s %%x, %%y, %%z\n", modes[mode], type),
          type, (const char *[]){type, "i32", "i32"}, true);
      ON(t) {
        bool valid;
        uint32_t from = ptx_shfl(mode, lanes, t % lanes, (uint32_t)w->in[1][t],
                                 (uint32_t)w->in[2][t], &valid),
                 src = t / lanes * lanes + from;
        EQUAL(w->r2[t], valid);
        if (src < THREADS && w->on[src])
          EQUAL(w->r[t], w->in[0][src]);
      }
    }
  })
}

static void test_votes(void **state) {
  (void)state;
  WARP_CASES({
    for (uint32_t t = 0; t < THREADS; t++)
      w->in[0][t] = round == 1 ? 1 : round == 2 ? 0 : rig_random() % 2;
    const char *in[] = {"i1", "i1", "i1"};
    for (int mode = 0; mode < 4; mode++) {
      run_warp(w,
               ww_fmt(arena, "  %%r = vote.%s %s %%x\n",
                      (const char *[]){"all", "any", "uni", "ballot"}[mode],
                      mode == 3 ? "i64" : "i1"),
               mode == 3 ? "i64" : "i1", in, false);
      ON(t) {
        uint64_t m = mask_of(w, t), yes = 0;
        for (uint32_t l = 0; l < lanes; l++)
          if (m >> l & 1)
            yes |= w->in[0][t / lanes * lanes + l] << l;
        EQUAL(w->r[t], mode == 0   ? yes == m
                       : mode == 1 ? yes != 0
                       : mode == 2 ? yes == 0 || yes == m
                                   : yes);
      }
    }
    run_warp(w, "  %r = activemask i64\n", "i64", in, false);
    ON(t) EQUAL(w->r[t], mask_of(w, t));
  })
}

static void test_matches(void **state) {
  (void)state;
  WARP_CASES({
    for (uint32_t t = 0; t < THREADS; t++)
      w->in[0][t] = round % 2 ? 7 : rig_random() % 4 << 33;
    for (int all = 0; all < 2; all++) {
      run_warp(w, all ? "  %r, %r2 = match.all i64 %x\n" : "  %r = match.any i64 %x\n",
               "i64", (const char *[]){"i64", "i32", "i32"}, all);
      ON(t) {
        uint64_t m = mask_of(w, t), same = 0;
        for (uint32_t l = 0; l < lanes; l++)
          if (m >> l & 1 && w->in[0][t / lanes * lanes + l] == w->in[0][t])
            same |= 1ull << l;
        EQUAL(w->r[t], !all ? same : same == m ? m : 0);
        if (all)
          EQUAL(w->r2[t], same == m);
      }
    }
  })
}

static uint32_t reduce(int op, uint32_t v, uint32_t y) {
  switch (op) {
  case 0:
    return v + y;
  case 1:
    return v & y;
  case 2:
    return v | y;
  case 3:
    return v ^ y;
  case 4:
    return (int32_t)y < (int32_t)v ? y : v;
  case 5:
    return (int32_t)y > (int32_t)v ? y : v;
  case 6:
    return y < v ? y : v;
  default:
    return y > v ? y : v;
  }
}

/* Over all active lanes, and over even and odd ones by a mask of their own. */
static void test_warp_reductions(void **state) {
  (void)state;
  static const char *const ops[] = {"add",  "and",  "or",   "xor",
                                    "smin", "smax", "umin", "umax"};
  WARP_CASES({
    for (uint32_t t = 0; t < THREADS; t++) {
      w->in[0][t] = (uint32_t)rig_random();
      w->in[1][t] = 0x5555555555555555ull << t % 2;
    }
    for (int op = 0; op < 16; op++) {
      run_warp(w,
               ww_fmt(arena, "  %%r = redux.%s i32 %%x, %s\n", ops[op % 8],
                      op < 8 ? "-1" : "%y"),
               "i32", (const char *[]){"i32", "i64", "i32"}, false);
      ON(t) {
        uint64_t m = mask_of(w, t) & (op < 8 ? ~0ull : w->in[1][t]);
        uint32_t base = t / lanes * lanes,
                 v = (uint32_t)w->in[0][base + (uint32_t)__builtin_ctzll(m)];
        for (m &= m - 1; m; m &= m - 1)
          v = reduce(op % 8, v,
                     (uint32_t)w->in[0][base + (uint32_t)__builtin_ctzll(m)]);
        EQUAL(w->r[t], v);
      }
    }
  })
}

static void test_amd_lane_moves(void **state) {
  (void)state;
  const char *in[] = {"i32", "i32", "i32"};
  WARP_CASES({
    for (uint32_t t = 0; t < THREADS; t++) {
      w->in[0][t] = rig_random() % 64 * 4 + rig_random() % 4;
      w->in[1][t] = (uint32_t)rig_random();
      w->in[2][t] = rig_random() % 64;
    }
    run_warp(w, "  %r = bpermute i32 %x, %y\n", "i32", in, false);
    ON(t) {
      uint32_t src = t / lanes * lanes + (w->in[0][t] / 4) % lanes;
      if (src < THREADS && w->on[src])
        EQUAL(w->r[t], w->in[1][src]);
    }
    run_warp(w, "  %r = permute i32 %x, %y\n", "i32", in, false);
    ON(t) {
      uint64_t v = 0;
      for (uint32_t u = t / lanes * lanes; u < THREADS && u < (t / lanes + 1) * lanes;
           u++)
        if (w->on[u] && w->in[0][u] / 4 % lanes == t % lanes)
          v = w->in[1][u];
      EQUAL(w->r[t], v);
    }
    run_warp(w, "  %r = readfirst i32 %y\n", "i32", in, false);
    ON(t)
    EQUAL(w->r[t],
          w->in[1][t / lanes * lanes + (uint32_t)__builtin_ctzll(mask_of(w, t))]);
    run_warp(w, "  %r = readlane i32 %y, %z\n", "i32", in, false);
    ON(t) {
      uint32_t src = t / lanes * lanes + w->in[2][t] % lanes;
      if (src < THREADS && w->on[src])
        EQUAL(w->r[t], w->in[1][src]);
    }
    for (int high = 0; high < 2; high++) {
      run_warp(w, ww_fmt(arena, "  %%r = mbcnt i32 %%y, %%z #%d\n", high), "i32", in,
               false);
      ON(t) {
        uint64_t below = (1ull << t % lanes) - 1;
        EQUAL(w->r[t], (uint64_t)__builtin_popcountll(
                           w->in[1][t] & (high ? below >> 32 : below & 0xffffffff)) +
                           w->in[2][t]);
      }
    }
  })
}

int main(void) {
  const struct CMUnitTest tests[] = {
      RIG_TEST(test_shuffles),       RIG_TEST(test_votes),
      RIG_TEST(test_matches),        RIG_TEST(test_warp_reductions),
      RIG_TEST(test_amd_lane_moves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
