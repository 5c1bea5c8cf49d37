/* demangle.c - Itanium names of functions as C++ has them: name, template arguments,
 * types of parameters.
 *
 * What kernels are called with: names in namespaces and classes, templates with types
 * and numbers, pointers, references, qualifiers, arrays. Lambdas, expressions and
 * pointers to members are not taken apart: then there is no answer. Names come from
 * files of people we do not know, and a short one can stand for gigabytes, so texts
 * have a largest length. Types read as clang prints them: "const float *". */
#include "ir_int.h"

#include <stdlib.h>

enum { MAX_TEXT = 2048, MAX_DEPTH = 48, MAX_STEPS = 4000, MAX_PARTS = 256 };

typedef struct {
  const char *v[MAX_PARTS];
  uint32_t n;
} texts;

typedef struct {
  const char *s;
  ww_arena *a;
  texts subs; /* what S_, S0_ ... stand for */
  texts args; /* template arguments of the function: T_, T0_ ... */
  uint32_t depth, steps;
  bool failed;
} demangler;

static const char *type(demangler *d);
static const char *name(demangler *d, bool *is_template);

static const char *fail(demangler *d) {
  d->failed = true;
  return "";
}

static const char *put(demangler *d, const char *a, const char *b, const char *c) {
  if (d->failed || strlen(a) + strlen(b) + strlen(c) > MAX_TEXT)
    return fail(d);
  return ww_fmt(d->a, "%s%s%s", a, b, c);
}

static bool take(demangler *d, const char *word) {
  size_t n = strlen(word);
  if (strncmp(d->s, word, n))
    return false;
  d->s += n;
  return true;
}

static const char *keep(demangler *d, texts *list, const char *text) {
  if (list->n == MAX_PARTS)
    return fail(d);
  list->v[list->n++] = text;
  return text;
}

/* ---- pieces ---- */

static const char *source_name(demangler *d) {
  char *rest;
  unsigned long n = strtoul(d->s, &rest, 10);
  if (!isdigit((unsigned char)*d->s) || !n || n > strlen(rest) || n > MAX_TEXT)
    return fail(d);
  d->s = rest + n;
  return !strncmp(rest, "_GLOBAL__N_", 11) ? "(anonymous namespace)"
                                           : ww_strndup(d->a, rest, n);
}

/* _ is 0, 0_ is 1 ... in base 36 */
static uint32_t sequence(demangler *d) {
  uint32_t n = 0;
  if (take(d, "_"))
    return 0;
  for (; isdigit((unsigned char)*d->s) || isupper((unsigned char)*d->s); d->s++) {
    uint32_t digit = isdigit((unsigned char)*d->s) ? *d->s - '0' : *d->s - 'A' + 10;
    n = n < 100000 ? n * 36 + digit : n;
  }
  if (!take(d, "_"))
    fail(d);
  return n + 1;
}

static const char *listed(demangler *d, const texts *list) {
  uint32_t k = sequence(d);
  return k < list->n ? list->v[k] : fail(d);
}

static const char *substitution(demangler *d) { /* behind the S */
  static const struct {
    char code;
    const char *text;
  } known[] = {
      {'t', "std"},          {'a', "std::allocator"}, {'b', "std::basic_string"},
      {'s', "std::string"},  {'i', "std::istream"},   {'o', "std::ostream"},
      {'d', "std::iostream"}};
  for (size_t k = 0; k < WW_COUNT(known); k++)
    if (*d->s == known[k].code) {
      d->s++;
      return known[k].text;
    }
  return listed(d, &d->subs);
}

/* ---- template arguments ---- */

