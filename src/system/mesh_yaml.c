/* Mesh graph descriptors in YAML, as tt-metal read them before it had mesh_graph_descriptor.proto.
 *
 *     ChipSpec: { arch: blackhole, ethernet_ports: { N: 2, E: 2, S: 2, W: 2 } }
 *     Board: [ { name: two, type: Mesh, topology: [1, 2] } ]       # or TORUS_X, TORUS_Y, TORUS_XY
 *     Mesh: [ { id: 0, board: two, device_topology: [1, 2], host_topology: [1, 1] } ]
 *     RelaxedGraph: [ [M0, M1, 4] ]                                # channels between meshes
 *     Graph: [ [[M0, D1], [M1, D0], 2] ]                           # channels between devices
 *
 * Source: tt-metal's mesh_graph.cpp and its descriptors, up to the change that removed them. */
#include <string.h>

#include "system/mesh.h"
#include "system/yaml.h"

struct reader {
    struct mesh_graph *graph;
    const struct yaml *yaml;
    const struct yaml_node *boards;
    unsigned channels;
};

typedef const struct yaml_node *node;

static node at(const struct reader *r, uint32_t number) {
    return number ? &r->yaml->node[number] : NULL;
}

static node first(const struct reader *r, node n) {
    return n ? at(r, n->first) : NULL;
}

static node next(const struct reader *r, node n) {
    return n ? at(r, n->next) : NULL;
}

static node find(const struct reader *r, node map, const char *key) {
    for (node n = first(r, map); n; n = next(r, n))
        if (yaml_key_is(n, key))
            return n;
    return NULL;
}

static bool fail(struct reader *r, node n, const char *what) {
    return mesh_fail(r->graph, n->line, "%s", what);
}

static bool number(struct reader *r, node owner, node n, unsigned *value, const char *what) {
    uint64_t found;
    if (!n || !yaml_word_number(n, &found) || found > INT32_MAX)
        return fail(r, n ? n : owner, what);
    *value = (unsigned)found;
    return true;
}

static bool same_word(node a, node b) {
    return a->size && a->size == b->size && memcmp(a->word, b->word, a->size) == 0;
}

/* ---- Chips and boards -------------------------------------------------------------------------------------------- */

static bool read_chip(struct reader *r, node chip) {
    static const char what[] = "ethernet_ports: a number of ports for each of N, E, S and W was expected";
    static const char *const sides[] = { "N", "E", "S", "W" };
    node arch = find(r, chip, "arch"), ports = find(r, chip, "ethernet_ports");
    if (!arch || arch->kind != YAML_WORD)
        return fail(r, chip, "ChipSpec: arch is missing");
    if (!yaml_word_is(arch, "blackhole") && !yaml_word_is(arch, "BLACKHOLE"))
        return mesh_fail(r->graph, arch->line, "arch: only blackhole is emulated, not %.*s",
                         (int)(arch->size < 40 ? arch->size : 40), arch->word);
    for (unsigned i = 0; i < 4; i++) {
        unsigned count = 0;
        if (!number(r, ports ? ports : chip, find(r, ports, sides[i]), &count, what))
            return false;
        if (i && count != r->channels)
            return fail(r, ports, "ethernet_ports: the same number was expected in all directions");
        r->channels = count;
    }
    return true;
}

static node board_named(const struct reader *r, node name) {
    for (node board = first(r, r->boards); board; board = next(r, board)) {
        node own = find(r, board, "name");
        if (own && name && same_word(own, name))
            return board;
    }
    return NULL;
}

/* Reads a list of two numbers, rows and columns. */
static bool read_pair(struct reader *r, node owner, const char *key, unsigned pair[2]) {
    static const char what[] = "a list of two numbers, rows and columns, was expected";
    node list = find(r, owner, key), rows = first(r, list), columns = next(r, rows);
    if (!columns || next(r, columns))
        return fail(r, list ? list : owner, what);
    if (!number(r, list, rows, &pair[0], what) || !number(r, list, columns, &pair[1], what))
        return false;
    return (pair[0] && pair[1]) || fail(r, list, what);
}

static bool read_rings(struct reader *r, node board, struct mesh *mesh) {
    static const struct {
        const char *name;
        bool rows, columns;
    } types[] = { { "Mesh", false, false },
                  { "MESH", false, false },
                  { "TORUS_X", false, true },
                  { "TORUS_Y", true, false },
                  { "TORUS_XY", true, true } };
    node type = find(r, board, "type");
    for (unsigned i = 0; type && i < sizeof types / sizeof *types; i++)
        if (yaml_word_is(type, types[i].name)) {
            mesh->ring[0] = types[i].rows;
            mesh->ring[1] = types[i].columns;
            return true;
        }
    return fail(r, type ? type : board, "the type of a board is Mesh, TORUS_X, TORUS_Y or TORUS_XY");
}

static bool add_mesh(struct reader *r, node n) {
    struct mesh mesh = { .line = n->line, .dim_count = 2, .channels = r->channels, .relaxed = true };
    unsigned board_size[2] = { 0 }, hosts[2] = { 0 };
    node board_name = find(r, n, "board"), board = board_named(r, board_name);
    if (!board)
        return fail(r, board_name ? board_name : n, "the board of a mesh is none of the list Board");
    if (!number(r, n, find(r, n, "id"), &mesh.id, "the id of a mesh, a number, was expected") ||
        !read_rings(r, board, &mesh) || !read_pair(r, board, "topology", board_size) ||
        !read_pair(r, n, "device_topology", mesh.dim) || !read_pair(r, n, "host_topology", hosts))
        return false;
    for (unsigned i = 0; i < 2; i++)
        if (mesh.dim[i] != (uint64_t)hosts[i] * board_size[i])
            return fail(r, n, "device_topology is not host_topology times the topology of the board");
    for (uint32_t i = 0; i < r->graph->mesh_count; i++)
        if (r->graph->mesh[i].id == mesh.id)
            return fail(r, n, "there is another mesh with this id");
    if (!mesh.channels && (mesh.dim[0] > 1 || mesh.dim[1] > 1))
        return fail(r, n, "a mesh of several chips needs ethernet_ports");
    memcpy(mesh.name, board_name->word, board_name->size < MESH_NAME ? board_name->size : MESH_NAME - 1);
    return mesh_add(r->graph, &mesh);
}

