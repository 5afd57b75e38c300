/* A dialogue with gdb while the chip is stopped (see session.h), by commands of the remote protocol as gdb's manual
 * describes them. The process number of a tile is 10000 * chip + 100 * x + y; the thread number of a core is its number
 * plus 1. */
#include <stdlib.h>
#include <string.h>

#include "gdb/session.h"

/* ---- Threads ------------------------------------------------------------------------------------------------ */

enum { PIDS_OF_CHIP = 10000 };

unsigned session_pid(struct tile_id tile) {
    return PIDS_OF_CHIP * tile.chip + 100u * tile.xy.x + tile.xy.y;
}

struct tile_id session_tile_id(uint64_t pid) {
    uint64_t rest = pid % PIDS_OF_CHIP;
    return (struct tile_id){ { (uint8_t)(rest / 100), (uint8_t)(rest % 100) }, (unsigned)(pid / PIDS_OF_CHIP) };
}

bool session_is_same(struct tile_id a, struct tile_id b) {
    return a.chip == b.chip && a.xy.x == b.xy.x && a.xy.y == b.xy.y;
}

bh_chip *session_chip(const struct gdb *gdb, struct tile_id tile) {
    return gdb->system ? bh_system_chip(gdb->system, tile.chip) : gdb->chip;
}

uint64_t session_cycle(const struct gdb *gdb) {
    return gdb->system ? bh_system_cycle(gdb->system) : bh_cycle(gdb->chip);
}

const char *session_name(const struct gdb *gdb, struct tile_id tile, char *text) {
    char chip[20] = "";
    if (gdb->system)
        snprintf(chip, sizeof chip, "chip %u, ", tile.chip);
    snprintf(text, TILE_TEXT, "%stile %u,%u", chip, tile.xy.x, tile.xy.y);
    return text;
}

/* Tiles are sorted by chip: a binary search finds the first tile of the chip. */
unsigned session_tile(const struct gdb *gdb, struct tile_id tile) {
    unsigned low = 0, high = gdb->tile_count;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (gdb->tile[middle].chip < tile.chip)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < gdb->tile_count && gdb->tile[low].chip == tile.chip; low++)
        if (session_is_same(gdb->tile[low], tile))
            return low;
    return gdb->tile_count;
}

bool session_core_exists(const struct gdb *gdb, unsigned tile, int core) {
    return core >= 0 && core < BH_CORE_COUNT && (!gdb->eth[tile] || core == BH_ERISC0 || core == BH_ERISC1);
}

uint64_t *session_last_break(struct gdb *gdb, struct thread thread) {
    return &gdb->last_break[session_tile(gdb, thread.tile) % TILES_MAX][thread.core];
}

static unsigned tile_of_pid(const struct gdb *gdb, uint64_t pid) {
    return pid < (uint64_t)PIDS_OF_CHIP * BH_SYSTEM_CHIPS ? session_tile(gdb, session_tile_id(pid)) : gdb->tile_count;
}

/* A thread as gdb names it. The numbers for all (-1) and any (0) both become -1. */
struct named {
    int64_t pid, tid;
};

static bool parse_part(const char **at, int64_t *value) {
    uint64_t number;
    if (packet_skip(at, '-')) {
        *value = -1;
        return packet_number(at, &number) && number == 1;
    }
    if (!packet_number(at, &number) || number > INT32_MAX)
        return false;
    *value = number ? (int64_t)number : -1;
    return true;
}

/* Parses pPID.TID, pPID or TID. */
static bool parse_thread(const char **at, const struct gdb *gdb, struct named *named) {
    *named = (struct named){ session_pid(gdb->general.tile), -1 };
    if (!packet_skip(at, 'p'))
        return parse_part(at, &named->tid);
    return parse_part(at, &named->pid) && (!packet_skip(at, '.') || parse_part(at, &named->tid));
}

