/* state.c - what an interpreter tells of itself, and what may be set. */
#include "core/eval/interp.h"

void fs_interp_set_size(struct fs_interp *in, int64_t n) {
  in->size = n;
}

void fs_interp_set_expand(struct fs_interp *in, int64_t bytes) {
  in->expand = bytes;
}

int64_t fs_interp_expand(const struct fs_interp *in) {
  return in->expand;
}

void fs_interp_set_floats(struct fs_interp *in, enum fs_dtype dt) {
  in->floats = dt;
  in->language++; /* what was traced comes again another way */
  in->globals.stamp++;
}

enum fs_dtype fs_interp_floats(const struct fs_interp *in) { return in->floats; }

void fs_interp_set_loops(struct fs_interp *in, bool on) {
  in->no_loops = !on;
  in->language++; /* what was traced comes again another way */
}

bool fs_interp_loops(const struct fs_interp *in) {
  return !in->no_loops;
}

void fs_interp_set_nancheck(struct fs_interp *in, bool on) {
  in->nancheck = on;
  in->language++; /* what comes again is looked at, too */
}

bool fs_interp_nancheck(const struct fs_interp *in) { return in->nancheck; }

void fs_interp_set_overflow(struct fs_interp *in, bool on) {
  in->overflow = on;
  in->language++; /* what was traced has its word, or none */
}

bool fs_interp_overflow(const struct fs_interp *in) { return in->overflow; }

const struct fs_diag *fs_interp_wait_at(const struct fs_interp *in, int k) {
  return k < in->waits.len ? &in->waits.data[k] : NULL;
}

int64_t fs_interp_size(const struct fs_interp *in) {
  return in->size;
}

void fs_interp_seed(struct fs_interp *in, int64_t seed) {
  in->seed = seed;
  in->stream = 0;
}

void fs_interp_random(const struct fs_interp *in, int64_t *seed,
                      int64_t *stream) {
  *seed = in->seed;
  *stream = in->stream;
}

void fs_interp_set_random(struct fs_interp *in, int64_t seed, int64_t stream) {
  in->seed = seed;
  in->stream = stream;
}

uint64_t fs_interp_stamp(const struct fs_interp *in) {
  return in->globals.stamp;
}

bool fs_interp_returned(const struct fs_interp *in) {
  return in->returned;
}

int fs_interp_before_last(const struct fs_interp *in) {
  return in->before_last;
}

struct fs_diags *fs_interp_diags(struct fs_interp *in) {
  return in->diags;
}

struct fs_target *fs_interp_target(struct fs_interp *in) {
  return in->target;
}
