# SPDX-License-Identifier: GPL-3.0-or-later
# rbstats: ring buffer statistics out of kernel crash dumps.
#
#   make deps       install what the build and the tests need (Debian's packages; root or sudo)
#   make            the program (build/rbstats) and the crash extension (build/rbstats.so)
#   make demo       the figures of a real dump that the repository carries
#   make check      all tests; its parts: check-unit check-san check-integration check-guest
#   make tools      what makes the built-in layouts (docs/lttng.md)
#   make check-kernels  boots guests of every kernel and architecture and compares; an hour and more
#   make check-xen  tests on Xen under QEMU, dumps and live; takes an hour and more
#   make bench      speed and memory beside drgn, crash and the floor (docs/performance.md); not a test
#   make lint       clang-tidy and cppcheck;  make coverage: which lines the tests run
#   make install    PREFIX (/usr/local) and DESTDIR are respected; uninstall takes it away again
#   make clean      what was built; distclean takes away the guests' dumps and unpacked files too
#
# SAN=1 builds with AddressSanitizer and UndefinedBehaviorSanitizer, in a folder of its own.

VERSION := 0.1.0
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
DOCDIR ?= $(PREFIX)/share/doc/rbstats
# crash itself looks in /usr/lib/crash/extensions (PREFIX=/usr), or where CRASH_EXTENSIONS says.
CRASHDIR ?= $(PREFIX)/lib/crash/extensions

CC ?= cc
PKG_CONFIG ?= pkg-config
CFLAGS ?= -O2 -g
# Tables leave out members that are 0: clang would have them all named.
WARNINGS := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
	-Wno-missing-field-initializers

# Names of Debian 12 and 13. Beyond the libraries: crash for its header and to run the extension in,
# the rest to boot guests, to take dumps of them and to measure.
DEPS := build-essential pkg-config libkdumpfile-dev libbpf-dev libdwarf-dev libelf-dev \
	libjson-c-dev liblzma-dev zlib1g-dev libxen-dev crash libcriterion-dev python3 xz-utils zstd \
	makedumpfile qemu-system-x86 qemu-system-arm busybox-static kexec-tools kmod cpio ethtool iproute2 \
	acpica-tools babeltrace2 dwarves python3-drgn time slurm-wlm munge parallel clang clang-tidy cppcheck \
	gcovr libclang-rt-dev

# V=1 shows the commands.
Q := $(if $(V),,@)
say = $(if $(V),,@echo '  $(1) $@')

.DEFAULT_GOAL := all

deps:
	@echo 'Installing Debian packages: $(DEPS)'
	$(Q)set -e; as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
	$$as_root apt-get -q update; \
	$$as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get -q install -y --no-install-recommends $(DEPS)

.PHONY: deps

ifneq ($(and $(filter deps,$(MAKECMDGOALS)),$(filter-out deps,$(MAKECMDGOALS))),)

# 'make deps all': what follows asks the packages for their flags, so they must be there before make
# reads it.
$(filter-out deps,$(MAKECMDGOALS)): deps
	$(Q)$(MAKE) --no-print-directory $@

.PHONY: $(filter-out deps,$(MAKECMDGOALS))
.NOTPARALLEL:

else

BUILD := build$(if $(SAN),/san)

# libdwarf has a .pc file since 0.4 (Debian 13); Debian 12's 20210528 has an older interface.
DWARF_OLD := $(if $(shell $(PKG_CONFIG) --exists libdwarf && echo y),,y)
PACKAGES := libkdumpfile libaddrxlat libbpf json-c libelf liblzma zlib $(if $(DWARF_OLD),,libdwarf)

# To ask a running Xen (--xen-live); without them the rest is built all the same.
XEN_PACKAGES := xencontrol xenforeignmemory
XEN := $(shell $(PKG_CONFIG) --exists $(XEN_PACKAGES) && echo y)

