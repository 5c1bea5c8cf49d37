/* dataset_stats.c - `warpwise dataset stats`: what is in a store, how it repeats, how
 * it covers another set. */
#include "../data/reports.h"
#include "../data/stats.h"
#include "cmd.h"

typedef struct {
  const char *svg, *html, *against, *compare;
} options;

static const ww_option table[] = {
    WW_OPTION(svg, "DIR", "write the distributions as pictures, one file a quantity"),
    WW_OPTION(html, "FILE", "write a page with all of it"),
    WW_OPTION(against,
              "STORE",
              "a repeat campaign: how many launches take the same time again"),
    WW_OPTION(compare,
              "FILE",
              "measured reports, JSON lines (.zst too), or a store: how far this one "
              "covers them"),
    {0},
};

static const ww_store_filter every = {
    .origin = -1,
    .failed = true,
};

/* The suites or families of a small set name it better than its file. */
static void name_by_families(ww_stats *s) {
  const char *names = NULL;
  uint32_t n = 0;
  for (uint32_t k = 0; k < s->families.n; k++) {
    const char *name = s->families.v[k].name;
    uint32_t i = 0;
    while (strcmp(s->families.v[i].name, name))
      i++;
    if (i < k)
      continue; /* it is there already */
    names = n++ ? ww_fmt(s->a, "%s, %s", names, name) : name;
  }
  if (n && n <= 4)
    s->name = names;
}

static ww_status read_reports(ww_cmd *c, const char *path, ww_stats *out) {
  ww_reports *r;
  ww_store_row row;
  bool more;
  ww_status st = ww_reports_open(path, WW_ORIGIN_IMPORTED, &r, &c->err);
  while (!st && !(st = ww_reports_next(r, &row, &more, &c->err)) && more)
    st = ww_stats_row(out, &row, &c->err);
  ww_reports_close(r);
  return st;
}

static ww_status read_other(ww_cmd *c, const char *path, ww_stats *out) {
  ww_store *s = NULL;
  ww_status st;
  ww_stats_begin(out, ww_path_base(path));
  if (ww_ends(path, ".jsonl") || ww_ends(path, ".jsonl.zst") || ww_ends(path, ".json"))
    st = read_reports(c, path, out);
  else {
    st = ww_store_open(path, WW_STORE_READ, &s, &c->err);
    if (!st)
      st = ww_store_each(s, &every, ww_stats_row, out, &c->err);
    ww_store_close(s);
  }
  ww_stats_end(out);
  name_by_families(out);
  return st;
}

static ww_status
read_again(ww_cmd *c, ww_store *s, const char *path, ww_repeat_counts *out) {
  ww_store *again = NULL;
  ww_status st = ww_store_open(path, WW_STORE_READ, &again, &c->err);
  if (!st)
    st = ww_repeats_find(s, again, out, &c->err);
  ww_store_close(again);
  return st;
}

static ww_status show(ww_cmd *c, const options *o, const ww_stats_view *v) {
  ww_buf b = {0};
  ww_status st = WW_OK;
  if (c->json) {
    ww_stats_json(v, &b);
    ww_print_buf(&b);
  } else
    ww_stats_print(v, stdout);
  if (o->svg)
    st = ww_stats_pictures(v, o->svg, &c->err);
  if (!st && o->html) {
    ww_stats_page(v, &b);
    st = ww_write_buf(o->html, &b, &c->err);
  }
  return st;
}

static ww_status run(ww_cmd *c) {
  const options *o = c->opt;
  ww_store *s = NULL;
  ww_stats ours = {0};
  ww_stats other = {0};
  ww_repeat_counts repeats;
  ww_store_filter f = every;
  f.gpu = c->gpu;
  if (c->noperands > 1)
    return ww_usage(
        c, "one store at a time; `warpwise dataset merge` makes one of several");
  ww_status st =
      ww_store_open(c->noperands ? c->operands[0] : NULL, WW_STORE_READ, &s, &c->err);
  if (st)
    return st;
  ww_stats_begin(&ours, c->noperands ? ww_path_base(c->operands[0]) : "shipped table");
  st = ww_store_each(s, &f, ww_stats_row, &ours, &c->err);
  ww_stats_end(&ours);
  if (!st && o->compare)
    st = read_other(c, o->compare, &other);
  if (!st && o->against)
    st = read_again(c, s, o->against, &repeats);
  ww_stats_view v = {&ours, o->compare ? &other : NULL, o->against ? &repeats : NULL};
  if (!st)
    st = show(c, o, &v);
  ww_stats_free(&ours);
  ww_stats_free(&other);
  ww_store_close(s);
  return st;
}

const ww_command ww_cmd_dataset_stats = {
    "stats",
    "what is in a store: kernels, launches, splits, distributions, noise",
    "[STORE] [options]",
    .details = "The shipped table where no store is named. With --compare the "
               "distributions of "
               "another set stand beside, with the\n"
               "share of its launches that lie where this one has at least 20; with "
               "--against a "
               "repeat campaign is held against it.",
    .examples = "  warpwise dataset stats\n"
                "  warpwise dataset stats my.sqlite --json\n"
                "  warpwise dataset stats --compare data/public/h200.jsonl.zst --svg "
                "docs/dataset\n"
                "  warpwise dataset stats h200.sqlite --against repeat.sqlite\n",
    WW_OPTIONS,
    .run = run,
};
