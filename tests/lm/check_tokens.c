/* check_tokens.c - our tokenizer against the ids that transformers gave
 * (tests/lm/tokenizer_ids.py), on the texts of this tree.
 *
 * check_tokens IDS TOKENIZER NASTY ROOT : prints TAP. A text of the tree is looked up
 * in IDS by its hash; what is not there was not chosen. check_tokens train NASTY
 * TOKENIZER : trains a tokenizer on those texts, and writes it. */
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "../../src/base/jsonread.h"
#include "../../src/lm/tokenizer.h"

#define AT_LEAST 5000 /* lines of the reference that the tree must still have */

typedef struct {
  uint64_t text;
  uint32_t ids;
  bool seen;
  const char *list,
      *decoded; /* of the nasty ones: the ids, and the JSON of what they decode to */
} want;

static struct {
  ww_arena *a;
  const ww_tokenizer *t;
  WW_VEC(want) want;
  uint32_t compared, wrong;
} run;

static uint64_t fnv64(const char *s, size_t n) {
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t k = 0; k < n; k++)
    h = (h ^ (uint8_t)s[k]) * 0x100000001b3u;
  return h;
}

static uint32_t fnv32(const int32_t *ids, uint32_t n) {
  uint32_t h = 0x811c9dc5u;
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t b = 0; b < 4; b++)
      h = (h ^ ((uint32_t)ids[k] >> 8 * b & 255)) * 0x01000193u;
  return h;
}

static int by_text(const void *x, const void *y) {
  const want *a = x, *b = y;
  return a->text < b->text ? -1 : a->text > b->text;
}

static ww_status read_ids(const char *path, ww_err *e) {
  char *data, *line, *rest;
  size_t n;
  ww_status st = ww_read_packed(run.a, path, 1u << 26, &data, &n, e);
  if (st)
    return st;
  for (rest = data; (line = strsep(&rest, "\n"));) {
    if (!*line || *line == '#')
      continue;
    if (*line == '>') {
      run.want.v[run.want.n - 1].decoded = line + 2;
      continue;
    }
    char *end;
    want w = {.text = strtoull(line, &end, 16)};
    w.ids = (uint32_t)strtoul(end, &end, 16);
    if (!strncmp(end, " = ", 3))
      w.list = end + 3;
    ww_push(run.a, &run.want, w);
  }
  qsort(run.want.v, run.want.n, sizeof *run.want.v, by_text);
  return WW_OK;
}

static void complain(const char *text, size_t n, const ww_tokens *got, const want *w) {
  if (run.wrong++ > 8)
    return;
  printf("# differs: %.*s\n#   got ", (int)(n < 200 ? n : 200), text);
  for (uint32_t k = 0; k < got->n && k < 40; k++)
    printf(" %d", got->v[k]);
  printf("\n#   want %.300s\n", w->list ? w->list : "(only a hash is kept)");
}

static void
check_decoded(const char *text, size_t n, const ww_tokens *ids, const want *w) {
  ww_err e = {0};
  ww_buf b = {0};
  ww_tokenizer_decode(run.t, ids->v, ids->n, true, &b);
  cJSON *o = ww_json_read(w->decoded, strlen(w->decoded), &e);
  if (!cJSON_IsString(o) || strcmp(o->valuestring, b.s ? b.s : "")) {
    if (run.wrong++ < 8)
      printf("# decodes differently: %.*s\n#   got  %s\n#   want %s\n",
             (int)(n < 200 ? n : 200), text, b.s ? b.s : "", w->decoded);
  }
  cJSON_Delete(o);
  ww_buf_free(&b);
}

static void check(const char *text, size_t n) {
  want key = {.text = fnv64(text, n)};
  want *w = run.want.n
                ? bsearch(&key, run.want.v, run.want.n, sizeof *run.want.v, by_text)
                : NULL;
  if (!w || w->seen)
    return;
  w->seen = true;
  run.compared++;
  ww_arena *a = ww_arena_new();
  ww_tokens ids = {0};
  ww_tokenizer_encode(run.t, text, n, true, a, &ids);
  if (fnv32(ids.v, ids.n) != w->ids)
    complain(text, n, &ids, w);
  if (w->decoded && !memchr(text, 0, n))
    check_decoded(text, n, &ids, w);
  ww_arena_free(a);
}