/* Finds a thread of an attached tile. Returns false if there is none. -1 stands for any tile or core. */
static bool find_thread(const struct gdb *gdb, const struct named *named, struct thread *thread) {
    unsigned tile = named->pid < 0 ? session_tile(gdb, gdb->general.tile) : tile_of_pid(gdb, (uint64_t)named->pid);
    if (tile >= gdb->tile_count || !gdb->attached[tile])
        return false;
    bool own = session_is_same(gdb->tile[tile], gdb->general.tile);
    int core = named->tid >= 0 ? (int)named->tid - 1 : own ? gdb->general.core : BH_BRISC;
    *thread = (struct thread){ gdb->tile[tile], core };
    return session_core_exists(gdb, tile, core);
}

static const char *choose_thread(struct gdb *gdb, const char *at) {
    struct named named;
    struct thread thread;
    bool general = *at++ == 'g';
    if (!parse_thread(&at, gdb, &named))
        return "E.not a thread";
    bool found = find_thread(gdb, &named, &thread);
    if (!found && general)
        return "E.no such thread in an attached tile";
    if (general)
        gdb->general = thread;
    else
        gdb->resumed = found && named.tid >= 0 ? thread : gdb->general; /* used by s, bs and bc */
    return "OK";
}

static void list_threads(struct gdb *gdb, char *answer, size_t size) {
    size_t used = 0;
    for (unsigned i = 0; i < gdb->tile_count; i++)
        for (int core = 0; core < BH_CORE_COUNT; core++)
            if (gdb->attached[i] && session_core_exists(gdb, i, core) && used + 24 < size)
                used += (size_t)snprintf(answer + used, size - used, "%cp%x.%x", used ? ',' : 'm',
                                         session_pid(gdb->tile[i]), core + 1);
    if (!used)
        snprintf(answer, size, "l");
}

static void explain_thread(struct gdb *gdb, const char *at, char *answer) {
    struct named named;
    struct thread thread;
    char text[200];
    strcpy(answer, "E.no such thread");
    if (!parse_thread(&at, gdb, &named) || !find_thread(gdb, &named, &thread))
        return;
    describe_core(gdb, thread, text, sizeof text);
    packet_hex(answer, text, strlen(text));
}

/* ---- Memory ------------------------------------------------------------------------------------------------- */

/* Accesses a part of a 32-bit word, for registers, which allow only accesses to whole words. */
static bool access_word(struct gdb *gdb, struct thread t, uint32_t address, uint8_t *data, size_t size, bool write) {
    uint8_t word[4];
    uint32_t at = address & ~3u;
    if (bh_core_peek(session_chip(gdb, t.tile), t.tile.xy, (enum bh_core)t.core, at, word, 4) != BH_OK)
        return false;
    if (!write) {
        memcpy(data, word + address % 4, size);
        return true;
    }
    memcpy(word + address % 4, data, size);
    return bh_core_poke(session_chip(gdb, t.tile), t.tile.xy, (enum bh_core)t.core, at, word, 4) == BH_OK;
}

static size_t access_words(struct gdb *gdb, struct thread t, uint32_t address, uint8_t *data, size_t size, bool write) {
    size_t done = 0;
    while (done < size) {
        uint32_t at = address + (uint32_t)done;
        size_t part = 4 - at % 4 < size - done ? 4 - at % 4 : size - done;
        if (!access_word(gdb, t, at, data + done, part, write))
            break;
        done += part;
    }
    return done;
}

size_t session_read(struct gdb *gdb, struct thread t, uint32_t address, uint8_t *data, size_t size) {
    if (bh_core_peek(session_chip(gdb, t.tile), t.tile.xy, (enum bh_core)t.core, address, data, size) == BH_OK)
        return size;
    return access_words(gdb, t, address, data, size, false);
}

/* Ends the history: changes by the user cannot be replayed. */
static void changed(struct gdb *gdb) {
    history_clear(gdb);
    gdb->history.frontier = session_cycle(gdb);
}

static bool write_memory(struct gdb *gdb, uint32_t address, uint8_t *data, size_t size) {
    struct thread t = gdb->general;
    changed(gdb);
    return bh_core_poke(session_chip(gdb, t.tile), t.tile.xy, (enum bh_core)t.core, address, data, size) == BH_OK ||
           access_words(gdb, t, address, data, size, true) == size;
}