static const char *literal(demangler *d) { /* behind the L */
  static const char *const suffixed = "jmlxy";
  static const char *const suffix[] = {"U", "UL", "L", "LL", "ULL"};
  char code = *d->s;
  if (code == '_' || code == 'M')
    return fail(d); /* a function */
  const char *of = type(d);
  bool negative = take(d, "n");
  size_t n = strspn(d->s, "0123456789abcdef");
  const char *digits = ww_strndup(d->a, d->s, n);
  d->s += n;
  if (!take(d, "E") || !n)
    return fail(d);
  if (code == 'b')
    return strcmp(digits, "0") ? "true" : "false";
  const char *number = put(d, negative ? "-" : "", digits, "");
  if (code == 'i' || code == 's' || code == 't')
    return number;
  const char *at = strchr(suffixed, code);
  return at ? put(d, number, suffix[at - suffixed], "")
            : put(d, put(d, "(", of, ")"), number, "");
}

static const char *arguments(demangler *d, texts *out);

static const char *argument(demangler *d) {
  texts pack = {.n = 0};
  if (take(d, "L"))
    return literal(d);
  if (!take(d, "J"))
    return type(d);
  const char *all = arguments(d, &pack);
  return all;
}

/* a, b, c up to the E */
static const char *arguments(demangler *d, texts *out) {
  const char *all = "";
  while (!d->failed && !take(d, "E")) {
    const char *one = keep(d, out, argument(d));
    if (*one)
      all = put(d, all, *all ? ", " : "", one);
  }
  return all;
}

/* name<...> where arguments follow; they become the function's own */
static const char *with_arguments(demangler *d, const char *of, bool *is_template) {
  texts *args = ww_alloc(d->a, sizeof *args);
  if (!take(d, "I"))
    return of;
  const char *all = arguments(d, args);
  const char *space = *all && all[strlen(all) - 1] == '>' ? " >" : ">";
  *is_template = true;
  d->args = *args;
  return put(d, put(d, of, "<", all), space, "");
}

/* ---- names ---- */

static const char *operator_name(demangler *d) {
  return take(d, "cl") ? "operator()" : fail(d);
}

static const char *unqualified(demangler *d) {
  take(d, "L");
  const char *s = isdigit((unsigned char)*d->s) ? source_name(d) : operator_name(d);
  while (take(d, "B")) /* ABI tags */
    source_name(d);
  return s;
}

/* N [qualifiers] part... E */
static const char *nested(demangler *d, bool *is_template) {
  const char *all = "";
  while (take(d, "r") || take(d, "V") || take(d, "K")) {}
  while (!d->failed && !take(d, "E")) {
    bool known = false;
    *is_template = false;
    if (*d->s == 'I') {
      all = with_arguments(d, all, is_template);
    } else if (take(d, "S")) {
      all = substitution(d);
      known = true;
    } else if (take(d, "T")) {
      all = listed(d, &d->args);
    } else {
      all = put(d, all, *all ? "::" : "", unqualified(d));
    }
    if (!known && *d->s != 'E')
      keep(d, &d->subs, all);
  }
  return all;
}

static const char *name(demangler *d, bool *is_template) {
  *is_template = false;
  if (take(d, "N"))
    return nested(d, is_template);
  if (take(d, "Z"))
    return fail(d); /* inside a function */
  bool std = take(d, "St");
  bool known = !std && take(d, "S");
  const char *s = known ? substitution(d) : unqualified(d);
  if (std)
    s = put(d, "std::", s, "");
  if (*d->s != 'I')
    return s;
  if (!known)
    keep(d, &d->subs, s);
  return with_arguments(d, s, is_template);
}

/* ---- types ---- */

static const char *builtin(char code) {
  static const char codes[] = "vwbcahstijlmxynofdegz";
  static const char *const names[] = {"void",        "wchar_t",
                                      "bool",        "char",
                                      "signed char", "unsigned char",
                                      "short",       "unsigned short",
                                      "int",         "unsigned int",
                                      "long",        "unsigned long",
                                      "long long",   "unsigned long long",
                                      "__int128",    "unsigned __int128",
                                      "float",       "double",
                                      "long double", "__float128",
                                      "..."};
  const char *at = code ? strchr(codes, code) : NULL;
  return at ? names[at - codes] : NULL;
}

static bool is_pointer(const char *s) {
  size_t n = strlen(s);
  return n && (s[n - 1] == '*' || s[n - 1] == '&');
}

