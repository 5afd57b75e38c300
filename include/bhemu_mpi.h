/* The ranks of MPI as a transport for systems (bh_system_ranks of bhemu.h, docs/system.md). Link with libbhemu_mpi,
 * which is made when the build has found MPI. */
#ifndef BHEMU_MPI_H
#define BHEMU_MPI_H

#include "bhemu.h"

/* Begins MPI, unless that has happened, and fills in the transport. All ranks call it, once, and close the transport at
 * the end; that ends MPI if this function has begun it. Returns false and a message of up to size bytes. A rank that
 * waits for another one for more than BHEMU_MPI_TIMEOUT seconds of the environment (600) gives up. */
__attribute__((visibility("default"))) bool bhemu_mpi_open(struct bh_transport *transport, char *message, size_t size);

#endif
