# SPDX-License-Identifier: GPL-3.0-or-later
# rbstats: ring buffer statistics out of kernel crash dumps.
#
#   make deps       install what the build and the tests need (Debian's packages; needs root)
#   make            the program (build/rbstats) and the crash extension (build/rbstats.so)
#   make demo       the figures of a real dump that the repository carries
#   make check      all tests; see CONTRIBUTING.md for their parts
#   make install    PREFIX (/usr/local) and DESTDIR are respected; uninstall takes it away again
#
# SAN=1 builds with AddressSanitizer and UndefinedBehaviorSanitizer, in a folder of its own.

VERSION := 0.1.0
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
DOCDIR ?= $(PREFIX)/share/doc/rbstats
# Where crash looks for extensions that are named without a path.
CRASHDIR ?= $(PREFIX)/lib/crash/extensions

CC ?= cc
PKG_CONFIG ?= pkg-config
CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla

# V=1 shows the commands.
Q := $(if $(V),,@)
say = $(if $(V),,@echo '  $(1) $@')

BUILD := build$(if $(SAN),/san)

# libdwarf has a .pc file since 0.4 (Debian 13); Debian 12's 20210528 has an older interface.
DWARF_OLD := $(if $(shell $(PKG_CONFIG) --exists libdwarf && echo y),,y)
PACKAGES := libkdumpfile libaddrxlat libbpf json-c libelf liblzma zlib $(if $(DWARF_OLD),,libdwarf)

ALL_CPPFLAGS := -iquote . -D_GNU_SOURCE -DRBS_VERSION='"$(VERSION)"' \
	$(if $(DWARF_OLD),-DRBS_LIBDWARF_OLD -isystem /usr/include/libdwarf) \
	$(shell $(PKG_CONFIG) --cflags $(PACKAGES)) $(CPPFLAGS)
ALL_CFLAGS := -std=c11 -fPIC -fvisibility=hidden $(WARNINGS) $(CFLAGS) \
	$(if $(SAN),-fsanitize=address$(comma)undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer)
ALL_LDFLAGS := $(LDFLAGS) $(if $(SAN),-fsanitize=address$(comma)undefined)
LIBS := $(shell $(PKG_CONFIG) --libs $(PACKAGES)) $(if $(DWARF_OLD),-ldwarf) -ldl
comma := ,

LIB_SOURCES := $(sort $(wildcard lib/*.c lib/*/*.c lib/*/*/*.c dwarf/*.c))
CLI_SOURCES := $(sort $(wildcard cli/*.c))
EXT_SOURCES := $(sort $(wildcard extensions/*.c))
UNIT_SOURCES := $(sort $(wildcard tests/unit/*.c))
object = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

all: $(BUILD)/rbstats $(if $(wildcard /usr/include/crash/defs.h),$(BUILD)/rbstats.so)

$(BUILD)/librbstats.a: $(call object,$(LIB_SOURCES))
	@rm -f $@
	$(call say,AR  )
	$(Q)$(AR) rcs $@ $^

$(BUILD)/rbstats: $(call object,$(CLI_SOURCES)) $(BUILD)/librbstats.a
	$(call say,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

# crash exports its own symbols: ours must not be mistaken for them.
$(BUILD)/rbstats.so: $(call object,$(EXT_SOURCES)) $(BUILD)/librbstats.a
	$(call say,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -shared -Wl,-Bsymbolic -Wl,--exclude-libs,ALL -o $@ $^ $(LIBS)

$(BUILD)/unit-tests: $(call object,$(UNIT_SOURCES)) $(BUILD)/librbstats.a
	$(call say,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -lcriterion $(LIBS)

# crash's header is not warning-free, and wants the architecture and gdb's version named.
$(BUILD)/obj/extensions/%.o: ALL_CPPFLAGS += -isystem /usr/include/crash -DX86_64 -DGDB_10_2

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

-include $(wildcard $(patsubst %.o,%.d,$(call object,$(LIB_SOURCES) $(CLI_SOURCES) $(EXT_SOURCES) $(UNIT_SOURCES))))

clean:
	rm -rf build

.PHONY: all clean
