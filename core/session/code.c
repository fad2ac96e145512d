/* code.c - `:code`: the kernels of the last block as generated text, for
 * the device in use or, where there is no GPU, for one that was named. */
#include "core/run/compile.h"
#include "core/plan/plan.h"
#include "core/session/internal.h"

#include <stdio.h>

#include "core/emit/emit.h"

struct code_words {
  long only;          /* 0: all kernels                       */
  const char *form;   /* "cuda", "lines", "loops", "ptx", "sass", "walk" */
  int cc;             /* of the architecture named, or 0      */
};

struct fs_device fs_usual_gpu(int cc) {
  struct fs_device d = {
    .is_cuda = true, .units = 132, .max_threads = 1024,
    .shared_bytes = fs_generation_of(cc)->shared_bytes,
    .regs = 65536, .cache_bytes = 50 << 20, .memory_bytes = 141LL << 30,
    .bandwidth = 4.8e12, .cache_bandwidth = 12e12, .launch = 3e-6,
    .flops = 67e12};
  fs_generation_arch(cc, d.arch, sizeof d.arch);
  snprintf(d.name, sizeof d.name, "%s", d.arch);
  fs_device_of_cc(&d, cc);
  return d;
}

/* A portable text, of blocks that any device has. */
struct fs_device fs_usual_opencl(void) {
  struct fs_device d = {.units = 32, .max_threads = 256, .shared_bytes = 32 << 10,
                        .cache_bytes = 4 << 20, .memory_bytes = 8LL << 30, .flops = 5e12};
  fs_opencl_describe(&d, true);
  snprintf(d.name, sizeof d.name, "OpenCL");
  snprintf(d.arch, sizeof d.arch, "opencl");
  return d;
}

/* What the emitter makes of kernel k for such a GPU. */
static char *text_elsewhere(struct fs_session *s, int k,
                            const struct code_words *w, const char **why) {
  const struct fs_plan *plan = s->last_block->plan;
  struct fs_kernel tuned = plan->kernels.data[k];
  bool opencl = !strcmp(w->form, "opencl");
  struct fs_device device = opencl ? fs_usual_opencl() : fs_usual_gpu(w->cc ? w->cc : 90);
  struct fs_emitted e = {0};
  if (tuned.lib_node) {
    *why = "a library call: no code";
    return NULL;
  }
  if (!fs_emit_has(&tuned, device.dialect)) {
    *why = "it calls a function of the user, which is in CUDA C";
    return NULL;
  }
  fs_tune(&tuned, &device);
  if (!strcmp(w->form, "loops")) return fs_emit_loops(plan, &tuned, &device);
  fs_emit_cuda(plan, &tuned, &device, &s->diags, &e);
  char *text = NULL;
  if (!strcmp(w->form, "cuda") || opencl) {
    text = fs_strdup(e.source);
  } else {
    char *lined = fs_emit_lines(plan, &tuned, &s->diags, e.source);
    if (!strcmp(w->form, "lines")) text = fs_strdup(lined);
    else text = fs_nvrtc_text(lined, device.arch, w->form, why);
    free(lined);
  }
  fs_emitted_free(&e);
  return text;
}

static void put_kernel(struct fs_session *s, int k, const struct code_words *w,
                       struct fs_str *out) {
  const struct fs_block *b = s->last_block;
  struct fs_target *t = fs_session_target(s);
  const char *why = NULL;
  char *text = NULL;
  fs_str_printf(out, "# k%d %s\n", k + 1,
                fs_schemes[b->plan->kernels.data[k].scheme].name);
  bool walk = !strcmp(w->form, "walk");
  const char *form = t->ops->form; /* a GPU has its own text, and what is made of it */
  bool own = !strcmp(form, w->form) || (!strcmp(form, "cuda") && strcmp(w->form, "opencl"));
  if (walk || (own && !w->cc))
    text = fs_block_code_text(b, t, k, w->form, &why);
  else
    text = text_elsewhere(s, k, w, &why);
  fs_str_printf(out, "%s\n", text ? text : why ? why : "there is no such form");
  if (text && out->len > 1 && out->data[out->len - 2] == '\n')
    out->data[--out->len] = 0;
  free(text);
}

/* "2" or "k2", a form, "lines", "sm_80". */
static bool read_word(const char *word, struct code_words *w) {
  static const char *const forms[] = {"cuda", "opencl", "lines", "loops", "ptx", "sass", "walk"};
  char *end;
  for (size_t k = 0; k < FS_LEN(forms); k++) {
    if (strcmp(word, forms[k])) continue;
    bool refines = !strcmp(word, "cuda") && w->form && !strcmp(w->form, "lines");
    if (!refines) w->form = forms[k];
    return true;
  }
  if (!strncmp(word, "sm_", 3)) {
    long cc = strtol(word + 3, &end, 10);
    w->cc = (int)cc;
    return cc < 1000 && fs_generation_known((int)cc) && (!*end || !strcmp(end, "a"));
  }
  const char *digits = word + (*word == 'k');
  w->only = strtol(digits, &end, 10);
  return *digits && !*end && w->only >= 1;
}

enum fs_status fs_session_code(struct fs_session *s, struct fs_words *c) {
  struct code_words w = {0};
  for (int k = 0; k < c->n; k++)
    if (!read_word(c->word[k], &w)) return FS_ERR_USER;
  if (!w.form) w.form = w.cc ? "cuda" : fs_session_target(s)->ops->form;
  const struct fs_block *block = fs_session_current_block(s, c->out);
  if (!block) return FS_OK;
  int n = block->plan->kernels.len;
  if (w.only > n) {
    c->wrong = "the last block has no such kernel";
    return FS_ERR_USER;
  }
  for (int k = 0; k < n && !fs_interrupted(); k++)
    if (!w.only || w.only == k + 1) put_kernel(s, k, &w, c->out);
  return fs_interrupted() ? FS_INTERRUPTED : FS_OK;
}
