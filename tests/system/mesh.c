/* Tests of mesh graph descriptors (src/system/mesh*.c): what tt-metal's fields mean, which boards and ports the chips
 * get, and clear errors. */
#include <stdio.h>

#include "describe.h"

/* Checks the cables of all pairs: `expect` lists pairs that have some. */
static void assert_cables(bh_system *system, unsigned count, const unsigned (*expect)[2], unsigned pairs) {
    for (unsigned a = 0; a < bh_system_chip_count(system); a++)
        for (unsigned b = a + 1; b < bh_system_chip_count(system); b++) {
            bool listed = false;
            for (unsigned i = 0; i < pairs; i++)
                listed |= expect[i][0] == a && expect[i][1] == b;
            assert_int_equal(cables(system, a, b), listed ? count : 0);
        }
}

/* ---- Single meshes ------------------------------------------------------------------------------------------------
 */

static const char *mesh_text(const char *grid, unsigned channels, const char *policy) {
    static char text[800];
    snprintf(text, sizeof text,
             "# one mesh\nmesh_descriptors {\n  name: \"M\"\n  arch: BLACKHOLE\n  device_topology { %s }\n"
             "  host_topology { dims: [ 1, 1 ] }\n  channels { count: %u %s }\n}\n"
             "top_level_instance { mesh { mesh_descriptor: \"M\" mesh_id: 0 } }\n",
             grid, channels, policy);
    return text;
}

static void grids_have_neighbours(void **state) {
    static const unsigned line[][2] = { { 0, 1 }, { 1, 2 }, { 3, 4 }, { 4, 5 }, { 0, 3 }, { 1, 4 }, { 2, 5 } };
    static const unsigned ring[][2] = { { 0, 1 }, { 1, 2 }, { 3, 4 }, { 4, 5 }, { 0, 3 },
                                        { 1, 4 }, { 2, 5 }, { 0, 2 }, { 3, 5 } };
    (void)state;
    bh_system *system = describe(mesh_text("dims: [ 2, 3 ]", 2, "policy: STRICT"));
    assert_int_equal(bh_system_chip_count(system), 6);
    assert_int_equal(bh_system_link_count(system), 14);
    assert_cables(system, 2, line, 7);
    assert_int_equal(board_word(system, 5), P150);
    bh_system_destroy(system);
    /* A ring of two is a line: one connection, not two. */
    static const char *const rings[] = { "dims: [ 2, 3 ] dim_types: [ LINE, RING ]",
                                         "dims: 2 dims: 3 dim_types: [ 2, 2 ]",
                                         "dims: [2,3], dim_types: [RING, RING]" };
    for (unsigned i = 0; i < 3; i++) {
        system = describe(mesh_text(rings[i], 3, ""));
        assert_int_equal(bh_system_link_count(system), 27);
        assert_cables(system, 3, ring, 9);
        bh_system_destroy(system);
    }
    system = describe(mesh_text("dims: [ 3, 2 ] dim_types: [ RING ]", 1, "policy: RELAXED"));
    assert_int_equal(bh_system_link_count(system), 9);
    assert_int_equal(cables(system, 0, 4), 1);
    assert_int_equal(cables(system, 1, 5), 1);
    bh_system_destroy(system);
}

static void three_dimensions(void **state) {
    static const char text[] =
        "mesh_descriptors { name: 'M' arch: BLACKHOLE device_topology { dims: [ 3, 2, 2 ] "
        "dim_types: [ RING, LINE, LINE ] } host_topology { dims: [ 3, 1, 1 ] } channels { count: 1 } }"
        "top_level_instance { mesh { mesh_descriptor: 'M' } }";
    (void)state;
    bh_system *system = describe(text);
    assert_int_equal(bh_system_chip_count(system), 12);
    assert_int_equal(bh_system_link_count(system), 6 + 6 + 12);
    assert_int_equal(cables(system, 0, 8), 1);
    assert_int_equal(cables(system, 3, 11), 1);
    assert_int_equal(cables(system, 0, 1), 1);
    assert_int_equal(cables(system, 0, 2), 1);
    assert_int_equal(cables(system, 0, 4), 1);
    bh_system_destroy(system);
}

/* Without a machine that fits, ports are the lowest free ones. */
static void ports_are_taken_in_order(void **state) {
    struct bh_link link;
    (void)state;
    bh_system *system = describe(mesh_text("dims: [ 1, 3 ]", 4, ""));
    assert_int_equal(bh_system_link_count(system), 8);
    for (unsigned i = 0; i < 8; i++) {
        bh_system_link_at(system, i, &link);
        assert_int_equal(link.chip[0], i / 4);
        assert_int_equal(link.chip[1], i / 4 + 1);
        assert_int_equal(link.port[0], i);
        assert_int_equal(link.port[1], i % 4);
        assert_int_equal(link.rate, 400);
    }
    bh_system_destroy(system);
}

/* ---- Machines -----------------------------------------------------------------------------------------------------
 */

static uint32_t location(bh_system *system, unsigned chip) {
    return read_word(bh_system_chip(system, chip), (struct bh_xy){ 20, 25 }, 0x7CFC0) >> 8 & 0xFF;
}

static uint32_t serial(bh_system *system, unsigned chip) {
    return read_word(bh_system_chip(system, chip), (struct bh_xy){ 20, 25 }, 0x7CFC8);
}

