/* tokenizer.c - opening, encoding, decoding. How a text becomes ids: added tokens are
 * found first; what lies between them is normalized, cut into words (split.c), and each
 * word merged (tokenizer_bpe.c).
 *
 * Invariant: a ww_tokenizer does not change after opening; all that encoding changes
 * belongs to the thread. */
#include <sys/stat.h>

#include "tokenizer_int.h"

#define FILE_MAX (512 << 20)

/* ---- opening ---- */

static ww_status opened(ww_status st, ww_tokenizer *t, ww_tokenizer **out) {
  if (st) {
    ww_tokenizer_free(t);
    return st;
  }
  *out = t;
  return WW_OK;
}

ww_status
ww_tokenizer_parse(const char *json, size_t n, ww_tokenizer **out, ww_err *e) {
  *out = NULL;
  ww_tokenizer *t = ww_tokenizer_blank();
  return opened(ww_tokenizer_read_json(json, n, t, e), t, out);
}

ww_status ww_tokenizer_open(const char *path, ww_tokenizer **out, ww_err *e) {
  struct stat info;
  char *data;
  size_t n;
  *out = NULL;
  ww_arena *a = ww_arena_new();
  if (!stat(path, &info) && S_ISDIR(info.st_mode)) {
    const char *json = ww_path_join(a, path, "tokenizer.json");
    const char *bin = ww_path_join(a, path, "tokenizer.bin");
    path = ww_file_exists(json) || !ww_file_exists(bin) ? json : bin;
  }
  ww_tokenizer *t = ww_tokenizer_blank();
  ww_status st;
  if (ww_ends(path, ".gguf")) {
    st = ww_tokenizer_read_gguf(path, t, e);
  } else {
    st = ww_read_packed(a, path, FILE_MAX, &data, &n, e);
    if (!st)
      st = ww_ends(path, ".bin") ? ww_tokenizer_read_bin(data, n, t, e)
                                 : ww_tokenizer_read_json(data, n, t, e);
  }
  ww_arena_free(a);
  return opened(st, t, out);
}

void ww_tokenizer_free(ww_tokenizer *t) {
  if (!t)
    return;
  ww_split_free(t->split);
  ww_arena_free(t->a);
  free(t);
}

/* ---- one token ---- */

uint32_t ww_tokenizer_vocab(const ww_tokenizer *t) {
  return t->vocab;
}
int32_t ww_tokenizer_bos(const ww_tokenizer *t) {
  return t->bos;
}

const char *ww_tokenizer_text(const ww_tokenizer *t, int32_t id, uint32_t *n) {
  if (id < 0 || (uint32_t)id >= t->vocab || !t->text[id].s)
    return NULL;
  if (n)
    *n = t->text[id].n;
  return t->text[id].s;
}

bool ww_tokenizer_special(const ww_tokenizer *t, int32_t id) {
  return id >= 0 && (uint32_t)id < t->vocab && (t->flags[id] & WW_TOKEN_SPECIAL);
}

int32_t ww_tokenizer_id(const ww_tokenizer *t, const char *token) {
  ww_token_span s = {token, strlen(token)};
  for (uint32_t k = 0; k < t->raws; k++)
    if (t->raw[k].match.n == s.n && !memcmp(t->raw[k].match.s, token, s.n))
      return t->raw[k].id;
  for (uint32_t k = 0; k < t->normals; k++) {
    ww_token_span x = t->text[t->normal[k].id];
    if (x.n == s.n && !memcmp(x.s, token, s.n))
      return t->normal[k].id;
  }
  uint32_t id = ww_tokenizer_find(t, s, false);
  if (id != WW_NO_ID || t->byte_level)
    return id == WW_NO_ID ? -1 : (int32_t)id;
  ww_buf b = {0};
  for (const char *p = token; *p; p++)
    ww_buf_add(&b, *p == ' ' ? WW_SPACE_MARK : p, *p == ' ' ? 3 : 1);
  id = ww_tokenizer_find(t, ww_span_of(&b), false);
  ww_buf_free(&b);
  return id == WW_NO_ID ? -1 : (int32_t)id;
}

/* ---- normalizing ---- */

static void replace(const ww_norm *x, ww_token_span s, ww_buf *out) {
  const char *p = s.s;
  const char *end = s.s + s.n;
  while (p < end) {
    const char *hit = memmem(p, end - p, x->from.s, x->from.n);
    ww_buf_add(out, p, (hit ? hit : end) - p);
    if (!hit)
      return;
    ww_buf_add(out, x->to.s, x->to.n);
    p = hit + x->from.n;
  }
}

ww_token_span ww_tokenizer_normalize(
    const ww_tokenizer *t, const char *text, size_t n, bool start, ww_buf b[2]) {
  ww_token_span s = {text, n};
  for (uint32_t k = 0, to = 0; k < t->norms; k++) {
    const ww_norm *x = t->norm + k;
    bool ascii;
    if (x->kind == WW_NORM_PREPEND) {
      bool there = s.n >= x->to.n && !memcmp(s.s, x->to.s, x->to.n);
      if (!s.n || (x->unless && there) || (x->at_start && !start))
        continue;
    }
    if (x->kind == WW_NORM_FORM && ww_utf8_valid(s.s, s.n, &ascii) == s.n && ascii)
      continue;
    b[to].n = 0;
    if (x->kind == WW_NORM_PREPEND) {
      ww_buf_add(b + to, x->to.s, x->to.n);
      ww_buf_add(b + to, s.s, s.n);
    } else if (x->kind == WW_NORM_REPLACE) {
      replace(x, s, b + to);
    } else {
      ww_utf8_normalize(x->form, s.s, s.n, b + to);
    }
    s = ww_span_of(b + to);
    to = !to;
  }
  return s;
}

