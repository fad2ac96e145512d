/* driver.c - loads libOpenCL.so.1 and finds its devices. */
#include "core/device/opencl/driver.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

struct fs_cl_api fs_cl;

static bool resolve(void *handle) {
  static const struct {
    const char *name;
    size_t at;
  } symbols[] = {
#define FS_CL(result, name, symbol, args) {symbol, offsetof(struct fs_cl_api, name)},
#include "core/device/opencl/opencl_api.def"
  };
  for (size_t k = 0; k < FS_LEN(symbols); k++) {
    void *fn = dlsym(handle, symbols[k].name);
    if (!fn) return false;
    memcpy((char *)&fs_cl + symbols[k].at, &fn, sizeof fn);
  }
  return true;
}

/* The name of the library; FUSIBLE_OPENCL names another, or is "off". */
static const char *load(void) {
  static bool loaded;
  const char *name = getenv("FUSIBLE_OPENCL");
  if (loaded) return NULL;
  if (name && !strcmp(name, "off")) return "FUSIBLE_OPENCL is off";
  void *handle = dlopen(name && *name ? name : "libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return "OpenCL's loader, libOpenCL.so.1, is not installed (in Debian: ocl-icd-libopencl1)";
  loaded = resolve(handle);
  return loaded ? NULL : "libOpenCL.so.1 is older than OpenCL 2.0";
}

uint64_t fs_cl_number(void *device, cl_uint what) {
  uint64_t value = 0; /* of 4 or 8 bytes */
  return fs_cl.device_info(device, what, sizeof value, &value, NULL) == CL_OK ? value : 0;
}

void fs_cl_text(void *device, cl_uint what, char *out, size_t size) {
  size_t needed = 0;
  *out = 0;
  if (fs_cl.device_info(device, what, 0, NULL, &needed) != CL_OK || !needed) return;
  char *text = fs_calloc(needed + 1, 1);
  if (fs_cl.device_info(device, what, needed, text, NULL) == CL_OK)
    snprintf(out, size, "%.*s", (int)size - 1, text);
  free(text);
}

/* Device `index` of those that are GPUs, or are not, of all platforms; how many there are is
 * added to *n. */
static void *find(bool gpus, int index, int *n) {
  enum { MOST = 64 };
  void *platforms[MOST], *found = NULL;
  cl_uint n_platforms = 0;
  if (fs_cl.platforms(MOST, platforms, &n_platforms) != CL_OK) return NULL;
  for (cl_uint p = 0; p < FS_MIN(n_platforms, MOST); p++) {
    void *devices[MOST];
    cl_uint count = 0;
    if (fs_cl.devices(platforms[p], (cl_uint)CL_ALL_DEVICES, MOST, devices, &count) != CL_OK)
      continue;
    for (cl_uint k = 0; k < FS_MIN(count, MOST); k++) {
      bool gpu = fs_cl_number(devices[k], CL_DEVICE_KIND) & CL_DEVICE_IS_GPU;
      if (gpu != gpus) continue;
      if ((*n)++ == index) found = devices[k];
    }
  }
  return found;
}

void *fs_cl_device(int index, struct fs_diags *d) {
  const char *why = load();
  int n = 0;
  if (why) {
    fs_env_error(d, "no-opencl", NULL, "%s", why);
    return NULL;
  }
  void *device = find(true, index, &n);
  if (!device) device = find(false, index, &n);
  if (!device && n)
    fs_env_error(d, "no-opencl", NULL, "OpenCL has no device %d here: there %s %d", index,
                 n == 1 ? "is" : "are", n);
  else if (!device)
    fs_env_error(d, "no-opencl", NULL,
                 "OpenCL finds no device: none of its drivers (in Debian, pocl-opencl-icd is one "
                 "for processors) is installed");
  return device;
}

const char *fs_cl_words(cl_int error) {
  static char text[32];
  switch (error) {
    case CL_NO_MEMORY:
    case CL_NO_RESOURCES: return "out of device memory";
    case CL_NO_HOST_MEMORY: return "out of host memory";
    case CL_BUILD_FAILED: return "its compiler refuses the text";
    default: snprintf(text, sizeof text, "error %d", error); return text;
  }
}
