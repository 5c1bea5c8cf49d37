/* amdgcn.c - what clang's AMD backend makes of a HIP kernel.
 *
 * AMD's own compiler is LLVM, so what it spills can be asked instead of guessed: the
 * file is compiled again, for the GPU's architecture and to assembly, of which the
 * kernel's resources, its spills and its floating-point work are read. LLVM says in
 * comments what is a spill and which blocks lie in loops; how often these run it does
 * not know, the trace does (spill.c).
 *
 * Registers and spills depend on the compiler's version: it is the one found here, not
 * that of a ROCm installation. */
#include "amdgcn.h"

#include "front_int.h"

#include <ctype.h>
#include <stdlib.h>

/* ---- the kernel's text ---- */

static const char *line_end(const char *p) {
  return p + strcspn(p, "\n");
}

static bool has(const char *p, const char *word) {
  return memmem(p, line_end(p) - p, word, strlen(word)) != NULL;
}

/* FLOPs of one lane: "v_fma_f32", "v_pk_mul_f32", half of "v_dual_add_f32 :: ...". */
static double flops_of(const char *name, size_t n) {
  static const struct {
    const char *name;
    double flops;
  } kinds[] = {{"fma", 2}, {"fmac", 2}, {"mac", 2}, {"mad", 2},
               {"add", 1}, {"sub", 1},  {"mul", 1}, {"subrev", 1}};
  char word[32];
  if (n < 7 || n >= sizeof word || !ww_starts(name, "v_"))
    return 0;
  memcpy(word, name, n);
  word[n] = 0;
  const char *kind = word + 2;
  double times = 1;
  if (ww_starts(kind, "dual_"))
    kind += 5;
  else if (ww_starts(kind, "pk_")) {
    kind += 3;
    times = 2;
  }
  size_t k = strcspn(kind, "_");
  if (!ww_starts(kind + k, "_f16") && !ww_starts(kind + k, "_f32") &&
      !ww_starts(kind + k, "_f64"))
    return 0;
  for (uint32_t i = 0; i < WW_COUNT(kinds); i++)
    if (strlen(kinds[i].name) == k && !memcmp(kind, kinds[i].name, k))
      return times * kinds[i].flops;
  return 0;
}

/* "\tscratch_store_dword ... ; 4-byte Folded Spill" */
static double folded_words(const char *line) {
  const char *at = memchr(line, ';', line_end(line) - line);
  return at ? strtod(at + 1, NULL) / 4 : 0;
}

/* "scratch_load_dwordx2", "scratch_load_b64", "buffer_load_dword" */
static double loaded_words(const char *name) {
  size_t n = strcspn(name, " \n");
  const char *bits = memmem(name, n, "_b", 2);
  const char *times = memmem(name, n, "dwordx", 6);
  return times ? strtod(times + 6, NULL) : bits ? strtod(bits + 2, NULL) / 32 : 1;
}

static void read_instruction(const char *line, ww_built_part *part) {
  const char *name = line + 1;
  part->flops += flops_of(name, strcspn(name, " \n"));
  const char *second = strstr(line, ":: ");
  if (second && second < line_end(line))
    part->flops += flops_of(second + 3, strcspn(second + 3, " \n"));
  bool memory = ww_starts(name, "buffer_") || ww_starts(name, "scratch_");
  if (memory && has(line, "Folded Spill"))
    part->spilled += folded_words(line);
  if (memory && has(line, "Folded Reload"))
    part->reloaded += folded_words(line);
  else if (ww_starts(name, "scratch_load_") || ww_starts(name, "buffer_load_"))
    part->unnamed += loaded_words(name);
}

/* From the kernel's label to its end. A block begins with a label, or a comment where
 * only the block before leads to it; comments behind it name the loops it is in. */
static void read_body(const char *text, ww_built *out) {
  bool looped = false;
  for (const char *p = text; *p && !ww_starts(p, ".Lfunc_end");) {
    bool begins = ww_starts(p, ".LBB") || ww_starts(p, "; %bb.");
    bool comment = !isalpha((unsigned char)p[*p == '\t']);
    if (begins)
      looped = false;
    if (begins || comment)
      looped |= has(p, "Depth=");
    else if (*p == '\t')
      read_instruction(p, looped ? &out->looped : &out->once);
    p = line_end(p);
    p += *p != 0;
  }
}

/* ---- its resources: the .amdhsa_kernel directives ---- */

static double directive(const char *from, const char *to, const char *name) {
  const char *at = memmem(from, to - from, name, strlen(name));
  return at ? strtod(at + strlen(name), NULL) : 0;
}

/* A function that is called stands elsewhere: LLVM's numbers are then a guess at it. */
static bool calls(const char *body) {
  const char *end = strstr(body, ".Lfunc_end");
  const char *call = strstr(body, "\ts_swappc_b64");
  return call && (!end || call < end);
}

bool ww_amdgcn_read(const char *text, const char *kernel, ww_arena *a, ww_built *out) {
  const char *body = strstr(text, ww_fmt(a, "\n%s:", kernel));
  const char *from = strstr(text, ww_fmt(a, ".amdhsa_kernel %s\n", kernel));
  const char *to = from ? strstr(from, ".end_amdhsa_kernel") : NULL;
  *out = (ww_built){0};
  if (!body || !to)
    return false;
  if (calls(body))
    return true;
  out->registers = directive(from, to, ".amdhsa_next_free_vgpr ");
  out->scratch_bytes = directive(from, to, ".amdhsa_private_segment_fixed_size ");
  read_body(line_end(body + 1) + 1, out);
  return true;
}

/* ---- clang ---- */

ww_status ww_front_amdgcn(const ww_front_options *o,
                          const char *architecture,
                          const char *kernel,
                          ww_arena *a,
                          ww_built *out,
                          ww_err *e) {
  ww_clang clang;
  ww_flags flags;
  ww_status rc = ww_clang_find(a, &clang, e);
  if (rc)
    return rc;
  ww_flags_sort(o->flags, o->nflags, a, &flags);
  ww_clang_job j = ww_front_new_job(o, &clang, WW_HIP, &flags);
  j.assembly_for = architecture;
  for (uint32_t i = 0; i < o->nfiles; i++) {
    ww_compiled c = {0};
    ww_scan scan;
    rc = ww_front_scan(o, i, a, &scan, e);
    ww_front_job(o, i, &scan, &j);
    if (!rc)
      rc = ww_clang_compile(&j, a, &c, e);
    if (rc)
      return rc;
    if (c.ok && ww_amdgcn_read(c.bitcode, kernel, a, out))
      return WW_OK;
  }
  return ww_fail(e, WW_EUNSUPPORTED, "clang does not compile it for %s", architecture);
}
