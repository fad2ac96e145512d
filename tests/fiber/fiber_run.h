/* fiber_run.h - runs emitted CUDA text on the host's processor; see fiber.h. */
#ifndef FIBER_RUN_H
#define FIBER_RUN_H

#include "core/emit/emit.h"

/* Compiles e->source (of any device; what compute capability 9.0 offers
 * works, too: its copies are imitated) by the host's C++ compiler (fiber_build.h)
 * and runs it on `blocks` blocks, or fewer if that many have nothing to do. slots[] are base pointers by plan slot, params[] the
 * block's. 0 when it ran; else a line on stderr says why not: no compiler,
 * text that does not compile, threads that wait for ever, a write beyond the
 * workspace, counters that were not left zero. */
int fiber_run(const struct fs_emitted *e, void **slots,
              const struct fs_number *params, int blocks);

#endif
