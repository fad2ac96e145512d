/* An FFTW whose transforms never end, of both types. */
#include <stdlib.h>

static volatile unsigned long seen;

#define OF(prefix)                                                                             \
  void *prefix##plan_guru_split_dft(int rank, const void *dims, int many, const void *each,    \
                                    void *ri, void *ii, void *ro, void *io, unsigned flags);   \
  void *prefix##plan_guru_split_dft(int rank, const void *dims, int many, const void *each,    \
                                    void *ri, void *ii, void *ro, void *io, unsigned flags) {  \
    (void)rank, (void)dims, (void)many, (void)each, (void)ri, (void)ii, (void)ro, (void)io;    \
    (void)flags;                                                                               \
    return malloc(1);                                                                          \
  }                                                                                            \
  void prefix##execute_split_dft(const void *plan, void *ri, void *ii, void *ro, void *io);    \
  void prefix##execute_split_dft(const void *plan, void *ri, void *ii, void *ro, void *io) {   \
    (void)plan, (void)ri, (void)ii, (void)ro, (void)io;                                        \
    for (;;) seen++;                                                                           \
  }                                                                                            \
  void prefix##destroy_plan(void *plan);                                                       \
  void prefix##destroy_plan(void *plan) { free(plan); }

OF(fftw_)
OF(fftwf_)
