/* export_evidence.c - rows that were kept while a correction was learned, beside the
 * launches of a store: what tools know of a launch, for its question. */
#include <math.h>

#include "../base/map.h"
#include "export_int.h"
#include "features.h"
#include "text.h"

enum { COMPILED_OF = 4 }; /* mixed: every so many-th launch as compiled too */

struct ww_export_evidence {
  WW_VEC(const ww_correct_row *) rows;
  ww_dict by_id; /* indices into rows */
};

/* A launch of a kernel as a GPU's measurements name it. */
static const char *
id_of(const char *gpu, const char *key, uint32_t number, ww_arena *a) {
  return ww_fmt(a, "%s %s#%u", gpu, key, number);
}

static ww_status
add_file(ww_export_evidence *x, const char *path, ww_arena *a, ww_err *e) {
  ww_feature_table t;
  ww_status st = ww_features_read(path, a, &t, e);
  for (uint32_t k = 0; !st && k < t.n; k++) {
    const ww_correct_row *r = &t.rows[k];
    bool fresh;
    const char *id = id_of(t.gpu, t.kernels[r->kernel], r->number, a);
    *ww_dict_at(&x->by_id, a, id, strlen(id), &fresh) = x->rows.n;
    ww_push(a, &x->rows, r);
  }
  return st;
}

ww_status ww_export_evidence_open(const char *const *paths,
                                  uint32_t n,
                                  ww_arena *a,
                                  ww_export_evidence **out,
                                  ww_err *e) {
  ww_status st = WW_OK;
  *out = WW_NEW(a, ww_export_evidence);
  for (uint32_t k = 0; !st && k < n; k++)
    st = add_file(*out, paths[k], a, e);
  return st;
}

/* All that is known of a launch; false: nothing. */
static bool find(const ww_export_evidence *x, const ww_exported *of, ww_evidence *out) {
  const ww_store_row *r = of->row;
  if (!x || !r->gpu)
    return false;
  const char *id = id_of(r->gpu, r->kernel.key, r->number, of->arena);
  const uint32_t *at = ww_dict_find(&x->by_id, id, strlen(id));
  if (!at)
    return false;
  const ww_correct_row *v = x->rows.v[*at];
  *out = (ww_evidence){.form = WW_EVIDENCE_TRACED,
                       .features = v->x,
                       .bottleneck = v->bottleneck,
                       .busiest = v->busiest,
                       .limiter = v->limiter};
  memcpy(out->metrics, v->machine, sizeof out->metrics);
  return true;
}

/* Bit k: in form k. */
static uint32_t forms_of(ww_export_evidence_form form, const ww_exported *of) {
  uint64_t h = ww_hash(&of->row->number, sizeof of->row->number,
                       ww_text_hash(of->row->kernel.key, 0));
  if (form < WW_EXPORT_EVIDENCE_MIXED)
    return 1u << form;
  return 1u << WW_EVIDENCE_SOURCE | 1u << WW_EVIDENCE_TRACED |
         (uint32_t)(h % COMPILED_OF == 0) << WW_EVIDENCE_COMPILED;
}

uint32_t ww_export_questions(const ww_export_evidence *evidence,
                             ww_export_evidence_form form,
                             const ww_exported *x,
                             const ww_text_question *q,
                             ww_buf *out) {
  ww_evidence all = {0};
  uint32_t n = 0;
  bool known = find(evidence, x, &all);
  uint32_t forms = known ? forms_of(form, x) : 1u << WW_EVIDENCE_SOURCE;
  for (int k = 0; k < WW_NEVIDENCES; k++) {
    ww_text_question one = *q;
    ww_evidence told = all;
    if (!(forms & 1u << k))
      continue;
    ww_evidence_weaken(&told, k);
    ww_question_tell(&one, &told, x->arena);
    ww_export_question(x, &one, &told, out);
    n++;
  }
  return n;
}
