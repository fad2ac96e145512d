/* files_hdf5.c - .h5 and .hdf5 files, by the library libhdf5 where there is one.
 *
 * An array is a dataset; its name is its path without the first slash, as "group/x". */
#include <dlfcn.h>

#include "core/eval/files.h"

typedef int64_t hid; /* since version 1.10 */

enum { TRUNCATE = 2, CLASS_INTEGER = 0, CLASS_FLOAT = 1, CLASS_COMPOUND = 6, CLASS_ENUM = 8,
       OBJECT_GROUP = 0, OBJECT_DATASET = 1, DEPTH_MAX = 20, ARRAYS_MAX = 65535 };

static struct {
  int (*H5open)(void);
  int (*H5get_libversion)(unsigned *, unsigned *, unsigned *);
  int (*H5Eset_auto2)(hid, void *, void *);
  hid (*H5Fopen)(const char *, unsigned, hid);
  hid (*H5Fcreate)(const char *, unsigned, hid, hid);
  int (*H5Fclose)(hid);
  int (*H5Fis_hdf5)(const char *);
  int (*H5Gget_num_objs)(hid, uint64_t *);
  ssize_t (*H5Gget_objname_by_idx)(hid, uint64_t, char *, size_t);
  int (*H5Gget_objtype_by_idx)(hid, uint64_t);
  hid (*H5Gopen2)(hid, const char *, hid);
  hid (*H5Dopen2)(hid, const char *, hid);
  hid (*H5Dcreate2)(hid, const char *, hid, hid, hid, hid, hid);
  hid (*H5Dget_space)(hid);
  hid (*H5Dget_type)(hid);
  hid (*H5Dget_create_plist)(hid);
  uint64_t (*H5Dget_storage_size)(hid);
  int (*H5Dread)(hid, hid, hid, hid, hid, void *);
  int (*H5Dwrite)(hid, hid, hid, hid, hid, const void *);
  int (*H5Pget_nfilters)(hid);
  int (*H5Pget_filter2)(hid, unsigned, unsigned *, size_t *, unsigned *, size_t, char *, unsigned *);
  int (*H5Zfilter_avail)(int);
  hid (*H5Screate)(int);
  hid (*H5Screate_simple)(int, const uint64_t *, const uint64_t *);
  int (*H5Sget_simple_extent_ndims)(hid);
  int (*H5Sget_simple_extent_dims)(hid, uint64_t *, uint64_t *);
  int (*H5Tget_class)(hid);
  size_t (*H5Tget_size)(hid);
  int (*H5Tget_sign)(hid);
  int (*H5Tget_order)(hid);
  int (*H5Tget_nmembers)(hid);
  hid (*H5Tget_member_type)(hid, unsigned);
  hid (*H5Tcreate)(int, size_t);
  int (*H5Tinsert)(hid, const char *, size_t, hid);
  int (*H5Idec_ref)(hid);
} h5;

#define HDF5_FUNCTIONS(X)                                                                      \
  X(H5open) X(H5get_libversion) X(H5Eset_auto2) X(H5Fopen) X(H5Fcreate) X(H5Fclose)            \
  X(H5Fis_hdf5) X(H5Gget_num_objs) X(H5Gget_objname_by_idx) X(H5Gget_objtype_by_idx)           \
  X(H5Gopen2) X(H5Dopen2) X(H5Dcreate2) X(H5Dget_space) X(H5Dget_type) X(H5Dget_create_plist)  \
  X(H5Dget_storage_size) X(H5Dread) X(H5Dwrite) X(H5Pget_nfilters) X(H5Pget_filter2)           \
  X(H5Zfilter_avail) X(H5Screate) X(H5Screate_simple) \
  X(H5Sget_simple_extent_ndims) X(H5Sget_simple_extent_dims) X(H5Tget_class) X(H5Tget_size)    \
  X(H5Tget_sign) X(H5Tget_order) X(H5Tget_nmembers) X(H5Tget_member_type) X(H5Tcreate)         \
  X(H5Tinsert) X(H5Idec_ref)

static void *library;

static void *open_library(void) {
  static const char *const names[] = {
      "libhdf5.so", "libhdf5_serial.so", "libhdf5_serial.so.103", "libhdf5.so.103",
      "libhdf5.so.200", "libhdf5.so.310", "libhdf5_serial.so.310", "libhdf5.so.320"};
  void *lib = NULL;
  for (size_t k = 0; k < FS_LEN(names) && !lib; k++) lib = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
  return lib;
}

