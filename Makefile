# Fusible. `make` builds, `make check` tests, `make demo` shows. See README.md.
# User settings (also taken from config.mk or the command line):
CC      ?= cc
CXX     ?= c++
PREFIX  ?= /usr/local
DESTDIR ?=
BUILD   ?= build
JOBS    ?= $(shell nproc)
OPT     ?= -O2 -g
WERROR  ?=
-include config.mk

WARN = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
  -Wmissing-prototypes -Wformat=2 -Wno-missing-field-initializers \
  -Werror=implicit -Werror=incompatible-pointer-types -Werror=int-conversion
HARDEN = -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong \
  -fstack-clash-protection -fno-delete-null-pointer-checks \
  -fno-strict-overflow -fno-strict-aliasing -fPIE
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -I. $(OPT) $(WARN) $(WERROR) $(HARDEN) \
  -ffp-contract=off -pthread -MMD -MP $(CFLAGS)
ALL_LDFLAGS = -pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -pthread $(LDFLAGS)
CORE_LIBS = -ljansson -lglpk -lz -lsodium -ldl -lm

CORE_SRC := $(filter-out core/ranks/mpi/%,$(wildcard core/*.c core/*/*.c core/*/*/*.c))
CORE_OBJ := $(CORE_SRC:%.c=$(BUILD)/%.o) $(BUILD)/embedded.o
# SIMD forms of the CPU routines: one source, compiled once per instruction set.
SIMD_SRC := $(wildcard elemlib/cpu/*.c)
SIMD_OBJ := $(foreach isa,plain avx2 avx512,$(SIMD_SRC:elemlib/cpu/%.c=$(BUILD)/simd/$(isa)/%.o))
REPL_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard repl/*.c))
KERNEL_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard jupyter/*.c))
FAKE := $(patsubst %,$(BUILD)/fake/%,libcuda.so.1 libnvrtc.so.13 cublas.so cusolver.so cufft.so libnccl.so.2 libcupti.so)
UNIT := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/*.c))
FUZZ := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
EMBEDDED := prelude.fs $(sort $(wildcard core/model/reference/*.json) $(wildcard jupyter/kernelspec/logo-* jupyter/labextension/*.json jupyter/labextension/static/*) $(wildcard elemlib/*.elem elemlib/cuda/*.cuh elemlib/opencl/*.cl elemlib/scheme/*.cuh elemlib/library/*.cuh elemlib/native/*.h elemlib/cpu/scalar.h))

SIMD_FLAGS_plain  =
SIMD_FLAGS_avx2   = -march=x86-64-v3
SIMD_FLAGS_avx512 = -march=x86-64-v4 -mprefer-vector-width=512

# Ranks that mpirun starts, where MPI is there.
MPICC ?= $(shell command -v mpicc)
MPI_MODULE := $(if $(MPICC),$(BUILD)/libfusible-mpi.so)

all: $(BUILD)/fusible $(BUILD)/fusible-kernel $(MPI_MODULE)

$(BUILD)/libfusible-mpi.so: core/ranks/mpi/module.c core/ranks/ranks.h
	@mkdir -p $(@D)
	$(MPICC) -std=c11 -D_GNU_SOURCE -I. $(OPT) $(WARN) $(WERROR) -fPIC -shared -fvisibility=hidden -o $@ $<

$(BUILD)/libfusible.a: $(CORE_OBJ) $(SIMD_OBJ)
	@rm -f $@; ar rcs $@ $^

$(BUILD)/fusible: $(REPL_OBJ) $(BUILD)/libfusible.a
	$(CC) $(OPT) -o $@ $^ $(ALL_LDFLAGS) -lreadline $(CORE_LIBS)

# The Jupyter kernel; it draws plans and keeps its history as the prompt does.
$(BUILD)/fusible-kernel: $(KERNEL_OBJ) $(BUILD)/librepl.a $(BUILD)/libfusible.a
	$(CC) $(OPT) -o $@ $^ $(ALL_LDFLAGS) -lzmq -lreadline $(CORE_LIBS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

define simd_rule
$(BUILD)/simd/$(1)/%.o: elemlib/cpu/%.c
	@mkdir -p $$(@D)
	$(CC) $(ALL_CFLAGS) -O3 -fno-trapping-math $(SIMD_FLAGS_$(1)) -DFS_ISA=$(1) -c -o $$@ $$<
endef
$(foreach isa,plain avx2 avx512,$(eval $(call simd_rule,$(isa))))

$(BUILD)/embed: tools/embed.c
	@mkdir -p $(@D)
	$(CC) $(OPT) -o $@ $<
$(BUILD)/embedded.c: $(BUILD)/embed $(EMBEDDED)
	$(BUILD)/embed $(EMBEDDED) > $@
$(BUILD)/embedded.o: $(BUILD)/embedded.c
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

# Each file of tests/unit is a program. The front end's parts are an archive for
# them, of which most link nothing.
unit: $(UNIT) $(FAKE) $(BUILD)/fiber/fiber.h.gch $(BUILD)/nvrtc-check $(FUZZ:%=$(BUILD)/fuzz/replay_%)
$(BUILD)/librepl.a: $(filter-out %/main.o,$(REPL_OBJ))
	@rm -f $@; ar rcs $@ $^
$(BUILD)/libjupyter.a: $(filter-out %/main.o,$(KERNEL_OBJ))
	@rm -f $@; ar rcs $@ $^
$(BUILD)/unit/%: $(BUILD)/tests/unit/%.o $(BUILD)/libjupyter.a $(BUILD)/librepl.a $(BUILD)/libfusible.a
	@mkdir -p $(@D)
	$(CC) $(OPT) -o $@ $^ $(ALL_LDFLAGS) -lreadline -lzmq $(CORE_LIBS)

# A target of a fuzzer (tests/fuzz/fuzz.h), on the files of its corpus and by libFuzzer.
WRAP = -Wl,--wrap=
FUZZ_LINK_session = $(addprefix $(WRAP),fs_interrupted mmap malloc calloc realloc free)
FUZZ_LINK_text = $(WRAP)opendir
$(BUILD)/fuzz/replay_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/replay.o $(BUILD)/libjupyter.a $(BUILD)/librepl.a $(BUILD)/libfusible.a
	@mkdir -p $(@D)
	$(CC) $(OPT) -o $@ $^ $(ALL_LDFLAGS) $(FUZZ_LINK_$*) -lreadline -lzmq $(CORE_LIBS)
$(BUILD)/fuzz/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/libjupyter.a $(BUILD)/librepl.a $(BUILD)/libfusible.a
	@mkdir -p $(@D)
	$(CC) $(OPT) -fsanitize=fuzzer -o $@ $^ $(ALL_LDFLAGS) $(FUZZ_LINK_$*) -lreadline -lzmq $(CORE_LIBS)
fuzz-targets: $(FUZZ:%=$(BUILD)/fuzz/fuzz_%)

# What kernel texts stand on when they run on the host (tests/fiber/fiber_build.h): fiber.h
# compiled before, with the same flags, and the fibers. What was made with others goes.
FIBER_DIR = $(abspath $(BUILD))/fiber
# Without passes of gcc that take an eighth of its time and make no kernel faster.
FIBER_PASSES = $(patsubst %,-fno-tree-%,bit-ccp dominator-opts dse loop-optimize pta scev-cprop sink \
  slsr) -fno-move-loop-stores -fno-ssa-backprop
FIBER_FLAGS = -std=c++17 -O1 -fPIC -w -ffp-contract=off -fwrapv -fno-strict-aliasing \
  -fvisibility=hidden $(shell $(CXX) $(FIBER_PASSES) -E -xc++ /dev/null >/dev/null 2>&1 && \
  echo $(FIBER_PASSES))
$(BUILD)/fiber/fiber.h.gch: tests/fiber/fiber.h tests/fiber/fiber.cc Makefile
	@mkdir -p $(@D); rm -f $(@D)/*
	@echo '$(FIBER_FLAGS)' > $(@D)/flags
	@echo '#include "$(CURDIR)/tests/fiber/fiber.h"' > $(@D)/fiber.h
	$(CXX) $(filter-out $(FIBER_PASSES),$(FIBER_FLAGS)) -O2 -I. -c -o $(@D)/fiber.o tests/fiber/fiber.cc
	$(CXX) $(FIBER_FLAGS) -x c++-header -o $@ $(@D)/fiber.h
$(BUILD)/tests/unit/test_emit.o: CFLAGS += -DFIBER_DIR='"$(FIBER_DIR)"'

# A driver and a compiler without a GPU, for the tests of the CUDA target.
FAKE_FLAGS = -std=c11 -D_GNU_SOURCE -I. $(OPT) $(WARN) $(WERROR) -fPIC -shared \
  -fvisibility=hidden -DFIBER_DIR='"$(FIBER_DIR)"'
$(BUILD)/fake/libcuda.so.1: tests/fake/driver.c tests/fake/fake.h tests/nvrtc/cubin.h core/device/cuda/driver.h
	@mkdir -p $(@D)
	$(CC) $(FAKE_FLAGS) -o $@ $< -ldl
$(BUILD)/fake/libnvrtc.so.13: tests/fake/nvrtc.c tests/fake/fake.h tests/fiber/fiber_build.h
	@mkdir -p $(@D)
	$(CC) $(FAKE_FLAGS) -o $@ $<
$(BUILD)/fake/libnccl.so.2: tests/fake/nccl.c
	@mkdir -p $(@D)
	$(CC) $(FAKE_FLAGS) -o $@ $<
$(BUILD)/fake/libcupti.so: tests/fake/cupti.c tests/fake/fake.h
	@mkdir -p $(@D)
	$(CC) $(FAKE_FLAGS) -o $@ $< -ldl
$(BUILD)/fake/cu%.so: tests/fake/cu%.c tests/fake/fake.h
	@mkdir -p $(@D)
	$(CC) $(FAKE_FLAGS) -o $@ $< -ldl

# Compiles kernel texts with the real NVRTC (tests/test_nvrtc.py).
$(BUILD)/nvrtc-check: $(BUILD)/tests/nvrtc/nvrtc_check.o $(BUILD)/libfusible.a
	$(CC) $(OPT) -o $@ $^ $(ALL_LDFLAGS) $(CORE_LIBS)

# The shared libraries of this machine, to run the build on another one that
# lacks them (scripts/gpu-check).
BENCHES = $(patsubst %,$(BUILD)/bench-%,cuda serve space random prediction)
bundle: all unit $(BENCHES)
	@scripts/bundle $(BUILD)

# A second make with all processors, unless the caller has said -j.
AGAIN = $(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS))

check:
	@scripts/install-deps test
	@$(AGAIN) all unit $(BENCHES)
	@tests/run.py -j $(JOBS) --build $(BUILD)

.PHONY: check-lab notebooks
# JupyterLab in a headless browser; its screenshots go to $(BUILD)/lab.
check-lab:
	@scripts/install-deps build
	@$(AGAIN) all
	@scripts/check-lab $(BUILD)

# The notebooks of examples/, from their sources, with fresh outputs.
notebooks:
	@scripts/install-deps test
	@$(AGAIN) all
	@tools/notebooks --kernel $(BUILD)/fusible-kernel

# FORTIFY and the sanitizers do not go together.
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=undefined
asan:
	@scripts/install-deps test
	@$(AGAIN) all unit BUILD=build-asan OPT="-O1 -g -fno-omit-frame-pointer" \
	  HARDEN="-fPIE -fno-strict-aliasing -fno-strict-overflow $(SANITIZE)" \
	  LDFLAGS="$(LDFLAGS) $(SANITIZE)"
	@ASAN_OPTIONS=protect_shadow_gap=0 \
	  LSAN_OPTIONS=print_suppressions=0:suppressions=$(CURDIR)/tests/lsan.supp \
	  tests/run.py --build build-asan unit/ run_lang test_errors test_interrupt test_fuzz cli \
	  jupyter/test_protocol jupyter/test_recorder jupyter/test_hostile

# What clang knows of undefined behaviour, with what gcc does not look for: numbers that no
# integer holds, and steps from null pointers.
UNDEFINED = -fsanitize=undefined,float-cast-overflow,pointer-overflow -fno-sanitize-recover=all
ubsan:
	@scripts/install-deps test
	@$(AGAIN) all unit BUILD=build-ubsan CC=clang OPT="-O1 -g" \
	  HARDEN="-fPIE -fno-strict-aliasing $(UNDEFINED)" LDFLAGS="$(LDFLAGS) $(UNDEFINED)"
	@tests/run.py -j $(JOBS) --build build-ubsan unit/ run_lang test_errors cli \
	  test_edges test_lines test_parts

# Threads under ThreadSanitizer: those of the CPU pool, of files, and of the notebook kernel.
# libzmq is not built with it: what happens inside of it is left out; and so is OpenBLAS, so
# that what calls it is not here.
tsan:
	@scripts/install-deps test
	@$(AGAIN) all unit BUILD=build-tsan OPT="-O1 -g -fno-omit-frame-pointer" \
	  HARDEN="-fPIE -fno-strict-aliasing -fno-strict-overflow -fsanitize=thread" \
	  LDFLAGS="$(LDFLAGS) -fsanitize=thread"
	@TSAN_OPTIONS="allocator_may_return_null=1 suppressions=$(CURDIR)/tests/tsan.supp" \
	  tests/run.py --build build-tsan unit/test_cpu unit/test_files unit/test_lang \
	  jupyter/test_recorder jupyter/test_protocol

# Each target of tests/fuzz for a minute: new inputs go to build-fuzz/corpus, what fails
# stays in build-fuzz and belongs into tests/fuzz/corpus once it is mended. What would take
# longer than the inputs is left out: to weigh these by how rare their branches are, to note
# every comparison (words are in *.dict), and to keep where memory was given.
FUZZ_SECONDS ?= 60
FUZZ_TRACE = -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp,trace-div,trace-gep
FUZZ_FLAGS_files = -dict=tests/fuzz/files.dict -max_len=1400
FUZZ_FLAGS_session = -dict=tests/fuzz/words.dict -max_len=120
FUZZ_FLAGS_text = -dict=tests/fuzz/words.dict -max_len=120
fuzz:
	@scripts/install-deps test
	@$(AGAIN) fuzz-targets BUILD=build-fuzz CC=clang OPT="-O1 -g -fno-omit-frame-pointer" \
	  HARDEN="-fPIE -fno-strict-aliasing -fno-strict-overflow $(SANITIZE) $(FUZZ_TRACE)" \
	  LDFLAGS="$(LDFLAGS) $(SANITIZE)"
	@$(foreach name,$(FUZZ), \
	  mkdir -p build-fuzz/corpus/$(name) && \
	  ASAN_OPTIONS=protect_shadow_gap=0:malloc_context_size=2:quarantine_size_mb=16 \
	    build-fuzz/fuzz/fuzz_$(name) $(FUZZ_FLAGS_$(name)) -entropic=0 -reload=0 \
	    -max_total_time=$(FUZZ_SECONDS) -timeout=120 -rss_limit_mb=2048 -print_final_stats=1 \
	    -artifact_prefix=build-fuzz/ build-fuzz/corpus/$(name) tests/fuzz/corpus/$(name) &&) :

# Changes one line of the source at a time (tests/mutants) and prints those that no suite
# sees: `make mutants ONLY=journal` of one list or file. Its copies are in build-mutants.
mutants:
	@scripts/install-deps test
	@tools/mutants -j $(JOBS) $(ONLY)

# Lines and branches that the suites run, by folder, in build-coverage/: `make coverage
# ONLY="unit/ test_plans"` of some suites. Counts of an earlier run go.
coverage:
	@scripts/install-deps test
	@$(AGAIN) all unit BUILD=build-coverage HARDEN="-fPIE" \
	  OPT="-O0 -g --coverage -fprofile-update=prefer-atomic" \
	  LDFLAGS="$(LDFLAGS) tests/coverage/exit.c"
	@find build-coverage -name '*.gcda' -delete
	@tests/run.py -j $(JOBS) --build build-coverage $(ONLY) || true
	@tools/coverage build-coverage

# The main job on real input. Stops at the first example that goes wrong.
demo:
	@scripts/install-deps build demo
	@$(AGAIN) all
	@scripts/demo $(BUILD)/fusible

BINDIR = $(DESTDIR)$(PREFIX)/bin
MANDIR = $(DESTDIR)$(PREFIX)/share/man/man1
EXAMPLEDIR = $(DESTDIR)$(PREFIX)/share/fusible/examples
KERNELDIR = $(DESTDIR)$(PREFIX)/share/jupyter/kernels/fusible
LABDIR = $(DESTDIR)$(PREFIX)/share/jupyter/labextensions/jupyterlab-fusible
install: all
	install -d $(BINDIR) $(MANDIR) $(addprefix $(EXAMPLEDIR)/,data paper exercises)
	install -m 755 $(BUILD)/fusible $(BUILD)/fusible-kernel $(MPI_MODULE) $(BINDIR)
	install -d $(KERNELDIR)
	install -m 644 jupyter/kernelspec/logo-* $(KERNELDIR)
	sed 's|@PROGRAM@|$(PREFIX)/bin/fusible-kernel|' \
	  jupyter/kernelspec/kernel.json.in > $(KERNELDIR)/kernel.json
	install -d $(LABDIR)/static
	install -m 644 jupyter/labextension/static/* $(LABDIR)/static
	install -m 644 jupyter/labextension/package.json $(LABDIR)
	install -m 644 docs/fusible.1 $(MANDIR)/fusible.1
	install -m 644 $(wildcard examples/*.fs examples/*.ipynb) $(EXAMPLEDIR)
	install -m 644 $(wildcard examples/data/*) $(EXAMPLEDIR)/data
	install -m 644 $(wildcard examples/paper/*) $(EXAMPLEDIR)/paper
	install -m 644 $(wildcard examples/exercises/*) $(EXAMPLEDIR)/exercises
uninstall:
	rm -rf $(KERNELDIR) $(LABDIR)
	rm -f $(BINDIR)/fusible $(BINDIR)/fusible-kernel $(BINDIR)/libfusible-mpi.so $(MANDIR)/fusible.1
	rm -rf $(DESTDIR)$(PREFIX)/share/fusible

# What pip installs: the programs, their libraries, the kernelspec, the lexer (tools/wheel).
wheel: all
	@tools/wheel $(BUILD)

# The middle of the manual page comes from the option table.
man: $(BUILD)/fusible
	tools/update-man $(BUILD)/fusible docs/fusible.1

# The eleven sequences beside a BLAS library (bench/bench.c).
$(BUILD)/bench-cpu: bench/bench.c bench/cpu_peers.c bench/peers.h bench/sequences.def $(BUILD)/libfusible.a
	$(CC) $(ALL_CFLAGS) -O3 -march=native -fopenmp -DBENCH_PEER=bench_openblas \
	  -DBENCH_TARGET='"cpu"' -o $@ $(filter %.c %.a,$^) $(ALL_LDFLAGS) $(CORE_LIBS)
$(BUILD)/bench-cuda: bench/bench.c bench/cublas.c bench/peers.h bench/sequences.def $(BUILD)/libfusible.a
	$(CC) $(ALL_CFLAGS) -DBENCH_PEER=bench_cublas -DBENCH_TARGET='"cuda"' \
	  -o $@ $(filter %.c %.a,$^) $(ALL_LDFLAGS) $(CORE_LIBS)
# Fusible as a process that bench/gpu.py asks to run things.
$(BUILD)/bench-serve: bench/serve.c bench/cublas.c bench/peers.h bench/sequences.def $(BUILD)/libfusible.a
	$(CC) $(ALL_CFLAGS) -DBENCH_PEER=bench_cublas \
	  -o $@ $(filter %.c %.a,$^) $(ALL_LDFLAGS) $(CORE_LIBS)
$(BUILD)/bench-serve-cpu: bench/serve.c bench/cpu_peers.c bench/peers.h $(BUILD)/libfusible.a
	$(CC) $(ALL_CFLAGS) -O3 -march=native -fopenmp -DBENCH_PEER=bench_openblas \
	  -o $@ $(filter %.c %.a,$^) $(ALL_LDFLAGS) $(CORE_LIBS)
# The same table on the CPU, beside OpenBLAS, NumPy, and torch and JAX if installed.
BENCH_PYTHON ?= python3
bench-cpu: $(BUILD)/bench-serve-cpu
	$(BENCH_PYTHON) bench/gpu.py --target cpu --serve $(BUILD)/bench-serve-cpu \
	  --n 4096 --len 16777216 --json $(BUILD)/cpu.json --markdown $(BUILD)/cpu.md
bench: $(BUILD)/bench-cpu
	$(BUILD)/bench-cpu --n 16384 --len 67108864 --json bench/results/cpu.json
bench-gpu: $(BUILD)/bench-serve
	bench/gpu.py --serve $(BUILD)/bench-serve --dtypes f32,f64,bf16 \
	  --json $(BUILD)/gpu.json --markdown $(BUILD)/gpu.md

# The space of implementations of the same sequences (bench/space.c).
$(BUILD)/bench-%: bench/%.c bench/harness.c bench/random_block.c bench/harness.h bench/random_block.h bench/sequences.def $(BUILD)/libfusible.a
	$(CC) $(ALL_CFLAGS) -o $@ $(filter %.c %.a,$^) $(ALL_LDFLAGS) $(CORE_LIBS)
bench-space: $(BUILD)/bench-space
	$(BUILD)/bench-space --seconds 20 --json bench/results/space-cpu.json
# The chosen plans of 200 random blocks beside no fusion (bench/random.c).
bench-random: $(BUILD)/bench-random
	$(BUILD)/bench-random --json bench/results/random-cpu.json

# Predictions beside measurements. Calibrate before: `fusible calibrate`.
$(BUILD)/bench-prediction: $(BUILD)/bench/prediction.o $(BUILD)/bench/random_block.o $(BUILD)/libfusible.a
	$(CC) $(OPT) -o $@ $^ $(ALL_LDFLAGS) $(CORE_LIBS)
bench-prediction: $(BUILD)/bench-prediction $(BUILD)/fusible
	$(BUILD)/fusible --target cpu -e ':calibrate'
	$(BUILD)/bench-prediction --target cpu --json bench/results/prediction-cpu.json

# What the notebook kernel promises, in seconds and bytes (about ten minutes).
TARGET ?= cpu
bench-jupyter: all
	@scripts/install-deps test
	BUILD=$(BUILD) tests/jupyter/test_figures.py --full --target $(TARGET) \
	  --json bench/results/jupyter-$(TARGET).json

clean:
	rm -rf $(BUILD) build-asan build-ubsan build-tsan build-fuzz build-mutants build-coverage

.PHONY: ubsan all bench bench-cpu bench-gpu bench-jupyter bench-space bench-random bench-prediction \
  unit bundle check asan tsan mutants coverage fuzz fuzz-targets demo install uninstall wheel man clean
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
