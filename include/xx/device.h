/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device.h - an open block device or image file, and what was learned of it.
 *
 * All offsets and lengths are bytes in 64 bits. A device may be used by several rings and threads at the same time.
 *
 * Other kinds of device look the same to whoever uses them: one that lives in memory, and one that lies over another
 * and writes down all that passes through it. They have no file descriptor, and every ring carries their requests.
 */
#ifndef XX_DEVICE_H
#define XX_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <xx/compiler.h>

struct xx_ctx;
struct xx_device;

enum xx_device_kind {
	XX_DEVICE_BLOCK, /* a block device */
	XX_DEVICE_FILE, /* a regular file */
	XX_DEVICE_MEMORY, /* an array, for tests */
	XX_DEVICE_RECORDER, /* lies over another device */
};

/* How to open; combined with |. Without XX_DEVICE_WRITE the device is opened for reading, whoever else uses it. */
enum xx_device_flags {
	/*
	 * For reading and writing, and for this process alone: -EBUSY when it is mounted, swapped on, held by device
	 * mapper, RAID or a loop device (also a loop device over an image file), or opened so by another process.
	 */
	XX_DEVICE_WRITE = 1 << 0,
	/* Make the file when there is none. Never makes a device node. */
	XX_DEVICE_CREATE = 1 << 1,
	/* A regular file loses what it held. Does nothing to a block device. */
	XX_DEVICE_TRUNCATE = 1 << 2,
	/* O_DIRECT, or -EINVAL where that does not work. */
	XX_DEVICE_DIRECT = 1 << 3,
	/* Through the page cache. With neither of the two: O_DIRECT where it works. */
	XX_DEVICE_BUFFERED = 1 << 4,
	/* Leave out the checks for being in use, and the exclusive open. For tools that know what they do. */
	XX_DEVICE_SHARED = 1 << 5,
};

/* What the device can do for a request of kind zero without that data is sent; see xx_device_info.zero_methods. */
enum xx_zero_method {
	XX_ZERO_RANGE = 1 << 0, /* fallocate() with FALLOC_FL_ZERO_RANGE; BLKZEROOUT */
	XX_ZERO_PUNCH = 1 << 1, /* fallocate() with FALLOC_FL_PUNCH_HOLE */
};

/* End-to-end protection: the device keeps a checksum with each block and fails a bad read with EILSEQ. */
struct xx_integrity {
	bool capable; /* the device was formatted with it and uses it */
	char format[32]; /* as sysfs has it, "T10-DIF-TYPE1-CRC"; "" without protection */
	uint32_t tag_size; /* bytes of application tag for each interval */
	uint32_t interval; /* bytes that one checksum covers */
};

struct xx_device_info {
	enum xx_device_kind kind;
	const char *path; /* as the caller gave it; a name in angle brackets for a device in memory */
	dev_t number; /* st_rdev of a block device, else 0 */
	bool writable;
	bool direct; /* O_DIRECT: offsets, lengths and memory must be aligned */
	bool rotational;

	uint64_t size; /* bytes */
	uint32_t logical_sector; /* bytes; 512 for a file */
	uint32_t physical_sector; /* bytes; 512 for a file */
	uint32_t io_min; /* bytes, 0 when not known (BLKIOMIN) */
	uint32_t io_opt; /* bytes, 0 when not known (BLKIOOPT) */
	int32_t alignment_offset; /* bytes (BLKALIGNOFF); -1: misaligned, 0 for a file */

	/*
	 * What a request must be a multiple of: its offset and length (and the length of each part of it), and the
	 * addresses of its memory. Powers of two; 1 when anything goes. A device that is not direct has 1 and 1.
	 */
	uint32_t offset_align;
	uint32_t memory_align;

	uint32_t max_request; /* bytes of one transfer; a ring cuts what is longer */

	uint64_t discard_granularity; /* bytes; 0: no discard */
	uint64_t discard_max; /* bytes of one command of the device; 0: no discard */
	uint64_t write_zeroes_max; /* bytes of one command of the device; 0: the kernel writes zeros instead */
	uint32_t zero_methods; /* enum xx_zero_method: what is worth trying; only using it tells for sure */

	struct xx_integrity integrity;
};

struct xx_device_options {
	uint32_t flags; /* enum xx_device_flags */
	mode_t mode; /* for XX_DEVICE_CREATE; 0: 0666 less umask */
	bool set_size; /* a regular file gets the size below, sparse; needs XX_DEVICE_WRITE */
	uint64_t size; /* bytes */
};

/*
 * Open @path (links are followed). All failures make one message that says what and why:
 * -EBUSY in use; -EROFS the device is read-only; -EISDIR a directory; -ENOTBLK anything else that is neither block
 * device nor regular file; -EINVAL O_DIRECT was asked for and does not work, or contradicting options; -EFBIG the host
 * cannot make a file that large; or what open(2) said. An XX_DEVICE_CREATE that fails later leaves no file that it made.
 */