static bool parse_range(const char **at, uint64_t *address, uint64_t *size) {
    return packet_number(at, address) && packet_skip(at, ',') && packet_number(at, size) && *address <= UINT32_MAX &&
           *size <= PACKET_MAX / 2 && *address + *size <= (uint64_t)UINT32_MAX + 1;
}

static void read_memory(struct gdb *gdb, const char *at, char *answer) {
    uint8_t data[PACKET_MAX / 2];
    uint64_t address, size;
    size_t count = 0;
    if (!parse_range(&at, &address, &size) || *at)
        strcpy(answer, "E.not mADDRESS,SIZE");
    else if ((count = session_read(gdb, gdb->general, (uint32_t)address, data, size)) == 0 && size)
        strcpy(answer, "E0e");
    else
        packet_hex(answer, data, count);
}

/* Handles the packets M, which has hexadecimal digits, and X, which has bytes. */
static const char *store_memory(struct gdb *gdb, const char *packet, size_t length) {
    uint8_t data[PACKET_MAX / 2];
    uint64_t address, size;
    const char *at = packet + 1;
    if (!parse_range(&at, &address, &size) || !packet_skip(&at, ':'))
        return "E.not MADDRESS,SIZE:DATA";
    if (*packet == 'X') {
        if ((size_t)(packet + length - at) != size)
            return "E.another size than given";
        memcpy(data, at, size);
    } else if (!packet_bytes(&at, data, size) || *at) {
        return "E.another size than given";
    }
    return !size || write_memory(gdb, (uint32_t)address, data, size) ? "OK" : "E0e";
}

/* ---- Continuing ----------------------------------------------------------------------------------------------- */

static bool say(struct gdb *gdb, const char *text) {
    link_say(gdb, text);
    return false;
}

static void send_stop(struct gdb *gdb, const struct stop *stop, const struct position *now);

/* Returns true, after replying to gdb, if the core has no next instruction to step to. */
static bool cannot_step(struct gdb *gdb, struct thread thread) {
    struct bh_core_info info;
    char text[200];
    if (bh_core_query(session_chip(gdb, thread.tile), thread.tile.xy, (enum bh_core)thread.core, &info) != BH_OK)
        return true;
    if (info.state != BH_CORE_IN_RESET && info.state != BH_CORE_PAUSED && info.state != BH_CORE_FAULTED) {
        bool asleep = info.state == BH_CORE_POLLING;
        gdb->step_after = asleep ? UINT64_MAX : info.retired;
        return false;
    }
    describe_core(gdb, thread, text, sizeof text);
    link_print(gdb, "nothing to step: %s\n", text);
    const struct stop stop = { .cause = STOP_STEP, .signal = 5, .thread = thread };
    send_stop(gdb, &stop, NULL);
    return true;
}

/* Returns true, after replying to gdb, if a step has nothing left to do. gdb assumes that a core stops before the
 * instruction that accesses watched bytes, and steps once more before it looks at them; but here the core has passed
 * the access already (when going back: it stands before the access). */
static bool is_done(struct gdb *gdb, struct thread thread) {
    const struct stop stop = { .cause = STOP_STEP, .signal = 5, .thread = thread };
    const struct thread last = gdb->stop.thread;
    if (gdb->stop.cause != STOP_WATCH || last.core != thread.core || !session_is_same(last.tile, thread.tile))
        return false;
    send_stop(gdb, &stop, NULL);
    return true;
}

/* Handles a stop that gdb did not expect when it happened: the run goes back to it, or, without history, the core stops
 * where it is now. Returns whether there was such a stop, and in *goes_on whether the run continues. */
