/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs_config.c - options from a file.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <xx/units.h>

#include "mkfs_parse.h"

/* A file with this text, for one test. */
static void write_config(char path[32], const char *text, size_t length)
{
	int fd;

	strcpy(path, "/tmp/xx-config.XXXXXX");
	fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, text, length), (ssize_t)length);
	close(fd);
}

/* Parses "-c options=FILE WORDS" with a file of this text. */
static void parse_with(struct parsed *parsed, const char *text, const char *words)
{
	char path[32], line[512];

	write_config(path, text, strlen(text));
	snprintf(line, sizeof(line), "-c options=%s %s", path, words);
	parse(parsed, line);
	unlink(path);
}

static void refused_file(const char *text, const char *words, const char *says)
{
	struct parsed parsed;

	parse_with(&parsed, text, words);
	cr_expect_eq(parsed.ret, -EINVAL, "%s: %d", text, parsed.ret);
	cr_expect_eq(parsed.messages, 1);
	cr_expect(strstr(parsed.message, says), "'%s' is not in: %s", says, parsed.message);
	parse_end(&parsed);
}

Test(config, every_section)
{
	struct parsed parsed;

	parse_with(&parsed,
		   "# a comment\n"
		   "; another\n"
		   "\n"
		   "[metadata]\n"
		   "crc = 1\n"
		   "  rmapbt=0   \n"
		   "uuid: 12345678-1234-1234-1234-123456789abc\n"
		   "metadir=0\n"
		   "[DATA]\n"
		   "AgCount=7\n"
		   "su=64k ; so many\n"
		   "sw=4\n"
		   "name=/from;the;file\n"
		   "[inode]\r\n"
		   "nrext64=0\r\n"
		   "[log]\nsize=100m\n"
		   "[naming]\nsize=8192\n"
		   "[realtime]\nnoalign=1\n"
		   "[block]\nsize=2048\n"
		   "[sector]\nsize=1024",
		   "-K");
	cr_assert_eq(parsed.ret, 0, "%s", parsed.message);
	cr_expect(parsed.opt.rmapbt.given && !parsed.opt.rmapbt.value);
	cr_expect(parsed.opt.uuid_given);
	cr_expect_eq(parsed.opt.ag_count.value, 7);
	cr_expect_eq(parsed.opt.dsu.value, 65536);
	cr_expect_eq(parsed.opt.dsw.value, 4);
	cr_expect_str_eq(parsed.opt.data_name, "/from;the;file");
	cr_expect(parsed.opt.nrext64.given && !parsed.opt.nrext64.value);
	cr_expect_eq(parsed.opt.log_size.value, 100 * XX_MIB);
	cr_expect_eq(parsed.opt.dir_block_size.value, 8192);
	cr_expect_eq(parsed.opt.rt_noalign.value, 1);
	cr_expect_eq(parsed.opt.block_size.value, 2048);
	cr_expect_eq(parsed.opt.sector_size.value, 1024);
	cr_expect_eq(parsed.opt.log_sector_size.value, 1024);
	parse_end(&parsed);
}

Test(config, what_is_wrong_is_named_with_its_line)
{
	refused_file("[metadata]\n\nfrog=1\n", "/x", "line 3: frog: unknown in section [metadata]");
	refused_file("[frog]\n", "/x", "line 1: [frog]: unknown section");
	refused_file("[metadata\n", "/x", "line 1: [metadata: the closing bracket is missing");
	refused_file("\n\n[data]\nnoalign\n", "/x", "line 4: noalign: neither a section nor name=value");
	refused_file("crc=1\n", "/x", "line 1: crc=1 stands before any section");
	refused_file("[data]\nagcount=0\n", "/x", "line 2: -d agcount=0: too small");
	refused_file("[data]\nagcount=\n", "/x", "line 2: -d agcount needs a value");
	refused_file("[metadata]\nuuid=frog\n", "/x", "line 2: -m uuid=frog: not a UUID");
	/* The file that names files has no section. */
	refused_file("[options]\noptions=/y\n", "/x", "line 1: [options]: unknown section");
}

Test(config, given_twice)
{
	refused_file("[data]\nagcount=4\nagcount=4\n", "/x", "line 3: -d agcount is given twice");
	refused_file("[data]\nagcount=4\n", "-d agcount=4 /x", "line 2: -d agcount is given twice");
	refused_file("[data]\nagcount=4\n", "-d agsize=1g /x", "line 2: -d agcount and -d agsize cannot be given");
	refused_file("[data]\nname=/y\n", "/x", "line 2: -d name is given twice");
}

Test(config, profile_of_a_kernel_and_file)
{
	refused_file("[inode]\nnrext64=1\n", "--compat=linux-5.15 /x", "-i nrext64=1 and --compat=linux-5.15");
}

Test(config, an_empty_value_of_a_switch_is_its_default)
{
	struct parsed parsed;

	parse_with(&parsed, "\xef\xbb\xbf[data]\nnoalign=\n", "/x");
	cr_assert_eq(parsed.ret, 0, "%s", parsed.message);
	cr_expect_eq(parsed.opt.noalign.value, 1);
	parse_end(&parsed);
}

Test(config, files_that_cannot_be_read)
{
	refused_as("-c options=/nowhere/to/be/found /x", -ENOENT, "/nowhere/to/be/found cannot be read: No such file");
	refused_as("-c options=/ /x", -EISDIR, "Is a directory");
	refused_as("-c options=/dev/zero /x", -EFBIG, "File too large");
	refused_as("-c options /x", -EINVAL, "-c options needs a value");
	refused_as("-c frog=/x /x", -EINVAL, "-c frog: unknown; known: options");
}

Test(config, a_nul_is_no_text)
{
	static const char text[] = "[data]\nagcount=4\n\0frog\n";
	char path[32], line[64];

	write_config(path, text, sizeof(text) - 1);
	snprintf(line, sizeof(line), "-c options=%s /x", path);
	refused_as(line, -EINVAL, "not a text");
	unlink(path);
}
