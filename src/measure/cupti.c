/* cupti.c - hardware counters through CUPTI's range profiler, user replay.
 *
 * A configuration (names -> passes) is made once per set and kept. The profiler keeps
 * pointers to the configuration and to the counter data of the last session, so both
 * live until the next one has begun. Switching from one set to another costs about 0.3
 * s, a new session of the same set 4 ms: measure.c does all it can of one set first. */
#include "cupti.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

#include "counters.h"
#include "../cuda/cuda_toolkit.h"
#include "cupti_api.h"

#define NSETS 3

typedef struct {
  void *host;
  const char *names[WW_NCOUNTERS];
  uint32_t ids[WW_NCOUNTERS]; /* ww_device_counter of each name */
  uint32_t n;
  uint8_t *image;
  size_t image_size;
  uint32_t passes;
} config;

struct ww_cupti {
  cupti_api api;
  void *context, *profiler;
  const char *chip;
  uint8_t *availability;
  config configs[NSETS];
  /* what the profiler is set to, of the session; NULL: nothing yet */
  config *last;
  uint8_t *data, *old; /* counter data of this session and of the one before */
  size_t data_size;
  bool open;         /* in a pass */
  bool all_passes;   /* the profiler has what it asked for */
  bool around;       /* ranges are ours, around the counted launches */
  uint32_t ranges;   /* begun in this pass */
  uint32_t *counted; /* which of them were counted, in the first pass */
  uint32_t ncounted, pass;
};

/* ---- opening ---- */

/* A result of CUPTI as ours. */
static ww_status check(const ww_cupti *c, int code, const char *what, ww_err *e) {
  const char *text = NULL;
  if (!code)
    return WW_OK;
  if (c->api.result_string)
    c->api.result_string(code, &text);
  if (code == CUPTI_INSUFFICIENT_PRIVILEGES || code == CUPTI_VIRTUALIZED_PRIVILEGES)
    return ww_fail(
        e, WW_EDEVICE,
        "this user may not read the GPU's counters: run as root, or let everybody with "
        "the driver option "
        "NVreg_RestrictProfilingToAdminUsers=0 (in a container: --cap-add SYS_ADMIN)");
  return ww_fail(e, WW_EDEVICE, "CUPTI %s: %s (error %d)%s", what,
                 text ? text : "unknown", code,
                 "; is another profiler at work on this GPU?");
}

