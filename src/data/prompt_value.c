/* prompt_value.c - arguments of a launch in the words of their types. A type that is
 * not known leaves a value as its bytes. */
#include <inttypes.h>

#include "../base/words.h"
#include "../base/half.h"
#include "export_int.h"
#include "text.h"

static bool is_unsigned(const char *type) {
  static const char *const words[] = {"unsigned", "uint",     "uchar",   "ushort",
                                      "ulong",    "size_t",   "bool",    "uint8_t",
                                      "uint16_t", "uint32_t", "uint64_t"};
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (ww_find_word(type, words[k]))
      return true;
  return false;
}

static const char *number_text(double v, ww_arena *a) {
  return ww_fmt(a, "%.9g", v);
}

static const char *hex_value(const ww_arg *g, const char *type, ww_arena *a) {
  uint64_t bits = 0;
  uint32_t n = g->hex_n;
  ww_buf b = {0};
  for (uint32_t k = 0; k < n && k < 8; k++)
    bits |= (uint64_t)g->hex[k] << 8 * k;
  if (n == 4 && ww_find_word(type, "float")) {
    uint32_t low = bits;
    float f;
    memcpy(&f, &low, sizeof f);
    return number_text(f, a);
  }
  if (n == 8 && ww_find_word(type, "double")) {
    double d;
    memcpy(&d, &bits, sizeof d);
    return number_text(d, a);
  }
  if (n == 2 && (ww_find_word(type, "half") || ww_find_word(type, "__half")))
    return number_text(ww_half_to_float(bits), a);
  if (n && n <= 8 && !strchr(type, '*')) {
    uint32_t up = 64 - 8 * n;
    if (is_unsigned(type))
      return ww_fmt(a, "%" PRIu64, bits);
    return ww_fmt(a, "%lld", (long long)((int64_t)(bits << up) >> up));
  }
  ww_buf_puts(&b, "0x");
  for (uint32_t k = 0; k < n; k++)
    ww_buf_fmt(&b, "%02x", g->hex[k]);
  return ww_text_take(&b, a);
}

const char *ww_arg_text(const ww_arg *g, const char *type, ww_arena *a) {
  if (g->kind == WW_ARG_HEX)
    return hex_value(g, type, a);
  if (g->kind != WW_ARG_VALUE)
    return "?";
  return g->is_int ? ww_fmt(a, "%lld", (long long)g->ivalue) : number_text(g->value, a);
}

uint64_t ww_arg_elements(const ww_arg *g, const char *type) {
  static const struct {
    const char *word;
    uint32_t bytes;
  } sizes[] = {{"double4", 32}, {"double2", 16}, {"float4", 16},       {"float2", 8},
               {"int4", 16},    {"int2", 8},     {"half2", 4},         {"__half2", 4},
               {"double", 8},   {"long", 8},     {"int64_t", 8},       {"uint64_t", 8},
               {"size_t", 8},   {"ulong", 8},    {"short", 2},         {"ushort", 2},
               {"half", 2},     {"__half", 2},   {"__nv_bfloat16", 2}, {"char", 1},
               {"uchar", 1},    {"int8_t", 1},   {"uint8_t", 1},       {"bool", 1},
               {"float", 4},    {"int", 4},      {"uint", 4},          {"unsigned", 4},
               {"int32_t", 4},  {"uint32_t", 4}};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    if (ww_find_word(type, sizes[k].word))
      return g->buffer.bytes / sizes[k].bytes;
  return 0;
}
