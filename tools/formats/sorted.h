/* Sorts records of one size with little memory: they are put in any order, and read in the order of a comparison, which
 * is stable. Records that do not fit into memory go to a temporary file, in sorted runs. */
#ifndef TOOLS_SORTED_H
#define TOOLS_SORTED_H

#include <stdbool.h>
#include <stddef.h>

struct sorted;
typedef int sorted_order(const void *left, const void *right);

struct sorted *sorted_new(size_t size, sorted_order *order); /* returns NULL without memory */
bool sorted_put(struct sorted *sorted, const void *record);  /* false and errno: no memory or no disk space */
/* Returns the next record, or NULL past the last one or after an error (sorted_failed). The record is valid until the
 * next call. No record can be put after the first call. */
const void *sorted_next(struct sorted *sorted);
bool sorted_failed(const struct sorted *sorted);
void sorted_free(struct sorted *sorted); /* sorted may be NULL */

#endif
