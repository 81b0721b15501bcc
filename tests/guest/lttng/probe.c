// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What the guest's scripts can't do by themselves; linked statically.
 *
 *	probe streams PID...	positions of the LTTng streams that processes hold
 *	probe mark FILE COUNT	write COUNT numbered lines into a trace_marker
 *	probe map FILE		map a trace_pipe_raw as a reader and stay
 *	probe notify NAME OTHER	make a group of event notifiers that nobody reads: for
 *			events NAME, and for OTHER, which is disabled; and stay
 *	probe driver		what LTTng's ring buffer said in the kernel's log
 *
 * Everything printed is for a truth block: sections and key=value lines.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From ringbuffer/vfs.h and lttng/abi.h of lttng-modules. */
#define GET_CONSUMED		_IOR(0xF6, 0x01, unsigned long)
#define GET_PRODUCED		_IOR(0xF6, 0x02, unsigned long)
#define GET_MAX_SUBBUF_SIZE	_IOR(0xF6, 0x09, unsigned long)
#define SAMPLE_POSITIONS	_IO(0xF6, 0x0E)
#define GET_STREAM_ID		_IOR(0xF6, 0x25, uint64_t)
#define INSTANCE_ID		_IOR(0xF6, 0x28, uint64_t)

/* Of a tracepoint; the rest is for other kinds of events. */
struct notifier {
	char name[256];
	uint32_t instrumentation;
	uint64_t token;
	char other[8 + 256 + 32];
	uint64_t error_counter_index;
	char padding[32];
} __attribute__((packed));

#define NOTIFIER_GROUP_CREATE	_IO(0xF6, 0x4C)
#define NOTIFIER_CREATE		_IOW(0xF6, 0xB0, struct notifier)
#define ENABLE			_IO(0xF6, 0x82)
#define DISABLE			_IO(0xF6, 0x83)

static void print_stream(int number, int fd, const char *target)
{
	unsigned long consumed = 0, produced = 0, size = 0;
	uint64_t stream = 0, instance = 0;

	printf("[streams/%d]\ntarget=%s\n", number, target);
	/* A channel that froze itself answers EIO to everything. */
	if (ioctl(fd, SAMPLE_POSITIONS) < 0 ||
	    ioctl(fd, GET_CONSUMED, &consumed) < 0 ||
	    ioctl(fd, GET_PRODUCED, &produced) < 0 ||
	    ioctl(fd, GET_MAX_SUBBUF_SIZE, &size) < 0) {
		printf("error=%s\n", strerror(errno));
		return;
	}
	printf("consumed=%lu\nproduced=%lu\nsubbuf_size=%lu\n", consumed,
	       produced, size);
	if (ioctl(fd, GET_STREAM_ID, &stream) == 0)
		printf("channel=%lu\n", (unsigned long)stream);
	if (ioctl(fd, INSTANCE_ID, &instance) == 0)
		printf("cpu=%ld\n", (long)instance);
}

static int streams(const char *pid, int *number)
{
	int process = syscall(SYS_pidfd_open, atoi(pid), 0), fd;
	char path[64], target[256], link[sizeof(path) + 256];
	struct dirent *entry;
	ssize_t length;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	folder = opendir(path);
	if (process < 0 || !folder) {
		perror(path);
		return 1;
	}
	while ((entry = readdir(folder))) {
		snprintf(link, sizeof(link), "%s/%s", path, entry->d_name);
		length = readlink(link, target, sizeof(target) - 1);
		if (length < 0)
			continue;
		target[length] = '\0';
		if (!strstr(target, "lttng") || !strstr(target, "stream"))
			continue;
		fd = syscall(SYS_pidfd_getfd, process, atoi(entry->d_name), 0);
		if (fd < 0) {
			perror(link);
			return 1;
		}
		print_stream((*number)++, fd, target);
		close(fd);
	}
	closedir(folder);
	return 0;
}

static int mark(const char *path, int count)
{
	int fd = open(path, O_WRONLY);
	char line[32];
	int i, length;

	for (i = 0; fd >= 0 && i < count; i++) {
		length = snprintf(line, sizeof(line), "mark %d\n", i);
		if (write(fd, line, length) != length)
			break;
	}
	if (fd < 0 || i < count) {
		perror(path);
		return 1;
	}
	return 0;
}

static int map(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK);
	void *meta;

	if (fd < 0) {
		perror(path);
		return 1;
	}
	meta = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	if (meta == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	printf("mapped\n");
	fflush(stdout);
	for (;;)
		pause();
}

/* The notifier's file, enabled, or -1. */
static int notifier(int group, const char *event, uint64_t token)
{
	struct notifier param = { .token = token };
	int fd;

	snprintf(param.name, sizeof(param.name), "%s", event);
	fd = ioctl(group, NOTIFIER_CREATE, &param);
	if (fd < 0 || ioctl(fd, ENABLE) < 0) {
		perror(event);
		return -1;
	}
	return fd;
}

static int notify(const char *event, const char *disabled)
{
	int tracer = open("/proc/lttng", O_RDWR), group, other;

	group = tracer < 0 ? -1 : ioctl(tracer, NOTIFIER_GROUP_CREATE);
	if (group < 0) {
		perror("/proc/lttng");
		return 1;
	}
	other = notifier(group, disabled, 2);
	if (other < 0 || ioctl(other, DISABLE) < 0 ||
	    notifier(group, event, 0x1234567890) < 0)
		return 1;
	printf("notifying\n");
	fflush(stdout);
	for (;;)
		pause();
}

/* One record of /dev/kmsg is "LEVEL,SEQ,TIME,FLAGS;TEXT\n KEY=VALUE...". */
static int driver(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	char record[8192], *text, *end;
	int number = 0;
	ssize_t length;

	if (fd < 0) {
		perror("/dev/kmsg");
		return 1;
	}
	for (;;) {
		length = read(fd, record, sizeof(record) - 1);
		if (length < 0 && errno == EPIPE)
			continue;
		if (length <= 0)
			break;
		record[length] = '\0';
		text = strchr(record, ';');
		/* The prefix is there since lttng-modules 2.13. */
		if (!text || (strncmp(++text, "LTTng: ring buffer", 18) &&
			      strncmp(text, "ring buffer", 11)))
			continue;
		end = strchr(text, '\n');
		if (end)
			*end = '\0';
		printf("%04d=%d|%s\n", number++, atoi(record) & 7, text);
	}
	return 0;
}

static int all_streams(char **pids)
{
	int number = 0, result = 0;

	for (; *pids; pids++)
		result |= streams(*pids, &number);
	if (!number)
		fprintf(stderr, "no stream in these processes\n");
	return number ? result : 1;
}

int main(int argc, char **argv)
{
	if (argc >= 3 && !strcmp(argv[1], "streams"))
		return all_streams(argv + 2);
	if (argc == 4 && !strcmp(argv[1], "mark"))
		return mark(argv[2], atoi(argv[3]));
	if (argc == 3 && !strcmp(argv[1], "map"))
		return map(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "notify"))
		return notify(argv[2], argv[3]);
	if (argc == 2 && !strcmp(argv[1], "driver"))
		return driver();
	fprintf(stderr, "usage: probe streams PID... | mark FILE COUNT | map FILE | "
			"notify NAME OTHER | driver\n");
	return 2;
}
