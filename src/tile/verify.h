/* The invariants of a tile and its mail, for check builds. */
#ifndef TILE_VERIFY_H
#define TILE_VERIFY_H

#include "tile/tile.h"

void tile_verify_all(const struct tile *tile);
/* Packets on their way to an endpoint, and what its links know of them. link: of both NoCs, of a tile; NULL: the mail
 * is that of several endpoints. */
void verify_mail(const struct mail *mail, const struct noc_link link[2]);
/* Blocks of a pool that are free, in use, and not taken yet. */
void verify_pool(const struct packet_pool *pool);

/* Recomputes what the tile keeps after a run. Does nothing unless the build has checks. */
static inline void tile_verify(const struct tile *tile) {
    if (BH_CHECKS)
        tile_verify_all(tile);
}

#endif
