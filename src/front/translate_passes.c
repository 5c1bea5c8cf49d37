/* translate_passes.c - LLVM's passes over a device module, so that what is lowered is
 * what nvcc's optimiser would leave.
 *
 * clang takes every call of a GPU function for one that lanes must reach together,
 * library functions too, and its optimiser leaves them in the loops and before the
 * branches where the source has them. nvcc sees the bodies of the math library: it
 * computes once what a loop does not change, merges equal calls and moves others to
 * where they are needed. So clang only translates, the math functions are declared as
 * what they are, and the optimiser runs here. Passes see no variables of the debugger,
 * which halves their time. */
#include "translate_int.h"

#include <llvm-c/Comdat.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

static LLVMTargetMachineRef target_machine(low *L) {
  LLVMTargetRef t;
  char *msg = NULL;
  const char *triple = LLVMGetTarget(L->mod);
  if (L->target == LOW_NVPTX) {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
  } else if (L->target == LOW_AMDGPU) {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
  } else
    return NULL;
  if (LLVMGetTargetFromTriple(triple, &t, &msg)) {
    LLVMDisposeMessage(msg);
    return NULL;
  }
  return LLVMCreateTargetMachine(t, triple, L->target == LOW_NVPTX ? "sm_80" : "gfx90a",
                                 "", LLVMCodeGenLevelAggressive, LLVMRelocDefault,
                                 LLVMCodeModelDefault);
}

static LLVMAttributeRef attr_of(LLVMValueRef f, const char *name) {
  return LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                                     low_attribute(name));
}

static void set_attr(low *L, LLVMValueRef f, const char *name) { /* memory: 0 is none */
  LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                          LLVMCreateEnumAttribute(L->ctx, low_attribute(name), 0));
}

static uint32_t size_of(LLVMValueRef f) {
  uint32_t n = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v))
      n++;
  return n;
}

/* nvcc inlines all but what says __noinline__, recursion, and big functions with many
 * callers. */
static bool mark_inline(low *L) {
  bool any = false;
  for (LLVMValueRef f = LLVMGetFirstFunction(L->mod); f; f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f) || low_map_get(&L->kernels, f, 0) ||
        attr_of(f, "noinline") || attr_of(f, "optnone"))
      continue;
    LLVMUseRef use = LLVMGetFirstUse(f);
    if (!use || (LLVMGetNextUse(use) && size_of(f) > 3000))
      continue;
    set_attr(L, f, "alwaysinline");
    any = true;
  }
  return any;
}

/* Values of source variables are of no use here, and passes spend half their time on
 * keeping them right. */
static void drop_variable_info(low *L) {
  static const char *const names[] = {"llvm.dbg.value", "llvm.dbg.declare",
                                      "llvm.dbg.label", "llvm.dbg.assign"};
#if LLVM_VERSION_MAJOR == 19 || LLVM_VERSION_MAJOR == 20
  /* records become calls, which LLVM-C can delete */
  LLVMSetIsNewDbgInfoFormat(L->mod, false);
#endif
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    LLVMValueRef f = LLVMGetNamedFunction(L->mod, names[i]);
    for (LLVMUseRef u; f && (u = LLVMGetFirstUse(f));)
      LLVMInstructionEraseFromParent(LLVMGetUser(u));
  }
}

/* Only what the kernels reach is worth the passes' time. */
static void hide_functions(low *L) {
  for (LLVMValueRef f = LLVMGetFirstFunction(L->mod); f; f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f) || low_map_get(&L->kernels, f, 0))
      continue;
    LLVMSetComdat(f, NULL);
    LLVMSetLinkage(f, LLVMInternalLinkage);
  }
}

void low_run(low *L, const char *passes) {
  LLVMErrorRef err = LLVMRunPasses(L->mod, passes, L->machine, L->options);
  if (err)
    LLVMConsumeError(err); /* the module is still good, only less like nvcc's */
}

/* ---- math functions ---- */

static bool touches_no_memory(LLVMValueRef f) {
  LLVMAttributeRef at = attr_of(f, "memory");
  return at && LLVMGetEnumAttributeValue(at) == 0;
}

/* What nvcc's optimiser does with a call of a math function, seen in its code for loops
 * that do not change the operands. A function with a slow path or several ways through
 * stays where it is; others are computed once before the loop; those without a
 * special-function instruction even from behind a branch in it; what is one instruction
 * is moved like any other. */
typedef enum { STAYS, ONCE, ANYWHERE, PLAIN } motion;

