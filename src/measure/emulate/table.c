/* table.c - what the front end knows about a program's kernels and variables, as the
 * lines that runtime/state.c reads. */
#include "../../base/json_put.h"
#include "../../trace/roles.h"
#include "../../trace/setup.h"
#include "emulate_int.h"

#define INIT_MAX (16u << 20) /* bytes of one variable's initial contents */

/* Launch specs are read from another folder: paths in flags become absolute. */
static void write_flags(const ww_front_options *f, ww_json *j, ww_arena *a) {
  static const char *const with_path[] = {"-I", "-isystem", "-include", "-iquote",
                                          NULL};
  ww_json_put(j, "flags:[");
  for (uint32_t i = 0; i < f->nflags; i++) {
    const char *w = f->flags[i];
    const char *const *p = with_path;
    if (ww_starts(w, "-l") || ww_starts(w, "-L"))
      continue; /* the linker's */
    while (*p && !ww_starts(w, *p))
      p++;
    if (*p && !w[strlen(*p)] && i + 1 < f->nflags) {
      ww_json_str(j, w);
      ww_json_str(j, ww_path_real(a, f->flags[++i]));
    } else if (*p && !strcmp(*p, "-I")) {
      ww_json_str(j, ww_fmt(a, "-I%s", ww_path_real(a, w + 2)));
    } else {
      ww_json_str(j, w);
    }
  }
  /* --lang openmp, for the reader */
  if (f->dialect == WW_OPENMP)
    ww_json_str(j, "-fopenmp-targets=nvptx64-nvidia-cuda");
  ww_json_end_arr(j);
}

static void
write_settings(const ww_emulate_options *o, const char *ir, ww_json *j, ww_arena *a) {
  double limit = o->limit_s > 0 ? o->limit_s : WW_EMULATE_LIMIT_S;
  ww_json_put(j, "{gpu:%s,execute:%u,execute_s:%u,ir?:%s", o->gpu ? o->gpu : "h200",
              (unsigned)o->execute, (unsigned)(limit / 6) + 1, ir);
  write_flags(&o->front, j, a);
  ww_json_end_obj(j);
}

static void write_symbol(const ww_symbol *y, ww_json *j, ww_arena *a) {
  char *hex = NULL;
  if (y->init && y->size <= INIT_MAX) {
    static const char digits[] = "0123456789abcdef";
    hex = ww_alloc(a, 2 * y->size + 1);
    for (uint64_t i = 0; i < y->size; i++) {
      hex[2 * i] = digits[y->init[i] >> 4];
      hex[2 * i + 1] = digits[y->init[i] & 15];
    }
  }
  ww_json_put(j, "{symbol:%s,name:%s,bytes:%lu,written?:%i,init?:%s}",
              y->mangled ? y->mangled : y->name, y->name, y->size,
              y->space == WW_GLOBAL, hex);
}

/* How a number is written in a launch spec: by IR type, unsigned where the source says
 * so. */
static const char *type_of(const ww_param *p) {
  static const char *const names[WW_NTYPES] = {
      NULL, "u8", "i8", "i16", "i32", "i64", "f16", "bf16", "u8", "u8", "f32", "f64"};
  static const char *const unsigned_names[WW_NTYPES] = {
      NULL, "u8", "u8", "u16", "u32", "u64", "f16", "bf16", "u8", "u8", "f32", "f64"};
  bool is_unsigned =
      p->ctype && (strstr(p->ctype, "unsigned") || strstr(p->ctype, "uint") ||
                   strstr(p->ctype, "size_t"));
  if (p->pointer || p->byval)
    return NULL;
  return is_unsigned ? unsigned_names[p->type] : names[p->type];
}

static void write_params(const ww_fn *fn, ww_json *j, ww_arena *a) {
  ww_json_put(j, "params:[");
  for (uint32_t i = 0; i < fn->nparams; i++) {
    const ww_param *p = &fn->params[i];
    bool readonly =
        p->pointer && (p->readonly || (!fn->refusal && !ww_may_write(fn, i, a)));
    ww_json_put(j, "{size:%u,pointer:%i,byval:%i,readonly?:%i,type?:%s}", p->size,
                p->pointer, p->byval, readonly, type_of(p));
  }
  ww_json_end_arr(j);
}

static void write_kernel(const ww_front_options *f,
                         const ww_module *m,
                         const ww_fn *fn,
                         const bool *used,
                         ww_json *j,
                         ww_arena *a) {
  ww_strings files = {0};
  ww_emulate_sources(f, m, fn, a, &files);
  ww_json_put(j, "{kernel:%s,name:%s,file?:%s,shared:%u,max_threads:%u", fn->mangled,
              fn->name, files.n ? files.v[0] : NULL, fn->shared_bytes, fn->max_threads);
  if (files.n > 1)
    ww_json_strings(j, "more", files.v + 1, files.n - 1);
  write_params(fn, j, a);
  ww_json_put(j, "symbols:[");
  for (uint32_t s = 0; s < m->nsymbols; s++)
    if (used[s] && m->symbols[s].space != WW_SHARED)
      ww_json_str(j,
                  m->symbols[s].mangled ? m->symbols[s].mangled : m->symbols[s].name);
  ww_json_put(j, "]}");
}

char *ww_emulate_table(const ww_emulate_options *o,
                       const ww_unit *u,
                       const char *ir,
                       ww_arena *a) {
  ww_buf b = {0};
  ww_json j = {.out = &b};
  write_settings(o, ir, &j, a);
  const ww_module *m = u ? &u->module : NULL;
  for (uint32_t i = 0; m && i < m->nsymbols; i++) {
    if (m->symbols[i].space == WW_SHARED)
      continue;
    ww_buf_puts(&b, "\n");
    ww_json_begin(&j, &b);
    write_symbol(&m->symbols[i], &j, a);
  }
  ww_arena *scratch = ww_arena_new();
  for (uint32_t i = 0; m && i < m->nfns; i++) {
    if (!m->fns[i].kernel || !m->fns[i].mangled)
      continue;
    const bool *used = ww_setup_place(m, &m->fns[i], scratch, &(ww_setup){0});
    ww_buf_puts(&b, "\n");
    ww_json_begin(&j, &b);
    write_kernel(&o->front, m, &m->fns[i], used, &j, a);
  }
  ww_arena_free(scratch);
  ww_buf_puts(&b, "\n");
  return ww_buf_text(&b, a);
}
