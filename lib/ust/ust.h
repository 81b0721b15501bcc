/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ust - the buffers of LTTng's user space tracer that are in a kernel dump.
 *
 * Each buffer (of a channel and CPU) is a file of shared memory that the consumer daemon and the
 * traced processes map. Its first page starts with struct lttng_crash_abi (lttng-ust:
 * src/common/ringbuffer/frontend_types.h, since 2.7), which tells where in the file positions,
 * commit counters and sub-buffers are. What it does not tell is at places that differ by release:
 * lib/ust/release.c.
 *
 * Finding them is the kernel's part: pages of the file through its address_space, the processes
 * through the areas that map it. Used by the probe lttng-ust and by 'extract'.
 */
#ifndef RBS_UST_H
#define RBS_UST_H

#include "lib/pages.h"
#include "lib/ringmath.h"
#include "lib/subbuf.h"
#include "lib/tasks.h"

#define RBS_UST_OBJECT_LIMIT 65536    /* buffers of a dump */
#define RBS_UST_PAGE_LIMIT (1u << 22) /* pages of a buffer's file */
#define RBS_UST_SUBBUF_LIMIT 65536    /* of a buffer */
#define RBS_UST_USER_LIMIT 16384      /* processes that map a buffer */
#define RBS_UST_UUID_SIZE 16

/* How a buffer was found; several may have led to it. */
enum {
	RBS_UST_BY_PROCESS = 1, /* a process's memory areas */
	RBS_UST_BY_INODE = 2,	/* the inodes of tmpfs */
	RBS_UST_BY_PAGE = 4,	/* the descriptions of all pages (scan) */
};

/* struct lttng_crash_abi, decoded and checked against the file's size. Offsets in bytes. */
struct rbs_ust_abi {
	uint64_t mmap_length;
	bool big_endian;
	uint16_t major, minor;
	uint8_t word_size; /* 4 or 8 */
	bool overwrite;
	uint32_t prod_offset, consumed_offset; /* of words in the file */
	uint32_t commit_hot_array, commit_hot_seq, commit_hot_stride;
	uint32_t wsb_array, wsb_id, wsb_stride;
	uint32_t sb_array, sb_array_shmp_offset, sb_stride;
	uint32_t sb_backend_p_offset;
	uint32_t content_size, packet_size;		 /* in a packet; 0: its header has none */
	uint8_t content_size_length, packet_size_length; /* bytes */
	struct rbs_subbuf_geometry geometry;
};

/* Words at places that only the release tells, by offset in the file; all are of word size. */
struct rbs_ust_release {
	const char *name; /* "2.11 to 2.14" */
	uint16_t major;	  /* of the crash ABI */
	uint8_t word_size;
	uint16_t commit_hot, buf_wsb, buf_rsb, buf_cnt, array, cpu, commit_cold, active_readers;
	uint16_t lost_full, lost_wrap, lost_big, count, overrun;
	uint16_t finalized, get_subbuf_consumed, prod_snapshot, cons_snapshot, get_subbuf;
	uint16_t record_disabled, last_timestamp, self;
};

/* A process that maps a buffer. */
struct rbs_ust_user {
	const struct rbs_task *task; /* NULL: its process is not known */
	struct rbs_mapping mapping;
	/* Pages by the process's own page tables; both 0 when these were not read. */
	size_t pages_equal, pages_different;
};

struct rbs_ust_object {
	unsigned routes;
	uint64_t address_space;	 /* struct address_space; 0: only its first page is known */
	uint64_t inode;		 /* its number, in its file system */
	uint64_t device;	 /* of that: MAJOR << 20 | MINOR; 0 when unknown */
	uint64_t size;		 /* bytes */
	char path[256];		 /* as memory tells, from the file system's root; may be empty */
	enum rbs_code path_code; /* not RBS_OK: why its start is not known */
	struct rbs_page_list pages;
	struct rbs_ust_user *users; /* owned */
	size_t user_count;
	enum rbs_code users_code;  /* not RBS_OK: why more processes may map it */
	enum rbs_code tables_code; /* not RBS_OK: why pages of users were not compared */
	/*
	 * Not RBS_OK: why nothing below holds. With RBS_EXCLUDED its name tells that it is a
	 * buffer, and its first page was left out of the dump, or all that tells whose it is.
	 */
	enum rbs_code code;
	struct rbs_error error;
	struct rbs_ust_abi abi;
	const struct rbs_ust_release *release; /* NULL: of no release that is known */
	/* From the first packet header that there is: what the buffer belongs to. */
	bool has_packet, metadata;
	uint8_t uuid[RBS_UST_UUID_SIZE]; /* of the trace */
	uint32_t stream_id;		 /* of the channel in the trace */
	/* -1 for a buffer of no CPU; absent when unknown. */
	struct rbs_value cpu;
};

