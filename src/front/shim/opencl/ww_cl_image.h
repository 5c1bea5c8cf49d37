/* Images as plain buffers.
 *
 * An image argument is the device address of its first element; elements are row-major without padding. The interpreter
 * gives the rest by __ww_tex_dim(image, axis): 0, 1, 2 width, height, depth (or array size, after the last used axis);
 * 4 the element format: 0 for four 32-bit channels, else channels (1..4) + 16 * channel type, where the type is
 * 0 32-bit, 1 unorm8, 2 snorm8, 3 unorm16, 4 snorm16, 5 half, 6 int8, 7 int16.
 *
 * (Arrays of 2D images are sampled at the nearest texel.) A sampler is the integer that the CLK_ constants make. The access qualifiers only make sense on real image types: dropped. */
#ifndef WW_CL_IMAGE_H
#define WW_CL_IMAGE_H

ulong WW_EXTERN __ww_tex_dim(ulong image, int axis);

typedef struct ww_image1d __global *ww_image1d_t;
typedef struct ww_image1d_buffer __global *ww_image1d_buffer_t;
typedef struct ww_image1d_array __global *ww_image1d_array_t;
typedef struct ww_image2d __global *ww_image2d_t;
typedef struct ww_image2d_array __global *ww_image2d_array_t;
typedef struct ww_image3d __global *ww_image3d_t;
#define image1d_t ww_image1d_t
#define image1d_buffer_t ww_image1d_buffer_t
#define image1d_array_t ww_image1d_array_t
#define image2d_t ww_image2d_t
#define image2d_array_t ww_image2d_array_t
#define image3d_t ww_image3d_t
#define sampler_t uint
#define read_only
#define write_only
#define read_write
#define __read_only
#define __write_only
#define __read_write

static int WW_CL ww_size(ulong m, int axis) { return (int)__ww_tex_dim(m, axis); }

/* One channel of a format other than four 32-bit ones: what read_imagef, read_imagei, read_imageui see. */
static float WW_CLM ww_channelf(const __global void *p, uint type, ulong i) {
  switch (type) {
  case 0: return ((const __global float *)p)[i];
  case 1: return ((const __global uchar *)p)[i] / 255.0f;
  case 2: return max(((const __global char *)p)[i] / 127.0f, -1.0f);
  case 3: return ((const __global ushort *)p)[i] / 65535.0f;
  case 4: return max(((const __global short *)p)[i] / 32767.0f, -1.0f);
  default: return ((const __global half *)p)[i];
  }
}
static int WW_CLM ww_channeli(const __global void *p, uint type, ulong i) {
  return type == 6 ? ((const __global char *)p)[i] : type == 7 ? ((const __global short *)p)[i] : ((const __global int *)p)[i];
}
static uint WW_CLM ww_channelui(const __global void *p, uint type, ulong i) {
  return type == 6 ? ((const __global uchar *)p)[i] : type == 7 ? ((const __global ushort *)p)[i] : ((const __global uint *)p)[i];
}
static void WW_CLM ww_put_channelf(__global void *p, uint type, ulong i, float v) {
  switch (type) {
  case 0: ((__global float *)p)[i] = v; break;
  case 1: ((__global uchar *)p)[i] = convert_uchar_sat_rte(v * 255.0f); break;
  case 2: ((__global char *)p)[i] = convert_char_sat_rte(v * 127.0f); break;
  case 3: ((__global ushort *)p)[i] = convert_ushort_sat_rte(v * 65535.0f); break;
  case 4: ((__global short *)p)[i] = convert_short_sat_rte(v * 32767.0f); break;
  default: ((__global half *)p)[i] = v;
  }
}
static void WW_CLM ww_put_channeli(__global void *p, uint type, ulong i, int v) {
  if (type == 6) ((__global char *)p)[i] = convert_char_sat(v);
  else if (type == 7) ((__global short *)p)[i] = convert_short_sat(v);
  else ((__global int *)p)[i] = v;
}
static void WW_CLM ww_put_channelui(__global void *p, uint type, ulong i, uint v) {
  if (type == 6) ((__global uchar *)p)[i] = convert_uchar_sat(v);
  else if (type == 7) ((__global ushort *)p)[i] = convert_ushort_sat(v);
  else ((__global uint *)p)[i] = v;
}

