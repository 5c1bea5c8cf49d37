/* question_read.c - the kernel that is meant, and of the file only what it uses:
 * functions, constants, tables, structs.
 *
 * Several spellings of one thing become one token: builtins of the dialects, types of
 * several words, casts. `blockIdx.x * blockDim.x + threadIdx.x` and get_global_id(0)
 * are both gx. That works in place: tokens only get fewer.
 *
 * Workload: files of some hundred lines, thousands of them one after the other; hostile
 * ones up to SOURCE_MOST bytes. */
#include <ctype.h>
#include <stdlib.h>

#include "question_find.h"

enum { SOURCE_MOST = 8 << 20, PARTS_MOST = 64 };

/* ---- one spelling for one thing ---- */

static const struct {
  const char *names;
  char type;
  uint8_t bytes;
} types[] = {{"bool", 'b', 1},         {"char uchar", 'c', 1},
             {"short ushort", 's', 2}, {"int", 'i', 4},
             {"uint", 'u', 4},         {"long ulong longlong ulonglong", 'l', 8},
             {"half bfloat", 'h', 2},  {"float", 'f', 4},
             {"double", 'd', 8},       {"void", 'o', 1}};

uint32_t ww_qtype_named(const ww_qtoken *t, char *type, uint32_t *bytes) {
  ww_qtoken word = *t; /* without the digits of float4 */
  while (word.n && t->s[word.n - 1] >= '0' && t->s[word.n - 1] <= '9')
    word.n--;
  uint32_t digits = t->n - word.n;
  uint32_t lanes = digits ? t->s[word.n] - '0' : 1;
  if (digits == 2 && lanes == 1)
    lanes = 16;
  if (digits > 2 || !word.n)
    return 0;
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    if (lanes && ww_qtoken_in(&word, types[k].names)) {
      *type = types[k].type;
      *bytes = types[k].bytes * lanes;
      return lanes;
    }
  return 0;
}

static const struct {
  const char *from, *to;
} synonyms[] = {{"size_t", "ulong"},          {"uint8_t", "uchar"},
                {"int8_t", "char"},           {"uint16_t", "ushort"},
                {"int16_t", "short"},         {"uint32_t", "uint"},
                {"int32_t", "int"},           {"uint64_t", "ulong"},
                {"int64_t", "long"},          {"ptrdiff_t", "long"},
                {"__half", "half"},           {"__half2", "half2"},
                {"_Float16", "half"},         {"__fp16", "half"},
                {"__nv_bfloat16", "bfloat"},  {"__nv_bfloat162", "bfloat2"},
                {"nv_bfloat16", "bfloat"},    {"__syncthreads", "sync"},
                {"restrict", "__restrict__"}, {"__restrict", "__restrict__"}};

/* The token `t` with another spelling. */
static void rename_to(ww_qtoken *out, const ww_qtoken *t, const char *word) {
  *out = *t;
  out->s = word;
  out->n = strlen(word);
}

static void synonym(ww_qtoken *t) {
  for (size_t k = 0; k < sizeof synonyms / sizeof *synonyms; k++)
    if (ww_qtoken_is(t, synonyms[k].from)) {
      rename_to(t, t, synonyms[k].to);
      return;
    }
}

/* unsigned long long int: one word. Returns how many tokens it took, 0: none of these.
 */
static uint32_t many_words(const ww_qtoken *t, uint32_t n, ww_qtoken *out) {
  enum { UNSIGNED, SIGNED, CHAR, SHORT, LONG, DOUBLE, INT, NWORDS };
  static const char *const words[] = {"unsigned", "signed", "char", "short",
                                      "long",     "double", "int"};
  bool seen[NWORDS] = {false};
  uint32_t k = 0;
  for (; k < n; k++) {
    int word = 0;
    int known = k ? NWORDS : DOUBLE; /* the last two do not begin one */
    while (word < known && !ww_qtoken_is(&t[k], words[word]))
      word++;
    if (word == known)
      break;
    seen[word] = true;
  }
  if (!k)
    return 0;
  const char *s = seen[CHAR]    ? "uchar"
                  : seen[SHORT] ? "ushort"
                  : seen[LONG]  ? "ulong"
                                : "uint";
  rename_to(out, t, seen[DOUBLE] ? "double" : seen[UNSIGNED] ? s : s + 1);
  return k;
}

