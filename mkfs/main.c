/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - mkfs.xx: make a file system on a device or an image.
 */
#include <stdio.h>

#include <xx/version.h>

int main(void)
{
	printf("mkfs.xx %s\n", xx_version());
	return 0;
}
