/* fatbin.c - PTX inside compiled CUDA code.
 *
 * A fat binary is a head (magic, version, size) and entries: a head of its own, then
 * PTX or an ELF image for one architecture, as it is or compressed by LZ4 or zstd. Host
 * objects and programs have fat binaries in the sections .nv_fatbin and __nv_relfatbin,
 * one behind the other. Images come from strangers. Invariant: every offset is compared
 * with what is left before it is used. */
#include "fatbin.h"

#include <elf.h>
#include <endian.h>
#include <zstd.h>

#define PTX_MAX ((uint64_t)64 << 20)

enum { KIND_PTX = 1 };                          /* of an entry */
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 }; /* of its flags */
enum { ENTRY_LEAST = 64 };                      /* bytes of its head */

typedef struct {
  const unsigned char *at;
  size_t n;
} piece;

static uint64_t field(const unsigned char *p, size_t at, size_t bytes) {
  uint64_t v = 0;
  memcpy(&v, p + at, bytes);
  return le64toh(v);
}

/* The newest PTX so far. */
typedef struct {
  piece packed;
  uint64_t architecture, bytes, flags; /* bytes: when it is unpacked */
  uint32_t found;                      /* fat binaries that have PTX */
} best;

bool ww_fatbin_given(const void *image, size_t n) {
  return (n >= SELFMAG && !memcmp(image, ELFMAG, SELFMAG)) ||
         (n >= WW_FATBIN_HEAD && field(image, 0, 4) == WW_FATBIN_MAGIC);
}

size_t ww_fatbin_bytes(const void *head) {
  uint64_t body = field(head, 8, 8);
  if (field(head, 0, 4) != WW_FATBIN_MAGIC || body > SIZE_MAX / 2)
    return 0;
  return field(head, 6, 2) + body;
}

/* ---- entries ---- */

/* Those of one fat binary; false: damaged. */
static bool read_entries(piece f, best *b) {
  bool any = false;
  for (size_t at = field(f.at, 6, 2); at < f.n;) {
    const unsigned char *p = f.at + at;
    if (f.n - at < ENTRY_LEAST)
      return false;
    uint64_t head = field(p, 4, 4);
    uint64_t padded = field(p, 8, 8);
    uint64_t packed = field(p, 16, 4);
    uint64_t flags = field(p, 40, 8);
    if (head < ENTRY_LEAST || head > f.n - at || padded > f.n - at - head ||
        packed > padded)
      return false;
    bool plain = !(flags & (FLAG_LZ4 | FLAG_ZSTD));
    uint64_t architecture = field(p, 28, 4);
    bool newer = !any || architecture >= b->architecture;
    if (field(p, 0, 2) == KIND_PTX && newer) {
      b->packed = (piece){p + head, plain ? padded : packed};
      b->architecture = architecture;
      b->bytes = plain ? padded : field(p, 56, 8);
      b->flags = flags;
      b->found += !any;
      any = true;
    }
    at += head + padded;
  }
  return true;
}

/* Fat binaries behind each other, with zeros between them. */
static bool read_all(piece s, best *b) {
  for (size_t at = 0; at + WW_FATBIN_HEAD <= s.n;) {
    size_t n = ww_fatbin_bytes(s.at + at);
    if (!n) {
      at += 8;
      continue;
    }
    if (n > s.n - at || n < WW_FATBIN_HEAD || !read_entries((piece){s.at + at, n}, b))
      return false;
    at += (n + 7) / 8 * 8;
  }
  return true;
}

/* ---- ELF ---- */

static const char *const sections[] = {".nv_fatbin", "__nv_relfatbin"};

static bool section_at(const unsigned char *image, size_t n, size_t at, piece *out) {
  Elf64_Shdr s;
  if (at > n - sizeof s)
    return false;
  memcpy(&s, image + at, sizeof s);
  if (s.sh_type == SHT_NOBITS)
    s.sh_size = 0;
  if (s.sh_offset > n || s.sh_size > n - s.sh_offset)
    return false;
  *out = (piece){image + s.sh_offset, s.sh_size};
  return true;
}

