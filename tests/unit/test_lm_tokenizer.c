/* test_lm_tokenizer.c - tokenizers of hand-made files: ids, bytes back, bad files,
 * threads, and the trainer. Real ones: tests/lm/tokenizers.sh. */
#include "unit.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../src/lm/split.h"
#include "../../src/lm/tokenizer.h"
#include "../../src/lm/tokenizer_int.h"
#include "../../src/lm/weights.h"

static uint32_t random_below(uint32_t *seed, uint32_t below) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) % below;
}

/* ---- files made here ---- */

static void put_letter(ww_buf *b, uint8_t byte) {
  char utf8[4];
  uint32_t n = ww_utf8_put(utf8, ww_tokenizer_letter(byte));
  if (byte == '"' || byte == '\\')
    ww_buf_puts(b, "\\");
  ww_buf_add(b, utf8, n);
}

/* Bytes 0..255, then `more` ("ab":256,...); everything else as given. */
static char *
byte_level(const char *more, const char *merges, const char *added, const char *rest) {
  ww_buf b = {0};
  ww_buf_fmt(&b,
             "{\"added_tokens\":[%s],%s\"decoder\":{\"type\":\"ByteLevel\"},\"model\":{"
             "\"type\":"
             "\"BPE\",\"vocab\":{",
             added, rest);
  for (uint32_t k = 0; k < 256; k++) {
    ww_buf_puts(&b, k ? ",\"" : "\"");
    put_letter(&b, (uint8_t)k);
    ww_buf_fmt(&b, "\":%u", k);
  }
  ww_buf_fmt(&b, "%s},\"merges\":[%s]}}", more, merges);
  return b.s;
}

#define LLAMA3_PRE                                                                    \
  "\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Split\","  \
  "\"pattern\":{"                                                                     \
  "\"Regex\":\"\\\\p{N}{1,3}|\\\\s?\\\\p{L}+\"},"                                     \
  "\"behavior\":\"Isolated\",\"invert\":false},{\"type\":\"ByteLevel\",\"add_prefix_" \
  "space\":"                                                                          \
  "false,\"use_regex\":false}]},"
#define BOS                                                                            \
  "\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[{\"SpecialToken\":" \
  "{\"id\":\"<"                                                                        \
  "s>\",\"type_id\":0}},{\"Sequence\":{\"id\":\"A\"}}],"                               \
  "\"special_tokens\":{\"<s>\":{\"id\":\"<s>\",\"ids\":[300]}}},"
#define ADDED                                                                       \
  "{\"id\":300,\"content\":\"<s>\",\"special\":true},{\"id\":301,\"content\":\"<s>" \
  "x\","                                                                            \
  "\"special\":false},"                                                             \
  "{\"id\":302,\"content\":\"<l>\",\"special\":true,\"lstrip\":true,\"rstrip\":true}"
#define WORDS ",\"ab\":256,\"abc\":257,\"\\u0120a\":258,\"bc\":259"
#define MERGES "\"b c\",[\"a\",\"b\"],\"\\u0120 a\",\"ab c\""

static ww_tokenizer *parsed(char *json) {
  ww_tokenizer *t = NULL;
  ww_err e = {0};
  if (ww_tokenizer_parse(json, strlen(json), &t, &e))
    fail_msg("%s", e.msg);
  free(json);
  return t;
}

static void
is_ids(const ww_tokenizer *t, const char *text, bool special, const char *want) {
  ww_arena *a = ww_arena_new();
  ww_tokens ids = {0};
  ww_buf b = {0};
  ww_tokenizer_encode(t, text, strlen(text), special, a, &ids);
  for (uint32_t k = 0; k < ids.n; k++)
    ww_buf_fmt(&b, k ? " %d" : "%d", ids.v[k]);
  assert_string_equal(b.s ? b.s : "", want);
  ww_buf_free(&b);
  ww_arena_free(a);
}

static void
comes_back(const ww_tokenizer *t, const char *text, size_t n, bool special) {
  ww_arena *a = ww_arena_new();
  ww_tokens ids = {0};
  ww_buf b = {0};
  ww_tokenizer_encode(t, text, n, special, a, &ids);
  ww_tokenizer_decode(t, ids.v, ids.n, true, &b);
  assert_int_equal(b.n, n);
  if (n)
    assert_memory_equal(b.s, text, n);
  ww_buf_free(&b);
  ww_arena_free(a);
}

