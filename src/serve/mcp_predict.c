/* mcp_predict.c - tools about one source: its kernels, predictions, findings, places under the
 * roofs.
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

void ww_mcp_number(ww_json *j, const char *name, double v) {
  char text[32];
  snprintf(text, sizeof text, "%.4g", v);
  double rounded = 0;
  sscanf(text, "%lf", &rounded);
  ww_json_knum(j, name, isfinite(v) ? rounded : v);
}

void ww_mcp_quantity(ww_json *j, const char *name, const ww_quantity *q) {
  ww_json_key(j, name);
  ww_json_obj(j);
  ww_mcp_number(j, "value", q->value);
  if (q->interval) {
    ww_mcp_number(j, "low", q->low);
    ww_mcp_number(j, "high", q->high);
  }
  ww_json_end_obj(j);
}

static void write_shape(ww_json *j, const char *name, const uint64_t v[3]) {
  int n = v[2] > 1 ? 3 : v[1] > 1 ? 2 : 1;
  ww_json_key(j, name);
  ww_json_arr(j);
  for (int k = 0; k < n; k++)
    ww_json_uint(j, v[k]);
  ww_json_end_arr(j);
}

static void write_findings(const ww_report *r, ww_json *j) {
  ww_json_key(j, "findings");
  ww_json_arr(j);
  for (uint32_t k = 0; k < r->nfindings && k < FINDINGS; k++) {
    const ww_finding *f = &r->findings[k];
    ww_json_obj(j);
    if (f->file && r->file && strcmp(f->file, r->file) != 0)
      ww_json_kstr(j, "file", f->file);
    if (f->line)
      ww_json_kuint(j, "line", f->line);
    ww_json_kstr(j, "rule", f->rule);
    ww_json_kstr(j, "message", f->message);
    if (f->gain > 0)
      ww_mcp_number(j, "speedup", f->gain);
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
  if (r->nfindings > FINDINGS)
    ww_json_kuint(j, "more_findings", r->nfindings - FINDINGS);
}

static void write_lines(const ww_report *r, ww_json *j) {
  if (!r->explained)
    return;
  ww_json_key(j, "lines");
  ww_json_arr(j);
  for (uint32_t k = 0; k < r->nlines && k < FINDINGS; k++) {
    const ww_report_line *l = &r->lines[k];
    if (l->share < 0.01)
      break;
    ww_json_obj(j);
    if (l->file && r->file && strcmp(l->file, r->file) != 0)
      ww_json_kstr(j, "file", l->file);
    ww_json_kuint(j, "line", l->line);
    ww_mcp_number(j, "share", l->share);
    if (l->sectors_per_request > 0)
      ww_mcp_number(j, "sectors_per_request", l->sectors_per_request);
    if (l->shared_conflict_ways > 1)
      ww_mcp_number(j, "shared_conflict_ways", l->shared_conflict_ways);
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
}

static void write_error(const ww_err *e, ww_json *j) {
  ww_json_key(j, "error");
  ww_json_obj(j);
  ww_json_kstr(j, "code", ww_status_name(e->code));
  ww_json_kstr(j, "message", e->msg);
  ww_json_end_obj(j);
}

void ww_mcp_short(const ww_report *r, uint32_t line, bool explain, ww_json *j) {
  ww_json_obj(j);
  ww_json_kstr(j, "kernel", r->kernel);
  if (line)
    ww_json_kuint(j, "line", line);
  if (r->gpu)
    ww_json_kstr(j, "gpu", r->gpu);
  if (r->error.code) {
    write_error(&r->error, j);
    ww_json_end_obj(j);
    return;
  }
  ww_json_kstr(j, "by", ww_by_names[r->by]);
  if (r->launch && r->launch->grid[0])
    write_shape(j, "grid", r->launch->grid);
  if (r->launch && r->launch->block[0])
    write_shape(j, "block", r->launch->block);
  if (r->m[WW_M_time_us].known)
    ww_mcp_quantity(j, "time_us", &r->m[WW_M_time_us]);
  if (r->roofline_class)
    ww_json_kstr(j, "bound", r->roofline_class);
  if (r->bottleneck)
    ww_json_kstr(j, "bottleneck", r->bottleneck);
  ww_json_key(j, "metrics");
  ww_json_obj(j);
  for (size_t k = 0; k < NHEADLINE; k++)
    if (r->m[headline[k]].known)
      ww_mcp_number(j, ww_metrics[headline[k]].name, r->m[headline[k]].value);
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

void ww_mcp_schema_quantity(ww_json *j, const char *name, const char *meaning) {
  ww_json_key(j, name);
  ww_json_obj(j);
  ww_json_kstr(j, "type", "object");
  ww_json_kstr(j, "description", meaning);
  ww_json_key(j, "properties");
  ww_json_obj(j);
  ww_mcp_property(j, "value", "number", NULL);
  ww_mcp_property(j, "low", "number", NULL);
  ww_mcp_property(j, "high", "number", NULL);
  ww_json_end_obj(j);
  ww_json_end_obj(j);
}

static void schema_metric(ww_json *j, ww_metric m) {
  char text[300];
  const char *unit = ww_metrics[m].unit;
  snprintf(text, sizeof text, "%s%s%s%s", ww_metrics[m].meaning, unit && *unit ? " [" : "",
           unit ? unit : "", unit && *unit ? "]" : "");
  ww_mcp_property(j, ww_metrics[m].name, "number", text);
}

static void schema_finding(ww_json *j) {
  ww_mcp_property(j, "line", "integer", NULL);
  ww_mcp_property(j, "rule", "string", "warpwise://rules lists them");
  ww_mcp_property(j, "message", "string", "what happens, and what to change");
  ww_mcp_property(j, "speedup", "number", "of the kernel, were this one cause removed");
}

static void schema_line(ww_json *j) {
  ww_mcp_property(j, "line", "integer", NULL);
  ww_mcp_property(j, "share", "number", "of the kernel's time");
  ww_mcp_property(j, "sectors_per_request", "number",
                  "of its global accesses: 4 is coalesced for 4-byte elements, 32 the worst");
  ww_mcp_property(j, "shared_conflict_ways", "number",
                  "passes of its shared-memory accesses, 1 is free of conflicts");
}

static void schema_report(ww_json *j) {
  ww_mcp_property(j, "kernel", "string", NULL);
  ww_mcp_property(j, "line", "integer", "where it begins");
  ww_mcp_property(j, "gpu", "string", NULL);
  ww_mcp_property(j, "by", "string",
                  "grounded: machine model with what measurements taught; machine: that alone; "
                  "hardware: measured");
  ww_mcp_property(j, "grid", "array", "blocks");
  ww_mcp_property(j, "block", "array", "threads of a block");
  ww_mcp_schema_quantity(j, "time_us", ww_metrics[WW_M_time_us].meaning);
  ww_mcp_property(j, "bound", "string", "bandwidth or compute: the side of the roofline");
  ww_mcp_property(j, "bottleneck", "string", "what limits it, in words");
  ww_json_key(j, "metrics");
  ww_json_obj(j);
  ww_json_kstr(j, "type", "object");
  ww_json_key(j, "properties");
  ww_json_obj(j);
  for (size_t k = 0; k < NHEADLINE; k++)
    schema_metric(j, headline[k]);
  ww_json_end_obj(j);
  ww_json_end_obj(j);
  ww_mcp_list(j, "findings", "of explain: largest gain first; gains of several do not multiply",
              schema_finding);
  ww_mcp_list(j, "lines", "of explain: most expensive first", schema_line);
  ww_mcp_list(j, "assumed", "what the launch did not say", NULL);
  ww_mcp_property(j, "error", "object", "instead of numbers: code, message");
}

void ww_mcp_schema_reports(ww_json *j) {
  ww_mcp_property(j, "file", "string", NULL);
  ww_mcp_list(j, "reports", "one per kernel and GPU", schema_report);
  ww_mcp_property(j, "more", "integer", "reports that were left out; name a kernel");
  ww_mcp_property(j, "full", "array", "with detail: full, the whole reports");
}

/* ---- predict, explain ---- */

