/* internal.h - inside the session; shared by core/session*.c only.
 *
 *   session.c   life, evaluation        place.c   where statements run
 *   events.c    what the front end is told
 *   record.c    the blocks that an input runs; their times
 *   plan.c      plans as events
 *   account.c   where the time of an input went
 *   pins.c      :fuse a b, :split a b
 *   kernel.c    the settings of a kernel, :pin, :unpin
 *   plot.c      plots as events
 *   variables.c the variables as data
 *   settings.c  the settings
 *   commands.c  what the :commands do
 *   explain.c   :alternatives, :why, :plan diff
 *   choices.c   :block; what choices make of it, as events
 *   assert.c    :assert
 *   view.c      plans as pictures: for files and for rich output
 *   code.c      :code
 *   export.c    :export-kernel
 *   tour.c      :tour, :examples
 *   past.c      :history, :save of a script
 *   tools.c     :dump and :cache
 *   tune.c      :tune
 *   help.c      completion and help
 *   mirror.c    a session that stands for one in another process
 *   worker.c    the process in which a session runs (worker.h)
 *   elem.c      functions of the user
 *   measure_call.c  what they cost
 */
#ifndef FS_SESSION_INTERNAL_H
#define FS_SESSION_INTERNAL_H

#include "core/eval/command.h"
#include "core/eval/eval.h"
#include "core/eval/show.h"
#include "core/model/calibration.h"
#include "core/model/learn.h"
#include "core/session/session.h"
#include "core/view/describe.h"

/* A target in use, with its runner. Both live until the session ends, unless
 * :set threads replaces them. */
struct fs_place {
  struct fs_target *target;
  struct fs_runner *runner;
  int index;                /* CUDA: which device */
  bool lost;                /* CUDA: the device stopped while it was opened */
  struct fs_calibration *calibration; /* what target->device points to */
  struct fs_learned *learned;         /* NULL: not to be learned from  */
};

/* A distinct block of an input, and what its plan event is made of when somebody
 * looks: describing a plan takes far longer than to run a small block. The input,
 * the last input and the past hold references. */
struct fs_plan_record;
typedef FS_VEC(struct fs_plan_record *) fs_plan_records;

struct fs_plan_record {
  int refs;
  struct fs_runner *runner;
  int number;               /* of the block in its runner     */
  struct fs_span place;     /* of its first statement         */
  int before;               /* blocks of this input from the same place before it */
  struct fs_block *block;   /* NULL once the times were taken */
  int timed;                /* of its runs were measured: the first few */
  bool unread;              /* the block's timers hold a run of it, and none after */
  bool measured;            /* `times` has a run of its own */
  struct fs_block *kept;    /* the same, as long as it is there */
  int64_t runs;
  int id, user_number;      /* of the event; of its first run, for the user */
  int last;                 /* of its runs: the block's number for the user */
  bool is_late;             /* it computed a value that was left until it was read: */
  char *name;               /* ... of this variable, or NULL */
  fs_plan_records late;     /* what it read and had to compute first */
  struct fs_times all, warm; /* seconds of its runs that were timed; of the warm ones */
  struct fs_times *each;   /* of each kernel in timed runs that were warm; NULL: none */
  double moves;             /* bytes of a run, its launches, and the seconds predicted */
  int launches;             /* for copies that it did without                         */
  double spared;
  bool announced;           /* its prediction was sent when it was launched */
  bool cached;              /* it had run before */
  bool quick;               /* it ran last as quickly compiled code */
  const char *arithmetic;   /* of its target then; "": as ever */
  char loops[200];        /* how its loops ran last, struct fs_target_ops; "": it has none */
  double first;             /* seconds that a run was first predicted to take */
  json_t *event;            /* NULL: nobody looked */
  struct fs_graph_words *words; /* of its run, where the block has others by now; or NULL */
  int n;                    /* kernels */
  double predicted_all;
  double unfused;           /* without fusion; not a number: nobody priced it yet */
  double times[];           /* n predicted, then n measured (< 0: not) */
};

/* What is known of a session in another process; empty in any other. Objects by
 * name: what worker.c tells of variables, and values of settings. */
