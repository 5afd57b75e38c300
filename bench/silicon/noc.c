/* NoC: transfers between L1s as the vendor's NoC estimator and tt-sim's benches measured them. */
#include <stdlib.h>
#include <string.h>

#include "silicon.h"
#include "transfers.h"

enum { GRID_X = 11, GRID_Y = 10 }; /* the tiles that programs get: one column serves the host */
enum { LOCAL = 0x40000, REMOTE = 0x80000 };
enum { VC_CUSTOM = 0, VC_WRITE = 1, VC_MULTICAST = 4 };

/* A rectangle of logical positions. */
struct field {
    unsigned x, y, width, height;
};

static unsigned field_size(struct field f) {
    return f.width * f.height;
}

static struct bh_xy field_tile(struct field f, unsigned i) {
    return transfers_tile(f.x + i % f.width, f.y + i / f.width);
}

/* ---- The estimator's kernels ---------------------------------------------------------------------------------- */

/* Instructions of the compiled loops that are neither polls, stores nor counts: from the cycles of small transfers. */
static void set_work(struct transfers *what, bool single, bool dram) {
    const unsigned dram_work = what->by_turns ? 6 : 3;
    if (what->reads)
        what->work = dram ? dram_work : what->stateful ? 17 : TRANSFERS_METAL_READ;
    else
        what->work = dram ? dram_work : what->stateful ? 1 : TRANSFERS_METAL_WRITE;
    what->place_work = single || what->reads ? 0 : what->multicast || what->count > 1 ? 13 : 8;
    what->place_spares = single || !what->reads ? 0 : 6;
    what->start_work = 8;
}

static bool estimator_task(const struct silicon_point *point, struct transfers *what, long *transactions,
                           long *receivers, struct silicon_error *error) {
    long bytes, stateful, loopback;
    if (!silicon_number(point, "transactions", transactions, error) ||
        !silicon_number(point, "receivers", receivers, error) || !silicon_number(point, "bytes", &bytes, error) ||
        !silicon_number(point, "stateful", &stateful, error) || !silicon_number(point, "loopback", &loopback, error))
        return false;
    *what = (struct transfers){
        .stateful = stateful,
        .loopback = loopback,
        .bytes = (unsigned)bytes,
        .reads = strstr(point->parameters, "_from_"),
        .linked = silicon_is(point, "mechanism", "linked"),
        .local = LOCAL,
        .remote = REMOTE,
        .responses = 1,
    };
    what->multicast = what->linked || silicon_is(point, "mechanism", "multicast");
    what->noc = what->reads;
    what->vc = what->multicast ? VC_MULTICAST : VC_WRITE;
    return true;
}

