/* split.c - words of a text by patterns, PCRE2's and ours.
 *
 * Invariant: the words handed out lie end to end and cover the text. A word is matched
 * by hand where all it touches (and one byte more, as patterns look ahead) is ASCII;
 * else PCRE2 is asked for that one word. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#include "split.h"

#define PATTERN_MAX 4096 /* bytes; the longest of the models here has 150 */
#define STAGES 8
#define MATCH_LIMIT \
  1000000u /* steps of one match; a pattern that takes more gets no further words */

typedef enum { BY_PCRE2, BY_GPT2, BY_LLAMA3 } way;

typedef struct {
  pcre2_code *code;
  way by;
  uint32_t digits; /* of BY_LLAMA3: digits of a word at most */
} stage;

struct ww_splitter {
  stage stages[STAGES];
  uint32_t n;
};

struct ww_split_work {
  pcre2_match_data *match;
  pcre2_match_context *limits;
};

ww_splitter *ww_split_new(void) {
  return ww_xcalloc(1, sizeof(ww_splitter));
}

void ww_split_free(ww_splitter *s) {
  for (uint32_t k = 0; s && k < s->n; k++)
    pcre2_code_free(s->stages[k].code);
  free(s);
}

/* PCRE2's \s has one character that Unicode's White_Space has not (U+180E): the
 * property is spelled out. `\S` within [] stays as it is. */
#define WHITE                                                                          \
  "\\t-\\r "                                                                           \
  "\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{" \
  "3000}"
static void spell_white(const char *p, size_t n, ww_buf *out) {
  bool in = false;
  for (size_t k = 0; k < n; k++) {
    bool escape = p[k] == '\\' && k + 1 < n;
    if (escape && p[k + 1] == 's') {
      ww_buf_puts(out, in ? WHITE : "[" WHITE "]");
    } else if (escape && p[k + 1] == 'S' && !in) {
      ww_buf_puts(out, "[^" WHITE "]");
    } else {
      ww_buf_add(out, p + k, escape ? 2 : 1);
    }
    if (escape) {
      k++;
    } else if (!in && p[k] == '[') {
      in = true;
      if (k + 1 < n && p[k + 1] == '^')
        ww_buf_add(out, &p[++k], 1);
      if (k + 1 < n && p[k + 1] == ']')
        ww_buf_add(out, &p[++k], 1);
    } else if (in && p[k] == ']') {
      in = false;
    }
  }
}

static bool is_pattern(const char *p, size_t n, const char *known) {
  return n == strlen(known) && !memcmp(p, known, n);
}

ww_status ww_split_add(
    ww_splitter *s, const char *pattern, size_t n, bool written_out, ww_err *e) {
  if (s->n == STAGES)
    return ww_fail(e, WW_EUNSUPPORTED, "more than %d patterns split the text", STAGES);
  if (n > PATTERN_MAX)
    return ww_fail(e, WW_ELIMIT,
                   "a pattern that splits text has %zu bytes; at most %d are read", n,
                   PATTERN_MAX);
  ww_buf spelled = {0};
  spell_white(pattern, n, &spelled);
  int code = 0;
  PCRE2_SIZE at = 0;
  stage *g = &s->stages[s->n];
  g->code =
      pcre2_compile((PCRE2_SPTR)(spelled.s ? spelled.s : ""), spelled.n,
                    PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &code, &at, NULL);
  ww_buf_free(&spelled);
  if (!g->code) {
    char why[200];
    pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof why);
    return ww_fail(e, WW_EUNSUPPORTED,
                   "a pattern that splits text is not understood: %s (%.*s)", why,
                   (int)ww_least(n, 100), pattern);
  }
  /* without it matching is slower, no more */
  pcre2_jit_compile(g->code, PCRE2_JIT_COMPLETE);
  g->by = BY_PCRE2;
  if (written_out && is_pattern(pattern, n, WW_SPLIT_GPT2))
    g->by = BY_GPT2;
  if (written_out && is_pattern(pattern, n, WW_SPLIT_LLAMA3)) {
    g->by = BY_LLAMA3;
    g->digits = 3;
  }
  if (written_out && is_pattern(pattern, n, WW_SPLIT_QWEN2)) {
    g->by = BY_LLAMA3;
    g->digits = 1;
  }
  s->n++;
  return WW_OK;
}

ww_split_work *ww_split_work_new(void) {
  ww_split_work *w = ww_xcalloc(1, sizeof *w);
  w->match = pcre2_match_data_create(1, NULL);
  w->limits = pcre2_match_context_create(NULL);
  if (w->limits) {
    pcre2_set_match_limit(w->limits, MATCH_LIMIT);
    pcre2_set_heap_limit(w->limits, 1u << 16); /* KiB */
  }
  return w;
}

void ww_split_work_free(ww_split_work *w) {
  if (!w)
    return;
  pcre2_match_data_free(w->match);
  pcre2_match_context_free(w->limits);
  free(w);
}

/* ---- the patterns by hand ---- */

/* What a byte is to them: letter, digit, white space, other, or no ASCII. */
enum { OTHER, LETTER, DIGIT, WHITE_SPACE, HIGH };
static const uint8_t kind_of[256] = {
    ['\t' ... '\r'] = WHITE_SPACE, [' '] = WHITE_SPACE,    ['0' ... '9'] = DIGIT,
    ['A' ... 'Z'] = LETTER,        ['a' ... 'z'] = LETTER, [0x80 ... 0xff] = HIGH,
};
static inline uint32_t kind_at(const char *p) {
  return kind_of[(uint8_t)*p];
}

