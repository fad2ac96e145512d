/* files.c - arrays from and to files: the format goes by the file's ending. */
#include <strings.h>

#include "core/eval/files.h"
#include "core/eval/witness.h"

enum format { NPY, NPZ, MTX, CSV, SAFETENSORS, HDF5, PGM, PPM, PNG, UNKNOWN };

/* The endings of names, and what is special. The first of a format is its own. */
static const struct {
  const char *ending;
  enum format format;
  bool loads_only;  /* numbers in lines, by others: they are read as .csv, and not written */
} endings[] = {{".npy", NPY, false}, {".npz", NPZ, false}, {".mtx", MTX, false},
               {".csv", CSV, false}, {".tsv", CSV, true}, {".txt", CSV, true}, {".dat", CSV, true},
               {".safetensors", SAFETENSORS, false}, {".h5", HDF5, false}, {".hdf5", HDF5, false},
               {".pgm", PGM, false}, {".ppm", PPM, false}, {".png", PNG, false}};

static bool has_names(enum format f) { return f == NPZ || f == SAFETENSORS || f == HDF5; }

static bool ends_with(const char *path, const char *ending) {
  size_t len = strlen(path), end = strlen(ending);
  return len > end && !strcasecmp(path + len - end, ending);
}

static const char *ending_of(enum format f) {
  size_t k = 0;
  while (endings[k].format != f) k++;
  return endings[k].ending;
}

/* To be saved, or loaded. */
static enum format format_of(const char *path, bool load) {
  for (size_t k = 0; k < FS_LEN(endings); k++)
    if (ends_with(path, endings[k].ending) && (load || !endings[k].loads_only))
      return endings[k].format;
  return UNKNOWN;
}

bool fs_file_is_loadable(const char *text) {
  return format_of(text, true) != UNKNOWN;
}

static enum fs_status unknown_format(const struct fs_file_ctx *ctx) {
  return fs_file_error(ctx, "name it .npy, .npz, .mtx, .csv, .h5, .safetensors, .pgm, .ppm or .png",
                       "the name does not end in a known file type");
}

/* "data/A.npy" gives "A". */
static char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  return fs_strndup(name, dot ? (size_t)(dot - name) : strlen(name));
}

static enum fs_status read_format(struct fs_reader *r, enum format format,
                                  const struct fs_load_how *how,
                                  struct fs_arrays *out) {
  if (format == NPZ) return fs_npz_read(r, how, out);
  if (format == SAFETENSORS) return fs_safetensors_read(r, how, out);
  if (format == HDF5) return fs_hdf5_read(r, how, out);
  char *name = base_name(r->ctx->path);
  struct fs_array *a = FS_PUSH(&out->list);
  *a = (struct fs_array){.name = name};
  return format == NPY                    ? fs_npy_read(r, a)
         : format == MTX                  ? fs_mtx_read(r, how, a)
         : format == PNG                  ? fs_png_read(r, a)
         : format == PGM || format == PPM ? fs_pnm_read(r, a)
                                          : fs_csv_read(r, how, a);
}

/* One character, or its name. */
static char separator_of(const char *text) {
  static const struct { const char *name; char c; } named[] = {
    {"tab", '\t'}, {"space", ' '}, {"comma", ','}, {"semicolon", ';'}};
  for (size_t k = 0; k < FS_LEN(named); k++)
    if (!strcmp(text, named[k].name)) return named[k].c;
  bool good = text[0] && !text[1] && !strchr("\"#\r\n.+-eE", text[0]) &&
              !(text[0] >= '0' && text[0] <= '9');
  return good ? text[0] : 0;
}

enum fs_status fs_load_option(const struct fs_file_ctx *ctx, const char *text,
                              struct fs_load_how *how, bool *taken) {
  const char *equals = strchr(text, '='), *value = equals ? equals + 1 : "";
  size_t len = equals ? (size_t)(equals - text) : 0;
  const char *problem = NULL;
  *taken = true;
  if (len == 4 && !strncmp(text, "skip", len)) {
    char *end;
    how->skip = strtoll(value, &end, 10);
    if (*end || end == value || how->skip < 0)
      problem = "skip= takes how many lines to leave out: skip=2";
  } else if (len == 3 && !strncmp(text, "sep", len)) {
    how->separator = separator_of(value);
    if (!how->separator)
      problem = "sep= takes one character between fields, or tab, space, comma, "
                "semicolon: sep=;";
  } else if (len == 7 && !strncmp(text, "decimal", len)) {
    how->point = value[0];
    if (strcmp(value, ",") && strcmp(value, "."))
      problem = "decimal= takes the decimal point of the numbers: decimal=,";
  } else {
    *taken = false;
  }
  if (!problem && how->point && how->point == how->separator)
    problem = "the separator and the decimal point must differ";
  return problem ? fs_file_error(ctx, NULL, "%s", problem) : FS_OK;
}

