/* cuda_c_vector.c - float4 and its like: words of a kernel, before it is read, by lanes.
 *
 *     float4 v = A[i];  s += v.x;     float v_x = A[4*(i) + 0]; float v_y = A[4*(i) + 1]; ...
 *                                     s += v_x;
 *     C[i] = a + b;                   C[4*(i) + 0] = a_x + b_x; ...
 *     *reinterpret_cast<float4 *>(&x[k]) = v;     x[(k) + 4*(0) + 0] = v_x; ...
 *
 * An array of vectors is one of their numbers, side by side. A vector that is assigned to while it
 * is read goes through names of its own. */
#include "core/lang/cuda_c_read.h"

#include <stdio.h>

static const char letters[] = "xyzw";

/* A name of a vector, or of a pointer to them. */
struct vector {
  const char *name;
  const char *lane[4];       /* of a vector: what its numbers are called, */
  const char *type;          /* ... and their type                        */
  int lanes;
  bool points;
  int base, base_end;        /* of a pointer that begins as another: the words of that, */
  int offset, offset_end;    /* ... and of how many of its elements it is behind it     */
};

/* What is written out: words from..., one lane of them. */
struct pass {
  struct fs_c_reader *p;
  fs_c_tokens in, out;
  FS_VEC(struct vector) names;
  int made;                  /* names, so far */
};

/* Where a vector lies in the words, up to `end`. */
struct place {
  enum { NO_VECTOR, NAMED, IN_MEMORY, MADE } kind;
  int end;
  const struct vector *v;    /* NAMED */
  int lanes;
  int base, base_end, offset, offset_end; /* IN_MEMORY: base[offset + lanes*index]; */
  int index, index_end;
  bool of_vectors;           /* ... the offset counts vectors */
  int first;                 /* MADE: where its values begin, behind a bracket */
};

/* -- words ------------------------------------------------------------------------------ */

static bool is(const struct pass *s, int at, const char *text) {
  const struct fs_c_token *t = &s->in.data[at < s->in.len ? at : s->in.len - 1];
  return (t->kind == FS_CT_SIGN || t->kind == FS_CT_NAME) && !strcmp(t->text, text);
}

static bool is_name(const struct pass *s, int at) {
  return at < s->in.len && s->in.data[at].kind == FS_CT_NAME;
}

/* The bracket that closes the one at `at`; or where the words end. */
static int closing(const struct pass *s, int at) {
  int open = 0;
  for (; at < s->in.len && s->in.data[at].kind != FS_CT_END; at++) {
    open += is(s, at, "(") || is(s, at, "[") || is(s, at, "{");
    open -= is(s, at, ")") || is(s, at, "]") || is(s, at, "}");
    if (!open) return at;
  }
  return s->in.len - 1;
}

/* Where a part that ends with a comma or a bracket ends. */
static int part_end(const struct pass *s, int at) {
  while (at < s->in.len - 1 && !is(s, at, ",") && !is(s, at, ")") && !is(s, at, "]") &&
         !is(s, at, "}") && !is(s, at, ";"))
    at = is(s, at, "(") || is(s, at, "[") || is(s, at, "{") ? closing(s, at) + 1 : at + 1;
  return at;
}

/* float4: its lanes, and the word of one; 0: it is no vector. */
static int vector_type(const char *word, char *base, size_t size) {
  static const char *const of[] = {"float", "double", "int", "uint", "char", "uchar", "short",
                                   "ushort", "long", "ulong", "half"};
  size_t n = strlen(word);
  if (n < 4 || word[n - 1] < '2' || word[n - 1] > '4') return 0;
  for (size_t k = 0; k < FS_LEN(of); k++)
    if (strlen(of[k]) == n - 1 && !strncmp(of[k], word, n - 1)) {
      snprintf(base, size, "%s", of[k]);
      return word[n - 1] - '0';
    }
  return 0;
}

static int type_at(const struct pass *s, int at) {
  char base[16];
  return is_name(s, at) ? vector_type(s->in.data[at].text, base, sizeof base) : 0;
}

static void put(struct pass *s, int like, enum fs_c_kind kind, const char *text) {
  struct fs_c_token t = s->in.data[like];
  t.kind = kind;
  t.text = text;
  t.line_start = t.painted = false;
  *FS_PUSH(&s->out) = t;
}

static void put_number(struct pass *s, int like, int x) {
  put(s, like, FS_CT_NUMBER, "");
  s->out.data[s->out.len - 1].number = x;
  s->out.data[s->out.len - 1].is_int = true;
}

