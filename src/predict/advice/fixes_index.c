/* fixes_index.c - uncoalesced accesses: x and y of threads and blocks change places.
 *
 * Swapping every x and y of the kernel's indices, and the launch's with them, gives the
 * same threads other numbers: the result is the same for any kernel that does not care
 * which threads make a warp. It is worth it where each access to global memory has what
 * comes of x on its slow side, and y, alone, on its fast one. */
#include "fixes_int.h"

typedef struct {
  ww_ctext *x;
  const ww_scope *s;
  WW_VEC(uint32_t) at[2]; /* tokens that say x, and y */
  uint32_t good, bad;     /* accesses that the swap helps, and harms */
  uint32_t steps;         /* tokens looked at: a text may be hostile */
} swap;

enum { MOST_STEPS = 100000, X = 1, Y = 2, Z = 4, UNSURE = 8 };

static const char builtins[] = " threadIdx blockIdx blockDim gridDim ";
static const char cl_calls[] = " get_global_id get_local_id get_group_id "
                               "get_local_size get_global_size get_num_groups "
                               "get_global_offset get_enqueued_local_size ";

/* The axis that the word at i speaks of, 0 x, 1 y, 2 z; -1 it is no index; -2 who
 * knows. *where: the token to change. */
static int axis(const swap *w, uint32_t i, uint32_t *where) {
  static const char *const names[2][3] = {{"x", "y", "z"}, {"0", "1", "2"}};
  const ww_ctext *x = w->x;
  bool call = ww_tok_in(x, i, cl_calls);
  if (!call && !ww_tok_in(x, i, builtins))
    return -1;
  *where = i + 2;
  if (!ww_tok_is(x, i + 1, call ? "(" : ".") || (call && !ww_tok_is(x, i + 3, ")")))
    return -2;
  for (int k = 0; k < 3; k++)
    if (ww_tok_is(x, i + 2, names[call][k]))
      return k;
  return -2;
}

/* Things that know of warps, or of numbers that a swap does not reach. */
static bool knows_warps(const ww_ctext *c, uint32_t i) {
  if (ww_tok_in(c, i,
                " warpSize asm __asm__ cooperative_groups cg __shared__ __local local "
                "get_global_linear_id get_local_linear_id __launch_bounds__ goto "))
    return true;
  const char *s = ww_tok_at(c, i);
  size_t n = ww_tok_len(c, i);
  return c->t[i].kind == WW_TOK_WORD &&
         ((n > 5 && !memcmp(s, "__shf", 5)) || (n > 9 && !memcmp(s, "sub_group", 9)) ||
          (n > 5 && !memcmp(s + n - 5, "_sync", 5)) ||
          (n > 6 && !memcmp(s, "atomic", 6)));
}

/* A word that may hide an index: a macro that has one, a function or a macro of another
 * file. */
static bool hides_index(const swap *w, uint32_t i) {
  static const char known[] =
      " if else for while return const int unsigned long float double bool auto x y z "
      "w break "
      "continue true false size_t static constexpr switch case default do sizeof "
      "static_cast "
      "threadIdx blockIdx blockDim gridDim __restrict__ volatile ";
  const ww_ctext *x = w->x;
  if (ww_tok_in(x, i, known) || ww_tok_in(x, i, cl_calls) ||
      ww_tok_class(x, i) != WW_IS_UNKNOWN)
    return false;
  if (ww_tok_in(x, i - 1, " . -> "))
    return false;
  if (ww_tok_is(x, i + 1, "("))
    return !ww_is_pure_call(x, i);
  int64_t value;
  return !ww_ctext_name(x, w->s, i) && !ww_ctext_value(x, w->s, i, i + 1, &value);
}

static bool find_axes(swap *w) {
  const ww_ctext *x = w->x;
  for (uint32_t i = w->s->lo; i < w->s->hi; i++) {
    uint32_t where;
    int k = axis(w, i, &where);
    if (k == -2 || knows_warps(x, i) || x->t[i].kind == WW_TOK_ODD ||
        (k < 0 && ww_tok_word(x, i) && hides_index(w, i)))
      return false;
    if (k == 0 || k == 1)
      ww_push(x->a, &w->at[k], where);
  }
  return w->at[0].n && w->at[1].n;
}

/* Bits of the axes that the tokens depend on, directly or through variables. */
static uint32_t axes_of(swap *w, uint32_t lo, uint32_t hi, int depth) {
  const ww_ctext *x = w->x;
  uint32_t bits = 0;
  uint32_t where;
  for (uint32_t i = lo; i < hi; i++) {
    int k = axis(w, i, &where);
    if (++w->steps > MOST_STEPS)
      return UNSURE;
    bool dims = ww_tok_in(x, i, " blockDim gridDim get_local_size get_global_size ");
    if (k >= 0 && !dims)
      bits |= 1u << k;
    uint32_t from;
    uint32_t end;
    if (k != -1 || depth >= 4 || !ww_scope_initial(x, w->s, i, &from, &end))
      continue;
    bits |= axes_of(w, from, end, depth + 1);
    if (ww_is_changed(x, i, from, w->s->hi))
      bits |= UNSURE; /* not what it was at first */
  }
  return bits;
}

/* A sum of terms: one times something holds the slow side, the others the fast one.
 * Returns axes of both. */
