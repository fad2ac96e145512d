/* generation.c - what GPUs of a compute capability offer: one table. */
#include <stdio.h>

#include "core/model/device.h"

/* shared_bytes: CUDA C++ Programming Guide, technical specifications by compute capability.
 * cores: of f32, per multiprocessor. bandwidth: of the first data-centre GPU of each. */
static const struct fs_generation generations[] = {
    /* from, together, own code, shared, cores, bytes/s */
    {50, false, false, 99 << 10, 64, 5e11},
    {80, false, false, 163 << 10, 64, 1.5e12},
    {81, false, false, 99 << 10, 128, 1.5e12},
    {87, false, false, 163 << 10, 128, 1.5e12},
    {88, false, false, 99 << 10, 128, 1.5e12},
    {90, true, true, 227 << 10, 128, 4.2e12},
    {100, true, true, 227 << 10, 128, 6.5e12},
};

bool fs_generation_known(int cc) { return cc >= generations[0].cc; }

const struct fs_generation *fs_generation_of(int cc) {
  const struct fs_generation *g = &generations[0];
  for (size_t k = 1; k < FS_LEN(generations); k++)
    if (cc >= generations[k].cc) g = &generations[k];
  return g;
}

void fs_generation_arch(int cc, char *out, size_t size) {
  snprintf(out, size, "sm_%d%s", cc, fs_generation_of(cc)->own_code ? "a" : "");
}

void fs_device_of_cc(struct fs_device *d, int cc) {
  const struct fs_generation *g = fs_generation_of(cc);
  size_t len = strlen(d->arch);
  d->cc = cc;
  d->shuffles = d->pairs = d->short_ways = true;
  d->clusters = d->bulk_copies = d->policies = d->chains = g->together;
  d->gives_registers = g->own_code && len && d->arch[len - 1] == 'a';
}