/* ---- builtins ---- */

static int dimension(const ww_qtoken *t) {
  return t->kind == Q_WORD && t->n == 1 && *t->s >= 'x' && *t->s <= 'z' ? *t->s - 'x'
                                                                        : -1;
}

static ww_qtoken builtin(const ww_qtoken *at, int kind, int dim) {
  ww_qtoken t = *at; /* may be a bracket */
  t.kind = Q_WORD;
  t.op = 0;
  t.sym = kind * 3 + dim;
  return t;
}

/* threadIdx.x, hipBlockDim_y, get_global_id(1). */
static uint32_t fuse_builtin(const ww_qtoken *t, uint32_t n, ww_qtoken *out) {
  static const struct {
    const char *cuda, *hip, *opencl;
  } names[Q_NBUILTINS] = {{"threadIdx", "hipThreadIdx", "get_local_id"},
                          {"blockIdx", "hipBlockIdx", "get_group_id"},
                          {"blockDim", "hipBlockDim", "get_local_size"},
                          {"gridDim", "hipGridDim", "get_num_groups"},
                          {"", "", "get_global_id"},
                          {"", "", "get_global_size"}};
  if (t->kind != Q_WORD)
    return 0;
  for (int k = 0; k < Q_NBUILTINS; k++) {
    size_t hip = strlen(names[k].hip);
    if (n > 2 && ww_qtoken_is(t, names[k].cuda) && t[1].op == '.' &&
        dimension(&t[2]) >= 0)
      return *out = builtin(t, k, dimension(&t[2])), 3;
    if (hip && t->n == hip + 2 && !memcmp(t->s, names[k].hip, hip) &&
        t->s[hip + 1] >= 'x' && t->s[hip + 1] <= 'z')
      return *out = builtin(t, k, t->s[hip + 1] - 'x'), 1;
    if (n > 3 && ww_qtoken_is(t, names[k].opencl) && t[1].op == '(' &&
        t[2].kind == Q_INT && t[2].value < 3 && t[3].op == ')')
      return *out = builtin(t, k, t[2].value), 4;
  }
  return 0;
}

/* static_cast<T>(x) is (T)(x); barrier(...) is sync(). */
static uint32_t fuse_other(ww_qtoken *t, uint32_t n, ww_qtoken *out) {
  if (n > 2 && ww_qtoken_in(t, "static_cast reinterpret_cast const_cast") &&
      t[1].op == '<') {
    for (uint32_t k = 2; k < n && k < 12; k++)
      if (t[k].op == '>') {
        t[1].op = '(';
        t[1].s = "(";
        t[k].op = ')';
        t[k].s = ")";
        *out = t[1];
        return 2;
      }
  }
  if (n > 2 && ww_qtoken_in(t, "barrier work_group_barrier") && t[1].op == '(') {
    uint32_t k = 2;
    while (k < n && k < 12 && t[k].op != ')')
      k++;
    if (k < n && t[k].op == ')') {
      rename_to(out, t, "sync");
      t[k - 1] = t[1]; /* the bracket is next */
      return k - 1;
    }
  }
  if (n > 2 && ww_qtoken_is(t, "std") && t[1].op == Q_SCOPE)
    return *out = t[2], 3;
  return 0;
}

/* ---- the global index ---- */

static bool is_builtin(const ww_qtoken *t, int kind, int *dim) {
  if (t->sym < kind * 3 || t->sym > kind * 3 + 2)
    return false;
  *dim = t->sym - kind * 3;
  return true;
}

/* b * D or D * b, in brackets or not: tokens taken, 0 none. */
static uint32_t product(const ww_qtoken *t, uint32_t n, int *dim) {
  uint32_t open = n && t->op == '(';
  int d = -1;
  int e = -2;
  if (n < 3 + 2 * open)
    return 0;
  const ww_qtoken *p = t + open;
  bool one = is_builtin(p, Q_BLOCK, &d) && is_builtin(p + 2, Q_BLOCKDIM, &e);
  bool other = !one && is_builtin(p, Q_BLOCKDIM, &d) && is_builtin(p + 2, Q_BLOCK, &e);
  if (!(one || other) || d != e || p[1].op != '*' || (open && p[3].op != ')'))
    return 0;
  *dim = d;
  return 3 + 2 * open;
}

