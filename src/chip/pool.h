/* Host threads that run the awake tiles of an epoch together with the caller. */
#ifndef CHIP_POOL_H
#define CHIP_POOL_H

#include <stdint.h>

struct bh_chip;
struct pool;

/* As many as the host lets this process run on. */
unsigned pool_default_threads(void);

/* Threads besides the caller are created here and live until destroy. NULL if that fails. */
struct pool *pool_create(struct bh_chip *chip, unsigned threads);
void pool_destroy(struct pool *pool); /* NULL is fine */

/* Runs the tiles of the set, so many, up to the given time, and notes what became of them: on all threads, or, if that
 * has turned out to take less time, on the caller's alone. */
void pool_run(struct pool *pool, const uint64_t set[], unsigned count, uint64_t until);

#endif
