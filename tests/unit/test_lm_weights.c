/* test_lm_weights.c - types and files of weights: every type there and back, hostile
 * headers, a disk that is full. */
#include "folder.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/lm/weights.h"

static float float_of(uint32_t u) {
  float f;
  memcpy(&f, &u, 4);
  return f;
}

static uint32_t next_random(uint64_t *s) {
  *s = *s * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)(*s >> 32);
}

/* ---- types ---- */

/* The value of a half by its definition. */
static double half_value(uint16_t h) {
  int exponent = h >> 10 & 31, mantissa = h & 1023;
  double v = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
  return h & 0x8000 ? -v : v;
}

static void halves_have_their_values(void **state) {
  (void)state;
  uint16_t all[65536], back[65536];
  float *fast = ww_xmalloc(sizeof *fast * 65536),
        *plain = ww_xmalloc(sizeof *plain * 65536);
  for (uint32_t h = 0; h < 65536; h++)
    all[h] = (uint16_t)h;
  ww_to_f32(fast, all, WW_DTYPE_F16, 65536);
  ww_to_f32_plain(plain, all, WW_DTYPE_F16, 65536);
  assert_memory_equal(fast, plain, sizeof *fast * 65536);
  ww_from_f32(back, WW_DTYPE_F16, fast, 65536);
  for (uint32_t h = 0; h < 65536; h++) {
    bool nan = (h & 0x7fff) > 0x7c00, inf = (h & 0x7fff) == 0x7c00;
    if (nan)
      assert_true(isnan(fast[h]) && (back[h] & 0x7fff) > 0x7c00);
    else
      assert_true(inf ? isinf(fast[h]) && (signbit(fast[h]) != 0) == (h >> 15 != 0)
                      : fast[h] == half_value((uint16_t)h));
    if (!nan)
      assert_int_equal(back[h], h);
  }
  free(fast);
  free(plain);
}

/* Between two neighbours the nearer one wins, between equally near ones the even one;
 * checked with doubles, which hold both exactly. */
static void
check_nearest(float x, uint16_t got, double (*value)(uint16_t), uint16_t largest) {
  uint16_t size = got & 0x7fff;
  double want = fabs((double)x), mine = value(size);
  assert_int_equal(got >> 15, signbit(x) != 0);
  if (size > largest) { /* infinite: at least half a step beyond the largest */
    assert_true(want >= value(largest) + (value(largest) - value(largest - 1)) / 2);
    return;
  }
  double off = fabs(mine - want),
         above = size < largest ? fabs(value(size + 1) - want) : INFINITY;
  double below = size ? fabs(value(size - 1) - want) : INFINITY;
  if (off > above || off > below || ((off == above || off == below) && (size & 1)))
    fail_msg("%a became %x", (double)x, got);
}

static double bf16_value(uint16_t h) {
  return float_of((uint32_t)h << 16);
}

enum { MANY = 1 << 16 };

static void rounding_is_to_nearest_even(void **state) {
  float *x = ww_alloc(*state, sizeof *x * MANY);
  uint16_t *fast = ww_alloc(*state, 2 * MANY), *plain = ww_alloc(*state, 2 * MANY);
  uint64_t seed = 1;
  for (uint32_t i = 0; i < MANY; i++) { /* anything; halves' range; exact middles
                                           between halves and between bf16s */
    uint32_t r = next_random(&seed);
    x[i] = i % 4 == 0   ? float_of(r)
           : i % 4 == 1 ? ldexpf((float)(r & 0xffffff), (int)(r >> 26) - 52)
           : i % 4 == 2 ? float_of((r & 0x8fffe000) + 0x30000000 + (r & 1 ? 0x1000 : 0))
                        : float_of((r & 0xffff0000) | (r & 1 ? 0x8000 : 0x8001));
    if (isnan(x[i]))
      x[i] = 65519.996f;
  }
  static const ww_dtype types[] = {WW_DTYPE_F16, WW_DTYPE_BF16};
  for (int t = 0; t < 2; t++) {
    ww_from_f32(fast, types[t], x, MANY - 3); /* an end that fills no vector */
    ww_from_f32_plain(plain, types[t], x, MANY - 3);
    assert_memory_equal(fast, plain, 2 * (MANY - 3));
    for (uint32_t i = 0; i < MANY - 3; i++)
      if (isfinite(x[i]))
        check_nearest(x[i], fast[i], t ? bf16_value : half_value, t ? 0x7f7f : 0x7bff);
  }
  float odd[] = {NAN,
                 float_of(0x7f800001),
                 float_of(0xff812345),
                 INFINITY,
                 -INFINITY,
                 65520,
                 65519.99f,
                 0x1p-25f,
                 -0x1.8p-25f};
  uint16_t want[] = {0x7e00, 0x7e00, 0xfe09, 0x7c00, 0xfc00, 0x7c00, 0x7bff, 0, 0x8001},
           got[9];
  ww_from_f32_plain(got, WW_DTYPE_F16, odd, 9);
  assert_memory_equal(got, want, sizeof want);
  ww_from_f32(got, WW_DTYPE_F16, odd, 8);
  assert_memory_equal(got, want, 16);
}

