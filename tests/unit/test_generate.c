/* test_generate.c - the generator: frozen output, the same twice, no near-duplicates,
 * launches that keep their promises. */
#include "unit.h"

#include <stdlib.h>

#include "../../src/data/generate.h"

#define SMS 132
#define L2 ((uint64_t)60 << 20)

#define NEW_FAMILIES                                                                 \
  "tree,probe,records,latency,queue,gather_shared,ode,bits,straight,double,lowbits," \
  "window,relax,"                                                                    \
  "triangle,interp,"                                                                 \
  "persist,bcast,vote"

/* Sources in both dialects and three launches of the first kernels of seed 1, of all
 * productions or of some. Shipped rows are made again from their numbers: what changes
 * these is a new WW_GENERATOR_VERSION, and the old ones stay. */
static const struct {
  const char *version;
  uint32_t kernels;
  const char *only;
  uint64_t cuda, opencl, launches;
} frozen[] = {
    {"1", 200, NULL, 0x9f97e1807c98fe56ull, 0x3f8963d71b974997ull,
     0x2340f79cb7e3022dull},
    {"2", 200, NULL, 0x99e66ebf76a820aaull, 0x593518571a34872dull,
     0x2f335bf14719d19full},
    {"2", 400, NEW_FAMILIES, 0xc8dfb26b0183e5b4ull, 0x94894942a7d90453ull,
     0x488abb906f30b9a6ull},
};

static void add_launches(const ww_gen_kernel *k, ww_arena *a, ww_buf *out) {
  for (uint32_t n = 0; n < 3; n++) {
    ww_launch l;
    ww_json j = {0};
    assert_int_equal(ww_gen_launch(k, n, SMS, L2, a, &l, NULL, NULL), WW_OK);
    ww_json_begin(&j, out);
    ww_launch_write(&l, &j);
  }
}

static void freeze(uint32_t row, ww_arena *a) {
  uint32_t version;
  ww_gen_some only;
  ww_buf cuda = {0}, opencl = {0}, launches = {0};
  assert_int_equal(
      ww_gen_grammar(frozen[row].version, frozen[row].only, &version, &only, NULL),
      WW_OK);
  ww_gen_stream *s = ww_gen_stream_new(version, 1, &only);
  for (uint32_t i = 0; i < frozen[row].kernels; i++) {
    ww_gen_kernel k;
    assert_int_equal(ww_gen_stream_next(s, a, &k, NULL), WW_OK);
    ww_gen_print(&k, WW_GEN_CUDA, 0, &cuda);
    ww_gen_print(&k, WW_GEN_OPENCL, 0, &opencl);
    add_launches(&k, a, &launches);
  }
  uint64_t got[] = {ww_hash(cuda.s, cuda.n, 0), ww_hash(opencl.s, opencl.n, 0),
                    ww_hash(launches.s, launches.n, 0)};
  ww_gen_stream_free(s);
  ww_buf_free(&cuda);
  ww_buf_free(&opencl);
  ww_buf_free(&launches);
  if (got[0] != frozen[row].cuda || got[1] != frozen[row].opencl ||
      got[2] != frozen[row].launches)
    fail_msg("row %u: version %u now writes 0x%llxull, 0x%llxull, launches 0x%llxull",
             row, version, (unsigned long long)got[0], (unsigned long long)got[1],
             (unsigned long long)got[2]);
}

static void output_is_frozen(void **state) {
  for (uint32_t row = 0; row < sizeof frozen / sizeof *frozen; row++)
    freeze(row, *state);
}

static void same_numbers_same_kernel(void **state) {
  for (uint32_t i = 0; i < 100; i++) {
    uint32_t version = 1 + i % WW_GENERATOR_VERSION;
    ww_gen_kernel a, b, c;
    ww_arena *other = ww_arena_new();
    ww_alloc(other, 1000 * (i + 1)); /* elsewhere in memory */
    assert_int_equal(ww_gen_make(version, 9, i, *state, &a, NULL), WW_OK);
    assert_int_equal(ww_gen_make(version, 9, i, other, &b, NULL), WW_OK);
    assert_int_equal(ww_gen_make(version, 10, i, other, &c, NULL), WW_OK);
    assert_true(a.structure == b.structure);
    assert_string_equal(a.productions, b.productions);
    assert_true(ww_gen_source_hash(&a, WW_GEN_CUDA) ==
                ww_gen_source_hash(&b, WW_GEN_CUDA));
    assert_true(ww_gen_source_hash(&a, WW_GEN_OPENCL) ==
                ww_gen_source_hash(&b, WW_GEN_OPENCL));
    assert_false(ww_gen_source_hash(&a, WW_GEN_CUDA) ==
                 ww_gen_source_hash(&c, WW_GEN_CUDA));
    ww_arena_free(other);
  }
  ww_gen_kernel k;
  ww_err e = {0};
  assert_int_equal(ww_gen_make(WW_GENERATOR_VERSION + 1, 1, 0, *state, &k, &e),
                   WW_EUNSUPPORTED);
  assert_non_null(strstr(e.msg, "version"));
  assert_int_equal(ww_gen_make(0, 1, 0, *state, &k, &e), WW_EUNSUPPORTED);
}

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Productions of a row in the table of families, and kernels without floats: a third of
 * real ones.
 */