static bool handle_missed(struct gdb *gdb, bool *goes_on) {
    struct stop stop = gdb->missed_stop;
    char name[TILE_TEXT];
    if (!gdb->missed)
        return false;
    *goes_on = gdb->history.count;
    if (*goes_on) {
        gdb->back = BACK_MISSED;
        return true;
    }
    gdb->missed = false;
    stop.cause = STOP_STEP;
    link_print(
        gdb, "%s of %s has passed a breakpoint while another core was stepped\n",
        bh_core_name_at(session_chip(gdb, stop.thread.tile), stop.thread.tile.xy, (enum bh_core)stop.thread.core),
        session_name(gdb, stop.thread.tile, name));
    send_stop(gdb, &stop, NULL);
    return true;
}

/* Begins a step. Returns whether the run continues. */
static bool go_step(struct gdb *gdb, struct thread thread, uint32_t low, uint32_t high, bool others_stand) {
    bool goes_on;
    if (handle_missed(gdb, &goes_on))
        return goes_on;
    if (is_done(gdb, thread) || cannot_step(gdb, thread))
        return false;
    gdb->stepping = true;
    gdb->others_stand = others_stand;
    gdb->stepper = thread;
    gdb->range_low = low;
    gdb->range_high = high;
    gdb->step_limit = session_cycle(gdb) + STEP_CYCLES;
    points_resume(gdb, true);
    return true;
}

static bool go_on(struct gdb *gdb) {
    bool goes_on = true;
    gdb->stepping = false;
    points_resume(gdb, false);
    (void)handle_missed(gdb, &goes_on);
    return goes_on;
}

/* An action of vCont: its letter, its threads, and the range of the letter r. */
struct action {
    char what;
    uint64_t low, high;
    struct named named;
    bool all;
};

static bool parse_action(const char **at, const struct gdb *gdb, struct action *action) {
    uint64_t signal;
    *action = (struct action){ .what = **at, .all = true };
    if (!packet_skip(at, action->what) || !strchr("cCsSr", action->what))
        return false;
    if ((action->what == 'C' || action->what == 'S') && !packet_number(at, &signal))
        return false;
    if (action->what == 'r' && (!packet_number(at, &action->low) || !packet_skip(at, ',') ||
                                !packet_number(at, &action->high) || action->high > UINT32_MAX))
        return false;
    if (packet_skip(at, ':')) {
        action->all = false;
        return parse_thread(at, gdb, &action->named);
    }
    return true;
}

/* Handles vCont. The whole chip continues, whatever gdb asks for the other threads: only the stepped thread matters. */
static bool go_as_asked(struct gdb *gdb, const char *at) {
    struct action action, step = { 0 };
    struct thread thread = gdb->general;
    bool others = false;
    while (packet_skip(&at, ';')) {
        if (!parse_action(&at, gdb, &action))
            return say(gdb, "E.not an action of vCont");
        if (!step.what && strchr("sSr", action.what) && (action.all || action.named.tid >= 0))
            step = action;
        else
            others = true;
    }
    if (*at)
        return say(gdb, "E.not an action of vCont");
    if (!step.what)
        return go_on(gdb);
    if (!step.all && !find_thread(gdb, &step.named, &thread))
        return say(gdb, "E.no such thread");
    return go_step(gdb, thread, (uint32_t)step.low, (uint32_t)step.high, !others && !step.all);
}

static bool go_back(struct gdb *gdb, enum back back) {
    const struct stop stop = { .cause = STOP_HISTORY, .signal = 5, .thread = gdb->resumed };
    if (back == BACK_STEP && is_done(gdb, gdb->resumed))
        return false;
    points_resume(gdb, false);
    if (!gdb->history.count) {
        link_print(gdb, "%s\n",
                   gdb->owner.no_reverse
                       ? "no history: the run is observed (--trace, --stats, --profile, --report or --check)"
                       : "no history before this: it begins anew when the user or the host has "
                         "changed the chip");
        send_stop(gdb, &stop, NULL);
        return false;
    }
    memset(gdb->last_break, 0, sizeof gdb->last_break);
    gdb->missed = false;
    gdb->back = back;
    gdb->stepper = gdb->resumed;
    return true;
}

/* ---- Attaching ---------------------------------------------------------------------------------------------- */

