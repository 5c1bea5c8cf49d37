/* libllama.h - libllama and libggml of others, opened at run time: what the tests and
 * the benchmark call of them, in own declarations.
 *
 * Parameters are its own defaults in more room than they take: what lies behind their
 * first members differs from version to version. */
#ifndef WW_TESTS_LIBLLAMA_H
#define WW_TESTS_LIBLLAMA_H

#include <dlfcn.h>

#include "../../src/base/base.h"

typedef struct {
  char bytes[1024];
} any_params;
typedef struct {
  int32_t n_tokens, *token;
  float *embd;
  int32_t *pos, *n_seq_id, **seq_id;
  int8_t *logits;
} llama_batch;

#define LLAMA(X)                                                        \
  X(void, llama_backend_init, (void))                                   \
  X(void, llama_log_set, (void (*)(int, const char *, void *), void *)) \
  X(any_params, llama_model_default_params, (void))                     \
  X(any_params, llama_context_default_params, (void))                   \
  X(void *, llama_model_load_from_file, (const char *, any_params))     \
  X(void *, llama_init_from_model, (void *, any_params))                \
  X(void, llama_model_free, (void *))                                   \
  X(void, llama_free, (void *))                                         \
  X(void, llama_set_n_threads, (void *, int32_t, int32_t))              \
  X(uint32_t, llama_n_ctx, (const void *))                              \
  X(uint32_t, llama_n_batch, (const void *))                            \
  X(uint32_t, llama_n_seq_max, (const void *))                          \
  X(void *, llama_get_memory, (const void *))                           \
  X(void, llama_memory_clear, (void *, bool))                           \
  X(int32_t, llama_decode, (void *, llama_batch))                       \
  X(float *, llama_get_logits_ith, (void *, int32_t))
#define X(type, name, args) static type(*name) args;
LLAMA(X)
#undef X

static void quiet(int level, const char *line, void *ctx) {
  (void)ctx;
  if (level == 4)
    fprintf(stderr, "# %s", line); /* errors */
}

/* Both libraries of a folder, with the kernels that lie beside them. */
static bool open_llama(ww_arena *a, const char *dir) {
  void *ggml = dlopen(ww_path_join(a, dir, "libggml.so"), RTLD_NOW | RTLD_GLOBAL);
  void *llama =
      ggml ? dlopen(ww_path_join(a, dir, "libllama.so"), RTLD_NOW | RTLD_GLOBAL) : NULL;
  void (*load)(const char *) =
      ggml ? (void (*)(const char *))dlsym(ggml, "ggml_backend_load_all_from_path")
           : NULL;
  if (!llama || !load)
    return printf("# %s\n", dlerror()), false;
#define X(type, name, args)                     \
  if (!(*(void **)&name = dlsym(llama, #name))) \
    return printf("# libllama has no %s\n", #name), false;
  LLAMA(X)
#undef X
  llama_log_set(quiet, NULL);
  load(dir);
  llama_backend_init();
  return true;
}

#endif