static enum fs_status find_library(const struct fs_file_ctx *ctx) {
  unsigned v[3] = {0};
  if (!library) {
    void *lib = open_library();
    bool good = lib != NULL;
#define FIND(name) good = good && (*(void **)&h5.name = dlsym(lib, #name)) != NULL;
    if (lib) HDF5_FUNCTIONS(FIND)
    good = good && !h5.H5get_libversion(&v[0], &v[1], &v[2]) && v[0] == 1 && v[1] >= 10;
    good = good && h5.H5open() >= 0;
    if (good) h5.H5Eset_auto2(0, NULL, NULL);
    if (good) library = lib;
  }
  return library ? FS_OK
                 : fs_file_error(ctx, "Debian's package is called libhdf5-103-1",
                                 "it needs the library libhdf5, version 1.10 or newer, which is not there");
}

/* "H5T_NATIVE_FLOAT_g": a type of the machine. */
static hid native(const char *name) {
  const hid *id = name ? dlsym(library, name) : NULL;
  return id ? *id : -1;
}

static const char *const native_names[FS_DTYPE_COUNT] = {
    [FS_BOOL] = "H5T_NATIVE_UINT8_g", [FS_U8] = "H5T_NATIVE_UINT8_g",
    [FS_I8] = "H5T_NATIVE_INT8_g",    [FS_U16] = "H5T_NATIVE_UINT16_g",
    [FS_I16] = "H5T_NATIVE_INT16_g",  [FS_U32] = "H5T_NATIVE_UINT32_g",
    [FS_I32] = "H5T_NATIVE_INT32_g",  [FS_I64] = "H5T_NATIVE_INT64_g",
    [FS_U64] = "H5T_NATIVE_UINT64_g",
    [FS_F32] = "H5T_NATIVE_FLOAT_g",  [FS_F64] = "H5T_NATIVE_DOUBLE_g"};

/* -- one dataset ------------------------------------------------------------------------------ */

/* What its elements are, and how they are called in memory. */
struct kind {
  enum fs_dtype dtype;
  bool complex, raw;      /* raw: read as they are */
};

static bool kind_of_number(hid type, struct kind *out) {
  static const enum fs_dtype is_signed[] = {FS_I8, FS_I16, FS_I32, FS_I64};
  static const enum fs_dtype is_unsigned[] = {FS_U8, FS_U16, FS_U32, FS_U64};
  size_t size = h5.H5Tget_size(type);
  int class = h5.H5Tget_class(type), power = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
  if (class == CLASS_FLOAT) {
    out->dtype = size == 2 ? FS_F16 : size == 4 ? FS_F32 : FS_F64;
    out->raw = size == 2;
    return size == 4 || size == 8 || (size == 2 && !h5.H5Tget_order(type));
  }
  bool minus = h5.H5Tget_sign(type) != 0;
  out->dtype = minus ? is_signed[power] : is_unsigned[power];
  return class == CLASS_INTEGER && (size == 1 || size == 2 || size == 4 || size == 8);
}

/* Numbers; pairs of floats, which are complex; a choice of two in one byte, which h5py has for
 * truth values. */
static bool kind_of(hid type, struct kind *out) {
  *out = (struct kind){FS_F32, false, false};
  int class = h5.H5Tget_class(type);
  if (class == CLASS_ENUM) {
    *out = (struct kind){FS_BOOL, false, true};
    return h5.H5Tget_size(type) == 1 && h5.H5Tget_nmembers(type) == 2;
  }
  if (class != CLASS_COMPOUND) return kind_of_number(type, out);
  if (h5.H5Tget_nmembers(type) != 2) return false;
  struct kind part[2];
  bool good = true;
  for (unsigned k = 0; k < 2; k++) {
    hid member = h5.H5Tget_member_type(type, k);
    good = good && kind_of_number(member, &part[k]) && !h5.H5Tget_order(member);
    h5.H5Idec_ref(member);
  }
  *out = (struct kind){part[0].dtype, true, true};
  return good && part[0].dtype == part[1].dtype && (out->dtype == FS_F32 || out->dtype == FS_F64) &&
         h5.H5Tget_size(type) == fs_element_bytes(out->dtype, true);
}

static enum fs_status check_filters(const struct fs_file_ctx *ctx, hid set) {
  hid plist = h5.H5Dget_create_plist(set);
  int n = h5.H5Pget_nfilters(plist);
  enum fs_status st = FS_OK;
  for (int k = 0; k < n && !st; k++) {
    unsigned flags, config;
    size_t values = 0;
    char name[80] = "";
    int filter = h5.H5Pget_filter2(plist, (unsigned)k, &flags, &values, NULL, sizeof name - 1, name,
                                   &config);
    if (filter >= 0 && h5.H5Zfilter_avail(filter) <= 0)
      st = fs_file_error(ctx, "HDF5_PLUGIN_PATH says where libhdf5 looks for filters",
                         "it is packed by the filter %d%s%.60s, which libhdf5 does not have", filter,
                         *name ? ", " : "", name);
  }
  h5.H5Idec_ref(plist);
  return st;
}

