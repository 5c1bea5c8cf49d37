/* generate_print.c - a tree as CUDA or OpenCL source.
 *
 * Style 0 is the plain text that hashes are of. Other styles rename everything but the
 * kernel and its helpers, move braces, change the indentation and the order of
 * commutative index sums, and add or leave out blank lines: the tokens' meaning stays.
 */
#include "generate_int.h"

#include <ctype.h>

#include "../base/words.h"

typedef struct {
  const char *word, *cuda, *opencl;
  float issue, latency; /* of a function: instructions, cycles until its result */
} word;

/* Words of one letter have an axis behind them, x y or z: %c is its letter, in OpenCL
 * its number.
 */
static const word words[] = {
    {"t", "threadIdx.%c", "get_local_id(%c)", 0, 0},
    {"b", "blockIdx.%c", "get_group_id(%c)", 0, 0},
    {"d", "blockDim.%c", "get_local_size(%c)", 0, 0},
    {"G", "gridDim.%c", "get_num_groups(%c)", 0, 0},
    {"g", "blockIdx.%c * blockDim.%c + threadIdx.%c", "get_global_id(%c)", 1, 10},
    {"s", "gridDim.%c * blockDim.%c", "get_global_size(%c)", 1, 0},
    {"sync", "__syncthreads()", "barrier(CLK_LOCAL_MEM_FENCE)", 2, 30},
    {"shared", "__shared__", "__local", 0, 0},
    {"constant", "__constant__", "__constant", 0, 0},
    {"u32", "unsigned int", "uint", 0, 0},
    {"u64", "unsigned long long", "ulong", 0, 0},
    {"i64", "long long", "long", 0, 0},
    {"u8", "unsigned char", "uchar", 0, 0},
    {"i8", "signed char", "char", 0, 0},
    {"sqrtf", "sqrtf", "sqrt", 8, 40},
    {"sqrt", "sqrt", "sqrt", 24, 120},
    {"rsqrtf", "rsqrtf", "rsqrt", 4, 30},
    {"rsqrt", "rsqrt", "rsqrt", 20, 110},
    {"expf", "expf", "exp", 6, 35},
    {"exp", "exp", "exp", 24, 130},
    {"fastexp", "__expf", "native_exp", 3, 25},
    {"sinf", "sinf", "sin", 20, 70},
    {"cosf", "cosf", "cos", 20, 70},
    {"logf", "logf", "log", 14, 60},
    {"log", "log", "log", 36, 180},
    {"tanhf", "tanhf", "tanh", 10, 60},
    {"fabsf", "fabsf", "fabs", 0.3f, 2},
    {"fabs", "fabs", "fabs", 0.3f, 2},
    {"fminf", "fminf", "fmin", 1, 5},
    {"fmin", "fmin", "fmin", 4, 20},
    {"fmaxf", "fmaxf", "fmax", 1, 5},
    {"fmax", "fmax", "fmax", 4, 20},
    {"fmaf", "fmaf", "fma", 1, 5},
    {"fma", "fma", "fma", 2, 9},
    {"floorf", "floorf", "floor", 1, 10},
    {"floor", "floor", "floor", 2, 15},
    {"min", "min", "min", 1, 5},
    {"max", "max", "max", 1, 5},
    {"abs", "abs", "(int)abs", 1, 5},
    {"popc", "__popc", "popcount", 2, 12},
    {"clz", "__clz", "clz", 2, 12},
    {"mulhi", "__umulhi", "mul_hi", 2, 8},
    {"make2", "make_float2", "(float2)", 0, 0},
    {"make4", "make_float4", "(float4)", 0, 0},
    {"makei4", "make_int4", "(int4)", 0, 0},
    {"add", "atomicAdd", "atomic_add", 1, 0},
    {"amax", "atomicMax", "atomic_max", 1, 0},
    {"aor", "atomicOr", "atomic_or", 1, 0},
    {"shfl_down", "__shfl_down_sync", "", 1, 24},
    {"shfl_up", "__shfl_up_sync", "", 1, 24},
    {"shfl_xor", "__shfl_xor_sync", "", 1, 24},
    {"shfl", "__shfl_sync", "", 1, 24},
    {"ballot", "__ballot_sync", "", 2, 16},
    {"any", "__any_sync", "", 2, 16},
    {"all", "__all_sync", "", 2, 16},
    {"match", "__match_any_sync", "", 20, 60},
    {"ffs", "__ffs", "", 3, 16},
    {"dp4a", "__dp4a", "", 1, 5},
    {"popcll", "__popcll", "popcount", 4, 20},
    {"clzll", "__clzll", "clz", 6, 26},
    {"mulhi64", "__umul64hi", "mul_hi", 8, 30},
    {"sin", "sin", "sin", 40, 220},
    {"cos", "cos", "cos", 40, 220},
    {"tanh", "tanh", "tanh", 50, 260},
};
#define NWORDS (sizeof words / sizeof *words)