struct fs_mirror {
  json_t *variables, *settings;
};

struct fs_words;

/* What a plan, or a setting of a kernel, took in `:tune`; the key is of the block and the
 * plan's choice, or of block, calls and traits. */
struct fs_timed_setting {
  uint64_t block;           /* of a plan; 0: a kernel's setting */
  uint64_t key;
  double seconds;
};

/* What takes long to make of a plan, kept by the graph of its kernels. */
struct fs_picture {
  uint64_t hash;
  char *dot, *svg;      /* svg NULL: there is no `dot` */
  const char *why;      /* then, why                   */
};

/* What came of an input, for a script of the session. */
enum fs_past_kind {
  FS_PAST_FAILED,
  FS_PAST_ASKED,    /* a command that changed nothing */
  FS_PAST_WELL,
  FS_PAST_ANSWERED  /* well, and its last value is `ans` */
};
struct fs_past_input {
  char *text;
  enum fs_past_kind kind;
};

/* What the records of an input that were dropped, and those that it has, add up to. */
struct fs_totals {
  int64_t blocks, runs, timed;
  int64_t late_runs, late_timed; /* of these, of late values */
  double launches, moves, first, predicted;
  double measured;           /* seconds, of those that were timed                  */
  double warm, warm_predicted; /* of those that say something of the model         */
};

struct fs_session {
  struct fs_session_config config;
  struct fs_diags diags;
  struct fs_interp *in;
  struct fs_place cpu, cuda;
  void (*launching)(void *s, struct fs_block *b); /* given to each runner */
  void (*changing)(void *s, struct fs_block *b, enum fs_change change);
  bool on_cuda;
  bool wants_cuda;          /* not tried yet: at the first need */
  bool must_have_cuda;      /* asked for by name, not by "auto" */
  int device_index;
  char target_name[24];     /* "cpu", "cuda", "cuda:1" */

  /* Settings, see settings.c. */
  char plan_form[8];
  bool time, rich, learn;
  int64_t elements;         /* so many of a shown array are sent as data */
  bool fast_math, flushes;  /* fs_target_computes() */
  bool hasty;               /* new GPU kernels first run as quickly compiled code */
  struct fs_show_options show;
  unsigned dump;            /* stages that every input dumps */
  enum fs_strategy strategy, fused; /* in use; when fusing is on */
  int effort;              /* of planning: counted ms; 0: as long as pays */
  FS_VEC(struct fs_named_pin) pins; /* they own their words */
  FS_VEC(struct fs_block_pin) kernel_pins; /* they own their calls */
  FS_VEC(struct fs_timed_setting) timed;
  int threads;
  int64_t seed;
  char answer[32];          /* lent out by fs_session_setting() */
  char rebuild[8];          /* "auto", "ask", "off": a front end's business */
  char shown_as[8];         /* plots at a terminal: "auto", "kitty", ... */

  /* The input being evaluated. */
  fs_plan_records records;
  int found;                /* where the last of them was that was looked for */
  fs_plan_records waiting;  /* late values of the block that is being traced */
  struct fs_totals dropped; /* of records that made room */
  struct fs_times kernels; /* seconds of runs that were timed, of all blocks */
  int blocks_run, last_number; /* number: of the last block, for the user */
  int announced, plan_ids;
  unsigned flags;
  enum fs_status show_status;
  bool quit, returned, busy, accounted;
  bool expecting;           /* a long block was launched, and that was told */
  json_t *account;          /* of the last input that ran blocks; NULL: none */
  bool told_uncalibrated;   /* the hint at :calibrate was given */

  fs_plan_records last_plans; /* of the last input that ran blocks */
  size_t last_main;         /* which of them :plan shows         */
  FS_VEC(struct fs_picture) pictures;
  fs_plan_records past;     /* of the inputs before, to compare with */
  struct fs_block *last_block;
  struct fs_runner *last_runner;
  struct fs_left *last_left; /* the last block, where its device is another now */
  FS_VEC(struct fs_past_input) history;
  enum fs_past_kind past_kind; /* of the input that runs, or ran last */

  struct fs_mirror mirror;

