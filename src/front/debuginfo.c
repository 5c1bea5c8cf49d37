/* debuginfo.c - names, C types and lines from debug metadata.
 *
 * LLVM-C reads few of the nodes, so this file knows the operand order of DISubprogram,
 * DISubroutineType and DIDerivedType (stable from LLVM 8 to 21), and takes a node's tag
 * from its printed form. Without debug info everything stays unknown but the function's
 * name, which then comes from its mangled one. */
#include <llvm-c/DebugInfo.h>

#include "translate_int.h"

#include <stdlib.h>

/* ---- files and lines ---- */

static uint32_t file_index(low *L, LLVMMetadataRef file) {
  bool fresh;
  uint32_t *at = low_map_at(L->a, &L->files, file, &fresh);
  if (!fresh)
    return *at;
  unsigned nd;
  unsigned nf;
  const char *d = LLVMDIFileGetDirectory(file, &nd);
  const char *f = LLVMDIFileGetFilename(file, &nf);
  char *path = nf && f[0] == '/' ? ww_strndup(L->a, f, nf)
                                 : ww_fmt(L->a, "%.*s%s%.*s", (int)nd, nd ? d : "",
                                          nd ? "/" : "", (int)nf, nf ? f : "");
  return *at = low_add_file(&L->m, path);
}

static uint32_t loc_of(low *L, LLVMMetadataRef d);

/* Innermost location in a file of the user's, with the call that it was inlined at;
 * else the outermost. */
static uint32_t resolve(low *L, LLVMMetadataRef d) {
  ww_loc at = {0};
  for (; d; d = LLVMDILocationGetInlinedAt(d)) {
    LLVMMetadataRef scope = LLVMDILocationGetScope(d);
    LLVMMetadataRef f = scope ? LLVMDIScopeGetFile(scope) : NULL;
    if (!f || !LLVMDILocationGetLine(d))
      continue;
    at.file = file_index(L, f);
    at.line = LLVMDILocationGetLine(d);
    if (!low_foreign_file(L->m.file_list.v[at.file])) {
      at.caller = loc_of(L, LLVMDILocationGetInlinedAt(d));
      break;
    }
  }
  return at.line ? low_add_loc(&L->m, at) : 0;
}

/* Each once: many instructions and calls share one. */
static uint32_t loc_of(low *L, LLVMMetadataRef d) {
  if (!d)
    return 0;
  uint32_t at = low_map_get(&L->locs, d, UINT32_MAX);
  if (at != UINT32_MAX)
    return at;
  at = resolve(L, d);
  *low_map_at(L->a, &L->locs, d, NULL) = at;
  return at;
}

uint32_t low_loc(low *L, LLVMValueRef inst) {
  return loc_of(L, LLVMInstructionGetDebugLoc(inst));
}

/* ---- generic nodes ---- */

enum { OP_NAME = 2, OP_SUBROUTINE_TYPE = 4, OP_TYPE_ARRAY = 3, OP_BASE_TYPE = 3 };

static LLVMValueRef node_op(low *L, LLVMMetadataRef node, unsigned i) {
  low_nodes of = low_operands(L->a, LLVMMetadataAsValue(L->ctx, node));
  return i < of.n ? of.v[i] : NULL;
}

static LLVMMetadataRef node_child(low *L, LLVMMetadataRef node, unsigned i) {
  LLVMValueRef v = node_op(L, node, i);
  return v ? LLVMValueAsMetadata(v) : NULL;
}

static char *node_text(low *L, LLVMMetadataRef node, unsigned i) {
  const char *s = low_node_string(node_op(L, node, i));
  return s && *s ? ww_strdup(L->a, s) : NULL;
}

/* "DW_TAG_pointer_type" -> "pointer_type"; LLVM-C cannot ask for the tag before
 * version 20. */
static void node_tag(low *L, LLVMMetadataRef node, char tag[40]) {
  char *text = low_made(LLVMPrintValueToString(LLVMMetadataAsValue(L->ctx, node)));
  const char *at = strstr(text, "DW_TAG_");
  const char *s = at ? at + strlen("DW_TAG_") : "";
  snprintf(tag, 40, "%.*s", (int)ww_word_length(s), s);
  LLVMDisposeMessage(text);
}

/* ---- function names ---- */

/* "__omp_offloading_<device>_<inode>_<function>_l<line>" -> "function_l<line>". A text
 * that is on no disk lies one line lower behind its #line (clang_files.c). */
static const char *openmp_name(low *L, const char *mangled, uint32_t line) {
  const char *s = mangled + strlen("__omp_offloading_");
  const char *l;
  for (int i = 0; i < 2 && s; i++)
    s = strchr(s, '_') ? strchr(s, '_') + 1 : NULL;
  if (!s || !(l = strstr(s, "_l")))
    return mangled;
  for (const char *next = l; (next = strstr(next + 1, "_l"));)
    l = next;
  char *rest;
  bool lower = line && strtoul(l + 2, &rest, 10) == line + 1ul;
  const char *name = low_plain_name(L->a, ww_strndup(L->a, s, l - s));
  return lower ? ww_fmt(L->a, "%s_l%u%s", name, line, rest)
               : ww_fmt(L->a, "%s%s", name, l);
}

