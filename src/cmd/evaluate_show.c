/* evaluate_show.c - tables for a terminal and as markdown; scores as JSON. */
#include <math.h>

#include "evaluate.h"

#define WIDE 72 /* a cell of words on a terminal */

bool ww_table_words(const ww_table *t, uint32_t col) {
  return col < t->left || (t->words >> col & 1);
}

/* ---- terminal ---- */

static int width_of(const ww_table *t, uint32_t col) {
  size_t most = strlen(t->head[col]);
  for (uint32_t r = 0; r < t->nrows; r++) {
    size_t n = strlen(t->cells[r * t->ncols + col]);
    most = n > most ? n : most;
  }
  return most > WIDE ? WIDE : most;
}

static void text_row(const ww_table *t, const char *const *cells, const int *width, FILE *f) {
  for (uint32_t k = 0; k < t->ncols; k++) {
    bool last = k + 1 == t->ncols;
    if (ww_table_words(t, k))
      fprintf(f, "  %-*.*s", last ? 0 : width[k], WIDE, cells[k]);
    else
      fprintf(f, "  %*s", width[k], cells[k]);
  }
  fputc('\n', f);
}

static void text_table(const ww_table *t, FILE *f) {
  const char *bold = ww_color_on(f) ? "\033[1m" : "", *dim = ww_color_on(f) ? "\033[2m" : "",
             *off = *bold ? "\033[0m" : "";
  int width[24];
  for (uint32_t k = 0; k < t->ncols && k < 24; k++)
    width[k] = width_of(t, k);
  fprintf(f, "\n%s%s%s\n%s", bold, t->title, off, dim);
  text_row(t, t->head, width, f);
  fputs(off, f);
  for (uint32_t r = 0; r < t->nrows; r++)
    text_row(t, &t->cells[r * t->ncols], width, f);
  if (t->note)
    fprintf(f, "  %s%s%s\n", dim, t->note, off);
}

void ww_tables_text(const ww_table *t, uint32_t n, FILE *f) {
  for (uint32_t k = 0; k < n; k++)
    text_table(&t[k], f);
}

/* ---- markdown ---- */

static void escaped(const char *s, FILE *f) {
  for (; *s; s++) {
    if (strchr("|<*_`", *s))
      fputc('\\', f);
    fputc(*s, f);
  }
}

static void markdown_row(const ww_table *t, const char *const *cells, FILE *f) {
  for (uint32_t k = 0; k < t->ncols; k++) {
    fputs("| ", f);
    escaped(cells[k], f);
    fputc(' ', f);
  }
  fputs("|\n", f);
}

void ww_tables_markdown(const ww_table *t, uint32_t n, FILE *f) {
  for (uint32_t i = 0; i < n; i++, t++) {
    fprintf(f, "\n### %s\n\n", t->title);
    markdown_row(t, t->head, f);
    for (uint32_t k = 0; k < t->ncols; k++)
      fputs(ww_table_words(t, k) ? "|---" : "|---:", f);
    fputs("|\n", f);
    for (uint32_t r = 0; r < t->nrows; r++)
      markdown_row(t, &t->cells[r * t->ncols], f);
    if (t->note)
      fprintf(f, "\n%s.\n", t->note);
  }
}

/* ---- JSON ---- */

/* What is not known is left out. */
static void number(ww_json *j, const char *key, double v) {
  if (isfinite(v))
    ww_json_knum(j, key, v);
}

static void write_score(int q, const ww_score *s, ww_json *j) {
  ww_json_kuint(j, "n", s->n);
  ww_json_kuint(j, "answered", s->answered);
  ww_json_kuint(j, "zeros", s->zeros);
  ww_json_kuint(j, "left_out", s->skipped);
  ww_json_kstr(j, "errors_in", ww_rule_of(q).points ? "points" : "fractions");
  number(j, "median", s->median);
  number(j, "mean", s->mean);
  number(j, "p90", s->p90);
  number(j, "ln", s->ln);
  number(j, "within10", s->within10);
  number(j, "right", s->right);
  number(j, "rank", s->spearman);
  number(j, "bias", s->bias);
  if (s->intervals)
    ww_json_kuint(j, "intervals", s->intervals);
  number(j, "inside", s->inside);
  if (s->small)
    ww_json_kuint(j, "under_10us", s->small);
  number(j, "under_10us_error_us", s->small_us);
}

