// SPDX-License-Identifier: GPL-2.0-only
/* The transport: what virtio's core and the driver ask of a device, and /proc/statdev for tests. */
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/virtio_config.h>
#include "statdev.h"

static bool packed;
module_param(packed, bool, 0444);
static bool indirect;
module_param(indirect, bool, 0444);
/* Through the DMA API; with swiotlb=force that means bounce buffers. */
static bool dma;
module_param(dma, bool, 0444);

static struct statdev *statdev;
static struct platform_device *parent;

static int work(void *unused)
{
	struct statdev *dev = statdev;
	struct chain chain;

	while (!kthread_should_stop()) {
		wait_event_interruptible(dev->wait,
					 atomic_read(&dev->work) || kthread_should_stop());
		atomic_set(&dev->work, 0);
		smp_mb();
		if (!(dev->status & VIRTIO_CONFIG_S_DRIVER_OK) || dev->queues < QUEUES)
			continue;
		control_serve(dev);
		for (int i = 1; i < CONTROL_QUEUE; i += 2) {
			bool any = false;

			while (chain_take(&dev->sides[i], &chain)) {
				chain_return(&dev->sides[i], &chain, 0);
				any = true;
			}
			if (any)
				side_interrupt(&dev->sides[i]);
		}
	}
	return 0;
}

static void wake(struct statdev *dev)
{
	atomic_set(&dev->work, 1);
	wake_up(&dev->wait);
}

static bool notify(struct virtqueue *vq)
{
	wake(statdev);
	return true;
}

static void config_get(struct virtio_device *vdev, unsigned int offset, void *buffer,
		       unsigned int length)
{
	if (offset + length <= sizeof(statdev->config))
		memcpy(buffer, (u8 *)&statdev->config + offset, length);
}

static void config_set(struct virtio_device *vdev, unsigned int offset, const void *buffer,
		       unsigned int length)
{
	if (offset + length <= sizeof(statdev->config))
		memcpy((u8 *)&statdev->config + offset, buffer, length);
}

static u8 status_get(struct virtio_device *vdev)
{
	return statdev->status;
}

static void status_set(struct virtio_device *vdev, u8 status)
{
	statdev->status = status;
	wake(statdev);
}

static void reset(struct virtio_device *vdev)
{
	statdev->status = 0;
	msleep(50);
}

static u64 features_get(struct virtio_device *vdev)
{
	u64 features = BIT_ULL(VIRTIO_F_VERSION_1) | BIT_ULL(VIRTIO_NET_F_MAC) |
		       BIT_ULL(VIRTIO_NET_F_STATUS) | BIT_ULL(VIRTIO_NET_F_CTRL_VQ) |
		       BIT_ULL(VIRTIO_NET_F_CTRL_RX) | BIT_ULL(VIRTIO_NET_F_MQ) |
		       BIT_ULL(VIRTIO_NET_F_DEVICE_STATS);

	if (packed)
		features |= BIT_ULL(VIRTIO_F_RING_PACKED);
	if (indirect)
		features |= BIT_ULL(VIRTIO_RING_F_INDIRECT_DESC);
	if (dma)
		features |= BIT_ULL(VIRTIO_F_ACCESS_PLATFORM);
	return features;
}

static int features_finalize(struct virtio_device *vdev)
{
	vring_transport_features(vdev);
	return 0;
}

static void queues_delete(struct virtio_device *vdev)
{
	struct virtqueue *vq, *next;

	statdev->queues = 0;
	list_for_each_entry_safe(vq, next, &vdev->vqs, list)
		vring_del_virtqueue(vq);
}

static int queues_find(struct virtio_device *vdev, unsigned int count, struct virtqueue *vqs[],
		       struct virtqueue_info infos[], struct irq_affinity *affinity)
{
	if (count > QUEUES)
		return -EINVAL;
	for (unsigned int i = 0; i < count; i++) {
		vqs[i] = vring_create_virtqueue(i, 64, SMP_CACHE_BYTES, vdev, true, true,
						infos[i].ctx, notify, infos[i].callback,
						infos[i].name);
		if (!vqs[i]) {
			queues_delete(vdev);
			return -ENOMEM;
		}
		side_init(&statdev->sides[i], vqs[i], packed);
	}
	statdev->queues = count;
	return 0;
}

static const char *bus_name(struct virtio_device *vdev)
{
	return "statdev";
}

static const struct virtio_config_ops operations = {
	.get = config_get,
	.set = config_set,
	.get_status = status_get,
	.set_status = status_set,
	.reset = reset,
	.find_vqs = queues_find,
	.del_vqs = queues_delete,
	.get_features = features_get,
	.finalize_features = features_finalize,
	.bus_name = bus_name,
};

static int command_run(const char *command)
{
	static const char *const behaviours[] = {"answer", "hold", "no-ack", "ignore", "short"};
	int found = match_string(behaviours, ARRAY_SIZE(behaviours), command);

	if (found >= 0) {
		atomic_set(&statdev->behaviour, found);
		return 0;
	}
	if (!strcmp(command, "release")) {
		atomic_set(&statdev->release, 1);
		wake(statdev);
		return 0;
	}
	if (!strcmp(command, "draft"))
		return draft_send(statdev, false);
	if (!strcmp(command, "draft-ack-first"))
		return draft_send(statdev, true);
	if (!strcmp(command, "reap"))
		return draft_reap(statdev);
	return -EINVAL;
}

static ssize_t proc_write(struct file *file, const char __user *buffer, size_t length, loff_t *at)
{
	char command[32] = "";
	int err;

	if (length >= sizeof(command) || copy_from_user(command, buffer, length))
		return -EINVAL;
	err = command_run(strim(command));
	return err ? err : length;
}

static const struct proc_ops proc_operations = {.proc_write = proc_write};

static void device_release(struct device *device)
{
}

static int __init statdev_init(void)
{
	statdev = kzalloc(sizeof(*statdev), GFP_KERNEL);
	if (!statdev)
		return -ENOMEM;
	parent = platform_device_register_simple("statdev", -1, NULL, 0);
	if (IS_ERR(parent))
		return PTR_ERR(parent);
	dma_coerce_mask_and_coherent(&parent->dev, DMA_BIT_MASK(64));
	memcpy(statdev->config.mac, "\x02\x00\x00\x72\x62\x01", ETH_ALEN);
	statdev->config.status = cpu_to_le16(VIRTIO_NET_S_LINK_UP);
	statdev->config.max_virtqueue_pairs = cpu_to_le16(PAIRS);
	init_waitqueue_head(&statdev->wait);
	statdev->worker = kthread_run(work, NULL, "statdev");
	if (IS_ERR(statdev->worker) || !proc_create("statdev", 0200, NULL, &proc_operations))
		return -ENOMEM;
	statdev->vdev.dev.parent = &parent->dev;
	statdev->vdev.dev.release = device_release;
	statdev->vdev.config = &operations;
	statdev->vdev.id.device = VIRTIO_ID_NET;
	statdev->vdev.id.vendor = 0x7262;
	return register_virtio_device(&statdev->vdev);
}
/* There is no way back: the guest ends with its machine. */
module_init(statdev_init);

MODULE_DESCRIPTION("virtio network device that answers statistics as a test wants");
MODULE_LICENSE("GPL");
