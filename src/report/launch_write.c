/* launch_write.c - a launch spec as JSON; what ww_launch_parse reads back is the same
 * spec. */
#include "launch_int.h"

#include "../base/json_put.h"

static void write_bound(double v, const char *expr, ww_json *j) {
  if (expr)
    ww_json_str(j, expr);
  else
    ww_json_num(j, v);
}

static void write_fill(const ww_fill *f, ww_json *j) {
  if (f->kind == WW_FILL_FILE)
    ww_json_put(j, "{file:%s}", f->path);
  else if (f->lo != 0 || f->hi != 0 || f->lo_expr || f->hi_expr) {
    ww_json_put(j, "{%s:[", ww_fill_names[f->kind]);
    write_bound(f->lo, f->lo_expr, j);
    write_bound(f->hi, f->hi_expr, j);
    ww_json_put(j, "]}");
  } else
    ww_json_str(j, ww_fill_names[f->kind]);
}

static void write_hex(const uint8_t *p, uint32_t n, ww_json *j) {
  ww_buf b = {0};
  ww_buf_puts(&b, "");
  for (uint32_t i = 0; i < n; i++)
    ww_buf_fmt(&b, "%02x", p[i]);
  ww_json_str(j, b.s);
  ww_buf_free(&b);
}

static void write_buffer_members(const ww_buffer *b, ww_json *j) {
  ww_json_put(j, "bytes?:%s,bytes?:%lu,count?:%s,offset?:%lu,id?:%s,type?:%s,local?:%i",
              b->bytes_expr, b->bytes_expr ? 0 : b->bytes, b->count_expr, b->offset,
              b->id, b->type, b->local);
  if (b->fill.kind != WW_FILL_NONE) {
    ww_json_key(j, "fill");
    write_fill(&b->fill, j);
  }
  if (b->head_n) {
    ww_json_key(j, "head");
    write_hex(b->head, b->head_n, j);
  }
}

/* 2.0 must not come back as the integer 2. */
static void write_value(const ww_arg *g, ww_json *j) {
  if (g->expr)
    ww_json_str(j, g->expr);
  else if (g->is_int && g->ivalue < 0 && g->value > 0)
    ww_json_uint(j, g->ivalue);
  else if (g->is_int)
    ww_json_int(j, g->ivalue);
  else {
    ww_buf text = {0};
    ww_json_num(&(ww_json){.out = &text}, g->value);
    if (!strpbrk(text.s, ".en"))
      ww_buf_puts(&text, ".0");
    ww_json_raw(j, text.s);
    ww_buf_free(&text);
  }
}

