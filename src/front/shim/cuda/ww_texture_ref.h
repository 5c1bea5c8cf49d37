/* Texture and surface references, the interface before objects: `texture<float, 2> tex;` at file scope.
 *
 * clang gives the marked class a device-side representation of one 64-bit handle in a global variable. By the contract
 * of ww_texture.h that handle is the address of element 0; it is read from the variable like any symbol. */
#ifndef WW_TEXTURE_REF_H
#define WW_TEXTURE_REF_H
#include "ww_texture.h"

enum { cudaTextureType1D = 1, cudaTextureType2D = 2, cudaTextureType3D = 3, cudaTextureTypeCubemap = 0x0c, cudaTextureType1DLayered = 0xf1, cudaTextureType2DLayered = 0xf2 };
enum { cudaSurfaceType1D = 1, cudaSurfaceType2D = 2, cudaSurfaceType3D = 3, cudaSurfaceType1DLayered = 0xf1, cudaSurfaceType2DLayered = 0xf2 };
struct textureReference {
  int normalized;
  cudaTextureFilterMode filterMode;
  cudaTextureAddressMode addressMode[3];
  cudaChannelFormatDesc channelDesc;
  int sRGB;
  unsigned int maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
};
struct surfaceReference { cudaChannelFormatDesc channelDesc; };
template <class T, int Dim = 1, int Mode = cudaReadModeElementType> struct __attribute__((device_builtin_texture_type)) texture : public textureReference {};
template <class T, int Dim = 1> struct __attribute__((device_builtin_surface_type)) surface;
template <int Dim> struct __attribute__((device_builtin_surface_type)) surface<void, Dim> : public surfaceReference {};

template <class R> WW_D unsigned long long __ww_ref_handle(const R &r) { return *(const unsigned long long *)&r; }
/* What a fetch returns: the element, or for cudaReadModeNormalizedFloat the element scaled to [0, 1]. */
template <class T, int Mode> struct __ww_fetched { typedef T type; WW_MD static T of(T v) { return v; } };
#define WW_NORM(T, R, SCALE) template <> struct __ww_fetched<T, cudaReadModeNormalizedFloat> { typedef R type; WW_MD static R of(T v) { return SCALE; } };
WW_NORM(unsigned char, float, v * (1.0f / 255.0f))
WW_NORM(unsigned short, float, v * (1.0f / 65535.0f))
WW_NORM(uchar4, float4, (float4{v.x / 255.0f, v.y / 255.0f, v.z / 255.0f, v.w / 255.0f}))
#undef WW_NORM
#define WW_REF(F, DIM, PARAMS, ARGS)                                                                            \
  template <class T, int M> WW_D typename __ww_fetched<T, M>::type F(const texture<T, DIM, M> &t, WW_LIST PARAMS) { \
    return __ww_fetched<T, M>::of(F<T>((cudaTextureObject_t)__ww_ref_handle(t), WW_LIST ARGS));                \
  }
#define WW_LIST(...) __VA_ARGS__
WW_REF(tex1Dfetch, 1, (int x), (x))
WW_REF(tex1D, 1, (float x), (x))
WW_REF(tex2D, 2, (float x, float y), (x, y))
WW_REF(tex3D, 3, (float x, float y, float z), (x, y, z))
WW_REF(tex2DLayered, 0xf2, (float x, float y, int l), (x, y, l))
WW_REF(tex1DLayered, 0xf1, (float x, int l), (x, l))
#undef WW_REF
#undef WW_LIST
template <class T, int D> WW_D void surf2Dread(T *out, const surface<void, D> &s, int x, int y, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) { *out = surf2Dread<T>((cudaSurfaceObject_t)__ww_ref_handle(s), x, y); }
template <class T, int D> WW_D void surf2Dwrite(T v, const surface<void, D> &s, int x, int y, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) { surf2Dwrite(v, (cudaSurfaceObject_t)__ww_ref_handle(s), x, y); }

/* ---- binding, host side ---- */
template <class... A> inline cudaError_t cudaBindTexture(A &&...) { return cudaSuccess; }
template <class... A> inline cudaError_t cudaBindTexture2D(A &&...) { return cudaSuccess; }
template <class... A> inline cudaError_t cudaBindTextureToArray(A &&...) { return cudaSuccess; }
template <class... A> inline cudaError_t cudaBindSurfaceToArray(A &&...) { return cudaSuccess; }
template <class... A> inline cudaError_t cudaUnbindTexture(A &&...) { return cudaSuccess; }
template <class... A> inline cudaError_t cudaGetTextureAlignmentOffset(A &&...) { return cudaSuccess; }
template <class... A> inline cudaError_t cudaGetTextureReference(A &&...) { return cudaSuccess; }
#endif
