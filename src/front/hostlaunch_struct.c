/* hostlaunch_struct.c - structs that a launch of the host code passes by value: their
 * bytes, and what the pointers among them lead to.
 *
 * A struct is known when each part that is written is: numbers that LLVM folded to
 * constants, and pointers to allocations of constant size. Bytes that nobody writes are
 * padding, or as good as it. */
#include "hostlaunch_int.h"

enum { DEEP = 4, LARGEST = 4096, MOST_LOADS = 256 };

typedef struct {
  const ww_host_ir *h;
  uint32_t size;
  uint8_t *bytes;
  uint32_t loads; /* that were followed: one may lead to itself */
  WW_VEC(ww_ptr) ptrs;
  WW_VEC(LLVMValueRef) origins; /* of each */
} parts;

static bool put_value(parts *p, int64_t at, LLVMValueRef v);
static bool put_memory(
    parts *p, int64_t at, LLVMValueRef memory, int64_t from, int64_t n, int depth);

static bool put_bytes(parts *p, int64_t at, const void *bytes, uint64_t n) {
  for (uint64_t k = 0; k < n; k++)
    if (at + (int64_t)k >= 0 && at + (int64_t)k < p->size)
      p->bytes[at + k] = ((const uint8_t *)bytes)[k];
  return true;
}

static bool put_real(parts *p, int64_t at, LLVMTypeRef t, double d) {
  float f = (float)d;
  if (LLVMGetTypeKind(t) == LLVMFloatTypeKind)
    return put_bytes(p, at, &f, sizeof f);
  return LLVMGetTypeKind(t) == LLVMDoubleTypeKind && put_bytes(p, at, &d, sizeof d);
}

static bool put_pointer(parts *p, int64_t at, LLVMValueRef v) {
  LLVMValueRef origin = NULL;
  uint64_t bytes = ww_host_allocation(p->h, v, &origin);
  ww_host_addr to = ww_host_address(p->h, v);
  if (!bytes || !to.exact || to.offset < 0 || (uint64_t)to.offset >= bytes ||
      at + 8 > p->size)
    return false;
  ww_push(p->h->a, &p->ptrs, (ww_ptr){at, {.bytes = bytes, .offset = to.offset}});
  ww_push(p->h->a, &p->origins, origin);
  return true;
}

/* A constant that has elements. */
static bool put_elements(parts *p, int64_t at, LLVMValueRef v) {
  LLVMTypeRef t = LLVMTypeOf(v);
  LLVMTypeKind kind = LLVMGetTypeKind(t);
  bool fields = kind == LLVMStructTypeKind;
  unsigned n = fields                       ? LLVMCountStructElementTypes(t)
               : kind == LLVMArrayTypeKind  ? LLVMGetArrayLength2(t)
               : kind == LLVMVectorTypeKind ? LLVMGetVectorSize(t)
                                            : 0;
  for (unsigned k = 0; n && k < n && k < LARGEST; k++) {
    LLVMValueRef e = LLVMGetAggregateElement(v, k);
    int64_t to =
        fields ? (int64_t)LLVMOffsetOfElement(p->h->layout, t, k)
               : (int64_t)(k * LLVMABISizeOfType(p->h->layout, LLVMGetElementType(t)));
    if (!e || !put_value(p, at + to, e))
      return false;
  }
  return n != 0;
}

static bool put_value(parts *p, int64_t at, LLVMValueRef v) {
  LLVMTypeRef t = LLVMTypeOf(v);
  int64_t bits;
  ww_arg number;
  if (LLVMIsUndef(v) || (LLVMIsConstant(v) && LLVMIsNull(v)))
    return true; /* they are zero already */
  if (ww_host_int(v, &bits))
    return put_bytes(p, at, &bits, LLVMStoreSizeOfType(p->h->layout, t));
  if (ww_host_arg(v, &number))
    return put_real(p, at, t, number.value);
  if (LLVMGetTypeKind(t) == LLVMPointerTypeKind && put_pointer(p, at, v))
    return true;
  if (LLVMIsALoadInst(v) && p->loads++ < MOST_LOADS) {
    ww_host_addr from = ww_host_address(p->h, LLVMGetOperand(v, 0));
    return from.exact && put_memory(p, at, from.base, from.offset,
                                    LLVMStoreSizeOfType(p->h->layout, t), DEEP);
  }
  return LLVMIsConstant(v) && put_elements(p, at, v);
}

/* p's bytes from `at` on are those at memory + `from`; n of them. */
static bool put_memory(
    parts *p, int64_t at, LLVMValueRef memory, int64_t from, int64_t n, int depth) {
  if (!depth)
    return false;
  if (LLVMIsAGlobalVariable(memory))
    return !from && LLVMIsGlobalConstant(memory) && LLVMGetInitializer(memory) &&
           put_value(p, at, LLVMGetInitializer(memory));
  if (!LLVMIsAAllocaInst(memory))
    return false;
  if (ww_host_escapes(memory, DEEP))
    return false;
  n = n < p->size - at ? n : p->size - at;
  for (int64_t k = 0; k < n; k++) {
    ww_host_write w = ww_host_written(p->h, memory, from + k);
    ww_host_addr place = {memory, from + k, true};
    uint64_t bytes = place.offset % 8 ? 0 : ww_host_allocated_into(p->h, place);
    if (bytes && k + 8 <= n) {
      ww_push(p->h->a, &p->ptrs, (ww_ptr){at + k, {.bytes = bytes}});
      ww_push(p->h->a, &p->origins, NULL);
      k += 7;
      continue;
    }
    if (!w.writes)
      continue;
    if (w.writes != 1 || !w.value)
      return false;
    if (w.copied) {
      ww_host_addr source = ww_host_address(p->h, w.value);
      return source.exact &&
             put_memory(p, at + k, source.base, source.offset + from + k - w.at, n - k,
                        depth - 1);
    }
    if (w.at == from + k && !put_value(p, at + k, w.value))
      return false;
  }
  return true;
}

static parts new_parts(const ww_host_ir *h, uint32_t size) {
  return (parts){.h = h, .size = size, .bytes = WW_NEWN(h->a, uint8_t, size + 8)};
}

static bool take(parts *p, bool known, ww_arg *out, ww_host_owners *owned) {
  if (!known)
    return false;
  *out = (ww_arg){.kind = WW_ARG_HEX,
                  .hex = p->bytes,
                  .hex_n = p->size,
                  .ptrs = p->ptrs.v,
                  .nptrs = p->ptrs.n};
  for (uint32_t k = 0; k < p->ptrs.n; k++)
    ww_push(p->h->a, owned, (ww_host_owned){&out->ptrs[k].buffer, p->origins.v[k]});
  return true;
}

bool ww_host_struct_at(const ww_host_ir *h,
                       LLVMValueRef memory,
                       uint32_t size,
                       ww_arg *out,
                       ww_host_owners *owned) {
  if (size > LARGEST)
    return false;
  parts p = new_parts(h, size);
  ww_host_addr at = ww_host_address(h, memory);
  bool known = at.exact && put_memory(&p, 0, at.base, at.offset, size, DEEP);
  return take(&p, known, out, owned);
}

bool ww_host_struct_of(const ww_host_ir *h,
                       const LLVMValueRef values[2],
                       uint32_t size,
                       ww_arg *out,
                       ww_host_owners *owned) {
  parts p = new_parts(h, size);
  bool known =
      put_value(&p, 0, values[0]) && (!values[1] || put_value(&p, 8, values[1]));
  return take(&p, known, out, owned);
}