void low_describe(low *L, LLVMValueRef f, ww_fn *fn) {
  LLVMMetadataRef sp = LLVMGetSubprogram(f);
  fn->mangled = ww_strdup(L->a, low_name(f));
  if (sp) {
    LLVMMetadataRef file = LLVMDIScopeGetFile(sp);
    fn->line = LLVMDISubprogramGetLine(sp);
    uint32_t at = file ? file_index(L, file) : 0; /* may add: first, the list moves */
    if (file)
      fn->file = L->m.file_list.v[at];
    fn->name = node_text(L, sp, OP_NAME);
  }
  if (ww_starts(fn->mangled, "__omp_offloading_"))
    fn->name = openmp_name(L, fn->mangled, fn->line);
  if (!fn->name)
    fn->name = low_plain_name(L->a, fn->mangled);
  size_t n = strlen(fn->name);
  if (ww_ends(fn->name, ".device_stub")) /* clang's host stubs of HIP kernels */
    n -= 12;
  fn->name = ww_strndup(L->a, fn->name, n);
}

/* ---- parameter types ---- */

static const char *type_text(low *L, LLVMMetadataRef t, int depth) {
  char tag[40];
  if (!t)
    return "void";
  if (depth > 8)
    return "...";
  node_tag(L, t, tag);
  LLVMMetadataKind k = LLVMGetMetadataKind(t);
  if (k == LLVMDIBasicTypeMetadataKind || k == LLVMDICompositeTypeMetadataKind ||
      !strcmp(tag, "typedef")) {
    const char *name = node_text(L, t, OP_NAME);
    return name ? name : "struct";
  }
  if (k == LLVMDISubroutineTypeMetadataKind)
    return "void ()";
  const char *base = type_text(L, node_child(L, t, OP_BASE_TYPE), depth + 1);
  size_t n = strlen(base);
  bool pointer = n && (base[n - 1] == '*' || base[n - 1] == '&');
  static const struct {
    const char *tag, *before, *after, *behind_pointer;
  } forms[] = {{"pointer_type", "", " *", "*"},
               {"reference_type", "", " &", " &"},
               {"rvalue_reference_type", "", " &&", " &&"},
               {"restrict_type", "", " __restrict__", " __restrict__"},
               {"const_type", "const ", "", " const"},
               {"volatile_type", "volatile ", "", " volatile"}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (!strcmp(tag, forms[i].tag))
      return pointer ? ww_fmt(L->a, "%s%s", base, forms[i].behind_pointer)
                     : ww_fmt(L->a, "%s%s%s", forms[i].before, base, forms[i].after);
  return base;
}

static LLVMMetadataRef
strip(low *L, LLVMMetadataRef t, bool *is_const, bool *is_pointer) {
  char tag[40];
  for (int i = 0; t && i < 16; i++) {
    node_tag(L, t, tag);
    if (!strcmp(tag, "const_type")) {
      if (is_const)
        *is_const = true;
    } else if (is_pointer &&
               (!strcmp(tag, "pointer_type") || strstr(tag, "reference_type"))) {
      *is_pointer = true;
      return node_child(L, t, OP_BASE_TYPE);
    } else if (strcmp(tag, "typedef") && strcmp(tag, "volatile_type") &&
               strcmp(tag, "restrict_type"))
      return t;
    t = node_child(L, t, OP_BASE_TYPE);
  }
  return t;
}

static ww_type basic_type(low *L, LLVMMetadataRef t, uint64_t bytes) {
  const char *name = node_text(L, t, OP_NAME);
  if (!name)
    name = "";
  if (LLVMGetMetadataKind(t) == LLVMDICompositeTypeMetadataKind) {
    if (!strcmp(name, "__half") || !strcmp(name, "half"))
      return WW_F16;
    return !strcmp(name, "__nv_bfloat16") ? WW_BF16 : WW_VOID;
  }
  if (LLVMGetMetadataKind(t) == LLVMDIDerivedTypeMetadataKind)
    return WW_I64; /* a pointer */
  if (!strcmp(name, "__bf16"))
    return WW_BF16;
  if (strstr(name, "float") || strstr(name, "double") || !strcmp(name, "half") ||
      !strcmp(name, "_Float16"))
    return bytes == 8 ? WW_F64 : bytes == 4 ? WW_F32 : WW_F16;
  return bytes == 8 ? WW_I64 : bytes == 4 ? WW_I32 : bytes == 2 ? WW_I16 : WW_I8;
}

static void describe_param(low *L, LLVMMetadataRef t, ww_param *p) {
  bool is_const = false, is_pointer = false;
  p->ctype = type_text(L, t, 0);
  LLVMMetadataRef pointee = strip(L, t, NULL, &is_pointer);
  if (!is_pointer || !p->pointer)
    return;
  LLVMMetadataRef e = pointee ? strip(L, pointee, &is_const, NULL) : NULL;
  if (is_const)
    p->readonly = true;
  if (!e)
    return;
  p->elem_size = LLVMDITypeGetSizeInBits(e) / 8;
  p->elem = basic_type(L, e, p->elem_size);
}

void low_describe_params(low *L, LLVMValueRef f, ww_fn *fn) {
  LLVMMetadataRef sp = LLVMGetSubprogram(f);
  LLVMMetadataRef type = sp ? node_child(L, sp, OP_SUBROUTINE_TYPE) : NULL;
  LLVMMetadataRef list = type ? node_child(L, type, OP_TYPE_ARRAY) : NULL;
  if (!list)
    return;
  low_nodes types = low_operands(L->a, LLVMMetadataAsValue(L->ctx, list));
  if (types.n != fn->nparams + 1)
    return; /* rewritten by the ABI, or OpenMP's outlined form */
  for (unsigned i = 1; i < types.n; i++)
    if (types.v[i])
      describe_param(L, LLVMValueAsMetadata(types.v[i]), &fn->params[i - 1]);
}
