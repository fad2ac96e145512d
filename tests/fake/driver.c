/* driver.c - a libcuda.so.1 without a GPU, for tests only: device memory is host
 * memory, kernels are host code made by tests/fake/nvrtc.c and run as fibers, at
 * once and in order.
 *
 *   FUSIBLE_FAKE=1          without it there is no device, so that this library
 *                           can never be taken for a real one by accident
 *   FUSIBLE_FAKE_FAIL       see fake.h
 *   FUSIBLE_FAKE_DEVICES    how many there are (default 1)
 *   FUSIBLE_FAKE_MEMORY     bytes of the device (default 1 GiB)
 *   FUSIBLE_FAKE_GRAPH      bytes of it that each graph takes that can be started
 *   FUSIBLE_FAKE_MODULE     the same of each module that is loaded
 *   FUSIBLE_FAKE_VERSION    CUDA version of the driver (default 13000)
 *   FUSIBLE_FAKE_CC         compute capability (default 80)
 *   FUSIBLE_FAKE_BUSY       milliseconds a stream stays busy after a launch
 *   FUSIBLE_FAKE_TAKES      milliseconds that each launch takes, one after another
 *   FUSIBLE_FAKE_CLOCK      nanoseconds: events tell the time of a clock that only
 *                           launches move on, each by FUSIBLE_FAKE_TAKES and this a
 *                           thread, so that nothing depends on the machine's load
 *   FUSIBLE_FAKE_RUN=0      runs nothing: the device is as large as an A100, H200
 *                           or B200 (by the compute capability) and its memory
 *                           zero, of which only what is touched takes room; to
 *                           see what would be compiled
 *   FUSIBLE_FAKE_DEVICE     "a100", "h100", "h200" or "b200": the same, and which
 *   FUSIBLE_FAKE_COOPERATIVE=0  blocks cannot wait for each other
 *   FUSIBLE_FAKE_CROWDED=1  the first kernel whose blocks are counted does not fit
 *   FUSIBLE_FAKE_FAULT      a file: when a launch finds it, it is removed, and the
 *                           kernel never ends ("hang"), or poisons the context
 *                           with the code that it names ("700"), or ends the
 *                           process ("abort")
 *   FUSIBLE_FAKE_PRINT      bytes that each launch prints to stdout, and once more
 *                           to stderr, as libraries do
 *   FUSIBLE_FAKE_READ       a byte, of which everything read back consists then
 *
 * Fresh memory is filled with 0xa7, and a kernel that touches what lies behind it ends the
 * program. A copy or fill outside of what was allocated is an illegal access; what was never freed is reported at the end.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "core/device/cuda/driver.h"
#define FAKE_LIBRARY "driver"
#include "tests/fake/fake.h"
#include "tests/nvrtc/cubin.h"

#define EXPORT __attribute__((visibility("default")))
#define CALL(name)                         \
  do {                                     \
    int code_ = enter(name);               \
    if (code_) return code_;               \
  } while (0)

struct block {
  char *p;
  size_t bytes;
  char *base;     /* of its pages */
  size_t mapped;
  struct block *next;
};
struct cu_event {
  double at, told; /* `told` by FUSIBLE_FAKE_CLOCK */
  bool recorded;
};
struct cu_module {
  void *lib;
  unsigned registers, local; /* what a real cubin says */
  size_t bytes;              /* FUSIBLE_FAKE_MODULE */
  struct cu_function *functions;
};
struct cu_function {
  int (*start)(void **args, const unsigned *grid, const unsigned *block, size_t shared);
  int registers, local;
  size_t most_shared;        /* bytes that a block may ask for; 0: what needs no word */
  struct cu_function *next;
};

struct cu_graph_node {
  CUfunction f;
  struct cu_kernel_node params; /* .args NULL: not set since the last start */
  bool cooperative;
};
struct cu_graph {
  struct cu_graph_node nodes[64];
  int n, refs;  /* of the graph itself and what was instantiated of it */
  size_t bytes; /* that the latter takes: FUSIBLE_FAKE_GRAPH */
};

static struct block *blocks;
static const char *global;  /* the one of a module that was asked for last, 8 bytes */
static size_t used;
static int poison, pools, graphs, refused; /* frees that were made to fail */
static CUgraph capturing;
static double busy_until;
static double queued_until; /* by FUSIBLE_FAKE_TAKES */
static double told;         /* by FUSIBLE_FAKE_CLOCK */
static char handle[16]; /* contexts, streams and pools need only an address */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool is_sticky(int code) {
  return (code >= 700 && code != 701 && code < 720) || code == 999 ||
         code == 214;
}

/* What has no place in a graph ends the capture of one. */
static int enter(const char *name) {
  if (poison) return poison;
  if (capturing && !strstr(name, "Launch") && !strstr(name, "Capture"))
    return fprintf(stderr, "fake driver: %s while capturing\n", name), 900;
  int code = fake_failure(name);
  if (is_sticky(code)) poison = code;
  refused += code && (strstr(name, "Free") || strstr(name, "Destroy"));
  return code;
}

