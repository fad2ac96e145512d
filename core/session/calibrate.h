/* calibrate.h - measuring the device for the model (:calibrate). */
#ifndef FS_SESSION_CALIBRATE_H
#define FS_SESSION_CALIBRATE_H

#include "core/model/calibration.h"
#include "core/session/internal.h"

/* Measures the device in use, stores the result and takes it into use; appends
 * to *out what was found. quick: a rough one in a few seconds. raw: a file that
 * gets every measurement as JSON, or NULL. Unless it gives FS_OK nothing has changed. */
struct fs_file_ctx;
enum fs_status fs_session_calibrate(struct fs_session *s, bool quick,
                                    const struct fs_file_ctx *raw,
                                    struct fs_str *out);

/* What a calibration says, as lines. */
void fs_calibration_report(const struct fs_calibration *c, struct fs_str *out);

#endif
