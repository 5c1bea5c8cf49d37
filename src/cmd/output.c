/* output.c - how commands speak: data on stdout, complaints on stderr; with --json both
 * are lines of JSON on stdout. */
#include <ctype.h>
#include <stdlib.h>

#include "cmd.h"

ww_status ww_usage(ww_cmd *c, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  c->err.code = WW_EUSAGE;
  c->err.reason = WW_REASON_NONE;
  vsnprintf(c->err.msg, sizeof c->err.msg, fmt, ap);
  va_end(ap);
  return WW_EUSAGE;
}

/* The line of a text, without its end; n 0: it has none or an empty one. */
static const char *line_of(const char *text, uint32_t line, size_t *n) {
  for (*n = 0; text && line > 1; line--)
    text = (text = strchr(text, '\n')) ? text + 1 : NULL;
  *n = text ? strcspn(text, "\r\n") : 0;
  return text;
}

/* Of a long line what is before and behind the place. */
enum { SHOWN_BEFORE = 60, SHOWN = 100 };

void ww_print_caret(const char *file, uint32_t line, uint32_t col, FILE *f) {
  if (!file || !line || !col || !ww_file_regular(file))
    return;
  ww_arena *a = ww_arena_new();
  char *text = NULL;
  size_t n, size;
  ww_err ignored;
  if (ww_read_file(a, file, 64 << 20, &text, &size, &ignored))
    text = NULL;
  const char *at = line_of(text, line, &n);
  size_t first = col > SHOWN ? col - SHOWN_BEFORE : 0;
  while (n && first && first < n && (at[first] & 0xc0) == 0x80)
    first++; /* not within a character */
  if (n && col <= n + 1 && first < n) {
    n = n - first > SHOWN ? SHOWN : n - first;
    fprintf(f, "%6u | %.*s\n       | ", line, (int)n, at + first);
    for (size_t k = first; k + 1 < col; k++)
      if ((at[k] & 0xc0) != 0x80)
        fputc(at[k] == '\t' ? '\t' : ' ', f);
    fputs("^\n", f);
  }
  ww_arena_free(a);
}

void ww_print_error(const ww_err *e, FILE *f) {
  const char *red = ww_color_on(f) ? "\033[31m" : "";
  const char *off = *red ? "\033[0m" : "";
  fprintf(f, "%swarpwise:%s ", red, off);
  if (e->file)
    fprintf(f, "%s:", e->file);
  if (e->line)
    fprintf(f, "%u:", e->line);
  if (e->line && e->col)
    fprintf(f, "%u:", e->col);
  fprintf(f, "%s%s\n", e->file || e->line ? " " : "", e->msg);
  ww_print_caret(e->file, e->line, e->col, f);
}

ww_json *ww_line_begin(void) {
  ww_json *j = ww_xcalloc(1, sizeof *j);
  j->out = ww_xcalloc(1, sizeof *j->out);
  ww_json_put(j, "{schema_version:1");
  return j;
}

void ww_line_end(ww_json *j) {
  ww_json_end_obj(j);
  ww_buf_puts(j->out, "\n");
  ww_print_buf(j->out);
  free(j->out);
  free(j);
}

void ww_line_print(const char *pattern, ...) {
  ww_json *j = ww_line_begin();
  va_list args;
  va_start(args, pattern);
  ww_json_vput(j, pattern, args);
  va_end(args);
  ww_line_end(j);
}

void ww_report_text(const ww_report *r,
                    ww_report_extra *extra,
                    void *ctx,
                    ww_buf *out) {
  ww_report_write(r, &(ww_json){.out = out}, extra, ctx);
  ww_buf_puts(out, "\n");
}

void ww_print_report(const ww_report *r, ww_report_extra *extra, void *ctx) {
  ww_buf b = {0};
  ww_report_text(r, extra, ctx, &b);
  ww_print_buf(&b);
}

