/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_tree.h - reading the trees of btrfs: search and ordered iteration that survive dead blocks.
 *
 * A *fetcher* gives verified tree blocks by logical address, any good copy of them. A *reader* keeps the blocks that were
 * used last, and reads ahead. An *iterator* walks the items of one tree in the order of their keys.
 *
 * What is taken from a parent is checked in the child: level (it falls by one each step, so there are no loops and no
 * more than BTRFS_MAX_LEVEL steps), generation, owner, first key, and that the last key lies below the next pointer. A
 * block that fails, or has no good copy, is *dead*: the keys that only it could hold are reported as lost, and iteration
 * goes on behind them.
 *
 * A reader and its iterators belong to one thread, that of the fetcher's ring. They must not be used in a ring's callback.
 * Sources: btrfs_tree.h of the kernel, btrfs_header, btrfs_key_ptr, btrfs_item; read_block_for_search() and
 * btrfs_check_eb_owner() for what is checked.
 */
#ifndef XX_BTRFS_TREE_H
#define XX_BTRFS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xx/btrfs_block.h>
#include <xx/btrfs_format.h>
#include <xx/compiler.h>

/* --- Keys --- */

#define XX_BTRFS_KEY_MIN ((struct xx_btrfs_key){ 0, 0, 0 })
#define XX_BTRFS_KEY_MAX ((struct xx_btrfs_key){ UINT64_MAX, UINT8_MAX, UINT64_MAX })

/* The key that follows, or precedes; the last and the first one stay what they are. */
XX_API struct xx_btrfs_key xx_btrfs_key_next(struct xx_btrfs_key key);
XX_API struct xx_btrfs_key xx_btrfs_key_prev(struct xx_btrfs_key key);

/* --- Where blocks come from --- */

struct xx_btrfs_fetch {
	struct xx_btrfs_expect expect; /* a copy that does not fit is as bad as one with a wrong checksum */
	void *buf; /* nodesize bytes, aligned to 4096 */
	int result; /* 0, or why there is no good copy: -EBADMSG, -EUCLEAN, -EIO, -EILSEQ, ... */
};

struct xx_btrfs_fetcher {
	uint32_t nodesize; /* bytes */

	/*
	 * Read @count blocks, each from any copy that is good, all that go together in physical order; on return each
	 * has its result. The return value is an error that concerns all (-ENOMEM), else 0.
	 */
	int (*fetch)(void *private, struct xx_btrfs_fetch *fetches, size_t count);
	void *private;
};

/*
 * Does a block, verified in itself, fit what is expected? 0 or -EUCLEAN. For fetchers, which try the next copy if not.
 * Reads nothing behind @nodesize.
 */
XX_API XX_MUST_CHECK int xx_btrfs_expect_check(const struct xx_btrfs_expect *expect, const void *block,
					       uint32_t nodesize);

/*
 * The fetcher of a real file system: blocks from the devices of @medium, on any way to them, all of a batch in flight
 * together. @medium stays the caller's and must outlive what is made of it.
 */
XX_API void xx_btrfs_fetcher_init(struct xx_btrfs_fetcher *fetcher, const struct xx_btrfs_medium *medium);

/* --- The reader --- */

struct xx_btrfs_reader;

#define XX_BTRFS_READER_BUDGET ((size_t)32 << 20) /* bytes of blocks, when none is given */

/* A reader over a copy of @fetcher that keeps at most @budget bytes (0: XX_BTRFS_READER_BUDGET). 0, -EINVAL or -ENOMEM. */
XX_API XX_MUST_CHECK int xx_btrfs_reader_create(const struct xx_btrfs_fetcher *fetcher, size_t budget,
						struct xx_btrfs_reader **out);

/* NULL too. All iterators must be gone. */
XX_API void xx_btrfs_reader_destroy(struct xx_btrfs_reader *reader);

XX_API uint32_t xx_btrfs_reader_nodesize(const struct xx_btrfs_reader *reader);

struct xx_btrfs_reader_stats {
	uint64_t hits, misses; /* blocks that were kept, or had to be read */
	uint64_t fetches; /* calls of the fetcher */
	uint64_t dead; /* blocks that could not be had */
};

XX_API void xx_btrfs_reader_stats(const struct xx_btrfs_reader *reader, struct xx_btrfs_reader_stats *out);

/* A tree: where its root block is, and what is known of it. */
struct xx_btrfs_root {
	uint64_t id; /* objectid of the tree */
	uint64_t bytenr; /* logical, bytes; 0: there is no such tree (it is empty) */
	uint64_t generation;
	uint8_t level;
	uint64_t owner; /* what the blocks say; @id, but BTRFS_TREE_LOG_OBJECTID for a log tree; 0: not checked */
};