static motion motion_of(low *L, const char *name) {
  static const char *const stay[] = {
      "sinf",      "cosf",       "tanf",   "cospif",  "tgammaf", "lgammaf",
      "j0f",       "j1f",        "jnf",    "y0f",     "y1f",     "ynf",
      "fmodf",     "sin",        "cos",    "tan",     "cospi",   "asin",
      "acos",      "atan",       "sinh",   "cosh",    "tanh",    "asinh",
      "acosh",     "atanh",      "expm1",  "log",     "log2",    "log10",
      "log1p",     "cbrt",       "rcbrt",  "erfc",    "erfcx",   "erfinv",
      "erfcinv",   "tgamma",     "lgamma", "j0",      "j1",      "jn",
      "y0",        "y1",         "yn",     "normcdf", "fmod",    "normcdfinv",
      "remainder", "remainderf", NULL};
  static const char *const anywhere[] = {"logf", "log2f", "log10f", "expm1f", NULL};
  static const char *const plain[] = {"floor", "ceil",     "trunc", "rint",
                                      "round", "copysign", "fdim",  NULL};
  if (L->target != LOW_NVPTX || !ww_starts(name, "__nv_"))
    return ONCE;
  name += strlen("__nv_");
  if (ww_one_of(name, stay))
    return STAYS;
  if (ww_one_of(name, anywhere))
    return ANYWHERE;
  if (ww_starts(name, "fast_") || strstr(name, "rcp") || strstr(name, "sqrt") ||
      strstr(name, "div"))
    return ONCE;
  size_t n = strlen(name);
  const char *base =
      name[n - 1] == 'f' && strcmp(name, "erf") ? ww_strndup(L->a, name, n - 1) : name;
  return low_math_named(base, strlen(base)) < 0 || ww_one_of(base, plain) ? PLAIN
                                                                          : ONCE;
}

/* A function of a math library whose result depends on its operands alone. */
static bool pure(low *L, LLVMValueRef f) {
  if (!LLVMIsDeclaration(f) || LLVMGetIntrinsicID(f))
    return false;
  if (LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(f))) == LLVMVoidTypeKind)
    return false;
  for (unsigned k = 0; k < LLVMCountParams(f); k++)
    if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(f, k))) == LLVMPointerTypeKind)
      return false;
  return (L->target == LOW_NVPTX && ww_starts(low_name(f), "__nv_")) ||
         touches_no_memory(f);
}

static void allow_motion(LLVMValueRef f) {
  unsigned convergent = low_attribute("convergent");
  LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, convergent);
  for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef call = LLVMGetUser(u);
    if (LLVMIsACallInst(call) && LLVMGetCalledValue(call) == f)
      LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, convergent);
  }
}

/* Whether there are any. */
static bool declare_math(low *L) {
  bool any = false;
  static const char *const what[] = {"memory", "nounwind", "willreturn",
                                     "nosync", "nofree",   "nocallback"};
  for (LLVMValueRef f = LLVMGetFirstFunction(L->mod); f; f = LLVMGetNextFunction(f)) {
    if (!pure(L, f))
      continue;
    any = true;
    motion m = motion_of(L, low_name(f));
    for (size_t k = 0; k < sizeof what / sizeof *what; k++)
      set_attr(L, f, what[k]);
    if (m != STAYS)
      allow_motion(f);
    if (m == PLAIN)
      set_attr(L, f, "speculatable");
  }
  return any;
}

/* Last, because an optimiser that may run a call at any time would also run it where a
 * branch is there to save the work. */
static void hoist_math(low *L) {
  bool any = false;
  for (LLVMValueRef f = LLVMGetFirstFunction(L->mod); f; f = LLVMGetNextFunction(f))
    if (pure(L, f) && motion_of(L, low_name(f)) == ANYWHERE) {
      set_attr(L, f, "speculatable");
      any = true;
    }
  if (any)
    low_run(L, "function(loop-mssa(licm))");
}

/* ---- address spaces ---- */

/* A kernel's pointers come from the host: cast to global memory and back, what is
 * computed from them can be told from shared memory. */
static void cast_param(low *L, LLVMBuilderRef b, LLVMValueRef p) {
  LLVMTypeRef t = LLVMTypeOf(p);
  unsigned space = 0;
  while (low_addrspace(L, space) != WW_GLOBAL)
    space++;
  if (LLVMGetTypeKind(t) != LLVMPointerTypeKind || LLVMGetPointerAddressSpace(t) ||
      !LLVMGetFirstUse(p))
    return;
  LLVMValueRef mark = LLVMBuildFreeze(b, p, "");
  LLVMReplaceAllUsesWith(p, mark);
  LLVMValueRef there =
      LLVMBuildAddrSpaceCast(b, p, LLVMPointerTypeInContext(L->ctx, space), "");
  LLVMValueRef back = LLVMBuildAddrSpaceCast(b, there, t, "");
  LLVMReplaceAllUsesWith(mark, back);
  LLVMInstructionEraseFromParent(mark);
}

