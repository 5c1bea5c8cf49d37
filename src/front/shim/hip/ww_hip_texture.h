/* Texture and surface reads and writes, as ordinary memory accesses.
 *
 * An object's value is the device address of element 0 of its array, row-major without padding. Shape and state come
 * from __ww_tex_dim(object, axis): axis 0, 1, 2 width, height, depth or layers in elements; axis 3 flags, bit 0 normalised
 * coordinates. Reads clamp to the edge and take the nearest element. (As in ../cuda/ww_texture.h.) */
#ifndef WW_HIP_TEXTURE_H
#define WW_HIP_TEXTURE_H

extern "C" __device__ __attribute__((const, nothrow)) unsigned long __ww_tex_dim(unsigned long object, int axis);

namespace ww {
WW_DEVICE long tex_size(const void *t, int axis) { return (long)__ww_tex_dim((unsigned long)t, axis); }
WW_DEVICE long tex_clamp(long i, long n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }
WW_DEVICE long tex_index(const void *t, int axis, float x) {
  long n = tex_size(t, axis);
  if (tex_size(t, 3) & 1) x *= (float)n;
  return tex_clamp((long)__builtin_floorf(x), n);
}
template <class T> WW_DEVICE T *surf_at(const void *s, int byte, int y = 0, int z = 0) {
  return (T *)((char *)s + (z * tex_size(s, 1) + y) * tex_size(s, 0) * (long)sizeof(T) + byte);
}
} // namespace ww

template <class T> WW_DEVICE T tex1Dfetch(hipTextureObject_t t, int x) { return ((const T *)t)[x]; }
template <class T> WW_DEVICE T tex1D(hipTextureObject_t t, float x) { return ((const T *)t)[ww::tex_index(t, 0, x)]; }
template <class T> WW_DEVICE T tex2D(hipTextureObject_t t, float x, float y) {
  return ((const T *)t)[ww::tex_index(t, 1, y) * ww::tex_size(t, 0) + ww::tex_index(t, 0, x)];
}
template <class T> WW_DEVICE T tex3D(hipTextureObject_t t, float x, float y, float z) {
  long row = ww::tex_index(t, 2, z) * ww::tex_size(t, 1) + ww::tex_index(t, 1, y);
  return ((const T *)t)[row * ww::tex_size(t, 0) + ww::tex_index(t, 0, x)];
}
template <class T> WW_DEVICE T tex1DLayered(hipTextureObject_t t, float x, int layer) {
  return ((const T *)t)[ww::tex_clamp(layer, ww::tex_size(t, 1)) * ww::tex_size(t, 0) + ww::tex_index(t, 0, x)];
}
template <class T> WW_DEVICE T tex2DLayered(hipTextureObject_t t, float x, float y, int layer) {
  long row = ww::tex_clamp(layer, ww::tex_size(t, 2)) * ww::tex_size(t, 1) + ww::tex_index(t, 1, y);
  return ((const T *)t)[row * ww::tex_size(t, 0) + ww::tex_index(t, 0, x)];
}
/* Level 0 stands for every mipmap level. */
template <class T> WW_DEVICE T tex1DLod(hipTextureObject_t t, float x, float) { return tex1D<T>(t, x); }
template <class T> WW_DEVICE T tex2DLod(hipTextureObject_t t, float x, float y, float) { return tex2D<T>(t, x, y); }
template <class T> WW_DEVICE T tex3DLod(hipTextureObject_t t, float x, float y, float z, float) { return tex3D<T>(t, x, y, z); }

/* The forms that return through a pointer. */
template <class T> WW_DEVICE void tex1Dfetch(T *out, hipTextureObject_t t, int x) { *out = tex1Dfetch<T>(t, x); }
template <class T> WW_DEVICE void tex1D(T *out, hipTextureObject_t t, float x) { *out = tex1D<T>(t, x); }
template <class T> WW_DEVICE void tex2D(T *out, hipTextureObject_t t, float x, float y) { *out = tex2D<T>(t, x, y); }
template <class T> WW_DEVICE void tex3D(T *out, hipTextureObject_t t, float x, float y, float z) { *out = tex3D<T>(t, x, y, z); }

/* Surfaces: x counts bytes. */
template <class T> WW_DEVICE void surf1Dread(T *out, hipSurfaceObject_t s, int x, int = 0) { *out = *ww::surf_at<T>(s, x); }
template <class T> WW_DEVICE void surf2Dread(T *out, hipSurfaceObject_t s, int x, int y) { *out = *ww::surf_at<T>(s, x, y); }
template <class T> WW_DEVICE void surf3Dread(T *out, hipSurfaceObject_t s, int x, int y, int z) { *out = *ww::surf_at<T>(s, x, y, z); }
template <class T> WW_DEVICE void surf1Dwrite(T v, hipSurfaceObject_t s, int x) { *ww::surf_at<T>(s, x) = v; }
template <class T> WW_DEVICE void surf2Dwrite(T v, hipSurfaceObject_t s, int x, int y) { *ww::surf_at<T>(s, x, y) = v; }
template <class T> WW_DEVICE void surf3Dwrite(T v, hipSurfaceObject_t s, int x, int y, int z) { *ww::surf_at<T>(s, x, y, z) = v; }

#endif
