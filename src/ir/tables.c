/* tables.c - names and numbers of operations, types, spaces and special registers;
 * everything comes from ops.def, math.def and enums.def or stands beside the enum it
 * names, so that a new entry is one line. */
#include "ir_int.h"

const ww_op_info ww_ops[WW_NOPS] = {
#define OP(name, text, n, cls, types) {text, n, WW_CLASS_##cls, types},
#include "ops.def"
};

const char *const ww_math_names[WW_NMATH] = {
#define MATH(name, text, ...) text,
#include "math.def"
};

const uint8_t ww_math_args[WW_NMATH] = {
#define MATH(name, text, n, value) n,
#include "math.def"
};

const char *const ww_type_names[WW_NTYPES] = {
#define TYPE(name, text, ...) text,
#include "enums.def"
};
const uint8_t ww_type_bytes[WW_NTYPES] = {
#define TYPE(name, text, bytes) bytes,
#include "enums.def"
};
const char *const ww_space_names[WW_NSPACES] = {
#define SPACE(name, text, ...) text,
#include "enums.def"
};
const char *const ww_dialect_names[WW_NDIALECTS] = {"cuda", "opencl", "hip", "openmp"};
const char *const ww_class_names[WW_NCLASSES] = {
#define CLASS(name, text, ...) text,
#include "enums.def"
};
const char *const ww_sreg_names[WW_NSREGS] = {
#define SREG(name, text, ...) text,
#include "enums.def"
};

const char *const ww_flag_names[8] = {"approx",  "volatile", "contract", "nsw",
                                      "nocache", "readonly", "ua",       "ub"};

static const char *const cmp_names[WW_NCMPS] = {
#define CMP(name, text, ...) text,
#include "enums.def"
};
static const char *const round_names[] = {"rn", "rz", "rd", "ru", "rna"};
static const char *const rmw_names[WW_NRMWS] = {
#define RMW(name, text, ...) text,
#include "enums.def"
};
static const char *const shfl_names[] = {"idx", "up", "down", "bfly"};
static const char *const vote_names[] = {"all", "any", "uni", "ballot"};
static const char *const match_names[] = {"any", "all"};
static const char *const bar_names[] = {"sync", "popc", "and", "or", "arrive"};
static const char *const mbar_names[WW_NMBARS] = {
#define MBAR(name, text, ...) text,
#include "enums.def"
};
static const char *const bulk_names[WW_NBULKS] = {
#define BULK(name, text, ...) text,
#include "enums.def"
};
static const char *const group_names[WW_NGROUPS] = {
#define GROUP(name, text, ...) text,
#include "enums.def"
};
static const char *const clusterbar_names[] = {"arrive", "wait"};

#define NAMES(table, dflt)                       \
  (ww_sub_names) {                               \
    table, sizeof(table) / sizeof *(table), dflt \
  }

ww_sub_names ww_op_sub(ww_op op) {
  switch (op) {
  case WW_OP_ICMP:
  case WW_OP_FCMP:
    return NAMES(cmp_names, -1);
  case WW_OP_FADD:
  case WW_OP_FSUB:
  case WW_OP_FMUL:
  case WW_OP_FMA:
  case WW_OP_FDIV:
  case WW_OP_SITOF:
  case WW_OP_UITOF:
  case WW_OP_FCVT:
    return NAMES(round_names, WW_RN);
  case WW_OP_FTOSI:
  case WW_OP_FTOUI:
    return NAMES(round_names, WW_RZ);
  case WW_OP_ATOM:
  case WW_OP_REDUX:
    return NAMES(rmw_names, -1);
  case WW_OP_SHFL:
    return NAMES(shfl_names, -1);
  case WW_OP_VOTE:
    return NAMES(vote_names, -1);
  case WW_OP_MATCH:
    return NAMES(match_names, -1);
  case WW_OP_BAR:
    return NAMES(bar_names, 0);
  case WW_OP_MBAR:
    return NAMES(mbar_names, -1);
  case WW_OP_BULK:
  case WW_OP_TMA:
    return NAMES(bulk_names, -1);
  case WW_OP_GROUP:
    return NAMES(group_names, -1);
  case WW_OP_CLUSTERBAR:
    return NAMES(clusterbar_names, -1);
  case WW_OP_SREG:
    return (ww_sub_names){ww_sreg_names, WW_NSREGS, -1};
  case WW_OP_MATH:
    return (ww_sub_names){ww_math_names, WW_NMATH, -1};
  default:
    return (ww_sub_names){NULL, 256, 0};
  }
}

ww_type ww_ins_result_type(const ww_ins *i, uint32_t k) {
  if (i->op == WW_OP_ICMP || i->op == WW_OP_FCMP || i->op == WW_OP_MWAIT)
    return WW_I1;
  if (k == 1 && (i->op == WW_OP_SHFL || i->op == WW_OP_MATCH))
    return WW_I1;
  return i->type;
}
