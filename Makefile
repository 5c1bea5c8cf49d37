# Warpwise: `make` builds build/warpwise and build/lib/libwarpwise.{so,a}; `make help` lists the rest.
#
# Every src/**/*.c is compiled; src/main.c and src/cmd/ make the program, everything else build/libwarpwise.a, which the program and the
# tests are linked with. What src/api/ needs of it becomes the library for others, in build/lib/.
# Two exceptions: src/trace/interp.c is compiled once for each warp size and instruction set (see INTERP below), src/lm/kernels_isa.c once for
# each instruction set (KERNELS).

# ARCH=aarch64 (bundle, all): for another kind of machine than this one, by a cross compiler and that machine's packages below ROOT
# (scripts/cross_root.sh); what has to run while building runs by qemu.
MACHINE := $(shell uname -m)
ARCH    ?= $(MACHINE)
ifneq ($(ARCH),$(MACHINE))
BUILD  ?= build-$(ARCH)
ROOT   ?= $(abspath $(BUILD))/root
TRIPLE := $(ARCH)-linux-gnu
RUN    := qemu-$(ARCH)-static -L $(ROOT)
CC      = $(TRIPLE)-gcc --sysroot=$(ROOT)
AR      = $(TRIPLE)-ar
LD      = $(TRIPLE)-ld
OBJCOPY = $(TRIPLE)-objcopy
STRIP   = $(TRIPLE)-strip
LLVM_CONFIG = $(RUN) $(lastword $(sort $(wildcard $(ROOT)/usr/lib/llvm-*/bin/llvm-config)))
endif
export ROOT RUN STRIP
STRIP  ?= strip

BUILD  ?= build
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
ifeq ($(origin CC),default)
CC = gcc
endif
AR ?= ar

# LLVM: the newest of 17 and up whose clang is there too (clang runs as a child, its bitcode is read with this library).
LLVM_CONFIG ?= $(shell \
  for v in 23 22 21 20 19 18 17; do \
    if command -v llvm-config-$$v && command -v clang-$$v; then exit; fi; \
  done 2>/dev/null | head -n 1 | grep . || echo llvm-config-19)
# LLVM_CONFIG=none: a build for machines that only measure (of sources PTX alone is read there; specs come ready from elsewhere).
LLVM_CPPFLAGS := $(shell $(LLVM_CONFIG) --cppflags 2>/dev/null)
LLVM_LIBS     := $(shell $(LLVM_CONFIG) --ldflags 2>/dev/null) $(shell $(LLVM_CONFIG) --libs 2>/dev/null)
LLVM_VERSION  := $(shell $(LLVM_CONFIG) --version 2>/dev/null)

