/* launch_parse.c - launch specs from JSON. docs/launch.md is the manual,
 * tests/unit/test_launch.c the table of errors.
 *
 * Messages name the member by its path (args[2].buffer.bytes) and say what was
 * expected. */
#include "launch_int.h"

#include <math.h>

#include "../base/jsonread.h"
#include "../base/words.h"

typedef struct {
  ww_arena *a;
  const char *dir;
  ww_err *e;
} reader;

static const char *path(reader *r, const char *where, const char *member) {
  return ww_fmt(r->a, "%s.%s", where, member);
}

static ww_status
wrong(reader *r, const char *where, const char *expected, const cJSON *got) {
  char scratch[64];
  return ww_fail(r->e, WW_EPARSE, "%s: expected %s, not %s", where, expected,
                 ww_json_kind(got, scratch));
}

static ww_status
path_node(reader *r, const cJSON *n, const char *where, const char **out) {
  ww_status rc = ww_json_want_str(n, where, out, r->a, r->e);
  if (!rc)
    *out = ww_path_join(r->a, r->dir, *out);
  return rc;
}

static ww_status size_node(
    reader *r, const cJSON *n, const char *where, uint64_t *value, const char **expr) {
  if (cJSON_IsString(n))
    return ww_size_text(n->valuestring, where, r->a, value, expr, r->e);
  ww_status rc = ww_json_want_uint(n, where, value, r->e);
  if (!rc && *value > WW_SIZE_MAX)
    return ww_fail(r->e, WW_EPARSE, "%s: %s is too large (at most 2^48)", where,
                   n->valuestring);
  return rc;
}

/* ---- grid and block ---- */

static ww_status dim_node(
    reader *r, const cJSON *n, const char *where, uint64_t *dim, const char **expr) {
  if (cJSON_IsString(n)) {
    uint64_t dims[3] = {0};
    const char *exprs[3] = {0};
    ww_status rc = ww_launch_shape(n->valuestring, where, r->a, dims, exprs, r->e);
    if (!rc && (dims[1] > 1 || exprs[1]))
      return wrong(r, where, "one number or expression", n);
    *dim = dims[0];
    *expr = exprs[0];
    return rc;
  }
  if (!cJSON_IsNumber(n))
    return wrong(r, where, "a number or an expression", n);
  ww_status rc = ww_json_want_uint(n, where, dim, r->e);
  if (!rc && (*dim == 0 || *dim > WW_DIM_MAX))
    return ww_fail(r->e, WW_EPARSE, "%s: expected 1 to 2^32-1, not %s", where,
                   n->valuestring);
  return rc;
}

static ww_status shape_node(reader *r,
                            const cJSON *n,
                            const char *where,
                            uint64_t dims[3],
                            const char *exprs[3]) {
  dims[0] = dims[1] = dims[2] = 1;
  if (cJSON_IsString(n))
    return ww_launch_shape(n->valuestring, where, r->a, dims, exprs, r->e);
  if (cJSON_IsNumber(n))
    return dim_node(r, n, where, &dims[0], &exprs[0]);
  int count = cJSON_IsArray(n) ? cJSON_GetArraySize(n) : 0;
  if (count < 1 || count > 3)
    return wrong(r, where, "a number, an expression or an array of 1 to 3 of them", n);
  int i = 0;
  for (const cJSON *d = n->child; d; d = d->next, i++) {
    ww_status rc =
        dim_node(r, d, ww_fmt(r->a, "%s[%d]", where, i), &dims[i], &exprs[i]);
    if (rc)
      return rc;
  }
  return WW_OK;
}

/* ---- contents ---- */

static ww_status bound_node(
    reader *r, const cJSON *n, const char *where, double *value, const char **expr) {
  if (cJSON_IsString(n))
    return ww_bound_text(n->valuestring, where, r->a, value, expr, r->e);
  if (!cJSON_IsNumber(n))
    return wrong(r, where, "a number or an expression", n);
  *value = n->valuedouble;
  if (!isfinite(*value))
    return ww_fail(r->e, WW_EPARSE, "%s: %.40s is too large", where, n->valuestring);
  return WW_OK;
}