static void blocks_are_within_half_a_step(void **state) {
  enum { N = 32 * 400 };
  float *x = ww_alloc(*state, sizeof *x * N), *back = ww_alloc(*state, sizeof *x * N),
        *slow = ww_alloc(*state, sizeof *x * N);
  uint8_t *fast = ww_alloc(*state, N / 32 * 34), *plain = ww_alloc(*state, N / 32 * 34),
          *again = ww_alloc(*state, N / 32 * 34);
  uint64_t seed = 7;
  for (uint32_t i = 0; i < N; i++) {
    int scale = (int)(i / 32 % 40) -
                25; /* from scales that are subnormal halves to large ones */
    x[i] = ldexpf((float)(int32_t)next_random(&seed), scale - 31);
    if (i / 32 == 3)
      x[i] = 0;
  }
  ww_from_f32(fast, WW_DTYPE_Q8_0, x, N);
  ww_from_f32_plain(plain, WW_DTYPE_Q8_0, x, N);
  assert_memory_equal(fast, plain, N / 32 * 34);
  ww_to_f32(back, fast, WW_DTYPE_Q8_0, N);
  ww_to_f32_plain(slow, fast, WW_DTYPE_Q8_0, N);
  assert_memory_equal(back, slow, sizeof *x * N);
  for (uint32_t b = 0; b < N / 32; b++) {
    uint16_t half;
    memcpy(&half, fast + b * 34, 2);
    double step = half_value(half), most = 0;
    for (uint32_t i = 0; i < 32; i++)
      most = fmax(most, fabs((double)x[b * 32 + i]));
    bool tiny =
        step <
        0x1p-14; /* the scale itself is coarse there: the largest values may be cut */
    for (uint32_t i = 0; i < 32; i++) {
      double off = fabs((double)x[b * 32 + i] - (double)back[b * 32 + i]);
      assert_true(off <= step * 0.5000001 +
                             (tiny ? 127 * 0x1p-25 + most * 0.01 : most * 0x1p-11));
    }
  }
  ww_from_f32(again, WW_DTYPE_Q8_0, back, N);
  ww_to_f32(slow, again, WW_DTYPE_Q8_0, N);
  for (uint32_t i = 0; i < N; i++)
    if (fabsf(back[i]) > 0x1p-7f)
      assert_true(fabsf(slow[i] - back[i]) <= 1e-3f * fabsf(back[i]) ||
                  fabsf(slow[i] - back[i]) < 1e-6f);
}

static void blocks_keep_what_is_no_number(void **state) {
  (void)state;
  float x[96] = {0}, back[96];
  uint8_t fast[3 * 34], plain[3 * 34];
  x[5] = NAN;
  x[37] = INFINITY;
  x[64] = 3e38f; /* beyond what a half's scale can reach */
  ww_from_f32(fast, WW_DTYPE_Q8_0, x, 96);
  ww_from_f32_plain(plain, WW_DTYPE_Q8_0, x, 96);
  assert_memory_equal(fast, plain, sizeof fast);
  ww_to_f32(back, fast, WW_DTYPE_Q8_0, 96);
  assert_true(isnan(back[5]));
  assert_true(back[37] == 127 * 65504.0f && back[64] == 127 * 65504.0f &&
              back[65] == 0);
}

static void sizes_of_types(void **state) {
  (void)state;
  assert_int_equal(ww_dtype_bytes(WW_DTYPE_Q8_0, 64), 68);
  assert_int_equal(ww_dtype_bytes(WW_DTYPE_Q8_0, 33), 0);
  assert_int_equal(ww_dtype_bytes(WW_DTYPE_I64, UINT64_MAX), 0);
  assert_int_equal(ww_dtype_bytes(WW_DTYPE_BF16, 5), 10);
  assert_string_equal(ww_dtype_name(WW_DTYPE_BF16), "BF16");
}

