/* classes.c - what the model takes of processors and of GPUs alike: one table. */
#include "core/model/device.h"

/* overlap: how much of computing is hidden behind moves. A processor goes over strips, and only
 * prefetching overlaps; a GPU has other warps at work while some wait: that the smallest kernels,
 * which have few, are fitted best by sums says nothing of long ones.
 * grain: a GPU's events count in half microseconds; the threads of a processor's pool that sleep
 * start some microseconds late.
 * sorts, scans: of 10^8 numbers on an H200 sorts take 2.5 to 5 times their moves, running sums
 * 1.6; of 10^7 on two cores of an EPYC that had other work, too, 20 to 60 and 15 times, so that 20
 * and 5 are what they take at least. elements: 10^6 and 2*10^6 numbers of f32 there, by one
 * thread, 1 to 7 ns each, in a cache or not. fourier: 1,024 lines of 4,096 complex numbers of f32
 * took two cores 12 to 16 times their moves; 2^24 numbers in lines of 64, 256, 1024 and 4096 an
 * H200 1.4, 1.3, 1.5 and 1.7 times (2026-11-29). links: all-reduces of NCCL on 2 and 4 H200s;
 * a first guess of processors. */
static const struct fs_device_class processors = {
  .reference = "core/model/reference/cpu.json", .halves = 4, .overlap = {0, 0.5}, .grain = 5e-6,
  .sorts = 20, .scans = 5, .by_rows = 2, .by_element = 25, .inversion = 50, .fourier = 1.3,
  .symmetric = true,
  .link_delay = 5e-6, .link_rate = 1e9, .calls = 256, .most_calls = 1 << 17};
static const struct fs_device_class gpus = {
  .reference = "core/model/reference/cuda.json", .halves = 1, .overlap = {0.5, 1},
  .grain = 0.5e-6, .one_rate = true, .sorts = 4, .scans = 1.6, .by_rows = 1, .by_element = 1,
  .inversion = 1, .fourier = 0.15, .narrow = true,
  .link_delay = 6e-6, .link_rate = 3e11, .calls = 4096, .most_calls = 1 << 22};

const struct fs_device_class *fs_device_class(const struct fs_device *d) {
  return d->is_cuda ? &gpus : &processors;
}