static ww_status fill_node(reader *r, const cJSON *n, const char *where, ww_fill *out) {
  if (cJSON_IsString(n)) {
    int kind = ww_fill_named(n->valuestring, strlen(n->valuestring));
    if (kind < 0 || kind == WW_FILL_FILE || kind == WW_FILL_UNIFORM)
      return wrong(r, where,
                   "zeros, ones, index, random, permutation, monotone, skewed, zipf, "
                   "{\"uniform\":[lo,hi]} "
                   "or {\"file\":\"path\"}",
                   n);
    out->kind = kind;
    return WW_OK;
  }
  const cJSON *m = cJSON_IsObject(n) ? n->child : NULL;
  int kind = m && !m->next ? ww_fill_named(m->string, strlen(m->string)) : -1;
  if (kind < WW_FILL_RANDOM)
    return wrong(r, where,
                 "a name or an object with one member: {\"uniform\":[lo,hi]}, random, "
                 "permutation, "
                 "monotone, skewed, zipf or {\"file\":\"path\"}",
                 n);
  where = path(r, where, m->string);
  out->kind = kind;
  if (kind == WW_FILL_FILE)
    return path_node(r, m, where, &out->path);
  if (!cJSON_IsArray(m) || cJSON_GetArraySize(m) != 2)
    return wrong(r, where, "[lo,hi]", m);
  ww_status rc = bound_node(r, m->child, where, &out->lo, &out->lo_expr);
  if (!rc)
    rc = bound_node(r, m->child->next, where, &out->hi, &out->hi_expr);
  return rc ? rc : ww_fill_check(out, where, r->e);
}

static ww_status hex_node(reader *r,
                          const cJSON *n,
                          const char *where,
                          const uint8_t **out,
                          uint32_t *count) {
  const char *text;
  ww_status rc = ww_json_want_str(n, where, &text, r->a, r->e);
  return rc ? rc : ww_hex_parse(text, where, r->a, out, count, r->e);
}

static ww_status
head_node(reader *r, const cJSON *n, const char *where, ww_buffer *out) {
  const uint8_t *bytes;
  uint32_t count;
  ww_status rc = hex_node(r, n, where, &bytes, &count);
  if (rc)
    return rc;
  if (count > sizeof out->head)
    return ww_fail(r->e, WW_EPARSE, "%s: expected at most 64 bytes, not %u", where,
                   count);
  memcpy(out->head, bytes, count);
  out->head_n = count;
  return WW_OK;
}

static ww_status bool_node(reader *r, const cJSON *n, const char *where, bool *out) {
  *out = cJSON_IsTrue(n);
  return cJSON_IsBool(n) ? WW_OK : wrong(r, where, "true or false", n);
}

static ww_status
text_node(reader *r, const cJSON *n, const char *where, const char **out) {
  return ww_json_want_str(n, where, out, r->a, r->e);
}

static ww_status
count_node(reader *r, const cJSON *n, const char *where, ww_buffer *out) {
  uint64_t count = 0;
  ww_status rc = size_node(r, n, where, &count, &out->count_expr);
  if (!rc && !out->count_expr)
    out->count_expr = ww_fmt(r->a, "%llu", (unsigned long long)count);
  return rc;
}

static ww_status
type_node(reader *r, const cJSON *n, const char *where, ww_buffer *out) {
  ww_status rc = text_node(r, n, where, &out->type);
  return rc ? rc : ww_type_check(out->type, where, r->e);
}

static ww_status
buffer_member(reader *r, const cJSON *m, const char *where, ww_buffer *out) {
  const char *k = m->string;
  if (!strcmp(k, "bytes"))
    return size_node(r, m, where, &out->bytes, &out->bytes_expr);
  if (!strcmp(k, "count"))
    return count_node(r, m, where, out);
  if (!strcmp(k, "offset"))
    return ww_json_want_uint(m, where, &out->offset, r->e);
  if (!strcmp(k, "id"))
    return text_node(r, m, where, &out->id);
  if (!strcmp(k, "type"))
    return type_node(r, m, where, out);
  if (!strcmp(k, "local"))
    return bool_node(r, m, where, &out->local);
  if (!strcmp(k, "fill"))
    return fill_node(r, m, where, &out->fill);
  /* `at` is a pointer's */
  return !strcmp(k, "head") ? head_node(r, m, where, out) : WW_OK;
}

