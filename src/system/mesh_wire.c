/* Boards and ports for a graph of meshes, which its descriptor does not name.
 *
 * A machine of machines.c with as many chips, whose cables are enough for all connections, gives its boards and its
 * ports: p150, p300, quietbox2, quietbox, galaxy, the first that fits; only galaxy if chips are pinned to trays. Chips
 * keep the numbers of the graph, so chip 1 of a mesh may be chip 2 of the machine; cables that the graph does not ask
 * for are left out.
 *
 * Otherwise boards are those of a Galaxy (eight chips each) if the graph has a multiple of 32 chips, or pins chips to
 * trays, and else P150; and a cable gets the lowest free port at both ends. Connections between two chips come first,
 * in the order of the text, then those between meshes, whose cables begin at the chips with the most free ports (the
 * lowest number among them), as many at a time as the mesh has channels. */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "system/mesh.h"

enum { PORTS = 12, STEPS_MAX = 1 << 18 };

/* What connections between two chips ask of a chip. */
struct demand {
    uint64_t channels;
    unsigned connections;
};

struct wiring {
    struct mesh_graph *graph;
    struct machine_chip *chip;
    struct bh_link *link;
    uint32_t link_count, link_room;
    uint16_t *used;        /* ports of each chip, as a mask */
    struct demand *demand; /* of each chip */
};

static bool no_memory(struct wiring *w) {
    return mesh_fail(w->graph, 1, "no memory left");
}

static bool put_link(struct wiring *w, const struct bh_link *link) {
    struct bh_link *list = list_room(w->link, w->link_count, &w->link_room, sizeof *list);
    if (!list)
        return no_memory(w);
    w->link = list;
    list[w->link_count++] = *link;
    return true;
}

static bool is_pair(const struct mesh_edge *edge) {
    return edge->end[0].count == 1 && edge->end[1].count == 1;
}

static bool contains(struct mesh_span span, unsigned chip) {
    return chip - span.first < span.count;
}

/* ---- Machines ---------------------------------------------------------------------------------------------------- */

/* One assignment of the chips of a graph to those of a machine. */
struct fit {
    const struct mesh_graph *graph;
    struct machine_plan plan;
    uint16_t need[MACHINE_CHIPS][MACHINE_CHIPS]; /* cables between chips of the graph */
    uint16_t have[MACHINE_CHIPS][MACHINE_CHIPS]; /* between chips of the machine */
    unsigned position[MACHINE_CHIPS];            /* in the machine, of a chip of the graph */
    unsigned chip[MACHINE_CHIPS];                /* of the graph, at a position */
    uint32_t taken;                              /* mask of positions */
    unsigned steps;
};

/* Returns whether a cable of the machine is one of a connection. *turned: its ends are in the other order. */
static bool is_of(const struct fit *fit, const struct bh_link *cable, const struct mesh_edge *edge, bool *turned) {
    unsigned a = fit->chip[cable->chip[0]], b = fit->chip[cable->chip[1]];
    *turned = !(contains(edge->end[0], a) && contains(edge->end[1], b));
    return !*turned || (contains(edge->end[0], b) && contains(edge->end[1], a));
}

/* Gives the first free cables of the machine to a connection. w: NULL to see only whether there are enough. */
static bool take_cables(const struct fit *fit, const struct mesh_edge *edge, bool *gone, struct wiring *w) {
    unsigned left = edge->channels;
    for (unsigned i = 0; i < fit->plan.link_count && left; i++) {
        const struct bh_link *cable = &fit->plan.link[i];
        bool turned;
        if (gone[i] || !is_of(fit, cable, edge, &turned))
            continue;
        gone[i] = true;
        left--;
        const struct bh_link link = {
            .chip = { fit->chip[cable->chip[turned]], fit->chip[cable->chip[!turned]] },
            .port = { cable->port[turned], cable->port[!turned] },
        };
        if (w && !put_link(w, &link))
            return false;
    }
    return !left;
}

static bool take_all(const struct fit *fit, struct wiring *w) {
    bool gone[MACHINE_LINKS] = { false };
    for (unsigned pair = 2; pair-- > 0;)
        for (uint32_t i = 0; i < fit->graph->edge_count; i++)
            if (is_pair(&fit->graph->edge[i]) == (bool)pair && !take_cables(fit, &fit->graph->edge[i], gone, w))
                return false;
    return true;
}

