/* thrust/random.h: a linear congruential engine and the usual distributions, both sides. */
#ifndef WW_THRUST_RANDOM_H
#define WW_THRUST_RANDOM_H
#include <thrust/ww_thrust_base.h>

namespace thrust {
namespace random {
template <class U, U A, U C, U M> struct linear_congruential_engine {
  typedef U result_type;
  static const U min = 1, max = M - 1;
  U x;
  WW_MHD explicit linear_congruential_engine(U seed = 1) : x(seed % M ? seed % M : 1) {}
  WW_MHD void seed(U s = 1) { x = s % M ? s % M : 1; }
  WW_MHD U operator()() { return x = (U)(((unsigned long long)A * x + C) % M); }
  WW_MHD void discard(unsigned long long n) { /* x * A^n mod M, for C = 0 */
    unsigned long long a = A, r = 1;
    for (; n; n >>= 1, a = a * a % M) if (n & 1) r = r * a % M;
    x = (U)(r * x % M);
  }
};
typedef linear_congruential_engine<unsigned, 48271u, 0u, 2147483647u> minstd_rand;
typedef linear_congruential_engine<unsigned, 16807u, 0u, 2147483647u> minstd_rand0;
typedef minstd_rand default_random_engine;
template <class T = double> struct uniform_real_distribution {
  T a, b;
  WW_MHD explicit uniform_real_distribution(T lo = 0, T hi = 1) : a(lo), b(hi) {}
  template <class G> WW_MHD T operator()(G &g) const { return a + (b - a) * ((T)(g() - G::min) / ((T)(G::max - G::min) + T(1))); }
};
template <class T = int> struct uniform_int_distribution {
  T a, b;
  WW_MHD explicit uniform_int_distribution(T lo = 0, T hi = 2147483647) : a(lo), b(hi) {}
  template <class G> WW_MHD T operator()(G &g) const { return a + (T)((double)(g() - G::min) / ((double)(G::max - G::min) + 1.0) * ((double)b - (double)a + 1.0)); }
};
template <class T = double> struct normal_distribution {
  T mean, stddev;
  WW_MHD explicit normal_distribution(T m = 0, T s = 1) : mean(m), stddev(s) {}
  template <class G> WW_MHD T operator()(G &g) const {
    uniform_real_distribution<double> u(0.0, 1.0);
    double x = 1.0 - u(g), y = u(g);
    return mean + stddev * (T)(::sqrt(-2.0 * ::log(x)) * ::cos(6.283185307179586 * y));
  }
};
} // namespace random
using random::default_random_engine;
using random::linear_congruential_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::normal_distribution;
using random::uniform_int_distribution;
using random::uniform_real_distribution;
} // namespace thrust
#endif