static ww_status
buffer_node(reader *r, const cJSON *n, const char *where, ww_buffer *out) {
  const cJSON *m;
  cJSON_ArrayForEach(m, n) {
    ww_status rc = buffer_member(r, m, path(r, where, m->string), out);
    if (rc)
      return rc;
  }
  if (out->count_expr && (out->bytes || out->bytes_expr))
    return ww_fail(r->e, WW_EPARSE, "%s: give \"bytes\" or \"count\", not both", where);
  if (out->bytes && out->offset > out->bytes)
    return ww_fail(r->e, WW_EPARSE, "%s.offset: lies behind the end of the buffer",
                   where);
  return WW_OK;
}

#define BUFFER_MEMBERS "bytes", "count", "offset", "id", "type", "local", "fill", "head"

static ww_status
buffer_object(reader *r, const cJSON *n, const char *where, ww_buffer *out) {
  static const char *const members[] = {BUFFER_MEMBERS, NULL};
  if (!cJSON_IsObject(n))
    return wrong(r, where, "an object like {\"bytes\":4096}", n);
  ww_status rc = ww_json_want_members(n, where, members, r->e);
  return rc ? rc : buffer_node(r, n, where, out);
}

/* ---- arguments ---- */

static ww_status value_node(reader *r, const cJSON *n, const char *where, ww_arg *out) {
  bool big = false;
  if (cJSON_IsString(n))
    return ww_value_text(n->valuestring, where, r->a, out, r->e);
  if (cJSON_IsBool(n)) {
    out->is_int = true;
    out->value = out->ivalue = cJSON_IsTrue(n);
    return WW_OK;
  }
  if (!cJSON_IsNumber(n))
    return wrong(r, where, "a number or an expression", n);
  if (ww_json_written_as_int(n)) {
    if (!ww_json_as_int(n, &out->ivalue, &big))
      return ww_fail(r->e, WW_EPARSE, "%s: %.40s does not fit 64 bits", where,
                     n->valuestring);
    out->is_int = true;
  }
  out->value = n->valuedouble;
  if (!isfinite(out->value))
    return ww_fail(r->e, WW_EPARSE, "%s: %.40s is too large", where, n->valuestring);
  return WW_OK;
}

static ww_status ptrs_node(reader *r, const cJSON *n, const char *where, ww_arg *out) {
  static const char *const members[] = {"at", BUFFER_MEMBERS, NULL};
  if (!cJSON_IsArray(n))
    return wrong(r, where, "an array of objects like {\"at\":8,\"bytes\":4096}", n);
  const cJSON *p;
  out->ptrs = WW_NEWN(r->a, ww_ptr, cJSON_GetArraySize(n));
  cJSON_ArrayForEach(p, n) {
    const char *w = ww_fmt(r->a, "%s[%u]", where, out->nptrs);
    ww_ptr *ptr = &out->ptrs[out->nptrs++];
    uint64_t at;
    if (!cJSON_IsObject(p))
      return wrong(r, w, "an object like {\"at\":8,\"bytes\":4096}", p);
    ww_status rc = ww_json_want_members(p, w, members, r->e);
    if (!rc)
      rc = ww_json_want_uint(cJSON_GetObjectItemCaseSensitive(p, "at"),
                             path(r, w, "at"), &at, r->e);
    if (!rc)
      rc = buffer_node(r, p, w, &ptr->buffer);
    if (rc)
      return rc;
    if (at > out->hex_n || out->hex_n - at < 8)
      return ww_fail(
          r->e, WW_EPARSE,
          "%s.at: a pointer at byte %llu does not fit the %u bytes of \"hex\"", w,
          (unsigned long long)at, out->hex_n);
    ptr->at = at;
  }
  return WW_OK;
}

