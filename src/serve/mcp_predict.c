/* mcp_predict.c - tools about one source: its kernels, predictions, findings, places
 * under the roofs.
 *
 * An agent pays for every word: a report becomes a dozen members with four digits each.
 * "detail":"full" adds the reports as every other interface writes them. */
#include "mcp_int.h"

#include <math.h>

#include "../predict/show/roofline.h"

#define FINDINGS 6 /* that are shown, of lines as well */
#define DIAGNOSTICS 8
#define REPORTS 64 /* in one result */

/* Beside time: what tells most about a kernel. */
static const ww_metric headline[] = {WW_M_dram_gbps,
                                     WW_M_gflops,
                                     WW_M_ai,
                                     WW_M_occupancy_pct,
                                     WW_M_l1_hit_pct,
                                     WW_M_l2_hit_pct,
                                     WW_M_registers,
                                     WW_M_ld_sectors_per_request,
                                     WW_M_st_sectors_per_request};
#define NHEADLINE (sizeof headline / sizeof headline[0])

/* ---- members ---- */

double ww_mcp_digits(double v) {
  char text[32];
  snprintf(text, sizeof text, "%.4g", v);
  return isfinite(v) ? strtod(text, NULL) : v;
}

void ww_mcp_quantity(ww_json *j, const char *name, const ww_quantity *q) {
  ww_json_put(j, "%s:{value:%g", name, ww_mcp_digits(q->value));
  if (q->interval)
    ww_json_put(j, "low:%g,high:%g", ww_mcp_digits(q->low), ww_mcp_digits(q->high));
  ww_json_end_obj(j);
}

static void write_shape(ww_json *j, const char *name, const uint64_t v[3]) {
  int n = v[2] > 1 ? 3 : v[1] > 1 ? 2 : 1;
  ww_json_put(j, "%s:[", name);
  for (int k = 0; k < n; k++)
    ww_json_uint(j, v[k]);
  ww_json_end_arr(j);
}

/* NULL: the report's own. */
static const char *other_file(const ww_report *r, const char *file) {
  return file && r->file && strcmp(file, r->file) != 0 ? file : NULL;
}

static void write_findings(const ww_report *r, ww_json *j) {
  ww_json_put(j, "findings:[");
  for (uint32_t k = 0; k < r->nfindings && k < FINDINGS; k++) {
    const ww_finding *f = &r->findings[k];
    ww_json_put(j, "{file?:%s,line?:%u,rule:%s,message:%s,speedup?:%g}",
                other_file(r, f->file), f->line, f->rule, f->message,
                ww_mcp_digits(f->gain));
  }
  ww_json_end_arr(j);
  if (r->nfindings > FINDINGS)
    ww_json_kuint(j, "more_findings", r->nfindings - FINDINGS);
}

static void write_lines(const ww_report *r, ww_json *j) {
  if (!r->explained)
    return;
  ww_json_put(j, "lines:[");
  for (uint32_t k = 0; k < r->nlines && k < FINDINGS && r->lines[k].share >= 0.01;
       k++) {
    const ww_report_line *l = &r->lines[k];
    double ways = l->shared_conflict_ways;
    ww_json_put(
        j,
        "{file?:%s,line:%u,share:%g,sectors_per_request?:%g,shared_conflict_ways?:%g}",
        other_file(r, l->file), l->line, ww_mcp_digits(l->share),
        ww_mcp_digits(l->sectors_per_request), ways > 1 ? ww_mcp_digits(ways) : 0);
  }
  ww_json_end_arr(j);
}

static void write_error(const ww_err *e, ww_json *j) {
  ww_json_put(j, "error:{code:%s,message:%s}", ww_status_name(e->code), e->msg);
}

