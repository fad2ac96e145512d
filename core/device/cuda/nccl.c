/* nccl.c - what ranks do together with arrays on their GPUs: by NCCL, which is loaded when it is
 * first wanted, or through the memory of the host where one of them has none. */
#include <pthread.h>
#include <time.h>

#include "core/device/cuda/library.h"
#include "core/ranks/ranks.h"

enum { PATIENCE = 30 /* seconds for all to connect */, NCCL_SUM = 0 };
typedef struct { char bytes[128]; } nccl_id;
typedef struct nccl_comm *nccl_comm;

struct cuda_nccl {
  int (*make_id)(nccl_id *id);
  int (*connect)(nccl_comm *comm, int ranks, nccl_id id, int rank);
  int (*abort)(nccl_comm comm);
  int (*gather)(const void *from, void *to, size_t count, int type, nccl_comm comm,
                CUstream stream);
  int (*reduce)(const void *from, void *to, size_t count, int type, int op, nccl_comm comm,
                CUstream stream);
  const char *(*words)(int status);
  nccl_comm comm;          /* NULL: through the host */
};

/* NCCL's number of a type, its bytes where it is only moved. */
static int type_of(enum fs_dtype dt) {
  return dt == FS_F32 ? 7 : dt == FS_F64 ? 8 : dt == FS_I64 ? 4 : 1;
}

static bool load(struct cuda_nccl *n) {
  static const char *const names[] = {"libnccl.so.2", NULL};
  static const struct fs_cuda_symbol symbols[] = {
      {"ncclGetUniqueId", offsetof(struct cuda_nccl, make_id), true},
      {"ncclCommInitRank", offsetof(struct cuda_nccl, connect), true},
      {"ncclCommAbort", offsetof(struct cuda_nccl, abort), true},
      {"ncclAllGather", offsetof(struct cuda_nccl, gather), true},
      {"ncclAllReduce", offsetof(struct cuda_nccl, reduce), true},
      {"ncclGetErrorString", offsetof(struct cuda_nccl, words), true}};
  struct fs_str tried = {0};
  setenv("NCCL_NVLS_ENABLE", "0", 0); /* without multicast */
  void *handle = fs_cuda_find_library("FUSIBLE_NCCL", names, "nccl", fs_nvrtc_path(), &tried);
  fs_str_free(&tried);
  return handle && fs_cuda_resolve(handle, symbols, FS_LEN(symbols), n);
}

struct meeting {
  struct cuda *t;
  struct cuda_nccl *n;
  nccl_id id;
  int rank, ranks, status;
};

static void *connect_all(void *user) {
  struct meeting *m = user;
  fs_cu.context_set(m->t->context);
  m->status = m->n->connect(&m->n->comm, m->ranks, m->id, m->rank);
  return NULL;
}

/* Others may never come: then what waits for them is left behind. */
static enum fs_status meet(struct cuda *t, struct cuda_nccl *n, const nccl_id *id,
                           struct fs_diags *d) {
  struct meeting *m = fs_calloc(1, sizeof *m);
  struct timespec until;
  pthread_t thread;
  *m = (struct meeting){t, n, *id, fs_rank(), fs_ranks(), 0};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += PATIENCE;
  if (pthread_create(&thread, NULL, connect_all, m))
    return fs_env_error(d, "nccl", NULL, "NCCL could not be started: there is no thread for it");
  if (pthread_timedjoin_np(thread, NULL, &until)) {
    t->base.lost = true;
    return fs_env_error(d, "nccl", "`nvidia-smi topo -m` shows how they are connected",
                        "NCCL did not connect the GPUs of %d ranks within %d s", fs_ranks(),
                        PATIENCE);
  }
  int status = m->status;
  free(m);
  return status ? fs_env_error(d, "nccl", NULL, "NCCL could not connect the GPUs: %s",
                               n->words(status))
                : FS_OK;
}

/* All have it, or none takes it. */
static enum fs_status open_nccl(struct cuda *t, struct cuda_nccl **out, struct fs_diags *d) {
  struct cuda_nccl *n = fs_calloc(1, sizeof *n);
  struct { nccl_id id; uint8_t missing; } first = {0};
  bool there = load(n) && (fs_rank() || !n->make_id(&first.id));
  uint8_t missing = !there;
  enum fs_status st = fs_ranks_merge(&missing, 1, d);
  if (st == FS_OK && !missing) st = fs_ranks_share(&first, sizeof first, d);
  if (st == FS_OK && !missing) st = fs_ranks_agree(meet(t, n, &first.id, d), d);
  const char *file = getenv("FUSIBLE_NCCL");
  bool chosen = file && *file;
  if (st == FS_OK && missing && !chosen)
    fs_warn(d, (struct fs_span){0}, "library-on-host",
            "pip's nvidia-nccl or NVIDIA's packages have it",
            "NCCL (libnccl.so.2) was not found: what GPUs tell each other goes through the host");
  if (st == FS_OK) *out = n;
  else free(n);
  return st;
}

static enum fs_status by_host(struct cuda *t, const struct fs_lib_call *c, int64_t bytes,
                              struct fs_diags *d) {
  bool gathers = c->op == FS_LIB_ALL_GATHER;
  int64_t all = gathers ? bytes * fs_ranks() : bytes, own = gathers ? bytes * fs_rank() : 0;
  int64_t count = bytes / (int64_t)fs_dtype_size(c->out.dtype);
  char *host = fs_malloc((size_t)all + 1);
  enum fs_status st = fs_cuda_download(&t->base, host + own, bytes, (char *)c->out.ptr + own, bytes,
                                       bytes, 1, d);
  if (st == FS_OK && gathers) st = fs_ranks_gather(host, (size_t)bytes, d);
  else if (st == FS_OK && c->out.dtype == FS_F32) st = fs_ranks_add_f32((float *)host, count, d);
  else if (st == FS_OK && c->out.dtype == FS_F64) st = fs_ranks_add_f64((double *)host, count, d);
  else if (st == FS_OK) st = fs_ranks_add_i64((int64_t *)host, count, d);
  if (st == FS_OK)
    st = fs_cuda_upload(&t->base, c->out.ptr, all, host, all, all, 1, d);
  free(host);
  return st;
}

enum fs_status fs_cuda_over_ranks(struct cuda *t, struct cuda_nccl **nccl,
                                  const struct fs_lib_call *c, struct fs_diags *d) {
  int64_t count = fs_lib_place(c), bytes = count * (int64_t)fs_dtype_size(c->out.dtype);
  enum fs_status st = *nccl ? FS_OK : open_nccl(t, nccl, d);
  struct cuda_nccl *n = *nccl;
  if (st != FS_OK || !n->comm) return st == FS_OK ? by_host(t, c, bytes, d) : st;
  char *own = (char *)c->out.ptr + (c->op == FS_LIB_ALL_GATHER ? bytes * fs_rank() : 0);
  int status = c->op == FS_LIB_ALL_GATHER
                   ? n->gather(own, c->out.ptr, (size_t)bytes, 1, n->comm, fs_cuda_stream(t))
                   : n->reduce(own, c->out.ptr, (size_t)count, type_of(c->out.dtype), NCCL_SUM,
                               n->comm, fs_cuda_stream(t));
  return status ? fs_env_error(d, "nccl", NULL, "NCCL refused %s: %s", fs_lib_op_names[c->op],
                               n->words(status))
                : FS_OK;
}

void fs_cuda_nccl_free(struct cuda_nccl *n) {
  if (n && n->comm) n->abort(n->comm);
  free(n);
}
