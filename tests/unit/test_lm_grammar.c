/* test_lm_grammar.c - grammars followed byte by byte, JSON schemas as grammars,
 * sampling. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../src/lm/grammar.h"
#include "../../src/lm/sample.h"

static ww_grammar *grammar(const char *gbnf) {
  ww_grammar *g = NULL;
  ww_err e = {0};
  if (ww_grammar_parse(gbnf, strlen(gbnf), &g, &e))
    fail_msg("%s: %s", gbnf, e.msg);
  return g;
}

/* 0: refused, 1: may go on, 2: complete, 3: complete and nothing may follow */
static int follow(const ww_grammar *g, const char *text) {
  ww_grammar_state *s = ww_grammar_begin(g);
  int is = 0;
  if (ww_grammar_take(s, text, strlen(text)))
    is = ww_grammar_finished(s) ? 3 : ww_grammar_complete(s) ? 2 : 1;
  ww_grammar_end(s);
  return is;
}

static void is(const char *gbnf, const char *text, int want) {
  ww_grammar *g = grammar(gbnf);
  if (follow(g, text) != want)
    fail_msg("%s of `%s`: %d, not %d", gbnf, text, follow(g, text), want);
  ww_grammar_free(g);
}

static void rules(void **state) {
  (void)state;
  is("root ::= \"a\" b\nb ::= [x-z]+ # tail", "a", 1);
  is("root ::= \"a\" b\nb ::= [x-z]+ # tail", "axyz", 2);
  is("root ::= \"a\" b\nb ::= [x-z]+ # tail", "aw", 0);
  is("root ::= (\"a\" | \"bc\")*", "", 2);
  is("root ::= (\"a\" | \"bc\")*", "abcab", 1);
  is("root ::= [0-9]{2,3}", "1", 1);
  is("root ::= [0-9]{2,3}", "12", 2);
  is("root ::= [0-9]{2,3}", "123", 3);
  is("root ::= [0-9]{2,3}", "1234", 0);
  is("root ::= \"x\"{2}", "xx", 3);
  is("root ::= [^\"\\\\]? \"\\\"\"", "\"", 3);
  is("root ::= [^a]", "\xc3", 1); /* half a character */
  is("root ::= [^a]", "\xc3\xa9", 3);
  is("root ::= [^a]", "\xed\xa0\x80", 0); /* half of a UTF-16 pair */
  is("root ::= [^a]", "\xc0\x80", 0);     /* overlong */
  is("root ::= [\xc3\xa9-\xc3\xaa]", "a", 0);
  is("root ::= .", "\xf0\x9f\x98\x80", 3);
  is("root ::= .", "\xf4\x90\x80\x80", 0);
  is("root ::= [\xc3\xa4-\xd0\xb4x]", "\xc3\xa9", 3);
  is("root ::= [\xc3\xa4-\xd0\xb4x]", "\xc3\xa3", 0);
  is("root ::= [\xc3\xa4-\xd0\xb4x]", "\xd0\xb4", 3);
  is("root ::= [\xc3\xa4-\xd0\xb4x]", "\xd0\xb5", 0);
  is("root ::= \"\\u00e9\" \"\\x41\"",
     "\xc3\xa9"
     "A",
     3);
  is("root ::= \"(\" root \")\" | \"1\"", "((1))", 3);
  is("root ::=\n  \"a\"\n | \"b\"\nother ::= \"c\"", "b", 3);
}

static void refused(const char *gbnf, const char *says) {
  ww_grammar *g = NULL;
  ww_err e = {0};
  assert_true(ww_grammar_parse(gbnf, strlen(gbnf), &g, &e) != WW_OK);
  if (!strstr(e.msg, says))
    fail_msg("`%s`, not `%s`", e.msg, says);
}

static void refusals(void **state) {
  (void)state;
  refused("", "root");
  refused("root ::= a", "`a`");
  refused("root ::= root \"a\"", "begins with itself");
  refused("root ::= a | \"b\"\na ::= b* root\nb ::= \"x\"", "begins with itself");
  refused("root ::= (\"a\"*)*", "begins with itself");
  refused("root ::= \"a", "closing");
  refused("root ::= [a", "closing");
  refused("root ::= (\"a\"", ")");
  refused("root ::= \"a\"{3,2}", "high");
  refused("root ::= \"a\"{99999}", "10000");
  refused("root ::= \"\\q\"", "escape");
  refused("root ::= \"a\"\nroot ::= \"b\"", "twice");
  refused("root = \"a\"", "::=");
  refused("root ::= []", "no character");
  refused("root ::= \"\\ud800\"", "escape");
  refused("root ::= [\xc3z]", "broken");
  refused("root ::= \"a\" root", "has an end");
}

