/* ptx.c - a PTX module as IR: its kernels, what they call, the variables that they use,
 * their places in the source. */
#include "ptx_int.h"

#include <stdlib.h>

/* ---- places ---- */

/* A relative name is one beside the PTX, where there is such a file. */
static const char *found(ptx_module *p, const char *name) {
  const char *beside = ww_path_join(p->a, ww_path_dir(p->a, p->path), name);
  bool inside = *name != '/' && !strstr(name, "..");
  return inside && ww_file_exists(beside) ? beside : name;
}

static uint32_t file_of(ptx_module *p, uint32_t number) {
  for (uint32_t k = 0; k < p->files.n; k++) {
    struct ptx_file *f = &p->files.v[k];
    if (f->number != number)
      continue;
    if (!f->index)
      f->index = low_add_file(&p->m, found(p, f->path)) + 1;
    return f->index - 1;
  }
  return 0;
}

/* "1 12 3, function_name $info, inlined_at 1 40 5": what was inlined from a header that
 * nobody here wrote counts where that was. */
static uint32_t parse_loc(ptx_module *p, const char *text) {
  char *c;
  uint32_t file = file_of(p, strtoul(text, &c, 10));
  uint32_t line = strtoul(c, &c, 10);
  const char *at = strstr(text, "inlined_at");
  uint32_t outer = 0;
  if (at) {
    uint32_t number = strtoul(at + strlen("inlined_at"), &c, 10);
    uint32_t where = file_of(p, number);
    uint32_t of = strtoul(c, &c, 10);
    const uint32_t *known = ww_map_find(&p->loc_of, ((uint64_t)where << 32 | of) + 1);
    outer = known ? *known : of ? low_add_loc(&p->m, (ww_loc){where, of, 0}) : 0;
  }
  bool foreign = !file || !line || low_foreign_file(p->m.file_list.v[file]);
  uint32_t own = line ? low_add_loc(&p->m, (ww_loc){file, line, outer}) : 0;
  uint32_t loc = foreign && outer ? outer : own;
  if (line)
    *ww_map_at(&p->loc_of, p->a, ((uint64_t)file << 32 | line) + 1, NULL) = loc;
  return loc;
}

uint32_t ptx_loc(ptx_module *p, const char *text, uint32_t line) {
  return text ? parse_loc(p, text)
              : low_add_loc(&p->m, (ww_loc){low_add_file(&p->m, p->path), line, 0});
}

/* ---- variables ---- */

#define MAX_INIT (256ull << 20) /* bytes */

typedef struct {
  ptx_module *p;
  uint8_t *bytes;
  uint64_t size, at;
  WW_VEC(struct ww_reloc) relocs;
  bool any, failed;
} init;

/* generic(x)+8, x, f: an address. */
static bool init_address(init *n, const char *c, size_t len) {
  char *s = ww_strndup(n->p->a, c, len);
  bool generic = ww_starts(s, "generic(");
  char *name = generic ? s + strlen("generic(") : s;
  size_t w = ptx_word(name);
  char *plus = strpbrk(name + w, "+-");
  int64_t add = plus ? strtoll(*plus == '+' ? plus + 1 : plus, NULL, 0) : 0;
  const uint32_t *var = ww_dict_find(&n->p->var_named, name, w);
  name = ww_strndup(n->p->a, name, w);
  low_fn *fn = var || !w ? NULL : ptx_want_fn(n->p, name);
  if (!var && !fn)
    return false;
  struct ww_reloc r = {n->at, fn != NULL,
                       fn ? fn->index : ptx_symbol(n->p, &n->p->vars.v[*var - 1]), add};
  ww_push(n->p->a, &n->relocs, r);
  n->any = true;
  return true;
}

/* Numbers, addresses and braces around them, one element behind the other. */
static void init_all(init *n, const char *c, ww_type t) {
  uint32_t size = ww_type_bytes[t];
  while (*c && !n->failed) {
    c += strspn(c, " \t\n\r{},");
    size_t len = strcspn(c, ",{}");
    uint64_t bits = 0;
    while (len && ww_is_space(c[len - 1]))
      len--;
    if (!len)
      continue;
    if (n->at + size > n->size)
      return;
    if (ptx_immediate(ww_strndup(n->p->a, c, len), t, &bits)) {
      memcpy(n->bytes + n->at, &bits, size);
      n->any |= bits != 0;
    } else
      n->failed = size != 8 || !init_address(n, c, len);
    n->at += size;
    c += len;
  }
}

