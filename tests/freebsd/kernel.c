/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernel - the data of a FreeBSD kernel on Hyper-V, for dumps that tests/integration writes.
 *
 * Compiled twice: linked at a kernel's addresses, its segments are the memory of a dump, and the
 * linker has set all pointers; as a program of this machine (TRUTH) it prints what sysctl would say
 * of every ring, as the drivers' own handlers compute and print it. Both see the same initialisers.
 *
 * Sections say where a thing lies: .data in the kernel's image, .heap in the direct map, .kva in
 * pages that are mapped one by one.
 */
#include "hyperv.h"

#ifdef TRUTH
#include <stdio.h>
#define HEAP
#define KVA
#else
#define HEAP __attribute__((section(".heap")))
#define KVA __attribute__((section(".kva")))
#endif
#define USED __attribute__((used))

USED char version[] = VERSION "\n";
USED char osrelease[] = "12.1-RELEASE-p10";
static char panic_buffer[256] = "page fault \033[31mred";
USED const char *panicstr = panic_buffer;
static struct timehands th0 = {.th_boottime = {.sec = 1700000000, .frac = 1}};
USED static struct timehands *volatile timehands = &th0;
/* The writer puts the page tables' address here. */
USED uint64_t KPML4phys = 1;

/* A ring: its page of indexes, and data behind it. */
#define SIZE 8192
struct ring {
	page_type page;
	uint8_t data[SIZE];
};

#if GENERATION == 1
#define PAGE_OF(r, w, m, p, f, c)                                                                  \
	{                                                                                          \
		.write_index = w, .read_index = r, .interrupt_mask = m                             \
	}
#elif GENERATION == 3
#define PAGE_OF(r, w, m, p, f, c)                                                                  \
	{                                                                                          \
		.br_windex = w, .br_rindex = r, .br_imask = m, .br_pending_snd_sz = p,             \
		.br_feature_bits = {.value = f}, .br_g2h_intr_cnt = c                              \
	}
#else
#define PAGE_OF(r, w, m, p, f, c)                                                                  \
	{                                                                                          \
		.br_windex = w, .br_rindex = r, .br_imask = m                                      \
	}
#endif
#define RING(name, r, w, m, p, f, c)                                                               \
	static struct ring name __attribute__((aligned(PAGE_SIZE)))                                \
	KVA = {.page = PAGE_OF(r, w, m, p, f, c),                                                  \
	       .data = {[(r) % SIZE] = 6, [((r) + 2) % SIZE] = 2, [((r) + 4) % SIZE] = 3}}

/*       name       read  write mask pending feature signals */
RING(hn_out, 46600 % SIZE, 46600 % SIZE, 0, 0, 1, 1234567890123);
RING(hn_in, 8160, 40, 1, 4096, 1, 77);
RING(hn1_out, 16, 8184, 0, 512, 0, 3);
RING(hn1_in, 0, 0, 0, 0, 0, 0);
RING(stale_out, 99, 11, 1, 0, 0, 0);
RING(sc0_out, 100, 132, 0, 0, 1, 5);
RING(sc0_in, 4088, 4088, 0, 0, 1, 6);
RING(sc1_out, 8191, 0, 1, 0, 0, 7);
RING(sc1_in, 1, 0, 0, 0, 0, 8);
RING(sc1s_out, 64, 96, 0, 0, 1, 9);
RING(sc1s_in, 96, 64, 1, 1, 1, 10);
RING(beat_out, 0, 32, 0, 0, 0, 11);
RING(beat_in, 0, 0, 0, 0, 0, 12);
RING(none_out, 8, 8, 0, 0, 0, 13);
RING(none_in, 8, 8, 0, 0, 0, 14);
#ifdef BAD
RING(bad_out, 9000, 16, 0, 0, 0, 15);
RING(bad_in, 24, 8192, 1, 0, 0, 16);
#endif

static struct devclass hn HEAP = {.name = "hn", .maxunit = 2};
static struct devclass storvsc HEAP = {.name = "storvsc", .maxunit = 2};
static struct devclass hvheartbeat HEAP = {.name = "hvheartbeat", .maxunit = 1};

