/* PyTorch's headers for an extension: parsed so that its kernels are listed and run; nothing of the host does anything.
 * Other header names of PyTorch and pybind11 stand for this one (aliases.yaml). */
#ifndef WW_TORCH_EXTENSION_H
#define WW_TORCH_EXTENSION_H
#include <map>
#include <torch/ww_torch_cuda.h>
#include <torch/ww_torch_dispatch.h>

namespace torch {
using namespace at;
namespace nn {
namespace functional {
using at::softmax;
}
} // namespace nn
struct NoGradGuard {
  NoGradGuard();
  ~NoGradGuard();
};
struct Library {
  template <class... A> Library &def(const A &...);
  template <class... A> Library &impl(const A &...);
};
struct CppFunction {};
namespace autograd {
typedef at::Tensor Variable;
typedef std::vector<Variable> variable_list, tensor_list;
struct AutogradContext {
  void save_for_backward(variable_list);
  variable_list get_saved_variables() const;
  template <class... A> void mark_non_differentiable(const A &...);
  struct Value {
    template <class T> Value &operator=(const T &);
    bool toBool() const;
    int64_t toInt() const;
    double toDouble() const;
  };
  std::map<std::string, Value> saved_data;
};
template <class T> struct Function {
  template <class... A> static auto apply(A &&...a) -> decltype(T::forward((AutogradContext *)nullptr, a...));
};
} // namespace autograd
} // namespace torch

namespace pybind11 {
struct object {};
struct arg {
  explicit arg(const char *);
  template <class T> arg &operator=(const T &);
};
template <class... A> struct init {};
template <class... A> struct call_guard {};
struct gil_scoped_release {};
struct module_ {
  template <class... A> module_ &def(const char *, const A &...);
  module_ def_submodule(const char *, const char * = nullptr);
  template <class T> void attr_set(const T &);
  const char *&doc();
};
typedef module_ module;
template <class T, class... O> struct class_ {
  template <class... A> class_(const A &...);
  template <class... A> class_ &def(const A &...);
  template <class... A> class_ &def_readwrite(const A &...);
  template <class... A> class_ &def_readonly(const A &...);
};
} // namespace pybind11
namespace py = pybind11;

#ifndef TORCH_EXTENSION_NAME
#define TORCH_EXTENSION_NAME extension
#endif
#define WW_TORCH_JOIN(a, b) a##b
#define WW_TORCH_NAMED(a, b) WW_TORCH_JOIN(a, b)
#define PYBIND11_MODULE(NAME, m) static void WW_TORCH_NAMED(ww_pybind_, NAME)(::pybind11::module_ & m)
#define TORCH_LIBRARY(NAME, m) static void WW_TORCH_NAMED(ww_library_, __COUNTER__)(::torch::Library & m)
#define TORCH_LIBRARY_EXPAND TORCH_LIBRARY
#define TORCH_LIBRARY_FRAGMENT TORCH_LIBRARY
#define TORCH_LIBRARY_IMPL(NAME, KEY, m) TORCH_LIBRARY(NAME, m)
#define TORCH_FN(f) (&f)
#endif
