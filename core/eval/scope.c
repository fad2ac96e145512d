/* scope.c - the names of one scope: found by hash, in the order of names when somebody
 * goes through them. */
#include "core/eval/interp.h"

/* FNV-1a: names are short, and looked up some ten times in each round of a loop. */
static uint64_t name_hash(const char *name) {
  uint64_t h = 0xcbf29ce484222325u;
  for (; *name; name++) h = (h ^ (unsigned char)*name) * 0x100000001b3u;
  return h ^ h >> 32;
}

/* From so many names on a scope finds them by slots: a power of two of them, at
 * most half in use, each name in the first free one from that of its hash on. */
enum { FEW_NAMES = 16 };

static bool is_var(const struct fs_var *v, const char *name, uint64_t hash) {
  return v->hash == hash && strcmp(v->name, name) == 0;
}

/* The slot of a name, or the free one where it would go. */
static int slot_of(const struct fs_scope *s, const char *name, uint64_t hash) {
  int mask = s->n_slots - 1, k = (int)(hash & (uint64_t)mask);
  while (s->slots[k] && !is_var(&s->vars.data[s->slots[k] - 1], name, hash))
    k = (k + 1) & mask;
  return k;
}

static void fill_slots(struct fs_scope *s) {
  memset(s->slots, 0, sizeof(*s->slots) * (size_t)s->n_slots);
  for (int i = 0; i < s->vars.len; i++)
    s->slots[slot_of(s, s->vars.data[i].name, s->vars.data[i].hash)] = i + 1;
}

/* Makes room for one name more. */
static void grow_slots(struct fs_scope *s) {
  int n = s->vars.len + 1;
  if (n <= FEW_NAMES || 2 * n <= s->n_slots) return;
  int more = s->n_slots ? 2 * s->n_slots : 4 * FEW_NAMES;
  s->slots = fs_realloc(s->slots, sizeof(*s->slots) * (size_t)more);
  s->n_slots = more;
  fill_slots(s);
}

/* Frees slot k, and moves up those behind it that were not in their first choice. */
static void free_slot(struct fs_scope *s, int k) {
  int mask = s->n_slots - 1;
  for (int at = (k + 1) & mask; s->slots[at]; at = (at + 1) & mask) {
    int first = (int)(s->vars.data[s->slots[at] - 1].hash & (uint64_t)mask);
    if (((at - first) & mask) < ((at - k) & mask)) continue;
    s->slots[k] = s->slots[at];
    k = at;
  }
  s->slots[k] = 0;
}

struct fs_var *fs_scope_var(struct fs_scope *s, const char *name) {
  uint64_t h = name_hash(name);
  if (s->n_slots) {
    int place = s->slots[slot_of(s, name, h)];
    return place ? &s->vars.data[place - 1] : NULL;
  }
  for (int i = 0; i < s->vars.len; i++)
    if (is_var(&s->vars.data[i], name, h)) return &s->vars.data[i];
  return NULL;
}

struct fs_val *fs_scope_find(struct fs_scope *s, const char *name) {
  struct fs_var *v = fs_scope_var(s, name);
  if (!v) return NULL;
  if (v->given == FS_UNREAD) v->given = FS_NO_INPUT;
  return &v->value;
}

struct fs_var *fs_scope_put(struct fs_scope *s, struct fs_var *var, const char *name,
                            struct fs_val v) {
  v.literal = false; /* what a name has may change from run to run */
  s->stamp++;
  if (var) {
    struct fs_val old = var->value;
    var->value = v;
    var->stamp = s->stamp;
    if (var->given == FS_UNREAD) var->given = FS_REPLACED_UNREAD;
    fs_val_unref(old);
    return var;
  }
  char *copy = fs_strdup(name);
  grow_slots(s);
  s->sorted = false;
  var = FS_PUSH(&s->vars);
  *var = (struct fs_var){.name = copy, .hash = name_hash(name),
                         .stamp = s->stamp, .value = v};
  if (s->n_slots) s->slots[slot_of(s, name, var->hash)] = s->vars.len;
  return var;
}

void fs_scope_set(struct fs_scope *s, const char *name, struct fs_val v) {
  fs_scope_put(s, fs_scope_var(s, name), name, v);
}

bool fs_scope_remove(struct fs_scope *s, const char *name) {
  struct fs_var *var = fs_scope_var(s, name);
  if (!var) return false;
  struct fs_var old = *var, *last = &s->vars.data[s->vars.len - 1];
  s->stamp++;
  s->sorted = false;
  if (s->n_slots) {
    free_slot(s, slot_of(s, name, old.hash));
    if (var != last)
      s->slots[slot_of(s, last->name, last->hash)] = (int)(var - s->vars.data) + 1;
  }
  *var = *last;
  s->vars.len--;
  free(old.name);
  fs_val_unref(old.value);
  return true;
}

void fs_scope_clear(struct fs_scope *s) {
  for (int i = 0; i < s->vars.len; i++) {
    free(s->vars.data[i].name);
    fs_val_unref(s->vars.data[i].value);
  }
  FS_VEC_FREE(&s->vars);
  free(s->slots);
  s->slots = NULL;
  s->n_slots = 0;
  s->stamp++;
}

static int by_name(const void *a, const void *b) {
  const struct fs_var *x = a, *y = b;
  return strcmp(x->name, y->name);
}

void fs_scope_sort(struct fs_scope *s) {
  if (s->sorted) return;
  if (s->vars.len)
    qsort(s->vars.data, (size_t)s->vars.len, sizeof(*s->vars.data), by_name);
  if (s->n_slots) fill_slots(s);
  s->sorted = true;
}
