/* ranks.c - who takes part, and what ranks do together by means of a carrier. */
#include "core/ranks/ranks.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

static struct {
  const struct fs_carrier *carrier;
  int rank, size;
  bool lost, apart;
} ranks = {NULL, 0, 1, false, false};

int fs_rank(void) { return ranks.rank; }
int fs_ranks(void) { return ranks.size; }

/* -- who takes part ------------------------------------------------------------ */

/* How many processes were started together with this one. */
static int started_together(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
  for (size_t k = 0; k < FS_LEN(names); k++) {
    const char *value = getenv(names[k]);
    if (value && atoi(value) > 1) return atoi(value);
  }
  return 1;
}

/* The module lies beside the program, or where libraries are. */
static void *open_module(void) {
  char path[PATH_MAX + 32];
  ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
  char *slash = n > 0 ? memrchr(path, '/', (size_t)n) : NULL;
  if (slash) {
    strcpy(slash + 1, "libfusible-mpi.so");
    void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (module) return module;
  }
  return dlopen("libfusible-mpi.so", RTLD_NOW | RTLD_GLOBAL);
}

int fs_ranks_local(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                      "SLURM_LOCALID", "LOCAL_RANK"};
  for (size_t k = 0; k < FS_LEN(names); k++)
    if (getenv(names[k])) return atoi(getenv(names[k]));
  return -1;
}

bool fs_ranks_join(const char **error) {
  void *module = started_together() > 1 ? open_module() : NULL;
  const struct fs_carrier *(*start)(int *rank, int *size) = NULL;
  if (module) *(void **)&start = dlsym(module, "fs_mpi_start");
  if (!start) ranks.carrier = fs_tcp_start(&ranks.rank, &ranks.size, error);
  if (!start && (ranks.carrier || *error)) return ranks.carrier != NULL;
  if (!start && started_together() == 1) return true;
  if (!start) {
    *error = "this is one of several processes of MPI, but libfusible-mpi.so, which make "
             "builds where it finds mpicc, could not be loaded";
    return false;
  }
  ranks.carrier = start(&ranks.rank, &ranks.size);
  if (ranks.carrier && ranks.size <= FS_MOST_RANKS) return true;
  *error = ranks.carrier ? "there may be 64 ranks at most" : "MPI could not be started";
  return false;
}

bool fs_ranks_start(const char *program, int size, const char **error) {
  ranks.carrier = fs_shared_start(program, size, error);
  if (ranks.carrier) ranks.size = size;
  return ranks.carrier != NULL;
}

bool fs_ranks_follow(void) {
  ranks.carrier = fs_shared_follow(&ranks.rank, &ranks.size);
  return ranks.carrier != NULL;
}

void fs_ranks_end(void) {
  if (ranks.carrier) ranks.carrier->end();
  ranks.carrier = NULL;
  ranks.rank = 0, ranks.size = 1;
  ranks.lost = false;
}

void fs_ranks_together(bool together) { ranks.apart = !together; }
bool fs_ranks_are_together(void) { return ranks.size == 1 || !ranks.apart; }

bool fs_ranks_lost(void) { return ranks.lost; }

/* -- together ------------------------------------------------------------------ */

static enum fs_status gone(struct fs_diags *d) {
  ranks.lost = true;
  const char *why = ranks.carrier && ranks.carrier->why ? ranks.carrier->why : "";
  return fs_env_error(d, "rank-lost", NULL, "%s, and so this one can do nothing more",
                      *why ? why : "another rank has ended");
}

enum fs_status fs_ranks_gather(void *all, size_t block, struct fs_diags *d) {
  if (ranks.size == 1) return FS_OK;
  return !ranks.lost && ranks.carrier->gather(all, block) ? FS_OK : gone(d);
}

enum fs_status fs_ranks_share(void *data, size_t bytes, struct fs_diags *d) {
  if (ranks.size == 1) return FS_OK;
  return !ranks.lost && ranks.carrier->share(data, bytes) ? FS_OK : gone(d);
}

enum { PIECE = 1 << 20 };

