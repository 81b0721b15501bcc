// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The moment of the dump. Between the last figure that a guest prints and
 * the dump, a running kernel goes on tracing; so all CPUs are stopped, the
 * figures go out on the console's serial port by polling, and nothing runs
 * until the host has its dump and says so with a line.
 */
#include <linux/io.h>
#include <linux/nmi.h>
#include <linux/stop_machine.h>
#include <linux/vmalloc.h>

#include "rbstats-lttng.h"

#define TEXT_SIZE	(4 << 20)

/* 16550 at COM1. */
#define PORT		0x3f8
#define LINE_STATUS	(PORT + 5)
#define RX_READY	0x01
#define TX_READY	0x20

static void send(const char *text, size_t length)
{
	while (length--) {
		while (!(inb(LINE_STATUS) & TX_READY))
			cpu_relax();
		outb(*text++, PORT);
	}
}

static void say(const char *text)
{
	send(text, strlen(text));
}

static void wait_for_line(void)
{
	do {
		while (!(inb(LINE_STATUS) & RX_READY)) {
			touch_nmi_watchdog();
			cpu_relax();
		}
	} while (inb(PORT) != '\n');
}

static void disable_channels(void)
{
	guest_session *session;
	guest_channel *chan;
#ifdef GUEST_NOTIFIERS
	guest_group *group;

	guest_for_each_group(group)
		atomic_inc(&group->chan->record_disabled);
#endif
	guest_for_each_session(session)
		guest_for_each_channel(chan, session)
			atomic_inc(&guest_channel_rb(chan)->record_disabled);
}

static int hold(void *data)
{
	struct guest_text *text = data;

	guest_truth(text);
	/* A newline first: user space may have left half a line. */
	say("\nTRUTH-BEGIN\n");
	send(text->data, text->length);
	/* A block without its end is refused by the reader. */
	say(text->full ? "TRUTH-TOO-LONG\n" : "TRUTH-END\nHELD\n");
	wait_for_line();
	disable_channels();
	return 0;
}

int guest_hold(struct guest_text *log)
{
	struct guest_text text = { .size = TEXT_SIZE };
	int ret;

	text.data = vzalloc(text.size);
	if (!text.data)
		return -ENOMEM;
	text.full = log->full;
	guest_say(&text, "%.*s", (int)log->length, log->data);
	ret = stop_machine(hold, &text, NULL);
	vfree(text.data);
	return ret;
}