static void deep(void **state) {
  (void)state;
  ww_grammar *g = grammar("root ::= \"[\" root \"]\" | \"\"");
  enum { N = 2000000 };
  char *text = malloc(N + 1);
  memset(text, '[', N);
  text[N] = 0;
  assert_int_equal(follow(g, text),
                   0); /* beyond the depth that is kept: refused, no crash */
  text[N / 16] = 0;
  assert_int_equal(follow(g, text), 1);
  free(text);
  ww_grammar_free(g);
}

static void forced(void **state) {
  (void)state;
  ww_grammar *g = grammar("root ::= \"{\\\"time\\\":\" [0-9]+ \"}\"");
  ww_grammar_state *s = ww_grammar_begin(g);
  ww_buf b = {0};
  ww_grammar_forced(s, 100, &b);
  assert_string_equal(b.s, "{\"time\":");
  assert_true(ww_grammar_take(s, b.s, b.n));
  b.n = 0;
  ww_grammar_forced(s, 100, &b);
  assert_int_equal(b.n, 0);
  assert_false(ww_grammar_take(s, "12x", 3));
  assert_true(ww_grammar_take(s, "12}", 3));
  assert_true(ww_grammar_finished(s));
  ww_buf_free(&b);
  ww_grammar_end(s);
  ww_grammar_free(g);
}

static void schema_is(const char *schema, const char *text, int want) {
  ww_grammar *g = NULL;
  ww_err e = {0};
  if (ww_grammar_of_schema(schema, strlen(schema), &g, &e))
    fail_msg("%s: %s", schema, e.msg);
  if (follow(g, text) != want)
    fail_msg("%s of `%s`: %d, not %d", schema, text, follow(g, text), want);
  ww_grammar_free(g);
}