static void check_file(const char *path) {
  ww_err e = {0};
  char *data;
  size_t n;
  ww_arena *a = ww_arena_new();
  if (!ww_read_file(a, path, 1u << 26, &data, &n, &e)) {
    check(data, n);
    for (const char *p = data, *end = data + n; p < end;) {
      const char *q = memchr(p, '\n', (size_t)(end - p));
      if (!q)
        q = end;
      check(p, (size_t)(q - p));
      p = q + 1;
    }
  }
  ww_arena_free(a);
}

static void walk(const char *dir) {
  DIR *d = opendir(dir);
  if (!d)
    return;
  for (struct dirent *x; (x = readdir(d));) {
    struct stat s;
    const char *path = ww_path_join(run.a, dir, x->d_name);
    if (x->d_name[0] == '.' || !strcmp(x->d_name, "node_modules") || stat(path, &s))
      continue;
    if (S_ISDIR(s.st_mode))
      walk(path);
    else if (S_ISREG(s.st_mode))
      check_file(path);
  }
  closedir(d);
}

/* All of nasty.json must be in the reference. */
static uint32_t check_nasty(const char *path, ww_err *e) {
  char *data;
  size_t n;
  if (ww_read_file(run.a, path, 1u << 24, &data, &n, e))
    return 1;
  cJSON *list = ww_json_read(data, n, e);
  const cJSON *x;
  uint32_t missing = 0;
  cJSON_ArrayForEach(x, list) {
    uint32_t before = run.compared;
    /* cJSON ends a text at its first NUL: those with one are held against nothing here
     */
    if (cJSON_IsString(x))
      check(x->valuestring, strlen(x->valuestring));
    missing += run.compared == before;
  }
  cJSON_Delete(list);
  return missing;
}

static const char *next_text(void *ctx, size_t *n) {
  const cJSON **at = ctx;
  if (!*at)
    return NULL;
  const char *s = (*at)->valuestring;
  *at = (*at)->next;
  *n = strlen(s);
  return s;
}

/* A small tokenizer of our own making, always the same. */
static int train(const char *from, const char *to, ww_err *e) {
  static const char *const special[] = {"<|end|>", "<|answer|>", "<|endoftext|>", NULL};
  char *data;
  size_t n;
  if (ww_read_file(run.a, from, 1u << 24, &data, &n, e))
    return 1;
  cJSON *list = ww_json_read(data, n, e);
  const cJSON *at = list ? list->child : NULL;
  ww_status st = ww_bpe_train(
      &(ww_bpe_plan){.vocab = 640, .special = special, .next = next_text, .ctx = &at},
      to, e);
  cJSON_Delete(list);
  if (st)
    printf("%s\n", e->msg);
  return st != WW_OK;
}

int main(int argc, char **argv) {
  ww_err e = {0};
  ww_tokenizer *t = NULL;
  run.a = ww_arena_new();
  if (argc == 4 && !strcmp(argv[1], "train")) {
    int rc = train(argv[2], argv[3], &e);
    ww_arena_free(run.a);
    return rc;
  }
  if (argc != 5 || read_ids(argv[1], &e) || ww_tokenizer_open(argv[2], &t, &e)) {
    printf("not ok 1 - %s\n# %s\n1..1\n",
           argc == 5 ? argv[2] : "IDS TOKENIZER NASTY ROOT", e.msg);
    return 1;
  }
  run.t = t;
  uint32_t missing = check_nasty(argv[3], &e), nasty = run.compared, bad = run.wrong;
  printf("%s 1 - %u nasty texts, ids and decoded\n",
         bad || missing > 8 || !nasty ? "not ok" : "ok", nasty);
  static const char *const folders[] = {"corpus", "docs", "src"};
  for (uint32_t k = 0; k < 3; k++)
    walk(ww_path_join(run.a, argv[4], folders[k]));
  printf("%s 2 - %u lines and files of the tree, %u of them differ\n",
         run.wrong > bad || run.compared - nasty < AT_LEAST ? "not ok" : "ok",
         run.compared - nasty, run.wrong - bad);
  printf("1..2\n");
  bad = run.wrong || missing > 8 || run.compared - nasty < AT_LEAST;
  ww_tokenizer_free(t);
  ww_arena_free(run.a);
  return bad;
}