static int ascending(const void *a, const void *b) {
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

static double median(uint32_t *cycles, unsigned count) {
    qsort(cycles, count, sizeof *cycles, ascending);
    unsigned middle = count / 2;
    return count % 2 ? cycles[middle] : (cycles[middle - 1] + (double)cycles[middle]) / 2;
}

/* The square of a side as the sweeps have it, or everything. */
static struct field square(long receivers) {
    static const unsigned sides[] = { 2, 3, 5, 8 };
    for (unsigned i = 0; i < sizeof sides / sizeof *sides; i++)
        if (receivers == (long)(sides[i] * sides[i]))
            return (struct field){ 0, 0, sides[i], sides[i] };
    return (struct field){ 0, 0, GRID_X, GRID_Y };
}

/* Where data goes to or comes from, and who moves it. */
static void estimator_fields(const struct silicon_point *point, const struct transfers *what, long receivers,
                             struct field *there, struct field *here) {
    bool outside = what->multicast && !what->loopback;
    if (silicon_is(point, "pattern", "one_to_row") || silicon_is(point, "pattern", "row_to_row"))
        *there = (struct field){ 0, 0, GRID_X, 1 };
    else if (silicon_is(point, "pattern", "one_to_column") || silicon_is(point, "pattern", "column_to_column"))
        *there = (struct field){ 0, 0, 1, GRID_Y };
    else
        *there = square(receivers);
    bool all = !strncmp(strstr(point->parameters, "pattern=") + 8, "all", 3);
    if (all || silicon_is(point, "pattern", "row_to_row") || silicon_is(point, "pattern", "column_to_column")) {
        *here = *there;
        here->y += outside && there->height == 1;
        here->x += outside && there->width == 1;
        return;
    }
    *here = (struct field){ 0, 0, 1, 1 };
    if (there->height == 1)
        here->y = outside;
    else if (there->width == 1)
        here->x = outside;
    else if ((outside || !what->multicast) && there->width < GRID_X)
        here->x = there->width;
}

static void add_places(struct transfers *what, struct field there, struct bh_xy except, bool all) {
    what->places = 0;
    for (unsigned i = 0; i < field_size(there); i++) {
        struct bh_xy tile = field_tile(there, i);
        if (!all && tile.x == except.x && tile.y == except.y)
            continue;
        what->place[what->places++] = transfers_coordinates(tile);
    }
}

static bool estimator_l1(struct transfers_chip *at, const struct silicon_point *point, struct transfers *what,
                         long transactions, long receivers) {
    struct field there, here;
    bool done = true;
    if (!receivers) {
        bool same_axis = silicon_is(point, "same_axis", "1");
        set_work(what, true, false);
        what->vc = what->reads || what->stateful ? VC_WRITE : VC_CUSTOM;
        what->count = (unsigned)transactions;
        what->places = 1;
        what->place[0] = transfers_coordinates(transfers_tile(!same_axis, 1));
        return transfers_add(at, transfers_tile(0, 0), what);
    }
    estimator_fields(point, what, receivers, &there, &here);
    if (what->multicast) {
        what->responses = field_size(there);
        what->count = (unsigned)transactions;
        what->places = 1;
        what->place[0] = transfers_area(field_tile(there, 0), field_tile(there, field_size(there) - 1));
        what->remote = what->loopback ? LOCAL : REMOTE;
    } else
        what->count = (unsigned)(transactions / receivers);
    set_work(what, false, false);
    for (unsigned i = 0; i < field_size(here) && done; i++) {
        if (!what->multicast)
            add_places(what, there, field_tile(here, i), field_size(here) > 1);
        done = transfers_add(at, field_tile(here, i), what);
    }
    return done;
}

static bool estimator_dram(struct transfers_chip *at, const struct silicon_point *point, struct transfers *what,
                           long transactions) {
    bool sharded = silicon_is(point, "memory", "dram_sharded");
    bool all = !strncmp(strstr(point->parameters, "pattern=") + 8, "all", 3);
    unsigned tiles = all ? GRID_X * GRID_Y : 1;
    bool done = true;
    what->noc = 1; /* the later of two runs */
    what->by_turns = !sharded && transactions > 1;
    set_work(what, true, true);
    what->meet = all ? tiles : 0;
    what->meet_at = transfers_coordinates(transfers_tile(0, 0));
    for (unsigned i = 0; i < tiles && done; i++) {
        what->places = sharded ? 1 : (unsigned)transactions < 8 ? (unsigned)transactions : 8;
        what->count = (unsigned)transactions / what->places;
        for (unsigned k = 0; k < what->places; k++)
            what->place[k] = transfers_coordinates(transfers_bank((i + k) % 8, what->noc));
        done = transfers_add(at, transfers_tile(i % GRID_X, i / GRID_X), what);
    }
    return done;
}

static bool estimator(struct silicon_point *point, struct silicon_error *error) {
    struct transfers what;
    struct transfers_chip at;
    uint32_t cycles[TRANSFERS_TILES];
    long transactions, receivers;
    if (!estimator_task(point, &what, &transactions, &receivers, error) || !transfers_open(&at))
        return false;
    bool done = silicon_is(point, "memory", "l1") ? estimator_l1(&at, point, &what, transactions, receivers)
                                                  : estimator_dram(&at, point, &what, transactions);
    if (!done)
        silicon_fail(point, error, "the program cannot be loaded: %s", bh_message(at.chip));
    done = done && transfers_go(&at, point, cycles, error);
    if (done) /* tiles that meet are timed together */
        point->predicted = what.meet ? transfers_wall(&at) : median(cycles, at.tiles);
    transfers_close(&at);
    return done;
}

const struct silicon_class silicon_noc[] = {
    { "noc estimator",
      "Transfers between L1s and with DRAM: the sweep of tt-metal's NoC estimator, by sizes, patterns and kinds. "
      "Median over the tiles that move data; DRAM and all tiles: from the first start to the last end, behind a "
      "barrier.",
      0.04, 0.12, estimator },
    { NULL, NULL, 0, 0, NULL },
};
