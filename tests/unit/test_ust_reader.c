/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LTTng's user space buffers in overwrite mode, while a reader holds a sub-buffer. */
#include <criterion/criterion.h>

#include "expect.h"
#include "ust_image.h"

/*
 * An overwrite ring out of which a reader took sub-buffer 0: its place has the spare memory, whose
 * packet begins at 1004. written: the write position.
 */
static void taken_init(struct ust_image *image, unsigned written, unsigned consumed)
{
	bool wide = image->word == 8;
	unsigned spare = UST_SUBBUFS;

	ust_image_put(image, 120, 4, 0);
	ust_image_put(image, 128, image->word, written);
	ust_image_put(image, wide ? 152 : 140, image->word, consumed);
	ust_image_spare(image, spare);
	ust_image_put(image, UST_WSB, image->word, spare);
	ust_image_put(image, wide ? 192 : 160, image->word, 0); /* buf_rsb */
	ust_image_put(image, wide ? 464 : 328, 4, 1);		/* get_subbuf */
	ust_image_build(image);
}

Test(ust_reader, taken_by_a_reader)
{
	for (unsigned word = 4; word <= 8; word += 4) {
		struct ust_image image;
		const struct rbs_node *slot;

		ust_image_init(&image, RBS_LITTLE_ENDIAN, word);
		taken_init(&image, 5000, 0);
		slot = rbs_node_child(ust_image_ring(ust_image_show(&image, false)), "0");
		expect_text(slot, "state", "reading");
		expect_number(slot, "timestamp_begin", 1000);
		expect_number(slot, "events_discarded", 9);
		cr_expect_null(rbs_node_child(slot->parent, "reader"));
		ust_image_deinit(&image);
	}
}

Test(ust_reader, passed_by_the_writer)
{
	struct ust_image image;
	const struct rbs_node *ring;

	ust_image_init(&image, RBS_LITTLE_ENDIAN, 8);
	taken_init(&image, UST_SUBBUFS * UST_SUBBUF_SIZE + 5000, 2 * UST_SUBBUF_SIZE);
	ring = ust_image_ring(ust_image_show(&image, false));
	expect_text(rbs_node_child(ring, "reader"), "state", "reading");
	expect_number(rbs_node_child(ring, "reader"), "timestamp_begin", 1000);
	expect_number(rbs_node_child(ring, "0"), "timestamp_begin", 1004);
	ust_image_deinit(&image);
}

/* Whose places are not known may be held by a reader: which packet it is can't be told. */
Test(ust_reader, overwrite_of_an_unknown_release)
{
	struct ust_image image;
	const struct rbs_node *ring;

	ust_image_init(&image, RBS_LITTLE_ENDIAN, 8);
	ust_image_put(&image, 26, 2, 7);
	taken_init(&image, 5000, 0);
	ring = rbs_node_child(ust_image_channel(ust_image_show(&image, false)), "inode-77@0:23");
	expect_number(ring, "write_offset", 5000);
	expect_absent(rbs_node_child(ring, "0"), "timestamp_begin", RBS_NO_TYPES);
	ust_image_deinit(&image);
}
