// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The applications of the guest, which the scenario starts:
 *
 *   load udp ADDRESS SOCKETS ROUNDS BYTES   datagrams over many flows, so that
 *                                           every transmit queue gets some
 *   load read DEVICE OFFSET BYTES           one read around the page cache
 *   load write DEVICE OFFSET BYTES          one write around the page cache
 *   load listen                             a socket for the host to connect:
 *     the first connection sends until its ring is full, the second reads just
 *     the first packet of those that came, the third does nothing; all stay open
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/vm_sockets.h>

#define SOCKETS_MAX 512
#define PORT 5001

static int fail(const char *what)
{
	printf("load: %s: %s\n", what, strerror(errno));
	return 1;
}

static int udp_socket(const char *address, int number)
{
	struct sockaddr_in peer = {
		.sin_family = AF_INET,
		.sin_port = htons(7000 + 13 * number),
	};
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	if (inet_pton(AF_INET, address, &peer.sin_addr) != 1 || s < 0 ||
	    connect(s, (struct sockaddr *)&peer, sizeof(peer)))
		exit(fail("udp"));
	return s;
}

static int udp(const char *address, int sockets, int rounds, size_t bytes)
{
	static char data[65536];
	static int s[SOCKETS_MAX];
	long sent = 0, refused = 0;
	int i, round;

	if (sockets > SOCKETS_MAX || bytes > sizeof(data))
		return 2;
	for (i = 0; i < sockets; i++)
		s[i] = udp_socket(address, i);
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < sockets; i++) {
			if (send(s[i], data, bytes, 0) < 0)
				refused++;
			else
				sent++;
		}
		usleep(2000);
	}
	printf("load: %ld datagrams sent, %ld refused\n", sent, refused);
	return 0;
}

static int disk(const char *device, off_t offset, size_t bytes, int writes)
{
	void *data;
	int file = open(device, (writes ? O_WRONLY : O_RDONLY) | O_DIRECT);
	ssize_t done;

	if (file < 0 || posix_memalign(&data, 4096, bytes))
		return fail(device);
	memset(data, 'd', bytes);
	done = writes ? pwrite(file, data, bytes, offset) :
			pread(file, data, bytes, offset);
	return done == (ssize_t)bytes ? 0 : fail(device);
}

/* Sends until the socket would block; ends when the host has stalled. */
static void fill(int s)
{
	static char data[4096];
	long total = 0;
	ssize_t sent;

	fcntl(s, F_SETFL, O_NONBLOCK);
	while ((sent = send(s, data, sizeof(data), 0)) > 0)
		total += sent;
	printf("load: %ld bytes sent, then %s\n", total, strerror(errno));
}

static int listen_for_host(void)
{
	struct sockaddr_vm address = {
		.svm_family = AF_VSOCK,
		.svm_cid = VMADDR_CID_ANY,
		.svm_port = PORT,
	};
	int s = socket(AF_VSOCK, SOCK_STREAM, 0), number;
	char data[100];		/* the length of the first packet */

	if (s < 0 || bind(s, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(s, 8))
		return fail("listen");
	for (number = 0; number < 3; number++) {
		int peer = accept(s, NULL, NULL);

		if (peer < 0)
			return fail("accept");
		printf("load: connection %d\n", number);
		fflush(stdout);
		if (number == 0) {
			sleep(3);	/* the host stalls the channel */
			fill(peer);
		} else if (number == 1) {
			sleep(3);	/* all packets come first */
			printf("load: read %zd bytes\n",
			       read(peer, data, sizeof(data)));
		}
		fflush(stdout);
	}
	pause();
	return 0;
}

int main(int count, char **words)
{
	if (count == 6 && !strcmp(words[1], "udp"))
		return udp(words[2], atoi(words[3]), atoi(words[4]),
			   strtoul(words[5], NULL, 10));
	if (count == 5 && (!strcmp(words[1], "read") ||
			   !strcmp(words[1], "write")))
		return disk(words[2], strtol(words[3], NULL, 10),
			    strtoul(words[4], NULL, 10),
			    !strcmp(words[1], "write"));
	if (count == 2 && !strcmp(words[1], "listen"))
		return listen_for_host();
	return 2;
}
