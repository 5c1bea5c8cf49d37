/* grammar_schema.c - a JSON schema as a grammar: each schema becomes a rule of GBNF
 * text, which grammar_parse.c reads.
 *
 * The JSON has no blanks: a model wastes no token on them, and what is fixed (keys,
 * punctuation) is one forced run. Properties come in the schema's order; those that
 * `required` does not name may be left out. */
#include "../base/jsonread.h"
#include "grammar.h"

#define MOST_NESTED 64
#define MOST_PROPERTIES 4096 /* of one object */

/* What every schema may use. */
static const char basics[] =
    "value ::= object | array | string | number | \"true\" | \"false\" | \"null\"\n"
    "object ::= \"{\" (string \":\" value (\",\" string \":\" value)*)? \"}\"\n"
    "array ::= \"[\" (value (\",\" value)*)? \"]\"\n"
    "string ::= \"\\\"\" char* \"\\\"\"\n"
    "char ::= [^\"\\\\\\x00-\\x1f\\x7f] | \"\\\\\" ([\"\\\\/bfnrt] | \"u\" point)\n"
    "point ::= [0-9a-cA-Ce-fE-F] hex hex hex | [dD] [0-7] hex hex | [dD] [89abAB] hex "
    "hex "
    "\"\\\\u\" [dD] [c-fC-F] hex hex\n"
    "hex ::= [0-9a-fA-F]\n"
    "integer ::= \"-\"? (\"0\" | [1-9] [0-9]{0,15})\n"
    "number ::= integer (\".\" [0-9]{1,15})? ([eE] [-+]? [0-9]{1,2})?\n"
    "boolean ::= \"true\" | \"false\"\n";

typedef struct {
  ww_buf text;
  const cJSON *root;
  uint32_t rules, nested;
  WW_VEC(const cJSON *) defs; /* schemas that $ref named; rule `def-K` each */
  ww_arena *arena;
  ww_err *e;
} maker;

static ww_status value_of(maker *m, const cJSON *schema, ww_buf *out);

/* The same as one short name, for those who write it twice: schemas within schemas
 * would double each time. */
static ww_status name_of(maker *m, const cJSON *schema, ww_buf *out) {
  ww_buf v = {0};
  ww_status st = value_of(m, schema, &v);
  if (!st && v.n < 24)
    ww_buf_puts(out, v.s);
  else if (!st) {
    ww_buf_fmt(&m->text, "part-%u ::= %s\n", m->rules, v.s);
    ww_buf_fmt(out, "part-%u", m->rules++);
  }
  ww_buf_free(&v);
  return st;
}

static const cJSON *member(const cJSON *o, const char *name) {
  return cJSON_GetObjectItemCaseSensitive(o, name);
}

/* A JSON text as a GBNF literal. */
static void literal(ww_buf *out, const char *json) {
  ww_buf_puts(out, "\"");
  for (; *json; json++) {
    unsigned char c = *json;
    if (c == '"' || c == '\\')
      ww_buf_fmt(out, "\\%c", c);
    else if (c < 0x20 || c >= 0x7f)
      ww_buf_fmt(out, "\\x%02x", c);
    else
      ww_buf_fmt(out, "%c", c);
  }
  ww_buf_puts(out, "\"");
}

/* A value, or (NULL) the name of a member and its colon. */
static void constant(ww_buf *out, const cJSON *v, const char *name) {
  ww_buf b = {0};
  ww_json j = {0};
  ww_json_begin(&j, &b);
  if (v)
    ww_json_copy(v, &j);
  else
    ww_json_key(&j, name);
  literal(out, b.s);
  ww_buf_free(&b);
}

static bool is_required(const cJSON *required, const char *name) {
  const cJSON *k;
  if (!cJSON_IsArray(required))
    return true; /* nothing said: all of them, so that an answer is complete */
  cJSON_ArrayForEach(k, required) if (cJSON_IsString(k) &&
                                      !strcmp(k->valuestring, name)) return true;
  return false;
}

/* Optional ones: a rule per property says what may follow it, so that commas stand
 * between members only. after-K ::= the members from K on, each with a comma in front;
 * first-K the same where none was written yet. */
