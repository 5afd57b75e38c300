/* Host threads that run the awake tiles of an epoch together with the caller. */
#ifndef CHIP_POOL_H
#define CHIP_POOL_H

#include <stdint.h>

struct bh_chip;
struct pool;

/* Returns the number of processors that the host lets this process use. */
unsigned pool_default_threads(void);

/* Creates the host threads, all except the caller's. They live until pool_destroy. Returns NULL on failure. */
struct pool *pool_create(struct bh_chip *chip, unsigned threads);
void pool_destroy(struct pool *pool); /* pool may be NULL */

/* Runs the `count` tiles of the set up to a time and records the outcome: on all threads, or on the caller's alone if
 * that has turned out to be faster. */
void pool_run(struct pool *pool, const uint64_t set[], unsigned count, uint64_t until);

#endif
