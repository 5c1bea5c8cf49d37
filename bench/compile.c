/* compile.c - kernels compiled a second by NVRTC in child processes: the budget is 300 on 16 cores.
 *
 *   bench_compile [KERNELS] [PROCESSES]    bench/compile.sh builds and runs it
 *
 * Every kernel is another source text, of the size and kind that a generator of training data writes. */
#include <stdlib.h>
#include <unistd.h>

#include "../src/measure/compile.h"

/* One of six shapes, with constants that make each text differ. */
static const char *kernel_text(uint32_t i, ww_arena *a) {
  uint32_t c = i / 6 % 13 + 2;
  const char *bodies[] = {
      ww_fmt(a, "  for (int j = i; j < n; j += gridDim.x * blockDim.x) y[j] = %u.5f * x[j] + y[j];\n", i),
      ww_fmt(
          a,
          "  float s = 0;\n  for (int k = 0; k < %u; k++) s = fmaf(x[(i + k) %% n], %u.25f, s);\n  if (i < n) y[i] = s;\n",
          c, i),
      ww_fmt(a, "  if (i >= %u && i + %u < n) y[i] = x[i - %u] + x[i + %u] - %u.0f * x[i];\n", c, c, c, c, i),
      ww_fmt(a,
             "  __shared__ float t[256];\n  t[threadIdx.x] = i < n ? x[i] : 0.f;\n  __syncthreads();\n"
             "  for (int s = 128; s; s >>= 1) {\n    if (threadIdx.x < s) t[threadIdx.x] += t[threadIdx.x + s];\n"
             "    __syncthreads();\n  }\n  if (!threadIdx.x) atomicAdd(y, t[0] * %u.0f);\n",
             i),
      ww_fmt(
          a,
          "  if (i < n) {\n    float v = x[i];\n    y[i] = v > 0 ? sqrtf(v + %u.0f) : expf(v) / (1.f + %u.0f);\n  }\n",
          i, c),
      ww_fmt(a, "  int j = (int)x[i %% n] & %u;\n  if (i < n) y[i] = x[j %% n] * %u.0f;\n", c * 64 - 1, i),
  };
  return ww_fmt(a,
                "extern \"C\" __global__ void k%u(const float *x, float *y, int n) {\n"
                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n%s}\n",
                i, bodies[i % 6]);
}

static int run(uint32_t n, uint32_t processes, const char *cache) {
  ww_arena *a = ww_arena_new();
  ww_err e = {0};
  ww_compile_job *jobs = WW_NEWN(a, ww_compile_job, n + 1);
  for (uint32_t i = 0; i < n; i++) jobs[i] = (ww_compile_job){.text = kernel_text(i, a), .kernel = ww_fmt(a, "k%u", i)};
  char self[4096] = {0};
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 1;
  ww_compile_options o = {
      .architecture = "sm_90", .with = "nvrtc", .processes = processes, .self = self, .cache = cache};
  double t = ww_now();
  uint32_t ok = 0;
  if (ww_compile(jobs, n, &o, a, &e)) {
    printf("%s\n", e.msg);
    return 1;
  }
  t = ww_now() - t;
  for (uint32_t i = 0; i < n; i++) {
    ok += !jobs[i].error.code;
    if (jobs[i].error.code && ok + 3 > i) printf("k%u: line %u: %s\n", i, jobs[i].error.line, jobs[i].error.msg);
  }
  printf("%u of %u kernels by %s in %.2f s: %.0f a second\n", ok, n, jobs[0].compiler, t, n / t);
  ww_arena_free(a);
  return ok != n;
}

int main(int argc, char **argv) {
  ww_err e = {0};
  if (argc > 1 && !strcmp(argv[1], "measure")) return ww_exit_code(ww_compile_worker(stdin, stdout, &e));
  char cache[] = "/tmp/ww_bench_compile.XXXXXX";
  if (!mkdtemp(cache)) return 1;
  int rc = run(argc > 1 ? (uint32_t)atoi(argv[1]) : 1200, argc > 2 ? (uint32_t)atoi(argv[2]) : 0, cache);
  char line[80];
  snprintf(line, sizeof line, "rm -rf %s", cache);
  return system(line) || rc;
}
