/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * qstats IFACE: per-queue statistics of a network device, as name=value lines.
 *
 * Since Linux 6.10 virtio_net tells packets and bytes of a queue here (the
 * generic netlink family "netdev", command QSTATS_GET) and no longer in
 * ethtool -S. Exit 2: this kernel has no such command.
 */
#include <errno.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

/* From include/uapi/linux/netdev.h of 6.12; Debian 12's headers lack it. */
#define QSTATS_GET		12
#define A_IFINDEX		1
#define A_QUEUE_TYPE		2
#define A_QUEUE_ID		3
#define A_SCOPE			4
#define SCOPE_QUEUE		1

static const char *const stat_names[] = {
	[8] = "packets", [9] = "bytes", [10] = "packets", [11] = "bytes",
	[12] = "alloc_fail", [13] = "hw_drops", [14] = "hw_drop_overruns",
	[15] = "csum_complete", [16] = "csum_unnecessary", [17] = "csum_none",
	[18] = "csum_bad", [19] = "hw_gro_packets", [20] = "hw_gro_bytes",
	[21] = "hw_gro_wire_packets", [22] = "hw_gro_wire_bytes",
	[23] = "hw_drop_ratelimits", [24] = "hw_drops",
	[25] = "hw_drop_errors", [26] = "csum_none", [27] = "needs_csum",
	[28] = "hw_gso_packets", [29] = "hw_gso_bytes",
	[30] = "hw_gso_wire_packets", [31] = "hw_gso_wire_bytes",
	[32] = "hw_drop_ratelimits", [33] = "stop", [34] = "wake",
};

#define N_NAMES		(sizeof(stat_names) / sizeof(stat_names[0]))

struct request {
	struct nlmsghdr head;
	struct genlmsghdr genl;
	char attributes[256];
};

static char answer[65536];

static void put(struct request *request, int type, const void *data, int size)
{
	struct nlattr *attr = (void *)((char *)request +
				       NLMSG_ALIGN(request->head.nlmsg_len));

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + size;
	memcpy((char *)attr + NLA_HDRLEN, data, size);
	request->head.nlmsg_len = NLMSG_ALIGN(request->head.nlmsg_len) +
				  NLA_ALIGN(attr->nla_len);
}

static void start(struct request *request, int family, int flags, int command)
{
	memset(request, 0, sizeof(*request));
	request->head.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	request->head.nlmsg_type = family;
	request->head.nlmsg_flags = NLM_F_REQUEST | flags;
	request->genl.cmd = command;
	request->genl.version = 1;
}

/* Numbers are 4 or 8 bytes long ('uint' of netlink), some ids 2. */
static uint64_t number(const struct nlattr *attr)
{
	const char *data = (const char *)attr + NLA_HDRLEN;
	uint64_t wide;
	uint32_t half;
	uint16_t quarter;

	switch (attr->nla_len - NLA_HDRLEN) {
	case 8:
		memcpy(&wide, data, 8);
		return wide;
	case 4:
		memcpy(&half, data, 4);
		return half;
	default:
		memcpy(&quarter, data, 2);
		return quarter;
	}
}

static struct nlattr *first(struct nlmsghdr *head)
{
	return (struct nlattr *)((char *)NLMSG_DATA(head) + GENL_HDRLEN);
}

static struct nlattr *next(struct nlmsghdr *head, struct nlattr *attr)
{
	attr = (struct nlattr *)((char *)attr + NLA_ALIGN(attr->nla_len));
	return (char *)attr + NLA_HDRLEN <= (char *)head + head->nlmsg_len &&
	       attr->nla_len >= NLA_HDRLEN ? attr : NULL;
}

static int family_id(int fd)
{
	struct request request;
	struct nlmsghdr *head = (void *)answer;
	struct nlattr *attr;

	start(&request, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY);
	put(&request, CTRL_ATTR_FAMILY_NAME, "netdev", sizeof("netdev"));
	if (send(fd, &request, request.head.nlmsg_len, 0) < 0 ||
	    recv(fd, answer, sizeof(answer), 0) < 0 ||
	    head->nlmsg_type == NLMSG_ERROR)
		return -1;
	for (attr = first(head); attr; attr = next(head, attr))
		if (attr->nla_type == CTRL_ATTR_FAMILY_ID)
			return number(attr);
	return -1;
}

static void print_queue(struct nlmsghdr *head, unsigned int ifindex)
{
	struct nlattr *attr;
	unsigned int index = 0, id = 0;
	const char *type = NULL;

	for (attr = first(head); attr; attr = next(head, attr)) {
		if (attr->nla_type == A_IFINDEX)
			index = number(attr);
		else if (attr->nla_type == A_QUEUE_ID)
			id = number(attr);
		else if (attr->nla_type == A_QUEUE_TYPE)
			type = number(attr) ? "tx" : "rx";
	}
	if (!type || index != ifindex)
		return;
	for (attr = first(head); attr; attr = next(head, attr))
		if (attr->nla_type < N_NAMES && stat_names[attr->nla_type])
			printf("%s%u_%s=%llu\n", type, id,
			       stat_names[attr->nla_type],
			       (unsigned long long)number(attr));
}

int main(int argc, char **argv)
{
	struct request request;
	unsigned int ifindex = argc == 2 ? if_nametoindex(argv[1]) : 0;
	uint32_t scope = SCOPE_QUEUE;
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	int family, size;

	if (!ifindex || fd < 0)
		return 1;
	family = family_id(fd);
	if (family < 0)
		return 2;
	start(&request, family, NLM_F_DUMP, QSTATS_GET);
	put(&request, A_SCOPE, &scope, sizeof(scope));
	if (send(fd, &request, request.head.nlmsg_len, 0) < 0)
		return 1;
	for (;;) {
		struct nlmsghdr *head = (void *)answer;

		size = recv(fd, answer, sizeof(answer), 0);
		if (size <= 0)
			return 1;
		for (; NLMSG_OK(head, size); head = NLMSG_NEXT(head, size)) {
			if (head->nlmsg_type == NLMSG_DONE)
				return 0;
			if (head->nlmsg_type == NLMSG_ERROR)
				return 2;
			print_queue(head, ifindex);
		}
	}
}
