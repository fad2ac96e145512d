/* body.c - see body.h.
 *
 * The text is the region in C, with the expressions of core/graph/ops.def in the types in which
 * the routines of elemlib/cpu compute them, and what they call (elemlib/cpu/scalar.h). A function
 * of the mathematical library is its routine on one lane, since its vector form has other bits
 * than the library's own. */
#include "core/device/cpu/body.h"

#include <math.h>
#include <stdio.h>

#include "core/base/embed.h"
#include "core/device/cpu/native.h"

enum { MOST_CALLS = 32, PATIENCE = 1 << 16 /* rounds between two looks for an interrupt */ };
static const double WORTH = 0.02; /* seconds of interpreted runs; a compilation takes 0.2 */

enum state { INTERPRETED, COMPILES, COMPILED, FAILED };

struct fs_body {
  struct fs_region region;
  int n_results, results[FS_BODY_RESULTS];
  uint64_t hash;
  int users;
  enum state state;
  double spent;
  double best[2];            /* least seconds for an element: interpreted, as code; 0: not known */
  fs_body_fn *entry, *runs;  /* its code; what runs now, NULL: it is interpreted */
  int n_calls;
  fs_map_fn *call[MOST_CALLS];
  char why[160];
  struct fs_body *next;
};

static struct {
  struct fs_body *list, *at;   /* at: the one that is being compiled */
  struct fs_native_job job;
  enum fs_bodies mode;
  bool known;
} all;

enum fs_bodies fs_bodies_mode(void) {
  const char *set = getenv("FUSIBLE_REGIONS");
  if (!all.known && set && !strcmp(set, "now")) all.mode = FS_BODIES_NOW;
  if (!all.known && set && !strcmp(set, "off")) all.mode = FS_BODIES_OFF;
  all.known = true;
  return all.mode;
}

void fs_bodies_set(enum fs_bodies mode) {
  fs_bodies_mode();
  all.mode = mode;
}

/* -- the text ------------------------------------------------------------------- */

static const char *const types[] = {[FS_CT_BOOL] = "fs_u8", [FS_CT_I32] = "fs_i32",
                                    [FS_CT_I64] = "fs_i64", [FS_CT_U64] = "fs_u64",
                                    [FS_CT_F32] = "fs_f32", [FS_CT_F64] = "fs_f64"};

static enum fs_ctype type_of(const struct fs_region *r, int reg) {
  return fs_ctype_of(r->registers[reg].dtype);
}