struct rbs_ust {
	struct rbs_dump *dump;
	struct rbs_pages pages;
	struct rbs_tasks tasks;
	struct rbs_layout layout;
	struct rbs_ust_object *objects; /* owned; in the order in which they were found */
	size_t count, room;
	/* Not RBS_OK: files whose first page the dump lacks, and whose name tells nothing. */
	enum rbs_code nameless;
	/* What ended a route early; code RBS_OK where nothing did. */
	struct rbs_error process_error, inode_error, page_error;
};

struct rbs_ust_options {
	bool scan; /* ask the description of every page too */
	/* Called now and then during the scan; may be NULL. */
	void (*progress)(void *context, uint64_t done, uint64_t total);
	void *progress_context;
};

/*
 * Find all buffers. Fails when none could have been found: no types, no way to pages. On success
 * the caller deinits *ust; that no buffer was found is a success too.
 */
enum rbs_code rbs_ust_init(struct rbs_ust *ust, struct rbs_dump *dump,
			   const struct rbs_ust_options *options, struct rbs_error *err);
void rbs_ust_deinit(struct rbs_ust *ust);

/* Bytes of the file, through its pages. RBS_EXCLUDED and the like as of any read. */
enum rbs_code rbs_ust_read(const struct rbs_ust *ust, const struct rbs_ust_object *object,
			   uint64_t offset, void *buffer, size_t length, struct rbs_error *err);

/* A number of 1 to 8 bytes in the byte order of the process. */
struct rbs_value rbs_ust_number(const struct rbs_ust *ust, const struct rbs_ust_object *object,
				uint64_t offset, size_t size);

/* Positions: bytes that were reserved, and taken, so far (modulo the word). */
struct rbs_value rbs_ust_written(const struct rbs_ust *ust, const struct rbs_ust_object *object);
struct rbs_value rbs_ust_consumed(const struct rbs_ust *ust, const struct rbs_ust_object *object);

/* A sub-buffer's counters: cc, seq, cc_sb; absent when the release is not known (cc_sb). */
struct rbs_value rbs_ust_commit_count(const struct rbs_ust *ust,
				      const struct rbs_ust_object *object, uint64_t index);
struct rbs_value rbs_ust_commit_seq(const struct rbs_ust *ust, const struct rbs_ust_object *object,
				    uint64_t index);
struct rbs_value rbs_ust_commit_visible(const struct rbs_ust *ust,
					const struct rbs_ust_object *object, uint64_t index);

/* Packets that went through the sub-buffer; since 2.8. */
struct rbs_value rbs_ust_packet_count(const struct rbs_ust *ust,
				      const struct rbs_ust_object *object, uint64_t index);

/* A word of the release's table; RBS_NO_TYPES when the release is not known. */
struct rbs_value rbs_ust_word(const struct rbs_ust *ust, const struct rbs_ust_object *object,
			      size_t place);
#define rbs_ust_field(ust, object, name)                                                           \
	rbs_ust_word(ust, object, offsetof(struct rbs_ust_release, name))

/* What a reader holds of the ring: fills the members reading, reading_code and get_consumed. */
void rbs_ust_reader(const struct rbs_ust *ust, const struct rbs_ust_object *object,
		    struct rbs_subbuf_ring *ring);

/*
 * Where in the file the memory at place index of the ring starts, subbuf_size bytes long; the table
 * of sub-buffers tells that.
 */
enum rbs_code rbs_ust_subbuf_find(const struct rbs_ust *ust, const struct rbs_ust_object *object,
				  uint64_t index, uint64_t *offset, struct rbs_error *err);

