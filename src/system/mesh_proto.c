/* Mesh graph descriptors in the text form of protocol buffers.
 *
 * Source: tt-metal's mesh_graph_descriptor.proto, MGD_README.md, and the checks of mesh_graph_descriptor.cpp. Which
 * chips stand where (host_topology, pinnings) is checked, and says nothing about cables. */
#include <stdlib.h>
#include <string.h>

#include "system/mesh_schema.h"

#define LENGTH(list) (sizeof(list) / sizeof(list)[0])

enum kind { MESH, SWITCH, GRAPH };

struct reader {
    struct mesh_graph *graph;
    struct textproto proto;
    const struct proto_node *root;
    struct instance *top;
};

typedef const struct proto_node *node;

static node at(const struct reader *r, uint32_t number) {
    return number ? &r->proto.node[number] : NULL;
}

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

static node next_of(const struct reader *r, node n) {
    node other = at(r, n->next);
    while (other && !proto_same_name(other, n))
        other = at(r, other->next);
    return other;
}

static node find(const struct reader *r, node message, const char *name) {
    node n = message ? at(r, message->first) : NULL;
    while (n && !proto_name_is(n, name))
        n = at(r, n->next);
    return n;
}

static int64_t number(const struct reader *r, node message, const char *name) {
    node n = find(r, message, name);
    return n ? n->number : 0;
}

static unsigned count(const struct reader *r, node message, const char *name) {
    unsigned sum = 0;
    for (node n = find(r, message, name); n; n = next_of(r, n))
        sum++;
    return sum;
}

static bool same_word(node a, node b) {
    return a && b && a->size == b->size && memcmp(a->word, b->word, a->size) == 0;
}

/* ---- Instances --------------------------------------------------------------------------------------------------- */

/* A mesh, switch or graph of the machine. Instances of a graph are a list. */
struct instance {
    struct instance *next, *child, *parent;
    node descriptor;
    node reference;
    enum kind kind;
    unsigned id;
    unsigned first, count; /* chips */
};

static const struct {
    const char *member, *name, *id, *list;
    enum kind kind;
} kinds[] = {
    { "mesh", "mesh_descriptor", "mesh_id", "mesh_descriptors", MESH },
    { "switch", "switch_descriptor", "switch_id", "switch_descriptors", SWITCH },
    { "graph", "graph_descriptor", "graph_id", "graph_descriptors", GRAPH },
};

static void free_instance(struct instance *instance) {
    while (instance) {
        struct instance *next = instance->next;
        free_instance(instance->child);
        free(instance);
        instance = next;
    }
}

/* Returns the one reference of a NodeRef, and the index of its kind. */
static node reference_of(struct reader *r, node ref, unsigned *kind) {
    node found = at(r, ref->first);
    if (!found || found->next) {
        (void)mesh_fail(r->graph, ref->line, "%.*s: one mesh, switch or graph was expected", PROTO_NAME_OF(ref));
        return NULL;
    }
    for (*kind = 0; !proto_name_is(found, kinds[*kind].member); ++*kind)
        ;
    return found;
}

/* Returns the descriptor that a reference names. */
static node descriptor_of(struct reader *r, node reference, unsigned kind) {
    node name = find(r, reference, kinds[kind].name);
    for (node n = find(r, r->root, kinds[kind].list); n && name; n = next_of(r, n))
        if (same_word(find(r, n, "name"), name))
            return n;
    if (name)
        (void)mesh_fail(r->graph, name->line, "%s: there is no \"%.*s\"", kinds[kind].name, PROTO_WORD_OF(name));
    else
        (void)mesh_fail(r->graph, reference->line, "%s is missing", kinds[kind].name);
    return NULL;
}

static bool read_id(struct reader *r, node reference, unsigned kind, unsigned *id) {
    int64_t value = number(r, reference, kinds[kind].id);
    *id = (unsigned)value;
    return value >= 0 || mesh_fail(r->graph, reference->line, "%s: a number from 0 on was expected", kinds[kind].id);
}

/* A count of channels: at least one. */
static bool read_channels(struct reader *r, node owner, bool relaxed, struct mesh_edge *edge) {
    node channels = find(r, owner, "channels"), policy = find(r, channels, "policy");
    int64_t value = number(r, channels, "count");
    edge->channels = (unsigned)value;
    edge->relaxed = policy ? policy->number == POLICY_RELAXED : relaxed;
    if (value >= 1)
        return true;
    if (find(r, channels, "count"))
        return mesh_fail(r->graph, channels->line, "channels: a count of at least 1 was expected");
    return mesh_fail(r->graph, owner->line, "%.*s: channels with a count are missing", PROTO_NAME_OF(owner));
}

