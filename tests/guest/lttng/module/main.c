// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * /proc/rbstats-lttng takes one command per write:
 *
 *	SESSION CHANNEL CPU ACTION [COUNT [SIZE]]	see fault.c
 *	hold						see hold.c
 *
 * and text that begins with '[': sections of truth that user space knows, kept
 * to be sent with the rest. Reading it gives all that was kept so far.
 */
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "rbstats-lttng.h"

#define LOG_SIZE	(512 << 10)
#define WRITE_MAX	(64 << 10)

struct list_head *guest_sessions;
struct list_head *guest_groups;

static struct guest_text guest_log;
static DEFINE_MUTEX(guest_lock);
static struct proc_dir_entry *guest_proc;

void guest_say(struct guest_text *text, const char *format, ...)
{
	size_t room = text->size - text->length;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text->data + text->length, room, format, args);
	va_end(args);
	if (length < room)
		text->length += length;
	else
		text->full = true;
}

guest_channel *guest_find_channel(const char *session, unsigned int id)
{
	guest_session *s;
	guest_channel *c;

	guest_for_each_session(s) {
		if (strcmp(s->name, session))
			continue;
		guest_for_each_channel(c, s)
			if (c->id == id)
				return c;
	}
	return NULL;
}

static int guest_command(char *line)
{
	unsigned long count = 1, size = 0;
	char session[64], action[32];
	unsigned int channel;
	int cpu, got;

	if (!strcmp(line, "hold"))
		return guest_hold(&guest_log);
	got = sscanf(line, "%63s %u %d %31s %lu %lu", session, &channel, &cpu,
		     action, &count, &size);
	if (got < 4)
		return -EINVAL;
	return guest_fault(&guest_log, session, channel, cpu, action, count,
			   size);
}

static ssize_t guest_write(struct file *file, const char __user *from,
			   size_t length, loff_t *at)
{
	ssize_t ret = length;
	char *line;

	if (!length || length > WRITE_MAX)
		return -EINVAL;
	line = memdup_user_nul(from, length);
	if (IS_ERR(line))
		return PTR_ERR(line);
	mutex_lock(&guest_lock);
	if (line[0] == '[')
		guest_say(&guest_log, "%s", line);
	else
		ret = guest_command(strim(line));
	if (!ret)
		ret = length;
	mutex_unlock(&guest_lock);
	kfree(line);
	return ret;
}

static ssize_t guest_read(struct file *file, char __user *to, size_t length,
			  loff_t *at)
{
	return simple_read_from_buffer(to, length, at, guest_log.data,
				       guest_log.length);
}

static const struct proc_ops guest_ops = {
	.proc_read = guest_read,
	.proc_write = guest_write,
	.proc_lseek = default_llseek,
};

/* kallsyms_lookup_name() has not been exported since 5.7; a kprobe finds it. */
static unsigned long guest_symbol(const char *name)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	unsigned long (*lookup)(const char *name);

	if (register_kprobe(&probe))
		return 0;
	lookup = (void *)probe.addr;
	unregister_kprobe(&probe);
	return lookup(name);
}

static int __init guest_init(void)
{
	guest_sessions = (void *)guest_symbol("lttng_tracer:sessions");
	if (!guest_sessions) {
		pr_err("rbstats-lttng: no list of sessions in lttng_tracer\n");
		return -ENOENT;
	}
#ifdef GUEST_NOTIFIERS
	guest_groups = (void *)guest_symbol("lttng_tracer:event_notifier_groups");
	if (!guest_groups) {
		pr_err("rbstats-lttng: no event notifier groups in lttng_tracer\n");
		return -ENOENT;
	}
#endif
	guest_log.size = LOG_SIZE;
	guest_log.data = vzalloc(guest_log.size);
	if (!guest_log.data)
		return -ENOMEM;
	guest_proc = proc_create("rbstats-lttng", 0600, NULL, &guest_ops);
	if (!guest_proc) {
		vfree(guest_log.data);
		return -ENOMEM;
	}
	return 0;
}

static void __exit guest_exit(void)
{
	proc_remove(guest_proc);
	vfree(guest_log.data);
}

module_init(guest_init);
module_exit(guest_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("rbstats test guest: LTTng buffers in rare states");
