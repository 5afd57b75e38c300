/* Mesh graph descriptors of tt-metal: grids of chips, and the connections between them.
 *
 *   textproto.c   the text form of protocol buffers
 *   mesh_schema.c the fields of descriptors in that form (tt-metal's mesh_graph_descriptor.proto)
 *   mesh_proto.c  what they say
 *   mesh_yaml.c   the form before it, with ChipSpec, Board, Mesh and Graph
 *   mesh.c        the graph that both describe
 *   mesh_wire.c   boards and ports, which no descriptor names
 *
 * A descriptor says how many channels (cables) join two chips or two meshes, not which ports they use. Chips are
 * numbered in the order of the meshes, and in a mesh row by row. */
#ifndef SYSTEM_MESH_H
#define SYSTEM_MESH_H

#include <stdbool.h>
#include <stdint.h>

#include "system/machines.h"

enum { MESH_DIMS = 3, MESH_NAME = 24 };

/* A mesh, or a switch, which is a mesh between meshes. */
struct mesh {
    unsigned line;
    char name[MESH_NAME]; /* of its descriptor, cut if it is longer */
    unsigned id;
    unsigned dim_count, dim[MESH_DIMS];
    bool ring[MESH_DIMS];  /* whether the last chip is joined to the first; from three chips on */
    unsigned channels;     /* between neighbours */
    bool relaxed;          /* fewer channels will do */
    unsigned first, count; /* chips */
};

/* Chips with consecutive numbers: one, those of a mesh, or those of a graph of meshes. */
struct mesh_span {
    unsigned first, count;
};

/* A connection: cables between chips of two spans. */
struct mesh_edge {
    unsigned line;
    struct mesh_span end[2];
    unsigned channels;
    bool relaxed;
};

struct mesh_graph {
    struct mesh *mesh;
    struct mesh_edge *edge;
    uint32_t mesh_count, mesh_room, edge_count, edge_room;
    unsigned chip_count;
    bool has_trays;  /* chips are pinned to places on the trays of a machine */
    char error[240]; /* "line 3: ..."; "" if there is none */
};

/* Sets the error of a line, unless there is one. Returns false. */
bool mesh_fail(struct mesh_graph *graph, unsigned line, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Returns the number of chips of a mesh with these dimensions; 0, with an error, if they are not positive, or if there
 * would be more chips than a system has. */
unsigned mesh_size(struct mesh_graph *graph, const struct mesh *mesh);
/* Adds a mesh with the connections of its grid, and sets first and count. */
bool mesh_add(struct mesh_graph *graph, struct mesh *mesh);
/* Adds a connection. */
bool mesh_join(struct mesh_graph *graph, const struct mesh_edge *edge);
void mesh_free(struct mesh_graph *graph);

/* Reads a descriptor. Returns false with an error in the graph. */
bool mesh_read_proto(struct mesh_graph *graph, const char *text, size_t size);
struct yaml;
bool mesh_read_yaml(struct mesh_graph *graph, const struct yaml *yaml, uint32_t root);

/* What a graph is made of. Numbers of chips are those of the graph. */
struct mesh_wires {
    struct machine_chip *chip; /* as many as the graph has */
    struct bh_link *link;
    uint32_t link_count;
};

/* Chooses boards and ports. Returns false with an error in the graph. The caller frees with mesh_wires_free in any
 * case. */
bool mesh_wire(struct mesh_graph *graph, struct mesh_wires *wires);
void mesh_wires_free(struct mesh_wires *wires);

#endif
