/* look.h - what a piece of output may use where it is going. */
#ifndef FS_LOOK_H
#define FS_LOOK_H

#include <stdbool.h>

struct fs_look {
  int width;  /* columns                                   */
  bool color; /* SGR escapes                               */
  bool utf8;  /* else ASCII stands in for signs and frames */
};

#endif
