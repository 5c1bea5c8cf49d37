/* How the host libraries are declared: only declarations, because host code is checked and never compiled.
 *
 * (A template needs some body all the same, or clang rejects a lambda as its argument.)
 *
 * A function that takes ordinary arguments is a variadic template, so the shim need not repeat hundreds of
 * signatures; opaque handles are pointers to a struct of their own, so overloads still tell them apart. */
#ifndef WW_HIP_HOST_H
#define WW_HIP_HOST_H

#define WW_NO_BODY { __builtin_trap(); }
#define WW_HOST_CALL(result, name) template <class... A> result name(A &&...) WW_NO_BODY
#define WW_HOST_HANDLE(name) typedef struct ww_##name *name;

#endif
