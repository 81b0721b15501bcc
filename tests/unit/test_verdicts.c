/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every rule: a result in which it fires, and the same with one figure changed in which it must
 * not. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/probe.h"
#include "lib/verdict.h"

/*
 * A result as lines "path field=value", path being levels below the section joined by '/'; a level
 * is named by its depth: device, channel, ring, slot. '!' before the value: absent, corrupt.
 */
struct scene {
	struct rbs_report *report;
	const struct rbs_family *family;
};

static struct rbs_node *node_make(struct scene *scene, const char *path, enum rbs_level last)
{
	struct rbs_node *at = scene->report->sections[0].node;
	char copy[128];
	char *rest, *name;
	int level = RBS_LEVEL_DEVICE;
	int depth = 1;

	for (const char *c = path; *c; c++)
		depth += *c == '/';
	snprintf(copy, sizeof(copy), "%s", path);
	for (name = strtok_r(copy, "/", &rest); name; name = strtok_r(NULL, "/", &rest)) {
		struct rbs_node *child = (struct rbs_node *)rbs_node_child(at, name);

		/* The last part may skip a level: virtio's slots lie below channels. */
		if (depth == level && (int)last > level)
			level = last;
		if (!child)
			child = rbs_node_add(at, (enum rbs_level)level, "%s", name);
		at = child;
		level++;
	}
	return at;
}

static const struct rbs_desc *desc_find(const struct rbs_family *family, enum rbs_level level,
					const char *name)
{
	for (size_t i = 0; i < family->desc_count; i++) {
		if (family->descs[i].level == level && !strcmp(family->descs[i].name, name))
			return &family->descs[i];
	}
	cr_assert_fail("%s has no field %s at level %d", family->name, name, (int)level);
	return NULL;
}

static void field_put(struct scene *scene, struct rbs_node *node, const char *name,
		      const char *value)
{
	const struct rbs_desc *desc = desc_find(scene->family, node->level, name);
	struct rbs_field *old = (struct rbs_field *)rbs_node_find(node, name);

	if (old) {
		/* A later line changes an earlier one. */
		free(old->text);
		*old = node->fields[--node->field_count];
	}
	if (*value == '!')
		rbs_node_set_absent(node, desc, RBS_CORRUPT);
	else if (desc->format == RBS_FORMAT_TEXT)
		rbs_node_set_text(node, desc, value);
	else
		rbs_node_set_number(node, desc, strtoull(value, NULL, 0));
}

/* "path field=value field=value\n..." */
static void scene_read(struct scene *scene, const char *text)
{
	char copy[2048];
	char *rest, *line;

	snprintf(copy, sizeof(copy), "%s", text);
	for (line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *words, *word = strtok_r(line, " ", &words);
		struct rbs_node *node = node_make(scene, word, RBS_LEVEL_SECTION);

		while ((word = strtok_r(NULL, " ", &words))) {
			char *value = strchr(word, '=');

			*value = '\0';
			field_put(scene, node, word, value + 1);
		}
	}
}

static struct rbs_report *judged(const char *family, const char *text, const char *change)
{
	static const struct rbs_target_info info = {.arch = "x86_64"};
	struct scene scene = {.family = rbs_probe_find(family)->family};

	scene.report = rbs_report_create(&info);
	rbs_report_add_section(scene.report, scene.family);
	scene_read(&scene, text);
	if (change)
		scene_read(&scene, change);
	rbs_verdicts_run(scene.report);
	return scene.report;
}

static const struct rbs_finding *finding_find(const struct rbs_report *report, const char *code)
{
	for (size_t i = 0; i < report->finding_count; i++) {
		if (!strcmp(report->findings[i].code, code))
			return &report->findings[i];
	}
	return NULL;
}

struct rule_case {
	const char *code, *family;
	const char *text;	    /* it fires */
	enum rbs_severity severity; /* and with this */
	const char *subject;
	const char *change; /* with this on top it must not */
};