/* ---- Connections ------------------------------------------------------------------------------------------------- */

/* Reads a letter and a number, such as M0. Digits alone are right if the letter may be missing. */
static bool read_name(node n, char *letter, unsigned *value) {
    struct yaml_node digits = { .kind = YAML_WORD };
    uint64_t found;
    if (!n || n->kind != YAML_WORD || !n->size)
        return false;
    bool named = n->word[0] < '0' || n->word[0] > '9';
    digits.word = n->word + named;
    digits.size = n->size - named;
    *letter = named ? n->word[0] : '\0';
    *value = 0;
    if (!yaml_word_number(&digits, &found) || found > INT32_MAX)
        return false;
    *value = (unsigned)found;
    return true;
}

static const struct mesh *mesh_named(struct reader *r, node owner, node n) {
    char letter;
    unsigned id;
    if (!read_name(n, &letter, &id) || (letter && letter != 'M')) {
        (void)fail(r, n ? n : owner, "a mesh such as M0 was expected");
        return NULL;
    }
    for (uint32_t i = 0; i < r->graph->mesh_count; i++)
        if (r->graph->mesh[i].id == id)
            return &r->graph->mesh[i];
    (void)mesh_fail(r->graph, n->line, "there is no mesh with the id %u", id);
    return NULL;
}

/* Reads [M0, M1, 4]. */
static bool add_relaxed(struct reader *r, node n) {
    static const char what[] = "a connection is a list such as [M0, M1, 4]";
    struct mesh_edge edge = { .line = n->line, .relaxed = true };
    node end = first(r, n);
    for (unsigned i = 0; i < 2; i++, end = next(r, end)) {
        const struct mesh *mesh = mesh_named(r, n, end);
        if (!mesh)
            return false;
        edge.end[i] = (struct mesh_span){ mesh->first, mesh->count };
    }
    if (!number(r, n, end, &edge.channels, what))
        return false;
    if (!edge.channels || next(r, end) || edge.end[0].first == edge.end[1].first)
        return fail(r, n, what);
    return mesh_join(r->graph, &edge);
}

/* Reads [M0, D1]. */
static bool read_device(struct reader *r, node n, struct mesh_span *span) {
    static const char what[] = "an end of a connection is a mesh and a device, such as [M0, D1]";
    const struct mesh *mesh = mesh_named(r, n, first(r, n));
    node device = next(r, first(r, n));
    char letter;
    unsigned id;
    if (!mesh)
        return false;
    if (!read_name(device, &letter, &id) || letter != 'D' || next(r, device))
        return fail(r, n, what);
    if (id >= mesh->count)
        return mesh_fail(r->graph, n->line, "mesh %u has devices 0 to %u", mesh->id, mesh->count - 1);
    *span = (struct mesh_span){ mesh->first + id, 1 };
    return true;
}

/* Reads [[M0, D1], [M1, D0], 2]. */
static bool add_strict(struct reader *r, node n) {
    static const char what[] = "a connection is a list such as [[M0, D1], [M1, D0], 2]";
    struct mesh_edge edge = { .line = n->line };
    node end = first(r, n);
    for (unsigned i = 0; i < 2; i++, end = next(r, end))
        if (!end || !end->first)
            return fail(r, n, what);
        else if (!read_device(r, end, &edge.end[i]))
            return false;
    if (!number(r, n, end, &edge.channels, what))
        return false;
    if (!edge.channels || next(r, end) || edge.end[0].first == edge.end[1].first)
        return fail(r, n, what);
    return mesh_join(r->graph, &edge);
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static bool check_keys(struct reader *r, node root) {
    static const char *const keys[] = { "ChipSpec", "Board", "Mesh", "RelaxedGraph", "Graph" };
    for (node n = first(r, root); n; n = next(r, n)) {
        bool known = false;
        for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
            known |= yaml_key_is(n, keys[i]);
        if (!known)
            return mesh_fail(r->graph, n->line, "a mesh graph descriptor has no key \"%.*s\"",
                             (int)(n->key_size < 40 ? n->key_size : 40), n->key);
    }
    return true;
}

bool mesh_read_yaml(struct mesh_graph *graph, const struct yaml *yaml, uint32_t root_number) {
    struct reader r = { .graph = graph, .yaml = yaml };
    node root = at(&r, root_number), chip = find(&r, root, "ChipSpec"), meshes = find(&r, root, "Mesh");
    if (!check_keys(&r, root))
        return false;
    r.boards = find(&r, root, "Board");
    if (!chip || !r.boards || !first(&r, meshes))
        return fail(&r, root, "a mesh graph descriptor has ChipSpec, Board and Mesh");
    if (!read_chip(&r, chip))
        return false;
    for (node n = first(&r, meshes); n; n = next(&r, n))
        if (!add_mesh(&r, n))
            return false;
    for (node n = first(&r, find(&r, root, "RelaxedGraph")); n; n = next(&r, n))
        if (!add_relaxed(&r, n))
            return false;
    for (node n = first(&r, find(&r, root, "Graph")); n; n = next(&r, n))
        if (!add_strict(&r, n))
            return false;
    return true;
}
