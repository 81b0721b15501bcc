// SPDX-License-Identifier: GPL-2.0-only
/* The device's side of split and packed rings (virtio 1.x, 2.7 and 2.8). Buffers are in the direct map. */
#include <linux/bottom_half.h>
#include <linux/io.h>
#include "statdev.h"

void side_init(struct side *side, struct virtqueue *vq, bool packed)
{
	memset(side, 0, sizeof(*side));
	side->vq = vq;
	side->size = virtqueue_get_vring_size(vq);
	side->descriptors = phys_to_virt(virtqueue_get_desc_addr(vq));
	side->driver = phys_to_virt(virtqueue_get_avail_addr(vq));
	side->device = phys_to_virt(virtqueue_get_used_addr(vq));
	side->packed = packed;
	side->next_wrap = side->used_wrap = true;
}

static void piece_add(struct chain *chain, u64 address, u32 length, u16 flags)
{
	if (chain->count == PIECES)
		return;
	chain->pieces[chain->count++] = (struct piece){
		.memory = phys_to_virt(address),
		.length = length,
		.writable = flags & VRING_DESC_F_WRITE,
	};
}

static void split_walk(const struct vring_desc *table, u32 size, u32 first, struct chain *chain)
{
	u32 index = first;

	for (u32 passed = 0; passed < size && index < size; passed++) {
		piece_add(chain, table[index].addr, table[index].len, table[index].flags);
		if (!(table[index].flags & VRING_DESC_F_NEXT))
			return;
		index = table[index].next;
	}
}

static bool split_take(struct side *side, struct chain *chain)
{
	const struct vring_desc *table = side->descriptors;
	const struct vring_avail *avail = side->driver;
	const struct vring_desc *head;

	if (READ_ONCE(avail->idx) == side->next)
		return false;
	smp_rmb();
	chain->id = avail->ring[side->next++ % side->size];
	head = &table[chain->id];
	if (head->flags & VRING_DESC_F_INDIRECT)
		split_walk(phys_to_virt(head->addr), head->len / sizeof(*head), 0, chain);
	else
		split_walk(table, side->size, chain->id, chain);
	return true;
}

static void packed_step(u16 *position, bool *wrap, u16 slots, u32 size)
{
	*position += slots;
	if (*position >= size) {
		*position -= size;
		*wrap = !*wrap;
	}
}

static bool packed_take(struct side *side, struct chain *chain)
{
	const struct vring_packed_desc *ring = side->descriptors;
	u16 flags = READ_ONCE(ring[side->next].flags);
	bool avail = flags & BIT(VRING_PACKED_DESC_F_AVAIL);
	bool used = flags & BIT(VRING_PACKED_DESC_F_USED);

	if (avail != side->next_wrap || used == side->next_wrap)
		return false;
	smp_rmb();
	do {
		const struct vring_packed_desc *slot = &ring[side->next];

		flags = slot->flags;
		chain->id = slot->id;
		if (flags & VRING_DESC_F_INDIRECT) {
			const struct vring_packed_desc *table = phys_to_virt(slot->addr);

			for (u32 i = 0; i < slot->len / sizeof(*table); i++)
				piece_add(chain, table[i].addr, table[i].len, table[i].flags);
		} else {
			piece_add(chain, slot->addr, slot->len, flags);
		}
		chain->slots++;
		packed_step(&side->next, &side->next_wrap, 1, side->size);
	} while (flags & VRING_DESC_F_NEXT);
	return true;
}

bool chain_take(struct side *side, struct chain *chain)
{
	memset(chain, 0, sizeof(*chain));
	return side->packed ? packed_take(side, chain) : split_take(side, chain);
}

static void split_return(struct side *side, const struct chain *chain, u32 length)
{
	struct vring_used *used = side->device;

	used->ring[side->used % side->size].id = chain->id;
	used->ring[side->used % side->size].len = length;
	smp_wmb();
	WRITE_ONCE(used->idx, ++side->used);
}

static void packed_return(struct side *side, const struct chain *chain, u32 length)
{
	struct vring_packed_desc *slot = (struct vring_packed_desc *)side->descriptors + side->used;
	u16 flags = length ? VRING_DESC_F_WRITE : 0;

	if (side->used_wrap)
		flags |= BIT(VRING_PACKED_DESC_F_AVAIL) | BIT(VRING_PACKED_DESC_F_USED);
	slot->id = chain->id;
	slot->len = length;
	smp_wmb();
	WRITE_ONCE(slot->flags, flags);
	packed_step(&side->used, &side->used_wrap, chain->slots, side->size);
}

void chain_return(struct side *side, const struct chain *chain, u32 length)
{
	if (side->packed)
		packed_return(side, chain, length);
	else
		split_return(side, chain, length);
}

u32 chain_read(const struct chain *chain, u8 *to, u32 size)
{
	u32 done = 0;

	for (unsigned int i = 0; i < chain->count && done < size; i++) {
		u32 length = min(chain->pieces[i].length, size - done);

		if (chain->pieces[i].writable)
			continue;
		memcpy(to + done, chain->pieces[i].memory, length);
		done += length;
	}
	return done;
}

u32 chain_room(const struct chain *chain)
{
	u32 room = 0;

	for (unsigned int i = 0; i < chain->count; i++)
		room += chain->pieces[i].writable ? chain->pieces[i].length : 0;
	return room;
}

/* At an offset of all that is writable, as if it were one piece. */
void chain_write(const struct chain *chain, u32 offset, const u8 *from, u32 length)
{
	for (unsigned int i = 0; i < chain->count && length; i++) {
		const struct piece *piece = &chain->pieces[i];
		u32 part;

		if (!piece->writable)
			continue;
		if (offset >= piece->length) {
			offset -= piece->length;
			continue;
		}
		part = min(piece->length - offset, length);
		memcpy(piece->memory + offset, from, part);
		from += part;
		length -= part;
		offset = 0;
	}
}

void side_interrupt(struct side *side)
{
	if (!side->vq->callback)
		return;
	local_bh_disable();
	vring_interrupt(0, side->vq);
	local_bh_enable();
}
