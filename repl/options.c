/* options.c - see options.h. An option is added in exactly one line of the
 * table and one case of apply(). Options and operands may be mixed. */
#include "repl/options.h"

#include <ctype.h>

#include "core/base/diag.h"
#include "core/session/session.h"

enum id {
  OPT_EVAL, OPT_INTERACTIVE, OPT_JSON, OPT_TARGET, OPT_THREADS, OPT_PLAN,
  OPT_DUMP, OPT_COLOR, OPT_QUIET, OPT_KEEP_GOING, OPT_NO_RC, OPT_NO_HISTORY,
  OPT_NO_READLINE, OPT_ONE_PROCESS, OPT_HELP, OPT_VERSION, OPT_MAN, OPT_USER,
  OPT_SYS_PREFIX, OPT_PREFIX, OPT_NAME, OPT_DISPLAY_NAME, OPT_ENV
};

struct row {
  enum id id;
  char letter;       /* 0: none                               */
  const char *name;  /* without the dashes                    */
  const char *value; /* NULL: takes none                      */
  const char *env;   /* variable that gives the default value */
  const char *help;  /* NULL: not shown                       */
  bool kernel;       /* of `fusible kernel` only              */
};

static const struct row table[] = {
  {OPT_EVAL, 'e', "eval", "CODE", NULL,
   "evaluate CODE as a script (repeatable)"},
  {OPT_INTERACTIVE, 'i', "interactive", NULL, NULL,
   "go on at the prompt after the scripts"},
  {OPT_JSON, 0, "json", NULL, NULL,
   "write every event to stdout as one JSON object a line"},
  {OPT_TARGET, 't', "target", "auto|cpu|cuda[:N]|opencl[:N]", "FUSIBLE_TARGET",
   "where to compute (auto: the first GPU, else the CPU)"},
  {OPT_THREADS, 0, "threads", "N", "FUSIBLE_THREADS",
   "threads of the CPU target (0: all processors)"},
  {OPT_PLAN, 'p', "plan", "off|line|box", "FUSIBLE_PLAN",
   "how to show plans (line at the prompt, off in scripts)"},
  {OPT_DUMP, 0, "dump", "LIST", "FUSIBLE_DUMP",
   "print stages of each input: ast,graph,space,plan,code"},
  {OPT_COLOR, 0, "color", "auto|always|never", NULL,
   "colour (auto: on a terminal, unless NO_COLOR is set)"},
  {OPT_QUIET, 'q', "quiet", NULL, NULL, "no banner, no progress line"},
  {OPT_KEEP_GOING, 'k', "keep-going", NULL, NULL,
   "after an error go on with the script's next statement"},
  {OPT_NO_RC, 0, "no-rc", NULL, NULL, "do not read rc.fs at the prompt"},
  {OPT_NO_HISTORY, 0, "no-history", NULL, NULL,
   "neither read nor write the history file"},
  {OPT_NO_READLINE, 0, "no-readline", NULL, NULL, "plain line input"},
  {OPT_ONE_PROCESS, 0, "one-process", NULL, NULL,
   "no worker for the prompt: a fault of the GPU ends it"},
  {OPT_HELP, 'h', "help", NULL, NULL, "print this help"},
  {OPT_VERSION, 'V', "version", NULL, NULL, "print the version"},
  {OPT_USER, 0, "user", NULL, NULL, "for this user (the default)", true},
  {OPT_SYS_PREFIX, 0, "sys-prefix", NULL, NULL,
   "for the active Python or conda environment", true},
  {OPT_PREFIX, 0, "prefix", "FOLDER", NULL, "in FOLDER/share/jupyter", true},
  {OPT_NAME, 0, "name", "NAME", NULL, "the kernel's name (fusible)", true},
  {OPT_DISPLAY_NAME, 0, "display-name", "TEXT", NULL,
   "what the launcher shows (Fusible)", true},
  {OPT_ENV, 0, "env", "NAME VALUE", NULL,
   "a variable for the kernel's environment (repeatable)", true},
  {OPT_MAN, 0, "man", NULL, NULL, NULL},
};

