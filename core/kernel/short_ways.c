/* short_ways.c - the table of short ways. */
#include "core/kernel/short_ways.h"

static const struct fs_ways all_ways[] = {
    {FS_OP_DIV,
     {"fs_div({0}, {1}, rare)", "fs_div_bf16({0}, {1}, rare)",
      "fs_div_f64({0}, {1}, rare)", "fs_div_two({0}, {1}, seen)"},
     {0}},
    {FS_OP_SQRT,
     {"fs_sqrt({0}, rare)", "fs_sqrt_bf16({0}, rare)", "fs_sqrt_f64({0}, rare)",
      "fs_sqrt_two({0}, seen)"},
     {0}},
    {FS_OP_RSQRT,
     {"fs_div(1.0f, fs_sqrt({0}, rare), rare)",
      "fs_div(1.0f, fs_sqrt({0}, rare), rare)",
      "fs_div_f64(1.0, fs_sqrt_f64({0}, rare), rare)", "fs_rsqrt_two({0}, seen)"},
     {0}},
    {FS_OP_LOG,
     {"fs_log({0}, rare)", "fs_log_bf16({0}, rare)", "fs_log_f64({0}, rare)",
      "fs_log_two({0}, seen)"},
     {"fs_log({0})", "fs_log_bf16({0})", "fs_log_f64({0})", NULL}},
    {FS_OP_POW, {"fs_pow({0}, {1}, rare)", NULL, NULL, NULL},
     {"fs_pow({0}, {1})", "fs_pow({0}, {1})", NULL, NULL}},
    {FS_OP_EXP, {NULL, NULL, "fs_exp_f64({0}, rare)", NULL},
     {NULL, "fs_exp_bf16({0})", "fs_exp_f64({0})", NULL}},
    {FS_OP_ERF, {NULL, NULL, "fs_erf_f64({0}, words, rare)", NULL},
     {"fs_erf({0})", "fs_erf_bf16({0})", "fs_erf_f64({0}, words)", "fs_erf_two({0})"}},
};

const struct fs_ways *fs_ways_of(int op) {
  for (size_t k = 0; k < FS_LEN(all_ways); k++)
    if (all_ways[k].op == op) return &all_ways[k];
  return NULL;
}

static enum fs_way way_of(enum fs_dtype dt) {
  return dt == FS_F64 ? FS_WAY_F64 : dt == FS_BF16 ? FS_WAY_BF16 : FS_WAY_F32;
}

const char *fs_short_way(int op, enum fs_dtype dt) {
  const struct fs_ways *w = fs_dtype_is_float(dt) ? fs_ways_of(op) : NULL;
  return w ? w->quick[way_of(dt)] : NULL;
}

const char *fs_long_way(int op, enum fs_dtype dt) {
  const struct fs_ways *w = fs_dtype_is_float(dt) ? fs_ways_of(op) : NULL;
  return w && w->any[way_of(dt)] ? w->any[way_of(dt)] : fs_map_ops[op].cuda;
}