WARN     = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wformat -Wformat-security
OPT     ?= -O2
SAN     ?=
SAN_FORK ?=
CFLAGS  ?= -g
CSTD     = -std=c17 -D_GNU_SOURCE -fsigned-char
VERSION := 0.2.0
SOVERSION := 0
# Hardening, in everything that is built (tests/hardening.sh reads it back). glibc's checks of sizes need optimisation, and the sanitizers have
# their own; they come last, so that a value in CPPFLAGS gives way and is not defined twice.
HARDEN := -fstack-protector-strong -fstack-clash-protection $(if $(filter x86_64,$(ARCH)),-fcf-protection) $(if $(filter aarch64,$(ARCH)),-mbranch-protection=standard)
FORTIFY = $(if $(SAN)$(filter -O0,$(OPT)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
WW_LDFLAGS = -Wl,-z,relro,-z,now,-z,noexecstack $(LDFLAGS)
WW_CFLAGS = $(CSTD) $(OPT) $(WARN) $(HARDEN) -fvisibility=hidden -fPIC -pthread $(SAN) \
            -Iinclude -DWW_VERSION='"$(VERSION)"' -DWW_PREFIX='"$(PREFIX)"' $(CFLAGS) $(CPPFLAGS) $(FORTIFY)
LIBS     = $(LLVM_LIBS) -lcjson -lzstd -lsqlite3 -lpcre2-8 -lutf8proc -lm -ldl
API_LIBS = $(LLVM_LIBS) -lcjson -lzstd -lpcre2-8 -lutf8proc -lm -ldl

SRCS      := $(sort $(filter-out src/trace/interp.c src/lm/kernels_isa.c,$(shell find src -name '*.c' -not -path 'src/front/shim/*')))
ifeq ($(LLVM_CONFIG),none)
SRCS := $(filter-out src/front/%,$(SRCS)) $(sort $(wildcard src/front/emit*.c src/front/ptx*.c src/front/translate_asm*.c)) $(patsubst %,src/front/%.c,absent compile_commands diags scan translate_mma)
SRCS := $(filter-out src/cmd/lsp.c,$(SRCS))
$(BUILD)/main.o: WW_CFLAGS += -DWW_NO_FRONT
else
SRCS := $(filter-out src/front/absent.c,$(SRCS))
endif
# `warpwise serve` needs libmicrohttpd and a front end; without one of them the rest is built.
HTTP := $(if $(filter none,$(LLVM_CONFIG)),,$(shell echo '#include <microhttpd.h>' | $(CC) -E - >/dev/null 2>&1 && echo yes))
ifeq ($(HTTP),yes)
HTTP_LIBS = -lmicrohttpd
else
SRCS := $(filter-out src/serve/http.c src/serve/mcp%.c src/serve/page.c src/cmd/serve.c src/cmd/serving.c src/cmd/mcp.c,$(SRCS))
$(BUILD)/main.o: WW_CFLAGS += -DWW_NO_HTTP
endif
# `warpwise agent` needs libcurl (and a front end); without it the rest is built.
CURL := $(if $(filter none,$(LLVM_CONFIG)),,$(shell echo '#include <curl/curl.h>' | $(CC) -E - >/dev/null 2>&1 && echo yes))
ifeq ($(CURL),yes)
HTTP_LIBS += -lcurl
SRCS := $(filter-out src/agent/llm_absent.c,$(SRCS))
else
SRCS := $(filter-out src/agent/llm_http.c src/cmd/agent.c,$(SRCS))
$(BUILD)/main.o: WW_CFLAGS += -DWW_NO_CURL
endif
CMD_SRCS  := $(filter src/main.c src/cmd/%,$(SRCS))
RECORD_SRCS := $(filter src/measure/record/cuda_% src/measure/record/opencl_%,$(SRCS))
LIB_SRCS  := $(filter-out $(CMD_SRCS) $(RECORD_SRCS),$(SRCS))
CMD_OBJS  := $(CMD_SRCS:src/%.c=$(BUILD)/%.o)
LIB_OBJS  := $(LIB_SRCS:src/%.c=$(BUILD)/%.o)
UNIT_SRCS := $(sort $(wildcard tests/unit/test_*.c))
UNITS     := $(UNIT_SRCS:tests/unit/%.c=$(BUILD)/tests/unit/%)

# ---- the warp interpreter: lanes x instruction set -> $(BUILD)/trace/interp.<isa><lanes>.o ----
ISA_base   =
ISA_avx2   = -mavx2 -mfma -mf16c -mbmi -mbmi2 -mpopcnt
ISA_avx512 = -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mf16c -mbmi2 -mpopcnt -mprefer-vector-width=512
ISAS := base
ifeq ($(ARCH),x86_64)
ISAS += avx2 avx512
endif
INTERP_OPT ?= -O3
INTERP_CFLAGS = $(INTERP_OPT) -fno-math-errno -fno-trapping-math -ffp-contract=off
ifneq ($(wildcard src/trace/interp.c),)
INTERP_OBJS := $(foreach i,$(ISAS),$(BUILD)/trace/interp.$(i)32.o $(BUILD)/trace/interp.$(i)64.o)
LIB_OBJS += $(INTERP_OBJS)
endif

# ---- the kernels of inference: $(BUILD)/lm/kernels.<isa>.o; which one runs is decided at run time (src/lm/kernels.c) ----
ISA_vnni   = $(ISA_avx512) -mavx512vnni
ISA_amx    = $(ISA_vnni) -mavx512bf16 -mamx-tile -mamx-bf16
KERNELS_CFLAGS = $(INTERP_OPT) -fno-math-errno -fno-trapping-math -ffp-contract=fast
KERNELS := base $(if $(filter avx512,$(ISAS)),avx2 avx512 vnni amx)
LIB_OBJS += $(KERNELS:%=$(BUILD)/lm/kernels.%.o)

# One short line per step; V=1 shows the commands.
say = $(if $(V),,@echo "  $(1)  $(2)";)

# No recipe: `make -q all` says whether there is anything left to build.
.PHONY: all
all: $(BUILD)/warpwise $(BUILD)/libwarpwise.a $(BUILD)/libwarpwise-record.so $(BUILD)/lib/libwarpwise.so $(BUILD)/lib/libwarpwise.a $(BUILD)/man/made $(if $(RUN),,compile_commands.json)

# Once, before anything is compiled: is all there that a build needs?
$(BUILD)/ready:
	@scripts/ready.sh "$(CC)" "$(if $(filter none,$(LLVM_CONFIG)),none,$(LLVM_VERSION))"
	@mkdir -p $(@D)
	@touch $@

$(BUILD)/warpwise: $(CMD_OBJS) $(BUILD)/libwarpwise.a | $(BUILD)/shim $(BUILD)/gpus $(BUILD)/models $(BUILD)/tables
	$(call say,LINK,$@)$(CC) -pie $(SAN) $(SAN_FORK) $(WW_LDFLAGS) -pthread -o $@ $(CMD_OBJS) $(BUILD)/libwarpwise.a $(LIBS) $(HTTP_LIBS)

# The same with LeakSanitizer, which needs nothing but linking.
$(BUILD)/leaks/warpwise: $(CMD_OBJS) $(BUILD)/libwarpwise.a | $(BUILD)/shim $(BUILD)/gpus $(BUILD)/models $(BUILD)/tables
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) -fsanitize=leak $(LDFLAGS) -pthread -o $@ $(CMD_OBJS) $(BUILD)/libwarpwise.a $(LIBS) $(HTTP_LIBS)
	@for l in shim gpus models tables libwarpwise.a libwarpwise-record.so; do ln -sfn ../$$l $(@D)/$$l; done

$(BUILD)/libwarpwise.a: $(LIB_OBJS)
	@rm -f $@
	$(call say,AR,$@)$(AR) rcs $@ $(LIB_OBJS)

# The library for others: nothing but the functions of include/warpwise.h can be seen, in the shared one by its version script, in the
# static one because all that is hidden was made local to its one object.
API_OBJS := $(filter $(BUILD)/api/%,$(LIB_OBJS))
LD ?= ld
OBJCOPY ?= objcopy
$(BUILD)/lib/libwarpwise.so: $(API_OBJS) $(BUILD)/libwarpwise.a src/api/warpwise.map
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) -shared $(SAN) $(WW_LDFLAGS) -pthread -Wl,-soname,libwarpwise.so.$(SOVERSION) -Wl,--version-script=src/api/warpwise.map -Wl,--as-needed $(if $(SAN),,-Wl,-z,defs) -o $@.$(VERSION) $(API_OBJS) $(BUILD)/libwarpwise.a $(API_LIBS)
	@ln -sf libwarpwise.so.$(VERSION) $@.$(SOVERSION)
	@ln -sf libwarpwise.so.$(VERSION) $@

