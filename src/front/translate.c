/* translate.c - a device module: link, prepare with LLVM passes, find kernels and
 * variables, lower what the kernels reach.
 *
 * Workload: one to a few hundred kernels of a few hundred instructions each; most time
 * goes into LLVM's own passes, so the pipeline is short. A function that cannot be
 * lowered keeps its reason, and passes it on to everything that calls it. */
#include "translate_int.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>

#include <stdlib.h>

enum { CC_PTX_KERNEL = 71, CC_SPIR_KERNEL = 76, CC_AMDGPU_KERNEL = 91 };

ww_space low_addrspace(const low *L, unsigned as) {
  static const uint8_t spaces[][7] = {
      [LOW_NVPTX] = {WW_GENERIC, WW_GLOBAL, WW_GENERIC, WW_SHARED, WW_CONST, WW_LOCAL,
                     WW_GENERIC},
      [LOW_SPIR] = {WW_LOCAL, WW_GLOBAL, WW_CONST, WW_SHARED, WW_GENERIC, WW_GLOBAL,
                    WW_GLOBAL},
      [LOW_AMDGPU] = {WW_GENERIC, WW_GLOBAL, WW_GLOBAL, WW_SHARED, WW_CONST, WW_LOCAL,
                      WW_CONST}};
  if (L->target == LOW_NVPTX && as == 101)
    return WW_PARAM;
  return as < 7 ? spaces[L->target][as] : WW_GENERIC;
}

/* ---- reading and linking ---- */

enum { LINK_ERROR = 300 };

static void on_diagnostic(LLVMDiagnosticInfoRef d, void *ctx) {
  char *text = ctx;
  if (LLVMGetDiagInfoSeverity(d) != LLVMDSError || *text)
    return;
  char *s = low_made(LLVMGetDiagInfoDescription(d));
  snprintf(text, LINK_ERROR, "%s", s);
  LLVMDisposeMessage(s);
}

/* clang renames a static variable once it meets host code that uses it (x ->
 * x__static__<number>); kernels above that line still name x, which nothing defines. */
static void join_statics(LLVMModuleRef m, ww_arena *a) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(m), next; g; g = next) {
    next = LLVMGetNextGlobal(g);
    if (!LLVMIsDeclaration(g) || !*low_name(g))
      continue;
    const char *longer = ww_fmt(a, "%s__static__", low_name(g));
    for (LLVMValueRef d = LLVMGetFirstGlobal(m); d; d = LLVMGetNextGlobal(d)) {
      if (LLVMIsDeclaration(d) || LLVMTypeOf(d) != LLVMTypeOf(g) ||
          !ww_starts(low_name(d), longer))
        continue;
      LLVMReplaceAllUsesWith(g, d);
      LLVMDeleteGlobal(g);
      break;
    }
  }
}

static ww_status read_modules(low *L,
                              const void *bitcode[],
                              const size_t sizes[],
                              uint32_t n,
                              const char *why,
                              ww_err *e) {
  for (uint32_t i = 0; i < n; i++) {
    LLVMModuleRef m = NULL;
    LLVMMemoryBufferRef buf =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode[i], sizes[i], "device");
    bool bad = LLVMParseBitcodeInContext2(L->ctx, buf, &m);
    LLVMDisposeMemoryBuffer(buf);
    if (bad)
      return ww_fail(e, WW_EPARSE,
                     "device code of unit %u is not bitcode this LLVM can read: %s", i,
                     why);
    join_statics(m, L->a);
    if (!L->mod)
      L->mod = m;
    else if (LLVMLinkModules2(L->mod, m))
      return ww_fail(e, WW_EPARSE, "the translation units do not link: %s", why);
  }
  return L->mod ? WW_OK : ww_fail(e, WW_EUSAGE, "no device module to lower");
}

/* Modules that LLVM would take for others are kept until the end, so that their
 * addresses are not given out again. */
typedef struct {
  LLVMModuleRef v[32];
  uint32_t n;
} stale_modules;

