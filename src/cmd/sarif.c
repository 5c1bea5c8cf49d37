/* sarif.c - findings as SARIF 2.1.0 and as GitHub annotations.
 *
 * Every rule of advice.def is declared in the log, whether or not it was met, so that a
 * viewer can show what was looked for. */
#include "sarif.h"

#include <stdlib.h>
#include <unistd.h>

#include "cmd.h"

struct ww_sarif {
  ww_buf text;
  ww_json j;
};

/* Viewers want paths as the repository has them: relative, with slashes. */
static const char *relative(const char *path) {
  char here[4096];
  if (!path || path[0] != '/' || !getcwd(here, sizeof here))
    return path;
  size_t n = strlen(here);
  return !strncmp(path, here, n) && path[n] == '/' ? path + n + 1 : path;
}

ww_sarif *ww_sarif_new(void) {
  ww_sarif *s = ww_xcalloc(1, sizeof *s);
  ww_json *j = &s->j;
  *j = (ww_json){.out = &s->text, .pretty = true};
  ww_json_put(
      j,
      "{$schema:'https://json.schemastore.org/sarif-2.1.0.json',version:'2.1.0',"
      "runs:[{tool:{driver:{name:'warpwise',version:%s,rules:[",
      WW_VERSION);
  for (int k = 0; k < WW_NRULES; k++)
    ww_json_put(j, "{id:%s,shortDescription:{text:%s}}", ww_rules[k].id,
                ww_rules[k].title);
  ww_json_put(j, "]}},results:[");
  return s;
}

static int rule_index(const char *id) {
  for (int k = 0; k < WW_NRULES; k++)
    if (!strcmp(ww_rules[k].id, id))
      return k;
  return -1;
}

/* "up to 1.8x on h200: ..." */
static void full_message(const ww_report *r, const ww_finding *f, ww_buf *out) {
  ww_buf_fmt(out, "%s: up to %.2gx faster on %s. %s", r->kernel, f->gain, r->gpu,
             f->message);
}

void ww_sarif_add(ww_sarif *s, const ww_report *r) {
  ww_json *j = &s->j;
  for (uint32_t k = 0; k < r->nfindings; k++) {
    const ww_finding *f = &r->findings[k];
    ww_buf text = {0};
    full_message(r, f, &text);
    ww_json_put(j,
                "{ruleId:%s,ruleIndex:%d,level:%s,message:{text:%s},"
                "locations:[{physicalLocation:{artifactLocation:{uri:%s}",
                f->rule, rule_index(f->rule), f->gain >= 1.2 ? "warning" : "note",
                text.s, relative(f->file ? f->file : r->file));
    if (f->line)
      ww_json_put(j, "region:{startLine:%u}", f->line);
    ww_json_put(j, "}}],properties:{gain:%g}}", f->gain);
    ww_buf_free(&text);
  }
}

void ww_sarif_end(ww_sarif *s, ww_buf *out) {
  ww_json_put(&s->j, "]}]}");
  ww_buf_add(out, s->text.s, s->text.n);
  ww_buf_puts(out, "\n");
  ww_buf_free(&s->text);
  free(s);
}

/* Workflow commands end at the line's end and split at commas and colons in their
 * properties. */
static void escaped(ww_buf *out, const char *text, bool property) {
  static const char from[] = "%\r\n:,";
  static const char *const to[] = {"%25", "%0D", "%0A", "%3A", "%2C"};
  for (const char *s = text; *s; s++) {
    const char *at = strchr(from, *s);
    if (at && (property || at < from + 3))
      ww_buf_puts(out, to[at - from]);
    else
      ww_buf_add(out, s, 1);
  }
}

void ww_github_write(const ww_report *r, ww_buf *out) {
  for (uint32_t k = 0; k < r->nfindings; k++) {
    const ww_finding *f = &r->findings[k];
    ww_buf text = {0};
    full_message(r, f, &text);
    ww_buf_fmt(out, "::%s file=", f->gain >= 1.2 ? "warning" : "notice");
    escaped(out, relative(f->file ? f->file : r->file), true);
    if (f->line)
      ww_buf_fmt(out, ",line=%u", f->line);
    ww_buf_puts(out, ",title=");
    escaped(out, f->rule, true);
    ww_buf_puts(out, "::");
    escaped(out, text.s, false);
    ww_buf_puts(out, "\n");
    ww_buf_free(&text);
  }
}
