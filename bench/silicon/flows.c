/* NoC, DRAM and host memory: flows of packets between single tiles, reads in a row, and the rate of DRAM, as tt-sim's
 * benches measured them (nocbench, nocreadbench, dramratebench), and requests to host memory, as tt-metal's tests of
 * data movement did. All of them use NoC 0. */
#include <stdlib.h>
#include <string.h>

#include "silicon.h"
#include "transfers.h"

enum { LOCAL = 0x40000, REMOTE = 0x80000, VC_WRITE = 1, BANKS = 8, COLUMNS = 12 };

/* Instructions of the measured loops that are neither polls, stores nor counts: from the cycles of small transfers. */
enum { WORK_WRITE = 12, WORK_READ = 27, WORK_READ_BY_TURNS = 21, WORK_STATEFUL = 12 };

static struct transfers task(bool reads, long count, long bytes) {
    return (struct transfers){ .reads = reads,
                               .bare_clock = true,
                               .vc = VC_WRITE,
                               .count = (unsigned)count,
                               .bytes = (unsigned)bytes,
                               .work = reads ? WORK_READ : WORK_WRITE,
                               .places = 1,
                               .local = LOCAL,
                               .remote = REMOTE,
                               .responses = 1 };
}

/* Reads "x.y" and moves behind it. */
static bool read_tile(const char **text, struct bh_xy *tile) {
    char *end;
    tile->x = (uint8_t)strtoul(*text, &end, 10);
    if (end == *text || *end != '.')
        return false;
    *text = end + 1;
    tile->y = (uint8_t)strtoul(*text, &end, 10);
    bool good = end != *text;
    *text = end;
    return good;
}

/* ---- Flows ---------------------------------------------------------------------------------------------------- */

/* Reads a list `from:to+from:to` and lets each of these tiles move data. */
static bool add_flows(struct transfers_chip *at, const struct silicon_point *point, struct transfers *what,
                      struct silicon_error *error) {
    const char *flows = silicon_text(point, "flows"), *vcs = silicon_text(point, "vcs");
    bool more = flows && vcs;
    if (!more)
        return silicon_fail(point, error, "there are no flows, or no channels");
    for (; more; flows++, vcs++) {
        struct bh_xy from, to;
        char *end;
        if (!read_tile(&flows, &from) || *flows++ != ':' || !read_tile(&flows, &to))
            return silicon_fail(point, error, "the flows are not from.y:to.y");
        what->vc = (unsigned)strtoul(vcs, &end, 10);
        vcs = end;
        what->place[0] = transfers_coordinates(to);
        if (!transfers_add(at, from, what))
            return silicon_fail(point, error, "%s", bh_message(at->chip));
        more = *flows == '+';
    }
    return true;
}

static bool flow(struct silicon_point *point, struct silicon_error *error) {
    struct transfers_chip at;
    uint32_t cycles[TRANSFERS_TILES];
    long reads, count, bytes, number;
    if (!silicon_number(point, "reads", &reads, error) || !silicon_number(point, "count", &count, error) ||
        !silicon_number(point, "bytes", &bytes, error) || !silicon_number(point, "flow", &number, error) ||
        !transfers_open(&at))
        return false;
    struct transfers what = task(reads, count, bytes);
    bool done = add_flows(&at, point, &what, error) && transfers_go(&at, point, cycles, error);
    if (done && (number < 0 || (unsigned)number >= at.tiles))
        done = silicon_fail(point, error, "there is no flow %ld", number);
    if (done)
        point->predicted = cycles[number];
    transfers_close(&at);
    return done;
}

/* ---- Reads in a row --------------------------------------------------------------------------------------------- */

static bool add_sources(struct transfers *what, const struct silicon_point *point, struct silicon_error *error) {
    const char *from = silicon_text(point, "from");
    bool more = from;
    for (what->places = 0; more; from++) {
        struct bh_xy tile;
        if (what->places == TRANSFERS_PLACES || !read_tile(&from, &tile))
            break;
        what->place[what->places++] = transfers_coordinates(tile);
        more = *from == '+';
    }
    if (what->places && !more)
        return true;
    (void)silicon_fail(point, error, "the sources are not x.y+x.y");
    return false;
}

