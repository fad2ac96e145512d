/* kernelspec.h - `fusible kernel install | uninstall | list`: making the notebook
 * kernel known to Jupyter. */
#ifndef FS_KERNELSPEC_H
#define FS_KERNELSPEC_H

#include "repl/options.h"

/* Does what o->kernel says and prints what was done. Gives the exit status. */
int fs_kernelspec(const struct fs_options *o);

#endif