static bool can_stand(const struct fit *fit, unsigned chip, unsigned position) {
    if (fit->taken >> position & 1)
        return false;
    for (unsigned other = 0; other < chip; other++)
        if (fit->need[chip][other] > fit->have[position][fit->position[other]])
            return false;
    return true;
}

/* Finds positions for this chip and those after it. Gives up after many steps: then the graph does not fit. */
static bool place_chips(struct fit *fit, unsigned chip) {
    if (chip == fit->graph->chip_count)
        return take_all(fit, NULL);
    for (unsigned position = 0; position < fit->plan.chip_count && fit->steps < STEPS_MAX; position++) {
        fit->steps++;
        if (!can_stand(fit, chip, position))
            continue;
        fit->position[chip] = position;
        fit->chip[position] = chip;
        fit->taken |= UINT32_C(1) << position;
        if (place_chips(fit, chip + 1))
            return true;
        fit->taken &= ~(UINT32_C(1) << position);
    }
    return false;
}

static bool fits(struct fit *fit) {
    if (fit->plan.chip_count != fit->graph->chip_count)
        return false;
    for (uint32_t i = 0; i < fit->graph->edge_count; i++) {
        const struct mesh_edge *edge = &fit->graph->edge[i];
        unsigned a = edge->end[0].first, b = edge->end[1].first;
        if (edge->channels > MACHINE_LINKS)
            return false;
        if (is_pair(edge))
            fit->need[b][a] = fit->need[a][b] = (uint16_t)(fit->need[a][b] + edge->channels);
    }
    for (unsigned i = 0; i < fit->plan.link_count; i++) {
        const struct bh_link *link = &fit->plan.link[i];
        fit->have[link->chip[0]][link->chip[1]]++;
        fit->have[link->chip[1]][link->chip[0]]++;
    }
    return place_chips(fit, 0);
}

/* Wires the graph as a machine. Returns false if it is none. */
static bool wire_machine(struct wiring *w) {
    static const enum bh_system_kind order[] = { BH_SYSTEM_P150, BH_SYSTEM_P300, BH_SYSTEM_QUIETBOX_2,
                                                 BH_SYSTEM_QUIETBOX, BH_SYSTEM_GALAXY };
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++) {
        struct fit fit = { .graph = w->graph };
        if (w->graph->has_trays && order[i] != BH_SYSTEM_GALAXY)
            continue;
        if (!machine_plan(order[i], &fit.plan) || !fits(&fit) || !take_all(&fit, w))
            continue;
        for (unsigned chip = 0; chip < fit.plan.chip_count; chip++)
            w->chip[chip] = fit.plan.chip[fit.position[chip]];
        return true;
    }
    return false;
}

/* ---- Other graphs ------------------------------------------------------------------------------------------------ */

static unsigned free_ports(const struct wiring *w, unsigned chip) {
    return PORTS - (unsigned)__builtin_popcount(w->used[chip]);
}

static unsigned take_port(struct wiring *w, unsigned chip) {
    unsigned port = (unsigned)__builtin_ctz(~(unsigned)w->used[chip]);
    w->used[chip] |= (uint16_t)(1u << port);
    return port;
}

static bool join(struct wiring *w, unsigned a, unsigned b, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        const struct bh_link link = { .chip = { a, b }, .port = { take_port(w, a), take_port(w, b) } };
        if (!put_link(w, &link))
            return false;
    }
    return true;
}

static void count_demand(struct wiring *w) {
    for (uint32_t i = 0; i < w->graph->edge_count; i++) {
        const struct mesh_edge *edge = &w->graph->edge[i];
        for (unsigned end = 0; is_pair(edge) && end < 2; end++) {
            w->demand[edge->end[end].first].channels += edge->channels;
            w->demand[edge->end[end].first].connections++;
        }
    }
}

static const struct mesh *mesh_of(const struct mesh_graph *graph, unsigned chip) {
    const struct mesh *mesh = graph->mesh;
    while (chip - mesh->first >= mesh->count)
        mesh++;
    return mesh;
}

/* A chip whose ports are not enough. */
static bool fail_chip(struct wiring *w, unsigned line, unsigned chip) {
    const struct mesh *mesh = mesh_of(w->graph, chip);
    return mesh_fail(
        w->graph, line, "chip %u (device %u of mesh %u, \"%s\") has %d Ethernet ports, not %llu for all its channels",
        chip, chip - mesh->first, mesh->id, mesh->name, PORTS, (unsigned long long)w->demand[chip].channels);
}