/* The limits by which kernels are tuned, of GPUs that exist. The first of a compute
 * capability or below stands for it. */
static const struct real {
  const char *name;
  int cc, units, clock_khz, memory_khz, bus_bits, l2_mib, shared_kib;
} reals[] = {
  {"b200", 100, 148, 1965000, 3996000, 8192, 126, 227},
  {"h200", 90, 132, 1980000, 3201000, 6016, 60, 227},
  {"h100", 90, 132, 1980000, 2619000, 5120, 50, 227},
  {"a100", 80, 108, 1410000, 1215000, 5120, 40, 163},
};

/* The GPU that this one passes for; NULL: a small one, which runs what it is given. */
static const struct real *real(void) {
  const char *name = getenv("FUSIBLE_FAKE_DEVICE");
  size_t k = 0, last = FS_LEN(reals) - 1;
  if (name) {
    while (k < last && strcmp(name, reals[k].name)) k++;
    return &reals[k];
  }
  if (fake_runs()) return NULL;
  long cc = fake_number("FUSIBLE_FAKE_CC", 80);
  while (k < last && cc < reals[k].cc) k++;
  return &reals[k];
}

static int compute_capability(void) {
  int otherwise = getenv("FUSIBLE_FAKE_DEVICE") ? real()->cc : 80;
  return (int)fake_number("FUSIBLE_FAKE_CC", otherwise);
}

static long memory_bytes(void) {
  return fake_runs() ? fake_number("FUSIBLE_FAKE_MEMORY", 1 << 30) : 140L << 30;
}

/* -- device and context --------------------------------------------------------- */

EXPORT int cuInit(unsigned flags);
EXPORT int cuInit(unsigned flags) {
  (void)flags;
  CALL("cuInit");
  return fake_number("FUSIBLE_FAKE", 0) ? 0 : CU_NO_DEVICE;
}

EXPORT int cuDriverGetVersion(int *version);
EXPORT int cuDriverGetVersion(int *version) {
  *version = (int)fake_number("FUSIBLE_FAKE_VERSION", 13000);
  return 0;
}

EXPORT int cuGetErrorName(int r, const char **name);
EXPORT int cuGetErrorName(int r, const char **name) {
  *name = r == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_FAKE";
  return 0;
}
EXPORT int cuGetErrorString(int r, const char **text);
EXPORT int cuGetErrorString(int r, const char **text) {
  *text = r == 2 ? "out of memory" : "an injected error";
  return 0;
}

static int devices(void) {
  const char *set = getenv("FUSIBLE_FAKE_DEVICES");
  return set ? atoi(set) : 1;
}
EXPORT int cuDeviceGetCount(int *count);
EXPORT int cuDeviceGetCount(int *count) {
  CALL("cuDeviceGetCount");
  *count = devices();
  return 0;
}
EXPORT int cuDeviceGet(int *device, int ordinal);
EXPORT int cuDeviceGet(int *device, int ordinal) {
  CALL("cuDeviceGet");
  *device = ordinal;
  return ordinal >= 0 && ordinal < devices() ? 0 : CU_INVALID_DEVICE;
}
EXPORT int cuDeviceGetName(char *name, int len, int device);
EXPORT int cuDeviceGetName(char *name, int len, int device) {
  (void)device;
  snprintf(name, (size_t)len, "fake GPU");
  return 0;
}
EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device);
EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  (void)device;
  *bytes = (size_t)memory_bytes();
  return 0;
}

static int real_limit(const struct real *r, int which) {
  switch (which) {
    case CU_DEV_SHARED_OPTIN: return r->shared_kib << 10;
    case CU_DEV_CLOCK_KHZ: return r->clock_khz;
    case CU_DEV_UNITS: return r->units;
    case CU_DEV_MEMORY_KHZ: return r->memory_khz;
    case CU_DEV_BUS_BITS: return r->bus_bits;
    case CU_DEV_L2_BYTES: return r->l2_mib << 20;
    default: return 0;
  }
}

static int units(void) {
  return fake_runs() ? (int)fake_number("FUSIBLE_FAKE_UNITS", 4) : real()->units;
}

EXPORT int cuDeviceGetAttribute(int *value, int which, int device);
EXPORT int cuDeviceGetAttribute(int *value, int which, int device) {
  (void)device;
  int cc = compute_capability();
  if (!fake_runs() && (*value = real_limit(real(), which))) return 0;
  switch (which) {
    case CU_DEV_MAX_THREADS: *value = 1024; break;
    case CU_DEV_SHARED: *value = 48 << 10; break;
    case CU_DEV_SHARED_OPTIN: *value = (cc >= 90 ? 227 : 99) << 10; break;
    case CU_DEV_CLOCK_KHZ: *value = 1000000; break;
    case CU_DEV_UNITS: *value = units(); break;
    case CU_DEV_MEMORY_KHZ: *value = 1000000; break;
    case CU_DEV_BUS_BITS: *value = 256; break;
    case CU_DEV_L2_BYTES:
      *value = 40 << 20;
      break;
    case CU_DEV_CC_MAJOR: *value = cc / 10; break;
    case CU_DEV_CC_MINOR: *value = cc % 10; break;
    case CU_DEV_REGS_PER_UNIT: *value = 65536; break;
    case CU_DEV_COOPERATIVE:
      *value = (int)fake_number("FUSIBLE_FAKE_COOPERATIVE", 1);
      break;
    case CU_DEV_POOLS: *value = 1; break;
    default: *value = 0;
  }
  return 0;
}
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device);
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
  (void)device;
  CALL("cuDevicePrimaryCtxRetain");
  *context = handle;
  return 0;
}

