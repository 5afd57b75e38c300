/* Ports of cables as bytes, for files (save.c) and for other processes (ranks.c), and as a number. */
#ifndef SYSTEM_PORTS_H
#define SYSTEM_PORTS_H

#include "base/state.h"
#include "tile/eth_port.h"

void ports_put_frame(struct state_out *out, const struct eth_frame *frame);
/* Returns NULL if the bytes are not a frame (in->failed), or if there is no memory. */
struct eth_frame *ports_get_frame(struct state_in *in);

/* Writes the state of a port with its frames and records. */
void ports_put(struct state_out *out, const struct eth_port *port);
/* Reads the state of a port, which keeps its configuration. Returns false if the bytes are not a port (in->failed), or
 * if there is no memory; then some of it has been read. */
bool ports_get(struct state_in *in, struct eth_port *port);

uint64_t ports_hash(uint64_t hash, const struct eth_port *port);

#endif
