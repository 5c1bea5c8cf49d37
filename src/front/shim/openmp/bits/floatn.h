/* glibc's <bits/floatn.h>, which says what binary128 types there are, as the device half of an OpenMP file sees it.
 *
 * A GPU has none. glibc decides by the compiler alone: since 2.41 any clang gets `_Complex float` of mode TC, which is an error where the
 * target has no such type, and <stdio.h>, <stdlib.h> and <math.h> all come by here. The host half has glibc's own. */
#ifndef __NVPTX__
#include_next <bits/floatn.h>
#elif !defined(_BITS_FLOATN_H)
#define _BITS_FLOATN_H
#define __HAVE_FLOAT128 0
#define __HAVE_DISTINCT_FLOAT128 0
#define __HAVE_FLOAT64X 1
#define __HAVE_FLOAT64X_LONG_DOUBLE 1
#include <bits/floatn-common.h>
#endif