static bool read_dims(struct reader *r, node grid, struct mesh *mesh) {
    node dim = find(r, grid, "dims"), type = find(r, grid, "dim_types");
    for (; dim; dim = next_of(r, dim)) {
        if (mesh->dim_count == MESH_DIMS)
            return mesh_fail(r->graph, dim->line, "a mesh of Blackhole chips has at most %d dimensions", MESH_DIMS);
        if (dim->number < 1)
            return mesh_fail(r->graph, dim->line, "dims: a number of at least 1 was expected");
        mesh->ring[mesh->dim_count] = type && type->number == DIM_RING;
        mesh->dim[mesh->dim_count++] = (unsigned)dim->number;
        type = type ? next_of(r, type) : NULL;
    }
    return !type || mesh_fail(r->graph, type->line, "dim_types: there are more of them than dims");
}

/* Hosts divide a mesh evenly. */
static bool check_hosts(struct reader *r, node descriptor, const struct mesh *mesh) {
    node hosts = find(r, descriptor, "host_topology"), dim = find(r, hosts, "dims");
    if (!dim)
        return mesh_fail(r->graph, descriptor->line, "host_topology with dims is missing");
    for (unsigned i = 0; i < mesh->dim_count; i++, dim = dim ? next_of(r, dim) : NULL)
        if (!dim || dim->number < 1 || mesh->dim[i] % (uint64_t)dim->number)
            return mesh_fail(r->graph, hosts->line, "host_topology does not divide device_topology");
    return !dim || mesh_fail(r->graph, hosts->line, "host_topology has more dimensions than device_topology");
}

static bool check_arch(struct reader *r, node descriptor) {
    node arch = find(r, descriptor, "arch");
    if (!arch)
        return mesh_fail(r->graph, descriptor->line, "arch is missing");
    return arch->number == ARCH_BLACKHOLE ||
           mesh_fail(r->graph, arch->line, "arch: only BLACKHOLE is emulated, not %s", mesh_schema_arch(arch->number));
}

/* Reads what a descriptor of a mesh or a switch says. */
static bool read_mesh(struct reader *r, node descriptor, bool hosts, struct mesh *mesh) {
    struct mesh_edge channels;
    *mesh = (struct mesh){ .line = descriptor->line };
    if (!read_channels(r, descriptor, hosts, &channels) || !read_dims(r, find(r, descriptor, "device_topology"), mesh))
        return false;
    mesh->channels = channels.channels;
    mesh->relaxed = channels.relaxed;
    if (!mesh->dim_count)
        return mesh_fail(r->graph, descriptor->line, "device_topology with dims is missing");
    return mesh_size(r->graph, mesh) && (!hosts || check_hosts(r, descriptor, mesh));
}

static bool add_express(struct reader *r, node descriptor, const struct mesh *mesh) {
    for (node n = find(r, descriptor, "express_connections"); n; n = next_of(r, n)) {
        int64_t from = number(r, n, "src"), to = number(r, n, "dst");
        if (from < 0 || to < 0 || from >= mesh->count || to >= mesh->count)
            return mesh_fail(r->graph, n->line, "express_connections: the mesh has devices 0 to %u", mesh->count - 1);
        if (from == to)
            return mesh_fail(r->graph, n->line, "express_connections: src and dst are the same device");
        const struct mesh_edge edge = {
            .line = n->line,
            .end = { { mesh->first + (unsigned)from, 1 }, { mesh->first + (unsigned)to, 1 } },
            .channels = mesh->channels,
            .relaxed = mesh->relaxed,
        };
        if (!mesh_join(r->graph, &edge))
            return false;
    }
    return true;
}

static bool add_mesh(struct reader *r, struct instance *instance) {
    struct mesh mesh;
    node name = find(r, instance->descriptor, "name");
    if (!read_mesh(r, instance->descriptor, instance->kind == MESH, &mesh))
        return false;
    mesh.id = instance->id;
    size_t size = name->size < sizeof mesh.name - 1 ? name->size : sizeof mesh.name - 1;
    memcpy(mesh.name, name->word, size);
    if (!mesh_add(r->graph, &mesh))
        return false;
    instance->first = mesh.first;
    instance->count = mesh.count;
    return add_express(r, instance->descriptor, &mesh);
}