static bool same_cable(const struct bh_link *a, const struct bh_link *b, const unsigned *place) {
    for (unsigned turn = 0; turn < 2; turn++)
        if (place[a->chip[turn]] == b->chip[0] && a->port[turn] == b->port[0] && place[a->chip[!turn]] == b->chip[1] &&
            a->port[!turn] == b->port[1])
            return true;
    return false;
}

/* Checks that every cable is one of the machine, where chip i is place[i], and that boards are the same. */
static void assert_machine(bh_system *system, enum bh_system_kind kind, const unsigned *place) {
    bh_system *machine = make_empty();
    struct bh_link a, b;
    assert_int_equal(bh_system_add(machine, kind), BH_OK);
    assert_int_equal(bh_system_chip_count(machine), bh_system_chip_count(system));
    for (unsigned i = 0; bh_system_link_at(system, i, &a) == BH_OK; i++) {
        bool found = false;
        for (unsigned j = 0; bh_system_link_at(machine, j, &b) == BH_OK; j++)
            found |= same_cable(&a, &b, place);
        assert_true(found);
    }
    for (unsigned i = 0; i < bh_system_chip_count(system); i++) {
        assert_int_equal(board_word(system, i), board_word(machine, place[i]));
        assert_int_equal(location(system, i), location(machine, place[i]));
        assert_int_equal(serial(system, i), serial(machine, place[i]));
    }
    bh_system_destroy(machine);
}

static void known_machines_are_recognised(void **state) {
    static const struct {
        const char *grid;
        unsigned channels, links;
        enum bh_system_kind kind;
        unsigned place[4];
    } cases[] = {
        { "dims: [ 1, 1 ]", 1, 0, BH_SYSTEM_P150, { 0 } },
        { "dims: [ 1, 2 ]", 2, 2, BH_SYSTEM_P300, { 0, 1 } },
        { "dims: [ 2, 1 ]", 1, 1, BH_SYSTEM_P300, { 0, 1 } },
        { "dims: [ 2, 2 ]", 2, 8, BH_SYSTEM_QUIETBOX_2, { 0, 1, 3, 2 } },
        { "dims: [ 1, 4 ]", 2, 6, BH_SYSTEM_QUIETBOX_2, { 0, 1, 2, 3 } },
        { "dims: [ 2, 2 ]", 4, 16, BH_SYSTEM_QUIETBOX, { 0, 2, 3, 1 } },
        { "dims: [ 2, 2 ] dim_types: [ RING, RING ]", 3, 12, BH_SYSTEM_QUIETBOX, { 0, 2, 3, 1 } },
        { "dims: [ 1, 4 ] dim_types: [ RING, RING ]", 4, 16, BH_SYSTEM_QUIETBOX, { 0, 2, 1, 3 } },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bh_system *system = describe(mesh_text(cases[i].grid, cases[i].channels, ""));
        assert_int_equal(bh_system_link_count(system), cases[i].links);
        assert_machine(system, cases[i].kind, cases[i].place);
        bh_system_destroy(system);
    }
    bh_system *system = describe(mesh_text("dims: [ 1, 2 ]", 4, "")); /* more than a P300 has */
    assert_int_equal(board_word(system, 0), P150);
    assert_int_equal(bh_system_link_count(system), 4);
    bh_system_destroy(system);
}

/* The four boards of a Galaxy are an 8 x 4 torus: a chip in row r, column c of the mesh is in tray 1 to 4. */
static void a_galaxy_is_a_torus(void **state) {
    static const struct {
        const char *grid;
        unsigned links;
    } cases[] = {
        { "dims: [ 8, 4 ]", 104 },
        { "dims: [ 8, 4 ] dim_types: [ RING, LINE ]", 112 },
        { "dims: [ 8, 4 ] dim_types: [ LINE, RING ]", 120 },
        { "dims: [ 8, 4 ] dim_types: [ RING, RING ]", 128 },
    };
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        bh_system *system = describe(mesh_text(cases[i].grid, 2, "policy: STRICT"));
        unsigned place[32];
        assert_int_equal(bh_system_chip_count(system), 32);
        assert_int_equal(bh_system_link_count(system), cases[i].links);
        for (unsigned chip = 0; chip < 32; chip++) {
            assert_int_equal(board_word(system, chip), GALAXY);
            place[chip] = (serial(system, chip) - 1) * 8 + location(system, chip) - 1;
        }
        assert_int_equal(place[0], 0);
        assert_machine(system, BH_SYSTEM_GALAXY, place);
        bh_system_destroy(system);
    }
    /* 4 x 8 is the same, turned. */
    bh_system *system = describe(mesh_text("dims: [ 4, 8 ] dim_types: [ RING, RING ]", 2, ""));
    assert_int_equal(bh_system_link_count(system), 128);
    assert_int_equal(location(system, 0), 1);
    bh_system_destroy(system);
    /* What no Galaxy has: three cables. */
    system = describe(mesh_text("dims: [ 8, 4 ]", 3, ""));
    assert_int_equal(bh_system_link_count(system), 156);
    assert_int_equal(board_word(system, 31), GALAXY);
    assert_int_equal(serial(system, 31), 4);
    assert_int_equal(location(system, 31), 8);
    bh_system_destroy(system);
}

