/* launch_triples.c - the CUDA triples of tests/kernels on the real device, each
 * launched once.
 *
 *   launch_triples BUILD [FOLDER] [--only SUBSTRING] [--order FILE]
 *
 * BUILD holds what tests/gpu/run.sh prepared: cubin/SOURCE.cubin, and
 * kernels/SOURCE.json as `warpwise kernels --json` says it (mangled names, parameter
 * types). Memory is filled as the launch spec says and compared with the host reference
 * afterwards, as the interpreter's test does.
 * --order lists the launched triples, one line each: launch i of a profile is line i.
 */
#include "../triple.h"
#include "driver.h"

#include <stdlib.h>

typedef struct {
  const char *build, *dir, *only;
  FILE *order;
} setup;

typedef struct {
  triple *t;
  triple_memory memory; /* host side */
  ref_state ref;
  gpu_ptr at[2 * REF_MAX]; /* region i on the device */
  bool owned[2 * REF_MAX]; /* else a symbol of the module */
  gpu_module module;
  gpu_kernel kernel;
  cJSON *kernels;
  const cJSON *params; /* of the kernel, in kernels */
} device_run;

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static const char *text_of(const cJSON *o, const char *key) {
  const cJSON *s = cJSON_GetObjectItemCaseSensitive(o, key);
  return cJSON_IsString(s) ? s->valuestring : "";
}

/* ---- the kernel ---- */

static bool find_kernel(device_run *d, const char *build) {
  triple *t = d->t;
  char *text;
  size_t n;
  const char *source = base_name(t->launch->file), *mangled = NULL;
  ww_err e = {0};
  if (ww_read_file(t->a, ww_fmt(t->a, "%s/kernels/%s.json", build, source), 64u << 20,
                   &text, &n, &e) != WW_OK ||
      !(d->kernels = cJSON_Parse(text))) {
    triple_fail(t, "kernels/%s.json: %s", source, e.msg);
    return false;
  }
  const cJSON *k;
  cJSON_ArrayForEach(k, cJSON_GetObjectItemCaseSensitive(d->kernels, "kernels")) {
    if (strcmp(text_of(k, "name"), t->launch->kernel) != 0 &&
        strcmp(text_of(k, "mangled"), t->launch->kernel) != 0)
      continue;
    mangled = text_of(k, "mangled");
    d->params = cJSON_GetObjectItemCaseSensitive(k, "args");
  }
  if (mangled &&
      gpu_load(&d->module, ww_fmt(t->a, "%s/cubin/%s.cubin", build, source)) &&
      gpu_find(&d->kernel, d->module, mangled))
    return true;
  triple_fail(t, "no kernel %s in %s", t->launch->kernel, source);
  return false;
}

/* ---- memory ---- */

static const ww_symbol_arg *symbol_of(const device_run *d, const triple_region *r) {
  for (uint32_t i = 0; i < d->t->launch->nsymbols && i < REF_MAX; i++)
    if (d->ref.symbol[i] == r->base)
      return &d->t->launch->symbols[i];
  return NULL;
}

static bool upload(device_run *d) {
  for (uint32_t i = 0; i < d->memory.n; i++) {
    const triple_region *r = &d->memory.v[i];
    const ww_symbol_arg *symbol = symbol_of(d, r);
    size_t size = r->bytes;
    d->owned[i] = !symbol;
    bool got = symbol ? gpu_symbol(&d->at[i], &size, d->module, symbol->name)
                      : gpu_alloc(&d->at[i], size);
    if (!got || size < r->bytes || !gpu_put(d->at[i], r->base, r->bytes)) {
      triple_fail(d->t, "%s: no device memory of %llu bytes", r->file,
                  (unsigned long long)r->bytes);
      return false;
    }
  }
  return true;
}

/* Where a host pointer into a region lies on the device. */
static gpu_ptr device_pointer(const device_run *d, const uint8_t *p) {
  for (uint32_t i = 0; i < d->memory.n; i++) {
    const triple_region *r = &d->memory.v[i];
    if (p >= r->base && p < r->base + r->bytes)
      return d->at[i] + (gpu_ptr)(p - r->base);
  }
  return 0;
}

static bool compare_all(device_run *d) {
  ref_fn fn = ref_find(d->t->name);
  uint8_t *got[2 * REF_MAX];
  for (uint32_t i = 0; i < d->memory.n; i++) {
    got[i] = ww_alloc(d->t->a, d->memory.v[i].bytes);
    if (!gpu_get(got[i], d->at[i], d->memory.v[i].bytes))
      return false;
  }
  if (!fn) {
    triple_fail(d->t, "no reference in kernels/refs.c");
    return true;
  }
  fn(&d->ref);
  for (uint32_t i = 0; i < d->memory.n; i++) {
    const triple_region *want = &d->memory.v[i];
    if (want->file)
      triple_compare(d->t, want->file, want->type, want->base, got[i], want->bytes);
  }
  return true;
}

