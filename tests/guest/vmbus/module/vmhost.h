/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vmhost: a Hyper-V host that lives inside the guest.
 *
 * The stock drivers (hv_vmbus and its clients) believe that a hypervisor
 * offers them devices; in fact this module answers, from a kernel thread, over
 * the same interfaces that the real host uses: hypercalls, the SynIC message
 * and event pages, and the rings in guest memory.
 *
 * "in" and "out" are named as the guest and sysfs name them: the out ring
 * carries packets from the guest to the host, the in ring the other way.
 *
 * One mutex, vmhost_lock, guards all state that the host thread and the
 * control file share. Hypercalls come in any context and therefore touch only
 * the message queue (its own spinlock) and the bitmap of signalled channels.
 */
#ifndef VMHOST_H
#define VMHOST_H

#define pr_fmt(fmt) "vmhost: " fmt

#include <linux/hyperv.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/types.h>

/* Channels that the host may ever offer; relids run from 1 to this less one. */
#define VMHOST_CHANNELS 96

/* Connection ids are the host's to choose: this plus the relid. */
#define VMHOST_CONNECTION_BASE 0x2000

/* enum vmbus_connect "VMBUS_MESSAGE_SINT" and VMBUS_CONNECT_CPU: hyperv_vmbus.h */
#define VMHOST_SINT 2
#define VMHOST_MESSAGE_CPU 0

struct vmhost_channel;
struct vmhost_device;

/* A packet copied out of a ring, so that it no longer wraps. */
struct vmhost_packet {
	u16 type;
	u16 flags;
	u64 trans_id;
	u32 header_bytes;	/* descriptor included */
	u32 total_bytes;	/* without the trailing 8 bytes of indexes */
	const u8 *bytes;	/* total_bytes of them, descriptor first */
};

/* What kind of device it is: how the host's side of it behaves. */
struct vmhost_class {
	const char *name;
	guid_t type;
	u16 offer_flags;
	bool monitored;		/* the guest may signal through the monitor page */
	void (*setup)(struct vmhost_device *device);
	void (*packet)(struct vmhost_channel *channel,
		       const struct vmhost_packet *packet);
	void (*closed)(struct vmhost_device *device);
};

#define VMHOST_LUNS 2

struct vmhost_device {
	const char *name;
	const struct vmhost_class *class;
	guid_t instance;
	u32 sub_channels;	/* the most that it grants on request */
	bool on_demand;		/* offered by the control file, not at connect */
	bool sub_channels_offered;
	void *disk[VMHOST_LUNS];	/* storvsc */
	struct vmhost_net *net;		/* netvsc */
	u64 sequence;			/* utilities: number of the last message */
};

/* One direction of an open channel, mapped by the host for itself. */
struct vmhost_ring {
	struct hv_ring_buffer *shared;
	u32 size;		/* bytes of data, the header page excluded */
};

struct vmhost_channel {
	u32 relid;
	u32 sub;		/* 0: the primary channel */
	struct vmhost_device *device;
	bool offered;
	bool refused;		/* the host answers an open with an error */
	bool opened;
	bool stalled;		/* the host no longer reads the out ring */
	bool rescinded;
	u32 vp;			/* virtual processor to interrupt */
	struct vmhost_ring out, in;
	u64 packets_read, packets_written, writes_refused;
};

extern struct mutex vmhost_lock;
extern struct vmhost_channel vmhost_channels[VMHOST_CHANNELS];
extern struct vmhost_device vmhost_devices[];
extern const unsigned int vmhost_device_count;

/* bootstrap.c: make this kernel believe that it runs on Hyper-V */
int vmhost_bootstrap(void);
void *vmhost_symbol(const char *name);

/* builtin.c: start the hv_vmbus that is linked into this kernel */
int vmhost_start_builtin(void);

/* hypercall.c */
#define VMHOST_PAYLOAD_MAX 240	/* HV_MESSAGE_PAYLOAD_BYTE_COUNT */
struct vmhost_message {
	struct list_head node;
	u32 size;
	u8 payload[VMHOST_PAYLOAD_MAX] __aligned(8);
};
extern wait_queue_head_t vmhost_wake;
extern atomic64_t vmhost_posts, vmhost_signals;
extern char vmhost_hypercall_entry[];	/* called with Hyper-V's registers */
u64 vmhost_hypercall(u64 control, u64 input, u64 output);
struct vmhost_message *vmhost_message_take(void);
bool vmhost_work_pending(void);
bool vmhost_signal_take(u32 relid);
void vmhost_signal_set(u32 relid);