/* Variables that belong to no option. */
static const struct { const char *name, *help; } env_table[] = {
  {"NO_COLOR", "not empty: no colour"},
  {"CLICOLOR_FORCE, FORCE_COLOR", "not empty and not 0: colour everywhere"},
  {"FUSIBLE_HISTORY", "history file; empty: none (else "
   "$XDG_STATE_HOME/fusible/history)"},
  {"FUSIBLE_PAGER, PAGER", "pager for long help (else less -SRX)"},
  {"FUSIBLE_PATIENCE", "milliseconds a terminal has to say that it shows pictures (100)"},
  {"FUSIBLE_CACHE", "MiB of compiled kernels kept on disk (256), or off"},
  {"FUSIBLE_TUNING", "off: results of :tune are neither used nor kept"},
  {"FUSIBLE_LINEINFO", "1: kernels carry line tables for profilers"},
  {"FUSIBLE_ELEMLIB", "folder whose elementary functions come first"},
  {"FUSIBLE_CC", "C compiler for the routines of functions of yours (else cc)"},
  {"FUSIBLE_KERNELS", "plain: GPU kernels use only what every device has"},
  {"FUSIBLE_L2", "bytes of a GPU's cache to plan for, in place of its own"},
  {"FUSIBLE_REPLAY", "off: kernels of blocks that come again start one by one"},
  {"FUSIBLE_NVRTC", "path of NVRTC's shared library"},
  {"FUSIBLE_COMPILERS", "processes that compile many kernels at once; 0: none"},
  {"FUSIBLE_CUBLAS, FUSIBLE_CUSOLVER, FUSIBLE_CUFFT", "their paths"},
  {"FUSIBLE_FFTW", "off: Fourier transforms do without FFTW"},
  {"XDG_CONFIG_HOME", "holds fusible/rc.fs, read at the prompt's start"},
  {"XDG_STATE_HOME", "holds fusible/history"},
  {"XDG_DATA_HOME", "holds fusible/, what :calibrate, :tune and runs found out"},
  {"XDG_CACHE_HOME", "holds fusible/, the compiled kernels"},
};

static const struct { const char *code, *help; } exit_table[] = {
  {"0", "all went well"},
  {"1", "an error in a script"},
  {"2", "a wrong option, or a script that cannot be read"},
  {"3", "device, driver, memory or file system said no"},
  {"4", "a defect of this program"},
  {"130", "interrupted with Ctrl-C"},
};

static const char usage[] =
    "usage: fusible [OPTION]... [run] [FILE [NAME=VALUE]...]\n"
    "       fusible kernel install|uninstall|list [OPTION]...\n"
    "       fusible [OPTION]... calibrate [quick | status | forget | raw FILE]\n";

static enum fs_options_result complain(const char *fmt, ...) FS_PRINTF(1, 2);
static enum fs_options_result complain(const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fputs("fusible: ", stderr);
  vfprintf(stderr, fmt, args);
  fprintf(stderr, "\n%sTry `fusible --help'.\n", usage);
  va_end(args);
  return FS_OPTIONS_BAD;
}

/* -- help and man page ----------------------------------------------------- */

static void put_left(const struct row *r, struct fs_str *out) {
  if (r->letter) fs_str_printf(out, "-%c, ", r->letter);
  else fs_str_puts(out, "    ");
  fs_str_printf(out, "--%s", r->name);
  if (r->value) fs_str_printf(out, " %s", r->value);
}

static void put_rows(FILE *out, bool kernel) {
  for (size_t i = 0; i < FS_LEN(table); i++) {
    if (!table[i].help || table[i].kernel != kernel) continue;
    struct fs_str left = {0};
    put_left(&table[i], &left);
    fprintf(out, "  %-32s %s\n", fs_str_text(&left), table[i].help);
    if (table[i].env) fprintf(out, "  %-32s [$%s]\n", "", table[i].env);
    fs_str_free(&left);
  }
}

static void put_help(FILE *out) {
  fprintf(out,
          "%s\nFused linear algebra. Without FILE, -e or piped input: the "
          "prompt.\nFILE - is standard input; NAME=VALUE gives the script an "
          "input\n(n=8192, A=matrix.npy).\n\nOptions:\n", usage);
  put_rows(out, false);
  fputs("\nOptions of fusible kernel, which makes the notebook kernel known to "
        "Jupyter:\n", out);
  put_rows(out, true);
  fputs("\nEnvironment:\n", out);
  for (size_t i = 0; i < FS_LEN(env_table); i++)
    fprintf(out, "  %-32s %s\n", env_table[i].name, env_table[i].help);
  fputs("\nExit status:\n", out);
  for (size_t i = 0; i < FS_LEN(exit_table); i++)
    fprintf(out, "  %-4s %s\n", exit_table[i].code, exit_table[i].help);
}