static bool binds_tighter(const ww_qtoken *t) {
  return ww_qop_in(t, "* / % - [");
}

/* t[-1] is there when `before`. */
static uint32_t
fuse_index(const ww_qtoken *t, uint32_t n, bool before, ww_qtoken *out) {
  int d = -1;
  int e = -2;
  uint32_t k = product(t, n, &d);
  uint32_t used = 0;
  if (before && binds_tighter(&t[-1]))
    return 0;
  if (k && n > k + 1 && t[k].op == '+' && is_builtin(&t[k + 1], Q_THREAD, &e) && d == e)
    used = k + 2;
  else if (n > 4 && is_builtin(t, Q_THREAD, &e) && t[1].op == '+' &&
           (k = product(t + 2, n - 2, &d)) && d == e)
    used = k + 2;
  if (!used || (used < n && binds_tighter(&t[used]) && t[used].op != '-'))
    return 0;
  *out = builtin(t, Q_GLOBALID, d);
  return used;
}

static uint32_t fuse_words(ww_qtoken *t, uint32_t n, ww_qtoken *out) {
  synonym(t);
  *out = *t;
  uint32_t k = fuse_builtin(t, n, out);
  if (!k)
    k = many_words(t, n, out);
  return k ? k : fuse_other(t, n, out);
}

static void fuse(ww_qtokens *v) {
  for (int pass = 0; pass < 2; pass++) { /* indices are made of builtins */
    uint32_t to = 0;
    for (uint32_t i = 0, k; i < v->n; i += k ? k : 1) {
      ww_qtoken *t = &v->v[i];
      ww_qtoken out = *t;
      uint32_t left = v->n - i;
      k = pass ? fuse_index(t, left, i > 0, &out) : fuse_words(t, left, &out);
      v->v[to++] = out;
    }
    v->n = to;
  }
}

void ww_qpair(ww_qtokens *v, ww_arena *a) {
  uint32_t *stack = WW_NEWN(a, uint32_t, v->n + 1);
  uint32_t depth = 0;
  for (uint32_t i = 0; i < v->n; i++) {
    ww_qtoken *t = &v->v[i];
    t->pair = i;
    if (ww_qop_in(t, "( [ {")) {
      stack[depth++] = i;
      t->pair = v->n - 1; /* unless it is closed */
    } else if (ww_qop_in(t, ") ] }")) {
      uint32_t open = t->op == ')' ? '(' : t->op == ']' ? '[' : '{';
      while (depth && v->v[stack[depth - 1]].op != open)
        depth--;
      if (!depth)
        continue;
      t->pair = stack[--depth];
      v->v[t->pair].pair = i;
    }
  }
}

/* ---- the reader ---- */

typedef struct {
  ww_scan scan;
  ww_qlex lex;
  ww_arena *a;
  ww_dict decls; /* names of declarations that a kernel may use */
  ww_question_kernel *k;
  ww_qresolver r;
  WW_VEC(uint32_t) part_decl; /* [parts] */
} reader;

/* ---- what the file declares ---- */

/* Enumerators are numbers. */
static void read_enum(reader *r, const ww_qtokens *t, uint32_t open) {
  const ww_qtoken *v = t->v;
  double next = 0;
  for (uint32_t i = open + 1; i < t->n && v[i].op != '}'; i++) {
    const ww_qtoken *name = &v[i];
    if (name->kind != Q_WORD)
      continue;
    if (i + 2 < t->n && v[i + 1].op == '=') {
      if (v[i + 2].kind == Q_INT)
        next = v[i + 2].value;
      i += 2;
    }
    ww_qtoken value = {.kind = Q_INT,
                       .type = 'i',
                       .value = next++,
                       .sym = -1,
                       .s = name->s,
                       .n = name->n};
    ww_qlex_define(&r->lex, name, &value, 1);
    i = ww_qfind(v, i, t->n, ", }");
    if (i < t->n && v[i].op == '}')
      return;
  }
}

