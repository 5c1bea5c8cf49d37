/* diags.c - what the compiler said, as a member of a JSON object; also part of a build
 * without LLVM. */
#include "front.h"

/* The diagnostic's place moves out of the message, where its refusal has put it. */
static void place_error(const ww_diag *d, ww_err *e) {
  char place[512];
  snprintf(place, sizeof place, "%s:%u:%u: ", ww_path_base(d->file), d->line, d->col);
  char *in = strstr(e->msg, place);
  if (!in)
    return;
  memmove(in, in + strlen(place), strlen(in + strlen(place)) + 1);
  e->file = d->file;
  e->line = d->line;
  e->col = d->col;
}

static void blame_header(const ww_unit *u, ww_err *e) {
  for (uint32_t k = 0; k < u->ndiags; k++) {
    const ww_diag *d = &u->diags[k];
    size_t n = strlen(e->msg);
    if (!d->missing_header)
      continue;
    snprintf(e->msg + n, sizeof e->msg - n, "; %s:%u: %s",
             d->file ? ww_path_base(d->file) : "?", d->line, d->message);
    return;
  }
}

void ww_diags_blame(const ww_unit *u, const ww_fn *fn, ww_err *e) {
  uint32_t by = u->refused_by && fn ? u->refused_by[fn - u->module.fns] : 0;
  if (by && u->diags[by - 1].file)
    place_error(&u->diags[by - 1], e);
  blame_header(u, e);
}

void ww_diags_write(const ww_unit *u, ww_json *j) {
  ww_json_key(j, "diagnostics");
  ww_json_arr(j);
  for (uint32_t k = 0; k < u->ndiags; k++) {
    const ww_diag *d = &u->diags[k];
    ww_json_obj(j);
    ww_json_kstr(j, "file", d->file);
    ww_json_kuint(j, "line", d->line);
    ww_json_kuint(j, "col", d->col);
    ww_json_kstr(j, "severity", d->error ? "error" : "warning");
    ww_json_kstr(j, "message", d->message);
    if (d->cause)
      ww_json_kstr(j, "cause", d->cause);
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
}

void ww_refusal_write(const ww_unit *u, const ww_fn *fn, ww_json *j) {
  uint32_t by = u->refused_by ? u->refused_by[fn - u->module.fns] : 0;
  ww_json_kbool(j, "interpretable", !fn->refusal);
  ww_json_kstr(j, "reason", fn->refusal);
  if (by)
    ww_json_kuint(j, "diagnostic", by - 1);
}