#define QUEUE                                                                                      \
	"virtio0 type=block\nvirtio0/0 name=req.0 layout=split size=128 num_free=128 "             \
	"avail_idx=70 "                                                                            \
	"used_idx=70 last_used_idx=70 in_flight=0 unreaped=0 num_added=0 avail_flags=0 "           \
	"event_idx=1 avail_event=70 used_event=70 broken=0\n"
#define NET                                                                                        \
	"virtio0 type=net\nvirtio0/4 name=control layout=split size=64 num_free=64 avail_idx=9 "   \
	"used_idx=9 last_used_idx=9 in_flight=0 unreaped=0 broken=0\n"
#define CHANNEL                                                                                    \
	"dev class=network sub_channels_offered=1 sub_channels_opened=1 state=3\n"                 \
	"dev/9 state=opened state_number=3 rescinded=0 target_cpu=1 interrupts=5 queue_sends=0 "   \
	"tx_stopped=0 napi_state=0x10 out_full_first=0 out_full_total=0\n"                         \
	"dev/9/out read_index=0 write_index=0 size=1000 read_avail=0 write_avail=1000 "            \
	"interrupt_mask=0 pending_send_size=0\n"                                                   \
	"dev/9/in read_index=0 write_index=0 size=1000 read_avail=0 write_avail=1000 "             \
	"interrupt_mask=0 pending_send_size=0\n"
#define TRACE                                                                                      \
	"s active=1\ns/0 mode=discard enabled=1 record_disabled=0\n"                               \
	"s/0/cpu0 write_offset=5000 consumed=0 readable=4096 records_lost_full=0 "                 \
	"records_lost_wrap=0 records_lost_big=0 record_disabled=0 active_readers=1\n"
#define USER                                                                                       \
	"p pid=7\np/0 mode=discard\n"                                                              \
	"p/0/cpu0 write_offset=5000 consumed=0 records_lost_full=0 records_lost_wrap=0 "           \
	"records_lost_big=0 pages_differ=0 pages_agreed=14\n"                                      \
	"p/0/cpu0/1 state=uncommitted short=0 committed=4080\n"
#define BUFFER                                                                                     \
	"global current_tracer=nop\nglobal/events overwrite=1\n"                                   \
	"global/events/cpu0 entries=10 overrun=0 commit_overrun=0 dropped_events=0 nr_pages=4 "    \
	"committing=0 written_events=10\n"

#define DOMAINS                                                                                    \
	"d0 dying=no pause_count=0\n"                                                              \
	"d0/vcpu0 state=running state_entry_time=90000000000 time_running=50000000000 "            \
	"time_runnable=100000000 online=1 is_running=1\n"                                          \
	"d1 dying=no pause_count=0\n"                                                              \
	"d1/vcpu0 state=blocked state_entry_time=89000000000 time_running=8000000000 "             \
	"time_runnable=900000000 online=1 is_running=0 processor=1 table_state=ok "                \
	"table_running_time=8000000000 table_seq=110\n"
#define GUEST                                                                                      \
	"guest type=pv\n"                                                                          \
	"guest/vcpu0 state=blocked state_entry_time=89000000000 time_running=8000000000 "          \
	"time_runnable=900000000 steal=900000000 steal_counted=890000000 upcall_pending=0 "        \
	"upcall_mask=0\n"