/* ---- tensor maps ---- */

/* Up to 5 numbers or, where `expr` is given, expressions; returns how many, 0: wrong.
 */
static uint32_t numbers_node(
    reader *r, const cJSON *n, const char *where, uint64_t *value, const char **expr) {
  uint32_t count = cJSON_IsArray(n) ? cJSON_GetArraySize(n) : 0;
  const cJSON *m;
  uint32_t k = 0;
  if (count < 1 || count > WW_TENSOR_RANK) {
    wrong(r, where, "an array of 1 to 5 numbers", n);
    return 0;
  }
  cJSON_ArrayForEach(m, n) {
    const char *at = ww_fmt(r->a, "%s[%u]", where, k);
    ww_status rc = expr ? size_node(r, m, at, &value[k], &expr[k])
                        : ww_json_want_uint(m, at, &value[k], r->e);
    if (rc)
      return 0;
    k++;
  }
  return count;
}

/* The same of small numbers, as many as the tensor has dimensions. */
static ww_status
sides_node(reader *r, const cJSON *n, const char *where, uint32_t rank, uint32_t *out) {
  uint64_t v[WW_TENSOR_RANK];
  uint32_t count = numbers_node(r, n, where, v, NULL);
  if (!count)
    return WW_EPARSE;
  if (count != rank)
    return ww_fail(r->e, WW_EPARSE, "%s: expected %u numbers, one for each of \"dims\"",
                   where, rank);
  for (uint32_t d = 0; d < rank; d++)
    out[d] = v[d] < UINT32_MAX ? v[d] : UINT32_MAX;
  return WW_OK;
}

static ww_status
swizzle_node(reader *r, const cJSON *n, const char *where, ww_tensor_map *m) {
  for (m->swizzle = 0; m->swizzle < WW_NSWIZZLES; m->swizzle++)
    if (cJSON_IsString(n) && !strcmp(n->valuestring, ww_swizzle_names[m->swizzle]))
      return WW_OK;
  return wrong(r, where, "\"none\", \"32B\", \"64B\" or \"128B\"", n);
}

static ww_status
outside_node(reader *r, const cJSON *n, const char *where, ww_tensor_map *m) {
  const char *text = cJSON_IsString(n) ? n->valuestring : "";
  m->nan_fill = !strcmp(text, "nan");
  return m->nan_fill || !strcmp(text, "zeros")
             ? WW_OK
             : wrong(r, where, "\"zeros\" or \"nan\"", n);
}

/* Strides are those of the dimensions behind the first. */
static ww_status
strides_node(reader *r, const cJSON *n, const char *where, ww_tensor_map *m) {
  if (m->rank == 1 && cJSON_IsArray(n) && !n->child)
    return WW_OK;
  uint64_t v[WW_TENSOR_RANK] = {0};
  const char *expr[WW_TENSOR_RANK] = {0};
  uint32_t count = numbers_node(r, n, where, v, expr);
  if (!count)
    return WW_EPARSE;
  if (count + 1 != m->rank)
    return ww_fail(r->e, WW_EPARSE,
                   "%s: expected %u numbers, one for each of \"dims\" but the first",
                   where, m->rank - 1);
  memcpy(m->strides + 1, v, count * sizeof *v);
  memcpy(m->strides_expr + 1, expr, count * sizeof *expr);
  return WW_OK;
}

static ww_status
map_member(reader *r, const cJSON *m, const char *where, uint32_t rank, ww_arg *out) {
  const char *k = m->string;
  ww_tensor_map *map = out->map;
  if (!strcmp(k, "buffer"))
    return buffer_object(r, m, where, &out->buffer);
  if (!strcmp(k, "type"))
    return text_node(r, m, where, &map->type);
  if (!strcmp(k, "strides"))
    return strides_node(r, m, where, map);
  if (!strcmp(k, "box"))
    return sides_node(r, m, where, rank, map->box);
  if (!strcmp(k, "elem_strides"))
    return sides_node(r, m, where, rank, map->steps);
  if (!strcmp(k, "swizzle"))
    return swizzle_node(r, m, where, map);
  return !strcmp(k, "outside") ? outside_node(r, m, where, map) : WW_OK;
}

