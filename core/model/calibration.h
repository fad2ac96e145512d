/* calibration.h - what one of each term costs on this device, as measured.
 *
 * fs_calibration_fit() finds the costs from kernels that were really run
 * (core/session/calibrate.c runs them), the store keeps them, fs_predict() uses
 * them. A cost of a move is a curve over the working set: seconds per byte at
 * some sizes, in between by the logarithm; all other costs are plain numbers; a
 * library call has a table of measured times over its operations. What costs
 * cannot say, since kernels are more than sums of terms, is in a table for each
 * kind of kernel: measured / costs at the sizes and settings of threads that were
 * run. The prediction is the costs times what the table says there, its points
 * weighing less the further they are away (Nadaraya 1964, Watson 1964).
 *
 * A new way to write kernels gets its price by three things: schedule/spread.c says how
 * its blocks share the work, fs_kind_of() gives it a name of its own, and
 * session/calibrate.c has cases that are led to it. Until it was measured its price
 * is that of the costs, and UNSEEN more (fit.c).
 */
#ifndef FS_CALIBRATION_H
#define FS_CALIBRATION_H

#include <jansson.h>

#include "core/model/predict.h"

enum {
  FS_CALIBRATION_VERSION = 13, /* others are not read: what the numbers mean
                                  changed                                    */
  FS_KNOTS = 20,               /* of a curve                                 */
  FS_MOVES = FS_TM_MOVE_END - FS_TM_SYNC_END,
  FS_LIB_POINTS = 12,
  FS_KINDS = 96,               /* of kernels with a table                    */
  FS_KIND_POINTS = 4096,       /* of all tables together                     */
  FS_KIND_DIMS = 7,            /* that points of a table differ in            */
  FS_CALLS = 64                /* functions of the user; the oldest go        */
};

/* What is further off its costs was disturbed: of log_ratio. */
#define FS_MOST_LOG_RATIO 1.5F

/* The working sets of the knots: 16 KiB and each time four times as much, but
 * closer from 4 MiB to 256 MiB, where caches end. */
extern const double fs_knots[FS_KNOTS];
struct fs_between fs_between_knots(double working_set);

struct fs_lib_point {
  double flops, seconds;       /* ascending in both                          */
};

struct fs_lib_table {
  int n;
  struct fs_lib_point at[FS_LIB_POINTS];
};

/* What the costs leave unexplained of one measured kernel. */
struct fs_kind_point {
  float at[FS_KIND_DIMS];      /* log2 of the working set, the rows, and of a
                                  spread: the bytes under way, the threads at
                                  work, those of a block, 1 + its tasks; of
                                  1 + written / read                         */
  float log_ratio;             /* of measured / costs                        */
};
/* All measured kernels of a kind: points[first .. first + n). */
struct fs_kind_table {
  char name[FS_KIND_NAME];
  int first, n;
};

/* A function of the user (graph/user.h), by the hash of its text. */
struct fs_call_cost {
  uint64_t hash;
  double seconds;              /* a call, when all of the device makes calls */
  double delay;                /* GPU, by instance: a call alone, before which
                                  nothing that follows on it begins          */
};

struct fs_calibration {
  char date[12];               /* "2026-01-31"                               */
  char quality[40];            /* "calibrated 2026-01-31", "uncalibrated"    */
  bool measured;               /* on this device, or else on one of its kind */
  bool fits;                   /* measured, or of a device that differs from this
                                  one in nothing: no plan need be careful    */
  double overlap;              /* 1: computing hides behind moving, as in the
                                  paper; 0: one after the other              */
  double error;                /* median |predicted / measured - 1| of the
                                  kernels that it was fitted to              */
  int samples;
  double reach;                /* the largest working set that was measured, in bytes; 0: not
                                  known. Beyond it memory is not thought to be faster than
                                  the device's attributes say               */
  double cost[FS_TM_COUNT];    /* seconds each; moves: see curve             */
  double follow;               /* a launch right behind another kernel, which the
                                  device need not wait for, in seconds; 0: it was
                                  not measured                               */
  double barrier;              /* between phases of one launch, in seconds; 0: it
                                  was not measured                           */
  double curve[FS_MOVES][FS_KNOTS];
  struct fs_lib_table library[FS_LIB_OP_COUNT][FS_AR_COUNT];
  int n_kinds, n_points;
  struct fs_kind_table kinds[FS_KINDS];
  struct fs_kind_point points[FS_KIND_POINTS];
  int n_calls;
  struct fs_call_cost call[FS_CALLS]; /* oldest first; measured at first use */
};

/* A kernel that was run. */
struct fs_sample {
  struct fs_work work;
  double seconds;
};

/* The costs that make the predictions of the samples best, each relative to its measurement:
 * non-negative least squares, outliers weighing less (Lawson and Hanson's problem by coordinate
 * descent; weights after Huber). A cost that no sample shows stays what the device's attributes
 * say. False if there are too few samples, or some are no times. */
