/* Runs of a debugged chip (see session.h). A run consists of pieces that end at multiples of an epoch, where gdb may
 * interrupt and snapshots are taken; these ends make no difference to the guest (docs/noc.md). Events inside a piece
 * stop the chip, too: the dialogue with gdb then takes place inside the callback. */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gdb/session.h"

static bool is_same(struct thread a, struct thread b) {
    return a.core == b.core && session_is_same(a.tile, b.tile);
}

struct tile_id run_tile_id(const struct gdb *gdb, const struct bh_debug_event *event) {
    return (struct tile_id){ event->tile, gdb->at_chip };
}

struct position run_position(const struct gdb *gdb, const struct bh_debug_event *event) {
    if (!event)
        return (struct position){ .kind = AT_BOUNDARY, .cycle = session_cycle(gdb) };
    return (struct position){
        .kind = event->core < 0 ? AT_EPOCH : AT_CORE,
        .cycle = bh_cycle(session_chip(gdb, run_tile_id(gdb, event))),
        .thread = { run_tile_id(gdb, event), event->core },
        .number = event->number,
    };
}

/* Returns the first core of a tile that is not in reset, or BRISC. */
static int first_core(const struct gdb *gdb, unsigned tile) {
    struct bh_core_info info;
    for (int core = 0; core < BH_CORE_COUNT; core++)
        if (session_core_exists(gdb, tile, core) &&
            bh_core_query(session_chip(gdb, gdb->tile[tile]), gdb->tile[tile].xy, (enum bh_core)core, &info) == BH_OK &&
            info.state != BH_CORE_IN_RESET)
            return core;
    return BH_BRISC;
}

struct thread run_accessor(const struct gdb *gdb, const struct bh_debug_event *event) {
    int core = event->by >= 0 ? event->by : event->core;
    return (struct thread){ run_tile_id(gdb, event),
                            core >= 0 ? core : first_core(gdb, session_tile(gdb, run_tile_id(gdb, event))) };
}

/* ---- Steps ------------------------------------------------------------------------------------------------- */

static unsigned steps_of(const struct gdb *gdb, unsigned tile) {
    unsigned cores = 0;
    const struct tile_id id = gdb->tile[tile];
    const struct thread *const wanted[] = { gdb->stepping ? &gdb->stepper : NULL,
                                            gdb->mode == MODE_SEEK ? &gdb->target.thread : NULL,
                                            gdb->mode == MODE_SEARCH && gdb->bound.kind == AT_CORE ? &gdb->bound.thread
                                                                                                   : NULL };
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (wanted[i] && wanted[i]->core >= 0 && session_is_same(wanted[i]->tile, id))
            cores |= 1u << wanted[i]->core;
    for (unsigned i = 0; gdb->mode == MODE_SEARCH && gdb->back == BACK_CONTINUE && i < gdb->point_count; i++)
        if (gdb->point[i].kind >= POINT_WRITE && session_tile(gdb, gdb->point[i].thread.tile) == tile)
            cores |= gdb->eth[tile] ? 1u << BH_ERISC0 | 1u << BH_ERISC1 : BH_ALL_CORES;
    return cores;
}

void run_set_steps(struct gdb *gdb) {
    for (unsigned i = 0; i < gdb->tile_count; i++) {
        unsigned cores = steps_of(gdb, i);
        if (cores != gdb->steps[i])
            (void)bh_step(session_chip(gdb, gdb->tile[i]), gdb->tile[i].xy, cores);
        gdb->steps[i] = (uint8_t)cores;
    }
}

/* ---- Events ------------------------------------------------------------------------------------------------ */

/* Returns whether gdb does not expect the stop yet. If so, records the first such stop for later. */
static bool comes_early(struct gdb *gdb, const struct stop *stop, const struct position *here) {
    if (!gdb->stepping || !gdb->others_stand || is_same(stop->thread, gdb->stepper))
        return false;
    if (!gdb->missed) {
        gdb->missed = true;
        gdb->missed_at = *here;
        gdb->missed_stop = *stop;
    }
    return true;
}

static void stop_here(struct gdb *gdb, const struct stop *stop, const struct bh_debug_event *event) {
    const struct position here = run_position(gdb, event);
    if (comes_early(gdb, stop, &here))
        return;
    gdb->stepping = false;
    session_talk(gdb, stop, &here);
    if (gdb->back != BACK_NONE || gdb->killed) {
        gdb->mode = MODE_ABANDON;
        gdb->bound = here;
    }
    uint64_t reported = here.cycle + (here.kind == AT_CORE); /* AT_EPOCH: the epoch's faults are still to come */
    if (gdb->history.frontier < reported)
        gdb->history.frontier = reported;
    run_set_steps(gdb);
}

