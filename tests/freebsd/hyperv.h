/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hyperv - the structures of a FreeBSD guest of Hyper-V, as far as a reader needs them, in the
 * three shapes that they had: GENERATION 1 (11.0), 2 (10.4, 11.1 to 12), 3 (later); 4 is the hybrid
 * of 2016, hv_vmbus_channel with members of the second.
 *
 * Names of structures and members are FreeBSD's; what lies between them is not, and differs from
 * one generation to the next, so that only who asks the types finds anything.
 */
#ifndef HYPERV_H
#define HYPERV_H

typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INT64_TYPE__ int64_t;

#define PAGE_SIZE 4096

/* sys/queue.h */
#define TAILQ_HEAD(type)                                                                           \
	struct {                                                                                   \
		type *tqh_first;                                                                   \
		type **tqh_last;                                                                   \
	}
#define TAILQ_ENTRY(type)                                                                          \
	struct {                                                                                   \
		type *tqe_next;                                                                    \
		type **tqe_prev;                                                                   \
	}

struct hyperv_guid {
	uint8_t hv_guid[16];
};

struct mtx {
	void *lock_object[3];
	volatile long mtx_lock;
};

struct bintime {
	long sec;
	uint64_t frac;
};

/* The members before the boot time are more in every release. */
struct timehands {
	void *th_counter;
	int64_t th_adjustment;
	uint64_t th_scale;
	struct bintime th_offset[GENERATION];
	struct bintime th_boottime;
};

struct devclass {
	TAILQ_ENTRY(struct devclass) link;
	char *name;
	int maxunit;
};

/* LinuxKPI has a structure of the same name, and so FreeBSD's own got another one. */
#if GENERATION == 3
#define device _device
struct linux_device {
	int unit_of_linux;
};
#endif
struct device {
	void *ops;
	TAILQ_ENTRY(struct device) link;
	void *driver;
	struct devclass *devclass;
	int unit;
	char *nameunit;
	char *desc;
};
typedef struct device *device_t;

#if GENERATION == 1

typedef struct {
	volatile uint32_t write_index;
	volatile uint32_t read_index;
	volatile uint32_t interrupt_mask;
	uint8_t reserved[4084];
	uint8_t buffer[0];
} __attribute__((packed)) hv_vmbus_ring_buffer;

typedef struct {
	hv_vmbus_ring_buffer *ring_buffer;
	uint32_t ring_size;
	struct mtx ring_lock;
	uint32_t ring_data_size;
	uint32_t ring_data_start_offset;
} hv_vmbus_ring_buffer_info;

typedef enum {
	HV_CHANNEL_OFFER_STATE,
	HV_CHANNEL_OPENING_STATE,
	HV_CHANNEL_OPEN_STATE,
	HV_CHANNEL_OPENED_STATE,
	HV_CHANNEL_CLOSING_NONDESTRUCTIVE_STATE,
} hv_vmbus_channel_state;

typedef struct {
	struct hyperv_guid interface_type;
	struct hyperv_guid interface_instance;
	uint64_t interrupt_latency_in_100ns_units;
	uint16_t channel_flags;
	uint16_t mmio_megabytes;
	uint16_t sub_channel_index;
	uint16_t padding;
} __attribute__((packed)) hv_vmbus_channel_offer;

typedef struct {
	uint32_t header[2];
	hv_vmbus_channel_offer offer;
	uint32_t child_rel_id;
	uint8_t monitor_id;
} __attribute__((packed)) hv_vmbus_channel_offer_channel;

struct hv_device {
	struct hyperv_guid class_id;
	device_t device;
};

typedef struct hv_vmbus_channel {
	TAILQ_ENTRY(struct hv_vmbus_channel) list_entry;
	struct hv_device *device;
	hv_vmbus_channel_state state;
	hv_vmbus_channel_offer_channel offer_msg;
	void *ring_buffer_pages;
	hv_vmbus_ring_buffer_info outbound;
	hv_vmbus_ring_buffer_info inbound;
	uint32_t target_cpu;
	TAILQ_HEAD(struct hv_vmbus_channel) sc_list_anchor;
	TAILQ_ENTRY(struct hv_vmbus_channel) sc_list_entry;
	struct hv_vmbus_channel *primary_channel;
} hv_vmbus_channel;

