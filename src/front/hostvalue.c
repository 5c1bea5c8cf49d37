/* hostvalue.c - reads constants, addresses and allocation sizes out of optimised host
 * IR.
 *
 * Everything here answers "known" only for what LLVM itself folded to a constant, or
 * for memory that is written exactly once; two writes to a place, or a write that
 * cannot be placed, leave it unknown. */
#include "hostlaunch_int.h"

bool ww_host_int(LLVMValueRef v, int64_t *out) {
  if (!v || !LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
    return false;
  *out = LLVMConstIntGetSExtValue(v);
  return true;
}

bool ww_host_arg(LLVMValueRef v, ww_arg *out) {
  LLVMBool lossy;
  int64_t i;
  if (ww_host_int(v, &i)) {
    if (LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 1)
      i = i != 0;
    *out = (ww_arg){.kind = WW_ARG_VALUE, .is_int = true, .ivalue = i, .value = i};
    return true;
  }
  if (!LLVMIsAConstantFP(v))
    return false;
  LLVMTypeKind k = LLVMGetTypeKind(LLVMTypeOf(v));
  if (k != LLVMFloatTypeKind && k != LLVMDoubleTypeKind && k != LLVMHalfTypeKind)
    return false;
  *out = (ww_arg){.kind = WW_ARG_VALUE, .value = LLVMConstRealGetDouble(v, &lossy)};
  return true;
}

static bool is_gep(LLVMValueRef v) {
  return LLVMIsAGetElementPtrInst(v) ||
         (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr);
}

static bool gep_offset(const ww_host_ir *h, LLVMValueRef gep, int64_t *out) {
  LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
  int64_t scale;
  *out = 0;
  for (int i = 1; i < LLVMGetNumOperands(gep); i++)
    if (!low_gep_step(h->layout, &t, i, LLVMGetOperand(gep, i), &scale, out))
      return false;
  return true;
}

ww_host_addr ww_host_address(const ww_host_ir *h, LLVMValueRef v) {
  ww_host_addr r = {v, 0, true};
  for (int depth = 0; depth < 16 && is_gep(r.base); depth++) {
    int64_t off;
    if (gep_offset(h, r.base, &off))
      r.offset += off;
    else
      r.exact = false;
    r.base = LLVMGetOperand(r.base, 0);
  }
  return r;
}

const char *ww_host_callee(LLVMValueRef call) {
  LLVMValueRef f = LLVMGetCalledValue(call);
  return f && LLVMIsAFunction(f) ? low_name(f) : "";
}

bool ww_host_is_call(LLVMValueRef ins) {
  return LLVMIsACallInst(ins) || LLVMIsAInvokeInst(ins);
}

/* ---- memory ---- */

typedef struct {
  const ww_host_ir *h;
  int64_t offset;
  uint64_t size;
  LLVMValueRef value; /* the store's value that covers the bytes */
  int64_t value_at;   /* where it begins */
  bool copied;        /* value is where the bytes come from */
  uint32_t writes;
} lookup;

/* The write of `value`, which begins at `at` and has n bytes, where it covers what is
 * looked for.
 */
static void note_write(lookup *l, LLVMValueRef value, int64_t at, int64_t n) {
  if (l->offset < at || l->offset >= at + n)
    return;
  l->writes++;
  if (value) {
    l->value = value;
    l->value_at = at;
  }
}

static void
look_at_call(lookup *l, LLVMValueRef call, LLVMValueRef pointer, int64_t at) {
  int64_t len;
  int64_t byte;
  const char *name = ww_host_callee(call);
  bool set = ww_starts(name, "llvm.memset");
  if ((!set && !ww_starts(name, "llvm.memcpy")) || LLVMGetOperand(call, 0) != pointer ||
      !ww_host_int(LLVMGetOperand(call, 2), &len))
    return;
  LLVMValueRef from = LLVMGetOperand(call, 1);
  bool covers = l->offset >= at && l->offset < at + len;
  if (!set) {
    note_write(l, from, at, len);
    l->copied |= covers;
  } else if (!ww_host_int(from, &byte) || byte)
    note_write(l, NULL, at, len);
  else if (covers) /* zero wherever one looks */
    note_write(
        l, LLVMConstInt(LLVMInt64TypeInContext(LLVMGetModuleContext(l->h->m)), 0, 0),
        l->offset, 1);
}

/* All writes through `pointer`, which is the base plus `at` bytes. */
static void look(lookup *l, LLVMValueRef pointer, int64_t at, int depth) {
  for (LLVMUseRef u = LLVMGetFirstUse(pointer); u && depth < 8; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    int64_t off;
    if (is_gep(user) && LLVMGetOperand(user, 0) == pointer) {
      if (gep_offset(l->h, user, &off))
        look(l, user, at + off, depth + 1);
    } else if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == pointer) {
      LLVMValueRef v = LLVMGetOperand(user, 0);
      note_write(l, v, at, LLVMStoreSizeOfType(l->h->layout, LLVMTypeOf(v)));
    } else if (LLVMIsACallInst(user)) {
      look_at_call(l, user, pointer, at);
    }
  }
}

