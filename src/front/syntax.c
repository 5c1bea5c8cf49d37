/* syntax.c - see syntax.h.
 *
 * The child parses and writes rows and a pool of names; it works on somebody's source,
 * so nothing that it writes is believed: the parent checks each row against the text.
 */
#include "syntax.h"

#include <dlfcn.h>

#include "../base/child.h"
#include "../base/confine.h"
#include "front_int.h"
#include "libclang.h"

#define TIMEOUT_S 60
#define MOST_BYTES (4ull << 30) /* of the child's memory */
#define MOST_NODES 2000000u

typedef struct {
#define L(result, name, parameters) result(*name) parameters;
  LIBCLANG(L)
#undef L
} library;

/* A node as the child writes it; names are places in the pool behind the rows. */
typedef struct {
  int32_t cursor, parent; /* CXCursorKind */
  uint32_t begin, end, decl, bytes, name, spelled;
  int64_t value;
  uint8_t type;
  uint8_t macro, constant, is_const, is_restrict, is_volatile, redeclared;
} row;

typedef struct {
  uint32_t begin, end;
} range;

/* The child's state. */
typedef struct {
  const char *path;
  const ww_strings *line;
  const char *const *read; /* folders */
  const char *lib;         /* libclang's file */
  const char *text;
  size_t n;
  library l;
  void *file; /* the source, as libclang knows it */
  ww_arena *a;
  WW_VEC(row) rows;
  WW_VEC(range) macros;
  ww_buf pool;
  int32_t above; /* the parent of what is visited now */
} reader;

/* ---- in the child ---- */

static uint32_t pool_add(reader *r, const char *s) {
  if (!s || !*s)
    return 0;
  uint32_t at = r->pool.n;
  ww_buf_add(&r->pool, s, strlen(s) + 1);
  return at;
}

static uint32_t pool_take(reader *r, CXString s) {
  uint32_t at = pool_add(r, r->l.getCString(s));
  r->l.disposeString(s);
  return at;
}

static uint32_t offset(const reader *r, CXSourceLocation at) {
  unsigned out = UINT32_MAX;
  void *file = NULL;
  r->l.getFileLocation(at, &file, NULL, NULL, &out);
  return file && r->l.File_isEqual(file, r->file) ? out : UINT32_MAX;
}

static range extent(const reader *r, CXCursor c) {
  CXSourceRange x = r->l.getCursorExtent(c);
  return (range){offset(r, r->l.getRangeStart(x)), offset(r, r->l.getRangeEnd(x))};
}

/* Begins or ends inside of one: only what has a macro well inside has a range of its
 * own. */
static bool in_macro(const reader *r, uint32_t begin, uint32_t end) {
  for (uint32_t k = 0; k < r->macros.n; k++) {
    const range *m = &r->macros.v[k];
    if ((begin >= m->begin && begin < m->end) || (end > m->begin && end <= m->end))
      return true;
  }
  return false;
}

static uint8_t type_of(int kind) {
  if (kind == CXType_Float || kind == CXType_Double)
    return kind == CXType_Float ? WW_TYPE_FLOAT : WW_TYPE_DOUBLE;
  if (kind == CXType_Pointer)
    return WW_TYPE_POINTER;
  if (kind >= CXType_ConstantArray && kind <= CXType_DependentSizedArray)
    return WW_TYPE_ARRAY;
  return (kind >= CXType_Bool && kind <= CXType_Int128) || kind == CXType_Enum
             ? WW_TYPE_INT
             : WW_TYPE_OTHER;
}

/* Numbers, pointers, classes, vectors. libclang looks for ever for the size of a
 * placeholder's type, as threadIdx.x has it. */
static bool is_sized(int kind) {
  return (kind >= CXType_Bool && kind <= CXType_Double) || kind == CXType_Half ||
         kind == CXType_BFloat16 || kind == CXType_Pointer || kind == CXType_Record ||
         kind == CXType_Enum || kind == CXType_Vector || kind == CXType_ExtVector;
}