static struct instance *add_instance(struct reader *r, node ref, struct instance *parent, struct instance **place);

/* A graph must not contain one of its own type: so it is never part of itself. */
static bool check_types(struct reader *r, const struct instance *graph) {
    node type = find(r, graph->descriptor, "type");
    for (const struct instance *above = graph->parent; above; above = above->parent)
        if (same_word(find(r, above->descriptor, "type"), type))
            return mesh_fail(r->graph, graph->reference->line, "a graph of type \"%.*s\" is inside of another",
                             PROTO_WORD_OF(type));
    return true;
}

static bool add_members(struct reader *r, struct instance *graph) {
    struct instance **place = &graph->child;
    graph->first = r->graph->chip_count;
    if (!check_types(r, graph))
        return false;
    for (node ref = find(r, graph->descriptor, "instances"); ref; ref = next_of(r, ref)) {
        struct instance *member = add_instance(r, ref, graph, place);
        if (!member)
            return false;
        for (const struct instance *other = graph->child; other != member; other = other->next)
            if (other->id == member->id)
                return mesh_fail(r->graph, ref->line, "the graph has two instances with the id %u", member->id);
        place = &member->next;
    }
    graph->count = r->graph->chip_count - graph->first;
    return true;
}

/* Adds what a NodeRef names to the machine. */
static struct instance *add_instance(struct reader *r, node ref, struct instance *parent, struct instance **place) {
    unsigned kind, id;
    node reference = reference_of(r, ref, &kind), descriptor = reference ? descriptor_of(r, reference, kind) : NULL;
    if (!descriptor || !read_id(r, reference, kind, &id))
        return NULL;
    if (find(r, reference, "device_id") || find(r, reference, "sub_ref")) {
        (void)mesh_fail(r->graph, reference->line, "an instance is a whole mesh, switch or graph");
        return NULL;
    }
    struct instance *made = calloc(1, sizeof *made);
    if (!made) {
        (void)mesh_fail(r->graph, ref->line, "no memory left");
        return NULL;
    }
    *made = (struct instance){
        .parent = parent, .descriptor = descriptor, .reference = reference, .kind = kinds[kind].kind, .id = id
    };
    *place = made;
    return (made->kind == GRAPH ? add_members(r, made) : add_mesh(r, made)) ? made : NULL;
}

/* ---- Connections between meshes ---------------------------------------------------------------------------------- */

/* Finds the chips that a NodeRef names, in a graph. */
static bool find_span(struct reader *r, const struct instance *graph, node ref, struct mesh_span *span) {
    unsigned kind, id;
    node reference = reference_of(r, ref, &kind), sub;
    if (!reference || !descriptor_of(r, reference, kind) || !read_id(r, reference, kind, &id))
        return false;
    const struct instance *found = graph->child;
    while (found && (found->id != id || found->kind != kinds[kind].kind))
        found = found->next;
    if (!found)
        return mesh_fail(r->graph, reference->line, "the graph has no %s with the id %u", kinds[kind].member, id);
    if (found->descriptor != descriptor_of(r, reference, kind))
        return mesh_fail(r->graph, reference->line, "the %s with the id %u has another descriptor", kinds[kind].member,
                         id);
    if ((sub = find(r, reference, "sub_ref")))
        return find_span(r, found, sub, span);
    *span = (struct mesh_span){ found->first, found->count };
    node device = find(r, reference, "device_id");
    if (!device)
        return true;
    if (device->number < 0 || device->number >= found->count)
        return mesh_fail(r->graph, device->line, "device_id: the mesh has devices 0 to %u", found->count - 1);
    *span = (struct mesh_span){ found->first + (unsigned)device->number, 1 };
    return true;
}

static bool overlap(struct mesh_span a, struct mesh_span b) {
    return a.first < b.first + b.count && b.first < a.first + a.count;
}

static bool same_span(struct mesh_span a, struct mesh_span b) {
    return a.first == b.first && a.count == b.count;
}

/* A connection with the ends of another in reverse order is the same one: converted descriptors have both. */
static bool is_reverse(const struct mesh_edge *a, const struct mesh_edge *b) {
    return a->channels == b->channels && same_span(a->end[0], b->end[1]) && same_span(a->end[1], b->end[0]);
}

