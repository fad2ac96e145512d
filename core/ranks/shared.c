/* shared.c - ranks of one host that a leader starts: bytes go through shared memory, in pieces
 * that each rank puts into a place of its own; a barrier, and all read them.
 *
 * Places are used in turn, two a rank: a piece is overwritten only behind the barrier of the
 * next one, and nobody is there who has not read it. */
#include "core/ranks/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/spawn.h"

enum { PLACE = 1 << 20, SPINS = 50, LOOK_MS = 20 };
static const char *const MEMORY = "FUSIBLE_RANK"; /* "rank size descriptor" */

struct meeting {
  atomic_uint there, turn;   /* ranks at the barrier; how many barriers there were */
  atomic_uint ended;         /* a rank is gone */
  size_t wants[2][FS_MOST_RANKS]; /* by turn: the bytes that a rank is there for */
  char bytes[];              /* [turn % 2][rank][PLACE] */
};

static struct {
  struct meeting *m;
  size_t bytes;
  int rank, size;
  unsigned turns;            /* barriers so far, as this rank knows */
  pid_t child[FS_MOST_RANKS]; /* of the leader */
} shared;

static char *place(unsigned turn, int rank) {
  return shared.m->bytes + ((size_t)(turn & 1) * (size_t)shared.size + (size_t)rank) * PLACE;
}

static void sleep_on(atomic_uint *word, unsigned value) {
  struct timespec t = {0, LOOK_MS * 1000000L};
  syscall(SYS_futex, word, FUTEX_WAIT, value, &t, NULL, 0);
}

static void wake(atomic_uint *word) {
  syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* The leader finds out which of those that it started are gone. */
static void look_after_children(void) {
  for (int r = 1; shared.rank == 0 && r < shared.size; r++) {
    if (shared.child[r] <= 0 || waitpid(shared.child[r], NULL, WNOHANG) == 0) continue;
    shared.child[r] = 0;
    atomic_store(&shared.m->ended, 1);
    wake(&shared.m->turn);
  }
}

/* Ranks that came for something else than others have gone apart: that ends all. */
static bool meet(size_t bytes) {
  struct meeting *m = shared.m;
  unsigned turn = shared.turns++;
  m->wants[turn & 1][shared.rank] = bytes;
  if (atomic_fetch_add(&m->there, 1) + 1 == (unsigned)shared.size) {
    atomic_store(&m->there, 0);
    atomic_store(&m->turn, turn + 1);
    wake(&m->turn);
  }
  for (int k = 0; k < SPINS && atomic_load(&m->turn) == turn; k++) sched_yield();
  while (atomic_load(&m->turn) == turn && !atomic_load(&m->ended)) {
    sleep_on(&m->turn, turn);
    look_after_children();
  }
  bool all = atomic_load(&m->turn) != turn;
  for (int r = 0; r < shared.size; r++) all = all && m->wants[turn & 1][r] == bytes;
  if (!all) atomic_store(&m->ended, 1);
  return all;
}

static bool gather(void *all, size_t block) {
  char *bytes = all;
  for (size_t at = 0; at < block; at += PLACE) {
    size_t n = FS_MIN(block - at, (size_t)PLACE);
    unsigned turn = shared.turns;
    memcpy(place(turn, shared.rank), bytes + (size_t)shared.rank * block + at, n);
    if (!meet(n)) return false;
    for (int r = 0; r < shared.size; r++)
      if (r != shared.rank) memcpy(bytes + (size_t)r * block + at, place(turn, r), n);
  }
  return true;
}

static bool share(void *data, size_t bytes) {
  for (size_t at = 0; at < bytes; at += PLACE) {
    size_t n = FS_MIN(bytes - at, (size_t)PLACE);
    unsigned turn = shared.turns;
    if (shared.rank == 0) memcpy(place(turn, 0), (char *)data + at, n);
    if (!meet(n)) return false;
    if (shared.rank != 0) memcpy((char *)data + at, place(turn, 0), n);
  }
  return true;
}

static void end(void) {
  if (shared.m) atomic_store(&shared.m->ended, 1), wake(&shared.m->turn);
  for (int r = 1; shared.rank == 0 && r < shared.size; r++) {
    if (shared.child[r] <= 0) continue;
    kill(shared.child[r], SIGKILL);
    while (waitpid(shared.child[r], NULL, 0) < 0 && errno == EINTR) continue;
  }
  if (shared.m) munmap(shared.m, shared.bytes);
  memset(&shared, 0, sizeof shared);
}

static const struct fs_carrier carrier = {"shared memory", gather, share, end, NULL};

static bool map(int fd, int rank, int size) {
  shared.bytes = sizeof *shared.m + 2 * (size_t)size * PLACE;
  shared.m = mmap(NULL, shared.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  shared.rank = rank, shared.size = size;
  if (shared.m == MAP_FAILED) shared.m = NULL;
  return shared.m != NULL;
}

/* Its standard streams lead nowhere, but for stderr: only the leader shows. */
static bool start_one(const char *program, int rank, int fd) {
  char *argv[] = {(char *)(uintptr_t)program, (char *)"--rank", NULL};
  char where[48];
  posix_spawn_file_actions_t files;
  snprintf(where, sizeof where, "%d %d %d %d", rank, shared.size, fd, (int)getpid());
  if (setenv(MEMORY, where, 1) || posix_spawn_file_actions_init(&files)) return false;
  bool bad = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0) ||
             posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0) ||
             fs_spawn_apart(&shared.child[rank], program, argv, &files);
  posix_spawn_file_actions_destroy(&files);
  unsetenv(MEMORY);
  return !bad;
}

const struct fs_carrier *fs_shared_start(const char *program, int size, const char **error) {
  int fd = memfd_create("fusible", 0);
  bool good = fd >= 0 && !ftruncate(fd, (off_t)(sizeof *shared.m + 2 * (size_t)size * PLACE)) &&
              map(fd, 0, size);
  for (int r = 1; r < size && good; r++) good = start_one(program, r, fd);
  if (fd >= 0) close(fd);
  if (good) return &carrier;
  end();
  *error = "the processes of the other ranks could not be started";
  return NULL;
}

const struct fs_carrier *fs_shared_follow(int *rank, int *size) {
  int fd, leader;
  const char *where = getenv(MEMORY);
  if (!where || sscanf(where, "%d %d %d %d", rank, size, &fd, &leader) != 4) return NULL;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != leader || !map(fd, *rank, *size)) return NULL;
  close(fd);
  unsetenv(MEMORY);
  return &carrier;
}
