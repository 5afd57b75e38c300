/* The invariants of a tile and its mail, for check builds. */
#ifndef TILE_VERIFY_H
#define TILE_VERIFY_H

#include "tile/tile.h"

void tile_verify_all(const struct tile *tile);
/* Checks the queued packets of a mail against its links. link: those of the two NIUs of a tile; NULL if the mail
 * belongs to several tiles. */
void verify_mail(const struct mail *mail, const struct noc_link link[2]);
/* Checks the counts of free and used blocks. */
void verify_pool(const struct packet_pool *pool);

/* Recomputes the derived state of a tile after a run. Does nothing unless the build has checks. */
static inline void tile_verify(const struct tile *tile) {
    if (BH_CHECKS)
        tile_verify_all(tile);
}

#endif
