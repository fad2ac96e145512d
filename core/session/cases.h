/* cases.h - the kernels that :calibrate measures, as a table: statements, the
 * element types and sizes that they are run with, and the scheme that the planner is
 * led to. */
#ifndef FS_SESSION_CASES_H
#define FS_SESSION_CASES_H

#include "core/base/base.h"

/* What a case is run on. The values of one size and type are made once, for all
 * cases of the group. */
enum fs_case_group {
  FS_CASE_VECTORS, FS_CASE_MATRICES, FS_CASE_CUBES, FS_CASE_LIBRARY, FS_CASE_SLOW_LIBRARY,
  FS_CASE_GROUPS
};

/* Which scheme: as planned, or led to flat, row or tile kernels, or to
 * row kernels that walk against the grain. */
enum fs_case_lead {
  FS_LEAD_NOWHERE, FS_LEAD_FLAT, FS_LEAD_ROW, FS_LEAD_TILE, FS_LEAD_STRIDED, FS_LEADS
};

/* Which sizes: all; every other one and the largest; the same with few settings, since
 * the case is much like another; all, and on a GPU those of which rows begin off 16-byte
 * boundaries, too; few, and none on a GPU; as UNEVEN, and none on a CPU. */
enum fs_case_sizes {
  FS_SIZES_EVERY, FS_SIZES_FEW, FS_SIZES_BRIEF, FS_SIZES_UNEVEN, FS_SIZES_CPU_FEW,
  FS_SIZES_GPU_UNEVEN
};

enum { FS_CASE_TYPES = 5 };

struct fs_calibration_case {
  const char *what, *block;   /* $ is the type                       */
  unsigned types;             /* bits: of fs_case_types              */
  enum fs_case_group group;
  enum fs_case_lead lead;
  enum fs_case_sizes sizes;
};

extern const struct fs_calibration_case fs_cases[];
extern const size_t fs_case_count;
extern const char *const fs_case_types[FS_CASE_TYPES];    /* "f32", ...       */
extern const char *const fs_case_setups[FS_CASE_GROUPS];  /* makes the values */

struct fs_extent {
  int64_t m, n;
};
struct fs_extents {
  const struct fs_extent *at;
  int n;
};
/* The sizes of a group's values, those of vectors and square matrices as n; m x n are as
 * many elements. */
struct fs_extents fs_case_extents(enum fs_case_group group, bool cuda);

#endif
