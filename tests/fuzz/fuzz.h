/* fuzz.h - what a target of libFuzzer has to be: fuzz_NAME.c defines this one function,
 * which may be given any bytes. `make fuzz` runs every target under sanitizers, `make
 * unit` links each with replay.c, and tests/test_fuzz.py runs tests/fuzz/corpus/NAME
 * through it: what a fuzzer found goes there. */
#ifndef FS_FUZZ_H
#define FS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