/* ---- there and back ---- */

/* One tensor of each type, with bytes that differ. */
static uint32_t some_tensors(ww_arena *a, ww_tensor *t, bool gguf) {
  static const char *const names[] = {"f32", "f16", "bf16", "q8",
                                      "i8",  "i32", "i64",  "u8"};
  uint32_t n = 0;
  for (int type = 0; type < WW_NDTYPE; type++) {
    if (gguf ? type == WW_DTYPE_U8 : type == WW_DTYPE_Q8_0)
      continue;
    t[n] = (ww_tensor){
        .name = names[type], .type = (ww_dtype)type, .ndim = 2, .dim = {3, 32}};
    t[n].bytes = ww_dtype_bytes(t[n].type, 96);
    uint8_t *bytes = ww_alloc(a, t[n].bytes);
    for (uint64_t i = 0; i < t[n].bytes; i++)
      bytes[i] = (uint8_t)(i * 7 + (uint64_t)type);
    t[n++].data = bytes;
  }
  t[n++] = (ww_tensor){.name = "one \"quoted\" \xc3\xa9",
                       .type = WW_DTYPE_F32,
                       .data = "\0\0\x80\x3f",
                       .bytes = 4};
  t[n++] = (ww_tensor){
      .name = "none", .type = WW_DTYPE_F16, .ndim = 3, .dim = {2, 0, 4}, .data = ""};
  return n;
}

static void check_same(const ww_weights *w, const ww_tensor *t, uint32_t n) {
  assert_int_equal(ww_weights_count(w), n);
  for (uint32_t i = 0; i < n; i++) {
    const ww_tensor *got = ww_weights_find(w, t[i].name);
    assert_non_null(got);
    assert_int_equal(got->type, t[i].type);
    assert_string_equal(got->type_name, ww_dtype_name(t[i].type));
    assert_int_equal(got->ndim, t[i].ndim);
    assert_memory_equal(got->dim, t[i].dim, 8 * t[i].ndim);
    assert_int_equal(got->bytes, t[i].bytes);
    if (t[i].bytes)
      assert_memory_equal(got->data, t[i].data, t[i].bytes);
  }
}

static void safetensors_there_and_back(void **state) {
  ww_arena *a = *state;
  ww_tensor t[12];
  uint32_t n = some_tensors(a, t, false);
  char *dir = folder_new(a);
  const char *path = ww_path_join(a, dir, "model.safetensors");
  ww_meta meta[] = {{.key = "format", .kind = WW_META_TEXT, .text = "pt"},
                    {.key = "a\n", .kind = WW_META_TEXT, .text = "\xf0\x9f\x99\x82\t"}};
  ww_err e = {0};
  ww_weights *w;
  assert_int_equal(ww_safetensors_write(path, t, n, meta, 2, &e), WW_OK);
  assert_int_equal(ww_weights_open(dir, &w, &e), WW_OK);
  check_same(w, t, n);
  assert_string_equal(ww_weights_meta(w, "a\n")->text, "\xf0\x9f\x99\x82\t");
  assert_null(ww_weights_meta(w, "b"));
  assert_null(ww_weights_find(w, "b"));
  ww_weights_close(w);
  t[1].name = t[0].name;
  assert_int_equal(ww_safetensors_write(path, t, n, NULL, 0, &e), WW_EUSAGE);
  folder_drop(dir);
}

static void shards_there_and_back(void **state) {
  ww_arena *a = *state;
  ww_tensor t[12];
  uint32_t n = some_tensors(a, t, false);
  char *dir = folder_new(a);
  ww_err e = {0};
  ww_weights *w;
  assert_int_equal(ww_safetensors_write(ww_path_join(a, dir, "model.safetensors"), t, 1,
                                        NULL, 0, &e),
                   WW_OK);
  assert_int_equal(ww_safetensors_write_sharded(dir, t, n, 500, &e),
                   WW_OK); /* takes the place of the one file */
  assert_true(folder_files(dir) > 3);
  assert_int_equal(ww_weights_open(dir, &w, &e), WW_OK);
  check_same(w, t, n);
  ww_weights_close(w);
  assert_int_equal(
      ww_weights_open(ww_path_join(a, dir, "model.safetensors.index.json"), &w, &e),
      WW_OK);
  ww_weights_close(w);
  unlink(ww_path_join(a, dir, "model-00002-of-00005.safetensors"));
  assert_int_equal(ww_weights_open(dir, &w, &e), WW_EIO);
  assert_non_null(strstr(e.msg, "model-00002-of-00005.safetensors"));
  folder_drop(dir);
}

