/* diags.c - what the compiler said, as a member of a JSON object; also part of a build
 * without LLVM. */
#include "front.h"

void ww_diags_blame_header(const ww_unit *u, ww_err *e) {
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