  bool no_memory;           /* happened, and was not told yet */
  json_t *no_memory_event;
  void *spare;              /* given back to the system when that happens */
};

/* -- events.c ------------------------------------------------------ */

void fs_session_emit(struct fs_session *s, json_t *gives);
/* A text event, safe for a terminal; stream "stdout" or "stderr". */
void fs_session_say(struct fs_session *s, const char *stream, const char *text,
                    size_t len);
/* The same of a text of ours, in ASCII if that is set: "us" for "µs". */
void fs_session_answer(struct fs_session *s, const char *stream,
                       struct fs_str *text);
void fs_session_note(struct fs_session *s, const char *id, const char *fmt,
                     ...) FS_PRINTF(3, 4);

static inline void fs_set_text(json_t *o, const char *key, const char *text) {
  if (text) json_object_set_new(o, key, fs_json_text(text, strlen(text)));
}
/* Sends the diagnostics, and forgets them. */
void fs_session_emit_diags(struct fs_session *s);

/* -- past.c ----------------------------------------------------------- */

/* One more line for :history. */
void fs_session_remember(struct fs_session *s, const char *text, size_t len,
                         enum fs_past_kind kind);
/* tour.c: `:tour` as a text, `:examples [name]` */
enum fs_status fs_session_tell_tour(struct fs_session *s, struct fs_words *words);
enum fs_status fs_session_examples(struct fs_session *s, struct fs_words *words);
/* The names that it takes. Given. */
json_t *fs_session_example_names(void);
/* commands.c: whether a command line changes the session. */
bool fs_session_changes(const char *line);
/* `:history`, `:save FILE.fs` */
enum fs_status fs_session_history(struct fs_session *s, struct fs_words *words);
enum fs_status fs_session_save_script(struct fs_session *s, struct fs_words *words);

/* -- place.c --------------------------------------------------------- */

/* The place in use. */
static inline struct fs_place *fs_session_place(const struct fs_session *s) {
  return (struct fs_place *)(uintptr_t)(s->on_cuda ? &s->cuda : &s->cpu);
}
static inline struct fs_target *fs_session_target(const struct fs_session *s) {
  return fs_session_place(s)->target;
}
static inline struct fs_runner *fs_session_runner(const struct fs_session *s) {
  return fs_session_place(s)->runner;
}
/* Of the target in use; NULL: none. */
static inline struct fs_calibration *fs_session_calibration(const struct fs_session *s) {
  return fs_session_place(s)->calibration;
}
/* What was learned from runs on the device in use; NULL if nothing is to be. */
static inline struct fs_learned *fs_session_learned(const struct fs_session *s) {
  return s->learn ? fs_session_place(s)->learned : NULL;
}
/* Kernels are measured in every input whose times are shown. */
static inline bool fs_session_hears_times(const struct fs_session *s) {
  return s->time || strcmp(s->plan_form, "off") != 0;
}
/* The CPU, and the CUDA device if `target` asks for it and a driver seems to be there: then
 * it is opened at the first need. False with a sentence. */
bool fs_places_open(struct fs_session *s, const char *target, const char **error);
void fs_places_close(struct fs_session *s);
/* Opens the CUDA device if it is wanted and was not tried yet. */
/* -- ranks.c: inputs for those that follow, before the leader does the same --------- */
void fs_session_tell_eval(struct fs_session *s, const char *name, const char *text, size_t len,
                          unsigned flags);
void fs_session_tell_define(struct fs_session *s, const char *name, const char *value);
void fs_session_tell_set(struct fs_session *s, const char *name, const char *value);
void fs_session_leave_ranks(struct fs_session *s);
/* A line that the leader was given, which all get; keeps it and gives one. */
char *fs_session_share_line(struct fs_session *s, char *line);
/* Starts the ranks that a target asks for; `target` gets this one's own. */
bool fs_session_meet(const struct fs_session_config *config, char *target, size_t size,
                     const char **error);

enum fs_status fs_session_ready(struct fs_session *s);
/* "auto", "cpu", "cuda", "cuda:1". */
enum fs_status fs_session_use(struct fs_session *s, const char *name,
                              struct fs_span span);