static void gguf_there_and_back(void **state) {
  ww_arena *a = *state;
  ww_tensor t[12];
  uint32_t n = some_tensors(a, t, true);
  ww_meta words[] = {{.kind = WW_META_TEXT, .text = "a\0b", .text_n = 3},
                     {.kind = WW_META_TEXT, .text = ""}};
  ww_meta ints[] = {{.kind = WW_META_INT, .u = (uint64_t)-5},
                    {.kind = WW_META_INT, .u = 7}};
  ww_meta lists[] = {
      {.kind = WW_META_ARRAY, .of = WW_META_INT, .items = ints, .n = 2},
      {.kind = WW_META_ARRAY, .of = WW_META_TEXT, .items = words, .n = 2}};
  ww_meta meta[] = {{.key = "u", .kind = WW_META_UINT, .u = 5},
                    {.key = "wide", .kind = WW_META_UINT, .u = 1ull << 40},
                    {.key = "i", .kind = WW_META_INT, .u = (uint64_t)-9},
                    {.key = "iw", .kind = WW_META_INT, .u = (uint64_t) - (1ll << 40)},
                    {.key = "r", .kind = WW_META_REAL, .real = 0.25},
                    {.key = "b", .kind = WW_META_BOOL, .u = 1},
                    {.key = "t", .kind = WW_META_TEXT, .text = "text"},
                    {.key = "words",
                     .kind = WW_META_ARRAY,
                     .of = WW_META_TEXT,
                     .items = words,
                     .n = 2},
                    {.key = "empty", .kind = WW_META_ARRAY, .of = WW_META_REAL},
                    {.key = "lists",
                     .kind = WW_META_ARRAY,
                     .of = WW_META_ARRAY,
                     .items = lists,
                     .n = 2}};
  char *dir = folder_new(a);
  ww_err e = {0};
  ww_weights *w;
  assert_int_equal(ww_gguf_write(ww_path_join(a, dir, "m.gguf"), t, n, meta, 10, &e),
                   WW_OK);
  assert_int_equal(ww_weights_open(dir, &w, &e), WW_OK); /* a folder's one .gguf */
  check_same(w, t, n);
  assert_int_equal(ww_weights_nmeta(w), 10);
  for (int i = 0; i < 6; i++) {
    const ww_meta *m = ww_weights_meta(w, meta[i].key);
    assert_true(m && m->kind == meta[i].kind && m->u == meta[i].u &&
                (i != 4 || m->real == 0.25));
  }
  assert_string_equal(ww_weights_meta(w, "t")->text, "text");
  assert_memory_equal(ww_weights_meta(w, "words")->items[0].text, "a\0b", 4);
  const ww_meta *nested = ww_weights_meta(w, "lists");
  assert_true(nested->n == 2 && nested->items[0].items[0].u == (uint64_t)-5 &&
              nested->items[1].items[0].text_n == 3);
  ww_weights_close(w);
  assert_int_equal(ww_gguf_write(ww_path_join(a, dir, "n.gguf"), t, n, meta, 10, &e),
                   WW_OK);
  assert_int_equal(ww_weights_open(dir, &w, &e), WW_EUSAGE); /* which of the two? */
  folder_drop(dir);
}

/* ---- hostile files ---- */

static ww_status
parse_safetensors(const char *json, uint64_t data, int64_t length, char *msg) {
  size_t n = strlen(json);
  uint8_t *b = ww_xcalloc(
      1, 8 + n +
             data); /* exactly as large, so that the sanitizer sees one byte too many */
  uint64_t say = length >= 0 ? (uint64_t)length : n;
  for (int i = 0; i < 8; i++)
    b[i] = (uint8_t)(say >> 8 * i);
  memcpy(b + 8, json, n);
  ww_err e = {0};
  ww_weights *w;
  ww_status rc = ww_weights_parse(b, 8 + n + data, &w, &e);
  ww_weights_close(w);
  free(b);
  strcpy(msg, e.msg);
  return rc;
}