static const struct rule_case cases[] = {
	{"virtio.broken", "virtio", QUEUE "virtio0/0 broken=1 in_flight=3", RBS_SEVERITY_CRITICAL,
	 "virtio/virtio0/0", "virtio0/0 broken=0"},
	{"virtio.used-behind", "virtio", QUEUE "virtio0/0 last_used_idx=72", RBS_SEVERITY_INFO,
	 "virtio/virtio0/0", "virtio0/0 last_used_idx=68 unreaped=2"},
	{"virtio.lost-interrupt", "virtio",
	 QUEUE "virtio0/0 last_used_idx=0 unreaped=70 used_event=0", RBS_SEVERITY_WARNING,
	 "virtio/virtio0/0", "virtio0/0 avail_flags=1"},
	/* A few are no more than what happens all the time. */
	{"virtio.lost-interrupt", "virtio",
	 QUEUE "virtio0/0 last_used_idx=60 unreaped=10 used_event=60", RBS_SEVERITY_INFO,
	 "virtio/virtio0/0", "virtio0/0 used_event=75"},
	{"virtio.kick-suppressed", "virtio", QUEUE "virtio0/0 avail_idx=75 in_flight=5",
	 RBS_SEVERITY_INFO, "virtio/virtio0/0", "virtio0/0 avail_event=75"},
	{"virtio.control-unanswered", "virtio", NET "virtio0/4 avail_idx=10 in_flight=1",
	 RBS_SEVERITY_WARNING, "virtio/virtio0/4", "virtio0/4 used_idx=10 in_flight=0 unreaped=1"},
	{"virtio.stats-endless", "virtio",
	 "virtio0 type=net control_state=completed control_ack=0 device_stats_endless_at=256 "
	 "control_waiter=ethtool control_waiter_pid=181 control_waiter_cpu=1 "
	 "control_waiter_running=1\n",
	 RBS_SEVERITY_CRITICAL, "virtio/virtio0", "virtio0 device_stats_endless_at=!"},
	/* Nobody seen in the loop: the driver may yet come to it. */
	{"virtio.stats-endless", "virtio",
	 "virtio0 type=net control_state=returned control_ack=0 device_stats_endless_at=0\n",
	 RBS_SEVERITY_WARNING, "virtio/virtio0", "virtio0 control_ack=255"},
	{"virtio.ring-full", "virtio", QUEUE "virtio0/0 num_free=0 in_flight=128 avail_idx=198",
	 RBS_SEVERITY_WARNING, "virtio/virtio0/0", "virtio0/0 num_free=1"},
	/* A receive queue is full when it is at rest. */
	{"virtio.ring-full", "virtio", QUEUE "virtio0/0 num_free=0 in_flight=128 avail_idx=198",
	 RBS_SEVERITY_WARNING, "virtio/virtio0/0", "virtio0/0 name=input.0"},
	{"virtio.in-flight", "virtio", QUEUE "virtio0/0 avail_idx=75 in_flight=5",
	 RBS_SEVERITY_INFO, "virtio/virtio0/0", "virtio0/0 in_flight=0"},
	{"virtio.stopped-empty", "virtio",
	 NET "virtio0/1 name=output.0 layout=split size=64 num_free=64 in_flight=0 stop=2 wake=1",
	 RBS_SEVERITY_WARNING, "virtio/virtio0/1", "virtio0/1 wake=2"},
	{"vmbus.index-outside", "vmbus", CHANNEL "dev/9/in write_index=4000 read_avail=!",
	 RBS_SEVERITY_CRITICAL, "vmbus/dev/9/in", "dev/9/in write_index=40 read_avail=40"},
	{"vmbus.ring-full", "vmbus",
	 CHANNEL "dev/9/out read_avail=960 write_avail=40 pending_send_size=80",
	 RBS_SEVERITY_CRITICAL, "vmbus/dev/9/out", "dev/9/out write_avail=400 read_avail=600"},
	{"vmbus.host-not-draining", "vmbus",
	 CHANNEL "dev/9 queue_sends=2\ndev/9/out read_avail=100 write_avail=900",
	 RBS_SEVERITY_WARNING, "vmbus/dev/9/out", "dev/9/in read_avail=24"},
	{"vmbus.host-not-draining", "vmbus",
	 CHANNEL "dev/9 queue_sends=2 tx_stopped=1\ndev/9/out read_avail=100 write_avail=900",
	 RBS_SEVERITY_CRITICAL, "vmbus/dev/9/out", "dev/9 rescinded=1"},
	{"vmbus.receive-starved", "vmbus",
	 CHANNEL "dev/9 napi_state=0x11\n"
		 "dev/9/in read_avail=990 write_avail=10 pending_send_size=80 interrupt_mask=1",
	 RBS_SEVERITY_WARNING, "vmbus/dev/9/in", "dev/9/in pending_send_size=0"},
	{"vmbus.receive-stalled", "vmbus", CHANNEL "dev/9/in read_avail=200 interrupt_mask=1",
	 RBS_SEVERITY_CRITICAL, "vmbus/dev/9/in", "dev/9 napi_state=0x11"},
	{"vmbus.lost-first-interrupt", "vmbus",
	 CHANNEL "dev/9 interrupts=0\ndev/9/in read_avail=72", RBS_SEVERITY_WARNING,
	 "vmbus/dev/9/in", "dev/9 interrupts=1"},
	{"vmbus.sub-channels-missing", "vmbus", CHANNEL "dev sub_channels_offered=3",
	 RBS_SEVERITY_WARNING, "vmbus/dev", "dev sub_channels_opened=3"},
	{"vmbus.rescinded-open", "vmbus", CHANNEL "dev/9 rescinded=1", RBS_SEVERITY_WARNING,
	 "vmbus/dev/9", "dev/9 state=closed"},
	{"vmbus.closing-with-data", "vmbus", CHANNEL "dev/9 state=closed\ndev/9/in read_avail=8",
	 RBS_SEVERITY_WARNING, "vmbus/dev/9/in", "dev/9 state=opened"},
	{"vmbus.was-full", "vmbus", CHANNEL "dev/9 out_full_first=2 out_full_total=7",
	 RBS_SEVERITY_INFO, "vmbus/dev/9", "dev/9 out_full_first=0"},
	{"vmbus.never-opened", "vmbus", "dev class=keyboard state=2\ndev/9 state=closed",
	 RBS_SEVERITY_INFO, "vmbus/dev", "dev/9 state=opened"},
	{"lttng.records-lost", "lttng", TRACE "s/0/cpu0 records_lost_big=1", RBS_SEVERITY_WARNING,
	 "lttng/s/0/cpu0", "s/0/cpu0 records_lost_big=0"},
	{"lttng.uncommitted", "lttng", TRACE "s/0/cpu0/1 state=uncommitted short=16 committed=4080",
	 RBS_SEVERITY_WARNING, "lttng/s/0/cpu0/1", "s/0/cpu0/1 short=0"},
	{"lttng.uncommitted", "lttng", TRACE "s/0/cpu0/1 state=writing short=16 committed=100",
	 RBS_SEVERITY_INFO, "lttng/s/0/cpu0/1", "s/0/cpu0/1 short=!"},
	{"lttng.channel-frozen", "lttng", TRACE "s/0 record_disabled=1", RBS_SEVERITY_WARNING,
	 "lttng/s/0", "s active=0"},
	{"lttng.buffer-frozen", "lttng", TRACE "s/0/cpu0 record_disabled=1", RBS_SEVERITY_WARNING,
	 "lttng/s/0/cpu0", "s active=0"},
	{"lttng.consumer-dead", "lttng", TRACE "s/0/cpu0 active_readers=0", RBS_SEVERITY_WARNING,
	 "lttng/s/0/cpu0", "s/0/cpu0 readable=0"},
	{"lttng.overwritten", "lttng", TRACE "s/0 mode=overwrite\ns/0/cpu0 passed=4096",
	 RBS_SEVERITY_INFO, "lttng/s/0/cpu0", "s/0/cpu0 passed=0"},
	{"lttng-ust.records-lost", "lttng-ust", USER "p/0/cpu0 records_lost_full=1",
	 RBS_SEVERITY_WARNING, "lttng-ust/p/0/cpu0", "p/0/cpu0 records_lost_wrap=!"},
	{"lttng-ust.uncommitted", "lttng-ust", USER "p/0/cpu0/1 short=16", RBS_SEVERITY_WARNING,
	 "lttng-ust/p/0/cpu0/1", "p/0/cpu0/1 short=0"},
	{"lttng-ust.pages-differ", "lttng-ust", USER "p/0/cpu0 pages_differ=1",
	 RBS_SEVERITY_WARNING, "lttng-ust/p/0/cpu0", "p/0/cpu0 pages_differ=0"},
	{"ftrace.overrun", "ftrace", BUFFER "global/events/cpu0 overrun=3", RBS_SEVERITY_INFO,
	 "ftrace/global/events/cpu0", "global/events/cpu0 overrun=0"},
	{"ftrace.commit-overrun", "ftrace", BUFFER "global/events/cpu0 commit_overrun=3",
	 RBS_SEVERITY_WARNING, "ftrace/global/events/cpu0", "global/events/cpu0 commit_overrun=0"},
	{"ftrace.dropped", "ftrace", BUFFER "global/events/cpu0 dropped_events=3",
	 RBS_SEVERITY_WARNING, "ftrace/global/events/cpu0", "global/events/cpu0 dropped_events=0"},
	{"ftrace.mid-write", "ftrace", BUFFER "global/events/cpu0 committing=1", RBS_SEVERITY_INFO,
	 "ftrace/global/events/cpu0", "global/events/cpu0 committing=0"},
	{"xen.starved", "xen", DOMAINS "d1/vcpu0 time_running=200000000 time_runnable=1200000000",
	 RBS_SEVERITY_WARNING, "xen/d1/vcpu0", "d1/vcpu0 time_running=400000000"},
	/* A wait that lasts is not in the times yet: 9 s of it. */
	{"xen.starved", "xen",
	 DOMAINS "d1/vcpu0 state=runnable state_entry_time=81000000000 "
		 "time_running=2400000000",
	 RBS_SEVERITY_WARNING, "xen/d1/vcpu0", "d1/vcpu0 state=blocked"},
	{"xen.waiting", "xen", DOMAINS "d1/vcpu0 state=runnable", RBS_SEVERITY_WARNING,
	 "xen/d1/vcpu0", "d1/vcpu0 state_entry_time=89000000001"},
	{"xen.offline", "xen", DOMAINS "d1/vcpu0 state=offline", RBS_SEVERITY_INFO, "xen/d1/vcpu0",
	 "d1/vcpu0 online=0"},
	{"xen.blocked", "xen", DOMAINS "d1/vcpu0 state_entry_time=30000000000", RBS_SEVERITY_INFO,
	 "xen/d1/vcpu0", "d1/vcpu0 state_entry_time=30000000001"},
	{"xen.table-torn", "xen", DOMAINS "d1/vcpu0 table_state=torn table_seq=111",
	 RBS_SEVERITY_WARNING, "xen/d1/vcpu0", "d1/vcpu0 table_state=ok"},
	{"xen.table-torn", "xen", DOMAINS "d1/vcpu0 table_state=torn table_seq=111 is_running=1",
	 RBS_SEVERITY_INFO, "xen/d1/vcpu0", "d1/vcpu0 table_state=inactive"},
	{"xen.table-disagrees", "xen", DOMAINS "d1/vcpu0 table_running_time=7999999999",
	 RBS_SEVERITY_WARNING, "xen/d1/vcpu0", "d1/vcpu0 is_running=1"},
	{"xen-guest.starved", "xen-guest", GUEST "guest/vcpu0 time_runnable=33000000000",
	 RBS_SEVERITY_WARNING, "xen-guest/guest/vcpu0", "guest/vcpu0 time_runnable=31000000000"},
	{"xen-guest.steal-backwards", "xen-guest", GUEST "guest/vcpu0 steal_counted=900000001",
	 RBS_SEVERITY_WARNING, "xen-guest/guest/vcpu0", "guest/vcpu0 steal=!"},
	{"xen-guest.event-waits", "xen-guest", GUEST "guest/vcpu0 upcall_pending=1",
	 RBS_SEVERITY_INFO, "xen-guest/guest/vcpu0", "guest/vcpu0 state=running"},
};

