/* Records of one size that are put in any order and read in the order of a comparison, stable, with little memory: what
 * does not fit goes to a temporary file in sorted runs. */
#ifndef TOOLS_SORTED_H
#define TOOLS_SORTED_H

#include <stdbool.h>
#include <stddef.h>

struct sorted;
typedef int sorted_order(const void *left, const void *right);

struct sorted *sorted_new(size_t size, sorted_order *order); /* NULL without memory */
bool sorted_put(struct sorted *sorted, const void *record);  /* false and errno: no memory or no disk */
/* Returns the next record, or NULL past the last or after an error (sorted_failed). Nothing can be put any more. The
 * record is valid until the next call. */
const void *sorted_next(struct sorted *sorted);
bool sorted_failed(const struct sorted *sorted);
void sorted_free(struct sorted *sorted); /* may be NULL */

#endif
