/* parts.h - what the files of this folder give to table.c, per instruction
 * set. */
#ifndef FS_CPU_PARTS_H
#define FS_CPU_PARTS_H

#include "elemlib/cpu/simd.h"

extern fs_map_fn *const FS_SYM(fs_maps)[FS_MAP_OP_COUNT][FS_CT_COUNT][8];
extern fs_map_fn *const FS_SYM(fs_pairs)[FS_PAIR_RSUB][2][FS_PAIR_COUNT][8];
fs_map_fn FS_SYM(fs_axpby_f32), FS_SYM(fs_axpby_f64);

extern fs_convert_fn *const FS_SYM(fs_converts)[FS_CT_COUNT][FS_CT_COUNT];
#define FS_NARROW(NAME) \
  FS_SYM(fs_load_##NAME), FS_SYM(fs_store_##NAME), FS_SYM(fs_round_##NAME), FS_SYM(fs_clip_##NAME)
fs_convert_fn FS_NARROW(u8), FS_NARROW(i8), FS_NARROW(u16), FS_NARROW(i16), FS_NARROW(u32);
fs_convert_fn FS_SYM(fs_load_f16), FS_SYM(fs_load_bf16), FS_SYM(fs_store_f16),
    FS_SYM(fs_store_bf16), FS_SYM(fs_round_f16), FS_SYM(fs_round_bf16);
fs_gather_fn FS_SYM(fs_gather_1), FS_SYM(fs_gather_2), FS_SYM(fs_gather_4),
    FS_SYM(fs_gather_8);
fs_scatter_fn FS_SYM(fs_scatter_1), FS_SYM(fs_scatter_2),
    FS_SYM(fs_scatter_4), FS_SYM(fs_scatter_8);
fs_transpose_fn FS_SYM(fs_transpose_1), FS_SYM(fs_transpose_2),
    FS_SYM(fs_transpose_4), FS_SYM(fs_transpose_8);
fs_convert_fn FS_SYM(fs_fill_1), FS_SYM(fs_fill_2), FS_SYM(fs_fill_4),
    FS_SYM(fs_fill_8), FS_SYM(fs_stream);

extern fs_row_fn *const FS_SYM(fs_rows)[FS_REDUCE_OP_COUNT][FS_CT_COUNT];
extern fs_col_fn *const FS_SYM(fs_cols)[FS_REDUCE_OP_COUNT][FS_CT_COUNT];
extern fs_fold_fn *const FS_SYM(fs_folds)[FS_REDUCE_OP_COUNT][FS_CT_COUNT];
extern fs_state_row_fn *const FS_SYM(fs_state_rows)[FS_REDUCE_OP_COUNT][FS_CT_COUNT];
extern fs_state_col_fn *const FS_SYM(fs_state_cols)[FS_REDUCE_OP_COUNT][FS_CT_COUNT];
extern fs_state_fold_fn *const FS_SYM(fs_state_folds)[FS_REDUCE_OP_COUNT][FS_CT_COUNT];
extern fs_state_merge_fn *const FS_SYM(fs_state_merges)[FS_REDUCE_OP_COUNT][FS_CT_COUNT];
extern fs_state_finish_fn *const FS_SYM(fs_state_finishes)[FS_REDUCE_OP_COUNT];
fs_rowdot_fn FS_SYM(fs_rowdot_f32), FS_SYM(fs_rowdot_f64),
    FS_SYM(fs_rowdot_wide);
fs_coldot_fn FS_SYM(fs_coldot_f32), FS_SYM(fs_coldot_f64);
fs_colmul_fn FS_SYM(fs_colmul_f32), FS_SYM(fs_colmul_f64);
fs_finish_fn FS_SYM(fs_finish_u8), FS_SYM(fs_finish_i32),
    FS_SYM(fs_finish_i64), FS_SYM(fs_finish_u64), FS_SYM(fs_finish_f32), FS_SYM(fs_finish_f64);

fs_random_fn FS_SYM(fs_uniform_f32), FS_SYM(fs_uniform_f64),
    FS_SYM(fs_normal_f32), FS_SYM(fs_normal_f64);
fs_iota_fn FS_SYM(fs_iota_u8), FS_SYM(fs_iota_i32), FS_SYM(fs_iota_i64), FS_SYM(fs_iota_u64),
    FS_SYM(fs_iota_f32), FS_SYM(fs_iota_f64);
fs_fourier_fn FS_SYM(fs_fourier_f32), FS_SYM(fs_fourier_f64);

#endif