enum fs_status fs_session_set_threads(struct fs_session *s, int threads);
/* As fs_target_computes() of every GPU of the session; its blocks are planned anew. */
enum fs_status fs_session_compute(struct fs_session *s, bool fast, bool flushes);
/* The device in use is calibrated from now on; keeps `c`, NULL: it is not. Blocks
 * are planned anew. */
void fs_session_take_calibration(struct fs_session *s,
                                 struct fs_calibration *c);

/* -- plan.c ---------------------------------------------------------- */

/* What a front end that wants rich output gets of a block that is launched now: its plan as
 * predicted, and later, under the same id, as measured. */
void fs_session_announce(struct fs_session *s, struct fs_block *block);
/* Tells the front end what a long block, which is launched now, is expected to take. */
void fs_session_expect(struct fs_session *s, struct fs_block *block);
/* It is over; but a GPU goes on when its block was launched. */
void fs_session_end_expecting(struct fs_session *s);
/* Sends the plans of the input (if `send`), keeps them for :plan, forgets. */
void fs_session_end_plans(struct fs_session *s, bool send);

/* -- record.c -------------------------------------------------------- */

/* A block is about to run: what its timers hold of a run at another place is read. */
void fs_session_keep_times(struct fs_session *s, struct fs_block *block);
/* The record of this input's that is about the block, written where it is; NULL. */
struct fs_plan_record *fs_session_find_record(struct fs_session *s,
                                              const struct fs_block *block);
struct fs_plan_record *fs_session_new_record(struct fs_session *s, fs_plan_records *list,
                                             struct fs_block *block, int number);
void fs_session_unref_record(struct fs_plan_record *r);
/* Predictions of a plan as the runs before have corrected them. */
void fs_session_correct(const struct fs_session *s, struct fs_plan *plan);
/* A block was run: remembers it for the end of the input. */
void fs_session_record(struct fs_session *s, struct fs_block *block,
                       int number);
/* The same of a value that was computed late: it belongs to the next block. */
void fs_session_record_late(struct fs_session *s, struct fs_block *block,
                            const char *name);
/* Late values that no block has read (a display did, or a file) get plans of their own. */
void fs_session_end_late(struct fs_session *s);
/* Waits for the device and puts the measured times into the events. */
enum fs_status fs_session_collect(struct fs_session *s);
/* The event of a record, made now if nobody has looked yet. Borrowed. */
json_t *fs_session_event_of(struct fs_session *s, struct fs_plan_record *r);
/* The events of a list as an array. Given. */
json_t *fs_session_events_of(struct fs_session *s, const fs_plan_records *list);
void fs_session_drop_records(fs_plan_records *list);
/* Adds what its runs were to the totals. */
void fs_session_add_up(const struct fs_session *s, const struct fs_plan_record *r,
                       struct fs_totals *out);
/* The block is about to change: records keep its words as they were, or, where it gets
 * another plan or goes, events of how it was are made before. */
void fs_session_settle(struct fs_session *s, struct fs_block *block, enum fs_change change);
/* Which record :plan is about: of the last statement that ran blocks the one
 * that takes most of the time. -1 if nothing was run. */
int fs_session_main_plan(const struct fs_session *s);
/* Of a loop whose blocks differ the first few are shown, the last, and the main one. */
enum { FS_SHOWN_OF_PLACE = 8 };
bool fs_session_shows(const struct fs_session *s, int k);
/* Makes it the block of :code and :plan dump. */
void fs_session_choose_block(struct fs_session *s);
/* Chooses, and gives the block if it ran on the target in use; else NULL, with words in
 * `out`. Borrowed. */
struct fs_block *fs_session_current_block(struct fs_session *s, struct fs_str *out);
/* The runner's blocks are about to go. */
void fs_session_forget_blocks(struct fs_session *s,
                              const struct fs_runner *runner);
/* -- account.c -------------------------------------------------------- */

/* The account of the input that ends (docs/events.md), which took `wall` seconds; NULL
 * when nobody hears of times. Given. */
json_t *fs_session_account(struct fs_session *s, double wall);

/* -- view.c ---------------------------------------------------------- */

