/* cuda_c_asis.c - kernels that are to run as they are written: see cuda_c.h.
 *
 * Of the words only the heads of kernels are read: names, and types of parameters. The text for
 * the compiler is the file without what is the host's: lines of #include, functions that are not
 * a GPU's, variables. All else keeps its line. */
#include "core/lang/cuda_c_call.h"
#include "core/lang/cuda_c_read.h"

#include <stdlib.h>

/* -- the text ------------------------------------------------------------------------- */

struct text {
  const char *from;
  size_t len, done;
  struct fs_str out;
};

/* The source up to there. */
static void copy_to(struct text *t, size_t at) {
  if (at <= t->done || at > t->len) return;
  fs_str_put(&t->out, t->from + t->done, at - t->done);
  t->done = at;
}

/* From there to the end of a part nothing but its lines. */
static void blank(struct text *t, size_t begin, size_t end) {
  copy_to(t, begin);
  for (; t->done < end && t->done < t->len; t->done++)
    if (t->from[t->done] == '\n') fs_str_puts(&t->out, "\n");
}

static void drop_includes(char *text) {
  for (char *line = text; *line;) {
    size_t len = strcspn(line, "\n");
    char *at = line + strspn(line, " \t");
    bool is = *at == '#';
    if (is) at += 1 + strspn(at + 1, " \t");
    if (is && (!strncmp(at, "include", 7) || !strncmp(at, "pragma once", 11)))
      memset(line, ' ', len);
    line += len + (line[len] == '\n');
  }
  char *to = text;
  for (const char *from = text; *from; from++) { /* nothing but blanks at the end of a line */
    while (*from == '\n' && to > text && to[-1] == ' ') to--;
    *to++ = *from;
  }
  while (to > text + 1 && to[-1] == '\n' && to[-2] == '\n') to--;
  *to = 0;
}

/* OpenCL C as CUDA C. */
static const char dialect[] =
    "#define __kernel __global__\n#define kernel __global__\n"
    "#define __global\n#define global\n#define __private\n#define restrict __restrict__\n"
    "#define __const const\n"
    "#define __constant const\n#define constant const\n"
    "#define __local __shared__\n#define local __shared__\n"
    "#define fs_axis(d, v) ((size_t)((d) == 0 ? v.x : (d) == 1 ? v.y : v.z))\n"
    "#define get_local_id(d) fs_axis(d, threadIdx)\n"
    "#define get_group_id(d) fs_axis(d, blockIdx)\n"
    "#define get_local_size(d) fs_axis(d, blockDim)\n"
    "#define get_num_groups(d) fs_axis(d, gridDim)\n"
    "#define get_global_id(d) (get_group_id(d)*get_local_size(d) + get_local_id(d))\n"
    "#define get_global_size(d) (get_num_groups(d)*get_local_size(d))\n"
    "#define barrier(flags) __syncthreads()\n"
    "#define CLK_LOCAL_MEM_FENCE 1\n#define CLK_GLOBAL_MEM_FENCE 2\n"
    "typedef unsigned char uchar;\ntypedef unsigned short ushort;\n"
    "typedef unsigned int uint;\ntypedef unsigned long ulong;\n"
    "#define mad fma\n#define native_exp expf\n#define native_log logf\n"
    "#define native_sqrt sqrtf\n#define native_rsqrt rsqrtf\n#define native_sin sinf\n"
    "#define native_cos cosf\n#define native_powr powf\n"
    "#define atomic_add atomicAdd\n#define atomic_min atomicMin\n#define atomic_max atomicMax\n"
    "#define atomic_inc(p) atomicAdd(p, 1)\n#define atomic_dec(p) atomicAdd(p, -1)\n";