/* The system runs: a packet of each chip arrives at the next one of a ring of eight. */
static void cables_carry_packets(void **state) {
    const struct bh_xy tile = { 20, 25 };
    struct bh_link link;
    (void)state;
    bh_system *system = describe(mesh_text("dims: [ 1, 8 ] dim_types: [ LINE, RING ]", 1, ""));
    assert_int_equal(bh_system_link_count(system), 8);
    for (unsigned i = 0; bh_system_link_at(system, i, &link) == BH_OK; i++) {
        bh_chip *from = bh_system_chip(system, link.chip[0]);
        const struct bh_xy sender = { (uint8_t)(tile.x + link.port[0]), tile.y };
        put_word(from, sender, 0x10000, 100 + i);
        put_word(from, sender, 0xFFB90014, 0x10000);
        put_word(from, sender, 0xFFB9001C, 0x20000);
        put_word(from, sender, 0xFFB90018, 16);
        put_word(from, sender, 0xFFB90004, 2);
    }
    assert_int_equal(bh_system_run(system, 5000, 0, NULL), BH_OK);
    for (unsigned i = 0; bh_system_link_at(system, i, &link) == BH_OK; i++) {
        const struct bh_xy receiver = { (uint8_t)(tile.x + link.port[1]), tile.y };
        assert_int_equal(read_word(bh_system_chip(system, link.chip[1]), receiver, 0x20000), 100 + i);
    }
    bh_system_destroy(system);
}

/* ---- Graphs -------------------------------------------------------------------------------------------------------
 */

#define MESH(name, grid, channels) \
    "mesh_descriptors { name: \"" name "\" arch: BLACKHOLE device_topology { dims: [ " grid " ] } " \
    "host_topology { dims: [ 1, 1 ] } channels { count: " channels " } }\n"
#define REF(name, id)            "mesh { mesh_descriptor: \"" name "\" mesh_id: " id " }"
#define DEVICE(name, id, device) "mesh { mesh_descriptor: \"" name "\" mesh_id: " id " device_id: " device " }"
#define JOIN(a, b, count)        "connections { nodes { " a " } nodes { " b " } channels { " count " } }\n"
#define TOP                      "top_level_instance { graph { graph_descriptor: \"G\" graph_id: 0 } }\n"

static void devices_are_joined(void **state) {
    (void)state;
    bh_system *system =
        describe(MESH("A", "1, 2", "1")
                     MESH("B", "1, 3", "1") "graph_descriptors { name: \"G\" type: \"FABRIC\"\n"
                                            "instances { " REF("A", "7") " } instances { " REF("B", "3") " }\n" JOIN(
                                                DEVICE("A", "7", "1"), DEVICE("B", "3", "2"), "count: 3")
                                                JOIN(DEVICE("B", "3", "0"), REF("A", "7"), "count: 2") "}\n" TOP);
    static const unsigned in_meshes[][2] = { { 0, 1 }, { 2, 3 }, { 3, 4 } };
    assert_int_equal(bh_system_chip_count(system), 5);
    assert_int_equal(bh_system_link_count(system), 3 + 3 + 2);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(cables(system, in_meshes[i][0], in_meshes[i][1]), 1);
    assert_int_equal(cables(system, 1, 4), 3);
    assert_int_equal(cables(system, 0, 2) + cables(system, 1, 2), 2);
    bh_system_destroy(system);
}

/* A connection in both directions, as descriptors have that were converted from YAML, is one. */
static void the_reverse_of_a_connection_is_the_same(void **state) {
    (void)state;
    bh_system *system =
        describe(MESH("A", "1, 1", "1") "graph_descriptors { name: \"G\" type: \"FABRIC\"\n"
                                        "instances { " REF("A", "0") " } instances { " REF("A", "1") " }\n" JOIN(
                                            DEVICE("A", "0", "0"), DEVICE("A", "1", "0"), "count: 2 policy: STRICT")
                                            JOIN(DEVICE("A", "1", "0"), DEVICE("A", "0", "0"),
                                                 "count: 2 policy: STRICT") "}\n" TOP);
    assert_int_equal(bh_system_link_count(system), 2);
    assert_int_equal(board_word(system, 1), P300);
    bh_system_destroy(system);
}

/* Cables between meshes spread over the chips with the most free ports, two at a time here. */
static void meshes_are_joined(void **state) {
    (void)state;
    bh_system *system = describe(
        MESH("A", "4, 2", "2") "graph_descriptors { name: \"G\" type: \"FABRIC\"\n"
                               "instances { " REF("A", "0") " } instances { " REF("A", "1") " } instances { " REF(
                                   "A", "2") " }\n" JOIN(REF("A", "0"), REF("A", "1"), "count: 8 policy: RELAXED")
                                   JOIN(REF("A", "1"), REF("A", "2"), "count: 2") "}\n" TOP);
    assert_int_equal(bh_system_chip_count(system), 24);
    assert_int_equal(bh_system_link_count(system), 3 * 20 + 10);
    for (unsigned i = 0; i < 4; i++) {
        static const unsigned corner[] = { 0, 1, 6, 7 };
        assert_int_equal(cables(system, corner[i], 8 + corner[i]), 2);
    }
    assert_int_equal(cables(system, 10, 16), 0);
    assert_int_equal(cables(system, 8, 16), 2); /* all chips of mesh 1 have six free ports now */
    bh_system_destroy(system);
}

