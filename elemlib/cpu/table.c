/* table.c - the routines of one instruction set as one table. */
#include "elemlib/cpu/parts.h"

#define FS_TEXT_(x) #x
#define FS_TEXT(x) FS_TEXT_(x)
#define BY_SIZE(NAME)                                                \
  {FS_SYM(NAME##_1), FS_SYM(NAME##_2), FS_SYM(NAME##_4), FS_SYM(NAME##_8)}
#define BY_FLOAT(NAME)                                               \
  {[FS_CT_F32] = FS_SYM(NAME##_f32), [FS_CT_F64] = FS_SYM(NAME##_f64)}
#define BY_TYPE(NAME)                                                \
  {FS_SYM(NAME##_u8), FS_SYM(NAME##_i32), FS_SYM(NAME##_i64),        \
   FS_SYM(NAME##_u64), FS_SYM(NAME##_f32), FS_SYM(NAME##_f64)}

#define BY_NARROW(NAME)                                              \
  [FS_U8] = FS_SYM(NAME##_u8), [FS_I8] = FS_SYM(NAME##_i8),          \
  [FS_U16] = FS_SYM(NAME##_u16), [FS_I16] = FS_SYM(NAME##_i16),      \
  [FS_U32] = FS_SYM(NAME##_u32)

const struct fs_routines FS_SYM(fs_routines) = {
  .isa = FS_TEXT(FS_ISA),
  .vector_bytes = FS_VB,
  .map = FS_SYM(fs_maps),
  .pair = FS_SYM(fs_pairs),
  .axpby = {FS_SYM(fs_axpby_f32), FS_SYM(fs_axpby_f64)},
  .convert = FS_SYM(fs_converts),
  .load = {BY_NARROW(fs_load), [FS_F16] = FS_SYM(fs_load_f16), [FS_BF16] = FS_SYM(fs_load_bf16)},
  .store = {BY_NARROW(fs_store), [FS_F16] = FS_SYM(fs_store_f16),
            [FS_BF16] = FS_SYM(fs_store_bf16)},
  .round = {BY_NARROW(fs_round), [FS_F16] = FS_SYM(fs_round_f16),
            [FS_BF16] = FS_SYM(fs_round_bf16)},
  .clip = {BY_NARROW(fs_clip)},
  .gather = BY_SIZE(fs_gather),
  .scatter = BY_SIZE(fs_scatter),
  .transpose = BY_SIZE(fs_transpose),
  .fill = BY_SIZE(fs_fill),
  .stream = FS_SYM(fs_stream),
  .row = FS_SYM(fs_rows),
  .rowdot = BY_FLOAT(fs_rowdot),
  .rowdot_wide = FS_SYM(fs_rowdot_wide),
  .col = FS_SYM(fs_cols),
  .coldot = BY_FLOAT(fs_coldot),
  .colmul = BY_FLOAT(fs_colmul),
  .fold = FS_SYM(fs_folds),
  .finish = BY_TYPE(fs_finish),
  .state_row = FS_SYM(fs_state_rows),
  .state_col = FS_SYM(fs_state_cols),
  .state_fold = FS_SYM(fs_state_folds),
  .state_merge = FS_SYM(fs_state_merges),
  .state_finish = FS_SYM(fs_state_finishes),
  .uniform = {FS_SYM(fs_uniform_f32), FS_SYM(fs_uniform_f64)},
  .normal = {FS_SYM(fs_normal_f32), FS_SYM(fs_normal_f64)},
  .iota = BY_TYPE(fs_iota),
  .fourier = {FS_SYM(fs_fourier_f32), FS_SYM(fs_fourier_f64)},
};
