/* Thrust's algorithms, written out sequentially for both sides: device code calls them with thrust::seq, and host code
 * gets the right types. Each also takes an execution policy first. */
#ifndef WW_THRUST_ALGORITHM_H
#define WW_THRUST_ALGORITHM_H
#include <thrust/ww_thrust_base.h>
#ifdef WW_EMULATE
#include <algorithm>
#include <vector>
#endif

namespace thrust {
#define WW_V(It) typename std::iterator_traits<It>::value_type
/* The policy form of NAME forwards to the plain one. */
#define WW_WITH_POLICY(NAME)                                                                                            \
  template <class P, class... A, class = typename std::enable_if<__ww_is_policy<P>::value>::type>                       \
  WW_HD auto NAME(const P &, A... a) -> decltype(thrust::NAME(a...)) { return thrust::NAME(a...); }
/* A plain overload takes part only when its first argument is not a policy. */
#define WW_PLAIN(It) class = typename std::enable_if<!__ww_is_policy<It>::value>::type

/* An emulated program's algorithms on device memory are launches of a library. */
#if defined(WW_EMULATE) && !defined(__CUDA_ARCH__)
extern "C" void __wwThrust(const void *first, const char *call, const char *type, size_t n);
template <class T> inline const char *__ww_type_name() {
  return std::is_same<T, float>::value ? "f32" : std::is_same<T, double>::value ? "f64"
       : sizeof(T) == 1 ? "u8" : sizeof(T) == 2 ? "u16" : sizeof(T) == 4 ? "u32" : "u64";
}
template <class T> inline T *__ww_raw(T *const &p) { return p; }
template <class T> inline T *__ww_raw(const device_ptr<T> &p) { return raw_pointer_cast(p); }
template <class I> inline void *__ww_raw(const I &) { return nullptr; }
template <class I> inline void __ww_told(const char *call, I b, I e) {
  const void *first = __ww_raw(b);
  if (first && b != e) __wwThrust(first, call, __ww_type_name<WW_V(I)>(), (size_t)(e - b));
}
/* The loops below are for device code, where there are few elements. */
template <class T, class F> inline bool __ww_sorted(T *b, size_t n, F f) { std::stable_sort(b, b + n, f); return true; }
template <class F> inline bool __ww_sorted(void *, size_t, F) { return false; }
template <class K, class V, class F> inline bool __ww_sorted(K *k, V *v, size_t n, F f) {
  std::vector<std::pair<K, V>> all(n);
  for (size_t i = 0; i < n; ++i) all[i] = std::pair<K, V>(k[i], v[i]);
  std::stable_sort(all.begin(), all.end(), [&](const std::pair<K, V> &x, const std::pair<K, V> &y) { return f(x.first, y.first); });
  for (size_t i = 0; i < n; ++i) k[i] = all[i].first, v[i] = all[i].second;
  return true;
}
template <class V, class F> inline bool __ww_sorted(void *, V *, size_t, F) { return false; }
template <class K, class F> inline bool __ww_sorted(K *, void *, size_t, F) { return false; }
template <class F> inline bool __ww_sorted(void *, void *, size_t, F) { return false; }
#define WW_SORTED(b, e, f) if (__ww_sorted(__ww_raw(b), (size_t)((e) - (b)), f)) return
#define WW_SORTED_BY(kb, ke, b, f) if (__ww_sorted(__ww_raw(kb), __ww_raw(b), (size_t)((ke) - (kb)), f)) return
#define WW_TOLD(call, b, e) __ww_told(call, b, e)
#else
#define WW_TOLD(call, b, e) ((void)0)
#define WW_SORTED(b, e, f) ((void)0)
#define WW_SORTED_BY(kb, ke, b, f) ((void)0)
#endif

/* ---- element-wise ---- */
template <class I, class O, WW_PLAIN(I)> WW_HD O copy(I b, I e, O o) { WW_TOLD("copy", b, e); for (; b != e; ++b, ++o) *o = *b; return o; }
template <class I, class N, class O, WW_PLAIN(I)> WW_HD O copy_n(I b, N n, O o) { for (N i = 0; i < n; ++i, ++b, ++o) *o = *b; return o; }
template <class I, class O, class F, WW_PLAIN(I)> WW_HD O copy_if(I b, I e, O o, F f) { WW_TOLD("select", b, e); for (; b != e; ++b) if (f(*b)) { *o = *b; ++o; } return o; }
template <class I, class S, class O, class F, WW_PLAIN(I)> WW_HD O copy_if(I b, I e, S s, O o, F f) { WW_TOLD("select", b, e); for (; b != e; ++b, ++s) if (f(*s)) { *o = *b; ++o; } return o; }
template <class I, class T, WW_PLAIN(I)> WW_HD void fill(I b, I e, const T &v) { WW_TOLD("fill", b, e); for (; b != e; ++b) *b = v; }
template <class I, class N, class T, WW_PLAIN(I)> WW_HD I fill_n(I b, N n, const T &v) { for (N i = 0; i < n; ++i, ++b) *b = v; return b; }
template <class I, class T, WW_PLAIN(I)> WW_HD void uninitialized_fill(I b, I e, const T &v) { thrust::fill(b, e, v); }
template <class I, WW_PLAIN(I)> WW_HD void sequence(I b, I e) { WW_TOLD("sequence", b, e); WW_V(I) v = 0; for (; b != e; ++b, v = v + 1) *b = v; }
template <class I, class T, WW_PLAIN(I)> WW_HD void sequence(I b, I e, T v) { WW_TOLD("sequence", b, e); for (; b != e; ++b, v = v + 1) *b = v; }
template <class I, class T, WW_PLAIN(I)> WW_HD void sequence(I b, I e, T v, T step) { WW_TOLD("sequence", b, e); for (; b != e; ++b, v = v + step) *b = v; }
template <class I, class F, WW_PLAIN(I)> WW_HD void generate(I b, I e, F f) { WW_TOLD("fill", b, e); for (; b != e; ++b) *b = f(); }
template <class I, class F, WW_PLAIN(I)> WW_HD void tabulate(I b, I e, F f) { WW_TOLD("fill", b, e); for (ptrdiff_t i = 0; b != e; ++b, ++i) *b = f(i); }
template <class I, class F, WW_PLAIN(I)> WW_HD I for_each(I b, I e, F f) { WW_TOLD("for_each", b, e); for (; b != e; ++b) f(*b); return b; }
template <class I, class N, class F, WW_PLAIN(I)> WW_HD I for_each_n(I b, N n, F f) { for (N i = 0; i < n; ++i, ++b) f(*b); return b; }
template <class I, class O, class F, WW_PLAIN(I)> WW_HD O transform(I b, I e, O o, F f) { WW_TOLD("transform", b, e); for (; b != e; ++b, ++o) *o = f(*b); return o; }
template <class I, class J, class O, class F, WW_PLAIN(I)> WW_HD O transform(I b, I e, J c, O o, F f) { WW_TOLD("transform", b, e); for (; b != e; ++b, ++c, ++o) *o = f(*b, *c); return o; }
template <class I, class O, class F, class P, WW_PLAIN(I)> WW_HD O transform_if(I b, I e, O o, F f, P p) { WW_TOLD("transform", b, e); for (; b != e; ++b, ++o) if (p(*b)) *o = f(*b); return o; }
template <class I, class T, WW_PLAIN(I)> WW_HD void replace(I b, I e, const T &x, const T &y) { WW_TOLD("transform", b, e); for (; b != e; ++b) if (*b == x) *b = y; }
template <class I, class F, class T, WW_PLAIN(I)> WW_HD void replace_if(I b, I e, F f, const T &v) { WW_TOLD("transform", b, e); for (; b != e; ++b) if (f(*b)) *b = v; }
template <class I, class S, class F, class T, WW_PLAIN(I)> WW_HD void replace_if(I b, I e, S s, F f, const T &v) { WW_TOLD("transform", b, e); for (; b != e; ++b, ++s) if (f(*s)) *b = v; }
template <class I, class S, class O, class F, class P, WW_PLAIN(I)> WW_HD O transform_if(I b, I e, S s, O o, F f, P p) { WW_TOLD("transform", b, e); for (; b != e; ++b, ++s, ++o) if (p(*s)) *o = f(*b); return o; }
template <class I, class M, class O, WW_PLAIN(I)> WW_HD O gather(I b, I e, M m, O o) { WW_TOLD("transform", b, e); for (; b != e; ++b, ++o) *o = m[*b]; return o; }
template <class I, class M, class O, WW_PLAIN(I)> WW_HD void scatter(I b, I e, M m, O o) { WW_TOLD("transform", b, e); for (; b != e; ++b, ++m) o[*m] = *b; }
template <class I, class M, class S, class O, WW_PLAIN(I)> WW_HD void scatter_if(I b, I e, M m, S s, O o) { for (; b != e; ++b, ++m, ++s) if (*s) o[*m] = *b; }
template <class I, WW_PLAIN(I)> WW_HD void reverse(I b, I e) { while (b != e && b != --e) { WW_V(I) t = *b; *b = *e; *e = t; ++b; } }
template <class I, class J, WW_PLAIN(I)> WW_HD J swap_ranges(I b, I e, J c) { for (; b != e; ++b, ++c) { WW_V(I) t = *b; *b = *c; *c = t; } return c; }
template <class I, class O, class F, WW_PLAIN(I)> WW_HD O adjacent_difference(I b, I e, O o, F f) {
  if (b == e) return o;
  WW_V(I) last = *b;
  *o = last;
  for (++b, ++o; b != e; ++b, ++o) { WW_V(I) v = *b; *o = f(v, last); last = v; }
  return o;
}
template <class I, class O, WW_PLAIN(I)> WW_HD O adjacent_difference(I b, I e, O o) { return thrust::adjacent_difference(b, e, o, minus<WW_V(I)>()); }
template <class I, class G, WW_PLAIN(I)> WW_HD void shuffle(I b, I e, G &&g) {
  for (ptrdiff_t i = (e - b) - 1; i > 0; --i) { ptrdiff_t j = (ptrdiff_t)((unsigned long long)g() % (unsigned long long)(i + 1)); WW_V(I) t = b[i]; b[i] = (WW_V(I))b[j]; b[j] = t; }
}

/* ---- reductions, scans ---- */
template <class I, class T, class F, WW_PLAIN(I)> WW_HD T reduce(I b, I e, T v, F f) { WW_TOLD("reduce", b, e); for (; b != e; ++b) v = f(v, *b); return v; }
template <class I, class T, WW_PLAIN(I)> WW_HD T reduce(I b, I e, T v) { WW_TOLD("reduce", b, e); for (; b != e; ++b) v = v + *b; return v; }
template <class I, WW_PLAIN(I)> WW_HD WW_V(I) reduce(I b, I e) { return thrust::reduce(b, e, WW_V(I)()); }
template <class I, class U, class T, class F, WW_PLAIN(I)> WW_HD T transform_reduce(I b, I e, U u, T v, F f) { WW_TOLD("reduce", b, e); for (; b != e; ++b) v = f(v, u(*b)); return v; }
template <class I, class J, class T, WW_PLAIN(I)> WW_HD T inner_product(I b, I e, J c, T v) { WW_TOLD("reduce", b, e); for (; b != e; ++b, ++c) v = v + *b * *c; return v; }
template <class I, class J, class T, class F, class G, WW_PLAIN(I)> WW_HD T inner_product(I b, I e, J c, T v, F f, G g) { WW_TOLD("reduce", b, e); for (; b != e; ++b, ++c) v = f(v, g(*b, *c)); return v; }
template <class I, class T, WW_PLAIN(I)> WW_HD ptrdiff_t count(I b, I e, const T &v) { WW_TOLD("reduce", b, e); ptrdiff_t n = 0; for (; b != e; ++b) n += *b == v; return n; }
template <class I, class F, WW_PLAIN(I)> WW_HD ptrdiff_t count_if(I b, I e, F f) { WW_TOLD("reduce", b, e); ptrdiff_t n = 0; for (; b != e; ++b) n += f(*b) ? 1 : 0; return n; }
template <class I, class F, WW_PLAIN(I)> WW_HD bool all_of(I b, I e, F f) { for (; b != e; ++b) if (!f(*b)) return false; return true; }
template <class I, class F, WW_PLAIN(I)> WW_HD bool any_of(I b, I e, F f) { for (; b != e; ++b) if (f(*b)) return true; return false; }
template <class I, class F, WW_PLAIN(I)> WW_HD bool none_of(I b, I e, F f) { return !thrust::any_of(b, e, f); }
template <class I, class J, WW_PLAIN(I)> WW_HD bool equal(I b, I e, J c) { for (; b != e; ++b, ++c) if (!(*b == *c)) return false; return true; }
template <class I, class O, class F, WW_PLAIN(I)> WW_HD O inclusive_scan(I b, I e, O o, F f) { WW_TOLD("scan", b, e);
  if (b == e) return o;
  WW_V(I) v = *b;
  *o = v;
  for (++b, ++o; b != e; ++b, ++o) *o = v = f(v, *b);
  return o;
}
template <class I, class O, WW_PLAIN(I)> WW_HD O inclusive_scan(I b, I e, O o) { return thrust::inclusive_scan(b, e, o, plus<WW_V(I)>()); }
template <class I, class O, class T, class F, WW_PLAIN(I)> WW_HD O exclusive_scan(I b, I e, O o, T v, F f) { WW_TOLD("scan", b, e); for (; b != e; ++b, ++o) { T n = f(v, *b); *o = v; v = n; } return o; }
template <class I, class O, class T, WW_PLAIN(I)> WW_HD O exclusive_scan(I b, I e, O o, T v) { return thrust::exclusive_scan(b, e, o, v, plus<T>()); }
template <class I, class O, WW_PLAIN(I)> WW_HD O exclusive_scan(I b, I e, O o) { return thrust::exclusive_scan(b, e, o, WW_V(I)(0)); }
template <class I, class O, class U, class F, WW_PLAIN(I)> WW_HD O transform_inclusive_scan(I b, I e, O o, U u, F f) { WW_TOLD("scan", b, e);
  if (b == e) return o;
  auto v = u(*b);
  *o = v;
  for (++b, ++o; b != e; ++b, ++o) *o = v = f(v, u(*b));
  return o;
}
template <class I, class O, class U, class T, class F, WW_PLAIN(I)> WW_HD O transform_exclusive_scan(I b, I e, O o, U u, T v, F f) { WW_TOLD("scan", b, e); for (; b != e; ++b, ++o) { T n = f(v, u(*b)); *o = v; v = n; } return o; }
template <class K, class I, class O, class Q, class F, WW_PLAIN(K)> WW_HD O inclusive_scan_by_key(K kb, K ke, I b, O o, Q q, F f) {
  if (kb == ke) return o;
  WW_V(I) v = *b;
  *o = v;
  for (K last = kb++; kb != ke; last = kb++) { ++b, ++o; v = q(*last, *kb) ? f(v, *b) : (WW_V(I)) * b; *o = v; }
  return ++o;
}
template <class K, class I, class O, WW_PLAIN(K)> WW_HD O inclusive_scan_by_key(K kb, K ke, I b, O o) { return thrust::inclusive_scan_by_key(kb, ke, b, o, equal_to<WW_V(K)>(), plus<WW_V(I)>()); }
template <class K, class I, class O, class T, WW_PLAIN(K)> WW_HD O exclusive_scan_by_key(K kb, K ke, I b, O o, T start) {
  T v = start;
  for (K last = kb; kb != ke; last = kb, ++kb, ++b, ++o) { if (!(*last == *kb)) v = start; T n = v + *b; *o = v; v = n; }
  return o;
}
template <class K, class I, class O, WW_PLAIN(K)> WW_HD O exclusive_scan_by_key(K kb, K ke, I b, O o) { return thrust::exclusive_scan_by_key(kb, ke, b, o, WW_V(I)(0)); }
template <class K, class I, class KO, class O, class Q, class F, WW_PLAIN(K)> WW_HD pair<KO, O> reduce_by_key(K kb, K ke, I b, KO ko, O o, Q q, F f) { WW_TOLD("reduce_by_key", kb, ke);
  while (kb != ke) {
    WW_V(K) key = *kb;
    WW_V(I) v = *b;
    for (++kb, ++b; kb != ke && q(key, *kb); ++kb, ++b) v = f(v, *b);
    *ko = key, *o = v;
    ++ko, ++o;
  }
  return pair<KO, O>(ko, o);
}
template <class K, class I, class KO, class O, class Q, WW_PLAIN(K)> WW_HD pair<KO, O> reduce_by_key(K kb, K ke, I b, KO ko, O o, Q q) { return thrust::reduce_by_key(kb, ke, b, ko, o, q, plus<WW_V(I)>()); }
template <class K, class I, class KO, class O, WW_PLAIN(K)> WW_HD pair<KO, O> reduce_by_key(K kb, K ke, I b, KO ko, O o) { return thrust::reduce_by_key(kb, ke, b, ko, o, equal_to<WW_V(K)>()); }

/* ---- searches, extrema ---- */
template <class I, class T, WW_PLAIN(I)> WW_HD I find(I b, I e, const T &v) { for (; b != e; ++b) if (*b == v) break; return b; }
template <class I, class F, WW_PLAIN(I)> WW_HD I find_if(I b, I e, F f) { for (; b != e; ++b) if (f(*b)) break; return b; }
template <class I, class F, WW_PLAIN(I)> WW_HD I find_if_not(I b, I e, F f) { for (; b != e; ++b) if (!f(*b)) break; return b; }
template <class I, class F, WW_PLAIN(I)> WW_HD I min_element(I b, I e, F f) { WW_TOLD("reduce", b, e); I m = b; for (; b != e; ++b) if (f(*b, *m)) m = b; return m; }
template <class I, class F, WW_PLAIN(I)> WW_HD I max_element(I b, I e, F f) { WW_TOLD("reduce", b, e); I m = b; for (; b != e; ++b) if (f(*m, *b)) m = b; return m; }
template <class I, WW_PLAIN(I)> WW_HD I min_element(I b, I e) { return thrust::min_element(b, e, less<WW_V(I)>()); }
template <class I, WW_PLAIN(I)> WW_HD I max_element(I b, I e) { return thrust::max_element(b, e, less<WW_V(I)>()); }
template <class I, WW_PLAIN(I)> WW_HD pair<I, I> minmax_element(I b, I e) { return pair<I, I>(thrust::min_element(b, e), thrust::max_element(b, e)); }
template <class I, class F, WW_PLAIN(I)> WW_HD pair<I, I> minmax_element(I b, I e, F f) { return pair<I, I>(thrust::min_element(b, e, f), thrust::max_element(b, e, f)); }
template <class I, class J, WW_PLAIN(I)> WW_HD pair<I, J> mismatch(I b, I e, J c) { for (; b != e && *b == *c; ++b) ++c; return pair<I, J>(b, c); }
template <class I, class T, class F, WW_PLAIN(I)> WW_HD I lower_bound(I b, I e, const T &v, F f) { ptrdiff_t n = e - b; while (n > 0) { ptrdiff_t h = n / 2; if (f(b[h], v)) { b += h + 1; n -= h + 1; } else n = h; } return b; }
template <class I, class T, class F, WW_PLAIN(I)> WW_HD I upper_bound(I b, I e, const T &v, F f) { ptrdiff_t n = e - b; while (n > 0) { ptrdiff_t h = n / 2; if (!f(v, b[h])) { b += h + 1; n -= h + 1; } else n = h; } return b; }
template <class I, class T, WW_PLAIN(I)> WW_HD I lower_bound(I b, I e, const T &v) { return thrust::lower_bound(b, e, v, less<WW_V(I)>()); }
template <class I, class T, WW_PLAIN(I)> WW_HD I upper_bound(I b, I e, const T &v) { return thrust::upper_bound(b, e, v, less<WW_V(I)>()); }
template <class I, class J, class O, WW_PLAIN(I)> WW_HD O lower_bound(I b, I e, J vb, J ve, O o) { for (; vb != ve; ++vb, ++o) *o = thrust::lower_bound(b, e, (WW_V(J)) * vb) - b; return o; }
template <class I, class J, class O, WW_PLAIN(I)> WW_HD O upper_bound(I b, I e, J vb, J ve, O o) { for (; vb != ve; ++vb, ++o) *o = thrust::upper_bound(b, e, (WW_V(J)) * vb) - b; return o; }
template <class I, class T, WW_PLAIN(I)> WW_HD bool binary_search(I b, I e, const T &v) { I i = thrust::lower_bound(b, e, v); return i != e && !(v < *i); }
template <class I, WW_PLAIN(I)> WW_HD bool is_sorted(I b, I e) { if (b == e) return true; for (I l = b++; b != e; l = b++) if (*b < *l) return false; return true; }
template <class I, class F, WW_PLAIN(I)> WW_HD bool is_sorted(I b, I e, F f) { if (b == e) return true; for (I l = b++; b != e; l = b++) if (f(*b, *l)) return false; return true; }

/* ---- compaction ---- */
template <class I, class T, WW_PLAIN(I)> WW_HD I remove(I b, I e, const T &v) { I o = b; for (; b != e; ++b) if (!(*b == v)) { *o = (WW_V(I)) * b; ++o; } return o; }
template <class I, class F, WW_PLAIN(I)> WW_HD I remove_if(I b, I e, F f) { WW_TOLD("select", b, e); I o = b; for (; b != e; ++b) if (!f(*b)) { *o = (WW_V(I)) * b; ++o; } return o; }
template <class I, class S, class F, WW_PLAIN(I)> WW_HD I remove_if(I b, I e, S s, F f) { WW_TOLD("select", b, e); I o = b; for (; b != e; ++b, ++s) if (!f(*s)) { *o = (WW_V(I)) * b; ++o; } return o; }
template <class I, class O, class F, WW_PLAIN(I)> WW_HD O remove_copy_if(I b, I e, O o, F f) { for (; b != e; ++b) if (!f(*b)) { *o = *b; ++o; } return o; }
template <class I, WW_PLAIN(I)> WW_HD I unique(I b, I e) { WW_TOLD("select", b, e); if (b == e) return e; I o = b; for (++b; b != e; ++b) if (!(*o == *b)) { ++o; *o = (WW_V(I)) * b; } return ++o; }
template <class I, class F, WW_PLAIN(I)> WW_HD I unique(I b, I e, F f) { WW_TOLD("select", b, e); if (b == e) return e; I o = b; for (++b; b != e; ++b) if (!f(*o, *b)) { ++o; *o = (WW_V(I)) * b; } return ++o; }
template <class I, class O, WW_PLAIN(I)> WW_HD O unique_copy(I b, I e, O o) { WW_TOLD("select", b, e); if (b == e) return o; *o = *b; for (++b; b != e; ++b) if (!(*o == *b)) { ++o; *o = *b; } return ++o; }
template <class K, class I, WW_PLAIN(K)> WW_HD pair<K, I> unique_by_key(K kb, K ke, I b) {
  if (kb == ke) return pair<K, I>(kb, b);
  K ko = kb;
  I o = b;
  for (++kb, ++b; kb != ke; ++kb, ++b) if (!(*ko == *kb)) { ++ko, ++o; *ko = (WW_V(K)) * kb; *o = (WW_V(I)) * b; }
  return pair<K, I>(++ko, ++o);
}
template <class K, class I, class KO, class O, WW_PLAIN(K)> WW_HD pair<KO, O> unique_by_key_copy(K kb, K ke, I b, KO ko, O o) {
  for (K last = kb; kb != ke; last = kb, ++kb, ++b) if (kb == last || !(*last == *kb)) { *ko = *kb, *o = *b; ++ko, ++o; }
  return pair<KO, O>(ko, o);
}
template <class I, class J, class O, WW_PLAIN(I)> WW_HD O merge(I b, I e, J c, J d, O o) {
  while (b != e || c != d) { if (c == d || (b != e && !(*c < *b))) { *o = *b; ++b; } else { *o = *c; ++c; } ++o; }
  return o;
}
template <class I, class J, class O, WW_PLAIN(I)> WW_HD O set_intersection(I b, I e, J c, J d, O o) {
  while (b != e && c != d) { if (*b < *c) ++b; else if (*c < *b) ++c; else { *o = *b; ++b, ++c, ++o; } }
  return o;
}
template <class I, class J, class O, WW_PLAIN(I)> WW_HD O set_difference(I b, I e, J c, J d, O o) {
  while (b != e) { if (c == d || *b < *c) { *o = *b; ++b, ++o; } else { if (!(*c < *b)) ++b; ++c; } }
  return o;
}
template <class I, class J, class O, WW_PLAIN(I)> WW_HD O set_union(I b, I e, J c, J d, O o) {
  while (b != e || c != d) {
    if (c == d || (b != e && *b < *c)) { *o = *b; ++b; } else { if (b != e && !(*c < *b)) ++b; *o = *c; ++c; }
    ++o;
  }
  return o;
}
template <class I, class F, WW_PLAIN(I)> WW_HD I stable_partition(I b, I e, F f) {
  I o = b;
  for (I i = b; i != e; ++i) if (f(*i)) { WW_V(I) v = *i; for (I j = i; j != o; --j) *j = (WW_V(I)) * (j - 1); *o = v; ++o; }
  return o;
}
template <class I, class F, WW_PLAIN(I)> WW_HD I partition(I b, I e, F f) { return thrust::stable_partition(b, e, f); }

/* ---- sorts: insertion, stable ---- */
template <class I, class F, WW_PLAIN(I)> WW_HD void stable_sort(I b, I e, F f) { WW_TOLD("sort", b, e);
  WW_SORTED(b, e, f);
  for (I i = b; i != e; ++i) {
    WW_V(I) v = *i;
    I j = i;
    for (; j != b && f(v, *(j - 1)); --j) *j = (WW_V(I)) * (j - 1);
    *j = v;
  }
}
template <class I, WW_PLAIN(I)> WW_HD void stable_sort(I b, I e) { thrust::stable_sort(b, e, less<WW_V(I)>()); }
template <class I, class F, WW_PLAIN(I)> WW_HD void sort(I b, I e, F f) { thrust::stable_sort(b, e, f); }
template <class I, WW_PLAIN(I)> WW_HD void sort(I b, I e) { thrust::stable_sort(b, e); }
template <class K, class I, class F, WW_PLAIN(K)> WW_HD void stable_sort_by_key(K kb, K ke, I b, F f) { WW_TOLD("sort_by_key", kb, ke);
  WW_SORTED_BY(kb, ke, b, f);
  ptrdiff_t n = ke - kb;
  for (ptrdiff_t i = 1; i < n; ++i) {
    WW_V(K) k = kb[i];
    WW_V(I) v = b[i];
    ptrdiff_t j = i;
    for (; j > 0 && f(k, kb[j - 1]); --j) kb[j] = (WW_V(K))kb[j - 1], b[j] = (WW_V(I))b[j - 1];
    kb[j] = k, b[j] = v;
  }
}
template <class K, class I, WW_PLAIN(K)> WW_HD void stable_sort_by_key(K kb, K ke, I b) { thrust::stable_sort_by_key(kb, ke, b, less<WW_V(K)>()); }
template <class K, class I, class F, WW_PLAIN(K)> WW_HD void sort_by_key(K kb, K ke, I b, F f) { thrust::stable_sort_by_key(kb, ke, b, f); }
template <class K, class I, WW_PLAIN(K)> WW_HD void sort_by_key(K kb, K ke, I b) { thrust::stable_sort_by_key(kb, ke, b); }

WW_WITH_POLICY(copy) WW_WITH_POLICY(copy_n) WW_WITH_POLICY(copy_if) WW_WITH_POLICY(fill) WW_WITH_POLICY(fill_n) WW_WITH_POLICY(uninitialized_fill)
WW_WITH_POLICY(sequence) WW_WITH_POLICY(generate) WW_WITH_POLICY(tabulate) WW_WITH_POLICY(for_each) WW_WITH_POLICY(for_each_n) WW_WITH_POLICY(transform) WW_WITH_POLICY(transform_if)
WW_WITH_POLICY(replace) WW_WITH_POLICY(replace_if) WW_WITH_POLICY(gather) WW_WITH_POLICY(scatter) WW_WITH_POLICY(scatter_if) WW_WITH_POLICY(reverse) WW_WITH_POLICY(swap_ranges)
WW_WITH_POLICY(adjacent_difference) WW_WITH_POLICY(shuffle) WW_WITH_POLICY(reduce) WW_WITH_POLICY(transform_reduce) WW_WITH_POLICY(inner_product)
WW_WITH_POLICY(count) WW_WITH_POLICY(count_if) WW_WITH_POLICY(all_of) WW_WITH_POLICY(any_of) WW_WITH_POLICY(none_of) WW_WITH_POLICY(equal)
WW_WITH_POLICY(inclusive_scan) WW_WITH_POLICY(exclusive_scan) WW_WITH_POLICY(transform_inclusive_scan) WW_WITH_POLICY(transform_exclusive_scan)
WW_WITH_POLICY(inclusive_scan_by_key) WW_WITH_POLICY(exclusive_scan_by_key) WW_WITH_POLICY(reduce_by_key) WW_WITH_POLICY(find) WW_WITH_POLICY(find_if) WW_WITH_POLICY(find_if_not)
WW_WITH_POLICY(unique_by_key_copy) WW_WITH_POLICY(merge) WW_WITH_POLICY(set_intersection) WW_WITH_POLICY(set_difference) WW_WITH_POLICY(set_union) WW_WITH_POLICY(mismatch)
WW_WITH_POLICY(min_element) WW_WITH_POLICY(max_element) WW_WITH_POLICY(minmax_element) WW_WITH_POLICY(lower_bound) WW_WITH_POLICY(upper_bound) WW_WITH_POLICY(binary_search)
WW_WITH_POLICY(is_sorted) WW_WITH_POLICY(remove) WW_WITH_POLICY(remove_if) WW_WITH_POLICY(remove_copy_if) WW_WITH_POLICY(unique) WW_WITH_POLICY(unique_copy) WW_WITH_POLICY(unique_by_key)
WW_WITH_POLICY(stable_partition) WW_WITH_POLICY(partition) WW_WITH_POLICY(stable_sort) WW_WITH_POLICY(sort) WW_WITH_POLICY(stable_sort_by_key) WW_WITH_POLICY(sort_by_key)
#undef WW_V
#undef WW_PLAIN
#undef WW_WITH_POLICY
} // namespace thrust
#endif
