/* Host threads that run the awake tiles of an epoch together with the caller. */
#ifndef CHIP_POOL_H
#define CHIP_POOL_H

#include <stdint.h>

struct bh_chip;
struct pool;

/* Threads besides the caller are created here and live until destroy. NULL if that fails. */
struct pool *pool_create(struct bh_chip *chip, unsigned threads);
void pool_destroy(struct pool *pool); /* NULL is fine */

/* Runs every awake tile up to the given time; tiles that fell asleep have left chip->awake afterwards. */
void pool_run(struct pool *pool, uint64_t until);

#endif