static void hostile_safetensors(void **state) {
  (void)state;
  static const struct {
    const char *json;
    uint64_t data;
    int64_t length; /* -1: the truth */
    const char *says;
  } rows[] = {
      {"{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8, -1, NULL},
      {"{}   ", 0, -1, NULL},
      {"{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 7, -1,
       "\"x\" lies at 0 to 8"},
      {"{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 9, -1,
       "belong to no tensor"},
      {"{\"x\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]}}", 8, -1,
       "\"x\" has 8 bytes where its shape takes 12"},
      {"{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}}", 8, -1,
       "lies at 8 to 0"},
      {"{\"x\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296,2],\"data_offsets\":"
       "[0,0]}}",
       0, -1, "\"x\": its dimensions are absurd"},
      {"{\"x\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904],\"data_offsets\":[0,"
       "0]}}",
       0, -1, "its dimensions are absurd"},
      {"{\"x\":{\"dtype\":\"F32\",\"shape\":[18446744073709551616],\"data_offsets\":[0,"
       "0]}}",
       0, -1, "beyond 64 bits"},
      {"{\"x\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[18446744073709551614,"
       "2]}}",
       8, -1, "lies at"},
      {"{\"x\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},\"y\":{"
       "\"dtype\":\"U8\","
       "\"shape\":[4],\"data_offsets\":[2,6]}}",
       6, -1, "\"y\" shares bytes with \"x\""},
      {"{\"x\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},\"y\":{"
       "\"dtype\":\"U8\","
       "\"shape\":[1],\"data_offsets\":[2,3]}}",
       3, -1, "before tensor \"y\" belong to none"},
      {"{\"x\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},\"x\":{"
       "\"dtype\":\"U8\","
       "\"shape\":[1],\"data_offsets\":[1,2]}}",
       2, -1, "two tensors have the name \"x\""},
      {"{\"x\":{\"dtype\":\"F31\",\"shape\":[],\"data_offsets\":[0,0]}}", 0, -1,
       "unknown type \"F31\""},
      {"{\"x\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1],\"data_offsets\":[0,1]}}", 1, -1,
       "more numbers"},
      {"{\"x\":{\"dtype\":\"U8\",\"shape\":[-1],\"data_offsets\":[0,1]}}", 1, -1,
       "at least 0"},
      {"{\"x\":{\"dtype\":\"U8\",\"shape\":[1.5],\"data_offsets\":[0,1]}}", 1, -1,
       "whole number"},
      {"{\"x\":{\"dtype\":\"U8\",\"data_offsets\":[0,1]}}", 1, -1, "is missing"},
      {"{\"x\":{\"dtype\":\"U8\",\"shape\":[1],\"shape\":[1],\"data_offsets\":[0,1]}}",
       1, -1, "twice"},
      {"{\"x\\u0000y\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1, -1,
       "wrong escape"},
      {"{\"x\\", 0, -1, "does not end"},
      {"{\"__metadata__\":{\"a\":1}}", 0, -1, "expected a string"},
      {"{\"__metadata__\":{\"a\":\"b\",\"a\":\"c\"}}", 0, -1, "twice"},
      {"{} x", 0, -1, "behind its end"},
      {"{", 0, -1, "expected a string"},
      {"", 0, -1, "expected an object"},
      {"{}", 0, 3, "a header of 3 bytes in 10"},
      {"{}", 0, INT64_MAX, "header of 9223372036854775807"},
      {"[]", 0, -1, "expected an object"},
  };
  char msg[512];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ww_status rc = parse_safetensors(rows[i].json, rows[i].data, rows[i].length, msg);
    if ((rc == WW_OK) != !rows[i].says || (rows[i].says && !strstr(msg, rows[i].says)))
      fail_msg("row %zu: %s, \"%s\", want \"%s\"", i, ww_status_name(rc), msg,
               rows[i].says ? rows[i].says : "ok");
  }
  ww_err e = {0};
  ww_weights *w;
  assert_int_equal(ww_weights_parse("\1\0\0", 3, &w, &e), WW_EPARSE);
}

/* A type that is none of ours is listed; data at an odd place is moved to an even one.
 */