/* Integer at byte `at` of a constant; aggregates and vectors are descended. */
static bool int_in(const ww_host_ir *h, LLVMValueRef v, int64_t at, int64_t *out) {
  LLVMTypeRef t = LLVMTypeOf(v);
  if (LLVMIsAGlobalVariable(v)) {
    LLVMValueRef init = LLVMIsGlobalConstant(v) ? LLVMGetInitializer(v) : NULL;
    return init && int_in(h, init, at, out);
  }
  if (at == 0 && ww_host_int(v, out))
    return true;
  if (LLVMIsNull(v) && LLVMIsConstant(v)) {
    *out = 0;
    return true;
  }
  switch (LLVMGetTypeKind(t)) {
  case LLVMVectorTypeKind:
  case LLVMArrayTypeKind: {
    int64_t size = LLVMStoreSizeOfType(h->layout, LLVMGetElementType(t));
    LLVMValueRef e =
        LLVMIsConstant(v) && size ? LLVMGetAggregateElement(v, at / size) : NULL;
    return e && int_in(h, e, at % size, out);
  }
  case LLVMStructTypeKind: {
    if (!LLVMIsConstant(v))
      return false;
    unsigned i = LLVMElementAtOffset(h->layout, t, at);
    LLVMValueRef e = LLVMGetAggregateElement(v, i);
    return e && int_in(h, e, at - LLVMOffsetOfElement(h->layout, t, i), out);
  }
  default:
    return false;
  }
}

static bool
find_store(const ww_host_ir *h, LLVMValueRef base, int64_t offset, lookup *l) {
  *l = (lookup){.h = h, .offset = offset};
  if (LLVMIsAGlobalVariable(base) && LLVMIsGlobalConstant(base)) {
    l->value = base;
    return true;
  }
  look(l, base, 0, 0);
  return l->writes == 1 && l->value;
}

bool ww_host_stored(const ww_host_ir *h,
                    LLVMValueRef base,
                    int64_t offset,
                    uint64_t size,
                    int64_t *out) {
  lookup l;
  if (!find_store(h, base, offset, &l) || !int_in(h, l.value, offset - l.value_at, out))
    return false;
  if (size == 4 && LLVMGetTypeKind(LLVMTypeOf(l.value)) == LLVMIntegerTypeKind &&
      l.value_at == offset)
    *out = (int32_t)*out;
  return true;
}

LLVMValueRef
ww_host_stored_value(const ww_host_ir *h, LLVMValueRef base, int64_t offset) {
  lookup l;
  return find_store(h, base, offset, &l) && l.value_at == offset &&
                 !LLVMIsAGlobalVariable(base)
             ? l.value
             : NULL;
}

ww_host_write ww_host_written(const ww_host_ir *h, LLVMValueRef base, int64_t offset) {
  lookup l;
  find_store(h, base, offset, &l);
  return (ww_host_write){l.value, l.value_at, l.copied, l.writes};
}

/* ---- allocations ---- */

/* cudaMalloc(&p, bytes), hipMallocManaged(&p, bytes, flags), cudaMallocHost ...; C++
 * overloads carry mangled names. */
static bool fills_pointer(const char *name) {
  if (ww_starts(name, "_Z"))
    name += 2 + strspn(name + 2, "0123456789");
  if (!ww_starts(name, "cuda") && !ww_starts(name, "hip"))
    return false;
  static const char *const shaped[] = {"MallocPitch", "Malloc3D", "MallocArray", NULL};
  name += name[0] == 'c' ? 4 : 3;
  return ww_starts(name, "Malloc") && !ww_begins(name, shaped);
}

