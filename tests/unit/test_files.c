/* test_files.c - loading and saving arrays: valid files of every kind, files
 * that lie, files that are cut off, random damage, and round trips with NumPy
 * (tests/make_files.py) where Python has it. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <signal.h>
#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <zlib.h>

#include "core/eval/files.h"

#include "tests/unit/check.h"

static char dir[64];

/* -- files ------------------------------------------------------------------- */

static const char *path_of(const char *name) {
  static char path[4][512];
  static int k;
  char *p = path[k++ % 4];
  snprintf(p, sizeof path[0], "%s/%s", dir, name);
  return p;
}

static const char *put_file(const char *name, const void *data, size_t len) {
  const char *path = path_of(name);
  FILE *f = fopen(path, "wb");
  if (!f) return path;
  fwrite(data, 1, len, f);
  fclose(f);
  return path;
}

static char *get_file(const char *path, size_t *len) {
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  fseek(f, 0, SEEK_END);
  *len = (size_t)ftell(f);
  rewind(f);
  char *data = malloc(*len + 1);
  size_t got = fread(data, 1, *len, f);
  data[got] = 0;
  fclose(f);
  return data;
}

static struct fs_diags diags;
static enum fs_status load(const char *path, const char *member,
                           struct fs_arrays *out) {
  struct fs_file_ctx ctx = {&diags, {0, 0, 0}, path, false};
  fs_diags_clear(&diags);
  struct fs_load_how how = {.member = member};
  return fs_arrays_load(&ctx, &how, out);
}

/* The file is refused with a sentence that holds `words`, and gives nothing. */
static void refused_at(int line, const char *path, const char *member,
                       const char *words) {
  struct fs_arrays a;
  enum fs_status st = load(path, member, &a);
  const char *text = diags.list.len ? diags.list.data[0].message : "(none)";
  bool ok = (st == FS_ERR_USER || st == FS_ERR_ENV) && diags.list.len == 1 &&
            strstr(text, words) && !a.list.len && !a.list.data;
  if (!ok) fprintf(stderr, "  status %d: %s\n", st, text);
  check_at(line, ok, words);
  fs_arrays_free(&a);
}
#define REFUSED(path, words) refused_at(__LINE__, path, NULL, words)

/* Loads one array and compares shape (0 ends it), type and elements. */
static void loads_at(int line, const char *path, enum fs_dtype dt, int rank,
                     int64_t d0, int64_t d1, const double *want, int n) {
  struct fs_arrays a;
  enum fs_status st = load(path, NULL, &a);
  bool ok = st == FS_OK && a.list.len == 1;
  const struct fs_array *x = ok ? &a.list.data[0] : NULL;
  ok = ok && x->dtype == dt && x->shape.rank == rank &&
       fs_shape_dim(&x->shape, 0) == d0 && fs_shape_dim(&x->shape, 1) == d1 &&
       fs_shape_count(&x->shape) == n;
  for (int i = 0; ok && i < n; i++) {
    struct fs_number v = fs_element_get(
        dt, (char *)x->data + (size_t)i * fs_dtype_size(dt));
    double got = v.f;
    ok = got == want[i] || (got != got && want[i] != want[i]);
  }
  if (st && diags.list.len)
    fprintf(stderr, "  %s\n", diags.list.data[0].message);
  check_at(line, ok, path);
  fs_arrays_free(&a);
}
#define LOADS(path, dt, rank, d0, d1, ...)                              \
  loads_at(__LINE__, path, dt, rank, d0, d1, (const double[]){__VA_ARGS__}, \
           (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)))

/* -- .npy -------------------------------------------------------------------- */

static const char *npy_file(const char *name, int version, const char *dict,
                            const void *data, size_t len) {
  char bytes[8192];
  size_t n = strlen(dict), at = 0;
  memcpy(bytes, "\x93NUMPY", 6);
  bytes[6] = (char)version;
  bytes[7] = 0;
  at = 8;
  for (int k = 0; k < (version == 1 ? 2 : 4); k++)
    bytes[at++] = (char)(n >> (8 * k));
  memcpy(bytes + at, dict, n);
  if (len) memcpy(bytes + at + n, data, len);
  return put_file(name, bytes, at + n + len);
}

#define D(descr, order, shape) \
  "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }\n"

static void test_npy_valid(void) {
  float f[6] = {1, 2, 3, 4, 5, 6};
  LOADS(npy_file("a.npy", 1, D("<f4", "False", "(2, 3)"), f, 24), FS_F32, 2, 2,
        3, 1, 2, 3, 4, 5, 6);
  LOADS(npy_file("b.npy", 2, D("<f4", "False", "(6,)"), f, 24), FS_F32, 1, 6, 1,
        1, 2, 3, 4, 5, 6);
  LOADS(npy_file("c.npy", 3, D("<f4", "True", "(2, 3)"), f, 24), FS_F32, 2, 2,
        3, 1, 3, 5, 2, 4, 6);
  LOADS(npy_file("d.npy", 1, D("<f4", "False", "()"), f, 4), FS_F32, 0, 1, 1,
        1);
  LOADS(npy_file("e.npy", 1, "{'shape': (2L,), 'descr': \"<f4\", "
                             "'fortran_order': True}", f, 8),
        FS_F32, 1, 2, 1, 1, 2);
  unsigned char big[8] = {0x40, 0x09, 0x21, 0xFB, 0x54, 0x44, 0x2D, 0x18};
  LOADS(npy_file("g.npy", 1, D(">f8", "False", "(1,)"), big, 8), FS_F64, 1, 1,
        1, 3.141592653589793);
  unsigned char small[4] = {0xFF, 0x00, 0x80, 0x7F};
  LOADS(npy_file("h.npy", 1, D("|i1", "False", "(4,)"), small, 4), FS_I8, 1, 4,
        1, -1, 0, -128, 127);
  LOADS(npy_file("i.npy", 1, D("|u1", "False", "(4,)"), small, 4), FS_U8, 1, 4,
        1, 255, 0, 128, 127);
  LOADS(npy_file("j.npy", 1, D(">i2", "False", "(2,)"), small, 4), FS_I16, 1, 2,
        1, -256, -32641);
  LOADS(npy_file("k.npy", 1, D("<u2", "False", "(2,)"), small, 4), FS_U16, 1, 2,
        1, 255, 32640);
  LOADS(npy_file("l.npy", 1, D("<u4", "False", "(1,)"), small, 4), FS_U32, 1, 1,
        1, 2139095295);
  LOADS(npy_file("m.npy", 1, D("|b1", "False", "(4,)"), small, 4), FS_BOOL, 1,
        4, 1, 1, 0, 1, 1);
  unsigned char half[4] = {0x00, 0x3C, 0x00, 0xFC};
  LOADS(npy_file("n.npy", 1, D("<f2", "False", "(2,)"), half, 4), FS_F16, 1, 2,
        1, 1, -1.0 / 0.0);
  struct fs_arrays a;
  CHECK(load(npy_file("o.npy", 1, D("<f4", "False", "(0, 5)"), f, 0), NULL,
             &a) == FS_OK && a.list.len == 1 &&
        a.list.data[0].shape.dim[0] == 0 && a.list.data[0].shape.dim[1] == 5 &&
        !strcmp(a.list.data[0].name, "o"));
  fs_arrays_free(&a);
}

