/* compiler.h - NVRTC in a process of its own.
 *
 * NVRTC takes a lock of its own for much of its work: in one process more than eight
 * threads gain nothing. So where many kernels are to be compiled at once, each
 * thread has a process (`fusible --compiler`, by exec: it knows nothing of the device)
 * and hands it one text after the other. Whatever goes wrong with the process, the
 * thread compiles itself.
 */
#ifndef FS_CUDA_COMPILER_H
#define FS_CUDA_COMPILER_H

#include <sys/types.h>

#include "core/device/cuda/nvrtc.h"

struct fs_compiler {
  pid_t pid;
  int fd;            /* a socket to it */
  bool known;        /* it has said what it is, and it is what is wanted */
};

/* Starts the process and does not wait for it. Once NVRTC is loaded. Thread-safe, as
 * are those below for different processes. */
bool fs_compiler_start(struct fs_compiler *c);
/* As fs_nvrtc_compile(). False: the process is of no use and was ended; the job is as
 * it was. One that is stopped ends its process, too. */
bool fs_compiler_run(struct fs_compiler *c, struct fs_nvrtc_job *job);
/* Ends it, whatever it does; nothing if it was. */
void fs_compiler_end(struct fs_compiler *c);

/* What the program does that is started as `fusible --compiler NVRTC`. Gives the exit
 * status. */
int fs_compiler_main(int argc, char **argv);

#endif
