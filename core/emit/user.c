/* user.c - a user's routine as a function of CUDA C or C; see user.h. */
#include "core/emit/user.h"

#include "core/base/embed.h"

static const char *type_of(const struct fs_user *u) {
  switch (u->compute) {
    case FS_I32: return "int";
    case FS_I64: return "long long";
    case FS_F64: return "double";
    default: return "float";
  }
}

static bool is_number(const struct fs_user_element *e) {
  return e->type != FS_UT_SMALL;
}

/* -- macros ------------------------------------------------------------------ */

/* `#define FS_AT_A(y, x) fs_a0[(y) * 3 + (x)]` */
static void put_at(const struct fs_user_element *e, int k, struct fs_str *out) {
  if (is_number(e)) return;
  if (e->rank == 1)
    fs_str_printf(out, "#define FS_AT_%s(y) fs_a%d[y]\n", e->name, k);
  else
    fs_str_printf(out, "#define FS_AT_%s(y, x) fs_a%d[(y) * %d + (x)]\n",
                  e->name, k, (int)e->dim[1]);
}

static void put_put(const struct fs_user_element *e, struct fs_str *out) {
  if (is_number(e))
    fs_str_puts(out, "#define FS_PUT(value) (fs_r[0] = (value))\n");
  else if (e->rank == 1)
    fs_str_puts(out, "#define FS_PUT(y, value) (fs_r[y] = (value))\n");
  else
    fs_str_printf(out,
                  "#define FS_PUT(y, x, value) (fs_r[(y) * %d + (x)] = "
                  "(value))\n", (int)e->dim[1]);
}

static void put_macros(const struct fs_user *u, bool cuda, struct fs_str *out) {
  fs_str_printf(out, "#define FS_TYPE %s\n#define FS_C(x) ((FS_TYPE)(x))\n",
                type_of(u));
  if (!u->by_instance) return;
  fs_str_puts(out, "#define FS_AT(name, ...) FS_AT_##name(__VA_ARGS__)\n");
  for (int k = 0; k < u->n_args; k++) put_at(&u->arg[k], k, out);
  put_put(&u->result, out);
  fs_str_printf(out,
                "#define FS_LANES %d\n#define FS_LANE %s\n"
                "#define FS_SCRATCH(k) fs_scratch[k]\n#define FS_SYNC() %s\n",
                cuda ? u->threads : 1, cuda ? "fs_lane" : "0",
                !cuda || u->threads == 1 ? "((void)0)"
                : u->threads > 32 ? "__syncthreads()"
                                  : "__syncwarp(fs_mask)");
}

static void put_undefs(const struct fs_user *u, struct fs_str *out) {
  fs_str_puts(out, "#undef FS_TYPE\n#undef FS_C\n");
  if (!u->by_instance) return;
  fs_str_puts(out, "#undef FS_AT\n#undef FS_PUT\n#undef FS_LANES\n"
                   "#undef FS_LANE\n#undef FS_SCRATCH\n#undef FS_SYNC\n");
  for (int k = 0; k < u->n_args; k++)
    if (!is_number(&u->arg[k]))
      fs_str_printf(out, "#undef FS_AT_%s\n", u->arg[k].name);
}

/* -- the function -------------------------------------------------------------- */

/* The name of a file between quotes of a #line. */
static void put_quoted(const char *name, struct fs_str *out) {
  struct fs_str safe = {0};
  fs_str_put_safe(&safe, name, strlen(name));
  fs_str_puts(out, "\"");
  for (size_t k = 0; k < safe.len; k++)
    if (safe.data[k] == '"' || safe.data[k] == '\\') fs_str_puts(out, "_");
    else fs_str_put(out, safe.data + k, 1);
  fs_str_puts(out, "\"");
  fs_str_free(&safe);
}

static void put_body(const struct fs_user_text *t, const char *file,
                     struct fs_str *out) {
  if (!t->text) {
    fs_str_puts(out, "#error the function has no form for this target\n}\n");
    return;
  }
  fs_str_printf(out, "#line %d ", t->line);
  put_quoted(t->file, out);
  fs_str_printf(out, "\n%s", t->text);
  if (out->data[out->len - 1] != '\n') fs_str_puts(out, "\n");
  int line = 2; /* of what follows the #line below */
  for (size_t k = 0; k < out->len; k++) line += out->data[k] == '\n';
  fs_str_printf(out, "#line %d \"%s\"\n}\n", line, file);
}

static void put_parameters(const struct fs_user *u, struct fs_str *out) {
  for (int k = 0; k < u->n_args; k++) {
    const struct fs_user_element *e = &u->arg[k];
    if (k) fs_str_puts(out, ", ");
    if (is_number(e)) fs_str_printf(out, "FS_TYPE %s", e->name);
    else fs_str_printf(out, "const FS_TYPE *fs_a%d", k);
  }
}

void fs_user_put_name(const struct fs_user *u, struct fs_str *out) {
  fs_str_printf(out, "fs_user_%016llx", (unsigned long long)u->hash);
}

