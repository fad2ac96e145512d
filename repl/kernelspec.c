/* kernelspec.c - see kernelspec.h. A kernel is a folder DATA/kernels/NAME with
 * kernel.json, which says how to start it, and its logos. Beside all kernels of a
 * data folder is one extension of JupyterLab, for their colours. */
#include "repl/kernelspec.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/datafile.h"
#include "core/base/embed.h"

enum { FAILED = 3, BAD_USAGE = 2 };

/* As they are built in, and where the extension goes. */
#define LOGOS "jupyter/kernelspec/"
#define LAB "jupyter/labextension/"
#define LAB_FOLDER "/labextensions/jupyterlab-fusible"

static int fail(const char *what, const char *path) {
  fprintf(stderr, "fusible: cannot %s %s: %s\n", what, path, strerror(errno));
  return FAILED;
}

/* -- where ------------------------------------------------------------------- */

/* Jupyter's data folder of this user. */
static bool user_data(struct fs_str *out) {
  const char *given = getenv("JUPYTER_DATA_DIR");
  const char *xdg = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  if (given && *given) fs_str_puts(out, given);
  else if (xdg && *xdg == '/') fs_str_printf(out, "%s/jupyter", xdg);
  else if (home && *home == '/')
    fs_str_printf(out, "%s/.local/share/jupyter", home);
  return out->len > 0;
}

/* The environment that is active: of Python or conda. */
static const char *environment(void) {
  const char *python = getenv("VIRTUAL_ENV"), *conda = getenv("CONDA_PREFIX");
  return python && *python ? python : conda && *conda ? conda : NULL;
}

static bool data_folder(const struct fs_options *o, struct fs_str *out) {
  const struct fs_kernel_options *k = &o->kernel;
  const char *prefix = k->prefix;
  if (k->sys_prefix && !(prefix = environment())) {
    fputs("fusible: --sys-prefix wants an active environment: neither "
          "VIRTUAL_ENV nor CONDA_PREFIX is set\n", stderr);
    return false;
  }
  if (prefix) {
    fs_str_printf(out, "%s/share/jupyter", prefix);
    return true;
  }
  if (user_data(out)) return true;
  fputs("fusible: there is no home folder; --prefix gives another place\n",
        stderr);
  return false;
}

static bool is_name(const char *name) {
  for (const char *p = name; *p; p++)
    if (!isalnum((unsigned char)*p) && !strchr("._-", *p)) return false;
  return *name && *name != '.';
}

/* Name of the kernel: Jupyter's own rule, in lower case. */
static bool kernel_folder(const struct fs_options *o, struct fs_str *out,
                          struct fs_str *lab) {
  const char *name = o->kernel.name ? o->kernel.name : "fusible";
  if (!is_name(name)) {
    fprintf(stderr, "fusible: a kernel's name has letters, digits, . _ and - "
                    "only, not `%s'\n", name);
    return false;
  }
  if (!data_folder(o, out)) return false;
  fs_str_printf(lab, "%s" LAB_FOLDER, fs_str_text(out));
  fs_str_puts(out, "/kernels/");
  for (const char *p = name; *p; p++) {
    char c = (char)tolower((unsigned char)*p);
    fs_str_put(out, &c, 1);
  }
  return true;
}

