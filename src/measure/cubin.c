/* cubin.c - reads the sections and the symbol table of a cubin (ELF64) and takes the
 * last name out of mangled ones.
 *
 * An image may be damaged: every offset is checked against its size before it is
 * followed. */
#include "cubin.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>

#define EM_NVIDIA 190

typedef struct {
  const uint8_t *at;
  size_t n;
  Elf64_Ehdr head;
} image;

static bool fetch(const image *m, uint64_t at, void *to, size_t n) {
  if (at > m->n || n > m->n - at)
    return false;
  memcpy(to, m->at + at, n);
  return true;
}

static bool section(const image *m, uint32_t i, Elf64_Shdr *out) {
  return i < m->head.e_shnum &&
         fetch(m, m->head.e_shoff + i * sizeof *out, out, sizeof *out);
}

/* A string of a string table, "" where it is not one. */
static const char *string(const image *m, const Elf64_Shdr *table, uint64_t at) {
  if (at >= table->sh_size || table->sh_offset > m->n ||
      table->sh_size > m->n - table->sh_offset)
    return "";
  const char *s = (const char *)m->at + table->sh_offset + at;
  return memchr(s, 0, table->sh_size - at) ? s : "";
}

static const char *section_name(const image *m, uint32_t i) {
  Elf64_Shdr names;
  Elf64_Shdr s;
  return section(m, m->head.e_shstrndx, &names) && section(m, i, &s)
             ? string(m, &names, s.sh_name)
             : "";
}

static bool open_image(const void *bytes, size_t n, image *m) {
  *m = (image){.at = bytes, .n = n};
  return fetch(m, 0, &m->head, sizeof m->head) &&
         !memcmp(m->head.e_ident, ELFMAG, SELFMAG) &&
         m->head.e_ident[EI_CLASS] == ELFCLASS64 && m->head.e_machine == EM_NVIDIA;
}

bool ww_cubin_sections(
    const void *bytes, size_t n, const char *prefix, ww_arena *a, ww_strings *out) {
  image m;
  Elf64_Shdr names;
  Elf64_Shdr s;
  if (!open_image(bytes, n, &m) || !section(&m, m.head.e_shstrndx, &names))
    return false;
  for (uint32_t i = 0; i < m.head.e_shnum; i++) {
    if (!section(&m, i, &s) || s.sh_name >= names.sh_size || names.sh_offset > n ||
        names.sh_size > n - names.sh_offset)
      return false;
    const char *name = string(&m, &names, s.sh_name);
    if (ww_starts(name, prefix))
      ww_push(a, out, ww_strdup(a, name + strlen(prefix)));
  }
  return true;
}

/* Section i, where it is a table of symbols, and the table of their names. */
static bool symbols(const image *m, uint32_t i, Elf64_Shdr *table, Elf64_Shdr *names) {
  return section(m, i, table) && table->sh_type == SHT_SYMTAB &&
         section(m, table->sh_link, names);
}

uint32_t
ww_cubin_globals(const void *bytes, size_t n, ww_arena *a, ww_cubin_global **out) {
  WW_VEC(ww_cubin_global) found = {0};
  image m;
  *out = NULL;
  if (!open_image(bytes, n, &m))
    return 0;
  for (uint32_t i = 0; i < m.head.e_shnum; i++) {
    Elf64_Shdr table;
    Elf64_Shdr strings;
    if (!symbols(&m, i, &table, &strings))
      continue;
    for (uint64_t k = 0; k < table.sh_size / sizeof(Elf64_Sym); k++) {
      Elf64_Sym s;
      if (!fetch(&m, table.sh_offset + k * sizeof s, &s, sizeof s))
        break;
      const char *where = section_name(&m, s.st_shndx);
      const char *name = string(&m, &strings, s.st_name);
      bool writable = ww_starts(where, ".nv.global"),
           constant = !strcmp(where, ".nv.constant3");
      if (ELF64_ST_TYPE(s.st_info) != STT_OBJECT || !s.st_size || !*name ||
          (!writable && !constant))
        continue;
      ww_push(a, &found, (ww_cubin_global){name, s.st_size, writable});
    }
  }
  *out = found.v;
  return found.n;
}

/* ---- attributes ---- */

#define ATTRIBUTE_SIZED 4      /* form: a size, then so many bytes */
#define ATTRIBUTE_FRAME 17     /* symbol, bytes of local memory */
#define ATTRIBUTE_STACK 18     /* the same with the functions that it calls */
#define ATTRIBUTE_REGISTERS 47 /* symbol, registers */

static bool is_symbol(const image *m, uint32_t index, const char *want) {
  for (uint32_t i = 0; i < m->head.e_shnum; i++) {
    Elf64_Shdr table;
    Elf64_Shdr strings;
    Elf64_Sym s;
    if (symbols(m, i, &table, &strings))
      return fetch(m, table.sh_offset + index * sizeof s, &s, sizeof s) &&
             !strcmp(string(m, &strings, s.st_name), want);
  }
  return false;
}

