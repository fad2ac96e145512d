/* module.c - ranks that MPI started: a library of its own, since MPI is not everywhere. */
#include <limits.h>
#include <mpi.h>

#include "core/ranks/ranks.h"

static size_t piece_of(size_t rest) { return rest < (1u << 30) ? rest : 1u << 30; }

static bool share_of(void *data, size_t bytes, int root) {
  for (size_t at = 0; at < bytes; at += piece_of(bytes - at))
    if (MPI_Bcast((char *)data + at, (int)piece_of(bytes - at), MPI_BYTE, root, MPI_COMM_WORLD))
      return false;
  return true;
}

static bool share(void *data, size_t bytes) { return share_of(data, bytes, 0); }

static bool gather(void *all, size_t block) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (block <= INT_MAX)
    return !MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, (int)block, MPI_BYTE,
                          MPI_COMM_WORLD);
  for (int r = 0; r < size; r++)
    if (!share_of((char *)all + (size_t)r * block, block, r)) return false;
  return true;
}

static void end(void) { MPI_Finalize(); }

static const struct fs_carrier carrier = {"MPI", gather, share, end, NULL};

const struct fs_carrier *fs_mpi_start(int *rank, int *size);
__attribute__((visibility("default"))) const struct fs_carrier *fs_mpi_start(int *rank, int *size) {
  int given;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given)) return NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  return &carrier;
}