static void schemas(void **state) {
  (void)state;
  const char *two =
      "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{"
      "\"type\":\"string\"}},\"required\":[\"a\"]}";
  schema_is(two, "{\"a\":12}", 3);
  schema_is(two, "{\"a\":12,\"b\":\"x\\n\xc3\xa9\"}", 3);
  schema_is(two, "{\"b\":", 0);
  schema_is(two, "{\"a\":012", 0);
  const char *free_ones =
      "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"null\"},\"b\":{"
      "\"type\":\"boolean\"}},\"required\":[]}";
  schema_is(free_ones, "{}", 3);
  schema_is(free_ones, "{\"b\":true}", 3);
  schema_is(free_ones, "{\"a\":null,\"b\":false}", 3);
  schema_is(free_ones, "{,", 0);
  schema_is("{\"enum\":[\"x\",1,null]}", "\"x\"", 3);
  schema_is("{\"const\":{\"k\":[1,2]}}", "{\"k\":[1,2]}", 3);
  schema_is("{\"type\":\"array\",\"items\":{\"type\":\"number\"},\"minItems\":1,"
            "\"maxItems\":2}",
            "[]", 0);
  schema_is("{\"type\":\"array\",\"items\":{\"type\":\"number\"},\"minItems\":1,"
            "\"maxItems\":2}",
            "[-1.5e-3,2]", 3);
  schema_is("{\"type\":\"array\",\"items\":{\"type\":\"number\"},\"minItems\":1,"
            "\"maxItems\":2}",
            "[1,2,", 0);
  schema_is("{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "null", 3);
  schema_is("{\"type\":[\"string\",\"null\"]}", "null", 3);
  schema_is("{\"$defs\":{\"t\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/"
            "t\"}}},\"$ref\":\"#/$defs/t\"}",
            "[[],[[]]]", 3);
  schema_is("true", "{\"any\":[1,{\"x\":null}]}", 3);
  schema_is("{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}}",
            "{\"p\":1,\"q\":2}", 3);
  ww_grammar *g = NULL;
  ww_err e = {0};
  const char *bad = "{\"type\":\"string\",\"pattern\":\"a+\"}";
  assert_int_equal(ww_grammar_of_schema(bad, strlen(bad), &g, &e), WW_EUNSUPPORTED);
  assert_non_null(strstr(e.msg, "pattern"));
  bad = "{\"$ref\":\"other.json\"}";
  assert_int_equal(ww_grammar_of_schema(bad, strlen(bad), &g, &e), WW_EUNSUPPORTED);
  bad = "{\"type\":";
  assert_true(ww_grammar_of_schema(bad, strlen(bad), &g, &e) != WW_OK);
}

/* Many rules, chains of them, choices of nothing: read and followed at once. */
static void large(void **state) {
  (void)state;
  ww_buf b = {0};
  enum { N = 200000 };
  ww_buf_puts(&b, "root ::= r0\n");
  for (int k = 0; k < N; k++)
    ww_buf_fmt(&b, "r%d ::= r%d\n", k, k + 1);
  ww_buf_fmt(&b, "r%d ::= \"x\"\n", N);
  is(b.s, "x", 3);
  b.n = 0;
  ww_buf_puts(&b, "root ::= ");
  for (int k = 0; k < 60; k++)
    ww_buf_puts(&b, "(\"\" | \"\" | \"a\" | \"\"){0,60} ");
  is(b.s, "aaaa", 2);
  b.n = 0;
  ww_buf_puts(&b, "root ::= ");
  for (int k = 0; k < 5000; k++)
    ww_buf_puts(&b, "\"a\"{10000} ");
  refused(b.s, "too large");
  b.n = 0;
  for (int k = 0; k < 60; k++)
    ww_buf_puts(&b, "{\"type\":\"array\",\"items\":");
  ww_buf_puts(&b, "true");
  for (int k = 0; k < 60; k++)
    ww_buf_puts(&b, "}");
  schema_is(b.s, "[[[[]],[]]]", 3);
  ww_buf_free(&b);
}

/* The shortest end, and words all at once. */
static void shortest(void **state) {
  (void)state;
  ww_grammar *g = NULL;
  ww_err e = {0};
  const char *tree =
      "{\"$defs\":{\"t\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":"
      "\"number\"},\"of\":{\"anyOf\":[{\"$ref\":\"#/$defs/t\"},"
      "{\"type\":\"null\"}]}}}},\"$ref\":\"#/$defs/t\"}";
  assert_int_equal(ww_grammar_of_schema(tree, strlen(tree), &g, &e), WW_OK);
  ww_grammar_state *s = ww_grammar_begin(g);
  const char *begun = "{\"n\":-7,\"of\":{\"n\":1";
  assert_true(ww_grammar_take(s, begun, strlen(begun)));
  ww_buf b = {0};
  ww_grammar_shortest(s, false, &b);
  assert_string_equal(b.s, ",\"of\":null}}");
  assert_int_equal(ww_grammar_left(s, false), b.n);
  const ww_word words[] = {{"+", 1, 0},    {",", 1, 0},      {",\"", 2, 1},
                           {",\"x", 3, 2}, {",\"xof", 5, 3}, {"12", 2, 0},
                           {"12,", 3, 2},  {"}", 1, 0}};
  bool allowed[8], want[8] = {false, true, true, false, false, true, true, false};
  ww_grammar_mask(s, words, 8, 100, allowed);
  assert_memory_equal(allowed, want, sizeof want);
  want[5] = false; /* 12 bytes behind it: one too many */
  ww_grammar_mask(s, words, 8, 11, allowed);
  assert_memory_equal(allowed, want, sizeof want);
  assert_true(ww_grammar_take(s, b.s, b.n));
  assert_true(ww_grammar_finished(s));
  ww_buf_free(&b);
  ww_grammar_end(s);
  ww_grammar_free(g);
}

/* ---- generated grammars: from every state that is reached, the shortest end can be
 * followed and is an end ---- */

static uint64_t chance;

static uint32_t below(uint32_t n) {
  chance += 0x9e3779b97f4a7c15u;
  return (uint32_t)(ww_hash(&chance, sizeof chance, 1) >> 32) % n;
}

/* Rules from `first` on may be named: a rule names later ones, or any behind a byte of
 * its own, so that none begins with itself. */
static void make_choice(ww_buf *b, int depth, uint32_t first, uint32_t rules_n);

static bool make_item(ww_buf *b, int depth, uint32_t first, uint32_t rules_n) {
  static const char *const bytes[] = {
      "\"a\"", "\"b\"", "\"ab\"", "\"aba\"", "\"\\u00e9\"",
      "[a-c]", "[^a]",  ".",      "[ab]",    "[\xc3\xa4-\xd0\xb4x]"};
  static const char *const repeats[] = {"?",   "{0,3}", "{0,40}", "{1,2}",
                                        "{2}", "",      "",       ""};
  uint32_t kind = below(10);
  bool own = kind < 5;
  if (own)
    ww_buf_puts(b, bytes[below(10)]);
  else if (kind < 7 && first < rules_n)
    ww_buf_fmt(b, "r%u", first + below(rules_n - first));
  else if (kind < 9 && depth) {
    ww_buf_puts(b, "(");
    make_choice(b, depth - 1, first, rules_n);
    ww_buf_puts(b, ")");
  } else {
    ww_buf_puts(b, "\"\" ");
    return false;
  }
  if (own && below(3) == 0) {
    ww_buf_puts(b, below(2) ? "* " : "+ ");
    return false;
  }
  const char *repeat = repeats[below(8)];
  ww_buf_fmt(b, "%s ", repeat);
  return own && !*repeat;
}

static void make_choice(ww_buf *b, int depth, uint32_t first, uint32_t rules_n) {
  for (uint32_t left = 1 + below(3); left; left--) {
    uint32_t from = first;
    for (uint32_t n = 1 + below(3); n; n--)
      if (make_item(b, depth, from, rules_n))
        from = 0;
    if (left > 1)
      ww_buf_puts(b, "| ");
  }
}

static void make_grammar(ww_buf *b) {
  uint32_t n = 1 + below(4);
  ww_buf_puts(b, "root ::= ");
  make_choice(b, 2, 0, n);
  for (uint32_t r = 0; r < n; r++) {
    ww_buf_fmt(b, "\nr%u ::= ", r);
    make_choice(b, 1 + (int)below(2), r + 1, n);
  }
}

static void make_schema(ww_buf *b, int depth) {
  static const char *const plain[] = {"{\"type\":\"integer\"}",
                                      "{\"type\":\"string\"}",
                                      "{\"type\":\"boolean\"}",
                                      "{\"enum\":[\"a\",\"ab\",1,null]}",
                                      "true",
                                      "{\"$ref\":\"#/$defs/t\"}"};
  uint32_t kind = depth ? below(9) : below(6);
  if (kind < 6) {
    ww_buf_puts(b, plain[kind]);
    return;
  }
  ww_buf_puts(b, kind == 6   ? "{\"type\":\"array\",\"items\":"
                 : kind == 7 ? "{\"anyOf\":[{\"type\":\"null\"},"
                             : "{\"type\":\"object\",\"properties\":{\"a\":");
  make_schema(b, depth - 1);
  if (kind == 6)
    ww_buf_fmt(b, ",\"minItems\":%u,\"maxItems\":%u}", below(2), 2 + below(3));
  if (kind > 6)
    ww_buf_puts(b, kind == 7 ? "," : ",\"ab\":");
  if (kind > 6)
    make_schema(b, depth - 1);
  if (kind > 6)
    ww_buf_puts(b, kind == 7 ? "]}" : below(2) ? "},\"required\":[\"ab\"]}" : "}}");
}

static void ends_are_ends(const ww_grammar *g, const char *text) {
  static const char next[] = "aababc0\"x\xc3\xa9{}[],:1";
  ww_grammar_state *s = ww_grammar_begin(g);
  ww_buf b = {0};
  for (int k = 0; k < 10; k++) {
    uint32_t left = ww_grammar_left(s, false);
    b.n = 0;
    ww_grammar_shortest(s, false, &b);
    if (left == UINT32_MAX || b.n != left)
      fail_msg("%s: the end is %zu bytes, not %u", text, b.n, left);
    if (!ww_grammar_allows(s, b.s, b.n))
      fail_msg("%s: the end `%s` is refused", text, b.s);
    if (ww_grammar_left(s, true))
      fail_msg("%s: `%s` is not the end", text, b.s);
    b.n = 0;
    ww_grammar_forced(s, 30, &b);
    if (b.n && !ww_grammar_allows(s, b.s, b.n))
      fail_msg("%s: what must follow, `%s`, is refused", text, b.s);
    bool went = false;
    for (int t = 0; t < 40 && !went; t++) { /* not into a rule that has no end */
      const char *c = &next[below(sizeof next - 1)];
      went = ww_grammar_allows(s, c, 1) && ww_grammar_left(s, true) != UINT32_MAX &&
             ww_grammar_take(s, c, 1);
    }
    if (!went)
      break;
  }
  ww_grammar_shortest(s, false, (b.n = 0, &b));
  assert_true(ww_grammar_take(s, b.s, b.n) && ww_grammar_complete(s));
  ww_buf_free(&b);
  ww_grammar_end(s);
}

static void generated(void **state) {
  (void)state;
  ww_buf b = {0};
  uint32_t read = 0;
  for (uint32_t k = 0; k < 4000; k++) {
    ww_grammar *g = NULL;
    ww_err e = {0};
    bool schema = k % 4 == 3;
    chance = (uint64_t)k << 32;
    b.n = 0;
    if (schema) {
      ww_buf_puts(&b,
                  "{\"$defs\":{\"t\":{\"type\":[\"null\",\"integer\"]}},\"anyOf\":[");
      make_schema(&b, 3);
      ww_buf_puts(&b, "]}");
    } else
      make_grammar(&b);
    if ((schema ? ww_grammar_of_schema : ww_grammar_parse)(b.s, b.n, &g, &e)) {
      if (schema ||
          !(strstr(e.msg, "begins with itself") || strstr(e.msg, "has an end")))
        fail_msg("%s: %s", b.s, e.msg);
      continue;
    }
    read++;
    ends_are_ends(g, b.s);
    ww_grammar_free(g);
  }
  if (read < 3000)
    fail_msg("only %u of 4000 grammars can be followed", read);
  ww_buf_free(&b);
}

/* Ways to read grow faster than any table of stacks: the sets must not. Found by
 * fuzzing. */
static void many_ways(void **state) {
  (void)state;
  static const char *const ambiguous[] = {
      "root ::= r0{3,5}\n"
      "r0 ::= r1{3,6} (r1{1,5} r1 )? ([\xc3\xa4-\xd0\xb4x]{0,} \"b\"+ | r1 \"\\\"\"* "
      "\"\\u00e9\"* "
      ") [^a]{2,}\n"
      "r1 ::= .+ \"a\"* \"\\u00e9\"* r0?",
      "root ::= r0 (\"\\u00e9\" ([^a] [^\"\\\\]{0,} | [ab]* | \"aba\"{0,} ){3,8} ) | "
      "r1 r2* | "
      "\"\\\"\"{2,3} [^\"\\\\]*\n"
      "r0 ::= [ab] | (\"\" [ab]{3,109} )\n"
      "r1 ::= \"b\"* r2 \"\\u00e9\" | r2+ [a-c]* (\"b\" \"aba\" | \"\\u00e9\"{0,} "
      "\"\\\"\" )? r0?\n"
      "r2 ::= \"\\\"\"+ (() [^a]{2,6} \"aba\"? )? | [a-c] r1 \"aba\"",
      "root ::= s \"!\"\ns ::= \"a\" s s? s? s? | \"a\"",
      "root ::= \"a\"{0,9000} \"a\"{0,9000} \"b\"",
  };
  for (size_t k = 0; k < sizeof ambiguous / sizeof *ambiguous; k++) {
    ww_grammar *g = grammar(ambiguous[k]);
    for (uint32_t seed = 0; seed < 4; seed++) {
      chance = (uint64_t)seed << 40;
      ends_are_ends(g, ambiguous[k]);
    }
    ww_grammar_free(g);
  }
  char text[402];
  memset(text, 'a', 400);
  strcpy(text + 400, "!");
  is(ambiguous[2], text, 3);
}

static void sampling(void **state) {
  (void)state;
  float logits[5] = {0, 2, -INFINITY, 1, 2};
  ww_sampler *s = ww_sampler_new(&(ww_sample_options){0}, 5);
  assert_int_equal(ww_sampler_next(s, logits), 1); /* of equal ones the first */
  ww_sampler_free(s);
  uint32_t seen[5] = {0};
  s = ww_sampler_new(&(ww_sample_options){.temperature = 1, .seed = 7}, 5);
  for (int k = 0; k < 20000; k++)
    seen[ww_sampler_next(s, logits)]++;
  double all = 1 + 2 * exp(2) + exp(1);
  assert_int_equal(seen[2], 0);
  assert_true(fabs(seen[1] / 20000. - exp(2) / all) < 0.02 &&
              fabs(seen[0] / 20000. - 1 / all) < 0.02);
  ww_sampler_free(s);
  memset(seen, 0, sizeof seen);
  s = ww_sampler_new(&(ww_sample_options){.temperature = 1, .top_p = 0.5f, .seed = 7},
                     5);
  for (int k = 0; k < 2000; k++)
    seen[ww_sampler_next(s, logits)]++;
  assert_true(seen[1] && seen[4] && !seen[0] && !seen[3]);
  ww_sampler_free(s);
  logits[0] = NAN;
  s = ww_sampler_new(&(ww_sample_options){.temperature = 1}, 5);
  assert_int_equal(ww_sampler_next(s, logits), -1);
  ww_sampler_free(s);
  assert_true(fabs(ww_log_prob((float[]){0, 0}, 2, 1) - log(0.5)) < 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rules),     cmocka_unit_test(refusals),
      cmocka_unit_test(deep),      cmocka_unit_test(forced),
      cmocka_unit_test(schemas),   cmocka_unit_test(large),
      cmocka_unit_test(shortest),  cmocka_unit_test(generated),
      cmocka_unit_test(many_ways), cmocka_unit_test(sampling),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