static void put_signs(struct pass *s, int like, const char *signs) {
  for (; *signs; signs++)
    put(s, like, FS_CT_SIGN, fs_arena_strndup(s->p->arena, signs, 1));
}

static const struct vector *vector_named(const struct pass *s, int at) {
  for (int k = s->names.len - 1; k >= 0 && is_name(s, at); k--)
    if (!strcmp(s->names.data[k].name, s->in.data[at].text)) return &s->names.data[k];
  return NULL;
}

/* -- where vectors are -------------------------------------------------------------------- */

/* &A[i], A, A + i, within brackets or not: what it points to. */
static bool pointed(const struct pass *s, int at, int end, struct place *out) {
  while (is(s, at, "(") && closing(s, at) == end - 1) at++, end--;
  bool address = is(s, at, "&");
  if (address) {
    at++;
    while (is(s, at, "(") && closing(s, at) == end - 1) at++, end--;
  }
  const struct vector *v = vector_named(s, at);
  if (!is_name(s, at) || (v && !v->points)) return false;
  out->base = at;
  out->base_end = at + 1;
  out->offset = out->offset_end = at;
  out->of_vectors = v != NULL;
  if (address && is(s, at + 1, "[") && closing(s, at + 1) == end - 1)
    out->offset = at + 2, out->offset_end = end - 1;
  else if (!address && is(s, at + 1, "+"))
    out->offset = at + 2, out->offset_end = end;
  else if (address || end != at + 1)
    return false;
  return true;
}

/* (float4 *)A, reinterpret_cast<const float4 *>(A): the lanes; 0: it is no such conversion. */
static int converted(const struct pass *s, int at, struct place *out, int *end) {
  bool word = is(s, at, "reinterpret_cast");
  int k = at + 1 + word, lanes;
  if (!word && !is(s, at, "(")) return 0;
  while (is(s, k, "const") || is(s, k, "__global") || is(s, k, "__restrict__")) k++;
  if (!(lanes = type_at(s, k))) return 0;
  while (is(s, ++k, "const")) continue;
  if (!is(s, k, "*")) return 0;
  while (!is(s, k, word ? ">" : ")") && k < s->in.len - 1) k++;
  k++;
  if (is(s, k, "(")) *end = closing(s, k) + 1;
  else if (is(s, k, "&") && is_name(s, k + 1) && is(s, k + 2, "[")) *end = closing(s, k + 2) + 1;
  else *end = k + 1;
  return pointed(s, k, *end, out) ? lanes : 0;
}

/* A pointer to vectors, as an expression. */
static int pointer_at(const struct pass *s, int at, struct place *out, int *end) {
  const struct vector *v = vector_named(s, at);
  int lanes = 0, inner;
  if (v && v->points) {
    *out = (struct place){.base = at, .base_end = at + 1, .offset = at, .offset_end = at};
    *end = at + 1;
    return v->lanes;
  }
  lanes = converted(s, at, out, end);
  if (lanes || !is(s, at, "(")) return lanes;
  int close = closing(s, at);
  lanes = pointer_at(s, at + 1, out, &inner);
  if (lanes && is(s, inner, "+") && out->offset == out->offset_end) {
    out->index = inner + 1; /* (A + i): i vectors on */
    out->index_end = close;
    inner = close;
  }
  *end = close + 1;
  return inner == close ? lanes : 0;
}

/* __ldg(A + i), of a pointer to vectors. */
static struct place loaded(const struct pass *s, int at) {
  static const char *const loads[] = {"__ldg", "__ldcs", "__ldca", "__ldcg"};
  struct place out = {.kind = NO_VECTOR}, at_name = out;
  int end = closing(s, at + 1), inner = end;
  size_t k = 0;
  while (k < FS_LEN(loads) && !is(s, at, loads[k])) k++;
  if (k == FS_LEN(loads) || !is(s, at + 1, "(")) return out;
  if (pointed(s, at + 2, end, &at_name) && at_name.of_vectors) {
    out = at_name;
    out.lanes = vector_named(s, out.base)->lanes;
  } else {
    out.lanes = pointer_at(s, at + 2, &out, &inner);
    if (out.lanes && is(s, inner, "+")) out.index = inner + 1, out.index_end = inner = end;
    if (inner != end) out.lanes = 0;
  }
  out.kind = out.lanes ? IN_MEMORY : NO_VECTOR;
  out.end = end + 1;
  return out;
}

