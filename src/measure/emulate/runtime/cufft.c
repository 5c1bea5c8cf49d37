/* cufft.c - cuFFT for an emulated program: plans are kept, transforms are recorded and
 * not computed. A transform is the points of one and how many there are. */
#include <stdarg.h>

#include "library.h"

#define MOST 4096

typedef struct {
  uint64_t points, batch;
} plan;

static plan plans[MOST];
static int nplans;

static int new_plan(int *handle, uint64_t points, uint64_t batch) {
  ww_emu_lock();
  *handle = nplans < MOST - 1 ? ++nplans : MOST - 1;
  plans[*handle] = (plan){points, batch ? batch : 1};
  ww_emu_unlock();
  ww_emu_note("cuFFT: transforms are recorded, not computed");
  return EMU_OK;
}
static int set_plan(int handle, uint64_t points, uint64_t batch) {
  if (handle <= 0 || handle >= MOST)
    return 1; /* CUFFT_INVALID_PLAN */
  plans[handle] = (plan){points, batch ? batch : 1};
  return EMU_OK;
}

int cufftCreate(int *handle) {
  return new_plan(handle, 1, 1);
}
int cufftPlan1d(int *handle, int n, int type, int batch) {
  return new_plan(handle, n, batch);
}
int cufftPlan2d(int *handle, int x, int y) {
  return new_plan(handle, (uint64_t)x * y, 1);
}
int cufftPlan3d(int *handle, int x, int y, int z) {
  return new_plan(handle, (uint64_t)x * y * z, 1);
}
static uint64_t product(int rank, const int *n) {
  uint64_t all = 1;
  for (int i = 0; i < rank; i++)
    all *= n[i];
  return all;
}
/* handle, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch */
int cufftPlanMany(int *handle, int rank, const int *n, ...) {
  va_list v;
  va_start(v, n);
  for (int i = 0; i < 7; i++)
    va_arg(v, void *);
  int batch = va_arg(v, int);
  va_end(v);
  return new_plan(handle, product(rank, n), batch);
}
int cufftMakePlanMany(int handle, int rank, const int *n, ...) {
  va_list v;
  va_start(v, n);
  for (int i = 0; i < 7; i++)
    va_arg(v, void *);
  int batch = va_arg(v, int);
  size_t *work = va_arg(v, size_t *);
  va_end(v);
  if (work)
    *work = 0;
  return set_plan(handle, product(rank, n), batch);
}
int cufftMakePlan1d(int handle, int n, int type, int batch, size_t *work) {
  if (work)
    *work = 0;
  return set_plan(handle, n, batch);
}
int cufftMakePlan2d(int handle, int x, int y, int type, size_t *work) {
  if (work)
    *work = 0;
  return set_plan(handle, (uint64_t)x * y, 1);
}
int cufftMakePlan3d(int handle, int x, int y, int z, int type, size_t *work) {
  if (work)
    *work = 0;
  return set_plan(handle, (uint64_t)x * y * z, 1);
}

WW_EMU_ZERO cufftDestroy, cufftSetStream, cufftSetAutoAllocation, cufftSetWorkArea;

static int run(int handle, const char *function, const char *call, const char *type) {
  if (handle <= 0 || handle >= MOST || !plans[handle].points)
    return 1;
  const plan *p = &plans[handle];
  return ww_emu_library(function,
                        &(ww_library_call){"cufft", call, type, {p->points, p->batch}});
}
#define EXECUTE(name, call, type)                      \
  int cufftExec##name(int handle) {                    \
    return run(handle, "cufftExec" #name, call, type); \
  }
EXECUTE(C2C, "c2c", "f32")
EXECUTE(Z2Z, "c2c", "f64")
EXECUTE(R2C, "r2c", "f32")
EXECUTE(C2R, "r2c", "f32")
EXECUTE(D2Z, "r2c", "f64")
EXECUTE(Z2D, "r2c", "f64")
