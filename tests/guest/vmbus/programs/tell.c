// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Prints /sys/bus/vmbus/devices in the form that toolkit/truth.py reads:
 *
 *   [sysfs/GUID/attrs]           the device's attributes
 *   [sysfs/GUID/links]           driver, net (interface) and scsi_host, if any
 *   [sysfs/GUID/channels/RELID]  one channel's attributes
 *
 * A value of several lines is joined by commas. An attribute that can't be
 * read shows as "!" and the error's number.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEVICES "/sys/bus/vmbus/devices"
#define VALUE_BYTES 4096

static void print_value(const char *name, char *value, ssize_t length)
{
	ssize_t i;

	while (length && value[length - 1] == '\n')
		length--;
	for (i = 0; i < length; i++)
		if (value[i] == '\n')
			value[i] = ',';
	printf("%s=%.*s\n", name, (int)length, value);
}

/* Regular, readable files of the current folder, in name order. */
static void print_attributes(void)
{
	struct dirent **entries;
	int i, count = scandir(".", &entries, NULL, alphasort);

	for (i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		char value[VALUE_BYTES];
		struct stat status;
		ssize_t length = -1;
		int file;

		if (lstat(name, &status) || !S_ISREG(status.st_mode) ||
		    !(status.st_mode & 0444))
			continue;
		file = open(name, O_RDONLY);
		if (file >= 0)
			length = read(file, value, sizeof(value));
		if (length >= 0)
			print_value(name, value, length);
		else
			printf("%s=!%d\n", name, errno);
		if (file >= 0)
			close(file);
	}
}

/* Entries of a folder whose name starts with prefix, as label=name. */
static void print_entries(const char *folder, const char *prefix,
			  const char *label)
{
	DIR *stream = opendir(folder);
	struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		if (entry->d_name[0] != '.' &&
		    !strncmp(entry->d_name, prefix, strlen(prefix)))
			printf("%s=%s\n", label, entry->d_name);
	if (stream)
		closedir(stream);
}

static void print_links(void)
{
	char target[VALUE_BYTES];
	ssize_t length = readlink("driver", target, sizeof(target) - 1);

	if (length > 0) {
		target[length] = '\0';
		printf("driver=%s\n", strrchr(target, '/') + 1);
	}
	print_entries("net", "", "net");
	print_entries(".", "host", "scsi_host");
}

static int enter(const char *folder)
{
	if (chdir(folder) == 0)
		return 0;
	perror(folder);
	return -1;
}

static void print_channels(const char *device)
{
	struct dirent **entries;
	int i, count = scandir(".", &entries, NULL, alphasort);

	for (i = 0; i < count; i++) {
		if (entries[i]->d_name[0] == '.' || enter(entries[i]->d_name))
			continue;
		printf("[sysfs/%s/channels/%s]\n", device, entries[i]->d_name);
		print_attributes();
		enter("..");
	}
}

static void print_device(const char *name)
{
	/* Entries of the bus's folder are links: enter each from the top. */
	if (enter(DEVICES) || enter(name))
		return;
	printf("[sysfs/%s/attrs]\n", name);
	print_attributes();
	printf("[sysfs/%s/links]\n", name);
	print_links();
	if (enter("channels") == 0)
		print_channels(name);
}

int main(void)
{
	struct dirent **entries;
	int i, told = 0, count = scandir(DEVICES, &entries, NULL, alphasort);

	for (i = 0; i < count; i++) {
		if (entries[i]->d_name[0] == '.')
			continue;
		print_device(entries[i]->d_name);
		told++;
	}
	return told ? 0 : 1;
}
