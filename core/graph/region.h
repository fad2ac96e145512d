/* region.h - a body of statements over single numbers, with loops and branches, of which a MAP
 * node of a function (user.h) computes one for each element:
 *
 *     k = 0; while k < 100 && abs(z) < 2; z = z*z + c; k += 1; end     z, c -> k
 *
 * The body is a list of steps on typed registers. Targets walk it or print it; its hash is that
 * of the function. Blocks nest: a BLOCK is over at its END, a LOOP begins again there; who
 * LEAVEs a block goes on behind its END. */
#ifndef FS_REGION_H
#define FS_REGION_H

#include "core/base/base.h"
#include "core/graph/dtype.h"

enum { FS_REGION_REGISTERS = 96, FS_REGION_STEPS = 1024, FS_REGION_BLOCKS = 24 };

enum fs_region_code {
  FS_RG_MAP,     /* to = op(src...) */
  FS_RG_LOAD,    /* to = the element of TABLE src[0] at place src[1], an i64 from 1 that is
                    inside of it in every lane which comes here */
  FS_RG_BLOCK, FS_RG_LOOP, FS_RG_END,
  FS_RG_LEAVE,   /* the block at `depth`, counted from the outermost, 0 */
  FS_RG_UNLESS   /* ... where src[0] is false */
};

struct fs_region_step {
  enum fs_region_code code;
  uint8_t op;               /* of enum fs_map_op, COPY and CAST as well */
  uint8_t n_src;
  int to, src[3];
  int depth;
};

enum fs_region_kind {
  FS_RR_OPERAND,            /* the first registers, in order ... */
  FS_RR_TABLE,              /* ... with those operands that are tables */
  FS_RR_VARIABLE,           /* keeps its value where no step sets it */
  FS_RR_CONSTANT,
  FS_RR_TEMPORARY           /* is written before it is read, with no END in between */
};

struct fs_region_register {
  enum fs_region_kind kind;
  enum fs_dtype dtype;      /* what is computed with: no halves */
  struct fs_number number;  /* CONSTANT */
};

struct fs_region {
  int n_operands, n_registers, n_steps;
  int result;               /* a VARIABLE */
  const struct fs_region_register *registers;
  const struct fs_region_step *steps;
};

uint64_t fs_region_hash(const struct fs_region *r);
/* Whether they are the same but for the result. */
bool fs_region_same(const struct fs_region *a, const struct fs_region *b);
/* The same with these results in fewer steps and registers, which go to registers[0 ..
 * FS_REGION_REGISTERS) and steps[0 .. r->n_steps); results are numbered anew. Its own result
 * counts only where it is among these. False, and results as they were: it has no room. */
bool fs_region_tidy(const struct fs_region *r, struct fs_region *out,
                    struct fs_region_register *registers, struct fs_region_step *steps,
                    int n_results, int *results);
/* A copy in the arena. */
const struct fs_region *fs_region_keep(struct fs_arena *arena, const struct fs_region *r);
/* A guess of its operations: nobody knows how many rounds there are. */
double fs_region_flops(const struct fs_region *r);
/* Its steps as statements of C, registers being variables r0, r1 ...; what differs between dialects
 * is the writer's: an operation (with its line's end), and what stands at the beginning of each
 * round. The elements of table k are n<k> apart. */
typedef void fs_region_number_fn(const struct fs_region_register *x, struct fs_str *out);
struct fs_region_words {
  void (*map)(const struct fs_region *r, const struct fs_region_step *s, struct fs_str *out);
  fs_region_number_fn *number; /* a constant */
  const char *round;
};
void fs_region_put_value(const struct fs_region *r, fs_region_number_fn *number, int reg,
                         struct fs_str *out);
void fs_region_put_steps(const struct fs_region *r, const struct fs_region_words *w, int indent,
                         struct fs_str *out);
/* One line a step. */
void fs_region_put(const struct fs_region *r, struct fs_str *out);

#endif