enum fs_status fs_arrays_load(const struct fs_file_ctx *ctx,
                              const struct fs_load_how *how,
                              struct fs_arrays *out) {
  *out = (struct fs_arrays){0};
  enum format format = format_of(ctx->path, true);
  if (format == UNKNOWN) return unknown_format(ctx);
  if (how->member && !has_names(format) && format != CSV)
    return fs_file_error(ctx, NULL,
                         "only .npz, .h5 and .safetensors files have members, and .csv files columns");
  if (format != CSV && (how->skip || how->separator || how->point))
    return fs_file_error(ctx, NULL, "skip=, sep= and decimal= are for .csv files");
  struct fs_reader r;
  enum fs_status st = fs_reader_open(ctx, &r);
  if (st) return st;
  jmp_buf out_of_memory;
  jmp_buf *volatile old = fs_oom_guard(&out_of_memory);
  if (setjmp(out_of_memory)) {
    fs_oom_guard(old);
    fs_reader_close(&r);
    fs_oom_raise();
  }
  st = read_format(&r, format, how, out);
  fs_oom_guard(old);
  fs_reader_close(&r);
  if (st) fs_arrays_free(out);
  return st;
}

static enum fs_status check_sources(const struct fs_file_ctx *ctx,
                                    enum format format, int n,
                                    const struct fs_array_source *sources) {
  if (format == UNKNOWN) return unknown_format(ctx);
  if (n < 1) return fs_file_error(ctx, NULL, "there is nothing to save");
  if (!has_names(format) && n > 1)
    return fs_file_error(ctx, "save them as .npz",
                         "a %s file holds one array, not %d", ending_of(format),
                         n);
  if ((format == MTX || format == CSV) && sources[0].shape.rank > 2)
    return fs_file_error(ctx, "save it as .npy",
                         "a %s file holds matrices, this value has %d "
                         "dimensions",
                         ending_of(format), sources[0].shape.rank);
  if (format == CSV && sources[0].complex)
    return fs_file_error(ctx, "save re(z) and im(z), or z as .npy",
                         "a .csv file holds real numbers, and this value is complex");
  return FS_OK;
}

static enum fs_status write_format(struct fs_writer *w, enum format format,
                                   int n,
                                   const struct fs_array_source *sources) {
  switch (format) {
    case NPY: return fs_npy_write(w, sources);
    case NPZ: return fs_npz_write(w, n, sources);
    case MTX: return fs_mtx_write(w, sources);
    case SAFETENSORS: return fs_safetensors_write(w, n, sources);
    case HDF5: return fs_hdf5_write(w, n, sources);
    case PNG: return fs_png_write(w, sources);
    case PGM: case PPM: return fs_pnm_write(w, sources, format == PPM);
    default: return fs_csv_write(w, sources);
  }
}

enum fs_status fs_arrays_save(const struct fs_file_ctx *ctx, int n,
                              const struct fs_array_source *sources) {
  enum format format = format_of(ctx->path, false);
  enum fs_status st = check_sources(ctx, format, n, sources);
  struct fs_writer w;
  if (!st && !fs_witness_save()) return FS_OK;
  if (!st) st = fs_writer_open(ctx, &w);
  if (st) return st;
  jmp_buf out_of_memory;
  jmp_buf *volatile old = fs_oom_guard(&out_of_memory);
  if (setjmp(out_of_memory)) { /* no half-written file stays */
    fs_oom_guard(old);
    fs_writer_drop(&w);
    fs_oom_raise();
  }
  st = write_format(&w, format, n, sources);
  if (!st) st = fs_writer_commit(&w);
  else fs_writer_drop(&w);
  fs_oom_guard(old);
  return st;
}