void ww_mcp_short(const ww_report *r, uint32_t line, bool explain, ww_json *j) {
  ww_json_put(j, "{kernel:%s,line?:%u,gpu?:%s,grade?:%s", r->kernel, line, r->gpu,
              r->grade);
  if (r->error.code) {
    write_error(&r->error, j);
    return ww_json_end_obj(j);
  }
  ww_json_kstr(j, "by", ww_by_names[r->by]);
  if (r->launch && r->launch->grid[0])
    write_shape(j, "grid", r->launch->grid);
  if (r->launch && r->launch->block[0])
    write_shape(j, "block", r->launch->block);
  if (r->m[WW_M_time_us].known)
    ww_mcp_quantity(j, "time_us", &r->m[WW_M_time_us]);
  ww_json_put(j, "roofline_class?:%s,bottleneck?:%s,metrics:{", r->roofline_class,
              r->bottleneck);
  for (size_t k = 0; k < NHEADLINE; k++)
    if (r->m[headline[k]].known)
      ww_json_knum(j, ww_metrics[headline[k]].name,
                   ww_mcp_digits(r->m[headline[k]].value));
  ww_json_end_obj(j);
  if (explain) {
    write_findings(r, j);
    write_lines(r, j);
  }
  if (r->assumed.n)
    ww_assumptions_write(&r->assumed, j);
  ww_json_end_obj(j);
}

/* ---- schemas ---- */

static void schema_metric(ww_json *j, ww_metric m) {
  char text[512];
  ww_json_put(j, "%s:{type:'number',description:%s}", ww_metrics[m].name,
              ww_schema_meaning(m, text));
}

static void schema_report(ww_json *j) {
  ww_schema_properties(
      j, "kernel string\n"
         "line integer where it begins\n"
         "gpu string\n"
         "grade string of the GPU's figures: probed, calibrated, fitted, from paper\n"
         "by string grounded: machine model with what measurements taught; "
         "machine: that alone; hardware: measured\n"
         "grid array blocks\n"
         "block array threads of a block");
  ww_json_put(j, "time_us:{type:'object',description:%s,properties:{",
              ww_metrics[WW_M_time_us].meaning);
  ww_schema_properties(j, "value number\nlow number\nhigh number");
  ww_json_put(j, "}}");
  ww_schema_properties(j, "roofline_class string bandwidth or compute\n"
                          "bottleneck string what limits it, in words");
  ww_json_put(j, "metrics:{type:'object',properties:{");
  for (size_t k = 0; k < NHEADLINE; k++)
    schema_metric(j, headline[k]);
  ww_json_put(j, "}}");
  ww_mcp_list(j, "findings",
              "of explain: largest gain first; gains of several do not multiply",
              "line integer\n"
              "rule string warpwise://rules lists them\n"
              "message string what happens, and what to change\n"
              "speedup number of the kernel, were this one cause removed");
  ww_mcp_list(
      j, "lines", "of explain: most expensive first",
      "line integer\n"
      "share number of the kernel's time\n"
      "sectors_per_request number of its global accesses: 4 is coalesced for 4-byte "
      "elements, 32 the worst\n"
      "shared_conflict_ways number passes of its shared-memory accesses, 1 is free of "
      "conflicts");
  ww_schema_properties(j, "assumed strings what the launch did not say\n"
                          "error object instead of numbers: code, message");
}

void ww_mcp_schema_reports(ww_json *j) {
  ww_schema_properties(j, "file string");
  ww_mcp_begin_list(j, "reports", "one per kernel and GPU");
  schema_report(j);
  ww_json_put(j, "}}}");
  ww_schema_properties(j, "more integer reports that were left out; name a kernel\n"
                          "full array with detail: full, the whole reports");
}

/* ---- predict, explain ---- */

/* A result without one number is an error: the first reason there is. */
static ww_status ask(ww_mcp_call *t, bool explain, ww_query_result *x) {
  call c;
  ww_status st = ww_mcp_ask(t, t->args, &c);
  c.ask.explain = explain;
  if (!st)
    st = ww_query_ask(t->m->o.w, &c.ask, t->a, x, &t->err);
  if (st)
    return st;
  for (uint32_t k = 0; k < x->n; k++)
    if (!x->v[k].code)
      return WW_OK;
  if (!x->n)
    return ww_fail(&t->err, WW_EUSAGE, "there is no kernel in the source");
  t->err = x->v[0].report.error;
  return t->err.code;
}