bool fs_calibration_fit(const struct fs_sample *samples, int n,
                        const struct fs_device *device,
                        struct fs_calibration *out);

/* What a launch takes behind another one, and a barrier: a launch of `phases` kernels with so many
 * barriers between them was measured to take `joined` seconds, the kernels with a launch each
 * `apart` in all, of which the first took `ahead` seconds longer than the others. Both are
 * differences of times, and kept within what can be: the one between a quarter of a launch and a
 * whole one, the other between a fifth of it (atomics on one word and back) and a whole one. Where
 * the barrier would take less, it is the launch that took longer than `ahead` says: what a barrier
 * saves stays as measured. Nothing is kept of what is no time. */
struct fs_chain {
  double joined, apart, ahead;
  int phases, barriers;
};
void fs_calibration_chain(struct fs_calibration *c, const struct fs_chain *chain);

/* Adds to the tables, by which the prediction is then about right at that size. False if there is
 * no room, or the ratio is beyond a factor of e: such a measurement was disturbed. */
bool fs_calibration_note(struct fs_calibration *c, const struct fs_work *work,
                         double log_ratio);

/* The phase in whose time what belongs to `phase` falls. A GPU's blocks are at work on different
 * rows at once: while one computes its last phase, others load; so all phases of a row are one. */
int fs_hiding_phase(const struct fs_work *work, int phase);

/* What moving and computing take together, (m^p + c^p)^(1/p) with p = 1/(1 - overlap):
 * their sum where nothing hides, the larger of them where all does; in between, the
 * less hides the more alike they are. */
double fs_hidden_behind(double moves, double computes, double overlap);

/* The share of a kernel in which nothing hides: where each block of a GPU takes but one
 * task, all of them load first and compute then; of more, the first is loaded before
 * anything computes, and the last computes after all is loaded. */
double fs_exposed(const struct fs_work *work);

/* What a byte costs in seconds by a curve, at a working set in bytes. */
double fs_move_cost(const double *curve, double working_set);

/* The prediction by a calibration; fs_predict() calls it. */
struct fs_prediction fs_calibrated(const struct fs_work *work,
                                   const struct fs_calibration *c);

/* One user function (:elem): `work` is that of a kernel which was measured to take `seconds`, and
 * whose amount of FS_TM_USER counts the calls. Gives the seconds of a call with which the
 * prediction is the measurement; 0 if the rest explains it, or no calibration tells the rest. */
double fs_calibrate_call(const struct fs_work *work, double seconds,
                         const struct fs_device *device);
/* What a kernel of few calls took beyond that, if a call takes `each`. */
double fs_calibrate_delay(const struct fs_work *work, double seconds, double each,
                          const struct fs_device *device);

/* What a call of the function takes; negative if that was not measured. */
double fs_call_seconds(const struct fs_device *device, uint64_t hash);
/* ... one alone; 0 if that was not measured. */
double fs_call_delay(const struct fs_device *device, uint64_t hash);
/* Keeps both; negative seconds forget it. */
void fs_call_keep(struct fs_calibration *c, uint64_t hash, double seconds,
                  double delay);

/* The costs of a device that nobody has measured: of one of its kind that was
 * (core/model/reference/), by the ratios of what is known of both: bandwidths, the size of the
 * cache, the rate of operations, units. Its quality is "uncalibrated". Given: free(). */
struct fs_calibration *fs_calibration_reference(const struct fs_device *device);

/* Costs by the book, for plans that depend on the rules and on round figures alone:
 * bytes over bandwidth, operations over peak rate, a launch for each kernel; what
 * moves hides what is computed. Given: free(). */
struct fs_calibration *fs_calibration_plain(const struct fs_device *device);

/* -- the store -------------------------------------------------------------- */

/* The file of this device: "calibration-<16 hex digits>.json" in the data
 * folder. False if there is no such folder. */
bool fs_calibration_path(const struct fs_device *device, struct fs_str *out);

/* Reads and checks it. NULL if there is none or it cannot be used; then *notice,
 * if not empty, is one sentence that says why. Given: free(). */
struct fs_calibration *fs_calibration_load(const struct fs_device *device,
                                           struct fs_str *notice);
/* NULL on success, else the reason. */
const char *fs_calibration_save(const struct fs_calibration *c,
                                const struct fs_device *device);
/* The same as text; NULL: of numbers that are none. */
char *fs_calibration_text(const struct fs_calibration *c,
                          const struct fs_device *device);
/* Reads a text of any device; *device gets those of its attributes that costs follow from.
 * NULL, or the reason (static) why it is not good, and *out is undefined. */
const char *fs_calibration_parse_reference(const char *text, size_t len,
                                           struct fs_device *device,
                                           struct fs_calibration *out);
/* The device of such a text, without the rest, which takes long. */
void fs_calibration_reference_device(const char *text, size_t len, struct fs_device *device);

#endif
