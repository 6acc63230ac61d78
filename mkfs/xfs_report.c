/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_report.c - the geometry of an XFS as text, line for line that of mkfs.xfs, which scripts parse, and as JSON.
 *
 * Where the format of the lines comes from: xfsprogs, libfrog/fsgeom.c:xfs_report_geom.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include <json-c/json.h>
#include <uuid.h>

#include <xx/xfs_geometry.h>

#include "mkfs/xfs_options.h"
#include "mkfs/xfs_report.h"

/* Where the parts lie, as shown. */
struct places {
	const char *log, *realtime;
};

static struct places find_places(const struct mkfs_xfs_options *opt, const struct xx_xfs_geometry *geo)
{
	struct places places = { .log = "internal log", .realtime = "none" };

	if (!geo->log_internal)
		places.log = opt->log_name ? opt->log_name : "external";
	if (geo->rt_blocks)
		places.realtime = opt->rt_name ? opt->rt_name : "external";
	return places;
}

/* In blocks; sb_logsunit is 1 when there is no stripe unit. */
static uint32_t log_stripe_blocks(const struct xx_xfs_geometry *geo)
{
	return geo->log_stripe_unit / geo->block_size;
}

static void show_metadata(FILE *out, const char *name, const struct xx_xfs_geometry *geo)
{
	const struct xx_xfs_features *has = &geo->features;

	fprintf(out, "meta-data=%-22s isize=%-6" PRIu32 " agcount=%" PRIu32 ", agsize=%" PRIu32 " blks\n", name,
		geo->inode_size, geo->ag_count, geo->ag_blocks);
	fprintf(out, "         =%-22s sectsz=%-5" PRIu32 " attr=%d, projid32bit=%d\n", "", geo->sector_size,
		has->attr2 ? 2 : 1, has->projid32);
	fprintf(out, "         =%-22s crc=%-8d finobt=%d, sparse=%d, rmapbt=%d\n", "", 1, has->finobt,
		has->sparse_inodes, has->rmapbt);
	fprintf(out, "         =%-22s reflink=%-4d bigtime=%d inobtcount=%d nrext64=%d\n", "", has->reflink,
		has->bigtime, has->inobtcount, has->nrext64);
}

static void show_text(FILE *out, const struct mkfs_xfs_options *opt, const struct xx_xfs_geometry *geo)
{
	const struct xx_xfs_features *has = &geo->features;
	const struct places places = find_places(opt, geo);
	bool modern = has->exchange || has->parent;

	show_metadata(out, opt->data_name, geo);
	if (modern)
		fprintf(out, "         =%-22s exchange=%-3d\n", "", has->exchange);
	fprintf(out, "data     =%-22s bsize=%-6" PRIu32 " blocks=%" PRIu64 ", imaxpct=%u\n", "", geo->block_size,
		geo->data_blocks, geo->inode_max_percent);
	fprintf(out, "         =%-22s sunit=%-6" PRIu32 " swidth=%" PRIu32 " blks\n", "", geo->stripe_unit,
		geo->stripe_width);
	fprintf(out, "naming   =version %-14d bsize=%-6" PRIu32 " ascii-ci=0, ftype=%d", 2, geo->dir_block_size,
		has->ftype);
	if (modern)
		fprintf(out, ", parent=%d", has->parent);
	fprintf(out, "\nlog      =%-22s bsize=%-6" PRIu32 " blocks=%" PRIu32 ", version=2\n", places.log,
		geo->block_size, geo->log_blocks);
	fprintf(out, "         =%-22s sectsz=%-5" PRIu32 " sunit=%" PRIu32 " blks, lazy-count=%d\n", "",
		geo->log_sector_size, log_stripe_blocks(geo), has->lazy_counters);
	fprintf(out, "realtime =%-22s extsz=%-6" PRIu64 " blocks=%" PRIu64 ", rtextents=%" PRIu64 "\n", places.realtime,
		(uint64_t)geo->rt_extent_size * geo->block_size, geo->rt_blocks, geo->rt_extents);
}

/* Adding to an object; once memory is short nothing more is added, and the object is NULL. */
static void add_value(struct json_object **object, const char *name, struct json_object *value)
{
	if (*object && value && json_object_object_add(*object, name, value) == 0)
		return;
	json_object_put(value);
	json_object_put(*object);
	*object = NULL;
}

static void add_number(struct json_object **object, const char *name, uint64_t number)
{
	add_value(object, name, json_object_new_uint64(number));
}

static void add_bool(struct json_object **object, const char *name, bool yes)
{
	add_value(object, name, json_object_new_boolean(yes));
}

static void add_text(struct json_object **object, const char *name, const char *text, size_t length)
{
	add_value(object, name, json_object_new_string_len(text, (int)length));
}