#define DEVICE(symbol, class, number, text)                                                        \
	static struct device symbol HEAP = {.devclass = class, .unit = number, .nameunit = text}
DEVICE(dev_hn0, &hn, 0, "hn0");
DEVICE(dev_hn1, &hn, 1, "hn1");
DEVICE(dev_storvsc0, &storvsc, 0, "storvsc0");
DEVICE(dev_storvsc1, &storvsc, 1, "storvsc1");
DEVICE(dev_heartbeat, &hvheartbeat, 0, "hvheartbeat0");
/* No driver took it: neither a class nor a name. */
DEVICE(dev_none, 0, -1, 0);

#define GUID_NET                                                                                   \
	{                                                                                          \
		{                                                                                  \
			0x63, 0x51, 0x61, 0xf8, 0x3e, 0xdf, 0xc5, 0x46, 0x91, 0x3f, 0xf2, 0xd2,    \
				0xf9, 0x65, 0xed, 0x0e                                             \
		}                                                                                  \
	}
#define GUID_SCSI                                                                                  \
	{                                                                                          \
		{                                                                                  \
			0xd9, 0x63, 0x61, 0xba, 0xa1, 0x04, 0x29, 0x4d, 0xb6, 0x05, 0x72, 0xe2,    \
				0xff, 0xb1, 0xdc, 0x7f                                             \
		}                                                                                  \
	}
#define GUID_BEAT                                                                                  \
	{                                                                                          \
		{                                                                                  \
			0x39, 0x4f, 0x16, 0x57, 0x15, 0x91, 0x78, 0x4e, 0xab, 0x55, 0x38, 0x2f,    \
				0x3b, 0xd5, 0x42, 0x2d                                             \
		}                                                                                  \
	}
#define GUID_OTHER                                                                                 \
	{                                                                                          \
		{                                                                                  \
			1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16                      \
		}                                                                                  \
	}

/* In the order of the list of all channels; a channel names its neighbours. */
#define CHANNELS(C)                                                                                \
	/* name     id sub primary device   class      open out        in */                       \
	C(ch_hn0, 14, 0, 0, dev_hn0, GUID_NET, 1, hn_out, hn_in)                                   \
	C(ch_sc0, 3, 0, 0, dev_storvsc0, GUID_SCSI, 1, sc0_out, sc0_in)                            \
	C(ch_hn0_1, 20, 1, &ch_hn0, dev_hn0, GUID_NET, 1, hn1_out, hn1_in)                         \
	C(ch_sc1, 15, 0, 0, dev_storvsc1, GUID_SCSI, 1, sc1_out, sc1_in)                           \
	C(ch_hn0_2, 21, 2, &ch_hn0, dev_hn0, GUID_NET, 0, stale_out, stale_out)                    \
	C(ch_beat, 7, 0, 0, dev_heartbeat, GUID_BEAT, 1, beat_out, beat_in)                        \
	C(ch_sc1_1, 22, 1, &ch_sc1, dev_storvsc1, GUID_SCSI, 1, sc1s_out, sc1s_in)                 \
	C(ch_none, 9, 0, 0, dev_none, GUID_OTHER, 1, none_out, none_in)                            \
	C(ch_hn1, 30, 0, 0, dev_hn1, GUID_NET, 0, stale_out, stale_out)                            \
	CHANNEL_BAD(C)
/* Indexes outside the ring: there what the kernel prints and what rbstats says must differ. */
#ifdef BAD
#define CHANNEL_BAD(C) C(ch_bad, 40, 1, &ch_hn1, dev_hn1, GUID_NET, 1, bad_out, bad_in)
#else
#define CHANNEL_BAD(C)
#endif

#define DECLARE(name, ...) static channel_type name;
CHANNELS(DECLARE)

#if GENERATION == 1

#define HV_DEVICE(name, id, sub, primary, dev, ...)                                                \
	static struct hv_device hv_##name HEAP = {.device = &dev};
CHANNELS(HV_DEVICE)
#define RING_INFO(ring)                                                                            \
	{                                                                                          \
		.ring_buffer = &ring.page, .ring_size = SIZE + PAGE_SIZE, .ring_data_size = SIZE   \
	}