$(BUILD)/lib/libwarpwise.a: $(API_OBJS) $(BUILD)/libwarpwise.a
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR,$@)$(LD) -r -o $(@D)/warpwise.o $(API_OBJS) $(BUILD)/libwarpwise.a && $(OBJCOPY) --localize-hidden $(@D)/warpwise.o && \
	  $(AR) rcs $@ $(@D)/warpwise.o && rm $(@D)/warpwise.o

# What `warpwise record` loads into a program: its entry points are visible, nothing else of ours meets the program's own.
RECORD_OBJS := $(RECORD_SRCS:src/%.c=$(BUILD)/%.o)
$(BUILD)/libwarpwise-record.so: $(RECORD_OBJS) $(BUILD)/libwarpwise.a
	$(call say,LINK,$@)$(CC) -shared $(SAN) $(WW_LDFLAGS) -pthread -Wl,--exclude-libs,ALL -Wl,-rpath,'$$ORIGIN' $(if $(SAN),,-Wl,-z,defs) -o $@ $(RECORD_OBJS) $(BUILD)/libwarpwise.a -lcjson -lzstd -lm -ldl

$(BUILD)/front/%.o: WW_CFLAGS += $(LLVM_CPPFLAGS)
$(BUILD)/measure/device_text.o: $(wildcard src/measure/probe/*.cu src/measure/nvrtc/*.cuh) src/measure/cuda/helpers.ptx
# The kernels of training (src/lm/cuda): their text is in the program, compiled by NVRTC where it runs; where there is an nvcc that knows these
# architectures, so is what it makes of them.
ifeq ($(origin NVCC),undefined)
NVCC := $(shell for n in nvcc /usr/local/cuda/bin/nvcc; do \
    if $$n --list-gpu-code 2>/dev/null | grep -q sm_90; then echo $$n; exit; fi; \
  done)
endif
LM_CODE := sm_80 sm_90a
LM_KERNELS := $(wildcard src/lm/cuda/*.cu)
$(BUILD)/lm/cuda/kernel_text.o: $(LM_KERNELS) $(wildcard src/lm/cuda/*.cuh)
ifneq ($(NVCC),)
$(BUILD)/lm/cuda/kernel_text.o: $(LM_KERNELS:src/%.cu=$(BUILD)/%.fatbin)
$(BUILD)/lm/cuda/kernel_text.o: WW_CFLAGS += -DWW_LM_FATBINS='"$(BUILD)/lm/cuda"'
endif
$(BUILD)/lm/cuda/%.fatbin: src/lm/cuda/%.cu $(wildcard src/lm/cuda/*.cuh)
	@mkdir -p $(@D)
	$(call say,NVCC,$<)$(NVCC) -std=c++17 -fatbin $(foreach c,$(LM_CODE),-gencode arch=$(c:sm_%=compute_%),code=$(c)) -o $@ $<
# Training on the CPU: loops that the compiler is to turn into vectors.
$(BUILD)/lm/ops_%.o: WW_CFLAGS += -O3 -fno-math-errno -ffp-contract=fast
# Those who know where the program is installed.
$(BUILD)/base/file.o $(BUILD)/cmd/record.o: $(BUILD)/prefix
ifneq ($(shell cat $(BUILD)/prefix 2>/dev/null),$(PREFIX))
.PHONY: $(BUILD)/prefix
endif
$(BUILD)/prefix:
	@mkdir -p $(@D)
	@echo '$(PREFIX)' > $@
# Those who say which version it is.
$(patsubst src/%.c,$(BUILD)/%.o,$(shell grep -rl --include=*.c WW_VERSION src)): $(BUILD)/version
ifneq ($(shell cat $(BUILD)/version 2>/dev/null),$(VERSION))
.PHONY: $(BUILD)/version
endif
$(BUILD)/version:
	@mkdir -p $(@D)
	@echo '$(VERSION)' > $@
$(BUILD)/predict/show/page_export.o: src/predict/show/export.css
# The page of `warpwise serve`, and uPlot with it where npm has brought it (scripts/deps.sh does).
UPLOT := $(wildcard src/serve/page/node_modules/uplot/dist/uPlot.iife.min.js)
$(BUILD)/serve/page_text.o: $(wildcard src/serve/page/*.* src/serve/page/examples/* examples/*.*) $(UPLOT)
$(BUILD)/serve/page_text.o: WW_CFLAGS += $(if $(UPLOT),-DWW_UPLOT)

$(LIB_OBJS) $(CMD_OBJS) $(RECORD_OBJS): | $(BUILD)/ready
$(BUILD)/%.o: src/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(WW_CFLAGS) -MMD -MP -c -o $@ $<

define interp_rule
$(BUILD)/trace/interp.$(1)$(2).o: src/trace/interp.c
	@mkdir -p $$(@D)
	$$(call say,CC,$$< for $(2) lanes: $(1))$$(CC) $$(WW_CFLAGS) $$(INTERP_CFLAGS) $$(ISA_$(1)) -DWW_LANES=$(2) -DWW_ISA=$(1) -MMD -MP -c -o $$@ $$<
endef
$(foreach i,$(ISAS),$(foreach l,32 64,$(eval $(call interp_rule,$(i),$(l)))))

$(KERNELS:%=$(BUILD)/lm/kernels.%.o): $(BUILD)/lm/kernels.%.o: src/lm/kernels_isa.c
	@mkdir -p $(@D)
	$(call say,CC,$< for $*)$(CC) $(WW_CFLAGS) $(KERNELS_CFLAGS) $(ISA_$*) -DWW_ISA=$* -MMD -MP -c -o $@ $<

# The program looks for shim/, gpus/, models/ and tables/ beside itself; in the build folder these are links.
$(BUILD)/shim:
	@mkdir -p $(BUILD)
	@ln -sfn $(CURDIR)/src/front/shim $@
$(BUILD)/gpus:
	@mkdir -p $(BUILD)
	@ln -sfn $(CURDIR)/gpus $@
$(BUILD)/models:
	@mkdir -p $(BUILD)
	@ln -sfn $(CURDIR)/models $@
$(BUILD)/tables: # data/ there holds objects
	@mkdir -p $(BUILD)
	@ln -sfn $(CURDIR)/data $@

compile_commands.json: Makefile $(SRCS)
	@scripts/compile_commands.sh "$(CC) $(subst ",\\\",$(WW_CFLAGS)) $(LLVM_CPPFLAGS)" $(SRCS) > $@

# An archive, so that a test links only what it uses.
$(BUILD)/tests/libcmd.a: $(filter-out $(BUILD)/main.o,$(CMD_OBJS))
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR,$@)$(AR) rcs $@ $^

$(BUILD)/tests/unit/%: tests/unit/%.c $(BUILD)/tests/libcmd.a $(BUILD)/libwarpwise.a | $(BUILD)/shim $(BUILD)/gpus $(BUILD)/models $(BUILD)/tables
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(WW_CFLAGS) $(WW_LDFLAGS) -MMD -MP -o $@ $(filter %.c,$^) $(filter %.a,$^) $(LIBS) $(HTTP_LIBS) -lcmocka

# What test_lm_ranks opens in NCCL's place.
$(BUILD)/tests/fake/lib/libnccl.so.2: tests/lm/fake_nccl.c
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(WW_CFLAGS) $(SAN) -shared -fvisibility=default -pthread -o $@ $<
$(BUILD)/tests/unit/test_lm_ranks: | $(BUILD)/tests/fake/lib/libnccl.so.2

# Programs of the other test stages: kernel triples against host references, and against other OpenCL runtimes.
TOOLS := $(if $(wildcard tests/run_kernels.c),$(BUILD)/tests/run_kernels) $(if $(wildcard tests/cross/run_cross.c),$(BUILD)/tests/run_cross) \
         $(if $(wildcard tests/cross/cl_host.c),$(BUILD)/tests/cl_host) $(if $(wildcard tests/record/cl_program.c),$(BUILD)/tests/cl_program) \
         $(if $(wildcard tests/lm/check_tokens.c),$(BUILD)/tests/check_tokens) $(if $(wildcard tests/lm/check_gguf.c),$(BUILD)/tests/check_gguf) \
         $(if $(wildcard tests/lm/stories.c),$(BUILD)/tests/stories) $(if $(wildcard tests/diff/run_diff.c),$(BUILD)/tests/run_diff)
$(BUILD)/tests/check_tokens: tests/lm/check_tokens.c
$(BUILD)/tests/check_gguf: tests/lm/check_gguf.c
$(BUILD)/tests/stories: tests/lm/stories.c
$(BUILD)/tests/run_kernels: tests/run_kernels.c
$(BUILD)/tests/run_cross: tests/cross/run_cross.c
$(BUILD)/tests/run_kernels $(BUILD)/tests/run_cross: tests/triple.c tests/kernels/refs.c tests/kernels/refs_hopper.c
$(BUILD)/tests/cl_host: tests/cross/cl_host.c
$(BUILD)/tests/cl_program: tests/record/cl_program.c
$(BUILD)/tests/run_diff: $(wildcard tests/diff/*.c tests/diff/*.h)
$(BUILD)/tests/cl_host $(BUILD)/tests/cl_program: TOOL_LIBS = -lOpenCL
$(TOOLS): $(BUILD)/libwarpwise.a $(wildcard tests/*.h tests/kernels/*.h tests/lm/*.h)
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(WW_CFLAGS) $(WW_LDFLAGS) -o $@ $(filter %.c,$^) $(BUILD)/libwarpwise.a $(LIBS) $(TOOL_LIBS)

# The hardware check: no LLVM in it, and cJSON beside it, so that the folder can be carried to a machine with a GPU.
LM_TOOLS := $(patsubst tests/gpu/%.c,$(BUILD)/gpu/%,$(wildcard tests/gpu/lm_*.c))
GPU_TOOLS := $(if $(wildcard tests/gpu),$(addprefix $(BUILD)/gpu/,launch_triples probe_memory compare check_contents) $(LM_TOOLS))
$(BUILD)/gpu/launch_triples: tests/gpu/launch_triples.c tests/gpu/driver.c tests/triple.c tests/kernels/refs.c tests/kernels/refs_hopper.c
$(BUILD)/gpu/probe_memory: tests/gpu/probe_memory.c tests/gpu/driver.c
$(BUILD)/gpu/compare: tests/gpu/compare.c tests/triple.c tests/kernels/refs.c tests/kernels/refs_hopper.c
$(BUILD)/gpu/check_contents: tests/gpu/check_contents.c
$(LM_TOOLS): $(BUILD)/gpu/%: tests/gpu/%.c
$(BUILD)/gpu/lm_net $(BUILD)/tests/unit/test_lm_net: tests/lm/net_checks.c tests/lm/op_checks.c tests/lm/half_ops.c
$(GPU_TOOLS): $(BUILD)/libwarpwise.a $(wildcard tests/*.h tests/kernels/*.h tests/gpu/*.h)
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(WW_CFLAGS) $(WW_LDFLAGS) -o $@ $(filter %.c,$^) $(BUILD)/libwarpwise.a -Wl,-rpath,'$$ORIGIN' -lcjson -lzstd -lutf8proc -lm -ldl
	@for l in libcjson.so.1 libzstd.so.1 libutf8proc.so.2 libutf8proc.so.3; do cp -uL "$$($(CC) -print-file-name=$$l)" $(@D)/ 2>/dev/null || true; done

# Fuzzing (tests/fuzz/): $(BUILD)/fuzz/fuzz is driven by libFuzzer, where CC is clang and SAN says so (make fuzz sees to it);
# $(BUILD)/tests/fuzz_replay runs kept inputs in any build. The folder of the first can be carried to another machine: nothing of LLVM in
# it, and what a bare system lacks is linked statically or lies beside it.
FUZZ_CC   ?= $(shell command -v $(patsubst llvm-config%,clang%,$(notdir $(LLVM_CONFIG))) || echo clang)
FUZZ_BUILD ?= build-fuzz
FUZZ_TIME ?= 1800
FUZZ_SAN   = address,undefined,float-cast-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer
FUZZ_MAIN := $(shell $(CC) -print-file-name=libclang_rt.fuzzer-$(shell uname -m).a 2>/dev/null | grep /)
FUZZ_OBJS := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/fuzz/%.o,$(wildcard tests/fuzz/fuzz_*.c) tests/fuzz/targets.c tests/fuzz/input.c tests/fuzz/mutate.c)
static_lib = $(if $(wildcard $(shell $(CC) -print-file-name=lib$(1).a)),-l:lib$(1).a,-l$(1))
$(BUILD)/tests/fuzz/%.o: tests/fuzz/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(WW_CFLAGS) -MMD -MP -c -o $@ $<
$(BUILD)/fuzz/fuzz: $(BUILD)/tests/fuzz/fuzz.o $(FUZZ_OBJS) $(BUILD)/libwarpwise.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(SAN) $(WW_LDFLAGS) -pthread -Wl,-rpath,'$$ORIGIN' -static-libgcc -o $@ $^ \
	  $(FUZZ_MAIN) $(foreach l,$(if $(FUZZ_MAIN),stdc++) zstd pcre2-8 utf8proc sqlite3 cjson,$(call static_lib,$(l))) -lm -ldl
	@for l in libcjson.so.1; do cp -uL "$$($(CC) -print-file-name=$$l)" $(@D)/ 2>/dev/null || true; done
$(BUILD)/fuzz/replay: $(BUILD)/tests/fuzz/replay.o $(FUZZ_OBJS) $(BUILD)/libwarpwise.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(SAN) $(WW_LDFLAGS) -pthread -o $@ $^ -lzstd -lpcre2-8 -lutf8proc -lsqlite3 -lcjson -lm -ldl
$(BUILD)/tests/fuzz_replay: $(BUILD)/tests/fuzz/replay.o $(FUZZ_OBJS) $(BUILD)/libwarpwise.a
$(BUILD)/tests/fuzz_whole: $(BUILD)/tests/fuzz/whole.o $(BUILD)/tests/fuzz/mutate.o $(BUILD)/tests/fuzz/input.o $(BUILD)/libwarpwise.a
$(BUILD)/tests/fuzz_replay $(BUILD)/tests/fuzz_whole:
	$(call say,LINK,$@)$(CC) $(SAN) $(WW_LDFLAGS) -pthread -o $@ $^ $(LIBS)

-include $(FUZZ_OBJS:.o=.d) $(LIB_OBJS:.o=.d) $(RECORD_OBJS:.o=.d) $(CMD_OBJS:.o=.d) $(UNITS:=.d)

# ---- what people call ----
.PHONY: help demo check mutants test test-unit test-asan test-full test-fresh test-bundle test-faults test-kills soak test-gpu test-diff asan fuzz fuzz-keep fuzz-build fuzz-build-here fuzz-coverage lint format bench install uninstall dist deb bundle vsix vsix-bundle wheel sbom clean units deps docs map
help:
	@echo "make            build $(BUILD)/warpwise and $(BUILD)/lib/libwarpwise.{so,a}   (LLVM $(LLVM_VERSION))"
	@echo "make demo       install what is missing, build, show what it does"
	@echo "make test       install what is missing, build, run all tests that need no GPU, then again under the sanitizers"
	@echo "make check DIR=src/FOLDER   after a change there: build and run that folder's tests alone, in seconds"
	@echo "make mutants    faults put into the sources one by one: how many do tests notice? (ONLY=PATTERN: some of them)"
	@echo "make test-full  the same, then lint"
	@echo "make test-fresh make demo and make test on a minimal Debian 12 and 13, made by debootstrap (root)"
	@echo "make test-bundle   the bundle on minimal systems with older and newer C libraries, made by debootstrap (root)"
	@echo "make test-gpu   the CUDA triples on this machine's GPU, against its counters (nvcc; ncu where it is)"
	@echo "make test-faults, test-kills, soak   every call of every command fails once; 200 times kill -9; an hour of load on the servers"
	@echo "make test-diff  $(DIFF_COUNT) generated kernels of each grammar (DIFF_COUNT=), interpreter against PoCL and a GPU where there is one"
	@echo "make asan       build-asan/: AddressSanitizer and UBSan"
	@echo "make fuzz       any bytes as each kind of file and message that is read, $(FUZZ_TIME) s (FUZZ_TIME=), then mutated sources; make fuzz-keep: the next run begins where this ended; make fuzz-coverage: the lines reached"
	@echo "make lint       layers, formatting, file lengths, cppcheck"
	@echo "make format     clang-format over sources and headers"
	@echo "make bench      timings"
	@echo "make docs       rewrite docs/metrics.md, the tables of docs/gpus.md, and what README and tutorial show of the program"
	@echo "make map        every source file and its one job"
	@echo "make install    program, library, manual, completions; DESTDIR=$(DESTDIR) PREFIX=$(PREFIX) LIBDIR=$(LIBDIR); make uninstall"
	@echo "make dist       $(BUILD)/warpwise-$(VERSION).tar.gz, the same bytes from the same sources"
	@echo "make deb        Debian packages in $(BUILD)/deb/"
	@echo "make bundle     $(BUILD)/bundle/warpwise-$(VERSION)-linux-$(shell uname -m).tar.gz, one folder that runs on any Linux, with clang and all libraries"
	@echo "make vsix       $(BUILD)/warpwise.vsix, the extension for VS Code (npm)"
	@echo "make vsix-bundle   $(BUILD)/warpwise-linux-x64.vsix, the same with the program in it"
	@echo "make wheel      $(BUILD)/wheel/*.whl, the Python package with the library and the program"
	@echo "make sbom       $(BUILD)/sbom/*.cdx.json: what is in the packages, the wheel, the extension and the bundle that were made"
	@echo "make clean"

# The packages come first and make starts again, so that it sees the tools they brought; on all cores, unless it was told how many.
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
PARALLEL = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))
demo:
	@scripts/deps.sh build
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@scripts/demo.sh $(BUILD)/warpwise

# Two halves, each with its own build; whatever becomes of one, the other runs, and one line counts both.
test:
	@scripts/deps.sh test
	@plain=; sanitized="$(ASAN_STAGES)"; \
	$(MAKE) --no-print-directory $(PARALLEL) all units || plain=unbuilt; \
	$(MAKE) --no-print-directory $(PARALLEL) $(ASAN) all units || sanitized=unbuilt; \
	$(MAKE) --no-print-directory $(PARALLEL) fuzz-build-here; \
	tests/run.sh $(BUILD) $$plain -- $(ASAN_BUILD) $$sanitized

# Both commands of the README on machines that have nothing (root, debootstrap): scripts/fresh.sh has the options.
test-fresh:
	@scripts/fresh.sh

# The bundle on minimal systems with older and newer C libraries (root, debootstrap), then the extension that brings it, in a VS Code that has nothing
# else: scripts/bundle_check.sh has the options.
test-bundle: vsix-bundle
	@scripts/bundle_check.sh $(BUILD)/bundle/warpwise-$(VERSION)-linux-$$(uname -m).tar.gz
	@tests/clients/vscode/bundle.sh $(BUILD)

deps:
	@scripts/deps.sh test

units: $(UNITS) $(TOOLS) $(BUILD)/tests/fuzz_replay $(BUILD)/tests/fuzz_whole

test-unit: all units
	@tests/run.sh $(BUILD) unit

# After a change in one folder: what it needs is built, its tests run (tests/folders.def), seconds instead of the half hour of `make test`.
CHECKS := $(if $(DIR),$(shell sed 's/ |.*//' tests/folders.def | awk -v dir="$(DIR:/=)" '$$1 == dir { $$1 = ""; print }'))
check: $(if $(filter-out unit/%,$(CHECKS)),$(BUILD)/warpwise) $(patsubst unit/%,$(BUILD)/tests/unit/test_%,$(filter unit/%,$(CHECKS)))
	@[ -n "$(CHECKS)" ] || { echo "check: DIR=src/FOLDER, one of tests/folders.def" >&2 && exit 2; }
	@tests/run.sh $(BUILD) $(CHECKS)

# Faults put into the sources one by one (tests/mutants.def): do the tests of their folders notice? ONLY=PATTERN: those whose line matches.
mutants: all units
	@scripts/mutate.sh $(BUILD) "$(ONLY)"

# -O1: with optimisation the interpreter alone takes minutes under the sanitizers.
ASAN_BUILD := build-asan
ASAN_STAGES := unit cli lm-cli kernels serve lsp mcp library fuzz
ASAN = BUILD=$(ASAN_BUILD) NVCC= OPT=-O1 INTERP_OPT=-O1 SAN="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -Wno-format-truncation" \
       SAN_FORK="-static-libasan tests/sanitized_fork.c"
asan:
	@$(MAKE) --no-print-directory $(ASAN) all

test-asan:
	@scripts/deps.sh test
	@$(MAKE) --no-print-directory $(ASAN) all units
	@tests/run.sh $(ASAN_BUILD) $(ASAN_STAGES)

# One build for every target: no LLVM (nothing compiles there), the library alone.
FUZZ_MAKE = $(MAKE) --no-print-directory LLVM_CONFIG=none NVCC= CC="$(FUZZ_CC)" OPT=-O1 INTERP_OPT=-O1 CFLAGS="-g -w"
FUZZ_ARGS = BUILD=$(FUZZ_BUILD) SAN="-fsanitize=fuzzer-no-link,$(FUZZ_SAN)"
fuzz-build:
	+@$(FUZZ_MAKE) $(FUZZ_ARGS) $(FUZZ_BUILD)/fuzz/fuzz
# The same where clang has libFuzzer: tests do without it.
fuzz-build-here:
	+@[ ! -e "$$($(FUZZ_CC) -print-file-name=libclang_rt.fuzzer-$$(uname -m).a)" ] || $(FUZZ_MAKE) $(FUZZ_ARGS) $(FUZZ_BUILD)/fuzz/fuzz

# Which lines of the readers the inputs reach, by clang's own counters: after `make fuzz`, whose inputs it runs.
fuzz-coverage:
	@scripts/deps.sh fuzz
	+@$(FUZZ_MAKE) BUILD=$(FUZZ_BUILD)/coverage SAN="-fprofile-instr-generate -fcoverage-mapping" $(FUZZ_BUILD)/coverage/fuzz/replay
	@tests/fuzz/coverage.sh $(FUZZ_BUILD) "$(lastword $(FUZZ_CC))"

fuzz:
	@scripts/deps.sh fuzz
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/tests/fuzz_whole
	@$(MAKE) --no-print-directory -j$(JOBS) fuzz-build
	@tests/fuzz/run.sh $(BUILD) $(FUZZ_BUILD) $(FUZZ_TIME) $(JOBS)

# What a run reached beyond the seeds is where the next one begins, also in another checkout.
fuzz-keep:
	@tests/fuzz/keep.sh $(BUILD)/warpwise $(FUZZ_BUILD)/carry/out/corpus

# Every call of every command fails once, about an hour; 200 kills; an hour of load.
test-faults: all $(BUILD)/leaks/warpwise
	@JOBS=$(JOBS) tests/faults/run.sh $(BUILD) all
	@echo "again, for what is not freed:"
	@CLASSES="open read write change look" JOBS=$(JOBS) tests/faults/run.sh $(BUILD)/leaks all

test-kills: all
	@tests/faults/kills.sh $(BUILD) $(if $(N),$(N),200)
	@tests/optimize/kills.sh $(BUILD) $(if $(N),$(N),50)

soak: all
	@tests/soak.sh $(if $(SECONDS),$(SECONDS),3600) $(BUILD)

test-full: test lint

test-gpu: all $(GPU_TOOLS)
	@tests/gpu/run.sh $(BUILD)
	@tests/gpu/lm.sh $(BUILD)
	@tests/gpu/ranks.sh $(BUILD)

DIFF_COUNT ?= 2560
test-diff: all $(BUILD)/tests/run_diff
	@tests/diff/run.sh $(BUILD) $(DIFF_COUNT)

lint:
	@scripts/lint.sh

format:
	@scripts/sources.sh | xargs clang-format -i

bench: all
	@scripts/bench.sh $(BUILD)

docs: $(BUILD)/warpwise $(BUILD)/tests/unit/test_docs $(BUILD)/tests/unit/test_gpu
	@$(BUILD)/tests/unit/test_docs --write docs/metrics.md
	@$(BUILD)/tests/unit/test_gpu --write docs/gpus.md
	@scripts/pages.py $(BUILD)

map:
	@scripts/codemap.sh

# One list of files, put there or taken away: scripts/install.sh. Nothing is built here, so that `sudo make install` leaves no files of root's
# in the build folder.
INSTALL_ENV = BUILD='$(BUILD)' DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' LIBDIR='$(LIBDIR)' VERSION='$(VERSION)' SOVERSION='$(SOVERSION)' LLVM_LIBS='$(LLVM_LIBS)'
.PHONY: built
built:
	@$(MAKE) --no-print-directory -q all || { echo "install: $(BUILD)/ is not built for PREFIX=$(PREFIX), or is older than the sources; first, without sudo: make PREFIX=$(PREFIX)" >&2 && exit 1; }
install: built
	@$(INSTALL_ENV) scripts/install.sh install

uninstall:
	@$(INSTALL_ENV) scripts/install.sh uninstall

dist:
	@scripts/dist.sh $(VERSION) $(BUILD)

# Packages are built anew, for PREFIX=/usr.
DEB_BUILD ?= $(BUILD)/debian
DEB_OUT   ?= $(BUILD)/deb
deb:
	@scripts/deps.sh deb
	@$(MAKE) --no-print-directory $(PARALLEL) BUILD=$(DEB_BUILD) deb-build
	@$(MAKE) --no-print-directory BUILD=$(DEB_BUILD) DEB_OUT=$(DEB_OUT) deb-pack

.PHONY: deb-build deb-pack
deb-build:
	@$(MAKE) --no-print-directory PREFIX=/usr all
deb-pack:
	@scripts/deb.sh $(VERSION) $(SOVERSION) $(LLVM_VERSION) $(BUILD) $(DEB_OUT)

# One folder with all that the program needs, for any Linux of this machine's kind, or of ARCH's. make starts again where packages have come.
bundle:
	@scripts/deps.sh $(if $(RUN),cross $(ARCH),bundle)
	@$(if $(RUN),[ -d $(ROOT) ] || scripts/cross_root.sh $(ARCH) $(ROOT))
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@$(MAKE) --no-print-directory bundle-pack

.PHONY: bundle-pack
bundle-pack:
	@scripts/bundle.sh $(VERSION) $(SOVERSION) $(LLVM_VERSION) $(BUILD) "$(CC)" $(ARCH)

vsix:
	@node editors/vscode/package.mjs $(BUILD)/warpwise.vsix

# The same for Linux on x86-64, with the bundle in it: to install it is all.
vsix-bundle: bundle
	@node editors/vscode/package.mjs $(BUILD)/warpwise-linux-x64.vsix $(BUILD)/bundle/warpwise-$(VERSION)-linux-x86_64

wheel: $(BUILD)/warpwise $(BUILD)/lib/libwarpwise.so
	@scripts/wheel.py $(VERSION) $(BUILD) $(LLVM_VERSION)

# Of what lies there; the bundle's list of files is its own.
BUNDLE_FILES := $(wildcard $(BUILD)/bundle/files.tsv)
sbom:
	@scripts/sbom.py $(VERSION) $(BUILD)/sbom $(if $(BUNDLE_FILES),--files $(BUNDLE_FILES)) \
	  $(wildcard $(BUILD)/wheel/warpwise-$(VERSION)-*.whl $(BUILD)/warpwise.vsix $(BUILD)/warpwise-linux-x64.vsix $(BUILD)/bundle/warpwise-$(VERSION)-*.tar.gz)

# Manual pages and completions come from the tables of options; those about files and the library from docs/.
.PHONY: man
man: $(BUILD)/man/made
$(BUILD)/man/made: $(BUILD)/warpwise scripts/man.sh scripts/md2man.awk $(addprefix docs/,launch.md report.md metrics.md gpus.md library.md)
	$(call say,MAN,$(@D)/)scripts/man.sh $(BUILD) $(VERSION)
	@touch $@

clean:
	rm -rf build build-asan build-gpu build-fuzz compile_commands.json