void fs_user_put_cuda(const struct fs_user *u, const char *file,
                      struct fs_str *out) {
  fs_str_printf(out, "// the user's function %s, routine %d\n", u->name,
                u->impl);
  put_macros(u, true, out);
  fs_str_printf(out, "__device__ __forceinline__ %s ",
                u->by_instance ? "void" : "FS_TYPE");
  fs_user_put_name(u, out);
  fs_str_puts(out, "(");
  put_parameters(u, out);
  if (u->by_instance)
    fs_str_printf(out, "%sFS_TYPE *fs_r, FS_TYPE *fs_scratch, int fs_lane, "
                  "unsigned fs_mask", u->n_args ? ", " : "");
  fs_str_puts(out, ") {\n");
  if (u->by_instance)
    fs_str_puts(out, "  (void)fs_scratch, (void)fs_lane, (void)fs_mask;\n");
  put_body(&u->cuda, file, out);
  put_undefs(u, out);
  fs_str_puts(out, "\n");
}

void fs_user_alone_cuda(const struct fs_user *u, struct fs_str *out) {
  fs_user_put_cuda(u, "fusible.cu", out);
  fs_str_printf(out, "extern \"C\" __global__ void fs_kernel(%s *x) {\n  ",
                type_of(u));
  if (!u->by_instance) fs_str_puts(out, "x[0] = ");
  fs_user_put_name(u, out);
  fs_str_puts(out, "(");
  for (int k = 0; k < u->n_args; k++)
    fs_str_printf(out, "%s%s", k ? ", " : "",
                  is_number(&u->arg[k]) ? "x[1]" : "x + 1");
  if (u->by_instance)
    fs_str_printf(out, "%sx, x, threadIdx.x, 0xffffffffu",
                  u->n_args ? ", " : "");
  fs_str_puts(out, ");\n}\n");
}

/* -- C ----------------------------------------------------------------------------- */

/* The call for number, or instance, k: numbers of an argument that varies are at
 * p0[k], a scalar is c1, an element at x2 + k times its length. */
static void put_c_call(const struct fs_user *u, struct fs_str *out) {
  fs_str_puts(out, "fs_user(");
  for (int k = 0; k < u->n_args; k++) {
    const struct fs_user_element *e = &u->arg[k];
    if (k) fs_str_puts(out, ", ");
    if (!is_number(e)) fs_str_printf(out, "x%d + k * %d", k, e->count);
    else if (e->type == FS_UT_SCALAR) fs_str_printf(out, "c%d", k);
    else fs_str_printf(out, "%s%d[k]", u->by_instance ? "x" : "p", k);
  }
  if (u->by_instance) fs_str_printf(out, ", r + k * %d", u->result.count);
  fs_str_puts(out, ");\n");
}

static bool varies(const struct fs_user *u, int k) {
  return u->arg[k].type != FS_UT_SCALAR;
}

static void put_operands(const struct fs_user *u, struct fs_str *out) {
  fs_str_puts(out,
              "FS_EXPORT void fs_entry(void *out, const void *const *in, "
              "unsigned one, long n) {\n  FS_TYPE *const r = out;\n");
  for (int k = 0; k < u->n_args; k++)
    fs_str_printf(out, varies(u, k)
                           ? "  const FS_TYPE *const x%d = in[%d];\n"
                           : "  const FS_TYPE c%d = *(const FS_TYPE *)in[%d];\n",
                  k, k);
}

/* By element: operands that do not vary are spread over a strip, so that one loop
 * over equal strides serves every pattern of them, and is vectorised. */
static void put_strips(const struct fs_user *u, struct fs_str *out) {
  fs_str_puts(out, "  enum { STRIP = 256 };\n"
                   "  const long strip = one ? STRIP : n;\n");
  for (int k = 0; k < u->n_args; k++)
    if (varies(u, k))
      fs_str_printf(out, "  FS_TYPE s%d[STRIP];\n"
                         "  for (long k = 0; one >> %d & 1 && k < n && k < strip;"
                         " k++) s%d[k] = *x%d;\n", k, k, k, k);
  fs_str_puts(out,
              "  for (long at = 0; at < n; at += strip) {\n"
              "    const long m = n - at < strip ? n - at : strip;\n");
  for (int k = 0; k < u->n_args; k++)
    if (varies(u, k))
      fs_str_printf(out, "    const FS_TYPE *const p%d = one >> %d & 1 ? s%d : "
                         "x%d + at;\n", k, k, k, k);
  fs_str_puts(out, "    for (long k = 0; k < m; k++) r[at + k] = ");
  put_c_call(u, out);
  fs_str_puts(out, "  }\n}\n");
}

static void put_instances(const struct fs_user *u, struct fs_str *out) {
  fs_str_puts(out, "  (void)one;\n  for (long k = 0; k < n; k++) ");
  put_c_call(u, out);
  fs_str_puts(out, "}\n");
}

void fs_user_put_c(const struct fs_user *u, struct fs_str *out) {
  const char *prelude = fs_embedded_text("elemlib/native/prelude.h");
  fs_str_puts(out, prelude ? prelude : "#error no prelude\n");
  put_macros(u, false, out);
  fs_str_printf(out, "static inline %s fs_user(",
                u->by_instance ? "void" : "FS_TYPE");
  put_parameters(u, out);
  if (u->by_instance)
    fs_str_printf(out, "%sFS_TYPE *fs_r", u->n_args ? ", " : "");
  else if (!u->n_args)
    fs_str_puts(out, "void");
  fs_str_puts(out, ") {\n");
  if (u->scratch)
    fs_str_printf(out, "  FS_TYPE fs_scratch[%d];\n", u->scratch);
  put_body(&u->c, "fusible.c", out);
  put_operands(u, out);
  if (u->by_instance) put_instances(u, out);
  else put_strips(u, out);
}