static ww_status object(maker *m, const cJSON *s, ww_buf *out) {
  const cJSON *props = member(s, "properties"), *required = member(s, "required"), *p;
  uint32_t n = cJSON_GetArraySize(props), k = 0, id = m->rules;
  ww_status st = WW_OK;
  if (!n) {
    const cJSON *more = member(s, "additionalProperties");
    if (!cJSON_IsObject(more))
      return ww_buf_puts(out, "object"), WW_OK;
    ww_buf_puts(out, "\"{\" (string \":\" ");
    ww_buf v = {0};
    if (!(st = name_of(m, more, &v)))
      ww_buf_fmt(out, "%s (\",\" string \":\" %s)*)? \"}\"", v.s, v.s);
    ww_buf_free(&v);
    return st;
  }
  if (n > MOST_PROPERTIES)
    return ww_fail(m->e, WW_ELIMIT,
                   "an object of the schema has more than %d properties",
                   MOST_PROPERTIES);
  m->rules += n + 1;
  for (p = props->child; p && !st; p = p->next, k++) {
    ww_buf v = {0}, w = {0};
    if (!(st = name_of(m, p, &v))) {
      constant(&w, NULL, p->string);
      bool must = is_required(required, p->string);
      for (int after = 0; after < 2; after++) {
        const char *name = after ? "after" : "first";
        ww_buf_fmt(&m->text, "%s-%u ::= %s%s (%s) after-%u", name, id + k,
                   after ? "\",\" " : "", w.s, v.s, id + k + 1);
        if (!must)
          ww_buf_fmt(&m->text, " | %s-%u", name, id + k + 1);
        ww_buf_puts(&m->text, "\n");
      }
    }
    ww_buf_free(&v);
    ww_buf_free(&w);
  }
  ww_buf_fmt(&m->text, "first-%u ::= \"\"\nafter-%u ::= \"\"\n", id + n, id + n);
  ww_buf_fmt(out, "\"{\" first-%u \"}\"", id);
  return st;
}

static ww_status array(maker *m, const cJSON *s, ww_buf *out) {
  const cJSON *items = member(s, "items"), *low = member(s, "minItems"),
              *high = member(s, "maxItems");
  ww_buf v = {0};
  ww_status st = items ? name_of(m, items, &v) : WW_OK;
  if (!items)
    ww_buf_puts(&v, "value");
  int least = cJSON_IsNumber(low) ? low->valueint : 0,
      most = cJSON_IsNumber(high) ? high->valueint : -1;
  if (!st && (least < 0 || least > 1000 || most > 1000 || (most >= 0 && most < least)))
    st = ww_fail(
        m->e, WW_EUNSUPPORTED,
        "the schema asks for arrays of %d to %d items: at most 1000, and minItems not "
        "above maxItems",
        least, most);
  if (!st && most == 0)
    ww_buf_puts(out, "\"[]\"");
  else if (!st) {
    ww_buf_fmt(out, "\"[\" (%s (\",\" %s){%d,", v.s, v.s, least > 0 ? least - 1 : 0);
    if (most > 0)
      ww_buf_fmt(out, "%d", most - 1);
    ww_buf_fmt(out, "})%s \"]\"", least ? "" : "?");
  }
  ww_buf_free(&v);
  return st;
}

static ww_status typed(maker *m, const char *type, const cJSON *s, ww_buf *out);

typedef enum { CONSTANTS, VALUES, TYPES } choice; /* what a schema lists */

/* (a | b | c) */
static ww_status
alternatives(maker *m, const cJSON *list, choice of, const cJSON *schema, ww_buf *out) {
  ww_status st = WW_OK;
  ww_buf_puts(out, "(");
  for (const cJSON *k = list->child; !st && k; k = k->next) {
    if (k != list->child)
      ww_buf_puts(out, " | ");
    if (of == CONSTANTS)
      constant(out, k, NULL);
    else if (of == VALUES)
      st = value_of(m, k, out);
    else if (cJSON_IsString(k))
      st = typed(m, k->valuestring, schema, out);
    else
      st = ww_fail(m->e, WW_EPARSE,
                   "the schema's `type` is a list of something else than names");
  }
  ww_buf_puts(out, ")");
  return st;
}

/* "#/$defs/name": its rule is written once, at the end, so that a schema may use
 * itself. */
static ww_status reference(maker *m, const char *ref, ww_buf *out) {
  const char *name = strrchr(ref, '/');
  const cJSON *defs = member(m->root, ww_starts(ref, "#/definitions/") ? "definitions"
                                                                       : "$defs"),
              *to;
  if (!strcmp(ref, "#"))
    to = m->root;
  else
    to = name && ww_starts(ref, "#/") && defs ? member(defs, name + 1) : NULL;
  if (!to)
    return ww_fail(m->e, WW_EUNSUPPORTED,
                   "the schema refers to %s; known are # and #/$defs/NAME", ref);
  uint32_t k = 0;
  while (k < m->defs.n && m->defs.v[k] != to)
    k++;
  if (k == m->defs.n)
    ww_push(m->arena, &m->defs, to);
  ww_buf_fmt(out, "def-%u", k);
  return WW_OK;
}

