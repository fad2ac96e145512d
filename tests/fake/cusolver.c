/* cusolver.c - solves and factorisations of the fake GPU, whose memory is the host's: by the
 * host's LAPACK. FUSIBLE_FAKE_FAIL works here too (fake.h).
 *
 *   FUSIBLE_FAKE_RUN=0  computes nothing, as the driver
 */
#include <dlfcn.h>
#include <stdint.h>

#define FAKE_LIBRARY "cusolver"
#include "tests/fake/fake.h"

#define EXPORT __attribute__((visibility("default")))
#define CALL(name)                                                     \
  do {                                                                 \
    int code_ = fake_failure(name);                                    \
    if (code_ || !fake_number("FUSIBLE_FAKE_RUN", 1)) return code_;    \
  } while (0)

enum { NOT_INITIALIZED = 1 };

EXPORT int cusolverDnCreate(void **handle);
EXPORT int cusolverDnCreate(void **handle) {
  int code = fake_failure("cusolverDnCreate");
  *handle = code ? NULL : malloc(1);
  return code;
}
EXPORT int cusolverDnDestroy(void *handle);
EXPORT int cusolverDnDestroy(void *handle) {
  free(handle);
  return 0;
}
EXPORT int cusolverDnSetStream(void *handle, void *stream);
EXPORT int cusolverDnSetStream(void *handle, void *stream) {
  (void)handle, (void)stream;
  return 0;
}

/* `name` of the type with this letter, or NULL. */
static void *lapack(char letter, const char *name) {
  static const char *const files[] = {"libopenblas.so.0", "liblapack.so.3"};
  char symbol[32];
  snprintf(symbol, sizeof symbol, "%c%s_", letter, name);
  void *fn = NULL;
  for (int k = 0; k < 2 && !fn; k++) {
    void *file = dlopen(files[k], RTLD_NOW);
    fn = file ? dlsym(file, symbol) : NULL;
  }
  return fn;
}

/* Calls a routine of LAPACK, whose arguments are all pointers. */
#define LAPACK(letter, name, types, ...)        \
  do {                                          \
    int (*routine) types;                       \
    void *found = lapack(letter, name);         \
    if (!found) return NOT_INITIALIZED;         \
    memcpy(&routine, &found, sizeof routine);   \
    routine(__VA_ARGS__);                       \
  } while (0)

/* How much scratch a routine gets, in elements: what the largest of them wants. */
static int scratch(int m, int n) { return 64 * (m + n + 1); }

#define P const void *
#define FUNCTION(name, ...)                   \
  EXPORT int name(void *handle, __VA_ARGS__); \
  EXPORT int name(void *handle, __VA_ARGS__)

