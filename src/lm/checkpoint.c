/* checkpoint.c - saves and opens the state of a training.
 *
 * Invariant: at every moment the folder holds the last good checkpoint, or none was
 * ever made. Shards go to DIR/writing, the manifest after them, then the folder is
 * renamed; older ones are removed only after that. A manifest is somebody's file: names
 * and sizes are checked before a shard is opened. */
#include "checkpoint.h"
#include "../base/json_put.h"
#include "weights_int.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>

enum { FORMAT = 1, DIGITS = 8 };

/* ---- files ---- */

static ww_status write_synced(const char *path, const void *data, size_t n, ww_err *e) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool ok = fd >= 0 && ww_write_all(fd, data, n) && fsync(fd) == 0;
  int why = errno;
  if (fd >= 0 && close(fd) && ok) {
    ok = false;
    why = errno;
  }
  if (ok)
    return WW_OK;
  return ww_fail(
      e, WW_EIO,
      "cannot write the checkpoint's %s: %s; the last good checkpoint is kept, make "
      "room and use --resume",
      path, strerror(why));
}

static ww_status make_folder(const char *path, ww_err *e) {
  ww_buf b = {0};
  bool ok = true;
  for (const char *s = path; ok && *s; s++) {
    ww_buf_add(&b, s, 1);
    if (s[1] == '/' || !s[1])
      ok = mkdir(b.s, 0777) == 0 || errno == EEXIST;
  }
  int why = errno;
  ww_buf_free(&b);
  return ok ? WW_OK
            : ww_fail(e, WW_EIO, "cannot make the folder '%s': %s", path,
                      strerror(why));
}

/* The steps of DIR's checkpoints, newest first, at most `most`. */
static uint32_t generations(const char *dir, uint64_t *step, uint32_t most) {
  DIR *d = opendir(dir);
  struct dirent *it;
  uint32_t n = 0;
  while (d && (it = readdir(d))) {
    size_t len = strlen(it->d_name);
    if (len < DIGITS || strspn(it->d_name, "0123456789") != len)
      continue;
    uint64_t s = strtoull(it->d_name, NULL, 10);
    if (n == most && step[n - 1] >= s)
      continue;
    uint32_t at = n < most ? n++ : n - 1;
    for (; at && step[at - 1] < s; at--)
      step[at] = step[at - 1];
    step[at] = s;
  }
  if (d)
    closedir(d);
  return n;
}

static char *folder_of(ww_arena *a, const char *dir, uint64_t step) {
  return ww_fmt(a, "%s/%0*" PRIu64, dir, DIGITS, step);
}

/* ---- saving ---- */

static ww_status all_finite(const float *v, uint64_t n, const char *name, ww_err *e) {
  for (uint64_t k = 0; k < n; k++)
    if (!isfinite(v[k]))
      return ww_fail(e, WW_EDATA,
                     "no checkpoint is made: %s[%" PRIu64
                     "] is %g; the last good one is kept",
                     name, k, v[k]);
  return WW_OK;
}

static ww_status save_array(const char *dir,
                            const ww_checkpoint_array *x,
                            const float *v,
                            uint32_t shard,
                            ww_json *j,
                            ww_arena *a,
                            ww_err *e) {
  uint64_t most = (shard ? shard : WW_CHECKPOINT_SHARD) / sizeof *v;
  ww_status st = all_finite(v, x->n, x->name, e);
  ww_json_put(j, "{name:%s,floats:%lu,shards:[", x->name, x->n);
  for (uint64_t at = 0, k = 0; !st && at < x->n; at += most, k++) {
    size_t bytes = ww_least(x->n - at, most) * sizeof *v;
    char *name = ww_fmt(a, "%s-%04" PRIu64 ".f32", x->name, k);
    st = write_synced(ww_path_join(a, dir, name), v + at, bytes, e);
    const char *hash = ww_fmt(a, "%016" PRIx64, ww_hash(v + at, bytes, FORMAT));
    ww_json_put(j, "{file:%s,bytes:%lu,hash:%s}", name, bytes, hash);
  }
  ww_json_put(j, "]}");
  return st;
}