ALL_CPPFLAGS := -iquote . -D_GNU_SOURCE -DRBS_VERSION='"$(VERSION)"' \
	$(if $(DWARF_OLD),-DRBS_LIBDWARF_OLD -isystem /usr/include/libdwarf) \
	$(if $(XEN),-DRBS_XEN_LIVE $(shell $(PKG_CONFIG) --cflags $(XEN_PACKAGES))) \
	$(shell $(PKG_CONFIG) --cflags $(PACKAGES)) $(CPPFLAGS)
SANITIZERS := -fsanitize=address -fsanitize=undefined
ALL_CFLAGS := -std=c11 -fPIC -fvisibility=hidden $(WARNINGS) $(CFLAGS) \
	$(if $(SAN),$(SANITIZERS) -fno-sanitize-recover=all -fno-omit-frame-pointer)
ALL_LDFLAGS := $(LDFLAGS) $(if $(SAN),$(SANITIZERS))
LIBS := $(shell $(PKG_CONFIG) --libs $(PACKAGES)) $(if $(DWARF_OLD),-ldwarf) -ldl -lm
XEN_LIBS := $(if $(XEN),$(shell $(PKG_CONFIG) --libs $(XEN_PACKAGES)))

LIB_SOURCES := $(sort $(wildcard lib/*.c lib/*/*.c lib/*/*/*.c dwarf/*.c dwarf/*/*.c))
CLI_SOURCES := $(sort $(wildcard cli/*.c))
EXT_SOURCES := $(sort $(wildcard extensions/*.c))
TOOL_SOURCES := $(sort $(wildcard tools/*.c))
UNIT_SOURCES := $(sort $(wildcard tests/unit/*.c))
DAMAGE_SOURCES := $(addprefix tests/damage/,workers.c input.c compare.c excerpt.c \
	page_roots.c page_tables.c overlay.c mutation.c memo.c)
object = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

all: $(BUILD)/rbstats $(if $(wildcard /usr/include/crash/defs.h),$(BUILD)/rbstats.so)

$(BUILD)/librbstats.a: $(call object,$(LIB_SOURCES))
	@rm -f $@
	$(call say,AR  )
	$(Q)$(AR) rcs $@ $^

$(BUILD)/rbstats: $(call object,$(CLI_SOURCES)) $(BUILD)/librbstats.a
	$(call say,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS) $(XEN_LIBS)

# crash exports its own symbols: ours must not be mistaken for them.
$(BUILD)/rbstats.so: $(call object,$(EXT_SOURCES)) $(BUILD)/librbstats.a
	$(call say,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -shared -Wl,-Bsymbolic -Wl,--exclude-libs,ALL -o $@ $^ $(LIBS)

# For work on rbstats itself; see docs/lttng.md.
tools: $(BUILD)/layout-table

$(BUILD)/layout-table: $(call object,$(TOOL_SOURCES)) $(BUILD)/librbstats.a
	$(call say,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/unit-tests: $(call object,$(UNIT_SOURCES)) $(BUILD)/librbstats.a
	$(call say,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -lcriterion $(LIBS) $(XEN_LIBS)

# What damages dumps on purpose: docs/robustness.md.
$(BUILD)/pages $(BUILD)/mutate $(BUILD)/tables: $(BUILD)/%: $(call object,tests/damage/%.c) \
		$(call object,$(DAMAGE_SOURCES)) $(BUILD)/librbstats.a
	$(call say,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS) $(XEN_LIBS)

# libFuzzer's harnesses: clang only, in a folder of their own; tests/fuzz/run names the entries.
FUZZERS := $(patsubst tests/fuzz/%.c,%,$(filter-out %/fuzz_bytes.c,$(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_FLAGS := -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

fuzzers: $(addprefix $(BUILD)/,$(FUZZERS))

$(addprefix $(BUILD)/,$(FUZZERS)): $(BUILD)/%: $(call object,tests/fuzz/%.c tests/fuzz/fuzz_bytes.c) \
		$(call object,$(DAMAGE_SOURCES)) $(BUILD)/librbstats.a
	$(call say,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS) $(XEN_LIBS)

# Each entry for a minute; FUZZ_SECONDS=N for another time, FUZZ='NAME ...' for some of them.
fuzz: all
	$(Q)$(MAKE) --no-print-directory BUILD=build/fuzz CC=clang \
		CFLAGS='$(FUZZ_FLAGS) -fsanitize=fuzzer-no-link' fuzzers
	$(Q)tests/fuzz/run $(FUZZ)

.PHONY: fuzz fuzzers

# crash's header is not warning-free, and wants the architecture and gdb's version named: the newest
# that it knows is its own.
CRASH_GDB = $(lastword $(shell grep -ohs 'GDB_[0-9]*_[0-9]*' /usr/include/crash/defs.h | sort -V))
CRASH_CPPFLAGS = -isystem /usr/include/crash -DX86_64 -D$(CRASH_GDB)
$(BUILD)/obj/extensions/%.o: ALL_CPPFLAGS += $(CRASH_CPPFLAGS)

# Answers in the user's cache are believed only by the build that found them (lib/shelf.h).
CACHE_SOURCES := $(sort $(wildcard dwarf/*.[ch]) $(wildcard lib/shelf*.[ch]) lib/hash.h lib/types.h)
$(BUILD)/obj/lib/shelf.o: ALL_CPPFLAGS += \
	-DRBS_CACHE_KEY='"$(VERSION)-$(firstword $(shell cat $(CACHE_SOURCES) | cksum))"'
$(BUILD)/obj/lib/shelf.o: $(CACHE_SOURCES)

# Xen's headers cannot be read as strict C (public/arch-x86: __align8__).
$(BUILD)/obj/lib/xen_live.o $(BUILD)/obj/lib/xen_foreign.o: ALL_CFLAGS += -std=gnu11

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

-include $(wildcard $(patsubst %.o,%.d,$(call object,$(LIB_SOURCES) $(CLI_SOURCES) $(EXT_SOURCES) $(TOOL_SOURCES) $(UNIT_SOURCES) \
	$(wildcard tests/damage/*.c tests/fuzz/*.c))))

demo: $(BUILD)/rbstats build/fixtures/linux-6.1-virtio.elf
	$(BUILD)/rbstats build/fixtures/linux-6.1-virtio.elf

build/fixtures/%.elf: tests/fixtures/%.elf.xz
	@mkdir -p $(@D)
	$(call say,XZ  )
	$(Q)xz -dc $< > $@.part && mv $@.part $@

# One run of tests/run counts all parts and ends with one closing line.
check: all $(BUILD)/unit-tests $(BUILD)/pages sanitized
	$(Q)tests/run

check-unit: $(BUILD)/unit-tests
	$(Q)tests/run unit

check-san: sanitized
	$(Q)tests/run san

check-integration: all $(BUILD)/pages
	$(Q)tests/run integration

# The dumps of guests that tests/guest boots; they are kept in build/guest. Only the quick ones are
# booted, and those that are there already are used.
check-guest: all
	$(Q)tests/run guest

# Every kernel, architecture and family (docs/support.md): boots what 'make check' leaves to the
# fixtures, and downloads debug files of 900 MB. Guests are kept like the others.
check-kernels: all
	$(Q)RBSTATS_KERNELS=1 tests/run integration guest

# Xen: builds three hypervisors and boots ten machines, an hour and more (tests/guest/xen).
check-xen: all
	$(Q)python3 tests/guest/guest.py make $(XEN_RECIPES)
	$(Q)RBSTATS_XEN=1 tests/run -k xen integration guest

XEN_RECIPES := $(patsubst tests/guest/xen/recipes/%.py,%,$(wildcard tests/guest/xen/recipes/*.py))

sanitized:
	$(Q)$(MAKE) --no-print-directory SAN=1 build/san/rbstats build/san/unit-tests build/san/mutate build/san/tables

bench: all $(BUILD)/floor
	$(Q)tests/bench/run

$(BUILD)/floor: $(call object,tests/bench/floor.c)
	$(call say,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

# -- for work on rbstats itself ----------------------------------------------

LINT_SOURCES := $(LIB_SOURCES) $(CLI_SOURCES) $(EXT_SOURCES) $(TOOL_SOURCES)
TIDIED := $(patsubst %.c,$(BUILD)/lint/%.tidy,$(LINT_SOURCES))
LINT_CPPFLAGS = $(ALL_CPPFLAGS) -DRBS_CACHE_KEY='"lint"'

# clang-tidy on what changed, and cppcheck; what is asked is in .clang-tidy and .cppcheck.
lint: $(TIDIED)
	$(Q)cppcheck --quiet --std=c11 --enable=warning,performance,portability --error-exitcode=1 \
		--inline-suppr --suppressions-list=.cppcheck -j2 -I. -D__x86_64__ -D_GNU_SOURCE \
		-DRBS_VERSION='""' -DRBS_CACHE_KEY='""' $(LINT_SOURCES)

$(BUILD)/lint/%.tidy: %.c .clang-tidy $(wildcard */*.h */*/*.h */*/*/*.h)
	@mkdir -p $(@D)
	@echo '  TIDY $<'
	$(Q)clang-tidy --quiet $< -- $(LINT_CPPFLAGS) -std=c11 $(LINT_CFLAGS) >$@.out 2>$@.err || \
		{ cat $@.out; grep -v 'warnings\? generated' $@.err; exit 1; }
	@touch $@

$(BUILD)/lint/extensions/%.tidy: ALL_CPPFLAGS += $(CRASH_CPPFLAGS)
$(BUILD)/lint/lib/xen_live.tidy $(BUILD)/lint/lib/xen_foreign.tidy: LINT_CFLAGS += -std=gnu11

# Which lines the unit and the integration tests run: a line a file, and the sum.
coverage:
	$(Q)$(MAKE) --no-print-directory BUILD=build/coverage CFLAGS='-O0 -g --coverage' \
		build/coverage/rbstats build/coverage/unit-tests
	$(Q)find build/coverage -name '*.gcda' -delete
	$(Q)build/coverage/unit-tests -j2 --quiet
	$(Q)RBSTATS_BUILD=build/coverage tests/run integration
	$(Q)gcovr --root . --object-directory build/coverage --filter '(lib|dwarf|cli)/' \
		--gcov-ignore-parse-errors --sort-percentage | sed 's/%  .*/%/'

INSTALL ?= install
DOCUMENTS := $(wildcard README.md LICENSE COPYING docs/*.md)
MAN_PAGES := $(wildcard man/*.1)

install: all
	$(INSTALL) -D -m 755 build/rbstats $(DESTDIR)$(BINDIR)/rbstats
	$(if $(wildcard build/rbstats.so),\
		$(INSTALL) -D -m 755 build/rbstats.so $(DESTDIR)$(CRASHDIR)/rbstats.so)
	$(INSTALL) -d $(DESTDIR)$(DOCDIR) $(DESTDIR)$(MANDIR)/man1
	$(if $(DOCUMENTS),$(INSTALL) -m 644 $(DOCUMENTS) $(DESTDIR)$(DOCDIR))
	$(if $(MAN_PAGES),$(INSTALL) -m 644 $(MAN_PAGES) $(DESTDIR)$(MANDIR)/man1)

uninstall:
	rm -f $(DESTDIR)$(BINDIR)/rbstats $(DESTDIR)$(CRASHDIR)/rbstats.so
	rm -f $(patsubst man/%,$(DESTDIR)$(MANDIR)/man1/%,$(MAN_PAGES))
	rm -rf $(DESTDIR)$(DOCDIR)

clean:
	rm -rf build/obj build/san build/clang build/lint build/coverage build/rbstats build/rbstats.so build/librbstats.a \
		build/unit-tests build/layout-table build/floor

distclean:
	rm -rf build

.PHONY: all tools demo check check-unit check-san check-integration check-guest check-kernels check-xen sanitized bench lint coverage install \
	uninstall clean distclean

endif