static void push_op(ww_arena *a, ww_qtokens *t, const char *op) {
  ww_push(a, t,
          (ww_qtoken){.kind = Q_PUNCT, .s = op, .n = 1, .op = Q_OP1(*op), .sym = -1});
}

/* `name = value`: in brackets, unless it is one token. */
static void
read_constant(reader *r, const ww_qtoken *name, const ww_qtoken *value, uint32_t n) {
  ww_qtokens v = {0};
  if (!n || n > 24)
    return;
  if (n > 1)
    push_op(r->a, &v, "(");
  for (uint32_t i = 0; i < n; i++)
    ww_push(r->a, &v, value[i]);
  if (n > 1)
    push_op(r->a, &v, ")");
  ww_qlex_define(&r->lex, name, v.v, v.n);
}

/* A variable, a constant, an alias of a type: by the first of = [ { ; */
static void read_variable(reader *r, const ww_qtokens *t, int32_t decl) {
  const ww_qtoken *v = t->v;
  bool constant = false, pointer = false;
  uint32_t i = 0;
  for (; i < t->n; i++) {
    constant |= ww_qtoken_in(&v[i], "constexpr const");
    pointer |= v[i].op == '*';
    if (ww_qop_in(&v[i], "= [ ; {"))
      break;
    if (v[i].op == '(')
      return;
  }
  if (!i || i >= t->n || v[i - 1].kind != Q_WORD)
    return;
  if (constant && !pointer && v[i].op == '=') {
    uint32_t end = ww_qfind(v, i + 1, t->n, "; , {");
    if (end < t->n && v[end].op == ';') {
      read_constant(r, &v[i - 1], &v[i + 1], end - i - 1);
      return;
    }
  }
  ww_qmap_put(&r->decls, r->a, &v[i - 1], decl);
}

static void read_alias(reader *r, const ww_qtokens *t) {
  const ww_qtoken *v = t->v;
  uint32_t end = t->n;
  while (end && v[end - 1].op != ';')
    end--;
  if (end < 4)
    return;
  if (ww_qtoken_is(&v[0], "using") && v[1].kind == Q_WORD && v[2].op == '=')
    ww_qlex_define(&r->lex, &v[1], v + 3, end - 4);
  else if (ww_qtoken_is(&v[0], "typedef") && v[end - 2].kind == Q_WORD && end - 3 < 8)
    ww_qlex_define(&r->lex, &v[end - 2], v + 1, end - 3);
}

static void read_decl(reader *r, int32_t at) {
  const ww_decl *d = &r->scan.decls[at];
  ww_qtokens t = {0};
  if (d->name) {
    if (d->body && !d->kernel)
      ww_qmap_put(&r->decls, r->a, &(ww_qtoken){.s = d->name, .n = strlen(d->name)},
                  at);
    return;
  }
  ww_qlex_range(&r->lex, d->begin, d->end < d->begin + 4000 ? d->end : d->begin + 4000,
                false, &t);
  if (!t.n)
    return;
  const ww_qtoken *v = t.v;
  for (uint32_t i = 0; i + 1 < t.n && i < 8; i++) {
    bool is_enum = ww_qtoken_is(&v[i], "enum");
    for (uint32_t k = i; is_enum && k < t.n && k < i + 6; k++)
      if (v[k].op == '{') {
        read_enum(r, &t, k);
        return;
      }
    if (d->is_class && ww_qtoken_in(&v[i], "struct class union")) {
      uint32_t name = ww_qfind(v, i + 1, t.n, "{ :");
      if (name > i + 1 && v[name - 1].kind == Q_WORD)
        ww_qmap_put(&r->decls, r->a, &v[name - 1], at);
      /* typedef struct { } name; */
      if (t.n > 2 && v[t.n - 2].kind == Q_WORD && v[t.n - 2].n)
        ww_qmap_put(&r->decls, r->a, &v[t.n - 2], at);
      return;
    }
  }
  if (ww_qtoken_in(&v[0], "using typedef"))
    read_alias(r, &t);
  else
    read_variable(r, &t, at);
}

/* ---- parts ---- */

