/* units.c - see units.h. */
#include "units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>

const char *const ww_units_thousands[] = {"", "k", "M", "G", "T", "P", NULL};
const char *const ww_units_time[] = {"us", "ms", "s", NULL};

const char *ww_unit_of(double *v, const char *const *units, double from, double then) {
  for (; units[1] && fabs(*v) >= from; from = then) {
    *v /= 1000;
    units++;
  }
  return *units;
}

int ww_unit_shift(char letter) {
  static const char letters[] = "kmg";
  const char *at = letter ? strchr(letters, tolower((unsigned char)letter)) : NULL;
  return at ? 10 * (int)(at - letters + 1) : 0;
}

const char *ww_us_text(double us, char out[16]) {
  const char *unit = ww_unit_of(&us, ww_units_time, 999.5, 999.5);
  snprintf(out, 16,
           us < 9.995   ? "%.2f %s"
           : us < 99.95 ? "%.1f %s"
                        : "%.0f %s",
           us, unit);
  return out;
}

bool ww_number_read(const char **s, uint64_t *out) {
  char *end;
  errno = 0;
  if (!isdigit((unsigned char)**s))
    return false;
  uint64_t v = strtoull(*s, &end, 0);
  int shift = ww_unit_shift(*end);
  if (errno || v > UINT64_MAX >> shift)
    return false;
  *s = end + (shift > 0);
  *out = v << shift;
  return true;
}
