/* mcp_sweep.c - tools that go beyond one prediction of a source: times over sizes, and
 * edits for what was found. */
#include "mcp_int.h"

/* ---- sweep ---- */

ww_status ww_mcp_sweep(ww_mcp_call *t) {
  call c;
  ww_status st = ww_mcp_ask(t, t->args, &c);
  if (st)
    return st;
  st = ww_call_write_sweep(&c, ww_mcp_text(t, "sweep"), &t->j);
  t->err = c.err;
  return st;
}

void ww_mcp_schema_sweep(ww_json *j) {
  ww_schema_properties(j, "kernel string\n"
                          "name string what is swept\n"
                          "gpus strings");
  ww_mcp_list(j, "points", "one per size",
              "value integer\n"
              "grid array\n"
              "block array\n"
              "times array per GPU: us, low, high, bound; null where there is none\n"
              "error string why there is none");
}

/* ---- fix ---- */

static void
write_fix(const ww_call_fixes_list *l, const ww_offered_fix *x, ww_json *j) {
  ww_json_put(j,
              "{kernel:%s,rule:%s,line:%u,title:%s,speedup?:%g,in_patch:%i,assumes?:%s,"
              "changes_launch?:%i",
              x->kernel, x->finding->rule, x->finding->line, x->fix.title,
              ww_mcp_digits(x->finding->gain), x->taken, x->fix.assumes, x->fix.launch);
  if (!x->taken) {
    ww_call_fixes_list one = *l;
    one.all = x->fix;
    ww_call_write_patch(&one, j);
  }
  ww_json_end_obj(j);
}

ww_status ww_mcp_fix(ww_mcp_call *t) {
  call c;
  ww_call_fixes_list l = {0};
  ww_status st = ww_mcp_ask(t, t->args, &c);
  if (!st && (st = ww_call_find_fixes(&c, &l)))
    t->err = c.err;
  if (st)
    return st;
  ww_json_put(&t->j, "file:%s,fixes:[", l.file);
  for (uint32_t k = 0; k < l.n; k++)
    write_fix(&l, &l.v[k], &t->j);
  ww_json_end_arr(&t->j);
  ww_call_write_patch(&l, &t->j);
  if (t->full && l.all.n)
    ww_json_kstr(&t->j, "source", ww_fix_apply(l.text, l.bytes, &l.all, t->a, NULL));
  return WW_OK;
}

void ww_mcp_schema_fix(ww_json *j) {
  ww_schema_properties(j, "file string");
  ww_mcp_list(
      j, "fixes", "findings that an edit of a few words removes",
      "kernel string\n"
      "rule string\n"
      "line integer\n"
      "title string what the edit does\n"
      "speedup number predicted, were the cause gone\n"
      "in_patch boolean\n"
      "assumes string what the text cannot prove; such a fix has a patch of its "
      "own\n"
      "changes_launch boolean\n"
      "patch string");
  ww_schema_properties(j,
                       "patch string for `git apply`: all fixes that assume nothing\n"
                       "source string the text with that patch, with detail full");
}