static void listed_and_aligned(void **state) {
  (void)state;
  const char *json =
      " {\"a\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]},\"b\":{"
      "\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,12]}}";
  size_t n = strlen(json);
  uint8_t *b = ww_xcalloc(1, 8 + n + 12);
  b[0] = (uint8_t)n;
  memcpy(b + 8, json, n);
  memcpy(b + 8 + n + 8, "\0\0\x80\x3f", 4);
  ww_err e = {0};
  ww_weights *w;
  assert_true((8 + n) % 4 != 0);
  assert_int_equal(ww_weights_parse(b, 8 + n + 12, &w, &e), WW_OK);
  assert_int_equal(ww_weights_find(w, "a")->type, WW_NDTYPE);
  assert_string_equal(ww_weights_find(w, "a")->type_name, "F64");
  assert_int_equal((uintptr_t)ww_weights_find(w, "b")->data % 4, 0);
  assert_true(*(const float *)ww_weights_find(w, "b")->data == 1);
  ww_weights_close(w);
  free(b);
}

typedef struct {
  uint8_t b[1024];
  size_t n;
} bytes;

static void put(bytes *o, uint64_t v, int n) {
  for (int i = 0; i < n; i++)
    o->b[o->n++] = (uint8_t)(v >> 8 * i);
}

static void put_text(bytes *o, const char *s) {
  put(o, strlen(s), 8);
  memcpy(o->b + o->n, s, strlen(s));
  o->n += strlen(s);
}

/* A GGUF with two tensors; what the rows below change is marked by name. */
typedef struct {
  uint64_t version, tensors, pairs, kind, array_of, array_n, align, ndim, dim, type,
      offset, second_offset, cut;
  const char *second;
} gguf_plan;

static void make_gguf(bytes *o, const gguf_plan *p) {
  o->n = 0;
  memcpy(o->b, "GGUF", 4);
  o->n = 4;
  put(o, p->version, 4);
  put(o, p->tensors, 8);
  put(o, p->pairs, 8);
  put_text(o, "general.alignment");
  put(o, 4, 4);
  put(o, p->align, 4);
  put_text(o, "list");
  put(o, p->kind, 4);
  put(o, p->array_of, 4);
  put(o, p->array_n, 8);
  put(o, 1, 4);
  put(o, 2, 4);
  for (int i = 0; i < 2; i++) {
    put_text(o, i ? p->second : "first");
    put(o, p->ndim, 4);
    for (uint64_t d = 0; d < p->ndim && d < 4; d++)
      put(o, d ? 1 : p->dim, 8);
    put(o, p->type, 4);
    put(o, i ? p->second_offset : p->offset, 8);
  }
  while (o->n % 32)
    put(o, 0, 1);
  o->n += 32 + 4 * 4; /* two tensors of four floats, the second 32 behind the first */
}

static ww_status parse_gguf(const bytes *o, size_t n, char *msg) {
  uint8_t *b = ww_xmalloc(n);
  memcpy(b, o->b, n);
  ww_err e = {0};
  ww_weights *w;
  ww_status rc = ww_weights_parse(b, n, &w, &e);
  if (w)
    for (uint32_t i = 0; i < ww_weights_count(w);
         i++) { /* every byte that it says is there, is */
      const ww_tensor *t = ww_weights_at(w, i);
      volatile uint8_t sum = 0;
      for (uint64_t k = 0; t->data && k < t->bytes; k++)
        sum += ((const uint8_t *)t->data)[k];
    }
  ww_weights_close(w);
  free(b);
  strcpy(msg, e.msg);
  return rc;
}

