/* combine.c - rows put to those that a list names, one after the other:
 *
 *     h[k] += v
 *
 * adds to h[k[i]] for every i, as the loop over i does, also where k names a place more than
 * once. */
#include "core/eval/trace.h"

enum fs_status fs_tv_combine(struct fs_interp *in, int by, struct fs_tv whole, struct fs_tv list,
                             unsigned of, struct fs_tv rows, struct fs_span span,
                             struct fs_tv *out) {
  struct fs_tv parts[2] = {whole, rows}, all;
  struct fs_span spans[2] = {span, span}, at = in->span;
  enum fs_status st = fs_tv_concat(in, 1, 2, parts, spans, span, &all);
  if (st != FS_OK) return st;
  struct fs_graph *g = fs_block_graph(in);
  struct fs_shape shape = {2, {fs_rows(&all.shape), fs_cols(&all.shape)}};
  struct fs_shape sq = fs_squeezed(&whole.shape);
  bool fits = fs_graph_is_list(g, list.node, fs_rows(&whole.shape));
  in->span = at;
  *out = whole;
  out->node = fs_graph_lib(g, FS_LIB_COMBINE, whole.dtype, &sq, all.node, &shape, list.node,
                           &list.shape, of | (unsigned)by | (fits ? FS_LIB_IN_RANGE : 0));
  return FS_OK;
}