static const char *pointer(demangler *d, const char *to, const char *mark) {
  return put(d, to, is_pointer(to) ? "" : " ", mark);
}

static const char *qualified(demangler *d, const char *word) {
  const char *of = type(d);
  return is_pointer(of) ? put(d, of, " ", word) : put(d, word, " ", of);
}

static const char *array(demangler *d) {
  size_t n = strspn(d->s, "0123456789");
  const char *size = ww_strndup(d->a, d->s, n);
  d->s += n;
  if (!take(d, "_"))
    return fail(d);
  const char *of = type(d);
  return put(d, put(d, of, " [", size), "]", "");
}

static const char *class_type(demangler *d) {
  bool is_template;
  const char *before = d->s;
  const char *s = name(d, &is_template);
  bool whole_substitution = before[0] == 'S' && before[1] != 't' && !is_template;
  return whole_substitution ? s : keep(d, &d->subs, s);
}

static const char *compound(demangler *d) {
  if (take(d, "P"))
    return pointer(d, type(d), "*");
  if (take(d, "R"))
    return pointer(d, type(d), "&");
  if (take(d, "O"))
    return pointer(d, type(d), "&&");
  if (take(d, "K"))
    return qualified(d, "const");
  if (take(d, "V"))
    return qualified(d, "volatile");
  if (take(d, "r"))
    return type(d); /* __restrict__ says nothing of the type */
  if (take(d, "A"))
    return array(d);
  if (take(d, "u"))
    return source_name(d);
  return NULL;
}

/* Template arguments of a type are its own. */
static const char *any_type(demangler *d) {
  const char *b = builtin(*d->s);
  if (b) {
    d->s++;
    return b;
  }
  if (take(d, "DF16_") || take(d, "Dh"))
    return "_Float16";
  if (take(d, "DF16b"))
    return "__bf16";
  if (take(d, "Dp"))
    return type(d);
  const char *s = compound(d);
  if (s)
    return keep(d, &d->subs, s);
  if (take(d, "T")) {
    s = keep(d, &d->subs, listed(d, &d->args));
    bool is_template = false;
    return *d->s == 'I' ? keep(d, &d->subs, with_arguments(d, s, &is_template)) : s;
  }
  if (*d->s == 'N' || *d->s == 'S' || isdigit((unsigned char)*d->s)) {
    texts own = d->args;
    s = class_type(d);
    d->args = own;
    return s;
  }
  return fail(d);
}

static const char *type(demangler *d) {
  if (d->failed || d->depth == MAX_DEPTH || d->steps++ == MAX_STEPS)
    return fail(d);
  d->depth++;
  const char *s = any_type(d);
  d->depth--;
  return s;
}

/* ---- the function ---- */

static const char *last_part(const char *s) {
  const char *from = s;
  int depth = 0;
  for (; *s; s++) {
    depth += (*s == '<') - (*s == '>');
    if (s[0] == ':' && s[1] == ':' && depth == 0)
      from = s + 2;
  }
  return from;
}

const char *ww_ir_demangle_full(const char *mangled, ww_arena *a, ww_strings *params) {
  demangler *d = WW_NEW(a, demangler);
  bool is_template;
  texts types = {.n = 0};
  *d = (demangler){.s = mangled, .a = a};
  if (!take(d, "_Z"))
    return NULL;
  const char *s = name(d, &is_template);
  if (is_template && !d->failed)
    type(d); /* what it returns */
  while (!d->failed && *d->s && *d->s != '.')
    keep(d, &types, type(d));
  if (d->failed || !*s)
    return NULL;
  bool none = types.n == 1 && !strcmp(types.v[0], "void");
  for (uint32_t k = 0; k < types.n && !none; k++)
    ww_push(a, params, types.v[k]);
  return s;
}

const char *ww_ir_demangle(const char *mangled, ww_arena *a, ww_strings *params) {
  const char *s = ww_ir_demangle_full(mangled, a, params);
  return s ? last_part(s) : NULL;
}
