/* Fuzzes the readers of mesh graph descriptors: any bytes must give a graph or a message with a line, and a graph must
 * give cables that a machine can have. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/mesh.h"
#include "system/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good, const char *what) {
    if (good)
        return;
    fprintf(stderr, "fuzz mesh: %s\n", what);
    abort();
}

static void check_cables(const struct mesh_graph *graph, const struct mesh_wires *wires) {
    uint16_t used[BH_SYSTEM_CHIPS] = { 0 };
    uint64_t asked = 0;
    for (uint32_t i = 0; i < graph->edge_count; i++)
        asked += graph->edge[i].channels;
    check(wires->link_count <= asked, "more cables than channels");
    for (uint32_t i = 0; i < wires->link_count; i++) {
        const struct bh_link *link = &wires->link[i];
        check(link->chip[0] != link->chip[1], "a cable from a chip to itself");
        for (unsigned end = 0; end < 2; end++) {
            check(link->chip[end] < graph->chip_count && link->port[end] < 12, "a port that no chip has");
            check(!(used[link->chip[end]] >> link->port[end] & 1), "a port with two cables");
            used[link->chip[end]] |= (uint16_t)(1u << link->port[end]);
        }
    }
}

static void check_graph(struct mesh_graph *graph, bool read) {
    struct mesh_wires wires = { 0 };
    if (read && mesh_wire(graph, &wires))
        check_cables(graph, &wires);
    else
        check(strncmp(graph->error, "line ", 5) == 0, "no message");
    mesh_wires_free(&wires);
    mesh_free(graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct mesh_graph graph = { 0 }, old = { 0 };
    struct yaml yaml;
    char *text = malloc(size ? size : 1); /* of this size, so that a sanitizer sees a read behind its end */
    check(text, "no memory");
    memcpy(text, data, size);
    check_graph(&graph, mesh_read_proto(&graph, text, size));
    uint32_t root = yaml_parse(&yaml, text, size);
    check(root || strncmp(yaml.error, "line ", 5) == 0, "no message of the YAML reader");
    if (root)
        check_graph(&old, mesh_read_yaml(&old, &yaml, root));
    yaml_free(&yaml);
    free(text);
    return 0;
}
