/* verify_show.c - a verdict as text for a person and as JSON. */
#include "../base/json_put.h"
#include "verify.h"

#define SHOWN_LINES 12

#define D(id, name, text) name,
const char *const ww_difference_names[] = {WW_DIFFERENCES(D)};
#undef D
#define D(id, name, text) text,
const char *const ww_difference_texts[] = {WW_DIFFERENCES(D)};
#undef D

static void write_difference(const ww_difference *d, ww_json *j) {
  ww_json_put(j, "difference:{kind:%s,meaning:%s,message?:%s,case?:%s,order?:%s",
              ww_difference_names[d->kind], ww_difference_texts[d->kind], d->what,
              d->at, d->order);
  ww_json_put(j, "buffer?:%s", d->buffer);
  if (d->buffer)
    ww_json_put(j, "index:%lu", (unsigned long)d->index);
  ww_json_put(j, "old?:%s,new?:%s,exact?:%s,file?:%s,line?:%u,other_line?:%u",
              d->old_value, d->new_value, d->exact, d->file, d->line, d->other_line);
  if (d->stale)
    ww_json_put(j, "uninitialised_line:%u", d->stale_line);
  ww_json_end_obj(j);
}

static void write_coverage(const ww_verdict *v, ww_json *j) {
  static const char *const names[2] = {"old", "new"};
  ww_json_put(j, "coverage:{");
  for (int s = 0; s < 2; s++) {
    ww_json_put(j, "%s:{blocks:%u,reached:%u,unreached_lines:[", names[s], v->blocks[s],
                v->blocks[s] - v->missed[s]);
    for (uint32_t k = 0; k < v->unreached[s].n; k++)
      ww_json_put(j, "{file?:%s,line:%u}", v->unreached[s].v[k].file,
                  v->unreached[s].v[k].line);
    ww_json_put(j, "]}");
  }
  ww_json_end_obj(j);
}

void ww_verdict_write(const ww_verdict *v, ww_json *j) {
  ww_json_put(j,
              "same:%i,seed:%lu,cases:%u,cases_refused:%u,refusal?:%s,"
              "cases_undefined:%u,cases_too_long:%u,elements_compared:%lu,warp_"
              "instructions:%lu",
              v->same, (unsigned long)v->seed, v->cases, v->refused, v->refusal,
              v->undefined, v->too_long, (unsigned long)v->compared,
              (unsigned long)v->steps);
  if (!v->same)
    write_difference(&v->first, j);
  ww_json_put(j, "sizes:[");
  for (uint32_t k = 0; k < v->nsizes; k++)
    ww_json_put(j, "{name:%s,least:%ld,most:%ld,given:%ld}", v->sizes[k].name,
                (long)v->sizes[k].least, (long)v->sizes[k].most,
                (long)v->sizes[k].given);
  ww_json_end_arr(j);
  if (v->error > 0)
    ww_json_put(j, "error_of_allowed:%g", v->error);
  write_coverage(v, j);
  ww_json_strings(j, "notes", v->notes.v, v->notes.n);
  ww_json_strings(j, "not_shown", v->limits.v, v->limits.n);
  ww_assumptions_write(&v->assumed, j);
}

/* ---- text ---- */

static void print_place(const char *file, uint32_t line, ww_buf *out) {
  if (line)
    ww_buf_fmt(out, "%s:%u", file ? ww_path_base(file) : "line", line);
}

static void print_difference(const ww_difference *d, ww_buf *out) {
  ww_buf_fmt(out, "  %s", ww_difference_texts[d->kind]);
  if (d->line) {
    ww_buf_puts(out, ", ");
    print_place(d->file, d->line, out);
    if (d->other_line)
      ww_buf_fmt(out, " with line %u", d->other_line);
  }
  ww_buf_puts(out, "\n");
  if (d->what)
    ww_buf_fmt(out, "  %s\n", d->what);
  if (d->new_value) {
    ww_buf_fmt(out, "  %s[%llu]: %s, the original has %s", d->buffer,
               (unsigned long long)d->index, d->new_value, d->old_value);
    ww_buf_fmt(out, d->exact ? ", double precision %s\n" : "\n", d->exact);
  } else if (d->buffer)
    ww_buf_fmt(out, "  byte %llu of `%s`\n", (unsigned long long)d->index, d->buffer);
  ww_buf_fmt(out, "  with %s\n", d->at);
  if (d->order)
    ww_buf_fmt(out, "  %s\n", d->order);
  if (d->stale)
    ww_buf_fmt(out, "  line %u reads shared memory that nobody wrote\n", d->stale_line);
}

static void print_sizes(const ww_verdict *v, ww_buf *out) {
  for (uint32_t k = 0; k < v->nsizes; k++)
    ww_buf_fmt(out, "%s%s %lld to %lld", k ? ", " : "  sizes: ", v->sizes[k].name,
               (long long)v->sizes[k].least, (long long)v->sizes[k].most);
  if (v->nsizes)
    ww_buf_puts(out, "\n");
}

static void print_unreached(const ww_verdict *v, int side, ww_buf *out) {
  const ww_places *p = &v->unreached[side];
  if (!v->missed[side])
    return;
  ww_buf_fmt(out, "not reached, %s: %u of %u blocks", side ? "new" : "old",
             v->missed[side], v->blocks[side]);
  for (uint32_t k = 0; k < p->n && k < SHOWN_LINES; k++) {
    ww_buf_puts(out, k ? ", " : "; ");
    print_place(p->v[k].file, p->v[k].line, out);
  }
  ww_buf_puts(out, p->n > SHOWN_LINES ? ", ...\n" : "\n");
}

static void print_list(const char *head, const ww_strings *v, ww_buf *out) {
  for (uint32_t k = 0; k < v->n; k++)
    ww_buf_fmt(out, "%-11s%s\n", k ? "" : head, v->v[k]);
}

void ww_verdict_print(const ww_verdict *v,
                      const ww_verify_side *old,
                      const ww_verify_side *new,
                      ww_buf *out) {
  const ww_verify_side *sides[2] = {old, new};
  ww_buf_puts(out, v->same ? "same" : "different");
  for (int s = 0; s < 2; s++) {
    ww_buf_fmt(out, "  %s ", sides[s]->fn->name);
    print_place(sides[s]->fn->file, sides[s]->fn->line, out);
  }
  ww_buf_puts(out, "\n");
  if (!v->same)
    print_difference(&v->first, out);
  ww_buf_fmt(out, "  %u cases, %llu elements, seed %llu\n", v->cases,
             (unsigned long long)v->compared, (unsigned long long)v->seed);
  print_sizes(v, out);
  if (v->error > 0)
    ww_buf_fmt(out,
               "  floats: at most %.2g of the error that the original's own allows\n",
               v->error);
  if (v->refused)
    ww_buf_fmt(out, "  %u cases left out, which the original is not for: %s\n",
               v->refused, v->refusal);
  if (v->undefined)
    ww_buf_fmt(out,
               "  %u cases left out, in which the order of the original's threads "
               "decides its result\n",
               v->undefined);
  for (int s = 0; v->same && s < 2; s++)
    print_unreached(v, s, out);
  print_list("compared:", &v->notes, out);
  if (v->same)
    print_list("not shown:", &v->limits, out);
}