static void note(uint8_t attribute, uint32_t value, ww_cubin_resources *out) {
  if (attribute == ATTRIBUTE_REGISTERS)
    out->registers = value;
  else if (value > out->local_bytes)
    out->local_bytes = value;
}

/* One section of attributes. */
static void read_attributes(const image *m,
                            uint32_t i,
                            const char *kernel,
                            ww_cubin_resources *out) {
  Elf64_Shdr s;
  if (!section(m, i, &s))
    return;
  for (uint64_t at = s.sh_offset, end = at + s.sh_size; at + 4 <= end;) {
    struct {
      uint8_t form, attribute;
      uint16_t size;
    } head;
    uint32_t body[2]; /* symbol, value */
    if (!fetch(m, at, &head, sizeof head))
      return;
    at += sizeof head;
    if (head.form != ATTRIBUTE_SIZED)
      continue;
    bool ours = head.attribute == ATTRIBUTE_REGISTERS ||
                head.attribute == ATTRIBUTE_FRAME || head.attribute == ATTRIBUTE_STACK;
    if (ours && fetch(m, at, body, sizeof body) && is_symbol(m, body[0], kernel))
      note(head.attribute, body[1], out);
    at += head.size;
  }
}

bool ww_cubin_resources_of(const void *bytes,
                           size_t n,
                           const char *kernel,
                           ww_cubin_resources *out) {
  image m;
  *out = (ww_cubin_resources){0};
  if (!open_image(bytes, n, &m))
    return false;
  for (uint32_t i = 0; i < m.head.e_shnum; i++)
    if (!strcmp(section_name(&m, i), ".nv.info"))
      read_attributes(&m, i, kernel, out);
  return out->registers > 0;
}

/* ---- code ---- */

#define INSTRUCTION 16 /* bytes, from sm_70 on */

/* HADD2, HFMA2, HMUL2, HFMA2.MMA in any form (register, immediate, constant operand),
 * with a first operand that is no RZ. */
static bool computes_half(const uint8_t *at) {
  return (at[0] == 0x30 || at[0] == 0x31 || at[0] == 0x32 || at[0] == 0x35) &&
         at[3] != 255;
}

static bool has_section(const image *m, const char *prefix, const char *name) {
  for (uint32_t i = 0; i < m->head.e_shnum; i++) {
    const char *s = section_name(m, i);
    if (ww_starts(s, prefix) && !strcmp(s + strlen(prefix), name))
      return true;
  }
  return false;
}

bool ww_cubin_half(const void *bytes, size_t n, const char *kernel) {
  image m;
  if (!open_image(bytes, n, &m) || !has_section(&m, ".text.", kernel))
    return true;
  for (uint32_t i = 0; i < m.head.e_shnum; i++) {
    Elf64_Shdr s;
    const char *name = section_name(&m, i);
    if (!ww_starts(name, ".text.") || !section(&m, i, &s))
      continue;
    name += strlen(".text.");
    /* a kernel of its own */
    bool other = strcmp(name, kernel) && has_section(&m, ".nv.constant0.", name);
    if (other)
      continue;
    if (s.sh_offset > n || s.sh_size > n - s.sh_offset || s.sh_size % INSTRUCTION)
      return true;
    for (uint64_t at = 0; at < s.sh_size; at += INSTRUCTION)
      if (computes_half(m.at + s.sh_offset + at))
        return true;
  }
  return false;
}

/* ---- names ---- */

/* The last of a source's name: ns::scale<float, 4> -> scale */
static size_t last_of_source(const char *name, const char **at) {
  size_t n = strcspn(name, "<(");
  size_t from = n;
  while (from && name[from - 1] != ':')
    from--;
  *at = name + from;
  return n - from;
}

/* The last <length><name> before template arguments or parameters: _ZN2ns5scaleIfEEvPT_
 * -> scale */
static size_t last_of_mangled(const char *m, const char **at) {
  size_t n = 0;
  *at = m;
  if (!ww_starts(m, "_Z"))
    return strlen(m);
  m += 2;
  bool nested = *m == 'N';
  while (*m == 'N' || *m == 'L' || *m == 'K' || *m == 'V')
    m++;
  while (isdigit((unsigned char)*m)) {
    char *name;
    unsigned long length = strtoul(m, &name, 10);
    if (length > strlen(name))
      return n;
    *at = name;
    n = length;
    m = name + length;
    if (!nested)
      break;
    if (*m == 'L')
      m++;
  }
  return n;
}

bool ww_name_matches(const char *name, const char *mangled) {
  const char *a;
  const char *b;
  size_t n = last_of_source(name, &a);
  size_t k = last_of_mangled(mangled, &b);
  return n == k && n && !memcmp(a, b, n);
}