static void test_npy_hostile(void) {
  char zero[64] = {0};
  REFUSED(path_of("none.npy"), "no such file");
  REFUSED(put_file("z0.npy", "", 0), "too short");
  REFUSED(put_file("z1.npy", "\x93NUMPY\x01\x00\xff", 9), "too short");
  REFUSED(put_file("z2.npy", "\x93NUMPX\x01\x00\x10\x00{}", 12), "not a .npy");
  REFUSED(put_file("z3.npy", "\x93NUMPY\x04\x00\x10\x00{}", 12), "version 4.0");
  REFUSED(put_file("z4.npy", "\x93NUMPY\x01\x00\xff\xff{}", 12), "ends early");
  REFUSED(put_file("z5.npy", "\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14),
          "more than 65536 bytes");
  REFUSED(npy_file("z6.npy", 1, D("<f4", "False", "(1000000000, 1000000000)"),
                   zero, 64),
          "declares");
  REFUSED(npy_file("z7.npy", 1, D("<f4", "False", "(4294967296, 4294967296)"),
                   zero, 64),
          "more elements than can exist");
  REFUSED(npy_file("z8.npy", 1,
                   D("<f4", "False", "(0, 4294967296, 4294967296)"), zero, 64),
          "more elements than can exist");
  REFUSED(npy_file("z9.npy", 1, D("<f4", "False", "(-1,)"), zero, 64),
          "damaged");
  REFUSED(npy_file("y0.npy", 1,
                   D("<f4", "False", "(99999999999999999999999,)"), zero, 64),
          "damaged");
  REFUSED(npy_file("y1.npy", 1, D("<f4", "False", "(1, 1, 1, 1, 1, 1, 1)"), zero, 64),
          "more than 6 dimensions");
  REFUSED(npy_file("y2.npy", 1, D("|O", "False", "(1,)"), zero, 64),
          "Python objects");
  REFUSED(npy_file("y3.npy", 1, D("<c32", "False", "(1,)"), zero, 64),
          "long complex numbers");
  REFUSED(npy_file("y3b.npy", 1, D("<c16", "False", "(9,)"), zero, 64), "only 64 B follow");
  REFUSED(npy_file("y4.npy", 1, D("<U5", "False", "(1,)"), zero, 64), "text");
  REFUSED(npy_file("y5.npy", 1, D("<M8[ns]", "False", "(1,)"), zero, 64),
          "dates");
  REFUSED(npy_file("y6.npy", 1, D("<f\x1b[31m", "False", "(1,)"), zero, 64),
          "\\x1b[31m");
  REFUSED(npy_file("y7.npy", 1,
                   "{'descr': [('a', '<f4')], 'fortran_order': False, "
                   "'shape': (1,)}",
                   zero, 64),
          "structured");
  REFUSED(npy_file("y8.npy", 1,
                   "{'descr': '<f4', 'fortran_order': False}", zero, 64),
          "damaged");
  REFUSED(npy_file("y9.npy", 1,
                   "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, "
                   "'shape': (1,)}",
                   zero, 64),
          "damaged");
  REFUSED(npy_file("x0.npy", 1,
                   "{'descr': '<f4', 'fortran_order': __import__('os'), "
                   "'shape': (1,)}",
                   zero, 64),
          "damaged");
  uint64_t large[1] = {UINT64_MAX};
  LOADS(npy_file("x1.npy", 1, D("<u8", "False", "(1,)"), large, 8), FS_U64, 1, 1, 1,
        0x1p64);
}

static void test_special_files(void) {
  mkfifo(path_of("fifo.npy"), 0600);
  REFUSED(path_of("fifo.npy"), "not a regular file");
  mkdir(path_of("folder.npy"), 0700);
  REFUSED(path_of("folder.npy"), "a folder");
  if (symlink("/dev/zero", path_of("zero.npy")) == 0)
    REFUSED(path_of("zero.npy"), "not a regular file");
  if (symlink("loop.npy", path_of("loop.npy")) == 0)
    REFUSED(path_of("loop.npy"), "symbolic links");
  REFUSED(path_of("fifo.xyz"), "known file type");
  REFUSED(path_of("\x1b[2Jx.npy"), "\\x1b[2Jx.npy");
  refused_at(__LINE__, path_of("a.npy"), "x", "files have members, and .csv files columns");
}

/* -- .npz -------------------------------------------------------------------- */

struct bytes {
  unsigned char b[16384];
  size_t len;
};
static void le(struct bytes *o, uint64_t v, int n) {
  for (int k = 0; k < n; k++) o->b[o->len++] = (unsigned char)(v >> (8 * k));
}
static void raw(struct bytes *o, const void *p, size_t n) {
  memcpy(o->b + o->len, p, n);
  o->len += n;
}

/* A member as the tests want it: true sizes unless they are overridden. */
struct member {
  const char *name;
  const void *data;
  size_t len;
  int method;
  uint64_t claim;      /* unpacked size to claim; 0: the true one */
  uint32_t crc_flip;
  unsigned flags;
  bool zip64;
  const char *local;   /* the name in front of the data, if it is another */
  uint64_t inside;     /* lies there, in the data of another; nothing is written */
};

static size_t pack(const void *data, size_t len, unsigned char *out,
                   size_t cap) {
  z_stream z = {0};
  deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  z.next_in = (unsigned char *)(uintptr_t)data;
  z.avail_in = (uInt)len;
  z.next_out = out;
  z.avail_out = (uInt)cap;
  deflate(&z, Z_FINISH);
  deflateEnd(&z);
  return z.total_out;
}

static const char *npz_file(const char *file, int n, const struct member *m) {
  static struct bytes o, central;
  o.len = central.len = 0;
  for (int k = 0; k < n; k++) {
    unsigned char body[8192];
    size_t at = m[k].inside ? m[k].inside : o.len;
    size_t len = m[k].len, name = strlen(m[k].name), end = o.len;
    if (m[k].method == 8)
      len = pack(m[k].data, m[k].len, body, sizeof body);
    else
      memcpy(body, m[k].data, len);
    uint64_t size = m[k].claim ? m[k].claim : m[k].len;
    uint32_t crc = (uint32_t)crc32(0, m[k].data, (uInt)m[k].len);
    struct bytes fields = {.len = 0};
    le(&fields, m[k].zip64 ? 45 : 20, 2);
    le(&fields, m[k].flags, 2);
    le(&fields, (uint64_t)m[k].method, 2);
    le(&fields, 0, 4);
    le(&fields, crc ^ m[k].crc_flip, 4);
    le(&fields, m[k].zip64 ? 0xFFFFFFFF : len, 4);
    le(&fields, m[k].zip64 ? 0xFFFFFFFF : size, 4);
    le(&fields, name, 2);
    le(&fields, m[k].zip64 ? 20 : 0, 2);
    le(&o, 0x04034b50, 4);
    raw(&o, fields.b, fields.len);
    raw(&o, m[k].local ? m[k].local : m[k].name, name);
    struct bytes extra = {.len = 0};
    if (m[k].zip64) {
      le(&extra, 1, 2);
      le(&extra, 16, 2);
      le(&extra, size, 8);
      le(&extra, len, 8);
    }
    raw(&o, extra.b, extra.len);
    raw(&o, body, len);
    if (m[k].inside) o.len = end;
    le(&central, 0x02014b50, 4);
    le(&central, 20, 2);
    raw(&central, fields.b, fields.len);
    le(&central, 0, 6);
    le(&central, 0, 4);
    le(&central, at, 4);
    raw(&central, m[k].name, name);
    raw(&central, extra.b, extra.len);
  }
  size_t at = o.len;
  raw(&o, central.b, central.len);
  le(&o, 0x06054b50, 4);
  le(&o, 0, 4);
  le(&o, (uint64_t)n, 2);
  le(&o, (uint64_t)n, 2);
  le(&o, central.len, 4);
  le(&o, at, 4);
  le(&o, 0, 2);
  return put_file(file, o.b, o.len);
}

static void test_npz(void) {
  float f[3] = {1.5f, 2.5f, 3.5f};
  size_t n, n2;
  char *a = get_file(npy_file("t.npy", 1, D("<f4", "False", "(3,)"), f, 12), &n);
  char zeros[4000] = {0};
  char *b = get_file(
      npy_file("t2.npy", 1, D("<f4", "False", "(1000,)"), zeros, 4000), &n2);
  struct member m[2] = {{"x.npy", a, n, 0}, {"y.npy", b, n2, 8}};
  const char *path = npz_file("ok.npz", 2, m);
  struct fs_arrays out;
  CHECK(load(path, NULL, &out) == FS_OK && out.list.len == 2 &&
        !strcmp(out.list.data[0].name, "x") &&
        !strcmp(out.list.data[1].name, "y") &&
        ((float *)out.list.data[0].data)[2] == 3.5f &&
        out.list.data[1].shape.dim[0] == 1000);
  fs_arrays_free(&out);
  CHECK(load(path, "y", &out) == FS_OK && out.list.len == 1);
  fs_arrays_free(&out);
  refused_at(__LINE__, path, "zz", "no member 'zz'");
  CHECK(strstr(diags.list.data[0].hint, "x, y"));
  m[0].zip64 = true;
  CHECK(load(npz_file("z64.npz", 2, m), "x", &out) == FS_OK &&
        ((float *)out.list.data[0].data)[0] == 1.5f);
  fs_arrays_free(&out);
  m[0].zip64 = false;

  struct member bad[2] = {m[0], m[1]};
  bad[0].crc_flip = 1;
  REFUSED(npz_file("b0.npz", 2, bad), "wrong check sum");
  bad[0] = m[0], bad[1].name = "x.npy";
  REFUSED(npz_file("b1.npz", 2, bad), "is there twice");
  bad[1] = m[1], bad[1].claim = 100000000;
  REFUSED(npz_file("b2.npz", 2, bad), "more than 1000 times");
  bad[1].claim = 100000;
  REFUSED(npz_file("b3.npz", 2, bad), "ends before its declared size");
  bad[1] = m[1], bad[0].claim = 99;
  REFUSED(npz_file("b4.npz", 2, bad), "sizes that do not fit");
  bad[0] = m[0], bad[0].flags = 1;
  REFUSED(npz_file("b5.npz", 2, bad), "encrypted");
  bad[0] = m[0], bad[0].method = 12;
  REFUSED(npz_file("b6.npz", 2, bad), "not known");
  bad[0] = (struct member){"readme.txt", "hello", 5, 0};
  REFUSED(npz_file("b7.npz", 1, bad), "holds no arrays");
  bad[0] = (struct member){"x.npy", "\x93NUMPY", 6, 0};
  REFUSED(npz_file("b8.npz", 1, bad), "too short");
  bad[0] = m[0], bad[0].name = "../../etc/x.npy"; /* a name, never a path */
  CHECK(load(npz_file("b9.npz", 1, bad), "../../etc/x", &out) == FS_OK);
  fs_arrays_free(&out);
  REFUSED(put_file("c0.npz", "PK", 2), "not a zip file");
  REFUSED(put_file("c1.npz", zeros, 100), "not a zip file");
  free(a);
  free(b);
}

/* The directory and what stands in front of the members say the same; no two share
 * bytes, also where their lengths together fit the file. */
static void test_npz_members(void) {
  float f[3] = {1.5f, 2.5f, 3.5f};
  size_t n, n2;
  char *a = get_file(npy_file("t.npy", 1, D("<f4", "False", "(3,)"), f, 12), &n);
  struct member m[3] = {{"x.npy", a, n, 0, .local = "y.npy"}};
  REFUSED(npz_file("d0.npz", 1, m), "has another name");
  /* A whole file of zip, with b in it, behind the array of the member `a`. */
  struct member inner = {"b.npy", a, n, 0};
  char *zip = get_file(npz_file("d1.npz", 1, &inner), &n2);
  char *both = malloc(n + n2);
  memcpy(both, a, n);
  memcpy(both + n, zip, n2);
  struct member outer[3] = {{"a.npy", both, n + n2, 0},
                            {"b.npy", a, n, 0, .inside = 30 + 5 + n}};
  struct fs_arrays out;
  CHECK(load(npz_file("d2.npz", 1, outer), "a", &out) == FS_OK);
  fs_arrays_free(&out);
  REFUSED(npz_file("d3.npz", 2, outer), "overlaps another");
  outer[0].name = "a.txt"; /* also where the other is no array */
  REFUSED(npz_file("d4.npz", 2, outer), "overlaps another");
  free(both);
  free(zip);
  free(a);
}

static FS_VEC(char *) kept; /* what members point to */

static struct member npy_member(const char *name, const char *dict, const void *data,
                                size_t len) {
  char file[40];
  struct member m = {name, NULL, 0, 8};
  snprintf(file, sizeof file, "m-%s", name);
  char *bytes = get_file(npy_file(file, 1, dict, data, len), &m.len);
  *FS_PUSH(&kept) = bytes;
  m.data = bytes;
  return m;
}

/* Sparse matrices as SciPy 1.16 saves them; the values were compared with it:
 * [1 0 2.5 0; 0 0 3 0; 4 5 0 6]. */
static void test_npz_sparse(void) {
  static const int64_t shape[2] = {3, 4}, wide[2] = {1 << 20, 1 << 20}, blocks[2] = {2, 4};
  static const double x[6] = {1, 2.5, 3, 4, 5, 6}, by_column[6] = {1, 4, 5, 2.5, 3, 6};
  static const int32_t ptr[4] = {0, 2, 3, 6}, at[6] = {0, 2, 2, 0, 1, 3};
  static const int32_t cptr[5] = {0, 2, 3, 5, 6}, cat[6] = {0, 2, 2, 0, 1, 2};
  static const int32_t row[6] = {0, 0, 1, 2, 2, 2}, bptr[2] = {0, 1}, bat[1] = {1};
  static const int32_t offsets[2] = {-2, 1}, far[6] = {0, 2, 2, 0, 1, 4};
  static const double diagonals[8] = {7, 8, 0, 0, 0, 1, 2, 3};
#define SIX "(6,)"
  struct member form = npy_member("format.npy", D("|S3", "False", "()"), "csr", 3);
  struct member size = npy_member("shape.npy", D("<i8", "False", "(2,)"), shape, 16);
  struct member data = npy_member("data.npy", D("<f8", "False", SIX), x, 48);
  struct member csr[5] = {npy_member("indices.npy", D("<i4", "False", SIX), at, 24),
                          npy_member("indptr.npy", D("<i4", "False", "(4,)"), ptr, 16),
                          form, size, data};
  const char *path = npz_file("csr.npz", 5, csr);
  LOADS(path, FS_F64, 2, 3, 4, 1, 0, 2.5, 0, 0, 0, 3, 0, 4, 5, 0, 6);
  struct fs_arrays a;
  CHECK(load(path, "indptr", &a) == FS_OK && a.list.data[0].shape.dim[0] == 4);
  fs_arrays_free(&a);
  struct member csc[5] = {npy_member("indices.npy", D("<i4", "False", SIX), cat, 24),
                          npy_member("indptr.npy", D("<i4", "False", "(5,)"), cptr, 20),
                          npy_member("format.npy", D("<U3", "False", "()"),
                                     "c\0\0\0s\0\0\0c\0\0", 12),
                          size, npy_member("data.npy", D("<f8", "False", SIX), by_column, 48)};
  LOADS(npz_file("csc.npz", 5, csc), FS_F64, 2, 3, 4, 1, 0, 2.5, 0, 0, 0, 3, 0, 4, 5, 0, 6);
  struct member coo[5] = {npy_member("row.npy", D("<i4", "False", SIX), row, 24),
                          npy_member("col.npy", D("<i4", "False", SIX), at, 24),
                          npy_member("format.npy", D("|S3", "False", "()"), "coo", 3),
                          size, data};
  LOADS(npz_file("coo.npz", 5, coo), FS_F64, 2, 3, 4, 1, 0, 2.5, 0, 0, 0, 3, 0, 4, 5, 0, 6);
  struct member bsr[5] = {npy_member("indices.npy", D("<i4", "False", "(1,)"), bat, 4),
                          npy_member("indptr.npy", D("<i4", "False", "(2,)"), bptr, 8),
                          npy_member("format.npy", D("|S3", "False", "()"), "bsr", 3),
                          npy_member("shape.npy", D("<i8", "False", "(2,)"), blocks, 16),
                          npy_member("data.npy", D("<f8", "False", "(1, 2, 2)"), x, 32)};
  LOADS(npz_file("bsr.npz", 5, bsr), FS_F64, 2, 2, 4, 0, 0, 1, 2.5, 0, 0, 3, 4);
  struct member dia[4] = {npy_member("offsets.npy", D("<i4", "False", "(2,)"), offsets, 8),
                          npy_member("format.npy", D("|S3", "False", "()"), "dia", 3), size,
                          npy_member("data.npy", D("<f8", "False", "(2, 4)"), diagonals, 64)};
  LOADS(npz_file("dia.npz", 4, dia), FS_F64, 2, 3, 4, 0, 1, 0, 0, 0, 0, 2, 0, 7, 0, 0, 3);
  csr[0] = npy_member("indices.npy", D("<i4", "False", SIX), far, 24);
  REFUSED(npz_file("e0.npz", 5, csr), "an index is outside of its shape");
  csr[0] = npy_member("indices.npy", D("<i4", "False", "(5,)"), at, 20);
  REFUSED(npz_file("e1.npz", 5, csr), "does not ascend");
  csr[3] = npy_member("shape.npy", D("<i8", "False", "(2,)"), wide, 16);
  REFUSED(npz_file("e2.npz", 5, csr), "would take 8.00 TiB");
  csr[2] = npy_member("format.npy", D("|S3", "False", "()"), "lil", 3), csr[3] = size;
  REFUSED(npz_file("e3.npz", 5, csr), "format 'lil' cannot be loaded");
  for (int k = 0; k < kept.len; k++) free(kept.data[k]);
  FS_VEC_FREE(&kept);
}

/* -- .mtx and .csv ------------------------------------------------------------ */

static const char *text_file(const char *name, const char *text) {
  return put_file(name, text, strlen(text));
}
#define MTX "%%MatrixMarket matrix "

static void test_mtx_valid(void) {
  LOADS(text_file("a.mtx", MTX "array real general\n% c\n\n2 2\n1\n2e0\n-3\n4\n"),
        FS_F64, 2, 2, 2, 1, -3, 2, 4);
  LOADS(text_file("b.mtx", "\xEF\xBB\xBF%MatrixMarket matrix Array Real General\r\n"
                           "2 1\r\n1\r\n 2 "), FS_F64, 1, 2, 1, 1, 2);
  LOADS(text_file("k.mtx", MTX "coordinate real skew-symmetric\n2 2 2\n1 1 0\n2 1 3\n"),
        FS_F64, 2, 2, 2, 0, -3, 3, 0);
  LOADS(text_file("l.mtx", MTX "coordinate real hermitian\n2 2 1\n2 1 3\n"), FS_F64, 2,
        2, 2, 0, 3, 3, 0);
  LOADS(text_file("c.mtx", MTX "array real symmetric\n2 2\n1\n2\n3\n"), FS_F64,
        2, 2, 2, 1, 2, 2, 3);
  LOADS(text_file("d.mtx", MTX "array integer skew-symmetric\n2 2\n5\n"),
        FS_I64, 2, 2, 2, 0, -5, 5, 0);
  LOADS(text_file("e.mtx", MTX "coordinate real general\n2 3 3\n1 1 1.5\n"
                               "2 3 -2\n2 3 1\n"),
        FS_F64, 2, 2, 3, 1.5, 0, 0, 0, 0, -1);
  LOADS(text_file("f.mtx", MTX "coordinate pattern symmetric\n2 2 2\n1 1\n"
                               "2 1\n"),
        FS_F64, 2, 2, 2, 1, 1, 1, 0);
  LOADS(text_file("g.mtx", MTX "coordinate integer general\n1 2 1\n1 2 "
                               "9007199254740992\n"),
        FS_I64, 2, 1, 2, 0, 9007199254740992.0);
  LOADS(text_file("h.mtx", MTX "array real general\n1 2\nnan\n-inf\n"), FS_F64,
        2, 1, 2, 0.0 / 0.0, -1 / 0.0);
  LOADS(text_file("i.mtx", MTX "array integer general\n2 1\n-9223372036854775808\n1\n"),
        FS_I64, 1, 2, 1, -0x1p63, 1);
  struct fs_arrays a;
  CHECK(!load(text_file("j.mtx", MTX "array real general\n1 1\n-0\n"), NULL, &a));
  CHECK(signbit(*(double *)a.list.data[0].data));
  fs_arrays_free(&a);
}

static void test_mtx_hostile(void) {
  REFUSED(text_file("y0.mtx", MTX "array integer skew-symmetric\n2 2\n"
                                  "-9223372036854775808\n"),
          "too large");
  REFUSED(text_file("y1.mtx", MTX "array integer general\n1 1\n-9223372036854775809\n"),
          "no integer");
#define C MTX "coordinate real general\n"
  REFUSED(text_file("z0.mtx", ""), "not a MatrixMarket file");
  REFUSED(text_file("z1.mtx", MTX "array complex general\n1 1\n1\n% more\n"),
          "no real and imaginary part");
  REFUSED(text_file("z2.mtx", MTX "array pattern general\n1 1\n"), "pattern");
  REFUSED(text_file("z3.mtx", C), "sizes is missing");
  REFUSED(text_file("z4.mtx", C "2 2\n"), "does not give the sizes");
  REFUSED(text_file("z5.mtx", C "2 2 1000000000000\n1 1 1\n"),
          "but only 6 bytes follow");
  REFUSED(text_file("z6.mtx", C "1000000000 1000000000 1\n1 1 1\n"),
          "would take");
  REFUSED(text_file("z7.mtx", C "9223372036854775807 9223372036854775807 1\n"),
          "larger than can exist");
  REFUSED(text_file("z8.mtx", C "2 2 1\n0 1 1\n"), "(0, 1) is outside");
  REFUSED(text_file("z9.mtx", C "2 2 1\n3 1 1\n"), "(3, 1) is outside");
  REFUSED(text_file("y0.mtx", C "2 2 1\n-1 1 1\n"), "(-1, 1) is outside");
  REFUSED(text_file("y1.mtx", C "2 2 2\n1 1 1\n     \n   \n"), "holds 1");
  REFUSED(text_file("y2.mtx", C "2 2 1\n1 1 1\n1 2 1\n"), "after the last");
  REFUSED(text_file("y3.mtx", C "2 2 1\n1 1 x\n"), "holds no number");
  REFUSED(text_file("y4.mtx", C "2 2 1\n1 1 0x10\n"), "holds no number");
  REFUSED(text_file("y5.mtx", C "2 2 1\n1 1 1 1\n"), "more than one entry");
  REFUSED(text_file("y6.mtx", MTX "coordinate real symmetric\n2 3 0\n"),
          "not square");
  REFUSED(text_file("y7.mtx",
                    MTX "coordinate real skew-symmetric\n2 2 1\n1 1 1\n"),
          "diagonal");
  REFUSED(text_file("y8.mtx", MTX "array real general\n2 2\n1\n2\n3\n4\n5\n"),
          "after the last");
  REFUSED(text_file("x0.mtx", MTX "array real general\n2 2\n1 2\n3 4\n"),
          "line 3 holds more than one value");
  REFUSED(text_file("x1.mtx", MTX "coordinate complex hermitian\n1 1 1\n1 1 1 2\n"),
          "diagonal of a hermitian matrix, which is real");
  /* 64 bytes: memory follows what is there, or what the user says. */
  const char *small = text_file("x2.mtx", C "9000 9000 1\n1 1 1\n");
  REFUSED(small, "its 64 bytes would take 618 MiB");
  CHECK(strstr(diags.list.data[0].hint, ":set expand 618"));
  struct fs_load_how how = {.expand = (int64_t)618 << 20};
  struct fs_arrays a;
  struct fs_file_ctx ctx = {&diags, {0, 0, 0}, small, false};
  fs_diags_clear(&diags);
  CHECK(fs_arrays_load(&ctx, &how, &a) == FS_OK && *(double *)a.list.data[0].data == 1);
  fs_arrays_free(&a);
  char line[3000];
  memset(line, ' ', sizeof line);
  memcpy(line, C, strlen(C));
  REFUSED(put_file("y9.mtx", line, sizeof line), "more than 1024 bytes");
  REFUSED(put_file("x0.mtx", C "2 2 1\n1 1 1\0\n", strlen(C) + 13),
          "is not text");
#undef C
}

static void test_csv(void) {
  LOADS(text_file("a.csv", "1,2\n3,4\n"), FS_F64, 2, 2, 2, 1, 2, 3, 4);
  LOADS(text_file("b.csv", "a,b\r\n1, 2\r\n-3e2 ,nan"), FS_F64, 2, 2, 2, 1, 2,
        -300, 0.0 / 0.0);
  LOADS(text_file("c.csv", "1;2\n"), FS_F64, 2, 1, 2, 1, 2);
  LOADS(text_file("d.csv", "1\t2\n3\t4\n"), FS_F64, 2, 2, 2, 1, 2, 3, 4);
  LOADS(text_file("e.csv", "\xEF\xBB\xBF# made by\n  1   2 \n3 4\n\n"), FS_F64,
        2, 2, 2, 1, 2, 3, 4);
  LOADS(text_file("f.csv", "x\n1\n2\n"), FS_F64, 1, 2, 1, 1, 2);
  LOADS(text_file("g.csv", "\"a\";\"b\"\n1;2\n"), FS_F64, 2, 1, 2, 1, 2);
  REFUSED(text_file("z0.csv", ""), "holds no numbers");
  REFUSED(text_file("z1.csv", "# x\n\n"), "holds no numbers");
  REFUSED(text_file("z2.csv", "1,2\n3\n"), "line 2, column 2: this row has 1 field,");
  LOADS(text_file("z9.csv", "1,NA\n3,4\n"), FS_F64, 2, 2, 2, 1, NAN, 3, 4);
  LOADS(text_file("za.csv", "x,2019\n3,4\n"), FS_F64, 2, 1, 2, 3, 4);
  LOADS(text_file("h.csv", "a,,c\n1,2,3\n"), FS_F64, 2, 1, 3, 1, 2, 3);
  LOADS(text_file("z3.csv", "1,2\n3,\n"), FS_F64, 2, 2, 2, 1, 2, 3, NAN);
  LOADS(text_file("z4.csv", "1,2\n3,\"4\"\n"), FS_F64, 2, 2, 2, 1, 2, 3, 4);
  REFUSED(text_file("z5.csv", "a;b\n1,5;2\n"), "'1,5' is not a number");
  CHECK(strstr(diags.list.data[0].hint, "decimal=,"));
  REFUSED(text_file("z6.csv", "1,2\n3,\x1b[2J\n"), "'\\x1b[2J' is not");
  REFUSED(put_file("z7.csv", "1,2\n3,4\0\n", 9), "line 2, column 4: a byte of 0");
  LOADS(text_file("z8.csv", "1,2,3\n1,2,3,\n"), FS_F64, 2, 2, 3, 1, 2, 3, 1, 2, 3);
  REFUSED(text_file("zb.csv", "1,2,3\n1,2,3,4\n"), "line 2, column 8: this row has 4");
}

/* Quotes, line ends and separators at the end, as programs write them. */
static void test_csv_forms(void) {
  LOADS(text_file("q0.csv", "\"a, b\",\"c\"\"d\"\n\"1\", \"2\"\n\" 3 \",\"\"\n"), FS_F64,
        2, 2, 2, 1, 2, 3, NAN);
  LOADS(text_file("q1.csv", "\"two\nlines\",b\n1,2\n"), FS_F64, 2, 1, 2, 1, 2);
  LOADS(text_file("q2.csv", "1,2\r3,4\r"), FS_F64, 2, 2, 2, 1, 2, 3, 4);
  LOADS(text_file("q3.csv", "\xEF\xBB\xBF\"a\",b\r\n1,2"), FS_F64, 2, 1, 2, 1, 2);
  LOADS(text_file("q4.csv", "a,b,\n1,2,\n3,4,\n"), FS_F64, 2, 2, 2, 1, 2, 3, 4);
  LOADS(text_file("q5.csv", "a,b,\n1,2\n3,4\n"), FS_F64, 2, 2, 2, 1, 2, 3, 4);
  LOADS(text_file("q6.csv", "a,b\n1,2,\n3,4,\n"), FS_F64, 2, 2, 2, 1, 2, 3, 4);
  LOADS(text_file("q7.csv", "1\t\t3\n\t5\t6\n"), FS_F64, 2, 2, 3, 1, NAN, 3, NAN, 5, 6);
  LOADS(text_file("q8.csv", "x\nNA\nnull\nN/A\nnone\nNaN\n-inf\n+1e3\n"), FS_F64, 1, 7, 1,
        NAN, NAN, NAN, NAN, NAN, -INFINITY, 1000);
  LOADS(text_file("q9.csv", "# \"an open quote\n1,2\n#,\n\n 3 , 4 \n"), FS_F64, 2, 2, 2, 1,
        2, 3, 4);
  LOADS(text_file("qa.csv", "my column\n1\n2\n"), FS_F64, 1, 2, 1, 1, 2);
  LOADS(text_file("qb.csv", "a b\n1 2\n"), FS_F64, 2, 1, 2, 1, 2);
  struct fs_arrays a;
  CHECK(load(text_file("qc.csv", "city\nNew York\nRome\n"), "city", &a) == FS_OK &&
        !strcmp(a.list.data[0].categories, "New York\nRome"));
  fs_arrays_free(&a);
  REFUSED(text_file("qd.csv", "1 2 3\n4 5\n"), "line 2, column 4: this row has 2 fields");
  REFUSED(text_file("r0.csv", "a,b\n1,\"2\n3,4\n"), "line 2, column 3: the quote that begins");
  REFUSED(text_file("r1.csv", "1,\"2\"3\n"), "line 1, column 6: something follows");
  REFUSED(put_file("r2.csv", "\xFF\xFE" "1\0,\0", 6), "UTF-16");
  REFUSED(text_file("r3.csv", "word\n"), "holds no numbers");
  REFUSED(text_file("r4.csv", "a,b\nx,y\n"), "none of its columns holds numbers");
  REFUSED(text_file("r5.csv", "a\n1\n2\n\"x\n"), "line 4, column 1: the quote");
  REFUSED(text_file("r6.csv", "a,b\n1,2\n\"x\n\ny\",3\n1\n"), "line 3, column 1: 'x");
}

static bool load_how(const char *path, const struct fs_load_how *how,
                     struct fs_arrays *out) {
  struct fs_file_ctx ctx = {&diags, {0, 0, 0}, path, false};
  fs_diags_clear(&diags);
  return fs_arrays_load(&ctx, how, out) == FS_OK;
}

/* One column by its name, texts as categories, and what is left out is said. */
static void test_csv_columns(void) {
  const char *path = text_file("iris.csv", "w,species,day,n\n.5,setosa,2024-01-05,1\n"
                                           "1.5,\"a, b\",2024-01-05,2\n,setosa,,3\n");
  struct fs_arrays a;
  LOADS(path, FS_F64, 2, 3, 2, .5, 1, 1.5, 2, NAN, 3);
  CHECK(diags.list.len == 1 && diags.list.data[0].severity == FS_NOTE &&
        strstr(diags.list.data[0].message, "species ('setosa' in line 2), day") &&
        strstr(diags.list.data[0].hint, "\"species\""));
  CHECK(load(path, NULL, &a) == FS_OK && !strcmp(a.list.data[0].labels, "w, n"));
  fs_arrays_free(&a);
  CHECK(load(path, "n", &a) == FS_OK && a.list.data[0].dtype == FS_F64 &&
        a.list.data[0].shape.rank == 1 && ((double *)a.list.data[0].data)[2] == 3 &&
        !strcmp(a.list.data[0].name, "n") && !diags.list.len);
  fs_arrays_free(&a);
  static const int64_t codes[3] = {1, 2, 1}, days[3] = {1, 1, 0};
  CHECK(load(path, "species", &a) == FS_OK && a.list.data[0].dtype == FS_I64 &&
        !memcmp(a.list.data[0].data, codes, sizeof codes) &&
        !strcmp(a.list.data[0].categories, "setosa\na, b"));
  fs_arrays_free(&a);
  CHECK(load(path, "day", &a) == FS_OK &&
        !memcmp(a.list.data[0].data, days, sizeof days));
  fs_arrays_free(&a);
  const char *mixed = text_file("mixed.csv", "id,x\n17,1\nA1,2\n17,3\n");
  static const int64_t ids[3] = {1, 2, 1};
  CHECK(load(mixed, "id", &a) == FS_OK && !memcmp(a.list.data[0].data, ids, sizeof ids) &&
        !strcmp(a.list.data[0].categories, "17\nA1"));
  fs_arrays_free(&a);
  REFUSED(mixed, "line 3, column 1: 'A1' is not a number");
  CHECK(strstr(diags.list.data[0].hint, "takes one column"));
  refused_at(__LINE__, text_file("t4.csv", "a;b\n1,5;2\n"), "a", "'1,5' is not a number");
  refused_at(__LINE__, path, "x", "no column of that name");
  CHECK(strstr(diags.list.data[0].hint, "w, species, day, n"));
  refused_at(__LINE__, text_file("t0.csv", "1,2\n"), "x", "no names");
  refused_at(__LINE__, text_file("t1.csv", "x,x\n1,2\n"), "x", "two of its columns");
  struct fs_load_how how = {.skip = 2, .separator = '|', .point = ','};
  CHECK(load_how(text_file("t2.csv", "made by, a program\n\na|b\n1,5|2\n"), &how, &a) &&
        ((double *)a.list.data[0].data)[0] == 1.5);
  fs_arrays_free(&a);
  how = (struct fs_load_how){.member = "b", .point = ','};
  CHECK(load_how(text_file("t3.csv", "a;b\n1,5;2,25\n;-1e1\n"), &how, &a) &&
        ((double *)a.list.data[0].data)[0] == 2.25 &&
        ((double *)a.list.data[0].data)[1] == -10);
  fs_arrays_free(&a);
}

static bool hints(const char *path, const char *words) {
  struct fs_arrays a;
  if (load(path, NULL, &a) == FS_OK) fs_arrays_free(&a);
  return diags.list.len == 1 && diags.list.data[0].hint &&
         strstr(diags.list.data[0].hint, words);
}

/* Files of spreadsheets and instruments: what they have in front of the table, and between. */
static void test_csv_others(void) {
  LOADS(text_file("o0.tsv", "x\ty\n1\t2\n"), FS_F64, 2, 1, 2, 1, 2);
  LOADS(text_file("o1.txt", "  1 2\n 3 4\n"), FS_F64, 2, 2, 2, 1, 2, 3, 4);
  LOADS(text_file("o2.DAT", "1 2\n"), FS_F64, 2, 1, 2, 1, 2);
  LOADS(text_file("o3.csv", "sep=;\r\nx;y\r\n1;2\r\n"), FS_F64, 2, 1, 2, 1, 2);
  LOADS(text_file("o4.csv", "\xEF\xBB\xBFSEP=|\n1|2\n"), FS_F64, 2, 1, 2, 1, 2);
  CHECK(hints(text_file("o5.csv", "time,temp\ns,degC\n0,20.5\n"), "skip=1"));
  CHECK(hints(text_file("o6.csv", "Report of March\n\nx,y\n1,2\n"), "skip=1"));
  CHECK(hints(text_file("o7.csv", "x|y\n1|2\n"), "sep=|"));
  CHECK(hints(text_file("o9.csv", "town,people\nBerlin,\"3,645,000\"\n"), "a thousand is 1000"));
  refused_at(__LINE__, path_of("o7.csv"), "separator=|", "no such option");
  LOADS(text_file("oa.csv", "id,v\n9007199254740992,1\n-9007199254740993,2\n"), FS_F64, 2, 2, 2,
        9007199254740992, 1, -9007199254740992, 2);
  CHECK(diags.list.len == 1 && strstr(diags.list.data[0].message, "id, from line 3 on"));
  LOADS(text_file("ob.csv", "12345678901234567890123,.12345678901234567\n"), FS_F64, 2, 1, 2,
        12345678901234567890123., .12345678901234567);
  CHECK(diags.list.len == 1 && strstr(diags.list.data[0].message, "column 1, from line 1 on"));
}

/* Rows that lie on the borders of blocks and of parts: numbers of all lengths, some in
 * quotes with lines between them, in a file of several blocks. */
static void test_csv_blocks(void) {
  enum { ROWS = 400000 };
  static const char *const names[] = {"long.csv", "quoted.csv", "cr.csv"};
  FILE *f = fopen(path_of(names[0]), "wb"), *q = fopen(path_of(names[1]), "wb");
  FILE *r = fopen(path_of(names[2]), "wb"); /* as old programs end lines */
  if (!f || !q || !r) exit(2);
  for (int i = 0; i < ROWS; i++) {
    fprintf(f, "%d,%.*f,%d\r\n", i, i % 17, i / 8.0, -i);
    fprintf(r, "%d,%.*f,%d\r", i, i % 17, i / 8.0, -i);
    fprintf(q, "%d,\"%.*f\",%d,\"text, %d\n\"\"\"\n", i, i % 17, i / 8.0, -i, i);
  }
  fclose(f);
  fclose(q);
  fclose(r);
  for (int file = 0; file < 3; file++) {
    struct fs_arrays a;
    bool ok = load(path_of(names[file]), NULL, &a) == FS_OK &&
              a.list.data[0].shape.dim[0] == ROWS && a.list.data[0].shape.dim[1] == 3;
    const double *x = ok ? a.list.data[0].data : NULL;
    for (int i = 0; ok && i < ROWS; i++)
      ok = x[3 * i] == i && fabs(x[3 * i + 1] - i / 8.0) <= .5 && x[3 * i + 2] == -i;
    check_at(__LINE__, ok, names[file]);
    fs_arrays_free(&a);
  }
  f = fopen(path_of("long.csv"), "ab");
  if (f) fputs("1,2\n", f), fclose(f);
  REFUSED(path_of("long.csv"), "line 400001, column 4: this row has 2 fields");
  f = fopen(path_of("quoted.csv"), "ab");
  if (f) fputs("1,2,\"3", f), fclose(f);
  REFUSED(path_of("quoted.csv"), "line 800001, column 5: the quote that begins here");
}

/* 10^6 columns; a line that never ends, also in quotes: refused with bounded memory. */
static void test_csv_wide(void) {
  enum { WIDE = 1000000, LONG = 34 << 20 };
  char *text = malloc(LONG + 1);
  if (!text) exit(2);
  for (int i = 0; i < WIDE; i++) memcpy(text + 2 * i, i + 1 < WIDE ? "7," : "7\n", 2);
  memcpy(text + 2 * WIDE, "1,2\n", 4);
  struct fs_arrays a;
  CHECK(load(put_file("wide.csv", text, 2 * WIDE), NULL, &a) == FS_OK &&
        a.list.data[0].shape.dim[1] == WIDE);
  fs_arrays_free(&a);
  REFUSED(put_file("wide2.csv", text, 2 * WIDE + 4),
          "line 2, column 4: this row has 2 fields, the lines before have 1000000");
  memset(text, 'x', LONG);
  REFUSED(put_file("line.csv", text, LONG), "line 1 has more than");
  memcpy(text, "a,b\n1,\"2", 8);
  REFUSED(put_file("quote.csv", text, LONG), "line 2, column 3: the quote that begins here");
  memset(text, '\n', LONG);
  REFUSED(put_file("blank.csv", text, LONG), "holds no numbers");
  free(text);
}

/* -- every prefix, and random damage ------------------------------------------- */

static void test_truncated(const char *from, const char *to) {
  size_t n;
  char *data = get_file(path_of(from), &n);
  int accepted = 0, silent = 0;
  for (size_t len = 0; len < n; len++) {
    struct fs_arrays a;
    enum fs_status st = load(put_file(to, data, len), NULL, &a);
    accepted += st == FS_OK;
    silent += st != FS_OK && !diags.list.len;
    fs_arrays_free(&a);
  }
  CHECK(accepted == 0);
  CHECK(silent == 0);
  free(data);
}

static void test_damaged(const char *from, const char *to, int rounds) {
  static uint64_t seed = 12345;
  size_t n;
  char *data = get_file(path_of(from), &n);
  char *copy = malloc(n);
  int silent = 0;
  for (int k = 0; k < rounds; k++) {
    memcpy(copy, data, n);
    size_t len = n;
    for (int hits = 1 + k % 4; hits; hits--) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      copy[(seed >> 33) % n] = (char)(seed >> 20);
      if (seed >> 60 == 0) len = (seed >> 40) % n;
    }
    struct fs_arrays a;
    enum fs_status st = load(put_file(to, copy, len), NULL, &a);
    silent += st != FS_OK && !diags.list.len;
    fs_arrays_free(&a);
  }
  CHECK(silent == 0);
  free(copy);
  free(data);
}

