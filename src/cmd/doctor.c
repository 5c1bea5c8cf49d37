/* doctor.c - `warpwise doctor`: what is installed here, which device is there, what is
 * missing and the command that brings it. */
#include <stdlib.h>

#include "../base/child.h"
#include "../base/confine.h"
#include "../base/process_pool.h"
#include "../front/front.h"
#include "../gpu/gpu.h"
#include "../measure/backend.h"
#include "../measure/emulate/emulate.h"
#include "../cuda/cuda_toolkit.h"
#include "cmd.h"

typedef enum {
  FINE,
  OPTIONAL,
  MISSING
} verdict; /* OPTIONAL: something is left out, the rest works */

typedef struct {
  const char *what, *found, *fix; /* fix: what to do, NULL when all is well */
  const char *without;            /* what does not work without it */
  verdict verdict;
} finding;

typedef struct {
  ww_cmd *c;
  ww_arena *a; /* the command's */
  WW_VEC(finding) v;
} checkup;

static void add(checkup *x,
                bool there,
                const char *what,
                const char *found,
                const char *fix,
                const char *without,
                verdict otherwise) {
  finding f = {what, found, fix, without, otherwise};
  if (there)
    f = (finding){what, found, NULL, NULL, FINE};
  ww_push(x->a, &x->v, f);
}

/* The first line that a program prints, NULL where it cannot be run. */
static const char *first_line(checkup *x, const char *const *argv) {
  ww_run_result r = {0};
  ww_err e = {0};
  const char *line = NULL;
  if (!ww_run(argv, NULL, 0, 10, &r, &e) && !r.exit_code && r.out.n)
    line = ww_strndup(x->a, r.out.s, strcspn(r.out.s, "\n"));
  ww_run_free(&r);
  return line;
}

/* ---- what is looked at ---- */

/* A folder for a while, NULL where none can be made; to be removed by remove_scratch.
 */
