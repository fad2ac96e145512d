/* user.c - a user's routines as functions of CUDA C or C; see user.h. */
#include "core/emit/user.h"

/* A routine, and what its access macros mean. */
enum part { COMPUTE, LOAD, STORE };
struct routine {
  const struct fs_user *u;
  enum part part;
  int arg;      /* LOAD */
  bool cuda;
};

static const char *type_of(const struct fs_user *u) { return fs_dtypes[u->compute].cuda_value; }

static bool is_number(const struct fs_user_element *e) {
  return e->type != FS_UT_SMALL;
}

static const struct fs_user_text *text_of(const struct routine *r) {
  const struct fs_user *u = r->u;
  const struct fs_user_move *m = r->part == LOAD ? &u->load[r->arg] : &u->store;
  if (r->part == COMPUTE) return r->cuda ? &u->cuda : &u->c;
  return r->cuda ? &m->cuda : &m->c;
}

static int threads_of(const struct routine *r) {
  return r->part == COMPUTE ? r->u->threads
         : r->part == LOAD  ? r->u->load[r->arg].threads : r->u->store.threads;
}

/* -- macros ------------------------------------------------------------------ */

/* The parameters of a macro for an element, "(y, x", and its index. */
static const char *indices(int rank) {
  return rank == 2 ? "y, x" : rank == 1 ? "y" : "";
}

static void put_index(int rank, const int64_t *dim, struct fs_str *out) {
  if (rank == 2) fs_str_printf(out, "(y) * %d + (x)", (int)dim[1]);
  else fs_str_puts(out, rank ? "(y)" : "0");
}

/* `#define FS_AT_A(y, x) fs_a0[(y) * 3 + (x)]`: on chip, or what a load asks for,
 * which in a kernel is a call. */
static void put_at(const struct routine *r, int k, struct fs_str *out) {
  const struct fs_user_element *e = &r->u->arg[k];
  bool memory = r->part == LOAD, call = (memory || r->u->streams) && r->cuda;
  if (is_number(e)) return;
  int rank = memory ? e->rank : e->chip_rank;
  fs_str_printf(out, "#define FS_AT_%s(%s) ", e->name, indices(rank));
  if (memory) fs_str_puts(out, call ? "fs_in(" : "fs_in[");
  else if (call) fs_str_printf(out, "fs_a%d(", k);
  else fs_str_printf(out, "fs_a%d[", k);
  put_index(rank, memory ? e->dim : e->chip, out);
  fs_str_puts(out, call ? ")\n" : "]\n");
}

/* `#define FS_PUT(y, x, value) (fs_r[(y) * 3 + (x)] = (value))` */
static void put_put(const struct routine *r, struct fs_str *out) {
  const struct fs_user_element *e = r->part == LOAD ? &r->u->arg[r->arg] : &r->u->result;
  bool memory = r->part == STORE, call = memory && r->cuda;
  int rank = memory ? e->rank : e->chip_rank;
  if (r->u->streams) {
    fs_str_puts(out, "#define FS_PUT(k, re, im) fs_r(k, re, im)\n");
    return;
  }
  fs_str_printf(out, "#define FS_PUT(%s%svalue) %s", indices(rank),
                rank ? ", " : "", call ? "fs_out(" : "(fs_r[");
  put_index(rank, memory ? e->dim : e->chip, out);
  fs_str_puts(out, call ? ", (value))\n" : "] = (value))\n");
}

static void put_macros(const struct routine *r, struct fs_str *out) {
  const struct fs_user *u = r->u;
  int threads = threads_of(r);
  fs_str_printf(out, "#define FS_TYPE %s\n#define FS_C(x) ((FS_TYPE)(x))\n", type_of(u));
  if (!u->by_instance) return;
  fs_str_puts(out, "#define FS_AT(name, ...) FS_AT_##name(__VA_ARGS__)\n");
  for (int k = 0; k < u->n_args && r->part != STORE; k++)
    if (r->part == COMPUTE || k == r->arg) put_at(r, k, out);
  if (r->part == STORE) {
    fs_str_printf(out, "#define FS_RESULT(%s) fs_in[", indices(u->result.chip_rank));
    put_index(u->result.chip_rank, u->result.chip, out);
    fs_str_puts(out, "]\n");
  }
  put_put(r, out);
  fs_str_printf(out,
                "#define FS_LANES %d\n#define FS_LANE %s\n"
                "#define FS_SCRATCH(k) fs_scratch[k]\n#define FS_SYNC() %s\n",
                r->cuda ? threads : 1, r->cuda ? "fs_lane" : "0",
                !r->cuda || threads == 1 ? "((void)0)"
                : threads > 32           ? "__syncthreads()" : "__syncwarp(fs_mask)");
}