static bool is_named(piece names, size_t at, const char *name) {
  size_t n = strlen(name) + 1;
  return at < names.n && names.n - at >= n && !memcmp(names.at + at, name, n);
}

static bool read_elf(const unsigned char *image, size_t n, best *b) {
  Elf64_Ehdr h;
  piece names;
  if (n < sizeof h + sizeof(Elf64_Shdr))
    return false;
  memcpy(&h, image, sizeof h);
  if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_shentsize != sizeof(Elf64_Shdr) ||
      h.e_shoff > n ||
      !section_at(image, n, h.e_shoff + (size_t)h.e_shstrndx * h.e_shentsize, &names))
    return false;
  for (size_t k = 0; k < h.e_shnum; k++) {
    size_t at = h.e_shoff + k * h.e_shentsize;
    piece body;
    if (!section_at(image, n, at, &body))
      return false;
    size_t name = field(image, at, 4);
    if ((is_named(names, name, sections[0]) || is_named(names, name, sections[1])) &&
        !read_all(body, b))
      return false;
  }
  return true;
}

/* ---- unpacking ---- */

/* One block of LZ4: a token has the lengths of a literal and of a copy. */
static bool read_length(piece in, size_t *at, size_t *length) {
  unsigned char more = 255;
  if (*length != 15)
    return true;
  while (more == 255) {
    if (*at >= in.n)
      return false;
    more = in.at[(*at)++];
    *length += more;
  }
  return true;
}

static bool unpack_lz4(piece in, char *out, size_t n) {
  size_t done = 0;
  for (size_t at = 0; at < in.n;) {
    unsigned char token = in.at[at++];
    size_t literal = token >> 4;
    size_t copy = token & 15;
    if (!read_length(in, &at, &literal) || literal > in.n - at || literal > n - done)
      return false;
    memcpy(out + done, in.at + at, literal);
    at += literal;
    done += literal;
    if (at == in.n)
      return done == n; /* the last one has no copy */
    if (in.n - at < 2)
      return false;
    size_t back = field(in.at, at, 2);
    at += 2;
    if (!read_length(in, &at, &copy) || !back || back > done || copy + 4 > n - done)
      return false;
    for (size_t i = 0; i < copy + 4; i++, done++)
      out[done] = out[done - back]; /* they may overlap */
  }
  return done == n;
}

static bool unpack(const best *b, char *out) {
  if (b->flags & FLAG_ZSTD)
    return ZSTD_decompress(out, b->bytes, b->packed.at, b->packed.n) == b->bytes;
  if (b->flags & FLAG_LZ4)
    return unpack_lz4(b->packed, out, b->bytes);
  memcpy(out, b->packed.at, b->bytes);
  return true;
}

ww_status ww_fatbin_ptx(
    const void *image, size_t n, ww_arena *a, char **ptx, size_t *ptx_n, ww_err *e) {
  static const char damaged[] = "the compiled code is damaged, or not whole";
  best b = {0};
  bool elf = n >= SELFMAG && !memcmp(image, ELFMAG, SELFMAG);
  if (!(elf ? read_elf(image, n, &b) : read_all((piece){image, n}, &b)))
    return ww_fail(e, WW_EDATA, damaged);
  if (!b.found)
    return ww_fail(e, WW_EDATA,
                   "there is no PTX in it, machine code alone: compile with "
                   "-gencode arch=compute_90,code=compute_90, or name the source");
  if (b.found > 1)
    return ww_fail(e, WW_EDATA,
                   "it has PTX of %u source files: take them apart with "
                   "cuobjdump -xptx all, and name one",
                   b.found);
  if (b.bytes > PTX_MAX)
    return ww_fail(e, WW_ELIMIT, "its PTX has more than %u MB",
                   (unsigned)(PTX_MAX >> 20));
  char *out = ww_alloc(a, b.bytes + 1);
  if (!unpack(&b, out))
    return ww_fail(e, WW_EDATA, damaged);
  out[b.bytes] = 0;
  *ptx = out;
  *ptx_n = strlen(out);
  return WW_OK;
}
