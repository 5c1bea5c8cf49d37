/* check_contents.c - the CUDA backend's own device code on a real GPU: contents against
 * ww_fill_bytes, and its speed.
 *
 * Every kind, type and range of contents is made on the device and compared byte by
 * byte; then come the rates of the commonest ones, of the comparison with pristine
 * copies and of the flush. Exit code 1 when anything differs. */
#include <stdlib.h>

#include "../../src/measure/cuda_int.h"

#define SEED 12345

static const char *const types[] = {"f32", "f64", "f16",    "bf16",   "i8",
                                    "u8",  "i16", "u16",    "i32",    "u32",
                                    "i64", "u64", "float4", "uchar3", "bool"};
static const double ranges[][2] = {{0, 0},          {0, 50},    {-3, 4},
                                   {1000, 1001},    {-1e20, 9}, {-7.5, -2.25},
                                   {0, 70000000000}};
#define COUNT(x) (sizeof(x) / sizeof *(x))

static ww_err error;

static bool same(ww_device *d, const ww_fill *f, const char *type, uint64_t bytes) {
  ww_cuda_region r = {.label = "test",
                      .bytes = bytes,
                      .filled = bytes,
                      .fill = *f,
                      .type = type,
                      .seed = SEED};
  uint8_t *want = ww_xcalloc(1, bytes), *got = ww_xcalloc(1, bytes);
  bool ok = !ww_cuda_pristine(d, &r, &error) &&
            !ww_contents_make(f, type, bytes, SEED, 0, want, &error) &&
            !d->api->cuMemcpyDtoH(got, r.pristine.at, bytes) &&
            !memcmp(want, got, bytes);
  if (!ok)
    printf("differs: %s of %s, %g to %g, %llu bytes %s\n",
           f->kind ? ww_fill_names[f->kind] : "none", type, f->lo, f->hi,
           (unsigned long long)bytes, error.msg);
  ww_cuda_give(d, &r.pristine);
  free(want);
  free(got);
  return ok;
}

static int check_all(ww_device *d) {
  static const uint64_t sizes[] = {1, 12, 100, 4096, 1000003};
  int n = 0, wrong = 0;
  for (uint8_t kind = WW_FILL_NONE; kind < WW_FILL_FILE; kind++)
    for (size_t t = 0; t < COUNT(types); t++)
      for (size_t r = 0; r < COUNT(ranges); r++)
        for (size_t s = 0; s < COUNT(sizes); s++, n++) {
          ww_fill f = {.kind = kind, .lo = ranges[r][0], .hi = ranges[r][1]};
          wrong += !same(d, &f, types[t], sizes[s]);
        }
  printf("contents: %d of %d as on the host\n", n - wrong, n);
  return wrong;
}

static void rate_of_fill(ww_device *d, uint8_t kind, const char *type) {
  uint64_t bytes = 64u << 20;
  ww_cuda_region r = {.bytes = bytes,
                      .filled = bytes,
                      .fill = {.kind = kind},
                      .type = type,
                      .seed = SEED};
  double start = 0;
  for (int i = 0; i < 6; i++) { /* the first gets the memory */
    if (i == 1) {
      d->api->cuCtxSynchronize();
      start = ww_now();
    }
    ww_cuda_pristine(d, &r, &error);
    ww_cuda_give(d, &r.pristine);
  }
  d->api->cuCtxSynchronize();
  printf("%-12s %-5s %7.1f GB/s\n", ww_fill_names[kind], type,
         5 * (double)bytes / (ww_now() - start) / 1e9);
}

static void rate_of_flush(ww_device *d) {
  ww_backend_cuda.flush(d, &error);
  d->api->cuCtxSynchronize();
  double start = ww_now();
  for (int i = 0; i < 20; i++)
    ww_backend_cuda.flush(d, &error);
  d->api->cuCtxSynchronize();
  double s = (ww_now() - start) / 20;
  printf("flush        %.0f us, %.0f GB/s\n", s * 1e6,
         (double)d->flush.bytes / s / 1e9);
}

int main(int argc, char **argv) {
  ww_arena *a = ww_arena_new();
  ww_device *d;
  ww_device_info info;
  if (ww_backend_cuda.open(argc > 1 ? argv[1] : NULL, a, &d, &info, &error)) {
    fprintf(stderr, "%s\n", error.msg);
    return 4;
  }
  printf("%s (%s), driver %s, %s\n", info.device, info.gpu, info.driver, info.versions);
  int wrong = check_all(d);
  static const char *const common[] = {"f32", "f64", "i32", "u8"};
  for (size_t t = 0; t < COUNT(common); t++)
    rate_of_fill(d, WW_FILL_RANDOM, common[t]);
  rate_of_fill(d, WW_FILL_ZEROS, "f32");
  rate_of_fill(d, WW_FILL_PERMUTATION, "i32");
  rate_of_fill(d, WW_FILL_MONOTONE, "i32");
  rate_of_fill(d, WW_FILL_ZIPF, "i32");
  rate_of_flush(d);
  ww_backend_cuda.close(d);
  ww_arena_free(a);
  return wrong ? 1 : 0;
}