static ww_status map_node(reader *r, const cJSON *n, const char *where, ww_arg *out) {
  static const char *const members[] = {"buffer",  "type",    "dims",
                                        "strides", "box",     "elem_strides",
                                        "swizzle", "outside", NULL};
  static const char *const needed[] = {"type", "dims", "box", NULL};
  if (!cJSON_IsObject(n))
    return wrong(r, where, "an object with \"type\", \"dims\" and \"box\"", n);
  ww_status rc = ww_json_want_members(n, where, members, r->e);
  for (const char *const *k = needed; !rc && *k; k++)
    if (!cJSON_GetObjectItemCaseSensitive(n, *k))
      rc = ww_fail(r->e, WW_EPARSE, "%s: \"%s\" is missing", where, *k);
  if (rc)
    return rc;
  out->map = WW_NEW(r->a, ww_tensor_map);
  out->map->rank =
      numbers_node(r, cJSON_GetObjectItemCaseSensitive(n, "dims"),
                   path(r, where, "dims"), out->map->dims, out->map->dims_expr);
  if (!out->map->rank)
    return WW_EPARSE;
  for (const cJSON *m = n->child; m && !rc; m = m->next)
    rc = map_member(r, m, path(r, where, m->string), out->map->rank, out);
  if (!rc && !ww_tensor_type_named(out->map->type))
    rc = ww_fail(r->e, WW_EPARSE, "%s.type: \"%s\" is no element type of a tensor map",
                 where, out->map->type);
  return rc;
}

static ww_status arg_node(reader *r, const cJSON *n, const char *where, ww_arg *out) {
  static const char *const members[] = {"name", "value",     "buffer", "hex",
                                        "ptrs", "tensormap", NULL};
  if (cJSON_IsNull(n))
    return WW_OK;
  if (!cJSON_IsObject(n))
    return wrong(r, where,
                 "an object with \"value\", \"buffer\", \"hex\" or \"tensormap\"", n);
  ww_status rc = ww_json_want_members(n, where, members, r->e);
  if (rc)
    return rc;
  const cJSON *name = cJSON_GetObjectItemCaseSensitive(n, "name");
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(n, "value");
  const cJSON *buffer = cJSON_GetObjectItemCaseSensitive(n, "buffer");
  const cJSON *hex = cJSON_GetObjectItemCaseSensitive(n, "hex");
  const cJSON *ptrs = cJSON_GetObjectItemCaseSensitive(n, "ptrs");
  const cJSON *map = cJSON_GetObjectItemCaseSensitive(n, "tensormap");
  int given = !!value + !!buffer + !!hex + !!map;
  if (given > 1 || (given == 0 && !name))
    return ww_fail(
        r->e, WW_EPARSE,
        "%s: expected one of \"value\", \"buffer\", \"hex\" and \"tensormap\"", where);
  if (ptrs && !hex)
    return ww_fail(r->e, WW_EPARSE, "%s: \"ptrs\" needs \"hex\", the bytes they lie in",
                   where);
  if (name)
    rc = text_node(r, name, path(r, where, "name"), &out->name);
  if (!rc && value)
    rc = value_node(r, value, path(r, where, "value"), out);
  if (!rc && buffer)
    rc = buffer_object(r, buffer, path(r, where, "buffer"), &out->buffer);
  if (!rc && hex)
    rc = hex_node(r, hex, path(r, where, "hex"), &out->hex, &out->hex_n);
  if (!rc && ptrs)
    rc = ptrs_node(r, ptrs, path(r, where, "ptrs"), out);
  if (!rc && map)
    rc = map_node(r, map, path(r, where, "tensormap"), out);
  out->kind = value    ? WW_ARG_VALUE
              : buffer ? WW_ARG_BUFFER
              : hex    ? WW_ARG_HEX
              : map    ? WW_ARG_TENSORMAP
                       : WW_ARG_NONE;
  return rc;
}