/* ---- byte-level ---- */

static void test_byte_level(void **state) {
  (void)state;
  ww_tokenizer *t = parsed(byte_level(WORDS, MERGES, ADDED, LLAMA3_PRE BOS));
  assert_int_equal(ww_tokenizer_vocab(t), 303);
  is_ids(t, "abc", false, "97 259");          /* b c first: its rank is lower */
  is_ids(t, "ab a", false, "256 258");        /* the space belongs to the second word */
  is_ids(t, "<s>ab", true, "300 300 256");    /* the template's, then the text's */
  is_ids(t, "<s>ab", false, "60 115 62 256"); /* text alone */
  is_ids(t, "<s>xab", true, "300 301 256");   /* the longest */
  is_ids(t, "a \n<l> \tb", true, "300 97 302 98"); /* takes the blanks beside it */
  is_ids(t, "1234", false, "49 50 51 52");
  is_ids(t, "", true, "300");
  assert_int_equal(ww_tokenizer_id(t, "<s>x"), 301);
  assert_int_equal(ww_tokenizer_id(t, " a"), 258);
  assert_int_equal(ww_tokenizer_id(t, "nothing"), -1);
  assert_int_equal(ww_tokenizer_bos(t), 300);
  assert_true(ww_tokenizer_special(t, 300) && !ww_tokenizer_special(t, 301) &&
              !ww_tokenizer_special(t, 97));
  uint32_t n;
  assert_string_equal(ww_tokenizer_text(t, 258, &n), " a");
  assert_null(ww_tokenizer_text(t, 260, &n)); /* a hole */
  assert_null(ww_tokenizer_text(t, 303, &n));
  assert_null(ww_tokenizer_text(t, -1, &n));
  ww_buf b = {0};
  ww_tokenizer_decode(t, (int32_t[]){300, 97, 260, 301, 999}, 5, false, &b);
  assert_string_equal(b.s, "a<s>x");
  ww_buf_free(&b);
  ww_tokenizer_free(t);
}

/* An added token that is spelled like a byte is still that byte when it comes from
 * text. */
static void test_added_byte(void **state) {
  (void)state;
  ww_tokenizer *t = parsed(
      byte_level("", "", "{\"id\":32,\"content\":\"\\u0120\",\"special\":true}", ""));
  is_ids(t, "a b", false, "97 32 98");
  comes_back(t, "a b", 3, false);
  ww_tokenizer_free(t);
}

static void test_any_bytes(void **state) {
  (void)state;
  uint32_t seed = 7;
  ww_tokenizer *t[] = {
      parsed(byte_level(WORDS, MERGES, ADDED, LLAMA3_PRE)),
      parsed(byte_level(
          WORDS, MERGES, "",
          "\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false},"))};
  for (uint32_t k = 0; k < 4000; k++) {
    char text[200];
    uint32_t n = random_below(&seed, sizeof text), few = k % 3;
    for (uint32_t i = 0; i < n; i++)
      text[i] = few == 0 ? (char)random_below(&seed, 256)
                : few == 1
                    ? "abc <s>x"[random_below(&seed, 8)]
                    : "a\xc3\xa9\xf0\x9f\x98\x80 \xff\x00"[random_below(&seed, 10)];
    comes_back(t[k & 1], text, n, false);
    comes_back(t[0], text, n, true);
  }
  char *big = malloc(300000);
  memset(big, 'a', 300000);
  comes_back(t[0], big, 300000, true);
  free(big);
  ww_tokenizer_free(t[0]);
  ww_tokenizer_free(t[1]);
}

