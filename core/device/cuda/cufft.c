/* cufft.c - Fourier transforms of dense lines of complex numbers by cuFFT, which is loaded when the
 * first one is planned. What cuFFT plans is kept for the next call; its scratch is the target's. */
#include "core/device/cuda/library.h"

enum { CUFFT_C2C = 0x29, CUFFT_Z2Z = 0x69, CUFFT_FORWARD = -1, KEPT = 8 };

/* A plan of cuFFT. */
struct kept {
  int plan, status;
  int64_t n, count, used;
  bool wide, made;
  size_t bytes;
};

struct cuda_fft {
  int (*create)(int *plan);
  int (*destroy)(int plan);
  int (*auto_allocation)(int plan, int yes);
  int (*make)(int plan, int rank, long long *n, long long *in, long long in_step, long long in_line,
              long long *out, long long out_step, long long out_line, int type, long long count,
              size_t *bytes);
  int (*set_stream)(int plan, CUstream stream);
  int (*set_scratch)(int plan, void *scratch);
  int (*narrow)(int plan, void *in, void *out, int direction);
  int (*wide)(int plan, void *in, void *out, int direction);
  struct kept kept[KEPT];
  int64_t calls;
};

struct cuda_fft *fs_cuda_fft_new(void *library) {
  static const struct fs_cuda_symbol symbols[] = {
      {"cufftCreate", offsetof(struct cuda_fft, create), true},
      {"cufftDestroy", offsetof(struct cuda_fft, destroy), true},
      {"cufftSetAutoAllocation", offsetof(struct cuda_fft, auto_allocation), true},
      {"cufftMakePlanMany64", offsetof(struct cuda_fft, make), true},
      {"cufftSetStream", offsetof(struct cuda_fft, set_stream), true},
      {"cufftSetWorkArea", offsetof(struct cuda_fft, set_scratch), true},
      {"cufftExecC2C", offsetof(struct cuda_fft, narrow), true},
      {"cufftExecZ2Z", offsetof(struct cuda_fft, wide), true}};
  struct cuda_fft *f = fs_calloc(1, sizeof *f);
  if (library && fs_cuda_resolve(library, symbols, FS_LEN(symbols), f)) return f;
  free(f);
  return NULL;
}

void fs_cuda_fft_free(struct cuda_fft *f) {
  for (int k = 0; f && k < KEPT; k++)
    if (f->kept[k].made) f->destroy(f->kept[k].plan);
  free(f);
}

static int make(struct cuda_fft *f, struct kept *p, CUstream stream) {
  long long n = p->n;
  int status = f->create(&p->plan);
  p->made = !status;
  if (!status) status = f->auto_allocation(p->plan, 0);
  if (!status)
    status = f->make(p->plan, 1, &n, &n, 1, n, &n, 1, n, p->wide ? CUFFT_Z2Z : CUFFT_C2C, p->count,
                     &p->bytes);
  if (!status) status = f->set_stream(p->plan, stream);
  return status;
}

int fs_cuda_fft_plan(struct cuda_fft *f, CUstream stream, int64_t n, int64_t count, bool wide,
                     size_t *bytes, int *plan) {
  struct kept *oldest = &f->kept[0];
  f->calls++;
  for (int k = 0; k < KEPT; k++) {
    struct kept *p = &f->kept[k];
    if (p->used < oldest->used) oldest = p;
    if (!p->made || p->n != n || p->count != count || p->wide != wide) continue;
    p->used = f->calls;
    *bytes = p->bytes, *plan = k;
    return 0;
  }
  if (oldest->made) f->destroy(oldest->plan);
  *oldest = (struct kept){.n = n, .count = count, .wide = wide, .used = f->calls};
  int status = make(f, oldest, stream);
  if (status && oldest->made) f->destroy(oldest->plan);
  if (status) *oldest = (struct kept){.used = 0};
  *bytes = oldest->bytes, *plan = (int)(oldest - f->kept);
  return status;
}

int fs_cuda_fft_run(struct cuda_fft *f, int plan, void *numbers, void *scratch) {
  const struct kept *p = &f->kept[plan];
  int status = f->set_scratch(p->plan, scratch);
  if (status) return status;
  return (p->wide ? f->wide : f->narrow)(p->plan, numbers, numbers, CUFFT_FORWARD);
}
