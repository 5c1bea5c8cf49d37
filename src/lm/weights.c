/* weights.c - opens weights by path: one file or shards, mapped, with the model's
 * configuration beside them; and what both formats share: names, ranges.
 *
 * A mapping stays as long as the weights are open. Nobody may cut the file short
 * meanwhile: the system answers that with SIGBUS, as for any mapped file; our own
 * writers replace files and never change them. */
#include <inttypes.h>

#include "config_int.h"
#include "weights_int.h"
#include "order.h"

#include <dirent.h>
#include <sys/mman.h>

#include "../base/jsonread.h"

enum { MAX_INDEX = 32 << 20, MAX_SHARDS = 4096, MAX_CONFIG = 4 << 20 };

/* ---- names ---- */

bool ww_names_add(ww_dict *names, ww_arena *a, const char *name, uint32_t at) {
  bool fresh;
  uint32_t *value = ww_dict_at(names, a, name, strlen(name), &fresh);
  if (fresh)
    *value = at;
  return fresh;
}

static const uint32_t *names_find(const ww_dict *names, const char *name) {
  return ww_dict_find(names, name, strlen(name));
}

/* ---- tensors ---- */

bool ww_product(const uint64_t *dim, uint32_t ndim, uint64_t *out) {
  uint64_t n = 1;
  for (uint32_t i = 0; i < ndim; i++)
    if (dim[i] == 0)
      return *out = 0, true;
  for (uint32_t i = 0; i < ndim; i++)
    if (__builtin_mul_overflow(n, dim[i], &n))
      return false;
  *out = n;
  return true;
}

/* Values of a type must lie at multiples of its size for who reads them in place; a
 * file that puts them elsewhere costs a copy. */
static const void *aligned(ww_arena *a, const ww_tensor *t) {
  uintptr_t unit = t->type == WW_DTYPE_Q8_0 ? 2
                   : t->type < WW_NDTYPE    ? ww_dtype_bytes(t->type, 1)
                                            : 1;
  if (!t->bytes || (uintptr_t)t->data % unit == 0)
    return t->data;
  return memcpy(ww_alloc(a, t->bytes), t->data, t->bytes);
}

ww_status ww_weights_add_tensor(ww_weights *w, const ww_tensor *t, ww_err *e) {
  if (!ww_names_add(&w->tensor_names, w->a, t->name, w->tensors.n))
    return ww_fail(e, WW_EPARSE, "two tensors have the name \"%.200s\"", t->name);
  ww_push(w->a, &w->tensors, *t);
  return WW_OK;
}

ww_status ww_weights_add_meta(ww_weights *w, const ww_meta *m, ww_err *e) {
  if (!ww_names_add(&w->meta_names, w->a, m->key, w->metas.n))
    return ww_fail(e, WW_EPARSE, "the metadata has \"%.200s\" twice", m->key);
  ww_push(w->a, &w->metas, *m);
  return WW_OK;
}

typedef struct {
  uint64_t from, to; /* bytes of the data */
  uint32_t tensor;
} range;

static int by_place(const void *x, const void *y) {
  const range *a = x;
  const range *b = y;
  return a->from != b->from ? ww_order(a->from, b->from) : ww_order(a->to, b->to);
}

static ww_status check_sorted(const ww_weights *w,
                              const range *r,
                              uint32_t n,
                              uint64_t bytes,
                              bool filled,
                              ww_err *e) {
  uint64_t end = 0;
  for (uint32_t k = 0; k < n; k++) {
    const char *name = w->tensors.v[r[k].tensor].name;
    if (r[k].from < end && r[k].to > r[k].from)
      return ww_fail(e, WW_EPARSE, "tensor \"%.150s\" shares bytes with \"%.150s\"",
                     name, k ? w->tensors.v[r[k - 1].tensor].name : "?");
    if (filled && r[k].from > end)
      return ww_fail(e, WW_EPARSE,
                     "%" PRIu64 " bytes before tensor \"%.150s\" belong to none",
                     r[k].from - end, name);
    if (r[k].to > end)
      end = r[k].to;
  }
  if (filled && end < bytes)
    return ww_fail(e, WW_EPARSE, "%" PRIu64 " bytes at the end belong to no tensor",
                   bytes - end);
  return WW_OK;
}

