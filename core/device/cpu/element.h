/* element.h - elements in memory: the routines of their size, and numbers as elements. */
#ifndef FS_CPU_ELEMENT_H
#define FS_CPU_ELEMENT_H

#include "core/device/target.h"
#include "elemlib/cpu/routines.h"

/* 1, 2, 4 or 8 bytes: which of the routines for each size. */
static inline int fs_element_log2(int size) {
  return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
}

/* A number of the host as an element, in the type that dt is computed in. */
static inline void fs_element_set(enum fs_dtype dt, struct fs_number x, void *out) {
  switch (fs_ctype_of(dt)) {
    case FS_CT_BOOL: *(uint8_t *)out = x.i != 0; break;
    case FS_CT_I32: *(int32_t *)out = (int32_t)(uint32_t)(uint64_t)x.i; break;
    case FS_CT_I64:
    case FS_CT_U64: *(int64_t *)out = x.i; break;
    case FS_CT_F32: *(float *)out = (float)x.f; break;
    default: *(double *)out = x.f; break;
  }
}

#endif
