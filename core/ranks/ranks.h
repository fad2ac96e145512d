/* ranks.h - several processes that run one program, each with a part of the data.
 *
 * All ranks run the same inputs in the same order, so all of them come to each of the calls
 * below together. Rank 0 leads: it reads inputs and shows results; the others follow it. A
 * process alone is rank 0 of 1, and then none of this does anything.
 *
 * What carries the bytes is shared memory, for ranks that this process started, MPI, for those
 * that `mpirun` did, or TCP, for those of Slurm and torchrun. */
#ifndef FS_RANKS_H
#define FS_RANKS_H

#include "core/base/diag.h"

enum { FS_MOST_RANKS = 64 };

int fs_rank(void);         /* of this process, from 0 */
int fs_ranks(void);        /* how many there are, 1 at least */

/* What carries bytes between ranks: gather() as fs_ranks_gather(), share() as
 * fs_ranks_share(); both give false when a rank is gone, which ends all. */
struct fs_carrier {
  const char *name;        /* "shared memory", "MPI", "TCP" */
  bool (*gather)(void *all, size_t block);
  bool (*share)(void *data, size_t bytes);
  void (*end)(void);       /* the last call */
  const char *why;         /* a sentence of why a rank is gone; NULL or "": it has ended */
};

/* Where `mpirun`, `srun` or `torchrun` started this process as one of several: joins the others, by
 * MPI in a module that was built where mpicc was found, else by TCP. False with a sentence in
 * *error (static) when that cannot be. */
bool fs_ranks_join(const char **error);
/* The number of this process among those of its host, if who started it says so; else -1. */
int fs_ranks_local(void);
/* Starts size - 1 processes that run `program --rank`, with this one's environment; they call
 * fs_ranks_follow(). False with a sentence in *error. */
bool fs_ranks_start(const char *program, int size, const char **error);
/* In a process that fs_ranks_start() started. */
bool fs_ranks_follow(void);
/* Ends the connection; of the leader, also the processes that it started. */
void fs_ranks_end(void);

/* Whether this rank is at what all of them do, an input. Between inputs, where one that leads is
 * asked something, nothing of what follows may be called. */
void fs_ranks_together(bool together);
bool fs_ranks_are_together(void);
/* Whether a rank has ended, so that nothing is done together any more. */
bool fs_ranks_lost(void);

/* Block k of `all`, of `block` bytes each, is that of rank k: each rank brings its own in its
 * place and gets the others. */
enum fs_status fs_ranks_gather(void *all, size_t block, struct fs_diags *d);
/* Everybody gets what rank 0 has. */
enum fs_status fs_ranks_share(void *data, size_t bytes, struct fs_diags *d);
/* Ors the bytes of all ranks, each of which has zeros where it knows nothing. */
enum fs_status fs_ranks_merge(void *data, size_t bytes, struct fs_diags *d);
/* The sum of all ranks' `count` numbers, added in the order of the ranks: f32, f64 or i64. */
enum fs_status fs_ranks_add_f32(float *x, int64_t count, struct fs_diags *d);
enum fs_status fs_ranks_add_f64(double *x, int64_t count, struct fs_diags *d);
enum fs_status fs_ranks_add_i64(int64_t *x, int64_t count, struct fs_diags *d);
/* The status that all ranks have after a step which went well on some of them: FS_OK if on
 * all. Then those on which it did are told what went wrong elsewhere. Ctrl-C at the leader is
 * FS_INTERRUPTED for all, and only here. */
enum fs_status fs_ranks_agree(enum fs_status mine, struct fs_diags *d);
/* The same, where all must be about to do the same: `step` is a number of what it is. */
enum fs_status fs_ranks_agree_on(enum fs_status mine, uint64_t step, struct fs_diags *d);

/* -- what carries, for ranks.c ------------------------------------------------ */

const struct fs_carrier *fs_shared_start(const char *program, int size, const char **error);
const struct fs_carrier *fs_shared_follow(int *rank, int *size);
/* By the variables of Slurm or torchrun; NULL with *error NULL: there are none. */
const struct fs_carrier *fs_tcp_start(int *rank, int *size, const char **error);

#endif
