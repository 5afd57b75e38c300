/* A request in the making: what requests to one tile (noc_world_draw.c) and to many (noc_world_multicast.c) share. */
#ifndef SUPPORT_NOC_WORLD_DRAW_H
#define SUPPORT_NOC_WORLD_DRAW_H

#include "support/noc_world.h"

enum { WORLD_RESULT, WORLD_ACK, WORLD_DATA }; /* of responses */

struct world_draw {
    struct world *world;
    struct world_source *source;
    unsigned number; /* of the source */
    unsigned noc, buffer;
    struct script_request request;
};

uint8_t *world_own(const struct world_draw *d); /* L1 of the source */
/* A length up to a limit; often a small one. */
uint32_t world_length(struct world *world, uint32_t limit);
/* Fresh bytes of FROM or INTO whose address is that of the other side in its low bits; 0: there are none left. */
uint32_t world_take(uint32_t area, uint32_t *used, uint32_t address, uint32_t length);
/* Returns a position in a source's part at a site; may shorten the length. Requests without a response go to a position
 * of their own, since the time of their arrival is unknown. Returns 0 if no position is left. */
uint32_t world_spot(struct world_draw *d, unsigned site, uint32_t *length, bool posted);
unsigned world_packets(uint32_t length); /* of so many bytes */
/* Adds the request to the script; so many packets will come back. */
void world_go(struct world_draw *d, unsigned response, unsigned packets);

/* False: nothing was drawn. */
bool world_multicast(struct world_draw *d, uint32_t limit);
bool world_count_area(struct world_draw *d); /* all receivers count */

#endif