/* A sub-channel of that time has no device of its own. */
#define DEFINE(name_, id_, sub_, primary_, dev_, class_, open_, out_, in_)                         \
	static channel_type name_ HEAP = {                                                         \
		.list_entry.tqe_next = NEXT_OF_##name_,                                            \
		.device = sub_ ? 0 : &hv_##name_,                                                  \
		.state = open_ ? HV_CHANNEL_OPENED_STATE : HV_CHANNEL_OPEN_STATE,                  \
		.offer_msg = {.child_rel_id = id_,                                                 \
			      .offer = {.interface_type = class_,                                  \
					.interface_instance = GUID_OTHER,                          \
					.sub_channel_index = sub_}},                               \
		.outbound = RING_INFO(out_),                                                       \
		.inbound = RING_INFO(in_),                                                         \
		.target_cpu = id_ % 4,                                                             \
		.primary_channel = primary_};

#else

#if GENERATION == 4
#define RX(ring)                                                                                   \
	{                                                                                          \
		.ring_buffer = &ring.page, .ring_data_size = SIZE                                  \
	}
#define TX RX
#else
#define RX(ring)                                                                                   \
	{                                                                                          \
		.rxbr = {.vbr = &ring.page, .vbr_dsize = SIZE }                                    \
	}
#define TX(ring)                                                                                   \
	{                                                                                          \
		.txbr = {.vbr = &ring.page, .vbr_dsize = SIZE }                                    \
	}