static bool attach(struct gdb *gdb, const char *at) {
    uint64_t pid;
    if (!packet_number(&at, &pid) || *at || tile_of_pid(gdb, pid) >= gdb->tile_count)
        return say(gdb, "E.no such tile: processes have the numbers 100 x + y, and 10000 more for each chip");
    unsigned tile = tile_of_pid(gdb, pid);
    gdb->attached[tile] = true;
    gdb->general = (struct thread){ gdb->tile[tile], BH_BRISC };
    const struct stop stop = { .cause = STOP_NONE, .signal = 5, .thread = gdb->general };
    send_stop(gdb, &stop, NULL);
    return false;
}

void session_leave(struct gdb *gdb) {
    points_clear(gdb);
    gdb->stepping = false;
    memset(gdb->attached, 0, sizeof gdb->attached);
    link_close(gdb);
    history_clear(gdb);
    run_set_steps(gdb);
}

/* Handles D and D;PID. */
static bool detach(struct gdb *gdb, const char *at) {
    uint64_t pid;
    bool any = false;
    if (packet_skip(&at, ';') && packet_number(&at, &pid) && tile_of_pid(gdb, pid) < gdb->tile_count) {
        gdb->attached[tile_of_pid(gdb, pid)] = false;
        for (unsigned i = 0; i < gdb->tile_count; i++)
            any |= gdb->attached[i];
    }
    link_say(gdb, "OK");
    if (any || gdb->extended)
        return false;
    session_leave(gdb);
    return true;
}

static bool kill_run(struct gdb *gdb, bool answered) {
    if (answered)
        link_say(gdb, "OK");
    gdb->killed = true;
    return true;
}

/* ---- Questions ---------------------------------------------------------------------------------------------- */

static void send_stop(struct gdb *gdb, const struct stop *stop, const struct position *now) {
    static const char *const watch[] = { [POINT_WRITE] = "watch", [POINT_READ] = "rwatch", [POINT_ACCESS] = "awatch" };
    char text[200], pc[40];
    unsigned tile = session_tile(gdb, stop->thread.tile);
    if (tile < gdb->tile_count)
        gdb->attached[tile] = true;
    gdb->general = gdb->resumed = stop->thread;
    gdb->stop = *stop;
    describe_pc(gdb, stop->thread, pc);
    int used = snprintf(text, sizeof text, "T%02xthread:p%x.%x;%s", stop->signal, session_pid(stop->thread.tile),
                        stop->thread.core + 1, pc);
    size_t room = sizeof text - (size_t)used;
    if (stop->cause == STOP_POINT && now && now->kind == AT_CORE)
        *session_last_break(gdb, stop->thread) = now->number + 1;
    if (stop->cause == STOP_POINT)
        snprintf(text + used, room, "%s:;", stop->kind == POINT_SOFTWARE ? "swbreak" : "hwbreak");
    else if (stop->cause == STOP_WATCH)
        snprintf(text + used, room, "%s:%x;", watch[stop->kind], stop->address);
    else if (stop->cause == STOP_HISTORY)
        snprintf(text + used, room, "replaylog:begin;");
    else if (stop->cause == STOP_PROGRAMS)
        snprintf(text + used, room, "library:;");
    if (tile < gdb->tile_count)
        gdb->program_count[tile] = describe_program_count(gdb, tile);
    link_say(gdb, text);
}

static void send_features(struct gdb *gdb) {
    char text[400];
    snprintf(text, sizeof text,
             "PacketSize=%x;QStartNoAckMode+;multiprocess+;vContSupported+;swbreak+;hwbreak+;qXfer:features:read+;"
             "qXfer:threads:read+;qXfer:exec-file:read+;qXfer:libraries:read+;qXfer:osdata:read+;ReverseStep+;"
             "ReverseContinue+",
             PACKET_MAX);
    link_say(gdb, text);
}