static void cast_params(low *L) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(L->ctx);
  for (uint32_t k = 0; L->target == LOW_NVPTX && k < L->kernel.n; k++) {
    LLVMValueRef fn = L->kernel.v[k].fn;
    if (LLVMIsDeclaration(fn))
      continue;
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)));
    uint32_t i = 1;
    for (LLVMValueRef p = LLVMGetFirstParam(fn); p; p = LLVMGetNextParam(p), i++)
      if (!LLVMGetEnumAttributeAtIndex(fn, i, L->at_byval))
        cast_param(L, b, p);
  }
  LLVMDisposeBuilder(b);
  low_run(L, "function(mem2reg,infer-address-spaces)");
}

/* ---- special registers ----
 *
 * LLVM knows that threadIdx.x is below 1024, and simplifies `int t = threadIdx.x;
 * t / 16`. nvcc does not; so while passes run, they see functions of which nothing is
 * known. */

static const char sreg[] = "llvm.nvvm.read.ptx.sreg.";
static const char hidden[] = "ww.sreg.";

static void rename_sregs(low *L, const char *from, const char *to) {
  static const char *const pure_ones[] = {"memory",       "nounwind", "willreturn",
                                          "speculatable", "nosync",   "nofree"};
  for (LLVMValueRef f = LLVMGetFirstFunction(L->mod); f; f = LLVMGetNextFunction(f)) {
    if (!ww_starts(low_name(f), from) || !LLVMGetFirstUse(f))
      continue;
    const char *name = ww_fmt(L->a, "%s%s", to, low_name(f) + strlen(from));
    LLVMValueRef g = LLVMGetNamedFunction(L->mod, name);
    if (!g) {
      g = LLVMAddFunction(L->mod, name, LLVMGlobalGetValueType(f));
      for (size_t k = 0; k < WW_COUNT(pure_ones); k++)
        set_attr(L, g, pure_ones[k]);
    }
    for (LLVMUseRef u; (u = LLVMGetFirstUse(f));) {
      LLVMValueRef call = LLVMGetUser(u);
      LLVMSetOperand(call, LLVMGetNumOperands(call) - 1, g);
    }
  }
}

static void optimise(low *L) {
  declare_math(L);
  low_note_loops(L);
  low_trust_types(L);
  cast_params(L);
  low_run(L, "always-inline,default<O3>");
  if (low_mark_array_loops(L))
    low_run(L, "default<O3>");
  low_unroll_loops(L);
  if (low_split_copies(L))
    low_run(L, "function(sroa,early-cse)");
  low_find_alignment(L);
  hoist_math(L);
}

void low_run_passes(low *L, bool linked, bool raw) {
  low_unroll_options();
  L->machine = target_machine(L);
  L->options = LLVMCreatePassBuilderOptions();
  LLVMPassBuilderOptionsSetLoopVectorization(L->options, 0);
  LLVMPassBuilderOptionsSetSLPVectorization(L->options, 0);
  hide_functions(L);
  low_run(L, "globaldce");
  drop_variable_info(L);
  bool inlined = mark_inline(L);
  if (L->m.dialect == WW_CUDA)
    rename_sregs(L, sreg, hidden);
  if (raw) {
    optimise(L);
    inlined = mark_inline(L);
  }
  /* clang has optimised offloaded regions without knowing that math functions touch no
   * memory, which it sees where their library is linked. */
  if (L->m.dialect == WW_OPENMP && declare_math(L))
    low_run(L, "default<O3>");
  const char *clean = !inlined ? ""
                      : linked ? "always-inline,default<O2>,"
                               : "always-inline,function(sroa,early-cse,instcombine<no-"
                                 "verify-fixpoint>,simplifycfg),";
  /* Offloaded regions reach the GPU through LLVM's back end, which gives loops
   * induction variables of its own; nvcc has another. */
  const char *loops = L->m.dialect == WW_OPENMP ? "loop(loop-reduce)," : "";
  low_run(
      L,
      ww_fmt(
          L->a,
          "%sfunction(infer-address-spaces,separate-const-offset-from-gep,early-cse,%"
          "sload-store-vectorizer)",
          clean, loops));
  rename_sregs(L, hidden, sreg);
  LLVMDisposePassBuilderOptions(L->options);
  if (L->machine)
    LLVMDisposeTargetMachine(L->machine);
}
