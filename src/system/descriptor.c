/* Chips and cables from a text: tt-umd's cluster descriptor, a shorter form with the same meaning, or tt-metal's mesh
 * graph descriptor (mesh.h). What the text begins with tells them apart.
 *
 *     machine: quietbox              # all chips and cables of a machine (machines.c), or
 *     chips: 2                       # so many chips
 *     board: p150                    # of this kind
 *     links:
 *       - 0.2 1.9                    # chip.port of both ends
 *       - 0.3 1.8 latency=600 rate=200
 *
 * Of a cluster descriptor, arch, ethernet_connections, harvesting, boards and asic_locations are used; what else tt-umd
 * writes says nothing about chips and cables inside of the machine, and is passed over. An unknown key is an error. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "system/mesh.h"
#include "system/textproto.h"
#include "system/yaml.h"

enum { COLUMNS = 14 };
_Static_assert(BH_SYSTEM_CHIPS == 2048, "messages below name the limit");

struct reader {
    bh_system *system;
    struct yaml yaml;
    const struct yaml_node *section[16]; /* by enum section; NULL: the text has none */
    bh_status status;
    unsigned first_chip, chip_count;
    enum bh_board board;
    struct bh_config config[BH_SYSTEM_CHIPS];
};

enum section { ARCH, CHIPS, MACHINE, BOARD, CONNECTIONS, HARVESTING, BOARDS, LOCATIONS, LINKS, USED };

static const char *const names[] = {
    [ARCH] = "arch",
    [CHIPS] = "chips",
    [MACHINE] = "machine",
    [BOARD] = "board",
    [CONNECTIONS] = "ethernet_connections",
    [HARVESTING] = "harvesting",
    [BOARDS] = "boards",
    [LOCATIONS] = "asic_locations",
    [LINKS] = "links",
};

static const char *const passed_over[] = {
    "chip_unique_ids", "ethernet_connections_to_remote_devices", "chips_with_mmio", "io_device_type", "chip_to_bus_id",
    "chip_pci_bdfs",
};

#define LENGTH(list) (sizeof(list) / sizeof(list)[0])

static bool fail(struct reader *r, const struct yaml_node *node, const char *what) {
    if (r->status == BH_OK)
        r->status = system_fail(r->system, BH_ERR_ARGUMENT, "line %u: %s", node->line, what);
    return false;
}

/* Puts the line before the message of a call that has failed. */
static bool call(struct reader *r, const struct yaml_node *node, bh_status status) {
    char message[SYSTEM_MESSAGE_SIZE];
    if (status == BH_OK)
        return true;
    memcpy(message, r->system->message, sizeof message);
    if (r->status == BH_OK)
        r->status = system_fail(r->system, status, "line %u: %s", node->line, message);
    return false;
}

static const struct yaml_node *entry(const struct reader *r, uint32_t number) {
    return number ? &r->yaml.node[number] : NULL;
}

static const struct yaml_node *first(const struct reader *r, const struct yaml_node *node) {
    return node ? entry(r, node->first) : NULL;
}

static const struct yaml_node *next(const struct reader *r, const struct yaml_node *node) {
    return entry(r, node->next);
}

static const struct yaml_node *find(const struct reader *r, const struct yaml_node *map, const char *key) {
    for (const struct yaml_node *node = first(r, map); node; node = next(r, node))
        if (yaml_key_is(node, key))
            return node;
    return NULL;
}

static bool number(struct reader *r, const struct yaml_node *node, uint64_t most, unsigned *value, const char *what) {
    uint64_t found;
    if (!yaml_word_number(node, &found) || found > most)
        return fail(r, node, what);
    *value = (unsigned)found;
    return true;
}

/* ---- Sections --------------------------------------------------------------------------------------------------- */

static bool sort_sections(struct reader *r, const struct yaml_node *root) {
    if (root->kind != YAML_MAP)
        return fail(r, root, "a descriptor consists of keys with values");
    for (const struct yaml_node *node = first(r, root); node; node = next(r, node)) {
        bool known = false;
        for (unsigned i = 0; i < USED; i++) {
            if (!yaml_key_is(node, names[i]))
                continue;
            if (r->section[i])
                return fail(r, node, "the key stands in the text twice");
            r->section[i] = node;
            known = true;
        }
        for (unsigned i = 0; i < LENGTH(passed_over); i++)
            known |= yaml_key_is(node, passed_over[i]);
        if (!known) {
            char what[120];
            snprintf(what, sizeof what, "a descriptor has no key \"%.*s\"",
                     (int)(node->key_size < 60 ? node->key_size : 60), node->key);
            return fail(r, node, what);
        }
    }
    return true;
}

