/* native_text.c - the C text of a shared object around a user's routines; see native.h. */
#include "core/base/embed.h"
#include "core/device/cpu/native.h"
#include "core/emit/user.h"

static const char *type_of(const struct fs_user *u) { return fs_dtypes[u->compute].cuda_value; }

static bool is_number(const struct fs_user_element *e) { return e->type != FS_UT_SMALL; }

static bool varies(const struct fs_user *u, int k) {
  return u->arg[k].type != FS_UT_SCALAR;
}

static void put_operands(const struct fs_user *u, struct fs_str *out) {
  const char *type = type_of(u);
  fs_str_printf(out,
                "FS_EXPORT void fs_entry(void *out, const void *const *in, "
                "unsigned one, long n) {\n  %s *const r = out;\n", type);
  for (int k = 0; k < u->n_args; k++)
    if (varies(u, k))
      fs_str_printf(out, "  const %s *const x%d = in[%d];\n", type, k, k);
    else
      fs_str_printf(out, "  const %s c%d = *(const %s *)in[%d];\n", type, k, type, k);
}

/* The call for number, or instance, k: numbers of an argument that varies are at
 * p0[k], a scalar is c1, an element at x2 + k times its length, or y2 where a load
 * has brought it. */
static void put_c_call(const struct fs_user *u, struct fs_str *out) {
  fs_str_puts(out, "fs_user(");
  for (int k = 0; k < u->n_args; k++) {
    const struct fs_user_element *e = &u->arg[k];
    if (k) fs_str_puts(out, ", ");
    if (u->load[k].c.text) fs_str_printf(out, "y%d", k);
    else if (!is_number(e)) fs_str_printf(out, "x%d + k * %d", k, e->count);
    else if (!varies(u, k)) fs_str_printf(out, "c%d", k);
    else fs_str_printf(out, "%s%d[k]", u->by_instance ? "x" : "p", k);
  }
  if (u->by_instance && u->store.c.text) fs_str_puts(out, ", z, scratch");
  else if (u->by_instance)
    fs_str_printf(out, ", r + k * %d, scratch", u->result.count);
  fs_str_puts(out, ");\n");
}

/* By element: operands that do not vary are spread over a strip, so that one loop
 * over equal strides serves every pattern of them, and is vectorised. */
static void put_strips(const struct fs_user *u, struct fs_str *out) {
  const char *type = type_of(u);
  fs_str_puts(out, "  enum { STRIP = 256 };\n"
                   "  const long strip = one ? STRIP : n;\n");
  for (int k = 0; k < u->n_args; k++)
    if (varies(u, k))
      fs_str_printf(out, "  %s s%d[STRIP];\n  for (long k = 0; one >> %d & 1 && k < n && k < strip;"
                         " k++) s%d[k] = *x%d;\n", type, k, k, k, k);
  fs_str_puts(out, "  for (long at = 0; at < n; at += strip) {\n"
                   "    const long m = n - at < strip ? n - at : strip;\n");
  for (int k = 0; k < u->n_args; k++)
    if (varies(u, k))
      fs_str_printf(out, "    const %s *const p%d = one >> %d & 1 ? s%d : x%d + at;\n", type, k,
                    k, k, k);
  fs_str_puts(out, "    for (long k = 0; k < m; k++) r[at + k] = ");
  put_c_call(u, out);
  fs_str_puts(out, "  }\n}\n");
}

static void put_instances(const struct fs_user *u, struct fs_str *out) {
  const char *type = type_of(u);
  fs_str_puts(out, "  (void)one;\n  for (long k = 0; k < n; k++) {\n");
  if (u->scratch) fs_str_printf(out, "    %s scratch[%d];\n", type, u->scratch);
  else fs_str_printf(out, "    %s *const scratch = 0;\n", type);
  for (int k = 0; k < u->n_args; k++)
    if (u->load[k].c.text)
      fs_str_printf(out, "    %s y%d[%d];\n    fs_load%d(x%d + k * %d, y%d, scratch);\n", type, k,
                    u->arg[k].chip_count, k, k, u->arg[k].count, k);
  if (u->store.c.text) fs_str_printf(out, "    %s z[%d];\n", type, u->result.chip_count);
  fs_str_puts(out, "    ");
  put_c_call(u, out);
  if (u->store.c.text)
    fs_str_printf(out, "    fs_store(z, r + k * %d, scratch);\n", u->result.count);
  fs_str_puts(out, "  }\n}\n");
}

void fs_native_put_text(const struct fs_user *u, struct fs_str *out) {
  const char *prelude = fs_embedded_text("elemlib/native/prelude.h");
  fs_str_puts(out, prelude ? prelude : "#error no prelude\n");
  fs_user_put_c(u, out);
  put_operands(u, out);
  if (u->by_instance) put_instances(u, out);
  else put_strips(u, out);
}