/* What headers have that are not there: a line for each name that a text has. */
static const struct { const char *name, *line; } headers[] = {
    {"INFINITY", "#define INFINITY __int_as_float(0x7f800000)"},
    {"NAN", "#define NAN __int_as_float(0x7fffffff)"},
    {"CUDART_INF_F", "#define CUDART_INF_F __int_as_float(0x7f800000)"},
    {"CUDART_PI_F", "#define CUDART_PI_F 3.141592654f"},
    {"FLT_MAX", "#define FLT_MAX 3.402823466e+38f"},
    {"FLT_MIN", "#define FLT_MIN 1.175494351e-38f"},
    {"FLT_EPSILON", "#define FLT_EPSILON 1.192092896e-07f"},
    {"DBL_MAX", "#define DBL_MAX 1.7976931348623158e+308"},
    {"DBL_EPSILON", "#define DBL_EPSILON 2.2204460492503131e-16"},
    {"INT_MAX", "#define INT_MAX 2147483647"},
    {"INT_MIN", "#define INT_MIN (-2147483647 - 1)"},
    {"M_PI", "#define M_PI 3.14159265358979323846"},
    {"M_PI_F", "#define M_PI_F 3.14159265358979323846f"},
    {"M_E", "#define M_E 2.7182818284590452354"},
    {"int8_t", "typedef signed char int8_t;"},
    {"uint8_t", "typedef unsigned char uint8_t;"},
    {"int16_t", "typedef short int16_t;"},
    {"uint16_t", "typedef unsigned short uint16_t;"},
    {"int32_t", "typedef int int32_t;"},
    {"uint32_t", "typedef unsigned int uint32_t;"},
    {"int64_t", "typedef long int64_t;"},
    {"uint64_t", "typedef unsigned long uint64_t;"}};

/* -- types ---------------------------------------------------------------------------- */

/* Types by their C names; lanes are told by a digit behind. */
static const struct { const char *word; char kind; int bytes; } types[] = {
    {"bool", 'b', 1},     {"char", 'i', 1},     {"short", 'i', 2},    {"int", 'i', 4},
    {"long", 'i', 8},     {"float", 'f', 4},    {"double", 'f', 8},   {"half", 'f', 2},
    {"__half", 'f', 2},   {"uchar", 'u', 1},    {"ushort", 'u', 2},   {"uint", 'u', 4},
    {"ulong", 'u', 8},    {"unsigned", 'u', 4}, {"signed", 'i', 4},   {"size_t", 'u', 8},
    {"int8_t", 'i', 1},   {"uint8_t", 'u', 1},  {"int16_t", 'i', 2},  {"uint16_t", 'u', 2},
    {"int32_t", 'i', 4},  {"uint32_t", 'u', 4}, {"int64_t", 'i', 8},  {"uint64_t", 'u', 8}};

struct named_type { const char *name; struct fs_c_own own; };
/* Where a kernel is in the text that comes. */
struct place { const char *name; size_t begin, end; };

struct heads {
  struct fs_c_reader p;      /* words and errors */
  struct text text;
  const char *file;
  bool opencl;
  FS_VEC(struct named_type) named;
  FS_VEC(const char *) unset; /* constants that a host sets */
  FS_VEC(struct place) places;
  FS_VEC(struct fs_c_kernel) all;
};

/* A word of a type, into what was read of it; false: it is none. */
static bool type_word(const struct heads *h, const char *word, struct fs_c_own *own) {
  char base[12];
  size_t len = strlen(word);
  int lanes = 1;
  if (len > 2 && len < sizeof base && strchr("2348", word[len - 1]) && word[len - 2] > '9')
    lanes = word[--len] - '0';
  for (int k = 0; k < h->named.len; k++)
    if (!strcmp(h->named.data[k].name, word)) {
      bool is_const = own->is_const;
      *own = h->named.data[k].own;
      own->is_const |= is_const;
      return true;
    }
  if (len >= sizeof base) return false;
  memcpy(base, word, len);
  base[len] = 0;
  for (size_t k = 0; k < FS_LEN(types); k++) {
    if (strcmp(types[k].word, base)) continue;
    bool sign = !strcmp(base, "unsigned") || !strcmp(base, "signed");
    bool no_sign = own->kind == 'u' && types[k].kind == 'i';
    bool had = own->bytes && (sign || !strcmp(base, "int"));
    own->kind = no_sign ? 'u' : types[k].kind;
    if (!had) own->bytes = types[k].bytes;
    own->lanes = lanes;
    return true;
  }
  return false;
}

/* -- heads ---------------------------------------------------------------------------- */

static const struct fs_c_token *word_at(const struct heads *h, int at) {
  return &h->p.words.data[FS_MIN(at, h->p.words.len - 1)];
}

static bool sign_at(const struct heads *h, int at, const char *sign) {
  return word_at(h, at)->kind == FS_CT_SIGN && !strcmp(word_at(h, at)->text, sign);
}

static bool name_at(const struct heads *h, int at, const char *name) {
  return word_at(h, at)->kind == FS_CT_NAME && !strcmp(word_at(h, at)->text, name);
}

