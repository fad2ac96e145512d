/* internal.h - what the files of core/graph share; nobody else includes it. */
#ifndef FS_GRAPH_INTERNAL_H
#define FS_GRAPH_INTERNAL_H

#include "core/graph/graph.h"

/* -- view.c: the algebra of index maps ------------------------------------- */

/* view after base: base maps an index of the middle to one of the source, view
 * one of the result to one of the middle; this maps result to source. */
struct fs_view fs_view_compose(const struct fs_view *base,
                               const struct fs_view *view);
/* Drops the result's extents of 1 (their axes become fixed subscripts) and
 * clears what does not count, so that equal maps are equal bytes. */
void fs_view_squeeze(struct fs_view *view, struct fs_shape *shape);
bool fs_view_is_identity(const struct fs_view *view,
                         const struct fs_shape *src,
                         const struct fs_shape *shape);
/* How what a view reads lies to a part of the same array: the elements of another view, of
 * part_shape. If it lies within, *within is the view of the part's elements. */
enum fs_view_place { FS_VIEW_APART, FS_VIEW_WITHIN, FS_VIEW_PARTLY };
enum fs_view_place fs_view_in_part(const struct fs_view *view, const struct fs_shape *shape,
                                   const struct fs_view *part,
                                   const struct fs_shape *part_shape, struct fs_view *within);
/* Splits a view into a slice (source to middle, axes in the source's order) and
 * a rename (middle to result: permutation and broadcast only). False if the
 * slice is the identity, that is: the view only renames axes. */
bool fs_view_split(const struct fs_view *view, const struct fs_shape *src,
                   const struct fs_shape *shape, struct fs_view *slice,
                   struct fs_shape *middle, struct fs_view *rename);
/* Whether a view only permutes axes: nothing sliced, nothing broadcast. */
bool fs_view_is_permutation(const struct fs_view *view,
                            const struct fs_shape *src,
                            const struct fs_shape *shape);

/* -- graph.c --------------------------------------------------------------- */

/* A node as words: all that makes it what it is, without spans. Inputs appear
 * as their slot (by_identity: as what they read, so that two handles of the
 * same elements are one). */
struct fs_words {
  int n;
  uint64_t w[40];
};
/* What a node does, without of what: the first of its words. */
static inline uint64_t fs_node_head(const struct fs_node *n) {
  return (uint64_t)n->kind | (uint64_t)n->op << 8 | (uint64_t)fs_dtypes[n->dtype].code << 16 |
         (uint64_t)n->n_src << 24 | (uint64_t)n->axes << 32 | (uint64_t)n->lib_flags << 40;
}
void fs_node_words(const struct fs_graph *g, const struct fs_node *n,
                   bool by_identity, struct fs_words *out);
uint64_t fs_words_hash(const struct fs_words *w, uint64_t seed);
uint64_t fs_mix(uint64_t h, uint64_t word);

/* The node equal to *n, added if there is none. */
fs_id fs_graph_intern(struct fs_graph *g, const struct fs_node *n);
/* Whether a node is a scalar seen at every index of a shape: fill(c, m, n). */
bool fs_node_is_fill(const struct fs_node *n);
/* The type of a reduction's result, and of its source as the node wants it. */
enum fs_dtype fs_reduce_result(enum fs_reduce_op op, enum fs_dtype src);
enum fs_dtype fs_reduce_source(enum fs_reduce_op op, enum fs_dtype src);
double fs_reduce_first(enum fs_reduce_op op, enum fs_dtype dt);

/* -- canon.c --------------------------------------------------------------- */

/* The same graph, without dead nodes, in the order of its structure. */
struct fs_graph *fs_graph_canonical(const struct fs_graph *g);

#endif
