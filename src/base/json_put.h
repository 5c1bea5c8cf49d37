/* json_put.h - JSON by a pattern that looks like what is written:
 *
 *   ww_json_put(j, "{rule:%s,line?:%u,at:{kind:'loop',gain:%g}}", rule, line, gain);
 *
 * Names need no quotes; 'text' is a string, other words stand for themselves. %s is a
 * string (NULL: null), %d %ld %u %lu are whole numbers, %g is a number, %i true or
 * false; %s before a colon is a name. A name with ? is left out with its value, a
 * conversion, where that is NULL, false, 0 or below; one with ! where its number is
 * none (NaN, infinite). What a pattern leaves open stays open for what follows. */
#ifndef WW_BASE_JSON_PUT_H
#define WW_BASE_JSON_PUT_H

#include "base.h"

void ww_json_put(ww_json *j, const char *pattern, ...)
    __attribute__((format(printf, 2, 3)));
void ww_json_vput(ww_json *j, const char *pattern, va_list args);
/* A member: an array of strings. */
void ww_json_strings(ww_json *j, const char *key, const char *const *v, uint32_t n);

#endif