static enum fs_status read_shape(const struct fs_file_ctx *ctx, hid set, struct fs_array *a,
                                 int64_t *bytes) {
  uint64_t dims[32] = {0};
  hid space = h5.H5Dget_space(set);
  int rank = h5.H5Sget_simple_extent_ndims(space);
  bool good = rank >= 0 && rank <= FS_MAX_RANK && h5.H5Sget_simple_extent_dims(space, dims, NULL) >= 0;
  h5.H5Idec_ref(space);
  if (!good)
    return fs_file_error(ctx, NULL, "%.80s has %d dimensions, not 0 to %d", a->name, rank, FS_MAX_RANK);
  a->shape = (struct fs_shape){.rank = rank};
  int64_t all = (int64_t)fs_element_bytes(a->dtype, a->complex);
  for (int k = 0; k < rank; k++) {
    a->shape.dim[k] = dims[k] > INT64_MAX ? -1 : (int64_t)dims[k];
    all = a->shape.dim[k] < 0 ? -1 : fs_mul_size(all, a->shape.dim[k]);
    if (all < 0) return fs_file_error(ctx, NULL, "%.80s is larger than any memory", a->name);
  }
  *bytes = all;
  return FS_OK;
}

static enum fs_status read_elements(const struct fs_file_ctx *ctx, hid set, hid type,
                                    const struct kind *kind, int64_t bytes, struct fs_array *a) {
  int64_t stored = (int64_t)FS_MIN(h5.H5Dget_storage_size(set), (uint64_t)INT64_MAX);
  if (bytes > FS_NPZ_RATIO_FREE && bytes / FS_NPZ_RATIO_MAX > stored)
    return fs_file_error(ctx, NULL, "%.80s takes %lld bytes in the file and would take %lld in memory",
                         a->name, (long long)stored, (long long)bytes);
  enum fs_status st = check_filters(ctx, set);
  if (!st) st = fs_file_alloc(ctx, bytes, &a->data);
  if (st || !bytes) return st;
  hid memory = kind->raw ? type : native(native_names[a->dtype]);
  if (h5.H5Dread(set, memory, 0, 0, 0, a->data) < 0)
    return fs_file_error(ctx, NULL, "%.80s is damaged", a->name);
  for (int64_t k = 0; k < bytes && a->dtype == FS_BOOL; k++)
    ((uint8_t *)a->data)[k] = ((uint8_t *)a->data)[k] != 0;
  return FS_OK;
}

/* `named`: by the user; else a dataset of no numbers is left out. */
static enum fs_status read_set(const struct fs_file_ctx *ctx, hid file, const char *path, bool named,
                               struct fs_arrays *out) {
  hid set = h5.H5Dopen2(file, path, 0);
  if (set < 0) return fs_file_error(ctx, NULL, "it has no array '%.80s'", path);
  hid type = h5.H5Dget_type(set);
  struct kind kind;
  int64_t bytes = 0;
  enum fs_status st = FS_OK;
  bool numbers = kind_of(type, &kind);
  if (numbers) {
    struct fs_array *a = FS_PUSH(&out->list);
    *a = (struct fs_array){.name = fs_strdup(path + strspn(path, "/")), .dtype = kind.dtype,
                           .complex = kind.complex};
    st = read_shape(ctx, set, a, &bytes);
    if (!st) st = read_elements(ctx, set, type, &kind, bytes, a);
  } else if (named) {
    st = fs_file_error(ctx, NULL, "%.80s holds no numbers of a type that there is here", path);
  }
  h5.H5Idec_ref(type);
  h5.H5Idec_ref(set);
  return st;
}

/* -- the file ------------------------------------------------------------------------------------ */

static enum fs_status read_group(const struct fs_file_ctx *ctx, hid file, const char *path, int depth,
                                 struct fs_arrays *out) {
  hid group = h5.H5Gopen2(file, path, 0);
  uint64_t n = 0;
  enum fs_status st = FS_OK;
  if (group < 0 || h5.H5Gget_num_objs(group, &n) < 0) st = fs_file_error(ctx, NULL, "it is damaged");
  for (uint64_t k = 0; k < n && !st; k++) {
    char name[256];
    struct fs_str full = {0};
    ssize_t len = h5.H5Gget_objname_by_idx(group, k, name, sizeof name);
    int kind = len > 0 && len < (ssize_t)sizeof name ? h5.H5Gget_objtype_by_idx(group, k) : -1;
    fs_str_printf(&full, "%s%s%s", path, path[1] ? "/" : "", name);
    if (kind == OBJECT_DATASET) st = read_set(ctx, file, fs_str_text(&full), false, out);
    else if (kind == OBJECT_GROUP && depth < DEPTH_MAX)
      st = read_group(ctx, file, fs_str_text(&full), depth + 1, out);
    if (!st && out->list.len > ARRAYS_MAX) st = fs_file_error(ctx, NULL, "it holds too many arrays");
    fs_str_free(&full);
  }
  if (group >= 0) h5.H5Idec_ref(group);
  return st;
}