/* The end of the run of one kind that starts at p; NULL where it meets no ASCII. */
static inline const char *run(const char *p, const char *end, uint32_t kind) {
  while (p < end && kind_at(p) == kind)
    p++;
  return p < end && kind_at(p) == HIGH ? NULL : p;
}

/* 's 't 'm 'd 're 've 'll at p, where a ' stands: their length or 0. */
static size_t contraction(const char *p, const char *end, bool any_case) {
  if (end - p < 2)
    return 0;
  char c = p[1];
  char d = end - p > 2 ? p[2] : 0;
  if (any_case && c >= 'A' && c <= 'Z')
    c = c + 32;
  if (any_case && d >= 'A' && d <= 'Z')
    d = d + 32;
  if (c == 's' || c == 't' || c == 'm' || c == 'd')
    return 2;
  return (c == 'r' && d == 'e') || (c == 'v' && d == 'e') || (c == 'l' && d == 'l') ? 3
                                                                                    : 0;
}

/* White space from p: all of it at the end of the text, else all but the last, which
 * belongs to the word behind it. */
static const char *blank(const char *p, const char *end) {
  const char *q = run(p, end, WHITE_SPACE);
  return q && q < end && q - p > 1 ? q - 1 : q;
}

/* '(s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ */
static const char *word_gpt2(const char *p, const char *end) {
  if (*p == '\'') {
    size_t n = contraction(p, end, false);
    if (n)
      return p + n;
  }
  const char *q = *p == ' ' && end - p > 1 ? p + 1 : p;
  uint32_t kind = kind_at(q);
  if (kind == HIGH)
    return NULL;
  return kind == WHITE_SPACE ? blank(p, end) : run(q, end, kind);
}

/* (?i:'s|...)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,digits}|
 * ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+ */
static const char *word_llama3(const char *p, const char *end, uint32_t digits) {
  uint32_t kind = kind_at(p);
  uint32_t next = end - p > 1 ? kind_at(p + 1) : WHITE_SPACE;
  if (kind == LETTER)
    return run(p, end, LETTER);
  if (kind == DIGIT) {
    const char *q = p;
    const char *most = (size_t)(end - p) > digits ? p + digits : end;
    while (q < most && kind_at(q) == DIGIT)
      q++;
    return q < most && kind_at(q) == HIGH ? NULL : q;
  }
  if (kind == HIGH || next == HIGH)
    return NULL;
  if (*p == '\'') {
    size_t n = contraction(p, end, true);
    if (n)
      return p + n;
  }
  if (next == LETTER && *p != '\r' && *p != '\n')
    return run(p + 1, end, LETTER);
  if (kind == OTHER || (*p == ' ' && next == OTHER)) {
    const char *q = run(p + 1, end, OTHER);
    while (q && q < end && (*q == '\r' || *q == '\n'))
      q++;
    return q;
  }
  const char *q = run(p, end, WHITE_SPACE);
  const char *line = q;
  while (line && line > p && line[-1] != '\n' && line[-1] != '\r')
    line--;
  return q && line > p ? line : blank(p, end);
}

/* ---- PCRE2 ---- */

/* The next match in text[from..n) that is not empty. */
static bool match(const stage *g,
                  ww_split_work *w,
                  const char *text,
                  size_t n,
                  size_t from,
                  size_t *start,
                  size_t *end) {
  while (from < n) {
    int rc = pcre2_match(g->code, (PCRE2_SPTR)text, n, from,
                         PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY, w->match, w->limits);
    if (rc < 0)
      return false; /* none, or too hard for the limits */
    const PCRE2_SIZE *at = pcre2_get_ovector_pointer(w->match);
    *start = at[0];
    *end = at[1];
    if (at[1] > at[0] && at[0] >= from)
      return true;
    from += ww_utf8_length(text[from]); /* \K may move a start behind its end */
  }
  return false;
}

typedef struct {
  const ww_splitter *s;
  ww_split_work *w;
  ww_word_fn *word;
  void *ctx;
} job;

static void cut(const job *j, uint32_t at, const char *text, size_t n);

static inline void hand(const job *j, uint32_t at, const char *text, size_t n) {
  if (at + 1 >= j->s->n)
    j->word(j->ctx, text, n);
  else
    cut(j, at + 1, text, n);
}

/* Cuts valid UTF-8 with the pattern at `at` and those behind it. */
static void cut(const job *j, uint32_t at, const char *text, size_t n) {
  const stage *g = j->s->stages + at;
  const char *p = text;
  const char *end = text + n;
  while (p < end) {
    const char *q = g->by == BY_GPT2     ? word_gpt2(p, end)
                    : g->by == BY_LLAMA3 ? word_llama3(p, end, g->digits)
                                         : NULL;
    if (q) {
      hand(j, at, p, q - p);
      p = q;
      continue;
    }
    size_t from;
    size_t to;
    if (!match(g, j->w, text, n, p - text, &from, &to))
      from = to = n;
    if (text + from > p)
      hand(j, at, p, text + from - p);
    if (to > from)
      hand(j, at, text + from, to - from);
    p = text + to;
  }
}

void ww_split_text(const ww_splitter *s,
                   ww_split_work *w,
                   const char *text,
                   size_t n,
                   ww_word_fn *word,
                   void *ctx) {
  job j = {s, w, word, ctx};
  while (n) {
    bool ascii;
    size_t good = ww_utf8_valid(text, n, &ascii);
    size_t bad = 0;
    if (good && s->n)
      cut(&j, 0, text, good);
    if (good && !s->n)
      word(ctx, text, good);
    text += good;
    n -= good;
    while (bad < n && !ww_utf8_valid(text + bad, ww_least(n - bad, 4), &ascii))
      bad++;
    if (bad)
      word(ctx, text, bad);
    text += bad;
    n -= bad;
  }
}
