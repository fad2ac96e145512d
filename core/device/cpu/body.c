/* body.c - see body.h. */
#include "core/device/cpu/body.h"

struct fs_body *fs_body_get(const struct fs_region *r, int n_results, const int *results) {
  struct fs_body *b = fs_calloc(1, sizeof *b);
  b->region = r;
  b->n_results = n_results;
  memcpy(b->results, results, sizeof *results * (size_t)n_results);
  return b;
}

void fs_body_drop(struct fs_body *b) { free(b); }

void fs_body_run(const struct fs_body *b, const struct fs_region_call *c) {
  fs_region_run(b->region, b->n_results, b->results, c);
}
