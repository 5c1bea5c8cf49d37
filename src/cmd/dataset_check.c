/* dataset_check.c - `warpwise dataset check`: are kernels of different splits, or of
 * the corpus and of benchmarks, the same ones?
 *
 * Kernels are compared by structure (data/structure.c): text can be rewritten, the work
 * stays. Small kernels are left out of the verdict and listed: there is one way to
 * write y[i] = a * x[i] + y[i], and everybody found it. */
#include <inttypes.h>
#include <stdlib.h>

#include "gather.h"

typedef struct {
  ww_strings against;
  const char *threshold;
  uint64_t least, closest, jobs;
} options;

#define CLOSEST 15

static const ww_option table[] = {
    WW_OPTION(against,
              "DIR",
              "a checkout whose kernels must not be in the corpus (repeatable)"),
    WW_OPTION(threshold, "X", "alike from that on, 0 to 1 (default 0.7)"),
    WW_OPTION(
        least,
        "N",
        "smaller kernels, by distinct paths, are listed and not judged (default 60)"),
    WW_OPTION(closest, "N", "pairs to show of each kind (default 15)"),
    WW_OPTION(jobs, "N", "processes (default: one per core)", 'j'),
    {0},
};

typedef struct {
  double alike;
  const ww_gathered_kernel *a, *b;
  bool small; /* one of them is */
} pair;

typedef struct {
  const options *o;
  double threshold;
  uint32_t least, closest;
  ww_arena *a;
} checker;

typedef struct {
  WW_VEC(pair) v;
  uint64_t compared;
  uint32_t bins[10]; /* pairs that are judged, by tenths */
  uint32_t over;
} comparison;

/* ---- comparing ---- */

static void compare(const checker *k,
                    const ww_gathered_kernel *a,
                    const ww_gathered_kernel *b,
                    comparison *c) {
  uint32_t x = a->structure.n;
  uint32_t y = b->structure.n;
  uint32_t less = x < y ? x : y;
  uint32_t more = x < y ? y : x;
  if (!less)
    return;
  bool small = less < k->least;
  double alike =
      10 * (uint64_t)less < more ? 0 : ww_structure_alike(&a->structure, &b->structure);
  int bin = 10 * alike;
  c->compared++;
  if (!small)
    c->bins[bin > 9 ? 9 : bin]++;
  c->over += !small && alike >= k->threshold;
  if (alike >= 0.3)
    ww_push(k->a, &c->v, (pair){alike, a, b, small});
}

static ww_split split_of(const ww_gathered_kernel *k) {
  return ww_split_of(&(ww_store_kernel){
      .origin = WW_ORIGIN_CORPUS, .family = k->family, .key = k->key});
}

static void across_splits(const checker *k, const ww_gathered *g, comparison *c) {
  for (uint32_t i = 0; i < g->kernels.n; i++)
    for (uint32_t j = i + 1; j < g->kernels.n; j++)
      if (split_of(&g->kernels.v[i]) != split_of(&g->kernels.v[j]))
        compare(k, &g->kernels.v[i], &g->kernels.v[j], c);
}

static void with_others(const checker *k,
                        const ww_gathered *g,
                        const ww_gathered *other,
                        comparison *c) {
  for (uint32_t i = 0; i < g->kernels.n; i++)
    for (uint32_t j = 0; j < other->kernels.n; j++)
      compare(k, &g->kernels.v[i], &other->kernels.v[j], c);
}

/* ---- showing ---- */

static int by_alike(const void *a, const void *b) {
  const pair *x = a;
  const pair *y = b;
  if (x->alike != y->alike)
    return x->alike < y->alike ? 1 : -1;
  int d = strcmp(x->a->key, y->a->key);
  return d ? d : strcmp(x->b->file, y->b->file);
}

/* As a person would say it: file and kernel. */
static const char *called(const ww_gathered_kernel *k, ww_arena *a) {
  return ww_fmt(a, "%s:%s", k->file, k->name);
}

static void print_pairs(const checker *k, const comparison *c) {
  uint32_t shown = 0;
  uint32_t small = 0;
  for (uint32_t i = 0; i < c->v.n; i++) {
    const pair *p = &c->v.v[i];
    const pair *q = i ? p - 1 : p;
    small += p->small && p->alike >= k->threshold;
    if (p->small || shown == k->closest)
      continue;
    if (p != q && p->a == q->a && p->alike == q->alike &&
        !strcmp(p->b->name, q->b->name))
      continue; /* included twice */
    printf("  %.2f%c  %-46s  %s\n", p->alike, p->alike >= k->threshold ? '*' : ' ',
           called(p->a, k->a), called(p->b, k->a));
    shown++;
  }
  if (small)
    printf(
        "  %u more pairs are alike, of kernels with fewer than %u paths: not judged\n",
        small, k->least);
}

static void print_text(const checker *k, const char *what, const comparison *c) {
  printf("%s: %" PRIu64 " pairs, %u alike (%.2f or more); pairs by tenths:", what,
         c->compared, c->over, k->threshold);
  for (int b = 0; b < 10; b++)
    printf(" %u", c->bins[b]);
  putchar('\n');
  print_pairs(k, c);
}

