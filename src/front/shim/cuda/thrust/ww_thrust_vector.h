/* thrust::host_vector and device_vector: the interface, with the standard vector behind host_vector. Device vectors
 * hold nothing: host code is only type-checked. */
#ifndef WW_THRUST_VECTOR_H
#define WW_THRUST_VECTOR_H
#include "ww_thrust_base.h"
#include <chrono> /* the real library brings these in, and programs rely on it */
#include <iostream>
#include <vector>

namespace thrust {
template <class T, class A = std::allocator<T>> struct host_vector;
template <class T> struct device_allocator {};
template <class T> struct device_malloc_allocator {};

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
template <class T, class A = void> struct universal_vector : std::vector<T> { using std::vector<T>::vector; };
namespace cuda { namespace experimental { template <class T> struct pinned_allocator : std::allocator<T> {}; } }
namespace system { namespace cuda { namespace experimental { template <class T> struct pinned_allocator : std::allocator<T> {}; } } }
} // namespace thrust
#endif