static void add_template(reader *r, ww_qpart *p, const ww_qtoken *t, uint32_t n) {
  uint32_t end = ww_qfind(t, 0, n, "=");
  if (end < 2 || t[end - 1].kind != Q_WORD || p->ntemplates >= 16)
    return;
  bool type = ww_qtoken_in(&t[0], "typename class");
  p->templates[p->ntemplates++] =
      ww_qsym_add(&r->r, &t[end - 1], Q_TEMPLATE, type ? 'o' : 'i', 4);
}

/* template <int A, typename T> ... __launch_bounds__(256): what stands before the name.
 */
static void read_head(reader *r, ww_qpart *p, const ww_decl *d, bool kernel) {
  ww_qtokens t = {0};
  ww_qlex_range(&r->lex, d->begin, d->params, true, &t);
  p->templates = WW_NEWN(r->k->arena, int32_t, 16);
  const ww_qtoken *v = t.v;
  for (uint32_t i = 0; i + 2 < t.n; i++) {
    if (kernel && ww_qtoken_is(&v[i], "__launch_bounds__") && v[i + 2].kind == Q_INT)
      r->k->bounds = v[i + 2].value < 1e6 ? v[i + 2].value : 0;
    if (!ww_qtoken_is(&v[i], "template") || v[i + 1].op != '<')
      continue;
    uint32_t depth = 1;
    uint32_t from = i + 2;
    for (i += 2; i < t.n && depth; i++) {
      depth += v[i].op == '<';
      depth -= v[i].op == '>';
      if ((v[i].op == ',' && depth == 1) || !depth) {
        add_template(r, p, v + from, i - from);
        from = i + 1;
      }
    }
    i--;
  }
}

/* Its tokens, names not yet resolved. */
static void add_part(reader *r, int32_t decl, int32_t sym) {
  const ww_decl *d = &r->scan.decls[decl];
  ww_qpart p = {.sym = sym};
  ww_qtokens t = {0};
  if (d->body) {
    read_head(r, &p, d, sym < 0);
    push_op(r->a, &t, "(");
    ww_qlex_range(&r->lex, d->params, d->params_end, true, &t);
    push_op(r->a, &t, ")");
    uint32_t body = t.n; /* one more than the brackets' end; fusing changes it */
    ww_qlex_range(&r->lex, d->body, d->body_end, true, &t);
    if (t.n == body)
      push_op(r->a, &t, "{");
    if (t.v[t.n - 1].op != '}')
      push_op(r->a, &t, "}");
  } else
    ww_qlex_range(&r->lex, d->begin, d->end, true, &t);
  fuse(&t);
  ww_qpair(&t, r->a);
  p.t = t;
  if (d->body && t.n) {
    uint32_t body = ww_qfind(t.v, t.v[0].pair + 1, t.n, "{");
    if (body < t.n) {
      p.body = body;
      p.body_end = t.v[body].pair + 1;
    }
  }
  ww_push(r->k->arena, &r->k->parts, p);
  ww_push(r->a, &r->part_decl, decl);
}

/* A name that only the file knows. */
static int32_t unknown(void *ctx, const ww_qtoken *t) {
  reader *r = ctx;
  int32_t decl = ww_qmap_get(&r->decls, t);
  int32_t id;
  if (decl < 0 || r->k->parts.n >= PARTS_MOST)
    return -1;
  const ww_decl *d = &r->scan.decls[decl];
  id = ww_qsym_add(&r->r, t,
                   d->body       ? Q_FUNCTION
                   : d->is_class ? Q_TYPE
                                 : Q_GLOBAL,
                   'o', 4);
  r->k->syms.v[id].function = r->k->parts.n;
  ww_qmap_put(&r->r.globals, r->k->arena, t, id);
  add_part(r, decl, id);
  return id;
}