static ww_status
save_all(const char *dir, const ww_checkpoint_plan *p, ww_arena *a, ww_err *e) {
  ww_buf b = {0};
  ww_json j = {.pretty = true};
  uint64_t most = 1;
  ww_status st = WW_OK;
  for (uint32_t k = 0; k < p->n; k++)
    most = ww_most(most, p->arrays[k].n);
  float *v = ww_xmalloc(most * sizeof *v);
  ww_json_begin(&j, &b);
  ww_json_put(&j, "{format:%u,step:%lu,state:", FORMAT, p->step);
  ww_json_raw(&j, p->state);
  ww_json_put(&j, "arrays:[");
  for (uint32_t k = 0; !st && k < p->n; k++) {
    p->get(p->ctx, k, v);
    st = save_array(dir, p->arrays + k, v, p->shard_bytes, &j, a, e);
  }
  ww_json_put(&j, "]}");
  ww_buf_puts(&b, "\n");
  if (!st)
    st = write_synced(ww_path_join(a, dir, "manifest.json"), b.s, b.n, e);
  ww_buf_free(&b);
  free(v);
  return st;
}

static ww_status take_place(
    const char *dir, const char *writing, uint64_t step, ww_arena *a, ww_err *e) {
  uint64_t old[64];
  char *to = folder_of(a, dir, step);
  ww_remove_tree(to); /* of the same step: the one before it still stands */
  if (rename(writing, to))
    return ww_fail(e, WW_EIO, "cannot rename '%s' to '%s': %s", writing, to,
                   strerror(errno));
  ww_sync_folder(dir);
  uint32_t n = generations(dir, old, 64);
  uint32_t kept = 0;
  for (uint32_t k = 0; k < n; k++) {
    if (old[k] > step)
      continue; /* of a training that went further: not ours to remove */
    if (++kept > WW_CHECKPOINT_KEPT)
      ww_remove_tree(folder_of(a, dir, old[k]));
  }
  return WW_OK;
}

ww_status ww_checkpoint_save(const char *dir, const ww_checkpoint_plan *p, ww_err *e) {
  ww_arena *a = ww_arena_new();
  const char *writing = ww_path_join(a, dir, "writing");
  ww_remove_tree(writing); /* of one that was broken off */
  int slot = ww_cleanup_tree(writing);
  ww_status st = make_folder(writing, e);
  if (!st)
    st = save_all(writing, p, a, e);
  if (!st)
    st = take_place(dir, writing, p->step, a, e);
  if (st)
    ww_remove_tree(writing);
  ww_cleanup_forget(slot);
  ww_arena_free(a);
  return st;
}

/* ---- opening ---- */

static const char *text_of(const cJSON *o, const char *key) {
  return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, key));
}

static const cJSON *array_of(const ww_checkpoint *c, const char *name) {
  const cJSON *x;
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(c->manifest, "arrays");
  cJSON_ArrayForEach(x, list) {
    const char *its = text_of(x, "name");
    if (its && !strcmp(its, name))
      return x;
  }
  return NULL;
}

static bool plain_name(const char *s) { /* a file of the folder itself */
  return *s && *s != '.' &&
         strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == strlen(s);
}

/* Reads one shard into `to`, which has room for `room` bytes; *bytes: how many it is.
 */
static ww_status read_shard(const ww_checkpoint *c,
                            const cJSON *shard,
                            void *to,
                            uint64_t room,
                            uint64_t *bytes,
                            ww_err *e) {
  const char *file = text_of(shard, "file");
  const char *hash = text_of(shard, "hash");
  *bytes = ww_json_whole(shard, "bytes");
  if (!file || !plain_name(file) || !hash || !*bytes || *bytes > room ||
      *bytes % sizeof(float))
    return ww_fail(e, WW_EDATA,
                   "%s/manifest.json: a shard's name, size or hash is wrong", c->path);
  ww_buf path = {0};
  ww_buf_fmt(&path, "%s/%s", c->path, file);
  FILE *f = fopen(path.s, "rb");
  ww_status st = WW_OK;
  char got[20] = "";
  if (!f)
    st = ww_fail(e, WW_EDATA, "%s: a shard of the checkpoint is missing: %s", path.s,
                 strerror(errno));
  else if (fread(to, 1, *bytes, f) != *bytes || fgetc(f) != EOF)
    st = ww_fail(e, WW_EDATA,
                 "%s: a shard of the checkpoint is not of %" PRIu64
                 " bytes as its manifest says",
                 path.s, *bytes);
  else
    snprintf(got, sizeof got, "%016" PRIx64, ww_hash(to, *bytes, FORMAT));
  if (!st && strcmp(got, hash))
    st = ww_fail(e, WW_EDATA,
                 "%s: a shard of the checkpoint is damaged: its hash is %s, not %.20s",
                 path.s, got, hash);
  if (f)
    fclose(f);
  ww_buf_free(&path);
  return st;
}

