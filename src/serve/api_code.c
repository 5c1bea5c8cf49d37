/* api_code.c - what a kernel is compiled to, each instruction with its source line: the
 * IR that is interpreted, or the PTX that nvcc makes of the same source. Predictions
 * never come from the latter: they are the same where there is no nvcc. */
#include <ctype.h>
#include <stdlib.h>

#include "api_int.h"

enum { MOST_INSTRUCTIONS = 20000, MOST_FILES = 256 };

/* ---- IR ---- */

static const ww_fn *kernel_of(const ww_module *m, const char *name) {
  for (const ww_fn *fn = m->fns; fn < m->fns + m->nfns; fn++)
    if (fn->kernel && (!name || !strcmp(fn->name, name) ||
                       (fn->mangled && !strcmp(fn->mangled, name))))
      return fn;
  return NULL;
}

static void
write_instruction(const ww_module *m, const ww_fn *fn, const ww_ins *i, ww_json *j) {
  ww_loc at = i->loc && i->loc < m->nlocs ? m->locs[i->loc] : (ww_loc){0};
  const char *file = at.line && at.file < m->nfiles ? m->files[at.file] : NULL;
  ww_buf text = {0};
  ww_ir_print_ins(m, fn, i, &text);
  ww_json_put(j, "{file?:%s,line?:%u,text:%s}", file, at.line, text.s);
  ww_buf_free(&text);
}

static uint32_t write_ir(const ww_module *m, const ww_fn *fn, ww_json *j) {
  uint32_t n = 0;
  ww_ins_walk w = {.fn = fn};
  for (const ww_ins *i; n < MOST_INSTRUCTIONS && (i = ww_next_ins(&w)); n++)
    write_instruction(m, fn, i, j);
  return n;
}

/* ---- PTX ---- */

typedef struct {
  call *c;
  const char *ptx;
  const char *files[MOST_FILES]; /* by their numbers in the PTX; NULL: not looked up */
} ptx_text;

/* `.file 1 "/root/scale.cu"`, which stands behind the code */
static const char *file_of(ptx_text *t, unsigned long number) {
  ww_arena *a = t->c->a;
  if (number >= MOST_FILES)
    return NULL;
  if (!t->files[number]) {
    const char *mark = ww_fmt(a, ".file\t%lu \"", number);
    const char *at = strstr(t->ptx, mark);
    at = at ? at + strlen(mark) : "";
    const char *path = ww_strndup(a, at, strcspn(at, "\"\n"));
    t->files[number] = ww_query_shown(t->c->api->w, path);
  }
  return t->files[number];
}

/* `.loc 1 7 3`, or `.loc 2 40 5, function_name $info, inlined_at 1 7 3`: what a header
 * brought stands at the line that called it. */
static void
read_place(ptx_text *t, const char *loc, const char **file, uint32_t *line) {
  const char *inlined = strstr(loc, "inlined_at ");
  char *end;
  *file = file_of(t, strtoul(loc, &end, 10));
  *line = strtoul(end, NULL, 10);
  const char *own = ww_query_shown(t->c->api->w, t->c->ask.source.path);
  if (!inlined || (*file && !strcmp(*file, own)))
    return;
  *file = file_of(t, strtoul(inlined + strlen("inlined_at "), &end, 10));
  *line = strtoul(end, NULL, 10);
}

/* Instructions and labels; declarations and brackets say nothing about a line. */
static bool is_code(const char *s) {
  return *s && !strchr(".{}/", *s);
}

static uint32_t write_body(ptx_text *t, const char *body, ww_json *j) {
  uint32_t n = 0;
  uint32_t line = 0;
  const char *file = NULL;
  for (const char *p = body, *end; n < MOST_INSTRUCTIONS && *p && *p != '}'; p = end) {
    size_t bytes = strcspn(p, "\n");
    end = p + bytes + (p[bytes] == '\n');
    const char *s = ww_strndup(t->c->a, p, bytes);
    while (isspace((unsigned char)*s))
      s++;
    if (ww_starts(s, ".loc"))
      read_place(t, s + strlen(".loc"), &file, &line);
    else if (is_code(s)) {
      ww_json_put(j, "{file?:%s,line?:%u,text:%s}", line ? file : NULL, line, s);
      n++;
    }
  }
  return n;
}

/* The body of the kernel in what nvcc made. */
static ww_status
find_body(ptx_text *t, const ww_query_unit *r, const ww_fn *fn, const char **body) {
  call *c = t->c;
  char *ptx;
  const char *name = fn->mangled ? fn->mangled : fn->name;
  ww_status st = ww_query_ptx(c->api->w, r, c->ask.deadline, c->a, &ptx, &c->err);
  if (st)
    return st;
  const char *at = strstr(ptx, ww_fmt(c->a, ".entry %s(", name));
  at = at ? strstr(at, "\n{") : NULL;
  if (!at)
    return ww_fail(&c->err, WW_EUNSUPPORTED, "nvcc makes no kernel '%.100s' of it",
                   fn->name);
  t->ptx = ptx;
  *body = at + strcspn(at + 1, "\n") + 2;
  return WW_OK;
}

/* ---- both ---- */

static ww_status write_code(call *c,
                            const ww_query_unit *r,
                            const ww_fn *fn,
                            const char *as,
                            ww_api_reply *out) {
  ptx_text t = {.c = c};
  const char *body = NULL;
  if (as && !strcmp(as, "ptx") && find_body(&t, r, fn, &body))
    return c->err.code;
  ww_json j = ww_call_json(out);
  ww_json_put(&j, "{kernel:%s,instructions:[", fn->name);
  uint32_t n = body ? write_body(&t, body, &j) : write_ir(&r->unit->module, fn, &j);
  ww_json_put(&j, "],truncated:%i", n == MOST_INSTRUCTIONS);
  return ww_call_end(&j);
}

ww_status ww_call_instructions(call *c, ww_api_reply *out) {
  ww_query_unit r = {0};
  const char *as;
  if (ww_call_read(c) || ww_call_text(c, "as", &as) ||
      ww_query_read(c->api->w, &c->ask.source, c->ask.deadline, c->a, &r, &c->err))
    return c->err.code;
  const ww_fn *fn = kernel_of(&r.unit->module, c->ask.kernel);
  ww_status st;
  if (!fn)
    st = ww_fail(&c->err, WW_EUSAGE, "there is no kernel '%.100s'",
                 c->ask.kernel ? c->ask.kernel : "");
  else if (fn->refusal)
    st = ww_fail(&c->err, WW_EUNSUPPORTED, "%s", fn->refusal);
  else
    st = write_code(c, &r, fn, as, out);
  ww_query_release(c->api->w, &r);
  return st;
}