ww_status ww_weights_check_ranges(ww_weights *w,
                                  uint32_t first,
                                  const uint8_t *data,
                                  uint64_t n,
                                  bool filled,
                                  ww_err *e) {
  uint32_t count = w->tensors.n - first;
  uint32_t used = 0;
  range *r = ww_xmalloc(sizeof *r * ((size_t)count + 1));
  for (uint32_t i = 0; i < count; i++) {
    const ww_tensor *t = w->tensors.v + first + i;
    uint64_t from = t->data ? ((const uint8_t *)t->data - data) : 0;
    if (t->data)
      r[used++] = (range){from, from + t->bytes, first + i};
  }
  qsort(r, used, sizeof *r, by_place);
  ww_status rc = check_sorted(w, r, used, n, filled, e);
  free(r);
  for (uint32_t i = first; !rc && i < w->tensors.n; i++)
    w->tensors.v[i].data = aligned(w->a, w->tensors.v + i);
  return rc;
}

/* ---- files ---- */

static ww_weights *new_weights(void) {
  ww_weights *w = ww_xcalloc(1, sizeof *w);
  w->a = ww_arena_new();
  return w;
}

void ww_weights_close(ww_weights *w) {
  if (!w)
    return;
  for (uint32_t i = 0; i < w->nmaps; i++)
    munmap(w->maps[i].at, w->maps[i].n);
  free(w->maps);
  ww_arena_free(w->a);
  free(w);
}

static ww_status
map_file(ww_weights *w, const char *path, const uint8_t **bytes, size_t *n, ww_err *e) {
  /* a pipe must not wait for its writer */
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat st;
  if (fd < 0 || fstat(fd, &st) != 0) {
    int why = errno;
    if (fd >= 0)
      close(fd);
    return ww_fail(e, WW_EIO, "cannot open: %s", strerror(why));
  }
  void *at = MAP_FAILED;
  if (S_ISREG(st.st_mode) && st.st_size > 0)
    at = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  int why = errno;
  close(fd);
  if (!S_ISREG(st.st_mode))
    return ww_fail(e, WW_EIO, "no regular file");
  if (st.st_size == 0)
    return ww_fail(e, WW_EPARSE, "the file is empty");
  if (at == MAP_FAILED)
    return ww_fail(e, WW_EIO, "cannot map: %s", strerror(why));
  w->maps = ww_xrealloc(w->maps, sizeof *w->maps * (w->nmaps + 1));
  w->maps[w->nmaps].at = at;
  w->maps[w->nmaps++].n = st.st_size;
  *bytes = at;
  *n = st.st_size;
  return WW_OK;
}

ww_status ww_file_named(ww_status rc, const char *path, ww_err *e) {
  if (!rc || !e)
    return rc;
  char what[sizeof e->msg];
  memcpy(what, e->msg, sizeof what);
  return ww_fail(e, rc, "'%.150s': %.350s", path, what);
}

static ww_status
add_bytes(ww_weights *w, const uint8_t *bytes, size_t n, bool may_be_gguf, ww_err *e) {
  bool gguf = may_be_gguf && n >= 4 && !memcmp(bytes, "GGUF", 4);
  return (gguf ? ww_weights_add_gguf : ww_weights_add_safetensors)(w, bytes, n, e);
}

static ww_status
add_file(ww_weights *w, const char *path, bool may_be_gguf, ww_err *e) {
  const uint8_t *bytes = NULL;
  size_t n = 0;
  ww_status rc = map_file(w, path, &bytes, &n, e);
  if (!rc)
    rc = add_bytes(w, bytes, n, may_be_gguf, e);
  return ww_file_named(rc, path, e);
}

/* ---- shards ---- */

typedef struct {
  const char *name;     /* of the file */
  uint32_t first, last; /* tensors [first, last) */
} shard;