/* A table's or function's own type, from the words before its name. */
static void type_of_part(reader *r, uint32_t part) {
  const ww_qpart *p = &r->k->parts.v[part];
  const ww_decl *d = &r->scan.decls[r->part_decl.v[part]];
  ww_qsym *y = p->sym >= 0 ? &r->k->syms.v[p->sym] : NULL;
  ww_qtokens t = {0};
  if (!y || y->kind == Q_TYPE)
    return;
  ww_qlex_range(&r->lex, d->begin,
                d->body                   ? d->params
                : d->end < d->begin + 200 ? d->end
                                          : d->begin + 200,
                true, &t);
  fuse(&t);
  const ww_qtoken *v = t.v;
  uint32_t from = t.n && ww_qtoken_is(&v[0], "template") ? ww_qfind(v, 0, t.n, ">") : 0;
  for (uint32_t i = from; i < t.n; i++) {
    bool pointer = i + 1 < t.n && v[i + 1].op == '*';
    y->is_const |= ww_qtoken_in(&v[i], "__constant__ __constant constant");
    if (ww_qtoken_in(&v[i], "__shared__ __local"))
      y->kind = Q_SHARED;
    if (!pointer && ww_qtype_named(&v[i], &y->type, &y->bytes))
      return;
  }
}

/* ---- template arguments of the launch's name ---- */

static double
template_value(const char **s) { /* at I of a mangled list, or < and , of a plain one */
  const char *p = (*s)++;
  if (*p != 'L' || !p[1])
    return NAN;
  char *end; /* Li16E, Lb1E */
  double v = strtoll(p + 2 + (p[2] == 'n'), &end, 10);
  *s = end + (*end == 'E');
  return p[2] == 'n' ? -v : v;
}

static void bind_templates(reader *r, const char *kernel, const char *name) {
  const ww_qpart *p = &r->k->parts.v[0];
  const char *s = kernel ? strstr(kernel, name) : NULL;
  if (!s || !p->ntemplates)
    return;
  s += strlen(name);
  bool mangled = *s == 'I', plain = *s == '<';
  for (uint32_t i = 0;
       (mangled || plain) && i < p->ntemplates && *s && *s != 'E' && *s != '>'; i++) {
    if (mangled) {
      s += i == 0;
      r->k->constant[p->templates[i]] = template_value(&s);
    } else {
      char *end;
      double v = strtod(++s, &end);
      if (end > s)
        r->k->constant[p->templates[i]] = v;
      s = end + strcspn(end, ",>");
    }
  }
}

/* ---- what is no function ---- */

/* Its words, read as declarations as far as they look like some. */
static void add_raw(reader *r, const ww_qkernel_place *found) {
  ww_qpart p = {.sym = -1};
  if (found->directive)
    ww_qlex_words(&r->lex, found->from, found->to, &p.t);
  else
    ww_qlex_range(&r->lex, found->from, found->to, true, &p.t);
  if (!p.t.n) /* a name that stands in strings or comments alone */
    ww_qlex_range(&r->lex, 0, r->scan.n, true, &p.t);
  fuse(&p.t);
  ww_qpair(&p.t, r->a);
  ww_push(r->k->arena, &r->k->parts, p);
  ww_push(r->a, &r->part_decl, -1);
  if (*found->plain) {
    ww_qtoken name = {.kind = Q_WORD, .s = found->plain, .n = strlen(found->plain)};
    int32_t id = ww_qsym_add(&r->r, &name, Q_FUNCTION, 'o', 4);
    ww_qmap_put(&r->r.globals, r->k->arena, &name, id);
  }
}

/* ---- */

static void add_builtins(reader *r) {
  for (int i = 0; i < Q_NBUILTINS * 3; i++) {
    int32_t id = ww_qsym_add(&r->r, &(ww_qtoken){.s = ""}, Q_BUILTIN, 'i', 4);
    r->k->syms.v[id].builtin = i / 3;
    r->k->syms.v[id].dim = i % 3;
  }
}

static void read_collapse(ww_question_kernel *k) {
  const ww_qtokens *t = &k->parts.v[0].t;
  for (uint32_t i = 0; k->openmp && i + 2 < t->n; i++)
    if (ww_qtoken_is(&t->v[i], "collapse") && t->v[i + 2].kind == Q_INT)
      k->collapse = fmin(t->v[i + 2].value, 8);
}

/* All parts, which become more on the way. */
static void resolve_parts(reader *r) {
  ww_question_kernel *k = r->k;
  for (uint32_t i = 0; i < k->parts.n; i++) {
    int32_t decl = r->part_decl.v[i];
    if (decl >= 0)
      type_of_part(r, i);
    ww_qresolve(&r->r, i, decl >= 0 && r->scan.decls[decl].is_class);
  }
  k->constant = WW_NEWN(k->arena, double, k->syms.n);
  for (uint32_t i = 0; i < k->syms.n; i++)
    k->constant[i] = NAN;
}

