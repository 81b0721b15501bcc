/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/target/xen_find.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/build_id.h"
#include "lib/target/x86_walk.h"

#define STEP (UINT64_C(2) << 20)
/* Xen's image is 4 to 16 MiB; its build-id is between text and data. */
#define IMAGE_PAGES 8192
#define NOTE_MAX (12 + 4 + RBS_BUILD_ID_MAX) /* header, "GNU", descriptor */

struct finder {
	struct rbs_target *machine;
	const struct rbs_xen_options *options;
	const struct rbs_xen_image *image;
	struct rbs_x86_walk *walk; /* owned: the TLB makes it large */
	/* The build-id of a hypervisor that was seen, for the message. */
	struct rbs_build_id seen;
};

/* True when the note at a machine address is the build-id of xen-syms; another one is noted. */
static bool note_matches(struct finder *self, uint64_t physical)
{
	uint8_t note[NOTE_MAX];
	size_t size = 12 + 4 + self->image->build_id.size;
	struct rbs_build_id id;

	if (rbs_target_read(self->machine, RBS_PHYSICAL, physical, note, size, NULL) != RBS_OK ||
	    !rbs_build_id_from_notes(&id, self->machine, note, size))
		return false;
	if (rbs_build_id_equal(&id, &self->image->build_id))
		return true;
	self->seen = id;
	return false;
}

static uint64_t image_physical(const struct finder *self, uint64_t phys_start, uint64_t address)
{
	return phys_start + (address - self->image->virt_start);
}

/* Without a build-id: Xen's own note of where it was loaded. */
static bool variable_matches(struct finder *self, uint64_t phys_start)
{
	uint64_t at = image_physical(self, phys_start, self->image->phys_start_variable);
	uint8_t bytes[8];

	return self->image->phys_start_variable &&
	       rbs_target_read(self->machine, RBS_PHYSICAL, at, bytes, 8, NULL) == RBS_OK &&
	       rbs_target_get_uint(self->machine, bytes, 8) == phys_start;
}

static bool start_matches(struct finder *self, uint64_t phys_start)
{
	if (self->image->build_id_note)
		return note_matches(self,
				    image_physical(self, phys_start, self->image->build_id_note));
	return variable_matches(self, phys_start);
}

/* Where the image is by the page tables of a CR3. */
static bool root_matches(struct finder *self, uint64_t root, uint64_t *phys_start)
{
	uint64_t known = self->image->build_id_note ? self->image->build_id_note
						    : self->image->phys_start_variable;
	uint64_t physical;

	rbs_x86_walk_init(self->walk, self->machine, root, 4);
	if (rbs_x86_translate(self->walk, known, &physical, NULL) != RBS_OK)
		return false;
	*phys_start = physical - (known - self->image->virt_start);
	return start_matches(self, *phys_start);
}

static enum rbs_code memory_search(struct finder *self, struct rbs_xen_place *place,
				   struct rbs_error *err)
{
	for (uint64_t at = 0; at < RBS_XEN_SEARCH_END; at += STEP) {
		if (rbs_target_interrupted(self->machine))
			return rbs_error_set(err, RBS_INTERRUPTED, "interrupted");
		if (!start_matches(self, at))
			continue;
		place->phys_start = at;
		return RBS_OK;
	}
	return RBS_UNSUPPORTED;
}

/*
 * The build-id of whatever hypervisor the page tables map, to say which xen-syms would fit: the
 * place of the note is another in every build.
 */
static void other_search(struct finder *self, uint64_t root)
{
	static const uint8_t header[] = {4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0};
	uint8_t *page = malloc(4096);

	rbs_x86_walk_init(self->walk, self->machine, root, 4);
	for (uint64_t i = 0; page && !self->seen.size && i < IMAGE_PAGES; i++) {
		if (rbs_x86_read(self->walk, self->image->virt_start + i * 4096, page, 4096,
				 NULL) != RBS_OK)
			continue;
		for (size_t at = 0; at + sizeof(header) + 20 <= 4096; at += 4) {
			if (!memcmp(page + at, header, sizeof(header)) &&
			    rbs_build_id_from_notes(&self->seen, self->machine, page + at,
						    sizeof(header) + 20))
				break;
		}
	}
	free(page);
}