/* make_float4(a, b, c, d), (float4)(a, b, c, d) */
static struct place made(const struct pass *s, int at) {
  struct place out = {.kind = NO_VECTOR};
  char base[16];
  bool makes = is_name(s, at) && !strncmp(s->in.data[at].text, "make_", 5);
  int type = makes ? vector_type(s->in.data[at].text + 5, base, sizeof base) : 0, open = at + 1;
  if (is(s, at, "(") && is(s, at + 2, ")")) type = type_at(s, at + 1), open = at + 3;
  if (!type || !is(s, open, "(")) return out;
  return (struct place){.kind = MADE, .lanes = type, .first = open + 1, .end = closing(s, open) + 1};
}

/* vload4(i, A) */
static struct place load_of_opencl(const struct pass *s, int at) {
  struct place out = {.kind = NO_VECTOR};
  bool load = is_name(s, at) && !strncmp(s->in.data[at].text, "vload", 5) && is(s, at + 1, "(");
  int lanes = load ? s->in.data[at].text[5] - '0' : 0, end = closing(s, at + 1);
  if (lanes < 2 || lanes > 4) return out;
  int index = at + 2, index_end = part_end(s, index);
  if (!pointed(s, index_end + 1, end, &out)) return out;
  out.kind = IN_MEMORY;
  out.lanes = lanes;
  out.index = index, out.index_end = index_end;
  out.end = end + 1;
  return out;
}

static struct place place_at(const struct pass *s, int at) {
  const struct vector *v = vector_named(s, at);
  struct place out = made(s, at);
  int end, deref = is(s, at, "*");
  if (v && !v->points) return (struct place){.kind = NAMED, .end = at + 1, .v = v, .lanes = v->lanes};
  if (out.kind == NO_VECTOR) out = loaded(s, at);
  if (out.kind == NO_VECTOR) out = load_of_opencl(s, at);
  if (out.kind == NO_VECTOR && is(s, at, "(")) { /* (A[i]) */
    struct place within = place_at(s, at + 1);
    if (within.kind != NO_VECTOR && within.end++ == closing(s, at)) out = within;
  }
  if (out.kind != NO_VECTOR) return out;
  int lanes = pointer_at(s, at + deref, &out, &end);
  bool element = lanes && !deref && is(s, end, "[");
  if (!lanes || (!deref && !element)) return (struct place){.kind = NO_VECTOR};
  out.kind = IN_MEMORY;
  out.lanes = lanes;
  if (element) out.index = end + 1, out.index_end = closing(s, end), end = out.index_end + 1;
  out.end = end;
  return out;
}

/* -- lanes ---------------------------------------------------------------------------------- */

static bool put_words(struct pass *s, int at, int end, int lane);

/* base[offset + lanes*index + lane] */
static bool put_memory(struct pass *s, int at, const struct place *m, int lane) {
  const struct vector *v = vector_named(s, m->base);
  struct place of = *m;
  bool vectors = m->of_vectors;
  if (v && v->base < v->base_end) /* a pointer that begins as another */
    of.base = v->base, of.base_end = v->base_end;
  for (int k = of.base; k < of.base_end; k++) *FS_PUSH(&s->out) = s->in.data[k];
  put_signs(s, at, "[");
  if (v && v->offset < v->offset_end) {
    put_signs(s, at, "(");
    if (!put_words(s, v->offset, v->offset_end, -1)) return false;
    put_signs(s, at, ")+");
  }
  for (int part = 0; part < 2; part++) {
    int from = part ? of.index : of.offset, to = part ? of.index_end : of.offset_end;
    if (from == to) continue;
    if (part || vectors) put_number(s, at, m->lanes), put_signs(s, at, "*");
    put_signs(s, at, "(");
    if (!put_words(s, from, to, -1)) return false;
    put_signs(s, at, ")+");
  }
  put_number(s, at, lane);
  put_signs(s, at, "]");
  return true;
}

/* make_float4(a, b, c, d), (float4)(a): value `lane`, or the only one. */
static bool put_made(struct pass *s, const struct place *m, int lane) {
  int from = m->first, to = part_end(s, from);
  bool one = to == m->end - 1;
  for (int k = 0; k < lane && !one; k++) {
    if (!is(s, to, ","))
      return fs_c_refuse(s->p, s->in.data[m->first].span, "a vector has as many values as lanes");
    from = to + 1;
    to = part_end(s, from);
  }
  put_signs(s, m->first, "(");
  if (!put_words(s, from, to, one ? lane : -1)) return false;
  put_signs(s, m->first, ")");
  return true;
}