/* Behind the bracket that closes the one there. */
static int behind(const struct heads *h, int at) {
  int open = 0;
  for (; word_at(h, at)->kind != FS_CT_END; at++) {
    const struct fs_c_token *t = word_at(h, at);
    if (t->kind != FS_CT_SIGN || t->text[1]) continue;
    open += (strchr("([{", *t->text) != NULL) - (strchr(")]}", *t->text) != NULL);
    if (!open) return at + 1;
  }
  return at;
}

/* One parameter, of words [at, end). */
static bool head_param(struct heads *h, int at, int end, struct fs_c_param *out,
                       struct fs_c_own *own) {
  int stars = 0, name = -1;
  const char *unread = "a parameter of a kernel as it is written is a number, or a pointer to "
                       "numbers";
  *out = (struct fs_c_param){.span = word_at(h, at)->span};
  *own = (struct fs_c_own){.lanes = 1};
  for (int k = at; k < end; k++) {
    const struct fs_c_token *t = word_at(h, k);
    if (sign_at(h, k, "*")) stars++;
    else if (sign_at(h, k, "[")) {
      stars += !stars;
      k = behind(h, k) - 1;
    } else if (t->kind != FS_CT_NAME) {
      return fs_c_refuse(&h->p, t->span, unread);
    } else if (!strcmp(t->text, "__local") || (h->opencl && !strcmp(t->text, "local"))) {
      return fs_c_refuse(&h->p, t->span, "memory that a launch gives is not given to a kernel as "
                                         "it is written");
    } else if (fs_c_is_qualifier(&h->p, t->text)) {
      own->is_const |= !stars && strstr(t->text, "const") != NULL;
    } else if (!stars && type_word(h, t->text, own)) {
      continue;
    } else if (own->bytes && name < 0) {
      name = k;
    } else {
      return fs_c_refuse(&h->p, t->span, unread);
    }
  }
  if (name < 0 || stars > 1) return fs_c_refuse(&h->p, word_at(h, at)->span, unread);
  out->name = word_at(h, name)->text;
  out->span = word_at(h, name)->span;
  out->array = stars > 0;
  out->writes = out->reads = out->array;
  if (own->is_const) out->writes = false;
  out->type = own->kind == 'b' ? FS_C_BOOL : own->kind != 'f' && own->bytes == 8 ? FS_C_I64
              : own->kind != 'f' ? FS_C_I32 : own->bytes == 2 ? FS_C_F16
              : own->bytes == 8 ? FS_C_F64 : FS_C_F32;
  return true;
}

/* Behind the name of a kernel, at its bracket. */
static bool head_params(struct heads *h, int at, struct fs_c_kernel *out) {
  enum { MOST = 32 };
  struct fs_c_param *params = FS_NEW_N(h->p.arena, struct fs_c_param, MOST);
  struct fs_c_own *own = FS_NEW_N(h->p.arena, struct fs_c_own, MOST);
  int end = behind(h, at) - 1, n = 0;
  bool none = at + 1 == end || (at + 2 == end && name_at(h, at + 1, "void"));
  for (int from = at + 1, k = from; !none && k <= end; k++) {
    if (k < end && !sign_at(h, k, ",")) {
      if (sign_at(h, k, "[") || sign_at(h, k, "(")) k = behind(h, k) - 1;
      continue;
    }
    if (n == MOST || from >= k)
      return fs_c_refuse(&h->p, word_at(h, k)->span, "a kernel has up to 32 parameters");
    if (!head_param(h, from, k, &params[n], &own[n])) return false;
    n++;
    from = k + 1;
  }
  out->n_params = n;
  out->params = params;
  out->own = own;
  return true;
}

/* Which axes of threads the words of a kernel name. */
static int axes_in(const struct heads *h, int at, int end) {
  int most = 1;
  for (; at < end; at++) {
    const struct fs_c_token *t = word_at(h, at);
    if (t->kind != FS_CT_NAME) continue;
    bool cuda = !strcmp(t->text, "threadIdx") || !strcmp(t->text, "blockIdx");
    bool opencl = !strncmp(t->text, "get_", 4) && sign_at(h, at + 1, "(");
    if (cuda && word_at(h, at + 2)->kind == FS_CT_NAME)
      most = FS_MAX(most, *word_at(h, at + 2)->text - 'x' + 1);
    if (opencl && word_at(h, at + 2)->kind == FS_CT_NUMBER)
      most = FS_MAX(most, (int)word_at(h, at + 2)->number + 1);
    if (fs_c_is_thread(t->text)) most = FS_MAX(most, t->text[2] - 'x' + 1);
  }
  return FS_MIN(most, 3);
}

