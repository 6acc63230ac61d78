/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random.h - random numbers and UUIDs from a state that is handed in, so that two runs can make the same bytes.
 *
 * The generator is xoshiro256** (Blackman and Vigna, public domain, prng.di.unimi.it), filled with 256 bits from the
 * kernel or from a seed. It is not for secrets. The sequence that a seed gives is part of the interface: it is the
 * same on every machine and in every version. A state belongs to one thread at a time.
 */
#ifndef XX_RANDOM_H
#define XX_RANDOM_H

#include <stddef.h>
#include <stdint.h>
#include <xx/compiler.h>

struct xx_random {
	uint64_t s[4];
};

#define XX_UUID_SIZE 16

/* Fill the state from getrandom(2). 0 or a negative errno. */
XX_API XX_MUST_CHECK int xx_random_init_system(struct xx_random *random);

/* Fill it from a seed. */
XX_API void xx_random_init_seed(struct xx_random *random, uint64_t seed);

/*
 * @seed is the value of DETERMINISTIC_SEED: a number as strtoull(3) takes it with any base; NULL means the system.
 * 0, -EINVAL when it is no number, -ERANGE when it does not fit in 64 bits, or an error of getrandom(2).
 */
XX_API XX_MUST_CHECK int xx_random_init(struct xx_random *random, const char *seed);

XX_API uint32_t xx_random_u32(struct xx_random *random);
XX_API uint64_t xx_random_u64(struct xx_random *random);

/* A number from 0 to @limit - 1, each equally likely; @limit is not 0. */
XX_API uint64_t xx_random_below(struct xx_random *random, uint64_t limit);

XX_API void xx_random_bytes(struct xx_random *random, void *buf, size_t len);

/* A UUID of version 4 (RFC 9562, section 5.4), in the byte order in which it is written. */
XX_API void xx_random_uuid(struct xx_random *random, uint8_t uuid[XX_UUID_SIZE]);

#endif