/* The event with "data": its forms for a front end that shows rich output, by
 * media type. `block` NULL or the block that ran. Gives a new event. */
json_t *fs_session_rich_plan(struct fs_session *s, const json_t *event,
                             const struct fs_block *block);
/* `:plan dot|svg|html [FILE]` of a plan event. */
enum fs_status fs_session_view(struct fs_session *s, struct fs_words *words,
                               const json_t *plan,
                               const struct fs_block *block);
void fs_session_drop_pictures(struct fs_session *s);

/* -- plot.c ---------------------------------------------------------- */

/* Sends the plot as a display event. */
void fs_session_show_plot(struct fs_session *s, const struct fs_plot *p);
/* Puts the device's limits and the kernels of the last blocks into a plot. */
enum fs_status fs_session_roofline(struct fs_session *s, struct fs_plot *p);
/* Bars of the predicted and the measured times of the last blocks. */
enum fs_status fs_session_predictions(struct fs_session *s, struct fs_plot *p);

/* -- explain.c, assert.c ---------------------------------------- */

enum fs_status fs_session_show_alternatives(struct fs_session *s,
                                            struct fs_words *words);
enum fs_status fs_session_why(struct fs_session *s, struct fs_words *words);
/* `plan` NULL: nothing has run. */
enum fs_status fs_session_assert(struct fs_session *s, struct fs_words *words,
                                 const json_t *plan);
/* The k best combinations for a plan's block, and the unfused one, as
 * fs_alternatives_put() takes them. run: the block that runs as the chosen plan, or NULL.
 * Given. */
/* How the last block would be planned now, beside how it is, in one line; nothing if there is
 * no block, or it is not kept. */
void fs_session_what_if(struct fs_session *s, struct fs_str *out);
/* The same of two plans of one graph, which it corrects. */
void fs_session_put_change(struct fs_session *s, struct fs_plan *was, struct fs_plan *now,
                           struct fs_str *out);
/* The same where the choice is of the device, with which blocks go: the last block as it was,
 * given (NULL: there is none); and how it would be planned now, which frees it. */
struct fs_was *fs_session_was(struct fs_session *s);
void fs_session_put_now(struct fs_session *s, struct fs_was *was, struct fs_str *out);
json_t *fs_session_alternatives(struct fs_session *s, struct fs_plan *chosen,
                                const struct fs_block *run, int k);
/* The plans of an input that ended are kept to be compared with. */
void fs_session_keep_past(struct fs_session *s, struct fs_plan_record *plan);
/* plans[at] against the run before of the same statements. */
void fs_session_diff(struct fs_session *s, json_t *plans, size_t at,
                     struct fs_str *out);

/* -- pins.c ----------------------------------------------------------- */

/* Pins each word to the others: `:fuse a b c`, `:split a b`; at the prompt *out says so. */
enum fs_status fs_pins_change(struct fs_session *s, bool together, int n,
                              const char *const *words, struct fs_span span,
                              struct fs_str *out);
/* Takes such pins back; *out gets those that are left. */
enum fs_status fs_pins_remove(struct fs_session *s, bool together, int n,
                              const char *const *words, struct fs_span span,
                              struct fs_str *out);
void fs_pins_list(const struct fs_session *s, struct fs_str *out);
void fs_pins_clear(struct fs_session *s);
/* Hands them to the runners: after changes, and to a new one. */
void fs_pins_apply(struct fs_session *s);
/* Warns of those that a new plan does not follow. */
void fs_pins_tell(struct fs_session *s, const struct fs_plan *plan);

/* Those of two statements that the graph has, as {"do": "fuse", "statements": ["q", "s"]}.
 * Given. */
json_t *fs_pins_json(const struct fs_session *s, const struct fs_graph *g);

/* -- choices.c -------------------------------------------------------- */

/* `:block [n]` */
enum fs_status fs_session_choose_number(struct fs_session *s, struct fs_words *words);
/* To who shows rich output, plan events about a block that has run: how it would be planned
 * now; and what `:again` measured of it. */
void fs_session_tell_considered(struct fs_session *s, const struct fs_block *b,
                                struct fs_plan *now);
