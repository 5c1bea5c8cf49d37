/* units.h - a number in the unit that fits it: 1234567 B is 1.23 MB. */
#ifndef WW_BASE_UNITS_H
#define WW_BASE_UNITS_H

#include "base.h"

extern const char *const ww_units_thousands[]; /* "", k, M, G, T, P */
extern const char *const ww_units_time[];      /* us, ms, s */

/* Divides *v by 1000 as long as there is a next unit and it is at least `from` the
 * first time and `then` after that, so that rounding never shows 1000 of a unit;
 * returns the unit. */
const char *ww_unit_of(double *v, const char *const *units, double from, double then);

/* Of K, M and G behind a number that a user types, in either case: 10, 20, 30, the
 * power of two that it stands for; of anything else 0. */
int ww_unit_shift(char letter);
/* Microseconds with three digits: "9.81 us", "12.3 ms". */
const char *ww_us_text(double us, char out[16]);

/* "4096", "64k", "2M", "1G": a whole number and the power of 1024 behind it. *s goes
 * behind it; false: it is none, or too large. */
bool ww_number_read(const char **s, uint64_t *out);

#endif