static char *make_scratch(checkup *x, int *slot) {
  const char *tmp = getenv("TMPDIR");
  char *dir = ww_fmt(x->a, "%s/warpwise-doctor-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  return ww_temp_folder(dir, slot) ? dir : NULL;
}

static void remove_scratch(const char *dir, int slot) {
  ww_remove_tree(dir);
  ww_cleanup_forget(slot);
}

/* A kernel of one line goes all the way: clang found, our headers found, IR made. */
static void front_end(checkup *x) {
  static const char *const kinds[][2] = {
      {"CUDA sources", "x.cu\0__global__ void k(float *x) { x[threadIdx.x] = 1; }\n"},
      {"OpenCL sources",
       "x.cl\0kernel void k(global float *x) { x[get_global_id(0)] = 1; }\n"}};
  for (size_t i = 0; i < 2; i++) {
    const char *name = kinds[i][1];
    const char *text = name + strlen(name) + 1;
    ww_err e = {0};
    ww_unit unit = {0};
    int version = 0;
    int slot;
    const char *dir = make_scratch(x, &slot);
    if (!dir)
      continue;
    const char *path = ww_path_join(x->a, dir, name);
    ww_status st = ww_write_file_atomic(path, text, strlen(text), &e);
    if (!st)
      st =
          ww_front_load(&(ww_front_options){.files = &path, .nfiles = 1, .dialect = -1},
                        x->a, &unit, &e);
    add(x, !st, kinds[i][0],
        st ? ww_strdup(x->a, e.msg)
           : ww_fmt(x->a, "read by %s", ww_front_clang(x->a, &version, &e)),
        "apt-get install clang-19 (a program that was built without LLVM: llvm-19-dev "
        "too, and build it again)",
        "no kernel can be read from source", MISSING);
    remove_scratch(dir, slot);
  }
}

static void own_files(checkup *x) {
  const char **names;
  const char *dir = ww_data_dir(x->a);
  uint32_t n = ww_gpu_names(x->a, &names);
  add(x, n, "GPU descriptions", n ? ww_fmt(x->a, "%u, in %s/gpus", n, dir) : "none",
      "set WARPWISE_DATA to the folder that has gpus/, or `make install`",
      "nothing can be predicted", MISSING);
  static const char *const models[] = {"models/machine.json",
                                       "models/correction.json.zst"};
  for (size_t i = 0; i < 2; i++) {
    bool there = ww_file_exists(ww_path_join(x->a, dir, models[i]));
    add(x, there, i ? "learned correction" : "machine model",
        there ? models[i] : "not there",
        i ? "warpwise train --correction"
          : "warpwise train --machine data/corpus-h200.jsonl.zst",
        i ? "predictions are the machine model's alone"
          : "predictions use built-in parameters",
        OPTIONAL);
  }
}

/* Whether the library can be loaded, in a process of its own: its first steps may be
 * its last. */
static void load(void *library, ww_buf *out) {
  if (ww_cuda_library(library))
    ww_buf_puts(out, "yes");
}
static bool loads(const char *library) {
  ww_buf out;
  ww_child child = {
      .work = load,
      .ctx = (void *)library,
  };
  bool there = !ww_child_run(&child, &out, NULL) && out.n;
  ww_buf_free(&out);
  return there;
}

/* Was it built with what this command needs? */
static bool has_command(const char *name) {
  for (ww_command_list c = ww_commands; *c; c++)
    if (!strcmp((*c)->name, name))
      return true;
  return false;
}

static void built_with(checkup *x) {
  bool curl = has_command("agent");
  add(x, curl, "libcurl", curl ? "built in" : "not built in",
      "apt-get install libcurl4-openssl-dev, and build again",
      "there is no `warpwise agent`", OPTIONAL);
}

static void toolkit(checkup *x) {
  const char *nvcc = ww_cuda_root(x->a, "bin/nvcc");
  add(x, nvcc, "nvcc", nvcc ? ww_path_join(x->a, nvcc, "bin/nvcc") : "not found",
      "apt-get install nvidia-cuda-toolkit (Debian's non-free), or NVIDIA's own and "
      "set "
      "CUDA_HOME",
      "`--ptxas` and measuring need it or NVRTC", OPTIONAL);
  static const char *const libraries[][3] = {
      {"nvrtc", "CUDA sources can be measured only with nvcc",
       "apt-get install nvidia-cuda-toolkit, or set CUDA_HOME"},
      {"cupti", "no hardware counters, and no time of CUDA kernels",
       "apt-get install libcupti-dev, or set CUDA_HOME"}};
  for (size_t i = 0; i < 2; i++) {
    bool there = loads(libraries[i][0]);
    add(x, there, ww_fmt(x->a, "lib%s", libraries[i][0]), there ? "found" : "not found",
        libraries[i][2], libraries[i][1], OPTIONAL);
  }
  const char *ncu = first_line(x, (const char *const[]){"ncu", "--version", NULL});
  add(x, ncu, "Nsight Compute", ncu ? ncu : "not found",
      "apt-get install nsight-compute (Debian's non-free)",
      "`measure --compare-ncu` has nothing to compare with", OPTIONAL);
}

/* What is measured here can be predicted too where the device has a description. */
static void described(checkup *x, const ww_device_info *info) {
  const char *name = ww_gpu_for_device(info->device, info->sms, x->a);
  add(x, name, "its description", name ? name : "none fits",
      "warpwise gpus probe -o mine.json, then --gpu mine.json",
      "nothing can be predicted for this device", OPTIONAL);
}

static const struct {
  const ww_backend *b;
  const char *what, *fix;
} kinds[] = {
    {&ww_backend_cuda, "CUDA device",
     "an NVIDIA GPU, and apt-get install nvidia-driver; predictions need neither"},
    {&ww_backend_opencl, "OpenCL device",
     "apt-get install pocl-opencl-icd runs OpenCL on the processor"}};

/* In a process of its own: a driver that ends the program is what is looked for here.
 * Three lines: how many SMs, or none; the device's name; what is shown of it, or what
 * is wrong. */
static void open_device(void *ctx, uint32_t i, ww_worker *w) {
  checkup *x = ctx;
  ww_device *d = NULL;
  ww_device_info info = {0};
  ww_err e = {0};
  ww_buf said = {0};
  ww_worker_begin(w, i);
  if (kinds[i].b->open(x->c->device, x->a, &d, &info, &e))
    ww_buf_fmt(&said, "none\n\n%s", e.msg);
  else
    ww_buf_fmt(&said, "%u\n%s\n%s, %s", info.sms, info.device, info.device,
               info.driver ? info.driver : "");
  ww_worker_send(w, said.s, said.n);
  if (d)
    kinds[i].b->close(d);
  ww_worker_end(w);
}

static void
add_device(void *ctx, uint32_t i, char *text, size_t n, const ww_worker_death *death) {
  checkup *x = ctx;
  const char *sms = strsep(&text, "\n");
  const char *device = strsep(&text, "\n");
  (void)n;
  bool there = !death && text && strcmp(sms, "none");
  const char *found = death ? ww_fmt(x->a, "its driver %s", death->why)
                            : ww_strdup(x->a, text ? text : "");
  add(x, there, kinds[i].what, found, kinds[i].fix,
      "`measure` cannot run such kernels here", OPTIONAL);
  if (!there || i != 0)
    return;
  ww_device_info info = {.device = ww_strdup(x->a, device),
                         .sms = strtoul(sms, NULL, 10)};
  described(x, &info);
}

static void devices(checkup *x) {
  ww_process_pool pool = {.ctx = x,
                          .work = open_device,
                          .done = add_device,
                          .processes = 1,
                          .limit_s = 60,
                          .items = 2,
                          .what = "devices"};
  ww_err e = {0};
  if (ww_process_pool_run(&pool, 2, &e))
    add(x, false, "devices", ww_strdup(x->a, e.msg), "free memory or processes",
        "nothing can be measured", OPTIONAL);
}

static void recorder(checkup *x) {
  const char *path = ww_recorder_library(x->a);
  add(x, path, "recorder", path ? path : "not found",
      "make install, or apt-get install --reinstall warpwise",
      "`record -- PROGRAM` has nothing to load into the program", OPTIONAL);
}

/* A program of two lines goes all the way: compiled, linked with the runtime's
 * stand-in, run, its launch recorded. */
static void emulation(checkup *x) {
  static const char text[] = "__global__ void k(int n) { (void)n; }\nint main() { "
                             "k<<<1, 32>>>(1); return 0; }\n";
  int slot;
  const char *dir = make_scratch(x, &slot);
  if (!dir)
    return;
  const char *path = ww_path_join(x->a, dir, "x.cu");
  const char *launches = ww_path_join(x->a, dir, "x.jsonl");
  ww_emulate_options o = {.front = {.files = &path, .nfiles = 1, .dialect = -1},
                          .record.path = launches,
                          .dir = dir};
  ww_emulated done = {0};
  ww_err e = {0};
  ww_status st = ww_write_file_atomic(path, text, strlen(text), &e);
  if (!st)
    st = ww_emulate(&o, x->a, &done, &e);
  bool fine = !st && !done.exit_code && done.launches == 1;
  const char *found =
      fine ? "a program was built, run and recorded"
      : st ? ww_strdup(x->a, e.msg)
           : ww_fmt(x->a, "a program ended with status %d, %u launches recorded",
                    done.exit_code, (unsigned)done.launches);
  add(x, fine, "emulation", found,
      "apt-get install clang-19 libcjson1 libzstd1, and make install or apt-get "
      "install "
      "--reinstall warpwise",
      "`record --emulate` cannot record a program without its GPU", OPTIONAL);
  remove_scratch(dir, slot);
}

static void cache(checkup *x) {
  const char *dir = ww_cache_dir(x->a);
  add(x, dir, "cache folder", dir ? dir : "cannot be made",
      "set XDG_CACHE_HOME to a folder you can write to",
      "headers and kernels are compiled again each time", OPTIONAL);
}

static void confinement(checkup *x) {
  const char *missing = ww_confine_missing();
  add(x, !missing,

      "confinement",
      missing ? ww_fmt(x->a, "none of %s", missing) : "files (Landlock), system calls",
      "a kernel with CONFIG_SECURITY_LANDLOCK (Linux 5.13 or newer) and "
      "CONFIG_SECCOMP_FILTER",
      "clang reads sources with all your rights: read none that you do not trust",
      OPTIONAL);
}

/* ---- what is said ---- */

static void print(const checkup *x) {
  static const char *const marks[] = {"ok", "--", "!!"};
  static const char *const colours[] = {"\033[32m", "\033[33m", "\033[31m"};
  bool colour = ww_color_on(stdout);
  for (uint32_t i = 0; i < x->v.n; i++) {
    const finding *f = &x->v.v[i];
    printf("%s%s%s  %-20s %s\n", colour ? colours[f->verdict] : "", marks[f->verdict],
           colour ? "\033[0m" : "", f->what, f->found);
    if (f->without)
      printf("    without it: %s\n    to fix:     %s\n", f->without, f->fix);
  }
}

static void print_json(const checkup *x) {
  static const char *const verdicts[] = {"ok", "optional", "missing"};
  ww_json *j = ww_line_begin();
  ww_json_put(j, "version:%s,checks:[", WW_VERSION);
  for (uint32_t i = 0; i < x->v.n; i++) {
    const finding *f = &x->v.v[i];
    ww_json_put(j, "{what:%s,verdict:%s,found:%s,fix?:%s,without?:%s}", f->what,
                verdicts[f->verdict], f->found, f->fix, f->without);
  }
  ww_json_end_arr(j);
  ww_line_end(j);
}

static ww_status run(ww_cmd *c) {
  static void (*const checks[])(checkup * x) = {front_end, own_files, built_with,
                                                toolkit,   devices,   recorder,
                                                emulation, cache,     confinement};
  checkup x = {
      .c = c,
      .a = c->arena,
  };
  if (c->noperands)
    return ww_usage(
        c, "doctor takes no file; `warpwise kernels FILE` says what is in one");
  for (size_t i = 0; i < WW_COUNT(checks); i++)
    checks[i](&x);
  c->json ? print_json(&x) : print(&x);
  for (uint32_t i = 0; i < x.v.n; i++)
    c->missed |= x.v.v[i].verdict == MISSING;
  return WW_OK;
}

const ww_command ww_cmd_doctor = {
    "doctor",
    "what is installed here, what is missing, and what brings it",
    "[options]",
    .details = "Looks for clang by reading a kernel, for descriptions and models, for "
               "devices and "
               "what measuring needs, and says of each\n"
               "thing that is missing what does not work without it and what brings "
               "it. Exit code "
               "1 when no kernel can be\n"
               "predicted.",
    .examples = "  warpwise doctor\n  warpwise doctor --json\n",
    .run = run,
};