static const word *word_of(const char *s, size_t n) {
  if (n == 2 && s[1] >= 'x' && s[1] <= 'z')
    n = 1;
  for (size_t i = 0; i < NWORDS; i++)
    if (words[i].word[0] == s[0] && strlen(words[i].word) == n &&
        !memcmp(words[i].word, s, n))
      return &words[i];
  return NULL;
}

void ww_gen_function_cost(const char *s, size_t n, double *issue, double *latency) {
  const word *w = word_of(s, n);
  if (!w)
    return;
  *issue = w->issue;
  *latency = w->latency;
}

size_t ww_gen_token(const char *s) {
  size_t n = 1;
  if (!*s)
    return 0;
  if (*s == '$') {
    n += ww_word_length(s + 1);
  } else if (isalpha((unsigned char)*s) || *s == '_') {
    n = ww_word_length(s);
  } else if (ww_is_digit(*s)) {
    while (isalnum((unsigned char)s[n]) || s[n] == '.')
      n++;
  } else if (*s == '[' && s[1] == '#') {
    n = 2 + ww_word_length(s + 2);
    if (s[n] == ' ')
      n++;
  }
  return n;
}

/* ---- styles ---- */

typedef struct {
  const ww_gen_kernel *k;
  ww_gen_dialect d;
  uint32_t style;
  uint32_t indent;
  bool allman, swap, blank, tight;
  struct {
    const char *s;
    size_t n;
  } names[160];
  uint32_t nnames;
  uint32_t start; /* where the style's names begin in the lists */
  ww_buf *out;
} printer;

static bool keyword(const char *s, size_t n) {
  static const char *const list[] = {
      "float",    "double", "int",    "short", "char",   "unsigned", "if",
      "else",     "for",    "while",  "const", "return", "void",     "break",
      "continue", "float2", "float4", "int4",  "pragma", "unroll",   "do",
      "long",     "signed", "switch", "case",  "default"};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (strlen(list[i]) == n && !memcmp(list[i], s, n))
      return true;
  return false;
}

/* A new name for each old one, in the order of appearance: letters, words or words with
 * numbers, by style. */
static void put_name(printer *p, const char *s, size_t n) {
  static const char *const stems[] = {
      "val",  "tmp", "elem", "pos",  "cur",  "node", "buf",  "data", "item", "src",
      "dst",  "lhs", "rhs",  "part", "row",  "col",  "step", "base", "off",  "key",
      "slot", "mix", "res",  "lane", "wide", "cell", "len",  "span", "unit", "code"};
  uint32_t i = 0;
  while (i < p->nnames && !(p->names[i].n == n && !memcmp(p->names[i].s, s, n)))
    i++;
  if (i == p->nnames && p->nnames < 160) {
    p->names[i].s = s;
    p->names[i].n = n;
    p->nnames++;
  }
  uint32_t at = p->start + i * 7;
  switch (p->style % 4) {
  case 1:
    ww_buf_fmt(p->out, "%s_%u", stems[at % 30], i);
    break;
  case 2:
    ww_buf_fmt(p->out, "%c%u", "abcdefghjkmnpqrstuvw"[at % 20], i);
    break;
  case 3:
    ww_buf_fmt(p->out, "%s%c%s%u", stems[at % 30], stems[(at / 3 + 5) % 30][0] - 32,
               stems[(at / 3 + 5) % 30] + 1, i);
    break;
  default:
    ww_buf_fmt(p->out, "k_%s%u", stems[at % 30], i);
  }
}

static void put_identifier(printer *p, const char *s, size_t n, bool member) {
  size_t own = strlen(p->k->name);
  bool ours = n >= own && !memcmp(s, p->k->name, own);
  if (!p->style || member || ours || keyword(s, n))
    ww_buf_add(p->out, s, n);
  else
    put_name(p, s, n);
}

static void put_word(printer *p, const char *s, size_t n) {
  const word *w = word_of(s + 1, n - 1);
  if (!w) {
    ww_buf_add(p->out, s, n);
    return;
  }
  bool cuda = p->d == WW_GEN_CUDA;
  char axis = cuda ? s[2] : s[2] - 'x' + '0';
  const char *text = !cuda ? w->opencl
                     : p->swap && *w->word == 'g'
                         ? "threadIdx.%c + blockIdx.%c * blockDim.%c"
                         : w->cuda;
  ww_buf_fmt(p->out, text, axis, axis, axis);
}

/* A space beside a multiplication, never one of a pointer's declaration. */
static bool loose(const char *begin, const char *s) {
  return *s == ' ' && ((s[1] == '*' && s[2] == ' ') ||
                       (s - begin > 1 && s[-1] == '*' && s[-2] == ' '));
}

static void put_text(printer *p, const char *s) {
  const char *begin = s;
  bool member = false;
  for (size_t n; (n = ww_gen_token(s)); s += n) {
    if (*s == '$')
      put_word(p, s, n);
    else if (*s == '[' && n > 1)
      ww_buf_puts(p->out, "[");
    else if (isalpha((unsigned char)*s) || *s == '_')
      put_identifier(p, s, n, member);
    else if (!(p->tight && loose(begin, s)))
      ww_buf_add(p->out, s, n);
    member = *s == '.';
  }
}