static void describe_type(reader *r, CXCursor c, row *out) {
  const library *l = &r->l;
  CXType t = l->getCanonicalType(l->getCursorType(c));
  out->type = type_of(t.kind);
  out->is_restrict = l->isRestrictQualifiedType(t);
  if (out->type == WW_TYPE_POINTER)
    t = l->getPointeeType(t);
  while (type_of(t.kind) == WW_TYPE_ARRAY)
    t = l->getArrayElementType(t);
  out->is_const = l->isConstQualifiedType(t);
  out->is_volatile = l->isVolatileQualifiedType(t);
  out->spelled = pool_take(r, l->getTypeSpelling(t));
  long long size = is_sized(t.kind) ? l->Type_getSizeOf(t) : 0;
  out->bytes = size > 0 && size < 1 << 20 ? size : 0;
}

static bool has_value(int kind) {
  return kind == 101 || kind == 106 || kind == 111 || kind == 112 || kind == 114;
}

static void evaluate(reader *r, CXCursor c, row *out) {
  const library *l = &r->l;
  if (out->type != WW_TYPE_INT || !has_value(out->cursor))
    return;
  void *v = l->Cursor_Evaluate(c);
  if (v && l->EvalResult_getKind(v) == CXEval_Int) {
    out->constant = true;
    out->value = l->EvalResult_getAsLongLong(v);
  }
  if (v)
    l->EvalResult_dispose(v);
}

static void describe_name(reader *r, CXCursor c, row *out) {
  const library *l = &r->l;
  CXCursor to = l->getCursorReferenced(c);
  out->decl = UINT32_MAX;
  if (out->cursor == 114 || out->cursor == 115) {
    out->name = pool_take(
        r, l->getBinaryOperatorKindSpelling(l->getCursorBinaryOperatorKind(c)));
    return;
  }
  if (out->cursor == 112) {
    out->name =
        pool_take(r, l->getUnaryOperatorKindSpelling(l->getCursorUnaryOperatorKind(c)));
    return;
  }
  out->name = pool_take(r, l->getCursorSpelling(c));
  out->redeclared = (out->cursor == 8 || out->cursor == 30) &&
                    !l->equalCursors(l->getCanonicalCursor(c), c);
  if (!l->Cursor_isNull(to))
    out->decl = offset(r, l->getCursorLocation(to));
}

static int visit(CXCursor c, CXCursor parent, void *ctx) {
  reader *r = ctx;
  const library *l = &r->l;
  range at = extent(r, c);
  int kind = l->getCursorKind(c);
  (void)parent;
  if (at.begin == UINT32_MAX || at.end > r->n || at.begin > at.end ||
      r->rows.n >= MOST_NODES)
    return CXChildVisit_Continue;
  if (kind >= 500) {
    if (kind == CXCursor_MacroExpansion)
      ww_push(r->a, &r->macros, at);
    return CXChildVisit_Continue;
  }
  row x = {.cursor = kind, .parent = r->above, .begin = at.begin, .end = at.end};
  describe_type(r, c, &x);
  describe_name(r, c, &x);
  evaluate(r, c, &x);
  int32_t above = r->above;
  r->above = r->rows.n;
  ww_push(r->a, &r->rows, x);
  l->visitChildren(c, visit, r);
  r->above = above;
  return CXChildVisit_Continue;
}

/* Errors of the text itself: around them the tree is not the code's. */
static void add_errors(reader *r, void *unit) {
  const library *l = &r->l;
  unsigned n = l->getNumDiagnostics(unit);
  for (unsigned k = 0; k < n && r->rows.n < MOST_NODES; k++) {
    void *d = l->getDiagnostic(unit, k);
    uint32_t at = offset(r, l->getDiagnosticLocation(d));
    if (l->getDiagnosticSeverity(d) < CXDiagnostic_Error || at > r->n)
      continue;
    row x = {.cursor = WW_SYNTAX_ERROR,
             .parent = -1,
             .begin = at,
             .end = at,
             .decl = UINT32_MAX,
             .name = pool_take(r, l->getDiagnosticSpelling(d))};
    ww_push(r->a, &r->rows, x);
  }
}