static bool ends_step(const struct gdb *gdb, const struct bh_debug_event *event) {
    const struct thread thread = { run_tile_id(gdb, event), event->core };
    return gdb->stepping && is_same(thread, gdb->stepper) && event->number != gdb->step_after &&
           !(event->pc >= gdb->range_low && event->pc < gdb->range_high);
}

static void on_step(struct gdb *gdb, const struct bh_debug_event *event) {
    const struct point *point = event->kind == BH_DEBUG_BREAK ? points_at(gdb, event) : NULL;
    struct stop stop = { .cause = STOP_POINT, .signal = 5, .thread = { run_tile_id(gdb, event), event->core } };
    uint64_t *last = session_last_break(gdb, stop.thread);
    if (point && *last != event->number + 1)
        stop.kind = point->kind;
    else if (ends_step(gdb, event))
        stop.cause = STOP_STEP;
    else
        return;
    stop_here(gdb, &stop, event);
}

static void on_access(struct gdb *gdb, const struct bh_debug_event *event) {
    const struct point *point = points_watch(gdb, event);
    char name[TILE_TEXT];
    if (!point)
        return;
    const struct stop stop = { STOP_WATCH, 5, run_accessor(gdb, event), point->kind, point->address };
    link_print(gdb, "%s: %u byte%s at 0x%x %s by %s\n", session_name(gdb, run_tile_id(gdb, event), name), event->size,
               event->size == 1 ? "" : "s", event->address, event->kind == BH_DEBUG_READ ? "read" : "written",
               event->agent);
    stop_here(gdb, &stop, event);
}

static unsigned signal_of(enum bh_fault_kind kind) {
    enum { ILL = 4, BUS = 10, SEGV = 11 };
    switch (kind) {
    case BH_FAULT_MISALIGNED: return BUS;
    case BH_FAULT_UNMAPPED:
    case BH_FAULT_RUNAWAY: return SEGV;
    default: return ILL;
    }
}

static void on_fault(struct gdb *gdb, const struct bh_debug_event *event) {
    const struct bh_fault *fault = event->fault;
    char name[TILE_TEXT];
    int core = fault->core >= 0 ? fault->core : fault->thread >= 0 ? BH_TRISC0 + fault->thread : BH_BRISC;
    const struct stop stop = { .cause = STOP_FAULT,
                               .signal = signal_of(fault->kind),
                               .thread = { run_tile_id(gdb, event), core } };
    link_print(gdb, "%s: %s\n", session_name(gdb, run_tile_id(gdb, event), name), fault->text);
    stop_here(gdb, &stop, event);
}

/* Ends a step that takes too long, because the core sleeps or is blocked. */
static void on_time(struct gdb *gdb, const struct bh_debug_event *event) {
    char text[200];
    if (!gdb->stepping)
        return;
    describe_core(gdb, gdb->stepper, text, sizeof text);
    link_print(gdb, "the step is not over after %llu cycles: %s\n", (unsigned long long)STEP_CYCLES, text);
    const struct stop stop = { .cause = STOP_STEP, .signal = 5, .thread = gdb->stepper };
    stop_here(gdb, &stop, event);
}

static void on_event(void *user, bh_chip *chip, const struct bh_debug_event *event) {
    struct gdb *gdb = user;
    for (unsigned i = 0; gdb->system && i < bh_system_chip_count(gdb->system); i++)
        if (bh_system_chip(gdb->system, i) == chip)
            gdb->at_chip = i;
    if (gdb->mode == MODE_ABANDON)
        return;
    if (gdb->mode != MODE_LIVE) {
        history_event(gdb, event);
        return;
    }
    if (gdb->fd < 0)
        return;
    switch (event->kind) {
    case BH_DEBUG_BREAK:
    case BH_DEBUG_STEP: on_step(gdb, event); break;
    case BH_DEBUG_WRITE:
    case BH_DEBUG_READ: on_access(gdb, event); break;
    case BH_DEBUG_FAULT: on_fault(gdb, event); break;
    case BH_DEBUG_TIME: on_time(gdb, event); break;
    }
}

/* ---- The beginning ----------------------------------------------------------------------------------------- */