static ww_status read_fresh(low *L,
                            const void *bitcode[],
                            const size_t sizes[],
                            uint32_t n,
                            const char *why,
                            stale_modules *stale,
                            ww_err *e) {
  for (;;) {
    ww_status st = read_modules(L, bitcode, sizes, n, why, e);
    if (st || low_fresh(L->mod, L->a))
      return st;
    if (stale->n == sizeof stale->v / sizeof *stale->v)
      return ww_fail(e, WW_ELIMIT,
                     "LLVM takes this module for one that was read before: start the "
                     "program again");
    stale->v[stale->n++] = L->mod;
    L->mod = NULL;
  }
}

/* ---- kernels ---- */

static struct low_kernel *kernel_of(low *L, LLVMValueRef f) {
  bool fresh;
  uint32_t *at = low_map_at(L->a, &L->kernels, f, &fresh);
  if (fresh) {
    ww_push(L->a, &L->kernel, (struct low_kernel){.fn = f});
    *at = L->kernel.n;
  }
  return &L->kernel.v[*at - 1];
}

/* One pair of nvvm.annotations: {function, key, value, key, value ...} */
static void annotation(low *L, LLVMValueRef f, const char *key, uint32_t v) {
  bool axis = strlen(key) == strlen("maxntidx");
  if (!strcmp(key, "kernel"))
    kernel_of(L, f);
  if (!low_map_get(&L->kernels, f, 0))
    return;
  struct low_kernel *k = kernel_of(L, f);
  if (axis && ww_starts(key, "maxntid"))
    k->max_threads = (k->max_threads ? k->max_threads : 1) * (v ? v : 1);
  if (ww_starts(key, "minctasm"))
    k->min_blocks = v;
  if (axis && ww_starts(key, "reqntid") && key[7] >= 'x' && key[7] <= 'z')
    k->req[key[7] - 'x'] = v;
  if (ww_starts(key, "cluster_dim_") && key[12] >= 'x' && key[12] <= 'z')
    k->cluster[key[12] - 'x'] = v;
}

/* annotate("cluster_dims", x, y, z), by which the shim's __cluster_dims__ is said: one
 * {function, text, file, line, arguments} of llvm.global.annotations. */
static void cluster_note(low *L, LLVMValueRef note) {
  LLVMValueRef f = LLVMGetOperand(note, 0);
  LLVMValueRef text = LLVMIsAGlobalVariable(LLVMGetOperand(note, 1));
  LLVMValueRef args = LLVMIsAGlobalVariable(LLVMGetOperand(note, 4));
  LLVMValueRef said = text ? LLVMGetInitializer(text) : NULL;
  LLVMValueRef list = args ? LLVMGetInitializer(args) : NULL;
  size_t n;
  if (!said || !list || !LLVMIsAFunction(f) || !low_map_get(&L->kernels, f, 0) ||
      !LLVMIsConstantString(said) || strcmp(LLVMGetAsString(said, &n), "cluster_dims"))
    return;
  uint32_t *size = kernel_of(L, f)->cluster;
  unsigned count = LLVMCountStructElementTypes(LLVMTypeOf(list));
  for (unsigned d = 0; d < 3; d++) {
    LLVMValueRef v = d < count ? LLVMGetAggregateElement(list, d) : NULL;
    size[d] = v && LLVMIsAConstantInt(v) ? LLVMConstIntGetZExtValue(v) : 1;
  }
}

static void cluster_notes(low *L) {
  LLVMValueRef all = LLVMGetNamedGlobal(L->mod, "llvm.global.annotations");
  LLVMValueRef list = all ? LLVMGetInitializer(all) : NULL;
  for (int k = 0; list && k < LLVMGetNumOperands(list); k++)
    if (LLVMGetNumOperands(LLVMGetOperand(list, k)) == 5)
      cluster_note(L, LLVMGetOperand(list, k));
}

static void annotations(low *L) {
  low_nodes all = low_named_nodes(L->a, L->mod, "nvvm.annotations");
  for (unsigned i = 0; i < all.n; i++) {
    low_nodes of = low_operands(L->a, all.v[i]);
    if (of.n < 3 || !of.v[0] || !LLVMIsAFunction(of.v[0]) || LLVMIsDeclaration(of.v[0]))
      continue;
    for (unsigned j = 1; j + 1 < of.n; j += 2) {
      const char *key = low_node_string(of.v[j]);
      if (key && of.v[j + 1] && LLVMIsAConstantInt(of.v[j + 1]))
        annotation(L, of.v[0], key, LLVMConstIntGetZExtValue(of.v[j + 1]));
    }
  }
}

