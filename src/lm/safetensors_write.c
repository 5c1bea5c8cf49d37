/* safetensors_write.c - writes safetensors: one file, or shards with an index under
 * Hugging Face's names.
 *
 * Tensors of wider types come first, so that each lies at a multiple of its type's
 * size. Shards take their names only when all of them are on the disk: a disk that
 * fills up leaves the model that was there. */
#include "weights_int.h"

#include "../base/json_put.h"

static const uint8_t widths[] = {8, 4, 2, 1};

static ww_status check_tensor(const ww_tensor *t, ww_err *e) {
  uint64_t values = 0;
  uint64_t bytes = ww_tensor_bytes(t);
  if (t->type >= WW_NDTYPE || t->type == WW_DTYPE_Q8_0 || t->ndim > 4)
    return ww_fail(e, WW_EUNSUPPORTED,
                   "tensor \"%s\" of type %s cannot be written as safetensors", t->name,
                   ww_dtype_name(t->type));
  if (!ww_product(t->dim, t->ndim, &values) || ww_dtype_bytes(t->type, values) != bytes)
    return ww_fail(e, WW_EUSAGE, "tensor \"%s\": its bytes do not fit its shape",
                   t->name);
  return WW_OK;
}

static void print_entry(ww_json *j, const ww_tensor *t, uint64_t at) {
  ww_json_put(j, "%s:{dtype:%s,shape:[", t->name, ww_dtype_name(t->type));
  for (uint32_t i = 0; i < t->ndim; i++)
    ww_json_uint(j, t->dim[i]);
  ww_json_put(j, "],data_offsets:[%lu,%lu]}", at, at + ww_tensor_bytes(t));
}

static ww_status
print_meta(ww_json *j, const ww_meta *meta, uint32_t nmeta, ww_err *e) {
  if (!nmeta)
    return WW_OK;
  ww_json_put(j, "__metadata__:{");
  for (uint32_t i = 0; i < nmeta; i++) {
    if (meta[i].kind != WW_META_TEXT)
      return ww_fail(e, WW_EUSAGE, "safetensors keep texts only; \"%s\" is none",
                     meta[i].key);
    ww_json_kstr(j, meta[i].key, meta[i].text);
  }
  ww_json_end_obj(j);
  return WW_OK;
}

/* Length, JSON, spaces up to a multiple of 8. */
static ww_status print_header(ww_buf *b,
                              const ww_tensor *t,
                              uint32_t n,
                              const ww_meta *meta,
                              uint32_t nmeta,
                              ww_err *e) {
  ww_json j = {0};
  uint64_t at = 0;
  ww_dict seen = {0};
  ww_arena *a = ww_arena_new();
  ww_buf_add(b, "\0\0\0\0\0\0\0", 8);
  ww_json_begin(&j, b);
  ww_json_obj(&j);
  ww_status rc = print_meta(&j, meta, nmeta, e);
  for (uint32_t i = 0; i < n && !rc; i++) {
    rc = check_tensor(t + i, e);
    if (!rc && !ww_names_add(&seen, a, t[i].name, i))
      rc = ww_fail(e, WW_EUSAGE, "two tensors have the name \"%s\"", t[i].name);
  }
  for (uint32_t w = 0; w < sizeof widths && !rc; w++)
    for (uint32_t i = 0; i < n; i++)
      if (ww_dtype_bytes(t[i].type, 1) == widths[w]) {
        print_entry(&j, t + i, at);
        at += ww_tensor_bytes(t + i);
      }
  ww_arena_free(a);
  if (rc)
    return rc;
  ww_json_end_obj(&j);
  while (b->n % 8)
    ww_buf_puts(b, " ");
  for (int i = 0; i < 8; i++)
    b->s[i] = (b->n - 8) >> 8 * i;
  return WW_OK;
}