/* Text for troff: hyphens that are typed must stay hyphens. */
static void put_troff(FILE *out, const char *text) {
  for (; *text; text++) {
    if (*text == '-') fputs("\\-", out);
    else if (*text == '\\') fputs("\\e", out);
    else fputc(*text, out);
  }
}

static void man_entry(FILE *out, const char *head, const char *text) {
  fputs(".TP\n.B ", out);
  put_troff(out, head);
  fputs("\n", out);
  put_troff(out, text);
  fputs(".\n", out);
}

static void man_rows(FILE *out, bool kernel) {
  for (size_t i = 0; i < FS_LEN(table); i++) {
    const struct row *r = &table[i];
    if (!r->help || r->kernel != kernel) continue;
    fputs(".TP\n", out);
    if (r->letter) fprintf(out, "\\fB\\-%c\\fR, ", r->letter);
    fputs("\\fB\\-\\-", out);
    put_troff(out, r->name);
    fputs("\\fR", out);
    if (r->value) fprintf(out, " \\fI%s\\fR", r->value);
    fputs("\n", out);
    put_troff(out, r->help);
    if (r->env) fprintf(out, ";\nthe default is taken from $%s", r->env);
    fputs(".\n", out);
  }
}

/* The OPTIONS and ENVIRONMENT sections in troff, for docs/fusible.1. */
static void put_man(FILE *out) {
  fputs(".SH OPTIONS\n", out);
  man_rows(out, false);
  fputs(".SS Options of fusible kernel\n", out);
  man_rows(out, true);
  fputs(".SH ENVIRONMENT\n", out);
  for (size_t i = 0; i < FS_LEN(env_table); i++)
    man_entry(out, env_table[i].name, env_table[i].help);
  fputs(".SH EXIT STATUS\n", out);
  for (size_t i = 0; i < FS_LEN(exit_table); i++)
    man_entry(out, exit_table[i].code, exit_table[i].help);
}

/* -- parsing --------------------------------------------------------------- */

static bool one_of(const char *value, const char *choices) {
  size_t len = strlen(value);
  for (const char *c = choices; *c; c += strcspn(c, "|"), c += *c == '|')
    if (strcspn(c, "|") == len && !strncmp(c, value, len)) return true;
  return false;
}

static bool is_number(const char *text, long max, int *value) {
  char *end;
  if (!isdigit((unsigned char)*text)) return false;
  long n = strtol(text, &end, 10);
  if (*end || n > max) return false;
  *value = (int)n;
  return true;
}

/* "0-3" */
static bool is_range(const char *text) {
  int first, last, end = 0;
  return sscanf(text, "%4d-%4d%n", &first, &last, &end) == 2 && !text[end] && first >= 0 &&
         last > first && last <= 1023;
}

static bool is_target(const char *text) {
  int device;
  if (!strncmp(text, "cpu:", 4)) return is_range(text + 4);
  if (!strcmp(text, "cuda:*") || (!strncmp(text, "cuda:", 5) && is_range(text + 5))) return true;
  if (!strncmp(text, "cuda:", 5)) return is_number(text + 5, 1023, &device);
  if (!strncmp(text, "opencl:", 7)) return is_number(text + 7, 1023, &device);
  return one_of(text, "auto|cpu|cuda|opencl");
}

static void add_input(struct fs_options *o, enum fs_input_kind kind,
                      const char *text) {
  *FS_PUSH(&o->inputs) = (struct fs_input){kind, text};
}

static enum fs_options_result bad_value(const struct row *r,
                                        const char *value) {
  return complain("--%s wants %s, not `%s'", r->name, r->value, value);
}

