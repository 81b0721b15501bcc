/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/render/ring_svg.h"

#include <math.h>
#include <string.h>

#include "lib/render/escape.h"

#define CENTRE 40.0
#define RADIUS 28.0
#define SEGMENT_LIMIT 256 /* sub-buffers drawn apart */

/* A place on the circle; 0 is at the top, clockwise, 1 a whole turn. */
static void point(double turn, double radius, double *x, double *y)
{
	double angle = turn * 2 * M_PI;

	*x = CENTRE + radius * sin(angle);
	*y = CENTRE - radius * cos(angle);
}

static void arc(FILE *out, double from, double to, const char *class)
{
	double x1, y1, x2, y2;

	if (to - from >= 0.9999) {
		fprintf(out, "<circle cx='%.0f' cy='%.0f' r='%.0f' class='%s'/>", CENTRE, CENTRE,
			RADIUS, class);
		return;
	}
	point(from, RADIUS, &x1, &y1);
	point(to, RADIUS, &x2, &y2);
	fprintf(out, "<path d='M%.2f %.2fA%.0f %.0f 0 %d 1 %.2f %.2f' class='%s'/>", x1, y1, RADIUS,
		RADIUS, to - from > 0.5, x2, y2, class);
}

static void mark(FILE *out, double turn, const char *class)
{
	double x1, y1, x2, y2;

	point(turn, RADIUS - 8, &x1, &y1);
	point(turn, RADIUS + 8, &x2, &y2);
	fprintf(out, "<line x1='%.2f' y1='%.2f' x2='%.2f' y2='%.2f' class='%s'/>", x1, y1, x2, y2,
		class);
}

static void ring_open(FILE *out, const char *title, const char *subject)
{
	fputs("<svg class='ring' width='80' height='80' viewBox='0 0 80 80' role='img'><title>",
	      out);
	rbs_html_puts(subject, out);
	fprintf(out, ": %s</title>", title);
	fprintf(out, "<circle cx='%.0f' cy='%.0f' r='%.0f' class='empty'/>", CENTRE, CENTRE,
		RADIUS);
}

static void ring_close(FILE *out, uint64_t percent)
{
	fprintf(out, "<text x='%.0f' y='%.0f' class='share'>%llu%%</text></svg>", CENTRE,
		CENTRE + 4, (unsigned long long)percent);
}

/* Bytes or entries between two positions of a ring of size. */
static void span_draw(FILE *out, uint64_t from, uint64_t filled, uint64_t size, const char *title,
		      const char *subject)
{
	double start = (double)(from % size) / (double)size;
	double share = (double)filled / (double)size;

	ring_open(out, title, subject);
	if (filled)
		arc(out, start, start + share, "filled");
	mark(out, start, "reader");
	mark(out, start + share, "writer");
	ring_close(out, (uint64_t)(share * 100 + 0.5));
}

static bool bytes_draw(const struct rbs_node *ring, FILE *out, const char *subject)
{
	uint64_t read, size, waiting;

	if (!rbs_node_number(ring, "read_index", &read) || !rbs_node_number(ring, "size", &size) ||
	    !rbs_node_number(ring, "read_avail", &waiting) || !size || waiting > size)
		return false;
	span_draw(out, read, waiting, size, "from the read to the write index", subject);
	return true;
}

static bool queue_draw(const struct rbs_node *queue, FILE *out, const char *subject)
{
	uint64_t used, size, in_flight;

	if (!rbs_node_number(queue, "used_idx", &used) ||
	    !rbs_node_number(queue, "in_flight", &in_flight) ||
	    !rbs_node_number(queue, "size", &size) || !size || in_flight > size)
		return false;
	span_draw(out, used, in_flight, size, "buffers that the device has", subject);
	return true;
}

static const char *state_class(const struct rbs_node *slot)
{
	static const struct {
		const char *state, *class;
	} classes[] = {
		{"writing", "writing"}, {"uncommitted", "bad"}, {"delivered", "filled"},
		{"reading", "reading"}, {"passed", "passed"},
	};
	const char *state = rbs_node_text(slot, "state");

	for (size_t i = 0; state && i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (!strcmp(classes[i].state, state))
			return classes[i].class;
	}
	return "empty";
}

/* Sub-buffers by state, when all were listed; else how much a reader can take. */
static bool subbufs_draw(const struct rbs_node *buffer, FILE *out, const char *subject)
{
	uint64_t count, size, offset, consumed, readable;

	if (!rbs_node_number(buffer->parent, "num_subbuf", &count) ||
	    !rbs_node_number(buffer->parent, "subbuf_size", &size) ||
	    !rbs_node_number(buffer, "write_offset", &offset) ||
	    !rbs_node_number(buffer, "consumed", &consumed) ||
	    !rbs_node_number(buffer, "readable", &readable) || !count || !size ||
	    count > SEGMENT_LIMIT || readable > count * size)
		return false;
	ring_open(out, "sub-buffers, reader and writer", subject);
	for (uint64_t i = 0; i < count && buffer->child_count == count; i++) {
		char name[24];
		const struct rbs_node *slot;
		double gap = count > 1 ? 0.15 / (double)count : 0;

		snprintf(name, sizeof(name), "%llu", (unsigned long long)i);
		slot = rbs_node_child(buffer, name);
		if (slot)
			arc(out, (double)i / (double)count + gap / 2,
			    (double)(i + 1) / (double)count - gap / 2, state_class(slot));
	}
	mark(out, (double)(consumed % (count * size)) / (double)(count * size), "reader");
	mark(out, (double)(offset % (count * size)) / (double)(count * size), "writer");
	ring_close(out, readable * 100 / (count * size));
	return true;
}

bool rbs_ring_svg(const struct rbs_node *row, FILE *out)
{
	char subject[512];

	rbs_node_path(row, subject, sizeof(subject));
	return bytes_draw(row, out, subject) || queue_draw(row, out, subject) ||
	       (row->parent && subbufs_draw(row, out, subject));
}
