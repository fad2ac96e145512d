/* tensor.h - tensor handles: what the language's values hold.
 *
 * A handle is reference counted and is in one of three states:
 *   stored   its elements lie in a storage, under a layout (views share storages)
 *   lazy     it is node `node` of the graph of the block being traced
 *   virtual  it can be computed by a recipe, which nobody has read yet: a graph of its
 *            own, or a node of one that several share (fs_snapshot)
 */
#ifndef FS_TENSOR_H
#define FS_TENSOR_H

#include "core/graph/graph.h"
#include "core/device/target.h"

struct fs_storage {
  int refs;
  struct fs_target *target; /* borrowed: outlives all storages; NULL: a promise */
  void *ptr;                /* device pointer                  */
  size_t bytes;
  uint64_t serial;          /* no two of a process have the same */
  struct fs_storage *next, **link; /* the list of all storages */
  int64_t list_to, listed;  /* its first `listed` elements were looked at in a call: whole
                               numbers from 1 to list_to; 0: not known. Until it is written */
  struct fs_cut cut;        /* over ranks: offsets and strides are those of the whole, `ptr` has
                               this rank's part                                  */
};

enum fs_tensor_state { FS_TS_STORED, FS_TS_LAZY, FS_TS_VIRTUAL, FS_TS_LOST };

/* A graph whose nodes can be computed from inputs that others have. */
struct fs_recipe {
  int refs;
  struct fs_graph *graph;      /* no tensor of its inputs is looked at     */
};
/* A recipe and what its inputs were when a round of a loop ended. */
struct fs_snapshot {
  int refs;
  struct fs_recipe *recipe;
  struct fs_tensor *inputs[];  /* stored; a reference of each              */
};

struct fs_tensor {
  int refs;
  enum fs_tensor_state state;
  enum fs_dtype dtype;
  struct fs_shape shape;       /* the user's: 1 x n rows keep their 1      */
  struct fs_storage *storage;  /* STORED                                   */
  struct fs_layout layout;     /* STORED: over `shape`'s dimensions        */
  unsigned triangle;           /* STORED: FS_UPPER, FS_LOWER; 0: not known */
  struct fs_graph *graph;      /* LAZY: borrowed; VIRTUAL: owned recipe, or */
  struct fs_snapshot *snapshot; /* a reference of one                      */
  fs_id node;                  /* LAZY, VIRTUAL                            */
  bool true_known;             /* STORED: n_true of its elements are true  */
  int64_t n_true;
  char *labels;                /* names of the columns of a file, or NULL  */
};

/* All give a handle with one reference. */
struct fs_tensor *fs_tensor_lazy(struct fs_graph *g, fs_id node,
                                 const struct fs_shape *shape);
/* Lazy, of no graph: for fs_run_again() to store. */
struct fs_tensor *fs_tensor_promised(enum fs_dtype dt,
                                     const struct fs_shape *shape);
struct fs_tensor *fs_tensor_stored(struct fs_storage *keeps, enum fs_dtype dt,
                                   const struct fs_shape *shape,
                                   const struct fs_layout *layout);
/* Virtual: a node of a snapshot's recipe, of which it keeps one more reference. */
struct fs_tensor *fs_tensor_virtual(struct fs_snapshot *s, fs_id node, enum fs_dtype dt,
                                    const struct fs_shape *shape);
/* Gives a virtual tensor of a snapshot a graph of its own. */
void fs_tensor_own_recipe(struct fs_tensor *t);
struct fs_tensor *fs_tensor_ref(struct fs_tensor *t);
void fs_tensor_unref(struct fs_tensor *t); /* NULL is allowed */

/* For fs_graph_input(); NULL is allowed. */
struct fs_graph_source fs_tensor_source(struct fs_tensor *t);
struct fs_known fs_tensor_known(const struct fs_tensor *t);
/* If > 0, all elements are known to be whole numbers from 1 to this. */
int64_t fs_tensor_list_to(const struct fs_tensor *t);

/* With one reference. The recipe gets one more, and so do the inputs. */
struct fs_snapshot *fs_snapshot_new(struct fs_recipe *recipe,
                                    struct fs_tensor *const *inputs);
void fs_snapshot_unref(struct fs_snapshot *s); /* NULL is allowed, here and below */
void fs_recipe_unref(struct fs_recipe *r);

/* New uninitialised storage; tries target->trim and a retry before it reports
 * out of memory, naming how much was asked for and what is available. */
enum fs_status fs_storage_new(struct fs_target *t, size_t bytes,
                              struct fs_storage **out, struct fs_diags *d);
/* Storage without memory, for what is only planned. */
struct fs_storage *fs_storage_promised(void);
/* Storage without memory, for arrays without elements. */
struct fs_storage *fs_storage_empty(struct fs_target *t);
struct fs_storage *fs_storage_ref(struct fs_storage *s);
void fs_storage_unref(struct fs_storage *s);
/* The storage of that serial with one more reference; NULL: it is gone. */
struct fs_storage *fs_storage_find(uint64_t serial);
/* After a jump out of the middle of something, when references were lost: sets
 * all counts to 0, lets count() take those that exist, and frees the rest. */
void fs_storage_recount(void (*count)(void *user), void *user);

/* A stored tensor from dense row-major host data (borrowed). */
enum fs_status fs_tensor_upload(struct fs_target *t, enum fs_dtype dt,
                                const struct fs_shape *shape, const void *data,
                                struct fs_tensor **out, struct fs_diags *d);
/* The box first[k] .. first[k]+count[k]-1 of a stored tensor as dense row-major
 * host data in `out` (borrowed, big enough). Copies no more than about the box. */
enum fs_status fs_tensor_download(const struct fs_tensor *t,
                                  const int64_t *first, const int64_t *count,
                                  void *out, struct fs_diags *d);

/* The same elements, of a storage that is not cut: all ranks come here together. With one
 * reference. */
enum fs_status fs_tensor_whole(const struct fs_tensor *t, struct fs_tensor **out,
                               struct fs_diags *d);

/* Squeezes: drops extents of 1. axis_of[k] is the squeezed axis of dimension k,
 * or -1. */
struct fs_shape fs_squeeze(const struct fs_shape *s, int *axis_of);


#endif
