/* launch.c - one launch of an emulated program: checked against the GPU's limits,
 * recorded, run when asked for. */
#include "emu.h"

#include <stdlib.h>

static uint64_t product(const uint64_t v[3]) {
  return v[0] * v[1] * v[2];
}

static int check(const ww_emu *s, const ww_emu_launch *l) {
  static const uint64_t most_block[3] = {1024, 1024, 64};
  static const uint64_t most_grid[3] = {0x7fffffff, 65535, 65535};
  for (int i = 0; i < 3; i++)
    if (!l->block[i] || !l->grid[i] || l->block[i] > most_block[i] ||
        l->grid[i] > most_grid[i])
      return EMU_INVALID_CONFIGURATION;
  if (product(l->block) > 1024)
    return EMU_INVALID_CONFIGURATION;
  const ww_emu_kernel *k = l->kernel;
  if (k->max_threads && product(l->block) > k->max_threads)
    return EMU_OUT_OF_RESOURCES;
  if (l->shared + k->shared_static > s->shared_block)
    return EMU_INVALID_VALUE;
  if (l->shared + k->shared_static > (48u << 10) && l->shared > k->shared_allowed)
    return EMU_INVALID_VALUE;
  if (l->cooperative) {
    uint64_t warps = (product(l->block) + s->lanes - 1) / s->lanes;
    uint64_t resident = s->threads_sm / (warps * s->lanes);
    if (product(l->grid) > resident * s->sms)
      return EMU_COOPERATIVE_TOO_LARGE;
  }
  return EMU_OK;
}

/* What the table says about an argument, when it fits what the program passed. */
static void describe(const ww_emu_launch *l, uint32_t i, ww_raw_arg *out) {
  const ww_emu_kernel *k = l->kernel;
  *out = (ww_raw_arg){.bytes = l->values[i], .size = l->sizes[i], .pointer = -1};
  if (!k->known || k->nparams != l->nargs || k->params[i].size != l->sizes[i]) {
    out->struct_ = l->sizes[i] > 8;
    return;
  }
  const ww_emu_param *p = &k->params[i];
  out->pointer = p->pointer ? 1 : p->byval ? -1 : 0;
  out->struct_ = p->byval;
  out->type = p->pointer || p->byval ? NULL : p->type;
}

static bool has_texture(const ww_emu_launch *l) {
  for (uint32_t i = 0; i < l->kernel->nsymbols; i++)
    if (l->kernel->symbols[i]->texture)
      return true;
  for (uint32_t i = 0; i < l->nargs; i++)
    for (uint32_t at = 0; at + 8 <= l->sizes[i]; at += 8) {
      uint64_t v;
      memcpy(&v, (const char *)l->values[i] + at, 8);
      bool pointer =
          l->kernel->known && i < l->kernel->nparams && l->kernel->params[i].pointer;
      if (!pointer && ww_emu_is_texture(v))
        return true;
    }
  return false;
}

static void record(const ww_emu *s, const ww_emu_launch *l) {
  const ww_emu_kernel *k = l->kernel;
  ww_raw_arg *args = ww_xcalloc(l->nargs + 1, sizeof *args);
  ww_raw_symbol *symbols = ww_xcalloc(k->nsymbols + 1, sizeof *symbols);
  uint32_t n = 0;
  for (uint32_t i = 0; i < l->nargs; i++)
    describe(l, i, &args[i]);
  for (uint32_t i = 0; i < k->nsymbols; i++)
    if (k->symbols[i]->address)
      symbols[n++] = (ww_raw_symbol){.name = k->symbols[i]->name,
                                     .address = k->symbols[i]->address,
                                     .bytes = k->symbols[i]->bytes};
  ww_raw_launch raw = {.kernel = k->mangled,
                       .file = k->file,
                       .more = k->more,
                       .flags = s->flags,
                       .shared = l->shared,
                       .cooperative = l->cooperative,
                       .args = args,
                       .nargs = l->nargs,
                       .symbols = symbols,
                       .nsymbols = n,
                       .note = l->note                  ? l->note
                               : has_texture(l)         ? "texture"
                               : !k->known && !l->nargs ? "arguments unknown"
                                                        : NULL};
  memcpy(raw.grid, l->grid, sizeof raw.grid);
  memcpy(raw.block, l->block, sizeof raw.block);
  ww_recorder_launch(s->recorder, &raw);
  free(args);
  free(symbols);
}

/* By their pointers, those in structs and small variables included. */
void ww_emu_doubt(const ww_emu_launch *l, bool unknown) {
  const ww_emu_kernel *k = l->kernel;
  bool described = k->known && k->nparams == l->nargs;
  for (uint32_t i = 0; i < l->nargs; i++)
    for (uint32_t at = 0; at + 8 <= l->sizes[i]; at += 8) {
      uint64_t word;
      memcpy(&word, (const char *)l->values[i] + at, 8);
      if (word > 65536 && !(described && k->params[i].readonly))
        ww_emu_set_unknown(word, unknown);
    }
  for (uint32_t i = 0; i < k->nsymbols; i++)
    if (k->symbols[i]->written)
      ww_emu_set_unknown(k->symbols[i]->address, unknown);
}

void ww_emu_launch_copy(const ww_emu_launch *l, ww_emu_launch *out) {
  const void **values = ww_xcalloc(l->nargs + 1, sizeof *values);
  uint32_t *sizes = ww_xcalloc(l->nargs + 1, sizeof *sizes);
  for (uint32_t i = 0; i < l->nargs; i++) {
    sizes[i] = l->sizes[i];
    values[i] = memcpy(ww_xmalloc(sizes[i] + 1), l->values[i], sizes[i]);
  }
  *out = *l;
  out->sizes = sizes;
  out->values = values;
}

int ww_emu_launch_now(const ww_emu_launch *l) {
  ww_emu *s = ww_emu_get();
  ww_emu_lock();
  int rc = check(s, l);
  if (!rc && s->recorder)
    record(s, l);
  if (!rc && s->execute == WW_EMU_ALL)
    rc = ww_emu_execute(l, 0);
  else if (!rc) {
    ww_emu_doubt(l, true);
    ww_emu_defer(l);
  }
  ww_emu_unlock();
  return rc;
}
