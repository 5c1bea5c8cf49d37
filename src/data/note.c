/* note.c - the `note` of a ready spec, out and in. Spaces of a key (templates, flags)
 * are written as %20, as in an address. */
#include "note.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

void ww_note_write(const ww_note *n, ww_buf *out) {
  const ww_store_kernel *k = &n->kernel;
  for (const char *c = k->key; *c; c++)
    ww_buf_fmt(out, strchr(" %", *c) ? "%%%02x" : "%c", (unsigned char)*c);
  if (k->dialect)
    ww_buf_fmt(out, " %s", k->dialect);
  if (n->number)
    ww_buf_fmt(out, " number=%u", n->number);
  if (!isnan(n->us))
    ww_buf_fmt(out, " us=%.4g", n->us);
  if (k->structure)
    ww_buf_fmt(out, " structure=%016" PRIx64, k->structure);
  if (k->source_hash)
    ww_buf_fmt(out, " source=%016" PRIx64, k->source_hash);
}

ww_status ww_note_key(const char *key, ww_arena *a, ww_store_kernel *out, ww_err *e) {
  bool corpus = ww_starts(key, "corpus/"), import = ww_starts(key, "import/");
  const char *path = key + 7;
  /* no path of ours has a colon */
  const char *colon = corpus || import ? strchr(path, ':') : NULL;
  if (!colon || !colon[1] || colon == path)
    return ww_fail(e, WW_EDATA,
                   "'%.80s' is no kernel's key: corpus/<family>/<file>:<kernel> or "
                   "import/<hash>/<file>:<kernel> is expected, "
                   "as `warpwise dataset plan` writes it",
                   key);
  const char *hashed = import ? memchr(path, '/', colon - path) : NULL;
  const char *file = corpus ? path : hashed ? hashed + 1 : NULL;
  const char *slash = file ? memchr(file, '/', colon - file) : NULL;
  out->key = ww_strdup(a, key);
  out->origin = corpus ? WW_ORIGIN_CORPUS : WW_ORIGIN_IMPORTED;
  /* other flags make another kernel of the same text */
  const char *flags = strstr(colon, " -");
  out->name =
      ww_strndup(a, colon + 1, flags ? (size_t)(flags - colon - 1) : strlen(colon + 1));
  out->family = slash || corpus ? ww_strndup(a, file, (slash ? slash : colon) - file)
                                : WW_FAMILY_IMPORT;
  out->file = file ? ww_strndup(a, file, colon - file) : NULL;
  return WW_OK;
}

ww_status ww_note_parse(const char *text, ww_arena *a, ww_note *out, ww_err *e) {
  size_t n = strcspn(text, " ");
  char *key = ww_strndup(a, text, n);
  *out = (ww_note){.us = NAN};
  char *to = key;
  for (const char *c = key; *c; c++) {
    bool space = ww_starts(c, "%20"), percent = ww_starts(c, "%25");
    *to++ = space ? ' ' : *c;
    if (space || percent)
      c += 2;
  }
  *to = 0;
  ww_status st = ww_note_key(key, a, &out->kernel, e);
  for (const char *at = text + n; !st && *at; at += n) {
    at += strspn(at, " ");
    n = strcspn(at, " ");
    if (ww_starts(at, "number="))
      out->number = strtoul(at + 7, NULL, 10);
    else if (ww_starts(at, "us="))
      out->us = strtod(at + 3, NULL);
    else if (ww_starts(at, "structure="))
      out->kernel.structure = strtoull(at + 10, NULL, 16);
    else if (ww_starts(at, "source="))
      out->kernel.source_hash = strtoull(at + 7, NULL, 16);
    else if (n && !memchr(at, '=', n))
      out->kernel.dialect = ww_strndup(a, at, n);
  }
  return st;
}