static bool open_library(reader *r) {
  void *lib = dlopen(r->lib, RTLD_NOW | RTLD_LOCAL);
  if (!lib)
    return false;
#define L(result, name, parameters)                  \
  *(void **)&r->l.name = dlsym(lib, "clang_" #name); \
  if (!r->l.name)                                    \
    return false;
  LIBCLANG(L)
#undef L
  return true;
}

/* The first byte: 0 read, 1 no library, 2 it cannot parse. */
static void work(void *ctx, ww_buf *out) {
  reader *r = ctx;
  uint8_t state = 1;
  ww_confine_self(&(ww_confine){.read = r->read});
  void *unit = NULL;
  CXUnsavedFile file = {r->path, r->text, r->n};
  if (open_library(r)) {
    void *index = r->l.createIndex(0, 0);
    state = r->l.parseTranslationUnit2FullArgv(index, r->path, r->line->v, r->line->n,
                                               &file, 1, CX_PARSE_OPTIONS, &unit)
                ? 2
                : 0;
  }
  ww_buf_add(out, &state, 1);
  if (state || !unit)
    return;
  r->a = ww_arena_new();
  ww_buf_add(&r->pool, "", 1);
  r->above = -1;
  r->file = r->l.getFile(unit, r->path);
  r->l.visitChildren(r->l.getTranslationUnitCursor(unit), visit, r);
  for (uint32_t k = 0; k < r->rows.n; k++)
    r->rows.v[k].macro = in_macro(r, r->rows.v[k].begin, r->rows.v[k].end);
  add_errors(r, unit);
  ww_buf_add(out, &r->rows.n, sizeof r->rows.n);
  ww_buf_add(out, r->rows.v, r->rows.n * sizeof *r->rows.v);
  ww_buf_add(out, r->pool.s, r->pool.n);
  ww_arena_free(r->a);
}

/* ---- here ---- */

static uint8_t kind_of(int32_t cursor) {
  switch (cursor) {
#define N(id, kind) \
  case kind:        \
    return WW_NODE_##id;
    WW_NODES(N)
#undef N
  default:
    return WW_NODE_OTHER;
  }
}

/* What OpenCL says of a variable of a thread's own goes without saying. */
static const char *spelling(const char *type) {
  return ww_starts(type, "__private ") ? type + strlen("__private ") : type;
}

static bool
add_node(const row *x, uint32_t at, const char *pool, size_t pool_n, ww_syntax *out) {
  if (x->parent >= (int32_t)at || x->parent < -1 || x->begin > x->end ||
      x->end > out->bytes || x->name >= pool_n || x->spelled >= pool_n ||
      x->type > WW_TYPE_ARRAY || (x->decl != UINT32_MAX && x->decl >= out->bytes))
    return false;
  out->v[at] = (ww_node){.kind = kind_of(x->cursor),
                         .type = x->type,
                         .macro = x->macro,
                         .constant = x->constant,
                         .is_const = x->is_const,
                         .is_restrict = x->is_restrict,
                         .is_volatile = x->is_volatile,
                         .redeclared = x->redeclared,
                         .parent = x->parent,
                         .begin = x->begin,
                         .end = x->end,
                         .last = at + 1,
                         .decl = x->decl,
                         .bytes = x->bytes,
                         .value = x->value,
                         .name = pool + x->name,
                         .spelled = spelling(pool + x->spelled)};
  for (int32_t p = x->parent; p >= 0; p = out->v[p].parent)
    out->v[p].last = at + 1;
  return true;
}

static ww_status read_rows(const ww_buf *b, ww_arena *a, ww_syntax *out, ww_err *e) {
  uint32_t n = 0;
  if (b->n && b->s[0] == 1)
    return ww_fail(e, WW_EUNSUPPORTED,
                   "no libclang is installed beside clang: install it (Debian: "
                   "libclang1-NN of the same version)");
  if (b->n > 5)
    memcpy(&n, b->s + 1, 4);
  size_t rows = (size_t)n * sizeof(row);
  if (b->n <= 5 || n > MOST_NODES || b->n < 5 + rows + 1 || b->s[b->n - 1])
    return ww_fail(e, WW_EDATA, "libclang cannot read '%s'", "the source");
  const char *pool = ww_strndup(a, "", 0);
  size_t pool_n = b->n - 5 - rows;
  pool = memcpy(ww_alloc(a, pool_n), b->s + 5 + rows, pool_n);
  out->v = WW_NEWN(a, ww_node, n + 1);
  out->n = n;
  for (uint32_t k = 0; k < n; k++) {
    row x;
    memcpy(&x, b->s + 5 + k * sizeof x, sizeof x);
    if (!add_node(&x, k, pool, pool_n, out))
      return ww_fail(e, WW_EDATA, "libclang gives places outside of the source");
  }
  return WW_OK;
}

/* libclang of the clang that is used: beside it, else by the loader's own search. */
static const char *library_of(const ww_clang *c, ww_arena *a) {
  const char *home = ww_clang_home(c->path, a);
  const char *beside =
      ww_path_join(a, home, ww_fmt(a, "../lib/libclang-%d.so.1", c->version));
  return ww_file_exists(beside) ? beside : ww_fmt(a, "libclang-%d.so.1", c->version);
}

/* libclang looks for clang's own headers where its packager meant them to be; clang's
 * are taken. */
static void add_headers_of(const ww_clang *c, ww_arena *a, ww_strings *line) {
  const char *folder = ww_path_join(a, ww_clang_home(c->path, a),
                                    ww_fmt(a, "../lib/clang/%d", c->version));
  if (ww_file_exists(ww_path_join(a, folder, "include")))
    WW_ADD(a, line, "-resource-dir", folder);
}

ww_status
ww_syntax_read(const ww_front_options *o, ww_arena *a, ww_syntax *out, ww_err *e) {
  ww_scan scan;
  ww_flags flags;
  ww_clang clang;
  ww_strings line = {0};
  ww_strings read = {0};
  ww_buf b = {0};
  *out = (ww_syntax){0};
  ww_flags_sort(o->flags, o->nflags, a, &flags);
  if (ww_front_scan(o, 0, a, &scan, e) || ww_clang_find(a, &clang, e))
    return e->code;
  int dialect = o->dialect >= 0 ? o->dialect : ww_front_dialect(o->files[0], &scan);
  ww_clang_job j = ww_front_new_job(o, &clang, dialect < 0 ? WW_CUDA : dialect, &flags);
  ww_front_job(o, 0, &scan, &j);
  ww_clang_driver_line(&j, a, &line);
  add_headers_of(&clang, a, &line);
  ww_clang_may may = {.visible = o->visible, .nvisible = o->nvisible};
  ww_clang_readable(clang.path, &may, a, &read);
  *out = (ww_syntax){.text = scan.text, .bytes = scan.n};
  reader r = {.path = ww_plain_path(j.file, a),
              .line = &line,
              .read = read.v,
              .lib = library_of(&clang, a),
              .text = scan.text,
              .n = scan.n};
  ww_child child = {.work = work,
                    .ctx = &r,
                    .bytes = MOST_BYTES,
                    .deadline = ww_now() + ww_front_left(o->deadline, TIMEOUT_S)};
  ww_status st = ww_child_run(&child, &b, e);
  if (!st)
    st = read_rows(&b, a, out, e);
  ww_buf_free(&b);
  return st;
}