static void write_hex_arg(const ww_arg *g, ww_json *j) {
  ww_json_key(j, "hex");
  write_hex(g->hex, g->hex_n, j);
  if (!g->nptrs)
    return;
  ww_json_put(j, "ptrs:[");
  for (uint32_t i = 0; i < g->nptrs; i++) {
    ww_json_put(j, "{at:%u", g->ptrs[i].at);
    write_buffer_members(&g->ptrs[i].buffer, j);
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
}

/* Numbers, or the expressions in their place. */
static void write_numbers(const char *key,
                          const uint64_t *v,
                          const char *const *expr,
                          uint32_t n,
                          ww_json *j) {
  ww_json_put(j, "%s:[", key);
  for (uint32_t k = 0; k < n; k++)
    if (expr[k])
      ww_json_str(j, expr[k]);
    else
      ww_json_uint(j, v[k]);
  ww_json_end_arr(j);
}

static void write_sides(const char *key, const uint32_t *v, uint32_t n, ww_json *j) {
  ww_json_put(j, "%s:[", key);
  for (uint32_t k = 0; k < n; k++)
    ww_json_uint(j, v[k]);
  ww_json_end_arr(j);
}

static void write_map(const ww_arg *g, ww_json *j) {
  const ww_tensor_map *m = g->map;
  bool steps = false;
  bool strides = false;
  for (uint32_t d = 0; d < m->rank; d++) {
    steps |= m->steps[d] > 1;
    strides |= d && (m->strides[d] || m->strides_expr[d]);
  }
  ww_json_put(j, "tensormap:{buffer:{");
  write_buffer_members(&g->buffer, j);
  ww_json_put(j, "},type:%s", m->type);
  write_numbers("dims", m->dims, m->dims_expr, m->rank, j);
  if (strides)
    write_numbers("strides", m->strides + 1, m->strides_expr + 1, m->rank - 1, j);
  write_sides("box", m->box, m->rank, j);
  if (steps)
    write_sides("elem_strides", m->steps, m->rank, j);
  ww_json_put(j, "swizzle?:%s,outside?:%s}",
              m->swizzle ? ww_swizzle_names[m->swizzle] : NULL,
              m->nan_fill ? "nan" : NULL);
}

static void write_arg(const ww_arg *g, ww_json *j) {
  if (g->kind == WW_ARG_NONE && !g->name)
    return ww_json_str(j, NULL);
  ww_json_put(j, "{name?:%s", g->name);
  if (g->kind == WW_ARG_VALUE) {
    ww_json_key(j, "value");
    write_value(g, j);
  } else if (g->kind == WW_ARG_BUFFER) {
    ww_json_put(j, "buffer:{");
    write_buffer_members(&g->buffer, j);
    ww_json_end_obj(j);
  } else if (g->kind == WW_ARG_HEX)
    write_hex_arg(g, j);
  else if (g->kind == WW_ARG_TENSORMAP)
    write_map(g, j);
  ww_json_end_obj(j);
}

static void write_shape(const char *key,
                        const uint64_t dims[3],
                        const char *const exprs[3],
                        ww_json *j) {
  if (!dims[0] && !exprs[0])
    return;
  ww_json_put(j, "%s:[", key);
  for (int i = 0; i < 3; i++)
    if (exprs[i])
      ww_json_str(j, exprs[i]);
    else
      ww_json_uint(j, dims[i] ? dims[i] : 1);
  ww_json_end_arr(j);
}

static void write_library(const ww_library_call *c, ww_json *j) {
  uint32_t n = WW_LIBRARY_SIZES;
  while (n > 1 && c->size[n - 1] == 1)
    n--;
  ww_json_put(j, "library:{name:%s,call:%s,type:%s,size:[", c->name, c->call, c->type);
  for (uint32_t i = 0; i < n; i++)
    ww_json_uint(j, c->size[i]);
  ww_json_put(j, "]}");
}

void ww_launch_write(const ww_launch *l, ww_json *j) {
  ww_json_put(j, "{file?:%s,kernel?:%s", l->file, l->kernel);
  if (l->nmore)
    ww_json_strings(j, "files", l->more, l->nmore);
  if (l->library)
    write_library(l->library, j);
  write_shape("grid", l->grid, l->grid_expr, j);
  write_shape("block", l->block, l->block_expr, j);
  write_shape("cluster", l->cluster, (const char *const[3]){0}, j);
  if (l->shared_expr)
    ww_json_kstr(j, "shared", l->shared_expr);
  else if (l->shared_given || l->shared)
    ww_json_kuint(j, "shared", l->shared);
  ww_json_put(j, "cache?:%s,cooperative?:%i,binary?:%s", l->warm ? "warm" : NULL,
              l->cooperative, l->binary);
  if (l->nargs) {
    ww_json_put(j, "args:[");
    for (uint32_t i = 0; i < l->nargs; i++)
      write_arg(&l->args[i], j);
    ww_json_end_arr(j);
  }
  if (l->nsymbols) {
    ww_json_put(j, "symbols:{");
    for (uint32_t i = 0; i < l->nsymbols; i++) {
      ww_json_key(j, l->symbols[i].name);
      write_arg(&l->symbols[i].arg, j);
    }
    ww_json_end_obj(j);
  }
  if (l->nflags)
    ww_json_strings(j, "flags", l->flags, l->nflags);
  if (l->nat) {
    ww_json_put(j, "at:[");
    for (uint32_t i = 0; i < l->nat; i++)
      ww_json_uint(j, l->at[i]);
    ww_json_end_arr(j);
  }
  ww_json_put(j, "seed?:%lu,count?:%lu,note?:%s}", l->seed > 1 ? l->seed : 0,
              l->count > 1 ? l->count : 0, l->note);
}