static ww_status ask(ww_mcp_call *t, bool explain, ww_query_result *x) {
  call c;
  ww_status st = ww_mcp_ask(t, t->args, &c);
  c.ask.explain = explain;
  return st ? st : ww_query_ask(t->m->o.w, &c.ask, t->a, x, &t->err);
}

/* A result without one number is an error: the first reason there is. */
static ww_status all_failed(ww_mcp_call *t, const ww_query_result *x) {
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
  if (!st)
    st = all_failed(t, &x);
  if (st)
    return st;
  for (uint32_t k = 0; k < x.n && k < REPORTS; k++) {
    const ww_report *r = &x.v[k].report;
    if (!k) {
      ww_json_kstr(&t->j, "file", r->file);
      ww_json_key(&t->j, "reports");
      ww_json_arr(&t->j);
    }
    ww_mcp_short(r, x.v[k].line, explain, &t->j);
  }
  ww_json_end_arr(&t->j);
  if (x.n > REPORTS)
    ww_json_kuint(&t->j, "more", x.n - REPORTS);
  if (!t->full)
    return WW_OK;
  ww_json_key(&t->j, "full");
  ww_json_arr(&t->j);
  for (uint32_t k = 0; k < x.n && k < REPORTS; k++)
    ww_report_write(&x.v[k].report, &t->j, NULL, NULL);
  ww_json_end_arr(&t->j);
  return WW_OK;
}