/* -- saving ------------------------------------------------------------------ */

/* The permissions of the temporary files beside; -1: there are none. */
static int unfinished_mode(void) {
  DIR *d = opendir(dir);
  int mode = -1;
  for (struct dirent *e; d && (e = readdir(d));) {
    struct stat st;
    if (strstr(e->d_name, ".tmp") && !stat(path_of(e->d_name), &st))
      mode = st.st_mode & 0777;
  }
  if (d) closedir(d);
  return mode;
}
static int seen_mode;

/* Dense host data as a source; fails when rows at or after `fail_at` are asked. */
struct host {
  const struct fs_array *a;
  int64_t fail_at;
};

static enum fs_status host_box(void *user, const int64_t *first,
                               const int64_t *count, void *out,
                               struct fs_diags *d) {
  const struct host *h = user;
  const struct fs_shape *s = &h->a->shape;
  int64_t at[FS_MAX_RANK] = {0}, total = 1, stride[FS_MAX_RANK + 1];
  size_t size = fs_dtype_size(h->a->dtype);
  seen_mode = unfinished_mode();
  if (s->rank && first[0] + count[0] > h->fail_at)
    return fs_env_error(d, "test", NULL, "the device went away");
  stride[s->rank] = 1;
  for (int k = s->rank - 1; k >= 0; k--) stride[k] = stride[k + 1] * s->dim[k];
  for (int k = 0; k < s->rank; k++) total *= count[k];
  for (int64_t n = 0; n < total; n++) {
    int64_t from = 0;
    for (int k = 0; k < s->rank; k++)
      from += (first[k] + at[k]) * stride[k + 1];
    memcpy((char *)out + (size_t)n * size,
           (char *)h->a->data + (size_t)from * size, size);
    for (int k = s->rank - 1; k >= 0 && ++at[k] == count[k]; k--) at[k] = 0;
  }
  return FS_OK;
}