static ww_status args_node(reader *r, const cJSON *n, ww_launch *out) {
  if (!cJSON_IsArray(n))
    return wrong(r, "args", "an array", n);
  const cJSON *m;
  out->args = WW_NEWN(r->a, ww_arg, cJSON_GetArraySize(n));
  cJSON_ArrayForEach(m, n) {
    ww_status rc =
        arg_node(r, m, ww_fmt(r->a, "args[%u]", out->nargs), &out->args[out->nargs]);
    if (rc)
      return rc;
    out->nargs++;
  }
  return WW_OK;
}

/* A symbol is a value, bytes, or contents: {"coef":{"fill":"random","type":"f32"}} or
 * with "buffer" around it. */
static ww_status
symbol_node(reader *r, const cJSON *m, const char *where, ww_arg *out) {
  bool plain = cJSON_IsObject(m) && (cJSON_GetObjectItemCaseSensitive(m, "fill") ||
                                     cJSON_GetObjectItemCaseSensitive(m, "type") ||
                                     cJSON_GetObjectItemCaseSensitive(m, "head"));
  if (!plain)
    return arg_node(r, m, where, out);
  out->kind = WW_ARG_BUFFER;
  return buffer_object(r, m, where, &out->buffer);
}

static ww_status symbols_node(reader *r, const cJSON *n, ww_launch *out) {
  if (!cJSON_IsObject(n))
    return wrong(r, "symbols", "an object, a member for each variable", n);
  const cJSON *m;
  out->symbols = WW_NEWN(r->a, ww_symbol_arg, cJSON_GetArraySize(n));
  cJSON_ArrayForEach(m, n) {
    ww_symbol_arg *s = &out->symbols[out->nsymbols++];
    s->name = ww_strdup(r->a, m->string);
    ww_status rc = symbol_node(r, m, path(r, "symbols", m->string), &s->arg);
    if (rc)
      return rc;
  }
  return WW_OK;
}

/* ---- the rest ---- */

static ww_status strings_node(
    reader *r, const cJSON *n, const char *where, const char ***out, uint32_t *count) {
  if (!cJSON_IsArray(n))
    return wrong(r, where, "an array of strings", n);
  *out = WW_NEWN(r->a, const char *, cJSON_GetArraySize(n));
  for (const cJSON *m = n->child; m; m = m->next, ++*count) {
    ww_status rc = ww_json_want_str(m, ww_fmt(r->a, "%s[%u]", where, *count),
                                    &(*out)[*count], r->a, r->e);
    if (rc)
      return rc;
  }
  return WW_OK;
}

static ww_status files_node(reader *r, const cJSON *n, ww_launch *out) {
  ww_status rc = strings_node(r, n, "files", &out->more, &out->nmore);
  for (uint32_t i = 0; i < out->nmore && !rc; i++)
    out->more[i] = ww_path_join(r->a, r->dir, out->more[i]);
  return rc;
}

static ww_status library_node(reader *r, const cJSON *n, ww_launch *out) {
  static const char *const members[] = {"name", "call", "type", "size", NULL};
  if (!cJSON_IsObject(n))
    return wrong(r, "library", "an object", n);
  ww_library_call *c = WW_NEW(r->a, ww_library_call);
  const cJSON *size = cJSON_GetObjectItemCaseSensitive(n, "size");
  const char **texts[] = {&c->name, &c->call, &c->type};
  ww_status rc = ww_json_want_members(n, "library", members, r->e);
  for (size_t i = 0; i < WW_COUNT(texts) && !rc; i++)
    rc = text_node(r, cJSON_GetObjectItemCaseSensitive(n, members[i]), "library",
                   texts[i]);
  if (!rc && (!cJSON_IsArray(size) || cJSON_GetArraySize(size) > WW_LIBRARY_SIZES))
    rc = wrong(r, "library.size", "an array of at most 4 numbers", size);
  for (int i = 0; i < WW_LIBRARY_SIZES; i++)
    c->size[i] = 1;
  uint64_t *to = c->size;
  for (const cJSON *m = size ? size->child : NULL; m && !rc; m = m->next)
    rc = ww_json_want_uint(m, "library.size", to++, r->e);
  out->library = c;
  return rc;
}