/* What is left now was leaked; a poisoned context frees nothing. */
EXPORT int cuDevicePrimaryCtxRelease_v2(int device);
EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  (void)device;
  int n = pools + graphs;
  for (const struct block *b = blocks; b; b = b->next) n++;
  if (!poison && n > refused)
    fprintf(stderr, "fake driver: %zu bytes, %d pools and %d graphs were never "
                    "freed\n", used, pools, graphs);
  return 0;
}
EXPORT int cuCtxResetPersistingL2Cache(void);
EXPORT int cuCtxResetPersistingL2Cache(void) {
  CALL("cuCtxResetPersistingL2Cache");
  return 0;
}
EXPORT int cuCtxSetCurrent(void *context);
EXPORT int cuCtxSetCurrent(void *context) {
  (void)context;
  CALL("cuCtxSetCurrent");
  return 0;
}

/* -- streams and events ----------------------------------------------------------- */

EXPORT int cuStreamCreate(void **stream, unsigned flags);
EXPORT int cuStreamCreate(void **stream, unsigned flags) {
  (void)flags;
  CALL("cuStreamCreate");
  *stream = handle;
  return 0;
}
static void end_host_call(void);
EXPORT int cuStreamDestroy_v2(void *stream);
EXPORT int cuStreamDestroy_v2(void *stream) {
  (void)stream;
  CALL("cuStreamDestroy_v2");
  end_host_call();
  return 0;
}
EXPORT int cuStreamQuery(void *stream);
EXPORT int cuStreamQuery(void *stream) {
  (void)stream;
  CALL("cuStreamQuery");
  end_host_call();
  return now() < busy_until ? CU_NOT_READY : 0;
}
EXPORT int cuStreamSynchronize(void *stream);
EXPORT int cuStreamSynchronize(void *stream) {
  (void)stream;
  CALL("cuStreamSynchronize");
  end_host_call();
  while (now() < busy_until) usleep(100);
  return 0;
}
/* What is started runs in its call, so a function of the host's that was put between
 * would hold nothing back; it is called when the stream is looked at next, once for all
 * times that it was put there: one that waits for the last of them would wait in vain. */
static struct {
  void (*call)(void *user);
  void *user;
} host_call;
static void end_host_call(void) {
  void (*call)(void *user) = host_call.call;
  host_call.call = NULL;
  if (call) call(host_call.user);
}
EXPORT int cuLaunchHostFunc(void *stream, void (*call)(void *), void *user);
EXPORT int cuLaunchHostFunc(void *stream, void (*call)(void *), void *user) {
  (void)stream;
  CALL("cuLaunchHostFunc");
  if (host_call.call != call || host_call.user != user) end_host_call();
  host_call.call = call, host_call.user = user;
  return 0;
}
EXPORT int cuEventCreate(CUevent *event, unsigned flags);
EXPORT int cuEventCreate(CUevent *event, unsigned flags) {
  (void)flags;
  CALL("cuEventCreate");
  *event = calloc(1, sizeof **event);
  return *event ? 0 : CU_OUT_OF_MEMORY;
}
EXPORT int cuEventDestroy_v2(CUevent event);
EXPORT int cuEventDestroy_v2(CUevent event) {
  free(event);
  return 0;
}
EXPORT int cuEventRecord(CUevent event, void *stream);
EXPORT int cuEventRecord(CUevent event, void *stream) {
  (void)stream;
  CALL("cuEventRecord");
  event->at = FS_MAX(now(), queued_until);
  event->told = fake_number("FUSIBLE_FAKE_CLOCK", 0) ? told : event->at;
  event->recorded = true;
  return 0;
}
EXPORT int cuEventQuery(CUevent event);
EXPORT int cuEventQuery(CUevent event) {
  CALL("cuEventQuery");
  return now() < event->at ? CU_NOT_READY : 0;
}
EXPORT int cuEventElapsedTime(float *ms, CUevent from, CUevent to);
EXPORT int cuEventElapsedTime(float *ms, CUevent from, CUevent to) {
  CALL("cuEventElapsedTime");
  if (!from->recorded || !to->recorded) return 400;
  if (now() < to->at) { /* a sanitizer would tell of it */
    fprintf(stderr, "fake driver: the time of an event that is not reached\n");
    return CU_NOT_READY;
  }
  *ms = (float)(1e3 * (to->told - from->told));
  return 0;
}

/* -- memory ------------------------------------------------------------------------ */

