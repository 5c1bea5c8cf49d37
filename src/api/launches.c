/* launches.c - launch specs that a program builds. Setting twice replaces, so that a
 * sweep does not grow the launch. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "../report/launch_int.h"
#include "api_int.h"

warpwise_launch *warpwise_launch_new(void) {
  warpwise_launch *l = ww_xcalloc(1, sizeof *l);
  l->arena = ww_arena_new();
  return l;
}

void warpwise_launch_free(warpwise_launch *launch) {
  if (!launch)
    return;
  ww_arena_free(launch->arena);
  free(launch);
}

static warpwise_status failed(const ww_err *e, warpwise_error *error) {
  return e->code ? ww_api_fail(e, error) : WARPWISE_OK;
}

warpwise_status warpwise_launch_parse(const char *json,
                                      const char *folder,
                                      warpwise_launch **out,
                                      warpwise_error *error) {
  warpwise_launch *l = warpwise_launch_new();
  ww_err e = {0};
  *out = NULL;
  locale_t before = ww_api_enter();
  ww_status st =
      ww_launch_parse(json, ww_strdup(l->arena, folder), l->arena, &l->spec, &e);
  ww_api_leave(before);
  if (!st) {
    *out = l;
    return WARPWISE_OK;
  }
  ww_api_fail(&e, error); /* what it names lies in the launch's arena */
  warpwise_launch_free(l);
  return (warpwise_status)st;
}

char *warpwise_launch_json(const warpwise_launch *launch) {
  ww_buf b = {0};
  locale_t before = ww_api_enter();
  ww_launch_write(&launch->spec, &(ww_json){.out = &b});
  ww_api_leave(before);
  return b.s;
}

void warpwise_string_free(char *string) {
  free(string);
}

/* ---- shape ---- */

static warpwise_status shape(const char *what,
                             const uint32_t v[3],
                             uint64_t dims[3],
                             const char *exprs[3],
                             warpwise_error *error) {
  ww_err e = {0};
  if (!v[0] || !v[1] || !v[2])
    ww_fail(&e, WW_EUSAGE,
            "%s: expected at least 1 in each dimension, not %u x %u x %u", what, v[0],
            v[1], v[2]);
  for (int i = 0; !e.code && i < 3; i++) {
    dims[i] = v[i];
    exprs[i] = NULL;
  }
  return failed(&e, error);
}

warpwise_status warpwise_launch_grid(warpwise_launch *launch,
                                     uint32_t x,
                                     uint32_t y,
                                     uint32_t z,
                                     warpwise_error *error) {
  ww_launch *l = &launch->spec;
  return shape("grid", (uint32_t[]){x, y, z}, l->grid, l->grid_expr, error);
}

warpwise_status warpwise_launch_block(warpwise_launch *launch,
                                      uint32_t x,
                                      uint32_t y,
                                      uint32_t z,
                                      warpwise_error *error) {
  ww_launch *l = &launch->spec;
  return shape("block", (uint32_t[]){x, y, z}, l->block, l->block_expr, error);
}

void warpwise_launch_shared(warpwise_launch *launch, uint64_t bytes) {
  launch->spec.shared = bytes;
  launch->spec.shared_expr = NULL;
  launch->spec.shared_given = true;
}

void warpwise_launch_warm(warpwise_launch *launch, bool warm) {
  launch->spec.warm = warm;
}

/* ---- arguments ---- */

static bool is_position(const char *name, uint32_t *at) {
  if (!*name || strlen(name) > 4)
    return false;
  for (const char *p = name; *p; p++)
    if (!isdigit((unsigned char)*p))
      return false;
  *at = atoi(name);
  return true;
}

/* The argument of that name, made where there is none; emptied but for its name. */
static ww_arg *argument(warpwise_launch *l, const char *name, ww_err *e) {
  ww_launch *s = &l->spec;
  uint32_t at = 0;
  bool position = is_position(name ? name : "", &at);
  if (!name || !*name) {
    ww_fail(e, WW_EUSAGE,
            "an argument needs the name of its parameter, or its position in digits");
    return NULL;
  }
  for (uint32_t i = 0; i < s->nargs; i++) {
    ww_arg *g = &s->args[i];
    if (g->name ? strcmp(g->name, name) : !position || at != i)
      continue;
    *g = (ww_arg){.name = g->name};
    return g;
  }
  if (s->nargs >= l->cap) {
    l->cap = 2 * s->nargs + 8;
    s->args = ww_grow(l->arena, s->args, s->nargs * sizeof *s->args,
                      l->cap * sizeof *s->args);
  }
  ww_arg *g = &s->args[s->nargs++];
  *g = (ww_arg){.name = ww_strdup(l->arena, name)};
  return g;
}