static void put_undefs(const struct routine *r, struct fs_str *out) {
  const struct fs_user *u = r->u;
  fs_str_puts(out, "#undef FS_TYPE\n#undef FS_C\n");
  if (!u->by_instance) return;
  fs_str_puts(out, "#undef FS_AT\n#undef FS_PUT\n#undef FS_LANES\n"
                   "#undef FS_LANE\n#undef FS_SCRATCH\n#undef FS_SYNC\n");
  if (r->part == STORE) fs_str_puts(out, "#undef FS_RESULT\n");
  for (int k = 0; k < u->n_args && r->part != STORE; k++)
    if (!is_number(&u->arg[k]) && (r->part == COMPUTE || k == r->arg))
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

static void put_body(const struct fs_user_text *t, const char *file, struct fs_str *out) {
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

/* What a routine is given and where it puts what it makes. */
static void put_parameters(const struct routine *r, struct fs_str *out) {
  const struct fs_user *u = r->u;
  if (r->part == LOAD)
    fs_str_printf(out, "%s fs_in, FS_TYPE *fs_r", r->cuda ? "FS_IN" : "const FS_TYPE *");
  if (r->part == STORE)
    fs_str_printf(out, "const FS_TYPE *fs_in, %s", r->cuda ? "FS_OUT fs_out" : "FS_TYPE *fs_r");
  for (int k = 0; k < u->n_args && r->part == COMPUTE; k++) {
    const struct fs_user_element *e = &u->arg[k];
    if (k) fs_str_puts(out, ", ");
    if (is_number(e)) fs_str_printf(out, "FS_TYPE %s", e->name);
    else if (u->streams) fs_str_printf(out, "FS_IN%d fs_a%d", k, k);
    else fs_str_printf(out, "const FS_TYPE *fs_a%d", k);
  }
  if (!u->by_instance) return;
  if (r->part == COMPUTE) fs_str_puts(out, u->streams ? ", FS_OUT fs_r" : ", FS_TYPE *fs_r");
  fs_str_puts(out, ", FS_TYPE *fs_scratch");
  if (r->cuda) fs_str_puts(out, ", int fs_lane, unsigned fs_mask");
}

void fs_user_put_name(const struct fs_user *u, struct fs_str *out) {
  fs_str_printf(out, "fs_user_%016llx", (unsigned long long)u->hash);
}

void fs_user_put_move_name(const struct fs_user *u, int arg, struct fs_str *out) {
  fs_user_put_name(u, out);
  if (arg < u->n_args) fs_str_printf(out, "_load%d", arg);
  else fs_str_puts(out, "_store");
}

/* In a kernel a load is given what computes a number of its element, and a store
 * what takes one: so these are templates. */
static void put_cuda(const struct routine *r, const char *file, struct fs_str *out) {
  const struct fs_user *u = r->u;
  static const char *const words[] = {"", ": how it has ", ": how its result leaves"};
  fs_str_printf(out, "// the user's function %s, routine %d%s%s\n", u->name, u->impl,
                words[r->part], r->part == LOAD ? u->arg[r->arg].name : "");
  if (fs_small_may_fail(u->small))
    fs_str_puts(out, "#ifndef FS_FAULTS\n#define FS_FAULTS // which instance failed first\n"
                     "__device__ unsigned long long fs_fault;\n#endif\n");
  put_macros(r, out);
  if (r->part != COMPUTE)
    fs_str_printf(out, "template <class %s>\n", r->part == LOAD ? "FS_IN" : "FS_OUT");
  else if (u->streams)
    fs_str_printf(out, "template <class FS_IN0, %sclass FS_OUT>\n",
                  u->n_args > 1 ? "class FS_IN1, " : "");
  fs_str_printf(out, "__device__ __forceinline__ %s ", u->by_instance ? "void" : "FS_TYPE");
  if (r->part == COMPUTE) fs_user_put_name(u, out);
  else fs_user_put_move_name(u, r->part == LOAD ? r->arg : u->n_args, out);
  fs_str_puts(out, "(");
  put_parameters(r, out);
  fs_str_puts(out, ") {\n");
  if (u->by_instance) fs_str_puts(out, "  (void)fs_scratch, (void)fs_lane, (void)fs_mask;\n");
  put_body(text_of(r), file, out);
  put_undefs(r, out);
  fs_str_puts(out, "\n");
}

/* The routines that there are for a target: loads, the function, the store. */
static void each_routine(const struct fs_user *u, bool cuda,
                         void (*put)(const struct routine *r, const char *file, struct fs_str *out),
                         const char *file, struct fs_str *out) {
  for (int k = 0; k < u->n_args; k++) {
    struct routine load = {u, LOAD, k, cuda};
    if (text_of(&load)->text) put(&load, file, out);
  }
  put(&(struct routine){u, COMPUTE, 0, cuda}, file, out);
  struct routine store = {u, STORE, 0, cuda};
  if (text_of(&store)->text) put(&store, file, out);
}

void fs_user_put_cuda(const struct fs_user *u, const char *file, struct fs_str *out) {
  each_routine(u, true, put_cuda, file, out);
}

/* -- C ----------------------------------------------------------------------------- */

static void put_c(const struct routine *r, const char *file, struct fs_str *out) {
  const struct fs_user *u = r->u;
  put_macros(r, out);
  fs_str_printf(out, "static inline %s fs_%s", u->by_instance ? "void" : "FS_TYPE",
                r->part == COMPUTE ? "user(" : r->part == STORE ? "store(" : "load");
  if (r->part == LOAD) fs_str_printf(out, "%d(", r->arg);
  put_parameters(r, out);
  fs_str_puts(out, ") {\n");
  if (u->by_instance) fs_str_puts(out, "  (void)fs_scratch;\n");
  put_body(text_of(r), file, out);
  put_undefs(r, out);
}

void fs_user_put_c(const struct fs_user *u, struct fs_str *out) {
  each_routine(u, false, put_c, "fusible.c", out);
}