static void no_duplicates(uint32_t version, uint32_t least_families, ww_arena *a) {
  enum { N = 4000 };
  uint64_t *seen = WW_NEWN(a, uint64_t, N);
  const char *families[64] = {0};
  uint32_t nfamilies = 0, integers = 0, last = 0;
  ww_gen_stream *s = ww_gen_stream_new(version, 2, NULL);
  for (int i = 0; i < N; i++) {
    ww_arena *own = ww_arena_new();
    ww_gen_kernel k;
    uint32_t f = 0;
    assert_int_equal(ww_gen_stream_next(s, own, &k, NULL), WW_OK);
    assert_true(i == 0 || k.index > last);
    last = k.index;
    seen[i] = k.structure;
    integers += !strstr(k.productions, "f32") && !strstr(k.productions, "f64") &&
                !strstr(k.productions, "float");
    while (f < nfamilies && strcmp(families[f], k.family))
      f++;
    if (f == nfamilies)
      families[nfamilies++] = k.family;
    ww_arena_free(own);
  }
  ww_gen_stream_free(s);
  qsort(seen, N, sizeof *seen, by_value);
  for (int i = 1; i < N; i++)
    assert_true(seen[i] != seen[i - 1]);
  assert_int_equal(nfamilies, least_families);
  assert_in_range(integers, N / 4, N / 2);
  assert_true(last < N * 3 / 2); /* few are thrown away */
}

static void stream_has_no_duplicates(void **state) {
  no_duplicates(1, 36, *state);
  no_duplicates(2, 54, *state);
}

/* Some productions alone: the kernels that the whole sequence has of them, under the
 * same numbers.
 */
static void some_productions_alone(void **state) {
  ww_gen_some only;
  uint32_t version;
  ww_err e = {0};
  assert_int_equal(ww_gen_grammar(NULL, "gen.ode,vote", &version, &only, &e), WW_OK);
  assert_int_equal(version, WW_GENERATOR_VERSION);
  ww_gen_stream *some = ww_gen_stream_new(2, 4, &only),
                *all = ww_gen_stream_new(2, 4, NULL);
  for (int i = 0; i < 30; i++) {
    ww_gen_kernel a, b;
    assert_int_equal(ww_gen_stream_next(some, *state, &a, &e), WW_OK);
    assert_true(!strcmp(a.family, "gen.ode") || !strcmp(a.family, "gen.vote"));
    do
      assert_int_equal(ww_gen_stream_next(all, *state, &b, &e), WW_OK);
    while (strcmp(b.family, "gen.ode") && strcmp(b.family, "gen.vote"));
    assert_true(a.index == b.index && a.structure == b.structure);
  }
  ww_gen_stream_free(some);
  ww_gen_stream_free(all);
}

static void wrong_grammar_is_told(void **state) {
  ww_gen_some only;
  uint32_t version;
  ww_err e = {0};
  (void)state;
  assert_int_equal(ww_gen_grammar("1", NULL, &version, &only, &e), WW_OK);
  assert_true(version == 1 && !only.any);
  static const char *const wrong[] = {"3", "0", "", "2x", "12"};
  for (int k = 0; k < 5; k++) {
    assert_int_equal(ww_gen_grammar(wrong[k], NULL, &version, &only, &e), WW_EUSAGE);
    assert_non_null(strstr(e.msg, "1 to 2"));
  }
  assert_int_equal(ww_gen_grammar("1", "gen.map,gen.ode", &version, &only, &e),
                   WW_EUSAGE); /* since 2 */
  assert_non_null(strstr(e.msg, "no 'gen.ode'"));
  assert_null(strstr(e.msg, " vote"));
  assert_int_equal(ww_gen_grammar("2", "map,,ode", &version, &only, &e), WW_EUSAGE);
  assert_non_null(strstr(e.msg, " vote")); /* the last one known: the whole list fits */
}

static void structure_is_not_the_text(void **state) {
  ww_gen_kernel k;
  ww_buf plain = {0}, styled = {0};
  assert_int_equal(ww_gen_make(WW_GENERATOR_VERSION, 1, 3, *state, &k, NULL), WW_OK);
  ww_gen_print(&k, WW_GEN_CUDA, 0, &plain);
  for (uint32_t style = 1; style < 6; style++) {
    styled.n = 0;
    ww_gen_print(&k, WW_GEN_CUDA, style, &styled);
    assert_string_not_equal(plain.s, styled.s);
    assert_non_null(strstr(styled.s, k.name)); /* the entry keeps its name */
  }
  ww_buf_free(&plain);
  ww_buf_free(&styled);
}