/* Merging by the book: joins the leftmost of the lowest rank, over and over. */
static uint32_t merge_plainly(const char *const (*merges)[2],
                              uint32_t nmerges,
                              const char *text,
                              char out[][64]) {
  uint32_t n = (uint32_t)strlen(text);
  for (uint32_t k = 0; k < n; k++) {
    out[k][0] = text[k];
    out[k][1] = 0;
  }
  for (uint32_t m = 0; m < nmerges;) {
    uint32_t at = 0;
    while (at + 1 < n &&
           (strcmp(out[at], merges[m][0]) || strcmp(out[at + 1], merges[m][1])))
      at++;
    if (at + 1 >= n) {
      m++;
      continue;
    }
    char right[64];
    memcpy(right, out[at + 1], sizeof right);
    strcat(out[at], right);
    memmove(out[at + 1], out[at + 2], (n - at - 2) * sizeof *out);
    n--;
    m = 0;
  }
  return n;
}

static void test_merging(void **state) {
  (void)state;
  static const char *const merges[][2] = {
      {"a", "b"},   {"b", "a"},    {"ab", "ab"}, {"a", "a"},   {"c", "ba"},
      {"ab", "ba"}, {"abab", "a"}, {"aa", "aa"}, {"ba", "ba"}, {"a", "ab"}};
  ww_buf vocab = {0}, list = {0};
  for (uint32_t k = 0; k < 10; k++) {
    ww_buf_fmt(&vocab, ",\"%s%s\":%u", merges[k][0], merges[k][1], 256 + k);
    ww_buf_fmt(&list, "%s\"%s %s\"", k ? "," : "", merges[k][0], merges[k][1]);
  }
  ww_tokenizer *t = parsed(byte_level(vocab.s, list.s, "", ""));
  ww_buf_free(&vocab);
  ww_buf_free(&list);
  uint32_t seed = 3;
  for (uint32_t k = 0; k < 2000; k++) {
    static char want[400][64];
    char text[400];
    uint32_t n = 1 + random_below(&seed, k % 4 ? 60 : 300); /* both ways of merging */
    for (uint32_t i = 0; i < n; i++)
      text[i] = "abcab"[random_below(&seed, 5)];
    text[n] = 0;
    uint32_t nwant = merge_plainly(merges, 10, text, want);
    ww_arena *a = ww_arena_new();
    ww_tokens ids = {0};
    ww_tokenizer_encode(t, text, n, false, a, &ids);
    assert_int_equal(ids.n, nwant);
    for (uint32_t i = 0; i < nwant; i++)
      assert_string_equal(ww_tokenizer_text(t, ids.v[i], NULL), want[i]);
    ww_arena_free(a);
  }
  ww_tokenizer_free(t);
}

/* ---- splitting: ours and PCRE2's ---- */

static void note(void *ctx, const char *word, size_t n) {
  ww_buf_add(ctx, word, n);
  ww_buf_puts(ctx, "|\x01");
}

static void test_split(void **state) {
  (void)state;
  static const char *const patterns[] = {WW_SPLIT_GPT2, WW_SPLIT_LLAMA3,
                                         WW_SPLIT_QWEN2};
  static const char *const bits[] = {"a",
                                     "Zq",
                                     "7",
                                     "123",
                                     " ",
                                     "  ",
                                     "\t",
                                     "\n",
                                     "\r\n",
                                     "'",
                                     "'s",
                                     "'LL",
                                     "'re",
                                     "'V",
                                     "(",
                                     "+=",
                                     "_",
                                     "\xc3\xa9",
                                     "\xc2\xa0",
                                     "\xe2\x80\xa8",
                                     "\xe4\xb8\xad",
                                     "\xcc\x81",
                                     "\xc5\xbf",
                                     "\xff",
                                     "\x00",
                                     "\x0b",
                                     "\x1c",
                                     "\xc2\xb2"};
  ww_split_work *w = ww_split_work_new();
  uint32_t seed = 11;
  for (uint32_t p = 0; p < 3; p++) {
    ww_splitter *s[2] = {ww_split_new(), ww_split_new()};
    ww_err e = {0};
    for (uint32_t k = 0; k < 2; k++)
      assert_int_equal(ww_split_add(s[k], patterns[p], strlen(patterns[p]), k, &e),
                       WW_OK);
    for (uint32_t k = 0; k < 20000; k++) {
      ww_buf text = {0}, got[2] = {0};
      for (uint32_t n = 1 + random_below(&seed, 9); n; n--) {
        uint32_t b = random_below(&seed, k % 2 ? 17 : 28);
        ww_buf_add(&text, bits[b], b == 24 ? 1 : strlen(bits[b]));
      }
      for (uint32_t i = 0; i < 2; i++)
        ww_split_text(s[i], w, text.s, text.n, note, &got[i]);
      if (got[0].n != got[1].n || memcmp(got[0].s, got[1].s, got[0].n))
        fail_msg("%s: %s, not %s", text.s, got[1].s, got[0].s);
      for (uint32_t i = 0; i < 2; i++)
        ww_buf_free(&got[i]);
      ww_buf_free(&text);
    }
    ww_split_free(s[0]);
    ww_split_free(s[1]);
  }
  ww_split_work_free(w);
}

