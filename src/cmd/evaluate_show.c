/* evaluate_show.c - tables for a terminal and as markdown; scores as JSON. */
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

static void
text_row(const ww_table *t, const char *const *cells, const int *width, FILE *f) {
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
  const char *bold = ww_color_on(f) ? "\033[1m" : "";
  const char *dim = ww_color_on(f) ? "\033[2m" : "";
  const char *off = *bold ? "\033[0m" : "";
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

static void markdown_row(const ww_table *t, const char *const *cells, FILE *f) {
  for (uint32_t k = 0; k < t->ncols; k++) {
    fputs("| ", f);
    ww_print_escaped(cells[k], "|<*_`", f);
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

static void write_score(int q, const ww_score *s, ww_json *j) {
  ww_json_put(j, "n:%u,answered:%u,zeros:%u,left_out:%u,errors_in:%s", s->n,
              s->answered, s->zeros, s->skipped,
              ww_rule_of(q).points ? "points" : "fractions");
  ww_json_put(
      j,
      "median!:%g,mean!:%g,p90!:%g,ln!:%g,within10!:%g,right!:%g,rank!:%g,bias!:%g,"
      "intervals?:%u,inside!:%g,ratio!:%g,interval_score!:%g,under_10us?:%u,under_10us_"
      "error_us!:%g",
      s->median, s->mean, s->p90, s->ln, s->within10, s->right, s->spearman, s->bias,
      s->intervals, s->inside, s->ratio, s->cost, s->small, s->small_us);
}

static void write_classes(const ww_class_score *s, ww_json *j) {
  ww_json_put(j,
              "classes:{n:%u,answered:%u,accuracy!:%g,balanced!:%g,f1!:%g,mcc!:%g,"
              "accuracy_all!:%g",
              s->n, s->answered, s->accuracy, s->balanced, s->f1, s->mcc,
              s->accuracy_all);
  /* [measured][said], bandwidth then compute */
  ww_json_put(j, "matrix:[[%u,%u],[%u,%u]]}", s->matrix[0][0], s->matrix[0][1],
              s->matrix[1][0], s->matrix[1][1]);
}

static void write_groups(const ww_evaluation *v, ww_json *j) {
  ww_json_put(j, "groups:{");
  for (int g = 0; g < WW_NGROUPINGS; g++) {
    ww_json_put(j, "%s:[", ww_grouping_names[g]);
    for (uint32_t k = 0; k < v->ngroups[g]; k++) {
      const ww_group *of = &v->groups[g][k];
      ww_json_put(j, "{name:%s,launches:%u", of->name, of->n);
      write_score(v->metric, &of->score, j);
      write_classes(&of->classes, j);
      ww_json_end_obj(j);
    }
    ww_json_end_arr(j);
  }
  ww_json_end_obj(j);
}

static void write_case(const ww_evaluation *v, const ww_eval_case *c, ww_json *j) {
  ww_mark m = ww_case_mark(v, c);
  ww_json_put(j, "{file?:%s,kernel:%s,run?:%s,measured!:%g,predicted!:%g",
              c->measured.file, c->measured.kernel, c->run, m.truth, m.guess);
  if (c->measured.launch) {
    ww_json_key(j, "launch");
    ww_launch_write(c->measured.launch, j);
  }
  ww_json_end_obj(j);
}

static void write_lists(const ww_evaluation *v, ww_json *j) {
  ww_json_put(j, "unanswered:[");
  for (uint32_t k = 0; k < v->reasons.n; k++) {
    const ww_eval_case *example = v->reasons.v[k].example;
    ww_json_put(j, "{why:%s,launches:%u,example:%s}", v->reasons.v[k].text,
                v->reasons.v[k].n, example->predicted.error.msg);
  }
  ww_json_put(j, "],worst:[");
  for (uint32_t k = 0; k < v->nworst; k++)
    write_case(v, v->worst[k], j);
  ww_json_end_arr(j);
}

void ww_evaluate_json(const ww_evaluation *v) {
  ww_json *j = ww_line_begin();
  ww_json_put(
      j,
      "data:%s,by:%s,gpu?:%s,launches:%u,answered:%u,unmeasured:%u,median_ms!:%g,"
      "metric:%s,metrics:{",
      v->data, v->by, v->gpu, v->n, v->answered, v->unmeasured, v->ms,
      ww_scored_name(v->metric));
  for (int q = 0; q < WW_NSCORED; q++) {
    if (!v->shown[q])
      continue;
    ww_json_put(j, "%s:{", ww_scored_name(q));
    write_score(q, &v->score[q], j);
    ww_json_end_obj(j);
  }
  ww_json_end_obj(j);
  write_classes(&v->classes, j);
  write_groups(v, j);
  write_lists(v, j);
  ww_line_end(j);
}