static enum fs_status save(const char *path, int n, const struct fs_array *a,
                           int64_t fail_at) {
  struct fs_file_ctx ctx = {&diags, {0, 0, 0}, path, true};
  struct fs_array_source s[16];
  struct host h[16];
  for (int k = 0; k < n; k++) {
    h[k] = (struct host){&a[k], fail_at};
    s[k] = (struct fs_array_source){a[k].name, a[k].dtype, a[k].shape,
                                    host_box, &h[k]};
  }
  fs_diags_clear(&diags);
  return fs_arrays_save(&ctx, n, s);
}

static int count_files(void) {
  DIR *d = opendir(dir);
  int n = 0;
  while (d && readdir(d)) n++;
  if (d) closedir(d);
  return n;
}

static void same_arrays(int line, const struct fs_array *a,
                        const struct fs_array *b) {
  bool ok = a->dtype == b->dtype && fs_shape_equal(&a->shape, &b->shape) &&
            !memcmp(a->data, b->data,
                    (size_t)fs_shape_count(&a->shape) *
                        fs_dtype_size(a->dtype));
  check_at(line, ok, "the same array after a round trip");
}

static void test_save(void) {
  enum { N = 700, M = 300 };
  double *x = malloc(N * M * sizeof *x);
  for (int i = 0; i < N * M; i++) x[i] = (i * 37 % 1001) / 7.0;
  float f[2] = {0.1f, -1e-30f};
  struct fs_array a[3] = {{"x", FS_F64, {2, {N, M}}, x},
                          {"f", FS_F32, {1, {2}}, f},
                          {"one", FS_F64, {0, {0}}, x}};
  const char *names[] = {"s.npy", "s.npz", "s.csv", "s.mtx"};
  for (int k = 0; k < 4; k++) {
    struct fs_arrays back;
    CHECK(save(path_of(names[k]), k == 1 ? 3 : 1, a, N) == FS_OK);
    CHECK(load(path_of(names[k]), NULL, &back) == FS_OK &&
          back.list.len == (k == 1 ? 3 : 1));
    for (int j = 0; j < back.list.len; j++)
      same_arrays(__LINE__, &a[j], &back.list.data[j]);
    fs_arrays_free(&back);
  }
  /* An error half way leaves the old file and no other. */
  size_t n, n2;
  for (int k = 0; k < 4; k++) {
    char *old = get_file(path_of(names[k]), &n);
    int files = count_files();
    CHECK(save(path_of(names[k]), 1, a, N / 2) == FS_ERR_ENV);
    char *now = get_file(path_of(names[k]), &n2);
    CHECK(n == n2 && !memcmp(old, now, n) && count_files() == files);
    free(old);
    free(now);
  }
  free(x);
}