static void test_normal_forms(void **state) {
  (void)state;
  ww_tokenizer *t =
      parsed(byte_level("", "", "", "\"normalizer\":{\"type\":\"NFC\"},"));
  is_ids(t, "e\xcc\x81", false, "195 169");
  is_ids(t,
         "\xff"
         "e\xcc\x81",
         false, "255 195 169");                /* what is no UTF-8 stays */
  is_ids(t, "\xe2\x84\xab", false, "195 133"); /* the Angstrom sign is a letter */
  ww_tokenizer_free(t);
}

/* ---- SentencePiece style ---- */

#define MARK "\xe2\x96\x81"

/* <unk> <s> </s>, 256 bytes, then pieces. */
static char *pieces(const char *more, const char *merges, const char *rest) {
  ww_buf b = {0};
  ww_buf_fmt(
      &b,
      "{\"added_tokens\":[{\"id\":0,\"content\":\"<unk>\",\"special\":true},{\"id\":1,"
      "\"content\":\"<s>\",\"special\":true}],%s"
      "\"decoder\":{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"Replace\","
      "\"pattern\":{"
      "\"String\":\"" MARK "\"},\"content\":\" \"},"
      "{\"type\":\"ByteFallback\"},{\"type\":\"Fuse\"},{\"type\":\"Strip\",\"content\":"
      "\" "
      "\",\"start\":1,\"stop\":0}]},"
      "\"model\":{\"type\":\"BPE\",\"unk_token\":\"<unk>\",\"fuse_unk\":true,\"byte_"
      "fallback\":true,\"vocab\":{\"<unk>\":0,\"<s>\":1,\"</s>\":2",
      rest);
  for (uint32_t k = 0; k < 256; k++)
    ww_buf_fmt(&b, ",\"<0x%02X>\":%u", k, k + 3);
  ww_buf_fmt(&b, "%s},\"merges\":[%s]}}", more, merges);
  return b.s;
}

#define LLAMA2                                                                    \
  "\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"Prepend\"," \
  "\"prepend\":"                                                                  \
  "\"" MARK                                                                       \
  "\"},{\"type\":\"Replace\",\"pattern\":{\"String\":\" \"},\"content\":\"" MARK  \
  "\"}]},"
#define PIECES                                                                 \
  ",\"" MARK "\":259,\"a\":260,\"b\":261,\"" MARK "a\":262,\"ab\":263,\"" MARK \
  "ab\":264"

static void test_sentencepiece(void **state) {
  (void)state;
  const char *merges = "\"" MARK " a\",\"a b\",\"" MARK "a b\"";
  ww_tokenizer *t = parsed(pieces(PIECES, merges, LLAMA2));
  is_ids(t, "ab ab", false, "264 264");
  is_ids(t, "a\nb", false, "262 13 261");
  is_ids(t,
         "\xff"
         "a\xc3",
         false, "259 258 260 198");
  is_ids(t, "<s>ab", true, "1 264"); /* a part behind a token gets its mark too */
  assert_int_equal(ww_tokenizer_id(t, " ab"), 264);
  comes_back(t, "ab  a\xf0\x9f\x98\x80 b\xff", 13, false);
  comes_back(t, " ab", 3, false);
  ww_tokenizer_free(t);
  /* a merge over a mark: the text cannot be cut there */
  t = parsed(pieces(PIECES ",\"b" MARK "\":265", "\"b " MARK "\"", LLAMA2));
  is_ids(t, "b b", false, "259 265 261");
  ww_tokenizer_free(t);
  t = parsed(pieces(PIECES, merges,
                    "\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"" MARK
                    "\",\"prepend_scheme\":\"first\",\"split\":false},"));
  is_ids(t, "ab<s>ab", true, "264 1 263");
  ww_tokenizer_free(t);
}