static ww_status reports(ww_mcp_call *t, bool explain) {
  ww_query_result x = {0};
  ww_status st = ask(t, explain, &x);
  if (st)
    return st;
  ww_json_put(&t->j, "file:%s,reports:[", x.v[0].report.file);
  for (uint32_t k = 0; k < x.n && k < REPORTS; k++)
    ww_mcp_short(&x.v[k].report, x.v[k].line, explain, &t->j);
  ww_json_end_arr(&t->j);
  if (x.n > REPORTS)
    ww_json_kuint(&t->j, "more", x.n - REPORTS);
  if (t->full) {
    ww_json_put(&t->j, "full:[");
    ww_call_reports(&x, REPORTS, &t->j);
    ww_json_end_arr(&t->j);
  }
  return WW_OK;
}

ww_status ww_mcp_predict(ww_mcp_call *t) {
  return reports(t, false);
}
ww_status ww_mcp_explain(ww_mcp_call *t) {
  return reports(t, true);
}

/* ---- list_kernels ---- */

static void write_kernel(const ww_mcp_call *t,
                         const ww_query_unit *r,
                         const ww_fn *fn,
                         ww_json *j) {
  ww_json_put(j, "{name:%s", fn->name);
  if (t->full)
    ww_json_kstr(j, "mangled", fn->mangled);
  ww_json_put(j, "line:%u,parameters:[", fn->line);
  for (uint32_t k = 0; k < fn->nparams; k++) {
    const ww_param *p = &fn->params[k];
    ww_json_str(j, ww_fmt(t->a, "%s %s", p->ctype ? p->ctype : ww_type_names[p->type],
                          p->name ? p->name : ""));
  }
  ww_json_end_arr(j);
  const char *comment = ww_query_comment(t->m->o.w, r, fn, t->a);
  ww_json_put(j, "launch?:%s,predictable:%i,reason?:%s}", comment, !fn->refusal,
              fn->refusal);
}

static void write_diags(const ww_unit *u, ww_json *j) {
  ww_json_put(j, "diagnostics:[");
  for (uint32_t k = 0; k < u->ndiags && k < DIAGNOSTICS; k++) {
    const ww_diag *d = &u->diags[k];
    ww_json_put(j, "{line:%u,message:%s}", d->line, d->message);
  }
  ww_json_end_arr(j);
}

ww_status ww_mcp_list_kernels(ww_mcp_call *t) {
  call c;
  ww_query_unit r = {0};
  if (ww_mcp_ask(t, t->args, &c) ||
      ww_query_read(t->m->o.w, &c.ask.source, c.ask.deadline, t->a, &r, &t->err))
    return t->err.code;
  const ww_module *m = &r.unit->module;
  ww_json_put(&t->j, "dialect:%s,kernels:[", ww_dialect_names[m->dialect]);
  for (uint32_t k = 0; k < m->nfns; k++)
    if (m->fns[k].kernel)
      write_kernel(t, &r, &m->fns[k], &t->j);
  ww_json_end_arr(&t->j);
  ww_json_put(&t->j, "partial?:%i", r.unit->partial);
  if (r.unit->ndiags)
    write_diags(r.unit, &t->j);
  ww_query_release(t->m->o.w, &r);
  return WW_OK;
}

void ww_mcp_schema_kernels(ww_json *j) {
  ww_schema_properties(j, "dialect string");
  ww_mcp_list(j, "kernels", NULL,
              "name string\n"
              "line integer\n"
              "parameters strings type and name\n"
              "launch string as its `// warpwise:` comment gives it\n"
              "predictable boolean\n"
              "reason string why it is not");
  ww_schema_properties(
      j, "partial boolean something of the source was left out; diagnostics say what");
  ww_mcp_list(j, "diagnostics", "what the compiler said",
              "line integer\nmessage string");
}

/* ---- roofline ---- */

static void
write_place(const ww_report *r, const ww_roof_point *p, const char *why, ww_json *j) {
  ww_json_put(j, "{kernel:%s,gpu:%s", r->kernel, r->gpu);
  if (r->error.code)
    write_error(&r->error, j);
  else if (why)
    ww_json_kstr(j, "no_place", why);
  else {
    double share = p->roof > 0 ? p->gflops / p->roof : 0;
    ww_json_put(j,
                "ai:%g,gflops:%g,roof_gflops:%g,share_of_roof:%g,precision:%s,"
                "roofline_class:%s,bottleneck?:%s",
                ww_mcp_digits(p->ai), ww_mcp_digits(p->gflops), ww_mcp_digits(p->roof),
                ww_mcp_digits(share), ww_roof_names[p->precision], r->roofline_class,
                r->bottleneck);
  }
  ww_json_end_obj(j);
}