struct fs_candidate;
void fs_session_tell_again(struct fs_session *s, struct fs_block *b,
                           const struct fs_candidate *m);

/* -- kernel.c --------------------------------------------------------- */

/* `:alternatives k1`, `:pin`, `:unpin`. */
enum fs_status fs_session_kernel_alternatives(struct fs_session *s,
                                              struct fs_words *words);
enum fs_status fs_session_pin(struct fs_session *s, struct fs_words *words);
enum fs_status fs_session_unpin(struct fs_session *s, struct fs_words *words);
void fs_kernel_pins_clear(struct fs_session *s);
/* The pins as data that another session of this program can take over (a new
 * reference), and the taking over, in place of those that it has. */
json_t *fs_kernel_pins_json(const struct fs_session *s);
void fs_kernel_pins_restore(struct fs_session *s, const json_t *pins);
void fs_kernel_pins_list(const struct fs_session *s, struct fs_str *out);
/* Keeps what a kernel took in `:tune`, for the session. */
void fs_session_keep_timed(struct fs_session *s, const struct fs_plan *plan,
                           int kernel, double seconds);
/* The same of a plan; what one took, < 0: it was not timed; how many of its block were. */
void fs_session_keep_timed_plan(struct fs_session *s, const struct fs_plan *plan,
                                double seconds);
double fs_session_timed_plan(const struct fs_session *s, const struct fs_plan *plan);
int fs_session_timed_plans(const struct fs_session *s, const struct fs_plan *plan);
/* A sentence about what the user pinned of a kernel; nothing if that is not so. */
void fs_session_put_by_hand(struct fs_session *s, const struct fs_block *block,
                            int kernel, struct fs_str *out);

/* -- settings.c ------------------------------------------------------ */

void fs_settings_init(struct fs_session *s);
/* The settings with their values; or one. */
void fs_settings_list(struct fs_session *s, struct fs_str *out);
/* The k-th setting for completion and help; false at the end. */
bool fs_setting_at(int k, const char **name, const char **values,
                   const char **doc);
/* FS_ERR_USER with a diagnostic at the span for what cannot be. */
enum fs_status fs_setting_change(struct fs_session *s, const char *name,
                                 const char *value, struct fs_span span);

/* -- commands.c ------------------------------------------------------ */

/* Runs a line that begins with `:` or `?`. */
enum fs_status fs_session_command(struct fs_session *s, const char *line,
                                  struct fs_span span);
/* Loads all arrays of a file, or one under another name. */
enum fs_status fs_session_load(struct fs_session *s, const char *name,
                               const char *path, int n, const char *const *texts,
                               struct fs_span span, struct fs_str *out);

/* -- variables.c ----------------------------------------------------- */

/* The elements of stored tensors as a flat array in row-major order, complex ones as [re, im],
 * with "nan", "inf" and
 * "-inf" for what JSON cannot write; NULL: there are none, or more than `most`. Given. */
enum fs_status fs_session_elements(struct fs_session *s, const struct fs_val *v,
                                   int64_t most, json_t **out);
/* "number", "tensor", ...: the kind of a value in events. */
const char *fs_session_kind(const struct fs_val *v);
/* One element of fs_session_variables(). */
json_t *fs_session_variable(struct fs_session *s,
                            const struct fs_interp_var *v);

/* -- mirror.c -------------------------------------------------------- */

/* Takes {"vars": {...}, "gone": [...], "settings": {...}} over. */
void fs_mirror_update(struct fs_session *s, const json_t *state);
/* The other process is a new one: no variables; settings stay. */
void fs_mirror_clear(struct fs_session *s);
void fs_mirror_free(struct fs_session *s);

/* -- commands with a file of their own ------------------------------------------ */

/* A command's words, and where its answer goes. A function that gives FS_ERR_USER
 * without a diagnostic may say what is wrong; else it was not called as it is. */
struct fs_words {
  int n;
  const char *const *word;
  struct fs_span span;
  struct fs_str *out;
  const char *wrong, *hint; /* static */
};
/* help.c: functions whose name or description has a word, or whose name matches a pattern with
 * *, a line each; "": all. False: there are none. */