static bool reads_in_a_row(struct silicon_point *point, struct silicon_error *error) {
    struct transfers_chip at;
    uint32_t cycles[TRANSFERS_TILES];
    long count, bytes, stateful;
    if (!silicon_number(point, "count", &count, error) || !silicon_number(point, "bytes", &bytes, error) ||
        !silicon_number(point, "stateful", &stateful, error))
        return false;
    struct transfers what = task(true, count, bytes);
    what.stateful = stateful;
    what.work = stateful ? WORK_STATEFUL : WORK_READ;
    if (!add_sources(&what, point, error) || !transfers_open(&at))
        return false;
    what.by_turns = what.places > 1;
    what.work = what.by_turns ? WORK_READ_BY_TURNS : what.work;
    what.count /= what.places;
    bool done = transfers_add(&at, transfers_tile(0, 0), &what) && transfers_go(&at, point, cycles, error);
    if (done)
        point->predicted = cycles[0];
    transfers_close(&at);
    return done;
}

/* ---- DRAM ------------------------------------------------------------------------------------------------------ */

/* Each tile moves 1 MiB, the i-th from or to bank i. The rate is that of all tiles until the last one ends. */
static bool dram_rate(struct silicon_point *point, struct silicon_error *error) {
    enum { BYTES = 4096, COUNT = 256 };
    struct transfers_chip at;
    uint32_t cycles[TRANSFERS_TILES], last = 0;
    long tiles, banks, reads;
    bool done = true;
    if (!silicon_number(point, "tiles", &tiles, error) || !silicon_number(point, "banks", &banks, error) ||
        !silicon_number(point, "reads", &reads, error) || !transfers_open(&at))
        return false;
    struct transfers what = task(reads, COUNT, BYTES);
    for (unsigned i = 0; i < tiles && done; i++) {
        what.place[0] = transfers_coordinates(transfers_bank(banks == 1 ? 0 : i % BANKS, 0));
        done = transfers_add(&at, transfers_tile(i % COLUMNS, i / COLUMNS), &what);
    }
    done = done && transfers_go(&at, point, cycles, error);
    for (unsigned i = 0; i < tiles && done; i++)
        last = cycles[i] > last ? cycles[i] : last;
    if (done)
        point->predicted = (double)tiles * COUNT * BYTES / last;
    transfers_close(&at);
    return done;
}

/* ---- Host memory ----------------------------------------------------------------------------------------------- */

/* Sets *cycles to the time of this many requests of one tile. */
static bool host_requests(const struct silicon_point *point, bool reads, long count, long bytes, uint32_t *cycles,
                          struct silicon_error *error) {
    const struct bh_xy pcie = { 19, 24 };
    struct transfers_chip at;
    uint32_t each[TRANSFERS_TILES];
    if (!transfers_open(&at))
        return false;
    struct transfers what = task(reads, count, bytes);
    what.work = reads ? TRANSFERS_METAL_READ : TRANSFERS_METAL_WRITE;
    what.place[0] = transfers_coordinates(pcie);
    bool done = transfers_add(&at, transfers_tile(0, 0), &what) && transfers_go(&at, point, each, error);
    if (done)
        *cycles = each[0];
    transfers_close(&at);
    return done;
}

/* The measured loops have a hundred thousand requests, so that the first one's latency does not count. */
static bool host_rate(struct silicon_point *point, struct silicon_error *error) {
    enum { COUNT = 256 };
    long reads, bytes;
    uint32_t once = 0, twice = 0;
    if (!silicon_number(point, "reads", &reads, error) || !silicon_number(point, "bytes", &bytes, error) ||
        !host_requests(point, reads, COUNT, bytes, &once, error) ||
        !host_requests(point, reads, 2 * COUNT, bytes, &twice, error))
        return false;
    point->predicted = (double)(twice - once) / COUNT;
    return true;
}

const struct silicon_class silicon_flows[] = {
    { "noc flow", "64 transfers from one tile to another, or back, and the wait for all: cycles.", 0.04, 0.10, flow },
    { "noc contention",
      "The same of several tiles at once that share links, senders or receivers: cycles of one of them.", 0.04, 0.10,
      flow },
    { "noc read issue", "Reads in a row from one tile or more, with and without setting all registers again: cycles.",
      0.04, 0.10, reads_in_a_row },
    { "dram rate", "1 to 120 tiles that move 1 MiB each, in pieces of 4 KiB, with one bank or all: bytes a cycle.",
      0.03, 0.08, dram_rate },
    { "host memory", "Requests of one tile to host memory over PCI Express, in a row: cycles for each.", 0.04, 0.10,
      host_rate },
    { NULL, NULL, 0, 0, NULL },
};
