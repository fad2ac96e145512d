/* tuning.h - what a target may choose of how it walks a kernel: the settings of
 * settings.def, as fields and as rows. */
#ifndef FS_TUNING_H
#define FS_TUNING_H

#include "core/base/base.h"

/* How a target should walk the kernel, an int for each of settings.def; filled by fs_tune(). */
struct fs_tuning {
#define SETTING(name, field, ...) int field;
#include "core/kernel/settings.def"
#undef SETTING
};
enum {
#define SETTING(name, ...) FS_TUNING_##name,
#include "core/kernel/settings.def"
#undef SETTING
  FS_TUNING_ROWS
};
struct fs_tuning_row {
  const char *name;
  size_t at;            /* of struct fs_tuning                             */
  int base, least, most;
  const char *mark;     /* NULL, or how it begins in a text of a choice    */
  unsigned schemes;     /* 1 << fs_scheme                                  */
  const char *what;
};
extern const struct fs_tuning_row fs_tuning_rows[FS_TUNING_ROWS];
/* The setting of such a row. No cluster is a cluster of one. */
int fs_tuning_value(const struct fs_tuning *t, int row);
/* "128.32.4.2.1.4.s3": the settings in a text of a choice. */
void fs_tuning_put(const struct fs_tuning *t, struct fs_str *out);

#endif
