/* tuning.c - the settings of a kernel by their numbers: see tuning.h. */
#include "core/kernel/kernel.h"

#define IN(scheme) (1u << FS_##scheme)
#define IN_ALL ~IN(LIBRARY)
const struct fs_tuning_row fs_tuning_rows[FS_TUNING_ROWS] = {
#define SETTING(name, field, ...) {#name, offsetof(struct fs_tuning, field), __VA_ARGS__},
#include "core/kernel/settings.def"
#undef SETTING
};

int fs_tuning_value(const struct fs_tuning *t, int row) {
  int value = *(const int *)((const char *)t + fs_tuning_rows[row].at);
  return row == FS_TUNING_cluster ? FS_MAX(1, value) : value;
}

void fs_tuning_put(const struct fs_tuning *t, struct fs_str *out) {
  for (int x = 0; x < FS_TUNING_ROWS; x++) {
    const struct fs_tuning_row *row = &fs_tuning_rows[x];
    int value = fs_tuning_value(t, x);
    if (!row->mark) fs_str_printf(out, "%s%d", x ? "." : "", value);
    else if (value > row->base) fs_str_printf(out, ".%s%d", row->mark, value);
  }
}
