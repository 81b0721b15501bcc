/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/freebsd_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/freebsd_files.h"
#include "lib/layout.h"
#include "lib/target/freebsd.h"

#define VERSION_START "FreeBSD "
#define PANIC_START "panic: "

/* "FreeBSD 12.1-RELEASE-p10 r354233 GENERIC": the second word is what uname -r prints. */
static void version_take(struct rbs_target_info *info, const char *version)
{
	size_t length = strcspn(version, "\n");

	if (strncmp(version, VERSION_START, strlen(VERSION_START)))
		return;
	snprintf(info->version, sizeof(info->version), "%.*s", (int)length, version);
	snprintf(info->release, sizeof(info->release), "%.*s",
		 (int)strcspn(version + strlen(VERSION_START), " \n"),
		 version + strlen(VERSION_START));
}

static void panic_take(struct rbs_target_info *info, const char *panic)
{
	if (*panic)
		snprintf(info->panic, sizeof(info->panic), "%.*s", (int)strcspn(panic, "\n"),
			 panic);
}

/* The last line that starts so. */
static const char *line_find(const char *text, const char *start)
{
	const char *found = NULL;

	for (const char *line = text; line && *line;) {
		if (!strncmp(line, start, strlen(start)))
			found = line;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return found;
}

static void messages_take(struct rbs_target *target)
{
	char *text = rbs_freebsd_messages(target);
	const char *version = text ? line_find(text, VERSION_START) : NULL;
	const char *panic = text ? line_find(text, PANIC_START) : NULL;

	if (version && !*target->info.version)
		version_take(&target->info, version);
	/* The buffer outlives a reboot: a panic before the last start is another one. */
	if (panic && !*target->info.panic && (!version || version < panic))
		panic_take(&target->info, panic + strlen(PANIC_START));
	free(text);
}

void rbs_freebsd_facts_early(struct rbs_target *target, const char *core)
{
	const struct rbs_freebsd_header *device = rbs_freebsd_header_get(target);
	struct rbs_freebsd_header info;

	rbs_freebsd_info_read(core, &info);
	version_take(&target->info, *device->version ? device->version : info.version);
	panic_take(&target->info, *device->panic ? device->panic : info.panic);
	messages_take(target);
}

/* The seconds of a struct bintime or timeval, which start with a time_t. */
static void boot_time_take(struct rbs_dump *dump, uint64_t address)
{
	struct rbs_target_info *info = &dump->target->info;
	uint64_t seconds;

	/* time_t has 32 bits on i386. What is no date of this millennium was not set. */
	if (rbs_target_read_uint(dump->target, address, info->word_size, &seconds, NULL) !=
		    RBS_OK ||
	    seconds < 946684800 || seconds >= 32503680000)
		return;
	info->has_boot_time = true;
	info->boot_time = (int64_t)seconds;
}

/*
 * sys/kern/kern_tc.c: a member of the current timehands in newer kernels (getboottimebin()), a
 * variable before.
 */
static void boot_time_read(struct rbs_dump *dump)
{
	static const char *const variables[] = {"boottimebin", "boottime"};
	struct rbs_member member;
	uint64_t address, hands;

	if (rbs_symbols_find(&dump->symbols, NULL, "timehands", &address, NULL) == RBS_OK &&
	    rbs_types_find_member(&dump->types, NULL, "timehands", "th_boottime", &member, NULL,
				  NULL) == RBS_OK &&
	    rbs_target_read_pointer(dump->target, address, &hands, NULL) == RBS_OK)
		boot_time_take(dump, hands + member.offset);
	for (size_t i = 0; i < 2 && !dump->target->info.has_boot_time; i++) {
		if (rbs_symbols_find(&dump->symbols, NULL, variables[i], &address, NULL) == RBS_OK)
			boot_time_take(dump, address);
	}
}

/*
 * sys/kern/kern_shutdown.c: a pointer, NULL while there was no panic. Then there was none, whatever
 * else said so: a dump can be asked for.
 */
static void panic_read(struct rbs_dump *dump)
{
	struct rbs_target_info *info = &dump->target->info;
	char text[sizeof(info->panic)];
	uint64_t address;

	if (rbs_symbols_find(&dump->symbols, NULL, "panicstr", &address, NULL) != RBS_OK ||
	    rbs_target_read_pointer(dump->target, address, &address, NULL) != RBS_OK)
		return;
	if (!address)
		info->panic[0] = '\0';
	else if (rbs_target_read_string(dump->target, address, text, sizeof(text), NULL) == RBS_OK)
		panic_take(info, text);
}

void rbs_freebsd_facts_read(struct rbs_dump *dump)
{
	char text[sizeof(dump->target->info.version)];
	uint64_t address;

	if (rbs_symbols_find(&dump->symbols, NULL, "version", &address, NULL) == RBS_OK &&
	    rbs_target_read_string(dump->target, address, text, sizeof(text), NULL) == RBS_OK)
		version_take(&dump->target->info, text);
	panic_read(dump);
	boot_time_read(dump);
}