/* ---- Chips ------------------------------------------------------------------------------------------------------- */

static bool board_of(struct reader *r, const struct yaml_node *node, enum bh_board *board) {
    static const struct {
        const char *name;
        enum bh_board board;
    } list[] = {
        { "p150", BH_BOARD_P150 },     { "p150a", BH_BOARD_P150 },           { "p150b", BH_BOARD_P150 },
        { "p100", BH_BOARD_P100A },    { "p100a", BH_BOARD_P100A },          { "p300", BH_BOARD_P300 },
        { "p300a", BH_BOARD_P300 },    { "p300b", BH_BOARD_P300 },           { "p300c", BH_BOARD_P300 },
        { "galaxy", BH_BOARD_GALAXY }, { "ubb_blackhole", BH_BOARD_GALAXY },
    };
    for (unsigned i = 0; i < LENGTH(list); i++)
        if (yaml_word_is(node, list[i].name)) {
            *board = list[i].board;
            return true;
        }
    return fail(r, node, "the board is none of p150, p100a, p300, galaxy");
}

/* Counts chips: by `chips`, or by the numbers in `arch`, which have to be 0 and up. */
static bool count_chips(struct reader *r) {
    const struct yaml_node *count = r->section[CHIPS], *arch = r->section[ARCH];
    bool seen[BH_SYSTEM_CHIPS] = { false };
    uint64_t chip;
    if (count && count->kind == YAML_WORD && count->size)
        return number(r, count, BH_SYSTEM_CHIPS, &r->chip_count,
                      "chips: a number of chips, at most 2048, was expected");
    for (const struct yaml_node *node = first(r, arch); node; node = next(r, node)) {
        if (!yaml_key_number(node, &chip) || chip >= BH_SYSTEM_CHIPS || seen[chip])
            return fail(r, node, "arch: the number of a chip was expected, each once, up to 2047");
        if (!yaml_word_is(node, "blackhole"))
            return fail(r, node, "arch: only chips of the architecture blackhole are emulated");
        seen[chip] = true;
        r->chip_count++;
    }
    for (unsigned i = 0; i < r->chip_count; i++)
        if (!seen[i])
            return fail(r, arch, "arch: the numbers of chips are not 0, 1, 2 and so on");
    return true;
}

static bool chip_key(struct reader *r, const struct yaml_node *node, uint64_t *chip) {
    if (yaml_key_number(node, chip) && *chip < r->chip_count)
        return true;
    return fail(r, node, "the number of a chip was expected, and there are not so many chips");
}

/* tt-umd counts columns from the left, telemetry from the outside in. */
static uint16_t harvest_of(unsigned columns) {
    unsigned mask = 0;
    for (unsigned i = 0; i < COLUMNS; i++)
        if (columns >> i & 1)
            mask |= 1u << (i < COLUMNS / 2 ? 2 * i : 2 * COLUMNS - 1 - 2 * i);
    return (uint16_t)mask;
}

static bool read_harvesting(struct reader *r) {
    static const char what[] = "harvesting: a mask was expected";
    for (const struct yaml_node *node = first(r, r->section[HARVESTING]); node; node = next(r, node)) {
        const struct yaml_node *tensix = find(r, node, "harvest_mask"), *eth = find(r, node, "eth_harvesting_mask"),
                               *dram = find(r, node, "dram_harvesting_mask");
        uint64_t chip;
        unsigned mask = 0;
        if (!chip_key(r, node, &chip))
            return false;
        struct bh_config *config = &r->config[chip];
        if (tensix && number(r, tensix, 0x3FFF, &mask, what))
            config->tensix_harvest = harvest_of(mask);
        if (eth && number(r, eth, 0x3FFF, &mask, what))
            config->eth_harvest = (uint16_t)mask;
        if (dram && number(r, dram, 0xFF, &mask, what))
            config->dram_harvest = (uint8_t)mask;
    }
    return r->status == BH_OK;
}

