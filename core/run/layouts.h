/* layouts.h - how arrays lie over ranks where nobody said so: large matrices by rows, by price. */
#ifndef FS_LAYOUTS_H
#define FS_LAYOUTS_H

#include "core/run/tensor.h"

/* What a device's memory and the links between ranks cost; nothing where there is one rank. */
struct fs_links fs_device_links(const struct fs_device *device);

/* As fs_tensor_upload() of all elements, of which each rank keeps its part where that pays
 * (fs_lay_pays()) and all ranks are together. */
enum fs_status fs_tensor_upload_laid(struct fs_target *t, enum fs_dtype dt,
                                     const struct fs_shape *shape, const void *data,
                                     struct fs_tensor **out, struct fs_diags *d);

#endif