#define ROUTINES(T, letter)                                                                     \
  FUNCTION(cusolverDn##T##potrf_bufferSize, int uplo, int n, void *a, int lda, int *size) {         \
    (void)handle, (void)uplo, (void)a, (void)lda;                                               \
    *size = scratch(n, n);                                                                      \
    return fake_failure("cusolverDn" #T "potrf_bufferSize");                                    \
  }                                                                                             \
  FUNCTION(cusolverDn##T##potrf, int uplo, int n, void *a, int lda, void *work, int size,           \
       int *info) {                                                                             \
    (void)handle, (void)work, (void)size;                                                       \
    CALL("cusolverDn" #T "potrf");                                                              \
    LAPACK(letter, "potrf", (P, P, P, P, P), uplo ? "U" : "L", &n, a, &lda, info);              \
    return 0;                                                                                   \
  }                                                                                             \
  FUNCTION(cusolverDn##T##getrf_bufferSize, int m, int n, void *a, int lda, int *size) {            \
    (void)handle, (void)a, (void)lda;                                                           \
    *size = scratch(m, n);                                                                      \
    return fake_failure("cusolverDn" #T "getrf_bufferSize");                                    \
  }                                                                                             \
  FUNCTION(cusolverDn##T##getrf, int m, int n, void *a, int lda, void *work, int *pivots,           \
       int *info) {                                                                             \
    (void)handle, (void)work;                                                                   \
    CALL("cusolverDn" #T "getrf");                                                              \
    LAPACK(letter, "getrf", (P, P, P, P, P, P), &m, &n, a, &lda, pivots, info);                 \
    return 0;                                                                                   \
  }                                                                                             \
  FUNCTION(cusolverDn##T##getrs, int trans, int n, int k, const void *a, int lda,                   \
       const int *pivots, void *b, int ldb, int *info) {                                        \
    (void)handle;                                                                               \
    CALL("cusolverDn" #T "getrs");                                                              \
    LAPACK(letter, "getrs", (P, P, P, P, P, P, P, P, P), trans ? "T" : "N", &n, &k, a, &lda,    \
           pivots, b, &ldb, info);                                                              \
    return 0;                                                                                   \
  }                                                                                             \
  FUNCTION(cusolverDn##T##geqrf_bufferSize, int m, int n, void *a, int lda, int *size) {            \
    (void)handle, (void)a, (void)lda;                                                           \
    *size = scratch(m, n);                                                                      \
    return fake_failure("cusolverDn" #T "geqrf_bufferSize");                                    \
  }                                                                                             \
  FUNCTION(cusolverDn##T##geqrf, int m, int n, void *a, int lda, void *tau, void *work, int size,   \
       int *info) {                                                                             \
    (void)handle;                                                                               \
    CALL("cusolverDn" #T "geqrf");                                                              \
    LAPACK(letter, "geqrf", (P, P, P, P, P, P, P, P), &m, &n, a, &lda, tau, work, &size, info); \
    return 0;                                                                                   \
  }                                                                                             \
  FUNCTION(cusolverDn##T##orgqr_bufferSize, int m, int n, int k, const void *a, int lda,            \
       const void *tau, int *size) {                                                            \
    (void)handle, (void)a, (void)lda, (void)tau, (void)k;                                       \
    *size = scratch(m, n);                                                                      \
    return fake_failure("cusolverDn" #T "orgqr_bufferSize");                                    \
  }                                                                                             \
  FUNCTION(cusolverDn##T##orgqr, int m, int n, int k, void *a, int lda, const void *tau,            \
       void *work, int size, int *info) {                                                       \
    (void)handle;                                                                               \
    CALL("cusolverDn" #T "orgqr");                                                              \
    LAPACK(letter, "orgqr", (P, P, P, P, P, P, P, P, P), &m, &n, &k, a, &lda, tau, work, &size, \
           info);                                                                               \
    return 0;                                                                                   \
  }                                                                                             \
  FUNCTION(cusolverDn##T##syevd_bufferSize, int job, int uplo, int n, const void *a, int lda,       \
       const void *values, int *size) {                                                         \
    (void)handle, (void)job, (void)uplo, (void)a, (void)lda, (void)values;                      \
    *size = scratch(n, n);                                                                      \
    return fake_failure("cusolverDn" #T "syevd_bufferSize");                                    \
  }                                                                                             \
  FUNCTION(cusolverDn##T##syevd, int job, int uplo, int n, void *a, int lda, void *values,          \
       void *work, int size, int *info) {                                                       \
    (void)handle;                                                                               \
    CALL("cusolverDn" #T "syevd");                                                              \
    LAPACK(letter, "syev", (P, P, P, P, P, P, P, P, P), job ? "V" : "N", uplo ? "U" : "L", &n,  \
           a, &lda, values, work, &size, info);                                                 \
    return 0;                                                                                   \
  }                                                                                             \
  FUNCTION(cusolverDn##T##gesvd_bufferSize, int m, int n, int *size) {                              \
    (void)handle;                                                                               \
    *size = scratch(m, n);                                                                      \
    return fake_failure("cusolverDn" #T "gesvd_bufferSize");                                    \
  }                                                                                             \
  FUNCTION(cusolverDn##T##gesvd, signed char left, signed char right, int m, int n, void *a,        \
       int lda, void *values, void *u, int ldu, void *vt, int ldvt, void *work, int size,       \
       void *rwork, int *info) {                                                                \
    (void)handle, (void)rwork;                                                                  \
    CALL("cusolverDn" #T "gesvd");                                                              \
    LAPACK(letter, "gesvd", (P, P, P, P, P, P, P, P, P, P, P, P, P, P), &left, &right, &m, &n,  \
           a, &lda, values, u, &ldu, vt, &ldvt, work, &size, info);                             \
    return 0;                                                                                   \
  }
ROUTINES(S, 's')
ROUTINES(D, 'd')
