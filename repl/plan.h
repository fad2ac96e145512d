/* plan.h - the picture of a plan event (docs/events.md), as a line or a box. */
#ifndef FS_PLAN_VIEW_H
#define FS_PLAN_VIEW_H

#include <jansson.h>

#include "core/base/base.h"
#include "repl/look.h"

/* 2 kernels · 2.00 GiB · predicted 0.503 ms · measured 0.510 ms (×1.01)
 * Appends one line with its newline; nothing for a plan without kernels. */
void fs_plan_put_line(const json_t *plan, const struct fs_look *look,
                      struct fs_str *out);

/* 3 blocks, 12 runs · 20 launches · 30.9 MiB · predicted ... · measured ...
 * All plans of an input in one line; times and bytes are of all runs. */
void fs_plan_put_summary(const json_t *plans, const struct fs_look *look,
                         struct fs_str *out);

/* ╭ block 2 · 2 calls → 1 kernel · 1.00 GiB saved ────────╮
 * │ kernel    does   moves  predicted  measured  ratio ...│
 * ╰ planned in 0.6 ms · 5 candidates, 3 combinations ─────╯
 * Fits look->width, down to 48 columns; below that the line is taken. */
void fs_plan_put_box(const json_t *plan, const struct fs_look *look,
                     struct fs_str *out);

#endif