static void test_save_refused(void) {
  float f[8] = {0};
  struct fs_array cube = {"c", FS_F32, {3, {2, 2, 2}}, f};
  struct fs_array two[2] = {cube, cube};
  CHECK(save(path_of("no/such/x.npy"), 1, &cube, 9) == FS_ERR_USER);
  CHECK(save(path_of("x.csv"), 1, &cube, 9) == FS_ERR_USER);
  CHECK(save(path_of("x.txt"), 1, &cube, 9) == FS_ERR_USER);
  CHECK(save(path_of("x.npy"), 2, two, 9) == FS_ERR_USER);
  CHECK(save(path_of("x.npz"), 2, two, 9) == FS_ERR_USER);
  CHECK(save(path_of("folder.npy"), 1, &cube, 9) == FS_ERR_USER);
  CHECK(save(path_of("fifo.npy"), 1, &cube, 9) == FS_ERR_USER);
  /* A full disk, as far as one can be had here. */
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit old, small = {50, 50};
  getrlimit(RLIMIT_FSIZE, &old);
  small.rlim_max = old.rlim_max;
  setrlimit(RLIMIT_FSIZE, &small);
  int files = count_files();
  CHECK(save(path_of("full.npy"), 1, &cube, 9) == FS_ERR_ENV);
  CHECK(count_files() == files && access(path_of("full.npy"), F_OK));
  setrlimit(RLIMIT_FSIZE, &old);
  /* A link stays a link; permissions stay. */
  CHECK(save(path_of("real.npy"), 1, &cube, 9) == FS_OK);
  CHECK(!chmod(path_of("real.npy"), 0640));
  CHECK(!symlink("real.npy", path_of("link.npy")));
  CHECK(save(path_of("link.npy"), 1, &cube, 9) == FS_OK);
  struct stat st;
  CHECK(!lstat(path_of("link.npy"), &st) && S_ISLNK(st.st_mode));
  CHECK(!stat(path_of("real.npy"), &st) && (st.st_mode & 0777) == 0640);
}