/* ---- parameters ---- */

static void put_value(const ww_arg *arg, const char *type, uint8_t *to) {
  float f = (float)arg->value;
  int64_t i = arg->is_int ? arg->ivalue : (int64_t)arg->value;
  if (strstr(type, "float"))
    memcpy(to, &f, 4);
  else if (strstr(type, "double"))
    memcpy(to, &arg->value, 8);
  else
    memcpy(to, &i, 8);
}

static void *parameter(device_run *d, uint32_t i, uint32_t *next_ptr) {
  const ww_arg *arg = &d->t->launch->args[i];
  uint8_t *to = ww_alloc(d->t->a, arg->hex_n + 8);
  gpu_ptr p;
  if (arg->kind == WW_ARG_BUFFER) {
    p = device_pointer(d, d->ref.arg[i]);
    memcpy(to, &p, 8);
  }
  if (arg->kind == WW_ARG_VALUE)
    put_value(arg, text_of(cJSON_GetArrayItem(d->params, (int)i), "type"), to);
  if (arg->kind == WW_ARG_HEX)
    memcpy(to, arg->hex, arg->hex_n);
  for (uint32_t k = 0; k < arg->nptrs; k++) {
    p = device_pointer(d, d->ref.ptr[(*next_ptr)++]);
    memcpy(to + arg->ptrs[k].at, &p, 8);
  }
  return to;
}

static bool launch(device_run *d) {
  const ww_launch *l = d->t->launch;
  void *params[REF_MAX];
  uint32_t next_ptr = 0;
  if (l->nargs > REF_MAX || cJSON_GetArraySize(d->params) != (int)l->nargs) {
    triple_fail(d->t, "%u arguments for %d parameters", l->nargs,
                cJSON_GetArraySize(d->params));
    return false;
  }
  for (uint32_t i = 0; i < l->nargs; i++)
    params[i] = parameter(d, i, &next_ptr);
  if (gpu_launch(d->kernel, l->grid, l->block, l->shared, params))
    return true;
  triple_fail(d->t, "the launch failed");
  return false;
}

/* ---- triples ---- */

static void check(triple *t, const setup *s) {
  device_run d = {.t = t};
  if (find_kernel(&d, s->build)) {
    triple_initial_memory(t, &d.memory, &d.ref);
    if (upload(&d)) {
      if (s->order)
        fprintf(s->order, "%s\n", t->name);
      if (launch(&d) && !compare_all(&d))
        triple_fail(t, "memory could not be read back");
    }
  }
  for (uint32_t i = 0; i < d.memory.n; i++)
    if (d.owned[i] && d.at[i])
      gpu_free(d.at[i]);
  if (d.module)
    gpu_unload(d.module);
  cJSON_Delete(d.kernels);
}

static bool is_cuda(const triple *t) {
  size_t n = strlen(t->launch->file);
  return n > 3 && strcmp(t->launch->file + n - 3, ".cu") == 0;
}

static bool parse(setup *s, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
      s->only = argv[++i];
    else if (strcmp(argv[i], "--order") == 0 && i + 1 < argc) {
      if (!(s->order = fopen(argv[++i], "w")))
        return false;
    } else if (argv[i][0] == '-')
      return false;
    else if (!s->build)
      s->build = argv[i];
    else
      s->dir = argv[i];
  }
  return s->build != NULL;
}

int main(int argc, char **argv) {
  setup s = {.dir = "tests/kernels"};
  uint32_t n, passed = 0, failed = 0;
  if (!parse(&s, argc, argv)) {
    fprintf(stderr, "usage: %s BUILD [FOLDER] [--only SUBSTRING] [--order FILE]\n",
            argv[0]);
    return 2;
  }
  if (!gpu_open())
    return 4;
  char **names = triple_names(s.dir, "", s.only, &n);
  for (uint32_t i = 0; i < n; i++) {
    triple t;
    bool cuda = !triple_open(&t, s.dir, names[i]) || is_cuda(&t);
    if (cuda && t.lines.n == 0)
      check(&t, &s);
    if (t.lines.n) {
      failed++;
      fputs(t.lines.s, stdout);
    } else
      passed += cuda;
    triple_close(&t);
  }
  if (s.order)
    fclose(s.order);
  printf("%u passed, %u failed\n", passed, failed);
  triple_names_free(names, n);
  return failed || passed == 0;
}