typedef struct {
  uint32_t n, idle, full, under_10us, over_10ms;
} spread;

static void check_launch(const ww_launch *l, uint32_t sms, double us, spread *s) {
  uint64_t blocks = l->grid[0] * l->grid[1] * l->grid[2],
           threads = l->block[0] * l->block[1] * l->block[2], bytes = 0;
  assert_true(blocks >= 1 && threads >= 1 && threads <= 1024);
  assert_true(l->grid[1] <= 65535 && l->grid[2] <= 65535 &&
              blocks <= 1100ull * sms + 1000);
  for (uint32_t i = 0; i < l->nargs; i++) {
    const ww_arg *g = &l->args[i];
    if (g->kind == WW_ARG_HEX) {
      assert_true(g->hex_n == 4 || g->hex_n == 8);
      continue;
    }
    assert_int_equal(g->kind, WW_ARG_BUFFER);
    assert_true(g->buffer.bytes > 0 && ww_elem_size(g->buffer.type) > 0);
    assert_int_equal(g->buffer.bytes % ww_elem_size(g->buffer.type), 0);
    assert_true(g->buffer.fill.kind != WW_FILL_NONE &&
                g->buffer.fill.kind != WW_FILL_FILE);
    bytes += g->buffer.bytes;
  }
  assert_true(bytes <= (uint64_t)2 << 30);
  s->n++;
  s->idle += blocks < sms;
  s->full += blocks > 20ull * sms;
  s->under_10us += us < 10;
  s->over_10ms += us > 10500;
}

/* 400 kernels on a GPU of so many SMs. */
static void check_launches(uint32_t version, uint32_t sms) {
  spread s = {0};
  for (uint32_t i = 0; i < 400; i++) {
    ww_arena *a = ww_arena_new();
    ww_gen_kernel k;
    ww_launch l;
    double us;
    assert_int_equal(ww_gen_make(version, 3, i, a, &k, NULL), WW_OK);
    for (uint32_t n = 0; n < 6; n++) {
      assert_int_equal(ww_gen_launch(&k, n, sms, L2, a, &l, &us, NULL), WW_OK);
      assert_string_equal(l.kernel, k.name);
      check_launch(&l, sms, us, &s);
    }
    ww_arena_free(a);
  }
  assert_true(s.over_10ms * 100 <= s.n);
  if (sms == 1)
    return;
  assert_in_range(s.idle * 100 / s.n, 20, 30);
  assert_in_range(s.full * 100 / s.n, 11, 19);
  if (sms == SMS)
    assert_in_range(s.under_10us * 100 / s.n, 15, 35);
}

static void launches_keep_their_promises(void **state) {
  static const uint32_t sizes[] = {SMS, 1, 20};
  for (uint32_t version = 1; version <= WW_GENERATOR_VERSION; version++)
    for (int m = 0; m < 3; m++)
      check_launches(version, sizes[m]);
  ww_gen_kernel none = {.name = "x"};
  ww_launch l;
  assert_int_equal(ww_gen_launch(&none, 0, 0, L2, *state, &l, NULL, NULL), WW_EUSAGE);
}

/* A style renames from a table of 160 names: longer kernels must not run out of it. */
static void names_fit_the_printer(void **state) {
  ww_gen_some only;
  uint32_t version;
  assert_int_equal(ww_gen_grammar("2", NEW_FAMILIES, &version, &only, NULL), WW_OK);
  ww_gen_stream *s = ww_gen_stream_new(version, 6, &only);
  for (int i = 0; i < 400; i++) {
    ww_gen_kernel k;
    ww_buf b = {0};
    assert_int_equal(ww_gen_stream_next(s, *state, &k, NULL), WW_OK);
    ww_gen_print(&k, WW_GEN_CUDA, 2, &b); /* style 2: a letter and the name's number */
    for (const char *p = b.s; (p = strstr(p, "160")); p++)
      if (p > b.s + 1 && strchr("abcdefghjkmnpqrstuvw", p[-1]) &&
          strchr(" (*-+~!", p[-2]))
        fail_msg("%s has more", k.name);
    ww_buf_free(&b);
  }
  ww_gen_stream_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(output_is_frozen),
                                     TEST(same_numbers_same_kernel),
                                     TEST(stream_has_no_duplicates),
                                     TEST(structure_is_not_the_text),
                                     TEST(launches_keep_their_promises),
                                     TEST(some_productions_alone),
                                     TEST(wrong_grammar_is_told),
                                     TEST(names_fit_the_printer)};
  return RUN(tests);
}
