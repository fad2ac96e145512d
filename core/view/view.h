/* view.h - pictures of a plan event.
 *
 * All are drawn from the event's JSON (docs/events.md) and nothing else, so that
 * the terminal, a file and a notebook show the same figures, and a front end can
 * draw the events of a session that runs in another process. What the event does
 * not know shows as a dash, never as 0.
 */
#ifndef FS_VIEW_H
#define FS_VIEW_H

#include <jansson.h>

#include "core/base/base.h"

/* What a piece of output may use where it is going. */
struct fs_look {
  int width;  /* columns                                   */
  bool color; /* SGR escapes                               */
  bool utf8;  /* else ASCII stands in for signs and frames */
};

/* Kernels of a plan that run, or ran: not the copies that were left out. */
int fs_plan_kernels(const json_t *plan);

/* Whether what runs have taught changes a prediction, as it is shown. */
bool fs_plan_taught(double first, double predicted);
/* A prediction, wherever it is shown: "0.503 ms", or with what runs have taught
 * "0.480 ms → 0.503 ms"; ~ before what was not run. */
void fs_plan_put_prediction(struct fs_str *out, const struct fs_look *look,
                            double first, double predicted, bool ran);

/* Of what runs: " 12 s of ~44 s"; " 12 s, ~2.12 s were expected" where it takes longer; " 12 s"
 * where nothing is known (expected not a number). */
void fs_plan_put_elapsed(struct fs_str *out, double seconds, double expected);

/* -- for a terminal (text.c) --------------------------------------------------- */

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

/* The graph of its kernels (graph.c): what each reads, its statements in a frame, dotted what
 * fusion spares, and what it makes. Fits look->width, from 40 to 76 columns. */
void fs_plan_put_graph(const json_t *plan, const struct fs_look *look, struct fs_str *out);

/* planning 0.6 ms, compiling 0.1 ms, first touch 0 ms, kernels 0.5 ms, ...
 * The parts of an event's "account" (account.c), without its sum. */
void fs_account_put(const json_t *account, const char *sep, const struct fs_look *look,
                    struct fs_str *out);

/* Combinations of kernels, best first, a row for each kernel (diff.c):
 *   [{"rank": 1 or null, "chosen": true, "kernels": [{"scheme","does","space","walk"}],
 *     "first", "predicted", "measured", "launches", "bytes", "peak_bytes"}]
 * rank null: the last is the unfused one, one before it is in use and not of the best. */
void fs_alternatives_put(const json_t *list, const struct fs_look *look,
                         struct fs_str *out);
/* Below it a bar of what was predicted and one of what it took, of each that was measured;
 * nothing where that is the one in use alone. */
void fs_alternatives_put_bars(const json_t *list, const struct fs_look *look,
                              struct fs_str *out);

/* The settings of a kernel (diff.c): at most so many rows, best first; what all have
 * alike stands below.
 *   {"kernel", "does", "settings": [{"scheme", "space", "walk", "routines", "setting",
 *     "first", "predicted", "measured", "chosen"}]} */
void fs_settings_put(const json_t *kernel, int most, const struct fs_look *look,
                     struct fs_str *out);

/* What has changed from one plan of a block to another: kernels that were added,
 * removed or changed, with both times. */
void fs_plan_put_diff(const json_t *before, const json_t *now,
                      const struct fs_look *look, struct fs_str *out);

/* -- the graph of its kernels (dot.c) -------------------------------------------- */

/* As Graphviz text: what is read, the kernels, what is made, and how many bytes
 * pass between them. No times: the same block gives the same text. */
void fs_plan_put_dot(const json_t *plan, struct fs_str *out);
/* The same as a flowchart of Mermaid, for Markdown. */
void fs_plan_put_mermaid(const json_t *plan, struct fs_str *out);

/* The picture of a Graphviz text as an <svg> element, by the program `dot`. False
 * with one sentence in *why (static) when it is not there or fails. */
bool fs_dot_svg(const char *dot, struct fs_str *out, const char **why);

/* -- for a browser (html.c) ----------------------------------------------------- */

/* A fragment without scripts, styles, links and identifiers, of tags that pass
 * JupyterLab's sanitiser, short as notebooks keep it. It folds out to the kernels with
 * bars, the graph (`svg` as an image; NULL: none), the reasons, and "alternatives" where
 * the plan carries them. All texts pass fs_str_put_html(). */
void fs_plan_put_html(const json_t *plan, const char *svg, struct fs_str *out);
/* All of it as a page: what the kernels hold in memory and on the chip, and "code", too. */
void fs_plan_put_page(const json_t *plan, const char *svg, struct fs_str *out);
/* The plan as far as a notebook shows it as cards: of kernels what they do, how and how long.
 * A notebook keeps it for every plan. The caller gets it. */
json_t *fs_plan_brief(const json_t *plan);

#endif
