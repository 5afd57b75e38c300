/* Inside a tile's end of the NoCs: what both ways of sending have in common (noc.c, loose.c). */
#ifndef TILE_NOC_H
#define TILE_NOC_H

#include "tile/tile.h"

/* Bytes of the sender's go with the request: copies them to where there is room for them. */
bool noc_carries_bytes(const struct noc_request *request);
struct access noc_load_bytes(struct tile *tile, const struct noc_request *request, uint8_t *data);

/* Whose instruction made the request that is being sent. */
void noc_name_core(const struct tile *tile, struct parcel *parcel);
/* What the tile itself cannot do with a packet is told like what a receiver cannot. */
void noc_fail_to_send(struct tile *tile, const struct parcel *parcel, uint64_t time, struct access access);
struct access noc_no_memory(void);

#endif
