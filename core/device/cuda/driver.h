/* driver.h - libcuda.so.1, loaded at run time, and how its errors are worded.
 *
 * Types and layouts are those of the 64-bit CUDA ABI; only what is used is
 * declared. tests/fake/ has a driver of the same interface that runs without a
 * GPU.
 */
#ifndef FS_CUDA_DRIVER_H
#define FS_CUDA_DRIVER_H

#include "core/base/diag.h"

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct cu_context *CUcontext;
typedef struct cu_stream *CUstream;
typedef struct cu_event *CUevent;
typedef struct cu_module *CUmodule;
typedef struct cu_function *CUfunction;
typedef struct cu_pool *CUmemoryPool;
typedef struct cu_graph *CUgraph;
typedef struct cu_graph_node *CUgraphNode;
typedef struct cu_graph_exec *CUgraphExec;

enum {
  CU_OK = 0,
  CU_INVALID_VALUE = 1,
  CU_OUT_OF_MEMORY = 2,
  CU_DEINITIALIZED = 4,
  CU_STUB_LIBRARY = 34,
  CU_DEVICE_UNAVAILABLE = 46,
  CU_NO_DEVICE = 100,
  CU_INVALID_DEVICE = 101,
  CU_INVALID_IMAGE = 200,
  CU_NO_BINARY_FOR_GPU = 209,
  CU_ECC_UNCORRECTABLE = 214,
  CU_UNSUPPORTED_PTX = 222,
  CU_NOT_READY = 600,
  CU_ILLEGAL_ADDRESS = 700,
  CU_LAUNCH_OUT_OF_RESOURCES = 701,
  CU_LAUNCH_TIMEOUT = 702,
  CU_COOPERATIVE_TOO_LARGE = 720,
  CU_SYSTEM_NOT_READY = 802,
  CU_DRIVER_MISMATCH = 803,
  CU_UNKNOWN = 999
};

enum { /* CUdevice_attribute */
  CU_DEV_MAX_THREADS = 1,
  CU_DEV_SHARED = 8,
  CU_DEV_CLOCK_KHZ = 13,
  CU_DEV_UNITS = 16,
  CU_DEV_MEMORY_KHZ = 36,
  CU_DEV_BUS_BITS = 37,
  CU_DEV_L2_BYTES = 38,
  CU_DEV_CC_MAJOR = 75,
  CU_DEV_CC_MINOR = 76,
  CU_DEV_REGS_PER_UNIT = 82,
  CU_DEV_COOPERATIVE = 95,
  CU_DEV_SHARED_OPTIN = 97,
  CU_DEV_POOLS = 115
};

enum { /* CUtensorMapDataType */
  CU_MAP_U8 = 0,
  CU_MAP_U16 = 1,
  CU_MAP_U32 = 2,
  CU_MAP_I32 = 3,
  CU_MAP_U64 = 4,
  CU_MAP_I64 = 5,
  CU_MAP_F16 = 6,
  CU_MAP_F32 = 7,
  CU_MAP_F64 = 8,
  CU_MAP_BF16 = 9
};
enum { CU_MAP_PROMOTE_128 = 2 };

enum { CU_STREAM_NON_BLOCKING = 1 };
enum { CU_POOL_RELEASE_THRESHOLD = 4, CU_POOL_RESERVED = 5 };
enum {
  CU_FN_SHARED = 1, CU_FN_LOCAL = 3, CU_FN_REGISTERS = 4,
  CU_FN_MAX_DYNAMIC_SHARED = 8
};
enum { CU_MEMORY_HOST = 1, CU_MEMORY_DEVICE = 2 };

enum { CU_CAPTURE_THREAD_LOCAL = 1 };

struct cu_kernel_node {         /* CUDA_KERNEL_NODE_PARAMS_v2 */
  CUfunction function;
  unsigned grid[3], block[3], shared;
  void **args, **extra;
  void *kernel, *context;
};

struct cu_pool_props {          /* CUmemPoolProps */
  int alloc_type;               /* 1: pinned, the only kind */
  int handle_types;
  struct { int type, id; } location; /* type 1: device */
  void *win32_security;
  size_t max_size;
  unsigned short usage;
  unsigned char reserved[54];
};

struct cu_copy_2d {             /* CUDA_MEMCPY2D */
  size_t src_x, src_y;
  int src_type;
  const void *src_host;
  CUdeviceptr src_device;
  void *src_array;
  size_t src_pitch;
  size_t dst_x, dst_y;
  int dst_type;
  void *dst_host;
  CUdeviceptr dst_device;
  void *dst_array;
  size_t dst_pitch;
  size_t width, height;
};

struct cu_launch_attribute {    /* CUlaunchAttribute */
  int id;
  char pad[4];
  union { unsigned dim[3]; int allowed; char bytes[64]; } value;
};
struct cu_launch {              /* CUlaunchConfig */
  unsigned grid[3], block[3], shared;
  CUstream stream;
  const struct cu_launch_attribute *attributes;
  unsigned n_attributes;
};
enum {
  CU_LAUNCH_CLUSTER = 4,
  CU_LAUNCH_PROGRAMMATIC = 6    /* may start while the kernel before it ends, for
                                   which it waits by itself */
};

/* The driver's functions; all NULL until fs_cu_load() gave true. */
struct fs_cu_api {
#define FS_CU(need, name, symbol, args) CUresult (*name) args;
#include "core/device/cuda/cuda_api.def"
};
extern struct fs_cu_api fs_cu;

/* Loads libcuda.so.1 and calls cuInit; false with a sentence (static, or kept
 * for the life of the process) in *why. Remembers the outcome. */
bool fs_cu_load(const char **why);
int fs_cu_version(void); /* 13000 for CUDA 13.0; 0 before loading */

/* "out of memory", "an illegal memory access": the driver's words for r. */
const char *fs_cu_words(CUresult r);
/* Whether r means that nothing more can be done in this process. */
bool fs_cu_is_fatal(CUresult r);

/* One function of a library: its name there, and where its pointer goes in the struct of
 * those that are called. */
struct fs_cuda_symbol {
  const char *name;
  size_t at;
  bool needed;
};
/* Looks all of them up, NULL for one that is not there; false where it is needed. */
bool fs_cuda_resolve(void *handle, const struct fs_cuda_symbol *symbols, size_t n,
                     void *functions);

/* Opens the first of the sonames that is found: in the process, by the loader,
 * beside `beside` (a loaded library's path, or NULL), in the Python packages
 * that carry CUDA libraries, under CONDA_PREFIX, CUDA_HOME, CUDA_PATH and the
 * usual prefixes. `wheel` is the folder of the CUDA 12 package ("cuda_nvrtc").
 * NULL if none was; then *tried names the places. */
void *fs_cuda_find_library(const char *env, const char *const *sonames,
                           const char *wheel, const char *beside,
                           struct fs_str *tried);
/* The file that a loaded symbol came from (given), or NULL. */
char *fs_cuda_library_path(const void *symbol);

#endif