static void hostile_gguf(void **state) {
  (void)state;
  const gguf_plan good = {3, 2, 2, 9, 4, 2, 32, 1, 4, 0, 0, 32, 0, "second"};
  bytes o = {0};
  char msg[512];
  make_gguf(&o, &good);
  assert_int_equal(parse_gguf(&o, o.n, msg), WW_OK);
  for (size_t n = 1; n < o.n; n++) /* cut anywhere */
    if (parse_gguf(&o, n, msg) == WW_OK || !msg[0])
      fail_msg("cut to %zu bytes: \"%s\"", n, msg);
  struct {
    gguf_plan plan;
    const char *says;
  } rows[] = {
      {good, "version 1"},
      {good, "cut short"},
      {good, "cut short"},
      {good, "unknown kind 13"},
      {good, "unknown kind"},
      {good, "within list"},
      {good, "power of 2"},
      {good, "5 dimensions"},
      {good, "first\": 4611"},
      {good, "does not fit 64"},
      {good, "no multiple of 32"},
      {good, "is the file cut short"},
      {good, "shares bytes"},
      {good, "the name \"first\""},
      {good, "no whole blocks"},
      {good, "big ends"},
      {good, NULL},
      {good, "power of 2"},
      {good, NULL},
  };
  int i = 0;
  rows[i++].plan.version = 1;
  rows[i++].plan.tensors = 1ull << 61;
  rows[i++].plan.pairs = UINT64_MAX;
  rows[i++].plan.kind = 13;
  rows[i++].plan.array_of = 99;
  rows[i++].plan.array_n = 1ull << 62;
  rows[i++].plan.align = 24;
  rows[i++].plan.ndim = 5;
  rows[i++].plan.dim = 1ull << 60;
  rows[i++].plan.dim = 1ull << 63;
  rows[i++].plan.offset = 8;
  rows[i++].plan.second_offset = UINT64_MAX - 31;
  rows[i++].plan.second_offset = 0;
  rows[i++].plan.second = "first";
  rows[i++].plan.type = 8;
  rows[i++].plan.version = 0x03000000;
  rows[i++].plan.version = 2;
  rows[i++].plan.align = 0;
  rows[i++].plan.type = 77; /* not known: listed, without data */
  for (int k = 0; k < i; k++) {
    make_gguf(&o, &rows[k].plan);
    ww_status rc = parse_gguf(&o, o.n, msg);
    if ((rc == WW_OK) != !rows[k].says || (rows[k].says && !strstr(msg, rows[k].says)))
      fail_msg("row %d: %s, \"%s\", want \"%s\"", k, ww_status_name(rc), msg,
               rows[k].says ? rows[k].says : "ok");
  }
}

/* The begin of a GGUF without tensors and with one key. */
static bytes one_pair(void) {
  bytes o = {.n = 4};
  memcpy(o.b, "GGUF", 4);
  put(&o, 3, 4);
  put(&o, 0, 8);
  put(&o, 1, 8);
  return o;
}

/* A text of one byte more than there is. */
static void long_text_in_gguf(void **state) {
  (void)state;
  bytes o = one_pair();
  char msg[512];
  put_text(&o, "k");
  put(&o, 8, 4);
  put_text(&o, "abcd");
  assert_int_equal(parse_gguf(&o, o.n, msg), WW_OK);
  assert_int_equal(parse_gguf(&o, o.n - 1, msg), WW_EPARSE);
  o.b[o.n - 12] = 5;
  assert_int_equal(parse_gguf(&o, o.n, msg), WW_EPARSE);
  o.b[o.n - 5] = 0xff; /* of 2^63 bytes and more */
  assert_int_equal(parse_gguf(&o, o.n, msg), WW_EPARSE);
}

/* Arrays in arrays in arrays ... : bounded, however deep. */
static void deep_gguf(void **state) {
  (void)state;
  bytes o = one_pair();
  char msg[512];
  put_text(&o, "deep");
  put(&o, 9, 4);
  for (int i = 0; i < 60; i++) {
    put(&o, 9, 4);
    put(&o, 1, 8);
  }
  assert_int_equal(parse_gguf(&o, o.n, msg), WW_ELIMIT);
}

static void
write_text(ww_arena *a, const char *dir, const char *name, const char *text) {
  ww_err e = {0};
  assert_int_equal(
      ww_write_file_atomic(ww_path_join(a, dir, name), text, strlen(text), &e), WW_OK);
}

