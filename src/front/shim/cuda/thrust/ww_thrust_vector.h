/* thrust::host_vector and device_vector: the interface, with the standard vector behind host_vector. Device vectors
 * hold nothing where host code is only type-checked, and device memory where it runs (WW_EMULATE). */
#ifndef WW_THRUST_VECTOR_H
#define WW_THRUST_VECTOR_H
#include <thrust/ww_thrust_base.h>
#include <chrono> /* the real library brings these in, and programs rely on it */
#include <iostream>
#include <vector>

namespace thrust {
template <class T, class A = std::allocator<T>> struct host_vector;
template <class T> struct device_allocator {};
template <class T> struct device_malloc_allocator {};

#ifdef WW_EMULATE
template <class T> struct __ww_device_alloc {
  typedef T value_type;
  __ww_device_alloc() {}
  template <class U> __ww_device_alloc(const __ww_device_alloc<U> &) {}
  T *allocate(size_t n) { void *p = 0; if (__wwMalloc(&p, n * sizeof(T), 0)) throw std::bad_alloc(); return (T *)p; }
  void deallocate(T *p, size_t) { cudaFree(p); }
  template <class U> bool operator==(const __ww_device_alloc<U> &) const { return true; }
  template <class U> bool operator!=(const __ww_device_alloc<U> &) const { return false; }
};
template <class T, class A = device_allocator<T>> struct device_vector {
  typedef T value_type;
  typedef device_ptr<T> iterator, pointer;
  typedef device_ptr<const T> const_iterator, const_pointer;
  typedef device_reference<T> reference;
  typedef device_reference<const T> const_reference;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  typedef typename std::conditional<std::is_same<T, bool>::value, unsigned char, T>::type stored; /* no packed bits */
  std::vector<stored, __ww_device_alloc<stored>> v;
  template <class It> void __ww_copy(It a, It b) { v.clear(); v.reserve((size_t)std::distance(a, b)); for (; a != b; ++a) v.push_back(static_cast<stored>(static_cast<typename std::iterator_traits<It>::value_type>(*a))); }
  device_vector() {}
  explicit device_vector(size_t n) : v(n) {}
  device_vector(size_t n, const T &x) : v(n, (stored)x) {}
  template <class It, class = typename std::iterator_traits<It>::iterator_category> device_vector(It a, It b) { __ww_copy(a, b); }
  device_vector(std::initializer_list<T> l) { __ww_copy(l.begin(), l.end()); }
  template <class U, class B> device_vector(const host_vector<U, B> &o) { __ww_copy(o.begin(), o.end()); }
  template <class U, class B> device_vector(const std::vector<U, B> &o) { __ww_copy(o.begin(), o.end()); }
  template <class U, class B> device_vector(const device_vector<U, B> &o) { __ww_copy(o.begin(), o.end()); }
  template <class U, class B> device_vector &operator=(const host_vector<U, B> &o) { __ww_copy(o.begin(), o.end()); return *this; }
  template <class U, class B> device_vector &operator=(const std::vector<U, B> &o) { __ww_copy(o.begin(), o.end()); return *this; }
  template <class U, class B> device_vector &operator=(const device_vector<U, B> &o) { __ww_copy(o.begin(), o.end()); return *this; }
  device_vector &operator=(std::initializer_list<T> l) { __ww_copy(l.begin(), l.end()); return *this; }
  T *__ww_at(size_t i) const { return (T *)v.data() + i; }
  iterator begin() { return iterator(__ww_at(0)); }
  iterator end() { return iterator(__ww_at(size())); }
  const_iterator begin() const { return const_iterator(__ww_at(0)); }
  const_iterator end() const { return const_iterator(__ww_at(size())); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  pointer data() { return begin(); }
  const_pointer data() const { return begin(); }
  reference operator[](size_t i) { return reference(__ww_at(i)); }
  const_reference operator[](size_t i) const { return const_reference(__ww_at(i)); }
  reference front() { return (*this)[0]; }
  reference back() { return (*this)[size() - 1]; }
  const_reference front() const { return (*this)[0]; }
  const_reference back() const { return (*this)[size() - 1]; }
  size_t size() const { return v.size(); }
  size_t capacity() const { return v.capacity(); }
  bool empty() const { return v.empty(); }
  void resize(size_t n) { v.resize(n); }
  void resize(size_t n, const T &x) { v.resize(n, (stored)x); }
  void reserve(size_t n) { v.reserve(n); }
  void clear() { v.clear(); }
  void shrink_to_fit() { v.shrink_to_fit(); }
  void swap(device_vector &o) { v.swap(o.v); }
  void assign(size_t n, const T &x) { v.assign(n, (stored)x); }
  template <class It, class = typename std::iterator_traits<It>::iterator_category> void assign(It a, It b) { __ww_copy(a, b); }
  void push_back(const T &x) { v.push_back((stored)x); }
  void pop_back() { v.pop_back(); }
  iterator insert(iterator at, const T &x) { size_t i = (size_t)(at - begin()); v.insert(v.begin() + (ptrdiff_t)i, (stored)x); return begin() + (ptrdiff_t)i; }
  iterator erase(iterator at) { size_t i = (size_t)(at - begin()); v.erase(v.begin() + (ptrdiff_t)i); return begin() + (ptrdiff_t)i; }
  iterator erase(iterator a, iterator b) { ptrdiff_t i = a - begin(), k = b - begin(); v.erase(v.begin() + i, v.begin() + k); return begin() + i; }
};
template <class T, class A> struct host_vector : std::vector<T> {
  using std::vector<T>::vector;
  host_vector() {}
  template <class U, class B> void __ww_copy(const device_vector<U, B> &o) { this->resize(o.size()); for (size_t i = 0; i < o.size(); i++) (*this)[i] = (T)(U)o[i]; }
  template <class U, class B> host_vector(const device_vector<U, B> &o) { __ww_copy(o); }
  template <class U, class B> host_vector(const std::vector<U, B> &o) : std::vector<T>(o.begin(), o.end()) {}
  template <class U, class B> host_vector &operator=(const device_vector<U, B> &o) { __ww_copy(o); return *this; }
  template <class U, class B> host_vector &operator=(const std::vector<U, B> &o) { this->assign(o.begin(), o.end()); return *this; }
};
#else
template <class T, class A = device_allocator<T>> struct device_vector {
  typedef T value_type;
  typedef device_ptr<T> iterator, pointer;
  typedef device_ptr<const T> const_iterator, const_pointer;
  typedef device_reference<T> reference;
  typedef device_reference<const T> const_reference;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  device_vector() {}
  explicit device_vector(size_t) {}
  device_vector(size_t, const T &) {}
  template <class It, class = typename std::iterator_traits<It>::iterator_category> device_vector(It, It) {}
  device_vector(std::initializer_list<T>) {}
  template <class U, class B> device_vector(const host_vector<U, B> &) {}
  template <class U, class B> device_vector(const std::vector<U, B> &) {}
  template <class U, class B> device_vector(const device_vector<U, B> &) {}
  template <class U, class B> device_vector &operator=(const host_vector<U, B> &) { return *this; }
  template <class U, class B> device_vector &operator=(const std::vector<U, B> &) { return *this; }
  template <class U, class B> device_vector &operator=(const device_vector<U, B> &) { return *this; }
  device_vector &operator=(std::initializer_list<T>) { return *this; }
  iterator begin() { return iterator(); }
  iterator end() { return iterator(); }
  const_iterator begin() const { return const_iterator(); }
  const_iterator end() const { return const_iterator(); }
  const_iterator cbegin() const { return const_iterator(); }
  const_iterator cend() const { return const_iterator(); }
  pointer data() { return pointer(); }
  const_pointer data() const { return const_pointer(); }
  reference operator[](size_t) { return reference(0); }
  const_reference operator[](size_t) const { return const_reference(0); }
  reference front() { return reference(0); }
  reference back() { return reference(0); }
  const_reference front() const { return const_reference(0); }
  const_reference back() const { return const_reference(0); }
  size_t size() const { return 0; }
  size_t capacity() const { return 0; }
  bool empty() const { return true; }
  template <class... B> void resize(B &&...) {}
  void reserve(size_t) {}
  void clear() {}
  void shrink_to_fit() {}
  void swap(device_vector &) {}
  template <class... B> void assign(B &&...) {}
  void push_back(const T &) {}
  void pop_back() {}
  template <class... B> iterator insert(B &&...) { return iterator(); }
  template <class... B> iterator erase(B &&...) { return iterator(); }
};
template <class T, class A> struct host_vector : std::vector<T> {
  using std::vector<T>::vector;
  host_vector() {}
  template <class U, class B> host_vector(const device_vector<U, B> &) {}
  template <class U, class B> host_vector(const std::vector<U, B> &) {}
  template <class U, class B> host_vector &operator=(const device_vector<U, B> &) { return *this; }
  template <class U, class B> host_vector &operator=(const std::vector<U, B> &) { return *this; }
};
#endif
template <class T, class A = void> struct universal_vector : std::vector<T> { using std::vector<T>::vector; };
namespace cuda { namespace experimental { template <class T> struct pinned_allocator : std::allocator<T> {}; } }
namespace system { namespace cuda { namespace experimental { template <class T> struct pinned_allocator : std::allocator<T> {}; } } }
} // namespace thrust
#endif