/* synic.c: from the host to the guest. 0 or a negative errno. */
int vmhost_post(const void *payload, u32 size);
void vmhost_interrupt(const struct vmhost_channel *channel);
extern atomic64_t vmhost_interrupts;

/* connection.c */
extern u32 vmhost_version;	/* agreed on; major in the upper half */
void vmhost_message_handle(const struct vmhost_message *message);
void vmhost_monitor_poll(void);
void vmhost_monitor_arm(u32 relid);
void vmhost_rescind(struct vmhost_channel *channel);

/* gpadl.c: guest pages that the guest granted; found by handle */
struct vmhost_gpadl {
	struct list_head node;
	u32 handle;
	u32 relid;
	u32 pages, received;
	struct page **page;
};
struct vmhost_gpadl *vmhost_gpadl_find(u32 handle);
void vmhost_gpadl_header(const void *message, u32 size);
void vmhost_gpadl_body(const void *message, u32 size);
void vmhost_gpadl_teardown(const void *message);
void *vmhost_gpadl_map(u32 handle, u32 *bytes);

/* channel.c */
struct vmhost_channel *vmhost_channel_at(u32 relid);
struct vmhost_channel *vmhost_offer(struct vmhost_device *device, u32 sub);
void vmhost_offer_sub_channels(struct vmhost_device *device, u32 count);
void vmhost_open(const struct vmbus_channel_open_channel *request);
void vmhost_close(u32 relid);

/* ring.c */
struct vmhost_outgoing {
	u16 type;
	u16 flags;
	u64 trans_id;
	const void *header;	/* follows the descriptor */
	u32 header_bytes;
	const void *payload;
	u32 payload_bytes;
};
u32 vmhost_ring_readable(const struct vmhost_ring *ring);
bool vmhost_ring_sane(const struct vmhost_ring *ring);
void vmhost_ring_copy(const struct vmhost_ring *ring, u32 offset, void *to,
		      u32 bytes);
int vmhost_ring_write(struct vmhost_channel *channel,
		      const struct vmhost_outgoing *packet);
void vmhost_ring_drain(struct vmhost_channel *channel);

/* packet.c */
const void *vmhost_packet_payload(const struct vmhost_packet *packet,
				  u32 *bytes);
void vmhost_packet_fetch(const struct vmhost_packet *packet, void *to,
			 u32 bytes);
u32 vmhost_packet_guest_copy(const struct vmhost_packet *packet, void *buffer,
			     u32 bytes, bool to_guest);
void vmhost_complete(struct vmhost_channel *channel, u64 trans_id,
		     const void *payload, u32 bytes);

/* service.c: the host's thread */
int vmhost_service_start(void);

/* The classes, and what the control file can ask of them */
extern const struct vmhost_class vmhost_storvsc, vmhost_netvsc, vmhost_balloon,
	vmhost_sock, vmhost_heartbeat, vmhost_shutdown, vmhost_timesync,
	vmhost_kvp, vmhost_vss, vmhost_keyboard, vmhost_unknown;

/* scsi.c */
struct vmhost_scsi {
	u8 lun;
	bool addressable;	/* path and target are 0 */
	const u8 *cdb;
	u32 length;		/* in: asked for; out: transferred */
	bool good;
};
void vmhost_scsi_setup(struct vmhost_device *device);
void vmhost_scsi_execute(struct vmhost_device *device,
			 const struct vmhost_packet *packet,
			 struct vmhost_scsi *command);

/* netvsc.c and rndis.c */
u32 vmhost_rndis_answer(const struct vmhost_device *device, const u32 *request,
			u32 bytes, u32 *answer, u32 room);
void vmhost_net_frames(struct vmhost_channel *channel, u32 count);
void vmhost_net_vf(struct vmhost_channel *channel, u32 serial, bool present);

int vmhost_utility_negotiate(struct vmhost_channel *channel);
void vmhost_utility_heartbeats(struct vmhost_channel *channel, u32 count);
void vmhost_sock_send(struct vmhost_channel *channel, u32 bytes);
int vmhost_starve_cpu(u32 cpu, u32 seconds);

/* truth.c and control.c: the files under /proc/vmhost */
int vmhost_truth_show(struct seq_file *file, void *unused);
int vmhost_packets_show(struct seq_file *file, void *unused);
int vmhost_control_create(void);

#endif
