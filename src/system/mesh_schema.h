/* The fields of mesh graph descriptors, and what they may be. */
#ifndef SYSTEM_MESH_SCHEMA_H
#define SYSTEM_MESH_SCHEMA_H

#include "system/mesh.h"
#include "system/textproto.h"

/* Numbers of words. */
enum { ARCH_BLACKHOLE = 2, POLICY_RELAXED = 2, DIM_RING = 2, LAYOUT_ALL_TO_ALL = 1, LAYOUT_RING = 2 };

/* Checks names and kinds of all fields, and gives words their numbers (node.number). Returns false with an error in the
 * graph. */
bool mesh_schema_check(struct mesh_graph *graph, struct textproto *proto, uint32_t root);
/* Returns the name of an architecture. */
const char *mesh_schema_arch(int64_t number);

#endif
