/* Moves a value of any trivially copyable type through a 32-bit primitive (a shuffle), word by word. */
#ifndef WW_WORDS_H
#define WW_WORDS_H
#include "ww_attr.h"

template <class T, class F> WW_D T __ww_by_words(T v, F f) {
  constexpr unsigned n = (sizeof(T) + 3) / 4;
  unsigned w[n] = {};
  __builtin_memcpy(w, (const void *)&v, sizeof(T));
#pragma unroll
  for (unsigned i = 0; i < n; i++) w[i] = f(w[i]);
  __builtin_memcpy((void *)&v, w, sizeof(T));
  return v;
}
#endif
