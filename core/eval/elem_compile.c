/* elem_compile.c - see elem_compile.h. */
#include "core/eval/elem_compile.h"

#include <stdio.h>

#include "core/emit/emit.h"
#include "core/emit/user.h"
#include "core/device/cpu/native.h"
#include "core/device/cuda/driver.h"
#include "core/device/cuda/nvrtc.h"

/* -- what a compiler says ---------------------------------------------------------- */

/* One complaint: the line and, from 1, the column in the user's file; the words. */
struct complaint {
  int line, column;
  const char *words;
  size_t len;
  const char *file;   /* as the compiler names it, not ended by a 0 */
  size_t file_len;
};

static int number_at(const char *p, const char **end) {
  int x = 0;
  for (; *p >= '0' && *p <= '9'; p++) x = FS_MIN(x * 10 + (*p - '0'), 1 << 24);
  *end = p;
  return x;
}

static size_t line_length(const char *p) { return strcspn(p, "\n"); }

/* Where the text of a line begins. */
static size_t blanks(const char *p) { return strspn(p, " \t"); }

/* The place before `mark`, "FILE:LINE:COL". */
static void read_place(const char *line, const char *mark, struct complaint *c) {
  const char *p = mark, *end;
  while (p > line && p[-1] >= '0' && p[-1] <= '9') p--;
  c->column = number_at(p, &end);
  if (p > line && p[-1] == ':') p--;
  while (p > line && p[-1] >= '0' && p[-1] <= '9') p--;
  c->line = number_at(p, &end);
  c->file = line;
  c->file_len = (size_t)(p > line ? p - 1 - line : 0);
}

/* "FILE:LINE:COL: error: WORDS" of gcc and clang. */
static bool read_gcc(const char *line, size_t len, struct complaint *c) {
  static const char *const marks[] = {": error: ", ": fatal error: "};
  for (size_t k = 0; k < FS_LEN(marks); k++) {
    const char *mark = memmem(line, len, marks[k], strlen(marks[k]));
    if (!mark) continue;
    read_place(line, mark, c);
    c->words = mark + strlen(marks[k]);
    c->len = (size_t)(line + len - c->words);
    return true;
  }
  return false;
}

/* "FILE(LINE): error: WORDS", the source line, and a caret under it. */
static bool read_nvrtc(const char *line, size_t len, struct complaint *c) {
  static const char mark_text[] = "): error: ";
  const char *mark = memmem(line, len, mark_text, sizeof mark_text - 1);
  const char *p = mark, *end;
  if (!mark) return false;
  while (p > line && p[-1] != '(') p--;
  c->line = number_at(p, &end);
  c->file = line;
  c->file_len = (size_t)(p > line ? p - 1 - line : 0);
  c->words = mark + sizeof mark_text - 1;
  c->len = (size_t)(line + len - c->words);
  c->column = 0;
  const char *shown = line + len + (line[len] == '\n');
  const char *under = shown + line_length(shown);
  under += *under == '\n';
  size_t caret = strcspn(under, "^");
  if (caret < line_length(under) && caret >= blanks(shown))
    c->column = -(int)(caret - blanks(shown)) - 1; /* from the first letter on */
  return true;
}

/* Whether it is about what surrounds the routine in the text that was compiled: its
 * head and its end. */
static bool is_around(const struct complaint *c) {
  static const char *const files[] = {FS_EMIT_FILE, "fusible.c", "<stdin>"};
  for (size_t k = 0; k < FS_LEN(files); k++)
    if (c->file_len == strlen(files[k]) && !strncmp(c->file, files[k], c->file_len))
      return true;
  return false;
}

/* The words, with the user's name for the function. */
static void put_words(const struct complaint *c, const char *name, struct fs_str *out) {
  static const char made[] = "fs_user_";
  const char *end = c->words + FS_MIN(c->len, (size_t)300);
  const char *at = memmem(c->words, (size_t)(end - c->words), made, sizeof made - 1);
  if (at) {
    fs_str_put_safe(out, c->words, (size_t)(at - c->words));
    fs_str_puts(out, name);
    at += sizeof made - 1;
    while (at < end && strchr("0123456789abcdef", *at)) at++;
  }
  if (!at) at = c->words;
  fs_str_put_safe(out, at, (size_t)(end - at));
}