/* The shard of that name, opened when it is seen first. */
static ww_status shard_of(ww_weights *w,
                          const char *dir,
                          const char *name,
                          ww_dict *seen,
                          shard *shards,
                          uint32_t *at,
                          ww_err *e) {
  const uint32_t *known = names_find(seen, name);
  if (known) {
    *at = *known;
    return WW_OK;
  }
  if (!*name || strchr(name, '/') || name[0] == '.')
    return ww_fail(e, WW_EPARSE,
                   "the index names the file \"%.200s\", which is not in its folder",
                   name);
  if (seen->n == MAX_SHARDS)
    return ww_fail(e, WW_ELIMIT, "the index names more than %d files", MAX_SHARDS);
  *at = seen->n;
  shard *s = &shards[seen->n];
  *s = (shard){.name = ww_strdup(w->a, name), .first = w->tensors.n};
  ww_names_add(seen, w->a, s->name, *at);
  ww_status rc = add_file(w, ww_path_join(w->a, dir, name), false, e);
  s->last = w->tensors.n;
  return rc;
}

static ww_status
add_shards(ww_weights *w, const char *dir, const cJSON *tree, ww_err *e) {
  const cJSON *map = cJSON_GetObjectItemCaseSensitive(tree, "weight_map");
  if (!cJSON_IsObject(map) || !map->child)
    return ww_fail(e, WW_EPARSE, "no weight_map in it: is it an index of safetensors?");
  shard *shards = WW_NEWN(w->a, shard, MAX_SHARDS);
  ww_dict seen = {0};
  for (const cJSON *m = map->child; m; m = m->next) {
    uint32_t s = 0;
    if (!cJSON_IsString(m))
      return ww_fail(e, WW_EPARSE, "weight_map: \"%.200s\" has no file's name",
                     m->string);
    ww_status rc = shard_of(w, dir, m->valuestring, &seen, shards, &s, e);
    if (rc)
      return rc;
    const uint32_t *t = names_find(&w->tensor_names, m->string);
    if (!t || *t < shards[s].first || *t >= shards[s].last)
      return ww_fail(e, WW_EPARSE,
                     "tensor \"%.150s\" is not in '%.150s' as the index says",
                     m->string, shards[s].name);
  }
  return WW_OK;
}

static ww_status open_index(ww_weights *w, const char *path, ww_err *e) {
  char *text = NULL;
  size_t n = 0;
  ww_arena *a = ww_arena_new();
  ww_status rc = ww_read_file(a, path, MAX_INDEX, &text, &n, e);
  if (!rc) {
    cJSON *tree = ww_json_read(text, n, e);
    rc = tree ? add_shards(w, ww_path_dir(a, path), tree, e) : WW_EPARSE;
    if (rc && e && e->msg[0] != '\'')
      ww_file_named(rc, path, e); /* else it names a shard already */
    cJSON_Delete(tree);
  }
  ww_arena_free(a);
  return rc;
}

/* ---- folders ---- */

/* The one .gguf of a folder; NULL: none, or (*many) more than one. */
static const char *only_gguf(ww_arena *a, const char *dir, bool *many) {
  const char *found = NULL;
  DIR *d = opendir(dir);
  for (struct dirent *f; d && (f = readdir(d));)
    if (f->d_name[0] != '.' && ww_ends(f->d_name, ".gguf")) {
      *many = found != NULL;
      found = ww_path_join(a, dir, f->d_name);
      if (*many)
        break;
    }
  if (d)
    closedir(d);
  return *many ? NULL : found;
}

static ww_status
file_of_folder(ww_arena *a, const char *dir, const char **path, ww_err *e) {
  static const char *const names[] = {"model.safetensors",
                                      "model.safetensors.index.json"};
  bool many = false;
  for (int i = 0; i < 2; i++)
    if (ww_file_exists(*path = ww_path_join(a, dir, names[i])))
      return WW_OK;
  *path = only_gguf(a, dir, &many);
  if (*path)
    return WW_OK;
  return many ? ww_fail(e, WW_EUSAGE, "'%s' has several .gguf files: name one of them",
                        dir)
              : ww_fail(e, WW_EIO,
                        "'%s' has no model.safetensors, no "
                        "model.safetensors.index.json and no .gguf",
                        dir);
}