static ww_question_kernel *new_kernel(ww_arena *a, const char *name, bool raw) {
  ww_question_kernel *k = WW_NEW(a, ww_question_kernel);
  *k = (ww_question_kernel){.arena = a, .name = name, .raw = raw, .collapse = 1};
  return k;
}

static bool has_code(const ww_scan *s) {
  for (uint32_t i = 0; i < s->n; i++)
    if (s->kind[i] != WW_BYTE_COMMENT && !isspace((unsigned char)s->text[i]))
      return true;
  return false;
}

ww_status ww_question_read(const char *source,
                           size_t n,
                           const char *kernel,
                           const char *const *flags,
                           uint32_t nflags,
                           ww_arena *a,
                           ww_question_kernel **out,
                           ww_err *e) {
  reader r = {.a = a};
  ww_qkernel_place found;
  *out = NULL;
  n = n < SOURCE_MOST ? n : SOURCE_MOST;
  n = strnlen(source, n);
  ww_scan_source(ww_strndup(a, source, n), n, a, &r.scan);
  if (!has_code(&r.scan))
    return ww_fail(e, WW_EPARSE,
                   "there is no code in this source: name the file that has the "
                   "kernel");
  r.lex = (ww_qlex){.scan = &r.scan, .a = a};
  ww_qlex_macros(&r.lex, flags, nflags);
  ww_status st = ww_qkernel_find(&r.scan, &r.lex, kernel, flags, nflags, &found, e);
  if (st)
    return st;
  const ww_decl *d = found.decl < 0 ? NULL : &r.scan.decls[found.decl];
  ww_question_kernel *k = r.k = new_kernel(a,
                                           d              ? d->name
                                           : *found.plain ? found.plain
                                                          : "source",
                                           !d);
  if (d) {
    k->line = d->line;
    k->openmp = !d->kernel && ww_qkernel_is(&r.scan, d);
  }
  r.r = (ww_qresolver){.k = k, .ctx = &r, .unknown = unknown};
  for (uint32_t i = 0; i < r.scan.ndecls; i++)
    read_decl(&r, i);
  add_builtins(&r);
  if (d)
    add_part(&r, found.decl, -1);
  else
    add_raw(&r, &found);
  read_collapse(k);
  resolve_parts(&r);
  if (d)
    bind_templates(&r, kernel, d->name);
  *out = k;
  return WW_OK;
}

bool ww_question_is_raw(const ww_question_kernel *k) {
  return k->raw;
}

uint32_t ww_question_params(const ww_question_kernel *k,
                            const char *const **names,
                            const uint32_t **bytes,
                            ww_arena *a) {
  const ww_qpart *p = &k->parts.v[0];
  const char **name = WW_NEWN(a, const char *, p->nparams + 1);
  uint32_t *size = WW_NEWN(a, uint32_t, p->nparams + 1);
  for (uint32_t i = 0; i < p->nparams; i++) {
    const ww_qsym *y = ww_qsym_of(k, p->params[i]);
    name[i] = y ? ww_strndup(a, y->name.s, y->name.n) : "";
    size[i] = y && (y->kind == Q_POINTER || y->kind == Q_SHARED) ? y->bytes : 0;
  }
  *names = name;
  if (bytes)
    *bytes = size;
  return p->nparams;
}

const char *ww_question_name(const ww_question_kernel *k, uint32_t *line) {
  if (line)
    *line = k->line;
  return k->name;
}

uint32_t ww_question_kernels(const char *source,
                             size_t n,
                             ww_arena *a,
                             const char *const **names) {
  WW_VEC(const char *) v = {0};
  ww_scan s;
  if (memchr(source, 0, n))
    n = strlen(source);
  if (n > SOURCE_MOST)
    n = SOURCE_MOST;
  ww_scan_source(ww_strndup(a, source, n), n, a, &s);
  for (uint32_t i = 0; i < s.ndecls; i++)
    if (ww_qkernel_is(&s, &s.decls[i]))
      ww_push(a, &v, s.decls[i].name);
  *names = v.v;
  return v.n;
}