static bool read_locations(struct reader *r) {
    for (const struct yaml_node *node = first(r, r->section[LOCATIONS]); node; node = next(r, node)) {
        uint64_t chip;
        unsigned location = 0;
        if (!chip_key(r, node, &chip) ||
            !number(r, node, 255, &location, "asic_locations: a number up to 255 was expected"))
            return false;
        r->config[chip].location = (uint8_t)location;
    }
    return true;
}

/* A board is a list of maps with one key each: board_id, board_type, chips. */
static bool read_board(struct reader *r, const struct yaml_node *board, unsigned serial) {
    const struct yaml_node *type = NULL, *chips = NULL;
    enum bh_board kind = r->board;
    for (const struct yaml_node *part = first(r, board); part; part = next(r, part)) {
        type = find(r, part, "board_type") ? find(r, part, "board_type") : type;
        chips = find(r, part, "chips") ? find(r, part, "chips") : chips;
    }
    if (type && !board_of(r, type, &kind))
        return false;
    for (const struct yaml_node *node = first(r, chips); node; node = next(r, node)) {
        static const char what[] = "boards: the number of a chip was expected, and there are not so many chips";
        unsigned chip = 0;
        if (!number(r, node, BH_SYSTEM_CHIPS, &chip, what) || chip >= r->chip_count)
            return fail(r, node, what);
        system_config(r->system, &r->config[chip], kind);
        r->config[chip].serial = serial;
    }
    return true;
}

static bool read_boards(struct reader *r) {
    unsigned serial = r->first_chip;
    for (const struct yaml_node *node = first(r, r->section[BOARDS]); node; node = next(r, node))
        if (!read_board(r, node, serial++))
            return false;
    return true;
}

static bool add_chips(struct reader *r, const struct yaml_node *root) {
    const struct yaml_node *at = r->section[CHIPS] ? r->section[CHIPS] : root;
    if (r->section[BOARD] && !board_of(r, r->section[BOARD], &r->board))
        return false;
    if (!count_chips(r))
        return false;
    if (!r->chip_count && !r->section[MACHINE])
        return fail(r, root, "the descriptor has no chips: machine, chips or arch is missing");
    for (unsigned i = 0; i < r->chip_count; i++) {
        system_config(r->system, &r->config[i], r->board);
        r->config[i].serial = r->first_chip + i;
    }
    if (!read_boards(r) || !read_harvesting(r) || !read_locations(r))
        return false;
    for (unsigned i = 0; i < r->chip_count; i++) {
        r->config[i].number = r->first_chip + i;
        if (!call(r, at, bh_system_add_chip(r->system, &r->config[i], NULL)))
            return false;
    }
    return true;
}

/* ---- Cables ------------------------------------------------------------------------------------------------------ */

/* Adds a cable whose chips are counted from the first of this text on. */
static bool add_link(struct reader *r, const struct yaml_node *node, struct bh_link *link) {
    unsigned count = r->system->chip_count - r->first_chip;
    for (unsigned end = 0; end < 2; end++) {
        if (link->chip[end] >= count)
            return fail(r, node, "a link leads to a chip that the descriptor does not have");
        link->chip[end] += r->first_chip;
    }
    return call(r, node, bh_system_add_link(r->system, link, NULL));
}

/* A connection is a list of two ends, each with chip and chan. tt-umd may add a third element. */
static bool read_connection(struct reader *r, const struct yaml_node *connection) {
    static const char what[] = "a connection is a list of two ends with chip and chan";
    struct bh_link link = { 0 };
    const struct yaml_node *end = first(r, connection);
    for (unsigned i = 0; i < 2; i++, end = next(r, end)) {
        const struct yaml_node *chip = end ? find(r, end, "chip") : NULL, *port = end ? find(r, end, "chan") : NULL;
        if (!chip || !port || !number(r, chip, BH_SYSTEM_CHIPS, &link.chip[i], what) ||
            !number(r, port, 255, &link.port[i], what))
            return fail(r, connection, what);
    }
    return add_link(r, connection, &link);
}

/* Reads "chip.port chip.port", and maybe latency and rate. */
static bool read_link(struct reader *r, const struct yaml_node *node) {
    static const char what[] = "a link is CHIP.PORT CHIP.PORT [latency=CYCLES] [rate=GBPS]";
    struct bh_link link = { 0 };
    char text[100];
    int length = 0, more = 0;
    if (node->kind != YAML_WORD || !node->size || node->size >= sizeof text)
        return fail(r, node, what);
    memcpy(text, node->word, node->size);
    text[node->size] = '\0';
    if (sscanf(text, "%u.%u %u.%u %n", &link.chip[0], &link.port[0], &link.chip[1], &link.port[1], &length) != 4 ||
        !length || strchr(text, '-'))
        return fail(r, node, what);
    if (sscanf(text + length, "latency=%u %n", &link.latency, &more) == 1)
        length += more;
    if (sscanf(text + length, "rate=%u %n", &link.rate, &more) == 1)
        length += more;
    return text[length] ? fail(r, node, what) : add_link(r, node, &link);
}

