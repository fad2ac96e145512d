/* driver.h - what is used of OpenCL, found in libOpenCL.so.1 at run time. */
#ifndef FS_OPENCL_DRIVER_H
#define FS_OPENCL_DRIVER_H

#include "core/base/diag.h"

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;

enum {
  CL_OK = 0, CL_NO_MEMORY = -4, CL_NO_RESOURCES = -5, CL_NO_HOST_MEMORY = -6,
  CL_BUILD_FAILED = -11,
  CL_ALL_DEVICES = -1,
  CL_DEVICE_IS_GPU = 4,
  CL_DEVICE_KIND = 0x1000, CL_DEVICE_UNITS = 0x1002, CL_DEVICE_MOST_THREADS = 0x1004,
  CL_DEVICE_CLOCK_MHZ = 0x100C, CL_DEVICE_CACHE_BYTES = 0x101E, CL_DEVICE_BYTES = 0x101F,
  CL_DEVICE_LOCAL_BYTES = 0x1023, CL_DEVICE_NAMED = 0x102B, CL_DRIVER_NAMED = 0x102D,
  CL_DEVICE_VERSION_TEXT = 0x102F, CL_DEVICE_F64 = 0x1032, CL_DEVICE_SHARED_MEMORY = 0x1053,
  CL_SVM_BUFFERS = 1,
  CL_QUEUE_TIMES = 2,
  CL_READ = 1, CL_WRITE = 2,   /* of a mapping */
  CL_PROGRAM_IMAGE_SIZES = 0x1165, CL_PROGRAM_IMAGES = 0x1166, CL_PROGRAM_LOG = 0x1183,
  CL_KERNEL_MOST_THREADS = 0x11B0,
  CL_EVENT_STATE = 0x11D3, CL_EVENT_DONE = 0,
  CL_TIME_STARTED = 0x1282, CL_TIME_ENDED = 0x1283
};

struct fs_cl_api {
#define FS_CL(result, name, symbol, args) result(*name) args;
#include "core/device/opencl/opencl_api.def"
};
extern struct fs_cl_api fs_cl;

/* Loads the library and finds device `index` among all of all platforms, GPUs first. NULL, and
 * why in one sentence. */
void *fs_cl_device(int index, struct fs_diags *d);
/* A number of a device, 0 if it has none; a text, cut to fit. */
uint64_t fs_cl_number(void *device, cl_uint what);
void fs_cl_text(void *device, cl_uint what, char *out, size_t size);
/* What went wrong: "out of memory", "error -36". */
const char *fs_cl_words(cl_int error);

#endif