static ww_status cache_node(reader *r, const cJSON *n, ww_launch *out) {
  const char *state = cJSON_IsString(n) ? n->valuestring : "";
  out->warm = !strcmp(state, "warm");
  return out->warm || !strcmp(state, "cold")
             ? WW_OK
             : wrong(r, "cache", "\"cold\" or \"warm\"", n);
}

static ww_status
at_least_1(reader *r, const cJSON *n, const char *where, uint64_t *out) {
  ww_status rc = ww_json_want_uint(n, where, out, r->e);
  return !rc && *out == 0 ? wrong(r, where, "at least 1", n) : rc;
}

static ww_status cluster_node(reader *r, const cJSON *n, ww_launch *out) {
  const char *exprs[3] = {0};
  ww_status rc = shape_node(r, n, "cluster", out->cluster, exprs);
  bool fixed = !exprs[0] && !exprs[1] && !exprs[2];
  if (!rc && (!fixed || out->cluster[0] * out->cluster[1] * out->cluster[2] > 16))
    rc = wrong(r, "cluster", "at most 16 blocks, as numbers", n);
  return rc;
}

static ww_status at_node(reader *r, const cJSON *n, ww_launch *out) {
  uint32_t size = cJSON_IsArray(n) ? cJSON_GetArraySize(n) : 1;
  if (size % 2)
    return wrong(r, "at", "an array of pairs: from which launch on, how many", n);
  uint64_t *v = WW_NEWN(r->a, uint64_t, size);
  out->at = v;
  for (const cJSON *m = n->child; m; m = m->next, out->nat++) {
    ww_status rc =
        ww_json_want_uint(m, ww_fmt(r->a, "at[%u]", out->nat), &v[out->nat], r->e);
    if (rc)
      return rc;
  }
  return WW_OK;
}

static ww_status member(reader *r, const cJSON *m, ww_launch *out) {
  const char *k = m->string;
  if (!strcmp(k, "file"))
    return path_node(r, m, k, &out->file);
  if (!strcmp(k, "binary"))
    return path_node(r, m, k, &out->binary);
  if (!strcmp(k, "kernel"))
    return text_node(r, m, k, &out->kernel);
  if (!strcmp(k, "grid"))
    return shape_node(r, m, k, out->grid, out->grid_expr);
  if (!strcmp(k, "block"))
    return shape_node(r, m, k, out->block, out->block_expr);
  if (!strcmp(k, "cluster"))
    return cluster_node(r, m, out);
  if (!strcmp(k, "shared")) {
    out->shared_given = true;
    return size_node(r, m, k, &out->shared, &out->shared_expr);
  }
  if (!strcmp(k, "args"))
    return args_node(r, m, out);
  if (!strcmp(k, "symbols"))
    return symbols_node(r, m, out);
  if (!strcmp(k, "flags"))
    return strings_node(r, m, k, &out->flags, &out->nflags);
  if (!strcmp(k, "files"))
    return files_node(r, m, out);
  if (!strcmp(k, "library"))
    return library_node(r, m, out);
  if (!strcmp(k, "at"))
    return at_node(r, m, out);
  if (!strcmp(k, "cache"))
    return cache_node(r, m, out);
  if (!strcmp(k, "note"))
    return text_node(r, m, k, &out->note);
  if (!strcmp(k, "cooperative"))
    return bool_node(r, m, k, &out->cooperative);
  if (!strcmp(k, "seed"))
    return at_least_1(r, m, k, &out->seed);
  return at_least_1(r, m, k, &out->count);
}