/* typedef float real; */
static void take_typedef(struct heads *h, int at, int end) {
  struct named_type n = {.own = {.lanes = 1}};
  bool good = true;
  for (int k = at + 1; k < end - 2; k++)
    good &= word_at(h, k)->kind == FS_CT_NAME && type_word(h, word_at(h, k)->text, &n.own);
  n.name = word_at(h, end - 2)->text;
  if (good && n.own.bytes && word_at(h, end - 2)->kind == FS_CT_NAME) *FS_PUSH(&h->named) = n;
}

/* -- declarations --------------------------------------------------------------------- */

static bool is_kernel_word(const struct heads *h, const char *w) {
  return !strcmp(w, "__global__") || !strcmp(w, "__kernel") || (h->opencl && !strcmp(w, "kernel"));
}

/* What stands outside of functions, of words [at, end). */
struct declaration {
  int at, end, name;         /* name: of a kernel, in front of its bracket; -1: it is none */
  bool device, function, fixed, is_template;
};

static struct declaration find_declaration(const struct heads *h, int at) {
  struct declaration d = {.at = at, .name = -1};
  bool kernel = false, assigned = false;
  int k = at;
  for (; word_at(h, k)->kind != FS_CT_END; k++) {
    const struct fs_c_token *t = word_at(h, k);
    bool word = t->kind == FS_CT_NAME;
    kernel |= word && is_kernel_word(h, t->text);
    d.device |= word && (!strcmp(t->text, "__device__") || !strcmp(t->text, "__constant__"));
    d.fixed |= word && (!strcmp(t->text, "const") || !strcmp(t->text, "constexpr") ||
                        !strcmp(t->text, "typedef") || !strcmp(t->text, "struct") ||
                        !strcmp(t->text, "enum") || !strcmp(t->text, "__constant"));
    d.is_template |= word && !strcmp(t->text, "template");
    assigned |= sign_at(h, k, "=");
    if (sign_at(h, k, ";")) break;
    if (sign_at(h, k, "(") && k > at) {
      bool attribute = name_at(h, k - 1, "__launch_bounds__") ||
                       name_at(h, k - 1, "__attribute__");
      if (kernel && !attribute && d.name < 0) d.name = k - 1;
      d.function |= !attribute && !assigned;
      k = behind(h, k) - 1;
    } else if (sign_at(h, k, "{")) {
      k = behind(h, k);
      if (d.function && !assigned) {
        d.end = k;
        return d;
      }
      k--;
    }
  }
  d.end = FS_MIN(k + 1, h->p.words.len - 1);
  return d;
}

static void take_kernel(struct heads *h, const struct declaration *d, bool linked) {
  const struct fs_c_token *t = word_at(h, d->name);
  if (t->kind != FS_CT_NAME) {
    fs_c_fail(&h->p, t->span, "kernel-syntax", NULL, "expected the name of a kernel");
    return;
  }
  struct fs_c_kernel k = {.name = t->text, .span = t->span};
  struct place place = {.name = t->text};
  copy_to(&h->text, word_at(h, d->at)->span.begin);
  place.begin = h->text.out.len;
  if (!linked) fs_str_puts(&h->text.out, "extern \"C\" ");
  copy_to(&h->text, word_at(h, d->end - 1)->span.end);
  place.end = h->text.out.len;
  *FS_PUSH(&h->places) = place;
  if (!sign_at(h, d->end - 1, "}") || (h->p.only && strcmp(h->p.only, t->text))) return;
  if (d->is_template) {
    fs_c_refuse(&h->p, t->span, "a kernel as it is written is no template");
    return;
  }
  for (int w = d->name; w < d->end; w++)
    for (int c = 0; c < h->unset.len; c++)
      if (name_at(h, w, h->unset.data[c])) {
        fs_c_refuse(&h->p, word_at(h, w)->span,
                    "this constant is set by a host, which does not run");
        return;
      }
  k.whole = fs_span_join(word_at(h, d->at)->span, word_at(h, d->end - 1)->span);
  k.axes = axes_in(h, d->name, d->end);
  if (head_params(h, d->name + 1, &k)) *FS_PUSH(&h->all) = k;
}