ww_status ww_weights_open(const char *path, ww_weights **out, ww_err *e) {
  struct stat st;
  *out = NULL;
  if (stat(path, &st))
    return ww_fail(e, WW_EIO, "cannot open '%s': %s", path, strerror(errno));
  ww_weights *w = new_weights();
  ww_status rc = S_ISDIR(st.st_mode) ? file_of_folder(w->a, path, &path, e) : WW_OK;
  if (!rc)
    w->path = ww_strdup(w->a, path);
  if (!rc)
    rc = ww_ends(path, ".json") ? open_index(w, path, e) : add_file(w, path, true, e);
  if (rc) {
    ww_weights_close(w);
    return rc;
  }
  *out = w;
  return WW_OK;
}

ww_status ww_weights_parse(const void *bytes, size_t n, ww_weights **out, ww_err *e) {
  ww_weights *w = new_weights();
  ww_status rc = add_bytes(w, bytes, n, true, e);
  *out = rc ? NULL : w;
  if (rc)
    ww_weights_close(w);
  return rc;
}

/* ---- asking ---- */

uint32_t ww_weights_count(const ww_weights *w) {
  return w->tensors.n;
}
uint32_t ww_weights_nmeta(const ww_weights *w) {
  return w->metas.n;
}

const ww_tensor *ww_weights_at(const ww_weights *w, uint32_t i) {
  return i < w->tensors.n ? w->tensors.v + i : NULL;
}
const ww_meta *ww_weights_meta_at(const ww_weights *w, uint32_t i) {
  return i < w->metas.n ? w->metas.v + i : NULL;
}

const ww_tensor *ww_weights_find(const ww_weights *w, const char *name) {
  const uint32_t *at = names_find(&w->tensor_names, name);
  return at ? w->tensors.v + *at : NULL;
}

const ww_meta *ww_weights_meta(const ww_weights *w, const char *key) {
  const uint32_t *at = names_find(&w->meta_names, key);
  return at ? w->metas.v + *at : NULL;
}

/* ---- with the configuration ---- */

/* The bias of the attention's output, which config.json turns on together with the
 * others and we have not: it must be zero. */
static ww_status
check_output_bias(const ww_weights *w, const ww_lm_config *c, ww_err *e) {
  for (uint32_t layer = 0; layer < c->layers; layer++) {
    char name[WW_LM_NAME];
    snprintf(name, sizeof name,
             w->gguf ? "blk.%u.attn_output.bias"
                     : "model.layers.%u.self_attn.o_proj.bias",
             layer);
    const ww_tensor *t = ww_weights_find(w, name);
    const uint8_t *bytes = t ? t->data : NULL;
    for (uint64_t i = 0; t && i < t->bytes; i++)
      if (bytes[i])
        return ww_fail(
            e, WW_EUNSUPPORTED,
            "tensor \"%s\": a bias of the attention's output is not supported", name);
  }
  return WW_OK;
}

static ww_status read_config(const char *dir, ww_arena *a, ww_lm_config *c, ww_err *e) {
  char *text;
  size_t n;
  const char *path = ww_path_join(a, dir, "config.json");
  ww_status rc = ww_read_file(a, path, MAX_CONFIG, &text, &n, e);
  return rc ? rc : ww_file_named(ww_lm_config_parse(text, n, c, e), path, e);
}

ww_status ww_lm_open_files(const char *path,
                           ww_arena *a,
                           ww_weights **w,
                           ww_lm_config *c,
                           const char **tokenizer,
                           ww_err *e) {
  struct stat st;
  bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
  if (tokenizer)
    *tokenizer = NULL;
  ww_status rc = ww_weights_open(path, w, e);
  if (rc)
    return rc;
  if ((*w)->gguf) {
    rc = ww_lm_config_of_gguf(*w, c, e);
    bool inside = ww_weights_meta(*w, "tokenizer.ggml.tokens") ||
                  ww_weights_meta(*w, "warpwise.tokenizer_json");
    if (tokenizer && inside)
      *tokenizer = ww_strdup(a, (*w)->path);
  } else {
    const char *dir = folder ? path : ww_path_dir(a, path),
               *file = ww_path_join(a, dir, "tokenizer.json");
    rc = read_config(dir, a, c, e);
    if (tokenizer && ww_file_exists(file))
      *tokenizer = file;
  }
  if (!rc)
    rc = check_output_bias(*w, c, e);
  if (rc) {
    ww_weights_close(*w);
    *w = NULL;
  }
  return rc;
}
