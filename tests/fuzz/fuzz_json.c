/* fuzz_json.c - any text as JSON: refused at a place inside it, or a tree that comes
 * back as it is from what is written of it. */
#include "fuzz.h"

#include "../../src/base/jsonread.h"

static void use(const cJSON *node, ww_arena *a, int depth) {
  static const char *const names[] = {"a", "b", "name", NULL};
  char kind[64];
  int64_t v;
  bool big;
  uint64_t u;
  const char *s;
  ww_err e = {0};
  ww_json_kind(node, kind);
  if (ww_json_as_int(node, &v, &big))
    ww_json_written_as_int(node);
  if (ww_json_want_uint(node, "x", &u, &e))
    fuzz_must(e.msg[0]);
  if (ww_json_want_str(node, "x", &s, a, &e))
    fuzz_must(e.msg[0]);
  if (cJSON_IsObject(node)) {
    ww_json_want_members(node, "x", names, &e);
    ww_json_text(node, "a", a);
    ww_json_whole(node, "b");
  }
  for (const cJSON *n = node->child; n && depth < 20; n = n->next)
    use(n, a, depth + 1);
}

static void copy(const cJSON *tree, bool pretty, ww_buf *b) {
  ww_json j = {.pretty = pretty};
  ww_json_begin(&j, b);
  ww_json_copy(tree, &j);
}

static void copy_text(const ww_buf *from, bool pretty, ww_buf *to) {
  ww_err e = {0};
  cJSON *tree = ww_json_read(from->s, from->n, &e);
  fuzz_must(tree);
  copy(tree, pretty, to);
  cJSON_Delete(tree);
}

int fuzz_json(const uint8_t *data, size_t n) {
  char *text = fuzz_text(data, n);
  ww_arena *a = ww_arena_new();
  ww_err e = {0};
  cJSON *tree = ww_json_read(text, n, &e);
  if (!tree)
    fuzz_must(e.msg[0] && e.code);
  if (tree) { /* the first copy mends what is no UTF-8 */
    ww_buf mended = {0}, once = {0}, twice = {0};
    use(tree, a, 0);
    copy(tree, n % 2, &mended);
    copy_text(&mended, n % 2, &once);
    copy_text(&once, n % 2, &twice);
    fuzz_must(once.n == twice.n && !memcmp(once.s, twice.s, once.n));
    ww_buf_free(&mended);
    ww_buf_free(&once);
    ww_buf_free(&twice);
  }
  cJSON_Delete(tree);
  ww_arena_free(a);
  free(text);
  return 0;
}