void ww_cmd_complain(ww_cmd *c) {
  if (c->json)
    ww_print_report(&(ww_report){.file = c->file, .kernel = c->kernel, .error = c->err},
                    NULL, NULL);
  else
    ww_print_error(&c->err, stderr);
  c->err = (ww_err){0};
}

void ww_print_buf(ww_buf *b) {
  if (b->n)
    fwrite(b->s, 1, b->n, stdout);
  ww_buf_free(b);
}

void ww_print_escaped(const char *text, const char *set, FILE *f) {
  for (; *text; text++) {
    if (strchr(set, *text))
      fputc('\\', f);
    fputc(*text, f);
  }
}

ww_status ww_worse(ww_status a, ww_status b) {
  return ww_exit_code(b) > ww_exit_code(a) ? b : a;
}

ww_status ww_write_buf(const char *path, ww_buf *b, ww_err *e) {
  ww_status st = ww_write_file_atomic(path, b->s ? b->s : "", b->n, e);
  ww_buf_free(b);
  return st;
}

ww_status ww_write_packable(const char *path, ww_buf *b, int level, ww_err *e) {
  if (!ww_ends(path, ".zst"))
    return ww_write_buf(path, b, e);
  ww_status st = ww_write_packed(path, b->s, b->n, level, e);
  ww_buf_free(b);
  return st;
}

ww_status ww_write_text(const char *path, ww_buf *b, ww_err *e) {
  return strcmp(path, "-") ? ww_write_buf(path, b, e) : (ww_print_buf(b), WW_OK);
}

bool ww_real(
    const char *text, const char *unit, double least, double most, double *out) {
  char *end;
  *out = strtod(text, &end);
  return end != text && (!*end || !strcmp(end, unit)) && *out >= least && *out <= most;
}

int ww_word_option(ww_cmd *c,
                   const char *option,
                   const char *given,
                   const char *words) {
  const char *known = "";
  size_t n;
  for (int k = 0; given && *words; k++) {
    n = strcspn(words, " ");
    if (strlen(given) == n && !strncmp(words, given, n))
      return k;
    const char *before = !k ? "" : words[n] ? ", " : " or ";
    known = ww_fmt(c->arena, "%s%s%.*s", known, before, (int)n, words);
    words += n + (words[n] == ' ');
  }
  if (!given)
    return 0;
  ww_usage(c, "--%s: expected %s, not '%.40s'", option, known, given);
  return -1;
}

char *ww_next_line(char **text, uint32_t *number) {
  for (char *line; (line = strsep(text, "\n"));) {
    ++*number;
    line += strspn(line, " \t\r");
    if (*line && *line != '#')
      return line;
  }
  return NULL;
}

/* ---- reasons ---- */

const char *
ww_without_names(const char *s, size_t most, const char *ends, ww_arena *a) {
  ww_buf b = {0};
  while (*s && b.n < most) {
    const char *end = strchr("`'\"", *s) ? strchr(s + 1, *s) : NULL;
    if (end) {
      ww_buf_puts(&b, "...");
      s = end + 1;
    } else if (isdigit((unsigned char)*s)) {
      s += strspn(s, "0123456789.x");
      ww_buf_puts(&b, "N");
    } else if (strchr(ends, *s))
      break;
    else
      ww_buf_add(&b, s++, 1);
  }
  return ww_buf_text(&b, a);
}

void ww_reason_add(ww_reasons *all,
                   const char *text,
                   const void *example,
                   ww_arena *a) {
  uint32_t i = 0;
  while (i < all->n && strcmp(all->v[i].text, text))
    i++;
  if (i == all->n)
    ww_push(a, all, (ww_reason){.text = text, .example = example});
  all->v[i].n++;
}

static int by_count(const void *a, const void *b) {
  const ww_reason *x = a;
  const ww_reason *y = b;
  if (x->n != y->n)
    return x->n < y->n ? 1 : -1;
  return strcmp(x->text, y->text);
}

void ww_reasons_sort(ww_reasons *all) {
  if (all->n)
    qsort(all->v, all->n, sizeof *all->v, by_count);
}