/* failed: the member that is wrong. */
static ww_status from_json(const cJSON *node,
                           const char *dir,
                           ww_arena *a,
                           ww_launch *out,
                           const char **failed,
                           ww_err *e) {
  static const char *const members[] = {
      "file",    "kernel", "grid",    "block", "shared",      "args",   "symbols",
      "flags",   "cache",  "seed",    "count", "cooperative", "binary", "note",
      "cluster", "files",  "library", "at",    NULL};
  reader r = {.a = a, .dir = dir, .e = e};
  *out = (ww_launch){.seed = 1, .count = 1, .dir = ww_strdup(a, dir)};
  if (!cJSON_IsObject(node))
    return wrong(&r, "launch spec", "an object", node);
  ww_status rc = ww_json_want_members(node, "", members, e);
  for (const cJSON *m = node->child; rc && m && !*failed; m = m->next)
    if (!ww_one_of(m->string, members))
      *failed = m->string;
  for (const cJSON *m = node->child; m && !rc; m = m->next) {
    rc = member(&r, m, out);
    *failed = rc ? m->string : NULL;
  }
  return rc;
}

ww_status ww_launch_from_json(
    const cJSON *node, const char *dir, ww_arena *a, ww_launch *out, ww_err *e) {
  const char *failed = NULL;
  return from_json(node, dir, a, out, &failed, e);
}

ww_status ww_launch_parse(
    const char *json, const char *dir, ww_arena *a, ww_launch *out, ww_err *e) {
  const char *failed = NULL;
  cJSON *tree = ww_json_read(json, strlen(json), e);
  if (!tree)
    return WW_EPARSE;
  ww_status rc = from_json(tree, dir, a, out, &failed, e);
  if (failed)
    ww_json_place(json, failed, e);
  cJSON_Delete(tree);
  return rc;
}

/* Whether the text is one JSON value over several lines, be it a wrong one: its first
 * line alone begins an object and does not end it. */
static bool is_one_value(const char *text, size_t n, size_t first) {
  ww_err why = {0};
  cJSON *tree = ww_json_read(text, n, &why);
  cJSON_Delete(tree);
  if (tree || *text != '{')
    return tree != NULL;
  char *line = ww_xmalloc(first + 1);
  memcpy(line, text, first);
  line[first] = 0;
  tree = ww_json_read(line, first, &why);
  bool ends = tree || why.col < first;
  cJSON_Delete(tree);
  free(line);
  return !ends;
}

static ww_status read_lines(char *text,
                            const char *file,
                            const char *dir,
                            ww_arena *a,
                            ww_launch **out,
                            uint32_t *n,
                            ww_err *e) {
  WW_VEC(ww_launch) specs = {0};
  uint32_t line = 0;
  for (char *p; (p = strsep(&text, "\n"));) {
    line++;
    size_t blank = strspn(p, " \t\r");
    if (p[blank] == 0 || p[blank] == '#')
      continue;
    ww_launch l;
    ww_status rc = ww_launch_parse(p, dir, a, &l, e);
    if (rc) {
      if (e) {
        e->file = file;
        e->line = line;
      }
      return rc;
    }
    ww_push(a, &specs, l);
  }
  *out = specs.v;
  *n = specs.n;
  if (specs.n)
    return WW_OK;
  if (e)
    e->file = file;
  return ww_fail(e, WW_EPARSE, "no launch spec in it");
}

ww_status
ww_launch_read(const char *file, ww_arena *a, ww_launch **out, uint32_t *n, ww_err *e) {
  char *text;
  size_t bytes;
  ww_status rc = ww_read_file(a, file, (size_t)1 << 30, &text, &bytes, e);
  return rc ? rc : ww_launch_read_text(text, bytes, file, a, out, n, e);
}

ww_status ww_launch_read_text(char *text,
                              size_t bytes,
                              const char *file,
                              ww_arena *a,
                              ww_launch **out,
                              uint32_t *n,
                              ww_err *e) {
  const char *dir = ww_path_dir(a, file);
  file = ww_strdup(a, file);
  char *first = text + strspn(text, " \t\r\n");
  char *end = strchr(first, '\n');
  bool many_lines = end && end[strspn(end, " \t\r\n")] != 0;
  if (strlen(text) == bytes && many_lines &&
      is_one_value(first, bytes - (first - text), end - first)) {
    *out = WW_NEW(a, ww_launch);
    *n = 1;
    ww_status rc = ww_launch_parse(text, dir, a, *out, e);
    if (rc && e)
      e->file = file;
    return rc;
  }
  return read_lines(text, file, dir, a, out, n, e);
}