static bool put_place(struct pass *s, int at, const struct place *m, int lane) {
  if (lane >= m->lanes)
    return fs_c_refuse(s->p, s->in.data[at].span, "vectors of one expression have as many lanes");
  if (m->kind == IN_MEMORY) return put_memory(s, at, m, lane);
  if (m->kind == MADE) return put_made(s, m, lane);
  put(s, at, FS_CT_NAME, m->v->lane[lane]);
  return true;
}

/* .x behind a vector: which lane; -1: there is none. */
static int lane_at(const struct pass *s, int at) {
  if (!is(s, at, ".") || !is_name(s, at + 1)) return -1;
  const char *text = s->in.data[at + 1].text, *found = strchr(letters, *text);
  return found && *text && !text[1] ? (int)(found - letters) : -1;
}

/* How many lanes the first vector has that words take as a whole; 0: there is none. */
static int lanes_in(const struct pass *s, int at, int end) {
  for (; at < end; at++) {
    struct place m = place_at(s, at);
    if (m.kind == NO_VECTOR) continue;
    if (lane_at(s, m.end) < 0) return m.lanes;
    at = m.end + 1;
  }
  return 0;
}

/* dot(a, b) is a_x*b_x + a_y*b_y + ... */
static bool put_dot(struct pass *s, int at, int lanes) {
  int from = at + 2, to = part_end(s, from), end = closing(s, at + 1);
  put_signs(s, at, "(");
  for (int lane = 0; lane < lanes; lane++) {
    put_signs(s, at, lane ? "+(" : "(");
    if (!put_words(s, from, to, lane)) return false;
    put_signs(s, at, ")*(");
    if (!put_words(s, to + 1, end, lane)) return false;
    put_signs(s, at, ")");
  }
  put_signs(s, at, ")");
  return true;
}

/* Words with one lane of their vectors; lane -1: these are read by lanes, v.x, alone. */
static bool put_words(struct pass *s, int at, int end, int lane) {
  for (int next; at < end; at = next) {
    struct place m = place_at(s, at);
    next = at + 1;
    int chosen = m.kind == NO_VECTOR && is(s, at, "(") ? lane_at(s, closing(s, at) + 1) : -1;
    int lanes = is(s, at, "dot") && is(s, at + 1, "(") ? lanes_in(s, at, closing(s, at + 1)) : 0;
    if (lanes) {
      if (!put_dot(s, at, lanes)) return false;
      next = closing(s, at + 1) + 1;
    } else if (chosen >= 0 && lanes_in(s, at, closing(s, at))) { /* (a + b).x */
      next = closing(s, at) + 3;
      put_signs(s, at, "(");
      if (!put_words(s, at + 1, next - 3, chosen)) return false;
      put_signs(s, at, ")");
    } else if (m.kind != NO_VECTOR) {
      chosen = lane_at(s, m.end);
      next = m.end + 2 * (chosen >= 0);
      if (chosen < 0 && lane < 0)
        return fs_c_refuse(s->p, s->in.data[at].span,
                           "a vector as a whole is assigned alone; its numbers are v.x, v.y, ...");
      if (!put_place(s, at, &m, chosen >= 0 ? chosen : lane)) return false;
    } else {
      *FS_PUSH(&s->out) = s->in.data[at];
    }
  }
  return true;
}

/* -- statements --------------------------------------------------------------------------------- */

static const char *lane_name(struct pass *s, const char *name, int lane) {
  const char *out = fs_arena_printf(s->p->arena, "%s_%c", name, letters[lane]);
  for (int k = 0; k < s->in.len; k++)
    if (s->in.data[k].kind == FS_CT_NAME && !strcmp(s->in.data[k].text, out)) {
      out = fs_arena_printf(s->p->arena, "%s_", out);
      k = -1;
    }
  return out;
}

static const char *base_of(const struct pass *s, int at) {
  char base[16];
  vector_type(s->in.data[at].text, base, sizeof base);
  return fs_arena_strndup(s->p->arena, base, strlen(base));
}

