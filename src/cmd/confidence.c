/* confidence.c - `predict --require-confidence`: whether an answer is as sure as it has
 * to be. */
#include "confidence.h"

#include <float.h>

static bool add(const char *word, ww_confidence *out) {
  int grade = ww_grade_named(word);
  if (grade >= 0)
    return out->grade = grade, true;
  return ww_real(word, "x", 1, DBL_MAX, &out->ratio);
}

ww_status ww_confidence_parse(ww_cmd *c, const char *text, ww_confidence *out) {
  *out = (ww_confidence){.ratio = INFINITY, .grade = WW_GRADE_paper};
  for (const char *at = text; at;) {
    size_t n = strcspn(at, ",");
    const char *word = ww_fmt(c->arena, "%.*s", (int)n, at);
    if (!add(word, out))
      return ww_usage(c,
                      "--require-confidence: expected high / low of the interval at "
                      "most, a grade (paper, fitted, calibrated, probed) at least, or "
                      "both: 2,probed; not '%.40s'",
                      word);
    at = at[n] ? at + n + 1 : NULL;
  }
  return WW_OK;
}

void ww_confidence_one(ww_cmd *c, const ww_confidence *want, const ww_sureness *x) {
  if (x->high > want->ratio * x->low) {
    c->missed = true;
    fprintf(stderr, "%s on %s: the interval's high / low is %.3g, more than %.3g\n",
            x->kernel, x->gpu, x->high / x->low, want->ratio);
  }
  int grade = x->grade ? ww_grade_named(x->grade) : 0;
  if (grade < want->grade) {
    c->missed = true;
    fprintf(stderr, "%s on %s: the GPU's figures are %s, less than %s\n", x->kernel,
            x->gpu, x->grade ? x->grade : "not graded", ww_grades[want->grade].text);
  }
}

void ww_confidence_check(ww_cmd *c,
                         const ww_confidence *want,
                         const ww_prediction *p,
                         uint32_t n) {
  for (uint32_t k = 0; k < n; k++) {
    const ww_report *r = &p[k].report;
    if (!r->error.code) /* else the exit code is the error's */
      ww_confidence_one(c, want,
                        &(ww_sureness){r->kernel, r->gpu, r->grade, p[k].timing.low,
                                       p[k].timing.high});
  }
}
