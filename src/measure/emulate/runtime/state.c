/* state.c - what an emulated program knows: the kernels and symbols of its sources, the
 * GPU it is to see, the recorder.
 *
 * The parent names a file in WARPWISE_EMULATE: a line of settings, then a line per
 * symbol and per kernel (build.c writes it). Without the variable the program still
 * runs, on a made-up GPU, and nothing is recorded. Everything is made on first use,
 * because the program's own constructors may call the API before main. */
#include "emu.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../../base/jsonread.h"
#include "../../../gpu/gpu.h"
#include "../../../trace/trace.h"

static ww_emu state;
static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static __thread int last_error;
static WW_VEC(ww_emu_kernel *) kernels;
static WW_VEC(ww_emu_symbol *) symbols;

void ww_emu_lock(void) {
  pthread_mutex_lock(&mutex);
}
void ww_emu_unlock(void) {
  pthread_mutex_unlock(&mutex);
}

int ww_emu_error(int code) {
  if (code)
    last_error = code;
  return code;
}

int ww_emu_last_error(bool clear) {
  int e = last_error;
  if (clear)
    last_error = 0;
  return e;
}

void ww_emu_note(const char *fmt, ...) {
  static ww_strings notes;
  char text[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  ww_emu_lock();
  if (notes.n < 64 && !ww_strings_have(&notes, text)) {
    ww_push(state.arena, &notes, ww_strdup(state.arena, text));
    if (state.recorder) /* said when the program has ended */
      ww_recorder_note(state.recorder, text);
    else
      fprintf(stderr, "warpwise: %s\n", text);
  }
  ww_emu_unlock();
}

/* ---- the map of memory, for the recorder ---- */

static bool
find(void *ctx, uint64_t address, uint64_t *base, uint64_t *bytes, uint64_t *id) {
  ww_emu_block b;
  if (!ww_emu_find(address, &b))
    return false;
  *base = b.base;
  *bytes = b.bytes;
  *id = b.id;
  return true;
}

static bool read_memory(void *ctx, uint64_t address, void *out, size_t n) {
  ww_emu_block b;
  if (!ww_emu_find(address, &b) || n > b.bytes - (address - b.base) || b.unknown)
    return false;
  memcpy(out, (const void *)address, n);
  return true;
}

static const ww_recorder_memory memory = {
    .find = find,
    .read = read_memory,
};

/* ---- the GPU ---- */

static uint64_t or_else(double figure, uint64_t other) {
  return isnan(figure) || figure <= 0 ? other : (uint64_t)figure;
}

static void describe_gpu(const char *name) {
  ww_gpu g;
  ww_err e;
  ww_gpu_init(&g);
  if (name && ww_gpu_load(name, state.arena, &g, &e)) {
    ww_emu_note("%s", e.msg);
    ww_gpu_init(&g);
  }
  int sm = g.architecture && ww_starts(g.architecture, "sm_") ? atoi(g.architecture + 3)
                                                              : 90;
  state.gpu_name = g.full_name ? g.full_name : g.name ? g.name : "emulated GPU";
  state.major = sm / 10;
  state.minor = sm % 10;
  state.sms = g.sms ? g.sms : 132;
  state.lanes = 32; /* what CUDA programs are written for */
  state.threads_sm = or_else(g.max_threads, 2048);
  state.blocks_sm = or_else(g.max_blocks, 32);
  state.memory = or_else(g.dram_bytes, 16ull << 30);
  state.shared_sm = or_else(g.shared_max, 100u << 10);
  state.shared_block = or_else(g.shared_block_max, state.shared_sm - 1024);
  state.l2 = or_else(g.l2_bytes, 8u << 20);
  state.clock_khz = 1000 * or_else(g.boost_mhz, 1500);
  /* the two whose product programs compute the peak bandwidth from: 2 * clock * width /
   * 8 */
  state.bus_bits = or_else(g.dram_peak, 1000) >= 1300 ? 5120 : 320;
  state.memory_clock_khz = or_else(g.dram_peak, 1000) * 4000000 / state.bus_bits;
}

/* ---- the tables ---- */

static const char *text_of(const cJSON *o, const char *name) {
  return ww_json_text(o, name, state.arena);
}

static bool flag_of(const cJSON *o, const char *name) {
  return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, name));
}

/* NULL-terminated; NULL: there is none. */
static const char *const *texts_of(const cJSON *o, const char *name) {
  const cJSON *all = cJSON_GetObjectItemCaseSensitive(o, name);
  const cJSON *one;
  const char **v = WW_NEWN(state.arena, const char *, cJSON_GetArraySize(all) + 1);
  uint32_t n = 0;
  cJSON_ArrayForEach(one, all) if (cJSON_IsString(one)) v[n++] =
      ww_strdup(state.arena, one->valuestring);
  return n ? v : NULL;
}

/* Names are nvcc's from here on: clang spells those of static kernels and variables
 * differently for host and device. */
ww_emu_symbol *ww_emu_symbol_named(const char *clangs, uint64_t bytes) {
  ww_emu_lock();
  const char *mangled = ww_ir_nvcc_name(clangs, state.arena);
  ww_emu_symbol *s = NULL;
  for (uint32_t i = 0; i < symbols.n && !s; i++)
    if (!strcmp(symbols.v[i]->mangled, mangled))
      s = symbols.v[i];
  if (!s) {
    s = WW_NEW(state.arena, ww_emu_symbol);
    *s = (ww_emu_symbol){.mangled = mangled, .name = mangled, .bytes = bytes};
    ww_push(state.arena, &symbols, s);
  }
  ww_emu_unlock();
  return s;
}