static void take_declaration(struct heads *h, const struct declaration *d, bool linked) {
  size_t begin = word_at(h, d->at)->span.begin, end = word_at(h, d->end - 1)->span.end;
  if (d->name >= 0) {
    take_kernel(h, d, linked);
    return;
  }
  if (name_at(h, d->at, "typedef")) take_typedef(h, d->at, d->end);
  bool device = d->device || h->opencl || d->is_template;
  if (d->function ? !device : !d->device && !d->fixed) blank(&h->text, begin, end);
  bool constant = false, set = false;
  int name = -1;
  for (int k = d->at; k < d->end && !d->function; k++) {
    constant |= name_at(h, k, "__constant__");
    set |= sign_at(h, k, "=");
    if (name < 0 && (sign_at(h, k, "[") || sign_at(h, k, ";"))) name = k - 1;
  }
  if (constant && !set && name > d->at) *FS_PUSH(&h->unset) = word_at(h, name)->text;
}

static void read_heads(struct heads *h) {
  int braces = 0;
  for (int at = 0; h->p.st == FS_OK && word_at(h, at)->kind != FS_CT_END;) {
    bool linked = braces > 0;
    int begin = at;
    if (sign_at(h, at, ";") || (braces && sign_at(h, at, "}"))) {
      braces -= sign_at(h, at++, "}");
      continue;
    }
    if (name_at(h, at, "extern") && word_at(h, at + 1)->kind == FS_CT_STRING) {
      at += 2;
      if (sign_at(h, at, "{")) {
        braces++, at++;
        continue;
      }
      linked = true;
    }
    struct declaration d = find_declaration(h, at);
    if (d.end <= at) break;
    d.at = begin;
    take_declaration(h, &d, linked);
    at = d.end;
  }
}

/* -- the body, where it is read ------------------------------------------------------- */

/* Takes what was said behind the first n away: the first error of it, as one line. */
static const char *take_back(struct fs_arena *arena, struct fs_diags *d, int n) {
  const char *out = NULL;
  for (int k = n; k < d->list.len && !out; k++) {
    int line, column;
    fs_span_position(d, d->list.data[k].span, &line, &column);
    out = fs_arena_printf(arena, "%d:%d: %s", line, column, d->list.data[k].message);
  }
  fs_diags_cut(d, n);
  return out;
}

/* The same kernel as it is read, where it is. */
static void understand(struct heads *h, uint32_t source, struct fs_c_kernel *k) {
  struct fs_c_kernel *read = NULL, head = *k;
  int n = 0, before = h->p.diags->list.len;
  enum fs_status st = fs_c_read(h->p.diags, h->p.arena, source, k->name, h->p.given_block, &n,
                                &read);
  const char *why = take_back(h->p.arena, h->p.diags, before);
  for (int x = 0; x < n && st == FS_OK; x++) {
    if (strcmp(read[x].name, k->name) || read[x].n_params != k->n_params) continue;
    *k = read[x];
    k->own = head.own;
    k->axes = head.axes;
    for (int p = 0; p < k->n_params; p++)
      k->understood &= k->params[p].array == head.params[p].array;
    if (k->understood) return;
  }
  *k = head;
  k->why = why ? why : "it has another form";
}

static void put_text(struct heads *h, struct fs_c_kernel *k) {
  struct fs_str all = {0};
  if (h->opencl) fs_str_puts(&all, dialect);
  for (size_t n = 0; n < FS_LEN(headers); n++) {
    bool has = false;
    for (int w = 0; w < h->p.words.len && !has; w++) has = name_at(h, w, headers[n].name);
    bool macro = !strncmp(headers[n].line, "#define", 7);
    if (has && macro)
      fs_str_printf(&all, "#ifndef %s\n%s\n#endif\n", headers[n].name, headers[n].line);
    else if (has) fs_str_printf(&all, "%s\n", headers[n].line);
  }
  for (int a = 0; a < 3; a++)
    if (k->bare[a])
      fs_str_printf(&all, "#define id%c (int)(blockIdx.%c*blockDim.%c + threadIdx.%c)\n", 'x' + a,
                    'x' + a, 'x' + a, 'x' + a);
  fs_str_puts(&all, "#line 1 \"");
  for (const char *p = h->file; *p; p++)
    if (*p != '"' && *p != '\\' && *p != '\n') fs_str_put(&all, p, 1);
  fs_str_puts(&all, "\"\n");
  size_t head = all.len;
  struct text text = {.from = fs_str_text(&h->text.out), .len = h->text.out.len, .out = all};
  for (int x = 0; x < h->places.len; x++) /* what is wrong in others does not matter */
    if (strcmp(h->places.data[x].name, k->name))
      blank(&text, h->places.data[x].begin, h->places.data[x].end);
  copy_to(&text, text.len);
  all = text.out;
  drop_includes(all.data + head);
  k->text = fs_arena_strndup(h->p.arena, fs_str_text(&all), strlen(fs_str_text(&all)));
  fs_str_free(&all);
}

