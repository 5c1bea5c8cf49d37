/* Texture and surface reads and writes, as ordinary memory accesses.
 *
 * Contract: a texture or surface object's value is the device address of element 0 of its array, stored
 * row-major without padding. The interpreter knows the array's shape and gives it through __ww_tex_dim
 * (axis 0, 1, 2: width, height, depth or layers, in elements; axis 3: flags, bit 0 set when coordinates are
 * normalised). Reads clamp to the edge and take the nearest element (point filtering). */
#ifndef WW_TEXTURE_H
#define WW_TEXTURE_H
#include "ww_runtime_types.h"

extern "C" __device__ __attribute__((const)) unsigned long long __ww_tex_dim(unsigned long long tex, int axis);

/* The element index along one axis for a float coordinate. */
WW_D long long __ww_tex_at(unsigned long long tex, int axis, float x) {
  long long n = (long long)__ww_tex_dim(tex, axis);
  if (__ww_tex_dim(tex, 3) & 1) x *= (float)n;
  long long i = (long long)__builtin_floorf(x);
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}
WW_D long long __ww_tex_layer(unsigned long long tex, int axis, int i) {
  long long n = (long long)__ww_tex_dim(tex, axis);
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}
template <class T> WW_D T __ww_tex_load(unsigned long long tex, long long i) { return ((const T *)tex)[i]; }

/* ---- texture objects ---- */
template <class T> WW_D T tex1Dfetch(cudaTextureObject_t t, int x) { return __ww_tex_load<T>(t, x); }
template <class T> WW_D T tex1D(cudaTextureObject_t t, float x) { return __ww_tex_load<T>(t, __ww_tex_at(t, 0, x)); }
template <class T> WW_D T tex2D(cudaTextureObject_t t, float x, float y) {
  return __ww_tex_load<T>(t, __ww_tex_at(t, 1, y) * (long long)__ww_tex_dim(t, 0) + __ww_tex_at(t, 0, x));
}
template <class T> WW_D T tex3D(cudaTextureObject_t t, float x, float y, float z) {
  long long w = (long long)__ww_tex_dim(t, 0), h = (long long)__ww_tex_dim(t, 1);
  return __ww_tex_load<T>(t, (__ww_tex_at(t, 2, z) * h + __ww_tex_at(t, 1, y)) * w + __ww_tex_at(t, 0, x));
}
template <class T> WW_D T tex1DLayered(cudaTextureObject_t t, float x, int layer) {
  return __ww_tex_load<T>(t, __ww_tex_layer(t, 1, layer) * (long long)__ww_tex_dim(t, 0) + __ww_tex_at(t, 0, x));
}
template <class T> WW_D T tex2DLayered(cudaTextureObject_t t, float x, float y, int layer) {
  long long w = (long long)__ww_tex_dim(t, 0), h = (long long)__ww_tex_dim(t, 1);
  return __ww_tex_load<T>(t, (__ww_tex_layer(t, 2, layer) * h + __ww_tex_at(t, 1, y)) * w + __ww_tex_at(t, 0, x));
}
/* Level 0 stands for every mipmap level. */
template <class T> WW_D T tex1DLod(cudaTextureObject_t t, float x, float) { return tex1D<T>(t, x); }
template <class T> WW_D T tex2DLod(cudaTextureObject_t t, float x, float y, float) { return tex2D<T>(t, x, y); }
template <class T> WW_D T tex3DLod(cudaTextureObject_t t, float x, float y, float z, float) { return tex3D<T>(t, x, y, z); }
template <class T> WW_D T tex2DLayeredLod(cudaTextureObject_t t, float x, float y, int l, float) { return tex2DLayered<T>(t, x, y, l); }
template <class T> WW_D T tex2DGrad(cudaTextureObject_t t, float x, float y, float2, float2) { return tex2D<T>(t, x, y); }

/* The forms that return through a pointer. */
#define WW_TEX_OUT(F, PARAMS, ARGS) \
  template <class T> WW_D void F(T *out, cudaTextureObject_t t, WW_TEX_LIST PARAMS) { *out = F<T>(t, WW_TEX_LIST ARGS); }
#define WW_TEX_LIST(...) __VA_ARGS__
WW_TEX_OUT(tex1Dfetch, (int x), (x))
WW_TEX_OUT(tex1D, (float x), (x))
WW_TEX_OUT(tex2D, (float x, float y), (x, y))
WW_TEX_OUT(tex3D, (float x, float y, float z), (x, y, z))
WW_TEX_OUT(tex1DLayered, (float x, int l), (x, l))
WW_TEX_OUT(tex2DLayered, (float x, float y, int l), (x, y, l))
WW_TEX_OUT(tex2DLod, (float x, float y, float l), (x, y, l))
#undef WW_TEX_OUT
#undef WW_TEX_LIST

/* ---- surface objects: x is in bytes ---- */
template <class T> WW_D T *__ww_surf_at(cudaSurfaceObject_t s, int x, int y, int z) {
  long long w = (long long)__ww_tex_dim(s, 0) * (long long)sizeof(T), h = (long long)__ww_tex_dim(s, 1);
  return (T *)(s + (unsigned long long)((z * h + y) * w + x));
}
#define WW_SURF(F, PARAMS, AT)                                                                                   \
  template <class T> WW_D T surf##F##read(cudaSurfaceObject_t s, WW_SURF_LIST PARAMS, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) { return *AT; } \
  template <class T> WW_D void surf##F##read(T *out, cudaSurfaceObject_t s, WW_SURF_LIST PARAMS, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) { *out = *AT; } \
  template <class T> WW_D void surf##F##write(T v, cudaSurfaceObject_t s, WW_SURF_LIST PARAMS, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) { *AT = v; }
#define WW_SURF_LIST(...) __VA_ARGS__
WW_SURF(1D, (int x), __ww_surf_at<T>(s, x, 0, 0))
WW_SURF(2D, (int x, int y), __ww_surf_at<T>(s, x, y, 0))
WW_SURF(3D, (int x, int y, int z), __ww_surf_at<T>(s, x, y, z))
WW_SURF(1DLayered, (int x, int l), __ww_surf_at<T>(s, x, l, 0))
WW_SURF(2DLayered, (int x, int y, int l), __ww_surf_at<T>(s, x, y, l))
#undef WW_SURF
#undef WW_SURF_LIST
#endif