static const char *string_attr(LLVMValueRef f, const char *key) {
  unsigned n;
  LLVMAttributeRef at =
      LLVMGetStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, key, strlen(key));
  return at ? LLVMGetStringAttributeValue(at, &n) : NULL;
}

/* Bounds that newer LLVMs and AMD keep as string attributes. */
static void attribute_bounds(struct low_kernel *k) {
  unsigned lo;
  unsigned hi;
  const char *s = string_attr(k->fn, "nvvm.maxntid");
  if (s) {
    char *end;
    k->max_threads = 1;
    for (char *p = (char *)s;; p = end + 1) {
      k->max_threads *= strtoul(p, &end, 10);
      if (*end != ',')
        break;
    }
  }
  if ((s = string_attr(k->fn, "nvvm.minctasm")))
    k->min_blocks = strtoul(s, NULL, 10);
  if ((s = string_attr(k->fn, "nvvm.cluster_dim")))
    sscanf(s, "%u,%u,%u", &k->cluster[0], &k->cluster[1], &k->cluster[2]);
  if ((s = string_attr(k->fn, "amdgpu-flat-work-group-size")) &&
      sscanf(s, "%u,%u", &lo, &hi) == 2 && hi != 1024)
    k->max_threads = hi;
}

static void required_size(low *L, struct low_kernel *k) {
  size_t n;
  LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(k->fn, &n);
  for (size_t i = 0; i < n; i++) {
    if (LLVMValueMetadataEntriesGetKind(all, i) != L->md_reqd)
      continue;
    LLVMMetadataRef size = LLVMValueMetadataEntriesGetMetadata(all, i);
    low_nodes of = low_operands(L->a, LLVMMetadataAsValue(L->ctx, size));
    for (int d = 0; of.n == 3 && d < 3; d++)
      k->req[d] = LLVMConstIntGetZExtValue(of.v[d]);
  }
  LLVMDisposeValueMetadataEntries(all);
}

static void find_kernels(low *L) {
  for (LLVMValueRef f = LLVMGetFirstFunction(L->mod); f; f = LLVMGetNextFunction(f)) {
    unsigned cc = LLVMGetFunctionCallConv(f);
    if (!LLVMIsDeclaration(f) &&
        (cc == CC_PTX_KERNEL || cc == CC_SPIR_KERNEL || cc == CC_AMDGPU_KERNEL))
      kernel_of(L, f);
  }
  annotations(L);
  cluster_notes(L);
  for (uint32_t i = 0; i < L->kernel.n; i++) {
    attribute_bounds(&L->kernel.v[i]);
    required_size(L, &L->kernel.v[i]);
  }
}

/* ---- variables ---- */

uint32_t low_symbol(low *L, LLVMValueRef gv) {
  bool fresh;
  uint32_t *at = low_map_at(L->a, &L->syms, gv, &fresh);
  if (!fresh)
    return *at;
  uint32_t index = *at = L->m.sym_list.n;
  LLVMTypeRef t = LLVMGlobalGetValueType(gv);
  unsigned as = LLVMGetPointerAddressSpace(LLVMTypeOf(gv));
  ww_symbol s = {.mangled = ww_strdup(L->a, low_name(gv)),
                 .align = LLVMGetAlignment(gv)};
  ww_space space = low_addrspace(L, as);
  s.space = space == WW_SHARED || space == WW_CONST ? space : WW_GLOBAL;
  s.size = LLVMTypeIsSized(t) ? LLVMABISizeOfType(L->td, t) : 0;
  if (!s.align)
    s.align = LLVMTypeIsSized(t) ? LLVMABIAlignmentOfType(L->td, t) : 1;
  /* an array of no size that is not extern has no room, whatever the launch gives */
  s.dynamic = s.space == WW_SHARED && LLVMIsDeclaration(gv);
  if (s.dynamic)
    s.size = 0;
  if (!*s.mangled)
    s.mangled = ww_fmt(L->a, ".constant%u", index);
  s.name = low_variable_name(&L->m, s.mangled);
  bool missing = LLVMIsDeclaration(gv) && !s.dynamic;
  const char *why =
      ww_fmt(L->a, "uses the variable %s, which has no definition", s.name);
  low_add_symbol(&L->m, s, missing ? why : NULL);
  ww_push(L->a, &L->sym_llvm, gv);
  return index;
}