/* Pages of its own, so that what is touched after it was given back ends the program, and so
 * does what lies behind it: a page that nobody may touch. It begins at a multiple of 256 bytes,
 * as cuMemAlloc() says. Where nothing runs, pages that nobody touches take no room: zero. */
static bool new_memory(size_t bytes, struct block *b) {
  enum { PAGE = 4096, STEP = 256 };
  size_t body = (bytes + !bytes + STEP - 1) / STEP * STEP;
  b->mapped = (body + PAGE - 1) / PAGE * PAGE + PAGE;
  b->base = mmap(NULL, b->mapped, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (b->base == MAP_FAILED) return false;
  mprotect(b->base + b->mapped - PAGE, PAGE, PROT_NONE);
  b->bytes = bytes;
  b->p = b->base + b->mapped - PAGE - body;
  if (fake_runs()) memset(b->p, 0xa7, body);
  return true;
}

static int take(CUdeviceptr *out, size_t bytes) {
  if (used + bytes > (size_t)memory_bytes()) return CU_OUT_OF_MEMORY;
  struct block *b = calloc(1, sizeof *b);
  if (!b || !new_memory(bytes, b)) {
    free(b);
    return CU_OUT_OF_MEMORY;
  }
  b->next = blocks;
  blocks = b;
  used += bytes;
  *out = (CUdeviceptr)(uintptr_t)b->p;
  return 0;
}

static int give(CUdeviceptr address) {
  char *p = (char *)(uintptr_t)address;
  for (struct block **b = &blocks; *b; b = &(*b)->next) {
    if ((*b)->p != p) continue;
    struct block *gone = *b;
    *b = gone->next;
    used -= gone->bytes;
    munmap(gone->base, gone->mapped);
    free(gone);
    return 0;
  }
  fprintf(stderr, "fake driver: freed what was not allocated\n");
  return CU_INVALID_VALUE;
}

/* Whether `rows` of `width` bytes, `pitch` apart, lie in one block. */
static bool inside(CUdeviceptr address, size_t width, size_t pitch,
                   size_t rows) {
  const char *p = (const char *)(uintptr_t)address;
  size_t reach = rows ? (rows - 1) * pitch + width : 0;
  if (p == global && reach <= 8) return true;
  for (struct block *b = blocks; b; b = b->next)
    if (p >= b->p && p <= b->p + b->bytes &&
        reach <= (size_t)(b->p + b->bytes - p))
      return true;
  fprintf(stderr, "fake driver: copy outside of allocated memory\n");
  poison = CU_ILLEGAL_ADDRESS;
  return false;
}

EXPORT int cuMemGetInfo_v2(size_t *free_bytes, size_t *total);
EXPORT int cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
  *total = (size_t)memory_bytes();
  *free_bytes = *total - used;
  return 0;
}
EXPORT int cuMemAlloc_v2(CUdeviceptr *out, size_t bytes);
EXPORT int cuMemAlloc_v2(CUdeviceptr *out, size_t bytes) {
  CALL("cuMemAlloc_v2");
  return take(out, bytes);
}
EXPORT int cuMemFree_v2(CUdeviceptr p);
EXPORT int cuMemFree_v2(CUdeviceptr p) {
  CALL("cuMemFree_v2");
  return give(p);
}
EXPORT int cuMemAllocHost_v2(void **out, size_t bytes);
EXPORT int cuMemAllocHost_v2(void **out, size_t bytes) {
  CALL("cuMemAllocHost_v2");
  *out = malloc(bytes);
  return *out ? 0 : CU_OUT_OF_MEMORY;
}
EXPORT int cuMemFreeHost(void *p);
EXPORT int cuMemFreeHost(void *p) {
  free(p);
  return 0;
}
EXPORT int cuMemPoolCreate(void **out, const struct cu_pool_props *props);
EXPORT int cuMemPoolCreate(void **out, const struct cu_pool_props *props) {
  CALL("cuMemPoolCreate");
  if (props->alloc_type != 1 || props->location.type != 1) return 1;
  *out = handle;
  pools++;
  return 0;
}
EXPORT int cuMemPoolDestroy(void *pool);
EXPORT int cuMemPoolDestroy(void *pool) {
  (void)pool;
  CALL("cuMemPoolDestroy");
  pools--;
  return 0;
}
EXPORT int cuMemPoolSetAttribute(void *pool, int which, void *value);
EXPORT int cuMemPoolSetAttribute(void *pool, int which, void *value) {
  (void)pool, (void)which, (void)value;
  CALL("cuMemPoolSetAttribute");
  return 0;
}
EXPORT int cuMemPoolGetAttribute(void *pool, int which, void *value);
EXPORT int cuMemPoolGetAttribute(void *pool, int which, void *value) {
  (void)pool, (void)which;
  CALL("cuMemPoolGetAttribute");
  *(uint64_t *)value = used;
  return 0;
}
EXPORT int cuMemPoolTrimTo(void *pool, size_t keep);
EXPORT int cuMemPoolTrimTo(void *pool, size_t keep) {
  (void)pool, (void)keep;
  CALL("cuMemPoolTrimTo");
  return 0;
}
EXPORT int cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t bytes, void *pool,
                                   void *stream);
