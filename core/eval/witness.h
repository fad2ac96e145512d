/* witness.h - what an input took from outside of the session, and left there: so
 * that a journal of inputs can be replayed and say what it cannot bring back.
 *
 * One witness at most, of the input that runs; without one nothing is noted.
 */
#ifndef FS_WITNESS_H
#define FS_WITNESS_H

#include "core/base/stamp.h"

enum { FS_WITNESS_TIMES = 1000 };

struct fs_witness {
  FS_VEC(struct fs_stamp) read; /* files, as they were when they were first read */
  FS_VEC(double) times;    /* what time() gave, the first ones           */
  int64_t times_told;      /* how often it was asked                     */
  FS_VEC(char *) answers;  /* what was typed for ask()                   */
  int answered;            /* how many of them a replay has given        */
  bool replay;             /* times are given once more, saves left out  */
};

/* Takes `w` (borrowed) into use, or none. */
void fs_witness_set(struct fs_witness *w);
void fs_witness_clear(struct fs_witness *w); /* for the next input */

/* A file is about to be read from what is open there; -1: it could not be opened. */
void fs_witness_read(const char *path, int fd);
/* A text was read; NULL: it could not be. */
void fs_witness_read_text(const char *path, const struct fs_str *text);
/* The time to tell: `now`, or in a replay what was told then. */
double fs_witness_time(double now);
/* In a replay the next answer, from malloc; false where it has to be asked. */
bool fs_witness_answer(char **line);
void fs_witness_answered(const char *line);
/* A file is about to be written. False: it is not to be, this is a replay. */
bool fs_witness_save(void);

#endif