/* Calls step(mine, theirs, bytes, first) for every rank in order with pieces of their data. */
static enum fs_status by_pieces(char *data, size_t bytes,
                                void (*step)(char *mine, const char *theirs, size_t n, bool first),
                                struct fs_diags *d) {
  size_t most = FS_MIN(bytes, (size_t)PIECE);
  char *all = fs_malloc(most * (size_t)ranks.size + 1);
  enum fs_status st = FS_OK;
  for (size_t at = 0; at < bytes && st == FS_OK; at += most) {
    size_t n = FS_MIN(most, bytes - at);
    memcpy(all + n * (size_t)ranks.rank, data + at, n);
    st = fs_ranks_gather(all, n, d);
    for (int r = 0; r < ranks.size && st == FS_OK; r++)
      step(data + at, all + n * (size_t)r, n, r == 0);
  }
  free(all);
  return st;
}

static void merge(char *mine, const char *theirs, size_t n, bool first) {
  (void)first;
  for (size_t k = 0; k < n; k++) mine[k] |= theirs[k];
}

enum fs_status fs_ranks_merge(void *data, size_t bytes, struct fs_diags *d) {
  return ranks.size == 1 ? FS_OK : by_pieces(data, bytes, merge, d);
}

#define ADD(name, type, sum)                                                            \
  static void add_##name(char *mine, const char *theirs, size_t n, bool first) {        \
    type *x = (type *)mine;                                                             \
    const type *y = (const type *)theirs;                                               \
    for (size_t k = 0; k < n / sizeof *x; k++) x[k] = first ? y[k] : (type)(sum);       \
  }                                                                                     \
  enum fs_status fs_ranks_add_##name(type *x, int64_t count, struct fs_diags *d) {      \
    return ranks.size == 1 ? FS_OK                                                      \
                           : by_pieces((char *)x, (size_t)count * sizeof *x, add_##name, d); \
  }
ADD(f32, float, x[k] + y[k])
ADD(f64, double, x[k] + y[k])
ADD(i64, int64_t, (uint64_t)x[k] + (uint64_t)y[k])

/* -- what all agree on ------------------------------------------------------------ */

struct opinion {
  int8_t status;
  bool interrupt;
  uint64_t step;
  char words[200];
};

static const char *last_words(const struct fs_diags *d) {
  for (int k = d ? d->list.len - 1 : -1; k >= 0; k--)
    if (d->list.data[k].severity == FS_ERROR) return d->list.data[k].message;
  return "it could not go on";
}

enum fs_status fs_ranks_agree(enum fs_status mine, struct fs_diags *d) {
  return fs_ranks_agree_on(mine, 0, d);
}

enum fs_status fs_ranks_agree_on(enum fs_status mine, uint64_t step, struct fs_diags *d) {
  struct opinion all[FS_MOST_RANKS];
  if (ranks.size == 1) return mine;
  struct opinion *o = &all[ranks.rank];
  memset(o, 0, sizeof *o);
  o->status = (int8_t)mine;
  o->step = step;
  o->interrupt = fs_interrupt_asked();
  if (mine == FS_ERR_ENV || mine == FS_ERR_USER)
    snprintf(o->words, sizeof o->words, "%s", last_words(d));
  enum fs_status st = fs_ranks_gather(all, sizeof *all, d);
  if (st != FS_OK) return st;
  fs_interrupt_agreed(all[0].interrupt);
  for (int r = 0; r < ranks.size; r++) {
    enum fs_status theirs = (enum fs_status)all[r].status;
    if (theirs == FS_OK) continue;
    if (mine != FS_OK || theirs == FS_INTERRUPTED) return mine != FS_OK ? mine : theirs;
    return fs_env_error(d, "rank-failed", NULL, "rank %d: %s", r, all[r].words);
  }
  for (int r = 0; r < ranks.size; r++)
    if (all[r].step != all[0].step)
      return fs_env_error(d, "ranks-differ", "this is a fault of Fusible: please report it",
                          "rank %d would do something else than rank 0", r);
  return all[0].interrupt ? FS_INTERRUPTED : FS_OK;
}