/* What is not finished is nobody else's; then the old permissions, or the usual. */
static void test_save_modes(void) {
  float f[8] = {0};
  struct fs_array a = {"c", FS_F32, {1, {8}}, f};
  struct stat st;
  mode_t old = umask(022);
  CHECK(save(path_of("m.npy"), 1, &a, 9) == FS_OK && seen_mode == 0600);
  CHECK(!stat(path_of("m.npy"), &st) && (st.st_mode & 0777) == 0644);
  umask(027);
  CHECK(save(path_of("m2.npy"), 1, &a, 9) == FS_OK && seen_mode == 0600);
  CHECK(!stat(path_of("m2.npy"), &st) && (st.st_mode & 0777) == 0640);
  umask(old);
  CHECK(!chmod(path_of("m.npy"), 0666));
  CHECK(save(path_of("m.npy"), 1, &a, 9) == FS_OK && seen_mode == 0600);
  CHECK(!stat(path_of("m.npy"), &st) && (st.st_mode & 0777) == 0666);
  /* An access control list: user 1234 may write, the group nothing, at most rw. */
  static const unsigned char list[] = {2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 6, 0,
                                       0xD2, 4, 0, 0, 4, 0, 0, 0, 255, 255, 255, 255, 16, 0, 6,
                                       0, 255, 255, 255, 255, 32, 0, 0, 0, 255, 255, 255, 255};
  unsigned char now[64] = {0};
  const char *name = "system.posix_acl_access";
  CHECK(save(path_of("l.npy"), 1, &a, 9) == FS_OK);
  if (setxattr(path_of("l.npy"), name, list, sizeof list, 0)) {
    fprintf(stderr, "test_files: no access control lists here: %s\n", strerror(errno));
  } else {
    CHECK(save(path_of("l.npy"), 1, &a, 9) == FS_OK &&
          getxattr(path_of("l.npy"), name, now, sizeof now) == sizeof list &&
          !memcmp(now, list, sizeof list));
  }
  CHECK(!link(path_of("m.npy"), path_of("m3.npy")));
  CHECK(save(path_of("m.npy"), 1, &a, 9) == FS_OK && diags.list.len == 1 &&
        strstr(diags.list.data[0].message, "2 names"));
  if (geteuid()) return; /* only root can give files away */
  CHECK(!chown(path_of("m2.npy"), 1234, 2345));
  CHECK(save(path_of("m2.npy"), 1, &a, 9) == FS_OK && !diags.list.len);
  CHECK(!stat(path_of("m2.npy"), &st) && st.st_uid == 1234 && st.st_gid == 2345 &&
        (st.st_mode & 0777) == 0640);
}