ww_status ww_mcp_predict(ww_mcp_call *t) {
  return reports(t, false);
}
ww_status ww_mcp_explain(ww_mcp_call *t) {
  return reports(t, true);
}

/* ---- list_kernels ---- */

static void write_kernel(const ww_mcp_call *t, const ww_query_unit *r, const ww_fn *fn,
                         ww_json *j) {
  ww_json_obj(j);
  ww_json_kstr(j, "name", fn->name);
  if (t->full)
    ww_json_kstr(j, "mangled", fn->mangled);
  ww_json_kuint(j, "line", fn->line);
  ww_json_key(j, "parameters");
  ww_json_arr(j);
  for (uint32_t k = 0; k < fn->nparams; k++) {
    const ww_param *p = &fn->params[k];
    ww_json_str(j, ww_fmt(t->a, "%s %s", p->ctype ? p->ctype : ww_type_names[p->type],
                          p->name ? p->name : ""));
  }
  ww_json_end_arr(j);
  const char *comment = ww_front_comment_in(r->text, strlen(r->text), fn->line, t->a);
  if (comment)
    ww_json_kstr(j, "launch", comment);
  ww_json_kbool(j, "predictable", !fn->refusal);
  if (fn->refusal)
    ww_json_kstr(j, "reason", fn->refusal);
  ww_json_end_obj(j);
}