static ww_status
read_array(const ww_checkpoint *c, const cJSON *x, float *to, uint64_t n, ww_err *e) {
  const cJSON *shard;
  const cJSON *shards = cJSON_GetObjectItemCaseSensitive(x, "shards");
  uint64_t at = 0;
  uint64_t bytes;
  ww_status st = WW_OK;
  float *scratch =
      to ? NULL : ww_xmalloc(WW_CHECKPOINT_SHARD); /* only to see whether it is whole */
  cJSON_ArrayForEach(shard, shards) {
    uint64_t room = ww_least((n - at) * sizeof *to, WW_CHECKPOINT_SHARD);
    if ((st = read_shard(c, shard, to ? to + at : scratch, room, &bytes, e)))
      break;
    at += bytes / sizeof *to;
  }
  free(scratch);
  if (!st && at != n)
    st = ww_fail(e, WW_EDATA,
                 "%s/manifest.json: shards hold %" PRIu64 " of %" PRIu64 " values",
                 c->path, at, n);
  return st;
}

static ww_status
open_one(const char *dir, uint64_t step, ww_arena *a, ww_checkpoint *c, ww_err *e) {
  const cJSON *x;
  char *text;
  size_t n;
  char *path = folder_of(a, dir, step);
  const char *manifest = ww_path_join(a, path, "manifest.json");
  ww_status st = ww_read_file(a, manifest, 1 << 30, &text, &n, e);
  if (st)
    return st;
  c->manifest = ww_json_read(text, n, e);
  if (!c->manifest)
    return e ? e->file = NULL,
               ww_fail(e, WW_EDATA, "%s: it is not whole; remove this folder", manifest)
             : WW_EDATA;
  c->path = strcpy(ww_xmalloc(strlen(path) + 1), path);
  c->step = ww_json_whole(c->manifest, "step");
  c->state = cJSON_GetObjectItemCaseSensitive(c->manifest, "state");
  if (ww_json_whole(c->manifest, "format") != FORMAT || c->step != step ||
      !cJSON_IsObject(c->state))
    return ww_fail(e, WW_EDATA,
                   "%s: no manifest of a checkpoint of step %" PRIu64
                   " that this version reads",
                   manifest, step);
  cJSON_ArrayForEach(x, cJSON_GetObjectItemCaseSensitive(c->manifest, "arrays")) {
    if ((st = read_array(c, x, NULL, ww_json_whole(x, "floats"), e)))
      return st;
  }
  return WW_OK;
}

ww_status ww_checkpoint_open(const char *dir, ww_checkpoint *out, ww_err *e) {
  uint64_t step[64];
  uint32_t n = generations(dir, step, 64);
  ww_err why = {0};
  ww_err first = {0};
  ww_arena *a = ww_arena_new();
  ww_status st =
      n ? WW_EDATA
        : ww_fail(e, WW_EIO, "%s: there is no checkpoint in it to resume from", dir);
  for (uint32_t k = 0; k < n; k++) {
    *out = (ww_checkpoint){0};
    st = open_one(dir, step[k], a, out, &why);
    if (!st)
      break;
    if (!k)
      first = why;
    ww_checkpoint_close(out);
  }
  ww_arena_free(a);
  if (!st && first.code)
    snprintf(out->note, sizeof out->note, "%s", first.msg);
  if (st && n)
    st = ww_fail(e, WW_EDATA, "%s", first.msg);
  return st;
}

void ww_checkpoint_close(ww_checkpoint *c) {
  cJSON_Delete(c->manifest);
  free(c->path);
  *c = (ww_checkpoint){0};
}

uint64_t ww_checkpoint_floats(const ww_checkpoint *c, const char *name) {
  const cJSON *x = array_of(c, name);
  return x ? ww_json_whole(x, "floats") : 0;
}

ww_status ww_checkpoint_read(
    const ww_checkpoint *c, const char *name, uint64_t n, float *to, ww_err *e) {
  const cJSON *x = array_of(c, name);
  if (!x || ww_json_whole(x, "floats") != n)
    return ww_fail(e, WW_EDATA,
                   "%s: the checkpoint is of another model: it has %" PRIu64
                   " %s, not %" PRIu64,
                   c->path, ww_checkpoint_floats(c, name), name, n);
  return read_array(c, x, to, n, e);
}
