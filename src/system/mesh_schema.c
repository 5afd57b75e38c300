/* The fields of mesh graph descriptors.
 *
 * Source: tt-metal's mesh_graph_descriptor.proto. tt-metal passes over fields that it does not know; here they are
 * errors, since a misspelt one would change the machine without a word. */
#include "system/mesh_schema.h"

#define LENGTH(list) (sizeof(list) / sizeof(list)[0])

enum message {
    ROOT,
    MESH,
    SWITCH,
    GRID,
    HOSTS,
    CHANNELS,
    EXPRESS,
    GRAPH,
    LAYOUT,
    CONNECTION,
    NODE,
    MESH_REF,
    SWITCH_REF,
    GRAPH_REF,
    PINNING,
    LOGICAL,
    PHYSICAL,
};

enum kind { OF_MESSAGE, OF_STRING, OF_INT, OF_UINT, OF_BOOL, OF_ENUM };
enum words { ARCHITECTURE, POLICY, DIM_TYPE, LAYOUT_TYPE, DIRECTION };

static const char *const words[][7] = {
    [ARCHITECTURE] = { "INVALID_ARCHITECTURE", "WORMHOLE_B0", "BLACKHOLE" },
    [POLICY] = { "INVALID_POLICY", "STRICT", "RELAXED" },
    [DIM_TYPE] = { "INVALID_TYPE", "LINE", "RING" },
    [LAYOUT_TYPE] = { "INVALID_TYPE", "ALL_TO_ALL", "RING" },
    [DIRECTION] = { "INVALID", "N", "E", "S", "W", "C", "NONE" },
};

enum { ONE, MANY };

/* of: enum message of OF_MESSAGE, enum words of OF_ENUM. */
static const struct field {
    uint8_t owner;
    const char *name;
    uint8_t kind, of, many;
} fields[] = {
    { ROOT, "mesh_descriptors", OF_MESSAGE, MESH, MANY },
    { ROOT, "switch_descriptors", OF_MESSAGE, SWITCH, MANY },
    { ROOT, "graph_descriptors", OF_MESSAGE, GRAPH, MANY },
    { ROOT, "top_level_instance", OF_MESSAGE, NODE, ONE },
    { ROOT, "pinnings", OF_MESSAGE, PINNING, MANY },
    { MESH, "name", OF_STRING, 0, ONE },
    { MESH, "arch", OF_ENUM, ARCHITECTURE, ONE },
    { MESH, "device_topology", OF_MESSAGE, GRID, ONE },
    { MESH, "channels", OF_MESSAGE, CHANNELS, ONE },
    { MESH, "host_topology", OF_MESSAGE, HOSTS, ONE },
    { MESH, "express_connections", OF_MESSAGE, EXPRESS, MANY },
    { SWITCH, "name", OF_STRING, 0, ONE },
    { SWITCH, "arch", OF_ENUM, ARCHITECTURE, ONE },
    { SWITCH, "device_topology", OF_MESSAGE, GRID, ONE },
    { SWITCH, "channels", OF_MESSAGE, CHANNELS, ONE },
    { SWITCH, "express_connections", OF_MESSAGE, EXPRESS, MANY },
    { GRID, "dims", OF_INT, 0, MANY },
    { GRID, "dim_types", OF_ENUM, DIM_TYPE, MANY },
    { HOSTS, "dims", OF_INT, 0, MANY },
    { CHANNELS, "count", OF_INT, 0, ONE },
    { CHANNELS, "policy", OF_ENUM, POLICY, ONE },
    { EXPRESS, "src", OF_INT, 0, ONE },
    { EXPRESS, "dst", OF_INT, 0, ONE },
    { GRAPH, "name", OF_STRING, 0, ONE },
    { GRAPH, "type", OF_STRING, 0, ONE },
    { GRAPH, "instances", OF_MESSAGE, NODE, MANY },
    { GRAPH, "graph_topology", OF_MESSAGE, LAYOUT, ONE },
    { GRAPH, "connections", OF_MESSAGE, CONNECTION, MANY },
    { LAYOUT, "layout_type", OF_ENUM, LAYOUT_TYPE, ONE },
    { LAYOUT, "channels", OF_MESSAGE, CHANNELS, ONE },
    { LAYOUT, "assign_z_direction", OF_BOOL, 0, ONE },
    { CONNECTION, "nodes", OF_MESSAGE, NODE, MANY },
    { CONNECTION, "channels", OF_MESSAGE, CHANNELS, ONE },
    { CONNECTION, "directional", OF_BOOL, 0, ONE },
    { CONNECTION, "routing_direction", OF_ENUM, DIRECTION, MANY },
    { CONNECTION, "assign_z_direction", OF_BOOL, 0, ONE },
    { NODE, "mesh", OF_MESSAGE, MESH_REF, ONE },
    { NODE, "switch", OF_MESSAGE, SWITCH_REF, ONE },
    { NODE, "graph", OF_MESSAGE, GRAPH_REF, ONE },
    { MESH_REF, "mesh_descriptor", OF_STRING, 0, ONE },
    { MESH_REF, "mesh_id", OF_INT, 0, ONE },
    { MESH_REF, "device_id", OF_INT, 0, ONE },
    { SWITCH_REF, "switch_descriptor", OF_STRING, 0, ONE },
    { SWITCH_REF, "switch_id", OF_INT, 0, ONE },
    { SWITCH_REF, "device_id", OF_INT, 0, ONE },
    { GRAPH_REF, "graph_descriptor", OF_STRING, 0, ONE },
    { GRAPH_REF, "graph_id", OF_INT, 0, ONE },
    { GRAPH_REF, "sub_ref", OF_MESSAGE, NODE, ONE },
    { PINNING, "logical_fabric_node_id", OF_MESSAGE, LOGICAL, MANY },
    { PINNING, "physical_asic_position", OF_MESSAGE, PHYSICAL, MANY },
    { LOGICAL, "mesh_id", OF_UINT, 0, ONE },
    { LOGICAL, "chip_id", OF_UINT, 0, ONE },
    { LOGICAL, "mesh_id_regex", OF_STRING, 0, ONE },
    { LOGICAL, "chip_id_regex", OF_STRING, 0, ONE },
    { PHYSICAL, "tray_id", OF_UINT, 0, ONE },
    { PHYSICAL, "asic_location", OF_UINT, 0, ONE },
    { PHYSICAL, "tray_id_regex", OF_STRING, 0, ONE },
    { PHYSICAL, "asic_location_regex", OF_STRING, 0, ONE },
};