static void list_tiles(struct gdb *gdb, unsigned chip) {
    struct bh_tile_info info;
    const bh_chip *of = session_chip(gdb, (struct tile_id){ .chip = chip });
    for (unsigned i = 0; bh_tile_at(of, i, &info) == BH_OK; i++) {
        bool cores = info.kind == BH_TILE_TENSIX || info.kind == BH_TILE_ETH;
        if (!cores || info.harvested || gdb->tile_count == TILES_MAX)
            continue;
        gdb->eth[gdb->tile_count] = info.kind == BH_TILE_ETH;
        gdb->tile[gdb->tile_count++] = (struct tile_id){ info.translated, chip };
    }
}

/* Returns whether a core of the tile is out of reset. */
static bool is_running(const struct gdb *gdb, unsigned tile) {
    struct bh_core_info info;
    for (int core = 0; core < BH_CORE_COUNT; core++)
        if (session_core_exists(gdb, tile, core) &&
            bh_core_query(session_chip(gdb, gdb->tile[tile]), gdb->tile[tile].xy, (enum bh_core)core, &info) == BH_OK &&
            info.state != BH_CORE_IN_RESET)
            return true;
    return false;
}

/* Returns the first tile of the dialogue: a Tensix tile that runs or has a program, else an Ethernet tile with a
 * program, else the first tile. In a system whose owner knows the programs, only they count: a look at a tile that was
 * never used would initialise it. */
static unsigned first_tile(struct gdb *gdb) {
    bool looks = !gdb->system || !gdb->owner.program;
    for (unsigned eth = 0; eth < 2; eth++)
        for (unsigned i = 0; i < gdb->tile_count; i++)
            if (gdb->eth[i] == eth && (describe_program_count(gdb, i) || (looks && !eth && is_running(gdb, i))))
                return i;
    return 0;
}

/* Prepares a new connection. Precondition: the chip stands between two pieces. */
static void greet(struct gdb *gdb) {
    unsigned tile = first_tile(gdb);
    memset(gdb->attached, 0, sizeof gdb->attached);
    memset(gdb->last_break, 0, sizeof gdb->last_break);
    gdb->missed = false;
    gdb->attached[tile] = true;
    gdb->general = (struct thread){ gdb->tile[tile], first_core(gdb, tile) };
    gdb->resumed = gdb->general;
    gdb->stop = (struct stop){ .signal = 5, .thread = gdb->general };
    gdb->stepping = false;
}

/* Stops between two pieces, and talks to gdb. */
static void stop_at_boundary(struct gdb *gdb, enum stop_cause cause, unsigned signal) {
    const struct stop stop = { .cause = cause, .signal = signal, .thread = gdb->general };
    const struct position here = run_position(gdb, NULL);
    gdb->stepping = false;
    session_talk(gdb, &stop, &here);
    gdb->bound = here;
    run_set_steps(gdb);
}

/* Begins to debug chips that are not debugged yet: all of them, or those that the owner has added since. */
static bh_status debug_chips(struct gdb *gdb) {
    unsigned count = gdb->system ? bh_system_chip_count(gdb->system) : 1;
    bh_status status = BH_OK;
    for (; gdb->chip_count < count && status == BH_OK; gdb->chip_count++) {
        status = bh_debug(session_chip(gdb, (struct tile_id){ .chip = gdb->chip_count }), on_event, gdb);
        list_tiles(gdb, gdb->chip_count);
    }
    return status;
}

bh_status run_attach(struct gdb *gdb, bh_chip *chip, bh_system *system) {
    gdb->started = true;
    gdb->chip = chip;
    gdb->system = system;
    bh_status status = debug_chips(gdb);
    if (status == BH_OK)
        greet(gdb);
    return status;
}

/* Returns the number of changes to the chips by the host. A change ends the history. */
static uint64_t changes(const struct gdb *gdb) {
    uint64_t count = gdb->system ? 0 : bh_host_changes(gdb->chip);
    for (unsigned i = 0; gdb->system && i < bh_system_chip_count(gdb->system); i++)
        count += 1 + bh_host_changes(bh_system_chip(gdb->system, i)); /* a new chip is a change, too */
    return count;
}

static bh_status start(struct gdb *gdb, bh_chip *chip, bh_system *system) {
    bh_status status = run_attach(gdb, chip, system);
    if (status != BH_OK)
        return status;
    if (!gdb->launched)
        fprintf(stderr, "bhemu: waiting for gdb: target extended-remote :%u\n", gdb->port);
    if (!link_accept(gdb)) {
        gdb->killed = gdb->launched; /* gdb has exited before it connected */
        return BH_OK;
    }
    history_begin(gdb);
    gdb->history.changes = changes(gdb);
    stop_at_boundary(gdb, STOP_NONE, 5);
    return BH_OK;
}