/* ---- GGUF and tokenizer.bin ---- */

static ww_meta text_item(const char *s) {
  return (ww_meta){.kind = WW_META_TEXT, .text = s, .text_n = (uint32_t)strlen(s)};
}
static ww_meta text_at(const char *key, const char *s) {
  ww_meta m = text_item(s);
  m.key = key;
  return m;
}
static ww_meta list_at(const char *key, ww_meta_kind of, ww_meta *items, uint64_t n) {
  return (ww_meta){.key = key, .kind = WW_META_ARRAY, .of = of, .n = n, .items = items};
}

static ww_tokenizer *
through_gguf(const ww_meta *meta, uint32_t n, const char *refused) {
  char path[] = "/tmp/ww_tokXXXXXX.gguf";
  ww_err e = {0};
  ww_tokenizer *t = NULL;
  close(mkstemps(path, 5));
  float x[2] = {1, 2};
  ww_tensor one = {
      .name = "x", .type = WW_DTYPE_F32, .ndim = 1, .dim = {2}, .data = x, .bytes = 8};
  if (ww_gguf_write(path, &one, 1, meta, n, &e))
    fail_msg("%s", e.msg);
  ww_status st = ww_tokenizer_open(path, &t, &e);
  unlink(path);
  if (!refused && st)
    fail_msg("%s", e.msg);
  if (refused && (!st || !strstr(e.msg, refused)))
    fail_msg("%d %s", st, e.msg);
  return t;
}

static void test_gguf(void **state) {
  (void)state;
  char letter[256][5];
  ww_meta tokens[260], types[260],
      merges[2] = {text_item("a b"), text_item("\xc4\xa0 ab")};
  for (uint32_t k = 0; k < 256; k++) {
    letter[k][ww_utf8_put(letter[k], ww_tokenizer_letter((uint8_t)k))] = 0;
    tokens[k] = text_item(letter[k]);
  }
  tokens[256] = text_item("ab");
  tokens[257] = text_item("\xc4\xa0"
                          "ab");
  tokens[258] = text_item("<|begin|>");
  tokens[259] = text_item("\xc4\xa0"
                          "abc");
  for (uint32_t k = 0; k < 260; k++)
    types[k] = (ww_meta){.kind = WW_META_INT, .u = k == 258 ? 3 : 1};
  ww_meta meta[] = {
      text_at("tokenizer.ggml.model", "gpt2"),
      text_at("tokenizer.ggml.pre", "llama-bpe"),
      list_at("tokenizer.ggml.tokens", WW_META_TEXT, tokens, 260),
      list_at("tokenizer.ggml.token_type", WW_META_INT, types, 260),
      list_at("tokenizer.ggml.merges", WW_META_TEXT, merges, 2),
      {.key = "tokenizer.ggml.bos_token_id", .kind = WW_META_UINT, .u = 258}};
  ww_tokenizer *t = through_gguf(meta, 6, NULL);
  is_ids(t, "ab ab<|begin|> abc", true,
         "258 256 257 258 259"); /* a word that is a token, though no merge makes it */
  ww_tokenizer_free(t);
  meta[1] = text_at("tokenizer.ggml.pre", "qwen2");
  t = through_gguf(meta, 6, NULL);
  is_ids(t, "12 abc", true, "49 50 257 99");
  ww_tokenizer_free(t);
  meta[1] = text_at("tokenizer.ggml.pre", "unheard-of");
  through_gguf(meta, 6, "unheard-of");
  meta[4].n = 1;
  meta[3].n = 259;
  through_gguf(meta, 6, "259 entries for 260 tokens");
  char *json = byte_level(WORDS, MERGES, ADDED, LLAMA3_PRE);
  ww_meta ours = text_at("warpwise.tokenizer_json", json);
  t = through_gguf(&ours, 1, NULL);
  is_ids(t, "abc", false, "97 259");
  ww_tokenizer_free(t);
  free(json);
}

