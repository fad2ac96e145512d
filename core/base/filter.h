/* filter.h - runs a program of the system as a filter: a text in, another out. So
 * Graphviz lays out graphs (core/view/dot.c), and librsvg and libsixel make pictures
 * for terminals (repl/picture.c), and what goes wrong in them ends only them. */
#ifndef FS_FILTER_H
#define FS_FILTER_H

#include "core/base/base.h"

enum fs_filter { FS_FILTER_OK, FS_FILTER_MISSING, FS_FILTER_FAILED };

/* Runs argv[0], which PATH finds, with in[0..len) as its standard input, without
 * a standard error, and appends what it writes to *out. MISSING: there is no such
 * program. FAILED: it did not end with status 0, not within `seconds`, was ended
 * because of fs_interrupted(), or wrote more than `most` bytes; then *out is as it
 * was. */
enum fs_filter fs_filter_run(char *const argv[], const char *in, size_t len,
                             size_t most, double seconds, struct fs_str *out);

#endif