static bool is_letter(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

/* The word at a line and column of a source; the whole routine's head where that is
 * not in the routine. */
static struct fs_span span_of(const struct fs_interp *in,
                              const struct fs_elem_routine *r,
                              const struct complaint *c) {
  const struct fs_source *s = fs_source_get(in->diags, r->span.source);
  if (c->line < r->line) return r->head;
  size_t at = r->span.begin;
  for (int line = r->line; line < c->line; line++) {
    at += line_length(s->text + at);
    if (at >= r->span.end || !s->text[at++]) return r->head;
  }
  size_t len = line_length(s->text + at), first = blanks(s->text + at);
  size_t column = c->column > 0 ? (size_t)c->column - 1
                  : c->column   ? first + (size_t)-c->column - 1
                                : first;
  if (at >= r->span.end || column >= FS_MAX(len, 1)) column = FS_MIN(first, len);
  size_t end = at + column;
  while (end < at + len && is_letter(s->text[end])) end++;
  if (end == at + column) end++;
  return (struct fs_span){r->span.source, (uint32_t)(at + column), (uint32_t)end};
}

/* The routine that has a line of the file; else the one that computes for a target. */
static const struct fs_elem_routine *routine_at(const struct fs_elem *e, int impl,
                                                const char *target, int line) {
  const struct fs_elem_routine *best =
      fs_elem_routine_of(e, "compute", NULL, target, impl);
  if (!best) best = &e->routines.data[0];
  for (int k = 0; k < e->routines.len; k++) {
    const struct fs_elem_routine *r = &e->routines.data[k];
    int last = r->line;
    for (const char *p = r->text; *p; p++) last += *p == '\n';
    if (line >= r->line && line < last) return r;
  }
  return best;
}

/* What gcc finds in a macro of ours is about the word of the file that it stands
 * for, which follows: "FILE:LINE:COL: note: in expansion of macro 'FS_AT'". */
static void find_expansion(const char *text, const char *name,
                           struct complaint *c) {
  static const char mark_text[] = ": note: in expansion of macro";
  size_t len = strlen(name);
  bool ours = c->file_len == len && !strncmp(c->file, name, len);
  for (const char *p = text; *p && !ours; p += line_length(p) + (p[line_length(p)] == '\n')) {
    const char *mark = memmem(p, line_length(p), mark_text, sizeof mark_text - 1);
    struct complaint at = *c;
    if (!mark) continue;
    read_place(p, mark, &at);
    ours = at.file_len == len && !strncmp(at.file, name, len);
    if (ours) *c = at;
  }
}

/* The first complaint is the error; what follows is mostly its consequence. */
static enum fs_status report(struct fs_interp *in, const struct fs_elem *e,
                             int impl, const char *log, bool cuda,
                             const char *type) {
  struct complaint c = {.words = ""};
  bool found = false;
  const char *text = log ? log : "";
  for (const char *p = text; *p && !found; p += line_length(p) + (p[line_length(p)] == '\n'))
    found = read_nvrtc(p, line_length(p), &c) || read_gcc(p, line_length(p), &c);
  if (!found) {
    c.words = text;
    c.len = line_length(text);
  }
  if (found)
    find_expansion(c.words, fs_source_get(in->diags, e->span.source)->name, &c);
  if (is_around(&c)) found = false;
  const struct fs_elem_routine *r =
      routine_at(e, impl, cuda ? "cuda" : "c", found ? c.line : 0);
  struct fs_str words = {0};
  put_words(&c, e->name, &words);
  enum fs_status st = fs_error(
      in->diags, found ? span_of(in, r, &c) : r->head, "elem-compile", NULL,
      "%s, for %s: %s", cuda ? "NVRTC" : "the C compiler", type,
      words.len ? fs_str_text(&words) : "it refused the routine and said nothing");
  fs_str_free(&words);
  return st;
}

/* -- compiling ------------------------------------------------------------------------ */

static bool is_for(const struct fs_elem_routine *r, const char *target) {
  return !strcmp(r->target, target) || !strcmp(r->target, "any");
}

struct forms {
  struct fs_interp *in;
  const struct fs_elem *e;
  const char *no_cuda, *no_c; /* why none was tried */
  char why[512];
};

/* A whole text that only has this function, to see whether it compiles. */
static void put_alone(const struct fs_user *u, struct fs_str *out) {
  static const char *const rest = "x, threadIdx.x, 0xffffffffu);\n";
  fs_user_put_cuda(u, "fusible.cu", out);
  const char *type = fs_dtypes[u->compute].cuda_value;
  fs_str_printf(out, "extern \"C\" __global__ void fs_kernel(%s *x) {\n", type);
  for (int k = 0; k < u->n_args; k++) {
    if (!u->load[k].cuda.text) continue;
    fs_str_puts(out, "  ");
    fs_user_put_move_name(u, k, out);
    fs_str_printf(out, "([=](int k) { return x[k]; }, x, %s", rest);
  }
  fs_str_puts(out, u->by_instance ? "  " : "  x[0] = ");
  fs_user_put_name(u, out);
  fs_str_puts(out, "(");
  for (int k = 0; k < u->n_args; k++)
    fs_str_printf(out, "%s%s", k ? ", " : "", u->arg[k].type != FS_UT_SMALL ? "x[1]" : "x + 1");
  fs_str_puts(out, u->by_instance ? ", x, " : ");\n");
  if (u->by_instance) fs_str_puts(out, rest);
  if (u->store.cuda.text) {
    fs_str_puts(out, "  ");
    fs_user_put_move_name(u, u->n_args, out);
    fs_str_printf(out, "(x, [=](int k, %s value) { x[k] = value; }, %s", fs_dtypes[u->compute].cuda_value, rest);
  }
  fs_str_puts(out, "}\n");
}

static enum fs_status compile_cuda(struct forms *f, const struct fs_user *u,
                                   const char *type) {
  const struct fs_device *d = &f->in->target->device;
  struct fs_str text = {0};
  fs_str_puts(&text, "#pragma nv_diag_error 940\n"); /* a way without a return */
  put_alone(u, &text);
  char arch[32] = "compute_80"; /* PTX: the faults are found without ptxas */
  if (d->cc) fs_nvrtc_arch(d->cc, arch, sizeof arch);
  struct fs_nvrtc_job job = {.source = fs_str_text(&text), .arch = arch};
  fs_nvrtc_compile(&job);
  enum fs_status st = FS_OK;
  if (job.cancelled) st = FS_INTERRUPTED;
  else if (!job.image) st = report(f->in, f->e, u->impl, job.log, true, type);
  free(job.image);
  free(job.log);
  fs_str_free(&text);
  return st;
}

static enum fs_status compile_c(struct forms *f, const struct fs_user *u,
                                const char *type) {
  char *log = NULL;
  const char *why = NULL;
  enum fs_status st = FS_OK;
  if (fs_native_get(u, &log, &why)) return FS_OK;
  if (log) {
    st = report(f->in, f->e, u->impl, log, false, type);
  } else if (fs_interrupted()) {
    st = FS_INTERRUPTED;
  } else {
    snprintf(f->why, sizeof f->why, "%s", why ? why : "");
    f->no_c = f->why;
  }
  free(log);
  return st;
}

static enum fs_status compile_implementation(struct forms *f, int impl) {
  unsigned types = fs_elem_dtypes(f->e);
  enum fs_status st = FS_OK;
  for (enum fs_dtype dt = 0; dt < FS_DTYPE_COUNT && st == FS_OK; dt++) {
    if (!(types >> dt & 1)) continue;
    const struct fs_user *u = fs_elem_form_of(f->in, f->e, dt, impl);
    if (u->cuda.text && !f->no_cuda)
      st = compile_cuda(f, u, fs_dtype_name(dt));
    if (st == FS_OK && u->c.text && !f->no_c)
      st = compile_c(f, u, fs_dtype_name(dt));
  }
  return st;
}

/* What the function cannot do; nothing where all is well. */
static void put_limits(const struct forms *f, bool cuda, bool c,
                       struct fs_str *said) {
  if (!cuda)
    fs_str_puts(said, "  no CUDA form: it runs on the CPU target only\n");
  if (!c)
    fs_str_puts(said, "  no C form: it runs on the CUDA target only\n");
  else if (f->no_c)
    fs_str_printf(said, "  no C form could be built: %s\n", f->no_c);
}

enum fs_status fs_elem_compile(struct fs_interp *in, const struct fs_elem *e,
                               struct fs_str *said) {
  struct forms f = {.in = in, .e = e};
  bool cuda = false, c = false;
  enum fs_status st = FS_OK;
  const char *why = NULL;
  for (int k = 0; k < e->routines.len; k++) {
    bool compute = !strcmp(e->routines.data[k].kind, "compute");
    cuda |= compute && is_for(&e->routines.data[k], "cuda");
    c |= compute && is_for(&e->routines.data[k], "c");
  }
  if (cuda && !fs_nvrtc_load(0, &why)) f.no_cuda = why ? why : "";
  for (int impl = 0; st == FS_OK && (impl = fs_elem_next_impl(e, impl));)
    st = compile_implementation(&f, impl);
  if (st == FS_OK) put_limits(&f, cuda, c, said);
  return st;
}