EXPORT int cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t bytes, void *pool,
                                   void *stream) {
  (void)pool, (void)stream;
  CALL("cuMemAllocFromPoolAsync");
  return take(out, bytes);
}
EXPORT int cuMemFreeAsync(CUdeviceptr p, void *stream);
EXPORT int cuMemFreeAsync(CUdeviceptr p, void *stream) {
  (void)stream;
  CALL("cuMemFreeAsync");
  return give(p);
}

/* FUSIBLE_FAKE_READ: true if it gave the data. */
static bool reads_made_up(char *to, size_t width, size_t pitch, size_t rows) {
  int byte = (int)fake_number("FUSIBLE_FAKE_READ", -1);
  if (fake_runs() || byte < 0) return false;
  for (size_t i = 0; i < rows; i++) memset(to + i * pitch, byte, width);
  return true;
}

EXPORT int cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                                void *stream);
EXPORT int cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                                void *stream) {
  (void)stream;
  CALL("cuMemcpyHtoDAsync_v2");
  if (!inside(to, bytes, bytes, 1)) return poison;
  memcpy((void *)(uintptr_t)to, from, bytes);
  return 0;
}
EXPORT int cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                                void *stream);
EXPORT int cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                                void *stream) {
  (void)stream;
  CALL("cuMemcpyDtoHAsync_v2");
  if (!inside(from, bytes, bytes, 1)) return poison;
  if (reads_made_up(to, bytes, bytes, 1)) return 0;
  memcpy(to, (const void *)(uintptr_t)from, bytes);
  return 0;
}
EXPORT int cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                void *stream);
EXPORT int cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                void *stream) {
  (void)stream;
  CALL("cuMemcpyDtoDAsync_v2");
  if (!inside(from, bytes, bytes, 1) || !inside(to, bytes, bytes, 1))
    return poison;
  if (!fake_runs()) return 0;
  memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
  return 0;
}
EXPORT int cuMemcpy2DAsync_v2(const struct cu_copy_2d *c, void *stream);
EXPORT int cuMemcpy2DAsync_v2(const struct cu_copy_2d *c, void *stream) {
  (void)stream;
  CALL("cuMemcpy2DAsync_v2");
  bool in = c->src_type == CU_MEMORY_HOST, out = c->dst_type == CU_MEMORY_HOST;
  if (c->src_pitch < c->width || c->dst_pitch < c->width ||
      c->src_pitch > INT32_MAX || c->dst_pitch > INT32_MAX)
    return CU_INVALID_VALUE;
  if ((!in && !inside(c->src_device, c->width, c->src_pitch, c->height)) ||
      (!out && !inside(c->dst_device, c->width, c->dst_pitch, c->height)))
    return poison;
  const char *from = in ? c->src_host : (const char *)(uintptr_t)c->src_device;
  char *to = out ? c->dst_host : (char *)(uintptr_t)c->dst_device;
  if (!fake_runs() && !in && !out) return 0;
  if (out && reads_made_up(to, c->width, c->dst_pitch, c->height)) return 0;
  for (size_t i = 0; i < c->height; i++)
    memmove(to + i * c->dst_pitch, from + i * c->src_pitch, c->width);
  return 0;
}
EXPORT int cuMemsetD8Async(CUdeviceptr p, unsigned char value, size_t bytes,
                           void *stream);
EXPORT int cuMemsetD8Async(CUdeviceptr p, unsigned char value, size_t bytes,
                           void *stream) {
  (void)stream;
  CALL("cuMemsetD8Async");
  if (!inside(p, bytes, bytes, 1)) return poison;
  if (!fake_runs() && !value) return 0;
  memset((void *)(uintptr_t)p, value, bytes);
  return 0;
}

/* Of host code, which has none of a GPU. */
enum { MADE_UP_REGISTERS = 40, SHARED_BY_DEFAULT = 48 << 10 };

/* -- modules and launches ------------------------------------------------------------ */

/* An ELF file's length: the section table ends it. */
static size_t elf_size(const unsigned char *image) {
  uint64_t table;
  uint16_t size, count;
  memcpy(&table, image + 40, 8);
  memcpy(&size, image + 58, 2);
  memcpy(&count, image + 60, 2);
  return (size_t)(table + (uint64_t)size * count);
}

