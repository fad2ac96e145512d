/* test_numpy.c - NumPy's files byte by byte: headers of .npy and directories of .npz in
 * which one thing is changed. Whole files are those of test_files.c. */
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

#include "core/eval/files.h"

#include "tests/unit/check.h"

static char folder[200], path[240];
static struct fs_diags diags;

static const char *put_file(const char *ending, const void *data, size_t len) {
  snprintf(path, sizeof path, "%s/x.%s", folder, ending);
  FILE *f = fopen(path, "wb");
  if (!f) return path;
  fwrite(data, 1, len, f);
  fclose(f);
  return path;
}

static enum fs_status load(const char *member, struct fs_arrays *out) {
  struct fs_file_ctx ctx = {&diags, {0, 0, 0}, path, false};
  struct fs_load_how how = {.member = member};
  fs_diags_clear(&diags);
  return fs_arrays_load(&ctx, &how, out);
}

static void refused_at(int line, const char *words) {
  struct fs_arrays a;
  enum fs_status st = load(NULL, &a);
  const char *text = diags.list.len ? diags.list.data[0].message : "(none)";
  bool ok = st && diags.list.len == 1 && strstr(text, words) && !a.list.len;
  if (!ok) printf("status %d: %s\n", st, text);
  check_at(line, ok, words);
  fs_arrays_free(&a);
  unlink(path);
}

/* The file has this many arrays; all elements of the first are compared. */
static void loads_at(int line, int arrays, const double *want, int64_t n) {
  struct fs_arrays a;
  enum fs_status st = load(NULL, &a);
  if (st) printf("%s\n", diags.list.data[0].message);
  bool ok = !st && a.list.len == arrays && fs_shape_count(&a.list.data[0].shape) == n;
  for (int64_t i = 0; ok && i < n; i++) {
    const struct fs_array *x = &a.list.data[0];
    struct fs_number v = fs_element_get(
        x->dtype, (char *)x->data + (size_t)i * fs_dtype_size(x->dtype));
    ok = (fs_dtype_is_float(x->dtype) ? v.f : (double)v.i) == want[i];
  }
  check_at(line, ok, "its elements");
  fs_arrays_free(&a);
  unlink(path);
}
#define LOADS(arrays, ...)                                          \
  loads_at(__LINE__, arrays, (const double[]){__VA_ARGS__},         \
           (int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)))

/* -- .npy ------------------------------------------------------------------------ */

/* A file of version 1 with this dict and these data. */
static struct fs_str npy(const char *dict, const void *data, size_t len) {
  struct fs_str s = {0};
  size_t n = strlen(dict);
  char width[2] = {(char)(n & 255), (char)(n >> 8)};
  fs_str_put(&s, "\x93NUMPY\1\0", 8);
  fs_str_put(&s, width, 2);
  fs_str_put(&s, dict, n);
  if (len) fs_str_put(&s, data, len);
  return s;
}

static void put_npy(const char *dict, const void *data, size_t len) {
  struct fs_str s = npy(dict, data, len);
  put_file("npy", s.data, s.len);
  fs_str_free(&s);
}
#define D(descr, order, shape) \
  "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }"