/*
 * Where the packet of a settled sub-buffer starts. In overwrite mode a reader takes its memory out
 * of the ring and leaves its spare in that place ("update_read_sb_index", backend_internal.h): what
 * lies there is another packet then. Fails where it is not known whether that is so.
 */
enum rbs_code rbs_ust_packet_find(const struct rbs_ust *ust, const struct rbs_ust_object *object,
				  const struct rbs_subbuf_ring *ring,
				  const struct rbs_subbuf *subbuf, uint64_t *offset,
				  struct rbs_error *err);

/* Whether two objects are buffers of one channel: of one trace and stream class. */
bool rbs_ust_same_channel(const struct rbs_ust_object *a, const struct rbs_ust_object *b);

/* Whether the process is a consumer daemon, a session daemon, or else a traced program. */
bool rbs_ust_is_consumer(const struct rbs_task *task);
bool rbs_ust_is_sessiond(const struct rbs_task *task);

/*
 * The text of the trace's metadata as far as its buffer still holds it from its start, NUL
 * terminated, into buffer; false when it does not. object: any buffer of the trace.
 */
bool rbs_ust_metadata(const struct rbs_ust *ust, const struct rbs_ust_object *object, char *buffer,
		      size_t size);

/* Below: for the files of lib/ust. */

/* Decode and check object->abi out of the file's first page; the pages are there already. */
enum rbs_code rbs_ust_abi_read(struct rbs_ust *ust, struct rbs_ust_object *object,
			       struct rbs_error *err);

/* Whether bytes (at least RBS_UST_MAGIC_SIZE) start a buffer. */
#define RBS_UST_MAGIC_SIZE 16
bool rbs_ust_magic(const uint8_t *bytes);

/* Choose object->release: the one whose places agree with the ABI's own. */
void rbs_ust_release_choose(const struct rbs_ust *ust, struct rbs_ust_object *object);

/* A new object; NULL when there is no room. */
struct rbs_ust_object *rbs_ust_add(struct rbs_ust *ust);

/* Set release, cpu and what the packets tell. */
void rbs_ust_owner_read(struct rbs_ust *ust, struct rbs_ust_object *object);

/*
 * The page tables of a process. RBS_UNSUPPORTED where they can't be followed (x86-64 only); never
 * RBS_UNMAPPED, which is what the tables say.
 */
struct rbs_x86_walk;
enum rbs_code rbs_ust_tables_find(const struct rbs_ust *ust, uint64_t mm,
				  struct rbs_x86_walk *walk);

/* Compare the pages of the file with those that the page tables of its users name (x86-64). */
void rbs_ust_tables_compare(const struct rbs_ust *ust, struct rbs_ust_object *object,
			    struct rbs_ust_user *user);

/* A member of a kernel structure. */
struct rbs_value rbs_ust_member(const struct rbs_ust *ust, unsigned id, uint64_t base);

/* The file behind an address_space: is it a buffer, and known already? */
void rbs_ust_consider(struct rbs_ust *ust, uint64_t address_space, unsigned route);

void rbs_ust_find_processes(struct rbs_ust *ust);
void rbs_ust_find_inodes(struct rbs_ust *ust);
void rbs_ust_find_pages(struct rbs_ust *ust, const struct rbs_ust_options *options);

/* Who maps it. */
void rbs_ust_users_find(struct rbs_ust *ust, struct rbs_ust_object *object);

enum {
	RBS_UST_HOST,
	RBS_UST_MAP_TREE,
	RBS_UST_INO,
	RBS_UST_SIZE,
	RBS_UST_MODE,
	RBS_UST_INODE_SPACE,
	RBS_UST_INODE_NEXT,
	RBS_UST_INODE_SB,
	RBS_UST_SB_DEVICE,
	RBS_UST_ALIAS_HEAD,
	RBS_UST_ALIAS,
	RBS_UST_NAME,
	RBS_UST_PARENT,
	RBS_UST_SB_LIST,
	RBS_UST_SB_TYPE,
	RBS_UST_SB_INODES,
	RBS_UST_TYPE_NAME,
	RBS_UST_FILE_SPACE,
	RBS_UST_AREA_NODE,
	RBS_UST_RB_LEFT,
	RBS_UST_RB_RIGHT,
	RBS_UST_MM_OWNER,
	RBS_UST_MM_PGD,
	RBS_UST_LAYOUT_COUNT,
};

#endif