static bh_system *layout(const char *meshes, const char *type) {
    static char text[2000];
    snprintf(text, sizeof text,
             MESH("A", "1, 2", "1") "graph_descriptors { name: \"G\" type: \"FABRIC\"\n%s\n"
                                    "graph_topology: { layout_type: %s channels { count: 2 } }\n}\n" TOP,
             meshes, type);
    return describe(text);
}

static unsigned between(bh_system *system, unsigned a, unsigned b) {
    return cables(system, 2 * a, 2 * b) + cables(system, 2 * a, 2 * b + 1) + cables(system, 2 * a + 1, 2 * b) +
           cables(system, 2 * a + 1, 2 * b + 1);
}

static void layouts_join_all_members(void **state) {
    static const char four[] = "instances { " REF("A", "0") " } instances { " REF("A", "1") " } instances { " REF(
        "A", "2") " } instances { " REF("A", "3") " }";
    static const char two[] = "instances { " REF("A", "0") " } instances { " REF("A", "1") " }";
    static const char one[] = "instances { " REF("A", "0") " }";
    (void)state;
    bh_system *system = layout(four, "ALL_TO_ALL");
    assert_int_equal(bh_system_link_count(system), 4 + 12);
    for (unsigned a = 0; a < 4; a++)
        for (unsigned b = a + 1; b < 4; b++)
            assert_int_equal(between(system, a, b), 2);
    bh_system_destroy(system);
    system = layout(four, "RING");
    assert_int_equal(bh_system_link_count(system), 4 + 8);
    assert_int_equal(between(system, 0, 3), 2);
    assert_int_equal(between(system, 0, 2), 0);
    bh_system_destroy(system);
    system = layout(two, "RING");
    assert_int_equal(bh_system_link_count(system), 2 + 2);
    bh_system_destroy(system);
    system = layout(one, "RING");
    assert_int_equal(bh_system_link_count(system), 1);
    bh_system_destroy(system);
}

/* Graphs of graphs, switches, and a path to a device. */
static void graphs_are_nested(void **state) {
    static const char text[] = MESH(
        "A", "1, 2",
        "1") "switch_descriptors { name: \"S\" arch: BLACKHOLE device_topology { dims: [ 1, 1 ] } channels { count: 1 "
             "} }\n"
             "graph_descriptors { name: \"POD\" type: \"POD\" instances { " REF("A", "0") " } instances { " REF(
                 "A",
                 "1") " }\n"
                      "  instances { switch { switch_descriptor: \"S\" switch_id: 5 } }\n" JOIN(
                          REF("A", "0"), "switch { switch_descriptor: \"S\" switch_id: 5 }", "count: 1")
                          JOIN(REF("A", "1"), "switch { switch_descriptor: \"S\" switch_id: 5 device_id: 0 }",
                               "count: 1") "}\n"
                                           "graph_descriptors { name: \"G\" type: \"CLUSTER\"\n"
                                           "  instances { graph { graph_descriptor: \"POD\" graph_id: 0 } }\n"
                                           "  instances { graph { graph_descriptor: \"POD\" graph_id: 1 } }\n" JOIN(
                                               "graph { graph_descriptor: \"POD\" graph_id: 0 sub_ref { " DEVICE(
                                                   "A", "1", "1") " } }",
                                               "graph { graph_descriptor: \"POD\" graph_id: 1 sub_ref { " DEVICE(
                                                   "A", "0", "0") " } }",
                                               "count: 4") JOIN("graph { graph_descriptor: \"POD\" graph_id: 0 }",
                                                                "graph { graph_descriptor: \"POD\" graph_id: 1 }",
                                                                "count: 2 policy: RELAXED") "}\n" TOP;
    (void)state;
    bh_system *system = describe(text);
    assert_int_equal(bh_system_chip_count(system), 10); /* twice: two of A, two of A, the switch */
    assert_int_equal(bh_system_link_count(system), 2 * (1 + 1 + 1 + 1) + 4 + 2);
    assert_true(cables(system, 3, 5) >= 4);
    assert_int_equal(cables(system, 2, 4) + cables(system, 3, 4), 1);
    bh_system_destroy(system);
}

static void express_connections_are_cables(void **state) {
    (void)state;
    bh_system *system =
        describe("mesh_descriptors { name: \"M\" arch: BLACKHOLE device_topology { dims: [ 1, 5 ] } host_topology { "
                 "dims: [ 1, 5 ] }"
                 " channels { count: 2 } express_connections { src: 0 dst: 4 } express_connections { src: 3 dst: 1 } }"
                 "top_level_instance { " REF("M", "0") " }");
    static const unsigned expect[][2] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 4 }, { 0, 4 }, { 1, 3 } };
    assert_cables(system, 2, expect, 6);
    bh_system_destroy(system);
}