static enum fs_options_result apply(struct fs_options *o, const struct row *r,
                                    const char *value) {
  switch (r->id) {
    case OPT_EVAL: add_input(o, FS_INPUT_CODE, value); break;
    case OPT_INTERACTIVE: o->interactive = true; break;
    case OPT_JSON: o->json = true; break;
    case OPT_QUIET: o->quiet = true; break;
    case OPT_KEEP_GOING: o->keep_going = true; break;
    case OPT_NO_RC: o->no_rc = true; break;
    case OPT_NO_HISTORY: o->no_history = true; break;
    case OPT_NO_READLINE: o->no_readline = true; break;
    case OPT_ONE_PROCESS: o->one_process = true; break;
    case OPT_TARGET:
      if (!is_target(value)) return bad_value(r, value);
      o->target = value;
      break;
    case OPT_THREADS:
      if (!is_number(value, 4096, &o->threads)) return bad_value(r, value);
      break;
    case OPT_PLAN:
      if (!one_of(value, r->value)) return bad_value(r, value);
      o->plan = value;
      break;
    case OPT_DUMP: {
      unsigned stages;
      if (!fs_dump_parse(value, &stages)) return bad_value(r, value);
      o->dump = value;
      break;
    }
    case OPT_COLOR:
      if (!one_of(value, r->value)) return bad_value(r, value);
      o->color = !strcmp(value, "always")  ? FS_COLOR_ALWAYS
                 : !strcmp(value, "never") ? FS_COLOR_NEVER
                                           : FS_COLOR_AUTO;
      break;
    case OPT_USER: o->kernel.user = true; break;
    case OPT_SYS_PREFIX: o->kernel.sys_prefix = true; break;
    case OPT_PREFIX: o->kernel.prefix = value; break;
    case OPT_NAME: o->kernel.name = value; break;
    case OPT_DISPLAY_NAME: o->kernel.display_name = value; break;
    case OPT_ENV: *FS_PUSH(&o->kernel.env) = value; break;
    case OPT_HELP: put_help(stdout); return FS_OPTIONS_DONE;
    case OPT_MAN: put_man(stdout); return FS_OPTIONS_DONE;
    case OPT_VERSION:
      puts("fusible " FS_VERSION);
      return FS_OPTIONS_DONE;
  }
  return FS_OPTIONS_RUN;
}

static const char *next_name(void *user) {
  size_t *i = user;
  while (*i < FS_LEN(table) && !table[*i].help) (*i)++;
  return *i < FS_LEN(table) ? table[(*i)++].name : NULL;
}

static enum fs_options_result unknown(const char *name) {
  size_t at = 0;
  const char *near = fs_near_miss(name, next_name, &at);
  if (near) return complain("no option --%s; did you mean --%s?", name, near);
  return complain("no option --%s", name);
}

/* Takes the value that follows; --env takes two, unless it is NAME=VALUE. */
static enum fs_options_result apply_next(struct fs_options *o,
                                         const struct row *r, int argc,
                                         char **argv, int *i) {
  enum fs_options_result result = apply(o, r, argv[++*i]);
  if (r->id != OPT_ENV || strchr(argv[*i], '=')) return result;
  if (*i + 1 == argc) return complain("--%s wants %s", r->name, r->value);
  return apply(o, r, argv[++*i]);
}

/* --name, --name=value, --name value. *i steps over a value taken. */
static enum fs_options_result parse_long(struct fs_options *o, int argc,
                                         char **argv, int *i) {
  const char *name = argv[*i] + 2, *equals = strchr(name, '=');
  size_t len = equals ? (size_t)(equals - name) : strlen(name);
  for (size_t k = 0; k < FS_LEN(table); k++) {
    const struct row *r = &table[k];
    if (strlen(r->name) != len || strncmp(r->name, name, len)) continue;
    if (!r->value && equals) return complain("--%s takes no value", r->name);
    if (r->kernel && !o->kernel.action)
      return complain("--%s belongs to `fusible kernel'", r->name);
    if (!r->value) return apply(o, r, NULL);
    if (equals) return apply(o, r, equals + 1);
    if (*i + 1 == argc) return complain("--%s wants %s", r->name, r->value);
    return apply_next(o, r, argc, argv, i);
  }
  return unknown(name);
}

/* -qi, -e CODE, -eCODE */
static enum fs_options_result parse_short(struct fs_options *o, int argc,
                                          char **argv, int *i) {
  for (const char *c = argv[*i] + 1; *c; c++) {
    const struct row *r = NULL;
    for (size_t k = 0; k < FS_LEN(table) && !r; k++)
      if (table[k].letter == *c) r = &table[k];
    if (!r) return complain("no option -%c", *c);
    if (r->value && c[1]) return apply(o, r, c + 1);
    if (r->value && *i + 1 == argc)
      return complain("-%c wants %s", *c, r->value);
    enum fs_options_result result = apply(o, r, r->value ? argv[++*i] : NULL);
    if (result != FS_OPTIONS_RUN || r->value) return result;
  }
  return FS_OPTIONS_RUN;
}