static void init_symbol(ptx_module *p, uint32_t index, const ptx_var *v) {
  ww_symbol *s = &p->m.sym_list.v[index];
  if (!v->init || !s->size || v->type == WW_VOID)
    return;
  p->init_bytes += s->size;
  if (p->init_bytes > MAX_INIT) {
    p->m.sym_refusal.v[index] = "uses a variable among initialisers of over 256 MiB";
    return;
  }
  init n = {.p = p, .bytes = ww_alloc(p->a, s->size), .size = s->size};
  init_all(&n, v->init, v->type);
  s = &p->m.sym_list.v[index]; /* the list may have grown */
  if (n.any) {
    s->init = n.bytes;
    s->relocs = n.relocs.v;
    s->nrelocs = n.relocs.n;
  }
  if (n.failed)
    p->m.sym_refusal.v[index] =
        ww_fmt(p->a, "uses %s, whose initialiser is not supported", s->name);
}

uint32_t ptx_symbol(ptx_module *p, ptx_var *v) {
  if (v->symbol)
    return v->symbol - 1;
  ww_symbol s = {.mangled = v->name,
                 .name = low_variable_name(&p->m, v->name),
                 .space = v->space,
                 .size = v->bytes,
                 .align = v->align,
                 .dynamic = v->space == WW_SHARED && v->external};
  if (s.dynamic)
    s.size = 0;
  for (uint32_t k = 0; k < p->m.sym_list.n; k++)
    if (!strcmp(p->m.sym_list.v[k].mangled, s.mangled)) /* of another function */
      s.mangled = ww_fmt(p->a, "%s.%u", v->name, p->m.sym_list.n);
  bool missing = v->external && !s.dynamic;
  const char *why =
      missing ? ww_fmt(p->a, "uses the variable %s, which has no definition", s.name)
      : v->type == WW_VOID
          ? ww_fmt(p->a, "uses %s, a texture, sampler or surface", s.name)
          : NULL;
  uint32_t index = low_add_symbol(&p->m, s, why);
  v->symbol = index + 1;
  ptx_var own = *v;
  init_symbol(p, index, &own);
  return index;
}

/* ---- functions ---- */

ptx_function *ptx_function_of(ptx_module *p, const char *name) {
  const uint32_t *at = ww_dict_find(&p->fn_named, name, strlen(name));
  if (!at || !p->fns.v[*at - 1].body)
    at = ww_dict_find(&p->aliases, name, strlen(name));
  return at && *at && p->fns.v[*at - 1].body ? &p->fns.v[*at - 1] : NULL;
}

static low_fn *make_fn(ptx_module *p, ptx_function *def) {
  low_fn *F = low_add_fn(&p->m);
  F->is_kernel = F->fn.kernel = def->entry;
  F->fn.mangled = def->name;
  F->fn.name = ww_ir_demangle(def->name, p->a, &def->types);
  if (!F->fn.name)
    F->fn.name = low_plain_name(p->a, def->name);
  F->fn.max_threads = def->max_threads;
  F->fn.min_blocks = def->max_threads ? def->min_blocks : 0;
  memcpy(F->fn.req_block, def->req_block, sizeof def->req_block);
  memcpy(F->fn.cluster, def->cluster, sizeof def->cluster);
  F->fn.file = p->path;
  F->fn.line = def->line;
  def->made = F->index + 1;
  return F;
}

low_fn *ptx_want_fn(ptx_module *p, const char *name) {
  ptx_function *def = ptx_function_of(p, name);
  if (!def)
    return NULL;
  return def->made ? p->m.list.v[def->made - 1] : make_fn(p, def);
}

/* The function that became list[index]. */
static ptx_function *made_as(ptx_module *p, uint32_t index) {
  uint32_t k = 0;
  while (p->fns.v[k].made != index + 1)
    k++;
  return &p->fns.v[k];
}

ww_status ww_ptx_read(const char *text,
                      size_t n,
                      const char *path,
                      ww_arena *a,
                      ww_module *out,
                      ww_err *e) {
  ptx_module *p = WW_NEW(a, ptx_module);
  *p = (ptx_module){
      .m = {.a = a, .out = out, .dialect = WW_CUDA, .warp = 32, .compiled = true},
      .a = a,
      .path = ww_strdup(a, path),
      .workspace = {.name = "grid_workspace",
                    .space = WW_GLOBAL,
                    .type = WW_I32,
                    .align = 16,
                    .bytes = 16},
      .reserved = {.name = "reserved_shared",
                   .space = WW_SHARED,
                   .type = WW_I8,
                   .align = 16,
                   .bytes = 288},
      .e = e};
  low_begin(&p->m);
  p->has_lines =
      (strstr(text, ".loc ") || strstr(text, ".loc\t")) && strstr(text, ".file");
  ww_status rc = ptx_parse_module(p, ww_strndup(a, text, n), n);
  if (rc)
    return rc;
  for (uint32_t k = 0; k < p->fns.n; k++)
    if (p->fns.v[k].entry && p->fns.v[k].body && !p->fns.v[k].made)
      make_fn(p, &p->fns.v[k]);
  for (uint32_t k = 0; k < p->m.list.n; k++) /* grows */
    ptx_lower_fn(p, made_as(p, k));
  return low_deliver(&p->m, e);
}