/* ---- Pieces ------------------------------------------------------------------------------------------------ */

bh_status run_cycles(struct gdb *gdb, uint64_t cycles, unsigned flags, struct bh_stop *stop) {
    struct bh_system_stop end;
    if (!gdb->system)
        return bh_run(gdb->chip, cycles, flags, stop);
    bh_status status = bh_system_run(gdb->system, cycles, flags, &end);
    *stop = (struct bh_stop){ .reason = end.reason, .cycle = end.cycle, .waiting = end.waiting, .fault = end.fault };
    return status;
}

bh_status run_piece(struct gdb *gdb, uint64_t until, unsigned flags, struct bh_stop *stop) {
    if (gdb->stepping)
        (void)bh_debug_at(session_chip(gdb, gdb->stepper.tile), gdb->step_limit);
    return run_cycles(gdb, until - session_cycle(gdb), flags, stop);
}

/* Accepts a connection, or an interrupt, between two pieces. */
static void look_for_gdb(struct gdb *gdb) {
    if (link_is_called(gdb) && link_accept(gdb)) {
        greet(gdb);
        history_begin(gdb);
        stop_at_boundary(gdb, STOP_NONE, 5);
    } else if (link_has_input(gdb)) {
        enum packet_result result = link_receive(gdb);
        if (result == PACKET_INTERRUPT)
            stop_at_boundary(gdb, STOP_INTERRUPT, 2);
        else if (result == PACKET_BAD)
            session_leave(gdb);
    }
}

static bh_status run_live(struct gdb *gdb, unsigned flags, struct bh_stop *stop) {
    history_note(gdb);
    gdb->mode = MODE_LIVE;
    return run_piece(gdb, history_next(gdb, session_cycle(gdb), gdb->run_end), flags, stop);
}

static bool goes_back(const struct gdb *gdb) {
    return gdb->back != BACK_NONE && !gdb->killed;
}

/* Runs to gdb->run_end, forwards and backwards as gdb asks. */
static bh_status run_all(struct gdb *gdb, struct bh_stop *stop) {
    bh_status status = BH_OK;
    while (status == BH_OK && !gdb->killed && (session_cycle(gdb) < gdb->run_end || goes_back(gdb))) {
        status = goes_back(gdb) ? history_go_back(gdb, gdb->flags, stop) : run_live(gdb, gdb->flags, stop);
        if (gdb->mode == MODE_ABANDON || goes_back(gdb) || status != BH_OK)
            continue;
        history_cut(gdb);
        if (stop->reason != BH_STOP_CYCLES)
            break;
        look_for_gdb(gdb);
    }
    return status;
}

/* Tells gdb about new programs on attached tiles, so that it reads their symbols, sets its breakpoints and
 * continues. */
static void announce_programs(struct gdb *gdb) {
    const struct thread general = gdb->general;
    for (unsigned i = 0; i < gdb->tile_count && gdb->fd >= 0 && !gdb->killed; i++) {
        if (!gdb->attached[i] || gdb->program_count[i] == describe_program_count(gdb, i))
            continue;
        bool own = session_is_same(gdb->tile[i], general.tile);
        gdb->general = (struct thread){ gdb->tile[i], own ? general.core : BH_BRISC };
        stop_at_boundary(gdb, STOP_PROGRAMS, 5);
    }
}

static bh_status run_for(struct gdb *gdb, bh_chip *chip, bh_system *system, uint64_t cycles, unsigned flags,
                         struct bh_stop *stop) {
    uint64_t now = system ? bh_system_cycle(system) : bh_cycle(chip);
    *stop = (struct bh_stop){ .reason = BH_STOP_CYCLES, .cycle = now };
    gdb->run_end = now + cycles;
    gdb->flags = flags;
    bh_status status = gdb->started ? debug_chips(gdb) : start(gdb, chip, system);
    if (gdb->history.changes != changes(gdb))
        history_begin(gdb);
    announce_programs(gdb);
    if (status == BH_OK)
        status = run_all(gdb, stop);
    gdb->history.changes = changes(gdb);
    gdb->reason = stop->reason;
    if (gdb->killed)
        *stop = (struct bh_stop){ .reason = BH_STOP_CYCLES, .cycle = session_cycle(gdb) };
    return status;
}

bh_status gdb_run(struct gdb *gdb, bh_chip *chip, uint64_t cycles, unsigned flags, struct bh_stop *stop) {
    struct bh_stop own;
    return run_for(gdb, chip, NULL, cycles, flags, stop ? stop : &own);
}