/* ---- functions ---- */

uint32_t low_want_fn(low *L, LLVMValueRef f) {
  bool fresh;
  uint32_t *at = low_map_at(L->a, &L->fns, f, &fresh);
  if (!fresh)
    return *at;
  *at = L->m.list.n;
  low_fn *F = low_add_fn(&L->m);
  F->L = L;
  F->of = WW_NEW(L->a, low_source);
  F->of->fn = f;
  uint32_t k = low_map_get(&L->kernels, f, 0);
  F->is_kernel = F->fn.kernel = k != 0;
  if (k) {
    struct low_kernel *kn = &L->kernel.v[k - 1];
    F->fn.max_threads = kn->max_threads;
    F->fn.min_blocks = kn->min_blocks;
    for (int d = 0; d < 3 && (kn->req[0] || kn->req[1] || kn->req[2]); d++)
      F->fn.req_block[d] = kn->req[d] ? kn->req[d] : 1;
    for (int d = 0; d < 3 && kn->cluster[0]; d++)
      F->fn.cluster[d] = kn->cluster[d] ? kn->cluster[d] : 1;
  }
  low_describe(L, f, &F->fn);
  return F->index;
}

static const char *
param_name(low *L, LLVMValueRef p, uint32_t i, uint32_t part, uint32_t parts) {
  char *name = *low_name(p) ? ww_strdup(L->a, low_name(p)) : ww_fmt(L->a, "arg%u", i);
  char *tail = strstr(name, ".coerce");
  if (tail)
    *tail = 0;
  return parts > 1 ? ww_fmt(L->a, "%s.%u", name, part) : name;
}

typedef struct {
  LLVMValueRef p;
  const low_type *t;
  LLVMTypeRef by; /* type behind byval or byref, else NULL */
  bool packed;    /* a kernel's aggregate: its address in parameter space is passed */
  uint32_t first; /* first ww_param */
} formal;

static LLVMTypeRef pointee_attr(low_fn *F, uint32_t i) {
  LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(F->of->fn, i + 1, F->L->at_byval);
  if (!a)
    a = LLVMGetEnumAttributeAtIndex(F->of->fn, i + 1, F->L->at_byref);
  return a ? LLVMGetTypeAttributeValue(a) : NULL;
}

/* A texture or surface object: a number that is where its elements begin. */
static bool is_handle(LLVMValueRef p) {
  LLVMTypeRef t = LLVMTypeOf(p);
  if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(t) != 64)
    return false;
  for (LLVMUseRef u = LLVMGetFirstUse(p); u; u = LLVMGetNextUse(u))
    if (LLVMIsAIntToPtrInst(LLVMGetUser(u)))
      return true;
  return false;
}