static enum rbs_code nothing_found(struct finder *self, struct rbs_error *err)
{
	const struct rbs_xen_notes *notes = self->options->notes;
	const char *dump = self->machine->info.path, *syms = self->image->path;
	char ours[2 * RBS_BUILD_ID_MAX + 1], theirs[2 * RBS_BUILD_ID_MAX + 1];

	rbs_build_id_format(&self->image->build_id, ours, sizeof(ours));
	if (self->options->has_phys_start && !self->seen.size)
		return rbs_error_set(err, RBS_MISMATCH,
				     "%s: the hypervisor of %s%s%s is not at %" PRIx64
				     ", which --xen-phys-start names",
				     dump, syms, self->image->build_id.size ? ", build-id " : "",
				     ours, self->options->phys_start);
	for (size_t i = 0; notes && !self->seen.size && i < notes->cr3_count; i++)
		other_search(self, notes->cr3[i]);
	rbs_build_id_format(&self->seen, theirs, sizeof(theirs));
	if (self->seen.size)
		return rbs_error_set(err, RBS_MISMATCH,
				     "%s (build-id %s) is not of the hypervisor in %s (build-id "
				     "%s)",
				     syms, ours, dump, theirs);
	return rbs_error_set(err, RBS_UNSUPPORTED,
			     "%s: no hypervisor of %s%s%s was found: neither by the dump's notes, "
			     "nor at 2 MiB steps below 1 TiB; if it is there, --xen-phys-start "
			     "says where",
			     dump, syms, self->image->build_id.size ? ", build-id " : "", ours);
}

/* xen_phys_start, by what is known; RBS_UNSUPPORTED: nothing fits. */
static enum rbs_code start_find(struct finder *self, struct rbs_xen_place *place,
				struct rbs_error *err)
{
	const struct rbs_xen_options *options = self->options;
	const struct rbs_xen_notes *notes = options->notes;

	if (options->has_phys_start) {
		place->phys_start = options->phys_start;
		return start_matches(self, options->phys_start) ? RBS_OK : RBS_UNSUPPORTED;
	}
	if (notes && notes->has_phys_start && start_matches(self, notes->phys_start)) {
		place->phys_start = notes->phys_start;
		return RBS_OK;
	}
	for (size_t i = 0; notes && i < notes->cr3_count; i++) {
		if (root_matches(self, notes->cr3[i], &place->phys_start)) {
			place->root = notes->cr3[i];
			return RBS_OK;
		}
	}
	return memory_search(self, place, err);
}

static enum rbs_code place_find(struct finder *self, struct rbs_xen_place *place,
				struct rbs_error *err)
{
	enum rbs_code code;
	uint64_t ignored;

	/* An excerpt needs what proves the place, and not what else was tried. */
	rbs_target_pages_record(self->machine, false);
	code = start_find(self, place, err);
	rbs_target_pages_record(self->machine, true);
	if (code == RBS_OK)
		start_matches(self, place->phys_start);
	if (code == RBS_UNSUPPORTED)
		return nothing_found(self, err);
	if (code != RBS_OK)
		return code;
	/* A CPU may have stopped with any tables loaded; Xen's own ones always map all of Xen. */
	if (self->image->page_table)
		place->root = image_physical(self, place->phys_start, self->image->page_table);
	rbs_x86_walk_init(self->walk, self->machine, place->root, 4);
	if (place->root && rbs_x86_translate(self->walk, self->image->phys_start_variable, &ignored,
					     err) == RBS_OK)
		return RBS_OK;
	return rbs_error_set(err, RBS_UNSUPPORTED,
			     "%s: the hypervisor is at %" PRIx64 ", but its page tables are not in "
			     "the dump",
			     self->machine->info.path, place->phys_start);
}

enum rbs_code rbs_xen_find(struct rbs_target *machine, const struct rbs_xen_options *options,
			   struct rbs_xen_place *place, struct rbs_error *err)
{
	struct finder self = {
		.machine = machine,
		.options = options,
		.image = options->image,
		.walk = malloc(sizeof(*self.walk)),
	};
	enum rbs_code code;

	if (!self.walk)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	*place = (struct rbs_xen_place){0};
	code = place_find(&self, place, err);
	free(self.walk);
	return code;
}
