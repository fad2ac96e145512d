/* emit.c - a kernel plan as one CUDA C text: head comment, prelude pieces, and
 * the scheme's skeleton with what the other files of this folder wrote.
 */
#include "core/emit/emit.h"

#include "core/base/embed.h"
#include "core/emit/writer.h"
#include "core/plan/plan.h"

static void write_arguments(const struct fs_writer *w, bool has_work) {
  struct fs_str list = {0};
  for (int k = 0; k < w->args->out->n_slots; k++)
    fs_str_printf(&list, "%s`global void *s%d", k ? ", " : "", k);
  for (int k = 0; k < w->args->out->n_params; k++)
    fs_str_printf(&list, "%s%s p%d", list.len ? ", " : "",
                  fs_param_text(w->args->out->param_type[k]), k);
  if (w->how->any_size) w_size(w, w_mode(w)->rows ? w->how->m : w->how->tasks);
  if (w->how->any_size && w_mode(w)->strips) { /* for w_constants() */
    w_size(w, w->how->strips);
    w_size(w, fs_ceil_div(w->how->m, (int64_t)w->how->sides * w->how->rows));
  }
  for (int k = 0; k < w->args->out->n_sizes; k++)
    fs_str_printf(&list, "%sfs_index size%d", list.len ? ", " : "", k);
  if (has_work) fs_str_printf(&list, "%s`global void *work", list.len ? ", " : "");
  if (w->args->grid) w_grid_arguments(w, &list);
  for (int k = 0; k < w->args->out->n_maps; k++)
    fs_str_printf(&list, ", const __grid_constant__ fs_tensor_map m%d", k);
  w_line(w, "%s", fs_str_text(&list));
  fs_str_free(&list);
}

/* -- skeleton ------------------------------------------------------------------------ */