static void add_plot(ww_mcp_call *t, const ww_roofline *plot) {
  ww_buf svg = {0};
  ww_roofline_svg(plot, &svg);
  ww_json_put(&t->content,
              "{type:'resource',resource:{uri:'warpwise://roofline.svg',"
              "mimeType:'image/svg+xml',text:%s}}",
              svg.s);
  ww_buf_free(&svg);
}

typedef struct {
  ww_gpu *gpus;
  ww_roofs *roofs;
  uint32_t n;
  WW_VEC(ww_roof_point) points;
} places;

static uint32_t gpu_index(ww_mcp_call *t, places *s, const ww_report *r) {
  for (uint32_t g = 0; g < s->n; g++)
    if (!strcmp(s->gpus[g].name, r->gpu))
      return g;
  const ww_gpu *gpu = ww_gpu_of(t->m->o.w, r->gpu);
  if (!gpu)
    return s->n;
  s->gpus[s->n] = *gpu;
  ww_roofs_of(gpu, &s->roofs[s->n]);
  return s->n++;
}

ww_status ww_mcp_roofline(ww_mcp_call *t) {
  ww_query_result x = {0};
  const char *plot = ww_mcp_text(t, "plot");
  ww_status st = ask(t, false, &x);
  if (st)
    return st;
  places s = {.gpus = WW_NEWN(t->a, ww_gpu, x.n + 1),
              .roofs = WW_NEWN(t->a, ww_roofs, x.n + 1)};
  ww_json_put(&t->j, "kernels:[");
  for (uint32_t k = 0; k < x.n && k < REPORTS; k++) {
    const ww_report *r = &x.v[k].report;
    ww_roof_point p = {0};
    const char *why = NULL;
    if (!r->error.code) {
      uint32_t g = gpu_index(t, &s, r);
      if (g < s.n && ww_roof_point_of(r, &s.roofs[g], g, &p, &why))
        ww_push(t->a, &s.points, p);
    }
    write_place(r, &p, why, &t->j);
  }
  ww_json_put(&t->j, "],roofs:[");
  for (uint32_t g = 0; g < s.n; g++) {
    ww_json_put(&t->j, "{gpu:%s", s.gpus[g].name);
    for (int k = 0; k < WW_NROOFS; k++)
      if (s.roofs[g].v[k] > 0)
        ww_json_knum(&t->j, ww_roof_names[k], ww_mcp_digits(s.roofs[g].v[k]));
    ww_json_end_obj(&t->j);
  }
  ww_json_end_arr(&t->j);
  if (plot && !strcmp(plot, "svg"))
    add_plot(t, &(ww_roofline){s.gpus, s.roofs, s.n, s.points.v, s.points.n});
  return WW_OK;
}

void ww_mcp_schema_roofline(ww_json *j) {
  ww_mcp_begin_list(j, "kernels", NULL);
  ww_schema_properties(j, "kernel string\ngpu string");
  schema_metric(j, WW_M_ai);
  schema_metric(j, WW_M_gflops);
  ww_schema_properties(
      j, "roof_gflops number what memory and arithmetic allow at this intensity\n"
         "share_of_roof number\n"
         "precision string of most of its FLOPs\n"
         "roofline_class string bandwidth or compute\n"
         "no_place string why it stands nowhere: no FLOPs, no traffic");
  ww_json_put(j, "}}}");
  ww_mcp_begin_list(j, "roofs", NULL);
  ww_schema_properties(j, "gpu string");
  for (int k = 0; k < WW_NROOFS; k++)
    ww_json_put(j, "%s:{type:'number',description:%s}", ww_roof_names[k],
                k == WW_ROOF_DRAM || k == WW_ROOF_L2 ? "GB/s" : "GFLOP/s");
  ww_json_put(j, "}}}");
}