/* By operation: its expression, or NULL of a function of the library. */
#define WAY_NONE(c) #c
#define WAY_LOOP(c) #c
#define WAY_MOD(c) #c
#define WAY_VECTOR(c) #c
#define WAY_MATH(c) NULL
static const char *const expressions[FS_MAP_OP_COUNT] = {
#define FS_MAP_OP(id, name, arity, types, result, commutes, infix, cuda, way, c, ...) \
  [FS_OP_##id] = WAY_##way(c),
#include "core/graph/ops.def"
};

static void put_number(const struct fs_region_register *x, struct fs_str *out) {
  double f = x->number.f;
  const char *type = types[fs_ctype_of(x->dtype)];
  if (!fs_dtype_is_float(x->dtype))
    fs_str_printf(out, "(%s)%lluu", type, (unsigned long long)x->number.i);
  else if (isnan(f)) fs_str_printf(out, "(%s)%s__builtin_nan(\"\")", type, signbit(f) ? "-" : "");
  else if (isinf(f)) fs_str_printf(out, "(%s)%s__builtin_inf()", type, f < 0 ? "-" : "");
  else fs_str_printf(out, "(%s)%a", type, f);
}

static void put_operand(const struct fs_region *r, int reg, char name, struct fs_str *out) {
  fs_str_printf(out, "%s %c = ", types[type_of(r, reg)], name);
  fs_region_put_value(r, put_number, reg, out);
  fs_str_puts(out, "; ");
}

static bool is_call(const struct fs_region_step *s) {
  return s->code == FS_RG_MAP && !expressions[s->op];
}

/* The number of a call among those of the region; all of one operation on one type are one. */
static int call_number(const struct fs_region *r, const struct fs_region_step *s) {
  bool seen[FS_MAP_OP_COUNT][FS_CT_COUNT] = {{false}};
  int n = 0;
  for (int k = 0; k < r->n_steps; k++) {
    const struct fs_region_step *x = &r->steps[k];
    if (!is_call(x)) continue;
    enum fs_ctype type = type_of(r, x->src[0]);
    if (x->op == s->op && type == type_of(r, s->src[0])) return n;
    n += !seen[x->op][type];
    seen[x->op][type] = true;
  }
  return n;
}

static void put_cast(enum fs_ctype from, enum fs_ctype to, struct fs_str *out) {
  bool real = from == FS_CT_F32 || from == FS_CT_F64;
  if (to == FS_CT_BOOL) fs_str_puts(out, "x != 0");
  else if (real && to < FS_CT_F32)
    fs_str_printf(out, "%s_of_%s(x)", types[to] + 3, types[from] + 3);
  else fs_str_printf(out, "(%s)x", types[to]);
}

/* `{ fs_f32 x = r1; fs_f32 y = r2; r3 = (fs_f32)((U)x + (U)y); }` */
static void put_map(const struct fs_region *r, const struct fs_region_step *s,
                    struct fs_str *out) {
  static const char names[] = "xyz";
  bool where = s->op == FS_OP_WHERE;
  enum fs_ctype from = type_of(r, s->src[where]), to = type_of(r, s->to);
  fs_str_puts(out, "{ ");
  for (int k = 0; k < s->n_src; k++) put_operand(r, s->src[k], names[k], out);
  if (is_call(s)) {
    fs_str_printf(out, "%s o; call[%d](&o, &x, &%c, &x, 1); r%d = o; }\n", types[to],
                  call_number(r, s), names[s->n_src - 1], s->to);
    return;
  }
  const char *wrap = from == FS_CT_I32 ? "uint32_t" : from == FS_CT_I64 ? "uint64_t" : types[from];
  fs_str_printf(out, "r%d = (%s)(", s->to, types[to]);
  if (s->op == FS_OP_CAST) put_cast(from, to, out);
  for (const char *p = s->op == FS_OP_CAST ? "" : expressions[s->op]; *p;) {
    bool cast = !strncmp(p, "(U)", 3);
    if (cast) fs_str_printf(out, "(%s)", wrap);
    else fs_str_put(out, p, 1);
    p += cast ? 3 : 1;
  }
  fs_str_puts(out, "); }\n");
}

static void put_registers(const struct fs_region *r, struct fs_str *out) {
  for (int k = 0; k < r->n_registers; k++) {
    const char *type = types[type_of(r, k)];
    switch (r->registers[k].kind) {
      case FS_RR_OPERAND: fs_str_printf(out, "    %s r%d = p%d[k * d%d];\n", type, k, k, k); break;
      case FS_RR_VARIABLE:
      case FS_RR_TEMPORARY: fs_str_printf(out, "    %s r%d = 0;\n", type, k); break;
      case FS_RR_TABLE:
      case FS_RR_CONSTANT: break;
    }
  }
}

void fs_body_put(const struct fs_body *b, struct fs_str *out) {
  const struct fs_region *r = &b->region;
  const char *head = fs_embedded_text("elemlib/cpu/scalar.h");
  const struct fs_region_words words = {
      put_map, put_number, "if (!(++rounds & 0xffff) && stop()) return;"};
  fs_str_puts(out, head ? head : "#error no head\n");
  fs_str_puts(out, "#define op_root(x) _Generic((x), fs_f32: __builtin_sqrtf((fs_f32)(x)), \\\n"
              "  fs_f64: __builtin_sqrt((fs_f64)(x)))\n"
              "typedef void fs_map_fn(void *, const void *, const void *, const void *, int64_t);\n"
              "__attribute__((visibility(\"default\"))) void fs_entry(\n"
              "    void *const *out, const void *const *in, const int64_t *stride, unsigned one,\n"
              "    int64_t n, bool (*stop)(void), fs_map_fn *const *call) {\n"
              "  unsigned rounds = 0;\n  (void)stride, (void)one, (void)call;\n");
  for (int k = 0; k < r->n_operands; k++) {
    bool table = r->registers[k].kind == FS_RR_TABLE;
    fs_str_printf(out, "  const %s *%c%d = in[%d];\n", types[type_of(r, k)], table ? 'r' : 'p', k, k);
    fs_str_printf(out, table ? "  const int64_t n%d = stride[%d];\n"
                             : "  const int64_t d%d = !(one >> %d & 1);\n", k, k);
  }
  for (int k = 0; k < b->n_results; k++)
    fs_str_printf(out, "  %s *o%d = out[%d];\n", types[type_of(r, b->results[k])], k, k);
  fs_str_puts(out, "  for (int64_t k = 0; k < n; k++) {\n");
  put_registers(r, out);
  fs_region_put_steps(r, &words, 4, out);
  for (int k = 0; k < b->n_results; k++)
    fs_str_printf(out, "    o%d[k] = r%d;\n", k, b->results[k]);
  fs_str_puts(out, "  }\n}\n");
}

/* -- bodies ----------------------------------------------------------------------- */

static uint64_t hash_of(const struct fs_region *r, int n, const int *results) {
  struct fs_region same = *r;
  same.result = 0;
  return fs_hash(results, sizeof *results * (size_t)n, fs_region_hash(&same));
}

static void find_calls(struct fs_body *b, const struct fs_routines *routines) {
  const struct fs_region *r = &b->region;
  for (int k = 0; k < r->n_steps; k++) {
    const struct fs_region_step *s = &r->steps[k];
    int n = is_call(s) ? call_number(r, s) : -1;
    if (n >= 0 && n < MOST_CALLS) b->call[n] = routines->map[s->op][type_of(r, s->src[0])][0];
    b->n_calls = FS_MAX(b->n_calls, n + 1);
  }
}

struct fs_body *fs_body_get(const struct fs_region *r, int n_results, const int *results,
                            const struct fs_routines *routines) {
  uint64_t hash = fs_hash(&routines, sizeof routines, hash_of(r, n_results, results));
  for (struct fs_body *b = all.list; b; b = b->next)
    if (b->hash == hash) return b->users++, b;
  size_t registers = sizeof *r->registers * FS_REGION_REGISTERS;
  size_t steps = sizeof *r->steps * (size_t)r->n_steps;
  struct fs_body *b = fs_calloc(1, sizeof *b + registers + steps);
  char *behind = (char *)(b + 1);
  struct fs_region_register *own = (struct fs_region_register *)behind;
  memcpy(own, r->registers, sizeof *own * (size_t)r->n_registers);
  struct fs_region_step *all_steps = memcpy(behind + registers, r->steps, steps);
  b->n_results = n_results;
  memcpy(b->results, results, sizeof *results * (size_t)n_results);
  if (!fs_region_tidy(r, &b->region, own, all_steps, n_results, b->results)) {
    b->region = *r;
    b->region.registers = memcpy(own, r->registers, sizeof *own * (size_t)r->n_registers);
    b->region.steps = memcpy(all_steps, r->steps, steps);
  }
  b->hash = hash;
  find_calls(b, routines);
  b->users = 1;
  b->next = all.list;
  return all.list = b;
}

/* Machine code stays, as the loader keeps it. */
void fs_body_drop(struct fs_body *b) {
  if (!b || --b->users || b->state == COMPILED || b == all.at) return;
  struct fs_body **at = &all.list;
  while (*at != b) at = &(*at)->next;
  *at = b->next;
  free(b);
}

const struct fs_region *fs_body_region(const struct fs_body *b) { return &b->region; }

void fs_body_run(const struct fs_body *b, const struct fs_region_call *c) {
  if (b->runs) b->runs(c->out, c->in, c->stride, c->one, c->n, fs_interrupted, b->call);
  else fs_region_run(&b->region, b->n_results, b->results, c);
}

/* -- compiling ---------------------------------------------------------------------- */

static void fail(struct fs_body *b, const char *why) {
  b->state = FAILED;
  snprintf(b->why, sizeof b->why, "%s", why);
}

static bool begin(struct fs_body *b, bool behind) {
  struct fs_str text = {0};
  const char *why = NULL;
  if (b->n_calls > MOST_CALLS) return fail(b, "it calls too many functions"), false;
  fs_body_put(b, &text);
  bool begun = fs_native_begin(&all.job, &text, behind, &why);
  fs_str_free(&text);
  if (!begun) return fail(b, why), false;
  b->state = COMPILES;
  all.at = b;
  return true;
}

/* The one that is being compiled, if that has ended. */
static void finish(void) {
  struct fs_body *b = all.at;
  const char *why = NULL;
  void *entry = fs_native_end(&all.job, NULL, &why);
  all.at = NULL;
  if (entry) {
    memcpy(&b->entry, &entry, sizeof entry);
    b->state = COMPILED;
  } else {
    fail(b, why);
  }
  if (b->users) return;
  b->users = 1;
  fs_body_drop(b);
}

static void compile_now(struct fs_body *b) {
  while (all.at && all.at != b) {
    if (!fs_native_wait(&all.job)) return;
    finish();
  }
  if (!all.at && !begin(b, false)) return;
  if (fs_native_wait(&all.job)) {
    finish();
  } else { /* Ctrl-C: another time */
    fs_native_cancel(&all.job);
    all.at = NULL;
    b->state = INTERPRETED;
  }
}

/* Routines have many lanes at once: where all take the same steps, code may take longer. */
static bool is_slower(const struct fs_body *b) {
  return b->best[0] > 0 && b->best[1] > b->best[0];
}

void fs_body_prepare(struct fs_body *b) {
  enum fs_bodies mode = fs_bodies_mode();
  if (mode != FS_BODIES_OFF && all.at && fs_native_has_ended(&all.job)) finish();
  bool worth = !b->n_calls && b->spent >= WORTH && fs_native_has_room();
  if (b->state == INTERPRETED && mode == FS_BODIES_BEHIND && worth && !all.at) begin(b, true);
  if ((b->state == INTERPRETED || b->state == COMPILES) && mode == FS_BODIES_NOW) compile_now(b);
  b->runs = mode == FS_BODIES_OFF || (mode == FS_BODIES_BEHIND && is_slower(b)) ? NULL : b->entry;
}

void fs_body_spent(struct fs_body *b, double seconds, double elements) {
  double *best = &b->best[b->runs != NULL], each = seconds / FS_MAX(elements, 1);
  if (!b->runs) b->spent += seconds;
  if (seconds > 0 && !(*best > 0 && *best < each)) *best = each;
}

bool fs_body_is_compiled(const struct fs_body *b, const char **why) {
  *why = fs_bodies_mode() == FS_BODIES_OFF ? ""
         : b->state == COMPILES ? "it is being compiled"
         : b->state == FAILED ? b->why
         : b->entry           ? "that takes less time"
         : b->n_calls         ? "its functions are computed for many rounds at once"
                              : "";
  return b->runs != NULL;
}

void fs_bodies_close(void) {
  if (!all.at) return;
  fs_native_cancel(&all.job);
  all.at->state = INTERPRETED;
  all.at = NULL;
}