static const struct {
  void (*write)(const struct fs_writer *w);
  const char *text;
} modes[FS_MODES] = {
#define FS_MODE(id, name, traits, write, constants, text) \
  [FS_MODE_##id] = {write, text},
#include "core/schedule/modes.def"
};

static const char *skeleton(const struct fs_writer *w) {
  const struct fs_kernel *k = w->how->kernel;
  const char *text = modes[w->how->mode].text;
  if (k->everywhere) text = "everywhere";
  else if (!w_mode(w)->rows && w->args->grid && k->copies && w->args->grid->waits) text = "last";
  else if (k->mirrors) text = "mirror";
  else if (w_mode(w)->holds && w->how->cluster > 1) text = "cluster";
  else if (w->how->march && w->how->quick) text = "march_quick";
  return w_fmt(w, "elemlib/scheme/%s.cuh", text);
}

/* Copies the skeleton, without its opening comment; a line `//: row` is where the
 * statements of the place `row` stand, as far in as the line. */
static void fill(const struct fs_writer *w, const char *text, struct fs_str *out) {
  bool opening = true;
  for (const char *p = text; *p;) {
    size_t n = strcspn(p, "\n"), blank = strspn(p, " ");
    if (blank > n) blank = n;
    if (opening && n >= 2 && !memcmp(p, "//", 2)) {
      p += n + (p[n] == '\n');
      continue;
    }
    opening = false;
    if (n - blank > 4 && !memcmp(p + blank, "//: ", 4)) {
      const struct fs_lp *place = fs_lp_place(w->lp->all, p + blank + 4, n - blank - 4);
      if (!strncmp(p + blank + 4, "pointers\n", 9))
        fs_lp_print_shared(w->lp->all, w_dialect(w), (int)blank / 2, out);
      if (place) fs_lp_print(place, w_dialect(w), (int)blank / 2, out);
    } else if (w->args->grid && n > 6 && !memcmp(p, "extern", 6)) {
      fs_str_puts(out, "static __device__ __forceinline__ void\n");
    } else {
      fs_lp_spell(w_dialect(w), p, n, out);
      fs_str_puts(out, "\n");
    }
    p += n + (p[n] == '\n');
  }
}

/* -- the launcher's part ----------------------------------------------------------------- */

void w_describe_launch(const struct fs_writer *w, bool has_work) {
  struct fs_emitted *o = w->args->out;
  o->wide = w->how->wide;
  o->threads = w->how->threads;
  o->cooperative = w->how->vector_end && !w->how->last_ends;
  o->per_unit = w->how->work_columns ? w->how->resident : 0;
  o->bounds = w->how->resident;
  o->one_wave_each = w->how->each_once;
  o->pieces = w->how->pieces;
  o->waves = w->how->waves;
  o->max_blocks = w->how->tasks * w->how->cluster;
  o->cluster = w->how->cluster;
  o->max_blocks = FS_MAX(1, FS_MIN(o->max_blocks, 0x7fffffff / w->how->cluster * w->how->cluster));
  if (!w->how->march) o->shared_bytes = w->how->stages * w->how->stage_bytes;
  if (!has_work) return;
  o->work_zeroed = W_COUNTER_BYTES;
  o->work_base = W_COUNTER_BYTES + w->how->work_base;
  o->work_per_block = w->how->work_columns + w->how->work_all;
}

/* -- a whole text ------------------------------------------------------------------------ */

struct fs_writer w_begin(struct w_arguments args, const struct fs_kernel *k,
                         const struct fs_device *device, const struct fs_schedule_how *how) {
  struct fs_schedule_how all = *how;
  struct fs_lp_writer lp;
  fs_lp_begin(&lp, k->values.len);
  bool *given = FS_NEW_N(lp.arena, bool, k->accesses.len + 1);
  for (int x = 0; x < k->accesses.len; x++)
    given[x] = w_input_of(args.plan, k->accesses.data[x].slot) >= 0;
  all.given = given;
  struct fs_writer w = {.how = fs_schedule_of(k, args.plan->graph, device, &all, lp.arena),
                        .args = FS_NEW(lp.arena, struct w_arguments),
                        .lp = FS_NEW(lp.arena, struct fs_lp_writer)};
  w.axes = fs_lp_axes_of(&w.how->kernel->space);
  *w.args = args;
  w.args->dialect = device ? device->dialect : FS_CUDA_C;
  *w.lp = lp;
  args.out->waits = !args.grid && device && device->chains;
  return w;
}

/* Says which rule the program breaks, with all of it. */
static void check(const struct fs_writer *w) {
  const struct fs_lp *where = NULL;
  const char *rule = fs_lp_check(w->lp->all, &where);
  struct fs_str s = {0};
  if (!rule) return;
  fs_str_printf(&s, "%s: %s\n", rule, where->text ? where->text : "");
  fs_lp_dump(w->lp->all, 1, &s);
  w->args->out->broken = s.data;
}

static bool has_text(const struct fs_lp *block, const char *text) {
  for (const struct fs_lp *x = block->body; x; x = x->next)
    if ((x->text && strstr(x->text, text)) || has_text(x, text) ||
        (x->other && has_text(x->other, text)))
      return true;
  return false;
}

/* Memory in which threads without shuffles see each other's states (elemlib/opencl/reduce.cl). */
static void declare_exchange(const struct fs_writer *w) {
  static const char *const users[] = {"fs_warp<", "fs_block<", "fs_slices<", "fs_last_block("};
  int words = 1;
  bool any = false;
  for (size_t k = 0; k < FS_LEN(users); k++) any |= has_text(w->lp->all, users[k]);
  for (int v = 0; v < w->how->kernel->values.len; v++) words = FS_MAX(words, w_val(w, v)->words);
  w_go(w, "pointers");
  if (any) w_line(w, "__shared__ unsigned long long fs_exchange[%d];", w->how->threads * words);
  if (has_text(w->lp->all, "fs_last_block(")) w_line(w, "__shared__ int fs_last[1];");
}

void w_body(const struct fs_writer *w, struct fs_str *out) {
  modes[w->how->mode].write(w);
  bool has_work = w_uses_work(w);
  w_go(w, "pointers");
  w_tables(w);
  if (w->args->out->waits) w_line(w, "fs_after_kernels();");
  w_access_pointers(w);
  w_work_pointers(w);
  w_go(w, "arguments");
  write_arguments(w, has_work);
  if (w_dialect(w) == FS_OPENCL_C) declare_exchange(w);
  const char *frame = fs_embedded_text(skeleton(w));
  fill(w, frame ? frame : "#error no skeleton\n", out);
  w_describe_launch(w, has_work);
  if (fs_checking()) check(w);
}

void w_end(const struct fs_writer *w) { fs_arena_free(w->lp->arena); }

/* What an OpenCL text begins with. Products and sums round by themselves. PoCL 3.1 ends with a
 * fault where functions that have barriers are not inlined before. */
static void put_constants(const struct fs_writer *w, struct fs_str *out) {
  struct fs_str plain = {0};
  fs_str_puts(out, "#pragma OPENCL FP_CONTRACT OFF\n"
                   "#define FS_INLINE static inline __attribute__((always_inline))\n");
  fs_str_printf(out, "typedef %s fs_index;\n", w->how->wide ? "long" : "int");
  w_constants(w, &plain);
  fs_lp_spell(FS_OPENCL_C, fs_str_text(&plain), plain.len, out);
  fs_str_free(&plain);
}

/* Between w_begin() and w_end(). Given. */
static char *whole_text(const struct fs_writer *w, const struct fs_diags *diags) {
  struct fs_str body = {0}, text = {0}, words = {0};
  w_functions(w, true, &body);
  w_body(w, &body);
  w_head(w, diags, &text);
  if (w_dialect(w) == FS_OPENCL_C) {
    put_constants(w, &text);
    w_pieces(&body, &text);
  } else {
    fs_str_printf(&text, "typedef %s fs_index;\n", w->how->wide ? "long long" : "int");
    w_constants(w, &text);
    fs_str_put(&words, body.data, body.len);
    for (int q = 0; q < w->how->kernel->n_applied; q++)
      if (w->how->kernel->applied[q].user->piece)
        fs_str_printf(&words, " %s\n", w->how->kernel->applied[q].user->piece);
    w_prelude(&words, &text);
    w_functions(w, false, &text); /* whose lines are counted from the first one of the text */
  }
  fs_str_put(&text, fs_str_text(&body), body.len);
  fs_str_free(&body);
  fs_str_free(&words);
  return text.data;
}

/* Whether sizes stand in a kernel's text only where arguments may. */
static bool takes_sizes(const struct fs_writer *w) {
  bool own = w->how->kernel->n_applied > 0 || w->how->kernel->has.user;
  return w_mode(w)->sizes && w->how->cluster == 1 && !w->how->stages && !own;
}

/* For any sizes, if the kernel should be and can. */
static struct fs_writer begin_text(const struct fs_plan *plan, const struct fs_kernel *kernel,
                                   const struct fs_device *device, struct fs_emitted *out) {
  const struct fs_schedule_how any = {.any_size = kernel->any_size}, these = {0};
  const struct w_arguments args = {plan, out, NULL};
  struct fs_writer w = w_begin(args, kernel, device, &any);
  if (kernel->any_size && !takes_sizes(&w)) {
    w_end(&w);
    w = w_begin(args, kernel, device, &these);
  }
  return w;
}

bool fs_emit_has(const struct fs_kernel *kernel, enum fs_dialect dialect) {
  return dialect == FS_CUDA_C || (!kernel->n_applied && !kernel->has.user);
}

void fs_emit_cuda(const struct fs_plan *plan, const struct fs_kernel *kernel,
                  const struct fs_device *device, const struct fs_diags *diags,
                  struct fs_emitted *out) {
  *out = (struct fs_emitted){0};
  struct fs_writer w = begin_text(plan, kernel, device, out);
  out->source = whole_text(&w, diags);
  w_end(&w);
}

char *fs_emit_quick(const struct fs_plan *plan, const struct fs_kernel *kernel,
                    const struct fs_device *device, const struct fs_diags *diags) {
  struct fs_emitted same = {0}; /* arguments are found in the same order */
  char *text = NULL;
  if (!fs_scheme_of(kernel)->in_step) return NULL;
  struct fs_writer w = w_begin((struct w_arguments){plan, &same, NULL}, kernel, device,
                               &(const struct fs_schedule_how){.quick = true});
  if (w.how->march) text = whole_text(&w, diags);
  w_end(&w);
  fs_emitted_free(&same);
  return text;
}

char *fs_emit_loops(const struct fs_plan *plan, const struct fs_kernel *kernel,
                    const struct fs_device *device) {
  struct fs_emitted same = {0};
  struct fs_str text = {0}, loops = {0};
  struct fs_writer w = begin_text(plan, kernel, device, &same);
  w_body(&w, &text);
  fs_lp_dump(w.lp->all, 0, &loops);
  w_end(&w);
  fs_str_free(&text);
  fs_emitted_free(&same);
  return loops.data;
}

void fs_emitted_free(struct fs_emitted *e) {
  free(e->source);
  free(e->broken);
  free(e->slots);
  free(e->slot_bytes);
  free(e->params);
  free(e->param_type);
  free(e->maps);
  free(e->sizes);
  *e = (struct fs_emitted){0};
}
