/* test_lm_grammar.c - grammars followed byte by byte, JSON schemas as grammars, sampling. */
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
  if (ww_grammar_parse(gbnf, strlen(gbnf), &g, &e)) fail_msg("%s: %s", gbnf, e.msg);
  return g;
}

/* 0: refused, 1: may go on, 2: complete, 3: complete and nothing may follow */
static int follow(const ww_grammar *g, const char *text) {
  ww_grammar_state *s = ww_grammar_begin(g);
  int is = 0;
  if (ww_grammar_take(s, text, strlen(text))) is = ww_grammar_finished(s) ? 3 : ww_grammar_complete(s) ? 2 : 1;
  ww_grammar_end(s);
  return is;
}

static void is(const char *gbnf, const char *text, int want) {
  ww_grammar *g = grammar(gbnf);
  if (follow(g, text) != want) fail_msg("%s of `%s`: %d, not %d", gbnf, text, follow(g, text), want);
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
  if (!strstr(e.msg, says)) fail_msg("`%s`, not `%s`", e.msg, says);
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
  assert_int_equal(follow(g, text), 0); /* beyond the depth that is kept: refused, no crash */
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
  if (ww_grammar_of_schema(schema, strlen(schema), &g, &e)) fail_msg("%s: %s", schema, e.msg);
  if (follow(g, text) != want) fail_msg("%s of `%s`: %d, not %d", schema, text, follow(g, text), want);
  ww_grammar_free(g);
}

static void schemas(void **state) {
  (void)state;
  const char *two =
      "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":\"string\"}},\"required\":[\"a\"]}";
  schema_is(two, "{\"a\":12}", 3);
  schema_is(two, "{\"a\":12,\"b\":\"x\\n\xc3\xa9\"}", 3);
  schema_is(two, "{\"b\":", 0);
  schema_is(two, "{\"a\":012", 0);
  const char *free_ones =
      "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"null\"},\"b\":{\"type\":\"boolean\"}},\"required\":[]}";
  schema_is(free_ones, "{}", 3);
  schema_is(free_ones, "{\"b\":true}", 3);
  schema_is(free_ones, "{\"a\":null,\"b\":false}", 3);
  schema_is(free_ones, "{,", 0);
  schema_is("{\"enum\":[\"x\",1,null]}", "\"x\"", 3);
  schema_is("{\"const\":{\"k\":[1,2]}}", "{\"k\":[1,2]}", 3);
  schema_is("{\"type\":\"array\",\"items\":{\"type\":\"number\"},\"minItems\":1,\"maxItems\":2}", "[]", 0);
  schema_is("{\"type\":\"array\",\"items\":{\"type\":\"number\"},\"minItems\":1,\"maxItems\":2}", "[-1.5e-3,2]", 3);
  schema_is("{\"type\":\"array\",\"items\":{\"type\":\"number\"},\"minItems\":1,\"maxItems\":2}", "[1,2,", 0);
  schema_is("{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "null", 3);
  schema_is("{\"type\":[\"string\",\"null\"]}", "null", 3);
  schema_is("{\"$defs\":{\"t\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/t\"}}},\"$ref\":\"#/$defs/t\"}",
            "[[],[[]]]", 3);
  schema_is("true", "{\"any\":[1,{\"x\":null}]}", 3);
  schema_is("{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}}", "{\"p\":1,\"q\":2}", 3);
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
  for (int k = 0; k < N; k++) ww_buf_fmt(&b, "r%d ::= r%d\n", k, k + 1);
  ww_buf_fmt(&b, "r%d ::= \"x\"\n", N);
  is(b.s, "x", 3);
  b.n = 0;
  ww_buf_puts(&b, "root ::= ");
  for (int k = 0; k < 60; k++) ww_buf_puts(&b, "(\"\" | \"\" | \"a\" | \"\"){0,60} ");
  is(b.s, "aaaa", 2);
  b.n = 0;
  ww_buf_puts(&b, "root ::= ");
  for (int k = 0; k < 5000; k++) ww_buf_puts(&b, "\"a\"{10000} ");
  refused(b.s, "too large");
  b.n = 0;
  for (int k = 0; k < 60; k++) ww_buf_puts(&b, "{\"type\":\"array\",\"items\":");
  ww_buf_puts(&b, "true");
  for (int k = 0; k < 60; k++) ww_buf_puts(&b, "}");
  schema_is(b.s, "[[[[]],[]]]", 3);
  ww_buf_free(&b);
}

/* The shortest end, and words all at once. */
static void shortest(void **state) {
  (void)state;
  ww_grammar *g = NULL;
  ww_err e = {0};
  const char *tree =
      "{\"$defs\":{\"t\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"number\"},\"of\":{\"anyOf\":[{\"$ref\":\"#/$defs/t\"},"
      "{\"type\":\"null\"}]}}}},\"$ref\":\"#/$defs/t\"}";
  assert_int_equal(ww_grammar_of_schema(tree, strlen(tree), &g, &e), WW_OK);
  ww_grammar_state *s = ww_grammar_begin(g);
  const char *begun = "{\"n\":-7,\"of\":{\"n\":1";
  assert_true(ww_grammar_take(s, begun, strlen(begun)));
  ww_buf b = {0};
  ww_grammar_shortest(s, false, &b);
  assert_string_equal(b.s, ",\"of\":null}}");
  assert_int_equal(ww_grammar_left(s, false), b.n);
  const ww_word words[] = {{"+", 1, 0},      {",", 1, 0},  {",\"", 2, 1}, {",\"x", 3, 2},
                           {",\"xof", 5, 3}, {"12", 2, 0}, {"12,", 3, 2}, {"}", 1, 0}};
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

static void sampling(void **state) {
  (void)state;
  float logits[5] = {0, 2, -INFINITY, 1, 2};
  ww_sampler *s = ww_sampler_new(&(ww_sample_options){0}, 5);
  assert_int_equal(ww_sampler_next(s, logits), 1); /* of equal ones the first */
  ww_sampler_free(s);
  uint32_t seen[5] = {0};
  s = ww_sampler_new(&(ww_sample_options){.temperature = 1, .seed = 7}, 5);
  for (int k = 0; k < 20000; k++) seen[ww_sampler_next(s, logits)]++;
  double all = 1 + 2 * exp(2) + exp(1);
  assert_int_equal(seen[2], 0);
  assert_true(fabs(seen[1] / 20000. - exp(2) / all) < 0.02 && fabs(seen[0] / 20000. - 1 / all) < 0.02);
  ww_sampler_free(s);
  memset(seen, 0, sizeof seen);
  s = ww_sampler_new(&(ww_sample_options){.temperature = 1, .top_p = 0.5f, .seed = 7}, 5);
  for (int k = 0; k < 2000; k++) seen[ww_sampler_next(s, logits)]++;
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
      cmocka_unit_test(rules),   cmocka_unit_test(refusals), cmocka_unit_test(deep),     cmocka_unit_test(forced),
      cmocka_unit_test(schemas), cmocka_unit_test(large),    cmocka_unit_test(shortest), cmocka_unit_test(sampling),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
