/* question_fuse.c - several spellings of one thing become one token: builtins of the
 * dialects, types of several words, casts.
 *
 * `blockIdx.x * blockDim.x + threadIdx.x` and get_global_id(0) are both gx. Works in
 * place: tokens only get fewer. */
#include "question_int.h"

/* ---- types ---- */

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

void ww_qfuse(ww_qtokens *v) {
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