/* Everything but the name: follow with ww_out_commit or ww_out_drop. */
static ww_status write_one(ww_out *o,
                           const char *path,
                           const ww_tensor *t,
                           uint32_t n,
                           const ww_meta *meta,
                           uint32_t nmeta,
                           ww_err *e) {
  ww_buf head = {0};
  ww_status rc = print_header(&head, t, n, meta, nmeta, e);
  if (!rc)
    rc = ww_out_open(o, path, e);
  if (!rc) {
    ww_out_write(o, head.s, head.n);
    for (uint32_t w = 0; w < sizeof widths; w++)
      for (uint32_t i = 0; i < n; i++)
        if (ww_dtype_bytes(t[i].type, 1) == widths[w])
          ww_out_tensor(o, t + i);
    rc = ww_out_finish(o);
  }
  ww_buf_free(&head);
  return rc;
}

ww_status ww_safetensors_write(const char *path,
                               const ww_tensor *t,
                               uint32_t n,
                               const ww_meta *meta,
                               uint32_t nmeta,
                               ww_err *e) {
  ww_out o;
  ww_status rc = write_one(&o, path, t, n, meta, nmeta, e);
  return rc ? rc : ww_out_commit(&o);
}

/* ---- shards ---- */

/* first[k] is shard k's first tensor, first[count] is n. A tensor larger than the limit
 * has a shard of its own. */
static uint32_t split(const ww_tensor *t, uint32_t n, uint64_t most, uint32_t *first) {
  uint32_t count = 0;
  uint64_t bytes = 0;
  first[count++] = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t more = ww_tensor_bytes(t + i);
    if (i > first[count - 1] && (bytes > most || more > most - bytes)) {
      first[count++] = i;
      bytes = 0;
    }
    bytes += more;
  }
  first[count] = n;
  return count;
}

static const char *shard_name(ww_arena *a, uint32_t k, uint32_t count) {
  return ww_fmt(a, "model-%05u-of-%05u.safetensors", k + 1, count);
}

static void print_index(
    ww_buf *b, const ww_tensor *t, const uint32_t *first, uint32_t count, ww_arena *a) {
  ww_json j = {.pretty = true};
  uint64_t total = 0;
  for (uint32_t i = 0; i < first[count]; i++)
    total += ww_tensor_bytes(t + i);
  ww_json_begin(&j, b);
  ww_json_put(&j, "{metadata:{total_size:%lu},weight_map:{", total);
  for (uint32_t k = 0; k < count; k++)
    for (uint32_t i = first[k]; i < first[k + 1]; i++)
      ww_json_kstr(&j, t[i].name, shard_name(a, k, count));
  ww_json_put(&j, "}}");
  ww_buf_puts(b, "\n");
}

ww_status ww_safetensors_write_sharded(
    const char *dir, const ww_tensor *t, uint32_t n, uint64_t shard_bytes, ww_err *e) {
  static const ww_meta format = {.key = "format", .kind = WW_META_TEXT, .text = "pt"};
  ww_arena *a = ww_arena_new();
  const char *single = ww_path_join(a, dir, "model.safetensors");
  uint32_t *first = WW_NEWN(a, uint32_t, (size_t)n + 2);
  uint32_t done = 0;
  uint32_t count = split(t, n, shard_bytes ? shard_bytes : UINT64_MAX, first);
  ww_status rc = WW_OK;
  if (count == 1) {
    rc = ww_safetensors_write(single, t, n, &format, 1, e);
    /* of other weights that were here */
    if (!rc)
      unlink(ww_path_join(a, dir, "model.safetensors.index.json"));
    ww_arena_free(a);
    return rc;
  }
  ww_out *out = WW_NEWN(a, ww_out, (size_t)count + 1);
  for (; done < count && !rc; done++)
    rc = write_one(out + done, ww_path_join(a, dir, shard_name(a, done, count)),
                   t + first[done], first[done + 1] - first[done], &format, 1, e);
  if (!rc)
    rc = ww_out_open(&out[done++], ww_path_join(a, dir, "model.safetensors.index.json"),
                     e);
  if (!rc) {
    ww_buf index = {0};
    print_index(&index, t, first, count, a);
    ww_out_write(out + count, index.s, index.n);
    rc = ww_out_finish(out + count);
    ww_buf_free(&index);
  }
  for (uint32_t k = 0; k < done; k++) {
    if (!rc)
      rc = ww_out_commit(out + k);
    if (rc && out[k].path)
      ww_out_drop(out + k);
  }
  if (!rc)
    unlink(single); /* readers would take it before the index */
  ww_arena_free(a);
  return rc;
}