bh_status gdb_run_system(struct gdb *gdb, bh_system *system, uint64_t cycles, unsigned flags, struct bh_stop *stop) {
    struct bh_stop own;
    return run_for(gdb, NULL, system, cycles, flags, stop ? stop : &own);
}

/* Tells gdb how the run has ended, and lets the user look at the last state and go back in time, until the user
 * continues. */
static void stop_at_end(struct gdb *gdb) {
    char report[1800];
    struct bh_stop stop;
    if (gdb->history.changes != changes(gdb))
        history_begin(gdb);
    gdb->ending = true;
    if (gdb->tracing)
        (void)bh_observe_flush(gdb->chip);
    gdb->ending = false;
    for (bool again = true; again && gdb->fd >= 0 && !gdb->killed;) {
        link_print(gdb, "the run has ended in cycle %llu: %s\n", (unsigned long long)session_cycle(gdb),
                   bh_stop_reason_text(gdb->reason));
        if (gdb->system ? bh_system_report(gdb->system, report, sizeof report)
                        : bh_report(gdb->chip, report, sizeof report))
            link_print(gdb, "%s", report);
        stop_at_boundary(gdb, STOP_END, 0);
        again = goes_back(gdb);
        if (again && run_all(gdb, &stop) != BH_OK)
            return;
    }
}

/* ---- Opening and closing --------------------------------------------------------------------------------------- */

int gdb_listen(unsigned port, unsigned *found) {
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    socklen_t size = sizeof address;
    int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 1) ||
        getsockname(fd, (struct sockaddr *)&address, &size)) {
        (void)close(fd);
        return -1;
    }
    *found = ntohs(address.sin_port);
    return fd;
}

/* Returns whether a file descriptor is a socket. It may have been shut down already, because gdb has exited. */
static bool is_socket(int fd) {
    int type;
    socklen_t size = sizeof type;
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
}

struct gdb *gdb_open(const char *port, const struct gdb_owner *owner, char *message, size_t size) {
    char *end;
    bool given = strncmp(port, "fd:", 3) == 0;
    const char *digits = given ? port + 3 : port;
    unsigned long number = strtoul(digits, &end, 10);
    if (*digits < '0' || *digits > '9' || *end || number > 65535) {
        snprintf(message, size, "a port must be a number from 0 (any) to 65535, not '%.40s'", port);
        return NULL;
    }
    if (given && !is_socket((int)number)) {
        snprintf(message, size, "'%.40s' is no socket", port);
        return NULL;
    }
    struct gdb *gdb = calloc(1, sizeof *gdb);
    if (!gdb) {
        snprintf(message, size, "out of memory");
        return NULL;
    }
    gdb->fd = -1;
    gdb->port = (unsigned)number;
    gdb->owner = *owner;
    gdb->launched = given;
    gdb->listener = given ? (int)number : gdb_listen((unsigned)number, &gdb->port);
    if (gdb->listener >= 0)
        return gdb;
    snprintf(message, size, "cannot listen on port %lu: %s", number, strerror(errno));
    free(gdb);
    return NULL;
}

bool gdb_killed(const struct gdb *gdb) {
    return gdb->killed;
}

bool gdb_replays(const struct gdb *gdb) {
    return gdb->started && (gdb->mode != MODE_LIVE || session_cycle(gdb) < gdb->history.frontier);
}

void gdb_close(struct gdb *gdb, int status) {
    char text[40];
    if (!gdb)
        return;
    if (gdb->fd >= 0 && !gdb->killed)
        stop_at_end(gdb);
    if (gdb->fd >= 0 && !gdb->killed) {
        gdb->status = (unsigned)status & 0xFF;
        gdb->attached[session_tile(gdb, gdb->general.tile) % TILES_MAX] = false;
        snprintf(text, sizeof text, "W%02x;process:%x", gdb->status, session_pid(gdb->general.tile));
        link_say(gdb, text);
        if (gdb->extended)
            session_linger(gdb);
    }
    link_close(gdb);
    for (unsigned i = 0; i < gdb->chip_count; i++)
        (void)bh_debug(session_chip(gdb, (struct tile_id){ .chip = i }), NULL, NULL);
    points_clear(gdb);
    history_clear(gdb);
    free(gdb->history.cut);
    free(gdb->history.log);
    if (gdb->listener >= 0)
        (void)close(gdb->listener);
    if (gdb->trace)
        (void)fclose(gdb->trace);
    free(gdb);
}