/* float4 *A4 = (float4 *)A; */
static bool take_pointer(struct pass *s, int lanes, int *at) {
  int name = *at + 1, end;
  while (is(s, name, "const") || is(s, name, "__restrict__") || is(s, name, "restrict")) name++;
  struct vector v = {.name = s->in.data[name].text, .lanes = lanes, .points = true};
  struct place from;
  int end_of = part_end(s, name + 2);
  int other = is_name(s, name) && is(s, name + 1, "=") ? pointer_at(s, name + 2, &from, &end) : 0;
  if (other != lanes || (end != end_of && other))
    return fs_c_refuse(s->p, s->in.data[*at].span,
                       "a pointer to vectors is a parameter, or begins as one: (float4 *)A");
  v.base = from.base, v.base_end = from.base_end;
  v.offset = from.offset, v.offset_end = from.offset_end;
  *FS_PUSH(&s->names) = v;
  *at = end_of;
  return true;
}

/* float4 v = e, w; at the type */
static bool put_declaration(struct pass *s, int *at) {
  int type = *at, lanes = type_at(s, type);
  const char *base = base_of(s, type);
  for (int k = type + 1;; k++) {
    if (is(s, k, "*")) {
      if (!take_pointer(s, lanes, &k)) return false;
    } else {
      if (!is_name(s, k))
        return fs_c_refuse(s->p, s->in.data[k].span, "a vector is a name: float4 v = A[i]");
      int end = part_end(s, k), value = is(s, k + 1, "=") ? k + 2 : 0;
      if (!value && end != k + 1)
        return fs_c_refuse(s->p, s->in.data[k].span, "arrays of vectors are parameters alone");
      struct vector v = {.name = s->in.data[k].text, .lanes = lanes, .type = base};
      for (int lane = 0; lane < lanes; lane++) {
        v.lane[lane] = lane_name(s, v.name, lane);
        put(s, type, FS_CT_NAME, base);
        put(s, k, FS_CT_NAME, v.lane[lane]);
        if (value) put_signs(s, k, "=");
        if (value && is(s, value, "{")) {
          struct place made = {.kind = MADE, .first = value + 1, .end = closing(s, value) + 1};
          if (!put_made(s, &made, lane)) return false;
        } else if (value && !put_words(s, value, end, lane)) {
          return false;
        }
        put_signs(s, k, ";");
      }
      *FS_PUSH(&s->names) = v;
      k = end;
    }
    if (is(s, k, ",")) continue;
    *at = k + is(s, k, ";");
    return is(s, k, ";") || fs_c_expect(s->p, ";");
  }
}

static bool mentions(const struct pass *s, int at, int end, const struct vector *v) {
  for (; at < end; at++)
    if (vector_named(s, at) == v) return true;
  return false;
}

/* v = e; v += e; A[i] = e; as many statements as lanes */
static bool put_assignment(struct pass *s, int at, const struct place *to, int end) {
  bool turns = to->kind == NAMED && is(s, to->end, "=") && mentions(s, to->end, end, to->v);
  char word[32];
  snprintf(word, sizeof word, "lane%d", s->made++);
  put_signs(s, at, "{");
  for (int pass = 0; pass <= turns; pass++)
    for (int lane = 0; lane < to->lanes; lane++) {
      const char *name = fs_arena_printf(s->p->arena, "%s_%c", word, letters[lane]);
      if (turns && !pass) put(s, at, FS_CT_NAME, to->v->type), put(s, at, FS_CT_NAME, name);
      else if (!put_place(s, at, to, lane)) return false;
      *FS_PUSH(&s->out) = s->in.data[to->end];
      if (turns && pass) put(s, at, FS_CT_NAME, name);
      else if (!put_words(s, to->end + 1, end, lane)) return false;
      put_signs(s, at, ";");
    }
  put_signs(s, at, "}");
  return true;
}

/* vstore4(v, i, A); */
static bool put_store(struct pass *s, int at, int lanes) {
  int value = at + 2, value_end = part_end(s, value), index = value_end + 1;
  struct place to = {.lanes = lanes, .index = index, .index_end = part_end(s, index)};
  if (!pointed(s, to.index_end + 1, closing(s, at + 1), &to))
    return fs_c_refuse(s->p, s->in.data[at].span, "a vector is stored in a parameter's elements");
  put_signs(s, at, "{");
  for (int lane = 0; lane < lanes; lane++) {
    if (!put_memory(s, at, &to, lane)) return false;
    put_signs(s, at, "=");
    if (!put_words(s, value, value_end, lane)) return false;
    put_signs(s, at, ";");
  }
  put_signs(s, at, "}");
  return true;
}