ww_emu_kernel *ww_emu_kernel_named(const char *clangs) {
  ww_emu_lock();
  const char *mangled = ww_ir_nvcc_name(clangs, state.arena);
  ww_emu_kernel *k = NULL;
  for (uint32_t i = 0; i < kernels.n && !k; i++)
    if (!strcmp(kernels.v[i]->mangled, mangled))
      k = kernels.v[i];
  if (!k) {
    k = WW_NEW(state.arena, ww_emu_kernel);
    *k = (ww_emu_kernel){.mangled = mangled, .name = mangled, .fn = -1};
    ww_push(state.arena, &kernels, k);
  }
  ww_emu_unlock();
  return k;
}

static void read_kernel(const cJSON *o, const char *mangled) {
  ww_emu_kernel *k = ww_emu_kernel_named(mangled);
  const cJSON *params = cJSON_GetObjectItemCaseSensitive(o, "params");
  const cJSON *p;
  const cJSON *reached = cJSON_GetObjectItemCaseSensitive(o, "symbols");
  const cJSON *y;
  k->known = true;
  const char *name = text_of(o, "name");
  k->name = name ? name : k->mangled;
  k->file = text_of(o, "file");
  k->more = texts_of(o, "more");
  k->shared_static = ww_json_whole(o, "shared");
  k->max_threads = ww_json_whole(o, "max_threads");
  k->params = WW_NEWN(state.arena, ww_emu_param, cJSON_GetArraySize(params) + 1);
  k->nparams = 0;
  cJSON_ArrayForEach(p, params) {
    k->params[k->nparams++] = (ww_emu_param){.size = ww_json_whole(p, "size"),
                                             .pointer = flag_of(p, "pointer"),
                                             .byval = flag_of(p, "byval"),
                                             .readonly = flag_of(p, "readonly"),
                                             .type = text_of(p, "type")};
  }
  k->symbols = WW_NEWN(state.arena, ww_emu_symbol *, cJSON_GetArraySize(reached) + 1);
  k->nsymbols = 0; /* static kernels of two files may share a name */
  cJSON_ArrayForEach(y, reached) if (cJSON_IsString(y)) k->symbols[k->nsymbols++] =
      ww_emu_symbol_named(y->valuestring, 0);
}

static void read_symbol(const cJSON *o, const char *mangled) {
  ww_emu_symbol *s = ww_emu_symbol_named(mangled, ww_json_whole(o, "bytes"));
  const char *name = text_of(o, "name");
  if (name)
    s->name = name;
  s->bytes = ww_json_whole(o, "bytes");
  s->init_hex = text_of(o, "init");
  s->written = flag_of(o, "written");
}

static void read_settings(const cJSON *o) {
  state.flags = texts_of(o, "flags");
  state.execute = ww_json_whole(o, "execute");
  state.execute_s = ww_json_whole(o, "execute_s");
  state.ir = text_of(o, "ir");
  describe_gpu(text_of(o, "gpu"));
}

static void read_line(char *line, size_t n) {
  cJSON *o = ww_json_read(line, n, NULL);
  const char *kernel = text_of(o, "kernel");
  const char *symbol = text_of(o, "symbol");
  if (kernel)
    read_kernel(o, kernel);
  else if (symbol)
    read_symbol(o, symbol);
  else if (o)
    read_settings(o);
  cJSON_Delete(o);
}

/* ---- beginning and end ---- */

static void finish(void) {
  ww_emu_lock();
  ww_recorder_close(state.recorder);
  state.recorder = NULL;
  ww_emu_unlock();
}

/* A failed assertion, likely where kernels are skipped and results are checked: the
 * counts up to here are kept. */
static void on_abort(int number) {
  ww_recorder *r = state.recorder;
  signal(number, SIG_DFL);
  ww_recorder_flush(r);
  raise(number);
}

static void start(void) {
  const char *path = getenv("WARPWISE_EMULATE");
  char *text;
  state.arena = ww_arena_new();
  if (path && !ww_read_file(state.arena, path, 1u << 30, &text, NULL, NULL)) {
    for (char *p = text; *p;) {
      size_t len = strcspn(p, "\n");
      bool more = p[len] == '\n';
      p[len] = 0; /* the JSON reader takes a whole text */
      if (len)
        read_line(p, len);
      p += len + more;
    }
  }
  if (!state.sms)
    describe_gpu(NULL);
  state.recorder = ww_recorder_from_env(&memory);
  atexit(finish);
  signal(SIGABRT, on_abort);
}

ww_emu *ww_emu_get(void) {
  pthread_once(&once, start);
  return &state;
}

/* ---- symbols ---- */

static int digit(char c) {
  return c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

void ww_emu_symbol_place(ww_emu_symbol *s, void *address, uint64_t bytes) {
  if (s->address)
    return;
  void *own = (uintptr_t)address < WW_GLOBAL_BASE
                  ? ww_emu_alloc(bytes ? bytes : 1, EMU_SYMBOL)
                  : NULL;
  if (own) { /* a program at a fixed address, see heap.c */
    address = memcpy(own, address, bytes);
  } else {
    size_t page = sysconf(_SC_PAGESIZE);
    uintptr_t from = (uintptr_t)address & ~(page - 1);
    uintptr_t to = ((uintptr_t)address + bytes + page - 1) & ~(page - 1);
    /* the host's copy of a const variable lies among constants */
    mprotect((void *)from, to - from, PROT_READ | PROT_WRITE);
    ww_emu_adopt(address, bytes, EMU_SYMBOL);
  }
  if (!s->bytes)
    s->bytes = bytes;
  s->address = (uintptr_t)address;
  const char *h = s->init_hex;
  for (uint64_t i = 0; h && i < bytes && h[2 * i] && h[2 * i + 1]; i++)
    ((uint8_t *)address)[i] = digit(h[2 * i]) << 4 | digit(h[2 * i + 1]);
}
