/* fixes_int.h - what the files of the fixes share: the kernel's text taken apart, and
 * how an offer is made. */
#ifndef WW_SERVE_FIXES_INT_H
#define WW_SERVE_FIXES_INT_H

#include "tokens.h"

typedef WW_VEC(ww_edit) ww_edits;

/* ---- fixes.c ---- */
/* Takes the text apart and finds the kernel; false: there is none, or the text is no
 * source of a sane size. */
bool ww_ctext_open(ww_ctext *x, const ww_fix_source *s, ww_arena *a);
void ww_scope_of(const ww_ctext *x, const ww_decl *d, ww_scope *out);
/* The function that holds the finding's line: the kernel, or one that was inlined into
 * it. */
void ww_scope_at_finding(const ww_ctext *x, ww_scope *out);
/* Tokens [*from, *end) that the variable named at i is set to by its declaration in the
 * scope. */
bool ww_scope_initial(
    const ww_ctext *x, const ww_scope *s, uint32_t i, uint32_t *from, uint32_t *end);
uint32_t ww_ctext_line(const ww_ctext *x, uint32_t tok); /* 1-based */
void ww_edit_insert(const ww_ctext *x, ww_edits *e, uint32_t at, const char *text);
void ww_edit_replace(
    const ww_ctext *x, ww_edits *e, uint32_t begin, uint32_t end, const char *text);
void ww_edit_tokens(const ww_ctext *x,
                    ww_edits *e,
                    uint32_t i,
                    uint32_t end,
                    const char *text); /* tokens [i, end) */
/* Makes an offer of the edits (sorted here); edits that overlap, or none, are no offer.
 */
void ww_fix_offer(ww_ctext *x, const ww_edits *e, const ww_fix *about);
/* A name that no token of the text has: base, base2, base3 ... */
const char *ww_ctext_fresh(const ww_ctext *x, const char *base);
bool ww_is_assignment(const ww_ctext *c, uint32_t i); /* = += <<= ++ -- ... */
bool ww_takes_address(const ww_ctext *c,
                      uint32_t i); /* `&` before the word, and no operand before that */
/* Is the word changed, or its address taken, within the tokens? */
bool ww_is_changed(const ww_ctext *c, uint32_t word, uint32_t lo, uint32_t hi);

/* ---- fixes_float.c ---- */
/* the word at i, a '(' behind it: a cast, or math that touches no memory */
bool ww_is_pure_call(const ww_ctext *c, uint32_t i);

/* ---- fixes_power.c ---- */
/* What may stand for the pow at token i with its arguments, NULL: nothing. lone_only:
 * its base is one name or element. */
const char *
ww_power_instead(const ww_ctext *x, const ww_scope *s, uint32_t i, bool lone_only);

/* ---- fixes_launch.c ---- */
/* The bytes behind `warpwise:` in the kernel's comment, blanks at both ends left out;
 * false: it has none. */
bool ww_ctext_comment(const ww_ctext *x, uint32_t *begin, uint32_t *end);

/* ---- the fixes, by rule ---- */
void ww_fix_swap_axes(ww_ctext *x);   /* fixes_index.c */
void ww_fix_pad(ww_ctext *x);         /* fixes_shared.c */
void ww_fix_accumulator(ww_ctext *x); /* fixes_loop.c */
void ww_fix_unroll(ww_ctext *x);      /* fixes_loop.c */
void ww_fix_floats(ww_ctext *x);      /* fixes_float.c */
void ww_fix_powers(ww_ctext *x);      /* fixes_power.c */
void ww_fix_atomic(ww_ctext *x);      /* fixes_atomic.c */
void ww_fix_bounds(ww_ctext *x);      /* fixes_atomic.c */

#endif
