/* grammar.h - what may be written next: grammars in GBNF (as llama.cpp's users write
 * them) or made from a JSON schema, followed byte by byte.
 *
 * A grammar is immutable and shared. A state is a set of stacks of places in rules:
 * every way in which the bytes so far can be read. Bytes are what is followed; classes
 * such as [^"\\] and . are of characters, each of which must be whole UTF-8. */
#ifndef WW_LM_GRAMMAR_H
#define WW_LM_GRAMMAR_H

#include "../base/base.h"

typedef struct ww_grammar ww_grammar;
/* `root` is the rule it begins with. Rules: name ::= a "text" [a-z] ( .. | .. ) x* x+
 * x? x{2,4}  # comment */
ww_status ww_grammar_parse(const char *gbnf, size_t n, ww_grammar **out, ww_err *e);
/* Of a JSON schema: type, properties (all of them, in their order, unless `required`
 * leaves some out), items, minItems, maxItems, enum, const, anyOf, oneOf, $ref to
 * #/$defs, additionalProperties; `true` and {} are any JSON value. What it does not
 * know is an error. */
ww_status ww_grammar_of_schema(const char *json, size_t n, ww_grammar **out, ww_err *e);
ww_status ww_grammar_any_json(ww_grammar **out, ww_err *e); /* any JSON object */
void ww_grammar_free(ww_grammar *g);                        /* accepts NULL */

typedef struct ww_grammar_state ww_grammar_state;
/* the grammar must outlive it */
ww_grammar_state *ww_grammar_begin(const ww_grammar *g);
void ww_grammar_end(ww_grammar_state *s); /* accepts NULL */
/* Follows the bytes; false: they are not allowed here, and the state is as before. */
bool ww_grammar_take(ww_grammar_state *s, const char *bytes, size_t n);
bool ww_grammar_allows(ww_grammar_state *s,
                       const char *bytes,
                       size_t n);                    /* the same without taking them */
bool ww_grammar_complete(const ww_grammar_state *s); /* the text may end here */
bool ww_grammar_finished(const ww_grammar_state *s); /* it must end here */
/* Words in the order of their bytes; `shared`: bytes that a word has in common with the
 * one before it. */
typedef struct {
  const char *text;
  uint32_t n, shared;
} ww_word;
/* Which of them are allowed here and leave the text within `most_left` bytes of an end.
 */
void ww_grammar_mask(ww_grammar_state *s,
                     const ww_word *words,
                     uint32_t n,
                     uint32_t most_left,
                     bool *allowed);
/* The fewest bytes that end the text from here (UINT32_MAX: too many to write), and
 * such bytes. tried: behind what ww_grammar_allows() just allowed, or
 * ww_grammar_forced() gave. */
uint32_t ww_grammar_left(const ww_grammar_state *s, bool tried);
void ww_grammar_shortest(ww_grammar_state *s, bool tried, ww_buf *out);
/* Bytes that must come next, as far as there is no choice; at most `most`. */
void ww_grammar_forced(ww_grammar_state *s, size_t most, ww_buf *out);

#endif
