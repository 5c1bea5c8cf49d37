/* texts.c - the texts of files of examples one after the other, for who trains a
 * tokenizer. One thread; a line at a time is in memory. */
#include <stdlib.h>

#include "../base/jsonread.h"
#include "examples.h"
#include "lines.h"

struct ww_texts {
  ww_lines *lines;
  ww_buf chunk;
  char *at, *end;
  ww_lines_at place; /* of the next line */
  cJSON *row;
  const cJSON *member, *message; /* the next to hand out */
  ww_err err;
};

ww_status ww_texts_open(const char *const *paths, ww_texts **out, ww_err *e) {
  ww_lines *lines;
  *out = NULL;
  ww_status st = ww_lines_open(paths, &lines, e);
  if (st)
    return st;
  *out = ww_xcalloc(1, sizeof **out);
  (*out)->lines = lines;
  return WW_OK;
}

ww_status ww_texts_close(ww_texts *t, ww_err *e) {
  if (!t)
    return WW_OK;
  ww_status st = t->err.code;
  if (st && e)
    *e = t->err;
  cJSON_Delete(t->row);
  ww_buf_free(&t->chunk);
  ww_lines_close(t->lines);
  free(t);
  return st;
}

/* The next line that is not empty, parsed; false: the end. */
static bool next_row(ww_texts *t) {
  cJSON_Delete(t->row);
  t->row = NULL;
  for (;;) {
    if (t->at == t->end) {
      if (ww_lines_next(t->lines, &t->chunk, &t->place, &t->err) || !t->chunk.n)
        return false;
      t->at = t->chunk.s;
      t->end = t->chunk.s + t->chunk.n;
    }
    size_t n;
    char *line = ww_lines_take(&t->at, t->end, &n);
    t->place.line++;
    if (line[strspn(line, " \t\r")] == 0 && strlen(line) == n)
      continue;
    t->row = ww_json_read(line, n, &t->err);
    if (t->row)
      break;
    t->err.file = t->place.path;
    t->err.line = t->place.line - 1;
    return false;
  }
  t->member = t->row->child;
  t->message = NULL;
  return true;
}

static const cJSON *next_string(ww_texts *t) {
  static const char *const names[] = {"prompt", "completion", "text"};
  while (t->message || t->member) {
    if (t->message) {
      const cJSON *s = cJSON_GetObjectItemCaseSensitive(t->message, "content");
      t->message = t->message->next;
      if (cJSON_IsString(s))
        return s;
      continue;
    }
    const cJSON *m = t->member;
    t->member = m->next;
    for (int k = 0; k < 3; k++)
      if (cJSON_IsString(m) && m->string && !strcmp(m->string, names[k]))
        return m;
    if (cJSON_IsArray(m) && m->string && !strcmp(m->string, "messages"))
      t->message = m->child;
  }
  return NULL;
}

const char *ww_texts_next(void *texts, size_t *n) {
  ww_texts *t = texts;
  while (!t->err.code) {
    const cJSON *s = t->row ? next_string(t) : NULL;
    if (s)
      return *n = strlen(s->valuestring), s->valuestring;
    if (!next_row(t))
      break;
  }
  return NULL;
}
