/* cubin.h - what a cubin says of its functions, for tests without a device. */
#ifndef TESTS_CUBIN_H
#define TESTS_CUBIN_H

#include <elf.h>
#include <stdint.h>
#include <string.h>

/* What .nv.info, the list of attributes in a cubin, says of all functions: the
 * most registers and the largest stack frame. */
static inline void cubin_read_info(const unsigned char *p, size_t size,
                                   unsigned *registers, unsigned *local) {
  enum { SIZED = 4, FRAME_SIZE = 0x11, REGCOUNT = 0x2f };
  for (size_t at = 0; at + 4 <= size;) {
    uint16_t len = 0;
    if (p[at] == SIZED) memcpy(&len, p + at + 2, 2);
    if (len >= 8 && at + 12 <= size) {
      uint32_t value;
      memcpy(&value, p + at + 8, 4);
      if (p[at + 1] == REGCOUNT && value > *registers) *registers = value;
      if (p[at + 1] == FRAME_SIZE && value > *local) *local = value;
    }
    at += 4 + (size_t)len;
  }
}

/* Leaves both as they are where the image is no cubin. */
static inline void cubin_read(const unsigned char *image, size_t size,
                              unsigned *registers, unsigned *local) {
  Elf64_Ehdr head;
  if (size < sizeof head || memcmp(image, ELFMAG, SELFMAG)) return;
  memcpy(&head, image, sizeof head);
  for (int k = 0; k < head.e_shnum; k++) {
    enum { NV_INFO = 0x70000000 }; /* the section's type */
    Elf64_Shdr s;
    size_t at = head.e_shoff + (size_t)k * sizeof s;
    if (at + sizeof s > size) return;
    memcpy(&s, image + at, sizeof s);
    if (s.sh_type == NV_INFO && s.sh_offset + s.sh_size <= size)
      cubin_read_info(image + s.sh_offset, s.sh_size, registers, local);
  }
}

#endif
