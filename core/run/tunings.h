/* tunings.h - what `:tune` measured, kept from session to session.
 *
 * One JSON file for each device, $XDG_DATA_HOME/fusible/tuning-DEVICE.json:
 *
 *   {"format": "fusible-tuning", "version": 1, "program": "0.1.0",
 *    "device": "NVIDIA H200, sm_90a, 132",
 *    "entries": [{"block": "9f0c...", "choice": "...", "rank": 3,
 *                 "predicted": 1.1e-4, "measured": 9.8e-5, "first": 1.2e-4}]}
 *
 * `block` is the hash of the block's structure, shapes, layouts, strategy and
 * pins; `choice` is fs_plan.choice. A file that is damaged, of another format,
 * program or device is not used, with one sentence, and is replaced by the next
 * `:tune`. At most FS_TUNINGS_MOST entries are kept, the latest. Written to
 * another name, synced and renamed, so that no reader sees half a file.
 * FUSIBLE_TUNING=off: neither read nor written. */
#ifndef FS_TUNINGS_H
#define FS_TUNINGS_H

#include "core/base/diag.h"
#include "core/model/device.h"

enum { FS_TUNINGS_MOST = 4096 };

struct fs_tuning_result {
  uint64_t block;
  const char *choice;
  int rank;                           /* of the winner, by prediction    */
  double predicted, measured, first;  /* seconds; first: of rank 1       */
};

struct fs_tunings; /* one device's */

struct fs_tunings *fs_tunings_open(const struct fs_device *device);
void fs_tunings_free(struct fs_tunings *t); /* NULL is allowed */

/* The combination kept for a block, borrowed until the next change, or NULL. */
const char *fs_tunings_choice(const struct fs_tunings *t, uint64_t block);
/* A number that is the same for the same combinations of the same blocks. */
uint64_t fs_tunings_mark(const struct fs_tunings *t);
/* Once: why the file is not used, or NULL. */
const char *fs_tunings_notice(struct fs_tunings *t);

/* Keeps a result (copied), in memory and in the file. What another process added
 * meanwhile stays. A warning tells if the file cannot be written; the result then
 * holds for this session. */
void fs_tunings_put(struct fs_tunings *t, const struct fs_tuning_result *result,
                    struct fs_diags *d);
/* Drops one block's result, or with 0 all. Gives how many there were. */
int fs_tunings_forget(struct fs_tunings *t, uint64_t block, struct fs_diags *d);

#endif
