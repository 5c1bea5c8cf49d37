/* out.c - writes a large file so that its name means the old one or the whole new one,
 * at every moment.
 *
 * All goes to a temporary file beside it, reaches the disk, and is renamed. The first
 * failure is kept and everything after it does nothing, so that writers read straight
 * on and ask once, at the end. */
#include "weights_int.h"

enum { CHUNK = 1 << 18 }; /* values that are converted at a time */

static void failed(ww_out *o, int why) {
  if (!o->rc)
    o->rc = ww_fail(o->e, WW_EIO, "cannot write '%s': %s", o->path, strerror(why));
}

ww_status ww_out_open(ww_out *o, const char *path, ww_err *e) {
  struct stat there;
  *o = (ww_out){.fd = -1, .slot = -1, .path = path, .e = e};
  /* a device or pipe keeps its name: written straight into */
  if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) {
    o->fd = open(path, O_WRONLY | O_CLOEXEC);
  } else if (snprintf(o->temp, sizeof o->temp, "%s.XXXXXX", path) >=
             (int)sizeof o->temp) {
    o->temp[0] = 0;
    errno = ENAMETOOLONG;
  } else if ((o->fd = ww_temp_file(o->temp, &o->slot)) < 0) {
    o->temp[0] = 0;
  }
  if (o->fd < 0) {
    failed(o, errno);
    return o->rc;
  }
  return WW_OK; /* the rest shows at the end */
}

void ww_out_write(ww_out *o, const void *bytes, uint64_t n) {
  if (o->rc)
    return;
  if (!ww_write_all(o->fd, bytes, n))
    failed(o, errno);
  o->at += n;
}

void ww_out_drop(ww_out *o) {
  if (o->fd >= 0)
    close(o->fd);
  o->fd = -1;
  if (o->temp[0])
    unlink(o->temp);
  o->temp[0] = 0;
  ww_cleanup_forget(o->slot);
  o->slot = -1;
}

ww_status ww_out_finish(ww_out *o) {
  if (o->fd >= 0 && o->temp[0] && !o->rc && fsync(o->fd) != 0)
    failed(o, errno);
  if (o->fd >= 0 && close(o->fd) != 0)
    failed(o, errno);
  o->fd = -1;
  if (o->rc)
    ww_out_drop(o);
  return o->rc;
}

/* The folder too must reach the disk for the new name to last; where it cannot be
 * opened that is no failure of ours. */
void ww_sync_folder(const char *dir) {
  int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return;
  fsync(fd);
  close(fd);
}

ww_status ww_out_commit(ww_out *o) {
  if (o->rc || !o->temp[0])
    return o->rc;
  if (rename(o->temp, o->path)) {
    failed(o, errno);
    ww_out_drop(o);
    return o->rc;
  }
  o->temp[0] = 0;
  ww_cleanup_forget(o->slot);
  o->slot = -1;
  ww_arena *a = ww_arena_new();
  ww_sync_folder(ww_path_dir(a, o->path));
  ww_arena_free(a);
  return WW_OK;
}

ww_status ww_out_close(ww_out *o) {
  ww_out_finish(o);
  return ww_out_commit(o);
}

/* ---- tensors ---- */

uint64_t ww_tensor_bytes(const ww_tensor *t) {
  uint64_t values;
  if (!t->floats)
    return t->bytes;
  return ww_product(t->dim, t->ndim, &values) ? ww_dtype_bytes(t->type, values) : 0;
}

/* Rows [row, row + n) as GGUF orders them: row 2i + s of a head is our row s * half +
 * i. */
static void gather(float *to,
                   const ww_tensor *t,
                   uint64_t rows,
                   uint64_t row,
                   uint64_t n,
                   uint64_t cols) {
  uint64_t size = rows / t->turn_heads;
  uint64_t half = size / 2;
  for (uint64_t k = 0; k < n; k++) {
    uint64_t first = (row + k) / size * size;
    uint64_t in = row + k - first;
    memcpy(to + k * cols, t->floats + (first + in % 2 * half + in / 2) * cols,
           cols * sizeof *to);
  }
}

void ww_out_tensor(ww_out *o, const ww_tensor *t) {
  uint64_t values = 0;
  uint64_t cols = t->ndim > 1 ? t->dim[t->ndim - 1] : 1;
  if (!t->floats) {
    ww_out_write(o, t->data, t->bytes);
    return;
  }
  if (!ww_product(t->dim, t->ndim, &values) || !values ||
      !ww_dtype_bytes(t->type, cols > 1 ? cols : values))
    return;
  uint64_t rows = values / cols;
  uint64_t step = cols >= CHUNK ? 1 : CHUNK / cols;
  float *turned = t->turn_heads ? ww_xmalloc(step * cols * sizeof *turned) : NULL;
  void *stored = ww_xmalloc(step * cols * 4);
  for (uint64_t row = 0; row < rows && !o->rc; row += step) {
    uint64_t n = ww_least(rows - row, step);
    const float *from = t->floats + row * cols;
    if (turned) {
      gather(turned, t, rows, row, n, cols);
      from = turned;
    }
    ww_from_f32(stored, t->type, from, n * cols);
    ww_out_write(o, stored, ww_dtype_bytes(t->type, n * cols));
  }
  free(turned);
  free(stored);
}
