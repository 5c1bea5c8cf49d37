/* print.c - the kernel's own printf, in runs that ask for it.
 *
 * The format is in device memory. CUDA and OpenMP pass the arguments packed in local
 * memory, each at its natural alignment (one operand: the buffer's address); OpenCL and
 * HIP pass them as operands. A format never reaches the host's printf whole: each
 * conversion is checked and printed on its own. */
#include "code.h"

#include <ctype.h>

typedef struct {
  ww_exec *x;
  const ww_code *k;
  uint32_t lane;
  uint64_t packed; /* address of the argument buffer, 0: operands */
  uint32_t at;     /* bytes taken from it, or the next operand */
} source;

static const uint8_t *
device_bytes(ww_exec *x, uint64_t addr, uint64_t n, uint32_t lane) {
  uint64_t off = addr - WW_LOCAL_BASE;
  if (addr >= WW_LOCAL_BASE && addr < WW_GLOBAL_BASE)
    return off + n <= x->local_stride ? x->local + (size_t)lane * x->local_stride + off
                                      : NULL;
  return addr >= WW_GLOBAL_BASE ? ww_memory_at(x->memory, addr, n) : NULL;
}

/* A NUL-terminated string of the device, at most 1 KiB. */
static void device_string(ww_exec *x, uint64_t addr, uint32_t lane, char out[1024]) {
  uint32_t n = 0;
  for (; n < 1023; n++) {
    const uint8_t *p = device_bytes(x, addr + n, 1, lane);
    if (!p || !*p)
      break;
    out[n] = *p;
  }
  out[n] = 0;
}

static uint64_t slot_value(const source *s, uint32_t operand, bool *is_float32) {
  ww_val v = s->x->prog->fn->pool[s->k->ins->ext + operand];
  ww_type t = s->x->prog->fn->vals[v].type;
  *is_float32 = t == WW_F32;
  return ww_cell_of(s->x, s->k->slots[operand], ww_type_bytes[t] == 8, s->lane);
}

static uint64_t next_value(source *s, uint32_t bytes, bool real) {
  uint64_t v = 0;
  if (!s->packed) {
    bool f32;
    if (s->at >= s->k->n)
      return 0;
    v = slot_value(s, s->at++, &f32);
    if (real && f32) {
      double d = ww_to_double(WW_F32, v);
      memcpy(&v, &d, 8);
    }
    return v;
  }
  s->at = (s->at + bytes - 1) & ~(bytes - 1);
  /* NULL: the format asks for more than came */
  const uint8_t *p = device_bytes(s->x, s->packed + s->at, bytes, s->lane);
  if (p)
    memcpy(&v, p, bytes);
  s->at += bytes;
  return v;
}

/* One conversion, `spec` from the % to its letter. */
static void convert(source *s, const char *spec, size_t n) {
  char fmt[64], text[1024];
  bool is_long = memchr(spec, 'l', n) || memchr(spec, 'z', n) || memchr(spec, 'j', n) ||
                 spec[n - 1] == 'p';
  size_t flags = 1;
  if (n > 40)
    return;
  while (flags < n &&
         (strchr("-+ #0.", spec[flags]) || isdigit((unsigned char)spec[flags])))
    flags++;
  memcpy(fmt, spec, flags);
  fmt[flags] = 0;
  char letter = spec[n - 1];
  switch (letter) {
  case 'd':
  case 'i':
  case 'u':
  case 'x':
  case 'X':
  case 'o': {
    bool is_signed = letter == 'd' || letter == 'i';
    uint64_t v = next_value(s, is_long ? 8 : 4, false);
    snprintf(fmt + flags, sizeof fmt - flags, "ll%c", letter);
    printf(fmt, is_signed && !is_long ? (long long)(int32_t)v : (long long)v);
    break;
  }
  case 'f':
  case 'F':
  case 'e':
  case 'E':
  case 'g':
  case 'G':
  case 'a':
  case 'A': {
    uint64_t v = next_value(s, 8, true);
    double d;
    memcpy(&d, &v, 8);
    snprintf(fmt + flags, sizeof fmt - flags, "%c", letter);
    printf(fmt, d);
    break;
  }
  case 'c':
    putchar(next_value(s, 4, false));
    break;
  case 'p':
    printf("0x%llx", (unsigned long long)next_value(s, 8, false));
    break;
  case 's':
    device_string(s->x, next_value(s, 8, false), s->lane, text);
    strcat(fmt, "s");
    printf(fmt, text);
    break;
  default:
    fwrite(spec, 1, n, stdout);
    break;
  }
}

void ww_exec_printf(ww_exec *x, const ww_code *k, uint32_t lane) {
  char format[1024];
  source s = {.x = x, .k = k, .lane = lane};
  device_string(x, ww_cell_of(x, k->a, true, lane), lane, format);
  bool f32;
  if (k->ins->sub == 1 && k->n)
    s.packed = slot_value(&s, 0, &f32);
  for (const char *p = format; *p;) {
    size_t plain = strcspn(p, "%");
    fwrite(p, 1, plain, stdout);
    p += plain;
    if (!*p)
      break;
    if (p[1] == '%') {
      putchar('%');
      p += 2;
      continue;
    }
    size_t n = 1;
    while (p[n] && !strchr("diouxXfFeEgGaAcspn", p[n]))
      n++;
    if (!p[n])
      break;
    convert(&s, p, n + 1);
    p += n + 1;
  }
}