static void test_dicts(void) {
  static const float f[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  static const struct { const char *dict, *words; } bad[] = {
    {"{'descr': '<f\\4', 'fortran_order': False, 'shape': (1,)}", "damaged"},
    {D("fffffffffffffffffffffffffffffff", "False", "(1,)"), "is not known"}, /* 31 */
    {D("ffffffffffffffffffffffffffffffff", "False", "(1,)"), "damaged"},     /* 32 */
    {D("<f4", "False", "(,)"), "damaged"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': True}", "damaged"},
    {"{'descr': '<f4', 'shape': (1,)}", "damaged"},
    {"{'fortran_order': False, 'shape': (1,)}", "damaged"},
    {D("<f4", "False", "(1,)") "x", "damaged"},
    {D("<f4", "False", "(1,") , "damaged"},
    {D("<f8", "False", "(4611686018427387904,)"), "more elements than can exist"},
    {D("<f4", "False", "(13,)"), "declares 52 B of data, but only 48 B follow"}};
  for (size_t k = 0; k < FS_LEN(bad); k++) {
    put_npy(bad[k].dict, f, sizeof f);
    refused_at(__LINE__, bad[k].words);
  }
  put_npy(D("<f4", "False", "(12,)"), f, 47);
  refused_at(__LINE__, "declares 48 B of data, but only 47 B follow");
  put_npy("{'descr':\t'f4',\n\"fortran_order\":False ,'shape':( 2L , 2 )\t}\n", f, 16);
  LOADS(1, 1, 2, 3, 4);
  put_npy(D("<f4", "True", "(2, 3, 2)"), f, 48);
  LOADS(1, 1, 7, 3, 9, 5, 11, 2, 8, 4, 10, 6, 12);
  put_npy(D("<f4", "True", "(0, 5)"), f, 0);
  loads_at(__LINE__, 1, NULL, 0);
  put_file("npy", "\x93NUMPY\1\1\2\0{}", 12);
  refused_at(__LINE__, "version 1.1");
  put_file("npy", "\x93NUMPY\3\0\1\0\1\0{}", 14);
  refused_at(__LINE__, "more than 65536 bytes");
}

static void test_types(void) {
  static const unsigned char b[8] = {0xff, 0xfe, 0x80, 0, 0, 2, 1, 0};
  static const struct { const char *dict; enum fs_dtype dtype; } types[] = {
    {D("|u1", "False", "(1,)"), FS_U8}, {D("<u2", "False", "(1,)"), FS_U16},
    {D("<u4", "False", "(1,)"), FS_U32}, {D("<u8", "False", "(1,)"), FS_U64},
    {D("|i1", "False", "(1,)"), FS_I8}, {D("<i2", "False", "(1,)"), FS_I16},
    {D("<i4", "False", "(1,)"), FS_I32}, {D("<f8", "False", "(1,)"), FS_F64}};
  for (size_t k = 0; k < FS_LEN(types); k++) {
    struct fs_arrays a;
    put_npy(types[k].dict, b + 6, 1);
    put_npy(types[k].dict, (const uint64_t[]){1}, 8);
    CHECK(!load(NULL, &a) && a.list.len == 1);
    CHECK(a.list.len && a.list.data[0].dtype == types[k].dtype);
    fs_arrays_free(&a);
  }
  put_npy(D("|i1", "False", "(4,)"), b, 4);
  LOADS(1, -1, -2, -128, 0);
  put_npy(D("<u2", "False", "(2,)"), b, 4);
  LOADS(1, 0xfeff, 0x80);
  put_npy(D("<u4", "False", "(1,)"), b, 4);
  LOADS(1, 0x80feff);
  put_npy(D(">u4", "False", "(2,)"), b, 8);
  LOADS(1, 0xfffe8000, 0x20100);
  put_npy(D("|b1", "False", "(6,)"), b + 2, 6);
  LOADS(1, 1, 0, 0, 1, 1, 0);
}

/* More elements than are converted at a time, along either axis. */
static void test_large(void) {
  enum { N = 600000 };
  static const struct { const char *dict; int64_t rows; bool fortran; } forms[] = {
    {D("<i2", "True", "(300000, 2)"), 300000, true},
    {D("<i2", "True", "(2, 300000)"), 2, true},
    {D("<i2", "False", "(600000,)"), 1, false}};
  int16_t *x = malloc(N * sizeof *x);
  double *want = malloc(N * sizeof *want);
  for (int i = 0; i < N; i++) x[i] = (int16_t)(i * 7919 % 32749);
  for (size_t k = 0; k < FS_LEN(forms); k++) {
    int64_t rows = forms[k].rows, columns = N / rows;
    for (int64_t i = 0; i < N; i++)
      want[forms[k].fortran ? i % rows * columns + i / rows : i] = x[i];
    put_npy(forms[k].dict, x, N * sizeof *x);
    loads_at(__LINE__, 1, want, N);
  }
  free(x);
  free(want);
}

/* -- writing ----------------------------------------------------------------------- */

static enum fs_status host_box(void *user, const int64_t *first, const int64_t *count,
                               void *out, struct fs_diags *d) {
  const struct fs_array *a = user;
  size_t size = fs_dtype_size(a->dtype);
  (void)d;
  if (a->shape.rank) /* vectors are all that is written here */
    memcpy(out, (char *)a->data + (size_t)first[0] * size, (size_t)count[0] * size);
  return FS_OK;
}

static enum fs_status save(const char *ending, int n, struct fs_array *a) {
  struct fs_array_source s[4];
  snprintf(path, sizeof path, "%s/x.%s", folder, ending);
  struct fs_file_ctx ctx = {&diags, {0, 0, 0}, path, true};
  for (int k = 0; k < n; k++)
    s[k] = (struct fs_array_source){a[k].name, a[k].dtype, a[k].shape, host_box, &a[k]};
  fs_diags_clear(&diags);
  return fs_arrays_save(&ctx, n, s);
}

static struct fs_str get_file(void) {
  struct fs_str s = {0};
  char piece[4096];
  FILE *f = fopen(path, "rb");
  for (size_t n; f && (n = fread(piece, 1, sizeof piece, f)) > 0;) fs_str_put(&s, piece, n);
  if (f) fclose(f);
  return s;
}

static void test_saved(void) {
  enum { N = 700 };
  uint16_t bf[N];
  double want[N];
  for (int i = 0; i < N; i++) {
    bf[i] = (uint16_t)(0x3f80 + i);
    want[i] = fs_bf16_to_float(bf[i]);
  }
  char name[] = "x";
  struct fs_array a = {name, FS_BF16, {1, {N}}, bf};
  CHECK(!save("npy", 1, &a));
  struct fs_str s = get_file();
  size_t len = (unsigned char)s.data[8] | (size_t)(unsigned char)s.data[9] << 8;
  CHECK((len + 10) % 64 == 0 && s.data[len + 9] == '\n');
  CHECK(strstr(s.data + 10, "'descr': '<f4'") && strstr(s.data + 10, "'shape': (700,)"));
  fs_str_free(&s);
  loads_at(__LINE__, 1, want, N);
  struct fs_array_source huge = {name, FS_BOOL, {1, {INT64_MAX}}, host_box, NULL};
  CHECK(fs_npy_size(&huge) == -1);
  huge.shape.dim[0] = INT64_MAX - 128;
  CHECK(fs_npy_size(&huge) == INT64_MAX);
}

/* -- .npz -------------------------------------------------------------------------- */

/* A zip file of stored members, and where its parts begin. */
struct zip {
  struct fs_str b, central;
  size_t local[4], entry[4], dir, end; /* entries: within the directory, then the file */
  int n;
};

static void le(struct fs_str *s, uint64_t v, int bytes) {
  for (int k = 0; k < bytes; k++) {
    char c = k < 8 ? (char)(v >> 8 * k) : 0;
    fs_str_put(s, &c, 1);
  }
}

static void set(struct zip *z, size_t at, uint64_t v, int bytes) {
  for (int k = 0; k < bytes; k++) z->b.data[at + (size_t)k] = (char)(v >> 8 * k);
}

/* With `extra` the sizes, and the offset, are said to be there. */
static void add_as(struct zip *z, const char *name, const char *local, const void *data,
                   size_t len, const struct fs_str *extra) {
  uint64_t size = extra ? 0xffffffff : len;
  uint32_t crc = (uint32_t)crc32(0, data, (uInt)len);
  size_t at = z->b.len;
  z->local[z->n] = at;
  z->entry[z->n++] = z->central.len;
  le(&z->b, 0x04034b50, 4), le(&z->b, 20, 2), le(&z->b, 0, 8), le(&z->b, crc, 4);
  le(&z->b, size, 4), le(&z->b, size, 4), le(&z->b, strlen(local), 2), le(&z->b, 0, 2);
  fs_str_puts(&z->b, local);
  fs_str_put(&z->b, data, len);
  le(&z->central, 0x02014b50, 4), le(&z->central, 20, 4), le(&z->central, 0, 8);
  le(&z->central, crc, 4), le(&z->central, size, 4), le(&z->central, size, 4);
  le(&z->central, strlen(name), 2), le(&z->central, extra ? extra->len : 0, 2);
  le(&z->central, 0, 10), le(&z->central, extra ? 0xffffffff : at, 4);
  fs_str_puts(&z->central, name);
  if (extra) fs_str_put(&z->central, extra->data, extra->len);
}

/* A vector of two numbers. */
static struct fs_str vector_of(double first) {
  double x[2] = {first, first + 0.5};
  return npy(D("<f8", "False", "(2,)"), x, sizeof x);
}

static void add(struct zip *z, const char *name, double first) {
  struct fs_str s = vector_of(first);
  add_as(z, name, name, s.data, s.len, NULL);
  fs_str_free(&s);
}

static void put_end(struct zip *z) {
  le(&z->b, 0x06054b50, 4), le(&z->b, 0, 4), le(&z->b, (uint64_t)z->n, 2);
  le(&z->b, (uint64_t)z->n, 2), le(&z->b, z->central.len, 4), le(&z->b, z->dir, 4);
  le(&z->b, 0, 2);
}

static void finish(struct zip *z) {
  z->dir = z->b.len;
  fs_str_put(&z->b, z->central.data, z->central.len);
  for (int k = 0; k < z->n; k++) z->entry[k] += z->dir;
  z->end = z->b.len;
  put_end(z);
}

static void put_zip(struct zip *z) {
  put_file("npz", z->b.data, z->b.len);
  fs_str_free(&z->b);
  fs_str_free(&z->central);
}

/* Two members, x and y. */
static struct zip two(void) {
  struct zip z = {.n = 0};
  add(&z, "x.npy", 1);
  add(&z, "y.npy", 3);
  finish(&z);
  return z;
}

/* One number of a good file is another, and what is said of it; "": it does not matter. */
static void test_changed(void) {
  enum { ENTRY, LAST, LOCAL, END };
  static const struct { int part, at; uint64_t value; int bytes; const char *words; } cases[] = {
    {ENTRY, 0, 0x02014b51, 4, "directory is damaged"},
    {ENTRY, 32, 999, 2, "directory is damaged"},     /* a long remark           */
    {LAST, 32, 1, 2, "directory is damaged"},
    {LAST, 30, 1, 2, "directory is damaged"},
    {ENTRY, 46, 0, 1, "directory is damaged"},       /* a NUL in the name       */
    {ENTRY, 8, 1, 2, "is encrypted"},
    {ENTRY, 10, 12, 2, "packed in a way that is not known"},
    {ENTRY, 20, 0x7fffffff, 4, "lies outside the file"},
    {ENTRY, 24, 7, 4, "sizes that do not fit"},
    {ENTRY, 42, 0x7fffffff, 4, "lies outside the file"},
    {ENTRY, 16, 5, 4, "wrong check sum"},
    {LOCAL, 0, 0x04034b51, 4, "damaged header"},
    {LOCAL, 8, 8, 2, "damaged header"},              /* another method          */
    {LOCAL, 28, 0xffff, 2, "damaged header"},        /* data behind all members */
    {LOCAL, 26, 4, 2, "another name"},               /* a shorter one           */
    {LOCAL, 26, 6, 2, "another name"},
    {LOCAL, 30, 'z', 1, "another name"},
    {LOCAL, 14, 5, 4, ""},                           /* sums are the directory's */
    {END, 4, 1, 2, "directory is damaged"},          /* a file in parts         */
    {END, 10, 3, 2, "directory is damaged"},
    {END, 10, 1, 2, ""},                             /* the other is not there  */
    {END, 12, 4000, 4, "directory is damaged"},
    {END, 16, 40000, 4, "directory is damaged"},
    {END, 20, 3, 2, "not a zip file"}};              /* a comment that is none  */
  for (size_t k = 0; k < FS_LEN(cases); k++) {
    struct zip z = two();
    const size_t base[] = {z.entry[0], z.entry[1], z.local[0], z.end};
    set(&z, base[cases[k].part] + (size_t)cases[k].at, cases[k].value, cases[k].bytes);
    put_zip(&z);
    if (*cases[k].words) refused_at(__LINE__, cases[k].words);
    else loads_at(__LINE__, cases[k].part == END ? 1 : 2, (double[]){1, 1.5}, 2);
  }
}

/* The last member, moved towards the directory until its header has no room. */
static void test_room(void) {
  struct zip z = two();
  set(&z, z.entry[1] + 42, z.dir - 29, 4);
  put_zip(&z);
  refused_at(__LINE__, "lies outside the file");
  z = two();
  set(&z, z.entry[1] + 20, z.dir - z.local[1] - 30 + 1, 4); /* a byte too long */
  set(&z, z.entry[1] + 24, z.dir - z.local[1] - 30 + 1, 4);
  put_zip(&z);
  refused_at(__LINE__, "lies outside the file");
  z = two();
  set(&z, z.entry[1] + 20, z.dir - z.local[1] - 30 - 4, 4); /* behind its name */
  set(&z, z.entry[1] + 24, z.dir - z.local[1] - 30 - 4, 4);
  put_zip(&z);
  refused_at(__LINE__, "damaged header");
  z = two();
  fs_str_puts(&z.b, "a remark");
  set(&z, z.end + 20, 8, 2);
  put_zip(&z);
  LOADS(2, 1, 1.5);
}

/* Members that are no arrays, whose names are alike, or that are listed in another order. */
static void test_names(void) {
  struct zip z = {.n = 0};
  struct fs_arrays a;
  add(&z, ".npy", 1);
  finish(&z);
  put_zip(&z);
  refused_at(__LINE__, "holds no arrays");
  z = (struct zip){.n = 0};
  add(&z, "xy.npy", 5);
  add(&z, "x.npy", 1);
  add(&z, "x.npyz", 7);
  finish(&z);
  set(&z, z.entry[2] + 8, 1, 2);   /* encrypted and strange, but no array */
  set(&z, z.entry[2] + 10, 12, 2);
  set(&z, z.local[2] + 8, 12, 2);
  put_zip(&z);
  CHECK(!load("x", &a) && a.list.len == 1 && *(double *)a.list.data[0].data == 1);
  fs_arrays_free(&a);
  LOADS(2, 5, 5.5);
  z = two();
  struct fs_str first = {0};
  size_t len = z.entry[1] - z.entry[0];
  fs_str_put(&first, z.b.data + z.entry[0], len);
  memcpy(z.b.data + z.entry[0], z.b.data + z.entry[1], len);
  memcpy(z.b.data + z.entry[1], first.data, len);
  fs_str_free(&first);
  put_zip(&z);
  LOADS(2, 3, 3.5);
  z = (struct zip){.n = 0};
  add(&z, "x.npy", 1);
  add(&z, "x.npy", 3);
  finish(&z);
  put_zip(&z);
  refused_at(__LINE__, "is there twice");
}

/* Sizes and offset in an extra field, behind another one, or not at all there. */
static void test_extra(void) {
  for (int form = 0; form < 7; form++) {
    struct zip z = {.n = 0};
    struct fs_str extra = {0}, x = vector_of(1);
    uint64_t size = x.len + (form == 2 ? (uint64_t)1 << 32 : 0);
    if (form == 1) le(&extra, 0x7777, 2), le(&extra, 3, 2), le(&extra, 0, 3);
    le(&extra, form == 3 ? 2 : 1, 2);
    le(&extra, form == 4 ? 16 : 24, 2);
    le(&extra, size, 8), le(&extra, x.len, 8), le(&extra, 0, 8);
    if (form == 5) extra.len -= 1;
    if (form == 6) extra.len = 3;
    add_as(&z, "x.npy", "x.npy", x.data, x.len, &extra);
    finish(&z);
    put_zip(&z);
    if (form < 2) LOADS(1, 1, 1.5);
    else refused_at(__LINE__, form == 2 ? "sizes that do not fit" : "directory is damaged");
    fs_str_free(&extra);
    fs_str_free(&x);
  }
  struct zip z = {.n = 0}; /* only the size is large: the packed one is where it was */
  struct fs_str extra = {0}, x = vector_of(1);
  le(&extra, 1, 2), le(&extra, 8, 2), le(&extra, x.len, 8);
  add_as(&z, "x.npy", "x.npy", x.data, x.len, &extra);
  finish(&z);
  set(&z, z.entry[0] + 20, x.len, 4);
  set(&z, z.entry[0] + 42, 0, 4);
  put_zip(&z);
  LOADS(1, 1, 1.5);
  fs_str_free(&extra);
  fs_str_free(&x);
}

/* The directory of a large file: its place is in a record in front of the end. */
static void put_large_end(struct zip *z, uint64_t count) {
  uint64_t record = z->end;
  z->b.len = z->end;
  le(&z->b, 0x06064b50, 4), le(&z->b, 44, 8), le(&z->b, 45, 4), le(&z->b, 0, 8);
  le(&z->b, count, 8), le(&z->b, count, 8), le(&z->b, z->end - z->dir, 8);
  le(&z->b, z->dir, 8);
  le(&z->b, 0x07064b50, 4), le(&z->b, 0, 4), le(&z->b, record, 8), le(&z->b, 1, 4);
  le(&z->b, 0x06054b50, 4), le(&z->b, 0, 4), le(&z->b, UINT64_MAX, 8);
  le(&z->b, 0xffffffff, 4), le(&z->b, 0, 2);
}

static void test_large_end(void) {
  static const struct { int at; uint64_t value; int bytes; const char *words; } cases[] = {
    {0, 0x06064b50, 4, ""}, {0, 0x06064b51, 4, "damaged"}, {56, 0x07064b51, 4, "damaged"},
    {64, 1 << 20, 8, "damaged"}, {64, UINT64_MAX, 8, "damaged"},
    {36, 7, 1, "damaged"}, {54, 1, 1, "damaged"}};
  for (size_t k = 0; k < FS_LEN(cases); k++) {
    struct zip z = two();
    put_large_end(&z, 2);
    set(&z, z.end + (size_t)cases[k].at, cases[k].value, cases[k].bytes);
    put_zip(&z);
    if (*cases[k].words) refused_at(__LINE__, cases[k].words);
    else LOADS(2, 1, 1.5);
  }
  struct zip z = two(); /* the record has no room in front of the end */
  put_large_end(&z, 2);
  set(&z, z.end + 64, z.end + 56 + 20 - 55, 8);
  put_zip(&z);
  refused_at(__LINE__, "damaged");
  z = (struct zip){.n = 0xffff}; /* nothing in front of it */
  put_end(&z);
  put_zip(&z);
  refused_at(__LINE__, "damaged");
  z = (struct zip){.n = 0};
  char *zeros = fs_calloc(65536, 46);
  fs_str_put(&z.b, zeros, (size_t)65536 * 46);
  free(zeros);
  z.end = z.b.len;
  put_large_end(&z, 65536);
  put_zip(&z);
  refused_at(__LINE__, "more than 65535 members");
}

/* What it holds is told of twelve members. */
static void test_hint(void) {
  for (int n = 12; n <= 13; n++) {
    struct fs_str s = {0}, local = {0}, central = {0}, x = vector_of(1);
    for (int k = 0; k < n; k++) {
      char name[16];
      struct zip z = {.n = 0};
      snprintf(name, sizeof name, "m%d.npy", k);
      add(&z, name, 1);
      for (int b = 0; b < 4; b++) z.central.data[42 + b] = (char)(local.len >> 8 * b);
      fs_str_put(&local, z.b.data, z.b.len);
      fs_str_put(&central, z.central.data, z.central.len);
      fs_str_free(&z.b);
      fs_str_free(&z.central);
    }
    struct zip z = {.b = local, .central = central, .n = n, .dir = local.len};
    fs_str_put(&z.b, central.data, central.len);
    put_end(&z);
    put_zip(&z);
    struct fs_arrays a;
    CHECK(load("none", &a) && diags.list.len == 1 && diags.list.data[0].hint);
    const char *hint = diags.list.len ? diags.list.data[0].hint : "";
    CHECK(strstr(hint, ", m11") && !strstr(hint, "m12"));
    CHECK(!strstr(hint, ", ...") == (n == 12));
    fs_arrays_free(&a);
    fs_str_free(&s);
    fs_str_free(&x);
    unlink(path);
  }
}

/* A matrix of SciPy's is known by three of its members; its array has the file's name. */
static void test_sparse(void) {
  static const int64_t shape[2] = {1, 2};
  static const int32_t at[1] = {1}, ends[2] = {0, 1};
  static const double one[1] = {4};
  struct { const char *name, *dict; const void *data; size_t len; } members[] = {
    {"format.npy", D("|S3", "False", "()"), "csr", 3},
    {"data.npy", D("<f8", "False", "(1,)"), one, 8},
    {"indices.npy", D("<i4", "False", "(1,)"), at, 4},
    {"indptr.npy", D("<i4", "False", "(2,)"), ends, 8},
    {"shape.npy", D("<i8", "False", "(2,)"), shape, 16}};
  for (int form = 0; form < 3; form++) {
    struct fs_str b = {0}, central = {0};
    int n = 0;
    for (size_t k = 0; k < FS_LEN(members) - (form == 1); k++, n++) {
      struct zip z = {.n = 0};
      struct fs_str x = form == 2 && !k
                            ? npy(D("|S20", "False", "()"), "csr and so on, much.", 20)
                            : npy(members[k].dict, members[k].data, members[k].len);
      add_as(&z, members[k].name, members[k].name, x.data, x.len, NULL);
      for (int i = 0; i < 4; i++) z.central.data[42 + i] = (char)(b.len >> 8 * i);
      fs_str_put(&b, z.b.data, z.b.len);
      fs_str_put(&central, z.central.data, z.central.len);
      fs_str_free(&z.b);
      fs_str_free(&z.central);
      fs_str_free(&x);
    }
    struct zip z = {.b = b, .central = central, .n = n, .dir = b.len};
    fs_str_put(&z.b, central.data, central.len);
    put_end(&z);
    put_zip(&z);
    struct fs_arrays a;
    enum fs_status st = load(NULL, &a);
    if (form) CHECK(!st && a.list.len == (form == 1 ? 3 : 4) &&
                    strstr(diags.list.data[0].message, "no numbers: format (text)"));
    else CHECK(!st && !strcmp(a.list.data[0].name, "x") && a.list.data[0].shape.dim[1] == 2);
    fs_arrays_free(&a);
    CHECK(load("format", &a) && strstr(diags.list.data[0].message, ": format: it holds text"));
    unlink(path);
  }
}

/* What is written: names are UTF-8, and sums stand before the data, too. */
static void test_written(void) {
  double x[2] = {1, 1.5}, y[2] = {3, 3.5};
  char name[2][2] = {"x", "y"};
  struct fs_array a[2] = {{name[0], FS_F64, {1, {2}}, x}, {name[1], FS_F64, {1, {2}}, y}};
  CHECK(!save("npz", 2, a));
  struct fs_str s = get_file();
  const unsigned char *b = (const unsigned char *)s.data;
  CHECK((b[6] | b[7] << 8) == 0x0800 && b[10] == 0 && b[12] == 0x21);
  size_t size = b[22] | (size_t)b[23] << 8;
  uint32_t crc = (uint32_t)crc32(0, b + 35, (uInt)size);
  CHECK((b[14] | (uint32_t)b[15] << 8 | (uint32_t)b[16] << 16 | (uint32_t)b[17] << 24) == crc);
  fs_str_free(&s);
  LOADS(2, 1, 1.5);
  CHECK(save("npz", 2, (struct fs_array[]){a[0], a[0]}) == FS_ERR_USER);
}

int main(void) {
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%.150s/fusible-numpy-XXXXXX", base ? base : "/tmp");
  if (!mkdtemp(folder)) return 2;
  fs_diags_init(&diags);
  test_dicts();
  test_types();
  test_large();
  test_saved();
  test_changed();
  test_room();
  test_names();
  test_extra();
  test_large_end();
  test_hint();
  test_sparse();
  test_written();
  fs_diags_free(&diags);
  unlink(path);
  rmdir(folder);
  printf("%d passed, %d failed\n", passed, failed);
  return failed || !passed;
}