static void formal_params(low_fn *F, formal *f, uint32_t i) {
  low *L = F->L;
  LLVMTypeRef lt = LLVMTypeOf(f->p);
  f->t = low_flat(L, lt);
  f->by = pointee_attr(F, i);
  f->first = F->fn.nparams;
  f->packed = F->is_kernel && !f->by && f->t->n != 1;
  if (f->t->refuse)
    low_refuse(F, "takes %s", f->t->refuse);
  LLVMTypeRef whole = F->is_kernel && f->by ? f->by : lt;
  ww_param p = {.type = WW_I64,
                .size = LLVMABISizeOfType(L->td, whole),
                .align = LLVMABIAlignmentOfType(L->td, whole)};
  LLVMAttributeRef al = LLVMGetEnumAttributeAtIndex(F->of->fn, i + 1, L->at_align);
  if (f->by && al)
    p.align = LLVMGetEnumAttributeValue(al);
  if (F->is_kernel && (f->by || f->packed)) {
    p.name = param_name(L, f->p, i, 0, 1);
    p.byval = true;
    p.space = WW_PARAM;
    low_add_param(F, p);
    return;
  }
  for (uint32_t c = 0; c < f->t->n; c++) {
    p.name = param_name(L, f->p, i, c, f->t->n);
    p.type = f->t->c[c].type;
    bool handle = F->is_kernel && is_handle(f->p);
    p.pointer = LLVMGetTypeKind(lt) == LLVMPointerTypeKind || handle;
    if (f->t->n > 1)
      p.size = p.align = f->t->c[c].mem;
    if (p.pointer) {
      ww_space s =
          handle ? WW_GLOBAL : low_addrspace(L, LLVMGetPointerAddressSpace(lt));
      p.space = s == WW_GENERIC && F->is_kernel ? WW_GLOBAL : s;
      p.readonly =
          LLVMGetEnumAttributeAtIndex(F->of->fn, i + 1, L->at_readonly) != NULL;
    }
    low_add_param(F, p);
  }
}

/* Whether inline PTX takes an address to a tensor map, which it only reads. */
static bool reads_tensor_map(LLVMValueRef callee) {
#if LLVM_VERSION_MAJOR >= 18
  size_t n = 0;
  const char *text =
      LLVMIsAInlineAsm(callee) ? LLVMGetInlineAsmAsmString(callee, &n) : "";
  return memmem(text, n, "async.bulk", 10) || memmem(text, n, "tensormap", 9);
#else
  (void)callee;
  return false;
#endif
}

/* Whether the by-value argument behind v is only ever read, so that parameter space can
 * serve it.
 */
static bool only_read(LLVMValueRef v, int depth) {
  if (!depth)
    return false;
  for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    if (!LLVMIsAInstruction(user))
      return false;
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMLoad:
      break;
    case LLVMGetElementPtr:
    case LLVMAddrSpaceCast:
    case LLVMBitCast:
    case LLVMPtrToInt:
    case LLVMSelect:
      if (!only_read(user, depth - 1))
        return false;
      break;
    case LLVMCall: {
      const char *name = low_name(LLVMGetCalledValue(user));
      if (reads_tensor_map(LLVMGetCalledValue(user)))
        break;
      bool copy = (ww_starts(name, "llvm.memcpy") || ww_starts(name, "llvm.memmove")) &&
                  LLVMGetOperand(user, 0) != v;
      if (!copy && !ww_starts(name, "llvm.lifetime") && !ww_starts(name, "llvm.dbg"))
        return false;
      break;
    }
    default:
      return false;
    }
  }
  return true;
}

static void own_copy(low_fn *F, formal *f, uint64_t bytes, uint32_t align) {
  ww_val v = low_local(F, bytes, align < 16 ? 16 : align);
  low_addr to = {.base = v, .space = WW_LOCAL, .align = align};
  low_addr from = {.base = f->first, .space = WW_PARAM, .align = align};
  low_copy(F, to, from, bytes);
  low_set(F, f->p, &v, 1);
}

static void bind_formal(low_fn *F, formal *f) {
  ww_param *p = &F->fn.params[f->first];
  ww_val first = f->first; /* parameters are the first values, in order */
  F->cur = LOW_PROLOGUE;
  if (F->is_kernel && f->by) {
    if (only_read(f->p, 12))
      low_set(F, f->p, &first, 1);
    else
      own_copy(F, f, p->size, p->align);
    return;
  }
  ww_val *v = low_values(F, f->t->n);
  for (uint32_t i = 0; i < f->t->n; i++)
    v[i] = f->first + i;
  if (f->packed && f->t->n) {
    low_addr from = {.base = first, .space = WW_PARAM, .align = p->align};
    low_load(F, from, f->t->c, f->t->n, v);
  }
  low_set(F, f->p, v, f->t->n);
}