EXPORT int cuModuleLoadData(CUmodule *out, const void *image);
EXPORT int cuModuleLoadData(CUmodule *out, const void *image) {
  CALL("cuModuleLoadData");
  size_t bytes = (size_t)fake_number("FUSIBLE_FAKE_MODULE", 0);
  if (used + bytes > (size_t)memory_bytes()) return CU_OUT_OF_MEMORY;
  if (!fake_runs()) {
    *out = calloc(1, sizeof **out);
    if (!*out) return CU_OUT_OF_MEMORY;
    if (!memcmp(image, ELFMAG, SELFMAG))
      cubin_read(image, elf_size(image), &(*out)->registers, &(*out)->local);
    return 0;
  }
  if (memcmp(image, "\177ELF", 4)) return CU_INVALID_IMAGE;
  char path[] = "/tmp/fusible-fake-XXXXXX"; /* a new name, or dlopen() gives the
                                               library loaded before */
  int fd = mkstemp(path);
  size_t size = elf_size(image);
  void *lib = NULL;
  if (fd >= 0 && write(fd, image, size) == (ssize_t)size)
    lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (fd >= 0) close(fd), unlink(path);
  if (!lib) return CU_INVALID_IMAGE;
  *out = calloc(1, sizeof **out);
  if (!*out) return dlclose(lib), CU_OUT_OF_MEMORY;
  (*out)->lib = lib;
  (*out)->bytes = bytes;
  used += bytes;
  return 0;
}
EXPORT int cuModuleUnload(CUmodule module);
EXPORT int cuModuleUnload(CUmodule module) {
  CALL("cuModuleUnload");
  used -= module->bytes;
  if (module->lib) dlclose(module->lib);
  while (module->functions) {
    CUfunction f = module->functions;
    module->functions = f->next;
    free(f);
  }
  free(module);
  return 0;
}
EXPORT int cuModuleGetFunction(CUfunction *out, CUmodule module,
                               const char *name);
EXPORT int cuModuleGetFunction(CUfunction *out, CUmodule module,
                               const char *name) {
  CALL("cuModuleGetFunction");
  char symbol[128];
  snprintf(symbol, sizeof symbol, "fake_start_%s", name);
  void *start = module->lib ? dlsym(module->lib, symbol) : NULL;
  if (!start && module->lib) return 500;
  *out = calloc(1, sizeof **out);
  if (!*out) return CU_OUT_OF_MEMORY;
  memcpy(&(*out)->start, &start, sizeof start);
  (*out)->registers = module->registers ? (int)module->registers : MADE_UP_REGISTERS;
  (*out)->local = (int)module->local;
  (*out)->next = module->functions; /* lives as long as its module */
  module->functions = *out;
  return 0;
}
EXPORT int cuModuleGetGlobal_v2(unsigned long long *out, size_t *bytes, CUmodule module,
                                const char *name);
EXPORT int cuModuleGetGlobal_v2(unsigned long long *out, size_t *bytes, CUmodule module,
                                const char *name) {
  static unsigned long long zero; /* of code that computes nothing */
  CALL("cuModuleGetGlobal_v2");
  char symbol[128];
  snprintf(symbol, sizeof symbol, "fake_at_%s", name);
  void *(*where)(void) = NULL, *at = module->lib ? dlsym(module->lib, symbol) : &zero;
  memcpy(&where, &at, sizeof at);
  if (at && module->lib) at = where();
  if (!at) return 500;
  global = at;
  *out = (unsigned long long)(uintptr_t)at;
  if (bytes) *bytes = sizeof zero;
  return 0;
}
EXPORT int cuFuncSetAttribute(CUfunction f, int which, int value);
EXPORT int cuFuncSetAttribute(CUfunction f, int which, int value) {
  CALL("cuFuncSetAttribute");
  int most = 0;
  cuDeviceGetAttribute(&most, CU_DEV_SHARED_OPTIN, 0);
  if (which != CU_FN_MAX_DYNAMIC_SHARED || value > most) return CU_INVALID_VALUE;
  f->most_shared = (size_t)value;
  return 0;
}
EXPORT int cuFuncGetAttribute(int *value, int which, CUfunction f);
EXPORT int cuFuncGetAttribute(int *value, int which, CUfunction f) {
  CALL("cuFuncGetAttribute");
  *value = which == CU_FN_REGISTERS ? f->registers
           : which == CU_FN_LOCAL   ? f->local
                                    : 0;
  return 0;
}
EXPORT int cuOccupancyMaxActiveClusters(int *count, CUfunction f,
                                        const struct cu_launch *launch);
EXPORT int cuOccupancyMaxActiveClusters(int *count, CUfunction f,
                                        const struct cu_launch *launch) {
  (void)f;
  CALL("cuOccupancyMaxActiveClusters");
  if (launch->n_attributes != 1 ||
      launch->attributes->id != CU_LAUNCH_CLUSTER)
    return CU_INVALID_VALUE;
  unsigned size = launch->attributes->value.dim[0];
  /* Not all that are there have room. */
  *count = units() > 8 ? (int)((unsigned)units() * 10 / 11 / size) : size < 4 ? (int)(6 / size) : 1;
  if (size > 4) *count = (int)fake_number("FUSIBLE_FAKE_CLUSTERS", *count);
  return 0;
}
EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count, CUfunction f,
                                                       int threads,
                                                       size_t shared_bytes);
EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count, CUfunction f,
                                                       int threads,
                                                       size_t shared_bytes) {
  CALL("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  *count = threads <= 256 ? 2 : 1;
  if (shared_bytes > FS_MAX(f->most_shared, SHARED_BY_DEFAULT)) *count = 0;
  static int counted;
  if (!counted++ && fake_number("FUSIBLE_FAKE_CROWDED", 0)) *count = 0;
  return 0;
}

/* Once, and in the process that comes first: as real faults are. */
static void take_fault(void) {
  const char *path = getenv("FUSIBLE_FAKE_FAULT");
  char word[16] = "";
  FILE *in = path ? fopen(path, "r") : NULL;
  if (!in) return;
  if (!fgets(word, sizeof word, in)) word[0] = 0;
  fclose(in);
  if (unlink(path)) return;
  if (!strncmp(word, "hang", 4)) busy_until = 1e300;
  else if (!strncmp(word, "abort", 5)) abort();
  else poison = atoi(word);
}

/* For the fake CUPTI. */
extern long long fake_launches;
EXPORT long long fake_launches;

static int launch(CUfunction f, unsigned gx, unsigned gy, unsigned gz,
                  unsigned bx, unsigned by, unsigned bz, unsigned shared,
                  void **args) {
  if (!gx || !gy || !gz || !bx || !by || !bz || gy > 65535 || gz > 65535 || bx * by * bz > 1024)
    return CU_INVALID_VALUE;
  double begin = now(), queued = FS_MAX(queued_until, begin);
  double takes = 1e-3 * (double)fake_number("FUSIBLE_FAKE_TAKES", 0);
  double thread = 1e-9 * (double)fake_number("FUSIBLE_FAKE_CLOCK", 0);
  if (thread > 0) told += takes + thread * gx * gy * gz * bx * by * bz;
  else queued_until = queued + takes;
  busy_until = begin + 1e-3 * (double)fake_number("FUSIBLE_FAKE_BUSY", 0);
  busy_until = FS_MAX(busy_until, queued_until);
  take_fault();
  for (long k = fake_number("FUSIBLE_FAKE_PRINT", 0); k > 0; k--)
    putchar(k % 64 ? 'o' : '\n'), fputc(k % 64 ? 'e' : '\n', stderr);
  if (poison || !fake_runs()) return poison;
  const unsigned grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};
  fake_launches++;
  if (f->start(args, grid, block, shared)) poison = CU_LAUNCH_TIMEOUT;
  return poison;
}

static int capture(CUfunction f, const unsigned grid[3],
                   const unsigned block[3], unsigned shared, bool cooperative) {
  if (capturing->n == 64) return 900;
  capturing->nodes[capturing->n++] = (struct cu_graph_node){
      .f = f, .cooperative = cooperative,
      .params = {.function = f, .grid = {grid[0], grid[1], grid[2]},
                 .block = {block[0], block[1], block[2]},
                 .shared = shared}};
  return 0;
}

static int launch_or_capture(CUfunction f, const unsigned g[3],
                             const unsigned b[3], unsigned shared, void **args,
                             bool cooperative) {
  if (capturing) return capture(f, g, b, shared, cooperative);
  if (cooperative && fake_runs() && g[0] * g[1] * g[2] > 2 * (unsigned)units())
    return CU_COOPERATIVE_TOO_LARGE;
  return launch(f, g[0], g[1], g[2], b[0], b[1], b[2], shared, args);
}

EXPORT int cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz,
                          unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **args,
                          void **extra);
EXPORT int cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz,
                          unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **args,
                          void **extra) {
  (void)stream, (void)extra;
  CALL("cuLaunchKernel");
  unsigned g[3] = {gx, gy, gz}, b[3] = {bx, by, bz};
  return launch_or_capture(f, g, b, shared, args, false);
}
EXPORT int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *base,
                                  const unsigned long long *dims,
                                  const unsigned long long *strides,
                                  const unsigned *box, const unsigned *steps,
                                  int interleave, int swizzle, int promotion,
                                  int fill);
EXPORT int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *base,
                                  const unsigned long long *dims,
                                  const unsigned long long *strides,
                                  const unsigned *box, const unsigned *steps,
                                  int interleave, int swizzle, int promotion,
                                  int fill) {
  static const unsigned char sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
  CALL("cuTensorMapEncodeTiled");
  (void)interleave, (void)swizzle, (void)promotion, (void)fill;
  if (rank != 2 || type < 0 || type >= (int)sizeof sizes || steps[0] != 1 ||
      steps[1] != 1 || (unsigned long long)base % 16 || strides[0] % 16 ||
      box[0] > 256 || box[1] > 256 || box[0] * sizes[type] % 16)
    return CU_INVALID_VALUE;
  unsigned long long word[16] = {(unsigned long long)base, dims[0], dims[1],
                                 strides[0], box[0], box[1], sizes[type]};
  memcpy(map, word, sizeof word);
  return CU_OK;
}

EXPORT int cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy,
                                     unsigned gz, unsigned bx, unsigned by,
                                     unsigned bz, unsigned shared, void *stream,
                                     void **args);
EXPORT int cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy,
                                     unsigned gz, unsigned bx, unsigned by,
                                     unsigned bz, unsigned shared, void *stream,
                                     void **args) {
  (void)stream;
  CALL("cuLaunchCooperativeKernel");
  unsigned g[3] = {gx, gy, gz}, b[3] = {bx, by, bz};
  return launch_or_capture(f, g, b, shared, args, true);
}

