/* devices.h - three GPUs, and a CPU behind them, for which tests plan without having them. */
#ifndef FS_TEST_DEVICES_H
#define FS_TEST_DEVICES_H

#include <stdlib.h>

#include "core/model/calibration.h"

enum { GPUS = 3 };
static struct fs_device devices[] = {
    {.is_cuda = true, .name = "NVIDIA H200", .arch = "sm_90a", .cc = 90, .units = 132,
     .max_threads = 1024, .shared_bytes = 227 << 10, .regs = 65536, .cooperative = true,
     .cache_bytes = 60 << 20, .memory_bytes = (int64_t)140 << 30, .bandwidth = 4.18844448e12,
     .cache_bandwidth = 6.27264e12, .launch = 3.5e-6, .flops = 6.690816e13},
    {.is_cuda = true, .name = "NVIDIA H100", .arch = "sm_90a", .cc = 90, .units = 132,
     .max_threads = 1024, .shared_bytes = 227 << 10, .regs = 65536, .cooperative = true,
     .cache_bytes = 50 << 20, .memory_bytes = (int64_t)80 << 30, .bandwidth = 2.9165184e12,
     .cache_bandwidth = 6.27264e12, .launch = 3.5e-6, .flops = 6.690816e13},
    {.is_cuda = true, .name = "NVIDIA A100", .arch = "sm_80", .cc = 80, .units = 108,
     .max_threads = 1024, .shared_bytes = 163 << 10, .regs = 65536, .cooperative = true,
     .cache_bytes = 40 << 20, .memory_bytes = (int64_t)80 << 30, .bandwidth = 1.353024e12,
     .cache_bandwidth = 3.654720e12, .launch = 3.5e-6, .flops = 1.949184e13},
    {.name = "test", .arch = "avx2", .units = 4, .cache_bytes = 32 << 20,
     .core_cache_bytes = 1 << 20, .memory_bytes = (int64_t)16 << 30, .bandwidth = 4e10,
     .cache_bandwidth = 1e11, .launch = 2e-6, .flops = 1e11}};

/* With the costs of core/model/reference. */
static void take_devices(void) {
  for (size_t d = 0; d < FS_LEN(devices); d++) {
    if (devices[d].is_cuda) fs_device_of_cc(&devices[d], devices[d].cc);
    devices[d].calibration = fs_calibration_reference(&devices[d]);
  }
}
static void leave_devices(void) {
  for (size_t d = 0; d < FS_LEN(devices); d++) free((void *)devices[d].calibration);
}

#endif
