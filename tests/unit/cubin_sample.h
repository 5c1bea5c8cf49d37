/* cubin_sample.h - the smallest cubin with variables: `table`, 256 bytes, and the
 * constant `ns::coef`, 16 bytes. */
#ifndef WW_TEST_CUBIN_SAMPLE_H
#define WW_TEST_CUBIN_SAMPLE_H

#include <elf.h>
#include <stddef.h>
#include <string.h>

static const char names[] =
    "\0.shstrtab\0.strtab\0.symtab\0.nv.global\0.nv.constant3"; /* of sections: 1 11 19
                                                                   27 38 */
static const char strings[] = "\0table\0_ZN2ns4coefE\0kernel";  /* of symbols: 1 7 20 */

typedef struct {
  Elf64_Ehdr head;
  Elf64_Shdr sections[6];
  Elf64_Sym symbols[4];
  char names[sizeof names], strings[sizeof strings];
} cubin;

static inline cubin sample(void) {
  cubin c = {
      .head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1},
               .e_machine = 190,
               .e_shoff = offsetof(cubin, sections),
               .e_shentsize = sizeof(Elf64_Shdr),
               .e_shnum = 6,
               .e_shstrndx = 1},
      .sections = {{0},
                   {.sh_name = 1,
                    .sh_type = SHT_STRTAB,
                    .sh_offset = offsetof(cubin, names),
                    .sh_size = sizeof names},
                   {.sh_name = 11,
                    .sh_type = SHT_STRTAB,
                    .sh_offset = offsetof(cubin, strings),
                    .sh_size = sizeof strings},
                   {.sh_name = 19,
                    .sh_type = SHT_SYMTAB,
                    .sh_link = 2,
                    .sh_offset = offsetof(cubin, symbols),
                    .sh_size = sizeof c.symbols},
                   {.sh_name = 27, .sh_type = SHT_NOBITS},
                   {.sh_name = 38, .sh_type = SHT_PROGBITS}},
      .symbols = {{0},
                  {.st_name = 1, .st_info = STT_OBJECT, .st_shndx = 4, .st_size = 256},
                  {.st_name = 7, .st_info = STT_OBJECT, .st_shndx = 5, .st_size = 16},
                  {.st_name = 20, .st_info = STT_FUNC, .st_shndx = 5, .st_size = 640}}};
  memcpy(c.names, names, sizeof names);
  memcpy(c.strings, strings, sizeof strings);
  return c;
}

#endif
