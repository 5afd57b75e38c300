/* Tests of mesh graph descriptors in their older form, YAML (src/system/mesh_yaml.c). */
#include <stdio.h>

#include "describe.h"

#define SPEC \
    "ChipSpec: {\n  arch: blackhole,\n  ethernet_ports: {\n    N: 2,\n    E: 2,\n    S: 2,\n    W: 2,\n  }\n}\n\n"
#define BOARD(type) "Board: [\n  { name: b,\n    type: " type ",   # a comment\n    topology: [1, 4]}\n]\n"
#define ONE_MESH    "Mesh: [\n{\n  id: 0,\n  board: b,\n  device_topology: [2, 4],\n  host_topology: [2, 1],\n}\n]\n"

static void old_descriptors_are_read(void **state) {
    static const struct {
        const char *text;
        unsigned links;
    } cases[] = { { SPEC BOARD("Mesh") ONE_MESH "Graph: [\n]\n", 20 },
                  { SPEC BOARD("TORUS_X") ONE_MESH, 24 },
                  { SPEC BOARD("TORUS_Y") ONE_MESH, 20 },
                  { SPEC BOARD("TORUS_XY") ONE_MESH, 24 } };
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        bh_system *system = describe(cases[i].text);
        assert_int_equal(bh_system_chip_count(system), 8);
        assert_int_equal(bh_system_link_count(system), cases[i].links);
        bh_system_destroy(system);
    }
    static const char two[] = SPEC "Board: [{name: b, type: Mesh, topology: [1, 2]}]\n"
                                   "Mesh: [\n  {id: 0, board: b, device_topology: [1, 2], host_topology: [1, 1]},\n"
                                   "  {id: 1, board: b, device_topology: [1, 2], host_topology: [1, 1]},\n]\n"
                                   "RelaxedGraph: [\n  [M0, M1, 3],\n]\nGraph: [\n  [[M0, D1], [M1, D0], 4],\n]\n";
    bh_system *system = describe(two);
    assert_int_equal(bh_system_link_count(system), 4 + 3 + 4);
    assert_int_equal(cables(system, 0, 1), 2);
    assert_true(cables(system, 1, 2) >= 4);
    bh_system_destroy(system);
    system = describe("ChipSpec: {arch: blackhole, ethernet_ports: {N: 0, E: 0, S: 0, W: 0}}\n"
                      "Board: [{name: P150, type: Mesh, topology: [1, 1]}]\n"
                      "Mesh: [{id: 0, board: P150, device_topology: [1, 1], host_topology: [1, 1]}]\nGraph: []\n");
    assert_int_equal(bh_system_chip_count(system), 1);
    assert_int_equal(board_word(system, 0), P150);
    bh_system_destroy(system);
    system = describe("ChipSpec: {arch: blackhole, ethernet_ports: {N: 4, E: 4, S: 4, W: 4}}\n"
                      "Board: [{name: b, type: Mesh, topology: [3, 3]}]\n"
                      "Mesh: [{id: 0, board: b, device_topology: [3, 3], host_topology: [1, 1]}]\n");
    assert_int_equal(bh_system_link_count(system), 4 * 3 + 8 * 4); /* as if RELAXED */
    bh_system_destroy(system);
}