/* RELAXED: fewer cables will do, at least one. */
static void relaxed_connections_share_ports(void **state) {
    (void)state;
    bh_system *system = describe(mesh_text("dims: [ 3, 3 ]", 4, "policy: RELAXED"));
    assert_int_equal(cables(system, 4, 1), 3); /* the chip in the middle has four neighbours and twelve ports */
    assert_int_equal(cables(system, 4, 3), 3);
    assert_int_equal(cables(system, 0, 1), 4);
    assert_int_equal(bh_system_link_count(system), 4 * 3 + 8 * 4);
    bh_system_destroy(system);
    assert_refused(mesh_text("dims: [ 3, 3 ]", 4, "policy: STRICT"),
                   "line 2: chip 4 (device 4 of mesh 0, \"M\") has 12 Ethernet ports, not 16 for all its channels");
    system = describe(MESH("A", "1, 1", "1") "graph_descriptors { name: \"G\" type: \"FABRIC\"\n instances { " REF(
        "A", "0") " } instances { " REF("A", "1") " }\n" JOIN(REF("A", "0"), REF("A", "1"),
                                                              "count: 40 policy: RELAXED") "}\n" TOP);
    assert_int_equal(bh_system_link_count(system), 12);
    bh_system_destroy(system);
    assert_refused(MESH("A", "1, 2", "12") "graph_descriptors { name: \"G\" type: \"FABRIC\"\n instances { " REF(
                       "A", "0") " } instances { " REF("A", "1") " }\n" JOIN(REF("A", "0"), REF("A", "1"),
                                                                             "count: 1 policy: RELAXED") "}\n" TOP,
                   "line 4: chips 0 to 1 (from mesh 0, \"A\", on) have free Ethernet ports for 0 of 1 channels");
}

static void pinnings_choose_galaxy_boards(void **state) {
    static const char text[] = MESH("A", "1, 2", "2") "top_level_instance { " REF(
        "A", "0") " }\n"
                  "pinnings { logical_fabric_node_id { mesh_id: 0 chip_id: 0 }\n"
                  "  physical_asic_position { tray_id: 1 asic_location: 1 }\n"
                  "  physical_asic_position { tray_id_regex: \"1-4\" asic_location_regex: '[0-9]*' } }\n"
                  "pinnings { logical_fabric_node_id { mesh_id_regex: \"0-3\" chip_id_regex: \"1\" }\n"
                  "  physical_asic_position { tray_id: 1 asic_location: 2 } }";
    (void)state;
    bh_system *system = describe(text);
    assert_int_equal(board_word(system, 0), GALAXY);
    assert_int_equal(location(system, 0), 1);
    assert_int_equal(location(system, 1), 2);
    bh_system_destroy(system);
}

/* ---- Mistakes -----------------------------------------------------------------------------------------------------
 */