/* Of a sticky folder that all may write only links are followed that we or the
 * folder's owner made. Only root can make one for another user. */
static void test_foreign_links(void) {
  float f[8] = {0};
  struct fs_array a = {"c", FS_F32, {1, {8}}, f};
  struct stat st;
  CHECK(!mkdir(path_of("sticky"), 0700) && !chmod(path_of("sticky"), 01777));
  CHECK(save(path_of("victim.npy"), 1, &a, 9) == FS_OK);
  CHECK(!symlink("../victim.npy", path_of("sticky/l.npy")));
  CHECK(save(path_of("sticky/l.npy"), 1, &a, 9) == FS_OK);
  if (geteuid()) return;
  CHECK(!lchown(path_of("sticky/l.npy"), 1234, 1234));
  CHECK(save(path_of("sticky/l.npy"), 1, &a, 9) == FS_ERR_USER &&
        strstr(diags.list.data[0].message, "link of another user"));
  CHECK(!chown(path_of("sticky"), 1234, 1234)); /* the folder's owner may */
  CHECK(save(path_of("sticky/l.npy"), 1, &a, 9) == FS_OK);
  CHECK(!lstat(path_of("sticky/l.npy"), &st) && S_ISLNK(st.st_mode));
}

/* -- against NumPy ----------------------------------------------------------- */