/* Element i as four components, and the write. Missing channels read as 0, alpha as 1. The common format is one load. */
#define WW_TEXEL(T, kind)                                                                                          \
  static T##4 WW_CLM ww_texel##kind(const __global void *p, ulong i) {                                                    \
    uint format = __ww_tex_dim((ulong)p, 4), n = format & 15, type = format >> 4;                                  \
    if (format == 0) return ((const __global T##4 *)p)[i];                                                         \
    T##4 v = (T##4)(0, 0, 0, 1);                                                                                   \
    for (uint c = 0; c < n; c++) v[c] = ww_channel##kind(p, type, i * n + c);                                      \
    return v;                                                                                                      \
  }                                                                                                                \
  static void WW_CLM ww_put_texel##kind(__global void *p, ulong i, T##4 v) {                                              \
    uint format = __ww_tex_dim((ulong)p, 4), n = format & 15, type = format >> 4;                                  \
    if (format == 0) { ((__global T##4 *)p)[i] = v; return; }                                                      \
    for (uint c = 0; c < n; c++) ww_put_channel##kind(p, type, i * n + c, v[c]);                                   \
  }
WW_TEXEL(float, f) WW_TEXEL(int, i) WW_TEXEL(uint, ui)
#undef WW_TEXEL

/* Addressing: the integer coordinate after the sampler's mode, or -1 for the border colour (zero). */
static int WW_CL ww_wrap(int i, int n, uint sampler) {
  switch (sampler & 14) {
  case CLK_ADDRESS_CLAMP: return i < 0 || i >= n ? -1 : i;
  case CLK_ADDRESS_REPEAT: i %= n; return i < 0 ? i + n : i;
  case CLK_ADDRESS_MIRRORED_REPEAT: i = abs(i < 0 ? i + 1 : i) % (2 * n); return i < n ? i : 2 * n - 1 - i;
  default: return clamp(i, 0, n - 1);
  }
}
static float WW_CL ww_unnormalise(float x, int n, uint sampler) { return sampler & CLK_NORMALIZED_COORDS_TRUE ? x * n : x; }

/* One texel at integer coordinates (x, y, z) of a w * h * d image. */
#define WW_AT(T, kind)                                                                                             \
  static T##4 WW_CLM ww_at##kind(const __global void *p, uint s, int x, int y, int z, int w, int h, int d) {              \
    x = ww_wrap(x, w, s); y = ww_wrap(y, h, s); z = ww_wrap(z, d, s);                                              \
    if ((x | y | z) < 0) return (T##4)(0);                                                                         \
    return ww_texel##kind(p, ((ulong)z * h + y) * w + x);                                                          \
  }
WW_AT(float, f) WW_AT(int, i) WW_AT(uint, ui)
#undef WW_AT

/* Linear filter: the eight (or four, or two) texels around the point, weighted. Only for read_imagef. */
static float4 WW_CLM ww_linear(const __global void *p, uint s, float x, float y, float z, int w, int h, int d) {
  x -= 0.5f;
  y = h > 1 ? y - 0.5f : 0;
  z = d > 1 ? z - 0.5f : 0;
  int x0 = (int)floor(x), y0 = (int)floor(y), z0 = (int)floor(z);
  float a = x - x0, b = y - y0, c = z - z0;
  float4 r = (float4)(0);
  for (int k = 0; k < (d > 1 ? 2 : 1); k++)
    for (int j = 0; j < (h > 1 ? 2 : 1); j++)
      for (int i = 0; i < 2; i++) {
        float weight = (i ? a : 1 - a) * (j ? b : 1 - b) * (k ? c : 1 - c);
        r += weight * ww_atf(p, s, x0 + i, y0 + j, z0 + k, w, h, d);
      }
  return r;
}
#define WW_SAMPLE(T, kind, linear)                                                                                 \
  static T##4 WW_CLM ww_sample##kind(const __global void *p, uint s, float x, float y, float z, int w, int h, int d) {    \
    x = ww_unnormalise(x, w, s); y = ww_unnormalise(y, h, s); z = ww_unnormalise(z, d, s);                         \
    if (s & CLK_FILTER_LINEAR) return linear;                                                                      \
    return ww_at##kind(p, s, (int)floor(x), (int)floor(y), (int)floor(z), w, h, d);                                \
  }
WW_SAMPLE(float, f, ww_linear(p, s, x, y, z, w, h, d))
WW_SAMPLE(int, i, (ww_ati(p, s, (int)floor(x), (int)floor(y), (int)floor(z), w, h, d)))
WW_SAMPLE(uint, ui, (ww_atui(p, s, (int)floor(x), (int)floor(y), (int)floor(z), w, h, d)))
#undef WW_SAMPLE

#define W ww_size((ulong)m, 0)
#define H ww_size((ulong)m, 1)
#define D ww_size((ulong)m, 2)
#define WW_READ(T, kind)                                                                                           \
  static T##4 WW_CLM read_image##kind(image1d_t m, uint s, int c) { return ww_at##kind(m, s, c, 0, 0, W, 1, 1); }         \
  static T##4 WW_CLM read_image##kind(image1d_t m, uint s, float c) { return ww_sample##kind(m, s, c, 0, 0, W, 1, 1); }   \
  static T##4 WW_CLM read_image##kind(image1d_t m, int c) { return ww_texel##kind(m, c); }                                \
  static T##4 WW_CLM read_image##kind(image1d_buffer_t m, int c) { return ww_texel##kind(m, c); }                         \
  static T##4 WW_CLM read_image##kind(image1d_array_t m, uint s, int2 c) { return ww_texel##kind(m, (ulong)clamp(c.y, 0, H - 1) * W + ww_wrap(c.x, W, s)); } \
  static T##4 WW_CLM read_image##kind(image1d_array_t m, int2 c) { return ww_texel##kind(m, (ulong)c.y * W + c.x); }      \
  static T##4 WW_CLM read_image##kind(image2d_t m, uint s, int2 c) { return ww_at##kind(m, s, c.x, c.y, 0, W, H, 1); }    \
  static T##4 WW_CLM read_image##kind(image2d_t m, uint s, float2 c) { return ww_sample##kind(m, s, c.x, c.y, 0, W, H, 1); } \
  static T##4 WW_CLM read_image##kind(image2d_t m, int2 c) { return ww_texel##kind(m, (ulong)c.y * W + c.x); }            \
  static T##4 WW_CLM read_image##kind(image2d_array_t m, uint s, int4 c) { return ww_at##kind(m, s, c.x, c.y, clamp(c.z, 0, D - 1), W, H, D); } \
  static T##4 WW_CLM read_image##kind(image2d_array_t m, uint s, float4 c) {                                              \
    int2 at = (int2)((int)floor(ww_unnormalise(c.x, W, s)), (int)floor(ww_unnormalise(c.y, H, s)));                \
    return ww_at##kind(m, s, at.x, at.y, clamp((int)rint(c.z), 0, D - 1), W, H, D);                                \
  }                                                                                                                \
  static T##4 WW_CLM read_image##kind(image2d_array_t m, int4 c) { return ww_texel##kind(m, ((ulong)c.z * H + c.y) * W + c.x); } \
  static T##4 WW_CLM read_image##kind(image3d_t m, uint s, int4 c) { return ww_at##kind(m, s, c.x, c.y, c.z, W, H, D); }  \
  static T##4 WW_CLM read_image##kind(image3d_t m, uint s, float4 c) { return ww_sample##kind(m, s, c.x, c.y, c.z, W, H, D); } \
  static T##4 WW_CLM read_image##kind(image3d_t m, int4 c) { return ww_texel##kind(m, ((ulong)c.z * H + c.y) * W + c.x); } \
  static void WW_CLM write_image##kind(image1d_t m, int c, T##4 v) { ww_put_texel##kind(m, c, v); }                       \
  static void WW_CLM write_image##kind(image1d_buffer_t m, int c, T##4 v) { ww_put_texel##kind(m, c, v); }                \
  static void WW_CLM write_image##kind(image1d_array_t m, int2 c, T##4 v) { ww_put_texel##kind(m, (ulong)c.y * W + c.x, v); } \
  static void WW_CLM write_image##kind(image2d_t m, int2 c, T##4 v) { ww_put_texel##kind(m, (ulong)c.y * W + c.x, v); }   \
  static void WW_CLM write_image##kind(image2d_array_t m, int4 c, T##4 v) { ww_put_texel##kind(m, ((ulong)c.z * H + c.y) * W + c.x, v); } \
  static void WW_CLM write_image##kind(image3d_t m, int4 c, T##4 v) { ww_put_texel##kind(m, ((ulong)c.z * H + c.y) * W + c.x, v); }
WW_READ(float, f) WW_READ(int, i) WW_READ(uint, ui)
#undef WW_READ

#define WW_QUERY(I)                                                                                                \
  static int WW_CL get_image_width(I m) { return W; }                                                                     \
  static int WW_CL get_image_height(I m) { return H; }                                                                    \
  static int WW_CL get_image_depth(I m) { return D; }
WW_QUERY(image1d_t) WW_QUERY(image1d_buffer_t) WW_QUERY(image1d_array_t) WW_QUERY(image2d_t) WW_QUERY(image2d_array_t) WW_QUERY(image3d_t)
#undef WW_QUERY
static int2 WW_CL get_image_dim(image2d_t m) { return (int2)(W, H); }
static int2 WW_CL get_image_dim(image2d_array_t m) { return (int2)(W, H); }
static int4 WW_CL get_image_dim(image3d_t m) { return (int4)(W, H, D, 0); }
static size_t WW_CL get_image_array_size(image1d_array_t m) { return H; }
static size_t WW_CL get_image_array_size(image2d_array_t m) { return D; }
#undef W
#undef H
#undef D

#endif