typedef struct {
	int connect_state;
	uint32_t next_gpadl_handle;
	TAILQ_HEAD(struct hv_vmbus_channel) channel_anchor;
	struct mtx channel_lock;
} hv_vmbus_connection;

typedef hv_vmbus_channel channel_type;
typedef hv_vmbus_ring_buffer page_type;

#else

/* vmbus_reg.h */
struct vmbus_bufring {
	volatile uint32_t br_windex;
	volatile uint32_t br_rindex;
	volatile uint32_t br_imask;
#if GENERATION == 3
	volatile uint32_t br_pending_snd_sz;
	uint32_t br_rsvd1[12];
	union {
		struct {
			uint32_t feat_pending_snd_sz : 1;
		};
		uint32_t value;
	} br_feature_bits;
	uint8_t br_rsvd2[4020];
	uint64_t br_g2h_intr_cnt;
#else
	uint8_t br_rsvd[4084];
#endif
	uint8_t br_data[];
} __attribute__((packed));

#if GENERATION == 4
typedef struct {
	struct vmbus_bufring *ring_buffer;
	struct mtx ring_lock;
	uint32_t ring_data_size;
} hv_vmbus_ring_buffer_info;
#define vmbus_channel hv_vmbus_channel
#else
/* vmbus_brvar.h */
struct vmbus_br {
	struct vmbus_bufring *vbr;
	uint32_t vbr_dsize;
};

struct vmbus_rxbr {
	struct mtx rxbr_lock;
	struct vmbus_br rxbr;
};

struct vmbus_txbr {
	struct mtx txbr_lock;
#if GENERATION == 3
	unsigned pending_bits;
#endif
	struct vmbus_br txbr;
};
#endif

/* vmbus_chanvar.h */
struct vmbus_channel {
#if GENERATION == 3
	uint32_t ch_flags;
	int ch_poll_flags;
#endif
#if GENERATION == 4
	hv_vmbus_ring_buffer_info ch_rxbr;
#else
	struct vmbus_rxbr ch_rxbr;
#endif
	void *ch_tq;
#if GENERATION == 4
	hv_vmbus_ring_buffer_info ch_txbr __attribute__((aligned(64)));
#else
	struct vmbus_txbr ch_txbr __attribute__((aligned(64)));
#endif
	uint32_t ch_txflags;
	uint32_t ch_id;
	device_t ch_dev;
	int ch_cpuid;
	TAILQ_HEAD(struct vmbus_channel) ch_subchans;
	int ch_subchan_cnt;
	TAILQ_ENTRY(struct vmbus_channel) ch_sublink;
	struct vmbus_channel *ch_prichan;
	void *ch_bufring;
	TAILQ_ENTRY(struct vmbus_channel) ch_prilink;
	TAILQ_ENTRY(struct vmbus_channel) ch_link;
	uint32_t ch_subidx;
	volatile uint32_t ch_stflags;
	struct hyperv_guid ch_guid_type;
	struct hyperv_guid ch_guid_inst;
} __attribute__((aligned(64)));

struct vmbus_softc {
	void (*vmbus_event_proc)(struct vmbus_softc *, int);
	void *vmbus_pcpu[GENERATION * 7];
	device_t vmbus_dev;
	uint32_t vmbus_flags;
	uint32_t vmbus_version;
#if GENERATION == 4
	TAILQ_HEAD(struct vmbus_channel) vmbus_chlist;
#else
	TAILQ_HEAD(struct vmbus_channel) vmbus_prichans;
	TAILQ_HEAD(struct vmbus_channel) vmbus_chans;
#endif
};

typedef struct vmbus_channel channel_type;
typedef struct vmbus_bufring page_type;

#endif

#endif
