/* fuzz_grammar.c - any text as a grammar and as a JSON schema: a message, or something
 * that can be followed to the end that it promises. */
#include "fuzz.h"

#include "../../src/lm/grammar.h"

#define MOST 64 /* bytes: an end that long never meets the bounds on nodes */

static void follow(const ww_grammar *g) {
  static const ww_word words[] = {{"\"", 1, 0}, {"a", 1, 0},   {"a1", 2, 1},
                                  {"{", 1, 0},  {"{\"", 2, 1}, {"\xc3\xa9", 2, 0}};
  ww_grammar_state *s = ww_grammar_begin(g);
  ww_buf b = {0};
  bool allowed[6];
  for (int k = 0; k < 6; k++) {
    ww_grammar_mask(s, words, 6, UINT32_MAX, allowed);
    for (int i = 0; i < 6; i++)
      if (allowed[i] != ww_grammar_allows(s, words[i].text, words[i].n))
        abort();
    b.n = 0;
    ww_grammar_forced(s, 1000, &b);
    if (b.n && !ww_grammar_allows(s, b.s, b.n))
      abort();
    ww_grammar_take(s, words[k].text, words[k].n);
  }
  uint32_t left = ww_grammar_left(s, false);
  if (left < MOST) {
    b.n = 0;
    ww_grammar_shortest(s, false, &b);
    if (b.n != left || !ww_grammar_take(s, b.s, b.n) || !ww_grammar_complete(s))
      abort();
  }
  ww_buf_free(&b);
  ww_grammar_end(s);
}

int fuzz_grammar(const uint8_t *data, size_t n) {
  char *text = fuzz_text(data, n);
  for (int schema = 0; schema < 2; schema++) {
    ww_grammar *g = NULL;
    ww_err e = {0};
    if ((schema ? ww_grammar_of_schema : ww_grammar_parse)(text, n, &g, &e)) {
      if (!e.msg[0])
        abort();
      continue;
    }
    follow(g);
    ww_grammar_free(g);
  }
  free(text);
  return 0;
}