/* The kernel beside this program. */
static bool find_program(struct fs_str *out) {
  char path[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  if (n < 0) return false;
  path[n] = 0;
  char *slash = strrchr(path, '/');
  if (slash) *slash = 0;
  fs_str_printf(out, "%s/fusible-kernel", path);
  return !access(fs_str_text(out), X_OK);
}

/* -- writing ----------------------------------------------------------------- */

static bool make_folder(const char *path) {
  int error = fs_make_folders(path, 0755);
  if (!mkdir(path, 0755) || errno == EEXIST) return true;
  if (error) errno = error; /* a read-only file system rather than no such folder */
  return false;
}

/* Whole or not at all: a server may be reading. */
static bool write_file(const char *folder, const char *name, const char *data,
                       size_t len) {
  struct fs_str path = {0}, temp = {0};
  fs_str_printf(&path, "%s/%s", folder, name);
  fs_str_printf(&temp, "%s/.%s.%d", folder, name, (int)getpid());
  FILE *out = fopen(fs_str_text(&temp), "wxbe");
  bool ok = out && fwrite(data, 1, len, out) == len && !fflush(out) &&
            !fsync(fileno(out));
  if (out && fclose(out)) ok = false;
  ok = ok && !rename(fs_str_text(&temp), fs_str_text(&path));
  int why = errno;
  if (!ok) unlink(fs_str_text(&temp));
  errno = why;
  fs_str_free(&path);
  fs_str_free(&temp);
  return ok;
}

static json_t *environment_of(const struct fs_kernel_options *k) {
  json_t *env = json_object();
  for (int i = 0; i < k->env.len; i++) {
    const char *name = k->env.data[i], *equals = strchr(name, '=');
    char *key = fs_strndup(name, equals ? (size_t)(equals - name) : strlen(name));
    json_object_set_new(env, key, json_string(equals ? equals + 1
                                                     : k->env.data[++i]));
    free(key);
  }
  return env;
}

static char *kernel_json(const struct fs_options *o, const char *program) {
  const char *shown = o->kernel.display_name;
  json_t *spec = json_pack(
      "{s[sss] ss ss ss ss so s{s[s] sb}}", "argv", program, "-f",
      "{connection_file}", "display_name", shown ? shown : "Fusible",
      "language", "fusible", "interrupt_mode", "message",
      "kernel_protocol_version", "5.5", "env", environment_of(&o->kernel),
      "metadata", "supported_encryption", "curve", "debugger", 0);
  char *text = json_dumps(spec, JSON_INDENT(1));
  json_decref(spec);
  return text;
}

/* The name inside of the folder `from` of a built-in file that lies right in it,
 * else NULL. */
static const char *name_in(const char *from, const struct fs_embedded *e) {
  size_t n = strlen(from);
  return strncmp(e->name, from, n) || strchr(e->name + n, '/') ? NULL : e->name + n;
}

/* The files that are built in under that folder, into this one. */
static int write_embedded(const char *from, const char *folder) {
  int code = make_folder(folder) ? 0 : fail("make", folder);
  for (const struct fs_embedded *e = fs_embedded; !code && e->name; e++)
    if (name_in(from, e) && !write_file(folder, name_in(from, e), e->text, e->len))
      code = fail("write to", folder);
  return code;
}

/* package.json last: it is what JupyterLab finds the rest by. */
static int write_extension(const char *lab) {
  struct fs_str code = {0};
  fs_str_printf(&code, "%s/static", lab);
  int bad = write_embedded(LAB "static/", code.data);
  if (!bad) bad = write_embedded(LAB, lab);
  fs_str_free(&code);
  return bad;
}

static int install(const struct fs_options *o) {
  struct fs_str folder = {0}, lab = {0}, program = {0}, text = {0};
  int code = 0;
  if (!find_program(&program)) {
    fprintf(stderr, "fusible: %s is not there; `make' builds it\n",
            fs_str_text(&program));
    code = FAILED;
  } else if (!kernel_folder(o, &folder, &lab)) {
    code = BAD_USAGE;
  } else {
    code = write_embedded(LOGOS, folder.data);
  }
  if (!code) code = write_extension(lab.data);
  if (!code) {
    char *spec = kernel_json(o, fs_str_text(&program));
    fs_str_printf(&text, "%s\n", spec ? spec : "{}");
    free(spec);
    if (!write_file(folder.data, "kernel.json", text.data, text.len))
      code = fail("write to", folder.data);
  }
  if (!code)
    printf("the kernel %s was installed in %s\n"
           "its colours for JupyterLab in %s\n",
           strrchr(folder.data, '/') + 1, folder.data, lab.data);
  fs_str_free(&folder);
  fs_str_free(&lab);
  fs_str_free(&program);
  fs_str_free(&text);
  return code;
}

/* -- removing and listing ---------------------------------------------------- */

/* Whether the folder has a kernel.json that starts a fusible-kernel; gives the
 * program's path. */
static bool is_ours(const char *folder, struct fs_str *program) {
  struct fs_str path = {0};
  fs_str_printf(&path, "%s/kernel.json", folder);
  json_t *spec = json_load_file(fs_str_text(&path), 0, NULL);
  const char *argv0 = json_string_value(
      json_array_get(json_object_get(spec, "argv"), 0));
  const char *base = argv0 ? strrchr(argv0, '/') : NULL;
  bool ours = base && !strcmp(base, "/fusible-kernel");
  if (ours) fs_str_puts(program, argv0);
  json_decref(spec);
  fs_str_free(&path);
  return ours;
}

/* How many kernels of Fusible a data folder has; each is shown, if wanted. */
static int list_in(const char *data, bool show);

/* Only the files that install() writes, and the folder if nothing else is in it. */
static void remove_embedded(const char *from, const char *folder) {
  struct fs_str path = {0};
  for (const struct fs_embedded *e = fs_embedded; e->name; e++) {
    if (!name_in(from, e)) continue;
    fs_str_clear(&path);
    fs_str_printf(&path, "%s/%s", folder, name_in(from, e));
    unlink(fs_str_text(&path));
  }
  rmdir(folder);
  fs_str_free(&path);
}

/* The last kernel takes it along. */
static void remove_extension(const char *lab) {
  char *data = fs_strndup(lab, strlen(lab) - strlen(LAB_FOLDER));
  struct fs_str code = {0};
  fs_str_printf(&code, "%s/static", lab);
  if (!list_in(data, false)) {
    remove_embedded(LAB "static/", code.data);
    remove_embedded(LAB, lab);
  }
  fs_str_free(&code);
  free(data);
}

static int uninstall(const struct fs_options *o) {
  struct fs_str folder = {0}, lab = {0}, program = {0}, path = {0};
  int code = 0;
  if (!kernel_folder(o, &folder, &lab)) {
    code = BAD_USAGE;
  } else if (!is_ours(fs_str_text(&folder), &program)) {
    fprintf(stderr, "fusible: there is no kernel of Fusible in %s\n",
            fs_str_text(&folder));
    code = FAILED;
  } else {
    fs_str_printf(&path, "%s/kernel.json", folder.data);
    if (unlink(fs_str_text(&path))) code = fail("remove", path.data);
    else printf("the kernel in %s was removed\n", folder.data);
    remove_embedded(LOGOS, folder.data);
    if (!code) remove_extension(lab.data);
  }
  fs_str_free(&folder);
  fs_str_free(&lab);
  fs_str_free(&program);
  fs_str_free(&path);
  return code;
}

static int list_in(const char *data, bool show) {
  int found = 0;
  struct fs_str kernels = {0}, folder = {0}, program = {0};
  fs_str_printf(&kernels, "%s/kernels", data);
  DIR *dir = opendir(fs_str_text(&kernels));
  for (struct dirent *e; dir && (e = readdir(dir));) {
    if (e->d_name[0] == '.') continue;
    fs_str_clear(&folder);
    fs_str_clear(&program);
    fs_str_printf(&folder, "%s/%s", kernels.data, e->d_name);
    if (!is_ours(fs_str_text(&folder), &program)) continue;
    found++;
    if (!show) continue;
    bool there = !access(program.data, X_OK);
    printf("%-16s %s\n%16s starts %s%s\n", e->d_name, folder.data, "",
           program.data, there ? "" : ", which is not there");
  }
  if (dir) closedir(dir);
  fs_str_free(&kernels);
  fs_str_free(&folder);
  fs_str_free(&program);
  return found;
}

/* All places where Jupyter looks; with --prefix and the like, that one. */
static int list(const struct fs_options *o) {
  struct fs_str data = {0};
  int found = 0;
  if (o->kernel.prefix || o->kernel.sys_prefix) {
    if (!data_folder(o, &data)) return BAD_USAGE;
    found += list_in(fs_str_text(&data), true);
  } else {
    if (user_data(&data)) found += list_in(fs_str_text(&data), true);
    fs_str_clear(&data);
    if (environment()) {
      fs_str_printf(&data, "%s/share/jupyter", environment());
      found += list_in(fs_str_text(&data), true);
    }
    found += list_in("/usr/local/share/jupyter", true);
    found += list_in("/usr/share/jupyter", true);
  }
  if (!found) puts("no kernel of Fusible is installed");
  fs_str_free(&data);
  return 0;
}

int fs_kernelspec(const struct fs_options *o) {
  if (!strcmp(o->kernel.action, "install")) return install(o);
  if (!strcmp(o->kernel.action, "uninstall")) return uninstall(o);
  return list(o);
}