/* Handles qXfer:OBJECT:read:ANNEX:OFFSET,SIZE. */
static void transfer(struct gdb *gdb, const char *at) {
    char name[32], annex[64], part[PACKET_MAX];
    uint64_t offset, size;
    const char *object = at, *behind = strstr(at, ":read:"), *colon = behind ? strchr(behind + 6, ':') : NULL;
    if (!colon || (size_t)(behind - object) >= sizeof name || (size_t)(colon - behind - 6) >= sizeof annex) {
        link_say(gdb, "");
        return;
    }
    snprintf(name, sizeof name, "%.*s", (int)(behind - object), object);
    snprintf(annex, sizeof annex, "%.*s", (int)(colon - behind - 6), behind + 6);
    at = colon + 1;
    if (!packet_number(&at, &offset) || !packet_skip(&at, ',') || !packet_number(&at, &size) || *at) {
        link_say(gdb, "E.not OFFSET,SIZE");
        return;
    }
    char *text = describe_object(gdb, name, annex);
    size_t length = text ? strlen(text) : 0;
    if (!text) {
        link_say(gdb, "E.no such object");
        return;
    }
    offset = offset < length ? offset : length;
    size = size < sizeof part / 2 - 1 ? size : sizeof part / 2 - 1;
    size = size < length - offset ? size : length - offset;
    part[0] = offset + size < length ? 'm' : 'l';
    memcpy(part + 1, text + offset, size);
    link_send(gdb, part, size + 1);
    free(text);
}

static bool starts(const char **at, const char *with) {
    size_t length = strlen(with);
    if (strncmp(*at, with, length) != 0)
        return false;
    *at += length;
    return true;
}

static void run_monitor(struct gdb *gdb, const char *at) {
    uint8_t text[PACKET_MAX / 2 + 1];
    size_t size = strlen(at) / 2;
    if (strlen(at) % 2 || !packet_bytes(&at, text, size)) {
        link_say(gdb, "E.not digits");
        return;
    }
    text[size] = '\0';
    monitor_command(gdb, (const char *)text);
}

static bool question(struct gdb *gdb, const char *packet) {
    char answer[PACKET_MAX] = "";
    const char *at = packet;
    if (starts(&at, "qSupported")) {
        send_features(gdb);
        return false;
    }
    if (starts(&at, "qXfer:")) {
        transfer(gdb, at);
        return false;
    }
    if (starts(&at, "qRcmd,")) {
        run_monitor(gdb, at);
        return false;
    }
    if (starts(&at, "qfThreadInfo"))
        list_threads(gdb, answer, sizeof answer);
    else if (starts(&at, "qsThreadInfo"))
        strcpy(answer, "l");
    else if (starts(&at, "qThreadExtraInfo,"))
        explain_thread(gdb, at, answer);
    else if (strcmp(packet, "qC") == 0)
        snprintf(answer, sizeof answer, "QCp%x.%x", session_pid(gdb->general.tile), gdb->general.core + 1);
    else if (starts(&at, "qAttached"))
        strcpy(answer, gdb->launched ? "0" : "1"); /* 0: gdb kills the run when it exits */
    else if (starts(&at, "qSymbol"))
        strcpy(answer, "OK");
    link_say(gdb, answer);
    return false;
}

static bool alive(struct gdb *gdb, const char *at) {
    struct named named;
    struct thread thread;
    return say(gdb, parse_thread(&at, gdb, &named) && find_thread(gdb, &named, &thread) ? "OK" : "E.no such thread");
}

/* ---- Commands ----------------------------------------------------------------------------------------------- */

static bool verbose(struct gdb *gdb, const char *packet) {
    const char *at = packet;
    if (strcmp(packet, "vCont?") == 0)
        return say(gdb, "vCont;c;C;s;S;r");
    if (starts(&at, "vCont"))
        return go_as_asked(gdb, at);
    if (starts(&at, "vAttach;"))
        return attach(gdb, at);
    if (starts(&at, "vKill"))
        return kill_run(gdb, true);
    return say(gdb, "");
}

static bool set_something(struct gdb *gdb, const char *packet) {
    if (strcmp(packet, "QStartNoAckMode") != 0)
        return say(gdb, "");
    link_say(gdb, "OK");
    gdb->no_ack = true;
    return false;
}

