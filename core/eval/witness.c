/* witness.c - see witness.h. */
#include "core/eval/witness.h"

static struct fs_witness *witness;

void fs_witness_set(struct fs_witness *w) { witness = w; }

void fs_witness_clear(struct fs_witness *w) {
  for (int k = 0; k < w->read.len; k++) free(w->read.data[k].path);
  w->read.len = w->times.len = 0;
  for (int k = 0; k < w->answers.len; k++) free(w->answers.data[k]);
  w->answers.len = w->answered = 0;
  w->times_told = 0;
  w->replay = false;
}

static bool is_news(const char *path) {
  if (!witness) return false;
  for (int k = 0; k < witness->read.len; k++)
    if (!strcmp(witness->read.data[k].path, path)) return false;
  return true;
}

void fs_witness_read(const char *path, int fd) {
  if (!is_news(path)) return;
  char *copy = fs_strdup(path);
  struct fs_stamp s = fd >= 0 ? fs_stamp_open(fd, copy) : fs_stamp_none(copy);
  *FS_PUSH(&witness->read) = s;
}

void fs_witness_read_text(const char *path, const struct fs_str *text) {
  if (!is_news(path)) return;
  char *copy = fs_strdup(path);
  struct fs_stamp s = text ? fs_stamp_text(copy, fs_str_text(text), text->len)
                           : fs_stamp_none(copy);
  *FS_PUSH(&witness->read) = s;
}

double fs_witness_time(double now) {
  if (!witness) return now;
  int64_t k = witness->times_told++;
  if (witness->replay)
    return k < witness->times.len ? witness->times.data[k] : now;
  if (k < FS_WITNESS_TIMES) *FS_PUSH(&witness->times) = now;
  return now;
}

bool fs_witness_answer(char **line) {
  if (!witness || !witness->replay) return false;
  *line = NULL;
  if (witness->answered < witness->answers.len)
    *line = fs_strdup(witness->answers.data[witness->answered++]);
  return true;
}

void fs_witness_answered(const char *line) {
  if (!witness) return;
  char *copy = fs_strdup(line);
  *FS_PUSH(&witness->answers) = copy;
}

bool fs_witness_save(void) {
  return !witness || !witness->replay;
}
