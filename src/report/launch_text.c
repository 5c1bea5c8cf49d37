/* launch_text.c - what a launch spec writes as text, in JSON and in the short forms:
 * bytes, types, kinds of contents, numbers and sizes.
 *
 * A number may be an expression; what depends on other arguments stays text until
 * ww_launch_resolve. */
#include "launch_int.h"

#include <ctype.h>
#include <math.h>

ww_status ww_hex_parse(const char *text,
                       const char *where,
                       ww_arena *a,
                       const uint8_t **out,
                       uint32_t *n,
                       ww_err *e) {
  static const char hex[] = "0123456789abcdef";
  uint8_t *bytes = ww_alloc(a, strlen(text) / 2 + 1);
  uint32_t digits = 0;
  for (const char *p = text; *p; p++) {
    if (isspace((unsigned char)*p))
      continue;
    const char *digit = strchr(hex, tolower((unsigned char)*p));
    if (!digit)
      return ww_fail(e, WW_EPARSE, "%s: expected hex digits, not '%c'", where, *p);
    bytes[digits / 2] = (uint8_t)(bytes[digits / 2] << 4 | (digit - hex));
    digits++;
  }
  if (digits % 2)
    return ww_fail(e, WW_EPARSE,
                   "%s: expected two hex digits for each byte, there are %u", where,
                   digits);
  *out = bytes;
  *n = digits / 2;
  return WW_OK;
}

ww_status ww_type_check(const char *type, const char *where, ww_err *e) {
  if (ww_elem_size(type))
    return WW_OK;
  return ww_fail(e, WW_EPARSE,
                 "%s: unknown type \"%.40s\"; known are f16 bf16 f32 f64 i8 u8 i16 u16 "
                 "i32 u32 i64 "
                 "u64, their C names, and vectors like float4",
                 where, type);
}

/* An expression with names is only checked for its form, with 1 for every name. */
ww_status ww_value_text(
    const char *text, const char *where, ww_arena *a, ww_arg *out, ww_err *e) {
  ww_err inner = {0};
  ww_number v;
  bool names = ww_expr_has_name(text);
  ww_status rc = ww_expr_number(text, names ? ww_expr_any : NULL, NULL, &v, &inner);
  if (rc)
    return ww_fail(e, rc, "%s: %s", where, inner.msg);
  if (names) {
    out->expr = ww_strdup(a, text);
    return WW_OK;
  }
  out->is_int = v.is_int;
  out->ivalue = v.i;
  out->value = v.f;
  return WW_OK;
}

ww_status ww_size_text(const char *text,
                       const char *where,
                       ww_arena *a,
                       uint64_t *value,
                       const char **expr,
                       ww_err *e) {
  ww_arg v = {0};
  ww_status rc = ww_value_text(text, where, a, &v, e);
  if (v.expr)
    *expr = v.expr;
  if (rc || v.expr)
    return rc;
  if (!v.is_int || v.value < 0 || v.value > WW_SIZE_MAX)
    return ww_fail(e, WW_EPARSE,
                   "%s: expected a whole number of at least 0 and at most 2^48, not %s",
                   where, text);
  *value = v.ivalue;
  return WW_OK;
}

ww_status ww_bound_text(const char *text,
                        const char *where,
                        ww_arena *a,
                        double *value,
                        const char **expr,
                        ww_err *e) {
  ww_arg v = {0};
  ww_status rc = ww_value_text(text, where, a, &v, e);
  *value = v.value;
  *expr = v.expr;
  return rc;
}

/* ---- contents ---- */

int ww_fill_named(const char *name, size_t n) {
  for (int k = WW_FILL_ZEROS; k < WW_NFILLS; k++)
    if (strlen(ww_fill_names[k]) == n && !memcmp(name, ww_fill_names[k], n))
      return k;
  return -1;
}

ww_status ww_fill_check(const ww_fill *f, const char *where, ww_err *e) {
  if (f->lo_expr || f->hi_expr)
    return WW_OK;
  bool ranged = f->kind == WW_FILL_UNIFORM || f->lo != 0 || f->hi != 0;
  if (!isfinite(f->lo) || !isfinite(f->hi))
    return ww_fail(e, WW_EPARSE, "%s: the bounds are too large", where);
  if (ranged && (ww_fill_is_rows(f->kind) ? f->hi < f->lo : f->hi <= f->lo))
    return ww_fail(e, WW_EPARSE, "%s: expected [lo,hi] with lo below hi, not [%g,%g]",
                   where, f->lo, f->hi);
  return WW_OK;
}