/* NAME=VALUE with NAME an identifier; anything else is a file. */
static bool is_define(const char *text) {
  if (!isalpha((unsigned char)*text) && *text != '_') return false;
  while (isalnum((unsigned char)*text) || *text == '_') text++;
  return *text == '=';
}

static enum fs_options_result operand(struct fs_options *o, const char *text,
                                      const char **file) {
  if (is_define(text)) {
    *FS_PUSH(&o->defines) = text;
    return FS_OPTIONS_RUN;
  }
  if (*file)
    return complain("two scripts, `%s' and `%s'; an input of a script is "
                    "given as NAME=VALUE", *file, text);
  *file = text;
  add_input(o, strcmp(text, "-") ? FS_INPUT_FILE : FS_INPUT_STDIN, text);
  return FS_OPTIONS_RUN;
}

static enum fs_options_result from_environment(struct fs_options *o) {
  for (size_t k = 0; k < FS_LEN(table); k++) {
    const char *value = table[k].env ? getenv(table[k].env) : NULL;
    if (!value || !*value) continue;
    enum fs_options_result result = apply(o, &table[k], value);
    if (result != FS_OPTIONS_RUN) {
      fprintf(stderr, "fusible: the value comes from $%s\n", table[k].env);
      return result;
    }
  }
  return FS_OPTIONS_RUN;
}

/* What comes after `fusible kernel`. */
static enum fs_options_result kernel_operand(struct fs_options *o,
                                             const char *text) {
  if (*o->kernel.action)
    return complain("kernel %s takes no `%s'", o->kernel.action, text);
  if (!one_of(text, "install|uninstall|list"))
    return complain("kernel wants install, uninstall or list, not `%s'", text);
  o->kernel.action = text;
  return FS_OPTIONS_RUN;
}

static enum fs_options_result check_kernel(const struct fs_kernel_options *k) {
  if (!*k->action) return complain("kernel wants install, uninstall or list");
  if (k->user + k->sys_prefix + (k->prefix != NULL) > 1)
    return complain("--user, --sys-prefix and --prefix exclude each other");
  return FS_OPTIONS_RUN;
}

/* `fusible calibrate quick` is `:calibrate quick`. */
static bool add_calibrate(struct fs_options *o, const char *word, bool more) {
  static char command[256] = ":calibrate";
  size_t len = strlen(command);
  if (!more) add_input(o, FS_INPUT_CODE, command);
  else snprintf(command + len, sizeof command - len, " %s", word);
  return true;
}

enum fs_options_result fs_options_parse(struct fs_options *o, int argc,
                                        char **argv) {
  *o = (struct fs_options){.target = "auto"};
  bool literal = false, subcommand = false, calibrating = false;
  const char *file = NULL;
  enum fs_options_result result = from_environment(o);
  for (int i = 1; i < argc && result == FS_OPTIONS_RUN; i++) {
    const char *arg = argv[i];
    if (literal || arg[0] != '-' || !arg[1]) {
      if (o->kernel.action)
        result = kernel_operand(o, arg);
      else if (!strcmp(arg, "kernel") && i == 1)
        o->kernel.action = "";
      else if (!strcmp(arg, "run") && !subcommand && !file && !literal)
        subcommand = true;
      else if (calibrating || (!strcmp(arg, "calibrate") && !subcommand &&
                               !file && !literal))
        calibrating = add_calibrate(o, arg, calibrating);
      else
        result = operand(o, arg, &file);
    } else if (!strcmp(arg, "--")) {
      literal = true;
    } else {
      result = arg[1] == '-' ? parse_long(o, argc, argv, &i)
                             : parse_short(o, argc, argv, &i);
    }
  }
  if (result == FS_OPTIONS_RUN && o->kernel.action)
    return check_kernel(&o->kernel);
  if (result == FS_OPTIONS_RUN && subcommand && !file)
    return complain("run wants a FILE");
  return result;
}

void fs_options_free(struct fs_options *o) {
  FS_VEC_FREE(&o->inputs);
  FS_VEC_FREE(&o->defines);
  FS_VEC_FREE(&o->kernel.env);
}