static ww_status find_functions(ww_cupti *c, ww_err *e) {
  void *library = ww_cuda_library("cupti");
  if (!library)
    return ww_fail(
        e, WW_EDEVICE,
        "libcupti.so was not found: install the CUDA toolkit's CUPTI (12.6 or newer), "
        "or set CUDA_HOME or "
        "LD_LIBRARY_PATH to where it is");
  c->api.result_string = dlsym(library, "cuptiGetResultString");
#define X(symbol, member, T)               \
  c->api.member = dlsym(library, #symbol); \
  if (!c->api.member)                      \
    return ww_fail(e, WW_EDEVICE,          \
                   "this CUPTI has no " #symbol ": CUDA 12.6 or newer is needed");
  CUPTI_FUNCTIONS(X)
#undef X
  return WW_OK;
}

static ww_status enable(ww_cupti *c, ww_err *e) {
  cupti_enable on = SIZED(cupti_enable, profiler, .context = c->context);
  int rc = c->api.enable(&on);
  if (rc)
    return check(c, rc, "cannot count on this GPU", e);
  c->profiler = on.profiler;
  return WW_OK;
}

static ww_status start_up(ww_cupti *c, int device, ww_err *e) {
  cupti_initialize init = SIZED(cupti_initialize, priv, 0);
  int rc = c->api.initialize(&init);
  if (rc)
    return check(c, rc, "does not start", e);
  cupti_chip_name chip = SIZED(cupti_chip_name, name, .device = device);
  rc = c->api.chip_name(&chip);
  if (rc)
    return check(c, rc, "does not know this GPU", e);
  c->chip = chip.name;
  cupti_availability a = SIZED(cupti_availability, image, .context = c->context);
  rc = c->api.availability(&a);
  if (!rc) {
    c->availability = a.image = ww_xmalloc(a.image_size);
    rc = c->api.availability(&a);
  }
  return rc ? check(c, rc, "cannot say which counters there are", e) : enable(c, e);
}

ww_status ww_cupti_open(void *context, int device, ww_cupti **out, ww_err *e) {
  ww_cupti *c = ww_xcalloc(1, sizeof *c);
  c->context = context;
  ww_status st = find_functions(c, e);
  if (!st)
    st = start_up(c, device, e);
  if (st) {
    ww_cupti_close(c);
    c = NULL;
  }
  *out = c;
  return st;
}

static void disable(ww_cupti *c) {
  if (c->profiler)
    c->api.disable(&SIZED(cupti_profiler, profiler, .profiler = c->profiler));
  c->profiler = NULL;
}

static void free_config(ww_cupti *c, config *f) {
  if (f->host)
    c->api.host_deinitialize(&SIZED(cupti_host_deinitialize, host, .host = f->host));
  free(f->image);
  *f = (config){0};
}

void ww_cupti_close(ww_cupti *c) {
  if (!c)
    return;
  disable(c);
  for (int k = 0; k < NSETS; k++)
    free_config(c, &c->configs[k]);
  free(c->availability);
  free(c->data);
  free(c->old);
  free(c->counted);
  free(c); /* the library stays: it does not like to be unloaded */
}

/* ---- configurations ---- */

static int add_names(ww_cupti *c, config *f) {
  cupti_host_initialize h =
      SIZED(cupti_host_initialize, host, .kind = CUPTI_RANGE_PROFILER, .chip = c->chip,
            .availability = c->availability);
  int rc = c->api.host_initialize(&h);
  f->host = h.host;
  return rc ? rc
            : c->api.add_metrics(&SIZED(cupti_add_metrics, n, .host = f->host,
                                        .names = f->names, .n = f->n));
}

static int make_image(ww_cupti *c, config *f) {
  cupti_config_size s = SIZED(cupti_config_size, image_size, .host = f->host);
  int rc = c->api.config_size(&s);
  if (rc)
    return rc;
  f->image_size = s.image_size;
  f->image = ww_xmalloc(s.image_size);
  rc = c->api.config_image(&SIZED(cupti_config_image, image, .host = f->host,
                                  .image_size = s.image_size, .image = f->image));
  if (rc)
    return rc;
  cupti_passes p =
      SIZED(cupti_passes, passes, .image_size = s.image_size, .image = f->image);
  rc = c->api.passes(&p);
  f->passes = p.passes;
  return rc;
}

static int prepare(ww_cupti *c, config *f) {
  int rc = add_names(c, f);
  return rc ? rc : make_image(c, f);
}

/* Whether this chip has the counter; one unknown name spoils the object it is added to,
 * so each is tried alone. */
static bool known(ww_cupti *c, const char *name) {
  config one = {.names = {name}, .n = 1};
  bool ok = !prepare(c, &one);
  free_config(c, &one);
  return ok;
}

static void list_names(config *f, ww_counter_set set) {
  static const uint8_t groups[NSETS] = {[WW_SET_TIME] = WW_GROUP_TIME,
                                        [WW_SET_COUNTERS] = WW_GROUP_MAIN,
                                        [WW_SET_TENSOR] = WW_GROUP_TENSOR};
  *f = (config){0};
  for (uint32_t k = 0; k < WW_NCOUNTERS; k++) {
    if (ww_counters[k].group != groups[set])
      continue;
    f->ids[f->n] = k;
    f->names[f->n++] = ww_counters[k].name;
  }
}

static ww_status configure(ww_cupti *c, ww_counter_set set, config *f, ww_err *e) {
  list_names(f, set);
  if (!prepare(c, f))
    return WW_OK;
  free_config(c, f); /* some name is not known here: leave out those */
  list_names(f, set);
  uint32_t n = 0;
  for (uint32_t k = 0; k < f->n; k++) {
    if (!known(c, f->names[k]))
      continue;
    f->ids[n] = f->ids[k];
    f->names[n++] = f->names[k];
  }
  f->n = n;
  int rc = prepare(c, f);
  if (!rc)
    return WW_OK;
  free_config(c, f);
  return check(c, rc, "cannot configure the counters", e);
}

/* ---- a session ---- */

ww_status ww_cupti_begin(
    ww_cupti *c, ww_counter_set set, uint32_t kernels, uint32_t *passes, ww_err *e) {
  config *f = &c->configs[set];
  ww_status st = f->passes ? WW_OK : configure(c, set, f, e);
  /* a profiler in use keeps to its first configuration, whatever it is told */
  if (!st && c->last && c->last != f) {
    disable(c);
    st = enable(c, e);
  }
  if (st)
    return st;
  c->last = f;
  c->around = set != WW_SET_TIME;
  cupti_data_size s =
      SIZED(cupti_data_size, image_size, .profiler = c->profiler, .names = f->names,
            .n = f->n, .ranges = kernels, .nodes = kernels);
  int rc = c->api.data_size(&s);
  if (rc)
    return check(c, rc, "cannot size the counter data", e);
  free(c->old);
  c->old = c->data;
  c->data = ww_xmalloc(s.image_size);
  c->data_size = s.image_size;
  rc = c->api.data_initialize(&SIZED(cupti_data_initialize, image,
                                     .profiler = c->profiler,
                                     .image_size = s.image_size, .image = c->data));
  if (!rc)
    rc = c->api.set_config(&SIZED(
        cupti_set_config, target_level, .profiler = c->profiler,
        .config_size = f->image_size, .config = f->image, .image_size = s.image_size,
        .image = c->data,

        .range = c->around ? CUPTI_USER_RANGE : CUPTI_AUTO_RANGE,
        .replay = CUPTI_USER_REPLAY, .ranges = kernels, .levels = 1, .least_level = 1));
  if (rc)
    return check(c, rc, "cannot begin to count", e);
  c->counted = ww_xrealloc(c->counted, kernels * sizeof *c->counted);
  c->pass = c->ncounted = 0;
  c->all_passes = false;
  *passes = f->passes;
  return WW_OK;
}

ww_status ww_cupti_pass_begin(ww_cupti *c, ww_err *e) {
  int rc = c->api.start(&SIZED(cupti_profiler, profiler, .profiler = c->profiler));
  if (rc)
    return check(c, rc, "cannot begin a pass", e);
  c->open = true;
  c->ranges = 0;
  return WW_OK;
}

ww_status ww_cupti_kernel(ww_cupti *c, bool counted, ww_err *e) {
  if (!c || !c->open || (c->around && !counted))
    return WW_OK;
  if (counted && !c->pass)
    c->counted[c->ncounted++] = c->ranges;
  char name[16];
  snprintf(name, sizeof name, "%u", c->ranges++);
  if (!c->around)
    return WW_OK;
  return check(c,
               c->api.push_range(&SIZED(cupti_push_range, name, .profiler = c->profiler,
                                        .name = name)),
               "cannot begin a range", e);
}

ww_status ww_cupti_kernel_end(ww_cupti *c, bool counted, ww_err *e) {
  if (!c || !c->open || !c->around || !counted)
    return WW_OK;
  return check(
      c, c->api.pop_range(&SIZED(cupti_profiler, profiler, .profiler = c->profiler)),
      "cannot end a range", e);
}

ww_status ww_cupti_pass_end(ww_cupti *c, ww_err *e) {
  c->open = false;
  c->pass++;
  cupti_stop s = SIZED(cupti_stop, all_passes, .profiler = c->profiler);
  int rc = c->api.stop(&s);
  c->all_passes = s.all_passes;
  return check(c, rc, "cannot end a pass", e);
}

static ww_status read_range(ww_cupti *c, uint32_t range, double *metrics, ww_err *e) {
  double raw[WW_NCOUNTERS];
  double v[WW_NCOUNTERS];
  const config *f = c->last;
  for (int k = 0; k < WW_NCOUNTERS; k++)
    v[k] = NAN;
  int rc = c->api.evaluate(&SIZED(cupti_evaluate, values, .host = f->host,
                                  .image = c->data, .image_size = c->data_size,
                                  .range = range, .names = (const char **)f->names,
                                  .n = f->n, .values = raw));
  if (rc)
    return check(c, rc, "cannot read the counters", e);
  for (uint32_t k = 0; k < f->n; k++)
    v[f->ids[k]] = raw[k];
  ww_counters_to_metrics(v, metrics);
  return WW_OK;
}

ww_status ww_cupti_end(ww_cupti *c, double values[][WW_NMETRICS], ww_err *e) {
  cupti_decode d = SIZED(cupti_decode, dropped, .profiler = c->profiler);
  int rc = c->api.decode(&d);
  cupti_data_info n =
      SIZED(cupti_data_info, ranges, .image = c->data, .image_size = c->data_size);
  if (!rc)
    rc = c->api.data_info(&n);
  if (rc)
    return check(c, rc, "cannot decode the counters", e);
  if (!c->all_passes || d.dropped || n.ranges != c->ranges)
    return ww_fail(e, WW_EDEVICE,
                   "CUPTI counted %zu kernels of %u%s: is another profiler at work?",
                   n.ranges, c->ranges, c->all_passes ? "" : " and wants more passes");
  ww_status st = WW_OK;
  for (uint32_t k = 0; !st && k < c->ncounted; k++)
    st = read_range(c, c->counted[k], values[k], e);
  return st;
}