static void wrong_old_descriptors_name_their_line(void **state) {
    static const char port[] = "Board: [{name: b, type: Mesh, topology: [1, 2]}]\n";
    static const char mesh[] = "Mesh: [{id: 0, board: b, device_topology: [1, 2], host_topology: [1, 1]}]\n";
    static const char spec[] = "ChipSpec: {arch: blackhole, ethernet_ports: {N: 2, E: 2, S: 2, W: 2}}\n";
    static const struct {
        const char *spec, *board, *mesh, *rest, *message;
    } wrong[] = {
        { "ChipSpec: {arch: wormhole_b0, ethernet_ports: {N: 2, E: 2, S: 2, W: 2}}\n", port, mesh, "",
          "line 1: arch: only blackhole is emulated, not wormhole_b0" },
        { "ChipSpec: {ethernet_ports: {N: 2}}\n", port, mesh, "", "line 1: ChipSpec: arch is missing" },
        { "ChipSpec: {arch: blackhole}\n", port, mesh, "", "line 1: ethernet_ports: a number of ports" },
        { "ChipSpec: {arch: blackhole, ethernet_ports: {N: 2, E: 2, S: 2}}\n", port, mesh, "",
          "line 1: ethernet_ports: a number" },
        { "ChipSpec: {arch: blackhole, ethernet_ports: {N: 2, E: 3, S: 2, W: 2}}\n", port, mesh, "",
          "line 1: ethernet_ports: the same" },
        { "ChipSpec: {arch: blackhole, ethernet_ports: {N: 0, E: 0, S: 0, W: 0}}\n", port, mesh, "",
          "line 3: a mesh of several chips" },
        { spec, "", mesh, "", "line 1: a mesh graph descriptor has ChipSpec, Board and Mesh" },
        { spec, port, "Mesh: []\n", "", "a mesh graph descriptor has" },
        { spec, port, mesh, "Graphs: []\n", "line 4: a mesh graph descriptor has no key \"Graphs\"" },
        { spec, "Board: [{name: c, type: Mesh, topology: [1, 2]}]\n", mesh, "", "line 3: the board of a mesh" },
        { spec, "Board: [{name: b, type: Torus, topology: [1, 2]}]\n", mesh, "", "line 2: the type of a board" },
        { spec, "Board: [{name: b, type: Mesh, topology: [1]}]\n", mesh, "", "line 2: a list of two numbers" },
        { spec, "Board: [{name: b, type: Mesh, topology: [0, 0]}]\n", mesh, "", "line 2: a list of two numbers" },
        { spec, port, "Mesh: [{id: 0, board: b, device_topology: [2, 2], host_topology: [1, 1]}]\n", "",
          "line 3: device_topology is not" },
        { spec, port, "Mesh: [{board: b, device_topology: [1, 2], host_topology: [1, 1]}]\n", "",
          "line 3: the id of a mesh" },
        { spec, port,
          "Mesh: [{id: 0, board: b, device_topology: [1, 2], host_topology: [1, 1]},\n"
          "{id: 0, board: b, device_topology: [1, 2], host_topology: [1, 1]}]\n",
          "", "line 4: there is another mesh with this id" },
        { spec, port, mesh, "RelaxedGraph: [[M0, M1, 2]]\n", "line 4: there is no mesh with the id 1" },
        { spec, port, mesh, "RelaxedGraph: [[M0, D1, 2]]\n", "line 4: a mesh such as M0" },
        { spec, port, mesh, "RelaxedGraph: [[M0, M0, 2]]\n", "line 4: a connection is a list such as [M0, M1, 4]" },
        { spec, port, mesh, "Graph: [[[M0, D0], [M0, D2], 1]]\n", "line 4: mesh 0 has devices 0 to 1" },
        { spec, port, mesh, "Graph: [[[M0, S2], [M0, S3], 1]]\n", "line 4: an end of a connection" },
        { spec, port, mesh, "Graph: [[[M0, D0], [M0, D1]]]\n", "line 4: a connection is a list such as [[M0, D1]" },
        { spec, port, mesh, "Graph: [[[M0, D0], [M0, D0], 1]]\n", "line 4: a connection is a list such as [[M0, D1]" },
        { spec, port, mesh, "Graph: [\n [[M0, D0],\n", "line 5: a bracket is not closed" },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[1000];
        snprintf(text, sizeof text, "%s%s%s%s", wrong[i].spec, wrong[i].board, wrong[i].mesh, wrong[i].rest);
        assert_refused(text, wrong[i].message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_descriptors_are_read),
        cmocka_unit_test(wrong_old_descriptors_name_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