static void print_json(const checker *k, const char *what, const comparison *c) {
  for (uint32_t i = 0, shown = 0; i < c->v.n && shown < k->closest; i++) {
    const pair *p = &c->v.v[i];
    if (p->small)
      continue;
    ww_line_print("between:%s,alike:%g,over:%i,a:%s,b:%s", what, p->alike,
                  p->alike >= k->threshold, called(p->a, k->a), called(p->b, k->a));
    shown++;
  }
}

static void show(const checker *k, bool json, const char *what, comparison *c) {
  if (c->v.n)
    qsort(c->v.v, c->v.n, sizeof *c->v.v, by_alike);
  (json ? print_json : print_text)(k, what, c);
}

static uint32_t print_unknown(const ww_gathered *g, FILE *f) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < g->kernels.n; i++) {
    const char *family = g->kernels.v[i].family;
    if (ww_split_known(family, NULL))
      continue;
    n++;
    if (!i || strcmp(family, g->kernels.v[i - 1].family))
      fprintf(f,
              "  family %s is in no split: add it to src/data/split.def (its kernels "
              "go by the "
              "hash of its name)\n",
              family);
  }
  return n;
}

static void print_corpus(const checker *k, const ww_gathered *g) {
  uint32_t split[WW_NSPLITS] = {0};
  uint32_t small = 0;
  for (uint32_t i = 0; i < g->kernels.n; i++) {
    split[split_of(&g->kernels.v[i])]++;
    small += g->kernels.v[i].structure.n < k->least;
  }
  printf("%u kernels: %u train, %u validation, %u test; %u have fewer than %u paths\n",
         g->kernels.n, split[WW_SPLIT_TRAIN], split[WW_SPLIT_VALIDATION],
         split[WW_SPLIT_TEST], small, k->least);
}

static ww_status check_against(
    ww_cmd *c, const checker *k, const ww_gathered *g, const char *dir, bool *missed) {
  comparison x = {0};
  ww_gathered other;
  ww_gather_options how = {
      .dir = dir, .structures = true, .jobs = k->o->jobs, .limit_s = 120};
  ww_status st = ww_gather(c, &how, &other);
  if (st)
    return st;
  with_others(k, g, &other, &x);
  const char *what = ww_fmt(k->a, "corpus and %s (%u kernels of %u files)", dir,
                            other.kernels.n, other.files.n);
  show(k, c->json, c->json ? dir : what, &x);
  *missed |= x.over > 0;
  if (other.failures.n && !c->json && !ww_is_quiet()) {
    printf("  %u files or kernels could not be read:\n", other.failures.n);
    ww_gather_print_failures(&other, k->a, stdout);
  }
  return WW_OK;
}

static ww_status settle(ww_cmd *c, checker *k) {
  const options *o = c->opt;
  *k = (checker){.o = o,
                 .threshold = WW_GATHER_ALIKE,
                 .least = o->least ? o->least : WW_GATHER_LEAST,
                 .closest = o->closest ? o->closest : CLOSEST,
                 .a = c->arena};
  if (ww_share_option(c, "threshold", o->threshold, &k->threshold))
    return WW_EUSAGE;
  return c->noperands == 1 ? WW_OK
                           : ww_usage(c, "name the corpus: dataset check corpus/");
}

static ww_status run(ww_cmd *c) {
  checker k;
  ww_gathered g;
  comparison splits = {0};
  if (settle(c, &k))
    return WW_EUSAGE;
  ww_gather_options how = {
      .dir = c->operands[0], .corpus = true, .structures = true, .jobs = k.o->jobs};
  ww_status st = ww_gather(c, &how, &g);
  if (st)
    return st;
  if (!c->json)
    print_corpus(&k, &g);
  c->missed |= print_unknown(&g, c->json ? stderr : stdout) > 0;
  if (g.failures.n && !c->json)
    ww_gather_print_failures(&g, k.a, stdout);
  across_splits(&k, &g, &splits);
  show(&k, c->json, "train, validation and test", &splits);
  c->missed |= splits.over > 0;
  for (uint32_t i = 0; !st && i < k.o->against.n; i++)
    st = check_against(c, &k, &g, k.o->against.v[i], &c->missed);
  return st;
}

const ww_command ww_cmd_dataset_check = {
    "check",
    "no kernel of the corpus is in two splits, or in a benchmark that predictions are "
    "judged by",
    "CORPUS [--against DIR]...",
    .details = "Kernels are compared by the structure of their code, not by its text: "
               "renamed, "
               "reformatted and reordered copies are\n"
               "found. Exit code 1 when two are alike, or a family is in no split.",
    .examples =
        "  warpwise dataset check corpus/\n"
        "  warpwise dataset check corpus/ --against rodinia/ --against shoc/ --against "
        "polybench/\n",
    WW_OPTIONS,
    .run = run,
};
