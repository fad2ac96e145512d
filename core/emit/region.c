/* region.c - a region as a function of CUDA C: see region.h. */
#include "core/emit/region.h"

#include <math.h>

#include "core/emit/user.h"
#include "core/graph/graph.h"

static const char *type_of(enum fs_dtype dt) {
  return fs_dtypes[fs_dtype_compute(dt)].cuda_value;
}

/* The instruction makes 0 of NaN only from 32 bits to 32 (PTX ISA, cvt). */
void fs_cast_put_cuda(enum fs_dtype to, enum fs_dtype from, const char *x, struct fs_str *out) {
  const char *word = from == FS_F64 ? "double" : "float";
  bool clips = fs_dtype_is_float(from) && fs_dtype_is_integer(to);
  const char *integer = fs_dtype_compute(to) == FS_I32 ? "int" : to == FS_U64 ? "ull" : "ll";
  const char *end = clips && fs_dtype_converts(to) ? ")" : "";
  if (*end) fs_str_printf(out, "fs_clip_%s(", fs_dtype_name(to));
  if (to == FS_BOOL && from != FS_BOOL) fs_str_printf(out, "%s != 0", x);
  else if (clips && from != FS_F64 && *integer == 'i') fs_str_printf(out, "__float2int_rz(%s)", x);
  else if (clips) fs_str_printf(out, "%s == %s ? __%s2%s_rz(%s) : 0", x, x, word, integer, x);
  else fs_str_printf(out, "(%s)%s", type_of(to), x);
  fs_str_puts(out, end);
}

static void put_number(const struct fs_region_register *x, struct fs_str *out) {
  double f = x->number.f;
  if (!fs_dtype_is_float(x->dtype)) {
    const char *ends = x->dtype == FS_U64 ? "ULL" : x->dtype == FS_I64 ? "LL" : "";
    fs_str_printf(out, "%lld%s", (long long)x->number.i, ends); /* -1ULL is the largest */
  } else if (!isfinite(f)) {
    fs_str_printf(out, "(%s)__longlong_as_double(0x%sLL)", type_of(x->dtype),
                  isnan(f) ? "7ff8000000000000" : f > 0 ? "7ff0000000000000" : "fff0000000000000");
  } else {
    fs_str_printf(out, f < 0 || signbit(f) ? "(%a%s)" : "%a%s", f, x->dtype == FS_F64 ? "" : "f");
  }
}

/* An operation by its pattern in ops.def. */
static void put_map(const struct fs_region *r, const struct fs_region_step *s, struct fs_str *out) {
  const char *p = fs_map_ops[s->op].cuda;
  enum fs_dtype from = r->registers[s->src[0]].dtype;
  enum fs_dtype to = r->registers[s->to].dtype;
  fs_str_printf(out, "r%d = ", s->to);
  if (fs_dtype_converts(to)) fs_str_printf(out, "fs_round_%s(", fs_dtype_name(to));
  if (s->op == FS_OP_CAST) {
    struct fs_str x = {0};
    fs_region_put_value(r, put_number, s->src[0], &x);
    fs_cast_put_cuda(to, from, fs_str_text(&x), out);
    fs_str_free(&x);
    p = "";
  }
  for (; *p; p++)
    if (p[0] == '{' && p[1] && p[2] == '}') {
      if (p[1] == 'f') fs_str_puts(out, from == FS_F32 ? "f" : "");
      else if (p[1] != 't') fs_region_put_value(r, put_number, s->src[p[1] - '0'], out);
      p += 2;
    } else {
      fs_str_put(out, p, 1);
    }
  fs_str_puts(out, fs_dtype_converts(to) ? ");\n" : ";\n");
}

/* A compiler may take a loop without effects to end; a user's that does not is ended by Ctrl-C,
 * and never has a result. */
static const struct fs_region_words words = {put_map, put_number, "asm volatile(\"\");"};

void fs_region_put_cuda(const struct fs_user *u, struct fs_str *out) {
  const struct fs_region *r = u->region;
  fs_str_printf(out, "// %s\n__device__ __forceinline__ %s ", u->name, type_of(u->compute));
  fs_user_put_name(u, out);
  for (int k = 0; k < r->n_operands; k++) {
    bool table = r->registers[k].kind == FS_RR_TABLE;
    fs_str_printf(out, table ? "%sconst %s *r%d" : "%s%s r%d", k ? ", " : "(",
                  type_of(r->registers[k].dtype), k);
    if (table) fs_str_printf(out, ", long long n%d", k);
  }
  fs_str_puts(out, r->n_operands ? ") {\n" : "() {\n");
  for (int k = r->n_operands; k < r->n_registers; k++)
    if (r->registers[k].kind != FS_RR_CONSTANT)
      fs_str_printf(out, "  %s r%d = 0;\n", type_of(r->registers[k].dtype), k);
  fs_region_put_steps(r, &words, 2, out);
  fs_str_printf(out, "  return r%d;\n}\n\n", r->result);
}
