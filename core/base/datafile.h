/* datafile.h - small files that the program keeps for itself: calibrations,
 * learned corrections, tuned plans. They lie in $XDG_DATA_HOME/fusible (else
 * ~/.local/share/fusible), are read with a bound and written whole or not at
 * all. And what whoever reads a text or writes a file needs. */
#ifndef FS_DATAFILE_H
#define FS_DATAFILE_H

#include "core/base/base.h"

/* The path of the file `name`; false if neither $XDG_DATA_HOME nor $HOME is an
 * absolute path. Appends to *out. */
bool fs_data_path(const char *name, struct fs_str *out);

/* $VARIABLE/fusible/NAME, or ~/FALLBACK/fusible/NAME; relative values do not
 * count. False when there is no home. Appends to *out. */
bool fs_xdg_path(const char *variable, const char *fallback, const char *name,
                 struct fs_str *out);

/* The file in which front ends store inputs: $FUSIBLE_HISTORY, where that is set, else in
 * $XDG_STATE_HOME/fusible. False: none is to be. Appends to *out. */
bool fs_history_path(struct fs_str *out);

/* Makes the folders above a file, with these permissions. What fails here fails
 * again when the file is opened, and then says less: the first errno, or 0. */
int fs_make_folders(const char *file, unsigned mode);

/* Writes all of it, however often the system takes less; false: errno says why. */
bool fs_write_all(int fd, const void *data, size_t len);

/* A new file for a moment, with a name that ends in `suffix`, in the folder for such
 * ($TMPDIR, else /tmp), for nobody else to read. Gives its descriptor, -1 if there can be
 * none, and its path, which is the caller's to free and to unlink. */
int fs_temporary_file(const char *suffix, char **path);

/* Reads a regular file of at most `most` bytes into *out. NULL on success, else
 * why not, in words that go after "it " (static): "is not there" is
 * FS_DATA_ABSENT and no news. Does not follow a link, waits for no pipe. */
extern const char FS_DATA_ABSENT[];
const char *fs_data_read(const char *path, size_t most, struct fs_str *out);

/* Reads a text that the user named, of at most `most` bytes, into *out. Only a
 * regular file will do, links followed; with `streams` also a pipe or a device,
 * which are read until they end or have given too much. NULL on success, else why
 * not, in words that go after a colon (static, or of strerror()). */
const char *fs_text_read(const char *path, size_t most, bool streams,
                         struct fs_str *out);
/* The same of what is open, from where it stands; leaves it open. */
const char *fs_text_read_fd(int fd, size_t most, struct fs_str *out);

/* Who could change it besides us and root, as words that go after "it "; or NULL. */
struct stat;
const char *fs_others_can_write(const struct stat *st);

/* Writes beside, fsync, rename; makes the folders above, for this user only.
 * NULL on success, else the system's reason. */
const char *fs_data_write(const char *path, const char *text, size_t len);

#endif
