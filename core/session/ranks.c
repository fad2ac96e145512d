/* ranks.c - a session over several ranks: the leader's inputs go to those that follow it, which
 * do the same and show nothing. */
#include <stdio.h>

#include "core/session/order.h"

static bool tell(enum fs_order_kind what, const char *name, const char *text, size_t len,
                 unsigned flags, struct fs_session *s) {
  struct fs_diags *d = &s->diags;
  struct fs_order o = {what, flags, strlen(name), len, {0}};
  fs_interp_random(s->in, &o.random[0], &o.random[1]);
  return !fs_ranks_share(&o, sizeof o, d) && !fs_ranks_share((char *)(uintptr_t)name, o.name, d) &&
         !fs_ranks_share((char *)(uintptr_t)text, len, d);
}

static bool leads(void) { return fs_ranks() > 1 && fs_rank() == 0; }

void fs_session_tell_eval(struct fs_session *s, const char *name, const char *text, size_t len,
                          unsigned flags) {
  if (leads()) tell(FS_ORDER_EVAL, name, text, len, flags, s);
}

void fs_session_tell_define(struct fs_session *s, const char *name, const char *value) {
  if (leads()) tell(FS_ORDER_DEFINE, name, value, strlen(value), 0, s);
}

void fs_session_tell_set(struct fs_session *s, const char *name, const char *value) {
  if (leads()) tell(FS_ORDER_SET, name, value, strlen(value), 0, s);
}

void fs_session_leave_ranks(struct fs_session *s) {
  if (leads()) tell(FS_ORDER_LEAVE, "", "", 0, 0, s);
  fs_ranks_end();
}

char *fs_session_share_line(struct fs_session *s, char *line) {
  int64_t len = line ? (int64_t)strlen(line) : -1;
  if (fs_ranks() == 1 || fs_ranks_share(&len, sizeof len, &s->diags)) return line;
  if (fs_rank() > 0) line = len < 0 ? NULL : fs_calloc((size_t)len + 1, 1);
  if (len > 0 && fs_ranks_share(line, (size_t)len, &s->diags)) return line;
  return line;
}

/* -- who takes part ---------------------------------------------------------------- */

/* Of "cpu:0-3", "cuda:0-1" and "cuda:*" how many there are; 1 of anything else. */
static int count_of(const char *target) {
  int first, last, end = 0;
  const char *colon = strchr(target, ':');
  if (colon && !strcmp(target, "cuda:*")) return FS_MAX(1, fs_cuda_count());
  if (!colon || sscanf(colon, ":%d-%d%n", &first, &last, &end) != 2 || colon[end]) return 1;
  return first >= 0 && last >= first ? last - first + 1 : 1;
}

/* "cuda:2" of "cuda:1-2" for rank 1; the target itself where it names one device, but for ranks
 * of one host that share a list of GPUs. */
static void own_target(const char *target, char *out, size_t size) {
  const char *colon = strchr(target, ':');
  int local = fs_ranks_local() < 0 ? fs_rank() : fs_ranks_local();
  int first = colon && colon[1] != '*' ? atoi(colon + 1) : 0;
  bool cpu = !strncmp(target, "cpu", 3), several = colon && (colon[1] == '*' || strchr(colon, '-'));
  bool any = !strcmp(target, "auto"), cuda = !strcmp(target, "cuda") || (any && fs_cuda_present());
  if (cpu || (any && !cuda)) snprintf(out, size, "cpu");
  else if (several) snprintf(out, size, "cuda:%d", first + fs_rank());
  else if (cuda) snprintf(out, size, "cuda:%d", local % FS_MAX(1, fs_cuda_count()));
  else snprintf(out, size, "%s", target);
}

bool fs_session_meet(const struct fs_session_config *config, char *target, size_t size,
                     const char **error) {
  static char words[160];
  struct fs_beginning b = {.threads = config->threads};
  const char *asked = config->target ? config->target : "auto";
  int wanted = count_of(asked);
  snprintf(target, size, "%s", asked);
  if (wanted > FS_MOST_RANKS || (wanted > 1 && fs_ranks() > 1 && fs_ranks() != wanted)) {
    snprintf(words, sizeof words, wanted > FS_MOST_RANKS
             ? "%.60s are more than %d devices"
             : "%.60s are not as many devices as there are ranks: %d",
             asked, wanted > FS_MOST_RANKS ? FS_MOST_RANKS : fs_ranks());
    *error = words;
    return false;
  }
  if (wanted > 1 && fs_ranks() == 1 && !fs_ranks_start("/proc/self/exe", wanted, error))
    return false;
  if (fs_ranks() == 1) return true;
  snprintf(b.target, sizeof b.target, "%s", asked);
  if (fs_rank() == 0 && fs_ranks_share(&b, sizeof b, NULL)) {
    *error = "a rank has ended before it began";
    return false;
  }
  own_target(asked, target, size);
  fs_interrupt_agreed(false);
  return true;
}