/* The argument becomes this one, where nothing has failed yet. */
static warpwise_status set(warpwise_launch *l,
                           const char *name,
                           ww_arg value,
                           ww_err *e,
                           warpwise_error *error) {
  ww_arg *g = e->code ? NULL : argument(l, name, e);
  if (!g)
    return failed(e, error);
  value.name = g->name;
  *g = value;
  return WARPWISE_OK;
}

warpwise_status warpwise_launch_int(warpwise_launch *launch,
                                    const char *name,
                                    int64_t value,
                                    warpwise_error *error) {
  ww_arg arg = {.kind = WW_ARG_VALUE, .is_int = true, .ivalue = value, .value = value};
  return set(launch, name, arg, &(ww_err){0}, error);
}

warpwise_status warpwise_launch_float(warpwise_launch *launch,
                                      const char *name,
                                      double value,
                                      warpwise_error *error) {
  ww_err e = {0};
  if (!isfinite(value))
    ww_fail(&e, WW_EUSAGE, "%.60s: expected a finite number", name ? name : "?");
  return set(launch, name, (ww_arg){.kind = WW_ARG_VALUE, .value = value}, &e, error);
}

static ww_status buffer_of(const warpwise_launch *l,
                           const char *name,
                           const warpwise_buffer *b,
                           ww_arena *a,
                           ww_buffer *out,
                           ww_err *e) {
  uint32_t size = b->type ? ww_elem_size(b->type) : 0;
  const char *where = name && *name ? name : "?";
  *out = (ww_buffer){.offset = b->offset};
  ww_status st = b->type ? ww_type_check(b->type, where, e) : WW_OK;
  if (!st && (!b->count || b->count > WW_SIZE_MAX || b->offset > WW_SIZE_MAX))
    st = ww_fail(e, WW_EUSAGE, "%.60s: expected 1 to 2^48 elements", where);
  if (!st && b->fill)
    st = ww_launch_fill(b->fill, l->spec.dir, a, &out->fill, e);
  if (!st)
    st = b->fill ? ww_fill_check(&out->fill, where, e) : WW_OK;
  if (st)
    return st;
  out->type = ww_strdup(a, b->type);
  out->id = ww_strdup(a, b->id);
  if (size)
    out->bytes = b->count * size;
  else
    out->count_expr = ww_fmt(a, "%llu", (unsigned long long)b->count);
  return WW_OK;
}

warpwise_status warpwise_launch_buffer(warpwise_launch *launch,
                                       const char *name,
                                       warpwise_buffer buffer,
                                       warpwise_error *error) {
  ww_err e = {0};
  ww_arg arg = {.kind = WW_ARG_BUFFER};
  locale_t before = ww_api_enter();
  buffer_of(launch, name, &buffer, launch->arena, &arg.buffer, &e);
  ww_api_leave(before);
  return set(launch, name, arg, &e, error);
}

/* ---- words ---- */

warpwise_status
warpwise_launch_set(warpwise_launch *launch, const char *words, warpwise_error *error) {
  ww_err e = {0};
  ww_launch said = {.warm = launch->spec.warm};
  locale_t before = ww_api_enter();
  const char *kept = ww_strdup(launch->arena, words);
  ww_status st = ww_launch_comment(kept, launch->arena, &said, &e);
  for (uint32_t i = 0; !st && i < said.nargs; i++) {
    ww_arg *g = argument(launch, said.args[i].name, &e);
    if (g)
      *g = said.args[i];
  }
  said.nargs = 0;
  if (!st) {
    ww_launch_merge(&launch->spec, &said, launch->arena);
    launch->spec.warm = said.warm; /* cache=cold takes it back */
  }
  ww_api_leave(before);
  return failed(&e, error);
}
