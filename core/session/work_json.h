/* work_json.h - a kernel's work as JSON, for looking at measurements (:calibrate raw).
 */
#ifndef FS_WORK_JSON_H
#define FS_WORK_JSON_H

#include <jansson.h>

#include "core/model/work.h"

/* Given. */
json_t *fs_work_json(const struct fs_work *work);
/* The same back; false if it is no such object. Spare keys are passed over. */
bool fs_work_read(const json_t *o, struct fs_work *out);

#endif