/* make_files.py writes files into DIR/in; each is loaded and saved into DIR/out
 * under the same name in every format that can hold it; it then compares. */
static void resave(const char *name) {
  char in[300];
  snprintf(in, sizeof in, "in/%.200s", name);
  struct fs_arrays a;
  if (load(path_of(in), NULL, &a)) {
    fprintf(stderr, "  %s\n",
            diags.list.len ? diags.list.data[0].message : name);
    check_at(__LINE__, false, name);
    return;
  }
  static const char *const ends[] = {"npy", "npz", "mtx", "csv"};
  for (int k = 0; k < 4; k++) {
    char out[300];
    const struct fs_shape *s = &a.list.data[0].shape;
    snprintf(out, sizeof out, "out/%.200s.%s", name, ends[k]);
    if (k != 1 && a.list.len > 1) continue;
    if (k > 1 && (s->rank > 2 || fs_shape_count(s) == 0)) continue;
    check_at(__LINE__,
             save(path_of(out), FS_MIN(a.list.len, 16), a.list.data,
                  INT64_MAX) == FS_OK,
             out);
  }
  fs_arrays_free(&a);
}

static void test_numpy(void) {
  char command[300];
  if (system("/usr/bin/python3 -c 'import numpy' 2>/dev/null")) {
    fprintf(stderr, "test_files: no NumPy here, round trips left out\n");
    return;
  }
  snprintf(command, sizeof command,
           "/usr/bin/python3 tests/make_files.py write %s", dir);
  CHECK(system(command) == 0);
  DIR *d = opendir(path_of("in"));
  int n = 0;
  for (struct dirent *e; d && (e = readdir(d));)
    if (e->d_name[0] != '.') {
      resave(e->d_name);
      n++;
    }
  if (d) closedir(d);
  CHECK(n >= 30);
  snprintf(command, sizeof command,
           "/usr/bin/python3 tests/make_files.py check %s", dir);
  CHECK(system(command) == 0);
}

int main(void) {
  const char *base = getenv("TMPDIR");
  snprintf(dir, sizeof dir, "%.40s/fusible-XXXXXX", base ? base : "/tmp");
  if (!mkdtemp(dir)) return 2;
  fs_diags_init(&diags);
  test_npy_valid();
  test_npy_hostile();
  test_special_files();
  test_npz();
  test_npz_members();
  test_npz_sparse();
  test_mtx_valid();
  test_mtx_hostile();
  test_csv();
  test_csv_forms();
  test_csv_columns();
  test_csv_others();
  test_csv_blocks();
  test_csv_wide();
  test_truncated("a.npy", "cut.npy");
  test_truncated("c.npy", "cut.npy");
  test_truncated("ok.npz", "cut.npz");
  test_truncated("z64.npz", "cut.npz");
  test_damaged("a.npy", "hit.npy", 4000);
  test_damaged("c.npy", "hit.npy", 4000);
  test_damaged("ok.npz", "hit.npz", 8000);
  test_damaged("z64.npz", "hit.npz", 4000);
  test_damaged("e.mtx", "hit.mtx", 4000);
  test_damaged("c.mtx", "hit.mtx", 4000);
  test_damaged("csr.npz", "hit.npz", 4000);
  test_damaged("iris.csv", "hit.csv", 4000);
  test_damaged("b.csv", "hit.csv", 4000);
  test_save();
  test_save_refused();
  test_save_modes();
  test_foreign_links();
  test_numpy();
  fs_diags_free(&diags);
  char command[100];
  snprintf(command, sizeof command, "rm -rf '%s'", dir);
  if (system(command)) failed++;
  printf("%d passed, %d failed\n", passed, failed);
  return failed || !passed;
}
