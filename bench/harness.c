/* harness.c - see harness.h. */
#include "bench/harness.h"

#include <stdio.h>
#include <time.h>

#include "core/model/calibration.h"

static void on_block(void *user, struct fs_block *block, int number) {
  (void)number;
  ((struct harness *)user)->block = block;
}

static void tell(struct harness *h) {
  for (int k = 0; k < h->diags.list.len; k++)
    fprintf(stderr, "%s\n", h->diags.list.data[k].message);
  fs_diags_clear(&h->diags);
}

bool harness_open(struct harness *h, const char *target) {
  *h = (struct harness){0};
  fs_diags_init(&h->diags);
  setenv("FUSIBLE_TUNING", "off", 1);
  h->target = strcmp(target, "cuda") ? fs_cpu_open(0, NULL)
                                     : fs_cuda_open(0, &h->diags);
  tell(h);
  if (!h->target) return false;
  struct fs_str notice = {0};
  h->calibration = fs_calibration_load(&h->target->device, &notice);
  if (!h->calibration)
    h->calibration = fs_calibration_reference(&h->target->device);
  h->target->device.calibration = h->calibration;
  if (notice.len) fprintf(stderr, "%s\n", notice.data);
  fs_str_free(&notice);
  struct fs_interp_host host = {.user = h, .block = on_block};
  h->runner = fs_runner_new(h->target);
  h->in = fs_interp_new(&h->diags, h->runner, h->target, &host);
  return true;
}

void harness_close(struct harness *h) {
  fs_interp_free(h->in);
  fs_runner_free(h->runner);
  h->target->ops->close(h->target);
  free(h->calibration);
  fs_diags_free(&h->diags);
}

void harness_wait(void) {
  struct timespec pause = {.tv_sec = 3};
  nanosleep(&pause, NULL);
}

bool harness_run(struct harness *h, const char *text) {
  h->block = NULL;
  enum fs_status st =
      fs_interp_eval(h->in, "bench", text, strlen(text), FS_EVAL_SILENT);
  if (st == FS_OK) st = fs_runner_sync(h->runner, &h->diags);
  tell(h);
  return st == FS_OK;
}

void harness_save(struct harness *h, const char *path, const char *command,
                  json_t *rows) {
  const char *quality = h->block ? h->block->plan->found->quality : NULL;
  json_t *out = json_pack("{s:s, s:s, s:s, s:O}", "device",
                          h->target->device.name, "quality",
                          quality ? quality : "", "command", command, "rows",
                          rows);
  json_dump_file(out, path, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
  json_decref(out);
}