static bool registers(struct gdb *gdb, const char *packet) {
    char answer[PACKET_MAX];
    if (*packet == 'G' || *packet == 'P')
        changed(gdb);
    describe_registers(gdb, packet, answer);
    return say(gdb, answer);
}

static bool back(struct gdb *gdb, const char *packet) {
    if (strcmp(packet, "bs") == 0)
        return go_back(gdb, BACK_STEP);
    return strcmp(packet, "bc") == 0 ? go_back(gdb, BACK_CONTINUE) : say(gdb, "");
}

bool session_command(struct gdb *gdb, const char *packet, size_t size) {
    char answer[PACKET_MAX];
    switch (*packet) {
    case '!': gdb->extended = true; return say(gdb, "OK");
    case '?': send_stop(gdb, &gdb->stop, NULL); return false;
    case 'q': return question(gdb, packet);
    case 'Q': return set_something(gdb, packet);
    case 'v': return verbose(gdb, packet);
    case 'H': return say(gdb, packet[1] ? choose_thread(gdb, packet + 1) : "E.which thread?");
    case 'T': return alive(gdb, packet + 1);
    case 'g':
    case 'G':
    case 'p':
    case 'P': return registers(gdb, packet);
    case 'm': read_memory(gdb, packet + 1, answer); return say(gdb, answer);
    case 'M':
    case 'X': return say(gdb, store_memory(gdb, packet, size));
    case 'Z':
    case 'z': return say(gdb, points_command(gdb, packet));
    case 'b': return back(gdb, packet);
    case 'c':
    case 'C': return go_on(gdb);
    case 's':
    case 'S': return go_step(gdb, gdb->resumed, 0, 0, false);
    case 'D': return detach(gdb, packet + 1);
    case 'k': return kill_run(gdb, false);
    default: return say(gdb, "");
    }
}

void session_talk(struct gdb *gdb, const struct stop *stop, const struct position *now) {
    bool goes_on = gdb->fd < 0;
    gdb->back = BACK_NONE;
    if (stop->cause != STOP_NONE)
        send_stop(gdb, stop, now);
    else
        gdb->stop = *stop;
    while (!goes_on) {
        enum packet_result result = link_receive(gdb);
        if (result == PACKET_READY) {
            goes_on = session_command(gdb, gdb->in.data, gdb->in.size);
        } else if (result == PACKET_BAD) { /* gdb has disconnected: the run continues */
            session_leave(gdb);
            goes_on = true;
        }
    }
}

/* Tells gdb that the process of an attached tile has ended, for one tile at a time. Returns false if there is no tile
 * left. */
static bool send_end(struct gdb *gdb) {
    char text[40];
    for (unsigned i = 0; i < gdb->tile_count; i++) {
        if (!gdb->attached[i])
            continue;
        gdb->attached[i] = false;
        snprintf(text, sizeof text, "W%02x;process:%x", gdb->status, session_pid(gdb->tile[i]));
        link_say(gdb, text);
        return true;
    }
    return false;
}

void session_linger(struct gdb *gdb) {
    enum packet_result result;
    while ((result = link_receive(gdb)) != PACKET_BAD) {
        const char *packet = gdb->in.data;
        if (result != PACKET_READY)
            continue;
        if (*packet == 'k')
            return;
        if (strncmp(packet, "qSupported", 10) == 0)
            send_features(gdb);
        else if (strcmp(packet, "?") == 0)
            link_say(gdb, "W00");
        else if (strncmp(packet, "qfThreadInfo", 12) == 0)
            link_say(gdb, "l");
        else if (strncmp(packet, "qXfer:", 6) == 0)
            link_say(gdb, strncmp(packet + 6, "threads", 7) == 0 ? "l<threads></threads>" : "E.the run has ended");
        else if (*packet == 'H' || *packet == 'D' || *packet == '!')
            link_say(gdb, "OK");
        else if (strncmp(packet, "vCont;", 6) != 0 || !send_end(gdb))
            link_say(gdb, *packet == 'v' && strncmp(packet, "vMust", 5) != 0 ? "E.the run has ended" : "");
    }
}