static void lower_fn(low_fn *F) {
  uint32_t n = LLVMCountParams(F->of->fn);
  uint32_t i = 0;
  formal *formals = WW_NEWN(F->a, formal, n + 1);
  for (LLVMValueRef p = LLVMGetFirstParam(F->of->fn); p; p = LLVMGetNextParam(p), i++) {
    formals[i].p = p;
    formal_params(F, &formals[i], i);
  }
  if (F->is_kernel)
    low_describe_params(F->L, F->of->fn, &F->fn);
  const low_type *r =
      low_flat(F->L, LLVMGetReturnType(LLVMGlobalGetValueType(F->of->fn)));
  F->fn.ret = r->n == 1 ? r->c[0].type : WW_VOID;
  if (r->refuse)
    low_refuse(F, "returns %s", r->refuse);
  if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(F->of->fn)))
    low_refuse(F, "variable arguments");
  for (i = 0; i < n && !F->fn.refusal; i++)
    bind_formal(F, &formals[i]);
  if (!F->fn.refusal)
    low_body(F);
  if (!F->fn.refusal)
    low_finish(F);
}

/* ---- the module ---- */

unsigned low_attribute(const char *name) {
  return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static unsigned md_kind(low *L, const char *name) {
  return LLVMGetMDKindIDInContext(L->ctx, name, strlen(name));
}

static void set_up(low *L) {
  const char *triple = LLVMGetTarget(L->mod);
  L->target = ww_starts(triple, "nvptx")    ? LOW_NVPTX
              : ww_starts(triple, "amdgcn") ? LOW_AMDGPU
                                            : LOW_SPIR;
  L->td = LLVMGetModuleDataLayout(L->mod);
  L->md_invariant = md_kind(L, "invariant.load");
  L->md_reqd = md_kind(L, "reqd_work_group_size");
  L->md_fpmath = md_kind(L, "fpmath");
  L->md_loop = md_kind(L, "llvm.loop");
  L->md_fields = md_kind(L, "tbaa.struct");
  L->at_byval = low_attribute("byval");
  L->at_byref = low_attribute("byref");
  L->at_noalias = low_attribute("noalias");
  L->at_readonly = low_attribute("readonly");
  L->at_align = low_attribute("align");
  low_begin(&L->m);
}

static uint32_t warp_size(low *L) {
  if (L->target != LOW_AMDGPU)
    return 32;
  for (uint32_t i = 0; i < L->kernel.n; i++) {
    const char *cpu = string_attr(L->kernel.v[i].fn, "target-cpu");
    if (cpu && ww_starts(cpu, "gfx1") && strlen(cpu) == 7)
      return 32; /* RDNA: gfx1030, gfx1100 ... */
  }
  return 64;
}

static void lower_all(low *L) {
  for (uint32_t i = 0; i < L->kernel.n; i++)
    low_want_fn(L, L->kernel.v[i].fn);
  uint32_t f = 0;
  uint32_t s = 0;
  while (f < L->m.list.n || s < L->m.sym_list.n)
    if (f < L->m.list.n)
      lower_fn(L->m.list.v[f++]);
    else
      low_init_symbol(L, s++);
}

ww_status ww_lower_bitcode(const void *bitcode[],
                           const size_t sizes[],
                           uint32_t n,
                           ww_dialect d,
                           bool raw,
                           ww_arena *a,
                           ww_module *out,
                           ww_err *e) {
  char why[LINK_ERROR] = "";
  low L = {.m = {.a = a, .out = out, .dialect = d}, .a = a, .ctx = LLVMContextCreate()};
  LLVMContextSetDiagnosticHandler(L.ctx, on_diagnostic, why);
  stale_modules stale = {.n = 0};
  ww_status st = read_fresh(&L, bitcode, sizes, n, why, &stale, e);
  if (!st) {
    set_up(&L);
    find_kernels(&L);
    low_run_passes(&L, n > 1, raw);
    L.m.warp = warp_size(&L);
    lower_all(&L);
    st = low_deliver(&L.m, e);
  }
  if (L.mod)
    LLVMDisposeModule(L.mod);
  while (stale.n)
    LLVMDisposeModule(stale.v[--stale.n]);
  LLVMContextDispose(L.ctx);
  return st;
}