/* Joins two chips. If a chip has too few ports, its relaxed connections share them. */
static bool join_pair(struct wiring *w, const struct mesh_edge *edge) {
    unsigned count = edge->channels;
    for (unsigned end = 0; end < 2; end++) {
        unsigned chip = edge->end[end].first;
        if (w->demand[chip].channels <= PORTS)
            continue;
        unsigned share = PORTS / w->demand[chip].connections;
        if (!edge->relaxed || !share)
            return fail_chip(w, edge->line, chip);
        count = count < share ? count : share;
    }
    for (unsigned end = 0; end < 2; end++) {
        unsigned chip = edge->end[end].first, left = free_ports(w, chip);
        if (count > left && (!edge->relaxed || !left))
            return fail_chip(w, edge->line, chip);
        count = count < left ? count : left;
    }
    return join(w, edge->end[0].first, edge->end[1].first, count);
}

/* Returns the chip with the most free ports. */
static unsigned freest(const struct wiring *w, struct mesh_span span) {
    unsigned best = span.first;
    for (unsigned chip = span.first; chip < span.first + span.count; chip++)
        if (free_ports(w, chip) > free_ports(w, best))
            best = chip;
    return best;
}

static bool join_spans(struct wiring *w, const struct mesh_edge *edge) {
    unsigned left = edge->channels, count = 1;
    for (; left; left -= count) {
        unsigned a = freest(w, edge->end[0]), b = freest(w, edge->end[1]);
        count = mesh_of(w->graph, a)->channels;
        count = count < left ? count : left;
        count = count < free_ports(w, a) ? count : free_ports(w, a);
        count = count < free_ports(w, b) ? count : free_ports(w, b);
        if (!count)
            break;
        if (!join(w, a, b, count))
            return false;
    }
    if (!left || (edge->relaxed && left < edge->channels))
        return true;
    unsigned full = free_ports(w, freest(w, edge->end[0])) != 0;
    const struct mesh_span span = edge->end[full];
    const struct mesh *mesh = mesh_of(w->graph, span.first);
    return mesh_fail(w->graph, edge->line,
                     "chips %u to %u (from mesh %u, \"%s\", on) have free Ethernet ports for %u of %u channels",
                     span.first, span.first + span.count - 1, mesh->id, mesh->name, edge->channels - left,
                     edge->channels);
}

static void choose_boards(struct wiring *w) {
    enum { ON_BOARD = 8 };
    bool galaxy = w->graph->has_trays || w->graph->chip_count % MACHINE_CHIPS == 0;
    for (unsigned i = 0; i < w->graph->chip_count; i++) {
        w->chip[i].board = galaxy ? BH_BOARD_GALAXY : BH_BOARD_P150;
        w->chip[i].serial = galaxy ? i / ON_BOARD : i;
        w->chip[i].location = galaxy ? (uint8_t)(1 + i % ON_BOARD) : 0;
    }
}

static bool wire_ports(struct wiring *w) {
    choose_boards(w);
    count_demand(w);
    for (unsigned pair = 2; pair-- > 0;)
        for (uint32_t i = 0; i < w->graph->edge_count; i++) {
            const struct mesh_edge *edge = &w->graph->edge[i];
            if (is_pair(edge) == (bool)pair && !(pair ? join_pair(w, edge) : join_spans(w, edge)))
                return false;
        }
    return true;
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

bool mesh_wire(struct mesh_graph *graph, struct mesh_wires *wires) {
    struct wiring w = { .graph = graph,
                        .chip = calloc(graph->chip_count, sizeof *w.chip),
                        .used = calloc(graph->chip_count, sizeof *w.used),
                        .demand = calloc(graph->chip_count, sizeof *w.demand) };
    bool ok = (w.chip && w.used && w.demand) || no_memory(&w);
    ok = ok && (wire_machine(&w) || (!graph->error[0] && wire_ports(&w)));
    free(w.used);
    free(w.demand);
    *wires = (struct mesh_wires){ .chip = w.chip, .link = w.link, .link_count = w.link_count };
    return ok;
}

void mesh_wires_free(struct mesh_wires *wires) {
    free(wires->chip);
    free(wires->link);
    *wires = (struct mesh_wires){ 0 };
}