struct checker {
    struct mesh_graph *graph;
    struct textproto *proto;
};

static const struct field *field_of(enum message owner, const struct proto_node *n) {
    for (unsigned i = 0; i < LENGTH(fields); i++)
        if (fields[i].owner == owner && proto_name_is(n, fields[i].name))
            return &fields[i];
    return NULL;
}

static bool check_enum(struct checker *c, struct proto_node *n, enum words list) {
    for (unsigned i = 0; i < LENGTH(words[list]) && words[list][i]; i++)
        if (n->kind == PROTO_NUMBER ? n->number == i : n->kind == PROTO_WORD && proto_word_is(n, words[list][i])) {
            n->number = i;
            return true;
        }
    if (n->kind == PROTO_WORD)
        return mesh_fail(c->graph, n->line, "%.*s: there is no \"%.*s\"", PROTO_NAME_OF(n), PROTO_WORD_OF(n));
    return mesh_fail(c->graph, n->line, "%.*s: a word such as %s was expected", PROTO_NAME_OF(n), words[list][1]);
}

static bool check_bool(struct checker *c, struct proto_node *n) {
    static const char *const names[] = { "false", "true", "f", "t", "False", "True" };
    for (unsigned i = 0; i < LENGTH(names); i++)
        if (n->kind == PROTO_NUMBER ? n->number == i && i < 2 : n->kind == PROTO_WORD && proto_word_is(n, names[i])) {
            n->number = i % 2;
            return true;
        }
    return mesh_fail(c->graph, n->line, "%.*s: true or false was expected", PROTO_NAME_OF(n));
}

static bool check_scalar(struct checker *c, struct proto_node *n, const struct field *field) {
    const int64_t least = field->kind == OF_UINT ? 0 : INT32_MIN,
                  most = field->kind == OF_UINT ? UINT32_MAX : INT32_MAX;
    switch (field->kind) {
    case OF_ENUM: return check_enum(c, n, field->of);
    case OF_BOOL: return check_bool(c, n);
    case OF_STRING:
        return n->kind == PROTO_STRING ||
               mesh_fail(c->graph, n->line, "%.*s: a text in quotes was expected", PROTO_NAME_OF(n));
    default:
        if (n->kind != PROTO_NUMBER)
            return mesh_fail(c->graph, n->line, "%.*s: a number was expected", PROTO_NAME_OF(n));
        return (n->number >= least && n->number <= most) ||
               mesh_fail(c->graph, n->line, "%.*s: the number does not fit into 32 bits", PROTO_NAME_OF(n));
    }
}

/* Checks the fields of a message, and gives words their numbers. */
static bool check_message(struct checker *c, const struct proto_node *message, enum message owner) {
    for (uint32_t i = message->first; i; i = c->proto->node[i].next) {
        struct proto_node *n = &c->proto->node[i];
        const struct field *field = field_of(owner, n);
        if (!field && message->name)
            return mesh_fail(c->graph, n->line, "%.*s has no field \"%.*s\"", PROTO_NAME_OF(message), PROTO_NAME_OF(n));
        if (!field)
            return mesh_fail(c->graph, n->line, "a mesh graph descriptor has no field \"%.*s\"", PROTO_NAME_OF(n));
        for (uint32_t other = message->first; !field->many && other != i; other = c->proto->node[other].next)
            if (proto_same_name(&c->proto->node[other], n))
                return mesh_fail(c->graph, n->line, "%.*s stands here twice", PROTO_NAME_OF(n));
        if (field->kind != OF_MESSAGE ? !check_scalar(c, n, field)
            : n->kind != PROTO_MESSAGE
                ? !mesh_fail(c->graph, n->line, "%.*s: fields in braces were expected", PROTO_NAME_OF(n))
                : !check_message(c, n, field->of))
            return false;
    }
    return true;
}

bool mesh_schema_check(struct mesh_graph *graph, struct textproto *proto, uint32_t root) {
    struct checker c = { .graph = graph, .proto = proto };
    return check_message(&c, &proto->node[root], ROOT);
}

const char *mesh_schema_arch(int64_t number) {
    return words[ARCHITECTURE][number];
}