#define CASE_COUNT (sizeof(cases) / sizeof(cases[0]))

Test(verdicts, each_rule_fires)
{
	for (size_t i = 0; i < CASE_COUNT; i++) {
		struct rbs_report *report = judged(cases[i].family, cases[i].text, NULL);
		const struct rbs_finding *finding = finding_find(report, cases[i].code);

		cr_assert(finding, "%s (case %zu) does not fire", cases[i].code, i);
		cr_expect_eq(finding->severity, cases[i].severity, "%s (case %zu)", cases[i].code,
			     i);
		cr_expect_str_eq(finding->subject, cases[i].subject);
		cr_expect(*finding->summary);
		cr_expect_geq(finding->evidence_count, 1, "%s names no evidence", cases[i].code);
		/* No rule above info rests on one number alone. */
		if (finding->severity > RBS_SEVERITY_INFO)
			cr_expect_geq(finding->evidence_count, 2, "%s", cases[i].code);
		rbs_report_destroy(report);
	}
}

Test(verdicts, each_rule_keeps_quiet)
{
	for (size_t i = 0; i < CASE_COUNT; i++) {
		struct rbs_report *report = judged(cases[i].family, cases[i].text, cases[i].change);

		cr_expect_null(finding_find(report, cases[i].code), "%s (case %zu) fires",
			       cases[i].code, i);
		rbs_report_destroy(report);
	}
}

