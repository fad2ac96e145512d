/* decimal.h - numbers in text, to the nearest double: what strtod() gives in the C
 * locale, without hexadecimal and without waiting for a locale. */
#ifndef FS_DECIMAL_H
#define FS_DECIMAL_H

#include "core/base/base.h"

/* Reads [+-]digits[.digits][e[+-]digits], inf, infinity or nan (in any case) at
 * `text`, no further than `end`; `point` stands for the decimal point. Gives what
 * comes after it, or NULL where no number begins. Exactly rounded. */
const char *fs_decimal_read(const char *text, const char *end, char point,
                            double *out);

#endif