static void put_indent(printer *p, uint32_t depth) {
  ww_buf_fmt(p->out, "%*s", (int)(depth * p->indent), "");
}

/* A brace behind what stands on the line, or on one of its own. */
static void put_brace(printer *p, uint32_t depth) {
  if (p->allman) {
    ww_buf_puts(p->out, "\n");
    put_indent(p, depth);
  } else
    ww_buf_puts(p->out, " ");
  ww_buf_puts(p->out, "{\n");
}

static void put_else(printer *p, uint32_t depth) {
  ww_buf_puts(p->out, p->allman ? "}\n" : "} ");
  if (p->allman)
    put_indent(p, depth);
  ww_buf_puts(p->out, "else");
  put_brace(p, depth);
}

static void put_line(printer *p, const gen_line *l) {
  if (l->only && l->only != (p->d == WW_GEN_CUDA ? 1 : 2))
    return;
  if (l->text[0] != '#')
    put_indent(p, l->depth);
  put_text(p, l->text);
  switch (l->kind) {
  case GEN_OPEN:
    put_brace(p, l->depth);
    break;
  case GEN_ELSE:
    put_else(p, l->depth);
    break;
  case GEN_CLOSE:
    ww_buf_puts(p->out, p->blank && l->depth == 1 ? "}\n\n" : "}\n");
    break;
  default:
    ww_buf_puts(p->out, "\n");
  }
}

static void put_param(printer *p, const gen_param *q) {
  bool cuda = p->d == WW_GEN_CUDA, buffer = q->role == GEN_BUFFER;
  if (buffer)
    ww_buf_fmt(p->out, "%s%s", cuda ? "" : "__global ", q->written ? "" : "const ");
  put_text(p, ww_gen_types[q->type].neutral);
  ww_buf_puts(p->out, buffer ? " *" : " ");
  if (buffer && q->restricted)
    ww_buf_puts(p->out, cuda ? "__restrict__ " : "restrict ");
  put_identifier(p, q->name, strlen(q->name), false);
}

/* OpenCL has no atomic addition of floats: the usual loop of compare and exchange. */
static void put_helper(printer *p) {
  ww_buf_fmt(p->out,
             "static inline void %s_atomic_add(volatile __global float *p, float v) {\n"
             "  uint seen, old = as_uint(*p);\n"
             "  do {\n"
             "    seen = old;\n"
             "    old = atomic_cmpxchg((volatile __global uint *)p, seen, "
             "as_uint(as_float(seen) + v));\n"
             "  } while (old != seen);\n"
             "}\n\n",
             p->k->name);
}

static void put_head(printer *p) {
  const gen *g = p->k->tree;
  ww_buf *out = p->out;
  bool cuda = p->d == WW_GEN_CUDA;
  if (!cuda && g->type == GEN_F64)
    ww_buf_puts(out, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
  if (!cuda && g->helper)
    put_helper(p);
  for (uint32_t i = 0; i < g->outside.n; i++)
    put_line(p, &g->outside.v[i]);
  if (g->outside.n)
    ww_buf_puts(out, "\n");
  ww_buf_puts(out, cuda ? "extern \"C\" __global__ void " : "__kernel void ");
  if (cuda && g->launch_bounds)
    ww_buf_fmt(out, "__launch_bounds__(%u) ", g->launch_bounds);
  ww_buf_fmt(out, "%s(", p->k->name);
  for (uint32_t i = 0; i < g->nparams; i++) {
    if (i)
      ww_buf_puts(out, p->allman ? ",\n    " : ", ");
    put_param(p, &g->params[i]);
  }
  ww_buf_puts(out, p->allman ? ")\n{\n" : ") {\n");
}

void ww_gen_print(const ww_gen_kernel *k,
                  ww_gen_dialect d,
                  uint32_t style,
                  ww_buf *out) {
  const gen *g = k->tree;
  uint64_t h = style ? ww_hash(&style, sizeof style, k->structure ^ k->seed) : 0;
  printer p = {
      .k = k,
      .d = d,
      .style = style,
      .out = out,
      .indent = 2,
  };
  if (style) {
    p.indent = h & 1 ? 4 : 2;
    p.allman = h & 2;
    p.swap = h & 4;
    p.blank = h & 8;
    p.tight = h & 16;
    p.start = (uint32_t)(h >> 8) & 1023;
  }
  put_head(&p);
  for (uint32_t i = 0; i < g->decls.n; i++)
    put_line(&p, &g->decls.v[i]);
  for (uint32_t i = 0; i < g->lines.n; i++)
    put_line(&p, &g->lines.v[i]);
  ww_buf_puts(out, "}\n\n");
}

uint64_t ww_gen_source_hash(const ww_gen_kernel *k, ww_gen_dialect d) {
  ww_buf b = {0};
  ww_gen_print(k, d, 0, &b);
  uint64_t h = ww_hash(b.s, b.n, 0);
  ww_buf_free(&b);
  return h;
}