Test(verdicts, every_rule_has_a_case)
{
	size_t count;
	const struct rbs_rule_table *tables = rbs_rule_tables(&count);

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < tables[i].count; k++) {
			bool found = false;

			cr_assert(tables[i].rules[k].code);
			for (size_t n = 0; n < CASE_COUNT && !found; n++)
				found = !strcmp(cases[n].code, tables[i].rules[k].code);
			cr_expect(found, "%s has no case", tables[i].rules[k].code);
		}
	}
}

Test(verdicts, machines_at_rest_have_none)
{
	static const struct {
		const char *family, *text;
	} scenes[] = {{"virtio", QUEUE}, {"virtio", NET},     {"vmbus", CHANNEL},
		      {"lttng", TRACE},	 {"lttng-ust", USER}, {"ftrace", BUFFER},
		      {"xen", DOMAINS},	 {"xen-guest", GUEST}};

	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		struct rbs_report *report = judged(scenes[i].family, scenes[i].text, NULL);

		cr_expect_eq(report->finding_count, 0, "%s: %s", scenes[i].family,
			     report->finding_count ? report->findings[0].code : "");
		rbs_report_destroy(report);
	}
}

Test(verdicts, the_worst_come_first)
{
	struct rbs_report *report = judged("virtio",
					   QUEUE "virtio0/0 in_flight=4\n"
						 "virtio0/1 name=req.1 broken=1 in_flight=2 "
						 "unreaped=0",
					   NULL);

	cr_assert_geq(report->finding_count, 2);
	cr_expect_str_eq(report->findings[0].code, "virtio.broken");
	for (size_t i = 1; i < report->finding_count; i++)
		cr_expect_leq(report->findings[i].severity, report->findings[i - 1].severity);
	rbs_report_destroy(report);
}

Test(verdicts, rules_are_found_by_code)
{
	cr_expect_str_eq(rbs_rule_find("vmbus.ring-full")->family, "vmbus");
	cr_expect_null(rbs_rule_find("vmbus.no-such-rule"));
}