static void wrong_descriptors_name_their_line(void **state) {
    static const struct {
        const char *text, *message;
    } wrong[] = {
        /* the text itself */
        { "mesh_descriptors {\n", "line 1: the brace of this line is not closed" },
        { "mesh_descriptors {\n name: M0\n}", "line 2: name: a text in quotes was expected" },
        { "mesh_descriptor {\n}", "line 1: a mesh graph descriptor has no field \"mesh_descriptor\"" },
        { "mesh_descriptors {\n nam: \"M\"\n}", "line 2: mesh_descriptors has no field \"nam\"" },
        { "mesh_descriptors {\n name: \"M\"\n name: \"N\" }", "line 3: name stands here twice" },
        { "mesh_descriptors: 3", "line 1: mesh_descriptors: fields in braces were expected" },
        { "mesh_descriptors {\n arch: BLACKMOLE }", "line 2: arch: there is no \"BLACKMOLE\"" },
        { "mesh_descriptors {\n arch: \"BLACKHOLE\" }", "line 2: arch: a word such as WORMHOLE_B0 was expected" },
        { "mesh_descriptors {\n arch: 3 }", "line 2: arch: a word such as" },
        { "mesh_descriptors { channels {\n count: 3000000000 } }",
          "line 2: count: the number does not fit into 32 bits" },
        { "mesh_descriptors { channels {\n count: X } }", "line 2: count: a number was expected" },
        { "graph_descriptors { connections {\n directional: maybe } }", "line 2: directional: true or false" },
        { "pinnings { logical_fabric_node_id {\n mesh_id: -1 } }", "line 2: mesh_id: the number does not fit" },
        /* descriptors */
        { "pinnings { }", "line 1: mesh_descriptors are missing" },
        { MESH("M", "1, 1", "1"), "line 1: top_level_instance is missing" },
        { "\nmesh_descriptors { arch: BLACKHOLE }", "line 2: mesh_descriptors: the name is missing" },
        { "mesh_descriptors { name: \"\" }", "line 1: mesh_descriptors: the name is missing" },
        { "mesh_descriptors { name: \"M\" }", "line 1: arch is missing" },
        { "mesh_descriptors { name: \"M\"\n arch: WORMHOLE_B0 }",
          "line 2: arch: only BLACKHOLE is emulated, not WORMHOLE_B0" },
        { "mesh_descriptors { name: \"M\" arch: INVALID_ARCHITECTURE }", "not INVALID_ARCHITECTURE" },
        { "switch_descriptors { name: \"S\" arch: WORMHOLE_B0 }", "line 1: arch: only BLACKHOLE" },
        { "mesh_descriptors { name: \"M\" arch: BLACKHOLE }",
          "line 1: mesh_descriptors: channels with a count are missing" },
        { "mesh_descriptors { name: \"M\" arch: BLACKHOLE\n channels { count: 0 } }",
          "line 2: channels: a count of at least 1" },
        { "mesh_descriptors { name: \"M\" arch: BLACKHOLE channels { count: 1 } }",
          "line 1: device_topology with dims" },
        { "mesh_descriptors { name: \"M\" arch: BLACKHOLE channels { count: 1 } device_topology { dims: 0 } }",
          "line 1: dims: a number of at least 1" },
        { "mesh_descriptors { name: \"M\" arch: BLACKHOLE channels { count: 1 } device_topology { dims: [1,2,3,4] } }",
          "at most 3 dimensions" },
        { "mesh_descriptors { name: \"M\" arch: BLACKHOLE channels { count: 1 } device_topology { dims: 1\n"
          "dim_types: LINE dim_types: RING } }",
          "line 2: dim_types: there are more of them than dims" },
        { "mesh_descriptors { name: \"M\" arch: BLACKHOLE channels { count: 1 } device_topology { dims: [50, 50] } }",
          "more chips than a system can have (2048)" },
        { "mesh_descriptors { name: \"M\" arch: BLACKHOLE channels { count: 1 } device_topology { dims: "
          "[2147483647, 2147483647] } }",
          "more chips than a system can have" },
        { "mesh_descriptors { name: \"M\" arch: BLACKHOLE channels { count: 1 } device_topology { dims: [1, 2] } }",
          "line 1: host_topology with dims is missing" },
        { "mesh_descriptors { name: \"M\" arch: BLACKHOLE channels { count: 1 } device_topology { dims: [1, 4] }\n"
          "host_topology { dims: [1, 3] } }",
          "line 2: host_topology does not divide" },
        { "mesh_descriptors { name: \"M\" arch: BLACKHOLE channels { count: 1 } device_topology { dims: [1, 4] }\n"
          "host_topology { dims: [1, 0] } }",
          "line 2: host_topology does not divide" },
        { "mesh_descriptors { name: \"M\" arch: BLACKHOLE channels { count: 1 } device_topology { dims: [1, 4] }\n"
          "host_topology { dims: 1 } }",
          "line 2: host_topology does not divide" },
        { "mesh_descriptors { name: \"M\" arch: BLACKHOLE channels { count: 1 } device_topology { dims: [1, 4] }\n"
          "host_topology { dims: [1, 1, 1] } }",
          "line 2: host_topology has more dimensions" },
        { MESH("M", "1, 1", "1") MESH("M", "1, 1", "1"),
          "line 2: mesh_descriptors: there are two with the name \"M\"" },
        { "mesh_descriptors { name: \"M\" arch: BLACKHOLE channels { count: 1 } device_topology { dims: [1, 2] } "
          "host_topology { dims: [1, 1] }\nexpress_connections { src: 0 dst: 2 } }\n top_level_instance { " REF(
              "M", "0") " }",
          "line 2: express_connections: the mesh has devices 0 to 1" },
        { "mesh_descriptors { name: \"M\" arch: BLACKHOLE channels { count: 1 } device_topology { dims: [1, 2] } "
          "host_topology { dims: [1, 1] }\nexpress_connections { src: -1 dst: 1 } }\n top_level_instance { " REF(
              "M", "0") " }",
          "line 2: express_connections: the mesh has" },
        { "mesh_descriptors { name: \"M\" arch: BLACKHOLE channels { count: 1 } device_topology { dims: [1, 2] } "
          "host_topology { dims: [1, 1] }\nexpress_connections { src: 1 dst: 1 } }\n top_level_instance { " REF(
              "M", "0") " }",
          "line 2: express_connections: src and dst are the same" },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_refused(wrong[i].text, wrong[i].message);
}

static void wrong_instances_name_their_line(void **state) {
    static const struct {
        const char *text, *message;
    } wrong[] = {
        { MESH("M", "1, 1", "1") "top_level_instance { " REF("N", "0") " }",
          "line 2: mesh_descriptor: there is no \"N\"" },
        { MESH("M", "1, 1", "1") "top_level_instance { mesh { mesh_id: 0 } }", "line 2: mesh_descriptor is missing" },
        { MESH("M", "1, 1", "1") "top_level_instance { }", "line 2: top_level_instance: one mesh, switch or graph" },
        { MESH("M", "1, 1", "1") "top_level_instance { " REF("M", "0") " " REF("M", "0") " }",
          "line 2: mesh stands here twice" },
        { MESH("M", "1, 1", "1") "top_level_instance { " REF("M", "0") " graph { graph_descriptor: \"G\" } }",
          "line 2: top_level_instance: one mesh, switch or graph" },
        { MESH("M", "1, 1", "1") "top_level_instance { " REF("M", "-4") " }", "line 2: mesh_id: a number from 0 on" },
        { MESH("M", "1, 1", "1") "top_level_instance { " DEVICE("M", "0", "0") " }",
          "line 2: an instance is a whole mesh" },
        { MESH("M", "1, 1", "1") "graph_descriptors { name: \"G\" instances { " REF("M", "0") " } }",
          "line 2: graph_descriptors: the type" },
        { MESH("M", "1, 1", "1") "graph_descriptors { name: \"G\" type: \"F\" }",
          "line 2: graph_descriptors: a graph has at least" },
        { MESH("M", "1, 1", "1") "graph_descriptors { name: \"G\" type: \"F\" instances { " REF(
              "M", "0") " }\ninstances { " REF("M", "0") " } }\n" TOP,
          "line 3: the graph has two instances with the id 0" },
        { MESH("M", "1, 1", "1") "graph_descriptors { name: \"G\" type: \"F\" instances { graph { graph_descriptor: "
                                 "\"G\" } } }\n" TOP,
          "line 2: a graph of type \"F\" is inside of another" },
        { MESH("M", "32, 32", "1") "graph_descriptors { name: \"G\" type: \"F\" instances { " REF(
              "M", "0") " } instances { " REF("M", "1") " } instances { " REF("M", "2") " } }\n" TOP,
          "line 1: the meshes have more chips" },
        /* pinnings */
        { MESH("M", "1, 1", "1") "top_level_instance { " REF("M", "0") " }\npinnings { }",
          "line 3: pinnings: a node and a position" },
        { MESH("M", "1, 1", "1") "top_level_instance { " REF(
              "M", "0") " }\npinnings { logical_fabric_node_id { mesh_id: 1 chip_id: 0 }"
                        " physical_asic_position { tray_id: 1 asic_location: 1 } }",
          "line 3: pinnings: there is no mesh with the id 1" },
        { MESH("M", "1, 1", "1") "top_level_instance { " REF(
              "M", "0") " }\npinnings { logical_fabric_node_id { mesh_id: 0 chip_id: 1 }"
                        " physical_asic_position { tray_id: 1 asic_location: 1 } }",
          "line 3: pinnings: mesh 0 has chips 0 to 0" },
        { MESH("M", "1, 1", "1") "top_level_instance { " REF(
              "M", "0") " }\npinnings { logical_fabric_node_id { mesh_id: 0 chip_id: 0 }"
                        " logical_fabric_node_id { mesh_id: 0 chip_id: 0 } physical_asic_position { tray_id: 1 "
                        "asic_location: 1 } }",
          "line 3: pinnings: chip 0 of mesh 0 is pinned twice" },
        { MESH("M", "1, 1",
               "1") "top_level_instance { " REF("M", "0") " }\npinnings { logical_fabric_node_id { mesh_id: 0 }"
                                                          " physical_asic_position { tray_id: 1 asic_location: 1 } }",
          "line 3: pinnings: chip_id is missing" },
        { MESH("M", "1, 1", "1") "top_level_instance { " REF(
              "M", "0") " }\npinnings { logical_fabric_node_id { mesh_id: 0 chip_id: 0 "
                        "mesh_id_regex: \"0\" } physical_asic_position { tray_id: 1 asic_location: 1 } }",
          "line 3: pinnings: mesh_id and mesh_id_regex exclude each other" },
        { MESH("M", "1, 1", "1") "top_level_instance { " REF(
              "M", "0") " }\npinnings { logical_fabric_node_id { mesh_id: 0 chip_id: 0 }"
                        " physical_asic_position { tray_id: 1 } }",
          "line 3: pinnings: asic_location is missing" },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_refused(wrong[i].text, wrong[i].message);
}

/* Two meshes A 0 and A 1 of two chips each, with these connections in line 3. */
static void assert_bad_connection(const char *connection, const char *message) {
    static char text[4000];
    snprintf(text, sizeof text,
             MESH("A", "1, 2", "1") "graph_descriptors { name: \"G\" type: \"FABRIC\" instances { " REF(
                 "A", "0") " } instances { " REF("A", "1") " }\n%s}\n" MESH("B", "1, 2", "1") TOP,
             connection);
    assert_refused(text, message);
}

static void wrong_connections_name_their_line(void **state) {
    (void)state;
    assert_bad_connection("connections { nodes { " REF("A", "0") " } channels { count: 1 } }",
                          "line 3: connections: two nodes");
    assert_bad_connection("connections { nodes { " REF("A", "0") " } nodes { " REF("A", "1") " } nodes { " REF(
                              "A", "1") " } channels { count: 1 } }",
                          "line 3: connections: two nodes");
    assert_bad_connection("connections { nodes { " REF("A", "0") " } nodes { " REF("A", "1") " } }",
                          "line 3: connections: channels with a count are missing");
    assert_bad_connection("connections { nodes { " REF("A", "0") " } nodes { " REF(
                              "A", "1") " } channels { count: 1 } directional: true }",
                          "line 3: connections: a cable has both directions");
    assert_bad_connection(JOIN(REF("A", "0"), REF("A", "2"), "count: 1"),
                          "line 3: the graph has no mesh with the id 2");
    assert_bad_connection(JOIN(REF("A", "0"), REF("B", "1"), "count: 1"),
                          "line 3: the mesh with the id 1 has another descriptor");
    assert_bad_connection(JOIN(REF("A", "0"), REF("C", "1"), "count: 1"), "line 3: mesh_descriptor: there is no \"C\"");
    assert_bad_connection(JOIN(REF("A", "0"), "graph { graph_descriptor: \"G\" graph_id: 1 }", "count: 1"),
                          "line 3: the graph has no graph with the id 1");
    assert_bad_connection(JOIN(REF("A", "0"), DEVICE("A", "1", "2"), "count: 1"),
                          "line 3: device_id: the mesh has devices 0 to 1");
    assert_bad_connection(JOIN(REF("A", "0"), DEVICE("A", "1", "-1"), "count: 1"), "line 3: device_id: the mesh has");
    assert_bad_connection(JOIN(REF("A", "0"), DEVICE("A", "0", "1"), "count: 1"),
                          "line 3: connections: both nodes are the same");
    assert_bad_connection(JOIN(REF("A", "0"), REF("A", "1"), "count: 1") JOIN(REF("A", "0"), REF("A", "1"), "count: 1"),
                          "line 4: connections: line 3 joins the same nodes");
    assert_bad_connection(
        JOIN(REF("A", "0"), REF("A", "1"), "count: 23 policy: STRICT"),
        "line 3: chips 0 to 1 (from mesh 0, \"A\", on) have free Ethernet ports for 22 of 23 channels");
    assert_bad_connection(
        JOIN(DEVICE("A", "0", "1"), DEVICE("A", "1", "1"), "count: 12"),
        "line 3: chip 1 (device 1 of mesh 0, \"A\") has 12 Ethernet ports, not 13 for all its channels");
    assert_bad_connection("graph_topology { channels { count: 1 } }", "line 3: graph_topology: layout_type");
    assert_bad_connection("graph_topology { layout_type: RING }",
                          "line 3: graph_topology: channels with a count are missing");
}

/* ---- Any text -----------------------------------------------------------------------------------------------------
 */

/* Any text is read or refused with a line; afterwards the system is as before. */
static void texts_of_all_sorts(void **state) {
    static const char text[] = MESH("A", "1, 2", "2") "graph_descriptors { name: \"G\" type: \"F\" instances { " REF(
        "A", "0") " } instances { " REF("A", "1") " }\n" JOIN(REF("A", "0"), REF("A", "1"), "count: 2") "}\n" TOP;
    (void)state;
    bh_system *system = make_empty();
    for (size_t cut = 0; cut + 2 < sizeof text; cut++) {
        if (bh_system_describe(system, text, cut) == BH_OK)
            fail_msg("half a text was read: %.*s", (int)cut, text);
        assert_says(bh_system_message(system), "line");
        assert_int_equal(bh_system_chip_count(system), 0);
    }
    bh_system_destroy(system);
    for (size_t place = 0; place + 1 < sizeof text; place += 3)
        for (const char *other = ":-[]{}<>\n #'\"9,;\\"; *other; other++) {
            char changed[sizeof text];
            memcpy(changed, text, sizeof text);
            changed[place] = *other;
            system = make_empty();
            bool ok = bh_system_describe(system, changed, sizeof text - 1) == BH_OK;
            assert_true(ok || bh_system_chip_count(system) + bh_system_link_count(system) == 0);
            bh_system_destroy(system);
        }
}

/* A graph is added behind what the system has, and a mistake takes back nothing else. */
static void graphs_are_added_to_a_system(void **state) {
    (void)state;
    bh_system *system = describe("machine: p300\n");
    const char *text = mesh_text("dims: [ 1, 2 ]", 2, "");
    assert_int_equal(bh_system_describe(system, text, strlen(text)), BH_OK);
    assert_int_equal(bh_system_chip_count(system), 4);
    assert_int_equal(cables(system, 2, 3), 2);
    assert_int_equal(serial(system, 3), 3);
    assert_int_equal(bh_system_describe(system, "mesh_descriptors {", 18), BH_ERR_ARGUMENT);
    assert_int_equal(bh_system_chip_count(system), 4);
    assert_int_equal(bh_system_link_count(system), 4);
    bh_system_destroy(system);
}

/* A machine room of tt-metal's descriptors: nine of 32 x 4 chips, every one joined to every other. */
static void a_thousand_chips(void **state) {
    static char text[3000];
    int used =
        snprintf(text, sizeof text,
                 "mesh_descriptors { name: \"M\" arch: BLACKHOLE device_topology { dims: [ 32, 4 ] dim_types: [ RING, "
                 "RING ] } host_topology { dims: [ 4, 1 ] } channels { count: 2 policy: STRICT } }\n"
                 "graph_descriptors { name: \"G\" type: \"FABRIC\"\n");
    (void)state;
    for (unsigned i = 0; i < 9; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "instances { mesh { mesh_descriptor: \"M\" mesh_id: %u } }\n", i);
    snprintf(text + used, sizeof text - (size_t)used,
             "graph_topology { layout_type: ALL_TO_ALL channels { count: 4 policy: RELAXED } } }\n" TOP);
    bh_system *system = describe(text);
    assert_int_equal(bh_system_chip_count(system), 1152);
    assert_int_equal(bh_system_link_count(system), 9 * 512 + 36 * 4);
    assert_int_equal(bh_system_run(system, 2000, 0, NULL), BH_OK);
    bh_system_destroy(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_have_neighbours),
        cmocka_unit_test(three_dimensions),
        cmocka_unit_test(ports_are_taken_in_order),
        cmocka_unit_test(known_machines_are_recognised),
        cmocka_unit_test(a_galaxy_is_a_torus),
        cmocka_unit_test(cables_carry_packets),
        cmocka_unit_test(devices_are_joined),
        cmocka_unit_test(the_reverse_of_a_connection_is_the_same),
        cmocka_unit_test(meshes_are_joined),
        cmocka_unit_test(layouts_join_all_members),
        cmocka_unit_test(graphs_are_nested),
        cmocka_unit_test(express_connections_are_cables),
        cmocka_unit_test(relaxed_connections_share_ports),
        cmocka_unit_test(pinnings_choose_galaxy_boards),
        cmocka_unit_test(wrong_descriptors_name_their_line),
        cmocka_unit_test(wrong_instances_name_their_line),
        cmocka_unit_test(wrong_connections_name_their_line),
        cmocka_unit_test(texts_of_all_sorts),
        cmocka_unit_test(graphs_are_added_to_a_system),
        cmocka_unit_test(a_thousand_chips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
