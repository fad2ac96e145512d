/* region.c - bodies of statements over single numbers: see region.h. */
#include "core/graph/region.h"

#include "core/graph/graph.h"

uint64_t fs_region_hash(const struct fs_region *r) {
  int64_t head[] = {r->n_operands, r->n_registers, r->n_steps, r->result};
  uint64_t h = fs_hash(head, sizeof head, 1);
  for (int k = 0; k < r->n_registers; k++) {
    const struct fs_region_register *x = &r->registers[k];
    int64_t words[] = {x->kind, fs_dtypes[x->dtype].code, x->number.i};
    h = fs_hash(&x->number.f, sizeof x->number.f, fs_hash(words, sizeof words, h));
  }
  for (int k = 0; k < r->n_steps; k++) {
    const struct fs_region_step *s = &r->steps[k];
    int64_t words[] = {s->code, s->op, s->n_src, s->to, s->src[0], s->src[1], s->src[2], s->depth};
    h = fs_hash(words, sizeof words, h);
  }
  return h;
}

bool fs_region_same(const struct fs_region *a, const struct fs_region *b) {
  struct fs_region x = *a, y = *b;
  x.result = y.result = 0;
  return fs_region_hash(&x) == fs_region_hash(&y);
}

const struct fs_region *fs_region_keep(struct fs_arena *arena, const struct fs_region *r) {
  struct fs_region *out = FS_NEW(arena, struct fs_region);
  struct fs_region_register *registers =
      FS_NEW_N(arena, struct fs_region_register, (size_t)r->n_registers);
  struct fs_region_step *steps = FS_NEW_N(arena, struct fs_region_step, (size_t)r->n_steps);
  memcpy(registers, r->registers, sizeof *registers * (size_t)r->n_registers);
  memcpy(steps, r->steps, sizeof *steps * (size_t)r->n_steps);
  *out = *r;
  out->registers = registers;
  out->steps = steps;
  return out;
}

double fs_region_flops(const struct fs_region *r) {
  enum { ROUNDS = 16 };
  double flops = 1;
  int loops = 0, depth = 0;
  bool loop[FS_REGION_BLOCKS];
  for (int k = 0; k < r->n_steps; k++) {
    const struct fs_region_step *s = &r->steps[k];
    if (s->code == FS_RG_BLOCK || s->code == FS_RG_LOOP)
      loops += loop[depth++] = s->code == FS_RG_LOOP;
    if (s->code == FS_RG_END) loops -= loop[--depth];
    if (s->code == FS_RG_LOAD) flops += loops ? ROUNDS : 1;
    if (s->code == FS_RG_MAP) flops += fs_map_ops[s->op].cost * (loops ? ROUNDS : 1);
  }
  return flops;
}

void fs_region_put_value(const struct fs_region *r, fs_region_number_fn *number, int reg,
                         struct fs_str *out) {
  if (r->registers[reg].kind == FS_RR_CONSTANT) number(&r->registers[reg], out);
  else fs_str_printf(out, "r%d", reg);
}

/* A block is left by a jump behind its end. */
void fs_region_put_steps(const struct fs_region *r, const struct fs_region_words *w, int indent,
                         struct fs_str *out) {
  int level = 0, n = 0, label[FS_REGION_BLOCKS];
  bool loop[FS_REGION_BLOCKS];
  for (int k = 0; k < r->n_steps; k++) {
    const struct fs_region_step *s = &r->steps[k];
    if (s->code == FS_RG_END) level--;
    int in = 2 * level + indent;
    fs_str_printf(out, "%*s", in, "");
    switch (s->code) {
      case FS_RG_MAP: w->map(r, s, out); break;
      case FS_RG_LOAD:
        fs_str_printf(out, "r%d = r%d[(", s->to, s->src[0]);
        fs_region_put_value(r, w->number, s->src[1], out);
        fs_str_printf(out, " - 1) * n%d];\n", s->src[0]);
        break;
      case FS_RG_BLOCK:
      case FS_RG_LOOP:
        loop[level] = s->code == FS_RG_LOOP;
        label[level] = n++;
        fs_str_puts(out, loop[level++] ? "for (;;) {\n" : "{\n");
        if (s->code == FS_RG_LOOP) fs_str_printf(out, "%*s%s\n", in + 2, "", w->round);
        break;
      case FS_RG_END:
        fs_str_puts(out, "}\n");
        if (!loop[level]) fs_str_printf(out, "%*sl%d:;\n", in - 2, "", label[level]);
        break;
      case FS_RG_LEAVE: fs_str_printf(out, "goto l%d;\n", label[s->depth]); break;
      case FS_RG_UNLESS:
        fs_str_puts(out, "if (!");
        fs_region_put_value(r, w->number, s->src[0], out);
        fs_str_printf(out, ") goto l%d;\n", label[s->depth]);
        break;
    }
  }
}

static void put_constant(const struct fs_region_register *x, struct fs_str *out) {
  if (fs_dtype_is_float(x->dtype)) fs_str_printf(out, "%.17g", x->number.f);
  else fs_str_printf(out, "%lld", (long long)x->number.i);
}

void fs_region_put(const struct fs_region *r, struct fs_str *out) {
  int depth = 0;
  for (int k = 0; k < r->n_steps; k++) {
    const struct fs_region_step *s = &r->steps[k];
    if (s->code == FS_RG_END) depth--;
    fs_str_printf(out, "%*s", 2 * depth, "");
    switch (s->code) {
      case FS_RG_BLOCK: fs_str_printf(out, "block %d\n", depth++); break;
      case FS_RG_LOOP: fs_str_printf(out, "loop %d\n", depth++); break;
      case FS_RG_END: fs_str_puts(out, "end\n"); break;
      case FS_RG_LEAVE: fs_str_printf(out, "leave %d\n", s->depth); break;
      case FS_RG_UNLESS: fs_str_printf(out, "leave %d unless r%d\n", s->depth, s->src[0]); break;
      case FS_RG_LOAD:
        fs_str_printf(out, "r%d = r%d[r%d] : %s\n", s->to, s->src[0], s->src[1],
                      fs_dtype_name(r->registers[s->to].dtype));
        break;
      case FS_RG_MAP:
        fs_str_printf(out, "r%d = %s", s->to, fs_map_ops[s->op].name);
        for (int x = 0; x < s->n_src; x++) {
          const struct fs_region_register *from = &r->registers[s->src[x]];
          fs_str_puts(out, x ? ", " : " ");
          if (from->kind == FS_RR_CONSTANT) put_constant(from, out);
          else fs_str_printf(out, "r%d", s->src[x]);
        }
        fs_str_printf(out, " : %s\n", fs_dtype_name(r->registers[s->to].dtype));
        break;
    }
  }
  fs_str_printf(out, "return r%d\n", r->result);
}