static bool add_connection(struct reader *r, const struct instance *graph, node n, uint32_t first_edge) {
    struct mesh_edge edge = { .line = n->line };
    node from = find(r, n, "nodes"), to = from ? next_of(r, from) : NULL;
    if (!to || next_of(r, to))
        return mesh_fail(r->graph, n->line, "connections: two nodes were expected");
    if (number(r, n, "directional"))
        return mesh_fail(r->graph, n->line, "connections: a cable has both directions; directional is not possible");
    if (!read_channels(r, n, false, &edge) || !find_span(r, graph, from, &edge.end[0]) ||
        !find_span(r, graph, to, &edge.end[1]))
        return false;
    if (overlap(edge.end[0], edge.end[1]))
        return mesh_fail(r->graph, n->line, "connections: both nodes are the same, or one is in the other");
    for (uint32_t i = first_edge; i < r->graph->edge_count; i++) {
        const struct mesh_edge *other = &r->graph->edge[i];
        if (is_reverse(other, &edge))
            return true;
        if (same_span(other->end[0], edge.end[0]) && same_span(other->end[1], edge.end[1]))
            return mesh_fail(r->graph, n->line, "connections: line %u joins the same nodes", other->line);
    }
    return mesh_join(r->graph, &edge);
}

static bool join_members(struct reader *r, node layout, const struct instance *a, const struct instance *b) {
    struct mesh_edge edge = { .line = layout->line, .end = { { a->first, a->count }, { b->first, b->count } } };
    return read_channels(r, layout, false, &edge) && mesh_join(r->graph, &edge);
}

/* ALL_TO_ALL: every member with every other. RING: every member with the next, the last with the first. */
static bool add_layout(struct reader *r, const struct instance *graph, node layout) {
    int64_t type = number(r, layout, "layout_type");
    const struct instance *first = graph->child, *a, *b;
    if (type != LAYOUT_ALL_TO_ALL && type != LAYOUT_RING)
        return mesh_fail(r->graph, layout->line, "graph_topology: layout_type ALL_TO_ALL or RING was expected");
    for (a = first; type == LAYOUT_ALL_TO_ALL && a; a = a->next)
        for (b = a->next; b; b = b->next)
            if (!join_members(r, layout, a, b))
                return false;
    for (a = first; type == LAYOUT_RING && a; a = a->next) {
        b = a->next ? a->next : first;
        bool same = a == b || (!a->next && first->next == a); /* a ring of two has one connection */
        if (!same && !join_members(r, layout, a, b))
            return false;
    }
    return true;
}

static bool add_connections(struct reader *r, const struct instance *graph) {
    node layout = find(r, graph->descriptor, "graph_topology");
    for (const struct instance *member = graph->child; member; member = member->next)
        if (member->kind == GRAPH && !add_connections(r, member))
            return false;
    if (graph->kind != GRAPH)
        return true;
    const uint32_t first_edge = r->graph->edge_count;
    for (node n = find(r, graph->descriptor, "connections"); n; n = next_of(r, n))
        if (!add_connection(r, graph, n, first_edge))
            return false;
    return !layout || add_layout(r, graph, layout);
}

/* ---- Descriptors that are not used, and pinnings ----------------------------------------------------------------- */

/* Checks the descriptors of a kind: each has a name of its own. */
static bool check_names(struct reader *r, unsigned kind) {
    unsigned number_of_them = 0;
    for (node n = find(r, r->root, kinds[kind].list); n; n = next_of(r, n)) {
        node name = find(r, n, "name");
        if (!name || !name->size)
            return mesh_fail(r->graph, n->line, "%s: the name is missing", kinds[kind].list);
        if (++number_of_them > BH_SYSTEM_CHIPS)
            return mesh_fail(r->graph, n->line, "%s: there are too many", kinds[kind].list);
        for (node other = find(r, r->root, kinds[kind].list); other != n; other = next_of(r, other))
            if (same_word(find(r, other, "name"), name))
                return mesh_fail(r->graph, name->line, "%s: there are two with the name \"%.*s\"", kinds[kind].list,
                                 PROTO_WORD_OF(name));
    }
    return true;
}