static void hostile_index(void **state) {
  ww_arena *a = *state;
  char *dir = folder_new(a);
  ww_tensor t[12];
  ww_err e = {0};
  ww_weights *w;
  some_tensors(a, t, false);
  assert_int_equal(
      ww_safetensors_write(ww_path_join(a, dir, "a.safetensors"), t, 2, NULL, 0, &e),
      WW_OK);
  assert_int_equal(ww_safetensors_write(ww_path_join(a, dir, "b.safetensors"), t + 1, 2,
                                        NULL, 0, &e),
                   WW_OK);
  static const char *const rows[][2] = {
      {"{\"weight_map\":{\"f32\":\"a.safetensors\"}}", NULL},
      {"{\"weight_map\":{\"f32\":\"../a.safetensors\"}}", "not in its folder"},
      {"{\"weight_map\":{\"f32\":\"/etc/passwd\"}}", "not in its folder"},
      {"{\"weight_map\":{\"f32\":\"..\"}}", "not in its folder"},
      {"{\"weight_map\":{\"f32\":\"\"}}", "not in its folder"},
      {"{\"weight_map\":{\"f32\":7}}", "no file's name"},
      {"{\"weight_map\":{\"f32\":\"c.safetensors\"}}", "c.safetensors': cannot open"},
      {"{\"weight_map\":{\"i64\":\"a.safetensors\"}}",
       "\"i64\" is not in 'a.safetensors'"},
      {"{\"weight_map\":{\"f32\":\"a.safetensors\",\"bf16\":\"b.safetensors\"}}",
       "two tensors have the name \"f16\""},
      {"{\"weight_map\":{}}", "no weight_map"},
      {"{\"weight_map\":", "not JSON"},
      {"", "not JSON"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    write_text(a, dir, "model.safetensors.index.json", rows[i][0]);
    e.msg[0] = 0;
    ww_status rc = ww_weights_open(dir, &w, &e);
    if ((rc == WW_OK) != !rows[i][1] || (rows[i][1] && !strstr(e.msg, rows[i][1])))
      fail_msg("row %zu: \"%s\"", i, e.msg);
    ww_weights_close(w);
  }
  write_text(a, dir, "model.safetensors", "");
  assert_int_equal(ww_weights_open(dir, &w, &e), WW_EPARSE);
  assert_non_null(strstr(e.msg, "empty"));
  assert_int_equal(ww_weights_open("/dev/zero", &w, &e), WW_EIO);
  assert_int_equal(ww_weights_open("/nowhere", &w, &e), WW_EIO);
  folder_drop(dir);
}

/* ---- a disk that is full ---- */

/* In a child whose files may have 300 bytes: writing fails, the old files are whole,
 * nothing else lies there. */
static void full_disk_leaves_the_old_file(void **state) {
  ww_arena *a = *state;
  ww_tensor t[12];
  uint32_t n = some_tensors(a, t, false);
  char *dir = folder_new(a);
  const char *single = ww_path_join(a, dir, "x.safetensors"),
             *gguf = ww_path_join(a, dir, "x.gguf");
  ww_err e = {0};
  assert_int_equal(ww_safetensors_write(single, t, n, NULL, 0, &e), WW_OK);
  assert_int_equal(ww_gguf_write(gguf, t, 3, NULL, 0, &e), WW_OK);
  assert_int_equal(ww_safetensors_write_sharded(dir, t, n, 500, &e), WW_OK);
  uint32_t files = folder_files(dir);
  pid_t child = fork();
  if (child == 0) {
    struct rlimit small = {300, 300};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    int bad = ww_safetensors_write(single, t, n, NULL, 0, &e) != WW_EIO;
    bad += ww_gguf_write(gguf, t, 3, NULL, 0, &e) != WW_EIO;
    bad += ww_safetensors_write_sharded(dir, t, n, 500, &e) != WW_EIO;
    _exit(bad);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(folder_files(dir), files);
  ww_weights *w;
  assert_int_equal(ww_weights_open(single, &w, &e), WW_OK);
  check_same(w, t, n);
  ww_weights_close(w);
  assert_int_equal(ww_weights_open(gguf, &w, &e), WW_OK);
  ww_weights_close(w);
  assert_int_equal(
      ww_weights_open(ww_path_join(a, dir, "model.safetensors.index.json"), &w, &e),
      WW_OK);
  check_same(w, t, n);
  ww_weights_close(w);
  assert_int_equal(ww_gguf_write("/dev/full", t, 3, NULL, 0, &e), WW_EIO);
  folder_drop(dir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(halves_have_their_values),
      TEST(rounding_is_to_nearest_even),
      TEST(blocks_are_within_half_a_step),
      TEST(blocks_keep_what_is_no_number),
      TEST(sizes_of_types),
      TEST(safetensors_there_and_back),
      TEST(shards_there_and_back),
      TEST(gguf_there_and_back),
      TEST(hostile_safetensors),
      TEST(listed_and_aligned),
      TEST(hostile_gguf),
      TEST(deep_gguf),
      TEST(long_text_in_gguf),
      TEST(hostile_index),
      TEST(full_disk_leaves_the_old_file),
  };
  return RUN(tests);
}
