/* The routines of small.c for matrices of 2 x 2 to 8 x 8, of FS_TYPE. */
#define FS_N 2
#include "core/device/cpu/small_n.h"
#undef FS_N
#define FS_N 3
#include "core/device/cpu/small_n.h"
#undef FS_N
#define FS_N 4
#include "core/device/cpu/small_n.h"
#undef FS_N
#define FS_N 5
#include "core/device/cpu/small_n.h"
#undef FS_N
#define FS_N 6
#include "core/device/cpu/small_n.h"
#undef FS_N
#define FS_N 7
#include "core/device/cpu/small_n.h"
#undef FS_N
#define FS_N 8
#include "core/device/cpu/small_n.h"
#undef FS_N
