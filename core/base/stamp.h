/* stamp.h - whether a file is as it was when it was read. */
#ifndef FS_STAMP_H
#define FS_STAMP_H

#include "core/base/base.h"

struct fs_stamp {
  char *path;            /* as it was named; owned                           */
  bool there;            /* it could be opened, and is a regular file        */
  bool open;             /* the rest is of the descriptor that was read      */
  int64_t size, inode, device;
  int64_t changed[4];    /* seconds and nanoseconds: of its bytes, and of its inode */
  uint64_t hash;         /* of all its bytes                                 */
};

/* What is open there, before it is read; keeps the path. Reads all of it once. */
struct fs_stamp fs_stamp_open(int fd, char *path);
/* A text that was read; keeps the path. */
struct fs_stamp fs_stamp_text(char *path, const char *text, size_t len);
/* One that could not be read; keeps the path. */
struct fs_stamp fs_stamp_none(char *path);

enum fs_stamp_now { FS_STAMP_SAME, FS_STAMP_OTHER, FS_STAMP_GONE };
/* All bytes are looked at, unless device, inode, size and both times are what they were. */
enum fs_stamp_now fs_stamp_compare(const struct fs_stamp *s);

/* A stamp but for its path as numbers, to be sent, and back; keeps the path. */
enum { FS_STAMP_NUMBERS = 10 };
void fs_stamp_numbers(const struct fs_stamp *s, int64_t out[FS_STAMP_NUMBERS]);
struct fs_stamp fs_stamp_of_numbers(char *path, const int64_t v[FS_STAMP_NUMBERS]);

#endif