static bool is_assigned(const struct pass *s, int at) {
  static const char *const signs[] = {"=", "+=", "-=", "*=", "/="};
  for (size_t k = 0; k < FS_LEN(signs); k++)
    if (is(s, at, signs[k])) return true;
  return false;
}

/* One statement or one word of it, at what may begin one. */
static bool put_statement(struct pass *s, int *at) {
  int k = *at, end;
  while (is(s, k, "const") || is(s, k, "register") || is(s, k, "volatile")) k++;
  if (type_at(s, k) && (is_name(s, k + 1) || is(s, k + 1, "*"))) {
    *at = k;
    return put_declaration(s, at);
  }
  k = *at;
  end = part_end(s, k);
  struct place to = place_at(s, k);
  if (to.kind != NO_VECTOR && is_assigned(s, to.end)) {
    *at = end + 1;
    return put_assignment(s, k, &to, end);
  }
  char lanes = is_name(s, k) && !strncmp(s->in.data[k].text, "vstore", 6) ? s->in.data[k].text[6] : 0;
  if (lanes >= '2' && lanes <= '4' && is(s, k + 1, "(")) {
    *at = end + 1;
    return put_store(s, k, lanes - '0');
  }
  *at = end;
  return put_words(s, k, end, -1);
}

/* -- a kernel ---------------------------------------------------------------------------------- */

/* float4 *A among the parameters is float *A. */
static bool put_params(struct pass *s, int *at) {
  int end = closing(s, *at), lanes = 0;
  for (int k = *at; k <= end; k++) {
    if (is(s, k, ",")) lanes = 0;
    if (type_at(s, k)) {
      lanes = type_at(s, k);
      put(s, k, FS_CT_NAME, base_of(s, k));
      continue;
    }
    bool last = is_name(s, k) && (is(s, k + 1, ",") || is(s, k + 1, ")") || is(s, k + 1, "["));
    if (lanes && last) {
      bool points = false;
      for (int b = k - 1; b > *at && !is(s, b, ","); b--) points |= is(s, b, "*");
      if (!points)
        return fs_c_refuse(s->p, s->in.data[k].span, "a parameter is a number, or a pointer to vectors");
      *FS_PUSH(&s->names) =
          (struct vector){.name = s->in.data[k].text, .lanes = lanes, .points = true};
    }
    *FS_PUSH(&s->out) = s->in.data[k];
    if (lanes && last) s->out.data[s->out.len - 1].number = lanes;
  }
  *at = end + 1;
  return true;
}

static bool put_body(struct pass *s, int at) {
  int end = closing(s, at);
  while (at <= end) {
    bool sign = is(s, at, "{") || is(s, at, "}") || is(s, at, ";") || is(s, at, "else") ||
                is(s, at, "do");
    bool head = is(s, at, "if") || is(s, at, "for") || is(s, at, "while") || is(s, at, "switch");
    if (head && is(s, at + 1, "(")) { /* for (...), whose parts may choose lanes */
      int close = closing(s, at + 1) + 1;
      if (!put_words(s, at, close, -1)) return false;
      at = close;
    } else if (sign || is(s, at, ")") || is(s, at, "]") || is(s, at, ",")) {
      *FS_PUSH(&s->out) = s->in.data[at++];
    } else {
      int began = at;
      if (!put_statement(s, &at)) return false;
      if (at == began) *FS_PUSH(&s->out) = s->in.data[at++];
    }
  }
  return true;
}

bool fs_c_read_vectors(struct fs_c_reader *p) {
  struct pass s = {.p = p, .in = p->words};
  int at = p->at, end = closing(&s, at), begin = at;
  if (!is(&s, at, "(") || !is(&s, end + 1, "{")) return true;
  end = closing(&s, end + 1);
  if (!is(&s, end++, "}")) return true; /* who reads it says so */
  bool any = false;
  for (int k = at; k < end && !any; k++) any = type_at(&s, k) != 0;
  if (!any) return true;
  bool good = put_params(&s, &at) && put_body(&s, at);
  if (good) {
    fs_c_tokens all = {0};
    for (int k = 0; k < begin; k++) *FS_PUSH(&all) = s.in.data[k];
    for (int k = 0; k < s.out.len; k++) *FS_PUSH(&all) = s.out.data[k];
    for (int k = end; k < s.in.len; k++) *FS_PUSH(&all) = s.in.data[k];
    FS_VEC_FREE(&p->words);
    p->words = all;
  }
  FS_VEC_FREE(&s.out);
  FS_VEC_FREE(&s.names);
  return good;
}
