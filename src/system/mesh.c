/* Graphs of meshes: see mesh.h. */
#include "system/mesh.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/line.h"
#include "base/list.h"

bool mesh_fail(struct mesh_graph *graph, unsigned line, const char *format, ...) {
    va_list list;
    if (graph->error[0])
        return false;
    line_put(graph->error, sizeof graph->error, "line %u: ", line);
    va_start(list, format);
    line_add_list(graph->error, sizeof graph->error, format, list);
    va_end(list);
    return false;
}

unsigned mesh_size(struct mesh_graph *graph, const struct mesh *mesh) {
    uint64_t count = 1;
    for (unsigned i = 0; i < mesh->dim_count; i++) {
        if (!mesh->dim[i])
            return mesh_fail(graph, mesh->line, "a mesh has at least one chip in each dimension");
        count *= mesh->dim[i];
        if (count > BH_SYSTEM_CHIPS)
            return mesh_fail(graph, mesh->line, "a mesh has more chips than a system can have (%d)", BH_SYSTEM_CHIPS);
    }
    return (unsigned)count;
}

bool mesh_join(struct mesh_graph *graph, const struct mesh_edge *edge) {
    if (graph->edge_count == BH_SYSTEM_LINKS)
        return mesh_fail(graph, edge->line, "there are more connections than cables in a system (%d)", BH_SYSTEM_LINKS);
    struct mesh_edge *list = list_room(graph->edge, graph->edge_count, &graph->edge_room, sizeof *list);
    if (!list)
        return mesh_fail(graph, edge->line, "no memory left");
    graph->edge = list;
    list[graph->edge_count++] = *edge;
    return true;
}

/* Adds the connection to the next chip of a dimension. stride: between chips that are neighbours in it. */
static bool join_next(struct mesh_graph *graph, const struct mesh *mesh, unsigned chip, unsigned dim, unsigned stride) {
    unsigned size = mesh->dim[dim], at = chip / stride % size, next = chip + stride;
    if (at + 1 == size) {
        if (!mesh->ring[dim] || size < 3)
            return true;
        next = chip - at * stride;
    }
    const struct mesh_edge edge = {
        .line = mesh->line,
        .end = { { mesh->first + chip, 1 }, { mesh->first + next, 1 } },
        .channels = mesh->channels,
        .relaxed = mesh->relaxed,
    };
    return mesh_join(graph, &edge);
}

static bool join_grid(struct mesh_graph *graph, const struct mesh *mesh) {
    for (unsigned chip = 0; chip < mesh->count; chip++)
        for (unsigned dim = mesh->dim_count, stride = 1; dim-- > 0; stride *= mesh->dim[dim])
            if (!join_next(graph, mesh, chip, dim, stride))
                return false;
    return true;
}

bool mesh_add(struct mesh_graph *graph, struct mesh *mesh) {
    mesh->first = graph->chip_count;
    mesh->count = mesh_size(graph, mesh);
    if (!mesh->count)
        return false;
    if (mesh->count > BH_SYSTEM_CHIPS - graph->chip_count)
        return mesh_fail(graph, mesh->line, "the meshes have more chips than a system can have (%d)", BH_SYSTEM_CHIPS);
    struct mesh *list = list_room(graph->mesh, graph->mesh_count, &graph->mesh_room, sizeof *list);
    if (!list)
        return mesh_fail(graph, mesh->line, "no memory left");
    graph->mesh = list;
    list[graph->mesh_count++] = *mesh;
    graph->chip_count += mesh->count;
    return join_grid(graph, mesh);
}

void mesh_free(struct mesh_graph *graph) {
    free(graph->mesh);
    free(graph->edge);
    graph->mesh = NULL;
    graph->edge = NULL;
}