static bool
split_sum(swap *w, uint32_t lo, uint32_t hi, uint32_t *slow, uint32_t *fast) {
  const ww_ctext *x = w->x;
  *slow = *fast = 0;
  for (uint32_t i = lo; i < hi;) {
    uint32_t end = i;
    bool product = false;
    for (; end < hi && !(end > i && ww_tok_in(x, end, " + - "));
         end = ww_tok_skip(x, end)) {
      product |= ww_tok_is(x, end, "*");
      if (ww_tok_in(x, end, " / % ? < > "))
        return false;
    }
    uint32_t bits = axes_of(w, i, end, 0);
    if (product)
      *slow |= bits;
    else
      *fast |= bits;
    i = end + 1;
  }
  return true;
}

/* One access; pointers alone, not arrays of the thread. */
static bool judge(swap *w, uint32_t i) {
  const ww_ctext *x = w->x;
  uint32_t open = i + 1;
  uint32_t close = x->t[open].pair;
  uint32_t slow;
  uint32_t fast;
  if (close == WW_NOTOK || close >= w->s->hi)
    return false;
  if (ww_tok_opens(x, close + 1, "[")) { /* a[row][col] */
    uint32_t second = close + 1;
    slow = axes_of(w, open + 1, close, 0);
    fast = axes_of(w, second + 1, x->t[second].pair, 0);
    if (ww_tok_is(x, x->t[second].pair + 1, "["))
      return false;
  } else if (!split_sum(w, open + 1, close, &slow, &fast))
    return false;
  if ((slow | fast) & (Z | UNSURE))
    return false;
  if (slow & X && fast == Y)
    w->good++;
  else if ((slow | fast) & X)
    w->bad++;
  return true;
}

static bool judge_all(swap *w) {
  const ww_ctext *x = w->x;
  for (uint32_t i = w->s->lo; i < w->s->hi; i++) {
    if (!ww_tok_word(x, i) || ww_tok_in(x, i - 1, " . -> "))
      continue;
    const ww_name *v = ww_ctext_name(x, w->s, i);
    if (!v || !v->pointer || i == v->tok || (!v->parameter && v->ndims))
      continue; /* no pointer, or the thread's own array */
    if (!v->parameter || !ww_tok_is(x, i + 1, "[") || !judge(w, i))
      return false; /* a pointer that was moved, or handed on */
  }
  return w->good > 0 && w->bad == 0;
}

/* ---- the launch ---- */

/* `grid=a,b` of the comment becomes `grid=b,a`. */
static void
swap_setting(swap *w, uint32_t lo, uint32_t hi, const char *name, ww_edits *e) {
  const char *t = w->x->s->text;
  const char *p = t + lo;
  size_t n = strlen(name);
  for (; (p = memmem(p, t + hi - p, name, n)); p += n)
    if (p[n] == '=' && p > t && strchr(" \t:", p[-1]))
      break;
  if (!p)
    return;
  const char *first = p + n + 1;
  const char *end = first;
  const char *comma = NULL;
  int depth = 0;
  int commas = 0;
  for (; end < t + hi && !(strchr(" \t\r\n", *end) && depth == 0) &&
         !(end[0] == '*' && end[1] == '/');
       end++) {
    depth += (*end == '(' || *end == '[') - (*end == ')' || *end == ']');
    if (*end == ',' && depth == 0 && commas++ == 0)
      comma = end;
  }
  if (!comma || commas != 1)
    return;
  ww_edit_replace(w->x, e, first - t, end - t,
                  ww_fmt(w->x->a, "%.*s,%.*s", (int)(end - comma - 1), comma + 1,
                         (int)(comma - first), first));
}

void ww_fix_swap_axes(ww_ctext *x) {
  swap w = {.x = x, .s = &x->kernel};
  const ww_launch *l = x->s->launch;
  ww_edits e = {0};
  if (x->s->dialect == WW_OPENMP || !find_axes(&w) || !judge_all(&w))
    return;
  if (l && (l->block[1] == 1 || (l->block[1] && l->block[1] < 8)))
    return; /* the new x would be too short to help */
  bool square = l && l->grid[0] && l->grid[0] == l->grid[1] && l->block[0] &&
                l->block[0] == l->block[1];
  for (int k = 0; k < 2; k++)
    for (uint32_t i = 0; i < w.at[k].n; i++) {
      const char *other = x->s->dialect == WW_OPENCL ? (k ? "0" : "1") : k ? "x" : "y";
      ww_edit_tokens(x, &e, w.at[k].v[i], w.at[k].v[i] + 1, other);
    }
  uint32_t lo;
  uint32_t hi;
  if (!square && ww_ctext_comment(x, &lo, &hi)) {
    swap_setting(&w, lo, hi, "grid", &e);
    swap_setting(&w, lo, hi, "block", &e);
  }
  const char *what =
      x->s->dialect == WW_OPENCL ? "Swap dimensions 0 and 1" : "Swap x and y";
  const char *where =
      x->s->dialect == WW_OPENCL ? "global and local size" : "grid and block";
  ww_fix f = {
      .title = ww_fmt(
          x->a,
          square ? "%s of the thread's indices (grid and block are square: the launch "
                   "stays)"
                 : "%s of the thread's indices; the launch must swap x and y of %s too",
          what, where),
      .launch = !square};
  f.assumes = square ? "every launch is as square as this one"
                     : ww_fmt(x->a, "every launch of it swaps x and y of %s", where);
  ww_fix_offer(x, &e, &f);
}