/* Keys that could not be looked at, because a block is dead. All that the tree holds from @first to @last is unknown. */
struct xx_btrfs_lost {
	uint64_t root; /* id of the tree */
	struct xx_btrfs_key first, last; /* inclusive */
	uint64_t logical; /* of the dead block */
	uint64_t generation; /* that it should have had */
	uint8_t level; /* of the dead block */
	int error; /* why it is dead */
};

/* Told of what is lost, in order, once for each walk over it; within iterator functions. */
typedef void (*xx_btrfs_lost_fn)(void *private, const struct xx_btrfs_lost *lost);

/* An item of a leaf. The memory is the iterator's, until it is moved. */
struct xx_btrfs_item {
	struct xx_btrfs_key key;
	const void *data;
	uint32_t size; /* bytes */
	uint64_t leaf; /* logical address of the leaf */
	uint64_t generation; /* of the leaf */
};

/* --- Iterators --- */

struct xx_btrfs_iter;

/*
 * An iterator, at the end of everything until it is sent somewhere. It may be used for many ranges, and many trees.
 * @lost may be NULL. 0 or -ENOMEM.
 */
XX_API XX_MUST_CHECK int xx_btrfs_iter_create(struct xx_btrfs_reader *reader, xx_btrfs_lost_fn lost, void *private,
					      struct xx_btrfs_iter **out);
XX_API void xx_btrfs_iter_destroy(struct xx_btrfs_iter *iter);

/*
 * Go before the first item of @root (copied) with a key from @first to @last. Reads nothing yet; cheap when the leaf that
 * it stands on holds @first.
 */
XX_API void xx_btrfs_iter_seek(struct xx_btrfs_iter *iter, const struct xx_btrfs_root *root,
			       const struct xx_btrfs_key *first, const struct xx_btrfs_key *last);

/*
 * The same, but begin with the last item whose key is at most @first, if there is one: for items that cover a range that
 * begins at their key. Where a dead block may have held it, that is reported as lost, and iteration begins behind.
 */
XX_API void xx_btrfs_iter_seek_before(struct xx_btrfs_iter *iter, const struct xx_btrfs_root *root,
				      const struct xx_btrfs_key *first, const struct xx_btrfs_key *last);

/*
 * The next item: 1; 0 at the end; or an error that ends the walk, which is none of a single block (-ENOMEM).
 * Siblings are read ahead, more and more of them the longer the walk goes on.
 */
XX_API XX_MUST_CHECK int xx_btrfs_iter_next(struct xx_btrfs_iter *iter, struct xx_btrfs_item *item);

/*
 * Read ahead up to @until, also where the ranges that it is sent to end before: for who asks for one range after the
 * other.
 */
XX_API void xx_btrfs_iter_read_ahead(struct xx_btrfs_iter *iter, const struct xx_btrfs_key *until);

/* How many dead blocks it met since it was made. */
XX_API uint64_t xx_btrfs_iter_lost(const struct xx_btrfs_iter *iter);

/*
 * The logical address of the ancestor at @level of the item that next gave last (0: its leaf); 0 when the tree is not as
 * high.
 */
XX_API uint64_t xx_btrfs_iter_block(const struct xx_btrfs_iter *iter, uint8_t level);

/* The generation of that block, likewise. */
XX_API uint64_t xx_btrfs_iter_generation(const struct xx_btrfs_iter *iter, uint8_t level);

/* --- Without an iterator --- */

/*
 * One block, verified and fitting, with a reference; put gives it back. For who follows back references.
 * 0 or why there is no good copy.
 */
struct xx_btrfs_block;
XX_API XX_MUST_CHECK int xx_btrfs_reader_get(struct xx_btrfs_reader *reader, const struct xx_btrfs_expect *expect,
					     struct xx_btrfs_block **out);
XX_API void xx_btrfs_reader_put(struct xx_btrfs_reader *reader, struct xx_btrfs_block *block);
XX_API const void *xx_btrfs_block_data(const struct xx_btrfs_block *block);

/* Items of a verified leaf: how many, and one of them. */
XX_API uint32_t xx_btrfs_leaf_count(const void *leaf);
XX_API void xx_btrfs_leaf_item(const void *leaf, uint32_t slot, struct xx_btrfs_item *item);

/* Pointers of a verified node: where one leads. */
XX_API void xx_btrfs_node_pointer(const void *node, uint32_t slot, struct xx_btrfs_key *key, uint64_t *logical,
				  uint64_t *generation);

#endif
