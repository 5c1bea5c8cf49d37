/* jsonread.c - reading JSON with exact numbers, on top of cJSON.
 *
 * Numbers stand in the text in the same order as number nodes in a walk of the tree: a
 * second scan of the text, which cJSON has already accepted, hands each node its own
 * text. */
#include "jsonread.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>

static void position(const char *text, const char *at, ww_err *e) {
  if (!e)
    return;
  e->line = 1;
  e->col = 1;
  for (const char *p = text; p < at; p++) {
    e->col++;
    if (*p != '\n')
      continue;
    e->line++;
    e->col = 1;
  }
}

/* The next number token at or behind p, outside strings. */
static const char *next_number(const char *p, size_t *length) {
  for (; *p; p++) {
    if (*p == '"') {
      for (p++; *p && *p != '"'; p++)
        if (*p == '\\' && p[1])
          p++;
      if (!*p)
        break;
    } else if (*p == '-' || isdigit((unsigned char)*p)) {
      *length = strspn(p, "+-.0123456789eE");
      return p;
    }
  }
  return NULL;
}

static const char *keep_texts(cJSON *node, const char *p) {
  for (; node && p; node = node->next) {
    if (cJSON_IsNumber(node)) {
      size_t n = 0;
      p = next_number(p, &n);
      if (!p)
        return NULL;
      node->valuestring = ww_xmalloc(n + 1); /* cJSON_Delete frees it */
      memcpy(node->valuestring, p, n);
      node->valuestring[n] = 0;
      p += n;
    } else if (node->child) {
      p = keep_texts(node->child, p);
    }
  }
  return p;
}

cJSON *ww_json_read(const char *text, size_t n, ww_err *e) {
  const char *end = text;
  if (strlen(text) != n) {
    position(text, text + strlen(text), e);
    ww_fail(e, WW_EPARSE, "not JSON: a NUL byte in it");
    return NULL;
  }
  cJSON *tree = cJSON_ParseWithLengthOpts(text, n + 1, &end, true);
  if (!tree) {
    end += strspn(end, " \t\r\n");
    int word = strcspn(end, "\r\n");
    position(text, end, e);
    if (text[strspn(text, " \t\r\n")] == 0)
      ww_fail(e, WW_EPARSE, "not JSON: nothing there");
    else if (!*end)
      ww_fail(e, WW_EPARSE, "not JSON: it ends too early");
    else
      ww_fail(e, WW_EPARSE, "not JSON: unexpected '%.*s'", word < 20 ? word : 20, end);
    return NULL;
  }
  keep_texts(tree, text);
  return tree;
}

void ww_json_place(const char *text, const char *name, ww_err *e) {
  size_t n = strlen(name);
  int depth = 0;
  for (const char *p = text; *p; p++) {
    depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
    if (*p != '"')
      continue;
    const char *word = p + 1;
    for (p++; *p && *p != '"'; p++)
      if (*p == '\\' && p[1])
        p++;
    if (!*p)
      return;
    bool key = p[1 + strspn(p + 1, " \t\r\n")] == ':';
    if (depth != 1 || !key || (size_t)(p - word) != n || memcmp(word, name, n))
      continue;
    position(text, word - 1, e);
    return;
  }
}

bool ww_json_written_as_int(const cJSON *node) {
  return cJSON_IsNumber(node) && node->valuestring &&
         !strpbrk(node->valuestring, ".eE");
}

bool ww_json_as_int(const cJSON *node, int64_t *value, bool *big) {
  *big = false;
  if (!cJSON_IsNumber(node))
    return false;
  if (ww_json_written_as_int(node)) {
    const char *s = node->valuestring;
    errno = 0;
    *value = strtoll(s, NULL, 10);
    if (errno == 0)
      return true;
    errno = 0;
    if (*s == '-')
      return false;
    *value = strtoull(s, NULL, 10);
    *big = errno == 0;
    return *big;
  }
  double d = node->valuedouble;
  if (d != floor(d) || fabs(d) >= 9223372036854775808.0)
    return false;
  *value = d;
  return true;
}