/* ---- encoding ---- */

typedef struct {
  const ww_tokenizer *t;
  ww_token_work *w;
  ww_arena *a;
  ww_tokens *out;
} job;

static void word(void *ctx, const char *s, size_t n) {
  job *j = ctx;
  ww_tokenizer_word(j->t, j->w, s, n, j->a, j->out);
}

/* SentencePiece style has no words; but merges seldom reach over a mark that follows
 * something else, and where they never do the text is cut there and the cache helps. */
static void cut_at_marks(job *j, const char *p, size_t n) {
  const char *end = p + n;
  const char *from = p;
  bool each = j->t->cut_each_mark, other = false;
  while (p < end) {
    bool mark = ww_mark_at(p, end);
    if (mark && p > from && (each || other)) {
      word(j, from, p - from);
      from = p;
      other = false;
    }
    other |= !mark;
    p += mark ? 3 : 1;
  }
  word(j, from, end - from);
}

/* Words of normalized text. */
static void words(job *j, ww_token_span s) {
  if (j->t->byte_level)
    ww_split_text(j->t->split, ww_token_work_split(j->w), s.s, s.n, word, j);
  else if (j->t->cut_at_marks || j->t->cut_each_mark)
    cut_at_marks(j, s.s, s.n);
  else
    word(j, s.s, s.n);
}

/* In sorted tokens that agree in their first d bytes: the first of v[lo..hi) whose byte
 * d is at least `least`. */
static uint32_t
bound(const ww_added *v, uint32_t lo, uint32_t hi, uint32_t d, int least) {
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    int byte = v[mid].match.n > d ? (uint8_t)v[mid].match.s[d] : -1;
    if (byte < least)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* The longest of the sorted added tokens that the text at p begins with; NULL: none. */
static const ww_added *
added_at(const ww_added *v, uint32_t n, const char *p, const char *end) {
  const ww_added *best = NULL;
  uint32_t lo = 0;
  uint32_t hi = n;
  for (uint32_t d = 0; lo < hi && p + d < end; d++) {
    int c = (uint8_t)p[d];
    hi = bound(v, lo, hi, d, c + 1);
    lo = bound(v, lo, hi, d, c);
    if (lo < hi && v[lo].match.n == d + 1)
      best = v + lo;
  }
  return best;
}

static bool is_white(uint8_t c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/* A part of the text, and whether nothing stands before it. */
typedef void part_fn(job *j, const char *s, size_t n, bool start);

/* Hands what lies between added tokens to `part`, and the tokens to the output. */
static void find_added(job *j,
                       const ww_added *v,
                       uint32_t nv,
                       const char *s,
                       size_t n,
                       bool start,
                       part_fn *part) {
  if (!nv) {
    part(j, s, n, start);
    return;
  }
  bool first[256] = {0};
  const char *end = s + n;
  const char *from = s;
  for (uint32_t k = 0; k < nv; k++)
    first[(uint8_t)v[k].match.s[0]] = true;
  for (const char *p = s; p < end;) {
    const ww_added *x = first[(uint8_t)*p] ? added_at(v, nv, p, end) : NULL;
    if (!x) {
      p++;
      continue;
    }
    const char *left = p;
    const char *right = p + x->match.n;
    while (x->lstrip && left > from && is_white(left[-1]))
      left--;
    while (x->rstrip && right < end && is_white(*right))
      right++;
    if (left > from)
      part(j, from, left - from, start && from == s);
    ww_push(j->a, j->out, x->id);
    p = from = right;
  }
  if (end > from)
    part(j, from, end - from, start && from == s);
}

static void normal_part(job *j, const char *s, size_t n, bool start) {
  (void)start;
  words(j, (ww_token_span){s, n});
}

static void raw_part(job *j, const char *s, size_t n, bool start) {
  ww_token_span x =
      ww_tokenizer_normalize(j->t, s, n, start, ww_token_work_buffers(j->w));
  find_added(j, j->t->normal, j->t->normals, x.s, x.n, start, normal_part);
}

/* Bytes treated as one text; what is longer is cut. Normal forms make it up to 11 times
 * as long, and spans count in 32 bits. */
#define PART_MAX (1 << 28)

void ww_tokenizer_encode(const ww_tokenizer *t,
                         const char *text,
                         size_t n,
                         bool special,
                         ww_arena *a,
                         ww_tokens *out) {
  job j = {t, ww_token_work_get(), a, out};
  if (special)
    ww_append(a, out, t->before, t->nbefore);
  for (size_t at = 0; at < n; at += PART_MAX) {
    size_t m = ww_least(n - at, PART_MAX);
    if (special)
      find_added(&j, t->raw, t->raws, text + at, m, at == 0, raw_part);
    else
      words(&j, ww_tokenizer_normalize(t, text + at, m, at == 0,
                                       ww_token_work_buffers(j.w)));
  }
  if (special)
    ww_append(a, out, t->after, t->nafter);
}

void ww_tokenizer_decode(
    const ww_tokenizer *t, const int32_t *ids, uint32_t n, bool special, ww_buf *out) {
  bool begun = false;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t len;
    const char *s = ww_tokenizer_text(t, ids[k], &len);
    if (!s || (!special && ww_tokenizer_special(t, ids[k])))
      continue;
    bool strip = t->strip_space && !begun && len && *s == ' ';
    begun |= len > 0;
    ww_buf_add(out, s + strip, len - strip);
  }
}
