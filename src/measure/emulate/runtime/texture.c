/* texture.c - arrays and textures of an emulated program. An array is rows behind one
 * another; a texture's handle is the address of its first element, which is what the
 * shim's device code takes it for. */
#include "emu.h"

#include <stdlib.h>

typedef struct {
  void *data;
  size_t elem, dims[3];
  int desc[5];
} array;

int __wwArrayMake(
    void **out, size_t elem, size_t w, size_t h, size_t d, const int *desc) {
  size_t n = elem * w * (h ? h : 1) * (d ? d : 1);
  if (!out || !n)
    return ww_emu_error(EMU_INVALID_VALUE);
  array *a = ww_xcalloc(1, sizeof *a);
  *a = (array){.data = ww_emu_alloc(n, EMU_ARRAY), .elem = elem, .dims = {w, h, d}};
  memcpy(a->desc, desc, sizeof a->desc);
  if (!a->data) {
    free(a);
    return ww_emu_error(EMU_OUT_OF_MEMORY);
  }
  *out = a;
  return EMU_OK;
}

int __wwArray(
    const void *handle, void **data, size_t *elem, size_t dims[3], int *desc) {
  const array *a = handle;
  if (!a)
    return ww_emu_error(EMU_INVALID_HANDLE);
  *data = a->data;
  *elem = a->elem;
  memcpy(dims, a->dims, sizeof a->dims);
  memcpy(desc, a->desc, sizeof a->desc);
  return EMU_OK;
}

int cudaFreeArray(void *handle) {
  array *a = handle;
  if (!a)
    return EMU_OK;
  ww_emu_free(a->data, false);
  free(a);
  return EMU_OK;
}
WW_EMU_SAME(cudaFreeArray) cudaFreeMipmappedArray;

/* ---- textures ---- */

static WW_VEC(uint64_t) textures; /* their handles */

bool ww_emu_is_texture(uint64_t handle) {
  bool found = false;
  for (uint32_t i = 0; i < textures.n && !found; i++)
    found = handle && textures.v[i] == handle;
  return found;
}

int __wwTexture(unsigned long long *out, const void *data) {
  if (!out || !data)
    return ww_emu_error(EMU_INVALID_VALUE);
  ww_emu *s = ww_emu_get();
  ww_emu_lock();
  *out = (uintptr_t)data;
  if (!ww_emu_is_texture(*out))
    ww_push(s->arena, &textures, *out);
  ww_emu_unlock();
  return EMU_OK;
}

int cudaDestroyTextureObject(unsigned long long handle) {
  ww_emu_lock();
  for (uint32_t i = 0; i < textures.n; i++)
    if (textures.v[i] == handle)
      textures.v[i] = textures.v[--textures.n];
  ww_emu_unlock();
  return EMU_OK;
}
WW_EMU_SAME(cudaDestroyTextureObject) cudaDestroySurfaceObject;
