/* blas.h - BLAS and LAPACK as they were found, by their Fortran names: private to products and
 * factorisations. */
#ifndef FS_CPU_BLAS_H
#define FS_CPU_BLAS_H

#include <stdbool.h>
#include <stddef.h>

/* Hidden lengths of CHARACTER arguments come last, as gfortran passes them. */
#define FS_BLAS_FNS(X)                                                        \
  X(gemm, (const char *, const char *, const int *, const int *, const int *, \
           const void *, const void *, const int *, const void *, const int *,\
           const void *, void *, const int *, size_t, size_t))                \
  X(gemv, (const char *, const int *, const int *, const void *,             \
           const void *, const int *, const void *, const int *, const void *,\
           void *, const int *, size_t))                                      \
  X(syrk, (const char *, const char *, const int *, const int *, const void *, \
           const void *, const int *, const void *, void *, const int *,      \
           size_t, size_t))                                                   \
  X(trsv, (const char *, const char *, const char *, const int *,             \
           const void *, const int *, void *, const int *, size_t, size_t,    \
           size_t))                                                           \
  X(trsm, (const char *, const char *, const char *, const char *,            \
           const int *, const int *, const void *, const void *, const int *, \
           void *, const int *, size_t, size_t, size_t, size_t))              \
  X(gesv, (const int *, const int *, void *, const int *, int *, void *,      \
           const int *, int *))                                               \
  X(gels, (const char *, const int *, const int *, const int *, void *,       \
           const int *, void *, const int *, void *, const int *, int *,      \
           size_t))                                                           \
  X(getrf, (const int *, const int *, void *, const int *, int *, int *))     \
  X(getri, (const int *, void *, const int *, const int *, void *,            \
            const int *, int *))                                              \
  X(potrf, (const char *, const int *, void *, const int *, int *, size_t))   \
  X(geqrf, (const int *, const int *, void *, const int *, void *, void *,    \
            const int *, int *))                                              \
  X(orgqr, (const int *, const int *, const int *, void *, const int *,       \
            const void *, void *, const int *, int *))                        \
  X(syevd, (const char *, const char *, const int *, void *, const int *,     \
            void *, void *, const int *, int *, const int *, int *, size_t,   \
            size_t))                                                          \
  X(geev, (const char *, const char *, const int *, void *, const int *,      \
           void *, void *, void *, const int *, void *, const int *, void *,  \
           const int *, int *, size_t, size_t))                               \
  X(gees, (const char *, const char *, void *, const int *, void *, const int *, int *, void *,    \
           void *, void *, const int *, void *, const int *, void *, int *, size_t, size_t))      \
  X(gesdd, (const char *, const int *, const int *, void *, const int *,      \
            void *, void *, const int *, void *, const int *, void *,         \
            const int *, int *, int *, size_t))

/* Of complex matrices. */
#define FS_COMPLEX_FNS(X)                                                     \
  X(geev_complex, "geev_",                                                    \
    (const char *, const char *, const int *, void *, const int *, void *, void *, const int *,    \
     void *, const int *, void *, const int *, void *, int *, size_t, size_t))                     \
  X(gees_complex, "gees_",                                                                         \
    (const char *, const char *, void *, const int *, void *, const int *, int *, void *, void *,  \
     const int *, void *, const int *, void *, void *, int *, size_t, size_t))                     \
  X(gesdd_complex, "gesdd_",                                                                       \
    (const char *, const int *, const int *, void *, const int *, void *, void *, const int *,     \
     void *, const int *, void *, const int *, void *, int *, int *, size_t))                      \
  X(heev, "heev_", (const char *, const char *, const int *, void *, const int *, void *, void *,  \
                    const int *, void *, int *, size_t, size_t))

/* Index 0: f32 ("sgemm_", "cgeev_"), 1: f64 ("dgemm_", "zgeev_"). */
struct fs_blas {
  bool tried, ok;
#define X(name, args) void (*name[2]) args;
  FS_BLAS_FNS(X)
#undef X
#define X(name, symbol, args) void (*name[2]) args;
  FS_COMPLEX_FNS(X)
#undef X
  void (*set_threads)(int);
  char *(*core)(void), *(*config)(void); /* of OpenBLAS; NULL: another library */
  const char *name;       /* of the file it is in                             */
  const char *core_by;    /* who chose the core                               */
  int most_threads;       /* that there was room for; 0: as many as asked for */
};
/* As the process has it: read it once fs_lapack_present(). */
extern struct fs_blas fs_blas;

#endif