static void write_diags(const ww_unit *u, ww_json *j) {
  ww_json_key(j, "diagnostics");
  ww_json_arr(j);
  for (uint32_t k = 0; k < u->ndiags && k < DIAGNOSTICS; k++) {
    const ww_diag *d = &u->diags[k];
    ww_json_obj(j);
    ww_json_kuint(j, "line", d->line);
    ww_json_kstr(j, "message", d->message);
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
}

ww_status ww_mcp_list_kernels(ww_mcp_call *t) {
  call c;
  ww_query_unit r;
  ww_status st = ww_mcp_ask(t, t->args, &c);
  if (!st)
    st = ww_query_read(t->m->o.w, &c.ask.source, c.ask.deadline, t->a, &r, &t->err);
  if (st)
    return st;
  const ww_module *m = &r.unit->module;
  ww_json_kstr(&t->j, "dialect", ww_dialect_names[m->dialect]);
  ww_json_key(&t->j, "kernels");
  ww_json_arr(&t->j);
  for (uint32_t k = 0; k < m->nfns; k++)
    if (m->fns[k].kernel)
      write_kernel(t, &r, &m->fns[k], &t->j);
  ww_json_end_arr(&t->j);
  if (r.unit->partial)
    ww_json_kbool(&t->j, "partial", true);
  if (r.unit->ndiags)
    write_diags(r.unit, &t->j);
  ww_query_release(t->m->o.w, &r);
  return WW_OK;
}

static void schema_kernel(ww_json *j) {
  ww_mcp_property(j, "name", "string", NULL);
  ww_mcp_property(j, "line", "integer", NULL);
  ww_mcp_list(j, "parameters", "type and name", NULL);
  ww_mcp_property(j, "launch", "string", "as its `// warpwise:` comment gives it");
  ww_mcp_property(j, "predictable", "boolean", NULL);
  ww_mcp_property(j, "reason", "string", "why it is not");
}

static void schema_diag(ww_json *j) {
  ww_mcp_property(j, "line", "integer", NULL);
  ww_mcp_property(j, "message", "string", NULL);
}

void ww_mcp_schema_kernels(ww_json *j) {
  ww_mcp_property(j, "dialect", "string", NULL);
  ww_mcp_list(j, "kernels", NULL, schema_kernel);
  ww_mcp_property(j, "partial", "boolean",
                  "something of the source was left out; diagnostics say what");
  ww_mcp_list(j, "diagnostics", "what the compiler said", schema_diag);
}

/* ---- roofline ---- */

static const ww_gpu *gpu_named(const ww_mcp *m, const char *name) {
  const ww_gpu *g;
  uint32_t n = ww_query_gpus(m->o.w, &g);
  for (uint32_t k = 0; k < n; k++)
    if (name && !strcmp(g[k].name, name))
      return &g[k];
  return NULL;
}

static void write_place(const ww_report *r, const ww_roof_point *p, const char *why, ww_json *j) {
  ww_json_obj(j);
  ww_json_kstr(j, "kernel", r->kernel);
  ww_json_kstr(j, "gpu", r->gpu);
  if (r->error.code)
    write_error(&r->error, j);
  else if (why)
    ww_json_kstr(j, "no_place", why);
  else {
    ww_mcp_number(j, "ai", p->ai);
    ww_mcp_number(j, "gflops", p->gflops);
    ww_mcp_number(j, "roof_gflops", p->roof);
    ww_mcp_number(j, "share_of_roof", p->roof > 0 ? p->gflops / p->roof : 0);
    ww_json_kstr(j, "precision", ww_roof_names[p->precision]);
    ww_json_kstr(j, "bound", r->roofline_class);
    if (r->bottleneck)
      ww_json_kstr(j, "bottleneck", r->bottleneck);
  }
  ww_json_end_obj(j);
}

static void add_plot(ww_mcp_call *t, const ww_roofline *plot) {
  ww_buf svg = {0};
  ww_json j = {0};
  ww_roofline_svg(plot, &svg);
  ww_json_begin(&j, &t->content);
  ww_json_obj(&j);
  ww_json_kstr(&j, "type", "resource");
  ww_json_key(&j, "resource");
  ww_json_obj(&j);
  ww_json_kstr(&j, "uri", "warpwise://roofline.svg");
  ww_json_kstr(&j, "mimeType", "image/svg+xml");
  ww_json_kstr(&j, "text", svg.s);
  ww_json_end_obj(&j);
  ww_json_end_obj(&j);
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
  const ww_gpu *gpu = gpu_named(t->m, r->gpu);
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
  if (!st)
    st = all_failed(t, &x);
  if (st)
    return st;
  places s = {.gpus = WW_NEWN(t->a, ww_gpu, x.n + 1), .roofs = WW_NEWN(t->a, ww_roofs, x.n + 1)};
  ww_json_key(&t->j, "kernels");
  ww_json_arr(&t->j);
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
  ww_json_end_arr(&t->j);
  ww_json_key(&t->j, "roofs");
  ww_json_arr(&t->j);
  for (uint32_t g = 0; g < s.n; g++) {
    ww_json_obj(&t->j);
    ww_json_kstr(&t->j, "gpu", s.gpus[g].name);
    for (int k = 0; k < WW_NROOFS; k++)
      if (s.roofs[g].v[k] > 0)
        ww_mcp_number(&t->j, ww_roof_names[k], s.roofs[g].v[k]);
    ww_json_end_obj(&t->j);
  }
  ww_json_end_arr(&t->j);
  if (plot && !strcmp(plot, "svg"))
    add_plot(t, &(ww_roofline){s.gpus, s.roofs, s.n, s.points.v, s.points.n});
  return WW_OK;
}

static void schema_place(ww_json *j) {
  ww_mcp_property(j, "kernel", "string", NULL);
  ww_mcp_property(j, "gpu", "string", NULL);
  schema_metric(j, WW_M_ai);
  schema_metric(j, WW_M_gflops);
  ww_mcp_property(j, "roof_gflops", "number", "what memory and arithmetic allow at this intensity");
  ww_mcp_property(j, "share_of_roof", "number", NULL);
  ww_mcp_property(j, "precision", "string", "of most of its FLOPs");
  ww_mcp_property(j, "bound", "string", "bandwidth or compute");
  ww_mcp_property(j, "no_place", "string", "why it stands nowhere: no FLOPs, no traffic");
}

static void schema_roofs(ww_json *j) {
  ww_mcp_property(j, "gpu", "string", NULL);
  for (int k = 0; k < WW_NROOFS; k++)
    ww_mcp_property(j, ww_roof_names[k], "number",
                    k == WW_ROOF_DRAM || k == WW_ROOF_L2 ? "GB/s" : "GFLOP/s");
}

void ww_mcp_schema_roofline(ww_json *j) {
  ww_mcp_list(j, "kernels", NULL, schema_place);
  ww_mcp_list(j, "roofs", NULL, schema_roofs);
}