bool fs_session_put_functions(struct fs_session *s, const char *word, struct fs_str *out);
/* slow.c: `:why slow [k1]`, of the event of the last block (borrowed, or NULL) */
enum fs_status fs_session_why_slow(struct fs_session *s, struct fs_words *words,
                                   const json_t *plan);
/* contest.c: `:again [n]`, `:race [k]`, `:check`, `:choose [k]` */
enum fs_status fs_session_choose(struct fs_session *s, struct fs_words *words);
enum fs_status fs_session_again(struct fs_session *s, struct fs_words *words);
enum fs_status fs_session_race_plans(struct fs_session *s, struct fs_words *words);
enum fs_status fs_session_check(struct fs_session *s, struct fs_words *words);
/* explain.c: whether two plans of one graph have the same kernels, whatever their settings;
 * the plan without fusion, given. */
bool fs_session_same_plan(const struct fs_plan *a, const struct fs_plan *b);
struct fs_plan *fs_session_unfused_plan(struct fs_session *s, const struct fs_graph *g);
/* tune.c: the last block runs as the search's best from now on, also in later sessions. */
struct fs_search;
void fs_session_keep_best(struct fs_session *s, struct fs_search *r);
/* What a search tells (fs_search_options), as progress of a command in events, at most
 * ten a second. user: a struct fs_progress. */
struct fs_progress {
  struct fs_session *s;
  const char *command;
  double began, last;
};
void fs_session_on_progress(void *user, const char *what, double done);

/* race.c: `:race mv(A, x) block=128` */
enum fs_status fs_session_race(struct fs_session *s, const char *text, struct fs_span span,
                               struct fs_str *out);
/* code.c; tools.c; tune.c */
enum fs_status fs_session_code(struct fs_session *s, struct fs_words *words);
/* export.c: `:export-kernel k1 FILE` */
enum fs_status fs_session_export(struct fs_session *s, struct fs_words *words);
/* view.c: the text as a file, of which the command then tells. */
enum fs_status fs_session_save_text(struct fs_session *s, struct fs_words *words,
                                    const char *path, const struct fs_str *text);
/* A stand-in for a GPU that is not here: of a compute capability, of OpenCL. */
struct fs_device fs_usual_gpu(int cc);
struct fs_device fs_usual_opencl(void);
enum fs_status fs_session_cache(struct fs_session *s, struct fs_words *words);
enum fs_status fs_session_dump_last(struct fs_session *s, struct fs_words *words);
enum fs_status fs_session_tune(struct fs_session *s, struct fs_words *words);

/* A set of stages as fs_dump_parse() takes it. */
void fs_dump_words(unsigned stages, char *out, size_t size);
/* The dumps of a text's tree, and of a block, stage by stage. */
void fs_dump_ast(const char *text, size_t len, struct fs_str *out);
void fs_session_dump(struct fs_session *s, const struct fs_block *block,
                     unsigned stages, struct fs_str *out);

/* -- help.c ---------------------------------------------------------- */

/* The text of :help NAME and ?name; false if nothing is known. */
bool fs_session_describe(struct fs_session *s, const char *name, int detail,
                         struct fs_str *out);
/* Whether a variable can have the name. */
bool fs_is_identifier(const char *text);
/* topics.c: the k-th topic of `:help`; NULL at the end. No text: it is made. */
struct fs_topic { const char *name, *doc, *text; };
const struct fs_topic *fs_session_topic(int k);
/* The k-th keyword; NULL at the end. */
const char *fs_keyword_at(int k, const char **doc);

/* The user's functions, a line each, for :vars. */
void fs_session_own_elems(struct fs_session *s, struct fs_str *out);
/* measure_call.c: on a calibrated device, measures what a call of the
 * function takes, unless that is known, and keeps it with the calibration. */
void fs_session_measure_call(struct fs_session *s, const struct fs_user *u);
/* elem.c: `:elem` with its words; *usage: they are not understood. */
enum fs_status fs_session_elem(struct fs_session *s, int n,
                               const char *const *word, struct fs_span span,
                               struct fs_str *out, bool *usage);

#endif