enum fs_status fs_c_read_as_is(struct fs_diags *diags, struct fs_arena *arena, uint32_t source,
                               const char *name, const char *only, const int64_t *block,
                               int *n, struct fs_c_kernel **out) {
  const struct fs_source *s = fs_source_get(diags, source);
  struct heads h = {.p = {.diags = diags, .arena = arena, .only = only, .given_block = block},
                    .file = name,
                    .text = {.from = s->text, .len = s->len}};
  h.p.st = fs_c_lex(diags, arena, source, &h.p.words);
  for (int k = 0; k < h.p.words.len && h.p.st == FS_OK; k++)
    h.opencl |= name_at(&h, k, "__kernel") ||
                (name_at(&h, k, "kernel") && name_at(&h, k + 1, "void"));
  h.p.cuda = !h.opencl;
  if (h.p.st == FS_OK) read_heads(&h);
  copy_to(&h.text, h.text.len);
  if (h.p.st == FS_OK && !h.places.len)
    fs_c_fail(&h.p, word_at(&h, h.p.words.len - 1)->span, "kernel-subset", NULL,
              "there is no kernel in the file");
  *n = h.all.len;
  *out = FS_NEW_N(arena, struct fs_c_kernel, h.all.len ? h.all.len : 1);
  for (int k = 0; k < h.all.len && h.p.st == FS_OK; k++) {
    understand(&h, source, &h.all.data[k]);
    put_text(&h, &h.all.data[k]);
    (*out)[k] = h.all.data[k];
  }
  fs_str_free(&h.text.out);
  FS_VEC_FREE(&h.p.words);
  FS_VEC_FREE(&h.named);
  FS_VEC_FREE(&h.unset);
  FS_VEC_FREE(&h.places);
  FS_VEC_FREE(&h.all);
  return h.p.st;
}

/* -- a call --------------------------------------------------------------------------- */

static void find_threads(const struct fs_c_call *c, struct fs_c_geometry *out) {
  for (int s = 0; s < c->n_syms; s++) {
    const struct fs_c_sym *sym = &c->sym[s];
    if (sym->kind != FS_C_THREAD || !sym->known) continue;
    int axis = sym->name[strlen(sym->name) - 1] - 'x';
    bool block = *sym->name == 'b', thread = *sym->name == 't';
    (block ? out->blocks : thread ? out->of_block : out->threads)[axis] = sym->value;
    for (int g = 0; g < c->guards.len; g++) out->guarded[axis] |= c->guards.data[g].sym == s;
  }
}

enum fs_status fs_c_geometry(struct fs_diags *diags, struct fs_arena *arena,
                             const struct fs_c_kernel *k, struct fs_c_given *given,
                             struct fs_c_geometry *out) {
  struct fs_c_call c = {.diags = diags, .arena = arena, .k = k, .given = given};
  *out = (struct fs_c_geometry){.threads = {0}};
  c.array = FS_NEW_N(arena, struct fs_c_array, k->n_params ? k->n_params : 1);
  for (int p = 0; p < k->n_params; p++) {
    c.array[p] = (struct fs_c_array){.known = given[p].given, .rank = given[p].rank};
    memcpy(c.array[p].dim, given[p].dim, sizeof given[p].dim);
  }
  enum fs_status st = fs_c_solve(&c);
  if (st == FS_OK) find_threads(&c, out);
  for (int p = 0; p < k->n_params && st == FS_OK; p++) {
    if (given[p].given) continue;
    given[p].rank = c.array[p].rank;
    memcpy(given[p].dim, c.array[p].dim, sizeof given[p].dim);
    for (int s = 0; s < c.n_syms && !k->params[p].array; s++)
      if (c.sym[s].kind == FS_C_SCALAR && c.sym[s].known &&
          !strcmp(c.sym[s].name, k->params[p].name))
        given[p].known = true, given[p].number = (double)c.sym[s].value;
  }
  FS_VEC_FREE(&c.accesses);
  FS_VEC_FREE(&c.guards);
  return st;
}
