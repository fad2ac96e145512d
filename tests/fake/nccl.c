/* A NCCL without GPUs: ranks exchange bytes through a file in shared memory, which the id names.
 * Sums are added in the order of the ranks. What is to go through a stream is done at once:
 * the fake driver's streams are. */
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { PLACE = 1 << 20, MOST = 8 };

typedef struct { char bytes[128]; } id_type;
struct shared {
  atomic_uint there, turn;
  char place[2][MOST][PLACE];
};
struct comm {
  struct shared *s;
  int rank, size;
  unsigned turns;
};

EXPORT int ncclGetUniqueId(id_type *id);
EXPORT int ncclGetUniqueId(id_type *id) {
  memset(id, 0, sizeof *id);
  snprintf(id->bytes, sizeof id->bytes, "/dev/shm/fusible-fake-nccl-%d", (int)getpid());
  int fd = open(id->bytes, O_RDWR | O_CREAT | O_EXCL, 0600);
  int bad = fd < 0 || ftruncate(fd, sizeof(struct shared));
  if (fd >= 0) close(fd);
  return bad ? 2 : 0;
}

static void meet(struct comm *c) {
  unsigned turn = c->turns++;
  if (atomic_fetch_add(&c->s->there, 1) + 1 == (unsigned)c->size) {
    atomic_store(&c->s->there, 0);
    atomic_store(&c->s->turn, turn + 1);
  }
  while (atomic_load(&c->s->turn) == turn) sched_yield();
}

EXPORT int ncclCommInitRank(struct comm **out, int size, id_type id, int rank);
EXPORT int ncclCommInitRank(struct comm **out, int size, id_type id, int rank) {
  int fd = open(id.bytes, O_RDWR);
  struct comm *c = calloc(1, sizeof *c);
  if (fd < 0 || !c || size > MOST) return 2;
  c->s = mmap(NULL, sizeof *c->s, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (c->s == MAP_FAILED) return 2;
  c->rank = rank, c->size = size;
  meet(c);
  if (rank == 0) unlink(id.bytes);
  *out = c;
  return 0;
}

EXPORT int ncclCommAbort(struct comm *c);
EXPORT int ncclCommAbort(struct comm *c) {
  munmap(c->s, sizeof *c->s);
  free(c);
  return 0;
}

EXPORT int ncclAllGather(const void *from, void *to, size_t count, int type, struct comm *c,
                         void *stream);
EXPORT int ncclAllGather(const void *from, void *to, size_t count, int type, struct comm *c,
                         void *stream) {
  (void)stream;
  if (type != 1) return 4;
  for (size_t at = 0; at < count; at += PLACE) {
    size_t n = count - at < PLACE ? count - at : PLACE;
    unsigned turn = c->turns & 1;
    memcpy(c->s->place[turn][c->rank], (const char *)from + at, n);
    meet(c);
    for (int r = 0; r < c->size; r++)
      memcpy((char *)to + (size_t)r * count + at, c->s->place[turn][r], n);
  }
  return 0;
}

#define ADD(type)                                                                           \
  for (size_t k = 0; k < n / sizeof(type); k++)                                             \
    ((type *)out)[k] = r ? (type)(((type *)out)[k] + ((const type *)in)[k]) : ((const type *)in)[k];

EXPORT int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, struct comm *c,
                         void *stream);
EXPORT int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, struct comm *c,
                         void *stream) {
  size_t bytes = count * (type == 7 ? 4 : 8);
  (void)stream;
  if (op != 0 || (type != 7 && type != 8 && type != 4)) return 4;
  for (size_t at = 0; at < bytes; at += PLACE) {
    size_t n = bytes - at < PLACE ? bytes - at : PLACE;
    unsigned turn = c->turns & 1;
    char *out = (char *)to + at;
    memcpy(c->s->place[turn][c->rank], (const char *)from + at, n);
    meet(c);
    for (int r = 0; r < c->size; r++) {
      const char *in = c->s->place[turn][r];
      if (type == 7) { ADD(float) }
      else if (type == 8) { ADD(double) }
      else { ADD(uint64_t) }
    }
  }
  return 0;
}

EXPORT const char *ncclGetErrorString(int status);
EXPORT const char *ncclGetErrorString(int status) {
  return status == 4 ? "invalid argument" : "unhandled system error";
}