static void write_classes(const ww_class_score *s, ww_json *j) {
  ww_json_obj(j);
  ww_json_kuint(j, "n", s->n);
  ww_json_kuint(j, "answered", s->answered);
  number(j, "accuracy", s->accuracy);
  number(j, "balanced", s->balanced);
  number(j, "f1", s->f1);
  number(j, "mcc", s->mcc);
  number(j, "accuracy_all", s->accuracy_all);
  ww_json_karr(j, "matrix"); /* [measured][said], bandwidth then compute */
  for (int k = 0; k < 2; k++) {
    ww_json_arr(j);
    for (int i = 0; i < 2; i++)
      ww_json_uint(j, s->matrix[k][i]);
    ww_json_end_arr(j);
  }
  ww_json_end_arr(j);
  ww_json_end_obj(j);
}

static void write_groups(const ww_evaluation *v, ww_json *j) {
  ww_json_kobj(j, "groups");
  for (int g = 0; g < WW_NGROUPINGS; g++) {
    ww_json_karr(j, ww_grouping_names[g]);
    for (uint32_t k = 0; k < v->ngroups[g]; k++) {
      ww_json_obj(j);
      ww_json_kstr(j, "name", v->groups[g][k].name);
      ww_json_kuint(j, "launches", v->groups[g][k].n);
      write_score(v->metric, &v->groups[g][k].score, j);
      ww_json_key(j, "classes");
      write_classes(&v->groups[g][k].classes, j);
      ww_json_end_obj(j);
    }
    ww_json_end_arr(j);
  }
  ww_json_end_obj(j);
}

static void write_case(const ww_evaluation *v, const ww_case *c, ww_json *j) {
  ww_mark m = ww_mark_of(v->metric, &(ww_pair){&c->measured, &c->predicted});
  ww_json_obj(j);
  if (c->measured.file)
    ww_json_kstr(j, "file", c->measured.file);
  ww_json_kstr(j, "kernel", c->measured.kernel);
  if (c->run)
    ww_json_kstr(j, "run", c->run);
  number(j, "measured", m.truth);
  number(j, "predicted", m.guess);
  if (c->measured.launch) {
    ww_json_key(j, "launch");
    ww_launch_write(c->measured.launch, j);
  }
  ww_json_end_obj(j);
}

static void write_lists(const ww_evaluation *v, ww_json *j) {
  ww_json_karr(j, "unanswered");
  for (uint32_t k = 0; k < v->reasons.n; k++) {
    const ww_case *example = v->reasons.v[k].example;
    ww_json_obj(j);
    ww_json_kstr(j, "why", v->reasons.v[k].text);
    ww_json_kuint(j, "launches", v->reasons.v[k].n);
    ww_json_kstr(j, "example", example->predicted.error.msg);
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
  ww_json_karr(j, "worst");
  for (uint32_t k = 0; k < v->nworst; k++)
    write_case(v, v->worst[k], j);
  ww_json_end_arr(j);
}

void ww_evaluate_json(const ww_evaluation *v) {
  ww_json *j = ww_line_begin();
  ww_json_kstr(j, "data", v->data);
  ww_json_kstr(j, "by", v->by);
  if (v->gpu)
    ww_json_kstr(j, "gpu", v->gpu);
  ww_json_kuint(j, "launches", v->n);
  ww_json_kuint(j, "answered", v->answered);
  ww_json_kuint(j, "unmeasured", v->unmeasured);
  number(j, "median_ms", v->ms);
  ww_json_kstr(j, "metric", ww_scored_name(v->metric));
  ww_json_kobj(j, "metrics");
  for (int q = 0; q < WW_NSCORED; q++) {
    if (!v->shown[q])
      continue;
    ww_json_key(j, ww_scored_name(q));
    ww_json_obj(j);
    write_score(q, &v->score[q], j);
    ww_json_end_obj(j);
  }
  ww_json_end_obj(j);
  ww_json_key(j, "classes");
  write_classes(&v->classes, j);
  write_groups(v, j);
  write_lists(v, j);
  ww_line_end(j);
}
