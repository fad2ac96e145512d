/* spell.h - dialects of C that kernels are written in: one table of spellings. */
#ifndef FS_LOWER_SPELL_H
#define FS_LOWER_SPELL_H

#include "core/base/base.h"
#include "core/model/device.h"

/* What stands before a word that only some dialects say (core/lower/spellings.def). */
enum { FS_SIGN = '`' };

/* Appends a text in the words of core/emit as a dialect has it. */
void fs_lp_spell(enum fs_dialect dialect, const char *text, size_t len, struct fs_str *out);

#endif