enum fs_status fs_hdf5_read(struct fs_reader *r, const struct fs_load_how *how, struct fs_arrays *out) {
  const struct fs_file_ctx *ctx = r->ctx;
  enum fs_status st = find_library(ctx);
  if (st) return st;
  if (h5.H5Fis_hdf5(ctx->path) <= 0) return fs_file_error(ctx, NULL, "it is no HDF5 file");
  hid file = h5.H5Fopen(ctx->path, 0, 0);
  if (file < 0) return fs_file_error(ctx, NULL, "it is damaged, or another program writes to it");
  if (how->member) st = read_set(ctx, file, how->member, true, out);
  else st = read_group(ctx, file, "/", 0, out);
  if (!st && !out->list.len) st = fs_file_error(ctx, NULL, "it holds no arrays of numbers");
  h5.H5Fclose(file);
  return st;
}

/* -- writing ------------------------------------------------------------------------------------- */

static hid type_of(const struct fs_array_source *s) {
  if (!s->complex) return native(native_names[s->dtype]);
  size_t size = fs_dtype_size(s->dtype);
  hid type = h5.H5Tcreate(CLASS_COMPOUND, 2 * size), part = native(native_names[s->dtype]);
  if (type >= 0) h5.H5Tinsert(type, "r", 0, part);
  if (type >= 0) h5.H5Tinsert(type, "i", size, part);
  return type;
}

struct sink {
  char *to;
  size_t size;
};

/* Pieces are gathered: a dataset is written at once. */
static enum fs_status put_piece(void *user, const void *data, int64_t count) {
  struct sink *k = user;
  memcpy(k->to, data, (size_t)count * k->size);
  k->to += (size_t)count * k->size;
  return FS_OK;
}

static enum fs_status put_elements(const struct fs_file_ctx *ctx, hid file, hid type,
                                   const struct fs_array_source *s, const void *data, int64_t bytes) {
  uint64_t dims[FS_MAX_RANK] = {0};
  for (int d = 0; d < s->shape.rank; d++) dims[d] = (uint64_t)s->shape.dim[d];
  hid space = s->shape.rank ? h5.H5Screate_simple(s->shape.rank, dims, NULL) : h5.H5Screate(0);
  hid set = space < 0 ? -1 : h5.H5Dcreate2(file, s->name, type, space, 0, 0, 0);
  bool good = set >= 0 && (!bytes || h5.H5Dwrite(set, type, 0, 0, 0, data) >= 0);
  if (set >= 0) h5.H5Idec_ref(set);
  if (space >= 0) h5.H5Idec_ref(space);
  return good ? FS_OK : fs_file_error(ctx, NULL, "libhdf5 could not write %.80s", s->name);
}

static enum fs_status write_set(const struct fs_file_ctx *ctx, hid file, const struct fs_array_source *s) {
  hid type = type_of(s);
  if (type < 0)
    return fs_file_error(ctx, "f32(x) holds the same values", "an HDF5 file has no type for %s",
                         fs_dtype_name(s->dtype));
  void *data = NULL;
  size_t size = fs_element_bytes(s->dtype, s->complex);
  int64_t bytes = fs_shape_count(&s->shape) * (int64_t)size;
  enum fs_status st = fs_file_alloc(ctx, bytes, &data);
  struct sink sink = {data, size};
  if (!st) st = fs_source_each(ctx, s, put_piece, &sink);
  if (!st) st = put_elements(ctx, file, type, s, data, bytes);
  if (s->complex) h5.H5Idec_ref(type);
  free(data);
  return st;
}

enum fs_status fs_hdf5_write(struct fs_writer *w, int n, const struct fs_array_source *sources) {
  enum fs_status st = find_library(w->ctx);
  if (st) return st;
  hid file = h5.H5Fcreate(w->temp, TRUNCATE, 0, 0);
  if (file < 0) return fs_file_error(w->ctx, NULL, "libhdf5 could not make the file");
  for (int k = 0; k < n && !st; k++) st = write_set(w->ctx, file, &sources[k]);
  if (h5.H5Fclose(file) < 0 && !st) st = fs_file_error(w->ctx, NULL, "libhdf5 could not write all of it");
  return st;
}