static uint64_t size_at_call(LLVMValueRef call) {
  const char *name = ww_host_callee(call);
  int64_t count;
  int64_t each;
  static const char *const plain[] = {"malloc", "_Znwm", "_Znam", "omp_target_alloc",
                                      NULL};
  static const char *const aligned[] = {"aligned_alloc", "memalign", NULL};
  bool behind = ww_one_of(name, aligned), counted = !strcmp(name, "calloc");
  if (!behind && !counted && !ww_one_of(name, plain))
    return 0;
  if (!ww_host_int(LLVMGetOperand(call, behind), &count))
    return 0;
  if (!counted)
    return count;
  return ww_host_int(LLVMGetOperand(call, 1), &each) ? count * each : 0;
}

bool ww_host_escapes(LLVMValueRef memory, int depth) {
  for (LLVMUseRef u = LLVMGetFirstUse(memory); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    const char *callee = ww_host_is_call(user) ? ww_host_callee(user) : NULL;
    bool kept = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == memory;
    bool stub = callee && strstr(callee, "__device_stub__");
    if (kept ||
        (callee && !stub && !ww_starts(callee, "llvm.") && !fills_pointer(callee)))
      return true;
    if (is_gep(user) && (!depth || ww_host_escapes(user, depth - 1)))
      return true;
  }
  return false;
}

uint64_t ww_host_allocated_into(const ww_host_ir *h, ww_host_addr want) {
  uint64_t size = 0;
  bool agree = true;
  for (LLVMValueRef f = LLVMGetFirstFunction(h->m); f; f = LLVMGetNextFunction(f)) {
    if (!fills_pointer(low_name(f)))
      continue;
    for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u)) {
      LLVMValueRef call = LLVMGetUser(u);
      int64_t bytes;
      if (!ww_host_is_call(call) || LLVMGetNumArgOperands(call) < 2)
        continue;
      ww_host_addr into = ww_host_address(h, LLVMGetOperand(call, 0));
      if (into.base != want.base || into.offset != want.offset || !into.exact ||
          !want.exact)
        continue;
      if (!ww_host_int(LLVMGetOperand(call, 1), &bytes) ||
          (size && size != (uint64_t)bytes))
        agree = false;
      else
        size = bytes;
    }
  }
  return agree ? size : 0;
}

uint64_t
ww_host_allocation(const ww_host_ir *h, LLVMValueRef pointer, LLVMValueRef *origin) {
  ww_host_addr p = ww_host_address(h, pointer);
  *origin = p.base;
  if (LLVMIsALoadInst(p.base)) {
    LLVMValueRef from = LLVMGetOperand(p.base, 0);
    ww_host_addr variable = ww_host_address(h, from);
    if (variable.offset == 0 && variable.exact)
      *origin = variable.base;
    return ww_host_allocated_into(h, variable);
  }
  return ww_host_is_call(p.base) ? size_at_call(p.base) : 0;
}

void ww_host_share(const ww_host_ir *h, const ww_host_owned *v, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < n; k++)
      if (k != i && v[i].origin && v[i].origin == v[k].origin && !v[i].buffer->id)
        v[i].buffer->id = ww_fmt(h->a, "b%u", i < k ? i : k);
}

void ww_host_share_buffers(const ww_host_ir *h, ww_launch *l, LLVMValueRef *origins) {
  ww_host_owned *v = WW_NEWN(h->a, ww_host_owned, l->nargs + 1);
  for (uint32_t i = 0; i < l->nargs; i++)
    v[i] = (ww_host_owned){&l->args[i].buffer,
                           l->args[i].kind == WW_ARG_BUFFER ? origins[i] : NULL};
  ww_host_share(h, v, l->nargs);
}

ww_host_launch
ww_host_new_launch(const ww_host_ir *h, LLVMValueRef ins, const char *kernel) {
  unsigned n = 0;
  const char *name = LLVMGetDebugLocFilename(ins, &n);
  return (ww_host_launch){.kernel = kernel,
                          .launch = {.kernel = kernel, .seed = 1, .count = 1},
                          .file = name && n ? ww_strndup(h->a, name, n) : h->file,
                          .line = LLVMGetDebugLocLine(ins)};
}

ww_arg ww_host_hex(const ww_host_ir *h, int64_t bits, uint32_t n) {
  return (ww_arg){
      .kind = WW_ARG_HEX, .hex = memcpy(ww_alloc(h->a, 8), &bits, 8), .hex_n = n};
}