static void test_scores(void **state) {
  (void)state;
  static const char *const tail[] = {MARK, "a", "b", MARK "a", "ab", MARK "ab"};
  static const float score[] = {-10, -11, -12, -1, -3, -4};
  char bytes[256][8];
  ww_buf bin = {0};
  ww_meta tokens[265], types[265], scores[265];
  const char *first[] = {"<unk>", "<s>", "</s>"};
  ww_buf_add(&bin, &(int32_t){27}, 4);
  for (uint32_t k = 0; k < 265; k++) {
    float s = k < 259 ? 0 : score[k - 259];
    if (k > 2 && k < 259)
      snprintf(bytes[k - 3], 8, "<0x%02X>", k - 3);
    tokens[k] = text_item(k < 3 ? first[k] : k < 259 ? bytes[k - 3] : tail[k - 259]);
    types[k] = (ww_meta){.kind = WW_META_INT,
                         .u = k == 0    ? 2
                              : k < 3   ? 3
                              : k < 259 ? 6
                                        : 1};
    scores[k] = (ww_meta){.kind = WW_META_REAL, .real = s};
    const char *p = k == 259   ? " "
                    : k == 262 ? " a"
                    : k == 264 ? " ab"
                               : tokens[k].text;
    ww_buf_add(&bin, &s, 4);
    ww_buf_add(&bin, &(int32_t){(int32_t)strlen(p)}, 4);
    ww_buf_puts(&bin, p);
  }
  ww_meta meta[] = {
      text_at("tokenizer.ggml.model", "llama"),
      list_at("tokenizer.ggml.tokens", WW_META_TEXT, tokens, 265),
      list_at("tokenizer.ggml.token_type", WW_META_INT, types, 265),
      list_at("tokenizer.ggml.scores", WW_META_REAL, scores, 265),
      {.key = "tokenizer.ggml.bos_token_id", .kind = WW_META_UINT, .u = 1}};
  ww_err e = {0};
  ww_tokenizer *t[2] = {through_gguf(meta, 5, NULL), ww_tokenizer_blank()};
  if (ww_tokenizer_read_bin(bin.s, bin.n, t[1], &e))
    fail_msg("%s", e.msg);
  for (uint32_t k = 0; k < 2; k++) {
    is_ids(t[k], "ab aab\n", true, "1 264 262 263 13");
    is_ids(t[k], "</s>", true, "1 2");
    comes_back(t[k],
               "ab  \xc3\xa9"
               "a",
               7, false);
    ww_tokenizer_free(t[k]);
  }
  for (size_t n = 0; n < bin.n; n += 1 + n / 7) {
    ww_tokenizer *bad = ww_tokenizer_blank();
    ww_status st = ww_tokenizer_read_bin(bin.s, n, bad, &e);
    assert_true(st != WW_OK || bad->vocab >= 259);
    ww_tokenizer_free(bad);
  }
  ww_buf_free(&bin);
}

/* ---- bad files ---- */

static void refused(char *json, const char *why) {
  ww_tokenizer *t = NULL;
  ww_err e = {0};
  ww_status st = ww_tokenizer_parse(json, strlen(json), &t, &e);
  if (!st || !strstr(e.msg, why))
    fail_msg("wanted \"%s\", got %d \"%s\"", why, st, e.msg);
  assert_null(t);
  free(json);
}

