/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random.c - xoshiro256** over a state that is handed in. Numbers become bytes in little-endian order on every host.
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <xx/endian.h>
#include <xx/random.h>
#include <xx/units.h>

static uint64_t rotate_left(uint64_t v, unsigned by)
{
	return v << by | v >> (64 - by);
}

int xx_random_init_system(struct xx_random *random)
{
	size_t have = 0;

	while (have < sizeof(random->s)) {
		const ssize_t got = getrandom((char *)random->s + have, sizeof(random->s) - have, 0);

		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0)
			have += (size_t)got;
	}
	/* the one state that the generator never leaves */
	if (!(random->s[0] | random->s[1] | random->s[2] | random->s[3]))
		random->s[0] = 1;
	return 0;
}

void xx_random_init_seed(struct xx_random *random, uint64_t seed)
{
	/* SplitMix64, as the authors of xoshiro advise; its outputs differ, so they are not all 0 */
	for (size_t i = 0; i < XX_ARRAY_SIZE(random->s); i++) {
		uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

		z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
		random->s[i] = z ^ z >> 31;
	}
}

int xx_random_init(struct xx_random *random, const char *seed)
{
	unsigned long long value;
	char *end;

	if (!seed)
		return xx_random_init_system(random);
	/* strtoull would take blanks and signs */
	if (!isdigit((unsigned char)seed[0]))
		return -EINVAL;
	errno = 0;
	value = strtoull(seed, &end, 0);
	if (*end)
		return -EINVAL;
	if (errno)
		return -errno;
	xx_random_init_seed(random, value);
	return 0;
}

uint64_t xx_random_u64(struct xx_random *random)
{
	uint64_t *s = random->s;
	const uint64_t result = rotate_left(s[1] * 5, 7) * 9;
	const uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate_left(s[3], 45);
	return result;
}

uint32_t xx_random_u32(struct xx_random *random)
{
	return (uint32_t)(xx_random_u64(random) >> 32);
}

uint64_t xx_random_below(struct xx_random *random, uint64_t limit)
{
	uint64_t value, first;

	assert(limit);
	/* the first 2^64 mod limit numbers would make small results likelier */
	first = -limit % limit;
	do {
		value = xx_random_u64(random);
	} while (value < first);
	return value % limit;
}

void xx_random_bytes(struct xx_random *random, void *buf, size_t len)
{
	char *at = buf;

	while (len) {
		const le64 bytes = le64_make(xx_random_u64(random));
		const size_t part = (size_t)xx_min(len, sizeof(bytes));

		memcpy(at, bytes.b, part);
		at += part;
		len -= part;
	}
}

void xx_random_uuid(struct xx_random *random, uint8_t uuid[XX_UUID_SIZE])
{
	xx_random_bytes(random, uuid, XX_UUID_SIZE);
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x40);
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}