#endif
#define DEFINE(name_, id_, sub_, primary_, dev_, class_, open_, out_, in_)                         \
	static channel_type name_ HEAP = {.ch_link.tqe_next = NEXT_OF_##name_,                     \
					  .ch_rxbr = RX(in_),                                      \
					  .ch_txbr = TX(out_),                                     \
					  .ch_id = id_,                                            \
					  .ch_dev = &dev_,                                         \
					  .ch_cpuid = id_ % 4,                                     \
					  .ch_prichan = primary_,                                  \
					  .ch_subidx = sub_,                                       \
					  .ch_stflags = (open_ ? 1 : 0) | 8,                       \
					  .ch_guid_type = class_,                                  \
					  .ch_guid_inst = GUID_OTHER,                              \
					  SUBS_OF_##name_};

#endif

#define NEXT_OF_ch_hn0 &ch_sc0
#define SUBS_OF_ch_hn0
#define SUBS_OF_ch_sc0
#define SUBS_OF_ch_hn0_1
#define SUBS_OF_ch_sc1
#define SUBS_OF_ch_hn0_2
#define SUBS_OF_ch_beat
#define SUBS_OF_ch_sc1_1
#define SUBS_OF_ch_none
#define SUBS_OF_ch_hn1
#define SUBS_OF_ch_bad
#if GENERATION == 4
/* The list has primary channels, and they have their own. */
#undef SUBS_OF_ch_hn0
#undef SUBS_OF_ch_hn0_1
#undef SUBS_OF_ch_sc1
#define SUBS_OF_ch_hn0 .ch_subchans.tqh_first = &ch_hn0_1
#define SUBS_OF_ch_hn0_1 .ch_sublink.tqe_next = &ch_hn0_2
#define SUBS_OF_ch_sc1 .ch_subchans.tqh_first = &ch_sc1_1
#define NEXT_OF_ch_sc0 &ch_sc1
#define NEXT_OF_ch_hn0_1 0
#define NEXT_OF_ch_sc1 &ch_beat
#define NEXT_OF_ch_hn0_2 0
#define NEXT_OF_ch_beat &ch_none
#define NEXT_OF_ch_sc1_1 0
#else
#define NEXT_OF_ch_sc0 &ch_hn0_1
#define NEXT_OF_ch_hn0_1 &ch_sc1
#define NEXT_OF_ch_sc1 &ch_hn0_2
#define NEXT_OF_ch_hn0_2 &ch_beat
#define NEXT_OF_ch_beat &ch_sc1_1
#define NEXT_OF_ch_sc1_1 &ch_none
#endif
#define NEXT_OF_ch_none &ch_hn1
#if defined(BAD)
#define NEXT_OF_ch_hn1 &ch_bad
#elif defined(CIRCLE)
#define NEXT_OF_ch_hn1 &ch_sc0
#else
#define NEXT_OF_ch_hn1 0
#endif
#define NEXT_OF_ch_bad 0

CHANNELS(DEFINE)

#if GENERATION == 1
USED hv_vmbus_connection hv_vmbus_g_connection = {.connect_state = 2,
						  .channel_anchor.tqh_first = &ch_hn0};
USED uint32_t hv_vmbus_protocal_version = 3 << 16;
#else
static struct vmbus_softc softc HEAP = {
	.vmbus_version = 4 << 16,
#if GENERATION == 4
	.vmbus_chlist.tqh_first = &ch_hn0,
#else
	.vmbus_prichans.tqh_first = &ch_hn0,
	.vmbus_chans.tqh_first = &ch_hn0,
#endif
};
#ifdef NEVER
USED static struct vmbus_softc *volatile vmbus_sc = 0;
USED static struct vmbus_softc *volatile kept = &softc;
#else
USED static struct vmbus_softc *volatile vmbus_sc = &softc;
#endif
#endif

#ifdef TRUTH

/* hv_ring_buffer.c, vmbus_br.c: the amount of space that can be written. */
#define WAVAIL(r, w, z) (((w) >= (r)) ? ((z) - ((w) - (r))) : ((r) - (w)))

static void ring_print(const char *prefix, const struct ring *ring, int out)
{
	const page_type *page = &ring->page;
#if GENERATION == 1
	uint32_t r = page->read_index, w = page->write_index, m = page->interrupt_mask;
#else
	uint32_t r = page->br_rindex, w = page->br_windex, m = page->br_imask;
#endif
	uint32_t wavail = WAVAIL(r, w, SIZE), ravail = SIZE - wavail;

	printf("seed %s.%s.ring_buffer_stats: r_idx:%d w_idx:%d int_mask:%d r_avail:%d "
	       "w_avail:%d\n",
	       prefix, out ? "out" : "in", r, w, m, ravail, wavail);
#if GENERATION == 1
	printf("own %s.%s.ring_buffer_stats: r_idx:%d w_idx:%d int_mask:%d r_avail:%d w_avail:%d\n",
	       prefix, out ? "out" : "in", r, w, m, ravail, wavail);
#elif GENERATION == 3
	printf("own %s.br.%s.state: intrcnt:%ju rindex:%u windex:%u imask:%u psndsz:%u fvalue:%u "
	       "ravail:%u wavail:%u\n",
	       prefix, out ? "tx" : "rx", (unsigned long)page->br_g2h_intr_cnt, r, w, m,
	       page->br_pending_snd_sz, page->br_feature_bits.value, ravail, wavail);
#else
	printf("own %s.br.%s.state: rindex:%u windex:%u imask:%u ravail:%u wavail:%u\n", prefix,
	       out ? "tx" : "rx", r, w, m, ravail, wavail);
#endif
}

/* vmbus_chan.c: vmbus_chan_sysctl_create(); id is the primary channel's. */
static void channel_print(const struct device *dev, unsigned id, unsigned sub, int open,
			  const struct ring *out, const struct ring *in)
{
	char prefix[128];
	int used;

	if (!dev->devclass || !open)
		return;
	used = snprintf(prefix, sizeof(prefix), "dev.%s.%d.channel.%u", dev->devclass->name,
			dev->unit, id);
	if (sub)
		snprintf(prefix + used, sizeof(prefix) - (unsigned)used, ".sub.%u", sub);
	ring_print(prefix, out, 1);
	ring_print(prefix, in, 0);
}

static unsigned primary_id(const channel_type *channel)
{
#if GENERATION == 1
	return (channel->primary_channel ? channel->primary_channel : channel)
		->offer_msg.child_rel_id;
#else
	return (channel->ch_prichan ? channel->ch_prichan : channel)->ch_id;
#endif
}

int main(void)
{
#define PRINT(name, id, sub, primary, dev, class, open, out, in)                                   \
	channel_print(&dev, primary_id(&name), sub, open, &out, &in);
	CHANNELS(PRINT)
	return 0;
}

#endif