const char *ww_json_kind(const cJSON *node, char scratch[64]) {
  if (!node)
    return "nothing";
  if (cJSON_IsNumber(node)) {
    snprintf(scratch, 64, "the number %.40s",
             node->valuestring ? node->valuestring : "?");
    return scratch;
  }
  if (cJSON_IsString(node)) {
    snprintf(scratch, 64, "the string \"%.40s\"", node->valuestring);
    return scratch;
  }
  return cJSON_IsArray(node)    ? "an array"
         : cJSON_IsObject(node) ? "an object"
         : cJSON_IsNull(node)   ? "null"
                                : "true or false";
}

ww_status
ww_json_want_uint(const cJSON *node, const char *where, uint64_t *out, ww_err *e) {
  char scratch[64];
  int64_t v;
  bool big;
  if (!ww_json_as_int(node, &v, &big) || (v < 0 && !big))
    return ww_fail(e, WW_EPARSE, "%s: expected a whole number of at least 0, not %s",
                   where, ww_json_kind(node, scratch));
  *out = v;
  return WW_OK;
}

ww_status ww_json_want_str(
    const cJSON *node, const char *where, const char **out, ww_arena *a, ww_err *e) {
  char scratch[64];
  if (!cJSON_IsString(node))
    return ww_fail(e, WW_EPARSE, "%s: expected a string, not %s", where,
                   ww_json_kind(node, scratch));
  *out = ww_strdup(a, node->valuestring);
  return WW_OK;
}

static ww_status
unknown_member(const cJSON *m, const char *where, const char *const *names, ww_err *e) {
  char list[300];
  size_t at = 0;
  list[0] = 0;
  for (int i = 0; names[i] && at < sizeof list; i++)
    at += snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "", names[i]);
  return ww_fail(e, WW_EPARSE, "%s%sunknown member \"%.60s\"; known are: %s", where,
                 *where ? ": " : "", m->string, list);
}

ww_status ww_json_want_members(const cJSON *obj,
                               const char *where,
                               const char *const *names,
                               ww_err *e) {
  for (const cJSON *m = obj->child; m; m = m->next) {
    int i = 0;
    while (names[i] && strcmp(names[i], m->string))
      i++;
    if (!names[i])
      return unknown_member(m, where, names, e);
    for (const cJSON *o = obj->child; o != m; o = o->next)
      if (!strcmp(o->string, m->string))
        return ww_fail(e, WW_EPARSE, "%s%s\"%s\" is given twice", where,
                       *where ? ": " : "", m->string);
  }
  return WW_OK;
}

const char *ww_json_text(const cJSON *obj, const char *key, ww_arena *a) {
  const cJSON *n = cJSON_GetObjectItemCaseSensitive(obj, key);
  return cJSON_IsString(n) ? ww_strdup(a, n->valuestring) : NULL;
}

uint64_t ww_json_whole(const cJSON *obj, const char *key) {
  int64_t v = 0;
  bool big;
  const cJSON *n = cJSON_GetObjectItemCaseSensitive(obj, key);
  return cJSON_IsNumber(n) && ww_json_as_int(n, &v, &big) ? v : 0;
}

void ww_json_copy(const cJSON *value, ww_json *j) {
  const cJSON *item;
  bool deep = j->depth + 1 >= (int)(sizeof j->comma / sizeof *j->comma);
  if (deep && (cJSON_IsObject(value) || cJSON_IsArray(value)))
    ww_json_raw(j, "null");
  else if (cJSON_IsObject(value)) {
    ww_json_obj(j);
    cJSON_ArrayForEach(item, value) {
      ww_json_key(j, item->string);
      ww_json_copy(item, j);
    }
    ww_json_end_obj(j);
  } else if (cJSON_IsArray(value)) {
    ww_json_arr(j);
    cJSON_ArrayForEach(item, value) {
      ww_json_copy(item, j);
    }
    ww_json_end_arr(j);
  } else if (cJSON_IsString(value))
    ww_json_str(j, value->valuestring);
  else if (cJSON_IsNumber(value) && value->valuestring)
    ww_json_raw(j, value->valuestring);
  else if (cJSON_IsNumber(value))
    ww_json_num(j, value->valuedouble);
  else
    ww_json_raw(j, cJSON_IsTrue(value)    ? "true"
                   : cJSON_IsFalse(value) ? "false"
                                          : "null");
}