/* Only the attribute that we use, where a device has it. */
EXPORT int cuLaunchKernelEx(const struct cu_launch *how, CUfunction f,
                            void **args, void **extra);
EXPORT int cuLaunchKernelEx(const struct cu_launch *how, CUfunction f,
                            void **args, void **extra) {
  (void)extra;
  CALL("cuLaunchKernelEx");
  for (unsigned k = 0; k < how->n_attributes; k++)
    if (how->attributes[k].id != CU_LAUNCH_PROGRAMMATIC ||
        compute_capability() < 90)
      return CU_INVALID_VALUE;
  return launch_or_capture(f, how->grid, how->block, how->shared, args,
                           false);
}

/* -- graphs ---------------------------------------------------------------------------- */

static int drop_graph(CUgraph graph) {
  if (--graph->refs) return 0;
  free(graph);
  graphs--;
  return 0;
}

/* An argument array's length is the real driver's knowledge; so arguments are
 * used from where they lie, and each start wants them to have been set. */
EXPORT int cuStreamBeginCapture_v2(void *stream, int mode);
EXPORT int cuStreamBeginCapture_v2(void *stream, int mode) {
  (void)stream, (void)mode;
  CALL("cuStreamBeginCapture_v2");
  capturing = calloc(1, sizeof *capturing);
  if (!capturing) return CU_OUT_OF_MEMORY;
  capturing->refs = 1;
  graphs++;
  return 0;
}
EXPORT int cuStreamEndCapture(void *stream, CUgraph *out);
EXPORT int cuStreamEndCapture(void *stream, CUgraph *out) {
  (void)stream;
  int code = enter("cuStreamEndCapture");
  if (capturing && code) drop_graph(capturing);
  *out = code ? NULL : capturing;
  capturing = NULL; /* a failure ends the capture too */
  return *out ? 0 : code ? code : CU_INVALID_VALUE;
}
EXPORT int cuStreamGetCaptureInfo_v2(void *stream, int *status, unsigned long long *id,
                                     CUgraph *graph, const CUgraphNode **last, size_t *n);
EXPORT int cuStreamGetCaptureInfo_v2(void *stream, int *status, unsigned long long *id,
                                     CUgraph *graph, const CUgraphNode **last, size_t *n) {
  static CUgraphNode node;
  (void)stream, (void)id, (void)graph;
  CALL("cuStreamGetCaptureInfo_v2");
  *status = capturing != NULL;
  *n = capturing && capturing->n;
  node = *n ? &capturing->nodes[capturing->n - 1] : NULL;
  *last = &node;
  return 0;
}
EXPORT int cuGraphKernelNodeGetParams_v2(CUgraphNode node,
                                         struct cu_kernel_node *params);
EXPORT int cuGraphKernelNodeGetParams_v2(CUgraphNode node,
                                         struct cu_kernel_node *params) {
  CALL("cuGraphKernelNodeGetParams_v2");
  *params = node->params;
  return 0;
}
EXPORT int cuGraphInstantiateWithFlags(CUgraph *out, CUgraph graph,
                                       unsigned long long flags);
EXPORT int cuGraphInstantiateWithFlags(CUgraph *out, CUgraph graph,
                                       unsigned long long flags) {
  (void)flags;
  CALL("cuGraphInstantiateWithFlags");
  size_t bytes = (size_t)fake_number("FUSIBLE_FAKE_GRAPH", 0);
  if (used + bytes > (size_t)memory_bytes()) return CU_OUT_OF_MEMORY;
  used += graph->bytes = bytes;
  graph->refs++;
  *out = graph;
  return 0;
}
EXPORT int cuGraphExecKernelNodeSetParams_v2(CUgraph exec, CUgraphNode node,
                                             const struct cu_kernel_node *p);
EXPORT int cuGraphExecKernelNodeSetParams_v2(CUgraph exec, CUgraphNode node,
                                             const struct cu_kernel_node *p) {
  (void)exec;
  CALL("cuGraphExecKernelNodeSetParams_v2");
  if (p->function != node->f || !p->args) return CU_INVALID_VALUE;
  node->params = *p;
  return 0;
}
EXPORT int cuGraphLaunch(CUgraph exec, void *stream);
EXPORT int cuGraphLaunch(CUgraph exec, void *stream) {
  (void)stream;
  CALL("cuGraphLaunch");
  for (int k = 0; k < exec->n; k++) {
    struct cu_graph_node *node = &exec->nodes[k];
    if (!node->params.args) return CU_INVALID_VALUE;
    int r = launch_or_capture(node->f, node->params.grid, node->params.block,
                              node->params.shared, node->params.args,
                              node->cooperative);
    node->params.args = NULL;
    if (r) return r;
  }
  return 0;
}
EXPORT int cuGraphDestroy(CUgraph graph);
EXPORT int cuGraphDestroy(CUgraph graph) {
  return drop_graph(graph);
}
EXPORT int cuGraphExecDestroy(CUgraph exec);
EXPORT int cuGraphExecDestroy(CUgraph exec) {
  used -= exec->bytes;
  return drop_graph(exec);
}