XX_API XX_MUST_CHECK int xx_device_open(struct xx_ctx *ctx, const char *path, const struct xx_device_options *options,
					struct xx_device **out);

/* Close; NULL too. No ring may have a request for it. 0, or the error that close(2) had to report (of a late write). */
XX_API int xx_device_close(struct xx_device *dev);

/*
 * A regular file that is open for writing gets another size, sparse; or goes through the page cache from now on. The
 * descriptor stays the one that was checked and locked. No ring may have a request for it. 0, or a negative errno with a
 * message; -EINVAL for anything but a file.
 */
XX_API XX_MUST_CHECK int xx_device_resize(struct xx_device *dev, uint64_t size);
XX_API XX_MUST_CHECK int xx_device_buffer(struct xx_device *dev);

/* What was learned; valid until the device is closed. */
XX_API const struct xx_device_info *xx_device_info(const struct xx_device *dev);

/* The file descriptor, owned by the device; -1 when it has none. */
XX_API int xx_device_fd(const struct xx_device *dev);

/*
 * Who uses the device or the file @path: "mounted on /mnt", "swap", "held by dm-0", "loop device /dev/loop0". 1 with
 * the text in @by, 0 when nobody was found, or a negative errno when it cannot be looked at (no message). Looks only at
 * what the kernel tells everybody; only an exclusive open is a proof.
 */
XX_API XX_MUST_CHECK int xx_device_in_use(const char *path, char *by, size_t size);

/*
 * Read, write, make durable, now and in this thread, without a ring: for the few bytes of a probe. Like requests of a
 * ring these transfer everything or fail: -ENXIO when a read meets the end of the device; alignment as in
 * xx_device_info, or -EINVAL. No message.
 */
XX_API XX_MUST_CHECK int xx_device_read(struct xx_device *dev, uint64_t offset, void *buf, size_t length);
XX_API XX_MUST_CHECK int xx_device_write(struct xx_device *dev, uint64_t offset, const void *buf, size_t length);
XX_API XX_MUST_CHECK int xx_device_flush(struct xx_device *dev);

/* --- A device in memory, for tests --- */

struct xx_memory_options {
	const char *name; /* NULL: "memory" */
	uint64_t size; /* bytes, up to 8 EiB - 1; only what was written takes memory */
	uint32_t logical_sector; /* 0: 512 */
	uint32_t physical_sector; /* 0: as logical_sector */
	uint32_t offset_align; /* enforced as if by O_DIRECT; 0: anything goes */
	uint32_t memory_align; /* the same */
	uint32_t max_request; /* 0: 1 MiB */
	bool no_zero; /* zero gives -EOPNOTSUPP, so that zeros are written */
	bool discard; /* supports discard (what is discarded reads as zeros); without: -EOPNOTSUPP */
	uint8_t fill; /* what was never written reads so */
};

XX_API XX_MUST_CHECK int xx_device_memory_create(struct xx_ctx *ctx, const struct xx_memory_options *options,
						 struct xx_device **out);

/* Bytes of memory that its contents take. */
XX_API uint64_t xx_device_memory_used(const struct xx_device *dev);

/* --- A recorder, for power-cut tests --- */

enum xx_record_kind {
	XX_RECORD_READ,
	XX_RECORD_WRITE,
	XX_RECORD_FLUSH,
	XX_RECORD_ZERO,
	XX_RECORD_DISCARD,
};

struct xx_record {
	enum xx_record_kind kind;
	int result; /* what the device below said: 0 or negative errno */
	uint64_t offset; /* bytes */
	uint64_t length; /* bytes */
	const void *data; /* what was written; else NULL */
};

/*
 * Lie over @lower (not owned; closed after this one) and write down each transfer in the order in which they are made,
 * with the data of writes. A write is one record whatever it was merged from.
 */
XX_API XX_MUST_CHECK int xx_device_recorder_create(struct xx_ctx *ctx, struct xx_device *lower, struct xx_device **out);

/* How many there are, and the one at @index (valid until the recorder is closed or reset). */
XX_API size_t xx_recorder_count(const struct xx_device *dev);
XX_API const struct xx_record *xx_recorder_get(const struct xx_device *dev, size_t index);

/* Forget all records. */
XX_API void xx_recorder_reset(struct xx_device *dev);

/*
 * Do a record again on @dev (a write, zero or discard; others do nothing). Of a write only the first @length bytes are
 * written, for a torn one; UINT64_MAX: all.
 */
XX_API XX_MUST_CHECK int xx_record_replay(const struct xx_record *record, uint64_t length, struct xx_device *dev);

#endif