static struct json_object *json_features(const struct xx_xfs_features *has)
{
	struct json_object *object = json_object_new_object();

	add_bool(&object, "crc", true);
	add_bool(&object, "finobt", has->finobt);
	add_bool(&object, "sparse", has->sparse_inodes);
	add_bool(&object, "rmapbt", has->rmapbt);
	add_bool(&object, "reflink", has->reflink);
	add_bool(&object, "bigtime", has->bigtime);
	add_bool(&object, "inobtcount", has->inobtcount);
	add_bool(&object, "nrext64", has->nrext64);
	add_bool(&object, "exchange", has->exchange);
	add_bool(&object, "parent", has->parent);
	add_bool(&object, "ftype", has->ftype);
	add_bool(&object, "projid32bit", has->projid32);
	add_bool(&object, "lazy-count", has->lazy_counters);
	return object;
}

static struct json_object *json_data(const struct mkfs_xfs_options *opt, const struct xx_xfs_geometry *geo)
{
	struct json_object *object = json_object_new_object();

	add_text(&object, "device", opt->data_name, strlen(opt->data_name));
	add_number(&object, "block_size", geo->block_size);
	add_number(&object, "blocks", geo->data_blocks);
	add_number(&object, "sector_size", geo->sector_size);
	add_number(&object, "agcount", geo->ag_count);
	add_number(&object, "agsize", geo->ag_blocks);
	add_number(&object, "sunit", geo->stripe_unit);
	add_number(&object, "swidth", geo->stripe_width);
	return object;
}

static struct json_object *json_log(const struct mkfs_xfs_options *opt, const struct xx_xfs_geometry *geo)
{
	struct json_object *object = json_object_new_object();

	add_bool(&object, "internal", geo->log_internal);
	if (geo->log_internal)
		add_number(&object, "agno", geo->log_ag);
	else if (opt->log_name)
		add_text(&object, "device", opt->log_name, strlen(opt->log_name));
	add_number(&object, "blocks", geo->log_blocks);
	add_number(&object, "version", 2);
	add_number(&object, "sector_size", geo->log_sector_size);
	add_number(&object, "sunit", log_stripe_blocks(geo));
	return object;
}

static struct json_object *json_realtime(const struct mkfs_xfs_options *opt, const struct xx_xfs_geometry *geo)
{
	struct json_object *object = json_object_new_object();

	if (opt->rt_name)
		add_text(&object, "device", opt->rt_name, strlen(opt->rt_name));
	add_number(&object, "extent_size", (uint64_t)geo->rt_extent_size * geo->block_size);
	add_number(&object, "blocks", geo->rt_blocks);
	add_number(&object, "extents", geo->rt_extents);
	return object;
}

static struct json_object *json_geometry(const struct mkfs_xfs_options *opt, const struct xx_xfs_geometry *geo)
{
	struct json_object *object = json_object_new_object(), *inode, *naming;
	char uuid[UUID_STR_LEN];

	uuid_unparse_lower(geo->uuid, uuid);
	add_text(&object, "type", "xfs", 3);
	add_text(&object, "uuid", uuid, strlen(uuid));
	add_text(&object, "label", geo->label, strnlen(geo->label, sizeof(geo->label)));
	add_value(&object, "features", json_features(&geo->features));
	add_value(&object, "data", json_data(opt, geo));

	inode = json_object_new_object();
	add_number(&inode, "size", geo->inode_size);
	add_number(&inode, "maxpct", geo->inode_max_percent);
	add_number(&inode, "attr", geo->features.attr2 ? 2 : 1);
	add_value(&object, "inode", inode);

	naming = json_object_new_object();
	add_number(&naming, "version", 2);
	add_number(&naming, "block_size", geo->dir_block_size);
	add_value(&object, "naming", naming);

	add_value(&object, "log", json_log(opt, geo));
	add_value(&object, "realtime", json_realtime(opt, geo));
	return object;
}

static int show_json(FILE *out, const struct mkfs_xfs_options *opt, const struct xx_xfs_geometry *geo)
{
	struct json_object *object = json_geometry(opt, geo);
	const char *text = object ? json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY) : NULL;

	if (text)
		fprintf(out, "%s\n", text);
	json_object_put(object);
	return text ? 0 : -ENOMEM;
}

int mkfs_xfs_report(FILE *out, const struct mkfs_xfs_options *opt, const struct xx_xfs_geometry *geo)
{
	int ret = 0;

	if (opt->json)
		ret = show_json(out, opt, geo);
	else
		show_text(out, opt, geo);
	if (ret == 0 && (fflush(out) != 0 || ferror(out)))
		ret = -EIO;
	return ret;
}
