/* describe.h - a plan as the JSON of its event, from which every view is drawn. */
#ifndef FS_DESCRIBE_H
#define FS_DESCRIBE_H

#include <jansson.h>

#include "core/run/run.h"

/* {"event":"plan",...} of a plan (docs/events.md), without "id", "block" and what
 * was measured. `block` NULL: it was not run. Given: the caller decrefs. */
json_t *fs_plan_event(const struct fs_plan *plan, struct fs_block *block,
                      const struct fs_diags *sources, struct fs_target *target);

/* Puts the times of the block's last timed run into its event, with all that
 * follows from them; nothing where none was measured. */
void fs_plan_event_measured(json_t *event, const struct fs_block *block,
                            const struct fs_device *device);

/* A JSON string of any bytes: control characters and bad UTF-8 as escapes. */
json_t *fs_json_text(const char *text, size_t len);
/* A number; null for what is not known (not finite, or negative). */
json_t *fs_json_known(double x);

#endif