static bool add_links(struct reader *r) {
    for (const struct yaml_node *node = first(r, r->section[CONNECTIONS]); node; node = next(r, node))
        if (!read_connection(r, node))
            return false;
    for (const struct yaml_node *node = first(r, r->section[LINKS]); node; node = next(r, node))
        if (!read_link(r, node))
            return false;
    return true;
}

static bool add_machine(struct reader *r) {
    const struct yaml_node *node = r->section[MACHINE];
    if (!node)
        return true;
    for (int kind = 0; kind < BH_SYSTEM_KIND_COUNT; kind++)
        if (yaml_word_is(node, bh_system_kind_name((enum bh_system_kind)kind)))
            return call(r, node, bh_system_add(r->system, (enum bh_system_kind)kind));
    return fail(r, node, "the machine is none of p150, p300, quietbox, galaxy, quietbox2");
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static bh_status add_wires(const struct reader *r, const struct mesh_graph *graph, const struct mesh_wires *wires) {
    bh_status status = BH_OK;
    for (unsigned i = 0; i < graph->chip_count && status == BH_OK; i++)
        status = machine_add_chip(r->system, r->first_chip, &wires->chip[i]);
    for (uint32_t i = 0; i < wires->link_count && status == BH_OK; i++)
        status = machine_add_link(r->system, r->first_chip, &wires->link[i]);
    return status;
}

/* Adds the chips and cables of a mesh graph, if it could be read. */
static void add_mesh_graph(struct reader *r, struct mesh_graph *graph, bool ok) {
    struct mesh_wires wires = { 0 };
    if (ok && mesh_wire(graph, &wires))
        r->status = add_wires(r, graph, &wires);
    else
        r->status = system_fail(r->system, BH_ERR_ARGUMENT, "%s", graph->error);
    mesh_wires_free(&wires);
    mesh_free(graph);
}

/* Mesh graph descriptors in the text form of protocol buffers begin with a field of theirs, or with a name and a brace,
 * which no YAML does. */
static bool is_textproto(const char *text, size_t size) {
    static const char *const fields[] = { "mesh_descriptors", "switch_descriptors", "graph_descriptors",
                                          "top_level_instance", "pinnings" };
    size_t length;
    bool opens;
    const char *word = textproto_first(text, size, &length, &opens);
    for (unsigned i = 0; i < LENGTH(fields); i++)
        opens |= length == strlen(fields[i]) && memcmp(word, fields[i], length) == 0;
    return opens;
}

static void read_textproto(struct reader *r, const char *text, size_t size) {
    struct mesh_graph graph = { 0 };
    add_mesh_graph(r, &graph, mesh_read_proto(&graph, text, size));
}

static void read_yaml(struct reader *r, const char *text, size_t size) {
    struct mesh_graph graph = { 0 };
    uint32_t number_of_root = yaml_parse(&r->yaml, text, size);
    const struct yaml_node *root = entry(r, number_of_root);
    if (!root)
        r->status = system_fail(r->system, BH_ERR_ARGUMENT, "%s", r->yaml.error);
    else if (find(r, root, "ChipSpec") || find(r, root, "Mesh"))
        add_mesh_graph(r, &graph, mesh_read_yaml(&graph, &r->yaml, number_of_root));
    else if (sort_sections(r, root) && add_machine(r) && add_chips(r, root))
        (void)add_links(r);
    yaml_free(&r->yaml);
}

bh_status bh_system_describe(bh_system *system, const char *text, size_t size) {
    if (!system || !text)
        return system_null(system, "text");
    struct reader r = { .system = system, .first_chip = system->chip_count, .board = BH_BOARD_P150 };
    unsigned links = system->link_count;
    if (is_textproto(text, size))
        read_textproto(&r, text, size);
    else
        read_yaml(&r, text, size);
    if (r.status != BH_OK)
        system_shrink(system, r.first_chip, links);
    return r.status;
}
