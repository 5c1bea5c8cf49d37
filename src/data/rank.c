/* rank.c - which part of a campaign is this process's: what launchers of parallel jobs
 * leave in the environment. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "collect.h"

/* The project's own first, so that a person can overrule a launcher. */
static const struct {
  const char *rank, *size;
} launchers[] = {
    {"WARPWISE_RANK", "WARPWISE_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, /* OpenMPI */
    {"PMI_RANK", "PMI_SIZE"},                         /* MPICH, Intel MPI */
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},   /* MVAPICH2 */
    {"SLURM_PROCID", "SLURM_NTASKS"},                 /* srun */
    /* an indexed Kubernetes job tells no size */
    {"JOB_COMPLETION_INDEX", "WARPWISE_SIZE"},
};

static ww_status number(const char *name, const char *text, uint32_t *out, ww_err *e) {
  char *end;
  errno = 0;
  unsigned long v = strtoul(text, &end, 10);
  if (errno || end == text || *end || *text == '-' || v > UINT32_MAX)
    return ww_fail(e, WW_EUSAGE, "%s='%.40s' is no number: a launcher sets it", name,
                   text);
  *out = v;
  return WW_OK;
}

ww_status ww_rank_find(ww_rank *out, ww_err *e) {
  *out = (ww_rank){.rank = 0, .size = 1};
  for (size_t k = 0; k < sizeof launchers / sizeof *launchers; k++) {
    const char *by = launchers[k].rank;
    const char *of = launchers[k].size;
    const char *rank = getenv(by);
    const char *size = getenv(of);
    if (!rank || !*rank)
      continue;
    if (!size || !*size)
      return ww_fail(
          e, WW_EUSAGE,
          "%s says that this is rank %s, but not of how many: set WARPWISE_SIZE (in an "
          "indexed Kubernetes job, "
          "to its completions)",
          by, rank);
    ww_status st = number(by, rank, &out->rank, e);
    if (!st)
      st = number(of, size, &out->size, e);
    if (!st && out->rank >= out->size)
      st = ww_fail(e, WW_EUSAGE, "%s=%u and %s=%u: a rank lies below the size", by,
                   out->rank, of, out->size);
    out->from = by;
    return st;
  }
  return WW_OK;
}

bool ww_rank_one_node(const ww_rank *r) {
  static const char *const ranks_here[] = {
      "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE"};
  static const char *const nodes[] = {"SLURM_STEP_NUM_NODES", "SLURM_NNODES"};
  uint32_t n;
  for (size_t k = 0; k < sizeof ranks_here / sizeof *ranks_here; k++) {
    const char *text = getenv(ranks_here[k]);
    if (text)
      return !number("", text, &n, NULL) && n == r->size;
  }
  for (size_t k = 0; k < sizeof nodes / sizeof *nodes; k++) {
    const char *text = getenv(nodes[k]);
    if (text)
      return !number("", text, &n, NULL) && n == 1;
  }
  return false;
}

/* ---- the rank's own GPU ---- */

static uint32_t entries(const char *path) {
  DIR *d = opendir(path);
  uint32_t n = 0;
  for (const struct dirent *f; d && (f = readdir(d));)
    n += f->d_name[0] != '.';
  if (d)
    closedir(d);
  return n;
}

/* The k-th of a list "0,1,2", around its end. */
static void pick(const char *list, uint32_t k, char *out, size_t room) {
  uint32_t n = 1;
  for (const char *c = list; *c; c++)
    n += *c == ',';
  for (k %= n; k; k--)
    list = strchr(list, ',') + 1;
  snprintf(out, room, "%.*s", (int)strcspn(list, ","), list);
}

void ww_rank_device(const ww_rank *r) {
  static const char *const locals[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                       "MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"};
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  const char *text = NULL;
  char mine[64];
  uint32_t local;
  uint32_t n = entries("/proc/driver/nvidia/gpus");
  for (size_t k = 0; !text && k < sizeof locals / sizeof *locals; k++)
    text = getenv(locals[k]);
  if (r->size < 2 || !text || number("", text, &local, NULL))
    return;
  if (visible && *visible)
    pick(visible, local, mine, sizeof mine);
  else if (n > 1)
    snprintf(mine, sizeof mine, "%u", local % n);
  else
    return;
  setenv("CUDA_VISIBLE_DEVICES", mine, 1);
}
