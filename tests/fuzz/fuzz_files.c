/* fuzz_files.c - files that load() and :elem read. The first byte is the format: n
 * (.npy), z (.npz), m (.mtx), c (.csv), s (.safetensors), g (.pgm), p (.png), e (.elem); a .csv has one more byte, of which
 * bits say how it is read. The rest is the file. */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/eval/files.h"
#include "core/lang/elem.h"

static struct fs_diags diags;

/* One file in memory, and a link to it for each ending that the name may have. */
static const char *const endings[] = {"npy", "npz", "mtx", "csv", "safetensors", "pgm", "png"};
static char folder[200], links[FS_LEN(endings)][240];

static void tidy(void) {
  for (size_t k = 0; k < FS_LEN(endings); k++) unlink(links[k]);
  rmdir(folder);
}

static int make_links(void) {
  const char *base = getenv("TMPDIR");
  int fd = memfd_create("fuzz", MFD_CLOEXEC);
  char target[40];
  snprintf(folder, sizeof folder, "%.150s/fusible-fuzz-XXXXXX", base ? base : "/tmp");
  if (fd < 0 || !mkdtemp(folder) || atexit(tidy)) abort();
  snprintf(target, sizeof target, "/proc/self/fd/%d", fd);
  for (size_t k = 0; k < FS_LEN(endings); k++) {
    snprintf(links[k], sizeof links[k], "%s/x.%s", folder, endings[k]);
    if (symlink(target, links[k])) abort();
  }
  return fd;
}

static const char *make_file(const char *ending, const uint8_t *data, size_t size) {
  static int fd = -1;
  size_t k = 0;
  if (fd < 0) fd = make_links();
  while (strcmp(endings[k], ending)) k++;
  if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size) abort();
  return links[k];
}

/* All that it says of itself is true: every element can be read. */
static void read_through(const struct fs_array *a) {
  int64_t n = fs_shape_count(&a->shape), read = 0, below = 0;
  if (n < 0 || (n && !a->data) || !a->name) abort();
  for (int64_t i = 0; i < n; i += n > 100000 ? n / 1000 : 1, read++)
    below += fs_element_get(a->dtype,
                            (char *)a->data + (size_t)i * fs_dtype_size(a->dtype)).f < 0;
  if (below > read) abort();
}

static void load(const char *path, const struct fs_load_how *how) {
  struct fs_file_ctx ctx = {&diags, {0, 0, 0}, path, false};
  struct fs_arrays arrays;
  enum fs_status st = fs_arrays_load(&ctx, how, &arrays);
  if (st && (!diags.list.len || arrays.list.len)) abort(); /* said, and nothing given */
  for (int k = 0; k < arrays.list.len; k++) read_through(&arrays.list.data[k]);
  fs_arrays_free(&arrays);
}

static void load_csv(uint8_t bits, const uint8_t *data, size_t size) {
  struct fs_load_how how = {.skip = bits & 1,
                            .point = bits & 2 ? ',' : 0,
                            .separator = bits & 4 ? ';' : bits & 8 ? ' ' : 0,
                            .member = bits & 16 ? "a" : NULL};
  load(make_file("csv", data, size), &how);
}

static void read_elem(const char *text, size_t size) {
  struct fs_arena *arena = fs_arena_new();
  uint32_t source = fs_source_add(&diags, "x.elem", text, size);
  struct fs_elem *elem = NULL;
  enum fs_status st = fs_elem_parse(&diags, arena, source, &elem);
  if (st == FS_OK ? !elem : !diags.list.len) abort();
  fs_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fs_load_how how = {.expand = 1 << 20};
  if (!size) return 0;
  fs_diags_init(&diags);
  switch (data[0]) {
    case 'n': load(make_file("npy", data + 1, size - 1), &how); break;
    case 'z': load(make_file("npz", data + 1, size - 1), &how); break;
    case 's': load(make_file("safetensors", data + 1, size - 1), &how); break;
    case 'g': load(make_file("pgm", data + 1, size - 1), &how); break;
    case 'p': load(make_file("png", data + 1, size - 1), &how); break;
    case 'm': load(make_file("mtx", data + 1, size - 1), &how); break;
    case 'c': if (size > 1) load_csv(data[1], data + 2, size - 2); break;
    case 'e': read_elem((const char *)data + 1, size - 1); break;
    default: break;
  }
  fs_diags_free(&diags);
  return 0;
}