static bool check_descriptors(struct reader *r) {
    struct mesh mesh;
    for (unsigned kind = 0; kind < LENGTH(kinds); kind++)
        if (!check_names(r, kind))
            return false;
    for (unsigned kind = 0; kinds[kind].kind != GRAPH; kind++)
        for (node n = find(r, r->root, kinds[kind].list); n; n = next_of(r, n))
            if (!check_arch(r, n) || !read_mesh(r, n, kinds[kind].kind == MESH, &mesh))
                return false;
    for (node n = find(r, r->root, "graph_descriptors"); n; n = next_of(r, n)) {
        node type = find(r, n, "type");
        if (!type || !type->size)
            return mesh_fail(r->graph, n->line, "graph_descriptors: the type is missing");
        if (!find(r, n, "instances"))
            return mesh_fail(r->graph, n->line, "graph_descriptors: a graph has at least one instance");
    }
    return true;
}

/* A number and its pattern exclude each other; one of them is needed. */
static bool check_choice(struct reader *r, node n, const char *name, const char *pattern) {
    node text = find(r, n, pattern);
    if (text && !text->size)
        text = NULL;
    if (!text && !find(r, n, name))
        return mesh_fail(r->graph, n->line, "pinnings: %s is missing", name);
    return !text || !find(r, n, name) ||
           mesh_fail(r->graph, n->line, "pinnings: %s and %s exclude each other", name, pattern);
}

static const struct mesh *mesh_with_id(const struct mesh_graph *graph, int64_t id) {
    for (uint32_t i = 0; i < graph->mesh_count; i++)
        if (graph->mesh[i].id == id)
            return &graph->mesh[i];
    return NULL;
}

/* Checks that a device exists, and is in one pinning only. */
static bool check_logical(struct reader *r, node n, bool *pinned) {
    node mesh_id = find(r, n, "mesh_id"), chip_id = find(r, n, "chip_id");
    if (!check_choice(r, n, "mesh_id", "mesh_id_regex") || !check_choice(r, n, "chip_id", "chip_id_regex"))
        return false;
    const struct mesh *mesh = mesh_id ? mesh_with_id(r->graph, mesh_id->number) : NULL;
    if (mesh_id && !mesh)
        return mesh_fail(r->graph, mesh_id->line, "pinnings: there is no mesh with the id %u",
                         (unsigned)mesh_id->number);
    if (!mesh || !chip_id)
        return true;
    if (chip_id->number >= mesh->count)
        return mesh_fail(r->graph, chip_id->line, "pinnings: mesh %u has chips 0 to %u", mesh->id, mesh->count - 1);
    bool *one = &pinned[mesh->first + (unsigned)chip_id->number];
    if (*one)
        return mesh_fail(r->graph, n->line, "pinnings: chip %u of mesh %u is pinned twice", (unsigned)chip_id->number,
                         mesh->id);
    return *one = true;
}

static bool check_pinnings(struct reader *r) {
    bool pinned[BH_SYSTEM_CHIPS] = { false };
    for (node n = find(r, r->root, "pinnings"); n; n = next_of(r, n)) {
        r->graph->has_trays = true;
        if (!count(r, n, "logical_fabric_node_id") || !count(r, n, "physical_asic_position"))
            return mesh_fail(r->graph, n->line, "pinnings: a node and a position were expected");
        for (node node_id = find(r, n, "logical_fabric_node_id"); node_id; node_id = next_of(r, node_id))
            if (!check_logical(r, node_id, pinned))
                return false;
        for (node place = find(r, n, "physical_asic_position"); place; place = next_of(r, place))
            if (!check_choice(r, place, "tray_id", "tray_id_regex") ||
                !check_choice(r, place, "asic_location", "asic_location_regex"))
                return false;
    }
    return true;
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static bool read_root(struct reader *r) {
    node top = find(r, r->root, "top_level_instance");
    if (!find(r, r->root, "mesh_descriptors") && !find(r, r->root, "switch_descriptors"))
        return mesh_fail(r->graph, 1, "mesh_descriptors are missing");
    if (!check_descriptors(r))
        return false;
    if (!top)
        return mesh_fail(r->graph, 1, "top_level_instance is missing");
    return add_instance(r, top, NULL, &r->top) && add_connections(r, r->top) && check_pinnings(r);
}

bool mesh_read_proto(struct mesh_graph *graph, const char *text, size_t size) {
    struct reader r = { .graph = graph };
    uint32_t root = textproto_parse(&r.proto, text, size);
    bool ok = root != 0;
    if (!ok)
        memcpy(graph->error, r.proto.error, sizeof r.proto.error);
    r.root = at(&r, root);
    ok = ok && mesh_schema_check(graph, &r.proto, root) && read_root(&r);
    free_instance(r.top);
    textproto_free(&r.proto);
    return ok;
}