static void test_bad_files(void **state) {
  (void)state;
  refused(byte_level("", "\"a b\"", "", ""), "a token that the vocabulary has not");
  refused(byte_level("", "\"a zz\"", "", ""), "the vocabulary has no \"zz\"");
  refused(byte_level(",\"\":256", "[\"a\",\"\"]", "", ""),
          "would never end"); /* a + nothing = a: a cycle */
  refused(byte_level("", "\"ab\"", "", ""), "two tokens with a space");
  refused(byte_level("", "[\"a\"]", "", ""), "a merge is two tokens");
  refused(byte_level(",\"ab\":97", "", "", ""), "two tokens have the id 97");
  refused(byte_level(",\"a\":256", "", "", ""), "is there twice");
  refused(byte_level(",\"ab\":16777299", "", "", ""), "at most 16777216");
  refused(byte_level(",\"ab\":9000000", "", "", ""), "holes");
  refused(byte_level(",\"ab\":99999999999", "", "", ""), "an id beyond");
  refused(byte_level(",\"ab\":-1", "", "", ""), "a whole number");
  refused(byte_level("", "", "{\"id\":97,\"content\":\"<s>\"}", ""),
          "two tokens have the id 97");
  refused(byte_level("", "", "{\"id\":300,\"content\":\"a\"}", ""),
          "in the vocabulary it has 97");
  refused(byte_level("", "", "{\"id\":300,\"content\":\"\"}", ""), "is empty");
  refused(byte_level("", "", "", BOS), "the template's token 300");
  refused(byte_level("", "", "", "\"pre_tokenizer\":{\"type\":\"Magic\"},"), "Magic");
  refused(
      byte_level("", "", "",
                 "\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"Regex\":\"(\"},"
                 "\"behavior\":\"Isolated\"},"),
      "not understood");
  refused(byte_level("", "", "", "\"normalizer\":{\"type\":\"Lowercase\"},"),
          "Lowercase");
  refused(byte_level(",\"\\ud800\":256", "", "", ""), "surrogate");
  refused(byte_level(",\"\xff\":256", "", "", ""), "not UTF-8");
  refused(ww_xcalloc(1, 1), "an object is expected");
  refused(strcpy(ww_xmalloc(64), "{\"model\":{\"type\":\"Unigram\",\"vocab\":[]}}"),
          "only BPE");
  refused(strcpy(ww_xmalloc(64),
                 "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[]}}"),
          "has no token");
  refused(strcpy(ww_xmalloc(64), "{\"a\":[[[[[[[}"), "a bracket");
  char *whole = byte_level(WORDS, MERGES, ADDED, LLAMA3_PRE BOS);
  for (size_t n = 0, all = strlen(whole); n < all; n++) { /* cut off anywhere */
    ww_tokenizer *t = NULL;
    ww_err e = {0};
    char *part = ww_xmalloc(n + 1); /* of its own, so that a read beyond it is seen */
    memcpy(part, whole, n);
    assert_int_not_equal(ww_tokenizer_parse(part, n, &t, &e), WW_OK);
    assert_true(e.msg[0]);
    free(part);
  }
  free(whole);
}

/* ---- threads ---- */

typedef struct {
  const ww_tokenizer *t;
  const char *text;
  uint64_t sum;
} share;

static void *encode_much(void *p) {
  share *s = p;
  for (uint32_t k = 0; k < 50; k++) {
    ww_arena *a = ww_arena_new();
    ww_tokens ids = {0};
    ww_tokenizer_encode(s->t, s->text, strlen(s->text), k & 1, a, &ids);
    for (uint32_t i = 0; i < ids.n; i++)
      s->sum = s->sum * 31 + (uint32_t)ids.v[i];
    ww_arena_free(a);
  }
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  ww_tokenizer *t[2] = {
      parsed(byte_level(WORDS, MERGES, ADDED, LLAMA3_PRE)),
      parsed(byte_level(",\"ca\":256", "\"c a\"", ADDED, LLAMA3_PRE))};
  ww_buf text = {0};
  for (uint32_t k = 0; k < 500; k++)
    ww_buf_fmt(&text, "abc cab%u <s>\xc3\xa9 ", k);
  share s[6];
  pthread_t id[6];
  for (uint32_t k = 0; k < 6; k++)
    s[k] = (share){t[k & 1], text.s, 0};
  for (uint32_t k = 2; k < 6; k++)
    pthread_create(&id[k], NULL, encode_much, &s[k]);
  for (uint32_t k = 0; k < 2; k++)
    encode_much(&s[k]);
  for (uint32_t k = 2; k < 6; k++)
    pthread_join(id[k], NULL);
  for (uint32_t k = 2; k < 6; k++)
    assert_true(s[k].sum == s[k & 1].sum);
  assert_true(s[0].sum != s[1].sum); /* one thread, two tokenizers: words do not mix */
  ww_buf_free(&text);
  ww_tokenizer_free(t[0]);
  ww_tokenizer_free(t[1]);
}