static ww_status typed(maker *m, const char *type, const cJSON *s, ww_buf *out) {
  if (!strcmp(type, "object"))
    return object(m, s, out);
  if (!strcmp(type, "array"))
    return array(m, s, out);
  if (!strcmp(type, "null"))
    return ww_buf_puts(out, "\"null\""), WW_OK;
  static const char *const simple[] = {"string", "number", "integer", "boolean"};
  for (int k = 0; k < 4; k++)
    if (!strcmp(type, simple[k]))
      return ww_buf_puts(out, type), WW_OK;
  return ww_fail(m->e, WW_EUNSUPPORTED,
                 "the schema has the type `%s`, which JSON has not", type);
}

/* Members that would change what is valid and are not looked at: better refused than
 * ignored. */
static ww_status unknown(maker *m, const cJSON *s) {
  static const char *const no[] = {"allOf",
                                   "not",
                                   "if",
                                   "pattern",
                                   "patternProperties",
                                   "prefixItems",
                                   "dependentSchemas",
                                   "minimum",
                                   "maximum",
                                   "exclusiveMinimum",
                                   "exclusiveMaximum",
                                   "multipleOf",
                                   "minLength",
                                   "maxLength",
                                   NULL};
  for (const char *const *k = no; *k; k++)
    if (member(s, *k))
      return ww_fail(
          m->e, WW_EUNSUPPORTED,
          "the schema uses `%s`, which constrained decoding does not know; take it out",
          *k);
  return WW_OK;
}

static ww_status value_of(maker *m, const cJSON *s, ww_buf *out) {
  const cJSON *c;
  if (cJSON_IsTrue(s))
    return ww_buf_puts(out, "value"), WW_OK;
  if (!cJSON_IsObject(s))
    return ww_fail(m->e, WW_EPARSE, "a schema is an object");
  if (++m->nested > MOST_NESTED)
    return ww_fail(m->e, WW_ELIMIT, "the schema is nested deeper than %d", MOST_NESTED);
  ww_status st = unknown(m, s);
  if (st)
    return st;
  const cJSON *type = member(s, "type"), *any = member(s, "anyOf");
  if (!any)
    any = member(s, "oneOf");
  if (cJSON_IsString(member(s, "$ref")))
    st = reference(m, member(s, "$ref")->valuestring, out);
  else if ((c = member(s, "const")))
    constant(out, c, NULL);
  else if (cJSON_IsArray(c = member(s, "enum")) && c->child)
    st = alternatives(m, c, CONSTANTS, s, out);
  else if (cJSON_IsArray(any) && any->child)
    st = alternatives(m, any, VALUES, s, out);
  else if (cJSON_IsString(type))
    st = typed(m, type->valuestring, s, out);
  else if (cJSON_IsArray(type) && type->child)
    st = alternatives(m, type, TYPES, s, out);
  else if (member(s, "properties"))
    st = object(m, s, out);
  else
    ww_buf_puts(out, "value");
  m->nested--;
  return st;
}

ww_status
ww_grammar_of_schema(const char *json, size_t n, ww_grammar **out, ww_err *e) {
  cJSON *root = ww_json_read(json, n, e);
  if (!root)
    return e ? e->code : WW_EPARSE;
  maker m = {.root = root, .arena = ww_arena_new(), .e = e};
  ww_buf value = {0};
  ww_status st = value_of(&m, root, &value);
  if (!st)
    ww_buf_fmt(&m.text, "root ::= %s\n", value.s);
  for (uint32_t k = 0; !st && k < m.defs.n;
       k++) { /* those that these name in turn are added behind */
    value.n = 0;
    m.nested = 0;
    if (!(st = value_of(&m, m.defs.v[k], &value)))
      ww_buf_fmt(&m.text, "def-%u ::= %s\n", k, value.s);
  }
  ww_buf_puts(&m.text, basics);
  if (!st)
    st = ww_grammar_parse(m.text.s, m.text.n, out, e);
  ww_buf_free(&m.text);
  ww_buf_free(&value);
  ww_arena_free(m.arena);
  cJSON_Delete(root);
  return st;
}

ww_status ww_grammar_any_json(ww_grammar **out, ww_err *e) {
  ww_buf b = {0};
  ww_buf_puts(&b, "root ::= object\n");
  ww_buf_puts(&b, basics);
  ww_status st = ww_grammar_parse(b.s, b.n, out, e);
  ww_buf_free(&b);
  return st;
}