/* ---- training ---- */

static const char *const lessons[] = {
    "float x = a[i] * b[i];\n", "float y = a[j] * b[j];\n",
    "for (int i = 0; i < n; i++) x += a[i];\n", "\xff\xfe float\n"};
typedef struct {
  uint32_t at, step, n;
} lesson;

static const char *next_lesson(void *ctx, size_t *n) {
  lesson *l = ctx;
  if (l->n == 0)
    return NULL;
  l->n--;
  const char *s = lessons[l->at % 4];
  l->at += l->step;
  *n = strlen(s);
  return s;
}

static void test_training(void **state) {
  (void)state;
  static const char *const special[] = {"<|end|>", "<|answer|>", "float", NULL};
  char path[2][32] = {"/tmp/ww_bpeXXXXXX", "/tmp/ww_bpeXXXXXX"}, *data[2];
  ww_arena *a = ww_arena_new();
  ww_err e = {0};
  size_t n[2];
  for (uint32_t k = 0; k < 2; k++) {
    lesson l = {0, k ? 3 : 1, 4};
    close(mkstemp(path[k]));
    if (ww_bpe_train(
            &(ww_bpe_plan){
                .vocab = 290, .special = special, .next = next_lesson, .ctx = &l},
            path[k], &e))
      fail_msg("%s", e.msg);
    assert_int_equal(ww_read_file(a, path[k], 1 << 20, &data[k], &n[k], &e), WW_OK);
  }
  assert_string_equal(data[0], data[1]); /* in any order */
  ww_tokenizer *t;
  assert_int_equal(ww_tokenizer_open(path[0], &t, &e), WW_OK);
  assert_int_equal(ww_tokenizer_id(t, "<|end|>"), 256);
  assert_true(ww_tokenizer_vocab(t) > 262 && ww_tokenizer_vocab(t) <= 290);
  is_ids(t, "<|answer|>", true, "257");
  for (uint32_t k = 0; k < 4; k++)
    comes_back(t, lessons[k], strlen(lessons[k]), k & 1);
  ww_tokens ids = {0};
  ww_tokenizer_encode(t, "a[i]", 4, false, a, &ids);
  assert_true(ids.n < 4); /* it learned something */
  ids.n = 0;
  ww_tokenizer_encode(t, "float", 5, false, a, &ids);
  for (uint32_t k = 0; k < ids.n; k++)
    assert_false(
        ww_tokenizer_special(t, ids.v[k])); /* text never becomes a special token */
  ww_tokenizer_free(t);
  ww_bpe_plan few = {.vocab = 100, .next = next_lesson, .ctx = &(lesson){0, 1, 4}};
  assert_int_equal(ww_bpe_train(&few, path[0], &e), WW_EUSAGE);
  few = (ww_bpe_plan){
      .vocab = 300, .pattern = "(", .next = next_lesson, .ctx = &(lesson){0, 1, 4}};
  assert_int_equal(ww_bpe_train(&few, path[0], &e), WW_EUNSUPPORTED);
  few = (ww_bpe_plan){.vocab = 300, .next = next_lesson, .ctx = &(lesson){0, 1, 0}};
  assert_int_equal(ww_bpe_train(&few, path[0], &e),
                   WW_OK); /* nothing to learn from: bytes */
  assert_int_equal(ww_bpe_train(&few, "/nowhere/x.json", &e), WW_EIO);
  unlink(path[0]);
  unlink(path[1]);
  ww_arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_byte_level),    cmocka_unit_test(test_added_byte),
      cmocka_unit_test(test_any_bytes),     cmocka_unit_test(test_merging),
      cmocka_unit_test(test_split),         cmocka_unit_test(test_normal_forms),
      cmocka_unit_test(test_sentencepiece), cmocka_unit_test(test_gguf),
      cmocka_unit_test(test_scores),        cmocka_unit_test(test_bad_files),
      cmocka_unit_test(test_threads),       cmocka_unit_test(test_training),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
